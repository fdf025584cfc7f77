//! Lists the files of formats and of the taxonomy, so that adding a family needs no code, and compiles the lexicon.

use std::env;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

#[path = "build/lexicon.rs"]
mod lexicon;

use lexicon::names;

fn main() -> Result<(), Box<dyn Error>> {
    let here = env::var("CARGO_MANIFEST_DIR")?;
    let out = env::var("OUT_DIR")?;
    let (here, out) = (Path::new(&here), Path::new(&out));
    for source in ["build", "classes.toml", "formats", "lexicon", "src/lexicon", "taxonomy"] {
        println!("cargo::rerun-if-changed={source}");
    }
    for (folder, list) in [("formats", "families.rs"), ("taxonomy", "taxonomy.rs")] {
        fs::write(out.join(list), files(&here.join(folder))?)?;
    }
    // The lexicon's tables are written in this machine's byte order.
    let order = if cfg!(target_endian = "little") { "little" } else { "big" };
    if env::var("CARGO_CFG_TARGET_ENDIAN")? != order {
        return Err(format!("the byte order of the target must be {order}, as this machine's is").into());
    }
    let meanings = lexicon::meanings(&here.join("classes.toml"))?;
    match lexicon::table(&here.join("lexicon"), out, &meanings) {
        Ok(table) => fs::write(out.join("lexicon.rs"), table)?,
        // Cargo prints these lines, and fails the build.
        Err(problems) => problems.to_string().lines().for_each(|line| println!("cargo::error={line}")),
    }
    Ok(())
}

/// Name and text of each file of a folder.
fn files(folder: &Path) -> Result<String, Box<dyn Error>> {
    let mut list = String::from("&[\n");
    for name in names(folder)? {
        let path = folder.join(format!("{name}.toml")).display().to_string();
        writeln!(list, "    ({name:?}, include_str!({path:?})),")?;
    }
    list.push(']');
    Ok(list)
}
