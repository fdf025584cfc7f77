//! Lists the format files, so that adding a family needs no code, and compiles the lexicon and the taxonomy.

use std::env;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

#[path = "build/lexicon.rs"]
mod lexicon;
#[path = "build/taxonomy.rs"]
mod taxonomy;

use lexicon::names;

fn main() -> Result<(), Box<dyn Error>> {
    let here = env::var("CARGO_MANIFEST_DIR")?;
    let out = env::var("OUT_DIR")?;
    let (here, out) = (Path::new(&here), Path::new(&out));
    for source in ["build", "classes.toml", "formats", "lexicon", "src/lexicon", "taxonomy"] {
        println!("cargo::rerun-if-changed={source}");
    }
    fs::write(out.join("families.rs"), families(&here.join("formats"))?)?;
    let meanings = lexicon::meanings(&here.join("classes.toml"))?;
    let tables = [
        ("lexicon.rs", lexicon::table(&here.join("lexicon"), &meanings)),
        ("taxonomy.rs", taxonomy::table(&here.join("taxonomy"), &here.join("formats"))),
    ];
    for (file, table) in tables {
        match table {
            Ok(table) => fs::write(out.join(file), table)?,
            // Cargo prints these lines, and fails the build.
            Err(problems) => problems.to_string().lines().for_each(|line| println!("cargo::error={line}")),
        }
    }
    Ok(())
}

fn families(folder: &Path) -> Result<String, Box<dyn Error>> {
    let mut list = String::from("&[\n");
    for name in names(folder)? {
        let path = folder.join(format!("{name}.toml")).display().to_string();
        writeln!(list, "    ({name:?}, include_str!({path:?})),")?;
    }
    list.push(']');
    Ok(list)
}
