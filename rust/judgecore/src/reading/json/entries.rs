//! Fields that are entries of one document.

use super::verdict::{failed, verdict_of};
use super::{Wanted, find, lacking};
use crate::format::Format;
use crate::reading::Told;
use crate::reading::outcome::{Outcome, Value};

/// All fields, each where its key or path leads to.
pub(in crate::reading) fn read_entries<'a>(told: Told<'a, '_>, fields: &'a [(String, Format)]) -> Outcome<'a> {
    find(told, Wanted { parts: fields, ..Wanted::default() }, None, &|found| {
        let values = fields.iter().map(|(name, field)| {
            let (_, entry) = found.entry(name)?.ok_or_else(|| lacking(name))?;
            let value = verdict_of(entry, field, told.mode).map_err(|unreadable| failed(name, &unreadable))?;
            Ok((name.as_str(), value))
        });
        Ok(Some(Value::Fields(values.collect::<Result<_, _>>()?)))
    })
}
