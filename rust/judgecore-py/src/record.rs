//! Results as dictionaries: each field by its name, and the reasons of those that are None.

use judgecore::stats::{Field, Interval};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// A result by field.
pub(crate) type Record<'py> = Bound<'py, PyDict>;
/// Low, high, confidence and method of an interval.
pub(crate) type Ends = (f64, f64, f64, &'static str);

pub(crate) fn to_ends(found: &Interval) -> Ends {
    (found.low, found.high, found.confidence, found.method)
}

/// A result as a dictionary; under `undefined` are the reasons of fields that are None, by dotted name.
pub(crate) fn to_record<'py>(py: Python<'py>, found: &impl judgecore::stats::Record) -> PyResult<Record<'py>> {
    let undefined = PyDict::new(py);
    let record = to_dict(&found.fields(), "", &undefined)?;
    record.set_item("undefined", undefined)?;
    Ok(record)
}

fn to_dict<'py>(fields: &[(&'static str, Field)], prefix: &str, undefined: &Record<'py>) -> PyResult<Record<'py>> {
    let written = PyDict::new(undefined.py());
    set_all(&written, fields, prefix, undefined)?;
    Ok(written)
}

fn set_all(
    written: &Record<'_>,
    fields: &[(&'static str, Field)],
    prefix: &str,
    undefined: &Record<'_>,
) -> PyResult<()> {
    for (name, field) in fields {
        if let Field::Flat(inner) = field {
            set_all(written, inner, prefix, undefined)?;
        } else {
            written.set_item(*name, to_object(field, &format!("{prefix}{name}"), undefined)?)?;
        }
    }
    Ok(())
}

/// A field as an object; why it is None goes into `undefined` under its path.
fn to_object<'py>(field: &Field, path: &str, undefined: &Record<'py>) -> PyResult<Bound<'py, PyAny>> {
    let py = undefined.py();
    Ok(match field {
        Field::Missing => py.None().into_bound(py),
        Field::Undefined(reason) => {
            undefined.set_item(path, reason.to_string())?;
            py.None().into_bound(py)
        }
        Field::Flag(value) => value.into_pyobject(py)?.to_owned().into_any(),
        Field::Count(value) => value.into_pyobject(py)?.into_any(),
        Field::Number(value) => value.into_pyobject(py)?.into_any(),
        Field::Interval(value) => to_ends(value).into_pyobject(py)?.into_any(),
        Field::List(values) => {
            let written = PyList::empty(py);
            for (nth, value) in values.iter().enumerate() {
                written.append(to_object(value, &format!("{path}.{nth}"), undefined)?)?;
            }
            written.into_any()
        }
        Field::Record(fields) | Field::Flat(fields) => to_dict(fields, &format!("{path}."), undefined)?.into_any(),
    })
}
