//! Prefilter: finds positions where one of several words may begin.

use std::ops::Range;

use crate::blocks::{BLOCK, alphanumerics, block, is_alphanumeric, mask};
use crate::lexicon::word::{beginning, eight, has, small};
use crate::reply::text::is_word_byte;

/// The bytes that some words and signs begin with: letters and digits of ASCII where they continue no other word.
#[derive(Debug, Clone)]
pub(super) struct Starts {
    firsts: Box<[bool; 256]>,
    few: Option<[u8; 4]>,
    beginnings: Box<[u64; BEGINNINGS]>,
}

/// How many numbers of 64 bits tell with which letters words begin: labels have a thousand translations. 4 kB.
const BEGINNINGS: usize = 512;

/// A bit set of the first letters, in any case, of words and signs: eight bytes up to what ends a word of ASCII, and of
/// others six, or three where they are shorter.
fn beginnings<'p>(words: impl Iterator<Item = &'p str>) -> Box<[u64; BEGINNINGS]> {
    let mut found = Box::new([0; BEGINNINGS]);
    for word in words {
        let mut add = |word: &[u8], length: usize| {
            let [long, short] = letters(word);
            let (at, bit) = place(if length < 6 { short } else { long });
            if let Some(bits) = found.get_mut(at) {
                *bits |= bit;
            }
        };
        match *word.as_bytes() {
            // A letter beyond ASCII, before any other.
            [first, second] if first >= 0x80 => (0..=u8::MAX).for_each(|third| add(&[first, second, third], 3)),
            _ => add(word.as_bytes(), word.len()),
        }
    }
    found
}

/// The first letters of a longer word, and those of a shorter one.
#[inline]
fn letters(text: &[u8]) -> [u64; 2] {
    let eight = eight(text);
    let letters = small(eight);
    if letters & 0x80 == 0 {
        let inside = alphanumerics((u64::from_le_bytes(eight) >> 8).to_le_bytes());
        return [letters & u64::MAX >> (56_usize.wrapping_sub(8 * inside) & 63); 2];
    }
    // Both cases of a letter begin with bytes that may differ in the lowest bit.
    let letters = letters | 0x0001_0001_0000;
    [letters & 0xffff_ffff_ffff, letters & 0x00ff_ffff]
}

/// The number, and the bit of it, that stand for first letters.
#[inline]
fn place(letters: u64) -> (usize, u64) {
    beginning::<BEGINNINGS>(letters, 8)
}

/// What brings both cases of a letter to one.
const CASE: u8 = 0x20;

/// The bytes that all begin with, if they are few: cases of letters, and what differs as they do, are one.
fn few(firsts: &[bool; 256]) -> Option<[u8; 4]> {
    let begins = |byte: u8| firsts.get(usize::from(byte)) == Some(&true);
    let folded = (0..=u8::MAX).filter(|&byte| byte & CASE != 0 && (begins(byte) || begins(byte & !CASE)));
    let mut folded: Vec<u8> = folded.collect();
    let first = folded.first().copied().unwrap_or(u8::MAX);
    folded.resize(folded.len().max(4), first);
    folded.try_into().ok()
}

impl Starts {
    pub(super) fn new<'p>(words: impl Iterator<Item = &'p str> + Clone, ignores_case: bool) -> Self {
        let mut firsts = Box::new([false; 256]);
        for (byte, begins) in (0..=u8::MAX).zip(firsts.iter_mut()) {
            let is_first = |first: u8| first == byte || ignores_case && first.eq_ignore_ascii_case(&byte);
            *begins = words.clone().filter_map(|word| word.bytes().next()).any(is_first);
        }
        Self { few: few(&firsts), firsts, beginnings: beginnings(words) }
    }

    #[inline]
    fn begins(&self, byte: u8) -> bool {
        self.firsts.get(usize::from(byte)).copied().unwrap_or_default()
    }

    /// Whether a separate word may be at a position that `next` returned.
    #[inline]
    pub(super) fn may_stand(&self, text: &str, at: usize) -> bool {
        text.as_bytes().get(at..).is_some_and(|text| {
            let [long, short] = letters(text);
            let may_be = |letters: u64| has(&*self.beginnings, place(letters));
            may_be(long) || short != long && may_be(short)
        })
    }

    /// Whether a separate word may be anywhere in a range.
    pub(super) fn may_hold(&self, text: &str, range: &Range<usize>) -> bool {
        self.places(text, range).next().is_some()
    }

    /// The places in a range where a separate word may be.
    pub(super) fn places<'s>(&'s self, text: &'s str, range: &Range<usize>) -> impl Iterator<Item = usize> + use<'s> {
        let mut scan = self.scan(text, range);
        let mut next = range.start;
        std::iter::from_fn(move || {
            loop {
                let at = scan.next(next)?;
                next = at + 1;
                if self.may_stand(text, at) {
                    return Some(at);
                }
            }
        })
    }

    /// Looks for the places in a text up to `end` where one may begin.
    pub(super) fn scan<'s>(&'s self, text: &'s str, range: &Range<usize>) -> Scan<'s> {
        let mut scan = Scan { starts: self, bytes: text.as_bytes(), end: range.end, block: 0, found: 0 };
        scan.look(range.start);
        scan
    }

    /// Where a block behind a byte has one that they may begin with, and others, but for what continues a word.
    #[inline]
    #[expect(
        clippy::needless_bitwise_bool,
        reason = "a lazy operator would keep a pass over many from being vectorised"
    )]
    fn mask(&self, block: &[u8; BLOCK], before: u8) -> u64 {
        let begin = match self.few {
            Some(few) => mask(block, |byte| few.iter().fold(false, |is, &one| is | (byte | CASE == one))),
            // All but spaces and what continues a character: each is looked up when it is come to.
            None => mask(block, |byte| (byte != b' ') & (byte.wrapping_sub(0x80) >= 0x40)),
        };
        let inside = mask(block, |byte| is_alphanumeric(byte) | (byte == b'_'));
        begin & !(inside & ((inside << 1) | u64::from(is_word_byte(before))))
    }
}

/// A search for the places in a text where one of some words may begin, block by block.
pub(super) struct Scan<'s> {
    starts: &'s Starts,
    bytes: &'s [u8],
    end: usize,
    /// Where the block begins that was looked at last, and where one may begin in it.
    block: usize,
    found: u64,
}

impl Scan<'_> {
    fn look(&mut self, at: usize) {
        self.block = at;
        self.found = 0;
        if at < self.end {
            let before = at.checked_sub(1).and_then(|before| self.bytes.get(before)).copied().unwrap_or_default();
            self.found = self.starts.mask(&block(self.bytes, at), before);
        }
    }

    /// The next place from `at` on, which is not before the last one that was asked for.
    #[inline]
    pub(super) fn next(&mut self, at: usize) -> Option<usize> {
        if at >= self.block + BLOCK {
            self.look(at);
        }
        loop {
            while self.found != 0 {
                let place = self.block + self.found.trailing_zeros() as usize;
                self.found &= self.found.wrapping_sub(1);
                if place >= self.end {
                    return None;
                }
                if place >= at && self.bytes.get(place).is_some_and(|&byte| self.starts.begins(byte)) {
                    return Some(place);
                }
            }
            if self.block + BLOCK >= self.end {
                return None;
            }
            self.look(self.block + BLOCK);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Starts;
    use crate::reply::text::{byte_at, byte_before, is_word_byte, starts_with_at, tail};

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_word_may_begin_wherever_it_does_not_continue_another(
            pieces in prop::collection::vec(prop::sample::select(["a", "i", "no", "Tie", " ", "_", "好", "[", "9", "x y "].as_slice()), 0..90),
            words in prop::sample::subsequence(["a", "no", "tie", "9", "i", "[", "好"].as_slice(), 1..6),
            ends in (0_usize..40, 0_usize..90), ignores_case: bool
        ) {
            let text = pieces.concat();
            let starts = Starts::new(words.iter().copied(), ignores_case);
            let end = text.floor_char_boundary(ends.0 + ends.1);
            let start = text.floor_char_boundary(ends.0).min(end);
            let may_begin = |at: &usize| {
                let byte = byte_at(&text, *at);
                let is_first = |first: u8| first == byte || ignores_case && first.eq_ignore_ascii_case(&byte);
                words.iter().any(|word| is_first(byte_at(word, 0)))
                    && !(byte.is_ascii_alphanumeric() && is_word_byte(byte_before(&text, *at)))
            };

            let mut scan = starts.scan(&text, &(start..end));
            let first = scan.next(start);
            let got: Vec<usize> = std::iter::successors(first, |at| scan.next(*at + 1)).collect();

            for (at, word) in (start..end).flat_map(|at| words.iter().map(move |word| (at, word))) {
                let behind = byte_at(&text, at + word.len());
                let stands = starts_with_at(&text, at, word) && (ignores_case || tail(&text, at).starts_with(word));
                if stands && !is_word_byte(behind) {
                    prop_assert!(starts.may_stand(&text, at), "{word} at {at} of {text:?}");
                }
            }
            prop_assert_eq!((start..end).filter(may_begin).collect::<Vec<_>>(), got, "{:?} in {:?}", words, text);
        }
    }
}
