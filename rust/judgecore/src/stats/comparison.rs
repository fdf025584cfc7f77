//! Two judges on the same items.

use statrs::distribution::{Binomial, ChiSquared, ContinuousCDF, Discrete, DiscreteCDF};

use super::bootstrap::{Pairs, keep};
use super::pair_statistic::{PairStatistic, ScoreStatistic};
use super::ratings::Ratings;
use super::record::record;
use super::resampling::Resampling;
use super::resampling::{Resampled, Units};
use super::statistic::{IntervalOutcome, Statistic, StatsError, Undefined, real};

/// How `McNemar`'s p is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum McNemarMethod {
    /// By the binomial distribution; holds for any number of items.
    #[default]
    Exact,
    /// As exact, with half of the probability of what was seen, which is less cautious.
    MidP,
    /// By the chi-squared distribution with Edwards' correction.
    ChiSquared,
}

impl McNemarMethod {
    /// The method that a name stands for.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "exact" => Self::Exact,
            "mid_p" => Self::MidP,
            "chi_squared" => Self::ChiSquared,
            _ => return None,
        })
    }
}

record! {
    /// Whether two judges are right equally often.
    #[derive(Clone, Debug, PartialEq)]
    pub struct McNemar {
        /// The number of items that both judged.
        pub num_items: usize,
        /// The number of items that only the first judged correctly.
        pub num_first_only: usize,
        /// The number of items that only the second judged correctly.
        pub num_second_only: usize,
        /// The probability of a difference as large, if there is none in truth; 1 where the two never differ.
        pub p_value: f64,
        /// The chi-squared statistic; undefined where they never differ, or by another method.
        pub statistic: Option<f64>,
    }
}

/// Whether two judges are right equally often, from the items that only one got right.
///
/// Values are 1 where a judge is right, 0 where it is wrong, NaN where it did not judge; such items are left out.
///
/// # Errors
///
/// If the two have different lengths, or a value is not 0, 1 or NaN.
///
/// # References
///
/// `McNemar` (1947), Note on the Sampling Error of the Difference Between Correlated Proportions; Edwards (1948) for the
/// correction; Fagerland et al. (2013) for mid-p.
pub fn mcnemar(first: &[f64], second: &[f64], method: McNemarMethod) -> Result<McNemar, StatsError> {
    if first.len() != second.len() {
        return Err(StatsError::Length { what: "second", got: second.len(), want: first.len() });
    }
    Ratings::new(first, 1, first.len())?.check_binary("first")?;
    Ratings::new(second, 1, second.len())?.check_binary("second")?;
    let pairs = first.iter().zip(second).filter(|(one, other)| !one.is_nan() && !other.is_nan());
    let num_items = pairs.clone().count();
    let num_first_only = pairs.clone().filter(|(one, other)| one > other).count();
    let num_second_only = pairs.filter(|(one, other)| one < other).count();
    let (p_value, statistic) = match (num_first_only + num_second_only, method) {
        (0, _) => (1.0, None),
        (differing, McNemarMethod::ChiSquared) => {
            let difference = (real(num_first_only.abs_diff(num_second_only)) - 1.0).max(0.0);
            let chi = difference * difference / real(differing);
            (ChiSquared::new(1.0).map_or(1.0, |law| law.sf(chi)), Some(chi))
        }
        (_, method) => (sign_test(num_first_only, num_second_only, method == McNemarMethod::MidP), None),
    };
    Ok(McNemar { num_items, num_first_only, num_second_only, p_value, statistic })
}

/// The two-sided probability that fair coins fall as unevenly; 1 of no coins.
pub(super) fn sign_test(heads: usize, tails: usize, is_mid: bool) -> f64 {
    let fewer = heads.min(tails) as u64;
    let Ok(law) = Binomial::new(0.5, (heads + tails) as u64) else { return 1.0 };
    let seen = if is_mid { law.pmf(fewer) / 2.0 } else { 0.0 };
    (2.0 * (law.cdf(fewer) - seen)).min(1.0)
}

record! {
    /// How much better one judge is than another.
    #[derive(Clone, Debug, PartialEq)]
    pub struct PairedBootstrap {
        /// The number of items that both judged.
        pub num_items: usize,
        /// The first judge's value.
        pub first: Statistic,
        /// The second judge's value.
        pub second: Statistic,
        /// The first judge's value minus the second's.
        pub difference: Statistic,
        /// The interval of the difference.
        pub interval: IntervalOutcome,
        /// Twice the share of resamples in which the difference has the other sign or none, at most 1.
        pub p_value: Statistic,
    }
}

/// How much better one judge is than another, where both judged the same items.
///
/// Without `human`, values are any numbers for each item, and means are compared. With it, `statistic` of human and
/// judge is. Items that miss a value are left out; items of one cluster are drawn together.
///
/// # Errors
///
/// If lengths differ, a statistic needs values of 0 or 1 and there are others, or a setting is outside its range.
///
/// # References
///
/// Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapters 13 and 16.
pub fn paired_bootstrap(
    first: &[f64],
    second: &[f64],
    against: Option<(&[f64], PairStatistic)>,
    clusters: Option<&[i64]>,
    resampling: &Resampling,
) -> Result<PairedBootstrap, StatsError> {
    resampling.check()?;
    let zeros = vec![0.0; first.len()];
    // The mean of values is their bias against nothing.
    let (human, statistic) = against.unwrap_or((&zeros, PairStatistic::Scores(ScoreStatistic::Bias)));
    for (what, side) in [("second", second), ("human", human)] {
        if side.len() != first.len() {
            return Err(StatsError::Length { what, got: side.len(), want: first.len() });
        }
    }
    if matches!(statistic, PairStatistic::Verdicts(_)) {
        for (what, side) in [("first", first), ("second", second), ("human", human)] {
            Ratings::new(side, 1, side.len())?.check_binary(what)?;
        }
    }
    let triples = || human.iter().zip(first).zip(second).map(|((gold, one), other)| (*gold, *one, *other));
    let is_kept = |(gold, one, other): (f64, f64, f64)| !(gold.is_nan() || one.is_nan() || other.is_nan());
    let flags: Vec<bool> = triples().map(is_kept).collect();
    let clusters = keep(clusters, flags.iter().copied())?;
    let (rows, distinct) = distinct_triples(triples().filter(|one| is_kept(*one)));
    let firsts: Vec<(f64, f64)> = distinct.iter().map(|(gold, one, _)| (*gold, *one)).collect();
    let seconds: Vec<(f64, f64)> = distinct.iter().map(|(gold, _, other)| (*gold, *other)).collect();
    let statistics = [statistic];
    let both = Both { first: Pairs::new(&firsts, &statistics), second: Pairs::new(&seconds, &statistics) };
    let units = Units::new(rows, distinct.len(), clusters.as_deref())?;
    let num_items = flags.iter().filter(|is_kept| **is_kept).count();
    if num_items == 0 {
        let none = Err(Undefined::NoItems);
        return Ok(PairedBootstrap {
            num_items,
            first: none.clone(),
            second: none.clone(),
            difference: none.clone(),
            interval: Err(Undefined::NoItems),
            p_value: none,
        });
    }
    let times = units.times();
    let [one, other] = [&both.first, &both.second].map(|side| side.statistic(0, &times));
    let difference = one.clone().and_then(|value| Ok(value - other.clone()?));
    let drawn: Vec<Option<f64>> =
        resampling.draw(&units, &both).into_iter().map(|values| values.first().copied().flatten()).collect();
    let interval = resampling.interval(drawn.iter().copied());
    let p_value = interval.clone().map(|_| {
        let defined = drawn.iter().flatten();
        let total = real(defined.clone().count());
        let (not_above, not_below) =
            (defined.clone().filter(|one| **one <= 0.0).count(), defined.filter(|one| **one >= 0.0).count());
        (2.0 * (real(not_above.min(not_below)) + 1.0) / (total + 1.0)).min(1.0)
    });
    Ok(PairedBootstrap { num_items, first: one, second: other, difference, interval, p_value })
}

/// The distinct triples, and the one of each item.
fn distinct_triples(triples: impl Iterator<Item = (f64, f64, f64)>) -> (Vec<usize>, Vec<(f64, f64, f64)>) {
    let mut sorted: Vec<((f64, f64, f64), usize)> = triples.zip(0..).collect();
    sorted.sort_unstable_by(|(one, _), (other, _)| {
        one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)).then(one.2.total_cmp(&other.2))
    });
    let mut rows = vec![0; sorted.len()];
    let mut distinct: Vec<(f64, f64, f64)> = Vec::new();
    for (triple, at) in sorted {
        if distinct.last() != Some(&triple) {
            distinct.push(triple);
        }
        if let Some(row) = rows.get_mut(at) {
            *row = distinct.len() - 1;
        }
    }
    (rows, distinct)
}

struct Both<'a> {
    first: Pairs<'a>,
    second: Pairs<'a>,
}

impl Resampled for Both<'_> {
    type Room = ();

    fn room(&self) {}

    fn values(&self, weights: &[f64], (): &mut ()) -> Vec<Option<f64>> {
        let value = |side: &Pairs<'_>| side.statistic(0, weights).ok();
        vec![value(&self.first).zip(value(&self.second)).map(|(one, other)| one - other)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_and_mid_p_follow_the_binomial() {
        // 8 against 2 of 10: 2 * (1 + 10 + 45) / 1024, and with half of the last term.
        let first: Vec<f64> = (0..12).map(|nth| f64::from(u8::from(!(8..10).contains(&nth)))).collect();
        let second: Vec<f64> = (0..12).map(|nth| f64::from(u8::from(nth >= 8))).collect();

        let exact = mcnemar(&first, &second, McNemarMethod::Exact).unwrap();
        let mid = mcnemar(&first, &second, McNemarMethod::MidP).unwrap();

        assert_eq!((12, 8, 2), (exact.num_items, exact.num_first_only, exact.num_second_only));
        assert!((exact.p_value - 112.0 / 1024.0).abs() < 1e-12);
        assert!((mid.p_value - 67.0 / 1024.0).abs() < 1e-12);
    }

    #[test]
    fn equal_judges_differ_by_nothing() {
        let values = [1.0, 0.0, 1.0, f64::NAN];
        let found = paired_bootstrap(&values, &values, None, None, &Resampling::default()).unwrap();

        assert_eq!((3, Ok(0.0), Ok(1.0)), (found.num_items, found.difference, found.p_value));
    }
}
