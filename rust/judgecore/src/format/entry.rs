//! Texts that a judge writes beside its verdict, such as its reasoning, and what stands around them.

use super::declaration::Declaration;
use super::error::FormatError;

/// Where the text stands in an entry's declaration.
const SLOT: &str = "{}";

/// A text beside the verdict.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) name: String,
    /// What stands before it; empty for all that stands before the verdict.
    pub(crate) prefix: String,
    /// What ends it; empty where the next entry or the verdict does.
    pub(crate) suffix: String,
    /// It is a number where it is one with nothing but a percent sign behind it.
    pub(crate) is_number: bool,
}

impl Entry {
    pub(super) fn all(id: &str, declared: &Declaration) -> Result<Vec<Self>, FormatError> {
        if let Some(name) = declared.numbers.iter().find(|name| !declared.entries.contains_key(*name)) {
            return Err(FormatError::key(id, "numbers", format!("{name:?} is no entry; name it in entries")));
        }
        let entries = declared.entries.iter().map(|(name, around)| {
            let (prefix, suffix) = around.split_once(SLOT).unwrap_or((around, ""));
            if prefix.trim().is_empty() && !suffix.trim().is_empty() {
                let problem =
                    format!("{around:?} says where the text ends but not where it begins; put a word before {SLOT}");
                return Err(FormatError::key(id, &format!("entries.{name}"), problem));
            }
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
