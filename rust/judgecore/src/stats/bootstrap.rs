//! Bootstrap intervals of the statistics that have no formula.

use super::agreement::Level;
use super::agreement::{Scratch, alpha, check_level};
use super::category::{Coded, MISSING};
use super::chance::{Weights, gwet};
use super::classification::Confusion;
use super::error::{Order, weighted_spearman};
use super::pair_statistic::{PairStatistic, ScoreStatistic};
use super::ratings::Ratings;
use super::resampling::Resampling;
use super::resampling::{Resampled, Units};
use super::statistic::{IntervalOutcome, Statistic, StatsError, Undefined};

/// A mean squared distance smaller than this is none.
const NOTHING: f64 = 1e-20;

/// The interval of a mean.
///
/// `clusters` has the group of each value, where values of one group are drawn together. Missing values are left out.
///
/// # Errors
///
/// If a setting is outside its range, or there is not one group for each value.
pub fn bootstrap_mean(
    values: &[f64],
    clusters: Option<&[i64]>,
    resampling: &Resampling,
) -> Result<IntervalOutcome, StatsError> {
    // The mean is the bias against nothing.
    let nothing = vec![0.0; values.len()];
    let found =
        bootstrap_pairs(&nothing, values, &[PairStatistic::Scores(ScoreStatistic::Bias)], clusters, resampling)?;
    Ok(found.into_iter().next().unwrap_or(Err(Undefined::NoItems)))
}

/// The groups of the items that are kept.
pub(super) fn keep(
    clusters: Option<&[i64]>,
    is_kept: impl ExactSizeIterator<Item = bool>,
) -> Result<Option<Vec<i64>>, StatsError> {
    let Some(clusters) = clusters else { return Ok(None) };
    if clusters.len() != is_kept.len() {
        return Err(StatsError::Length { what: "clusters", got: clusters.len(), want: is_kept.len() });
    }
    Ok(Some(clusters.iter().zip(is_kept).filter(|(_, is_kept)| *is_kept).map(|(cluster, _)| *cluster).collect()))
}

/// The interval of Krippendorff's alpha; items are drawn with all their ratings.
///
/// # Errors
///
/// If ratings are negative at the ratio level, a setting is outside its range, or there is not one group for each item.
pub fn bootstrap_alpha(
    ratings: &Ratings<'_>,
    level: Level,
    clusters: Option<&[i64]>,
    resampling: &Resampling,
) -> Result<IntervalOutcome, StatsError> {
    resampling.check()?;
    check_level(ratings, level)?;
    let coded = Coded::new(ratings);
    let patterns = Patterns::new(&coded, ratings.n_items());
    if patterns.distinct.iter().all(|item| item.len() < 2) {
        return Ok(Err(Undefined::NoPairs));
    }
    let units = Units::new(patterns.rows.clone(), patterns.distinct.len(), clusters)?;
    let drawn = resampling.draw(&units, &Alpha { patterns: &patterns, values: coded.values(), level });
    Ok(resampling.interval(drawn.iter().map(|one| one.first().copied().flatten())))
}

/// Items that have the same ratings, whoever gave them.
struct Patterns {
    distinct: Vec<Vec<u32>>,
    /// The pattern of each item.
    rows: Vec<usize>,
}

impl Patterns {
    fn new(coded: &Coded, n_items: usize) -> Self {
        let mut items: Vec<(Vec<u32>, usize)> = coded
            .items()
            .take(n_items)
            .map(|item| {
                let mut given: Vec<u32> = item.iter().copied().filter(|code| *code != MISSING).collect();
                given.sort_unstable();
                given
            })
            .zip(0..)
            .collect();
        items.sort_unstable();
        let mut rows = vec![0; items.len()];
        let mut distinct: Vec<Vec<u32>> = Vec::new();
        for (item, at) in items {
            if distinct.last() != Some(&item) {
                distinct.push(item);
            }
            if let Some(row) = rows.get_mut(at) {
                *row = distinct.len() - 1;
            }
        }
        Self { distinct, rows }
    }
}

struct Alpha<'a> {
    patterns: &'a Patterns,
    values: &'a [f64],
    level: Level,
}

impl Resampled for Alpha<'_> {
    type Room = Scratch;

    fn room(&self) -> Scratch {
        Scratch::default()
    }

    fn values(&self, weights: &[f64], room: &mut Scratch) -> Vec<Option<f64>> {
        let items = self.patterns.distinct.iter().map(Vec::as_slice).zip(weights.iter().copied());
        let drawn = items.filter(|(_, times)| *times > 0.0);
        vec![alpha(drawn, self.values, self.level, room).ok()]
    }
}

/// A statistic of gold and model; items that miss a value are left out.
///
/// # Errors
///
/// If there are not as many values of the model as gold, or the statistic needs values of 0 or 1 and there are others.
pub fn pair_statistic(gold: &[f64], model: &[f64], statistic: PairStatistic) -> Result<Statistic, StatsError> {
    let pairs = paired(gold, model, &[statistic])?;
    let weights = vec![1.0; pairs.len()];
    Ok(Pairs::new(&pairs, &[statistic]).statistic(0, &weights))
}

/// Return the pairs of gold and model in which both are present, checked for the statistics.
fn paired(gold: &[f64], model: &[f64], statistics: &[PairStatistic]) -> Result<Vec<(f64, f64)>, StatsError> {
    if gold.len() != model.len() {
        return Err(StatsError::Length { what: "model", got: model.len(), want: gold.len() });
    }
    for (what, values) in [("human", gold), ("model", model)] {
        let ratings = Ratings::new(values, 1, values.len())?;
        if statistics.iter().any(|one| matches!(one, PairStatistic::Verdicts(_))) {
            ratings.check_binary(what)?;
        }
    }
    let pairs = gold.iter().copied().zip(model.iter().copied());
    Ok(pairs.filter(|(one, other)| !one.is_nan() && !other.is_nan()).collect())
}

/// The intervals of statistics of gold and model, all of the same resamples.
///
/// `clusters` has the group of each item, where items of one group are drawn together. Items that miss a value are left
/// out.
///
/// # Errors
///
/// If there are not as many values of the model as gold, a statistic needs values of 0 or 1 and there are others, a
/// setting is outside its range, or there is not one group for each item.
pub fn bootstrap_pairs(
    gold: &[f64],
    model: &[f64],
    statistics: &[PairStatistic],
    clusters: Option<&[i64]>,
    resampling: &Resampling,
) -> Result<Vec<IntervalOutcome>, StatsError> {
    resampling.check()?;
    let pairs = paired(gold, model, statistics)?;
    let clusters = keep(clusters, gold.iter().zip(model).map(|(one, other)| !one.is_nan() && !other.is_nan()))?;
    if pairs.is_empty() {
        return Ok(vec![Err(Undefined::NoItems); statistics.len()]);
    }
    let (distinct, rows) = distinct_pairs(&pairs);
    let units = Units::new(rows, distinct.len(), clusters.as_deref())?;
    let drawn = resampling.draw(&units, &Pairs::new(&distinct, statistics));
    Ok((0..statistics.len())
        .map(|nth| resampling.interval(drawn.iter().map(|one| one.get(nth).copied().flatten())))
        .collect())
}

/// The distinct pairs in ascending order, and the one of each item.
pub(super) fn distinct_pairs(pairs: &[(f64, f64)]) -> (Vec<(f64, f64)>, Vec<usize>) {
    let mut sorted: Vec<((f64, f64), usize)> = pairs.iter().copied().zip(0..).collect();
    sorted.sort_unstable_by(|(one, _), (other, _)| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)));
    let mut distinct: Vec<(f64, f64)> = Vec::new();
    let mut rows = vec![0; pairs.len()];
    for (pair, at) in sorted {
        if distinct.last() != Some(&pair) {
            distinct.push(pair);
        }
        if let Some(row) = rows.get_mut(at) {
            *row = distinct.len() - 1;
        }
    }
    (distinct, rows)
}

/// Statistics of distinct pairs of gold and model.
pub(super) struct Pairs<'a> {
    rows: &'a [(f64, f64)],
    statistics: &'a [PairStatistic],
    orders: Option<(Order, Order)>,
    coded: Option<Coded>,
}

impl<'a> Pairs<'a> {
    pub(super) fn new(pairs: &'a [(f64, f64)], statistics: &'a [PairStatistic]) -> Self {
        let (gold, model): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
        let wants = |one| statistics.contains(&PairStatistic::Scores(one));
        let orders = wants(ScoreStatistic::Spearman).then(|| (Order::new(&gold), Order::new(&model)));
        let both = [gold, model].concat();
        let coded = wants(ScoreStatistic::GwetAc2)
            .then(|| Ratings::new(&both, 2, pairs.len()).ok())
            .flatten()
            .map(|ratings| Coded::new(&ratings));
        Self { rows: pairs, statistics, orders, coded }
    }

    fn sum(&self, weights: &[f64], of: impl Fn(f64, f64) -> f64) -> f64 {
        self.rows.iter().zip(weights).map(|((gold, model), weight)| weight * of(*gold, *model)).sum()
    }

    /// Return the nth statistic of weighted pairs.
    pub(super) fn statistic(&self, nth: usize, weights: &[f64]) -> Statistic {
        let total: f64 = weights.iter().sum();
        if total == 0.0 {
            return Err(Undefined::NoItems);
        }
        match *self.statistics.get(nth).ok_or(Undefined::NoItems)? {
            PairStatistic::Verdicts(one) => one.of(&self.confusion(weights)),
            PairStatistic::Scores(one) => self.score(one, weights, total),
        }
    }

    fn score(&self, statistic: ScoreStatistic, weights: &[f64], total: f64) -> Statistic {
        match statistic {
            ScoreStatistic::MeanAbsoluteError => Ok(self.sum(weights, |gold, model| (model - gold).abs()) / total),
            ScoreStatistic::RootMeanSquaredError => {
                Ok((self.sum(weights, |gold, model| (model - gold) * (model - gold)) / total).sqrt())
            }
            ScoreStatistic::Bias => Ok(self.sum(weights, |gold, model| model - gold) / total),
            ScoreStatistic::Spearman => {
                let (gold, model) = self.orders.as_ref().ok_or(Undefined::NoItems)?;
                weighted_spearman(gold, model, weights)
            }
            ScoreStatistic::WeightedKappa => self.weighted_kappa(weights, total),
            ScoreStatistic::GwetAc2 => {
                let coded = self.coded.as_ref().ok_or(Undefined::NoItems)?;
                gwet(coded.items().zip(weights.iter().copied()), coded.values(), Weights::Quadratic)
            }
        }
    }

    fn confusion(&self, weights: &[f64]) -> Confusion {
        let mut counted = Confusion::default();
        for ((gold, model), weight) in self.rows.iter().zip(weights) {
            *counted.cell(*gold == 1.0, *model == 1.0) += whole(*weight);
        }
        counted
    }

    fn weighted_kappa(&self, weights: &[f64], total: f64) -> Statistic {
        let apart = self.sum(weights, |gold, model| (gold - model) * (gold - model));
        let (gold_mean, model_mean) =
            (self.sum(weights, |gold, _| gold) / total, self.sum(weights, |_, model| model) / total);
        let by_chance = self.sum(weights, |gold, _| (gold - gold_mean).powi(2))
            + self.sum(weights, |_, model| (model - model_mean).powi(2))
            + total * (gold_mean - model_mean).powi(2);
        if by_chance > NOTHING * total { Ok(1.0 - apart / by_chance) } else { Err(Undefined::OneValue) }
    }
}

impl Resampled for Pairs<'_> {
    type Room = ();

    fn room(&self) {}

    fn values(&self, weights: &[f64], (): &mut ()) -> Vec<Option<f64>> {
        (0..self.statistics.len()).map(|nth| self.statistic(nth, weights).ok()).collect()
    }
}

/// A weight as the count that it is.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "weights are counts of items")]
fn whole(weight: f64) -> usize {
    weight as usize
}

#[cfg(test)]
mod tests {
    use super::super::pair_statistic::VerdictStatistic;
    use super::super::statistic::real;
    use super::*;

    const SETTINGS: Resampling = Resampling { resamples: 1000, seed: 1, confidence: 0.95 };

    #[test]
    fn intervals_hold_the_value_and_shrink_with_items() {
        let data = |n: usize| -> (Vec<f64>, Vec<f64>) {
            (0..n).map(|nth| (real(nth % 2), real(usize::from(nth % 5 > 1)))).unzip()
        };
        let widths = [40, 4000].map(|n| {
            let (gold, model) = data(n);
            let f1 =
                Confusion::new(gold.iter().zip(&model).map(|(one, other)| (*one == 1.0, *other == 1.0))).f1().unwrap();
            let interval =
                bootstrap_pairs(&gold, &model, &[PairStatistic::Verdicts(VerdictStatistic::F1)], None, &SETTINGS)
                    .unwrap()[0]
                    .clone()
                    .unwrap();
            assert!(interval.low < f1 && f1 < interval.high);
            interval.high - interval.low
        });

        assert!(widths[1] < widths[0] / 5.0);
    }

    #[test]
    fn clusters_that_repeat_an_item_widen_its_interval() {
        let values: Vec<f64> = (0..400).map(|nth| real((nth / 20) % 2)).collect();
        let clusters: Vec<i64> = (0..400).map(|nth| nth / 20).collect();

        let singly = bootstrap_mean(&values, None, &SETTINGS).unwrap().unwrap();
        let together = bootstrap_mean(&values, Some(&clusters), &SETTINGS).unwrap().unwrap();

        assert!(together.high - together.low > 3.0 * (singly.high - singly.low));
    }

    #[test]
    fn patterns_forget_who_gave_a_rating() {
        let values = [1.0, 2.0, f64::NAN, 2.0, 1.0, 3.0];
        let coded = Coded::new(&Ratings::new(&values, 2, 3).unwrap());

        let patterns = Patterns::new(&coded, 3);

        assert_eq!(vec![vec![0, 1], vec![2]], patterns.distinct);
        assert_eq!(vec![0, 0, 1], patterns.rows);
    }
}
