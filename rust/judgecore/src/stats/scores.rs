//! Bootstrap intervals of what scores and probabilities are measured by.

use super::bootstrap::keep;
use super::classification::{Calibration, auroc, calibration};
use super::resampling::Resampling;
use super::resampling::{Resampled, Units};
use super::statistic::real;
use super::statistic::{IntervalOutcome, Statistic, StatsError, Undefined};

/// The quality of probabilities, with intervals.
#[derive(Clone, Debug, PartialEq)]
pub struct Probabilities {
    /// The area under the ROC curve.
    pub auroc: Statistic,
    /// Its interval.
    pub auroc_interval: IntervalOutcome,
    /// Calibration.
    pub calibration: Calibration,
    /// The interval of Brier's score.
    pub brier_interval: IntervalOutcome,
    /// The interval of the expected calibration error.
    pub expected_calibration_error_interval: IntervalOutcome,
}

/// How well probabilities tell true items from false ones, and how often they are right.
///
/// Items without a probability or label are left out; items of one cluster are drawn together.
///
/// # Errors
///
/// As [`auroc`] and [`calibration`]; also if a setting is outside its range.
pub fn probabilities(
    labels: &[f64],
    scores: &[f64],
    n_bins: usize,
    clusters: Option<&[i64]>,
    resampling: &Resampling,
) -> Result<Probabilities, StatsError> {
    resampling.check()?;
    let (area, calibrated) = (auroc(labels, scores)?, calibration(labels, scores, n_bins)?);
    let is_kept = |(label, score): (&f64, &f64)| !label.is_nan() && !score.is_nan();
    let clusters = keep(clusters, labels.iter().zip(scores).map(is_kept))?;
    let mut pairs: Vec<(bool, f64)> = Vec::new();
    pairs.extend(
        labels
            .iter()
            .zip(scores)
            .filter(|(one, other)| is_kept((one, other)))
            .map(|(one, other)| (*one == 1.0, *other)),
    );
    let none = |reason: &Undefined| Err(reason.clone());
    if pairs.is_empty() {
        let reason = Undefined::NoItems;
        return Ok(Probabilities {
            auroc: area,
            auroc_interval: none(&reason),
            calibration: calibrated,
            brier_interval: none(&reason),
            expected_calibration_error_interval: none(&reason),
        });
    }
    let mut order: Vec<usize> = (0..pairs.len()).collect();
    order.sort_by(|one, other| {
        let value = |at: &usize| pairs.get(*at).map_or(0.0, |pair| pair.1);
        value(one).total_cmp(&value(other))
    });
    let edges: Vec<f64> = (1..n_bins).map(|nth| real(nth) / real(n_bins)).collect();
    let bins = pairs.iter().map(|(_, score)| edges.partition_point(|edge| edge < score)).collect();
    let units = Units::new((0..pairs.len()).collect(), pairs.len(), clusters.as_deref())?;
    let drawn = resampling.draw(&units, &Scores { pairs: &pairs, order, bins, n_bins });
    let interval = |nth: usize| resampling.interval(drawn.iter().map(|one| one.get(nth).copied().flatten()));
    Ok(Probabilities {
        auroc_interval: area.clone().and_then(|_| interval(0)),
        auroc: area,
        calibration: calibrated,
        brier_interval: interval(1),
        expected_calibration_error_interval: interval(2),
    })
}

struct Scores<'a> {
    pairs: &'a [(bool, f64)],
    /// Items by ascending score.
    order: Vec<usize>,
    /// The bin of each item.
    bins: Vec<usize>,
    n_bins: usize,
}

impl Scores<'_> {
    fn area(&self, weights: &[f64]) -> Option<f64> {
        let (mut positives, mut below, mut won) = (0.0, 0.0, 0.0);
        let sorted = self.order.iter().filter_map(|at| Some((self.pairs.get(*at)?, weights.get(*at)?)));
        let (mut last, mut true_here, mut false_here) = (f64::NEG_INFINITY, 0.0, 0.0);
        for ((label, score), weight) in sorted {
            if *score > last {
                won += true_here * (below + false_here / 2.0);
                below += false_here;
                (last, true_here, false_here) = (*score, 0.0, 0.0);
            }
            if *label {
                true_here += weight;
                positives += weight;
            } else {
                false_here += weight;
            }
        }
        won += true_here * (below + false_here / 2.0);
        below += false_here;
        (positives > 0.0 && below > 0.0).then(|| won / (positives * below))
    }
}

impl Resampled for Scores<'_> {
    /// For each bin, the weighted sum of labels less probabilities.
    type Room = Vec<f64>;

    fn room(&self) -> Vec<f64> {
        vec![0.0; self.n_bins]
    }

    fn values(&self, weights: &[f64], room: &mut Vec<f64>) -> Vec<Option<f64>> {
        room.fill(0.0);
        let (mut total, mut squares) = (0.0, 0.0);
        for (((label, score), weight), bin) in self.pairs.iter().zip(weights).zip(&self.bins) {
            let difference = f64::from(u8::from(*label)) - score;
            total += weight;
            squares += weight * difference * difference;
            if let Some(sum) = room.get_mut(*bin) {
                *sum += weight * difference;
            }
        }
        let apart: f64 = room.iter().map(|sum| sum.abs()).sum();
        let mean = |sum: f64| (total > 0.0).then(|| sum / total);
        vec![self.area(weights), mean(squares), mean(apart)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_one_give_the_values_themselves() {
        let labels = [1.0, 0.0, 1.0, 0.0, 1.0, 0.0];
        let scores = [0.9, 0.4, 0.4, 0.1, 0.65, 0.7];
        let settings = Resampling { resamples: 10, ..Resampling::default() };
        let found = probabilities(&labels, &scores, 5, None, &settings).unwrap();
        let pairs: Vec<(bool, f64)> = labels.iter().zip(scores).map(|(label, score)| (*label == 1.0, score)).collect();
        let mut order: Vec<usize> = (0..6).collect();
        order.sort_by(|one, other| scores[*one].total_cmp(&scores[*other]));
        let bins =
            scores.iter().map(|score| [0.2, 0.4, 0.6, 0.8].iter().filter(|edge| **edge < *score).count()).collect();

        let values = Scores { pairs: &pairs, order, bins, n_bins: 5 }.values(&[1.0; 6], &mut vec![0.0; 5]);

        assert_eq!(found.auroc.ok(), values[0]);
        assert!((found.calibration.brier.unwrap() - values[1].unwrap()).abs() < 1e-12);
        assert!((found.calibration.expected_calibration_error.unwrap() - values[2].unwrap()).abs() < 1e-12);
    }
}
