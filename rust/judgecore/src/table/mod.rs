//! Tables as text: finds the records, and parses the cells of selected columns only.

pub mod csv;
pub mod json_line;

use std::borrow::Cow;

/// A cell of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell<'t> {
    /// `null`, or a column that the row does not have.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number as written.
    Number(&'t str),
    /// A string, unquoted and unescaped.
    Text(Cow<'t, str>),
    /// A list as written.
    List(&'t str),
    /// An object as written.
    Object(&'t str),
}

impl Cell<'_> {
    /// Return the name of the type for messages: `a number`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "true or false",
            Self::Number(_) => "a number",
            Self::Text(_) => "a string",
            Self::List(_) => "an array",
            Self::Object(_) => "an object",
        }
    }
}
