//! Reads one reply a line from standard input, and writes what it says and where.
//!
//! ```sh
//! printf 'Rating: [[8]]\nno idea\n' | cargo run --example read_lines -- mt_bench.single
//! ```

#![expect(clippy::print_stderr, reason = "a program says what it found")]

use std::collections::BTreeMap;
use std::env;
use std::error::Error;
use std::io::{self, BufRead as _, Write as _};

use judgecore::{Mode, format, read};

fn main() -> Result<(), Box<dyn Error>> {
    let id = env::args().nth(1).unwrap_or_else(|| "mt_bench.single".to_owned());
    let format = format::get(&id)?;
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let reply = line?;
        let outcome = match read(&reply, &format, Mode::Lenient, false, &[]) {
            Ok(reading) => {
                let evidence = reply.get(reading.span.clone()).unwrap_or_default();
                writeln!(out, "{:?}\t{}\t{evidence}", reading.value, reading.rule.name())?;
                "ok"
            }
            Err(unread) => {
                writeln!(out, "\t{}\t", unread.reason.name())?;
                unread.reason.name()
            }
        };
        *counts.entry(outcome).or_default() += 1;
    }
    eprintln!("{counts:?}");
    Ok(())
}
