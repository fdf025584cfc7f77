//! Chance-corrected agreement: Cohen's kappa of two raters, and Gwet's coefficients of many.

use super::category::{Coded, MISSING};
use super::ratings::Ratings;
use super::statistic::{Statistic, StatsError, Undefined, real};

/// The partial agreement of two unequal ratings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// None.
    Identity,
    /// Decreases linearly with their distance.
    Linear,
    /// Decreases with their squared distance.
    Quadratic,
}

impl Weights {
    /// Return the weights with a name.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "identity" => Self::Identity,
            "linear" => Self::Linear,
            "quadratic" => Self::Quadratic,
            _ => return None,
        })
    }

    /// Return the distance of two values, not normalized.
    fn distance(self, one: f64, other: f64) -> f64 {
        match self {
            Self::Identity => f64::from(u8::from(one != other)),
            Self::Linear => (one - other).abs(),
            Self::Quadratic => (one - other) * (one - other),
        }
    }
}

/// Compute Cohen's kappa, the chance-corrected agreement of two raters, from -1 to 1.
///
/// Items that one of them did not rate are left out. It is undefined if both give all items the same value.
///
/// # Errors
///
/// If the numbers of ratings differ.
///
/// # References
///
/// Cohen (1960), A Coefficient of Agreement for Nominal Scales.
pub fn cohen_kappa(first: &[f64], second: &[f64]) -> Result<Statistic, StatsError> {
    weighted_kappa(first, second, Weights::Identity)
}

/// Compute weighted kappa, from -1 to 1, in which ratings agree less the further apart they are.
///
/// Distances are those of the values, also if not all values of a scale occur. Items that one rater did not rate are
/// left out. It is undefined if both give all items the same value.
///
/// # Errors
///
/// If the numbers of ratings differ.
///
/// # References
///
/// Cohen (1968), Weighted Kappa.
pub fn weighted_kappa(first: &[f64], second: &[f64], weights: Weights) -> Result<Statistic, StatsError> {
    let coded = code_pair(first, second)?;
    let values = coded.values();
    let mut margins = [vec![0.0; values.len()], vec![0.0; values.len()]];
    let (mut total, mut observed) = (0.0, 0.0);
    for item in coded.items() {
        let [one, other] = item else { continue };
        let (Some(from), Some(to)) = (values.get(*one as usize), values.get(*other as usize)) else { continue };
        total += 1.0;
        observed += weights.distance(*from, *to);
        for (margin, code) in margins.iter_mut().zip(item) {
            if let Some(count) = margin.get_mut(*code as usize) {
                *count += 1.0;
            }
        }
    }
    if total == 0.0 {
        return Ok(Err(Undefined::NoItems));
    }
    let [one, other] = &margins;
    let expected = mean_distance(values, one, other, weights) / total;
    Ok(if expected <= 0.0 { Err(Undefined::OneValue) } else { Ok(1.0 - observed / expected) })
}

/// Code both raters' ratings with the same categories. If one did not rate an item, both ratings are missing.
fn code_pair(first: &[f64], second: &[f64]) -> Result<Coded, StatsError> {
    if first.len() != second.len() {
        return Err(StatsError::Length { what: "second", got: second.len(), want: first.len() });
    }
    let mut both: Vec<f64> = Vec::with_capacity(first.len() * 2);
    both.extend(first.iter().zip(second).map(|(one, other)| if other.is_nan() { f64::NAN } else { *one }));
    both.extend(second.iter().zip(first).map(|(one, other)| if other.is_nan() { f64::NAN } else { *one }));
    Ok(Coded::new(&Ratings::new(&both, 2, first.len())?))
}

/// Return the mean distance between all of one side and all of the other; values ascend.
fn mean_distance(values: &[f64], one: &[f64], other: &[f64], weights: Weights) -> f64 {
    let (n_one, n_other): (f64, f64) = (one.iter().sum(), other.iter().sum());
    match weights {
        Weights::Identity => n_one * n_other - one.iter().zip(other).map(|(here, there)| here * there).sum::<f64>(),
        Weights::Linear => {
            // A gap between neighbouring values counts for all pairs with one rating below and the other above it.
            let (mut below_one, mut below_other, mut sum) = (0.0, 0.0, 0.0);
            let gaps = values.iter().zip(values.iter().skip(1)).map(|(low, high)| high - low);
            for ((here, there), gap) in one.iter().zip(other).zip(gaps) {
                below_one += here;
                below_other += there;
                sum += gap * (below_one * (n_other - below_other) + below_other * (n_one - below_one));
            }
            sum
        }
        Weights::Quadratic => {
            let middle = values.iter().zip(one).map(|(value, count)| value * count).sum::<f64>() / n_one;
            let moments = |counts: &[f64]| {
                values.iter().zip(counts).fold((0.0, 0.0), |(first, second), (value, count)| {
                    let from_middle = value - middle;
                    (first + count * from_middle, second + count * from_middle * from_middle)
                })
            };
            let (a, b) = (moments(one), moments(other));
            n_other * a.1 + n_one * b.1 - 2.0 * a.0 * b.0
        }
    }
}

/// Compute Gwet's chance-corrected agreement of many raters, from -1 to 1, which depends little on prevalence.
///
/// With [`Weights::Identity`] this is AC1, else AC2. `categories` are all possible ones, including unused ones; if empty,
/// those that occur. It is undefined if no item has two ratings, or there is only one category.
///
/// # Errors
///
/// If categories are given and a rating is not among them.
///
/// # References
///
/// Gwet (2008), Computing inter-rater reliability and its variance in the presence of high agreement; Gwet (2014),
/// Handbook of Inter-Rater Reliability, for missing ratings and weights.
pub fn gwet_agreement(ratings: &Ratings<'_>, weights: Weights, categories: &[f64]) -> Result<Statistic, StatsError> {
    let coded = with_categories(ratings, categories)?;
    Ok(gwet(coded.items().take(ratings.n_items()).map(|item| (item, 1.0)), coded.values(), weights))
}

/// Code ratings with all categories, including unused ones.
fn with_categories(ratings: &Ratings<'_>, categories: &[f64]) -> Result<Coded, StatsError> {
    if categories.is_empty() {
        return Ok(Coded::new(ratings));
    }
    let near = |value: f64| categories.iter().any(|one| (one - value).abs() <= 1e-9 * one.abs().max(1.0));
    if let Some((at, value)) =
        ratings.values().iter().copied().enumerate().find(|(_, value)| !value.is_nan() && !near(*value))
    {
        let at = at % ratings.n_items();
        return Err(StatsError::Value { what: "ratings", at, value, wanted: "one of the categories" });
    }
    // Append artificial items that contain each category once.
    let n_items = ratings.n_items() + categories.len();
    let mut values = Vec::with_capacity(ratings.n_raters() * n_items);
    for (nth, row) in ratings.rows().enumerate() {
        values.extend_from_slice(row);
        values.extend(categories.iter().map(|category| if nth == 0 { *category } else { f64::NAN }));
    }
    Ok(Coded::new(&Ratings::new(&values, ratings.n_raters(), n_items)?))
}

/// Compute Gwet's coefficient of weighted items.
pub(super) fn gwet<'a>(items: impl Iterator<Item = (&'a [u32], f64)>, values: &[f64], weights: Weights) -> Statistic {
    let mut shares = vec![0.0; values.len()];
    let (mut n_rated, mut n_pairable, mut agreed) = (0.0, 0.0, 0.0);
    let extent = match (values.first(), values.last()) {
        (Some(low), Some(high)) => weights.distance(*low, *high),
        _ => 0.0,
    };
    for (item, times) in items {
        let given = item.iter().filter(|code| **code != MISSING);
        let n_ratings = given.clone().count();
        if n_ratings == 0 || times == 0.0 {
            continue;
        }
        n_rated += times;
        for code in given.clone() {
            if let Some(share) = shares.get_mut(*code as usize) {
                *share += times / real(n_ratings);
            }
        }
        if n_ratings >= 2 {
            n_pairable += times;
            let known = given.filter_map(|code| values.get(*code as usize));
            let apart: f64 = known
                .clone()
                .enumerate()
                .map(|(nth, one)| known.clone().skip(nth + 1).map(|other| weights.distance(*one, *other)).sum::<f64>())
                .sum();
            let pairs = real(n_ratings * (n_ratings - 1)) / 2.0;
            agreed += times * (1.0 - if extent > 0.0 { apart / extent / pairs } else { 0.0 });
        }
    }
    if n_pairable == 0.0 {
        return Err(Undefined::NoPairs);
    }
    // The square of a tiny distance is 0, and then nothing is apart.
    if values.len() < 2 || extent <= 0.0 {
        return Err(Undefined::OneCategory);
    }
    let n_categories = real(values.len());
    let ones = vec![1.0; values.len()];
    let total_weight = n_categories * n_categories - mean_distance(values, &ones, &ones, weights) / extent;
    let spread: f64 = shares.iter().map(|share| share / n_rated).map(|share| share * (1.0 - share)).sum();
    let chance = total_weight * spread / (n_categories * (n_categories - 1.0));
    Ok((agreed / n_pairable - chance) / (1.0 - chance))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kappa_of_constant_raters_is_undefined() {
        assert_eq!(Err(Undefined::OneValue), cohen_kappa(&[1.0, 1.0], &[1.0, 1.0]).unwrap());
        assert_eq!(Err(Undefined::NoItems), cohen_kappa(&[1.0, f64::NAN], &[f64::NAN, 1.0]).unwrap());
    }

    #[test]
    fn kappa_of_cohens_table_holds() {
        // Two judges, 50 applications: 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no.
        let counts = [(1.0, 1.0, 20), (1.0, 0.0, 5), (0.0, 1.0, 10), (0.0, 0.0, 15)];
        let pairs: Vec<(f64, f64)> =
            counts.iter().flat_map(|(one, other, times)| vec![(*one, *other); *times]).collect();
        let (first, second): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();

        let kappa = cohen_kappa(&first, &second).unwrap().unwrap();

        assert!((kappa - 0.4).abs() < 1e-12);
    }

    #[test]
    fn a_category_that_nobody_used_counts_when_it_is_named() {
        let ratings = Ratings::new(&[1.0, 1.0, 1.0, 1.0], 2, 2).unwrap();

        assert_eq!(Err(Undefined::OneCategory), gwet_agreement(&ratings, Weights::Identity, &[]).unwrap());
        assert_eq!(Ok(1.0), gwet_agreement(&ratings, Weights::Identity, &[0.0, 1.0]).unwrap());
        assert!(gwet_agreement(&ratings, Weights::Identity, &[0.0, 2.0]).is_err());
    }

    #[test]
    fn values_whose_squared_distance_is_0_are_one_category() {
        let ratings = Ratings::new(&[0.0, 1e-250], 2, 1).unwrap();

        assert_eq!(Err(Undefined::OneCategory), gwet_agreement(&ratings, Weights::Quadratic, &[]).unwrap());
        assert!(gwet_agreement(&ratings, Weights::Linear, &[]).unwrap().is_ok());
    }
}
