//! Prefilter: finds positions where one of several words may begin.

use std::ops::Range;

use crate::reply::text::{byte_at, byte_before, is_word_byte};

/// Bit: a word or sign begins with this byte, in any context.
const STARTS: u8 = 1;
/// Bit: a word begins with this letter or digit, unless it continues another word.
const STARTS_WORD: u8 = 2;
/// Bit: the byte can be inside a word.
const IN_WORD: u8 = 4;
/// The number of bytes skipped at once.
const BLOCK: usize = 16;

/// The first bytes of words and signs.
#[derive(Debug, Clone)]
pub(super) struct Starts {
    marks: Box<[u8; 256]>,
    few: Option<FewStarts>,
    pairs: Pairs,
}

/// A bit set of the first two bytes of words and signs. After a single byte, the second one is any that ends a word.
#[derive(Debug, Clone)]
struct Pairs {
    bits: [u64; 16],
    ignores_case: bool,
}

impl Pairs {
    fn new<'p>(words: impl Iterator<Item = &'p str>, ignores_case: bool) -> Self {
        let mut pairs = Self { bits: [0; 16], ignores_case };
        for word in words {
            match *word.as_bytes() {
                [first, second, ..] => pairs.add(first, second),
                [only] => (0..=u8::MAX).filter(|&byte| !is_word_byte(byte)).for_each(|byte| pairs.add(only, byte)),
                [] => {}
            }
        }
        pairs
    }

    #[inline]
    fn place(&self, first: u8, second: u8) -> (usize, u64) {
        let as_is = |byte: u8| if self.ignores_case { byte.to_ascii_lowercase() } else { byte };
        let mixed = (usize::from(as_is(first)) * 37) ^ (usize::from(as_is(second)) * 5);
        (mixed / 64 % 16, 1 << (mixed % 64))
    }

    fn add(&mut self, first: u8, second: u8) {
        let (at, bit) = self.place(first, second);
        if let Some(bits) = self.bits.get_mut(at) {
            *bits |= bit;
        }
    }

    #[inline]
    fn has(&self, first: u8, second: u8) -> bool {
        let (at, bit) = self.place(first, second);
        self.bits.get(at).is_some_and(|bits| bits & bit != 0)
    }
}

/// The first letters and digits, if they are few, so that blocks without them can be skipped.
#[derive(Debug, Clone, Copy)]
struct FewStarts {
    bytes: [u8; 4],
    /// The mask that lowercases a letter if case is ignored.
    case: u8,
}

impl Starts {
    pub(super) fn new<'p>(words: impl Iterator<Item = &'p str> + Clone, ignores_case: bool) -> Self {
        let mut marks = Box::new([0; 256]);
        for (byte, marks) in (0..=u8::MAX).zip(marks.iter_mut()) {
            let is_first = |first: u8| first == byte || ignores_case && first.eq_ignore_ascii_case(&byte);
            let starts = if byte.is_ascii_alphanumeric() { STARTS_WORD } else { STARTS };
            let is_start = words.clone().filter_map(|word| word.bytes().next()).any(is_first);
            *marks = if is_start { starts } else { 0 } | if is_word_byte(byte) { IN_WORD } else { 0 };
        }
        let pairs = Pairs::new(words.clone(), ignores_case);
        Self { marks, few: FewStarts::new(words, ignores_case), pairs }
    }

    #[inline]
    fn marks_of(&self, byte: u8) -> u8 {
        self.marks.get(usize::from(byte)).copied().unwrap_or_default()
    }

    /// Whether a separate word may be at a position that `next` returned.
    #[inline]
    pub(super) fn may_stand(&self, text: &str, at: usize) -> bool {
        self.pairs.has(byte_at(text, at), byte_at(text, at + 1))
    }

    /// Return the next position in the range where one may begin.
    #[inline]
    pub(super) fn next(&self, text: &str, range: Range<usize>) -> Option<usize> {
        let Range { start: mut at, end } = range;
        while at < end {
            let mut near = end;
            if let Some(few) = self.few.filter(|_| at > 0 && end - at > BLOCK) {
                at += few.skip(text.as_bytes(), at, end);
                near = end.min(at + BLOCK);
            }
            let mut before = self.marks_of(byte_before(text, at));
            let found = text.as_bytes().get(at..near)?.iter().position(|&byte| {
                let marks = self.marks_of(byte);
                // A letter may begin a word if the byte before it is not in a word.
                let may_start = marks & (STARTS | (STARTS_WORD & !(before >> 1))) != 0;
                before = marks;
                may_start
            });
            if let Some(found) = found {
                return Some(at + found);
            }
            at = near;
        }
        None
    }
}

impl FewStarts {
    fn new<'p>(words: impl Iterator<Item = &'p str>, ignores_case: bool) -> Option<Self> {
        let case = if ignores_case { 0x20 } else { 0 };
        let mut found: Vec<u8> = Vec::new();
        for word in words {
            let first = word.bytes().next().filter(u8::is_ascii_alphanumeric)? | case;
            if !found.contains(&first) {
                found.push(first);
            }
        }
        let first = *found.first()?;
        found.resize(found.len().max(4), first);
        Some(Self { bytes: found.try_into().ok()?, case })
    }

    /// Return how many bytes can be skipped from `at`, in whole blocks. There must be a byte before `at`.
    #[inline]
    #[expect(clippy::needless_bitwise_bool, reason = "a lazy operator would prevent vectorization")]
    fn skip(self, bytes: &[u8], at: usize, end: usize) -> usize {
        let Self { bytes: [one, two, three, four], case } = self;
        let here = bytes.get(at..end).unwrap_or_default().as_chunks::<BLOCK>().0;
        let before = bytes.get(at - 1..end - 1).unwrap_or_default().as_chunks::<BLOCK>().0;
        let is_vain = |(here, before): &(&[u8; BLOCK], &[u8; BLOCK])| {
            !here.iter().zip(before.iter()).fold(false, |seen, (&byte, &before)| {
                let (byte, small) = (byte | case, before | 0x20);
                let is_start = (byte == one) | (byte == two) | (byte == three) | (byte == four);
                let is_word = (small.wrapping_sub(b'a') < 26) | (before.wrapping_sub(b'0') < 10) | (before == b'_');
                seen | (is_start & !is_word)
            })
        };
        here.iter().zip(before).take_while(is_vain).count() * BLOCK
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

            let next = |at: &usize| starts.next(&text, *at + 1..end);
            let got: Vec<usize> = std::iter::successors(starts.next(&text, start..end), next).collect();

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
