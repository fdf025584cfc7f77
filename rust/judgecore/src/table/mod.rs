//! Tables of text: where records begin and end, and the cells of some columns, without making the others.

pub mod csv;
pub mod json_line;

use std::borrow::Cow;

/// A cell of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell<'t> {
    /// `null`; also a column that the row has not.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number as it is written.
    Number(&'t str),
    /// A text, without its quotation marks and escapes.
    Text(Cow<'t, str>),
    /// A list as it is written.
    List(&'t str),
    /// An object as it is written.
    Object(&'t str),
}

impl Cell<'_> {
    /// What it is, in words: `a number`.
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
