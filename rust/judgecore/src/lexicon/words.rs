//! The words of a text, found by whole blocks of bytes.

use super::word::{continues, first_word};
use crate::blocks::{BLOCK, block, from_bit, mask};

/// Where words stand in a text that begin with no digit and are sought, by where they begin and how long they are. Each
/// sign of a script without spaces is one.
///
/// In a block of ASCII no byte is branched on; words beyond it are taken one by one.
pub(super) struct Words<'t, F> {
    bytes: &'t [u8],
    is_sought: F,
    /// Where the next block begins, and which of the last one's words are sought and were not given yet.
    next: usize,
    found: u64,
    /// Whether the last block was of ASCII and a word reaches its end; in another block, where the last word ended.
    is_inside: bool,
    at: usize,
}

impl<'t, F: Fn(usize, usize) -> bool> Words<'t, F> {
    pub(super) fn of(bytes: &'t [u8], is_sought: F) -> Self {
        Self { bytes, is_sought, next: 0, found: 0, is_inside: false, at: 0 }
    }

    /// Look at the next block.
    fn look(&mut self) {
        let (start, bytes) = (self.next, self.bytes);
        self.next += BLOCK;
        let block = block(bytes, start);
        if !block.is_ascii() {
            let rest = bytes.get(start..).unwrap_or_default();
            let begun = rest.iter().take_while(|&&byte| self.is_inside && continues(byte)).count();
            (self.is_inside, self.at) = (false, self.at.max(start + begun));
            self.beyond_ascii(start);
            return;
        }
        let inside = mask(&block, is_alphanumeric);
        // A word from beyond ASCII may reach into the block.
        let taken = from_bit(self.at.saturating_sub(start));
        let mut begin = inside & !((inside << 1) | u64::from(self.is_inside)) & taken;
        self.is_inside = inside >> (BLOCK - 1) != 0;
        let mut found = 0;
        while begin != 0 {
            let nth = begin.trailing_zeros();
            let length = (inside >> nth).trailing_ones();
            let at = start + nth as usize;
            let is_whole = nth + length < u64::BITS;
            let length = if is_whole { length as usize } else { first_word(bytes.get(at..).unwrap_or_default()) };
            begin &= begin.wrapping_sub(1);
            let is_word = !bytes.get(at).is_some_and(u8::is_ascii_digit);
            found |= u64::from(is_word && (self.is_sought)(at, length)) << nth;
        }
        self.found = found;
    }

    /// Look at a block that is not all ASCII.
    #[cold]
    fn beyond_ascii(&mut self, start: usize) {
        while self.at < start + BLOCK {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            // No farther than the block, or each would be looked at from those before it.
            let free = rest.iter().take(start + BLOCK - self.at).take_while(|&&byte| !begins(byte)).count();
            let at = self.at + free;
            let word = first_word(rest.get(free..).unwrap_or_default());
            if at == start + BLOCK || word == 0 {
                break;
            }
            self.at = at + word;
            let is_word = !rest.get(free).is_some_and(u8::is_ascii_digit);
            self.found |= u64::from(is_word && (self.is_sought)(at, word)) << (at - start);
        }
    }
}

impl<F: Fn(usize, usize) -> bool> Iterator for Words<'_, F> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.found == 0 {
            if self.next >= self.bytes.len() {
                return None;
            }
            self.look();
        }
        let at = self.next - BLOCK + self.found.trailing_zeros() as usize;
        self.found &= self.found.wrapping_sub(1);
        Some(at)
    }
}

/// The same as that of ASCII's bytes, told without a branch.
fn is_alphanumeric(byte: u8) -> bool {
    ((byte | 0x20).wrapping_sub(b'a') < 26) | (byte.wrapping_sub(b'0') < 10)
}

/// Whether a byte may be the first of a word: a letter or digit, or the first one of a letter beyond ASCII.
const fn begins(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0xc3 && byte != 0xe2
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use proptest::prelude::*;

    use super::{Words, begins, first_word};

    /// All words.
    fn found(bytes: &[u8]) -> Vec<Range<usize>> {
        Words::of(bytes, |_, _| true).map(|start| start..start + first_word(&bytes[start..])).collect()
    }

    /// The same, byte by byte.
    fn plain(bytes: &[u8]) -> Vec<Range<usize>> {
        let (mut at, mut found) = (0, Vec::new());
        while at < bytes.len() {
            if begins(bytes[at]) {
                let end = at + first_word(&bytes[at..]);
                if !bytes[at].is_ascii_digit() {
                    found.push(at..end);
                }
                at = end;
            } else {
                at += 1;
            }
        }
        found
    }

    #[test]
    fn words_of_several_scripts_are_found() {
        let text = "Score: 8a, isn't \u{8bc4}\u{5206} B\u{fc}gel";
        let words: Vec<&str> = found(text.as_bytes()).into_iter().filter_map(|word| text.get(word)).collect();

        assert_eq!(words, ["Score", "isn", "t", "\u{8bc4}", "\u{5206}", "B\u{fc}gel"]);
    }

    proptest! {
        #[test]
        fn blocks_give_what_bytes_give(text in "([a-zA-Z0-9]{1,70}|[ -~]|[\u{e9}\u{df}\u{2019}\u{5206}\u{ac00}\u{1f600}]){0,150}") {
            prop_assert_eq!(found(text.as_bytes()), plain(text.as_bytes()));
        }
    }
}
