//! What was found for texts before: judges and guards give the same few answers again and again.

/// After so many looks it is seen whether one in sixteen found something.
const WINDOW: u32 = 1024;
const WORTH_IT: u32 = WINDOW / 16;
/// Where looking did not pay, one text in so many is still looked for, always the same ones, so that it is seen when
/// it would pay; and after so many others that were not, each is looked for again for a while.
const SAMPLED: u64 = 8;
const PAUSE: u32 = 16 * WINDOW;
/// An entry has so many places, so that a look takes the same time whatever the texts are.
const WAYS: usize = 4;
const FEWEST: usize = 64 * WAYS;
/// So many that columns of some ten thousand different texts are known, in five megabytes where values are numbers.
pub(crate) const MANY: usize = 1 << 16;
/// Spreads bits: the golden ratio's.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// Entries by the hash of what they are for; newer ones displace older ones.
pub(crate) struct Memo<E> {
    /// Apart from the entries, so that a look reads little; zero where there is none.
    hashes: Vec<[u64; WAYS]>,
    entries: Vec<[Option<E>; WAYS]>,
    most: usize,
    kept: usize,
    looks: u32,
    found: u32,
    passed: u32,
    is_sampling: bool,
}

impl<E> Memo<E> {
    /// A memo of at most so many entries, a power of two.
    pub(crate) fn new(most: usize) -> Self {
        let (hashes, entries) = (Vec::new(), Vec::new());
        Self { hashes, entries, most, kept: 0, looks: 0, found: 0, passed: 0, is_sampling: false }
    }

    /// Whether what has this hash is worth a look now.
    #[inline]
    pub(crate) fn is_worth(&mut self, hash: u64) -> bool {
        if self.looks == WINDOW || self.passed == PAUSE {
            self.is_sampling = self.passed < PAUSE && self.found < WORTH_IT;
            (self.looks, self.found, self.passed) = (0, 0, 0);
        }
        // The sample is of other bits than the place.
        let is_worth = !self.is_sampling || (hash >> 32).is_multiple_of(SAMPLED);
        self.looks += u32::from(is_worth);
        self.passed += u32::from(!is_worth);
        is_worth
    }

    /// The entry that is the one looked for.
    #[inline]
    pub(crate) fn find(&mut self, hash: u64, is_it: impl Fn(&E) -> bool) -> Option<&E> {
        let hash = hash | 1;
        let place = place(hash, self.hashes.len());
        let (hashes, entries) = (self.hashes.get(place)?, self.entries.get(place)?);
        let known =
            hashes.iter().zip(entries).find(|&(known, entry)| *known == hash && entry.as_ref().is_some_and(&is_it));
        self.found += u32::from(known.is_some());
        known?.1.as_ref()
    }

    /// Keep an entry that was not found.
    pub(crate) fn keep(&mut self, hash: u64, entry: E) {
        let most = if self.is_sampling { self.most / 8 } else { self.most };
        if self.kept >= self.hashes.len() * WAYS && self.hashes.len() * WAYS < most {
            self.grow();
        }
        self.kept += 1;
        self.put(hash | 1, entry);
    }

    fn grow(&mut self) {
        let count = if self.hashes.is_empty() { FEWEST / WAYS } else { self.hashes.len() * 4 };
        let hashes = std::mem::replace(&mut self.hashes, vec![[0; WAYS]; count]);
        let entries = std::mem::take(&mut self.entries);
        self.entries.resize_with(count, || [const { None }; WAYS]);
        self.kept = 0;
        for (hash, entry) in hashes.into_iter().flatten().zip(entries.into_iter().flatten()) {
            if let Some(entry) = entry {
                self.put(hash, entry);
            }
        }
    }

    /// Put an entry into a free way of its place, or in the stead of another.
    fn put(&mut self, hash: u64, entry: E) {
        let place = place(hash, self.hashes.len());
        let (Some(hashes), Some(entries)) = (self.hashes.get_mut(place), self.entries.get_mut(place)) else { return };
        let way = hashes.iter().position(|&known| known == 0).unwrap_or(self.kept % WAYS);
        if let (Some(known), Some(kept)) = (hashes.get_mut(way), entries.get_mut(way)) {
            (*known, *kept) = (hash, Some(entry));
        }
    }
}

/// The place of a hash among so many, a power of two.
#[inline]
fn place(hash: u64, count: usize) -> usize {
    usize::try_from(hash >> 1).unwrap_or_default() & count.saturating_sub(1)
}

/// The hash of a text: of all of a short one, and of pieces of a longer one.
#[inline]
pub(crate) fn hash_of(text: &str) -> u64 {
    const WHOLE: usize = 256;
    const PIECE: usize = 64;
    let bytes = text.as_bytes();
    let length = u64::try_from(bytes.len()).unwrap_or_default();
    let (Some(last), true) = (bytes.last_chunk::<16>(), bytes.len() > 16) else {
        return short(bytes, length);
    };
    if let (Some(first), true) = (bytes.first_chunk::<16>(), bytes.len() <= 48) {
        // The middle one reaches both.
        let middle = bytes.get(bytes.len() / 2 - 8..).and_then(<[u8]>::first_chunk::<16>).unwrap_or(last);
        return mixed(length, *first) ^ mixed(length ^ SPREAD, *middle) ^ mixed(!length, *last);
    }
    // Blocks don't wait for each other; each has a seed of its own, so that their order counts.
    let blocks = |part: &[u8], seed: u64| {
        let seeds = (1_u64..).map(|nth| seed ^ nth.wrapping_mul(SPREAD));
        part.as_chunks::<16>().0.iter().zip(seeds).fold(0, |so_far, (&next, seed)| so_far ^ mixed(seed, next))
    };
    let all = if bytes.len() <= WHOLE {
        blocks(bytes, length)
    } else {
        let starts = [0, bytes.len() / 2 - PIECE, bytes.len() - PIECE];
        let pieces = starts.iter().filter_map(|&start| bytes.get(start..start + PIECE));
        pieces.fold(length, |so_far, piece| blocks(piece, so_far))
    };
    all ^ mixed(length, *last)
}

/// The hash of at most sixteen bytes.
fn short(bytes: &[u8], length: u64) -> u64 {
    let words = match (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        (Some(first), Some(last)) => {
            u128::from(u64::from_le_bytes(*first)) << 64 | u128::from(u64::from_le_bytes(*last))
        }
        _ => bytes.iter().fold(0_u128, |words, &byte| words << 8 | u128::from(byte)),
    };
    mixed(length, words.to_le_bytes())
}

#[inline]
fn mixed(seed: u64, bytes: [u8; 16]) -> u64 {
    let words = u128::from_le_bytes(bytes);
    folded(low(words) ^ seed ^ SPREAD, low(words >> 64) ^ SPREAD.rotate_left(32))
}

/// Both halves of the product.
#[inline]
fn folded(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    low(product) ^ low(product >> 64)
}

#[inline]
fn low(word: u128) -> u64 {
    u64::try_from(word & u128::from(u64::MAX)).unwrap_or_default()
}
