//! Examples of format files: replies with their outcomes.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::fmt;
use toml::Value;

/// A reply with its outcome in each mode.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    /// The reply.
    pub reply: String,
    /// Whether it is known to be cut off.
    #[serde(default, rename = "cut")]
    pub is_cut: bool,
    /// What the example shows.
    #[serde(default)]
    pub note: String,
    /// The outcome of lenient reading.
    pub lenient: Expected,
    /// The outcome of strict reading.
    pub strict: Expected,
    /// The outcome of the publisher's rule, if the format has one.
    pub paper: Option<Expected>,
}

/// The outcome of an example.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(
    rename_all = "lowercase",
    expecting = "write a value, in which all numbers are finite, or { unreadable = \"a reason\" }"
)]
pub enum Expected {
    /// The name of the reason why there is no value.
    Unreadable(String),
    /// A value that the publisher's rule invents.
    Invented(Literal),
    /// A value.
    #[serde(untagged)]
    Value(Literal),
}

/// A value in a format file.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(try_from = "Value", untagged)]
pub enum Literal {
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(f64),
    /// Several numbers.
    Numbers(Vec<f64>),
    /// A label.
    Text(String),
    /// Several texts.
    Texts(Vec<String>),
    /// Named values.
    Table(IndexMap<String, Literal>),
}

impl TryFrom<Value> for Literal {
    type Error = String;

    fn try_from(value: Value) -> Result<Self, String> {
        Ok(match value {
            Value::Boolean(value) => Self::Bool(value),
            Value::Integer(value) => {
                let number =
                    i32::try_from(value).map_err(|_| format!("{value} is too large; write a smaller number"))?;
                Self::Number(number.into())
            }
            Value::Float(value) if value.is_finite() => Self::Number(value),
            Value::Float(value) => return Err(format!("{value} is not a score; write a finite number")),
            Value::String(text) => Self::Text(text),
            Value::Array(values) => {
                let texts = values.iter().map(|value| value.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>();
                let numbers = values.iter().map(|value| match Self::try_from(value.clone()) {
                    Ok(Self::Number(number)) => Some(number),
                    _ => None,
                });
                let numbers = || numbers.collect::<Option<Vec<_>>>().map(Self::Numbers);
                texts.map(Self::Texts).or_else(numbers).ok_or("a list must have finite numbers or texts, not both")?
            }
            Value::Table(table) => Self::Table(
                table
                    .into_iter()
                    .map(|(name, value)| Ok((name, Self::try_from(value)?)))
                    .collect::<Result<_, String>>()?,
            ),
            Value::Datetime(date) => Self::Text(date.to_string()),
        })
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => write!(out, "{value}"),
            Self::Number(value) => write!(out, "{value}"),
            Self::Numbers(values) => write!(out, "{values:?}"),
            Self::Text(text) => write!(out, "{text:?}"),
            Self::Texts(texts) => write!(out, "{texts:?}"),
            Self::Table(entries) => {
                let entries: Vec<String> = entries.iter().map(|(name, value)| format!("{name}: {value}")).collect();
                write!(out, "{{{}}}", entries.join(", "))
            }
        }
    }
}
