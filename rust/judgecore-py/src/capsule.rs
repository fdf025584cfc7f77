//! The Arrow `PyCapsule` interface: imports arrays from Python objects, and exports arrays to them.

use std::ffi::CStr;
use std::sync::Arc;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, ArrayRef, NullArray, RecordBatch, RecordBatchIterator, StructArray};
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::ffi::{ArrayIterator, ArrayReader};
use pyo3_arrow::{PyArray, PyArrayReader, PyField};

use crate::pool::SignalPoll;

/// Import the arrays that an object exports, without copying; None if it exports none.
pub(crate) fn take(given: &Bound<'_, PyAny>) -> PyResult<Option<Box<dyn ArrayReader + Send>>> {
    let py = given.py();
    if given.hasattr(intern!(py, "__arrow_c_stream__"))? {
        let reader = given.extract::<PyArrayReader>()?.into_reader()?;
        let field = reader.field();
        let nulls = given.len().ok().and_then(|rows| nulls(field.data_type(), rows));
        return Ok(Some(nulls.map_or(reader, |nulls| Box::new(ArrayIterator::new([Ok(nulls)], field)))));
    }
    if given.hasattr(intern!(py, "__arrow_c_array__"))? {
        let (array, field) = given.extract::<PyArray>()?.into_inner();
        return Ok(Some(Box::new(ArrayIterator::new([Ok(array)], field))));
    }
    Ok(None)
}

/// So many nulls of Arrow's null type, or of a table with one such column; None for other types. Polars exports them with a
/// buffer, which the format does not have, so that they can't be imported.
fn nulls(of: &DataType, rows: usize) -> Option<ArrayRef> {
    match of {
        DataType::Null => Some(Arc::new(NullArray::new(rows))),
        DataType::Struct(fields) => match fields.as_ref() {
            [column] => {
                let column = nulls(column.data_type(), rows)?;
                Some(Arc::new(StructArray::try_new(fields.clone(), vec![column], None).ok()?))
            }
            _ => None,
        },
        _ => None,
    }
}

/// Read all arrays of a stream, with their field.
///
/// An open stream blocks some sources, so it is drained at once and released, also on errors.
pub(crate) fn drain(py: Python<'_>, reader: Box<dyn ArrayReader + Send>) -> PyResult<(FieldRef, Vec<ArrayRef>)> {
    let field = reader.field();
    let arrays = py.detach(move || -> PyResult<Vec<ArrayRef>> {
        let mut signals = SignalPoll::new();
        let mut arrays = Vec::new();
        for array in reader {
            arrays.push(array.map_err(|problem| PyValueError::new_err(problem.to_string()))?);
            signals.poll_detached()?;
        }
        Ok(arrays)
    })?;
    Ok((field, arrays))
}

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

/// The capsules of a schema and an array.
pub(crate) type Pair<'py> = (Bound<'py, PyCapsule>, Bound<'py, PyCapsule>);

/// Return the type that a consumer requests.
pub(crate) fn requested(capsule: &Bound<'_, PyCapsule>) -> PyResult<DataType> {
    Ok(PyField::from_arrow_pycapsule(capsule)?.into_inner().data_type().clone())
}

/// Export the schema of structs with these fields.
pub(crate) fn give_schema(py: Python<'_>, fields: Fields) -> PyResult<Bound<'_, PyCapsule>> {
    let schema = FFI_ArrowSchema::try_from(Field::new("", DataType::Struct(fields), false));
    PyCapsule::new_with_value(py, schema.map_err(|problem| PyValueError::new_err(problem.to_string()))?, SCHEMA)
}

/// Export an array, sharing its memory.
pub(crate) fn give_array<'py>(py: Python<'py>, array: &StructArray) -> PyResult<Pair<'py>> {
    let schema = give_schema(py, array.fields().clone())?;
    Ok((schema, PyCapsule::new_with_value(py, FFI_ArrowArray::new(&array.to_data()), ARRAY)?))
}

/// Export a stream of arrays, sharing their memory.
pub(crate) fn give_stream(py: Python<'_>, fields: Fields, arrays: Vec<StructArray>) -> PyResult<Bound<'_, PyCapsule>> {
    let batches = arrays.into_iter().map(|array| Ok(RecordBatch::from(array)));
    let reader = RecordBatchIterator::new(batches, Schema::new(fields).into());
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), STREAM)
}
