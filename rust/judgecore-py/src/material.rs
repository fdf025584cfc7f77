//! Material: the texts that judges were shown.

use std::borrow::Cow;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};

use crate::column::{Column, Views};
use crate::text::Text;
use crate::text::utf8;

/// A longer text is no material, as a longer reply is no reply of JSON.
pub(crate) const MOST_BYTES: usize = 64 << 20;

/// What errors call the columns; more are called alike.
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

/// The texts that one judge was shown.
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

/// The items of a caller's list, which is no text itself.
pub(crate) fn items<'py>(given: Option<&Bound<'py, PyAny>>) -> PyResult<Option<Vec<Bound<'py, PyAny>>>> {
    let Some(given) = given else { return Ok(None) };
    if given.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err("material must be a list of texts, and this is one str; give [text]"));
    }
    given.try_iter()?.collect::<PyResult<Vec<_>>>().map(Some)
}

/// Columns of texts that judges were shown, each as long as their replies.
pub(crate) struct Materials {
    columns: Vec<Column>,
}

impl Materials {
    pub(crate) fn new(given: Option<&Bound<'_, PyAny>>, rows: usize) -> PyResult<Self> {
        let Some(given) = given else { return Ok(Self { columns: Vec::new() }) };
        if !given.is_instance_of::<PyList>() && !given.is_instance_of::<PyTuple>() {
            let kind = given.get_type().name()?;
            return Err(PyTypeError::new_err(format!("material must be a list of columns, not {kind}; give [column]")));
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
                    "{name} must be a column, as long as the replies, and this is one str; give material=[column]"
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

    /// View the texts, so that they can be read without the GIL; each is one, and not too long.
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
                            "material[{nth}], row {row} is not UTF-8 at byte {at}; mend it or make it null"
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

    /// The texts of a row as Python strings.
    pub(crate) fn row<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let text = |column: &Column| Ok(column.row(py, row)?.unwrap_or_else(|_| py.None().into_bound(py)));
        self.columns.iter().map(text).collect()
    }
}

fn check_length(text: &str, name: impl Fn() -> String) -> PyResult<()> {
    if text.len() <= MOST_BYTES {
        return Ok(());
    }
    let (name, bytes) = (name(), text.len());
    Err(PyValueError::new_err(format!(
        "{name} has {bytes} bytes, more than the limit of {MOST_BYTES}; give the part that the judge was shown"
    )))
}
