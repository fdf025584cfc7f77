//! Statistics over `NumPy` arrays, as plain values and the reasons of those that are None.

#![expect(clippy::needless_pass_by_value, reason = "the borrow of an array comes by value")]

use judgecore::stats::{
    self, Baseline, Game, HarmMetrics, IntervalOutcome, Level, McNemarMethod, ObjectiveMetrics, PairStatistic,
    Probabilities, Ratings, Resampling, Statistic, StatsError, Undefined, Weights,
};
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::record::{Ends, Record, Writer, to_ends};

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
    (to_ends(found), found.as_ref().err().map(ToString::to_string))
}

fn to_resampling((resamples, seed, confidence): Settings) -> Resampling {
    Resampling { resamples, seed, confidence }
}

fn named<T>(found: Option<T>, name: &str, what: &str) -> PyResult<T> {
    found.ok_or_else(|| PyValueError::new_err(format!("no {what} is called {name:?}")))
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
    write_objective(Writer::new(py), &found)
}

fn write_objective<'py>(writer: Writer<'py>, found: &ObjectiveMetrics) -> PyResult<Record<'py>> {
    let counted = &found.confusion;
    writer
        .counts(&[
            ("num_responses", found.n_items),
            ("num_human_raters", found.n_raters),
            ("num_scorer_trials", found.n_trials),
            ("num_scored", found.n_scored),
            ("num_undetermined", found.n_undetermined),
            ("num_unlabelled", found.n_unlabelled),
            ("num_human_ties", found.n_human_ties),
            ("num_model_ties", found.n_model_ties),
        ])?
        .statistics([
            ("accuracy", &counted.accuracy()),
            ("accuracy_standard_error", &found.accuracy_standard_error),
            ("f1_score", &counted.f1()),
            ("precision", &counted.precision()),
            ("recall", &counted.recall()),
            ("specificity", &counted.specificity()),
            ("balanced_accuracy", &counted.balanced_accuracy()),
            ("mcc", &counted.mcc()),
            ("cohen_kappa", &counted.cohen_kappa()),
            ("gwet_ac1", &counted.gwet_ac1()),
            ("krippendorff_alpha_humans", &found.alpha_humans),
            ("krippendorff_alpha_model", &found.alpha_model),
        ])?
        .pair(["accuracy_worst", "accuracy_best"], &found.accuracy_bounds)?
        .confusion("confusion", counted)?
        .intervals(&found.intervals)?
        .ceiling(&found.ceiling)?;
    let baselines = writer.inside("baselines")?;
    for (name, baseline) in &found.baselines {
        write_baseline(&baselines.inside(name)?, baseline)?;
    }
    write_probabilities(&writer, found.probabilities.as_ref())?;
    writer.finish()
}

fn write_baseline(writer: &Writer<'_>, baseline: &Baseline) -> PyResult<()> {
    writer.statistics([
        ("accuracy", &baseline.accuracy),
        ("precision", &baseline.precision),
        ("recall", &baseline.recall),
        ("f1_score", &baseline.f1),
        ("balanced_accuracy", &baseline.balanced_accuracy),
    ])?;
    Ok(())
}

fn write_probabilities(writer: &Writer<'_>, found: Option<&Probabilities>) -> PyResult<()> {
    if let Some(found) = found {
        writer.statistics([("auroc", &found.auroc)])?;
        writer.inside("calibration")?.calibration(&found.calibration)?;
    } else {
        writer.statistics([("auroc", &Err(Undefined::NoProbabilities))])?;
        writer.explain("calibration", Some(&Undefined::NoProbabilities))?.set("calibration", None::<f64>)?;
    }
    Ok(())
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
    write_harm(Writer::new(py), &found)
}

fn write_harm<'py>(writer: Writer<'py>, found: &HarmMetrics) -> PyResult<Record<'py>> {
    let differences = &found.differences;
    writer
        .counts(&[
            ("num_responses", found.n_items),
            ("num_human_raters", found.n_raters),
            ("num_scorer_trials", found.n_trials),
            ("num_scored", found.n_scored),
            ("num_undetermined", found.n_undetermined),
            ("num_unlabelled", found.n_unlabelled),
        ])?
        .statistics([
            ("mean_absolute_error", &differences.mean_absolute_error()),
            ("mae_standard_error", &differences.mae_standard_error()),
            ("krippendorff_alpha_human_judge", &found.alpha_human_judge),
            ("krippendorff_alpha_combined", &found.alpha_combined),
            ("krippendorff_alpha_humans", &found.alpha_humans),
            ("krippendorff_alpha_model", &found.alpha_model),
            ("bias", &differences.bias()),
            ("root_mean_squared_error", &differences.root_mean_squared_error()),
            ("spearman", &found.spearman),
            ("weighted_kappa", &found.weighted_kappa),
            ("gwet_ac2", &found.gwet_ac2),
        ])?
        .pair(["t_statistic", "p_value"], &differences.t_test())?
        .pair(["mae_best", "mae_worst"], &found.mae_bounds)?
        .pair(["best_constant", "best_constant_error"], &found.best_constant)?
        .interval("limits_of_agreement", &found.limits_of_agreement)?
        .intervals(&found.intervals)?
        .ceiling(&found.ceiling)?;
    writer.finish()
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
    let statistic = named(PairStatistic::named(statistic), statistic, "statistic")?;
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
    let writer = Writer::new(py);
    writer.calibration(&found)?;
    writer.finish()
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
    let statistic = named(PairStatistic::named(statistic), statistic, "statistic")?;
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
        Some(human) => Some((human.as_slice()?, named(PairStatistic::named(statistic), statistic, "statistic")?)),
        None => None,
    };
    let clusters = borrow_groups(clusters.as_ref())?;
    let work = || stats::paired_bootstrap(first, second, against, clusters, &to_resampling(resampling));
    let found = compute(py, work)?;
    let writer = Writer::new(py);
    writer
        .set("num_items", found.n_items)?
        .statistics([
            ("first", &found.first),
            ("second", &found.second),
            ("difference", &found.difference),
            ("p_value", &found.p_value),
        ])?
        .interval("interval", &found.interval)?;
    writer.finish()
}

/// Two judges on the same items, by `McNemar`'s test.
#[pyfunction]
#[pyo3(signature = (first, second, method, /))]
pub(crate) fn mcnemar<'py>(py: Python<'py>, first: Row<'py>, second: Row<'py>, method: &str) -> PyResult<Record<'py>> {
    let (first, second) = (first.as_slice()?, second.as_slice()?);
    let method = named(McNemarMethod::named(method), method, "method")?;
    let found = compute(py, || stats::mcnemar(first, second, method))?;
    let writer = Writer::new(py);
    writer
        .counts(&[
            ("num_items", found.n_items),
            ("num_first_only", found.first_only),
            ("num_second_only", found.second_only),
        ])?
        .set("p_value", found.p_value)?
        .set("statistic", found.statistic)?;
    writer.finish()
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
    let writer = Writer::new(py);
    writer
        .set("num_verdicts", found.n_verdicts)?
        .set("num_calibration", found.calibration.n_items())?
        .statistics([
            ("estimate", &found.estimate),
            ("standard_error", &found.standard_error),
            ("raw_rate", &found.raw_rate),
            ("sensitivity", &found.calibration.recall()),
            ("specificity", &found.calibration.specificity()),
        ])?
        .interval("interval", &found.interval)?
        .interval("raw_interval", &found.raw_interval)?
        .confusion("calibration", &found.calibration)?;
    writer.finish()
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
    let writer = Writer::new(py);
    writer
        .counts(&[("num_labelled", found.n_labelled), ("num_unlabelled", found.n_unlabelled)])?
        .statistics([
            ("estimate", &found.estimate),
            ("standard_error", &found.standard_error),
            ("power", &found.power),
            ("human_mean", &found.human_mean),
            ("judge_mean", &found.judge_mean),
        ])?
        .interval("interval", &found.interval)?
        .interval("human_interval", &found.human_interval)?;
    writer.finish()
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
    let writer = Writer::new(py);
    writer
        .set("categories", found.categories)?
        .set("posterior", found.posterior)?
        .set("labels", found.labels)?
        .set("prevalence", found.prevalence)?
        .set("confusion", found.confusion)?
        .set("num_rounds", found.n_rounds)?
        .set("has_converged", found.has_converged)?
        .set("log_likelihood", found.log_likelihood)?;
    Ok(writer.into_fields())
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
    let writer = Writer::new(py);
    writer.set("num_games", found.n_games)?;
    let players = writer.inside("players")?;
    for (nth, player) in found.players.iter().enumerate() {
        players
            .inside(&nth.to_string())?
            .statistics([("strength", &player.strength)])?
            .interval("interval", &player.interval)?
            .set("rank", player.rank)?
            .counts(&[("num_wins", player.wins), ("num_losses", player.losses), ("num_ties", player.ties)])?;
    }
    writer.finish()
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
    let writer = Writer::new(py);
    writer
        .counts(&[
            ("num_pairs", found.n_pairs),
            ("num_consistent", found.n_consistent),
            ("num_first", found.n_first),
            ("num_second", found.n_second),
            ("num_missing", found.n_missing),
        ])?
        .statistics([
            ("consistency", &found.consistency),
            ("preference_fairness", &found.preference_fairness),
            ("p_value", &found.p_value),
        ])?
        .interval("consistency_interval", &found.consistency_interval)?;
    writer.finish()
}
