//! Words: where they stand.

use super::token::run_end;
use crate::lexicon::{Classes, lexicon};
use crate::reply::text::{
    byte_at, byte_before, char_at, char_before, continues_word, is_same, is_unspaced, is_word_byte, slice,
};

/// How far behind or before a place a word may begin: marks and spaces between are fewer.
const FARTHEST: usize = 24;

/// What is longer is no word, and looked at in parts.
const LONGEST: usize = 40;

/// A word and its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Word<'t> {
    pub(super) text: &'t str,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl<'t> Word<'t> {
    #[inline]
    fn new(text: &'t str, start: usize, end: usize) -> Option<Self> {
        if start >= end {
            return None;
        }
        Some(Self { text: slice(text, start..end), start, end })
    }

    /// Whether it is one of a few words, in any case.
    #[inline]
    pub(super) fn is(&self, few: &[&str]) -> bool {
        is_among(self.text, few)
    }

    /// Whether it is of one of these classes, in any language.
    #[inline]
    pub(super) fn has(&self, classes: Classes) -> bool {
        lexicon().classes(self.text) & classes != 0
    }
}

/// Whether a word may go on where its letters of ASCII end: behind an apostrophe, or through a longer character.
#[inline]
fn may_go_on(byte: u8) -> bool {
    matches!(byte, b'\'' | 0x80..)
}

/// The word that ends at or before `at`, behind any characters that are no words, on the same line.
pub(super) fn word_before(text: &str, at: usize) -> Option<Word<'_>> {
    let lead = text.as_bytes().get(..at)?;
    let mut end = at;
    loop {
        match *lead.get(end.checked_sub(1)?)? {
            byte if is_word_byte(byte) => break,
            b'\n' => return None,
            ..0x80 => end -= 1,
            _ => {
                let c = char_before(text, end)?;
                if continues_word(c) {
                    break;
                }
                if is_unspaced(c) {
                    return None;
                }
                end -= c.len_utf8();
            }
        }
        if at - end > FARTHEST {
            return None;
        }
    }
    let letters = lead.get(..end)?.iter().rev();
    let length = letters.take(LONGEST + 1).take_while(|&&byte| is_word_byte(byte)).count();
    let mut start = end - length;
    if may_go_on(byte_before(text, start)) {
        start = whole_start(text, start, end);
    }
    Word::new(text, start, end)
}

/// Where a word starts of which an apostrophe or a character beyond ASCII stands before `start`.
#[cold]
fn whole_start(text: &str, start: usize, end: usize) -> usize {
    let mut start = start;
    while let Some(c) = char_before(text, start) {
        let goes_on = continues_word(c)
            || matches!(c, '\'' | '\u{2019}')
                && start < end
                && char_before(text, start - c.len_utf8()).is_some_and(continues_word);
        if !goes_on || end - start > LONGEST {
            break;
        }
        start -= c.len_utf8();
    }
    start
}

/// The word that starts at or after `at`, on the same line.
pub(super) fn word_after(text: &str, at: usize) -> Option<Word<'_>> {
    let bytes = text.as_bytes();
    let mut start = at;
    loop {
        match *bytes.get(start)? {
            byte if is_word_byte(byte) => break,
            b'\n' => return None,
            ..0x80 => start += 1,
            _ => {
                let c = char_at(text, start)?;
                if continues_word(c) {
                    break;
                }
                if is_unspaced(c) {
                    return None;
                }
                start += c.len_utf8();
            }
        }
        if start - at > FARTHEST {
            return None;
        }
    }
    word_at(text, start)
}

/// The word that starts at `at`.
#[inline]
pub(super) fn word_at(text: &str, at: usize) -> Option<Word<'_>> {
    let limit = text.len().min(at + LONGEST + 1);
    let mut end = run_end(text, at, limit);
    while end < limit && byte_at(text, end) == b'_' {
        end = run_end(text, end + 1, limit);
    }
    if may_go_on(byte_at(text, end)) {
        end = whole_end(text, at, end);
    }
    Word::new(text, at, end)
}

/// Where a word ends of which an apostrophe or a character beyond ASCII stands at `end`.
#[cold]
fn whole_end(text: &str, start: usize, end: usize) -> usize {
    let mut end = end;
    while let Some(c) = char_at(text, end) {
        let goes_on = continues_word(c)
            || matches!(c, '\'' | '\u{2019}')
                && end > start
                && char_at(text, end + c.len_utf8()).is_some_and(continues_word);
        if !goes_on || end - start > LONGEST {
            break;
        }
        end += c.len_utf8();
    }
    end
}

/// Case does not matter, and these lists are short, so that a scan beats a table.
#[inline]
pub(super) fn is_among(word: &str, list: &[&str]) -> bool {
    list.iter().any(|entry| is_same(entry.as_bytes(), word.as_bytes()))
        || !word.is_ascii() && list.iter().any(|entry| !entry.is_ascii() && *entry == word.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::{word_after, word_at, word_before};

    #[test]
    fn words_stand_on_one_line_and_hold_apostrophes() {
        let text = "It isn\u{2019}t \"good\", 好 so\nno";
        let quoted = text.find("good").unwrap();

        assert_eq!(word_before(text, quoted).map(|word| word.text), Some("isn\u{2019}t"));
        assert_eq!(word_after(text, quoted - 1).map(|word| word.text), Some("good"));
        assert_eq!(word_after(text, quoted + 4).map(|word| word.text), None);
        assert_eq!(word_before(text, text.len() - 2).map(|word| word.text), None);
        assert_eq!(word_at(text, quoted - 1).map(|word| word.text), None);
    }
}
