//! Errors in format declarations.

use std::fmt;

/// Why a format is invalid or unknown.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// The file is not valid TOML, or has an unknown, missing or mistyped key.
    #[error("{0}")]
    Syntax(String),
    /// The value of a key is invalid.
    #[error("format {id:?}: {key}: {problem}")]
    Key {
        /// The format's id, or its kind if it has none.
        id: String,
        /// The key.
        key: String,
        /// What is wrong, and how to fix it.
        problem: String,
    },
    /// No format has this name.
    #[error("{0}")]
    Unknown(String),
}

impl FormatError {
    /// Return the error with one key renamed to another.
    pub(crate) fn renamed(self, from: &str, to: &str) -> Self {
        match self {
            Self::Key { id, key, problem } if key == from => Self::Key { id, key: to.to_owned(), problem },
            other => other,
        }
    }

    /// The same of a format that is a part of another, under one of its keys.
    pub(crate) fn inside(self, whole: &str, part: &str) -> Self {
        match self {
            Self::Key { key, problem, .. } => Self::Key { id: whole.to_owned(), key: format!("{part}.{key}"), problem },
            other => other,
        }
    }

    pub(crate) fn key(id: &str, key: &str, problem: impl fmt::Display) -> Self {
        Self::Key { id: id.to_owned(), key: key.to_owned(), problem: problem.to_string() }
    }

    /// The same as a check, which fails where `is_wrong`.
    pub(crate) fn refuse_if(is_wrong: bool, id: &str, key: &str, problem: impl fmt::Display) -> Result<(), Self> {
        if is_wrong { Err(Self::key(id, key, problem)) } else { Ok(()) }
    }
}
