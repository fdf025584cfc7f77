//! The `material` argument: the texts that the judge was shown.

use std::borrow::Cow;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};

use crate::column::{Column, Views};
use crate::text::Text;
use crate::text::utf8;

/// The maximum length of a text, equal to the default limit of JSON replies.
pub(crate) const MAX_BYTES: usize = 64 << 20;

/// The names of columns in errors; further ones are just "material".
const NAMES: [&str; 8] = [
    "material[0]",
    "material[1]",
    "material[2]",
    "material[3]",
    "material[4]",
    "material[5]",
    "material[6]",
    "material[7]",
];

/// Return the texts of one reply's material.
pub(crate) fn texts<'a>(given: Option<&'a Vec<Bound<'_, PyAny>>>) -> PyResult<Vec<Cow<'a, str>>> {
    let mut texts = Vec::new();
    for (nth, one) in given.into_iter().flatten().enumerate() {
        if one.is_none() {
            continue;
        }
        let Ok(text) = one.cast::<PyString>() else {
            let kind = one.get_type().name()?;
            return Err(PyTypeError::new_err(format!("material[{nth}] must be a str or None, not {kind}")));
        };
        let text = utf8(text)?;
        check_length(&text, || format!("material[{nth}]"))?;
        texts.push(text);
    }
    Ok(texts)
}

/// Return the items of a caller's list, which must not be a string itself.
pub(crate) fn items<'py>(given: Option<&Bound<'py, PyAny>>) -> PyResult<Option<Vec<Bound<'py, PyAny>>>> {
    let Some(given) = given else { return Ok(None) };
    if given.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err("material must be a list of texts, not a str; pass [text]"));
    }
    given.try_iter()?.collect::<PyResult<Vec<_>>>().map(Some)
}

/// Columns of material, each as long as the replies.
pub(crate) struct Materials {
    columns: Vec<Column>,
}

impl Materials {
    pub(crate) fn new(given: Option<&Bound<'_, PyAny>>, rows: usize) -> PyResult<Self> {
        let Some(given) = given else { return Ok(Self { columns: Vec::new() }) };
        if !given.is_instance_of::<PyList>() && !given.is_instance_of::<PyTuple>() {
            let kind = given.get_type().name()?;
            return Err(PyTypeError::new_err(format!("material must be a list of columns, not {kind}; pass [column]")));
        }
        let mut columns = Vec::new();
        for (nth, one) in given.try_iter()?.enumerate() {
            let one = one?;
            if one.is_none() {
                continue;
            }
            let name = NAMES.get(nth).copied().unwrap_or("material");
            if one.is_instance_of::<PyString>() {
                return Err(PyTypeError::new_err(format!(
                    "{name} must be a column as long as the replies, not a str; pass material=[column]"
                )));
            }
            let column = Column::new(&one, name)?;
            if column.len() != rows {
                return Err(PyValueError::new_err(format!("{name} has {} rows, replies has {rows}", column.len())));
            }
            columns.push(column);
        }
        Ok(Self { columns })
    }

    /// View and validate the texts, so that they can be read without the GIL.
    pub(crate) fn views<'a>(&'a self, py: Python<'a>) -> PyResult<Vec<Views<'a>>> {
        let mut views = Vec::with_capacity(self.columns.len());
        for (nth, column) in self.columns.iter().enumerate() {
            let view = column.views(py)?;
            for row in 0..column.len() {
                match view.text(row) {
                    Text::Missing => {}
                    Text::Whole { text, .. } => check_length(text, || format!("material[{nth}], row {row}"))?,
                    Text::Broken(at) => {
                        return Err(PyValueError::new_err(format!(
                            "material[{nth}], row {row} is not UTF-8 at byte {at}; fix it or make it null"
                        )));
                    }
                }
                if row.is_multiple_of(1 << 16) {
                    py.check_signals()?;
                }
            }
            views.push(view);
        }
        Ok(views)
    }

    /// Return the texts of a row as Python strings.
    pub(crate) fn row<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let text = |column: &Column| Ok(column.row(py, row)?.unwrap_or_else(|_| py.None().into_bound(py)));
        self.columns.iter().map(text).collect()
    }
}

fn check_length(text: &str, name: impl Fn() -> String) -> PyResult<()> {
    if text.len() <= MAX_BYTES {
        return Ok(());
    }
    let (name, bytes) = (name(), text.len());
    Err(PyValueError::new_err(format!(
        "{name} has {bytes} bytes, more than the limit of {MAX_BYTES}; pass only the part that the judge was shown"
    )))
}
