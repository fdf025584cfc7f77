//! Words of the lexicon as the build writes them, in bytes, and the library looks them up.

use std::ops::{BitAnd, Range};

use zerocopy::{FromBytes, Immutable, IntoBytes};

/// A set of classes.
pub(crate) type Classes = u128;

/// A bit for each language of a sentence.
pub(crate) type Languages = u64;

/// What a word is in one language.
#[derive(Debug, Clone, Copy, FromBytes, Immutable, IntoBytes)]
#[repr(C)]
pub(crate) struct Sense {
    pub(crate) classes: Classes,
    /// NaN for none.
    pub(crate) number: f64,
    pub(crate) language: u8,
    pub(crate) collides: u8,
    pub(crate) is_english: u8,
    pub(crate) unused: [u8; 5],
}

impl Sense {
    /// The number it stands for.
    pub(crate) fn number(&self) -> Option<f64> {
        Some(self.number).filter(|number| !number.is_nan())
    }

    /// Whether other languages have the word too, with another meaning.
    pub(crate) fn collides(&self) -> bool {
        self.collides != 0
    }

    /// Whether English is one of them.
    pub(crate) fn is_english(&self) -> bool {
        self.is_english != 0
    }
}

/// What a word may be, in all languages that have it: so many of `SENSES`, from one on. A word that only begins phrases has
/// none.
#[derive(Debug, Clone, FromBytes, Immutable, IntoBytes)]
#[repr(C)]
pub(crate) struct Entry {
    pub(crate) start: u16,
    pub(crate) count: u8,
    /// The language that the word shows to be there, the only one that has it.
    pub(crate) only: u8,
}

/// Stands for no language.
pub(crate) const NO_LANGUAGE: u8 = u8::MAX;

impl Entry {
    pub(crate) fn range(&self) -> Range<usize> {
        let start = usize::from(self.start);
        start..start + usize::from(self.count)
    }

    pub(crate) fn is_none(&self) -> bool {
        self.count == 0
    }

    /// The language that the word shows to be there, the only one that has it.
    pub(crate) fn only(&self) -> Option<u8> {
        Some(self.only).filter(|&language| language != NO_LANGUAGE)
    }
}

/// A phrase without its first word.
#[derive(Debug, FromBytes, Immutable, IntoBytes)]
#[repr(C)]
pub(crate) struct Phrase {
    /// The words behind the first one, with spaces between them: where they begin in `TEXT`, and how long they are.
    pub(crate) start: u32,
    pub(crate) length: u16,
    /// The first byte of them, which tells most phrases apart from what stands in a text.
    pub(crate) first: u8,
    /// The end of the hash of the first one of them, of which the letters and digits of ASCII count up to the first other
    /// character.
    pub(crate) second: u8,
    pub(crate) entry: Entry,
}

/// A word, as itself and as the first one of phrases, those that begin with the same byte side by side, longest first.
#[derive(Debug, FromBytes, Immutable, IntoBytes)]
#[repr(C)]
pub(crate) struct Known {
    pub(crate) ends: [u64; 2],
    /// Where it begins in `TEXT`, and how long it is.
    pub(crate) start: u32,
    pub(crate) length: u16,
    /// How many phrases it begins, and which of `PHRASES` is the first.
    pub(crate) phrase_count: u16,
    pub(crate) first_phrase: u32,
    pub(crate) entry: Entry,
}

/// How many numbers of 64 bits a filter has: 32 kB, which at 42,000 words lets one unknown word in 13 pass.
pub(crate) const FILTER: usize = 4096;

/// What makes letters small.
const SMALL: u64 = 0x2020_2020_2020_2020;

/// The ends of a word, up to eight bytes each, in which ASCII letters have no case.
#[inline]
pub(crate) fn ends(word: &[u8]) -> [u64; 2] {
    if let (Some(head), Some(tail)) = (word.first_chunk::<8>(), word.last_chunk::<8>()) {
        return [u64::from_le_bytes(*head) | SMALL, u64::from_le_bytes(*tail) | SMALL];
    }
    let head = match (word.first_chunk::<4>(), word.last_chunk::<4>(), word) {
        (Some(head), Some(tail), _) => {
            u64::from(u32::from_le_bytes(*head)) | u64::from(u32::from_le_bytes(*tail)) << (8 * (word.len() - 4))
        }
        (_, _, [first, middle, last]) => u64::from(*first) | u64::from(*middle) << 8 | u64::from(*last) << 16,
        (_, _, [first, last]) => u64::from(*first) | u64::from(*last) << 8,
        (_, _, [only]) => (*only).into(),
        _ => 0,
    };
    [head | SMALL, 0]
}

/// The same of a word that stands in a text.
#[inline]
pub(crate) fn ends_at(text: &[u8], at: usize, length: usize) -> [u64; 2] {
    let near = text.get(at..).unwrap_or_default();
    match near.first_chunk::<8>() {
        Some(head) if length < 8 => {
            let kept = (1 << (8 * length)) - 1;
            [u64::from_le_bytes(*head) & kept | SMALL, 0]
        }
        _ => ends(near.get(..length).unwrap_or_default()),
    }
}

/// Whether all bytes of a word with these ends, which is no longer than both, are ASCII.
#[inline]
pub(crate) fn is_ascii([head, tail]: [u64; 2]) -> bool {
    (head | tail) & 0x8080_8080_8080_8080 == 0
}

/// The hash of a word with these ends and this length.
#[inline]
pub(crate) fn hash([head, tail]: [u64; 2], length: usize) -> u32 {
    let mixed = head.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ tail.rotate_left(29) ^ length as u64;
    let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    u32::try_from(mixed >> 32).unwrap_or(0)
}

/// The last bits of a hash.
#[inline]
pub(crate) fn hash_end(hash: u32) -> u8 {
    let [end, ..] = hash.to_le_bytes();
    end
}

/// The number in the filter, and the two bits of it, that tell whether a word of this hash can be known.
#[inline]
pub(crate) fn filter_place(hash: u32) -> (usize, u64) {
    ((hash >> 12) as usize % FILTER, 1 << (hash & 63) | 1 << (hash >> 6 & 63))
}

/// The same of two words of these hashes, side by side, as a phrase begins. Of the second one the letters and digits of
/// ASCII count up to the first other character.
#[inline]
pub(crate) fn pair_place(first: u32, second: u32) -> (usize, u64) {
    filter_place(first.rotate_left(11) ^ second)
}

/// Whether a set has what stands for a number and bits of it.
#[inline]
pub(crate) fn has<B: Copy + PartialEq + BitAnd<Output = B>>(set: &[B], (at, bits): (usize, B)) -> bool {
    set.get(at).is_some_and(|&known| known & bits == bits)
}

/// Where the search for a word of this hash begins, in a table of so many places, a power of two.
#[inline]
pub(crate) fn first_place(hash: u32, places: usize) -> usize {
    (hash >> 16 ^ hash) as usize & (places - 1)
}

/// Whether a letter of a script that writes without spaces stands here, so that words may touch.
#[inline]
pub(crate) fn is_unspaced(c: char) -> bool {
    !c.is_ascii()
        // The marks of these scripts end words, but for those that repeat a sign.
        && matches!(
            u32::from(c),
            0x0E00..=0x0EFF | 0x2E80..=0x2FFF | 0x3005..=0x3007 | 0x3031..=0x3035 | 0x3041..=0x30FA | 0x30FC..=0x9FFF
                | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF
        )
}

/// How many numbers of 64 bits tell with which letters the words of a list begin: 8 kB.
pub(crate) const BEGINNINGS: usize = 1024;

/// The same of a list of many words and phrases, of which a phrase is told by one letter more: 32 kB.
pub(crate) const MANY_BEGINNINGS: usize = 4096;

/// From how many letters on a word of a list is known by its first ones alone.
const LONG: usize = 7;

/// How many letters of a text's beginning tell whether a word of a list stands there that is no phrase, and whether a
/// phrase does, if the text's first word is so long, in bytes. Few letters rule out most of what is no word of a list.
#[inline]
pub(crate) fn telling(word: usize) -> [usize; 2] {
    // The first letter of the second word, behind a space, tells short first words apart.
    [word.min(LONG), if word < LONG { word + 2 } else { LONG }]
}

/// One letter more than tells a phrase, where the last two are of ASCII: the case of others may differ in any byte.
#[inline]
pub(crate) fn further(letters: u64, followed: usize) -> usize {
    let last = letters >> ((8 * followed.wrapping_sub(1)) & 63);
    followed + usize::from(followed < 8 && last & 0x8080 == 0)
}

/// The first eight bytes of a text, spaces behind its end.
#[inline]
pub(crate) fn eight(text: &[u8]) -> [u8; 8] {
    match text.first_chunk() {
        Some(first) => *first,
        None => std::array::from_fn(|at| text.get(at).copied().unwrap_or(b' ')),
    }
}

/// Letters in any case.
#[inline]
pub(crate) fn small(letters: [u8; 8]) -> u64 {
    u64::from_le_bytes(letters) | SMALL
}

/// The first letters of a text, in any case, spaces behind its end.
#[inline]
pub(crate) fn letters(text: &[u8]) -> u64 {
    small(eight(text))
}

/// How many numbers of 32 bits tell the first three letters of the words of a list: 4 kB.
pub(crate) const FIRSTS: usize = 1024;

/// The number of a list, and the bit of it, that stand for the first three letters of a text.
#[inline]
pub(crate) fn firsts(letters: u64) -> (usize, u32) {
    let place = ((letters & 31) as usize) << 5 | ((letters >> 8) & 31) as usize;
    (place, 1 << ((letters >> 16) & 31))
}

/// With what the words of a list begin: three letters, which rule out most of what is no word of it, and more of them.
#[derive(Debug)]
pub(crate) struct Beginnings<const SIZE: usize = BEGINNINGS> {
    pub(crate) firsts: [u32; FIRSTS],
    pub(crate) longer: [u64; SIZE],
}

/// The number of a list of so many, a power of two, and the bit of it, that stand for so many letters, one to eight.
#[inline]
pub(crate) fn beginning<const SIZE: usize>(letters: u64, length: usize) -> (usize, u64) {
    let kept = letters & (u64::MAX >> (64_usize.wrapping_sub(8 * length) & 63));
    let mixed = kept.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (58 - SIZE.trailing_zeros());
    ((mixed >> 6) as usize % SIZE, 1 << (mixed & 63))
}

/// Whether a word goes on through a byte, of ASCII or of a letter beyond it.
#[inline]
pub(crate) fn continues(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || (0x80..0xe2).contains(&byte)
}

/// Whether bytes begin with a sign of a script without spaces: the first one tells it, but for Thai and Lao, which share
/// theirs with the scripts of India.
#[inline]
pub(crate) fn begins_sign(bytes: &[u8]) -> bool {
    matches!(bytes, [0xe3..=0xff, ..] | [0xe0, 0xb8..=0xbb, ..])
}

/// How long the first word of a text is, in bytes. Each sign of a script without spaces is a word.
#[inline]
pub(crate) fn first_word(text: &[u8]) -> usize {
    if begins_sign(text) { 3 } else { reach(text) }
}

/// How long the first word of a text is with the apostrophes in it, `п'ять`, in bytes.
pub(crate) fn spelled(text: &[u8]) -> usize {
    let mut end = first_word(text);
    while let [mark @ b'\'', rest @ ..] | [0xe2, 0x80, mark @ 0x99, rest @ ..] = text.get(end..).unwrap_or_default()
        && !rest.first().is_none_or(u8::is_ascii)
    {
        end += if *mark == b'\'' { 1 } else { 3 } + first_word(rest);
    }
    end
}

/// How far a word that stands before a text goes on in it, in bytes.
#[inline]
pub(crate) fn reach(text: &[u8]) -> usize {
    let goes_on = |&(at, &byte): &(usize, &u8)| {
        continues(byte) && (byte != 0xe0 || !begins_sign(text.get(at..).unwrap_or_default()))
    };
    text.iter().enumerate().take_while(goes_on).count()
}
