//! Reads what a judge model writes: verdicts, scores, preferences and guard labels.
//!
//! [`read`] takes a reply and a [`Format`] and gives a [`Reading`] with its evidence, or an
//! [`Unreadable`] with its reason. A reply that can't be read is never a score.
//!
//! ```
//! use judgecore::{Mode, Value, format, read};
//!
//! let format = format::get("mt_bench.single")?;
//! let reading = read("Clear and complete. Rating: [[8]]", &format, Mode::Lenient, false);
//! assert_eq!(reading.unwrap().value, Value::Score(8.0));
//!
//! let unread = read("I like it.", &format, Mode::Lenient, false).unwrap_err();
//! assert_eq!(unread.reason.name(), "no_verdict");
//! # Ok::<(), format::FormatError>(())
//! ```

#![forbid(unsafe_code)]

pub mod format;
pub mod hashing;
pub mod json;
mod reading;
mod reply;
pub mod stats;

pub use format::Format;
pub use reading::{
    Detail, FieldValue, GuardVerdict, Lone, Mode, Outcome, READING_VERSION, Read, Reading, Reason, Rule, Unreadable,
    Value, inherited, read, read_into, release,
};
