//! Reads one reply.

use judgecore::{Format, Mode, Read, Reason, read, read_into};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::deep::drop_outcome;
use crate::format::PyFormat;
use crate::material;
use crate::objects::Objects;
use crate::outcome::{PyReading, PyUnreadable, outcome_object, value};
use crate::pool::LONG;
use crate::text::utf8;

/// Read one reply with a resolved format.
pub(crate) fn read_one<'py>(
    py: Python<'py>,
    reply: &Bound<'py, PyAny>,
    format: &PyFormat,
    mode: Mode,
    cut: bool,
    material: Option<&Vec<Bound<'py, PyAny>>>,
) -> PyResult<Bound<'py, PyAny>> {
    let material = material::texts(material)?;
    let shown: Vec<&str> = material.iter().map(AsRef::as_ref).collect();
    let Ok(reply) = reply.cast::<PyString>() else {
        if reply.is_none() {
            return PyUnreadable::plain(py, format, Reason::Missing, "there is no reply");
        }
        let kind = reply.get_type().name()?;
        return Err(PyTypeError::new_err(format!("reply must be a str or None, not {kind}")));
    };
    let text = utf8(reply)?;
    let outcome = match read_text(py, &text, &format.inner, mode, cut, &shown)? {
        Read::Lone(lone) => return Ok(Bound::new(py, PyReading::lone(format, mode, reply, lone))?.into_any()),
        Read::Outcome(outcome) => outcome,
    };
    let object = outcome_object(py, format, mode, reply, &outcome);
    drop_outcome(&format.inner, outcome);
    object
}

/// Read a text, without the GIL if it is long.
fn read_text<'a, 'py>(
    py: Python<'py>,
    text: &'a str,
    format: &'a Format,
    mode: Mode,
    cut: bool,
    shown: &[&str],
) -> PyResult<Read<'a, Bound<'py, PyAny>>> {
    let length = shown.iter().fold(text.len(), |length, shown| length.saturating_add(shown.len()));
    if length < LONG {
        return read_into(text, format, mode, cut, shown, &mut Objects::new(py));
    }
    Ok(Read::Outcome(py.detach(|| read(text, format, mode, cut, shown))))
}

/// Return only the value of a reply; None if it is unreadable.
pub(crate) fn value_of<'py>(
    py: Python<'py>,
    text: &str,
    format: &PyFormat,
    mode: Mode,
    cut: bool,
    shown: &[&str],
) -> PyResult<Bound<'py, PyAny>> {
    let outcome = match read_text(py, text, &format.inner, mode, cut, shown)? {
        Read::Lone(lone) => return Ok(lone.value),
        Read::Outcome(outcome) => outcome,
    };
    let value = outcome.as_ref().map_or_else(|_| Ok(py.None().into_bound(py)), |reading| value(py, format, reading));
    drop_outcome(&format.inner, outcome);
    value
}
