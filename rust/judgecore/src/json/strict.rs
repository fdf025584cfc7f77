//! Standard JSON (RFC 8259), parsed by jiter.

use jiter::{Jiter, JsonErrorType};

use super::Json;

/// Why text is not JSON.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum StrictError {
    /// Nested more deeply than jiter's limit.
    TooDeep,
    /// The error's message and byte offset.
    Wrong(String, usize),
}

/// Parse a text that is one document.
pub(crate) fn read(text: &str) -> Result<Json<'_>, StrictError> {
    Json::parse(text.as_bytes(), false).map_err(|problem| match problem.error_type {
        JsonErrorType::RecursionLimitExceeded => StrictError::TooDeep,
        kind => StrictError::Wrong(kind.to_string(), problem.index),
    })
}

/// The result of Python's `json.loads`, as far as jiter can decide.
pub(crate) enum Loaded<'r> {
    Value(Json<'r>),
    /// Python rejects it too.
    Nothing,
    /// Python may accept it: it has lone surrogates, or exceeds jiter's limits for depth and integers.
    Unsure,
}

/// Parse like Python's `json.loads`, which accepts `NaN` and infinities.
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

/// Parse the document at the start of `text`; return its value and its end.
pub(crate) fn read_prefix(text: &str) -> Option<(Json<'_>, usize)> {
    let mut reader = Jiter::new(text.as_bytes());
    let value = reader.next_value().ok()?;
    Some((value, reader.current_index()))
}
