//! `ResponseParser`: the functions inherited from lmms-eval, exact to the letter.

use judgecore::inherited;
use pyo3::exceptions::{PyAttributeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString};

use crate::text::utf8;

/// The parsers inherited from lmms-eval's judge.
#[pyclass(frozen, module = "judgecore")]
pub(crate) struct ResponseParser;

#[pymethods]
impl ResponseParser {
    #[new]
    fn new() -> Self {
        Self
    }

    #[staticmethod]
    #[pyo3(signature = (response, output_format = "0/1"))]
    fn parse_binary_response<'py>(
        py: Python<'py>,
        response: &Bound<'py, PyAny>,
        output_format: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let response = response.cast::<PyString>().map_err(|_| {
            let kind = response.get_type().name().map_or_else(|_| String::new(), |name| name.to_string());
            PyAttributeError::new_err(format!("{kind:?} object has no attribute 'strip'"))
        })?;
        let reply = utf8(response)?;
        if matches!(output_format, "0/1" | "1/0") {
            return Ok(u8::from(inherited::holds_one(&reply)).into_pyobject(py)?.into_any());
        }
        Ok(PyBool::new(py, inherited::begins_with_yes(&reply)).to_owned().into_any())
    }

    #[staticmethod]
    #[pyo3(signature = (response, score_range = None))]
    fn parse_score_response(response: &Bound<'_, PyAny>, score_range: Option<&Bound<'_, PyAny>>) -> PyResult<f64> {
        let range = match score_range {
            Some(range) if range.is_truthy()? => Some((bound(range, 0)?, bound(range, 1)?)),
            _ => None,
        };
        let number = match response.cast::<PyString>() {
            Ok(response) => inherited::first_number(&utf8(response)?),
            Err(_) => None,
        };
        Ok(match (number, range) {
            (Some((score, _)), Some((low, high))) => {
                // As `max(low, min(score, high))`, in this order, also where low exceeds high.
                let below = if high < score { high } else { score };
                if below > low { below } else { low }
            }
            (Some((score, _)), None) => score,
            (None, Some((low, _))) => low,
            (None, None) => 0.0,
        })
    }

    #[staticmethod]
    fn parse_comparative_response(response: &Bound<'_, PyAny>) -> PyResult<(f64, f64)> {
        let Ok(response) = response.cast::<PyString>() else {
            return Ok((-1.0, -1.0));
        };
        let pair = inherited::first_pair(&utf8(response)?);
        Ok(pair.map_or((-1.0, -1.0), |(first, second, _)| (first, second)))
    }

    #[staticmethod]
    fn parse_json_response<'py>(py: Python<'py>, response: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let nothing = || PyDict::new(py).into_any();
        let Ok(response) = response.cast::<PyString>() else {
            return Ok(nothing());
        };
        let Ok(text) = response.to_str() else {
            return Ok(nothing());
        };
        let Some(braced) = inherited::braced(text) else {
            return Ok(nothing());
        };
        match py.import("json")?.call_method1("loads", (braced,)) {
            Ok(value) => Ok(value),
            Err(problem) if problem.is_instance_of::<pyo3::exceptions::PyException>(py) => Ok(nothing()),
            Err(problem) => Err(problem),
        }
    }
}

fn bound(range: &Bound<'_, PyAny>, nth: usize) -> PyResult<f64> {
    range.get_item(nth)?.extract().map_err(|_| {
        PyValueError::new_err("score_range must be two numbers, the lowest and the highest score")
    })
}
