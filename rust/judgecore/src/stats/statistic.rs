//! A statistic and its interval, or why there is none.

/// A statistic, or why it has no value.
pub type Statistic = Result<f64, Undefined>;

/// An interval, or why there is none.
pub type IntervalOutcome = Result<Interval, Undefined>;

/// An interval that covers the true value in the stated share of studies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The nominal coverage, between 0 and 1.
    pub confidence: f64,
    /// The method: `wilson`, `bootstrap`, `t`, `normal`, `lang_reiczigel`.
    pub method: &'static str,
}

impl Interval {
    /// Clamp both ends to a range.
    #[must_use]
    pub(super) fn within(self, least: f64, most: f64) -> Self {
        Self { low: self.low.clamp(least, most), high: self.high.clamp(least, most), ..self }
    }
}

/// Why a statistic has no value.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Undefined {
    /// Nothing was measured.
    #[error("no item has both a human label and a verdict")]
    NoItems,
    /// Agreement needs pairs.
    #[error("no item has two ratings")]
    NoPairs,
    /// Only one rater, or only one that others can be compared with.
    #[error("there is one rater only")]
    OneRater,
    /// Only one trial.
    #[error("there is one trial only")]
    OneTrial,
    /// A spread needs two.
    #[error("there is one item only")]
    OneItem,
    /// No item is true by the labels.
    #[error("no item is true by the human labels")]
    NoPositives,
    /// No item is false by the labels.
    #[error("no item is false by the human labels")]
    NoNegatives,
    /// Precision has no denominator.
    #[error("no item is true by the model's verdicts")]
    NoPredictedPositives,
    /// F1 has no denominator.
    #[error("no item is true, neither by the human labels nor by the model's verdicts")]
    NothingTrue,
    /// Correlation needs variation on both sides.
    #[error("one side has the same value for all items, so that nothing can go along with it")]
    Constant,
    /// The t-test has no variance to compare with.
    #[error("all differences are equal and not zero, so that there is no variance to test with")]
    EqualDifferences,
    /// Chance-corrected agreement of two constant raters.
    #[error("both raters give all items one and the same value, so that chance alone explains full agreement")]
    OneValue,
    /// Gwet's chance agreement needs two categories.
    #[error("only one category is in use; name those that could have been with categories=")]
    OneCategory,
    /// Probabilities were not given.
    #[error("no probabilities were given")]
    NoProbabilities,
    /// A correction needs labelled items.
    #[error("the calibration set has no item")]
    NoCalibration,
    /// A spread needs labels that differ.
    #[error("all human labels of the calibration set are one and the same, which shows nothing of their spread")]
    EqualLabels,
    /// A corrected rate needs verdicts.
    #[error("there are no verdicts to correct")]
    NoVerdicts,
    /// The judge carries no information.
    #[error(
        "sensitivity {sensitivity:.4} + specificity {specificity:.4} is not above 1: the judge is no better than \
         chance, and no correction can mend that"
    )]
    Uninformative {
        /// The share of true items that the judge calls true.
        sensitivity: f64,
        /// The share of false items that the judge calls false.
        specificity: f64,
    },
    /// Verdicts and calibration contradict each other.
    #[error(
        "the judge says true of {rate:.4} of the items, but by its calibration of {least:.4} to {most:.4}: the two sets \
         are not of one kind"
    )]
    Incompatible {
        /// The share of verdicts that say true.
        rate: f64,
        /// The expected share if no item were true.
        least: f64,
        /// The expected share if every item were true.
        most: f64,
    },
    /// Too many resamples have no value.
    #[error("{undefined} of {resamples} resamples have no value")]
    Resamples {
        /// The number of resamples without a value.
        undefined: usize,
        /// The number of resamples.
        resamples: usize,
    },
    /// The judges never disagree.
    #[error("the two never differ")]
    NoDifference,
    /// No strengths maximise the likelihood.
    #[error(
        "players fall into {groups} groups of which one never beats another, so that no finite strengths fit best; \
         add prior games or leave players out"
    )]
    Disconnected {
        /// The number of groups.
        groups: usize,
    },
}

/// An invalid argument.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StatsError {
    /// The size of the data does not match its shape.
    #[error("{what} has {got} items, expected {want}")]
    Length {
        /// The argument.
        what: &'static str,
        /// The actual size.
        got: usize,
        /// The expected size.
        want: usize,
    },
    /// A rating is infinite.
    #[error("{what}[{rater}, {item}] is infinite; ratings are finite, and NaN where one is missing")]
    Infinite {
        /// The argument.
        what: &'static str,
        /// The row.
        rater: usize,
        /// The column.
        item: usize,
    },
    /// An invalid value in an argument.
    #[error("{what}[{at}] is {value}; it must be {wanted}")]
    Value {
        /// The argument.
        what: &'static str,
        /// The index of the item.
        at: usize,
        /// The value.
        value: f64,
        /// The valid values.
        wanted: &'static str,
    },
    /// A setting outside its range.
    #[error("{what} is {value}; it must be {wanted}")]
    Setting {
        /// The setting.
        what: &'static str,
        /// The value.
        value: f64,
        /// The valid values.
        wanted: &'static str,
    },
}

/// Convert a count to a float.
#[expect(clippy::cast_precision_loss, reason = "counts of items stay far below 2^53")]
pub(super) fn real(count: usize) -> f64 {
    count as f64
}

/// Return a quantile of the standard normal distribution.
pub(super) fn normal_quantile(share: f64) -> f64 {
    use statrs::distribution::{ContinuousCDF, Normal};
    Normal::standard().inverse_cdf(share)
}

/// Return the number of standard errors to each side of an interval with some confidence.
pub(super) fn critical(confidence: f64) -> f64 {
    normal_quantile(f64::midpoint(1.0, confidence))
}

/// Reject a confidence outside (0, 1).
pub(super) fn check_confidence(confidence: f64) -> Result<(), StatsError> {
    if confidence > 0.0 && confidence < 1.0 {
        return Ok(());
    }
    Err(StatsError::Setting { what: "confidence", value: confidence, wanted: "between 0 and 1" })
}
