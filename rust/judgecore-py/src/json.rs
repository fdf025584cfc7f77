//! `extract_json` and `extract_json_many`.

use judgecore::Mode;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::cut::Cut;
use crate::format::{self, PyFormat};
use crate::material;
use crate::one::read_one;
use crate::pool::Threads;
use crate::readings::Readings;
use crate::text::Texts;

/// Return the format of a document with these keys and limits; the default one is cached.
fn document_format(py: Python<'_>, keys: Vec<String>, max_depth: usize, max_bytes: usize) -> PyResult<Py<PyFormat>> {
    static DEFAULT: PyOnceLock<Py<PyFormat>> = PyOnceLock::new();
    if keys.is_empty() && max_depth == DEPTH && max_bytes == BYTES {
        return Ok(DEFAULT.get_or_try_init(py, || format::document(py, keys, max_depth, max_bytes))?.clone_ref(py));
    }
    format::document(py, keys, max_depth, max_bytes)
}

const DEPTH: usize = 200;
const BYTES: usize = 64 << 20;

fn mode_of(name: &str) -> PyResult<Mode> {
    match name {
        "lenient" => Ok(Mode::Lenient),
        "strict" => Ok(Mode::Strict),
        _ => Err(PyValueError::new_err(format!("mode must be 'lenient' or 'strict', not {name:?}"))),
    }
}

/// `judgecore.extract_json`.
#[pyfunction]
#[pyo3(
    signature = (reply, *, mode = "lenient", keys = Texts::default(), cut = false, material = None, max_depth = DEPTH,
        max_bytes = BYTES),
    text_signature = "(reply, *, mode='lenient', keys=(), cut=False, material=None, max_depth=200, max_bytes=67108864)"
)]
#[expect(clippy::too_many_arguments, reason = "the documented signature")]
pub(crate) fn extract_json<'py>(
    py: Python<'py>,
    reply: &Bound<'py, PyAny>,
    mode: &str,
    keys: Texts,
    cut: bool,
    material: Option<&Bound<'py, PyAny>>,
    max_depth: usize,
    max_bytes: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let mode = mode_of(mode)?;
    let material = material::items(material)?;
    let format = document_format(py, keys.0, max_depth, max_bytes)?;
    read_one(py, reply, format.get(), mode, cut, material.as_ref())
}

/// `judgecore.extract_json_many`.
#[pyfunction]
#[pyo3(
    signature = (replies, *, mode = "lenient", keys = Texts::default(), cut = None, material = None, max_depth = DEPTH,
        max_bytes = BYTES, threads = None),
    text_signature = "(replies, *, mode='lenient', keys=(), cut=None, material=None, max_depth=200, max_bytes=67108864, threads=None)"
)]
#[expect(clippy::too_many_arguments, reason = "the documented signature")]
pub(crate) fn extract_json_many(
    py: Python<'_>,
    replies: &Bound<'_, PyAny>,
    mode: &str,
    keys: Texts,
    cut: Option<&Bound<'_, PyAny>>,
    material: Option<&Bound<'_, PyAny>>,
    max_depth: usize,
    max_bytes: usize,
    threads: Option<Threads>,
) -> PyResult<Readings> {
    let mode = mode_of(mode)?;
    let format = document_format(py, keys.0, max_depth, max_bytes)?;
    Readings::read(py, replies, format, mode, Cut::new(cut)?, material, threads)
}
