//! Python strings as UTF-8.

use std::borrow::Cow;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

/// The text of a string; a lone surrogate, which UTF-8 has no form for, reads as U+FFFD.
pub(crate) fn utf8<'a>(text: &'a Bound<'_, PyString>) -> PyResult<Cow<'a, str>> {
    match text.to_str() {
        Ok(text) => Ok(Cow::Borrowed(text)),
        Err(_) => Ok(Cow::Owned(without_surrogates(text)?)),
    }
}

/// UTF-8 in which each lone surrogate has three bytes of its own.
pub(crate) fn with_surrogates(text: &Bound<'_, PyString>) -> PyResult<Vec<u8>> {
    Ok(encoded(text)?.as_bytes().to_vec())
}

/// The same as an object of Python's.
pub(crate) fn encoded<'py>(text: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyBytes>> {
    Ok(text.call_method1("encode", ("utf-8", "surrogatepass"))?.cast_into()?)
}

/// A surrogate has as many bytes as U+FFFD.
fn without_surrogates(text: &Bound<'_, PyString>) -> PyResult<String> {
    let mut bytes = with_surrogates(text)?;
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr(0xed, rest)) {
        at += found;
        if let Some([lead, second, third]) = bytes.get_mut(at..at + 3)
            && *second >= 0xa0
        {
            (*lead, *second, *third) = (0xef, 0xbf, 0xbd);
        }
        at += 3;
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn memchr(wanted: u8, bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|&byte| byte == wanted)
}

/// How many code points stand before a byte offset.
pub(crate) fn code_points(text: &str, at: usize) -> usize {
    let head = text.get(..at).unwrap_or(text);
    if head.is_ascii() { head.len() } else { head.chars().count() }
}

/// A row's text.
#[derive(Clone, Copy)]
pub(crate) enum Text<'a> {
    Missing,
    /// A text; `is_ascii` is true only if it is known to be ASCII.
    Whole {
        text: &'a str,
        is_ascii: bool,
    },
    /// Bytes that stop being UTF-8 at this one.
    Broken(usize),
}

/// The text of bytes that should be UTF-8.
pub(crate) fn checked(bytes: &[u8]) -> Text<'_> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Text::Whole { text, is_ascii: false },
        Err(problem) => Text::Broken(problem.valid_up_to()),
    }
}
