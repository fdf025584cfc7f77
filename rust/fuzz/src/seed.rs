//! Seeds: replies written by hand, one in each file of `seeds/<target>`.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// Name and text of each seed of a target, in the order of their names.
///
/// # Errors
///
/// If the folder or a file in it can't be read, or is not UTF-8.
pub fn all(target: &str) -> io::Result<Vec<(String, String)>> {
    let mut seeds = Vec::new();
    for entry in fs::read_dir(folder("seeds", target))? {
        let path = entry?.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        seeds.push((name, fs::read_to_string(path)?));
    }
    seeds.sort();
    Ok(seeds)
}

/// Where the fuzzer keeps what it learns of a target, and starts from.
pub fn corpus(target: &str) -> PathBuf {
    folder("corpus", target)
}

fn folder(kind: &str, target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(kind).join(target)
}
