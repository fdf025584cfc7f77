//! Declares a format of one's own, and reads with it in each of its modes.

#![expect(clippy::print_stdout, reason = "a program says what it found")]

use judgecore::{Format, Mode, format::FormatError, read};

const ESSAY: &str = r#"
family = "essay"
title = "Essay judge"
evidence = "observed"
sources = ["the prompt in our evaluation, version 3"]

[[formats]]
id = "essay.grade"
about = "`Grade: <4>`, a whole number from 1 to 6."
kind = "score"
low = 1
high = 6
integer = true
markers = ["Grade: <{}>", "Grade"]
"#;

fn main() -> Result<(), FormatError> {
    let format = Format::from_toml("essay.toml", ESSAY, None)?;
    for reply in ["Two of 5 facts are wrong. Grade: <4>", "I would give it a 2.", "Grade: <9>"] {
        for mode in [Mode::Lenient, Mode::Strict] {
            match read(reply, &format, mode, false, &[]) {
                Ok(reading) => println!("{mode:?} {:?}: {reply}", reading.value),
                Err(unread) => println!("{mode:?} {}: {reply}", unread.reason.name()),
            }
        }
    }
    Ok(())
}
