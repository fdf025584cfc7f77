//! Groups values into categories: values that are equal, or differ only by floating-point noise, are one category.

use super::ratings::Ratings;

/// The code of a missing rating.
pub(super) const MISSING: u32 = u32::MAX;

/// Up to this many distinct values are found with a small hash table, which is faster than sorting.
const FEW: usize = 32;

/// The size of that table, and the shift from a hash to a slot.
const SLOTS: usize = 64;
const SLOT_SHIFT: u32 = 58;

/// The maximum number of patterns to count, so that their table stays in the cache.
const MOST_PATTERNS: usize = 1 << 15;

/// The relative difference, to the largest value, below which values are one category.
const NOISE: f64 = 1e-10;

/// A value, and its number in the order of discovery.
type Found = (f64, u32);

/// Ratings as codes of categories, item by item.
#[derive(Debug)]
pub(super) struct Coded {
    /// A category for each item and rater, or [`MISSING`].
    codes: Vec<u32>,
    n_raters: usize,
    /// The categories' values, ascending.
    values: Vec<f64>,
}

impl Coded {
    /// Find the categories.
    pub(super) fn new(ratings: &Ratings<'_>) -> Self {
        let (codes, found) = few(ratings).unwrap_or_else(|| many(ratings));
        let (values, merged) = merge(&found);
        let mut codes = codes;
        for code in &mut codes {
            *code = merged.get(*code as usize).copied().unwrap_or(MISSING);
        }
        Self { codes, n_raters: ratings.n_raters(), values }
    }

    /// Iterate over the items: one code for each rater.
    pub(super) fn items(&self) -> std::slice::ChunksExact<'_, u32> {
        self.codes.chunks_exact(self.n_raters.max(1))
    }

    /// The categories' values, ascending.
    pub(super) fn values(&self) -> &[f64] {
        &self.values
    }
}

/// Return the codes of ratings with few distinct values, item by item; None if there are many.
fn few(ratings: &Ratings<'_>) -> Option<(Vec<u32>, Vec<Found>)> {
    let mut known = Known::new();
    let mut codes = vec![MISSING; ratings.values().len()];
    for (nth, row) in ratings.rows().enumerate() {
        let column = codes.iter_mut().skip(nth).step_by(ratings.n_raters());
        for (code, value) in column.zip(row) {
            *code = u32::from(known.mark(*value)?).wrapping_sub(1);
        }
    }
    Some((codes, known.sorted()))
}

/// A hash table of few values, by their bits.
struct Known {
    values: Vec<f64>,
    slots: [Slot; SLOTS],
}

/// A slot of the table: the bits of a value, and its mark; the mark 0 means empty.
#[derive(Clone, Copy, Default)]
struct Slot {
    bits: u64,
    mark: u8,
}

impl Known {
    fn new() -> Self {
        Self { values: Vec::with_capacity(FEW), slots: [Slot::default(); SLOTS] }
    }

    /// Return a value's number, from 1, or 0 for a missing value; None if there are too many values.
    #[inline]
    fn mark(&mut self, value: f64) -> Option<u8> {
        if value.is_nan() {
            return Some(0);
        }
        // Map -0 to 0.
        let bits = (value + 0.0).to_bits();
        let start = bits.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> SLOT_SHIFT;
        match self.slots.get(usize::try_from(start).ok()?) {
            Some(slot) if slot.bits == bits && slot.mark > 0 => Some(slot.mark),
            _ => self.seek(value, bits, usize::try_from(start).ok()?),
        }
    }

    /// Return the mark of a value that is new, or whose first slot is taken.
    #[cold]
    fn seek(&mut self, value: f64, bits: u64, start: usize) -> Option<u8> {
        let mark = u8::try_from(self.values.len() + 1).ok()?;
        for nth in 0..SLOTS {
            let slot = self.slots.get_mut((start + nth) % SLOTS)?;
            if slot.mark > 0 && slot.bits == bits {
                return Some(slot.mark);
            }
            if slot.mark == 0 {
                if self.values.len() == FEW {
                    return None;
                }
                *slot = Slot { bits, mark };
                self.values.push(value);
                return Some(mark);
            }
        }
        None
    }

    /// Return the values in ascending order, with their numbers from 0.
    fn sorted(&self) -> Vec<Found> {
        let mut found: Vec<Found> = self.values.iter().copied().zip(0..).collect();
        found.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
        found
    }
}

/// The distinct patterns of ratings by rater, and how often each occurs.
#[derive(Debug)]
pub(super) struct Tally {
    /// A category for each pattern and rater, or [`MISSING`].
    codes: Vec<u32>,
    n_raters: usize,
    times: Vec<f64>,
    values: Vec<f64>,
}

impl Tally {
    /// Count patterns if there can be far fewer than items; None if it is not worthwhile.
    pub(super) fn new(ratings: &Ratings<'_>) -> Option<Self> {
        let n_raters = ratings.n_raters();
        let mut known = Known::new();
        let mut marks = Vec::with_capacity(ratings.values().len());
        for value in ratings.values() {
            marks.push(known.mark(*value)?);
        }
        let base = known.values.len() + 1;
        let n_patterns = base.checked_pow(u32::try_from(n_raters).ok()?)?;
        if n_patterns > MOST_PATTERNS || n_patterns > ratings.n_items() {
            return None;
        }
        let scale = u32::try_from(base).ok()?;
        let mut keys = vec![0_u32; ratings.n_items()];
        for row in marks.chunks_exact(ratings.n_items()) {
            for (key, mark) in keys.iter_mut().zip(row) {
                *key = *key * scale + u32::from(*mark);
            }
        }
        let mut counts = vec![0_u32; n_patterns];
        for key in keys {
            if let Some(count) = counts.get_mut(key as usize) {
                *count += 1;
            }
        }
        let (values, merged) = merge(&known.sorted());
        let mut codes = Vec::new();
        let mut times = Vec::new();
        for (key, count) in counts.into_iter().enumerate().filter(|(_, count)| *count > 0) {
            times.push(f64::from(count));
            let mut rest = key;
            for _ in 0..n_raters {
                let code = (rest % base).checked_sub(1).and_then(|mark| merged.get(mark));
                codes.push(code.copied().unwrap_or(MISSING));
                rest /= base;
            }
        }
        Some(Self { codes, n_raters, times, values })
    }

    /// Iterate over the patterns and their counts.
    pub(super) fn items(&self) -> impl Iterator<Item = (&[u32], f64)> + Clone {
        self.codes.chunks_exact(self.n_raters.max(1)).zip(self.times.iter().copied())
    }

    /// The categories' values, ascending.
    pub(super) fn values(&self) -> &[f64] {
        &self.values
    }
}

/// Return the codes of ratings with many distinct values.
fn many(ratings: &Ratings<'_>) -> (Vec<u32>, Vec<Found>) {
    let by_item = ratings.by_item();
    let mut places: Vec<(f64, usize)> =
        by_item.iter().enumerate().filter(|(_, value)| !value.is_nan()).map(|(at, value)| (*value, at)).collect();
    places.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
    let mut codes = vec![MISSING; by_item.len()];
    let mut found: Vec<Found> = Vec::new();
    for (value, at) in places {
        if found.last().is_none_or(|last| last.0 != value) {
            found.push((value, number(found.len())));
        }
        if let Some(code) = codes.get_mut(at) {
            *code = number(found.len() - 1);
        }
    }
    (codes, found)
}

/// Merge categories that differ only by noise. Return their values, and the new code of each old one.
fn merge(found: &[Found]) -> (Vec<f64>, Vec<u32>) {
    let largest = found.iter().fold(0.0_f64, |largest, (value, _)| largest.max(value.abs()));
    let mut values: Vec<f64> = Vec::with_capacity(found.len());
    let mut merged = vec![MISSING; found.len()];
    for (value, code) in found {
        if values.last().is_none_or(|last| value - last > NOISE * largest) {
            values.push(*value);
        }
        if let Some(new) = merged.get_mut(*code as usize) {
            *new = number(values.len() - 1);
        }
    }
    (values, merged)
}

/// Convert an index to a code; more than 2^32 categories do not fit into memory.
fn number(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(MISSING - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes_of(values: &[f64]) -> (Vec<u32>, Vec<f64>) {
        let coded = Coded::new(&Ratings::new(values, 1, values.len()).unwrap());
        (coded.items().flatten().copied().collect(), coded.values().to_vec())
    }

    #[test]
    fn noise_makes_no_category() {
        let (codes, values) = codes_of(&[0.3, 0.1 + 0.2, f64::NAN, -0.0, 0.0, 0.300_001]);

        assert_eq!(vec![1, 1, MISSING, 0, 0, 2], codes);
        assert_eq!(3, values.len());
    }

    #[test]
    fn many_values_have_the_codes_of_few() {
        let few: Vec<f64> = (0..20).map(|nth| f64::from(nth % 7)).collect();
        let many: Vec<f64> = few.iter().copied().chain((0..100).map(|nth| 100.0 + f64::from(nth))).collect();

        assert_eq!(codes_of(&few).0, codes_of(&many).0[..20]);
    }

    #[test]
    fn patterns_stand_for_their_items() {
        let values: Vec<f64> = (0..200).map(|nth| if nth % 7 == 0 { f64::NAN } else { f64::from(nth % 3) }).collect();
        let ratings = Ratings::new(&values, 2, 100).unwrap();
        let mut singly: Vec<Vec<u32>> = Coded::new(&ratings).items().map(<[u32]>::to_vec).collect();

        let tally = Tally::new(&ratings).unwrap();

        let mut counted: Vec<Vec<u32>> = Vec::new();
        for (item, times) in tally.items() {
            // Patterns list the raters from last to first.
            let item: Vec<u32> = item.iter().rev().copied().collect();
            counted.extend((0..100).take_while(|nth| f64::from(*nth) < times).map(|_| item.clone()));
        }
        singly.sort_unstable();
        counted.sort_unstable();
        assert_eq!(singly, counted);
    }
}
