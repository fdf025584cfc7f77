//! Writes the initial corpora: the seeds with all options, and the examples of the built-in formats.

use std::{fs, io};

use judgecore_fuzz::read::Input;
use judgecore_fuzz::{json, seed, table};

fn main() -> io::Result<()> {
    let folder = seed::corpus("read");
    fs::create_dir_all(&folder)?;
    for (name, reply) in seed::all("read")? {
        for (index, input) in Input::every(&reply).enumerate() {
            fs::write(folder.join(format!("seed-{name}-{index}")), input.encode())?;
        }
    }
    for (index, input) in Input::examples().enumerate() {
        fs::write(folder.join(format!("example-{index}")), input.encode())?;
    }
    let folder = seed::corpus("json");
    fs::create_dir_all(&folder)?;
    for (name, reply) in seed::all("json")? {
        for (index, input) in json::Input::every(&reply).enumerate() {
            fs::write(folder.join(format!("seed-{name}-{index}")), input.encode())?;
        }
    }
    let folder = seed::corpus("json_agreement");
    fs::create_dir_all(&folder)?;
    for (name, text) in seed::all("json_agreement")? {
        fs::write(folder.join(format!("seed-{name}")), text)?;
    }
    let folder = seed::corpus("table");
    fs::create_dir_all(&folder)?;
    for (name, text) in seed::all("table")? {
        for (index, input) in table::Input::every(text.as_bytes()).enumerate() {
            fs::write(folder.join(format!("seed-{name}-{index}")), input.encode())?;
        }
    }
    Ok(())
}
