//! The formats that come with the engine: one embedded file for each family, read when first asked for.

use std::sync::{Arc, OnceLock};

use super::error::FormatError;
use super::nearest::distance;
use super::{Family, Format};

/// Name and text of each family's file, in the order of their names.
const FAMILIES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/families.rs"));

fn loaded() -> &'static [OnceLock<Result<Family, FormatError>>] {
    static LOADED: OnceLock<Vec<OnceLock<Result<Family, FormatError>>>> = OnceLock::new();
    LOADED.get_or_init(|| FAMILIES.iter().map(|_| OnceLock::new()).collect())
}

fn family(index: usize) -> Result<&'static Family, FormatError> {
    let (Some((name, text)), Some(slot)) = (FAMILIES.get(index), loaded().get(index)) else {
        return Err(FormatError::Unknown(format!("no family {index}")));
    };
    slot.get_or_init(|| Family::read(&format!("{name}.toml"), text)).as_ref().map_err(Clone::clone)
}

/// The built-in format of an id or alias.
///
/// # Errors
///
/// [`FormatError::Unknown`] with the nearest names where there is none.
pub fn get(id: &str) -> Result<Arc<Format>, FormatError> {
    let name = id.split_once('.').map_or(id, |(name, _)| name);
    if let Ok(index) = FAMILIES.binary_search_by(|(known, _)| known.cmp(&name)) {
        let family = family(index)?;
        if let Some(format) = family.formats.iter().find(|format| format.answers_to(id)) {
            return Ok(Arc::clone(format));
        }
    }
    // An alias may belong to another family: `m_prometheus` answers as `prometheus` does.
    let other = all().into_iter().find(|format| format.answers_to(id));
    other.ok_or_else(|| FormatError::Unknown(unknown(id)))
}

/// Shorter words are part of too many names.
const SHORTEST: usize = 3;

fn unknown(id: &str) -> String {
    let mut known: Vec<((u8, usize), usize, String)> = all()
        .iter()
        .flat_map(|format| std::iter::once(format.id()).chain(format.aliases().iter().map(String::as_str)))
        .enumerate()
        .map(|(place, name)| (likeness(id, name), place, name.to_owned()))
        .collect();
    known.sort();
    let best = known.first().map_or(DISTANT, |((how, _), ..)| *how);
    let near: Vec<String> = match best {
        // All of a family that is meant.
        SAME | FAMILY => known.into_iter().filter(|((how, _), ..)| *how == best).map(|(.., name)| name).collect(),
        DISTANT => known
            .into_iter()
            .filter(|((_, edits), ..)| edits * 2 <= id.chars().count())
            .take(3)
            .map(|(.., name)| name)
            .collect(),
        _ => known.into_iter().filter(|((how, _), ..)| *how < DISTANT).take(3).map(|(.., name)| name).collect(),
    };
    if near.is_empty() {
        return format!("no format {id:?}, and none is like it; formats() lists them");
    }
    format!("no format {id:?}; the nearest {} {}", if near.len() == 1 { "is" } else { "are" }, near.join(", "))
}

/// How a name matches what was asked for, from near to far.
const SAME: u8 = 0;
const FAMILY: u8 = 1;
const BEGINS: u8 = 2;
const HOLDS: u8 = 3;
const DISTANT: u8 = 4;

/// How a name matches what was asked for, and how much is between them; less is nearer.
fn likeness(asked: &str, name: &str) -> (u8, usize) {
    let family = bare(name.split_once('.').map_or(name, |(family, _)| family));
    let (asked, whole) = (bare(asked), bare(name));
    let between = whole.len().abs_diff(asked.len());
    if asked.len() >= SHORTEST {
        if whole == asked {
            return (SAME, 0);
        }
        if family == asked {
            return (FAMILY, 0);
        }
        if whole.starts_with(&asked) {
            return (BEGINS, between);
        }
        if whole.contains(&asked) || (whole.len() > SHORTEST && asked.contains(&whole)) {
            return (HOLDS, between);
        }
    }
    (DISTANT, distance(&asked, &whole).min(distance(&asked, &family)))
}

/// A name without what people leave out or write otherwise: `MT-Bench` and `mt_bench` are `mtbench`.
fn bare(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// All built-in formats, in the order of their families' names.
///
/// A file that does not load is left out; a test proves that there is none.
pub fn all() -> Vec<Arc<Format>> {
    (0..FAMILIES.len())
        .filter_map(|index| family(index).ok())
        .flat_map(|family| family.formats.iter().map(Arc::clone))
        .collect()
}

/// What is wrong with the embedded files, if anything.
pub fn problems() -> Vec<FormatError> {
    (0..FAMILIES.len()).filter_map(|index| family(index).err()).collect()
}
