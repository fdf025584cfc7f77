//! Texts that a judge writes next to its verdict, such as its reasoning.

use super::declaration::Declaration;
use super::error::FormatError;

/// The placeholder for the text in an entry's declaration.
const PLACEHOLDER: &str = "{}";

/// A text next to the verdict.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) name: String,
    /// The text before it; empty for an entry of everything before the verdict.
    pub(crate) prefix: String,
    /// The text that ends it; empty if the next entry or the verdict ends it.
    pub(crate) suffix: String,
    /// It is a number if the whole text is one, with an optional percent sign.
    pub(crate) is_number: bool,
}

impl Entry {
    pub(super) fn all(id: &str, declared: &Declaration) -> Result<Vec<Self>, FormatError> {
        if let Some(name) = declared.numbers.iter().find(|name| !declared.entries.contains_key(*name)) {
            return Err(FormatError::key(id, "numbers", format!("{name:?} is not an entry; add it to entries")));
        }
        let entries = declared.entries.iter().map(|(name, around)| {
            let (prefix, suffix) = around.split_once(PLACEHOLDER).unwrap_or((around, ""));
            let problem =
                format_args!("{around:?} marks the end of the text but not its start; put a word before {PLACEHOLDER}");
            let has_no_start = prefix.trim().is_empty() && !suffix.trim().is_empty();
            FormatError::refuse_if(has_no_start, id, &format!("entries.{name}"), problem)?;
            Ok(Self {
                name: name.clone(),
                prefix: prefix.trim().to_owned(),
                suffix: suffix.trim().to_owned(),
                is_number: declared.numbers.contains(name),
            })
        });
        entries.collect()
    }
}
