//! Converts Arrow arrays of values to Python objects.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, ListArray, StringArray, StructArray};
use judgecore::Value;
use judgecore::json::parse;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::deep::DeepValue;
use crate::objects::to_python;
use crate::outcome::PyGuardVerdict;
use crate::value_column::Shape;

/// The Python types of values.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// The types in outcomes.
    Outcome,
    /// Only lists and dictionaries, as in JSON.
    Plain,
}

/// The object of each row; None without a value.
pub(crate) type Cells<'py> = Vec<Option<Bound<'py, PyAny>>>;

/// Convert an array of a shape.
pub(crate) fn cells<'py>(py: Python<'py>, shape: &Shape, array: &ArrayRef, style: Style) -> PyResult<Cells<'py>> {
    match shape {
        Shape::Bool => {
            let bools = array.as_boolean_opt().ok_or_else(damaged)?;
            Ok(bools.iter().map(|one| one.map(|one| PyBool::new(py, one).to_owned().into_any())).collect())
        }
        Shape::Score => {
            let scores = array.as_primitive_opt::<Float64Type>().ok_or_else(damaged)?;
            Ok(scores.iter().map(|one| one.map(|one| PyFloat::new(py, one).into_any())).collect())
        }
        Shape::Label(names) => {
            let names = texts(names)?.iter().map(|name| PyString::new(py, name.unwrap_or_default()));
            let names: Vec<_> = names.collect();
            let codes = array.as_dictionary_opt::<Int32Type>().ok_or_else(damaged)?.keys();
            let name = |code: i32| usize::try_from(code).ok().and_then(|code| names.get(code));
            Ok(codes.iter().map(|code| code.and_then(name).map(|name| name.clone().into_any())).collect())
        }
        Shape::Scores => lists(py, array, style, |items| {
            let scores = items.as_primitive_opt::<Float64Type>().ok_or_else(damaged)?;
            Ok(scores.values().iter().map(|&score| PyFloat::new(py, score).into_any()).collect())
        }),
        Shape::Ranks => lists(py, array, style, |items| {
            let ranks = items.as_primitive_opt::<Int64Type>().ok_or_else(damaged)?;
            Ok(ranks.values().iter().map(|&rank| PyInt::new(py, rank).into_any()).collect())
        }),
        Shape::Names => lists(py, array, style, |items| strings(py, items)),
        Shape::Guard => guards(py, array, style),
        Shape::Fields(fields) => {
            let column = array.as_struct_opt().ok_or_else(damaged)?;
            let rows = (0..column.len()).map(|row| column.is_valid(row).then(|| PyDict::new(py)));
            let rows: Vec<Option<Bound<'py, PyDict>>> = rows.collect();
            for ((name, shape), column) in fields.iter().zip(column.columns()) {
                let name = PyString::new(py, name);
                for (dict, value) in rows.iter().zip(cells(py, shape, column, style)?) {
                    // The dictionary leaves out fields without a value.
                    if let (Some(dict), Some(value)) = (dict, value) {
                        dict.set_item(&name, value)?;
                    }
                }
            }
            Ok(rows.into_iter().map(|dict| dict.map(Bound::into_any)).collect())
        }
        Shape::Document(_) => {
            texts(array)?.iter().map(|text| text.map(|text| document(py, text)).transpose()).collect()
        }
    }
}

/// Validate the values of an array, in addition to Arrow's own checks.
pub(crate) fn check(shape: &Shape, array: &ArrayRef) -> Result<(), &'static str> {
    const ITEMS: &str = "a list with an item that is null";
    let is_whole = |lists: &ArrayRef| lists.as_list_opt::<i32>().is_some_and(|lists| lists.values().null_count() == 0);
    match shape {
        Shape::Bool => Ok(()),
        Shape::Score => {
            let scores = array.as_primitive_opt::<Float64Type>();
            let is_finite = scores.is_some_and(|scores| scores.iter().flatten().all(f64::is_finite));
            if is_finite { Ok(()) } else { Err("a score that is not finite") }
        }
        Shape::Scores => {
            let scores = array.as_list_opt::<i32>().and_then(|lists| lists.values().as_primitive_opt::<Float64Type>());
            let is_finite = scores.is_some_and(|scores| scores.values().iter().all(|score| score.is_finite()));
            if is_finite && is_whole(array) { Ok(()) } else { Err("a score that is not finite") }
        }
        Shape::Names | Shape::Ranks => {
            if is_whole(array) {
                Ok(())
            } else {
                Err(ITEMS)
            }
        }
        Shape::Label(names) => {
            let labels = array.as_dictionary_opt::<Int32Type>();
            let are_same = labels.is_some_and(|labels| labels.values().to_data() == names.to_data());
            if are_same { Ok(()) } else { Err("labels that are not the format's") }
        }
        Shape::Guard => {
            let Some([_, _, _, categories, fields]) = array.as_struct_opt().map(StructArray::columns) else {
                return Err("an invalid guard verdict");
            };
            if !is_whole(categories) {
                return Err(ITEMS);
            }
            let is_complete =
                (0..array.len()).all(|row| array.is_null(row) || (categories.is_valid(row) && fields.is_valid(row)));
            let are_objects = fields
                .as_string_opt::<i32>()
                .is_some_and(|texts| texts.iter().flatten().all(|text| text.starts_with('{') && is_document(text)));
            if is_complete && are_objects { Ok(()) } else { Err("guard fields that are not a JSON object") }
        }
        Shape::Fields(fields) => {
            let columns = array.as_struct_opt().map_or(&[][..], |column| column.columns());
            fields.iter().zip(columns).try_for_each(|((_, shape), column)| check(shape, column))
        }
        Shape::Document(_) => {
            let texts = array.as_string_opt::<i32>();
            let are_documents = texts.is_some_and(|texts| texts.iter().flatten().all(is_document));
            if are_documents { Ok(()) } else { Err("a document that is not JSON") }
        }
    }
}

fn is_document(text: &str) -> bool {
    parse(text).map(|document| DeepValue(Value::Json(document))).is_some()
}

fn damaged() -> PyErr {
    PyValueError::new_err("the values do not match the format")
}

fn texts(array: &ArrayRef) -> PyResult<&StringArray> {
    array.as_string_opt::<i32>().ok_or_else(damaged)
}

fn strings<'py>(py: Python<'py>, array: &ArrayRef) -> PyResult<Vec<Bound<'py, PyAny>>> {
    Ok(texts(array)?.iter().map(|text| PyString::new(py, text.unwrap_or_default()).into_any()).collect())
}

/// The object of a document's text.
fn document<'py>(py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
    match parse(text).map(|document| DeepValue(Value::Json(document))) {
        Some(DeepValue(Value::Json(ref document))) => to_python(py, document),
        _ => Err(damaged()),
    }
}

/// Lists, or tuples, of what is made of all items at once.
fn lists<'py>(
    py: Python<'py>,
    array: &ArrayRef,
    style: Style,
    items: impl Fn(&ArrayRef) -> PyResult<Vec<Bound<'py, PyAny>>>,
) -> PyResult<Cells<'py>> {
    let lists: &ListArray = array.as_list_opt().ok_or_else(damaged)?;
    let items = items(lists.values())?;
    let ends = lists.value_offsets().windows(2);
    let rows = ends.enumerate().map(|(row, ends)| {
        let &[start, end] = ends else { return Err(damaged()) };
        if lists.is_null(row) {
            return Ok(None);
        }
        let items = items.get(usize::try_from(start)?..usize::try_from(end)?).ok_or_else(damaged)?;
        Ok(Some(match style {
            Style::Outcome => PyTuple::new(py, items)?.into_any(),
            Style::Plain => PyList::new(py, items)?.into_any(),
        }))
    });
    rows.collect()
}

fn guards<'py>(py: Python<'py>, array: &ArrayRef, style: Style) -> PyResult<Cells<'py>> {
    let column = array.as_struct_opt().ok_or_else(damaged)?;
    let [one, prompt, response, categories, fields] = column.columns() else { return Err(damaged()) };
    let side = |column: &ArrayRef| -> PyResult<Vec<Option<bool>>> {
        Ok(column.as_boolean_opt().ok_or_else(damaged)?.iter().collect())
    };
    let sides = side(one)?.into_iter().zip(side(prompt)?).zip(side(response)?);
    let categories = lists(py, categories, style, |items| strings(py, items))?;
    let rows = sides.zip(categories).zip(texts(fields)?.iter()).enumerate();
    rows.map(|(row, ((((is_unsafe, prompt_unsafe), response_unsafe), categories), fields))| {
        if column.is_null(row) {
            return Ok(None);
        }
        let (Some(categories), Some(fields)) = (categories, fields) else { return Err(damaged()) };
        let fields = if fields == "{}" { PyDict::new(py) } else { document(py, fields)?.cast_into::<PyDict>()? };
        if style == Style::Outcome {
            let categories = categories.cast_into::<PyTuple>()?;
            let verdict = PyGuardVerdict::of(is_unsafe, prompt_unsafe, response_unsafe, &categories, &fields);
            return Ok(Some(Bound::new(py, verdict)?.into_any()));
        }
        let dict = PyDict::new(py);
        for (name, side) in
            [("unsafe", is_unsafe), ("prompt_unsafe", prompt_unsafe), ("response_unsafe", response_unsafe)]
        {
            dict.set_item(name, side)?;
        }
        dict.set_item("categories", categories)?;
        dict.set_item("fields", fields)?;
        Ok(Some(dict.into_any()))
    })
    .collect()
}
