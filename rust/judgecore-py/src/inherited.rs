//! `ResponseParser`: the parsers of lmms-eval, reproduced exactly.

use judgecore::inherited::{self, Braced};
use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString};

use crate::text::utf8;

/// The requested answer: digits for `0/1` and `1/0`, yes or no for anything else.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AnswerForm {
    Digits,
    Words,
}

impl<'py> FromPyObject<'_, 'py> for AnswerForm {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let is_digits = given.extract::<&str>().is_ok_and(|name| matches!(name, "0/1" | "1/0"));
        Ok(if is_digits { Self::Digits } else { Self::Words })
    }
}

/// The parsers of lmms-eval's judge.
#[pyclass(frozen, module = "judgecore")]
pub(crate) struct ResponseParser;

#[pymethods]
impl ResponseParser {
    #[new]
    fn new() -> Self {
        Self
    }

    #[staticmethod]
    #[pyo3(signature = (response, output_format = AnswerForm::Digits), text_signature = "(response, output_format='0/1')")]
    fn parse_binary_response<'py>(
        py: Python<'py>,
        response: &Bound<'py, PyAny>,
        output_format: AnswerForm,
    ) -> PyResult<Bound<'py, PyAny>> {
        let response = response.cast::<PyString>().map_err(|_| not_text(response))?;
        let reply = utf8(response)?;
        if output_format == AnswerForm::Digits {
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
            // With a range that has no numbers, the reference fails to clamp, and returns the first item.
            return Ok(first);
        };
        let high = range.get_item(1).and_then(|high| high.extract::<f64>());
        let score = match (number, high) {
            // The same as `max(low, min(score, high))`, also if low exceeds high.
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
            // Python's limits for depth and integers apply, and its strings can have lone surrogates.
            Braced::Unsure(text) => py.import("json")?.call_method1("loads", (text,)),
        };
        match value {
            Ok(value) => Ok(value),
            Err(problem) if problem.is_instance_of::<pyo3::exceptions::PyException>(py) => Ok(nothing()),
            Err(problem) => Err(problem),
        }
    }
}

/// Return the exception of the reference, which calls `strip` before it checks the type.
fn not_text(response: &Bound<'_, PyAny>) -> PyErr {
    let kind = response.get_type().name().map_or_else(|_| "an object".to_owned(), |name| name.to_string());
    if response.hasattr("strip").unwrap_or(false) {
        return PyTypeError::new_err(format!("response must be a str, not {kind}"));
    }
    PyAttributeError::new_err(format!("response must be a str, not {kind}, which has no strip"))
}
