//! Copies: which parts of a folded reply stand in a folded material.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;

use aho_corasick::AhoCorasick;

/// From this length on, a copy is known wherever it begins and ends.
pub(super) const LONG: usize = 24;

type Window = [u8; LONG];

/// The stretches of at least [`LONG`] bytes that stand in a material, in the order of the reply.
///
/// Each window of the reply is looked up by its hash and compared, so that time is linear whatever is repeated.
pub(super) fn long(reply: &[u8], materials: &[Vec<u8>]) -> Vec<Range<usize>> {
    let windows = Windows::of(reply);
    let mut is_copied = vec![false; windows.firsts.len()];
    if windows.firsts.is_empty() {
        return Vec::new();
    }
    for window in materials.iter().flat_map(|material| material.windows(LONG)) {
        if windows.may_hold(window)
            && let Some(copied) = windows.find(window).and_then(|at| is_copied.get_mut(at))
        {
            *copied = true;
        }
    }
    let mut found: Vec<Range<usize>> = Vec::new();
    let copied = windows.firsts.iter().enumerate().filter(|&(_, &first)| is_copied.get(index(first)) == Some(&true));
    for (at, _) in copied {
        match found.last_mut() {
            Some(last) if last.end + 1 == at + LONG => last.end += 1,
            _ => found.push(at..at + LONG),
        }
    }
    found
}

/// All windows of a text by their hashes.
struct Windows<'t> {
    text: &'t [u8],
    keys: [u64; 3],
    /// For each slot the place of a window and 1, or 0.
    slots: Vec<u32>,
    /// For each window the first that is the same.
    firsts: Vec<u32>,
    /// Whether a window may begin with such bytes: told at one look, most do not.
    heads: Vec<bool>,
}

impl<'t> Windows<'t> {
    fn of(text: &'t [u8]) -> Self {
        // A longer text is not compared: no judge writes gigabytes.
        let count = (text.len() + 1).saturating_sub(LONG);
        let count = if u32::try_from(text.len()).is_ok() { count } else { 0 };
        // Keys that nobody knows keep a text from being made to collide.
        let state = RandomState::new();
        let mut windows = Self {
            text,
            keys: [0_u64, 1, 2].map(|nth| state.hash_one(nth)),
            slots: vec![0; if count == 0 { 0 } else { (count * 2).next_power_of_two() }],
            firsts: Vec::with_capacity(count),
            heads: vec![false; if count == 0 { 0 } else { (count * 8).next_power_of_two() }],
        };
        for (at, window) in text.windows(LONG).take(count).enumerate() {
            let place = u32::try_from(at).unwrap_or(u32::MAX);
            let slot = windows.slot(window);
            let first = match windows.slots.get_mut(slot) {
                Some(slot) if *slot == 0 => {
                    *slot = place + 1;
                    place
                }
                Some(slot) => *slot - 1,
                None => place,
            };
            windows.firsts.push(first);
            let head = windows.head(window);
            if let Some(is_head) = windows.heads.get_mut(head) {
                *is_head = true;
            }
        }
        windows
    }

    /// Where a window's first bytes are told by.
    #[inline]
    fn head(&self, window: &[u8]) -> usize {
        let word = window.first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
        let hash = word.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        usize::try_from(hash).unwrap_or(0) & self.heads.len().wrapping_sub(1)
    }

    #[inline]
    fn may_hold(&self, window: &[u8]) -> bool {
        self.heads.get(self.head(window)) == Some(&true)
    }

    /// Where this window stands first.
    fn find(&self, window: &[u8]) -> Option<usize> {
        let place = *self.slots.get(self.slot(window))?;
        Some(index(place.checked_sub(1)?))
    }

    /// The slot that holds a window, or the empty one where it would be.
    fn slot(&self, window: &[u8]) -> usize {
        let mask = self.slots.len().wrapping_sub(1);
        let mut slot = self.hash(window) & mask;
        loop {
            match self.slots.get(slot) {
                Some(&place) if place != 0 => {
                    let at = index(place) - 1;
                    if self.text.get(at..at + LONG) == Some(window) {
                        return slot;
                    }
                }
                _ => return slot,
            }
            slot = (slot + 1) & mask;
        }
    }

    fn hash(&self, window: &[u8]) -> usize {
        let Ok(window) = Window::try_from(window) else { return 0 };
        let (words, _) = window.as_chunks::<8>();
        let mut hash = 0_u64;
        for (word, key) in words.iter().zip(self.keys) {
            let product = u128::from(hash ^ u64::from_le_bytes(*word) ^ key) * u128::from(key | 1);
            hash = u64::try_from((product ^ (product >> 64)) & u128::from(u64::MAX)).unwrap_or(0);
        }
        usize::try_from(hash & u64::from(u32::MAX)).unwrap_or(0)
    }
}

fn index(place: u32) -> usize {
    usize::try_from(place).unwrap_or(usize::MAX)
}

/// Which of these short texts stand in a material as whole words.
pub(super) fn short<'t>(texts: &[&'t [u8]], materials: &[Vec<u8>]) -> HashMap<&'t [u8], bool> {
    let mut found: HashMap<&[u8], bool> = texts.iter().map(|&text| (text, false)).collect();
    let texts: Vec<&[u8]> = found.keys().copied().collect();
    let Ok(finder) = AhoCorasick::new(&texts) else { return found };
    for material in materials {
        for one in finder.find_overlapping_iter(material) {
            if is_apart(material, one.start())
                && is_apart(material, one.end())
                && let Some(is_found) = texts.get(one.pattern().as_usize()).and_then(|text| found.get_mut(text))
            {
                *is_found = true;
            }
        }
    }
    found
}

/// Whether a word may begin or end here.
pub(super) fn is_apart(text: &[u8], at: usize) -> bool {
    let is_word = |at: Option<usize>| at.and_then(|at| text.get(at)).is_some_and(u8::is_ascii_alphanumeric);
    !(is_word(at.checked_sub(1)) && is_word(Some(at)))
}

#[cfg(test)]
mod tests {
    use super::{LONG, long, short};

    #[test]
    fn long_copies_are_found_to_the_byte() {
        let copy = b"the quick brown fox jumps over it";
        let reply = [b"xx ".as_slice(), copy, b" yy ", copy].concat();
        let material = [b"aaaa".as_slice(), copy, b"bbbb"].concat();
        let end = 3 + copy.len();
        assert_eq!(long(&reply, &[material]), [3..end, end + 4..reply.len()]);
        assert!(long(&reply, &[copy[..LONG - 1].to_vec()]).is_empty());
        assert!(long(&reply, &[copy[..20].to_vec(), copy[20..].to_vec()]).is_empty());
    }

    #[test]
    fn short_copies_are_whole_words() {
        let found = short(&[b"yes", b"[[a]]", b"no"], &[b"yesterday: [[a]]".to_vec(), b"no".to_vec()]);
        let has = |text: &[u8]| found.get(text).copied();
        assert_eq!([has(b"yes"), has(b"[[a]]"), has(b"no")], [Some(false), Some(true), Some(true)]);
    }
}
