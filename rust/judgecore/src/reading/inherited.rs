//! The functions that judgecore inherits from lmms-eval's judge, exact to the letter.
//!
//! They hide whether anything was read: what they can't read becomes a value. [`super::read`] says so instead.
//!
//! Source: `lmms_eval/llm_judge/utils.py` of lmms-eval at commit 75571cf.

use std::borrow::Cow;
use std::ops::Range;

use crate::blocks::places;
use crate::json::Json;
use crate::json::strict::{self, Loaded};
use crate::reply::digit_value;
use crate::reply::text::{char_at, skip, slice, tail};

/// What Python's `str.strip` removes.
pub(super) fn is_python_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}')
}

/// The text without white space around it, as Python's `str.strip` gives it.
fn python_strip(text: &str) -> &str {
    text.trim_matches(is_python_space)
}

/// Whether a reply to a 0-or-1 question holds a `1` anywhere.
pub fn holds_one(reply: &str) -> bool {
    memchr::memchr(b'1', reply.as_bytes()).is_some()
}

/// Whether a reply to a yes-or-no question begins with `yes`, in any case.
pub fn begins_with_yes(reply: &str) -> bool {
    python_strip(reply).as_bytes().get(..3).is_some_and(|start| start.eq_ignore_ascii_case(b"yes"))
}

/// The first number of a reply, `-?\d+(?:\.\d+)?` with digits of any script, and where it stands.
pub fn first_number(reply: &str) -> Option<(f64, Range<usize>)> {
    next_number(reply, 0)
}

/// The first two numbers of the first line of a reply, and where they stand.
pub fn first_pair(reply: &str) -> Option<(f64, f64, Range<usize>)> {
    let stripped = python_strip(reply);
    let offset = skip(reply, 0, is_python_space);
    let line = stripped.split('\n').next()?;
    let (first, one) = next_number(line, 0)?;
    let (second, other) = next_number(line, one.end)?;
    Some((first, second, one.start + offset..other.end + offset))
}

/// What lmms-eval reads as JSON: all that stands from the first `{` to the last `}`.
#[derive(Debug, Clone, PartialEq)]
pub enum Braced<'r> {
    /// A document.
    Document(Json<'r>),
    /// None.
    Nothing,
    /// Text that only Python's own reader can judge, because of its depth, a lone surrogate or a long integer.
    Unsure(&'r str),
}

/// The document from the first `{` to the last `}`, by the standard, with `NaN` and infinities as Python takes them.
pub fn braced(reply: &str) -> Braced<'_> {
    let text = memchr::memchr(b'{', reply.as_bytes())
        .zip(memchr::memrchr(b'}', reply.as_bytes()))
        .and_then(|(start, end)| reply.get(start..=end));
    let Some(text) = text else { return Braced::Nothing };
    match strict::load(text) {
        Loaded::Value(value) => Braced::Document(value),
        Loaded::Nothing => Braced::Nothing,
        Loaded::Unsure => Braced::Unsure(text),
    }
}

fn next_number(text: &str, from: usize) -> Option<(f64, Range<usize>)> {
    let mut signs = places(text.as_bytes(), from, |byte| (byte >= 0x80) | (byte.wrapping_sub(b'0') < 10));
    let digit = signs.find(|&at| char_at(text, at).and_then(digit_value).is_some())?;
    let mut end = digits_end(text, digit);
    if tail(text, end).starts_with('.') {
        let fraction_end = digits_end(text, end + 1);
        if fraction_end > end + 1 {
            end = fraction_end;
        }
    }
    let is_negative = slice(text, from..digit).ends_with('-');
    let start = digit - usize::from(is_negative);
    let written = slice(text, digit..end);
    let literal: Cow<'_, str> = if written.is_ascii() {
        written.into()
    } else {
        let ascii = |c| digit_value(c).map_or(c, |digit| char::from(b'0' + digit));
        written.chars().map(ascii).collect::<String>().into()
    };
    let value: f64 = literal.parse().ok()?;
    Some((if is_negative { -value } else { value }, start..end))
}

fn digits_end(text: &str, from: usize) -> usize {
    skip(text, from, |c| digit_value(c).is_some())
}

#[cfg(test)]
mod tests {
    use super::{Braced, begins_with_yes, braced, first_number, first_pair, holds_one};

    #[test]
    fn a_one_is_found_wherever_it_stands_and_nothing_else_is() {
        for length in 0..70 {
            let without = "é0".repeat(length).chars().take(length).collect::<String>();
            assert!(!holds_one(&without), "{without}");
            for (at, _) in without.char_indices() {
                let mut with = without.clone();
                with.insert(at, '1');
                assert!(holds_one(&with), "{with}");
            }
        }
    }

    #[test]
    fn the_first_number_wins_whatever_it_means() {
        for (reply, want) in [
            ("On a scale of 1 to 10, I give it 8", Some(1.0)),
            ("-3", Some(-3.0)),
            ("a-3", Some(-3.0)),
            ("8.5/10", Some(8.5)),
            ("8.", Some(8.0)),
            (".5", Some(5.0)),
            ("\u{ff18}", Some(8.0)),
            ("\u{1d7d6}.\u{1d7d6}", Some(8.8)),
            ("five", None),
        ] {
            assert_eq!(first_number(reply).map(|(value, _)| value), want, "{reply}");
        }
    }

    #[test]
    fn only_the_first_line_holds_a_pair() {
        assert_eq!(first_pair("\n 8, 7\n1 1"), Some((8.0, 7.0, 2..6)));
        assert_eq!(first_pair("Scores:\n8 7"), None);
    }

    #[test]
    fn yes_must_come_first_and_braces_must_match() {
        assert!(begins_with_yes(" YES!") && !begins_with_yes("**yes**"));
        assert_eq!(braced("a {b} c}"), Braced::Nothing);
        assert_eq!(braced("} {"), Braced::Nothing);
        assert!(matches!(braced(r#"a {"b": NaN} c"#), Braced::Document(_)));
        assert_eq!(braced(r#"a {"b": "\ud800"} c"#), Braced::Unsure(r#"{"b": "\ud800"}"#));
    }
}
