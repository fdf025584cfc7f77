//! Scores against human scores, whole.

use super::agreement::{Level, krippendorff_alpha};
use super::bootstrap::{bootstrap_alpha, bootstrap_pairs, keep};
use super::chance::{Weights, gwet_agreement, weighted_kappa};
use super::error::{Differences, spearman};
use super::objective::Ceiling;
use super::pair_statistic::{PairStatistic, ScoreStatistic, Statistics};
use super::ratings::Ratings;
use super::ratings::median;
use super::record::record;
use super::resampling::Resampling;
use super::statistic::{IntervalOutcome, Statistic, StatsError, Undefined, real};

record! {
    /// How scores agree with human ones.
    #[derive(Clone, Debug, PartialEq)]
    pub struct HarmMetrics {
        /// The number of items.
        pub num_responses: usize,
        /// The number of raters.
        pub num_human_raters: usize,
        /// The number of trials.
        pub num_scorer_trials: usize,
        /// The number of items with a label and a score, to which the errors refer.
        pub num_scored: usize,
        /// The number of items with a label but no score.
        pub num_undetermined: usize,
        /// The number of items without a label.
        pub num_unlabelled: usize,
        /// The standard error of the mean absolute error.
        pub mae_standard_error: Statistic,
        /// Ordinal alpha of raters and the judge, counted once.
        pub krippendorff_alpha_human_judge: Statistic,
        /// Ordinal alpha of raters and trials together: the published figure, which trials inflate.
        pub krippendorff_alpha_combined: Statistic,
        /// Ordinal alpha among raters.
        pub krippendorff_alpha_humans: Statistic,
        /// Ordinal alpha among trials.
        pub krippendorff_alpha_model: Statistic,
        /// Every [`ScoreStatistic`].
        pub statistics: Statistics,
        /// Student's t of the hypothesis that the mean difference is 0.
        pub t_statistic: Statistic,
        /// Its two-sided p.
        pub p_value: Statistic,
        /// The mean absolute error over all labelled items if every missing score were right.
        pub mae_best: Statistic,
        /// The same if every missing score were as wrong as the scale permits.
        pub mae_worst: Statistic,
        /// The constant answer with the least error.
        pub best_constant: Statistic,
        /// Its mean absolute error.
        pub best_constant_error: Statistic,
        /// Within what most differences lie.
        pub limits_of_agreement: IntervalOutcome,
        /// Intervals by the name of their statistic.
        pub intervals: Vec<(&'static str, IntervalOutcome)>,
        /// Each rater's mean absolute error against the others.
        pub human_ceiling: Ceiling,
    }
}

/// How scores agree with human ones, with intervals, baselines and what is missing.
///
/// Gold is the median of raters, a model's score the median of trials. `scale` has the least and the greatest score.
///
/// # Errors
///
/// If human and model have different numbers of items, a rating lies outside of the scale, there is not one cluster for
/// each item, or a setting is outside its range.
///
/// # References
///
/// `PyRIT` 1.1.0 for gold, error, t-test and the combined alpha.
pub fn harm_metrics(
    human: &Ratings<'_>,
    model: &Ratings<'_>,
    scale: (f64, f64),
    clusters: Option<&[i64]>,
    resampling: &Resampling,
) -> Result<HarmMetrics, StatsError> {
    resampling.check()?;
    if human.n_items() != model.n_items() {
        return Err(StatsError::Length { what: "model", got: model.n_items(), want: human.n_items() });
    }
    if scale.0.is_nan() || scale.1.is_nan() || scale.0 >= scale.1 {
        return Err(StatsError::Setting { what: "scale", value: scale.0, wanted: "a least score below the greatest" });
    }
    check_scale("human", human, scale)?;
    check_scale("model", model, scale)?;
    let (labels, judged) = (human.medians(), model.medians());
    let pairs: Vec<(f64, f64)> =
        labels.iter().zip(&judged).filter_map(|(gold, own)| Some(((*gold)?, (*own)?))).collect();
    let to_column = |medians: &[Option<f64>]| medians.iter().map(|one| one.unwrap_or(f64::NAN)).collect::<Vec<f64>>();
    let (gold, own) = (to_column(&labels), to_column(&judged));
    let n_labelled = labels.iter().flatten().count();
    let differences = Differences::new(pairs.iter().copied());
    let level = Level::Ordinal;
    // Where one side is missing there is no agreement with the other, however much people agree among themselves.
    let is_scored: Vec<bool> = labels.iter().zip(&judged).map(|(gold, own)| gold.is_some() && own.is_some()).collect();
    let with_judge = of_items(&[human.values(), &own].concat(), &is_scored);
    let with_judge = Ratings::new(&with_judge, human.n_raters() + 1, pairs.len())?;
    let with_trials = of_items(&[human.values(), model.values()].concat(), &is_scored);
    let with_trials = Ratings::new(&with_trials, human.n_raters() + model.n_raters(), pairs.len())?;
    let scored_clusters = keep(clusters, is_scored.iter().copied())?;
    let alone = |ratings: &Ratings<'_>, reason: Undefined| {
        if ratings.n_raters() < 2 { Ok(Err(reason)) } else { krippendorff_alpha(ratings, level) }
    };
    let together = |ratings: &Ratings<'_>| {
        if pairs.is_empty() { Ok(Err(Undefined::NoItems)) } else { krippendorff_alpha(ratings, level) }
    };
    let alpha_human_judge = together(&with_judge)?;
    let alpha_humans = alone(human, Undefined::OneRater)?;
    let scores = Scores { gold: &gold, own: &own, differences: &differences };
    let statistics = scores.statistics()?;
    let mut intervals = scores.intervals(&statistics, clusters, resampling)?;
    for (name, value, ratings, clusters) in [
        ("krippendorff_alpha_human_judge", &alpha_human_judge, &with_judge, scored_clusters.as_deref()),
        ("krippendorff_alpha_humans", &alpha_humans, human, clusters),
    ] {
        intervals.push((
            name,
            match value {
                Ok(_) => bootstrap_alpha(ratings, level, clusters, resampling)?,
                Err(reason) => Err(reason.clone()),
            },
        ));
    }
    let (t_statistic, p_value) = apart(differences.t_test());
    let (mae_best, mae_worst) = apart(bounds(&labels, &judged, scale));
    let (best_constant, best_constant_error) = apart(best_constant(pairs.iter().map(|pair| pair.0).collect()));
    Ok(HarmMetrics {
        num_responses: human.n_items(),
        num_human_raters: human.n_raters(),
        num_scorer_trials: model.n_raters(),
        num_scored: pairs.len(),
        num_undetermined: n_labelled - pairs.len(),
        num_unlabelled: human.n_items() - n_labelled,
        mae_standard_error: differences.mae_standard_error(),
        krippendorff_alpha_human_judge: alpha_human_judge,
        krippendorff_alpha_combined: together(&with_trials)?,
        krippendorff_alpha_humans: alpha_humans,
        krippendorff_alpha_model: alone(model, Undefined::OneTrial)?,
        statistics: Statistics(statistics.into_iter().map(|(one, value)| (one.name(), value)).collect()),
        t_statistic,
        p_value,
        mae_best,
        mae_worst,
        best_constant,
        best_constant_error,
        limits_of_agreement: differences.limits_of_agreement(resampling.confidence)?,
        intervals,
        human_ceiling: Ceiling::new(human, |pairs| Differences::new(pairs).mean_absolute_error()),
    })
}

/// The ratings of the items that are kept, rater by rater.
fn of_items(ratings: &[f64], is_kept: &[bool]) -> Vec<f64> {
    let kept = ratings.iter().zip(is_kept.iter().cycle()).filter(|(_, is_kept)| **is_kept);
    kept.map(|(rating, _)| *rating).collect()
}

/// Two numbers that are defined together, each by itself.
fn apart(both: Result<(f64, f64), Undefined>) -> (Statistic, Statistic) {
    match both {
        Ok((one, other)) => (Ok(one), Ok(other)),
        Err(reason) => (Err(reason.clone()), Err(reason)),
    }
}

/// Reject ratings outside a scale.
fn check_scale(what: &'static str, ratings: &Ratings<'_>, scale: (f64, f64)) -> Result<(), StatsError> {
    // The noise of floating point may reach beyond the ends.
    let room = 1e-9 * (scale.1 - scale.0);
    let is_outside = |value: f64| value < scale.0 - room || value > scale.1 + room;
    match ratings.values().iter().copied().enumerate().find(|(_, value)| is_outside(*value)) {
        None => Ok(()),
        Some((at, value)) => {
            let wanted = "within the scale, by default 0 to 1; convert by (x - low) / (high - low) or pass scale=";
            Err(StatsError::Value { what, at: at % ratings.n_items(), value, wanted })
        }
    }
}

/// Gold and model as columns, with NaN for missing values, and their differences.
struct Scores<'a> {
    gold: &'a [f64],
    own: &'a [f64],
    differences: &'a Differences,
}

impl Scores<'_> {
    fn statistics(&self) -> Result<Vec<(ScoreStatistic, Statistic)>, StatsError> {
        ScoreStatistic::ALL.iter().map(|one| Ok((*one, self.value(*one)?))).collect()
    }

    fn value(&self, statistic: ScoreStatistic) -> Result<Statistic, StatsError> {
        Ok(match statistic {
            ScoreStatistic::MeanAbsoluteError => self.differences.mean_absolute_error(),
            ScoreStatistic::RootMeanSquaredError => self.differences.root_mean_squared_error(),
            ScoreStatistic::Bias => self.differences.bias(),
            ScoreStatistic::Spearman => spearman(self.gold, self.own)?,
            ScoreStatistic::WeightedKappa => weighted_kappa(self.gold, self.own, Weights::Quadratic)?,
            ScoreStatistic::GwetAc2 => {
                let both = [self.gold, self.own].concat();
                gwet_agreement(&Ratings::new(&both, 2, self.gold.len())?, Weights::Quadratic, &[])?
            }
        })
    }

    fn intervals(
        &self,
        found: &[(ScoreStatistic, Statistic)],
        clusters: Option<&[i64]>,
        resampling: &Resampling,
    ) -> Result<Vec<(&'static str, IntervalOutcome)>, StatsError> {
        let statistics: Vec<PairStatistic> = found.iter().map(|(one, _)| PairStatistic::Scores(*one)).collect();
        let drawn = bootstrap_pairs(self.gold, self.own, &statistics, clusters, resampling)?;
        let of = |((statistic, value), drawn): (&(ScoreStatistic, Statistic), IntervalOutcome)| {
            // Single items need no resampling for their mean; Student's interval is exact for normal differences.
            let interval = match (statistic, clusters) {
                (ScoreStatistic::Bias, None) => self.differences.bias_interval(resampling.confidence)?,
                _ => value.clone().and(drawn),
            };
            Ok((statistic.name(), interval))
        };
        found.iter().zip(drawn).map(of).collect()
    }
}

/// The error over all labelled items at best and at worst.
fn bounds(labels: &[Option<f64>], judged: &[Option<f64>], scale: (f64, f64)) -> Result<(f64, f64), Undefined> {
    let (mut n, mut least, mut most) = (0, 0.0, 0.0);
    for (gold, own) in labels.iter().zip(judged) {
        let Some(gold) = gold else { continue };
        n += 1;
        match own {
            Some(own) => {
                least += (own - gold).abs();
                most += (own - gold).abs();
            }
            None => most += (gold - scale.0).max(scale.1 - gold),
        }
    }
    if n == 0 { Err(Undefined::NoItems) } else { Ok((least / real(n), most / real(n))) }
}

/// The median of gold, and its mean absolute error.
fn best_constant(mut gold: Vec<f64>) -> Result<(f64, f64), Undefined> {
    let constant = median(&mut gold).ok_or(Undefined::NoItems)?;
    Ok((constant, gold.iter().map(|one| (one - constant).abs()).sum::<f64>() / real(gold.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAN: f64 = f64::NAN;
    const SETTINGS: Resampling = Resampling { resamples: 200, seed: 0, confidence: 0.95 };

    #[test]
    fn trials_inflate_the_combined_alpha_alone() {
        let human: Vec<f64> = (0..200).map(|nth| f64::from(nth % 5) / 4.0).collect();
        let unrelated: Vec<f64> = (0..200).map(|nth| f64::from((nth * 7 / 5) % 5) / 4.0).collect();
        let of = |trials: usize| {
            let model = unrelated.repeat(trials);
            let human = Ratings::new(&human, 1, 200).unwrap();
            harm_metrics(&human, &Ratings::new(&model, trials, 200).unwrap(), (0.0, 1.0), None, &SETTINGS).unwrap()
        };

        let (once, often) = (of(1), of(10));

        assert_eq!(once.krippendorff_alpha_human_judge, often.krippendorff_alpha_human_judge);
        assert_eq!(once.krippendorff_alpha_combined, once.krippendorff_alpha_human_judge);
        assert!(often.krippendorff_alpha_combined.unwrap() > 0.7);
    }

    #[test]
    fn agreement_with_a_judge_needs_items_that_both_have_scored() {
        let human: Vec<f64> = (0..10).chain(0..10).map(|nth| f64::from(nth % 5) / 4.0).collect();
        let human = Ratings::new(&human, 2, 10).unwrap();
        let of = |scored: i32| {
            let own: Vec<f64> =
                (0..10).map(|nth| if nth < scored { 1.0 - f64::from(nth % 5) / 4.0 } else { NAN }).collect();
            harm_metrics(&human, &Ratings::new(&own, 1, 10).unwrap(), (0.0, 1.0), None, &SETTINGS).unwrap()
        };

        let (none, half, all) = (of(0), of(5), of(10));

        assert_eq!(Err(Undefined::NoItems), none.krippendorff_alpha_human_judge);
        assert_eq!(Err(Undefined::NoItems), none.krippendorff_alpha_combined);
        assert_eq!(Ok(1.0), none.krippendorff_alpha_humans);
        assert!(half.krippendorff_alpha_human_judge.unwrap() < 0.0);
        assert!(all.krippendorff_alpha_human_judge.unwrap() < 0.0);
    }

    #[test]
    fn what_is_missing_is_counted_and_bounded() {
        let human = Ratings::new(&[0.0, 0.25, 1.0, NAN], 1, 4).unwrap();
        let model = Ratings::new(&[0.5, NAN, 1.0, 0.5], 1, 4).unwrap();

        let found = harm_metrics(&human, &model, (0.0, 1.0), None, &SETTINGS).unwrap();

        assert_eq!((2, 1, 1), (found.num_scored, found.num_undetermined, found.num_unlabelled));
        assert_eq!((Ok(0.5 / 3.0), Ok(1.25 / 3.0)), (found.mae_best, found.mae_worst));
        assert_eq!((Ok(0.5), Ok(0.5)), (found.best_constant, found.best_constant_error));
    }
}
