//! `score_logprobs` and `score_logprobs_many`.

use std::fmt::{self, Display, Formatter};
use std::ops::Range;

use judgecore::{Format, Mode, Outcome, Reason, Token, has_logprobs, reply_of, score_logprobs as score};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};
use rayon::prelude::*;

use crate::arrow_logprobs::{ArrowLogprobs, TokenLists};
use crate::format::{self, PyFormat};
use crate::outcome::{PyUnreadable, outcome_object};
use crate::pool::{self, SignalPoll, Stop};

/// The tolerance for rounding: the greatest accepted logarithm of a probability.
const ROUNDING: f64 = 0.01;

/// `judgecore.score_logprobs`.
#[pyfunction]
#[pyo3(signature = (content, format, *, min_mass = 0.5))]
pub(crate) fn score_logprobs<'py>(
    content: &Bound<'py, PyAny>,
    format: &Bound<'py, PyAny>,
    min_mass: f64,
) -> PyResult<Bound<'py, PyAny>> {
    let format = scorable(format, min_mass)?;
    score_one(content, format.get(), min_mass, &"content", &mut SignalPoll::new())
}

/// `judgecore.score_logprobs_many`.
#[pyfunction]
#[pyo3(signature = (contents, format, *, min_mass = 0.5))]
pub(crate) fn score_logprobs_many<'py>(
    py: Python<'py>,
    contents: &Bound<'py, PyAny>,
    format: &Bound<'py, PyAny>,
    min_mass: f64,
) -> PyResult<Bound<'py, PyList>> {
    let format = scorable(format, min_mass)?;
    let outcomes = PyList::empty(py);
    let mut signals = SignalPoll::new();
    let contents = &importable(contents)?;
    if !has_objects(contents)?
        && let Some(column) = ArrowLogprobs::import(contents, "contents")?
    {
        for scored in score_column(py, &column, &format.get().inner, min_mass)? {
            outcomes.append(outcome(py, scored?, format.get())?)?;
            signals.poll(py)?;
        }
        return Ok(outcomes);
    }
    // A tuple, because other threads could change the list.
    let rows = contents.cast::<PyList>().map_or_else(|_| contents.clone(), |rows| rows.to_tuple().into_any());
    for (row, content) in rows.try_iter()?.enumerate() {
        outcomes.append(score_one(
            &content?,
            format.get(),
            min_mass,
            &format_args!("contents[{row}]"),
            &mut signals,
        )?)?;
    }
    Ok(outcomes)
}

/// Return an object that can be iterated or imported. polars exports columns of only nulls in an unsupported form.
fn importable<'py>(given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let has_nulls = given.hasattr("__arrow_c_stream__")?
        && given.get_type().module()?.to_str()?.starts_with("polars.")
        && given
            .getattr_opt("dtype")?
            .is_some_and(|dtype| dtype.str().is_ok_and(|dtype| dtype.to_string_lossy().contains("Null")));
    if has_nulls { given.call_method0("to_list") } else { Ok(given.clone()) }
}

/// Whether this is a `NumPy` column of Python objects, which Arrow may have no type for.
fn has_objects(given: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Some(dtype) = given.getattr_opt("dtype")? else { return Ok(false) };
    Ok(dtype.get_type().module()?.to_str()?.starts_with("numpy") && dtype.getattr("kind")?.extract::<&str>()? == "O")
}

/// The reply and outcome of a row; None without tokens.
type Scored<'f> = Option<(String, Outcome<'f>)>;

/// Score all rows of a column on all cores, without the GIL.
fn score_column<'f>(
    py: Python<'_>,
    column: &ArrowLogprobs,
    format: &'f Format,
    min_mass: f64,
) -> PyResult<Vec<PyResult<Scored<'f>>>> {
    let rows: Vec<(&TokenLists, Option<Range<usize>>)> = column.rows().collect();
    let one = |row: usize, lists: &TokenLists, range: Option<Range<usize>>, stop: &Stop| {
        let Some(range) = range else { return Ok(None) };
        let entries = range.take_while(|_| !stop.is_requested()).map(|entry| Ok((lists, entry)));
        let tokens = tokens(entries, &format_args!("contents[{row}]"))?;
        Ok(Some((reply_of(&tokens), score(&tokens, format, min_mass))))
    };
    let mut scored = Vec::new();
    pool::run(py, pool::count(None), |stop| {
        let rows = rows.into_par_iter().enumerate();
        scored =
            rows.map(|(row, (lists, range))| one(row, lists, range.filter(|_| !stop.is_requested()), stop)).collect();
    })?;
    Ok(scored)
}

/// Return the format, if its verdict is one label or one number.
fn scorable(given: &Bound<'_, PyAny>, min_mass: f64) -> PyResult<Py<PyFormat>> {
    if !(0.0..=1.0).contains(&min_mass) {
        return Err(PyValueError::new_err(format!("min_mass must be from 0 to 1, not {min_mass}")));
    }
    let format = format::resolve(given)?;
    let inner = &format.get().inner;
    if !has_logprobs(inner) {
        return Err(PyValueError::new_err(format!(
            "format {:?} has no verdict that is one label or one number, so it can't be scored from token probabilities",
            inner.id()
        )));
    }
    Ok(format)
}

fn score_one<'py>(
    content: &Bound<'py, PyAny>,
    format: &PyFormat,
    min_mass: f64,
    path: &dyn Display,
    signals: &mut SignalPoll,
) -> PyResult<Bound<'py, PyAny>> {
    let py = content.py();
    if content.is_none() {
        return outcome(py, None, format);
    }
    if content.is_instance_of::<PyString>() || content.is_instance_of::<PyDict>() {
        let kind = content.get_type().name()?;
        let cure = "pass choices[0].logprobs.content, a list with an entry for each token";
        return Err(PyTypeError::new_err(format!("{path} must be a list, not {kind}: {cure}")));
    }
    let entries = content.try_iter()?.map(|entry| signals.poll(py).and(entry));
    let tokens = tokens(entries, path)?;
    outcome(py, Some((reply_of(&tokens), score(&tokens, &format.inner, min_mass))), format)
}

/// Convert a scored reply to a Python object.
fn outcome<'py>(py: Python<'py>, scored: Scored<'_>, format: &PyFormat) -> PyResult<Bound<'py, PyAny>> {
    let Some((reply, outcome)) = scored else {
        return PyUnreadable::plain(py, format, Reason::Missing, "the reply has no logprobs; request them");
    };
    outcome_object(py, format, Mode::Lenient, &PyString::new(py, &reply), &outcome)
}

/// The entry of a token, in Python objects or Arrow arrays.
trait Entry: Sized {
    /// Return the bytes from the endpoint, or those of the token's text; None if there is neither.
    fn bytes(&self, path: &EntryPath<'_>) -> PyResult<Option<Vec<u8>>>;

    fn logprob(&self, path: &EntryPath<'_>) -> PyResult<Option<f64>>;

    /// Iterate over the most likely tokens at this position.
    fn top(&self) -> PyResult<impl Iterator<Item = PyResult<Self>>>;
}

impl Entry for (&TokenLists, usize) {
    fn bytes(&self, _path: &EntryPath<'_>) -> PyResult<Option<Vec<u8>>> {
        Ok(self.0.bytes(self.1))
    }

    fn logprob(&self, _path: &EntryPath<'_>) -> PyResult<Option<f64>> {
        Ok(self.0.logprob(self.1))
    }

    fn top(&self) -> PyResult<impl Iterator<Item = PyResult<Self>>> {
        let top = self.0.top(self.1).into_iter();
        Ok(top.flat_map(|(lists, range)| range.map(move |entry| Ok((lists, entry)))))
    }
}

impl Entry for Bound<'_, PyAny> {
    fn bytes(&self, path: &EntryPath<'_>) -> PyResult<Option<Vec<u8>>> {
        if let Some(bytes) = attribute(self, "bytes")?
            && let Ok(bytes) =
                bytes.cast::<PyBytes>().map_or_else(|_| bytes.extract(), |bytes| Ok(bytes.as_bytes().to_vec()))
        {
            return Ok(Some(bytes));
        }
        let Some(token) = attribute(self, "token")? else { return Ok(None) };
        let token =
            token.cast::<PyString>().map_err(|_| PyTypeError::new_err(format!("{path}.token must be a str")))?;
        Ok(Some(crate::text::utf8(token)?.into_owned().into_bytes()))
    }

    fn logprob(&self, path: &EntryPath<'_>) -> PyResult<Option<f64>> {
        let Some(given) = attribute(self, "logprob")? else { return Ok(None) };
        given.extract().map(Some).map_err(|_| {
            PyTypeError::new_err(format!(
                "{path}.logprob must be a number; it is the natural logarithm of a probability"
            ))
        })
    }

    fn top(&self) -> PyResult<impl Iterator<Item = PyResult<Self>>> {
        let listed = attribute(self, "top_logprobs")?.map(|listed| listed.try_iter()).transpose()?;
        Ok(listed.into_iter().flatten())
    }
}

/// The path of an entry, for errors.
struct EntryPath<'p> {
    reply: &'p dyn Display,
    nth: usize,
    rank: Option<usize>,
}

impl Display for EntryPath<'_> {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        write!(to, "{}[{}]", self.reply, self.nth)?;
        self.rank.map_or(Ok(()), |rank| write!(to, ".top_logprobs[{rank}]"))
    }
}

/// Read the tokens of one reply.
fn tokens<E: Entry>(entries: impl Iterator<Item = PyResult<E>>, reply: &dyn Display) -> PyResult<Vec<Token>> {
    let mut decoder = TokenDecoder::default();
    let mut tokens = Vec::new();
    for (nth, entry) in entries.enumerate() {
        let entry = entry?;
        let path = EntryPath { reply, nth, rank: None };
        let text = decoder.next(&bytes(&entry, &path)?);
        let own = logprob(&entry, &path)?;
        let mut top = Vec::new();
        for (rank, choice) in entry.top()?.enumerate() {
            let choice = choice?;
            let path = EntryPath { reply, nth, rank: Some(rank) };
            let text = String::from_utf8_lossy(&bytes(&choice, &path)?).into_owned();
            top.push((text, logprob(&choice, &path)?));
        }
        tokens.push(Token { text, logprob: own, top });
    }
    Ok(tokens)
}

fn bytes(entry: &impl Entry, path: &EntryPath<'_>) -> PyResult<Vec<u8>> {
    entry.bytes(path)?.ok_or_else(|| no_key(path, "token"))
}

fn logprob(entry: &impl Entry, path: &EntryPath<'_>) -> PyResult<f64> {
    let logprob = entry.logprob(path)?.ok_or_else(|| no_key(path, "logprob"))?;
    if logprob.is_nan() || logprob > ROUNDING {
        return Err(PyValueError::new_err(format!(
            "{path}.logprob is {logprob}, but the logarithm of a probability is at most 0"
        )));
    }
    Ok(logprob.min(0.0))
}

fn no_key(path: &EntryPath<'_>, key: &str) -> PyErr {
    PyValueError::new_err(format!("{path} has no {key}; each entry needs token and logprob"))
}

/// Decodes the decoder of tokens. The bytes of one character may be spread over several tokens.
#[derive(Default)]
struct TokenDecoder {
    pending: Vec<u8>,
}

impl TokenDecoder {
    /// Return the characters that are complete after a token's bytes.
    fn next(&mut self, bytes: &[u8]) -> String {
        self.pending.extend(bytes);
        let whole = match std::str::from_utf8(&self.pending) {
            Err(problem) if problem.error_len().is_none() => problem.valid_up_to(),
            _ => self.pending.len(),
        };
        let rest = self.pending.split_off(whole);
        let text = String::from_utf8_lossy(&self.pending).into_owned();
        self.pending = rest;
        text
    }
}

/// Return the value of a dictionary's key, or an attribute of a client's object.
fn attribute<'py>(entry: &Bound<'py, PyAny>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    let found = match entry.cast::<PyDict>() {
        Ok(entry) => entry.get_item(name)?,
        Err(_) => entry.getattr_opt(name)?,
    };
    Ok(found.filter(|value| !value.is_none()))
}
