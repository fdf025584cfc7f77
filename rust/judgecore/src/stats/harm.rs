//! Scores against human scores, whole.

use super::agreement::{Level, krippendorff_alpha};
use super::bootstrap::{PairStatistic, bootstrap_alpha, bootstrap_pairs};
use super::chance::{Weights, gwet_agreement, weighted_kappa};
use super::error::{Differences, spearman};
use super::objective::Ceiling;
use super::ratings::Ratings;
use super::ratings::median;
use super::resampling::Resampling;
use super::statistic::{IntervalOutcome, Statistic, StatsError, Undefined, real};

/// How scores agree with human ones.
#[derive(Clone, Debug, PartialEq)]
pub struct HarmMetrics {
    /// How many items there are.
    pub n_items: usize,
    /// How many raters there are.
    pub n_raters: usize,
    /// How many trials there are.
    pub n_trials: usize,
    /// How many items have a label and a score; errors are of these.
    pub n_scored: usize,
    /// How many items have a label and no score.
    pub n_undetermined: usize,
    /// How many items have no label.
    pub n_unlabelled: usize,
    /// Model less gold, and what follows from it.
    pub differences: Differences,
    /// The mean absolute error over all labelled items, if every missing score were right, and if every one were as
    /// wrong as the scale permits.
    pub mae_bounds: Result<(f64, f64), Undefined>,
    /// Ordinal alpha of raters and trials together: the published figure, which trials inflate.
    pub alpha_combined: Statistic,
    /// Ordinal alpha of raters and the judge, counted once.
    pub alpha_human_judge: Statistic,
    /// Ordinal alpha among raters.
    pub alpha_humans: Statistic,
    /// Ordinal alpha among trials.
    pub alpha_model: Statistic,
    /// Spearman's correlation of gold and model.
    pub spearman: Statistic,
    /// Kappa of gold and model with quadratic weights.
    pub weighted_kappa: Statistic,
    /// Gwet's AC2 of gold and model with quadratic weights.
    pub gwet_ac2: Statistic,
    /// Within what most differences lie.
    pub limits_of_agreement: IntervalOutcome,
    /// Intervals by the name of their statistic.
    pub intervals: Vec<(&'static str, IntervalOutcome)>,
    /// The constant answer with the least error, and its mean absolute error.
    pub best_constant: Result<(f64, f64), Undefined>,
    /// Each rater's mean absolute error against the others.
    pub ceiling: Ceiling,
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
    let with_judge = [human.values(), &own].concat();
    let with_judge = Ratings::new(&with_judge, human.n_raters() + 1, human.n_items())?;
    let with_trials = [human.values(), model.values()].concat();
    let with_trials = Ratings::new(&with_trials, human.n_raters() + model.n_raters(), human.n_items())?;
    let alone = |ratings: &Ratings<'_>, reason: Undefined| {
        if ratings.n_raters() < 2 { Ok(Err(reason)) } else { krippendorff_alpha(ratings, level) }
    };
    let alpha_human_judge = krippendorff_alpha(&with_judge, level)?;
    let alpha_humans = alone(human, Undefined::OneRater)?;
    let both = [gold.as_slice(), own.as_slice()].concat();
    let both = Ratings::new(&both, 2, human.n_items())?;
    let found = Found {
        spearman: spearman(&gold, &own)?,
        weighted_kappa: weighted_kappa(&gold, &own, Weights::Quadratic)?,
        gwet_ac2: gwet_agreement(&both, Weights::Quadratic, &[])?,
    };
    let mut intervals = found.intervals(&gold, &own, &differences, clusters, resampling)?;
    for (name, value, ratings) in [
        ("krippendorff_alpha_human_judge", &alpha_human_judge, &with_judge),
        ("krippendorff_alpha_humans", &alpha_humans, human),
    ] {
        intervals.push((
            name,
            match value {
                Ok(_) => bootstrap_alpha(ratings, level, clusters, resampling)?,
                Err(reason) => Err(reason.clone()),
            },
        ));
    }
    Ok(HarmMetrics {
        n_items: human.n_items(),
        n_raters: human.n_raters(),
        n_trials: model.n_raters(),
        n_scored: pairs.len(),
        n_undetermined: n_labelled - pairs.len(),
        n_unlabelled: human.n_items() - n_labelled,
        mae_bounds: bounds(&labels, &judged, scale),
        alpha_combined: krippendorff_alpha(&with_trials, level)?,
        alpha_human_judge,
        alpha_humans,
        alpha_model: alone(model, Undefined::OneTrial)?,
        spearman: found.spearman,
        weighted_kappa: found.weighted_kappa,
        gwet_ac2: found.gwet_ac2,
        limits_of_agreement: differences.limits_of_agreement(resampling.confidence)?,
        intervals,
        best_constant: best_constant(pairs.iter().map(|pair| pair.0).collect()),
        ceiling: Ceiling::new(human, |pairs| Differences::new(pairs).mean_absolute_error()),
        differences,
    })
}

/// Refuse ratings outside of a scale.
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

/// The statistics of gold and model that need no differences.
struct Found {
    spearman: Statistic,
    weighted_kappa: Statistic,
    gwet_ac2: Statistic,
}

impl Found {
    fn intervals(
        &self,
        gold: &[f64],
        own: &[f64],
        differences: &Differences,
        clusters: Option<&[i64]>,
        resampling: &Resampling,
    ) -> Result<Vec<(&'static str, IntervalOutcome)>, StatsError> {
        let listed = [
            ("mean_absolute_error", PairStatistic::MeanAbsoluteError, differences.mean_absolute_error()),
            ("root_mean_squared_error", PairStatistic::RootMeanSquaredError, differences.root_mean_squared_error()),
            ("spearman", PairStatistic::Spearman, self.spearman.clone()),
            ("weighted_kappa", PairStatistic::WeightedKappa, self.weighted_kappa.clone()),
            ("gwet_ac2", PairStatistic::GwetAc2, self.gwet_ac2.clone()),
            ("bias", PairStatistic::Bias, differences.bias()),
        ];
        let statistics = listed.each_ref().map(|(_, statistic, _)| *statistic);
        let drawn = bootstrap_pairs(gold, own, &statistics, clusters, resampling)?;
        let mut found: Vec<(&'static str, IntervalOutcome)> =
            listed.into_iter().zip(drawn).map(|((name, _, value), interval)| (name, value.and(interval))).collect();
        // Single items need no resampling for their mean; Student's interval is exact for normal differences.
        if clusters.is_none()
            && let Some(last) = found.last_mut()
        {
            last.1 = differences.bias_interval(resampling.confidence)?;
        }
        Ok(found)
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

        assert_eq!(once.alpha_human_judge, often.alpha_human_judge);
        assert_eq!(once.alpha_combined, once.alpha_human_judge);
        assert!(often.alpha_combined.unwrap() > 0.7);
    }

    #[test]
    fn what_is_missing_is_counted_and_bounded() {
        let human = Ratings::new(&[0.0, 0.25, 1.0, NAN], 1, 4).unwrap();
        let model = Ratings::new(&[0.5, NAN, 1.0, 0.5], 1, 4).unwrap();

        let found = harm_metrics(&human, &model, (0.0, 1.0), None, &SETTINGS).unwrap();

        assert_eq!((2, 1, 1), (found.n_scored, found.n_undetermined, found.n_unlabelled));
        assert_eq!(Ok((0.5 / 3.0, 1.25 / 3.0)), found.mae_bounds);
        assert_eq!(Ok((0.5, 0.5)), found.best_constant);
    }
}
