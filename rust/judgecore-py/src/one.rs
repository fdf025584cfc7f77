//! Reading one reply.

use judgecore::{Read, Reason, read, read_into, release};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::format::PyFormat;
use crate::kept::SHALLOW;
use crate::material;
use crate::objects::Objects;
use crate::outcome::{PyReading, PyUnreadable, value};
use crate::pool::LONG;
use crate::text::utf8;

/// Read one reply with a resolved format.
pub(crate) fn one<'py>(
    py: Python<'py>,
    reply: &Bound<'py, PyAny>,
    format: &PyFormat,
    mode: judgecore::Mode,
    cut: bool,
    material: Option<&Vec<Bound<'py, PyAny>>>,
) -> PyResult<Bound<'py, PyAny>> {
    let material = material::texts(material)?;
    let shown: Vec<&str> = material.iter().map(AsRef::as_ref).collect();
    let Ok(reply) = reply.cast::<PyString>() else {
        if reply.is_none() {
            let missing = PyUnreadable::plain(py, format, Reason::Missing, "there is no reply");
            return Ok(Bound::new(py, missing)?.into_any());
        }
        let kind = reply.get_type().name()?;
        return Err(PyTypeError::new_err(format!("reply must be a str or None, not {kind}")));
    };
    let text = utf8(reply)?;
    let length = shown.iter().fold(text.len(), |length, shown| length.saturating_add(shown.len()));
    let read = if length < LONG {
        read_into(&text, &format.inner, mode, cut, &shown, &mut Objects::new(py))?
    } else {
        Read::Outcome(py.detach(|| read(&text, &format.inner, mode, cut, &shown)))
    };
    let outcome = match read {
        Read::Lone(lone) => return Ok(Bound::new(py, PyReading::lone(format, mode, reply, lone))?.into_any()),
        Read::Outcome(outcome) => outcome,
    };
    let object = match &outcome {
        Ok(reading) => Bound::new(py, PyReading::new(py, format, mode, reply, reading)?)?.into_any(),
        Err(unreadable) => Bound::new(py, PyUnreadable::new(py, format, mode, reply, unreadable)?)?.into_any(),
    };
    if format.inner.max_depth() > SHALLOW {
        release(outcome);
    }
    Ok(object)
}

/// The value of a reply that is read, and nothing else of it; None where it is unread.
pub(crate) fn value_of<'py>(
    py: Python<'py>,
    text: &str,
    format: &PyFormat,
    mode: judgecore::Mode,
    cut: bool,
    shown: &[&str],
) -> PyResult<Bound<'py, PyAny>> {
    let outcome = match read_into(text, &format.inner, mode, cut, shown, &mut Objects::new(py))? {
        Read::Lone(lone) => return Ok(lone.value),
        Read::Outcome(outcome) => outcome,
    };
    let value = outcome.as_ref().map_or_else(|_| Ok(py.None().into_bound(py)), |reading| value(py, format, reading));
    if format.inner.max_depth() > SHALLOW {
        release(outcome);
    }
    value
}
