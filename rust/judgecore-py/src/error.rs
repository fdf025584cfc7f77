//! Exceptions of `judgecore.errors`, which is imported when the first one is raised.

use judgecore::format::FormatError;
use pyo3::prelude::*;

/// Create an exception of `judgecore.errors`.
pub(crate) fn raise(py: Python<'_>, class: &str, message: impl Into<String>) -> PyErr {
    let message = message.into();
    let made = py
        .import("judgecore.errors")
        .and_then(|errors| errors.getattr(class))
        .and_then(|class| class.call1((message,)));
    match made {
        Ok(exception) => PyErr::from_value(exception),
        Err(problem) => problem,
    }
}

pub(crate) fn format_error(py: Python<'_>, problem: &FormatError) -> PyErr {
    let class = match problem {
        FormatError::Unknown(_) => "UnknownFormatError",
        _ => "FormatError",
    };
    raise(py, class, problem.to_string())
}
