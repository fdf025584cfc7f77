//! Resampling with replacement. Equal seeds give equal resamples, on any machine and with any number of threads.
//!
//! Resamples are drawn in independent blocks of 64: block i uses stream i of `ChaCha8`, whose key is derived from the
//! seed. A resample is the number of occurrences of each distinct row. Items are drawn one by one, or, if few distinct
//! rows represent many items, as binomial numbers, which have the same distribution and are faster.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use rand_distr::{Binomial, Distribution};
use rayon::prelude::*;

use super::statistic::{Interval, IntervalOutcome, StatsError, Undefined, check_confidence, real};

/// The maximum number of resamples, which limits memory.
const MOST: usize = 10_000_000;

/// The number of resamples drawn from one stream.
const BLOCK: usize = 64;

/// The number of items that take as long to draw as one binomial number.
const ITEMS_FOR_A_BINOMIAL: usize = 32;

/// The settings of resampling.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resampling {
    /// The number of resamples.
    pub resamples: usize,
    /// The seed of the random numbers.
    pub seed: u64,
    /// The nominal coverage of intervals, between 0 and 1.
    pub confidence: f64,
}

impl Default for Resampling {
    fn default() -> Self {
        Self { resamples: 10_000, seed: 0, confidence: 0.95 }
    }
}

impl Resampling {
    /// Check the settings.
    pub(super) fn check(&self) -> Result<(), StatsError> {
        check_confidence(self.confidence)?;
        if !(2..=MOST).contains(&self.resamples) {
            let value = real(self.resamples);
            return Err(StatsError::Setting { what: "resamples", value, wanted: "from 2 to 10 million" });
        }
        Ok(())
    }

    /// Return the values of some statistics in each resample; None if undefined.
    pub(super) fn draw<S: Resampled>(&self, units: &Units, statistics: &S) -> Vec<Vec<Option<f64>>> {
        let key = ChaCha8Rng::seed_from_u64(self.seed);
        let mut drawn: Vec<Vec<Option<f64>>> = vec![Vec::new(); self.resamples];
        drawn.par_chunks_mut(BLOCK).enumerate().for_each_init(
            || (units.room(), statistics.room()),
            |(weights, room), (stream, block)| {
                let mut random = key.clone();
                random.set_stream(stream as u64);
                for values in block {
                    units.draw(&mut random, weights);
                    *values = statistics.values(weights, room);
                }
            },
        );
        drawn
    }

    /// Return the interval between the quantiles of one statistic's values.
    ///
    /// Resamples without a value are left out. If there are more of them than one tail of the interval, it is undefined.
    pub(super) fn interval(&self, values: impl Iterator<Item = Option<f64>>) -> IntervalOutcome {
        let mut defined: Vec<f64> = values.flatten().collect();
        let undefined = self.resamples.saturating_sub(defined.len());
        if real(undefined) > real(self.resamples) * (1.0 - self.confidence) / 2.0 {
            return Err(Undefined::Resamples { undefined, resamples: self.resamples });
        }
        let outside = (1.0 - self.confidence) / 2.0;
        let low = quantile(&mut defined, outside);
        let high = quantile(&mut defined, 1.0 - outside);
        match (low, high) {
            (Some(low), Some(high)) => Ok(Interval { low, high, confidence: self.confidence, method: "bootstrap" }),
            _ => Err(Undefined::Resamples { undefined, resamples: self.resamples }),
        }
    }
}

/// Statistics of weighted rows.
pub(super) trait Resampled: Sync {
    /// Reusable buffers of one computation.
    type Room: Send;

    /// Create the buffers.
    fn room(&self) -> Self::Room;

    /// Return each statistic's value; None if undefined.
    fn values(&self, weights: &[f64], room: &mut Self::Room) -> Vec<Option<f64>>;
}

/// The units of drawing.
pub(super) enum Units {
    /// Single items, each of which has one of the distinct rows.
    Items {
        /// The number of occurrences of each distinct row.
        times: Vec<usize>,
        /// The row of each item.
        rows: Vec<usize>,
    },
    /// Groups of items.
    Clusters {
        /// The rows of each group's items.
        members: Vec<Vec<usize>>,
        /// The number of distinct rows.
        n_rows: usize,
    },
}

impl Units {
    /// Draw single items, given the row of each.
    pub(super) fn items(rows: Vec<usize>, n_rows: usize) -> Self {
        let mut times = vec![0; n_rows];
        for row in &rows {
            if let Some(count) = times.get_mut(*row) {
                *count += 1;
            }
        }
        Self::Items { times, rows }
    }

    /// Draw groups of items, given the row and group of each item; single items without groups.
    ///
    /// # Errors
    ///
    /// If there is not one group for each item.
    pub(super) fn new(rows: Vec<usize>, n_rows: usize, clusters: Option<&[i64]>) -> Result<Self, StatsError> {
        let Some(clusters) = clusters else { return Ok(Self::items(rows, n_rows)) };
        if clusters.len() != rows.len() {
            return Err(StatsError::Length { what: "clusters", got: clusters.len(), want: rows.len() });
        }
        let mut groups = std::collections::BTreeMap::<i64, Vec<usize>>::new();
        for (cluster, row) in clusters.iter().zip(rows) {
            groups.entry(*cluster).or_default().push(row);
        }
        Ok(Self::Clusters { members: groups.into_values().collect(), n_rows })
    }

    /// Return the number of occurrences of each row.
    pub(super) fn times(&self) -> Vec<f64> {
        let mut times = self.room();
        let rows: Box<dyn Iterator<Item = &usize>> = match self {
            Self::Items { rows, .. } => Box::new(rows.iter()),
            Self::Clusters { members, .. } => Box::new(members.iter().flatten()),
        };
        for row in rows {
            if let Some(count) = times.get_mut(*row) {
                *count += 1.0;
            }
        }
        times
    }

    fn room(&self) -> Vec<f64> {
        match self {
            Self::Items { times, .. } => vec![0.0; times.len()],
            Self::Clusters { n_rows, .. } => vec![0.0; *n_rows],
        }
    }

    /// Draw as many units as there are, and count the rows.
    fn draw(&self, random: &mut ChaCha8Rng, weights: &mut [f64]) {
        match self {
            Self::Items { times, rows } if times.len() * ITEMS_FOR_A_BINOMIAL < rows.len() => {
                draw_counts(random, times, rows.len(), weights);
            }
            Self::Items { rows, .. } => {
                weights.fill(0.0);
                for _ in 0..rows.len() {
                    let drawn = rows.get(below(random, rows.len())).and_then(|row| weights.get_mut(*row));
                    if let Some(weight) = drawn {
                        *weight += 1.0;
                    }
                }
            }
            Self::Clusters { members, .. } => {
                weights.fill(0.0);
                for _ in 0..members.len() {
                    for row in members.get(below(random, members.len())).into_iter().flatten() {
                        if let Some(weight) = weights.get_mut(*row) {
                            *weight += 1.0;
                        }
                    }
                }
            }
        }
    }
}

/// Draw the count of each row, as a binomial number of the items that the rows before it left.
fn draw_counts(random: &mut ChaCha8Rng, times: &[usize], n_items: usize, weights: &mut [f64]) {
    let (mut to_draw, mut left) = (n_items as u64, n_items);
    for (weight, here) in weights.iter_mut().zip(times) {
        let drawn = if *here >= left {
            to_draw
        } else {
            Binomial::new(to_draw, real(*here) / real(left)).map_or(0, |binomial| binomial.sample(random))
        };
        *weight = real(usize::try_from(drawn).unwrap_or(usize::MAX));
        to_draw = to_draw.saturating_sub(drawn);
        left = left.saturating_sub(*here);
    }
}

/// Return a uniformly distributed number below a bound.
///
/// # References
///
/// Lemire (2019), Fast Random Integer Generation in an Interval.
pub(super) fn below(random: &mut ChaCha8Rng, bound: usize) -> usize {
    let bound = u32::try_from(bound).unwrap_or(u32::MAX).max(1);
    let mut product = u64::from(random.next_u32()) * u64::from(bound);
    if low_half(product) < bound {
        let threshold = bound.wrapping_neg() % bound;
        while low_half(product) < threshold {
            product = u64::from(random.next_u32()) * u64::from(bound);
        }
    }
    usize::try_from(product >> 32).unwrap_or_default()
}

/// Return the lower half of a product.
fn low_half(product: u64) -> u32 {
    u32::try_from(product & u64::from(u32::MAX)).unwrap_or_default()
}

/// Return a quantile, interpolated linearly between neighbours; None without values.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a length is an index")]
fn quantile(values: &mut [f64], share: f64) -> Option<f64> {
    let last = values.len().checked_sub(1)?;
    let place = share * real(last);
    let at = (place.floor() as usize).min(last);
    let (_, lower, above) = values.select_nth_unstable_by(at, f64::total_cmp);
    let lower = *lower;
    let upper = above.iter().copied().min_by(f64::total_cmp).unwrap_or(lower);
    Some(lower + (upper - lower) * (place - real(at)))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Weights;

    impl Resampled for Weights {
        type Room = ();

        fn room(&self) {}

        fn values(&self, weights: &[f64], (): &mut ()) -> Vec<Option<f64>> {
            weights.iter().copied().map(Some).collect()
        }
    }

    const SETTINGS: Resampling = Resampling { resamples: 2000, seed: 7, confidence: 0.95 };

    #[test]
    fn every_way_of_drawing_has_the_same_mean_and_spread() {
        let rows = |n: usize| (0..n).map(|nth| usize::from(nth * 10 >= n * 7)).collect::<Vec<_>>();
        let singly = Units::items(rows(60), 2);
        let counted = Units::items(rows(600), 2);
        let clustered = Units::new(rows(60), 2, Some(&(0..60).collect::<Vec<_>>())).unwrap();

        for (units, n) in [(singly, 60.0), (counted, 600.0), (clustered, 60.0)] {
            let drawn = SETTINGS.draw(&units, &Weights);
            let first: Vec<f64> = drawn.iter().map(|one| one[0].unwrap()).collect();
            assert!(drawn.iter().all(|one| (one[0].unwrap() + one[1].unwrap() - n).abs() < 1e-9));
            let mean = first.iter().sum::<f64>() / 2000.0;
            let variance = first.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / 2000.0;
            assert!((mean / n - 0.7).abs() < 0.01, "{mean}");
            assert!((variance / (n * 0.21) - 1.0).abs() < 0.1, "{variance}");
        }
    }

    #[test]
    fn resamples_do_not_depend_on_threads() {
        let units = Units::items((0..50).collect(), 50);
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| SETTINGS.draw(&units, &Weights))
        };

        assert_eq!(with(1), with(3));
    }

    #[test]
    fn the_first_resamples_of_a_seed_stay_what_they_are() {
        let mut random = ChaCha8Rng::seed_from_u64(0);
        random.set_stream(1);

        let drawn: Vec<usize> = (0..8).map(|_| below(&mut random, 1000)).collect();

        assert_eq!([784, 755, 434, 738, 946, 589, 78, 911], drawn.as_slice());
    }

    #[test]
    fn quantiles_lie_between_neighbours() {
        assert_eq!(Some(1.75), quantile(&mut [4.0, 1.0, 3.0, 2.0], 0.25));
        assert_eq!(Some(4.0), quantile(&mut [4.0, 1.0, 3.0, 2.0], 1.0));
        assert_eq!(None, quantile(&mut [], 0.5));
    }

    #[test]
    fn too_many_resamples_without_a_value_leave_no_interval() {
        let settings = Resampling { resamples: 100, ..SETTINGS };
        let values = |undefined: usize| (0..100).map(move |nth| (nth >= undefined).then_some(1.0));

        assert!(settings.interval(values(2)).is_ok());
        assert_eq!(Err(Undefined::Resamples { undefined: 3, resamples: 100 }), settings.interval(values(3)));
    }
}
