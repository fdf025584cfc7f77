//! The built-in formats: one embedded file for each family, parsed on first use.

use std::sync::{Arc, LazyLock, OnceLock};

use super::error::FormatError;
use super::nearest::distance;
use super::{Family, Format};

/// Name and text of each family's file, sorted by name.
const FAMILIES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/families.rs"));

/// The families that were asked for, in the same order.
static LOADED: LazyLock<Vec<OnceLock<Result<Family, FormatError>>>> =
    LazyLock::new(|| FAMILIES.iter().map(|_| OnceLock::new()).collect());

/// The families with their names, each loaded when it is called for.
fn families() -> impl Iterator<Item = (&'static str, impl FnOnce() -> Result<&'static Family, FormatError>)> {
    FAMILIES.iter().zip(LOADED.iter()).map(|(&(name, text), slot)| {
        let read = move || Family::read(&format!("{name}.toml"), text);
        (name, move || slot.get_or_init(read).as_ref().map_err(Clone::clone))
    })
}

/// Return the built-in format with an id or alias.
///
/// # Errors
///
/// [`FormatError::Unknown`], with the nearest names, if there is none.
pub fn get(id: &str) -> Result<Arc<Format>, FormatError> {
    if let Some(family) = family_of(id) {
        family?;
    }
    if let Some(format) = find(id) {
        return Ok(format);
    }
    // An alias may belong to another family: `m_prometheus` is an alias in `prometheus`.
    let other = all().into_iter().find(|format| format.answers_to(id));
    other.ok_or_else(|| FormatError::Unknown(unknown(id)))
}

/// The family that a name begins with.
fn family_of(id: &str) -> Option<Result<&'static Family, FormatError>> {
    let name = id.split_once('.').map_or(id, |(name, _)| name);
    families().find(|(known, _)| *known == name).map(|(_, load)| load())
}

/// The format of a name in the family that the name begins with.
pub(super) fn find(id: &str) -> Option<Arc<Format>> {
    let family = family_of(id)?.ok()?;
    family.formats.iter().chain(&family.turned).find(|format| format.answers_to(id)).map(Arc::clone)
}

/// The minimum length of a substring match; shorter words are part of too many names.
const MIN_SUBSTRING: usize = 3;

fn unknown(id: &str) -> String {
    let all = all();
    let names =
        all.iter().flat_map(|format| std::iter::once(format.id()).chain(format.aliases().iter().map(String::as_str)));
    let mut known: Vec<((u8, usize), &str)> = names.map(|name| (similarity(id, name), name)).collect();
    known.sort_by_key(|(how, _)| *how);
    let best = known.first().map_or(DISTANT, |((how, _), _)| *how);
    let is_near = |(how, edits): (u8, usize)| match best {
        // List the whole family.
        SAME | FAMILY => how == best,
        DISTANT => edits * 2 <= id.chars().count(),
        _ => how < DISTANT,
    };
    let most = if best <= FAMILY { usize::MAX } else { 3 };
    let near: Vec<&str> = known.iter().filter(|(how, _)| is_near(*how)).map(|(_, name)| *name).take(most).collect();
    if near.is_empty() {
        return format!("no format {id:?}, and no similar name; formats() lists them");
    }
    format!("no format {id:?}; the nearest {} {}", if near.len() == 1 { "is" } else { "are" }, near.join(", "))
}

/// How a name matches the requested one, from near to far.
const SAME: u8 = 0;
const FAMILY: u8 = 1;
const BEGINS: u8 = 2;
const HOLDS: u8 = 3;
const DISTANT: u8 = 4;

/// Return how a name matches the requested one, and their distance.
fn similarity(requested: &str, name: &str) -> (u8, usize) {
    let family = bare(name.split_once('.').map_or(name, |(family, _)| family));
    let (requested, whole) = (bare(requested), bare(name));
    let between = whole.len().abs_diff(requested.len());
    let is_held = || whole.contains(&requested) || whole.len() > MIN_SUBSTRING && requested.contains(&whole);
    match requested.len() >= MIN_SUBSTRING {
        true if whole == requested => (SAME, 0),
        true if family == requested => (FAMILY, 0),
        true if whole.starts_with(&requested) => (BEGINS, between),
        true if is_held() => (HOLDS, between),
        _ => (DISTANT, distance(&requested, &whole).min(distance(&requested, &family))),
    }
}

/// Normalize a name, because spellings vary: `MT-Bench` and `mt_bench` become `mtbench`.
fn bare(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Return all built-in formats, sorted by family.
///
/// A file that does not load is skipped; a test ensures that all files load.
pub fn all() -> Vec<Arc<Format>> {
    families().filter_map(|(_, load)| load().ok()).flat_map(|family| family.formats.iter().map(Arc::clone)).collect()
}

/// Return the errors in the embedded files.
pub fn problems() -> Vec<FormatError> {
    families().filter_map(|(_, load)| load().err()).collect()
}
