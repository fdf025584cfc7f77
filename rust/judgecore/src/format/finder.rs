//! Finding many words at once.

use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, BuildError, FindIter, Input, MatchKind};

use crate::reply::RARE_SIGNS;
use crate::reply::text::{byte_before, is_same, is_word_byte};

/// Something starts with this byte, wherever it stands.
const STARTS: u8 = 1;
/// Something starts with this letter or digit, where no word runs up to it.
const STARTS_WORD: u8 = 2;
/// A word can go on through this byte.
const IN_WORD: u8 = 4;
/// How many bytes are passed over together.
const BLOCK: usize = 16;

/// Words and signs, and where they stand in a text: leftmost first, of those the longest, and none within another.
///
/// What starts inside a word is left out where that is cheap to do; who looks for whole words rejects it anyway.
#[derive(Debug, Clone)]
pub(super) struct Finder {
    patterns: Vec<Pattern>,
    /// Says of every text what stands where; the fast search falls back to it where the two could differ.
    automaton: AhoCorasick,
    starts: Box<[u8; 256]>,
    few_starts: Option<FewStarts>,
    /// The patterns that start with each byte, longest first.
    buckets: Box<[Vec<usize>; 256]>,
    anchors: Option<Anchors>,
    ignores_case: bool,
}

#[derive(Debug, Clone)]
struct Pattern {
    text: String,
    /// Patterns that could hide this one from inside a word: which, and how far before it they start.
    hiders: Vec<(usize, usize)>,
}

/// Rare signs of which each pattern has one.
#[derive(Debug, Clone)]
struct Anchors {
    signs: Vec<u8>,
    /// The farthest that a pattern starts before its first one.
    reach: usize,
}

/// The letters and digits that all patterns start with, where they are so few that blocks without them are passed over.
#[derive(Debug, Clone, Copy)]
struct FewStarts {
    bytes: [u8; 4],
    /// What brings both cases of a letter to one, where case is ignored.
    case: u8,
}

/// A pattern in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) pattern: usize,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Finder {
    pub(super) fn new<'p>(
        patterns: impl Iterator<Item = &'p str> + Clone,
        ignores_case: bool,
    ) -> Result<Self, BuildError> {
        let automaton = AhoCorasickBuilder::new()
            .match_kind(MatchKind::LeftmostLongest)
            .ascii_case_insensitive(ignores_case)
            .build(patterns.clone())?;
        let texts: Vec<&str> = patterns.collect();
        let mut starts = Box::new([0_u8; 256]);
        for (byte, marks) in (0..=u8::MAX).zip(starts.iter_mut()) {
            *marks = if byte.is_ascii() && is_word_byte(byte) { IN_WORD } else { 0 };
        }
        let mut buckets = Box::new([const { Vec::new() }; 256]);
        for (index, text) in texts.iter().enumerate() {
            let Some(first) = text.bytes().next() else { continue };
            let is_either = |byte: &u8| if ignores_case { byte.eq_ignore_ascii_case(&first) } else { *byte == first };
            for byte in (0..=u8::MAX).filter(is_either) {
                if let Some(marks) = starts.get_mut(usize::from(byte)) {
                    *marks |= if byte.is_ascii_alphanumeric() { STARTS_WORD } else { STARTS };
                }
                if let Some(bucket) = buckets.get_mut(usize::from(byte)) {
                    bucket.push(index);
                }
            }
        }
        for bucket in buckets.iter_mut() {
            bucket.sort_by_key(|&index| std::cmp::Reverse(texts.get(index).map_or(0, |text| text.len())));
        }
        let equal =
            |one: &[u8], other: &[u8]| if ignores_case { one.eq_ignore_ascii_case(other) } else { one == other };
        let hiders = |hidden: &str| {
            let hides = |hider: &str, offset: usize| {
                let bytes = hider.as_bytes();
                let rest = bytes.get(offset..).unwrap_or_default();
                let shared = rest.len().min(hidden.len());
                hider.starts_with(|c: char| c.is_ascii_alphanumeric())
                    && rest.get(..shared).zip(hidden.as_bytes().get(..shared)).is_some_and(|(rest, head)| equal(rest, head))
                    // A word inside a word is left out in both searches.
                    && !(hidden.starts_with(|c: char| c.is_ascii_alphanumeric())
                        && offset.checked_sub(1).and_then(|before| bytes.get(before)).is_some_and(|&byte| is_word_byte(byte)))
            };
            let each = texts.iter().enumerate();
            each.flat_map(|(index, hider)| {
                (1..hider.len()).filter(|&offset| hides(hider, offset)).map(move |offset| (index, offset))
            })
            .collect()
        };
        let patterns = texts.iter().map(|text| Pattern { text: (*text).to_owned(), hiders: hiders(text) }).collect();
        let few_starts = FewStarts::new(&texts, ignores_case);
        Ok(Self { patterns, automaton, starts, few_starts, buckets, anchors: Anchors::new(&texts), ignores_case })
    }

    /// Everything that stands wholly in the range, in the order of the text.
    pub(super) fn find<'t>(&'t self, text: &'t str, range: Range<usize>) -> Finds<'t> {
        Finds { finder: self, text, range: range.clone(), at: range.start, stretch_end: range.start, slow: None }
    }

    /// Whether each pattern has a rare sign, so that nothing is found where there is none.
    pub(super) fn needs_sign(&self) -> bool {
        self.anchors.is_some()
    }

    /// Whether each pattern has one of these signs.
    pub(super) fn needs_one_of(&self, signs: &[u8]) -> bool {
        self.patterns.iter().all(|pattern| pattern.text.bytes().any(|byte| signs.contains(&byte)))
    }

    /// The patterns that stand at `at`, longest first, whatever is around them.
    #[inline]
    pub(super) fn all_at(&self, text: &str, at: usize) -> impl Iterator<Item = Found> {
        let rest = text.as_bytes().get(at..).unwrap_or_default();
        let bucket = rest.first().and_then(|&first| self.buckets.get(usize::from(first)));
        let bucket = bucket.map_or([].as_slice(), Vec::as_slice);
        bucket.iter().filter_map(move |&index| {
            let pattern = self.patterns.get(index)?.text.as_bytes();
            let here = rest.get(..pattern.len())?;
            let is_here = if self.ignores_case { is_same(here, pattern) } else { here == pattern };
            is_here.then_some(Found { pattern: index, start: at, end: at + pattern.len() })
        })
    }

    /// Whether a pattern that starts inside a word holds the start of this one, and so hides it.
    fn is_hidden(&self, text: &str, from: usize, found: Found) -> bool {
        let hiders = self.patterns.get(found.pattern).map_or([].as_slice(), |pattern| &pattern.hiders);
        hiders.iter().any(|&(hider, offset)| {
            found.start.checked_sub(offset).filter(|&start| start >= from).is_some_and(|start| {
                is_word_byte(byte_before(text, start)) && self.all_at(text, start).any(|other| other.pattern == hider)
            })
        })
    }
}

impl FewStarts {
    fn new(patterns: &[&str], ignores_case: bool) -> Option<Self> {
        let case = if ignores_case { 0x20 } else { 0 };
        let mut found: Vec<u8> = Vec::new();
        for pattern in patterns {
            let first = pattern.bytes().next().filter(u8::is_ascii_alphanumeric)? | case;
            if !found.contains(&first) {
                found.push(first);
            }
        }
        let first = *found.first()?;
        found.resize(found.len().max(4), first);
        Some(Self { bytes: found.try_into().ok()?, case })
    }

    /// How many bytes can be passed over from `at` on, in whole blocks. There is a byte before `at`.
    #[inline]
    #[expect(
        clippy::needless_bitwise_bool,
        reason = "a lazy operator would keep a pass over many from being vectorised"
    )]
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

impl Anchors {
    /// At most three signs, so that the fastest search takes them all; None where no three will do.
    fn new(patterns: &[&str]) -> Option<Self> {
        let mut signs: Vec<u8> = Vec::new();
        let mut open: Vec<&[u8]> = patterns.iter().map(|text| text.as_bytes()).collect();
        while !open.is_empty() {
            // Of equal ones the first counts, which is the rarer.
            let count = |sign: &u8| open.iter().filter(|text| text.contains(sign)).count();
            let best = RARE_SIGNS.iter().rev().max_by_key(|sign| count(sign)).filter(|sign| count(sign) > 0)?;
            open.retain(|text| !text.contains(best));
            signs.push(*best);
        }
        let reach = patterns.iter().filter_map(|text| text.bytes().position(|byte| signs.contains(&byte))).max()?;
        (signs.len() <= 3).then_some(Self { signs, reach })
    }

    #[inline]
    fn next(&self, bytes: &[u8]) -> Option<usize> {
        match *self.signs.as_slice() {
            [one] => memchr::memchr(one, bytes),
            [one, two] => memchr::memchr2(one, two, bytes),
            [one, two, three] => memchr::memchr3(one, two, three, bytes),
            _ => None,
        }
    }
}

/// What [`Finder::find`] finds.
#[derive(Debug)]
pub(super) struct Finds<'t> {
    finder: &'t Finder,
    text: &'t str,
    range: Range<usize>,
    at: usize,
    /// Up to here is looked at byte by byte; what follows is searched for an anchor first.
    stretch_end: usize,
    slow: Option<Box<FindIter<'t, 't>>>,
}

impl Iterator for Finds<'_> {
    type Item = Found;

    #[inline]
    fn next(&mut self) -> Option<Found> {
        if self.slow.is_some() {
            return self.next_slowly();
        }
        loop {
            if self.at >= self.stretch_end {
                self.next_stretch()?;
            }
            let Some(start) = self.next_start() else {
                self.at = self.stretch_end;
                continue;
            };
            let Some(found) = self.finder.all_at(self.text, start).find(|found| found.end <= self.range.end) else {
                self.at = start + 1;
                continue;
            };
            if self.finder.is_hidden(self.text, self.range.start, found) {
                let input = Input::new(self.text).range(self.range.clone());
                self.at = start;
                self.slow = Some(Box::new(self.finder.automaton.find_iter(input)));
                return self.next_slowly();
            }
            self.at = found.end;
            return Some(found);
        }
    }
}

impl Finds<'_> {
    /// Go to the next stretch where something may start; None behind the last.
    #[inline]
    fn next_stretch(&mut self) -> Option<()> {
        let rest = self.text.as_bytes().get(self.at..self.range.end).filter(|rest| !rest.is_empty())?;
        let Some(anchors) = &self.finder.anchors else {
            self.stretch_end = self.range.end;
            return Some(());
        };
        let anchor = self.at + anchors.next(rest)?;
        self.at = self.at.max(anchor.saturating_sub(anchors.reach));
        self.stretch_end = anchor + 1;
        Some(())
    }

    /// Where the next pattern may start before the stretch ends.
    #[inline]
    fn next_start(&self) -> Option<usize> {
        let mut at = self.at;
        while at < self.stretch_end {
            let mut end = self.stretch_end;
            if let Some(few) = self.finder.few_starts.filter(|_| at > 0 && end - at > BLOCK) {
                at += few.skip(self.text.as_bytes(), at, end);
                end = end.min(at + BLOCK);
            }
            if let Some(start) = self.next_start_in(at..end) {
                return Some(start);
            }
            at = end;
        }
        None
    }

    fn next_start_in(&self, range: Range<usize>) -> Option<usize> {
        let starts = &self.finder.starts;
        let marks_of = |byte: u8| starts.get(usize::from(byte)).copied().unwrap_or(0);
        let mut before = marks_of(byte_before(self.text, range.start));
        let offset = self.text.as_bytes().get(range.clone())?.iter().position(|&byte| {
            let marks = marks_of(byte);
            // A letter may start something where the byte before it is in no word.
            let may_start = marks & (STARTS | (STARTS_WORD & !(before >> 1))) != 0;
            before = marks;
            may_start
        })?;
        Some(range.start + offset)
    }

    fn next_slowly(&mut self) -> Option<Found> {
        let from = self.at;
        let found = self.slow.as_mut()?.find(|found| found.start() >= from)?;
        Some(Found { pattern: found.pattern().as_usize(), start: found.start(), end: found.end() })
    }
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "a test that panics is a test that fails")]
mod tests {
    use aho_corasick::Input;
    use proptest::prelude::*;

    use super::{Finder, Found};
    use crate::reply::text::{byte_at, is_word_edge};

    /// What patterns and texts are made of: few pieces, so that they meet and overlap.
    const PIECES: [&str; 16] = ["a", "b", "A", "no", "tie", "[[", "]", "_", " ", "-", "<", "(", "好", "é", "1", "\n"];

    fn texts(most: usize) -> impl Strategy<Value = String> {
        prop::collection::vec(prop::sample::select(PIECES.as_slice()), 1..most).prop_map(|pieces| pieces.concat())
    }

    /// A text, and patterns of which most stand in it, one over the other.
    fn searches() -> impl Strategy<Value = (String, Vec<String>)> {
        let parts = prop::collection::vec((0_usize..40, 1_usize..8), 1..8);
        (texts(24), parts, prop::collection::vec(texts(3), 0..3)).prop_map(|(text, parts, mut patterns)| {
            let part = |(start, length): (usize, usize)| {
                let start = text.floor_char_boundary(start % text.len());
                text[start..text.ceil_char_boundary(start + length)].to_owned()
            };
            patterns.extend(parts.into_iter().map(part));
            (text, patterns)
        })
    }

    fn is_kept(text: &str, found: &Found) -> bool {
        !byte_at(text, found.start).is_ascii_alphanumeric() || is_word_edge(text, found.start)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_fast_search_finds_what_the_automaton_finds(
            (text, patterns) in searches(), ends in (0_usize..9, 0_usize..60), ignores_case: bool
        ) {
            let finder = Finder::new(patterns.iter().map(String::as_str), ignores_case).unwrap();
            let start = text.floor_char_boundary(ends.0);
            let end = text.floor_char_boundary(ends.0 + ends.1).max(start);

            let got: Vec<Found> = finder.find(&text, start..end).filter(|found| is_kept(&text, found)).collect();

            let want: Vec<Found> = finder
                .automaton
                .find_iter(Input::new(&text).range(start..end))
                .map(|found| Found { pattern: found.pattern().as_usize(), start: found.start(), end: found.end() })
                .filter(|found| is_kept(&text, found))
                .collect();
            prop_assert_eq!(want, got, "{:?} in {:?}", patterns, text);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_word_stands_in_the_blocks_that_are_passed_over(
            text in prop::collection::vec(prop::sample::select(["a", "i", "no", "Tie", " ", "_", "好", "[", "9", "x y "].as_slice()), 0..90),
            patterns in prop::sample::subsequence(["a", "no", "tie", "9", "i"].as_slice(), 1..5),
            from in 0_usize..40, ignores_case: bool
        ) {
            let text = text.concat();
            let finder = Finder::new(patterns.iter().copied(), ignores_case).unwrap();
            let range = text.floor_char_boundary(from)..text.len();

            let got: Vec<Found> = finder.find(&text, range.clone()).filter(|found| is_kept(&text, found)).collect();

            let want: Vec<Found> = finder
                .automaton
                .find_iter(Input::new(&text).range(range))
                .map(|found| Found { pattern: found.pattern().as_usize(), start: found.start(), end: found.end() })
                .filter(|found| is_kept(&text, found))
                .collect();
            prop_assert!(finder.few_starts.is_some());
            prop_assert_eq!(want, got, "{:?} in {:?}", patterns, text);
        }
    }

    #[test]
    fn what_hides_a_word_from_inside_another_is_known() {
        let finder = Finder::new(["Rating: [[", "[["].into_iter(), true).unwrap();
        let starts = |text: &str| finder.find(text, 0..text.len()).map(|found| found.start).collect::<Vec<_>>();

        assert!(finder.anchors.is_some());
        assert_eq!(starts("Rating: [[8]] [[9]]"), [0, 14]);
        // "[[" is part of what is found inside of the word.
        assert_eq!(starts("Overrating: [[8]] [[9]]"), [18]);
    }
}
