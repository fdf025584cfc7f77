//! Compiled JSON formats: the required keys of a document, and how its verdict is read.

use super::Format;
use super::declaration::{Declaration, Kind};
use super::error::FormatError;

/// The limits of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// The maximum nesting of arrays and objects.
    pub(crate) max_depth: usize,
    /// The maximum length of a reply, in bytes.
    pub(crate) max_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_depth: 200, max_bytes: 64 << 20 }
    }
}

impl Limits {
    fn new(id: &str, declared: &Declaration) -> Result<Self, FormatError> {
        let usual = Self::default();
        let limit = |key: &str, declared: Option<usize>, usual: usize| match declared {
            None => Ok(usual),
            // TOML integers are signed 64-bit numbers.
            Some(limit) if limit > 0 && i64::try_from(limit).is_ok() => Ok(limit),
            Some(_) => Err(FormatError::key(id, key, format!("a limit must be from 1 to {}", i64::MAX))),
        };
        Ok(Self {
            max_depth: limit("max_depth", declared.max_depth, usual.max_depth)?,
            max_bytes: limit("max_bytes", declared.max_bytes, usual.max_bytes)?,
        })
    }
}

/// Reads a document, or the verdict in one of its entries.
#[derive(Debug)]
pub(crate) struct JsonReader {
    /// Required keys.
    pub(crate) keys: Vec<String>,
    /// Keys of the verdict, of which the first one found counts; empty if the document is the value.
    pub(crate) verdict: Vec<String>,
    /// The verdict's format.
    pub(crate) format: Option<Box<Format>>,
    /// Without a document, the verdict may be in plain text.
    pub(crate) is_in_text: bool,
    pub(crate) limits: Limits,
}

impl JsonReader {
    pub(super) fn new(id: &str, declared: &Declaration) -> Result<Self, FormatError> {
        if let Some((name, _)) = declared.fields.iter().find(|(name, _)| !declared.verdict.contains(name)) {
            let problem = format!("{name:?} is not in verdict; add it there, or remove its format");
            return Err(FormatError::key(id, "fields", problem));
        }
        let mut format = None;
        if let Some(first) = declared.verdict.first() {
            let Some(field) = declared.fields.get(first) else {
                let problem = format!("declare the verdict's format in [formats.fields.{first:?}]");
                return Err(FormatError::key(id, "fields", problem));
            };
            let problem = "the verdict must be a binary, choice, score, scores or order format";
            let is_compound = matches!(field.kind, Kind::Fields | Kind::Guard | Kind::Json | Kind::Ranking);
            FormatError::refuse_if(is_compound, id, "fields", problem)?;
            format = Some(Box::new(Format::part(id, &format!("fields.{first}"), field.clone())?));
        }
        let problem = "only a verdict can be read from plain text; name its key in verdict, or remove text";
        FormatError::refuse_if(declared.text && format.is_none(), id, "text", problem)?;
        Ok(Self {
            keys: declared.keys.clone(),
            verdict: declared.verdict.clone(),
            format,
            is_in_text: declared.text,
            limits: Limits::new(id, declared)?,
        })
    }
}
