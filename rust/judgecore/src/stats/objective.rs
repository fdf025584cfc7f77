//! True-or-false verdicts against human labels, whole.

use super::agreement::{Level, krippendorff_alpha};
use super::bootstrap::{bootstrap_pairs, keep};
use super::classification::{Calibration, Confusion};
use super::pair_statistic::{PairStatistic, Statistics, VerdictStatistic};
use super::proportion::wilson;
use super::ratings::Ratings;
use super::record::record;
use super::resampling::Resampling;
use super::scores::probabilities;
use super::statistic::{IntervalOutcome, Statistic, StatsError, Undefined, real};

record! {
    /// How verdicts agree with labels.
    #[derive(Clone, Debug, PartialEq)]
    pub struct ObjectiveMetrics {
        /// The number of items.
        pub num_responses: usize,
        /// The number of raters.
        pub num_human_raters: usize,
        /// The number of trials.
        pub num_scorer_trials: usize,
        /// The number of items with a label and a verdict, to which all further fields refer.
        pub num_scored: usize,
        /// The number of items with a label but no verdict.
        pub num_undetermined: usize,
        /// The number of items without a label.
        pub num_unlabelled: usize,
        /// The number of items with a tie between raters; they count as false.
        pub num_human_ties: usize,
        /// The number of items with a tie between trials; they count as false.
        pub num_model_ties: usize,
        /// Every [`VerdictStatistic`].
        pub statistics: Statistics,
        /// The root of accuracy times its complement over the number of items.
        pub accuracy_standard_error: Statistic,
        /// Nominal alpha among raters.
        pub krippendorff_alpha_humans: Statistic,
        /// Nominal alpha among trials.
        pub krippendorff_alpha_model: Statistic,
        /// Accuracy over all labelled items if every missing verdict were wrong.
        pub accuracy_worst: Statistic,
        /// Accuracy over all labelled items if every missing verdict were right.
        pub accuracy_best: Statistic,
        /// Labels against verdicts.
        pub confusion: Confusion,
        /// Intervals by the name of their statistic.
        pub intervals: Vec<(&'static str, IntervalOutcome)>,
        /// How each rater does against the others.
        pub human_ceiling: Ceiling,
        /// The baselines without a judge, by name.
        pub baselines: Vec<(&'static str, Baseline)>,
        /// The area under the ROC curve of probabilities.
        pub auroc: Statistic,
        /// How often probabilities are right.
        pub calibration: Result<Calibration, Undefined>,
    }
}

record! {
    /// The metrics of a rule without a judge.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Baseline {
        /// Its accuracy.
        pub accuracy: Statistic,
        /// Its precision.
        pub precision: Statistic,
        /// Its recall.
        pub recall: Statistic,
        /// Its F1.
        pub f1_score: Statistic,
        /// Its balanced accuracy.
        pub balanced_accuracy: Statistic,
    }
}

record! {
    /// How each rater does against the others, by the measure that judges are held to.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Ceiling {
        /// The mean of the raters that have a value.
        pub mean: Statistic,
        /// Each rater's value.
        pub per_rater: Vec<Statistic>,
    }
}

impl Ceiling {
    /// Compare each rater with the median of the others.
    pub(super) fn new(
        human: &Ratings<'_>,
        measure: impl Fn(&mut dyn Iterator<Item = (f64, f64)>) -> Statistic,
    ) -> Self {
        if human.n_raters() < 2 {
            return Self { mean: Err(Undefined::OneRater), per_rater: Vec::new() };
        }
        let against_others = |(rater, row): (usize, &[f64])| {
            let others = human.medians_without(rater);
            let pairs = others.into_iter().zip(row.iter().copied());
            measure(&mut pairs.filter(|(_, own)| !own.is_nan()).filter_map(|(gold, own)| Some((gold?, own))))
        };
        let per_rater: Vec<Statistic> = human.rows().enumerate().map(against_others).collect();
        let defined: Vec<f64> = per_rater.iter().filter_map(|one| one.clone().ok()).collect();
        let mean = if defined.is_empty() {
            Err(Undefined::NoPairs)
        } else {
            Ok(defined.iter().sum::<f64>() / real(defined.len()))
        };
        Self { mean, per_rater }
    }
}

/// How verdicts agree with labels, with intervals, baselines and what is missing.
///
/// A label is the median of raters and a verdict the median of trials, both rounded to the even number, so that a tie is
/// false. Ratings are 0, 1 or NaN. Without clusters, intervals of shares are Wilson's; all others resample items.
///
/// # Errors
///
/// If human and model have different numbers of items, a rating is not 0, 1 or NaN, a probability is outside of [0, 1],
/// there is not one probability or cluster for each item, or a setting is outside its range.
///
/// # References
///
/// `PyRIT` 1.1.0 for labels, verdicts, accuracy and its error, precision, recall and F1.
pub fn objective_metrics(
    human: &Ratings<'_>,
    model: &Ratings<'_>,
    scores: Option<&[f64]>,
    n_bins: usize,
    clusters: Option<&[i64]>,
    resampling: &Resampling,
) -> Result<ObjectiveMetrics, StatsError> {
    resampling.check()?;
    if human.n_items() != model.n_items() {
        return Err(StatsError::Length { what: "model", got: model.n_items(), want: human.n_items() });
    }
    human.check_binary("human")?;
    model.check_binary("model")?;
    let (labels, verdicts) = (human.medians(), model.medians());
    let (gold, judged): (Vec<f64>, Vec<f64>) = (to_bits(&labels), to_bits(&verdicts));
    let pairs = gold.iter().zip(&judged).filter(|(one, other)| !one.is_nan() && !other.is_nan());
    let confusion = Confusion::new(pairs.map(|(one, other)| (*one == 1.0, *other == 1.0)));
    let n_scored = confusion.n_items();
    let n_labelled = labels.iter().flatten().count();
    let ties = |medians: &[Option<f64>]| medians.iter().filter(|median| **median == Some(0.5)).count();
    let of_labelled = |right: usize| {
        if n_labelled == 0 { Err(Undefined::NoItems) } else { Ok(real(right) / real(n_labelled)) }
    };
    let given = match scores {
        Some(scores) if scores.len() != human.n_items() => {
            return Err(StatsError::Length { what: "probabilities", got: scores.len(), want: human.n_items() });
        }
        Some(scores) => Some(probabilities(&gold, scores, n_bins, clusters, resampling)?),
        None => None,
    };
    let mut intervals = intervals(&gold, &judged, &confusion, clusters, resampling)?;
    if let Some(given) = &given {
        intervals.push(("auroc", given.auroc_interval.clone()));
        intervals.push(("brier", given.brier_interval.clone()));
        intervals.push(("expected_calibration_error", given.expected_calibration_error_interval.clone()));
    }
    let alone = |ratings: &Ratings<'_>, reason: Undefined| {
        if ratings.n_raters() < 2 { Ok(Err(reason)) } else { krippendorff_alpha(ratings, Level::Nominal) }
    };
    let (auroc, calibration) = given.map_or_else(
        || (Err(Undefined::NoProbabilities), Err(Undefined::NoProbabilities)),
        |given| (given.auroc, Ok(given.calibration)),
    );
    Ok(ObjectiveMetrics {
        num_responses: human.n_items(),
        num_human_raters: human.n_raters(),
        num_scorer_trials: model.n_raters(),
        num_scored: n_scored,
        num_undetermined: n_labelled - n_scored,
        num_unlabelled: human.n_items() - n_labelled,
        num_human_ties: ties(&labels),
        num_model_ties: ties(&verdicts),
        statistics: Statistics(VerdictStatistic::ALL.iter().map(|one| (one.name(), one.of(&confusion))).collect()),
        accuracy_standard_error: confusion.accuracy().map(|share| (share * (1.0 - share) / real(n_scored)).sqrt()),
        krippendorff_alpha_humans: alone(human, Undefined::OneRater)?,
        krippendorff_alpha_model: alone(model, Undefined::OneTrial)?,
        accuracy_worst: of_labelled(confusion.correct()),
        accuracy_best: of_labelled(confusion.correct() + n_labelled - n_scored),
        confusion,
        intervals,
        human_ceiling: Ceiling::new(human, |pairs| {
            Confusion::new(pairs.map(|(gold, own)| (gold > 0.5, own == 1.0))).accuracy()
        }),
        baselines: baselines(&confusion),
        auroc,
        calibration,
    })
}

/// Medians as true, false or missing; half is false.
fn to_bits(medians: &[Option<f64>]) -> Vec<f64> {
    let bit = |median: &Option<f64>| median.map_or(f64::NAN, |one| f64::from(u8::from(one > 0.5)));
    medians.iter().map(bit).collect()
}

fn intervals(
    gold: &[f64],
    judged: &[f64],
    confusion: &Confusion,
    clusters: Option<&[i64]>,
    resampling: &Resampling,
) -> Result<Vec<(&'static str, IntervalOutcome)>, StatsError> {
    let (shares, others): (Vec<VerdictStatistic>, Vec<VerdictStatistic>) =
        VerdictStatistic::ALL.iter().partition(|one| one.counts(confusion).is_some());
    keep(clusters, gold.iter().map(|_| true))?;
    let mut found: Vec<(&'static str, IntervalOutcome)> = Vec::new();
    let mut drawn = shares;
    if clusters.is_none() {
        for share in drawn.drain(..) {
            let (part, whole) = share.counts(confusion).unwrap_or_default();
            let interval: IntervalOutcome = wilson(part, whole, resampling.confidence)?;
            found.push((share.name(), share.of(confusion).and(interval)));
        }
    }
    drawn.extend(others);
    let statistics: Vec<PairStatistic> = drawn.iter().copied().map(PairStatistic::Verdicts).collect();
    let resampled = bootstrap_pairs(gold, judged, &statistics, clusters, resampling)?;
    for (statistic, interval) in drawn.into_iter().zip(resampled) {
        found.push((statistic.name(), statistic.of(confusion).and(interval)));
    }
    Ok(found)
}

/// The rules that need no judge.
fn baselines(confusion: &Confusion) -> Vec<(&'static str, Baseline)> {
    let (positives, negatives) = (confusion.positives(), confusion.negatives());
    let of = |counted: Confusion| Baseline {
        accuracy: counted.accuracy(),
        precision: counted.precision(),
        recall: counted.recall(),
        f1_score: counted.f1(),
        balanced_accuracy: counted.balanced_accuracy(),
    };
    let always_true = Confusion { true_positives: positives, false_positives: negatives, ..Confusion::default() };
    let always_false = Confusion { false_negatives: positives, true_negatives: negatives, ..Confusion::default() };
    // A coin that says true as often as items are true.
    let share = if confusion.n_items() == 0 {
        Err(Undefined::NoItems)
    } else {
        Ok(real(positives) / real(confusion.n_items()))
    };
    let if_any = |reason: Undefined| if positives == 0 { Err(reason) } else { share.clone() };
    let chance = Baseline {
        accuracy: share.clone().map(|one| one * one + (1.0 - one) * (1.0 - one)),
        precision: if_any(Undefined::NoPredictedPositives),
        recall: if_any(Undefined::NoPositives),
        f1_score: if_any(Undefined::NothingTrue),
        balanced_accuracy: always_true.balanced_accuracy().map(|_| 0.5),
    };
    vec![("always_true", of(always_true)), ("always_false", of(always_false)), ("prevalence_matched", chance)]
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAN: f64 = f64::NAN;
    const SETTINGS: Resampling = Resampling { resamples: 200, seed: 0, confidence: 0.95 };

    fn metrics(human: &[f64], n_raters: usize, model: &[f64], n_trials: usize) -> ObjectiveMetrics {
        let human = Ratings::new(human, n_raters, human.len() / n_raters).unwrap();
        let model = Ratings::new(model, n_trials, model.len() / n_trials).unwrap();
        objective_metrics(&human, &model, None, 10, None, &SETTINGS).unwrap()
    }

    #[test]
    fn a_tie_is_false_and_counted() {
        let found = metrics(&[1.0, 0.0, 1.0, 0.0, 0.0, 1.0], 2, &[1.0, 1.0, 1.0, 0.0, 1.0, 1.0], 2);

        assert_eq!((1, 1), (found.num_human_ties, found.num_model_ties));
        assert_eq!(Ok(2.0 / 3.0), found.confusion.accuracy());
    }

    #[test]
    fn what_is_missing_is_counted_and_bounded() {
        let found = metrics(&[1.0, 0.0, 1.0, NAN], 1, &[1.0, NAN, 0.0, 1.0], 1);

        assert_eq!((2, 1, 1), (found.num_scored, found.num_undetermined, found.num_unlabelled));
        assert_eq!((Ok(1.0 / 3.0), Ok(2.0 / 3.0)), (found.accuracy_worst, found.accuracy_best));
    }

    #[test]
    fn a_single_rater_has_no_ceiling() {
        let found = metrics(&[1.0, 0.0], 1, &[1.0, 0.0], 1);

        assert_eq!(Err(Undefined::OneRater), found.human_ceiling.mean);
        let alphas = (found.krippendorff_alpha_humans, found.krippendorff_alpha_model);
        assert_eq!((Err(Undefined::OneRater), Err(Undefined::OneTrial)), alphas);
    }

    #[test]
    fn ratings_that_are_not_true_or_false_are_refused() {
        let human = Ratings::new(&[0.7], 1, 1).unwrap();

        assert!(objective_metrics(&human, &human, None, 10, None, &SETTINGS).is_err());
    }
}
