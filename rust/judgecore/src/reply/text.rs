//! Looking at text by byte offset without a way to panic: what lies outside is empty.

use std::cell::Cell;
use std::ops::Range;

pub(crate) use crate::lexicon::word::is_unspaced;

/// The byte at `at`, or 0 outside the text.
#[inline]
pub(crate) fn byte_at(text: &str, at: usize) -> u8 {
    text.as_bytes().get(at).copied().unwrap_or(0)
}

/// The byte before `at`, or 0 at the start.
#[inline]
pub(crate) fn byte_before(text: &str, at: usize) -> u8 {
    at.checked_sub(1).map_or(0, |before| byte_at(text, before))
}

/// The text of a range, or "" where it is not one.
#[inline]
pub(crate) fn slice(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or("")
}

/// The text up to `at`.
#[inline]
pub(crate) fn head(text: &str, at: usize) -> &str {
    text.get(..at).unwrap_or("")
}

/// The text from `at` on.
#[inline]
pub(crate) fn tail(text: &str, at: usize) -> &str {
    text.get(at..).unwrap_or("")
}

/// Extend a range over another one too.
pub(crate) fn extend(span: &mut Option<Range<usize>>, more: &Range<usize>) {
    *span = Some(match span {
        Some(span) => span.start.min(more.start)..span.end.max(more.end),
        None => more.clone(),
    });
}

#[inline]
pub(crate) fn char_before(text: &str, at: usize) -> Option<char> {
    match text.as_bytes().get(at.checked_sub(1)?) {
        Some(byte) if byte.is_ascii() => Some(char::from(*byte)),
        _ => long_char_before(text, at),
    }
}

#[inline]
pub(crate) fn char_at(text: &str, at: usize) -> Option<char> {
    match text.as_bytes().get(at) {
        Some(byte) if byte.is_ascii() => Some(char::from(*byte)),
        Some(_) => long_char_at(text, at),
        None => None,
    }
}

#[cold]
fn long_char_before(text: &str, at: usize) -> Option<char> {
    head(text, at).chars().next_back()
}

#[cold]
fn long_char_at(text: &str, at: usize) -> Option<char> {
    tail(text, at).chars().next()
}

/// Whether a word can go on through this byte, which is a character of its own.
#[inline]
pub(crate) const fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether a word can go on through this character.
#[inline]
pub(crate) fn continues_word(c: char) -> bool {
    match u8::try_from(c) {
        Ok(byte) if byte.is_ascii() => is_word_byte(byte),
        // Most marks of Chinese and Japanese, which are many.
        _ if matches!(c, '\u{2010}'..='\u{2027}' | '\u{3000}'..='\u{3003}' | '\u{3008}'..='\u{3020}' | '\u{ff01}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}') => {
            false
        }
        // The scripts of India join and dot letters with marks that are no letters, at the same places of their blocks.
        _ => {
            !is_unspaced(c)
                && (c.is_alphanumeric()
                    || matches!(c, '\u{900}'..'\u{d80}') && matches!(u32::from(c) & 0x7f, 0x3c | 0x4d))
        }
    }
}

/// Whether no word runs across `at`.
#[inline]
pub(crate) fn is_word_edge(text: &str, at: usize) -> bool {
    let before = byte_before(text, at);
    let after = byte_at(text, at);
    if before.is_ascii() && after.is_ascii() {
        return !(is_word_byte(before) && is_word_byte(after));
    }
    !(char_before(text, at).is_some_and(continues_word) && char_at(text, at).is_some_and(continues_word))
}

/// Where the line begins that holds a place, or as far before it as a line is followed.
pub(crate) fn line_start(text: &str, at: usize) -> usize {
    const LINE: usize = 160;
    let from = text.floor_char_boundary(at.saturating_sub(LINE));
    memchr::memrchr(b'\n', slice(text, from..at).as_bytes()).map_or(from, |newline| from + newline + 1)
}

/// Where the line that holds `at` ends, before its newline.
pub(crate) fn line_end(text: &str, at: usize) -> usize {
    memchr::memchr(b'\n', tail(text, at).as_bytes()).map_or(text.len(), |newline| at + newline)
}

/// The lines of a text, without their newlines.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    let mut start = 0;
    memchr::memchr_iter(b'\n', text.as_bytes()).chain([text.len()]).map(move |end| {
        let line = start..end;
        start = end + 1;
        line
    })
}

/// Where lines end, or those that `is_end` accepts by what stands behind their newline. The last end is kept, so that
/// to ask for many ascending places takes the time of one search.
pub(crate) struct LineEnds<'t, F> {
    text: &'t str,
    is_end: F,
    known: Cell<Option<(usize, usize)>>,
}

impl<'t, F: Fn(&str) -> bool> LineEnds<'t, F> {
    pub(crate) fn new(text: &'t str, is_end: F) -> Self {
        Self { text, is_end, known: Cell::new(None) }
    }

    /// The first end at or behind `at`.
    pub(crate) fn end(&self, at: usize) -> usize {
        match self.known.get() {
            Some((from, end)) if from <= at && at <= end => end,
            _ => {
                let mut newlines = memchr::memchr_iter(b'\n', tail(self.text, at).as_bytes()).map(|found| at + found);
                let end = newlines.find(|&newline| (self.is_end)(tail(self.text, newline + 1)));
                let end = end.unwrap_or(self.text.len());
                self.known.set(Some((at, end)));
                end
            }
        }
    }
}

/// The range without the characters at its ends that `is_edge` accepts.
#[inline]
pub(crate) fn trim_range(text: &str, range: Range<usize>, is_edge: impl Fn(char) -> bool) -> Range<usize> {
    let Range { mut start, mut end } = range;
    while start < end
        && let Some(c) = char_before(text, end)
        && is_edge(c)
    {
        end -= c.len_utf8();
    }
    while start < end
        && let Some(c) = char_at(text, start)
        && is_edge(c)
    {
        start += c.len_utf8();
    }
    start..end
}

/// How far a look around a place goes. Marks and spaces between two things that belong together are fewer.
const NEAR: usize = 64;

/// Skip forward over characters that `is_skipped` accepts, but not further than [`NEAR`].
///
/// A place that is one of many must be looked at with this, or hostile input makes reading quadratic.
#[inline]
pub(crate) fn skip_near(text: &str, at: usize, is_skipped: impl Fn(char) -> bool) -> usize {
    let mut end = at;
    while let Some(c) = char_at(text, end)
        && is_skipped(c)
        && end + c.len_utf8() <= at + NEAR
    {
        end += c.len_utf8();
    }
    end
}

/// At most `most` bytes of the text from `at` on.
pub(crate) fn ahead(text: &str, at: usize, most: usize) -> &str {
    let rest = tail(text, at);
    head(rest, rest.floor_char_boundary(most))
}

/// At most `most` bytes of what is left of the line from `at` on.
pub(crate) fn line_ahead(text: &str, at: usize, most: usize) -> &str {
    let near = ahead(text, at, most);
    head(near, line_end(near, 0))
}

/// No name of a tag is longer, in bytes.
pub(crate) const TAG_NAME: usize = 40;

/// Whether an element may be called so.
pub(crate) fn is_tag_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
}

/// The name of a tag that begins at `at`, behind its bracket.
pub(crate) fn tag_name_at(text: &str, at: usize) -> Option<&str> {
    let rest = ahead(text, at, TAG_NAME);
    Some(head(rest, rest.find(['>', ' '])?))
}

/// Skip backward in the same way.
#[inline]
pub(crate) fn skip_back_near(text: &str, at: usize, is_skipped: impl Fn(char) -> bool) -> usize {
    let mut start = at;
    while let Some(c) = char_before(text, start)
        && is_skipped(c)
        && at + c.len_utf8() <= start + NEAR
    {
        start -= c.len_utf8();
    }
    start
}

/// Skip forward over characters that `is_skipped` accepts, however many.
#[inline]
pub(crate) fn skip(text: &str, at: usize, is_skipped: impl Fn(char) -> bool) -> usize {
    let rest = tail(text, at);
    at + rest.len() - rest.trim_start_matches(is_skipped).len()
}

/// Whether `text` goes on with `prefix` at `at`, ASCII letters in any case.
#[inline]
pub(crate) fn starts_with_at(text: &str, at: usize, prefix: &str) -> bool {
    text.as_bytes().get(at..at + prefix.len()).is_some_and(|here| is_same(here, prefix.as_bytes()))
}

/// Whether the same is written, ASCII letters in any case. Most are small in both, so that bytes are compared first.
#[inline]
pub(crate) fn is_same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    one.iter().zip(other).all(|(one, other)| one == other || one.eq_ignore_ascii_case(other))
}

/// Whether `is_sought` holds for any byte.
///
/// Looks at whole stretches, so that the compiler makes one vectorised pass of it; `is_sought` must not branch.
/// What is looked at twice at the end costs less than single bytes.
#[inline]
pub(crate) fn any_byte(text: &str, is_sought: impl Fn(u8) -> bool) -> bool {
    let any_of = |stretch: &[u8]| stretch.iter().fold(false, |seen, &byte| seen | is_sought(byte));
    let bytes = text.as_bytes();
    let Some(last) = bytes.last_chunk::<16>() else { return bytes.iter().any(|&byte| is_sought(byte)) };
    let (wide, rest) = bytes.as_chunks::<64>();
    let (narrow, _) = rest.as_chunks::<16>();
    wide.iter().any(|stretch| any_of(stretch)) || narrow.iter().any(|stretch| any_of(stretch)) || any_of(last)
}
