//! Seeds: handwritten inputs, one in each file of `seeds/<target>`.

use std::path::{Path, PathBuf};
use std::{fs, io};

/// Return the name and text of each seed of a target, sorted by name.
///
/// # Errors
///
/// If the folder or a file in it can't be read, or a file is not UTF-8.
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

/// Return the folder of the fuzzer's corpus for a target.
pub fn corpus(target: &str) -> PathBuf {
    folder("corpus", target)
}

fn folder(kind: &str, target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(kind).join(target)
}
