//! `score_logprobs` and `score_logprobs_many`.

use judgecore::{Mode, Reason, Token, has_logprobs, reply_of, score_logprobs as score};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};

use crate::format::{self, PyFormat};
use crate::outcome::{PyReading, PyUnreadable};

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
    for (row, content) in contents.try_iter()?.enumerate() {
        outcomes.append(one(py, &content?, format.get(), min_mass, &format!("contents[{row}]"))?)?;
    }
    Ok(outcomes)
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
        let missing = PyUnreadable::plain(py, format, Reason::Missing, "the reply has no logprobs; ask for them");
        return Ok(Bound::new(py, missing)?.into_any());
    }
    if content.is_instance_of::<PyString>() || content.is_instance_of::<PyDict>() {
        let kind = content.get_type().name()?;
        let cure = "pass choices[0].logprobs.content, a list with an entry for each token";
        return Err(PyTypeError::new_err(format!("{place} must be a list, not {kind}: {cure}")));
    }
    let tokens = tokens(content, place)?;
    let reply = PyString::new(py, &reply_of(&tokens));
    let mode = Mode::Lenient;
    Ok(match score(&tokens, &format.inner, min_mass) {
        Ok(reading) => Bound::new(py, PyReading::new(py, format, mode, &reply, &reading)?)?.into_any(),
        Err(unreadable) => Bound::new(py, PyUnreadable::new(py, format, mode, &reply, &unreadable)?)?.into_any(),
    })
}

fn tokens(content: &Bound<'_, PyAny>, place: &str) -> PyResult<Vec<Token>> {
    let mut tokens = Vec::new();
    // A character may be in several tokens, each of which holds some of its bytes.
    let mut pending = Vec::new();
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
        pending.extend(bytes(&entry, &place)?);
        let whole = match std::str::from_utf8(&pending) {
            Err(problem) if problem.error_len().is_none() => problem.valid_up_to(),
            _ => pending.len(),
        };
        let rest = pending.split_off(whole);
        let text = String::from_utf8_lossy(&pending).into_owned();
        pending = rest;
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
        return Err(PyValueError::new_err(format!("{place} has no token; each entry needs token and logprob")));
    };
    let token = token.cast::<PyString>().map_err(|_| PyTypeError::new_err(format!("{place}.token must be a str")))?;
    Ok(crate::text::utf8(token)?.into_owned().into_bytes())
}

fn logprob(entry: &Bound<'_, PyAny>, place: &str) -> PyResult<f64> {
    let Some(given) = attribute(entry, "logprob")? else {
        return Err(PyValueError::new_err(format!("{place} has no logprob; each entry needs token and logprob")));
    };
    let logprob: f64 = given.extract().map_err(|_| {
        PyTypeError::new_err(format!("{place}.logprob must be a number; it is the natural logarithm of a probability"))
    })?;
    if logprob.is_nan() || logprob > ROUNDING {
        return Err(PyValueError::new_err(format!(
            "{place}.logprob is {logprob}, but the logarithm of a probability is at most 0"
        )));
    }
    Ok(logprob.min(0.0))
}
