//! Results as dictionaries: fields that are written one by one, and the reasons of those that are None.

use judgecore::stats::{Calibration, Ceiling, Confusion, IntervalOutcome, Statistic, Undefined};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// A result by field.
pub(crate) type Record<'py> = Bound<'py, PyDict>;
/// Low, high, confidence and method of an interval.
pub(crate) type Ends = (f64, f64, f64, &'static str);

pub(crate) fn to_ends(found: &IntervalOutcome) -> Option<Ends> {
    found.as_ref().ok().map(|one| (one.low, one.high, one.confidence, one.method))
}

/// Fields that are written one by one, beside the reasons of those that are None.
pub(crate) struct Writer<'py> {
    fields: Record<'py>,
    undefined: Record<'py>,
    /// What stands before a field's name among the reasons.
    prefix: String,
}

impl<'py> Writer<'py> {
    pub(crate) fn new(py: Python<'py>) -> Self {
        Self { fields: PyDict::new(py), undefined: PyDict::new(py), prefix: String::new() }
    }

    fn py(&self) -> Python<'py> {
        self.fields.py()
    }

    /// A writer of a field's own fields.
    pub(crate) fn inside(&self, name: &str) -> PyResult<Self> {
        let inner = Self {
            fields: PyDict::new(self.py()),
            undefined: self.undefined.clone(),
            prefix: format!("{}{name}.", self.prefix),
        };
        self.fields.set_item(name, &inner.fields)?;
        Ok(inner)
    }

    pub(crate) fn set(&self, name: &str, value: impl IntoPyObject<'py>) -> PyResult<&Self> {
        self.fields.set_item(name, value)?;
        Ok(self)
    }

    pub(crate) fn counts(&self, counts: &[(&str, usize)]) -> PyResult<&Self> {
        for (name, count) in counts {
            self.set(name, *count)?;
        }
        Ok(self)
    }

    pub(crate) fn statistics<const N: usize>(&self, found: [(&str, &Statistic); N]) -> PyResult<&Self> {
        for (name, value) in found {
            self.explain(name, value.as_ref().err())?.set(name, value.as_ref().ok())?;
        }
        Ok(self)
    }

    pub(crate) fn interval(&self, name: &str, found: &IntervalOutcome) -> PyResult<&Self> {
        self.explain(name, found.as_ref().err())?.set(name, to_ends(found))
    }

    pub(crate) fn intervals(&self, found: &[(&'static str, IntervalOutcome)]) -> PyResult<&Self> {
        let inner = self.inside("intervals")?;
        for (name, interval) in found {
            inner.interval(name, interval)?;
        }
        Ok(self)
    }

    /// Two numbers that are defined or not together.
    pub(crate) fn pair(&self, names: [&str; 2], found: &Result<(f64, f64), Undefined>) -> PyResult<&Self> {
        let [first, second] = names;
        let reason = found.as_ref().err();
        self.explain(first, reason)?.set(first, found.as_ref().ok().map(|pair| pair.0))?;
        self.explain(second, reason)?.set(second, found.as_ref().ok().map(|pair| pair.1))
    }

    pub(crate) fn explain(&self, name: &str, reason: Option<&Undefined>) -> PyResult<&Self> {
        if let Some(reason) = reason {
            self.undefined.set_item(format!("{}{name}", self.prefix), reason.to_string())?;
        }
        Ok(self)
    }

    pub(crate) fn confusion(&self, name: &str, counted: &Confusion) -> PyResult<&Self> {
        self.inside(name)?.counts(&[
            ("true_positives", counted.true_positives),
            ("false_positives", counted.false_positives),
            ("false_negatives", counted.false_negatives),
            ("true_negatives", counted.true_negatives),
        ])?;
        Ok(self)
    }

    pub(crate) fn ceiling(&self, found: &Ceiling) -> PyResult<&Self> {
        let inner = self.inside("human_ceiling")?;
        inner.statistics([("mean", &found.mean)])?;
        let values: Vec<Option<f64>> = found.per_rater.iter().map(|one| one.as_ref().ok().copied()).collect();
        for (nth, value) in found.per_rater.iter().enumerate() {
            inner.explain(&format!("per_rater.{nth}"), value.as_ref().err())?;
        }
        inner.set("per_rater", values)?;
        Ok(self)
    }

    pub(crate) fn calibration(&self, found: &Calibration) -> PyResult<&Self> {
        self.set("num_items", found.n_items)?
            .statistics([("expected_calibration_error", &found.expected_error), ("brier", &found.brier)])?;
        let bins = PyList::empty(self.py());
        for bin in &found.bins {
            bins.append((bin.low, bin.high, bin.count, bin.mean_probability, bin.observed_rate))?;
        }
        self.set("bins", bins)
    }

    /// The fields alone, of a result in which nothing can be undefined.
    pub(crate) fn into_fields(self) -> Record<'py> {
        self.fields
    }

    /// The fields, and the reasons of those that are None.
    pub(crate) fn finish(self) -> PyResult<Record<'py>> {
        self.fields.set_item("undefined", self.undefined)?;
        Ok(self.fields)
    }
}
