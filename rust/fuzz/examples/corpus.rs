//! Writes what the fuzzer starts from: the seeds under every format, and the formats' own examples.

use std::{fs, io};

use judgecore_fuzz::read::Input;
use judgecore_fuzz::seed;

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
    Ok(())
}
