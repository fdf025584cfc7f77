//! True or false against true or false: the confusion matrix and what follows from it, scores and their calibration.

use super::record::record;
use super::statistic::{Statistic, StatsError, Undefined, real};

record! {
    /// How often each label met each verdict.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Confusion {
        /// True items that the model calls true.
        pub true_positives: usize,
        /// False items that the model calls true.
        pub false_positives: usize,
        /// True items that the model calls false.
        pub false_negatives: usize,
        /// False items that the model calls false.
        pub true_negatives: usize,
    }
}

impl Confusion {
    /// Count labels and verdicts.
    pub fn new(pairs: impl IntoIterator<Item = (bool, bool)>) -> Self {
        let mut counted = Self::default();
        for (label, verdict) in pairs {
            *counted.cell(label, verdict) += 1;
        }
        counted
    }

    /// The count of a label and a verdict.
    pub(super) fn cell(&mut self, label: bool, verdict: bool) -> &mut usize {
        match (label, verdict) {
            (true, true) => &mut self.true_positives,
            (false, true) => &mut self.false_positives,
            (true, false) => &mut self.false_negatives,
            (false, false) => &mut self.true_negatives,
        }
    }

    /// Return the number of items.
    pub fn n_items(&self) -> usize {
        self.positives() + self.negatives()
    }

    /// Return the number of true items.
    pub fn positives(&self) -> usize {
        self.true_positives + self.false_negatives
    }

    /// Return the number of false items.
    pub fn negatives(&self) -> usize {
        self.false_positives + self.true_negatives
    }

    /// Return the number of items that the model calls true.
    pub fn predicted(&self) -> usize {
        self.true_positives + self.false_positives
    }

    /// Return the number of right verdicts.
    pub fn correct(&self) -> usize {
        self.true_positives + self.true_negatives
    }

    /// The share of verdicts that are right.
    pub fn accuracy(&self) -> Statistic {
        share(self.correct(), self.n_items(), Undefined::NoItems)
    }

    /// The share of right verdicts among those that say true.
    pub fn precision(&self) -> Statistic {
        share(self.true_positives, self.predicted(), Undefined::NoPredictedPositives)
    }

    /// The share of true items that the model calls true; sensitivity.
    pub fn recall(&self) -> Statistic {
        share(self.true_positives, self.positives(), Undefined::NoPositives)
    }

    /// The share of false items that the model calls false.
    pub fn specificity(&self) -> Statistic {
        share(self.true_negatives, self.negatives(), Undefined::NoNegatives)
    }

    /// The harmonic mean of precision and recall, defined as soon as anything is true on either side.
    pub fn f1(&self) -> Statistic {
        let counted = self.positives() + self.predicted();
        share(2 * self.true_positives, counted, Undefined::NothingTrue)
    }

    /// The mean of recall and specificity.
    pub fn balanced_accuracy(&self) -> Statistic {
        Ok(f64::midpoint(self.recall()?, self.specificity()?))
    }

    /// Matthews' correlation of labels and verdicts, from -1 to 1.
    pub fn mcc(&self) -> Statistic {
        let sides = [self.positives(), self.negatives(), self.predicted(), self.n_items() - self.predicted()];
        if sides.contains(&0) {
            return Err(if self.n_items() == 0 { Undefined::NoItems } else { Undefined::Constant });
        }
        let agreeing = real(self.true_positives) * real(self.true_negatives);
        let differing = real(self.false_positives) * real(self.false_negatives);
        let [positives, negatives, predicted, unpredicted] = sides.map(real);
        Ok((agreeing - differing) / ((positives * predicted).sqrt() * (negatives * unpredicted).sqrt()))
    }

    /// Cohen's kappa of labels and verdicts, from -1 to 1.
    pub fn cohen_kappa(&self) -> Statistic {
        let n = real(self.n_items());
        let observed = self.accuracy()?;
        let unpredicted = self.n_items() - self.predicted();
        let expected =
            (real(self.positives()) * real(self.predicted()) + real(self.negatives()) * real(unpredicted)) / (n * n);
        if expected >= 1.0 {
            return Err(Undefined::OneValue);
        }
        Ok((observed - expected) / (1.0 - expected))
    }

    /// Gwet's AC1 of labels and verdicts, from -1 to 1.
    pub fn gwet_ac1(&self) -> Statistic {
        let observed = self.accuracy()?;
        let share = (real(self.positives()) + real(self.predicted())) / (2.0 * real(self.n_items()));
        let expected = 2.0 * share * (1.0 - share);
        Ok((observed - expected) / (1.0 - expected))
    }
}

/// A share, or why there is none.
fn share(part: usize, whole: usize, reason: Undefined) -> Statistic {
    if whole == 0 { Err(reason) } else { Ok(real(part) / real(whole)) }
}

/// How probable it is that a true item has a higher score than a false one; equal scores count half.
///
/// Items without a score or label are left out. It is undefined unless there are items of both kinds.
///
/// # Errors
///
/// If there are not as many scores as labels, or a label is not 0, 1 or NaN.
///
/// # References
///
/// Hanley and `McNeil` (1982), The Meaning and Use of the Area under a ROC Curve.
pub fn auroc(labels: &[f64], scores: &[f64]) -> Result<Statistic, StatsError> {
    let mut pairs = pair(labels, scores, |_| true, "a number")?;
    pairs.sort_unstable_by(|one, other| one.1.total_cmp(&other.1));
    let positives = pairs.iter().filter(|(label, _)| *label).count();
    let negatives = pairs.len() - positives;
    if positives == 0 || negatives == 0 {
        return Ok(Err(match (positives, negatives) {
            (0, 0) => Undefined::NoItems,
            (0, _) => Undefined::NoPositives,
            _ => Undefined::NoNegatives,
        }));
    }
    let (mut below, mut won) = (0.0, 0.0);
    for tied in pairs.chunk_by(|one, other| one.1 == other.1) {
        let true_here = real(tied.iter().filter(|(label, _)| *label).count());
        let false_here = real(tied.len()) - true_here;
        won += true_here * (below + false_here / 2.0);
        below += false_here;
    }
    Ok(Ok(won / (real(positives) * real(negatives))))
}

/// Return the pairs of labels and values in which both are present.
fn pair(
    labels: &[f64],
    scores: &[f64],
    may_be: impl Fn(f64) -> bool,
    wanted: &'static str,
) -> Result<Vec<(bool, f64)>, StatsError> {
    if labels.len() != scores.len() {
        return Err(StatsError::Length { what: "scores", got: scores.len(), want: labels.len() });
    }
    let mut pairs = Vec::with_capacity(labels.len());
    for (at, (label, score)) in labels.iter().copied().zip(scores.iter().copied()).enumerate() {
        if !(label.is_nan() || label == 0.0 || label == 1.0) {
            return Err(StatsError::Value { what: "labels", at, value: label, wanted: "0 or 1" });
        }
        if score.is_infinite() || (!score.is_nan() && !may_be(score)) {
            return Err(StatsError::Value { what: "scores", at, value: score, wanted });
        }
        if !label.is_nan() && !score.is_nan() {
            pairs.push((label == 1.0, score));
        }
    }
    Ok(pairs)
}

record! {
    /// A range of probabilities, and what became of the items in it.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Bin {
        /// The lower end, exclusive; the first bin includes 0.
        pub low: f64,
        /// The highest probability in it.
        pub high: f64,
        /// The number of items in the bin.
        pub count: usize,
        /// The mean of their probabilities; None of no items.
        pub mean_probability: Option<f64>,
        /// The share of them that is true; None of no items.
        pub observed_rate: Option<f64>,
    }
}

record! {
    /// How well probabilities tell how often they are right.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Calibration {
        /// The number of items with both a label and a probability.
        pub num_items: usize,
        /// The mean distance of a bin's mean probability from its observed rate, weighted by its items.
        pub expected_calibration_error: Statistic,
        /// The mean squared distance of probabilities from labels.
        pub brier: Statistic,
        /// The bins, from 0 to 1.
        pub bins: Vec<Bin>,
    }
}

/// How well probabilities of being true tell how often items are.
///
/// Bins have equal widths and hold their upper end. Items without a probability or label are left out.
///
/// # Errors
///
/// If there are not as many probabilities as labels, a label is not 0, 1 or NaN, a probability is outside of [0, 1], or
/// there are no bins.
///
/// # References
///
/// Guo et al. (2017), On Calibration of Modern Neural Networks; Brier (1950), Verification of Forecasts Expressed in
/// Terms of Probability.
pub fn calibration(labels: &[f64], probabilities: &[f64], n_bins: usize) -> Result<Calibration, StatsError> {
    if n_bins == 0 {
        return Err(StatsError::Setting { what: "bins", value: 0.0, wanted: "at least 1" });
    }
    let pairs = pair(labels, probabilities, |one| (0.0..=1.0).contains(&one), "from 0 to 1")?;
    let edge = |nth: usize| real(nth) / real(n_bins);
    let mut sums = vec![(0_usize, 0.0, 0_usize); n_bins];
    let edges: Vec<f64> = (1..n_bins).map(edge).collect();
    for (label, probability) in &pairs {
        let nth = edges.partition_point(|edge| edge < probability);
        if let Some((count, sum, positives)) = sums.get_mut(nth) {
            *count += 1;
            *sum += probability;
            *positives += usize::from(*label);
        }
    }
    let bins: Vec<Bin> = sums
        .iter()
        .enumerate()
        .map(|(nth, (count, sum, positives))| Bin {
            low: edge(nth),
            high: edge(nth + 1),
            count: *count,
            mean_probability: (*count > 0).then(|| sum / real(*count)),
            observed_rate: (*count > 0).then(|| real(*positives) / real(*count)),
        })
        .collect();
    let n = real(pairs.len());
    let distance = |bin: &Bin| Some(real(bin.count) * (bin.mean_probability? - bin.observed_rate?).abs());
    let mean = |sum: f64| if pairs.is_empty() { Err(Undefined::NoItems) } else { Ok(sum / n) };
    Ok(Calibration {
        num_items: pairs.len(),
        expected_calibration_error: mean(bins.iter().filter_map(distance).sum()),
        brier: mean(pairs.iter().map(|(label, one)| (one - f64::from(u8::from(*label))).powi(2)).sum()),
        bins,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_without_a_denominator_say_why() {
        let none = Confusion { true_negatives: 3, ..Confusion::default() };

        assert_eq!(Ok(1.0), none.accuracy());
        assert_eq!(Err(Undefined::NoPredictedPositives), none.precision());
        assert_eq!(Err(Undefined::NoPositives), none.recall());
        assert_eq!(Err(Undefined::NothingTrue), none.f1());
        assert_eq!(Err(Undefined::Constant), none.mcc());
        assert_eq!(Err(Undefined::NoItems), Confusion::default().accuracy());
    }

    #[test]
    fn equal_scores_count_half() {
        assert_eq!(Ok(0.5), auroc(&[0.0, 1.0], &[0.3, 0.3]).unwrap());
        assert_eq!(Ok(1.0), auroc(&[0.0, 1.0, f64::NAN], &[0.3, 0.4, 0.9]).unwrap());
        assert_eq!(Err(Undefined::NoNegatives), auroc(&[1.0], &[0.3]).unwrap());
    }

    #[test]
    fn a_bin_holds_its_upper_end() {
        let found = calibration(&[1.0, 0.0, 1.0], &[0.3, 0.0, 1.0], 10).unwrap();

        let counts: Vec<usize> = found.bins.iter().map(|bin| bin.count).collect();
        assert_eq!(vec![1, 0, 1, 0, 0, 0, 0, 0, 0, 1], counts);
        assert!(calibration(&[1.0], &[1.5], 10).is_err());
    }
}
