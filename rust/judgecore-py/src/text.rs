//! Converts between Python strings and UTF-8.

use std::borrow::Cow;

use memchr::memchr;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

/// An argument of several strings.
#[derive(Default)]
pub(crate) struct Texts(pub(crate) Vec<String>);

impl FromPyObject<'_, '_> for Texts {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        if given.is_instance_of::<PyString>() {
            return Err(PyTypeError::new_err(format!("give a list of strings, not one string: [{}]", given.repr()?)));
        }
        given.extract().map(Self)
    }
}

/// Return the text of a string, with U+FFFD for each lone surrogate.
pub(crate) fn utf8<'a>(text: &'a Bound<'_, PyString>) -> PyResult<Cow<'a, str>> {
    match text.to_str() {
        Ok(text) => Ok(Cow::Borrowed(text)),
        Err(_) => Ok(Cow::Owned(without_surrogates(text)?)),
    }
}

/// Encode a string as UTF-8, with three bytes for each lone surrogate.
pub(crate) fn with_surrogates(text: &Bound<'_, PyString>) -> PyResult<Vec<u8>> {
    Ok(encoded(text)?.as_bytes().to_vec())
}

/// Encode a string as UTF-8, with three bytes for each lone surrogate, as a Python object.
pub(crate) fn encoded<'py>(text: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyBytes>> {
    Ok(text.call_method1("encode", ("utf-8", "surrogatepass"))?.cast_into()?)
}

/// Replace lone surrogates by U+FFFD, which has the same number of bytes.
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

/// Return the number of code points before a byte offset.
pub(crate) fn code_points(text: &str, at: usize) -> usize {
    let head = text.get(..at).unwrap_or(text);
    if head.is_ascii() { head.len() } else { head.chars().count() }
}

/// A row's text.
#[derive(Clone, Copy)]
pub(crate) enum Text<'a> {
    Missing,
    /// A text. `is_ascii` is true only if it is known to be ASCII.
    Whole {
        text: &'a str,
        is_ascii: bool,
    },
    /// Invalid UTF-8, with the offset of the first invalid byte.
    Broken(usize),
}

/// Validate bytes as UTF-8.
pub(crate) fn checked(bytes: &[u8]) -> Text<'_> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Text::Whole { text, is_ascii: false },
        Err(problem) => Text::Broken(problem.valid_up_to()),
    }
}
