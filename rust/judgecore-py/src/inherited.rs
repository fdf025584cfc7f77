//! `ResponseParser`: the functions inherited from lmms-eval, exact to the letter.

use judgecore::inherited::{self, Braced};
use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString};

use crate::text::utf8;

/// What the judge was asked for: `0/1` and `1/0` ask for digits, anything else for yes or no.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    Digits,
    Words,
}

impl<'py> FromPyObject<'_, 'py> for Asked {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let is_digits = given.extract::<&str>().is_ok_and(|name| matches!(name, "0/1" | "1/0"));
        Ok(if is_digits { Self::Digits } else { Self::Words })
    }
}

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
    #[pyo3(signature = (response, output_format = Asked::Digits), text_signature = "(response, output_format='0/1')")]
    fn parse_binary_response<'py>(
        py: Python<'py>,
        response: &Bound<'py, PyAny>,
        output_format: Asked,
    ) -> PyResult<Bound<'py, PyAny>> {
        let response = response.cast::<PyString>().map_err(|_| no_text(response))?;
        let reply = utf8(response)?;
        if output_format == Asked::Digits {
            return Ok(u8::from(inherited::holds_one(&reply)).into_pyobject(py)?.into_any());
        }
        Ok(PyBool::new(py, inherited::begins_with_yes(&reply)).to_owned().into_any())
    }

    #[staticmethod]
    #[pyo3(signature = (response, score_range = None))]
    fn parse_score_response<'py>(
        py: Python<'py>,
        response: &Bound<'py, PyAny>,
        score_range: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let number = match response.cast::<PyString>() {
            Ok(response) => inherited::first_number(&utf8(response)?).map(|(score, _)| score),
            Err(_) => None,
        };
        let range = score_range.filter(|range| range.is_truthy().unwrap_or(false));
        let Some(range) = range else {
            return Ok(number.unwrap_or(0.0).into_pyobject(py)?.into_any());
        };
        let first = range.get_item(0)?;
        let Ok(low) = first.extract::<f64>() else {
            // A range of no numbers fails in the reference's clamp and is handed back as its default.
            return Ok(first);
        };
        let high = range.get_item(1).and_then(|high| high.extract::<f64>());
        let score = match (number, high) {
            // As `max(low, min(score, high))`, in this order, also where low exceeds high.
            (Some(score), Ok(high)) => {
                let below = if high < score { high } else { score };
                if below > low { below } else { low }
            }
            _ => low,
        };
        Ok(score.into_pyobject(py)?.into_any())
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
        let value = match inherited::braced(text) {
            Braced::Document(document) => crate::objects::to_python(py, &document),
            Braced::Nothing => return Ok(nothing()),
            // Python's own limits decide what is too deep or too long, and its strings hold lone surrogates.
            Braced::Unsure(text) => py.import("json")?.call_method1("loads", (text,)),
        };
        match value {
            Ok(value) => Ok(value),
            Err(problem) if problem.is_instance_of::<pyo3::exceptions::PyException>(py) => Ok(nothing()),
            Err(problem) => Err(problem),
        }
    }
}

/// The exception of the reference, which strips first and then looks for text.
fn no_text(response: &Bound<'_, PyAny>) -> PyErr {
    let kind = response.get_type().name().map_or_else(|_| "an object".to_owned(), |name| name.to_string());
    if response.hasattr("strip").unwrap_or(false) {
        return PyTypeError::new_err(format!("response must be a str, not {kind}"));
    }
    PyAttributeError::new_err(format!("response must be a str, not {kind}, which has no strip"))
}
