//! Reads what a judge model writes: verdicts, scores, preferences and guard labels.
//!
//! [`read`] takes a reply and a [`Format`] and gives a [`Reading`] with its evidence, or an
//! [`Unreadable`] with its reason. A reply that can't be read is never a score.
//!
//! ```
//! use judgecore::{Mode, Value, format, read};
//!
//! let format = format::get("mt_bench.single")?;
//! let reading = read("Clear and complete. Rating: [[8]]", &format, Mode::Lenient, false, &[]);
//! assert_eq!(reading.unwrap().value, Value::Score(8.0));
//!
//! let unread = read("I like it.", &format, Mode::Lenient, false, &[]).unwrap_err();
//! assert_eq!(unread.reason.name(), "no_verdict");
//! # Ok::<(), format::FormatError>(())
//! ```
//!
//! [`format`](mod@format) has the built-in formats and reads files of one's own, [`json`] reads and mends documents,
//! [`hashing`] writes canonical JSON and hashes it, [`stats`] measures judges against people, [`table`] finds the rows of
//! JSON lines and CSV. The folder `examples` has programs to start from.
//!
//! What stands in these docs is the crate's surface: a name goes, or changes its meaning, with a new
//! minor version while the crate is below 1.0, and from the first release on [`READING_VERSION`] is raised
//! with every change in what is read. There is no `unsafe`, no panic on any input, and no backtracking; reading takes time
//! in proportion to the reply.

#![forbid(unsafe_code)]

mod blocks;
pub mod format;
pub mod hashing;
pub mod json;
mod lexicon;
mod names;
mod reading;
mod reply;
pub mod stats;
pub mod table;
pub mod taxonomy;

pub use format::Format;
pub use reading::{
    Detail, FieldValue, GuardVerdict, Lone, Mode, Outcome, READING_VERSION, Read, Reading, Reason, Rule, Token,
    Unreadable, Value, has_logprobs, inherited, read, read_into, release, reply_of, score_logprobs,
};
