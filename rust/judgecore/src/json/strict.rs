//! The standard and nothing more (RFC 8259), by jiter.

use jiter::{Jiter, JsonErrorType};

use super::Json;

/// Why text is not JSON.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum StrictError {
    /// Nested more deeply than jiter goes.
    TooDeep,
    /// What is wrong, and at which byte.
    Wrong(String, usize),
}

/// The value that all of `text` is.
pub(crate) fn read(text: &str) -> Result<Json<'_>, StrictError> {
    Json::parse(text.as_bytes(), false).map_err(|problem| match problem.error_type {
        JsonErrorType::RecursionLimitExceeded => StrictError::TooDeep,
        kind => StrictError::Wrong(kind.to_string(), problem.index),
    })
}

/// What Python's `json.loads` would make of text, as far as jiter can tell.
pub(crate) enum Loaded<'r> {
    Value(Json<'r>),
    /// Python refuses it too.
    Nothing,
    /// Python takes what a Rust string or jiter does not hold: lone surrogates, greater depth, longer integers.
    Unsure,
}

/// As Python's `json.loads`, which takes `NaN` and infinities.
pub(crate) fn load(text: &str) -> Loaded<'_> {
    match Json::parse(text.as_bytes(), true) {
        Ok(value) => Loaded::Value(value),
        Err(problem) => match problem.error_type {
            JsonErrorType::RecursionLimitExceeded
            | JsonErrorType::NumberOutOfRange
            | JsonErrorType::InvalidUnicodeCodePoint
            | JsonErrorType::LoneLeadingSurrogateInHexEscape
            | JsonErrorType::UnexpectedEndOfHexEscape => Loaded::Unsure,
            _ => Loaded::Nothing,
        },
    }
}

/// The value at the start of `text`, and where it ends.
pub(crate) fn read_prefix(text: &str) -> Option<(Json<'_>, usize)> {
    let mut reader = Jiter::new(text.as_bytes());
    let value = reader.next_value().ok()?;
    Some((value, reader.current_index()))
}
