//! Looking at text by byte offset without a way to panic: what lies outside is empty.

use std::ops::Range;

/// The byte at `at`, or 0 outside the text.
pub(crate) fn byte_at(text: &str, at: usize) -> u8 {
    text.as_bytes().get(at).copied().unwrap_or(0)
}

/// The byte before `at`, or 0 at the start.
pub(crate) fn byte_before(text: &str, at: usize) -> u8 {
    at.checked_sub(1).map_or(0, |before| byte_at(text, before))
}

/// The text of a range, or "" where it is not one.
pub(crate) fn slice(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or("")
}

/// The text up to `at`.
pub(crate) fn head(text: &str, at: usize) -> &str {
    text.get(..at).unwrap_or("")
}

/// The text from `at` on.
pub(crate) fn tail(text: &str, at: usize) -> &str {
    text.get(at..).unwrap_or("")
}

pub(crate) fn char_before(text: &str, at: usize) -> Option<char> {
    match text.as_bytes().get(at.checked_sub(1)?) {
        Some(byte) if byte.is_ascii() => Some(char::from(*byte)),
        _ => head(text, at).chars().next_back(),
    }
}

pub(crate) fn char_at(text: &str, at: usize) -> Option<char> {
    match text.as_bytes().get(at) {
        Some(byte) if byte.is_ascii() => Some(char::from(*byte)),
        _ => tail(text, at).chars().next(),
    }
}

/// Whether a letter of a script that writes without spaces stands here, so that words may touch.
pub(crate) fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c), 0x0E00..=0x0EFF | 0x2E80..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF)
}

/// Whether a word can go on through this character.
pub(crate) fn continues_word(c: char) -> bool {
    (c.is_alphanumeric() && !is_unspaced(c)) || c == '_'
}

/// Whether no word runs across `at`.
pub(crate) fn is_word_edge(text: &str, at: usize) -> bool {
    let before = byte_before(text, at);
    let after = byte_at(text, at);
    if before.is_ascii() && after.is_ascii() {
        let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        return !(word(before) && word(after));
    }
    !(char_before(text, at).is_some_and(continues_word) && char_at(text, at).is_some_and(continues_word))
}

/// Where the line that holds `at` ends, before its newline.
pub(crate) fn line_end(text: &str, at: usize) -> usize {
    memchr::memchr(b'\n', tail(text, at).as_bytes()).map_or(text.len(), |newline| at + newline)
}

/// The range without the characters at its ends that `is_edge` accepts.
pub(crate) fn trim_range(text: &str, range: Range<usize>, is_edge: impl Fn(char) -> bool) -> Range<usize> {
    let inside = slice(text, range.clone());
    let without_end = inside.trim_end_matches(&is_edge);
    let trimmed = without_end.trim_start_matches(&is_edge);
    let start = range.start + (without_end.len() - trimmed.len());
    start..start + trimmed.len()
}

/// How far a look around a place goes. Marks and spaces between two things that belong together are fewer.
const NEAR: usize = 64;

/// Skip forward over characters that `is_skipped` accepts, but not further than [`NEAR`].
///
/// A place that is one of many must be looked at with this, or hostile input makes reading quadratic.
pub(crate) fn skip_near(text: &str, at: usize, is_skipped: impl Fn(char) -> bool) -> usize {
    let near = ahead(text, at, NEAR);
    at + (near.len() - near.trim_start_matches(is_skipped).len())
}

/// At most `most` bytes of the text from `at` on.
pub(crate) fn ahead(text: &str, at: usize, most: usize) -> &str {
    let rest = tail(text, at);
    head(rest, rest.floor_char_boundary(most))
}

/// Skip backward in the same way.
pub(crate) fn skip_back_near(text: &str, at: usize, is_skipped: impl Fn(char) -> bool) -> usize {
    let lead = head(text, at);
    let near = tail(lead, lead.ceil_char_boundary(at.saturating_sub(NEAR)));
    at - (near.len() - near.trim_end_matches(is_skipped).len())
}

/// Skip forward over characters that `is_skipped` accepts, however many.
pub(crate) fn skip(text: &str, at: usize, is_skipped: impl Fn(char) -> bool) -> usize {
    let rest = tail(text, at);
    text.len() - rest.trim_start_matches(is_skipped).len()
}

/// Whether `text` goes on with `prefix` at `at`, ASCII letters in any case.
pub(crate) fn starts_with_at(text: &str, at: usize, prefix: &str) -> bool {
    text.as_bytes().get(at..at + prefix.len()).is_some_and(|here| here.eq_ignore_ascii_case(prefix.as_bytes()))
}
