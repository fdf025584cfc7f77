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
use crate::outcome::{PyReading, PyUnreadable};
use crate::pool::{self, Lookout, Stop};

/// What rounding may add to the logarithm of 1.
const ROUNDING: f64 = 0.01;

/// The tokens of one reply.
#[pyfunction]
#[pyo3(signature = (content, format, *, min_mass = 0.5))]
pub(crate) fn score_logprobs<'py>(
    content: &Bound<'py, PyAny>,
    format: &Bound<'py, PyAny>,
    min_mass: f64,
) -> PyResult<Bound<'py, PyAny>> {
    let format = scorable(format, min_mass)?;
    one(content, format.get(), min_mass, &"content", &mut Lookout::new())
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
            lookout.look(py)?;
        }
        return Ok(outcomes);
    }
    // Nobody can change it while others have the GIL.
    let rows = contents.cast::<PyList>().map_or_else(|_| contents.clone(), |rows| rows.to_tuple().into_any());
    for (row, content) in rows.try_iter()?.enumerate() {
        outcomes.append(one(&content?, format.get(), min_mass, &format_args!("contents[{row}]"), &mut lookout)?)?;
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
    let one = |row: usize, lists: &TokenLists, range: Option<Range<usize>>, stop: &Stop| {
        let Some(range) = range else { return Ok(None) };
        let entries = range.take_while(|_| !stop.is_asked()).map(|entry| Ok((lists, entry)));
        let tokens = tokens(entries, &format_args!("contents[{row}]"))?;
        Ok(Some((reply_of(&tokens), score(&tokens, format, min_mass))))
    };
    let mut scored = Vec::new();
    pool::run(py, pool::count(None), |stop| {
        let rows = rows.into_par_iter().enumerate();
        scored = rows.map(|(row, (lists, range))| one(row, lists, range.filter(|_| !stop.is_asked()), stop)).collect();
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
    content: &Bound<'py, PyAny>,
    format: &PyFormat,
    min_mass: f64,
    place: &dyn Display,
    lookout: &mut Lookout,
) -> PyResult<Bound<'py, PyAny>> {
    let py = content.py();
    if content.is_none() {
        return outcome(py, None, format);
    }
    if content.is_instance_of::<PyString>() || content.is_instance_of::<PyDict>() {
        let kind = content.get_type().name()?;
        let cure = "pass choices[0].logprobs.content, a list with an entry for each token";
        return Err(PyTypeError::new_err(format!("{place} must be a list, not {kind}: {cure}")));
    }
    let entries = content.try_iter()?.map(|entry| lookout.look(py).and(entry));
    let tokens = tokens(entries, place)?;
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

/// An entry for a token, in Python's objects or Arrow's memory.
trait Entry: Sized {
    /// The bytes that the endpoint gives, or the token's text; None where there is neither.
    fn bytes(&self, place: &Place<'_>) -> PyResult<Option<Vec<u8>>>;

    fn logprob(&self, place: &Place<'_>) -> PyResult<Option<f64>>;

    /// The likeliest tokens beside it.
    fn top(&self) -> PyResult<impl Iterator<Item = PyResult<Self>>>;
}

impl Entry for (&TokenLists, usize) {
    fn bytes(&self, _place: &Place<'_>) -> PyResult<Option<Vec<u8>>> {
        Ok(self.0.bytes(self.1))
    }

    fn logprob(&self, _place: &Place<'_>) -> PyResult<Option<f64>> {
        Ok(self.0.logprob(self.1))
    }

    fn top(&self) -> PyResult<impl Iterator<Item = PyResult<Self>>> {
        let top = self.0.top(self.1).into_iter();
        Ok(top.flat_map(|(lists, range)| range.map(move |entry| Ok((lists, entry)))))
    }
}

impl Entry for Bound<'_, PyAny> {
    fn bytes(&self, place: &Place<'_>) -> PyResult<Option<Vec<u8>>> {
        if let Some(bytes) = attribute(self, "bytes")?
            && let Ok(bytes) =
                bytes.cast::<PyBytes>().map_or_else(|_| bytes.extract(), |bytes| Ok(bytes.as_bytes().to_vec()))
        {
            return Ok(Some(bytes));
        }
        let Some(token) = attribute(self, "token")? else { return Ok(None) };
        let token =
            token.cast::<PyString>().map_err(|_| PyTypeError::new_err(format!("{place}.token must be a str")))?;
        Ok(Some(crate::text::utf8(token)?.into_owned().into_bytes()))
    }

    fn logprob(&self, place: &Place<'_>) -> PyResult<Option<f64>> {
        let Some(given) = attribute(self, "logprob")? else { return Ok(None) };
        given.extract().map(Some).map_err(|_| {
            PyTypeError::new_err(format!(
                "{place}.logprob must be a number; it is the natural logarithm of a probability"
            ))
        })
    }

    fn top(&self) -> PyResult<impl Iterator<Item = PyResult<Self>>> {
        let listed = attribute(self, "top_logprobs")?.map(|listed| listed.try_iter()).transpose()?;
        Ok(listed.into_iter().flatten())
    }
}

/// Where an entry stands, for errors.
struct Place<'p> {
    reply: &'p dyn Display,
    nth: usize,
    rank: Option<usize>,
}

impl Display for Place<'_> {
    fn fmt(&self, to: &mut Formatter<'_>) -> fmt::Result {
        write!(to, "{}[{}]", self.reply, self.nth)?;
        self.rank.map_or(Ok(()), |rank| write!(to, ".top_logprobs[{rank}]"))
    }
}

/// The tokens of one reply.
fn tokens<E: Entry>(entries: impl Iterator<Item = PyResult<E>>, reply: &dyn Display) -> PyResult<Vec<Token>> {
    let mut texts = Texts::default();
    let mut tokens = Vec::new();
    for (nth, entry) in entries.enumerate() {
        let entry = entry?;
        let place = Place { reply, nth, rank: None };
        let text = texts.next(&bytes(&entry, &place)?);
        let own = logprob(&entry, &place)?;
        let mut top = Vec::new();
        for (rank, choice) in entry.top()?.enumerate() {
            let choice = choice?;
            let place = Place { reply, nth, rank: Some(rank) };
            let text = String::from_utf8_lossy(&bytes(&choice, &place)?).into_owned();
            top.push((text, logprob(&choice, &place)?));
        }
        tokens.push(Token { text, logprob: own, top });
    }
    Ok(tokens)
}

fn bytes(entry: &impl Entry, place: &Place<'_>) -> PyResult<Vec<u8>> {
    entry.bytes(place)?.ok_or_else(|| no_key(place, "token"))
}

fn logprob(entry: &impl Entry, place: &Place<'_>) -> PyResult<f64> {
    let logprob = entry.logprob(place)?.ok_or_else(|| no_key(place, "logprob"))?;
    if logprob.is_nan() || logprob > ROUNDING {
        return Err(PyValueError::new_err(format!(
            "{place}.logprob is {logprob}, but the logarithm of a probability is at most 0"
        )));
    }
    Ok(logprob.min(0.0))
}

fn no_key(place: &Place<'_>, key: &str) -> PyErr {
    PyValueError::new_err(format!("{place} has no {key}; each entry needs token and logprob"))
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

/// A key of a dictionary, or an attribute of an object of the endpoint's client.
fn attribute<'py>(entry: &Bound<'py, PyAny>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    let found = match entry.cast::<PyDict>() {
        Ok(entry) => entry.get_item(name)?,
        Err(_) => entry.getattr_opt(name)?,
    };
    Ok(found.filter(|value| !value.is_none()))
}
