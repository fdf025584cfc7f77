//! Errors of scores against human scores, and their correlation.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::statistic::{Interval, IntervalOutcome, Statistic, StatsError, Undefined, check_confidence, critical, real};

/// The relative difference below which values are equal.
const NOTHING: f64 = 1e-10;

/// Differences between a model's scores and human scores.
#[derive(Clone, Debug, PartialEq)]
pub struct Differences(Vec<f64>);

impl Differences {
    /// Create the differences of pairs of gold and model scores.
    pub fn new(pairs: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let difference = |(gold, model): (f64, f64)| model - gold;
        Self(pairs.into_iter().map(difference).map(|one| if one.abs() < NOTHING { 0.0 } else { one }).collect())
    }

    /// Return the number of differences.
    pub fn n_items(&self) -> usize {
        self.0.len()
    }

    /// Return the differences, model minus gold.
    pub fn values(&self) -> &[f64] {
        &self.0
    }

    /// Return the mean difference: how much higher the model scores than people.
    pub fn bias(&self) -> Statistic {
        mean(self.0.iter().copied(), self.0.len())
    }

    /// Return the mean absolute difference.
    pub fn mean_absolute_error(&self) -> Statistic {
        mean(self.0.iter().map(|one| one.abs()), self.0.len())
    }

    /// Return the standard error of the mean absolute difference.
    pub fn mae_standard_error(&self) -> Statistic {
        let middle = self.mean_absolute_error()?;
        let variance = mean(self.0.iter().map(|one| (one.abs() - middle).powi(2)), self.0.len())?;
        Ok((variance / real(self.0.len())).sqrt())
    }

    /// Return the root of the mean squared difference.
    pub fn root_mean_squared_error(&self) -> Statistic {
        Ok(mean(self.0.iter().map(|one| one * one), self.0.len())?.sqrt())
    }

    /// Return the standard deviation, with n - 1 in the denominator.
    pub fn standard_deviation(&self) -> Statistic {
        let middle = self.bias()?;
        if self.0.len() < 2 {
            return Err(Undefined::OneItem);
        }
        let squares: f64 = self.0.iter().map(|one| (one - middle).powi(2)).sum();
        Ok((squares / real(self.0.len() - 1)).sqrt())
    }

    /// Return Student's t for the hypothesis that the mean is 0, and its two-sided p; (0, 1) if all are 0.
    ///
    /// # Errors
    ///
    /// If there are fewer than two, or all are equal and not 0.
    pub fn t_test(&self) -> Result<(f64, f64), Undefined> {
        if self.0.is_empty() {
            return Err(Undefined::NoItems);
        }
        if self.0.iter().all(|one| *one == 0.0) {
            return Ok((0.0, 1.0));
        }
        let deviation = self.standard_deviation()?;
        if self.is_equal() {
            return Err(Undefined::EqualDifferences);
        }
        let t = self.bias()? / (deviation / real(self.0.len()).sqrt());
        let student = self.student().ok_or(Undefined::OneItem)?;
        Ok((t, (2.0 * student.sf(t.abs())).min(1.0)))
    }

    /// Return the confidence interval of the mean.
    ///
    /// # Errors
    ///
    /// If the confidence is not between 0 and 1.
    pub fn bias_interval(&self, confidence: f64) -> Result<IntervalOutcome, StatsError> {
        check_confidence(confidence)?;
        let interval = || {
            let (middle, deviation) = (self.bias()?, self.standard_deviation()?);
            let student = self.student().ok_or(Undefined::OneItem)?;
            let reach = student.inverse_cdf(f64::midpoint(1.0, confidence)) * deviation / real(self.0.len()).sqrt();
            Ok(Interval { low: middle - reach, high: middle + reach, confidence, method: "t" })
        };
        Ok(interval())
    }

    /// Return the range of that share of single differences, if they are normally distributed.
    ///
    /// # Errors
    ///
    /// If the confidence is not between 0 and 1.
    ///
    /// # References
    ///
    /// Bland and Altman (1986), Statistical Methods for Assessing Agreement between Two Methods of Clinical Measurement.
    pub fn limits_of_agreement(&self, confidence: f64) -> Result<IntervalOutcome, StatsError> {
        check_confidence(confidence)?;
        let limits = || {
            let (middle, reach) = (self.bias()?, critical(confidence) * self.standard_deviation()?);
            Ok(Interval { low: middle - reach, high: middle + reach, confidence, method: "normal" })
        };
        Ok(limits())
    }

    fn is_equal(&self) -> bool {
        let bounds =
            self.0.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), one| (low.min(*one), high.max(*one)));
        bounds.1 - bounds.0 < NOTHING
    }

    fn student(&self) -> Option<StudentsT> {
        StudentsT::new(0.0, 1.0, real(self.0.len().checked_sub(1)?)).ok()
    }
}

/// Return a mean, or why there is none.
fn mean(values: impl Iterator<Item = f64>, count: usize) -> Statistic {
    if count == 0 { Err(Undefined::NoItems) } else { Ok(values.sum::<f64>() / real(count)) }
}

/// Compute Spearman's rank correlation of two columns, from -1 to 1.
///
/// Equal values share their rank. Items with a missing value are left out. It is undefined if a column is constant.
///
/// # Errors
///
/// If the columns differ in length.
///
/// # References
///
/// Spearman (1904), The Proof and Measurement of Association between Two Things.
pub fn spearman(first: &[f64], second: &[f64]) -> Result<Statistic, StatsError> {
    if first.len() != second.len() {
        return Err(StatsError::Length { what: "second", got: second.len(), want: first.len() });
    }
    let pairs = first.iter().zip(second).filter(|(one, other)| !one.is_nan() && !other.is_nan());
    let (first, second): (Vec<f64>, Vec<f64>) = pairs.map(|(one, other)| (*one, *other)).unzip();
    let weights = vec![1.0; first.len()];
    Ok(weighted_spearman(&Order::new(&first), &Order::new(&second), &weights))
}

/// The order of a column's values.
pub(super) struct Order {
    /// The rows by ascending value, and whether each begins a new value.
    rows: Vec<(usize, bool)>,
}

impl Order {
    /// Sort a column.
    pub(super) fn new(values: &[f64]) -> Self {
        let mut sorted: Vec<(f64, usize)> = values.iter().copied().zip(0..).collect();
        sorted.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
        let mut last = f64::NAN;
        let rows = sorted.into_iter().map(|(value, row)| {
            // Values that differ only by noise share their rank.
            let is_new = last.is_nan() || value - last > NOTHING * value.abs().max(last.abs());
            if is_new {
                last = value;
            }
            (row, is_new)
        });
        Self { rows: rows.collect() }
    }

    /// Return twice each row's mid-rank minus the mean rank, for weighted rows.
    fn ranks(&self, weights: &[f64]) -> Vec<f64> {
        let total: f64 = weights.iter().sum();
        let mut ranks = vec![0.0; weights.len()];
        let mut below = 0.0;
        for tied in self.rows.chunk_by(|_, next| !next.1) {
            let here: f64 = tied.iter().filter_map(|(row, _)| weights.get(*row)).sum();
            for (row, _) in tied {
                if let Some(rank) = ranks.get_mut(*row) {
                    *rank = 2.0 * below + here - total;
                }
            }
            below += here;
        }
        ranks
    }
}

/// Compute Spearman's correlation of weighted rows.
pub(super) fn weighted_spearman(first: &Order, second: &Order, weights: &[f64]) -> Statistic {
    let (one, other) = (first.ranks(weights), second.ranks(weights));
    let sum =
        |a: &[f64], b: &[f64]| -> f64 { weights.iter().zip(a).zip(b).map(|((weight, x), y)| weight * x * y).sum() };
    let (across, of_one, of_other) = (sum(&one, &other), sum(&one, &one), sum(&other, &other));
    if weights.iter().sum::<f64>() == 0.0 {
        return Err(Undefined::NoItems);
    }
    if of_one <= 0.0 || of_other <= 0.0 {
        return Err(Undefined::Constant);
    }
    Ok((across / (of_one * of_other).sqrt()).clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_differences_have_no_test() {
        let shifted = Differences::new([(0.0, 0.25), (0.25, 0.5), (0.1, 0.35)]);
        let none = Differences::new([(0.3, 0.1 + 0.2), (0.5, 0.5)]);

        assert_eq!(Err(Undefined::EqualDifferences), shifted.t_test());
        assert_eq!(Ok((0.0, 1.0)), none.t_test());
        assert_eq!(Err(Undefined::OneItem), Differences::new([(0.5, 0.25)]).t_test());
    }

    #[test]
    fn spearman_of_a_constant_is_undefined() {
        assert_eq!(Err(Undefined::Constant), spearman(&[1.0, 1.0], &[1.0, 2.0]).unwrap());
        let opposite = spearman(&[1.0, 2.0, f64::NAN], &[5.0, 4.0, 1.0]).unwrap().unwrap();
        assert!((opposite + 1.0).abs() < 1e-12);
    }
}
