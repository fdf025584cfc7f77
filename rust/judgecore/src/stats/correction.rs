//! What a judge that is known to be imperfect says about the truth.

use std::cmp::Ordering;

use super::classification::Confusion;
use super::proportion::wilson;
use super::ratings::Ratings;
use super::record::record;
use super::statistic::{Interval, IntervalOutcome, Statistic, StatsError, Undefined, check_confidence, critical, real};

record! {
    /// A share of true items, corrected for the judge's errors.
    #[derive(Clone, Debug, PartialEq)]
    pub struct CorrectedRate {
        /// The number of corrected verdicts.
        pub num_verdicts: usize,
        /// The number of items with a human label and a verdict.
        pub num_calibration: usize,
        /// The share of verdicts that say true.
        pub raw_rate: Statistic,
        /// The interval of that share, which leaves the judge's errors out.
        pub raw_interval: IntervalOutcome,
        /// Labels against verdicts in the calibration set.
        pub calibration: Confusion,
        /// The share of true items that the judge calls true.
        pub sensitivity: Statistic,
        /// The share of false items that the judge calls false.
        pub specificity: Statistic,
        /// The share of truly true items, from 0 to 1.
        pub estimate: Statistic,
        /// Its standard error, of both the verdicts and the calibration set.
        pub standard_error: Statistic,
        /// Its interval, which is not centred on the estimate.
        pub interval: IntervalOutcome,
    }
}

/// The share of items that are true, from verdicts of a judge whose errors are known from labelled items.
///
/// It is refused where sensitivity and specificity sum to 1 or less. Missing verdicts and labels are left out.
///
/// # Errors
///
/// If values are not 0, 1 or NaN, human and model differ in length, or the confidence is not between 0 and 1.
///
/// # References
///
/// Rogan and Gladen (1978), Estimating Prevalence from the Results of a Screening Test; Lang and Reiczigel (2014),
/// Confidence Limits for Prevalence of Disease Adjusted for Estimated Sensitivity and Specificity; Lee et al. (2025),
/// How to Correctly Report LLM-as-a-Judge Evaluations, arXiv 2511.21140.
pub fn rogan_gladen(
    verdicts: &[f64],
    human: &[f64],
    model: &[f64],
    confidence: f64,
) -> Result<CorrectedRate, StatsError> {
    check_confidence(confidence)?;
    if human.len() != model.len() {
        return Err(StatsError::Length { what: "model", got: model.len(), want: human.len() });
    }
    for (what, values) in [("verdicts", verdicts), ("human", human), ("model", model)] {
        Ratings::new(values, 1, values.len())?.check_binary(what)?;
    }
    let given = verdicts.iter().filter(|one| !one.is_nan());
    let num_verdicts = given.clone().count();
    let n_true = given.filter(|one| **one == 1.0).count();
    let pairs = human.iter().zip(model).filter(|(one, other)| !one.is_nan() && !other.is_nan());
    let calibration = Confusion::new(pairs.map(|(one, other)| (*one == 1.0, *other == 1.0)));
    let found = correct(n_true, num_verdicts, &calibration, confidence);
    let (estimate, standard_error, interval) = match found {
        Ok((estimate, error, interval)) => (Ok(estimate), Ok(error), interval),
        Err(reason) => (Err(reason.clone()), Err(reason.clone()), Err(reason)),
    };
    let raw_rate = if num_verdicts == 0 { Err(Undefined::NoVerdicts) } else { Ok(real(n_true) / real(num_verdicts)) };
    let raw_interval = wilson(n_true, num_verdicts, confidence)?.map_err(|_| Undefined::NoVerdicts);
    Ok(CorrectedRate {
        num_verdicts,
        num_calibration: calibration.n_items(),
        raw_rate,
        raw_interval,
        sensitivity: calibration.recall(),
        specificity: calibration.specificity(),
        calibration,
        estimate,
        standard_error,
        interval,
    })
}

/// The estimate, its standard error and its interval, which is undefined where it would lie outside of [0, 1].
fn correct(
    n_true: usize,
    num_verdicts: usize,
    calibration: &Confusion,
    confidence: f64,
) -> Result<(f64, f64, IntervalOutcome), Undefined> {
    if num_verdicts == 0 {
        return Err(Undefined::NoVerdicts);
    }
    if calibration.n_items() == 0 {
        return Err(Undefined::NoCalibration);
    }
    let (sensitivity, specificity) = (calibration.recall()?, calibration.specificity()?);
    let plain = Shares {
        rate: real(n_true) / real(num_verdicts),
        sensitivity,
        specificity,
        n_rate: real(num_verdicts),
        n_sensitivity: real(calibration.positives()),
        n_specificity: real(calibration.negatives()),
    };
    let z = critical(confidence);
    // Wilson's centre for the rate, and one success and one failure more for the other two.
    let adjusted = Shares {
        rate: (real(n_true) + z * z / 2.0) / (real(num_verdicts) + z * z),
        sensitivity: (real(calibration.true_positives) + 1.0) / (real(calibration.positives()) + 2.0),
        specificity: (real(calibration.true_negatives) + 1.0) / (real(calibration.negatives()) + 2.0),
        n_rate: real(num_verdicts) + z * z,
        n_sensitivity: real(calibration.positives()) + 2.0,
        n_specificity: real(calibration.negatives()) + 2.0,
    };
    if plain.information() <= 0.0 || adjusted.information() <= 0.0 {
        return Err(Undefined::Uninformative { sensitivity, specificity });
    }
    let estimate = plain.estimate().clamp(0.0, 1.0);
    let error = plain.standard_error(estimate);
    let middle = adjusted.estimate();
    let (of_sensitivity, of_specificity) = adjusted.calibration_variances();
    let shift = 2.0 * z * z * (middle * of_sensitivity - (1.0 - middle) * of_specificity);
    let reach = z * adjusted.standard_error(middle);
    let (low, high) = (middle + shift - reach, middle + shift + reach);
    let interval = if high < 0.0 || low > 1.0 {
        Err(Undefined::Incompatible { rate: plain.rate, least: 1.0 - specificity, most: sensitivity })
    } else {
        Ok(Interval { low, high, confidence, method: "lang_reiczigel" }.within(0.0, 1.0))
    };
    Ok((estimate, error, interval))
}

/// Three shares with the numbers that they were counted of.
struct Shares {
    rate: f64,
    sensitivity: f64,
    specificity: f64,
    n_rate: f64,
    n_sensitivity: f64,
    n_specificity: f64,
}

impl Shares {
    /// How much verdicts tell: 0 for a coin, 1 for the truth.
    fn information(&self) -> f64 {
        self.sensitivity + self.specificity - 1.0
    }

    fn estimate(&self) -> f64 {
        (self.rate + self.specificity - 1.0) / self.information()
    }

    fn calibration_variances(&self) -> (f64, f64) {
        (
            self.sensitivity * (1.0 - self.sensitivity) / self.n_sensitivity,
            self.specificity * (1.0 - self.specificity) / self.n_specificity,
        )
    }

    fn standard_error(&self, estimate: f64) -> f64 {
        let (of_sensitivity, of_specificity) = self.calibration_variances();
        let of_rate = self.rate * (1.0 - self.rate) / self.n_rate;
        let sum = of_rate + estimate.powi(2) * of_sensitivity + (1.0 - estimate).powi(2) * of_specificity;
        sum.sqrt() / self.information()
    }
}

record! {
    /// A mean of human labels, estimated with a judge's help.
    #[derive(Clone, Debug, PartialEq)]
    pub struct CorrectedMean {
        /// The number of items with a human label and a value of the judge.
        pub num_labelled: usize,
        /// The number of items with only a value of the judge.
        pub num_unlabelled: usize,
        /// The mean that people would give to all items.
        pub estimate: Statistic,
        /// Its standard error.
        pub standard_error: Statistic,
        /// Its interval.
        pub interval: IntervalOutcome,
        /// How much the judge counts: 0 not at all, 1 fully.
        pub power: Statistic,
        /// The mean of the human labels alone.
        pub human_mean: Statistic,
        /// The interval of the human labels alone.
        pub human_interval: IntervalOutcome,
        /// The mean of the judge's values on the items without a label.
        pub judge_mean: Statistic,
    }
}

/// The mean that people would give to all items, from a few labels and a judge's values of many items.
///
/// The judge counts as much as it agrees with people on the labelled items, so that the interval is about as narrow as
/// that of the labels alone, or narrower. Items that miss a value are left out. Labels that are all equal give an estimate,
/// but neither a standard error nor an interval.
///
/// # Errors
///
/// If human and model differ in length, a value is infinite, or the confidence is not between 0 and 1.
///
/// # References
///
/// Angelopoulos, Duchi and Zrnic (2023), PPI++: Efficient Prediction-Powered Inference, arXiv 2311.01453.
pub fn ppi_mean(
    human: &[f64],
    model: &[f64],
    unlabelled: &[f64],
    confidence: f64,
) -> Result<CorrectedMean, StatsError> {
    check_confidence(confidence)?;
    if human.len() != model.len() {
        return Err(StatsError::Length { what: "model", got: model.len(), want: human.len() });
    }
    for values in [human, model, unlabelled] {
        Ratings::new(values, 1, values.len())?;
    }
    let pairs = human.iter().zip(model).filter(|(one, other)| !one.is_nan() && !other.is_nan());
    let (gold, judged): (Vec<f64>, Vec<f64>) = pairs.map(|(one, other)| (*one, *other)).unzip();
    let rest: Vec<f64> = unlabelled.iter().copied().filter(|one| !one.is_nan()).collect();
    let reason = match (gold.len(), rest.len()) {
        (0, _) => Some(Undefined::NoCalibration),
        (1, _) => Some(Undefined::OneItem),
        (_, 0) => Some(Undefined::NoVerdicts),
        _ => None,
    };
    let alone = Moments::new(&gold);
    let human_mean = if gold.is_empty() { Err(Undefined::NoCalibration) } else { Ok(alone.mean) };
    // An interval of no width would call two labels proof.
    let is_constant =
        gold.windows(2).all(|pair| matches!(pair, [one, other] if one.partial_cmp(other).is_some_and(Ordering::is_eq)));
    let human_interval = match gold.len() {
        0 => Err(Undefined::NoCalibration),
        1 => Err(Undefined::OneItem),
        _ if is_constant => Err(Undefined::EqualLabels),
        _ => Ok(normal_interval(alone.mean, (alone.variance / real(gold.len())).sqrt(), confidence)),
    };
    let judge_mean = if rest.is_empty() { Err(Undefined::NoVerdicts) } else { Ok(Moments::new(&rest).mean) };
    let (num_labelled, num_unlabelled) = (gold.len(), rest.len());
    let none = |reason: &Undefined| CorrectedMean {
        num_labelled,
        num_unlabelled,
        estimate: Err(reason.clone()),
        standard_error: Err(reason.clone()),
        interval: Err(reason.clone()),
        power: Err(reason.clone()),
        human_mean: human_mean.clone(),
        human_interval: human_interval.clone(),
        judge_mean: judge_mean.clone(),
    };
    if let Some(reason) = reason {
        return Ok(none(&reason));
    }
    let power = tune(&gold, &judged, &rest);
    let remainder: Vec<f64> = gold.iter().zip(&judged).map(|(one, other)| one - power * other).collect();
    let (of_rest, of_remainder) = (Moments::new(&rest), Moments::new(&remainder));
    let estimate = power * of_rest.mean + of_remainder.mean;
    let variance = power * power * of_rest.variance / real(rest.len()) + of_remainder.variance / real(gold.len());
    let standard_error = if is_constant { Err(Undefined::EqualLabels) } else { Ok(variance.sqrt()) };
    Ok(CorrectedMean {
        estimate: Ok(estimate),
        interval: standard_error.clone().map(|error| normal_interval(estimate, error, confidence)),
        standard_error,
        power: Ok(power),
        ..none(&Undefined::NoItems)
    })
}

/// How much the judge counts, so that the variance is least.
fn tune(gold: &[f64], judged: &[f64], rest: &[f64]) -> f64 {
    let (of_gold, of_judged) = (Moments::new(gold), Moments::new(judged));
    let across =
        gold.iter().zip(judged).map(|(one, other)| (one - of_gold.mean) * (other - of_judged.mean)).sum::<f64>();
    let all = [judged, rest].concat();
    let spread = Moments::new(&all).variance * real(all.len()) / real(all.len() - 1);
    if spread <= 0.0 {
        return 0.0;
    }
    let n = real(gold.len());
    (across / n / ((1.0 + n / real(rest.len())) * spread)).clamp(0.0, 1.0)
}

/// A mean and the mean squared distance from it.
struct Moments {
    mean: f64,
    variance: f64,
}

impl Moments {
    fn new(values: &[f64]) -> Self {
        let n = real(values.len());
        let mean = values.iter().sum::<f64>() / n;
        Self { mean, variance: values.iter().map(|one| (one - mean).powi(2)).sum::<f64>() / n }
    }
}

fn normal_interval(middle: f64, error: f64, confidence: f64) -> Interval {
    let reach = critical(confidence) * error;
    Interval { low: middle - reach, high: middle + reach, confidence, method: "normal" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdicts(n_true: usize, n: usize) -> Vec<f64> {
        (0..n).map(|nth| f64::from(u8::from(nth < n_true))).collect()
    }

    #[test]
    fn a_perfect_judge_is_not_corrected() {
        let labels = verdicts(50, 100);
        let found = rogan_gladen(&verdicts(30, 100), &labels, &labels, 0.95).unwrap();

        assert_eq!(Ok(0.3), found.raw_rate);
        assert!((found.estimate.unwrap() - 0.3).abs() < 1e-12);
        assert!(found.interval.unwrap().low < 0.3);
    }

    #[test]
    fn a_judge_without_information_is_refused() {
        let human = [1.0, 1.0, 0.0, 0.0];
        let model = [1.0, 0.0, 1.0, 0.0];

        let found = rogan_gladen(&verdicts(3, 10), &human, &model, 0.95).unwrap();

        assert_eq!(Err(Undefined::Uninformative { sensitivity: 0.5, specificity: 0.5 }), found.estimate);
        assert_eq!(Ok(0.3), found.raw_rate);
    }

    #[test]
    fn labels_that_are_all_equal_give_no_interval() {
        let found = ppi_mean(&[1.0; 3], &[1.0, 0.0, 1.0], &[1.0, 0.0, 1.0, 1.0], 0.95).unwrap();

        assert_eq!((Ok(1.0), Ok(1.0)), (found.estimate, found.human_mean));
        assert_eq!(Err(Undefined::EqualLabels), found.standard_error);
        assert_eq!((Err(Undefined::EqualLabels), Err(Undefined::EqualLabels)), (found.interval, found.human_interval));
    }

    #[test]
    fn a_constant_judge_does_not_count() {
        let found = ppi_mean(&[0.0, 1.0, 1.0], &[0.5; 3], &[0.5; 100], 0.95).unwrap();

        assert_eq!((Ok(0.0), found.human_mean), (found.power, found.estimate));
        assert_eq!(found.human_interval, found.interval);
    }
}
