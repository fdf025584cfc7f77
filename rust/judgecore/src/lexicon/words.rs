//! The words of a text, found by whole blocks of bytes.

use super::word::{begins_sign, first_word};
use crate::blocks::{BLOCK, block, is_alphanumeric, mask};

/// Where words stand in a text that are sought, by where they begin and how long they are. How long is asked only of those
/// that may be sought. Each sign of a script without spaces is one.
///
/// No byte is branched on, but for those of which the next one tells whether a sign stands there.
pub(super) struct Words<'t, M, F> {
    bytes: &'t [u8],
    may_be_sought: M,
    is_sought: F,
    /// Where the next block begins, and which of the last one's words are sought and were not given yet.
    next: usize,
    found: u64,
    /// Whether a word reaches the end of the last block.
    is_inside: bool,
}

impl<'t, M: Fn(usize) -> bool, F: Fn(usize, usize) -> bool> Words<'t, M, F> {
    pub(super) fn of(bytes: &'t [u8], may_be_sought: M, is_sought: F) -> Self {
        Self { bytes, may_be_sought, is_sought, next: 0, found: 0, is_inside: false }
    }

    /// Look at the next block.
    fn look(&mut self) {
        let (start, bytes) = (self.next, self.bytes);
        self.next += BLOCK;
        let block = block(bytes, start);
        let before = u64::from(self.is_inside);
        let plain = mask(&block, is_alphanumeric);
        let mut reach = Reach { letters: plain, inside: plain, signs: 0 };
        if !block.is_ascii() {
            reach.go_beyond_ascii(&block, bytes.get(start..).unwrap_or_default(), before);
        }
        let Reach { letters, inside, signs } = reach;
        let mut begin = letters & !((inside << 1) | before) | signs;
        self.is_inside = inside >> (BLOCK - 1) != 0;
        let mut found = 0;
        while begin != 0 {
            let nth = begin.trailing_zeros();
            let at = start + nth as usize;
            begin &= begin.wrapping_sub(1);
            let length = || {
                let length = (inside >> nth).trailing_ones();
                let is_whole = (1..u64::BITS - nth).contains(&length);
                if is_whole { length as usize } else { first_word(bytes.get(at..).unwrap_or_default()) }
            };
            found |= u64::from((self.may_be_sought)(at) && (self.is_sought)(at, length())) << nth;
        }
        self.found = found;
    }
}

impl<M: Fn(usize) -> bool, F: Fn(usize, usize) -> bool> Iterator for Words<'_, M, F> {
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

/// Which bytes of a block a word may begin with, which ones words reach, and with which ones signs begin.
struct Reach {
    letters: u64,
    inside: u64,
    signs: u64,
}

impl Reach {
    /// Take what is not ASCII in, where a word may reach the block from before.
    fn go_beyond_ascii(&mut self, block: &[u8; BLOCK], rest: &[u8], before: u64) {
        let mut signs = mask(block, |byte| byte >= 0xe3);
        let begins_other = |byte: u8| byte.wrapping_sub(0xc2) < 0x20;
        let goes_on = before != 0 && block.first().is_some_and(|byte| !byte.is_ascii());
        // Most text of signs has no other characters that are part of a word.
        if !goes_on && !block.iter().fold(false, |seen, &byte| seen | begins_other(byte)) {
            self.signs = signs;
            return;
        }
        let mut shared = mask(block, |byte| byte == 0xe0);
        while shared != 0 {
            let nth = shared.trailing_zeros();
            shared &= shared.wrapping_sub(1);
            signs |= u64::from(begins_sign(rest.get(nth as usize..).unwrap_or_default())) << nth;
        }
        self.letters |= mask(block, |byte| byte.wrapping_sub(0xc3) < 0x1f) & !signs;
        let mut run = self.inside | mask(block, |byte| byte.wrapping_sub(0x80) < 0x62) & !signs;
        self.inside = (self.letters | before) & run;
        // Each step doubles how far a word has reached.
        for step in [1, 2, 4, 8, 16, 32] {
            self.inside |= run & (self.inside << step);
            run &= run << step;
        }
        self.signs = signs;
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use proptest::prelude::*;

    use super::{Words, first_word};

    /// Whether a byte may be the first of a word: a letter or digit, or the first one of a letter beyond ASCII.
    const fn begins(byte: u8) -> bool {
        byte.is_ascii_alphanumeric() || byte >= 0xc3 && byte != 0xe2
    }

    /// All words.
    fn found(bytes: &[u8]) -> Vec<Range<usize>> {
        Words::of(bytes, |_| true, |_, _| true).map(|start| start..start + first_word(&bytes[start..])).collect()
    }

    /// The same, byte by byte.
    fn plain(bytes: &[u8]) -> Vec<Range<usize>> {
        let (mut at, mut found) = (0, Vec::new());
        while at < bytes.len() {
            if begins(bytes[at]) {
                let end = at + first_word(&bytes[at..]);
                found.push(at..end);
                at = end;
            } else {
                at += 1;
            }
        }
        found
    }

    #[test]
    fn words_of_several_scripts_are_found() {
        let text = "Score: 8a, isn't \u{8bc4}\u{5206} B\u{fc}gel B\u{e04}\u{e48} \u{905}\u{905}";
        let words: Vec<&str> = found(text.as_bytes()).into_iter().filter_map(|word| text.get(word)).collect();

        assert_eq!(
            words,
            [
                "Score",
                "8a",
                "isn",
                "t",
                "\u{8bc4}",
                "\u{5206}",
                "B\u{fc}gel",
                "B",
                "\u{e04}",
                "\u{e48}",
                "\u{905}\u{905}"
            ]
        );
    }

    proptest! {
        #[test]
        fn blocks_give_what_bytes_give(text in "([a-zA-Z0-9]{1,70}|[ -~]|[\u{e9}\u{df}\u{2019}\u{5206}\u{ac00}\u{e04}\u{e48}\u{905}\u{1f600}]){0,150}") {
            prop_assert_eq!(found(text.as_bytes()), plain(text.as_bytes()));
        }
    }
}
