//! `score_logprobs` and `score_logprobs_many`.

use std::ops::Range;

use judgecore::{Format, Mode, Outcome, Reason, Token, has_logprobs, reply_of, score_logprobs as score};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString};
use rayon::prelude::*;

use crate::arrow_logprobs::{ArrowLogprobs, TokenLists};
use crate::format::{self, PyFormat};
use crate::outcome::{PyReading, PyUnreadable};
use crate::pool::{self, Lookout};

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
    let contents = &walkable(contents)?;
    if !is_of_objects(contents)?
        && let Some(column) = ArrowLogprobs::import(contents, "contents")?
    {
        for scored in scored(py, &column, &format.get().inner, min_mass)? {
            outcomes.append(outcome(py, scored?, format.get())?)?;
            lookout.look()?;
        }
        return Ok(outcomes);
    }
    for (row, content) in contents.try_iter()?.enumerate() {
        outcomes.append(one(py, &content?, format.get(), min_mass, &format!("contents[{row}]"))?)?;
        lookout.look()?;
    }
    Ok(outcomes)
}

/// What can be walked or taken from Arrow's memory: polars hands over columns that have nulls alone in a form that can't.
fn walkable<'py>(given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let has_nulls = given.hasattr("__arrow_c_stream__")?
        && given.get_type().module()?.to_str()?.starts_with("polars.")
        && given
            .getattr_opt("dtype")?
            .is_some_and(|dtype| dtype.str().is_ok_and(|dtype| dtype.to_string_lossy().contains("Null")));
    if has_nulls { given.call_method0("to_list") } else { Ok(given.clone()) }
}

/// Whether this is a `NumPy` column of Python's objects, which may be more than Arrow has a type for.
fn is_of_objects(given: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Some(dtype) = given.getattr_opt("dtype")? else { return Ok(false) };
    Ok(dtype.get_type().module()?.to_str()?.starts_with("numpy") && dtype.getattr("kind")?.extract::<&str>()? == "O")
}

/// What a row says, with its text; None where there is none.
type Scored<'f> = Option<(String, Outcome<'f>)>;

/// Score all rows of a column, without the GIL and on all cores.
fn scored<'f>(
    py: Python<'_>,
    column: &ArrowLogprobs,
    format: &'f Format,
    min_mass: f64,
) -> PyResult<Vec<PyResult<Scored<'f>>>> {
    let rows: Vec<(&TokenLists, Option<Range<usize>>)> = column.rows().collect();
    let one = |row: usize, lists: &TokenLists, range: Option<Range<usize>>| {
        let Some(range) = range else { return Ok(None) };
        let tokens = tokens_of(lists, range, row)?;
        Ok(Some((reply_of(&tokens), score(&tokens, format, min_mass))))
    };
    let mut scored = Vec::new();
    pool::run(py, pool::count(None), |stop| {
        let rows = rows.into_par_iter().enumerate();
        scored =
            rows.map(|(row, (lists, range))| if stop.is_asked() { Ok(None) } else { one(row, lists, range) }).collect();
    })?;
    Ok(scored)
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
        return outcome(py, None, format);
    }
    if content.is_instance_of::<PyString>() || content.is_instance_of::<PyDict>() {
        let kind = content.get_type().name()?;
        let cure = "pass choices[0].logprobs.content, a list with an entry for each token";
        return Err(PyTypeError::new_err(format!("{place} must be a list, not {kind}: {cure}")));
    }
    let tokens = tokens(content, place)?;
    outcome(py, Some((reply_of(&tokens), score(&tokens, &format.inner, min_mass))), format)
}

/// What the tokens of one reply say, if there are any, as Python has it.
fn outcome<'py>(py: Python<'py>, scored: Scored<'_>, format: &PyFormat) -> PyResult<Bound<'py, PyAny>> {
    let Some((reply, outcome)) = scored else {
        let missing = PyUnreadable::plain(py, format, Reason::Missing, "the reply has no logprobs; ask for them");
        return Ok(Bound::new(py, missing)?.into_any());
    };
    let reply = PyString::new(py, &reply);
    let mode = Mode::Lenient;
    Ok(match outcome {
        Ok(reading) => Bound::new(py, PyReading::new(py, format, mode, &reply, &reading)?)?.into_any(),
        Err(unreadable) => Bound::new(py, PyUnreadable::new(py, format, mode, &reply, &unreadable)?)?.into_any(),
    })
}

/// The tokens of a row of Arrow's.
fn tokens_of(lists: &TokenLists, range: Range<usize>, row: usize) -> PyResult<Vec<Token>> {
    let bytes = |lists: &TokenLists, entry: usize, place: &dyn Fn() -> String| {
        lists.bytes(entry).ok_or_else(|| PyValueError::new_err(no_key(&place(), "token")))
    };
    let logprob = |lists: &TokenLists, entry: usize, place: &dyn Fn() -> String| {
        let logprob = lists.logprob(entry).ok_or_else(|| PyValueError::new_err(no_key(&place(), "logprob")))?;
        checked(logprob, place)
    };
    let mut texts = Texts::default();
    let mut tokens = Vec::new();
    for (nth, entry) in range.enumerate() {
        let place = || format!("contents[{row}][{nth}]");
        let text = texts.next(&bytes(lists, entry, &place)?);
        let own = logprob(lists, entry, &place)?;
        let mut top = Vec::new();
        if let Some((choices, range)) = lists.top(entry) {
            for (rank, choice) in range.enumerate() {
                let place = || format!("contents[{row}][{nth}].top_logprobs[{rank}]");
                let text = String::from_utf8_lossy(&bytes(choices, choice, &place)?).into_owned();
                top.push((text, logprob(choices, choice, &place)?));
            }
        }
        tokens.push(Token { text, logprob: own, top });
    }
    Ok(tokens)
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
    checked(logprob, &|| place.to_owned())
}

fn no_key(place: &str, key: &str) -> String {
    format!("{place} has no {key}; each entry needs token and logprob")
}

fn checked(logprob: f64, place: &dyn Fn() -> String) -> PyResult<f64> {
    if logprob.is_nan() || logprob > ROUNDING {
        return Err(PyValueError::new_err(format!(
            "{}.logprob is {logprob}, but the logarithm of a probability is at most 0",
            place()
        )));
    }
    Ok(logprob.min(0.0))
}
