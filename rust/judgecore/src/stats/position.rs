//! Whether a judge's preference depends on the order of what it compares.

use super::comparison::sign_test;
use super::proportion::wilson;
use super::record::record;
use super::statistic::{IntervalOutcome, Statistic, StatsError, Undefined, real};

record! {
    /// The results of pairs that were shown in both orders.
    #[derive(Clone, Debug, PartialEq)]
    pub struct PositionBias {
        /// The number of pairs with a verdict in both orders.
        pub num_pairs: usize,
        /// Pairs of which the same response won, or that tied, in both orders.
        pub num_consistent: usize,
        /// Pairs that lean to what stands first.
        pub num_first: usize,
        /// Pairs that lean to what stands second.
        pub num_second: usize,
        /// Pairs that miss a verdict.
        pub num_missing: usize,
        /// The share of consistent pairs, from 0 to 1.
        pub consistency: Statistic,
        /// Its interval.
        pub consistency_interval: IntervalOutcome,
        /// The share that leans to the second less that which leans to the first: from -1, always the first, to 1, always
        /// the second; 0 is fair.
        pub preference_fairness: Statistic,
        /// The probability of so uneven leanings of a fair judge, by the sign test; 1 where no pair leans.
        pub p_value: Statistic,
    }
}

/// Whether a judge's preference depends on the order of what it compares.
///
/// A value is 1 where the response shown first won, 0 where the second did, 0.5 for a tie, NaN where there is no verdict:
/// in `original` for one order, in `swapped` for the other, pair by pair.
///
/// # Errors
///
/// If the two differ in length, a value is none of these, or the confidence is not between 0 and 1.
///
/// # References
///
/// Shi et al. (2024), Judging the Judges: A Systematic Study of Position Bias in LLM-as-a-Judge, arXiv 2406.07791.
pub fn position_bias(original: &[f64], swapped: &[f64], confidence: f64) -> Result<PositionBias, StatsError> {
    if original.len() != swapped.len() {
        return Err(StatsError::Length { what: "swapped", got: swapped.len(), want: original.len() });
    }
    for (what, values) in [("original", original), ("swapped", swapped)] {
        let wrong = |value: &f64| !(value.is_nan() || [0.0, 0.5, 1.0].contains(value));
        if let Some((at, value)) = values.iter().copied().enumerate().find(|(_, value)| wrong(value)) {
            let wanted = "1 for the first, 0 for the second, 0.5 for a tie, or NaN";
            return Err(StatsError::Value { what, at, value, wanted });
        }
    }
    // A fair judge's two values sum to 1, since the winner changes its place.
    let sums: Vec<f64> =
        original.iter().zip(swapped).map(|(one, other)| one + other).filter(|sum| !sum.is_nan()).collect();
    let num_pairs = sums.len();
    let num_first = sums.iter().filter(|sum| **sum > 1.0).count();
    let num_second = sums.iter().filter(|sum| **sum < 1.0).count();
    let num_consistent = num_pairs - num_first - num_second;
    let over = |value: f64| if num_pairs == 0 { Err(Undefined::NoItems) } else { Ok(value / real(num_pairs)) };
    Ok(PositionBias {
        num_pairs,
        num_consistent,
        num_first,
        num_second,
        num_missing: original.len() - num_pairs,
        consistency: over(real(num_consistent)),
        consistency_interval: wilson(num_consistent, num_pairs, confidence)?,
        preference_fairness: over(real(num_second) - real(num_first)),
        p_value: over(0.0).map(|_| sign_test(num_first, num_second, false)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_consistent_or_lean_to_a_place() {
        let original = [1.0, 0.0, 0.5, 1.0, 1.0, 0.5, 0.0, f64::NAN];
        let swapped = [0.0, 1.0, 0.5, 1.0, 0.5, 0.0, 0.0, 1.0];

        let found = position_bias(&original, &swapped, 0.95).unwrap();

        assert_eq!(
            (7, 3, 2, 2, 1),
            (found.num_pairs, found.num_consistent, found.num_first, found.num_second, found.num_missing)
        );
        assert_eq!((Ok(3.0 / 7.0), Ok(0.0), Ok(1.0)), (found.consistency, found.preference_fairness, found.p_value));
    }

    #[test]
    fn no_pairs_have_no_bias() {
        assert_eq!(Err(Undefined::NoItems), position_bias(&[], &[], 0.95).unwrap().consistency);
    }
}
