//! Shares and their intervals.

use super::statistic::{Interval, IntervalOutcome, StatsError, Undefined, check_confidence, critical, real};

/// Compute Wilson's confidence interval of a share of successes.
///
/// It is inside [0, 1], and has a positive width also if all or none succeed. It is undefined without trials.
///
/// # Errors
///
/// If there are more successes than trials, or the confidence is not between 0 and 1.
///
/// # References
///
/// Wilson (1927), Probable Inference, the Law of Succession, and Statistical Inference.
pub fn wilson(successes: usize, trials: usize, confidence: f64) -> Result<IntervalOutcome, StatsError> {
    check_confidence(confidence)?;
    if successes > trials {
        return Err(StatsError::Setting {
            what: "successes",
            value: real(successes),
            wanted: "at most the number of trials",
        });
    }
    if trials == 0 {
        return Ok(Err(Undefined::NoItems));
    }
    let (n, z) = (real(trials), critical(confidence));
    let share = real(successes) / n;
    let middle = share + z * z / (2.0 * n);
    let reach = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z * z / n;
    // With no or only successes, one end is exactly 0 or 1, which rounding would miss.
    let low = if successes == 0 { 0.0 } else { (middle - reach) / scale };
    let high = if successes == trials { 1.0 } else { (middle + reach) / scale };
    Ok(Ok(Interval { low, high, confidence, method: "wilson" }.within(0.0, 1.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilson_has_width_at_the_ends() {
        let none = wilson(0, 10, 0.95).unwrap().unwrap();
        let all = wilson(10, 10, 0.95).unwrap().unwrap();

        assert!(none.low == 0.0 && (none.high - 0.277_532_8).abs() < 1e-6);
        assert!(all.high == 1.0 && (all.low - 0.722_467_2).abs() < 1e-6);
    }

    #[test]
    fn wilson_of_nothing_is_undefined() {
        assert_eq!(Err(Undefined::NoItems), wilson(0, 0, 0.95).unwrap());
        assert!(wilson(2, 1, 0.95).is_err());
        assert!(wilson(1, 2, 1.0).is_err());
    }
}
