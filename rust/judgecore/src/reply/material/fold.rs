//! Folding: what of a text is compared where copies are sought.

use std::ops::Range;

use crate::reply::noise::{Look, look};
use crate::reply::text::{byte_at, char_at, slice};

/// A text without letter case, quotation marks, emphasis, escapes and runs of white space; each byte knows its source.
#[derive(Default)]
pub(super) struct Folded {
    pub(super) bytes: Vec<u8>,
    /// Where the character of each byte stands in the text.
    starts: Vec<usize>,
    ends: Vec<usize>,
}

impl Folded {
    pub(super) fn of(text: &str) -> Self {
        let mut folded = Self::default();
        fold(text, |byte, source| {
            folded.bytes.push(byte);
            folded.starts.push(source.start);
            folded.ends.push(source.end);
        });
        folded
    }

    /// Where a range of the bytes stands in the text.
    pub(super) fn source(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.starts.get(range.start).copied().unwrap_or(0);
        let end = range.end.checked_sub(1).and_then(|last| self.ends.get(last)).copied().unwrap_or(start);
        start..end.max(start)
    }

    /// The bytes that a range of the text became, without white space at the ends.
    pub(super) fn range(&self, source: &Range<usize>) -> Range<usize> {
        let mut start = self.starts.partition_point(|&at| at < source.start);
        let mut end = self.ends.partition_point(|&at| at <= source.end).max(start);
        let is_space = |at: usize| self.bytes.get(at) == Some(&b' ');
        if start < end && is_space(start) {
            start += 1;
        }
        if start < end && is_space(end - 1) {
            end -= 1;
        }
        start..end
    }

    pub(super) fn slice(&self, range: Range<usize>) -> &[u8] {
        self.bytes.get(range).unwrap_or_default()
    }
}

/// The folded bytes alone.
pub(super) fn folded(text: &str) -> Vec<u8> {
    let mut all = Vec::with_capacity(text.len());
    fold(text, |byte, _| all.push(byte));
    all
}

/// Whether a byte is its own look wherever it stands, apart from letter case.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || byte.is_ascii_punctuation() && !matches!(byte, b'"' | b'\'' | b'`' | b'*' | b'_' | b'~' | b'>' | b'\\')
}

/// Give each folded byte with the place of what it stands for.
fn fold(text: &str, mut put: impl FnMut(u8, Range<usize>)) {
    let mut space: Option<Range<usize>> = None;
    let (mut at, mut opens_line, mut is_first) = (0, true, true);
    while at < text.len() {
        // Most text is plain, and its bytes follow one another.
        if space.is_none() {
            let rest = text.as_bytes().get(at..).unwrap_or_default();
            for &byte in rest.iter().take_while(|&&byte| is_plain(byte)) {
                put(byte.to_ascii_lowercase(), at..at + 1);
                at += 1;
                (opens_line, is_first) = (false, false);
            }
        }
        let Some((c, length)) = next(text, at) else { break };
        let source = at..at + length;
        at = source.end;
        if c.is_whitespace() || c.is_control() {
            opens_line |= c == '\n';
            space.get_or_insert(source);
            continue;
        }
        // Behind the mark of a block quote its line begins.
        if is_mark(c) || opens_line && c == '>' {
            continue;
        }
        opens_line = false;
        if let Some(space) = space.take()
            && !is_first
        {
            put(b' ', space);
        }
        is_first = false;
        let mut buffer = [0; 4];
        for c in c.to_lowercase() {
            c.encode_utf8(&mut buffer).bytes().for_each(|byte| put(byte, source.clone()));
        }
    }
}

/// The character that a reader sees at a place, and how many bytes it takes; a mark stands for what is not seen.
fn next(text: &str, at: usize) -> Option<(char, usize)> {
    const UNSEEN: char = '"';
    let c = char_at(text, at)?;
    if c == '\\' {
        return Some(escape(text, at));
    }
    if c.is_ascii() {
        return Some((c, 1));
    }
    Some(match look(text, at, c) {
        Look::Same => (c, c.len_utf8()),
        Look::Nothing => (UNSEEN, c.len_utf8()),
        Look::As(other) => (other, c.len_utf8()),
    })
}

/// A backslash, or several as in a string within a string, with what it escapes. LaTeX folds alike in every text.
fn escape(text: &str, at: usize) -> (char, usize) {
    let rest = text.as_bytes().get(at..).unwrap_or_default();
    let slashes = rest.iter().take_while(|&&byte| byte == b'\\').count();
    let behind = at + slashes;
    match byte_at(text, behind) {
        b'n' => ('\n', slashes + 1),
        b'r' | b't' => (' ', slashes + 1),
        b'u' => unit_at(text, behind + 1)
            .map_or(('"', slashes), |unit| (char::from_u32(u32::from(unit)).unwrap_or('"'), slashes + 5)),
        _ => ('"', slashes),
    }
}

fn unit_at(text: &str, at: usize) -> Option<u16> {
    let digits = slice(text, at..at + 4);
    (digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
        .then(|| u16::from_str_radix(digits, 16).ok())?
}

/// Quotation marks and marks of emphasis.
pub(super) fn is_mark(c: char) -> bool {
    let is_typographic = matches!(c, '\u{2018}'..='\u{201f}' | '\u{2039}' | '\u{203a}' | '\u{300a}'..='\u{300f}');
    is_typographic || matches!(c, '"' | '\'' | '`' | '*' | '_' | '~' | '\u{ab}' | '\u{bb}')
}

#[cfg(test)]
mod tests {
    use super::Folded;

    #[test]
    fn one_saying_folds_alike_however_it_is_written() {
        for text in [
            "My verdict: A is best",
            "my  **verdict**:\n\u{201c}A\u{201d} is _best_",
            "My verdict:\\n\\\"A\\\" is best",
            "> My verdict: A\n> is best",
            "My verdict\\u003a \\\\\"A\\\\\" is\u{a0}best",
            "\u{ff2d}y ver\u{200b}dict\u{ff1a} A is best",
        ] {
            let folded = Folded::of(text);
            assert_eq!(String::from_utf8(folded.bytes).unwrap(), "my verdict: a is best", "{text}");
        }
    }

    #[test]
    fn places_lead_back() {
        for (text, needle, want) in [
            ("say \"[[A]]\" now", "[[a]]", "[[A]]"),
            ("\\u00e9\\ud83d\\ude00 x", "x", "x"),
            ("a\\u0062c", "b", "\\u0062"),
            ("**[[** A", "[[ a", "[[** A"),
        ] {
            let folded = Folded::of(text);
            let at = memchr::memmem::find(&folded.bytes, needle.as_bytes()).unwrap();
            let source = folded.source(&(at..at + needle.len()));
            assert_eq!(text.get(source.clone()), Some(want));
            assert_eq!(folded.range(&source), at..at + needle.len());
        }
    }
}
