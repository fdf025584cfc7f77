//! Words and phrases that are found by their characters, wherever they begin.

use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::word::has;

/// A character of words, behind those of the nodes above it.
#[derive(Debug, Clone, Copy, FromBytes, Immutable, IntoBytes)]
#[repr(C)]
pub(crate) struct Node {
    /// Its number in Unicode.
    pub(crate) c: u32,
    /// The characters that may follow: a range of the nodes, in order.
    pub(crate) start: u16,
    pub(crate) end: u16,
    /// What the word is that ends here, and zero if none does.
    pub(crate) value: u16,
    pub(crate) unused: u16,
}

/// How many numbers of 64 bits tell which characters words begin with, and the same for pairs of them: 8 kB.
pub(crate) const FIRSTS: usize = 1024;

/// The number, and the bit of it, that stand for a first character; those beyond U+FFFF, which none is, share one.
#[inline]
pub(crate) fn first_place(c: char) -> (usize, u64) {
    let place = u32::from(c.to_ascii_lowercase()).min(0xffff);
    ((place >> 6) as usize, 1 << (place & 63))
}

/// The same for the first two characters of a word, of which the second is [`ALONE`] where there is one.
#[inline]
pub(crate) fn pair_place(first: char, second: char) -> (usize, u64) {
    let [first, second] = [first, second].map(|c| u32::from(c.to_ascii_lowercase()));
    let place = first.wrapping_mul(0x9e37_79b1).wrapping_add(second).wrapping_mul(0x85eb_ca77) >> 16;
    ((place >> 6) as usize, 1 << (place & 63))
}

/// Stands for the second character of a word that has one.
pub(crate) const ALONE: char = '\0';

/// A list of words in small letters, which the build has made.
#[derive(Debug)]
pub(crate) struct Trie {
    pub(crate) nodes: &'static [Node],
    /// The first characters are the first nodes, in order: how many there are before each number of `firsts`.
    pub(crate) ranks: &'static [u16; FIRSTS],
    pub(crate) firsts: &'static [u64; FIRSTS],
    pub(crate) pairs: &'static [u64; FIRSTS],
}

impl Trie {
    /// Whether a word may begin with a character.
    #[inline]
    pub(crate) fn may_begin(&self, c: char) -> bool {
        has(self.firsts, first_place(c))
    }

    /// The same with the character behind it, which rules out most of what is no word.
    #[inline]
    pub(crate) fn may_begin_with(&self, first: char, second: char) -> bool {
        let may_follow = |second: char| has(self.pairs, pair_place(first, second));
        self.may_begin(first) && (may_follow(second) || may_follow(ALONE))
    }

    /// The node of a first character.
    #[inline]
    fn first(&self, c: char) -> Option<&'static Node> {
        let (at, bit) = first_place(c);
        let bits = self.firsts.get(at).filter(|&&bits| bits & bit != 0)?;
        let before = (bits & (bit - 1)).count_ones() as usize;
        self.nodes.get(usize::from(*self.ranks.get(at)?) + before)
    }

    /// The words that a text begins with, shortest first: how long each is, in bytes, and its value. Only the case of
    /// ASCII letters is ignored. The text is read no further than the longest word.
    #[inline]
    pub(crate) fn words<'s>(&self, text: &'s str) -> impl Iterator<Item = (usize, u16)> + use<'s> {
        let nodes = self.nodes;
        let mut letters = text.chars();
        let first = letters.next().and_then(|c| Some((c.len_utf8(), self.first(c)?)));
        let longer = std::iter::successors(first, move |&(length, node)| {
            let among = nodes.get(usize::from(node.start)..usize::from(node.end)).filter(|among| !among.is_empty())?;
            let c = letters.next()?;
            let nth = among.binary_search_by_key(&u32::from(c.to_ascii_lowercase()), |node| node.c).ok()?;
            Some((length + c.len_utf8(), among.get(nth)?))
        });
        longer.map(|(length, node)| (length, node.value)).filter(|&(_, value)| value != 0)
    }

    /// All words.
    #[cfg(test)]
    pub(crate) fn all(&self) -> Vec<String> {
        let roots = self.firsts.iter().filter_map(|bits| u16::try_from(bits.count_ones()).ok()).sum();
        let mut heads = vec![(String::new(), 0..roots)];
        let mut found = Vec::new();
        while let Some((head, range)) = heads.pop() {
            for node in &self.nodes[usize::from(range.start)..usize::from(range.end)] {
                let word = format!("{head}{}", char::from_u32(node.c).unwrap());
                found.extend((node.value != 0).then(|| word.clone()));
                heads.push((word, node.start..node.end));
            }
        }
        found
    }
}
