//! `score_logprobs` and `score_logprobs_many`.

use std::fmt::{self, Display, Formatter};

use judgecore::{Mode, Reason, Token, has_logprobs, reply_of, score_logprobs as score};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};

use crate::format::{self, PyFormat};
use crate::outcome::{PyUnreadable, outcome_object};
use crate::pool::SignalPoll;

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
    for (row, content) in rows(contents)?.try_iter()?.enumerate() {
        let path = format!("contents[{row}]");
        outcomes.append(score_one(&content?, format.get(), min_mass, &path, &mut signals)?)?;
    }
    Ok(outcomes)
}

/// Return rows as Python objects: those of a column, or a tuple of a list, which other threads could change.
fn rows<'py>(contents: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    for convert in ["to_pylist", "to_list"] {
        if contents.hasattr(convert)? {
            return contents.call_method0(convert);
        }
    }
    Ok(contents.cast::<PyList>().map_or_else(|_| contents.clone(), |rows| rows.to_tuple().into_any()))
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
    // A null in a column of pandas is `NA`.
    if content.is_none() || content.get_type().name()?.to_string_lossy() == "NAType" {
        return PyUnreadable::plain(py, format, Reason::Missing, "the reply has no logprobs; request them");
    }
    if content.is_instance_of::<PyString>() || content.is_instance_of::<PyDict>() {
        let kind = content.get_type().name()?;
        let cure = "pass choices[0].logprobs.content, a list with an entry for each token";
        return Err(PyTypeError::new_err(format!("{path} must be a list, not {kind}: {cure}")));
    }
    let entries = content.try_iter()?.map(|entry| signals.poll(py).and(entry));
    let tokens = tokens(entries, path)?;
    let reply = PyString::new(py, &reply_of(&tokens));
    outcome_object(py, format, Mode::Lenient, &reply, &score(&tokens, &format.inner, min_mass))
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
fn tokens<'py>(
    entries: impl Iterator<Item = PyResult<Bound<'py, PyAny>>>,
    reply: &dyn Display,
) -> PyResult<Vec<Token>> {
    let mut decoder = TokenDecoder::default();
    let mut tokens = Vec::new();
    for (nth, entry) in entries.enumerate() {
        let entry = entry?;
        let path = EntryPath { reply, nth, rank: None };
        let text = decoder.next(&bytes(&entry, &path)?);
        let own = logprob(&entry, &path)?;
        let mut top = Vec::new();
        let listed = attribute(&entry, "top_logprobs")?.map(|listed| listed.try_iter()).transpose()?;
        for (rank, choice) in listed.into_iter().flatten().enumerate() {
            let choice = choice?;
            let path = EntryPath { reply, nth, rank: Some(rank) };
            let text = String::from_utf8_lossy(&bytes(&choice, &path)?).into_owned();
            top.push((text, logprob(&choice, &path)?));
        }
        tokens.push(Token { text, logprob: own, top });
    }
    Ok(tokens)
}

/// Return the bytes from the endpoint, or those of the token's text.
fn bytes(entry: &Bound<'_, PyAny>, path: &EntryPath<'_>) -> PyResult<Vec<u8>> {
    if let Some(bytes) = attribute(entry, "bytes")?
        && let Ok(bytes) =
            bytes.cast::<PyBytes>().map_or_else(|_| bytes.extract(), |bytes| Ok(bytes.as_bytes().to_vec()))
    {
        return Ok(bytes);
    }
    let token = attribute(entry, "token")?.ok_or_else(|| no_key(path, "token"))?;
    let token = token.cast::<PyString>().map_err(|_| PyTypeError::new_err(format!("{path}.token must be a str")))?;
    Ok(crate::text::utf8(token)?.into_owned().into_bytes())
}

fn logprob(entry: &Bound<'_, PyAny>, path: &EntryPath<'_>) -> PyResult<f64> {
    let logprob = attribute(entry, "logprob")?.ok_or_else(|| no_key(path, "logprob"))?;
    let logprob: f64 = logprob.extract().map_err(|_| {
        PyTypeError::new_err(format!("{path}.logprob must be a number; it is the natural logarithm of a probability"))
    })?;
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
