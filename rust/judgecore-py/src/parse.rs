//! `parse` and `parse_many`.

use pyo3::prelude::*;

use crate::cut::Cut;
use crate::format;
use crate::material;
use crate::one::read_one;
use crate::pool::Threads;
use crate::readings::Readings;

/// `judgecore.parse`.
#[pyfunction]
#[pyo3(signature = (reply, format, *, mode = "lenient", cut = false, material = None))]
pub(crate) fn parse<'py>(
    py: Python<'py>,
    reply: &Bound<'py, PyAny>,
    format: &Bound<'py, PyAny>,
    mode: &str,
    cut: bool,
    material: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let material = material::items(material)?;
    let format = format::resolve(format)?;
    let format = format.get();
    let mode = format::mode(mode, &format.inner)?;
    read_one(py, reply, format, mode, cut, material.as_ref())
}

/// `judgecore.parse_many`.
#[pyfunction]
#[pyo3(signature = (replies, format, *, mode = "lenient", cut = None, material = None, threads = None))]
pub(crate) fn parse_many(
    py: Python<'_>,
    replies: &Bound<'_, PyAny>,
    format: &Bound<'_, PyAny>,
    mode: &str,
    cut: Option<&Bound<'_, PyAny>>,
    material: Option<&Bound<'_, PyAny>>,
    threads: Option<Threads>,
) -> PyResult<Readings> {
    let format = format::resolve(format)?;
    let mode = format::mode(mode, &format.get().inner)?;
    Readings::read(py, replies, format, mode, Cut::new(cut)?, material, threads)
}
