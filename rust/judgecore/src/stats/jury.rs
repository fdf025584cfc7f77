//! Several judges on the same items: the majority, and the estimation of the truth from the judges' errors.

use super::category::{Coded, MISSING};
use super::ratings::Ratings;
use super::statistic::{StatsError, real};

/// The difference below which shares are equal.
const NOTHING: f64 = 1e-9;

/// The minimum probability, so that logarithms are finite.
const LEAST: f64 = 1e-300;

/// Return the most frequent category of each item; None if there is a tie, or no rating.
pub fn majority(ratings: &Ratings<'_>) -> Vec<Option<f64>> {
    let coded = Coded::new(ratings);
    let mut counts = vec![0.0; coded.values().len()];
    coded
        .items()
        .take(ratings.n_items())
        .map(|item| {
            counts.fill(0.0);
            for code in item {
                if let Some(count) = counts.get_mut(*code as usize) {
                    *count += 1.0;
                }
            }
            coded.values().get(sole_largest(&counts)?).copied()
        })
        .chain((coded.items().len()..ratings.n_items()).map(|_| None))
        .collect()
}

/// Return the index of the largest number; None if two are equally large, or none is above 0.
fn sole_largest(values: &[f64]) -> Option<usize> {
    let (at, largest) = values.iter().copied().enumerate().max_by(|one, other| one.1.total_cmp(&other.1))?;
    let is_sole = values.iter().filter(|value| **value > largest - NOTHING).count() == 1;
    (largest > 0.0 && is_sole).then_some(at)
}

/// The estimate of the truth from the judges' answers, if they err independently.
#[derive(Clone, Debug, PartialEq)]
pub struct DawidSkene {
    /// The categories, ascending.
    pub categories: Vec<f64>,
    /// The probability of each category, item by item; the prevalence for items without ratings.
    pub posterior: Vec<f64>,
    /// The most probable category of each item; None if there is a tie, or no rating.
    pub labels: Vec<Option<f64>>,
    /// The frequency of each category.
    pub prevalence: Vec<f64>,
    /// How often each judge gives each category: judge by judge, and true category by true category; 0 if a judge rated no
    /// item of a category.
    pub confusion: Vec<f64>,
    /// The number of rounds.
    pub n_rounds: usize,
    /// Whether the last round changed the likelihood by less than the tolerance.
    pub has_converged: bool,
    /// The logarithm of the likelihood.
    pub log_likelihood: f64,
}

/// Estimate the truth from the judges' answers by expectation maximisation, starting from the shares of votes.
///
/// The model assumes that judges err independently given the truth. Judges that share a model or a prompt do not, and
/// then the estimate is overconfident.
///
/// # Errors
///
/// If the tolerance is not positive, or there are no rounds.
///
/// # References
///
/// Dawid and Skene (1979), Maximum Likelihood Estimation of Observer Error-Rates Using the EM Algorithm.
pub fn dawid_skene(ratings: &Ratings<'_>, max_rounds: usize, tolerance: f64) -> Result<DawidSkene, StatsError> {
    if tolerance.is_nan() || tolerance <= 0.0 {
        return Err(StatsError::Setting { what: "tolerance", value: tolerance, wanted: "above 0" });
    }
    if max_rounds == 0 {
        return Err(StatsError::Setting { what: "max_rounds", value: 0.0, wanted: "at least 1" });
    }
    let coded = Coded::new(ratings);
    let mut model = Model::new(&coded, ratings);
    let mut likelihood = f64::NEG_INFINITY;
    let (mut n_rounds, mut has_converged) = (0, model.n_categories == 0);
    while n_rounds < max_rounds && !has_converged {
        n_rounds += 1;
        model.estimate_errors(&coded);
        let now = model.estimate_truth(&coded);
        has_converged = (now - likelihood).abs() <= tolerance * now.abs().max(1.0);
        likelihood = now;
    }
    let labels = coded
        .items()
        .zip(model.posterior.chunks_exact(model.n_categories.max(1)))
        .map(|(item, shares)| {
            let is_rated = item.iter().any(|code| *code != MISSING);
            coded.values().get(sole_largest(shares).filter(|_| is_rated)?).copied()
        })
        .collect::<Vec<_>>();
    let labels = if labels.is_empty() { vec![None; ratings.n_items()] } else { labels };
    Ok(DawidSkene {
        categories: coded.values().to_vec(),
        posterior: model.posterior,
        labels,
        prevalence: model.prevalence,
        confusion: model.confusion,
        n_rounds,
        has_converged,
        log_likelihood: if likelihood.is_finite() { likelihood } else { 0.0 },
    })
}

/// The state of the estimation.
struct Model {
    n_categories: usize,
    posterior: Vec<f64>,
    prevalence: Vec<f64>,
    confusion: Vec<f64>,
}

impl Model {
    /// Start with the shares of votes, or equal shares for an item without votes.
    fn new(coded: &Coded, ratings: &Ratings<'_>) -> Self {
        let n_categories = coded.values().len();
        let mut posterior = vec![0.0; n_categories * ratings.n_items()];
        for (item, shares) in coded.items().zip(posterior.chunks_exact_mut(n_categories.max(1))) {
            let n_ratings = item.iter().filter(|code| **code != MISSING).count();
            if n_ratings == 0 {
                shares.fill(1.0 / real(n_categories));
            }
            for code in item {
                if let Some(share) = shares.get_mut(*code as usize) {
                    *share += 1.0 / real(n_ratings);
                }
            }
        }
        Self {
            n_categories,
            posterior,
            prevalence: vec![0.0; n_categories],
            confusion: vec![0.0; ratings.n_raters() * n_categories * n_categories],
        }
    }

    /// Estimate the prevalence and the judges' errors from the current truth (M step).
    fn estimate_errors(&mut self, coded: &Coded) {
        let k = self.n_categories;
        self.prevalence.fill(0.0);
        self.confusion.fill(0.0);
        for (item, shares) in coded.items().zip(self.posterior.chunks_exact(k)) {
            if item.iter().all(|code| *code == MISSING) {
                continue;
            }
            for (frequency, share) in self.prevalence.iter_mut().zip(shares) {
                *frequency += share;
            }
            for (code, table) in item.iter().zip(self.confusion.chunks_exact_mut(k * k)) {
                for (given, share) in table.chunks_exact_mut(k).zip(shares) {
                    if let Some(times) = given.get_mut(*code as usize) {
                        *times += share;
                    }
                }
            }
        }
        scale(&mut self.prevalence);
        self.confusion.chunks_exact_mut(k).for_each(scale);
    }

    /// Estimate the truth from the current errors (E step). Return the logarithm of the likelihood.
    fn estimate_truth(&mut self, coded: &Coded) -> f64 {
        let k = self.n_categories;
        let of_prevalence: Vec<f64> = self.prevalence.iter().map(|one| one.max(LEAST).ln()).collect();
        let of_errors: Vec<f64> = self.confusion.iter().map(|one| one.max(LEAST).ln()).collect();
        let mut likelihood = 0.0;
        for (item, shares) in coded.items().zip(self.posterior.chunks_exact_mut(k)) {
            shares.copy_from_slice(&of_prevalence);
            for (code, table) in item.iter().zip(of_errors.chunks_exact(k * k)) {
                for (share, given) in shares.iter_mut().zip(table.chunks_exact(k)) {
                    *share += given.get(*code as usize).copied().unwrap_or_default();
                }
            }
            let largest = shares.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let sum: f64 = shares.iter().map(|share| (share - largest).exp()).sum();
            if item.iter().any(|code| *code != MISSING) {
                likelihood += largest + sum.ln();
            }
            for share in shares.iter_mut() {
                *share = (*share - largest).exp() / sum;
            }
        }
        likelihood
    }
}

/// Normalize counts to shares; zeros stay zeros.
fn scale(counts: &mut [f64]) {
    let total: f64 = counts.iter().sum();
    if total > 0.0 {
        for count in counts {
            *count /= total;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAN: f64 = f64::NAN;

    #[test]
    fn a_tie_is_no_majority() {
        let values = [1.0, 1.0, 0.0, NAN, 1.0, 0.0, 0.0, NAN, 0.0, NAN, 1.0, NAN];
        let ratings = Ratings::new(&values, 3, 4).unwrap();

        assert_eq!(vec![Some(1.0), None, Some(0.0), None], majority(&ratings));
    }

    #[test]
    fn a_judge_that_says_the_opposite_is_found_out() {
        let truth: Vec<f64> = (0..60).map(|nth| f64::from(u8::from(nth % 3 == 0))).collect();
        let opposite: Vec<f64> = truth.iter().map(|one| 1.0 - one).collect();
        let slips: Vec<f64> =
            truth.iter().zip(0..).map(|(one, nth)| if nth % 10 == 0 { 1.0 - one } else { *one }).collect();
        let values = [truth.clone(), slips, opposite].concat();

        let found = dawid_skene(&Ratings::new(&values, 3, 60).unwrap(), 100, 1e-9).unwrap();

        assert!(found.has_converged);
        assert_eq!(truth.iter().copied().map(Some).collect::<Vec<_>>(), found.labels);
        assert!(found.confusion[8] < 0.01 && found.confusion[9] > 0.99);
    }

    #[test]
    fn nothing_rated_gives_no_labels() {
        let found = dawid_skene(&Ratings::new(&[NAN, NAN], 1, 2).unwrap(), 10, 1e-6).unwrap();

        assert_eq!((vec![None, None], 0), (found.labels, found.n_rounds));
    }
}
