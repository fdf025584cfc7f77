//! The words of a text, found by whole blocks of bytes.

use std::ops::Range;

use super::word::{continues, first_word};

/// How many bytes are looked at together.
const BLOCK: usize = 64;

/// The words of a text that begin with no digit. Each sign of a script without spaces is one.
///
/// In a block of ASCII no byte is branched on; words beyond it are taken one by one.
pub(super) struct Words<'t> {
    bytes: &'t [u8],
    /// Where the block begins.
    block: usize,
    /// Which of its bytes are of words, and which begin one that was not given yet; of a block of ASCII.
    inside: u64,
    begin: u64,
    /// In another block, where the next word is looked for; behind it, where the last one ended.
    at: usize,
    is_ascii: bool,
}

impl<'t> Words<'t> {
    pub(super) fn of(bytes: &'t [u8]) -> Self {
        let mut words = Self { bytes, block: 0, inside: 0, begin: 0, at: 0, is_ascii: true };
        words.look();
        words
    }

    /// Look at the block that begins at `block`.
    fn look(&mut self) {
        let rest = self.bytes.get(self.block..).unwrap_or_default();
        let mut padded = [b' '; BLOCK];
        let block = rest.first_chunk::<BLOCK>().unwrap_or_else(|| {
            padded.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
            &padded
        });
        let was_inside = self.is_ascii && self.inside >> (BLOCK - 1) != 0;
        self.is_ascii = block.is_ascii();
        if !self.is_ascii {
            let begun = rest.iter().take_while(|&&byte| was_inside && continues(byte)).count();
            (self.begin, self.at) = (0, self.at.max(self.block + begun));
            return;
        }
        let (letters, digits) = letters_and_digits(block);
        self.inside = letters | digits;
        // A word from beyond ASCII may reach into the block.
        let taken =
            u32::try_from(self.at.saturating_sub(self.block)).ok().and_then(|taken| u64::MAX.checked_shl(taken));
        self.begin = letters & !((self.inside << 1) | u64::from(was_inside)) & taken.unwrap_or(0);
    }

    /// The next word of a block that is not all ASCII.
    #[cold]
    fn beyond_ascii(&mut self) -> Option<Range<usize>> {
        while self.at < self.block + BLOCK {
            let rest = self.bytes.get(self.at..).filter(|rest| !rest.is_empty())?;
            // No farther than the block, or each would be looked at from those before it.
            let free = rest.iter().take(self.block + BLOCK - self.at).take_while(|&&byte| !begins(byte)).count();
            let start = self.at + free;
            if start == self.block + BLOCK {
                break;
            }
            let word = first_word(rest.get(free..).unwrap_or_default());
            self.at = start + word;
            if !rest.get(free).is_some_and(u8::is_ascii_digit) {
                return (word > 0).then_some(start..self.at);
            }
        }
        None
    }
}

impl Iterator for Words<'_> {
    type Item = Range<usize>;

    #[inline]
    fn next(&mut self) -> Option<Range<usize>> {
        loop {
            if self.begin != 0 {
                let nth = self.begin.trailing_zeros();
                self.begin &= self.begin - 1;
                let start = self.block + nth as usize;
                let length = (self.inside >> nth).trailing_ones();
                let end = start + length as usize;
                let reaches = nth + length == u64::BITS;
                return Some(start..if reaches { start + first_word(self.bytes.get(start..)?) } else { end });
            }
            if !self.is_ascii
                && let Some(word) = self.beyond_ascii()
            {
                return Some(word);
            }
            self.block += BLOCK;
            if self.block >= self.bytes.len() {
                return None;
            }
            self.look();
        }
    }
}

/// Whether a byte may be the first of a word: a letter or digit, or the first one of a letter beyond ASCII.
const fn begins(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0xc3 && byte != 0xe2
}

/// Which bytes of a block of ASCII are letters, and which are digits.
#[inline]
fn letters_and_digits(block: &[u8; BLOCK]) -> (u64, u64) {
    const EACH: u64 = 0x0101_0101_0101_0101;
    const HIGHEST: u64 = 0x80 * EACH;
    // The highest bit of each byte that is as large as `least`, which ASCII leaves free.
    let from = |eight: u64, least: u8| eight + (0x80 - u64::from(least)) * EACH;
    let within = |eight: u64, first: u8, last: u8| from(eight, first) & !from(eight, last + 1) & HIGHEST;
    // One bit of each byte, side by side.
    let packed = |highest: u64| (highest >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    let (eights, _) = block.as_chunks::<8>();
    eights.iter().enumerate().fold((0, 0), |(letters, digits), (nth, eight)| {
        let eight = u64::from_le_bytes(*eight);
        let small = eight | (0x20 * EACH);
        let letter = packed(within(small, b'a', b'z')) << (8 * nth);
        (letters | letter, digits | packed(within(eight, b'0', b'9')) << (8 * nth))
    })
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use proptest::prelude::*;

    use super::{Words, begins, first_word};

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
        let words: Vec<&str> = Words::of(text.as_bytes()).filter_map(|word| text.get(word)).collect();

        assert_eq!(words, ["Score", "isn", "t", "\u{8bc4}", "\u{5206}", "B\u{fc}gel"]);
    }

    proptest! {
        #[test]
        fn blocks_give_what_bytes_give(text in "([a-zA-Z0-9]{1,70}|[ -~]|[\u{e9}\u{df}\u{2019}\u{5206}\u{ac00}\u{1f600}]){0,150}") {
            let words: Vec<Range<usize>> = Words::of(text.as_bytes()).collect();
            prop_assert_eq!(words, plain(text.as_bytes()));
        }
    }
}
