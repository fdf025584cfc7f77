//! Statistics over `NumPy` arrays, as plain values and the reasons of those that are None.

#![expect(clippy::needless_pass_by_value, reason = "the borrow of an array comes by value")]

use judgecore::stats::{
    self, Game, IntervalOutcome, Level, McNemarMethod, PairStatistic, Ratings, Resampling, Statistic, StatsError,
    Weights,
};
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::record::{Ends, Record, to_ends, to_record};

type Row<'py> = PyReadonlyArray1<'py, f64>;
type Table<'py> = PyReadonlyArray2<'py, f64>;
type Groups<'py> = PyReadonlyArray1<'py, i64>;
/// A value or None, and why it is None.
type Scalar = (Option<f64>, Option<String>);
/// An interval or None, and why it is None.
type Bounds = (Option<Ends>, Option<String>);
/// The number of resamples, the seed and the confidence.
type Settings = (usize, u64, f64);

fn to_py_err(problem: &StatsError) -> PyErr {
    PyValueError::new_err(problem.to_string())
}

fn to_scalar(found: Statistic) -> Scalar {
    let reason = found.as_ref().err().map(ToString::to_string);
    (found.ok(), reason)
}

fn to_bounds(found: &IntervalOutcome) -> Bounds {
    (found.as_ref().ok().map(to_ends), found.as_ref().err().map(ToString::to_string))
}

fn to_resampling((resamples, seed, confidence): Settings) -> Resampling {
    Resampling { resamples, seed, confidence }
}

fn named<T>(found: Option<T>, name: &str, what: &str) -> PyResult<T> {
    found.ok_or_else(|| PyValueError::new_err(format!("no {what} is called {name:?}")))
}

fn to_statistic(name: &str) -> PyResult<PairStatistic> {
    PairStatistic::named(name).ok_or_else(|| {
        let known: Vec<&str> = PairStatistic::all().map(PairStatistic::name).collect();
        PyValueError::new_err(format!("no statistic is called {name:?}; there are {}", known.join(", ")))
    })
}

/// What is borrowed of a table: its values, and how many rows and columns it has.
fn borrow<'a>(table: &'a Table<'_>) -> PyResult<(&'a [f64], usize, usize)> {
    let [n_rows, n_columns] = *table.shape() else { return Err(PyValueError::new_err("two dimensions are needed")) };
    Ok((table.as_slice()?, n_rows, n_columns))
}

fn borrow_groups<'a>(groups: Option<&'a Groups<'_>>) -> PyResult<Option<&'a [i64]>> {
    Ok(groups.map(PyReadonlyArray1::as_slice).transpose()?)
}

/// Compute without the GIL.
fn compute<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T, StatsError> + Send) -> PyResult<T> {
    py.detach(work).map_err(|problem| to_py_err(&problem))
}

/// The metrics of true-or-false verdicts.
#[pyfunction]
#[pyo3(signature = (human, model, probabilities, bins, clusters, resampling, /))]
pub(crate) fn objective_metrics<'py>(
    py: Python<'py>,
    human: Table<'py>,
    model: Table<'py>,
    probabilities: Option<Row<'py>>,
    bins: usize,
    clusters: Option<Groups<'py>>,
    resampling: Settings,
) -> PyResult<Record<'py>> {
    let (human, model) = (borrow(&human)?, borrow(&model)?);
    let scores = probabilities.as_ref().map(PyReadonlyArray1::as_slice).transpose()?;
    let clusters = borrow_groups(clusters.as_ref())?;
    let found = compute(py, || {
        let (human, model) = (Ratings::new(human.0, human.1, human.2)?, Ratings::new(model.0, model.1, model.2)?);
        stats::objective_metrics(&human, &model, scores, bins, clusters, &to_resampling(resampling))
    })?;
    to_record(py, &found)
}

/// The metrics of scores.
#[pyfunction]
#[pyo3(signature = (human, model, scale, clusters, resampling, /))]
pub(crate) fn harm_metrics<'py>(
    py: Python<'py>,
    human: Table<'py>,
    model: Table<'py>,
    scale: (f64, f64),
    clusters: Option<Groups<'py>>,
    resampling: Settings,
) -> PyResult<Record<'py>> {
    let (human, model) = (borrow(&human)?, borrow(&model)?);
    let clusters = borrow_groups(clusters.as_ref())?;
    let found = compute(py, || {
        let (human, model) = (Ratings::new(human.0, human.1, human.2)?, Ratings::new(model.0, model.1, model.2)?);
        stats::harm_metrics(&human, &model, scale, clusters, &to_resampling(resampling))
    })?;
    to_record(py, &found)
}

/// Krippendorff's alpha.
#[pyfunction]
#[pyo3(signature = (ratings, level, /))]
pub(crate) fn krippendorff_alpha(py: Python<'_>, ratings: Table<'_>, level: &str) -> PyResult<Scalar> {
    let (values, n_raters, n_items) = borrow(&ratings)?;
    let level = named(Level::named(level), level, "level")?;
    let alpha = || stats::krippendorff_alpha(&Ratings::new(values, n_raters, n_items)?, level);
    compute(py, alpha).map(to_scalar)
}

/// Cohen's kappa with weights.
#[pyfunction]
#[pyo3(signature = (first, second, weights, /))]
pub(crate) fn weighted_kappa(py: Python<'_>, first: Row<'_>, second: Row<'_>, weights: &str) -> PyResult<Scalar> {
    let (first, second) = (first.as_slice()?, second.as_slice()?);
    let weights = named(Weights::named(weights), weights, "weights")?;
    compute(py, || stats::weighted_kappa(first, second, weights)).map(to_scalar)
}

/// Gwet's AC1 or AC2.
#[pyfunction]
#[pyo3(signature = (ratings, weights, categories, /))]
pub(crate) fn gwet_agreement(
    py: Python<'_>,
    ratings: Table<'_>,
    weights: &str,
    categories: Vec<f64>,
) -> PyResult<Scalar> {
    let (values, n_raters, n_items) = borrow(&ratings)?;
    let weights = named(Weights::named(weights), weights, "weights")?;
    let agreement = || stats::gwet_agreement(&Ratings::new(values, n_raters, n_items)?, weights, &categories);
    compute(py, agreement).map(to_scalar)
}

/// A statistic of gold and model.
#[pyfunction]
#[pyo3(signature = (human, model, statistic, /))]
pub(crate) fn pair_statistic(py: Python<'_>, human: Row<'_>, model: Row<'_>, statistic: &str) -> PyResult<Scalar> {
    let (human, model) = (human.as_slice()?, model.as_slice()?);
    let statistic = to_statistic(statistic)?;
    compute(py, || stats::pair_statistic(human, model, statistic)).map(to_scalar)
}

/// Spearman's correlation.
#[pyfunction]
#[pyo3(signature = (first, second, /))]
pub(crate) fn spearman(py: Python<'_>, first: Row<'_>, second: Row<'_>) -> PyResult<Scalar> {
    let (first, second) = (first.as_slice()?, second.as_slice()?);
    compute(py, || stats::spearman(first, second)).map(to_scalar)
}

/// The area under the ROC curve.
#[pyfunction]
#[pyo3(signature = (labels, scores, /))]
pub(crate) fn auroc(py: Python<'_>, labels: Row<'_>, scores: Row<'_>) -> PyResult<Scalar> {
    let (labels, scores) = (labels.as_slice()?, scores.as_slice()?);
    compute(py, || stats::auroc(labels, scores)).map(to_scalar)
}

/// How well probabilities tell how often they are right.
#[pyfunction]
#[pyo3(signature = (labels, probabilities, bins, /))]
pub(crate) fn calibration<'py>(
    py: Python<'py>,
    labels: Row<'py>,
    probabilities: Row<'py>,
    bins: usize,
) -> PyResult<Record<'py>> {
    let (labels, probabilities) = (labels.as_slice()?, probabilities.as_slice()?);
    let found = compute(py, || stats::calibration(labels, probabilities, bins))?;
    to_record(py, &found)
}

/// Wilson's interval.
#[pyfunction]
#[pyo3(signature = (successes, trials, confidence, /))]
pub(crate) fn wilson_interval(successes: usize, trials: usize, confidence: f64) -> PyResult<Bounds> {
    stats::wilson(successes, trials, confidence).map(|found| to_bounds(&found)).map_err(|problem| to_py_err(&problem))
}

/// The bootstrap interval of a mean.
#[pyfunction]
#[pyo3(signature = (values, clusters, resampling, /))]
pub(crate) fn bootstrap_mean(
    py: Python<'_>,
    values: Row<'_>,
    clusters: Option<Groups<'_>>,
    resampling: Settings,
) -> PyResult<Bounds> {
    let (values, clusters) = (values.as_slice()?, borrow_groups(clusters.as_ref())?);
    let interval = || stats::bootstrap_mean(values, clusters, &to_resampling(resampling));
    compute(py, interval).map(|found| to_bounds(&found))
}

/// The bootstrap interval of Krippendorff's alpha.
#[pyfunction]
#[pyo3(signature = (ratings, level, clusters, resampling, /))]
pub(crate) fn bootstrap_alpha(
    py: Python<'_>,
    ratings: Table<'_>,
    level: &str,
    clusters: Option<Groups<'_>>,
    resampling: Settings,
) -> PyResult<Bounds> {
    let ((values, n_raters, n_items), clusters) = (borrow(&ratings)?, borrow_groups(clusters.as_ref())?);
    let level = named(Level::named(level), level, "level")?;
    let interval = || {
        let ratings = Ratings::new(values, n_raters, n_items)?;
        stats::bootstrap_alpha(&ratings, level, clusters, &to_resampling(resampling))
    };
    compute(py, interval).map(|found| to_bounds(&found))
}

/// The bootstrap interval of a statistic of gold and model.
#[pyfunction]
#[pyo3(signature = (human, model, statistic, clusters, resampling, /))]
pub(crate) fn bootstrap_pair(
    py: Python<'_>,
    human: Row<'_>,
    model: Row<'_>,
    statistic: &str,
    clusters: Option<Groups<'_>>,
    resampling: Settings,
) -> PyResult<Bounds> {
    let (human, model) = (human.as_slice()?, model.as_slice()?);
    let clusters = borrow_groups(clusters.as_ref())?;
    let statistic = to_statistic(statistic)?;
    let interval = || stats::bootstrap_pairs(human, model, &[statistic], clusters, &to_resampling(resampling));
    let found = compute(py, interval)?;
    Ok(found.first().map_or((None, None), to_bounds))
}

/// Two judges on the same items, by resampling.
#[pyfunction]
#[pyo3(signature = (first, second, human, statistic, clusters, resampling, /))]
pub(crate) fn paired_bootstrap<'py>(
    py: Python<'py>,
    first: Row<'py>,
    second: Row<'py>,
    human: Option<Row<'py>>,
    statistic: &str,
    clusters: Option<Groups<'py>>,
    resampling: Settings,
) -> PyResult<Record<'py>> {
    let (first, second) = (first.as_slice()?, second.as_slice()?);
    let against = match &human {
        Some(human) => Some((human.as_slice()?, to_statistic(statistic)?)),
        None => None,
    };
    let clusters = borrow_groups(clusters.as_ref())?;
    let work = || stats::paired_bootstrap(first, second, against, clusters, &to_resampling(resampling));
    let found = compute(py, work)?;
    to_record(py, &found)
}

/// Two judges on the same items, by `McNemar`'s test.
#[pyfunction]
#[pyo3(signature = (first, second, method, /))]
pub(crate) fn mcnemar<'py>(py: Python<'py>, first: Row<'py>, second: Row<'py>, method: &str) -> PyResult<Record<'py>> {
    let (first, second) = (first.as_slice()?, second.as_slice()?);
    let method = named(McNemarMethod::named(method), method, "method")?;
    let found = compute(py, || stats::mcnemar(first, second, method))?;
    to_record(py, &found)
}

/// A rate, corrected for a judge's errors.
#[pyfunction]
#[pyo3(signature = (verdicts, human, model, confidence, /))]
pub(crate) fn rogan_gladen<'py>(
    py: Python<'py>,
    verdicts: Row<'py>,
    human: Row<'py>,
    model: Row<'py>,
    confidence: f64,
) -> PyResult<Record<'py>> {
    let (verdicts, human, model) = (verdicts.as_slice()?, human.as_slice()?, model.as_slice()?);
    let found = compute(py, || stats::rogan_gladen(verdicts, human, model, confidence))?;
    to_record(py, &found)
}

/// A mean, estimated with a judge's help.
#[pyfunction]
#[pyo3(signature = (human, model, unlabelled, confidence, /))]
pub(crate) fn ppi_mean<'py>(
    py: Python<'py>,
    human: Row<'py>,
    model: Row<'py>,
    unlabelled: Row<'py>,
    confidence: f64,
) -> PyResult<Record<'py>> {
    let (human, model, unlabelled) = (human.as_slice()?, model.as_slice()?, unlabelled.as_slice()?);
    let found = compute(py, || stats::ppi_mean(human, model, unlabelled, confidence))?;
    to_record(py, &found)
}

/// The category that most judges give each item.
#[pyfunction]
#[pyo3(signature = (ratings, /))]
pub(crate) fn majority(py: Python<'_>, ratings: Table<'_>) -> PyResult<Vec<Option<f64>>> {
    let (values, n_raters, n_items) = borrow(&ratings)?;
    compute(py, || Ok(stats::majority(&Ratings::new(values, n_raters, n_items)?)))
}

/// What the judges' answers say about the truth.
#[pyfunction]
#[pyo3(signature = (ratings, max_rounds, tolerance, /))]
pub(crate) fn dawid_skene<'py>(
    py: Python<'py>,
    ratings: Table<'py>,
    max_rounds: usize,
    tolerance: f64,
) -> PyResult<Record<'py>> {
    let (values, n_raters, n_items) = borrow(&ratings)?;
    let found = compute(py, || stats::dawid_skene(&Ratings::new(values, n_raters, n_items)?, max_rounds, tolerance))?;
    let columns = PyDict::new(py);
    columns.set_item("categories", found.categories)?;
    columns.set_item("posterior", found.posterior)?;
    columns.set_item("labels", found.labels)?;
    columns.set_item("prevalence", found.prevalence)?;
    columns.set_item("confusion", found.confusion)?;
    columns.set_item("num_rounds", found.n_rounds)?;
    columns.set_item("has_converged", found.has_converged)?;
    columns.set_item("log_likelihood", found.log_likelihood)?;
    Ok(columns)
}

/// Preferences into a ranking.
#[pyfunction]
#[pyo3(signature = (games, num_players, prior, resampling, /))]
pub(crate) fn bradley_terry(
    py: Python<'_>,
    games: Vec<(usize, usize, f64)>,
    num_players: usize,
    prior: f64,
    resampling: Settings,
) -> PyResult<Record<'_>> {
    let games: Vec<Game> = games.into_iter().map(|(first, second, outcome)| Game { first, second, outcome }).collect();
    let found = compute(py, || stats::bradley_terry(&games, num_players, prior, &to_resampling(resampling)))?;
    to_record(py, &found)
}

/// Whether preferences depend on the order.
#[pyfunction]
#[pyo3(signature = (original, swapped, confidence, /))]
pub(crate) fn position_bias<'py>(
    py: Python<'py>,
    original: Row<'py>,
    swapped: Row<'py>,
    confidence: f64,
) -> PyResult<Record<'py>> {
    let (original, swapped) = (original.as_slice()?, swapped.as_slice()?);
    let found = compute(py, || stats::position_bias(original, swapped, confidence))?;
    to_record(py, &found)
}
