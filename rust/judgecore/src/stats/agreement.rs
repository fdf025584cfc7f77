//! Krippendorff's alpha.

use super::category::{Coded, MISSING, Tally};
use super::ratings::Ratings;
use super::statistic::{Statistic, StatsError, Undefined, real};

/// For items with more ratings than this, equal pairs are counted by sorting.
const FEW: usize = 24;

/// The distance between two unequal ratings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Level {
    /// The same for all unequal ratings.
    #[default]
    Nominal,
    /// The number of ratings between them.
    Ordinal,
    /// Their difference.
    Interval,
    /// Their difference divided by their sum.
    Ratio,
}

impl Level {
    /// Return the level with a name.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "nominal" => Self::Nominal,
            "ordinal" => Self::Ordinal,
            "interval" => Self::Interval,
            "ratio" => Self::Ratio,
            _ => return None,
        })
    }
}

/// Compute the chance-corrected agreement of many raters: at most 1, where 1 is full agreement and 0 is chance.
///
/// It is 1 if all ratings are equal, and undefined if no item has two. Time and memory are linear in the number of
/// ratings; at the ratio level, time also grows with the square of the number of categories.
///
/// # Errors
///
/// If ratings are negative at the ratio level.
///
/// # References
///
/// Krippendorff (2011), Computing Krippendorff's Alpha-Reliability.
pub fn krippendorff_alpha(ratings: &Ratings<'_>, level: Level) -> Result<Statistic, StatsError> {
    check_level(ratings, level)?;
    if let Some(tally) = Tally::new(ratings) {
        return Ok(alpha(tally.items(), tally.values(), level, &mut Scratch::default()));
    }
    let coded = Coded::new(ratings);
    Ok(alpha(coded.items().map(|item| (item, 1.0)), coded.values(), level, &mut Scratch::default()))
}

/// Reject ratings that have no distance at a level.
pub(super) fn check_level(ratings: &Ratings<'_>, level: Level) -> Result<(), StatsError> {
    if level == Level::Ratio
        && let Some(at) = ratings.values().iter().position(|value| *value < 0.0)
    {
        let value = ratings.values().get(at).copied().unwrap_or_default();
        let at = at % ratings.n_items();
        return Err(StatsError::Value { what: "ratings", at, value, wanted: "at least 0 at the ratio level" });
    }
    Ok(())
}

/// Reusable buffers of one computation.
#[derive(Default)]
pub(super) struct Scratch {
    counts: Vec<f64>,
    positions: Vec<f64>,
    sorted: Vec<u32>,
}

/// Compute alpha of weighted items, given as codes of categories with ascending values.
pub(super) fn alpha<'a>(
    items: impl Iterator<Item = (&'a [u32], f64)> + Clone,
    values: &[f64],
    level: Level,
    scratch: &mut Scratch,
) -> Statistic {
    let Scratch { counts, positions, sorted } = scratch;
    counts.clear();
    counts.resize(values.len(), 0.0);
    for (item, times) in items.clone() {
        if ratings_in(item) >= 2 {
            for code in item {
                if let Some(count) = counts.get_mut(*code as usize) {
                    *count += times;
                }
            }
        }
    }
    let total: f64 = counts.iter().sum();
    if total == 0.0 {
        return Err(Undefined::NoPairs);
    }
    if counts.iter().filter(|count| **count > 0.0).count() == 1 {
        return Ok(1.0);
    }
    place(values, counts, total, level, positions);
    let expected = match level {
        Level::Nominal => total * total - counts.iter().map(|count| count * count).sum::<f64>(),
        Level::Ordinal | Level::Interval => {
            let moments = counts
                .iter()
                .zip(&*positions)
                .fold((0.0, 0.0), |(first, second), (count, at)| (first + count * at, second + count * at * at));
            2.0 * (total * moments.1 - moments.0 * moments.0)
        }
        Level::Ratio => expected_ratio(counts, positions),
    };
    let observed: f64 = items
        .filter_map(|(item, times)| {
            let n_ratings = ratings_in(item);
            let within = match level {
                _ if n_ratings < 2 || times == 0.0 => return None,
                Level::Nominal => unequal_pairs(item, n_ratings, sorted),
                Level::Ordinal | Level::Interval => squared_distances(item, positions),
                Level::Ratio => ratio_distances(item, positions),
            };
            Some(times * within / real(n_ratings - 1))
        })
        .sum();
    Ok(1.0 - (total - 1.0) * observed / expected)
}

/// Return the number of an item's ratings.
fn ratings_in(item: &[u32]) -> usize {
    item.iter().filter(|code| **code != MISSING).count()
}

/// Compute positions of the categories whose squared differences are proportional to the distances of ratings.
fn place(values: &[f64], counts: &[f64], total: f64, level: Level, positions: &mut Vec<f64>) {
    positions.clear();
    match level {
        // Twice the mid-rank minus its mean: integers, so that equal ratings have a distance of exactly 0.
        Level::Ordinal => positions.extend(counts.iter().scan(0.0, |below, count| {
            let position = 2.0 * *below + count - total;
            *below += count;
            Some(position)
        })),
        Level::Interval => {
            let mean = values.iter().zip(counts).map(|(value, count)| value * count).sum::<f64>() / total;
            positions.extend(values.iter().map(|value| value - mean));
        }
        Level::Nominal | Level::Ratio => positions.extend(values),
    }
}

/// Return twice the sum of distances between all pairs of ratings, at the ratio level.
fn expected_ratio(counts: &[f64], values: &[f64]) -> f64 {
    let used: Vec<(f64, f64)> =
        counts.iter().copied().zip(values.iter().copied()).filter(|(count, _)| *count > 0.0).collect();
    let pairs = used.iter().enumerate().map(|(nth, (count, value))| {
        let above = used.iter().skip(nth + 1);
        count * above.map(|(other_count, other)| other_count * ratio_distance(*value, *other)).sum::<f64>()
    });
    2.0 * pairs.sum::<f64>()
}

/// Return the squared distance of two ratings at the ratio level; 0 for two zeros.
fn ratio_distance(one: f64, other: f64) -> f64 {
    let sum = one + other;
    if sum == 0.0 {
        return 0.0;
    }
    let share = (one - other) / sum;
    share * share
}

/// Return twice the number of an item's unequal pairs.
fn unequal_pairs(item: &[u32], n_ratings: usize, sorted: &mut Vec<u32>) -> f64 {
    if n_ratings <= FEW {
        let given = item.iter().filter(|code| **code != MISSING);
        let unequal = given
            .clone()
            .enumerate()
            .map(|(nth, code)| given.clone().skip(nth + 1).filter(|other| *other != code).count());
        return 2.0 * real(unequal.sum());
    }
    sorted.clear();
    sorted.extend(item.iter().filter(|code| **code != MISSING));
    sorted.sort_unstable();
    let equal: usize = sorted.chunk_by(|one, other| one == other).map(|run| run.len() * run.len()).sum();
    real(n_ratings * n_ratings) - real(equal)
}

/// Return twice the sum of squared differences between an item's pairs.
fn squared_distances(item: &[u32], positions: &[f64]) -> f64 {
    let mut first = None;
    let (mut number, mut sum, mut squares) = (0.0, 0.0, 0.0);
    for code in item {
        // The code of a missing rating is beyond all positions.
        let Some(position) = positions.get(*code as usize) else { continue };
        // Relative to the first rating, so that equal ratings have a distance of exactly 0.
        let distance = position - *first.get_or_insert(*position);
        number += 1.0;
        sum += distance;
        squares += distance * distance;
    }
    2.0 * (number * squares - sum * sum)
}

/// Return twice the sum of distances between an item's pairs, at the ratio level.
fn ratio_distances(item: &[u32], values: &[f64]) -> f64 {
    let given = item.iter().filter_map(|code| values.get(*code as usize));
    let pairs = given
        .clone()
        .enumerate()
        .map(|(nth, one)| given.clone().skip(nth + 1).map(|other| ratio_distance(*one, *other)).sum::<f64>());
    2.0 * pairs.sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAN: f64 = f64::NAN;

    /// Krippendorff (2011), the data of section C.
    const TEXTBOOK: [f64; 48] = [
        1.0, 2.0, 3.0, 3.0, 2.0, 1.0, 4.0, 1.0, 2.0, NAN, NAN, NAN, //
        1.0, 2.0, 3.0, 3.0, 2.0, 2.0, 4.0, 1.0, 2.0, 5.0, NAN, 3.0, //
        NAN, 3.0, 3.0, 3.0, 2.0, 3.0, 4.0, 2.0, 2.0, 5.0, 1.0, NAN, //
        1.0, 2.0, 3.0, 3.0, 2.0, 4.0, 4.0, 1.0, 2.0, 5.0, 1.0, NAN,
    ];

    #[test]
    fn textbook_values_hold_at_every_level() {
        let ratings = Ratings::new(&TEXTBOOK, 4, 12).unwrap();

        for (level, want) in
            [(Level::Nominal, 0.743), (Level::Ordinal, 0.815), (Level::Interval, 0.849), (Level::Ratio, 0.797)]
        {
            let got = krippendorff_alpha(&ratings, level).unwrap().unwrap();
            assert!((got - want).abs() < 5e-4, "{level:?}: {got}");
        }
    }

    #[test]
    fn a_pair_is_needed() {
        let ratings = Ratings::new(&[1.0, NAN, NAN, 2.0], 2, 2).unwrap();

        assert_eq!(Err(Undefined::NoPairs), krippendorff_alpha(&ratings, Level::Ordinal).unwrap());
    }

    #[test]
    fn many_raters_are_counted_like_few() {
        let few: Vec<f64> = (0..20).map(|nth| f64::from(nth % 3)).collect();
        let many: Vec<f64> = (0..40).map(|nth| f64::from(nth % 3)).collect();
        let alpha = |values: &[f64]| {
            krippendorff_alpha(&Ratings::new(values, values.len() / 2, 2).unwrap(), Level::Nominal).unwrap().unwrap()
        };
        let counted = |values: &[f64]| {
            let pairs: Vec<(f64, f64)> = values.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
            let mut within = 0.0;
            for column in
                [pairs.iter().map(|pair| pair.0).collect::<Vec<_>>(), pairs.iter().map(|pair| pair.1).collect()]
            {
                for one in &column {
                    within += real(column.iter().filter(|other| *other != one).count()) / real(column.len() - 1);
                }
            }
            let expected: usize = values.iter().map(|one| values.iter().filter(|other| *other != one).count()).sum();
            1.0 - (real(values.len()) - 1.0) * within / real(expected)
        };

        assert!((alpha(&few) - counted(&few)).abs() < 1e-12);
        assert!((alpha(&many) - counted(&many)).abs() < 1e-12);
    }

    #[test]
    fn negative_ratings_have_no_ratio() {
        let ratings = Ratings::new(&[1.0, -2.0], 2, 1).unwrap();

        assert!(krippendorff_alpha(&ratings, Level::Ratio).is_err());
        assert!(krippendorff_alpha(&ratings, Level::Interval).is_ok());
    }
}
