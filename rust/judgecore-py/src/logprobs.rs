//! `score_logprobs` and `score_logprobs_many`.

use std::ops::Range;

use judgecore::{Mode, Reason, Token, has_logprobs, reply_of, score_logprobs as score};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};

use crate::arrow_logprobs::{ArrowLogprobs, Entries};
use crate::format::{self, PyFormat};
use crate::outcome::{PyReading, PyUnreadable};
use crate::pool::Lookout;

/// What rounding may add to the logarithm of 1.
const ROUNDING: f64 = 0.01;

/// The tokens of one reply.
#[pyfunction]
#[pyo3(signature = (content, format, *, min_mass = 0.5))]
pub(crate) fn score_logprobs<'py>(
    py: Python<'py>,
    content: &Bound<'py, PyAny>,
    format: &Bound<'py, PyAny>,
    min_mass: f64,
) -> PyResult<Bound<'py, PyAny>> {
    let format = scorable(format, min_mass)?;
    one(py, content, format.get(), min_mass, "content")
}

/// The tokens of many replies.
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
    let mut lookout = Lookout::new();
    if !is_of_objects(contents)?
        && let Some(column) = ArrowLogprobs::import(contents, "contents")?
    {
        for (row, (entries, range)) in column.rows().enumerate() {
            let tokens = match range {
                Some(range) => Some(tokens_of(entries, range, &format!("contents[{row}]"))?),
                None => None,
            };
            outcomes.append(outcome(py, tokens.as_deref(), format.get(), min_mass)?)?;
            lookout.look()?;
        }
        return Ok(outcomes);
    }
    for (row, content) in contents.try_iter()?.enumerate() {
        outcomes.append(one(py, &content?, format.get(), min_mass, &format!("contents[{row}]"))?)?;
    }
    Ok(outcomes)
}

/// Whether this is a column of Python's objects, which may be more than Arrow has a type for.
fn is_of_objects(given: &Bound<'_, PyAny>) -> PyResult<bool> {
    let kind = given.getattr_opt("dtype")?.map(|dtype| dtype.getattr_opt("kind")).transpose()?.flatten();
    Ok(kind.is_some_and(|kind| kind.extract::<&str>().is_ok_and(|kind| kind == "O")))
}

/// A format whose verdict is one label or one number.
fn scorable(given: &Bound<'_, PyAny>, min_mass: f64) -> PyResult<Py<PyFormat>> {
    if !(0.0..=1.0).contains(&min_mass) {
        return Err(PyValueError::new_err(format!("min_mass must be from 0 to 1, not {min_mass}")));
    }
    let format = format::resolve(given)?;
    let inner = &format.get().inner;
    if !has_logprobs(inner) {
        return Err(PyValueError::new_err(format!(
            "format {:?} has no verdict that is one label or one number, so probabilities of tokens say nothing of it",
            inner.id()
        )));
    }
    Ok(format)
}

fn one<'py>(
    py: Python<'py>,
    content: &Bound<'py, PyAny>,
    format: &PyFormat,
    min_mass: f64,
    place: &str,
) -> PyResult<Bound<'py, PyAny>> {
    if content.is_none() {
        return outcome(py, None, format, min_mass);
    }
    if content.is_instance_of::<PyString>() || content.is_instance_of::<PyDict>() {
        let kind = content.get_type().name()?;
        let cure = "pass choices[0].logprobs.content, a list with an entry for each token";
        return Err(PyTypeError::new_err(format!("{place} must be a list, not {kind}: {cure}")));
    }
    outcome(py, Some(&tokens(content, place)?), format, min_mass)
}

/// What the tokens of one reply say, if there are any.
fn outcome<'py>(
    py: Python<'py>,
    tokens: Option<&[Token]>,
    format: &PyFormat,
    min_mass: f64,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(tokens) = tokens else {
        let missing = PyUnreadable::plain(py, format, Reason::Missing, "the reply has no logprobs; ask for them");
        return Ok(Bound::new(py, missing)?.into_any());
    };
    let reply = PyString::new(py, &reply_of(tokens));
    let mode = Mode::Lenient;
    Ok(match score(tokens, &format.inner, min_mass) {
        Ok(reading) => Bound::new(py, PyReading::new(py, format, mode, &reply, &reading)?)?.into_any(),
        Err(unreadable) => Bound::new(py, PyUnreadable::new(py, format, mode, &reply, &unreadable)?)?.into_any(),
    })
}

/// The tokens of a row of Arrow's.
fn tokens_of(entries: &Entries, range: Range<usize>, place: &str) -> PyResult<Vec<Token>> {
    let bytes = |entries: &Entries, entry: usize, place: &str| {
        entries.bytes(entry).ok_or_else(|| PyValueError::new_err(no_key(place, "token")))
    };
    let logprob = |entries: &Entries, entry: usize, place: &str| {
        checked(entries.logprob(entry).ok_or_else(|| PyValueError::new_err(no_key(place, "logprob")))?, place)
    };
    let mut texts = Texts::default();
    range
        .enumerate()
        .map(|(nth, entry)| {
            let place = format!("{place}[{nth}]");
            let mut top = Vec::new();
            if let Some((choices, range)) = entries.top(entry) {
                for (rank, choice) in range.enumerate() {
                    let place = format!("{place}.top_logprobs[{rank}]");
                    let text = String::from_utf8_lossy(&bytes(choices, choice, &place)?).into_owned();
                    top.push((text, logprob(choices, choice, &place)?));
                }
            }
            let text = texts.next(&bytes(entries, entry, &place)?);
            Ok(Token { text, logprob: logprob(entries, entry, &place)?, top })
        })
        .collect()
}

/// The texts of tokens. A character may be in several tokens, each of which holds some of its bytes.
#[derive(Default)]
struct Texts {
    pending: Vec<u8>,
}

impl Texts {
    /// The characters that a token's bytes make whole.
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

fn tokens(content: &Bound<'_, PyAny>, place: &str) -> PyResult<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut texts = Texts::default();
    for (nth, entry) in content.try_iter()?.enumerate() {
        let entry = entry?;
        let place = format!("{place}[{nth}]");
        let mut top = Vec::new();
        if let Some(listed) = attribute(&entry, "top_logprobs")? {
            for (rank, choice) in listed.try_iter()?.enumerate() {
                let choice = choice?;
                let place = format!("{place}.top_logprobs[{rank}]");
                let bytes = bytes(&choice, &place)?;
                top.push((String::from_utf8_lossy(&bytes).into_owned(), logprob(&choice, &place)?));
            }
        }
        let text = texts.next(&bytes(&entry, &place)?);
        tokens.push(Token { text, logprob: logprob(&entry, &place)?, top });
    }
    Ok(tokens)
}

/// A key of a dictionary, or an attribute of an object of the endpoint's client.
fn attribute<'py>(entry: &Bound<'py, PyAny>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    let found = match entry.cast::<PyDict>() {
        Ok(entry) => entry.get_item(name)?,
        Err(_) => entry.getattr_opt(name)?,
    };
    Ok(found.filter(|value| !value.is_none()))
}

/// The bytes of a token: those that the endpoint gives, or its text's.
fn bytes(entry: &Bound<'_, PyAny>, place: &str) -> PyResult<Vec<u8>> {
    if let Some(bytes) = attribute(entry, "bytes")?
        && let Ok(bytes) =
            bytes.cast::<PyBytes>().map_or_else(|_| bytes.extract(), |bytes| Ok(bytes.as_bytes().to_vec()))
    {
        return Ok(bytes);
    }
    let Some(token) = attribute(entry, "token")? else {
        return Err(PyValueError::new_err(no_key(place, "token")));
    };
    let token = token.cast::<PyString>().map_err(|_| PyTypeError::new_err(format!("{place}.token must be a str")))?;
    Ok(crate::text::utf8(token)?.into_owned().into_bytes())
}

fn logprob(entry: &Bound<'_, PyAny>, place: &str) -> PyResult<f64> {
    let Some(given) = attribute(entry, "logprob")? else {
        return Err(PyValueError::new_err(no_key(place, "logprob")));
    };
    let logprob: f64 = given.extract().map_err(|_| {
        PyTypeError::new_err(format!("{place}.logprob must be a number; it is the natural logarithm of a probability"))
    })?;
    checked(logprob, place)
}

fn no_key(place: &str, key: &str) -> String {
    format!("{place} has no {key}; each entry needs token and logprob")
}

fn checked(logprob: f64, place: &str) -> PyResult<f64> {
    if logprob.is_nan() || logprob > ROUNDING {
        return Err(PyValueError::new_err(format!(
            "{place}.logprob is {logprob}, but the logarithm of a probability is at most 0"
        )));
    }
    Ok(logprob.min(0.0))
}
