//! The table of ratings: a row for each rater, a column for each item.

use super::statistic::StatsError;

/// Ratings of some items by some raters; NaN where one is missing.
#[derive(Clone, Copy, Debug)]
pub struct Ratings<'a> {
    values: &'a [f64],
    n_raters: usize,
    n_items: usize,
}

impl<'a> Ratings<'a> {
    /// Create ratings from values row by row.
    ///
    /// # Errors
    ///
    /// If the number of values is not raters times items, or a value is infinite.
    pub fn new(values: &'a [f64], n_raters: usize, n_items: usize) -> Result<Self, StatsError> {
        let want = n_raters.saturating_mul(n_items);
        if values.len() != want {
            return Err(StatsError::Length { what: "ratings", got: values.len(), want });
        }
        if let Some(at) = values.iter().position(|value| value.is_infinite()) {
            return Err(StatsError::Infinite { what: "ratings", rater: at / n_items, item: at % n_items });
        }
        Ok(Self { values, n_raters, n_items })
    }

    /// Return the number of raters.
    pub fn n_raters(&self) -> usize {
        self.n_raters
    }

    /// Return the number of items.
    pub fn n_items(&self) -> usize {
        self.n_items
    }

    /// Iterate over the raters' ratings.
    pub(super) fn rows(&self) -> impl Iterator<Item = &'a [f64]> + Clone + use<'a> {
        self.values.chunks_exact(self.n_items.max(1))
    }

    /// Return all values, row by row.
    pub(super) fn values(&self) -> &'a [f64] {
        self.values
    }

    /// Return all values, item by item.
    pub(super) fn by_item(&self) -> Vec<f64> {
        let mut rows: Vec<_> = self.rows().map(<[f64]>::iter).collect();
        let mut values = Vec::with_capacity(self.values.len());
        for _ in 0..self.n_items {
            values.extend(rows.iter_mut().filter_map(Iterator::next));
        }
        values
    }

    /// Return the median of each item's ratings (for an even number, the mean of the middle two); None without ratings.
    pub(super) fn medians(&self) -> Vec<Option<f64>> {
        if self.n_raters == 0 {
            return vec![None; self.n_items];
        }
        let mut present = Vec::with_capacity(self.n_raters);
        self.by_item()
            .chunks_exact(self.n_raters)
            .map(|item| {
                present.clear();
                present.extend(item.iter().copied().filter(|value| !value.is_nan()));
                median(&mut present)
            })
            .collect()
    }

    /// Return the median of each item's ratings, without those of one rater.
    pub(super) fn medians_without(&self, rater: usize) -> Vec<Option<f64>> {
        let mut others = Vec::with_capacity(self.values.len());
        for (nth, row) in self.rows().enumerate() {
            if nth != rater {
                others.extend_from_slice(row);
            }
        }
        Ratings { values: &others, n_raters: self.n_raters.saturating_sub(1), n_items: self.n_items }.medians()
    }

    /// Reject ratings that are not 0 or 1.
    pub(super) fn check_binary(&self, what: &'static str) -> Result<(), StatsError> {
        let wrong = |value: &f64| !(value.is_nan() || *value == 0.0 || *value == 1.0);
        match self.values.iter().copied().enumerate().find(|(_, value)| wrong(value)) {
            None => Ok(()),
            Some((at, value)) => Err(StatsError::Value {
                what,
                at: at % self.n_items,
                value,
                wanted: "0 or 1, or NaN where it is missing",
            }),
        }
    }
}

/// Sort values and return their median; None without values.
pub(super) fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    let upper = values.get(values.len() / 2)?;
    if values.len() % 2 == 1 {
        return Some(*upper);
    }
    Some(f64::midpoint(*values.get(values.len() / 2 - 1)?, *upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_leave_out_what_is_missing() {
        let values = [1.0, f64::NAN, 3.0, 2.0, f64::NAN, 5.0];
        let ratings = Ratings::new(&values, 2, 3).unwrap();

        assert_eq!(vec![Some(1.5), None, Some(4.0)], ratings.medians());
        assert_eq!(vec![Some(2.0), None, Some(5.0)], ratings.medians_without(0));
    }

    #[test]
    fn infinity_is_refused_with_its_place() {
        let error = Ratings::new(&[0.0, 1.0, f64::INFINITY, 1.0], 2, 2).unwrap_err();

        assert_eq!(StatsError::Infinite { what: "ratings", rater: 1, item: 0 }, error);
    }

    #[test]
    fn no_items_and_no_raters_are_fine() {
        assert!(Ratings::new(&[], 3, 0).unwrap().medians().is_empty());
        assert_eq!(vec![None, None], Ratings::new(&[], 0, 2).unwrap().medians());
    }
}
