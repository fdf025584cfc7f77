//! Helpers for Arrow arrays: strings, validity, concatenation and errors.

use arrow_array::{Array, ArrayRef, StringArray, make_array};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer};
use arrow_data::ArrayData;
use arrow_data::transform::MutableArrayData;
use arrow_schema::ArrowError;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Create an array of strings. More than two gigabytes are an error.
pub(crate) fn strings(texts: impl Iterator<Item = Option<impl AsRef<str>>>) -> Result<StringArray, ArrowError> {
    let mut bytes = Vec::new();
    let mut offsets = vec![0];
    let mut present = Vec::new();
    for text in texts {
        present.push(text.is_some());
        if let Some(text) = text {
            bytes.extend_from_slice(text.as_ref().as_bytes());
        }
        offsets.push(i32::try_from(bytes.len()).map_err(|_| ArrowError::OffsetOverflowError(bytes.len()))?);
    }
    StringArray::try_new(OffsetBuffer::new(offsets.into()), Buffer::from_vec(bytes), validity(present))
}

/// Return the validity bitmap of an array; None if no value is null.
pub(crate) fn validity(are_present: impl IntoIterator<Item = bool>) -> Option<NullBuffer> {
    Some(are_present.into_iter().collect::<NullBuffer>()).filter(|nulls| nulls.null_count() > 0)
}

/// Concatenate arrays into one with offset 0. arrow-select's `concat` would add code for every type.
pub(crate) fn join(arrays: &[ArrayRef]) -> Result<ArrayRef, ArrowError> {
    let data: Vec<ArrayData> = arrays.iter().map(Array::to_data).collect();
    let mut all = MutableArrayData::new(data.iter().collect(), false, data.iter().map(ArrayData::len).sum());
    for (nth, one) in data.iter().enumerate() {
        all.try_extend(nth, 0, one.len())?;
    }
    Ok(make_array(all.freeze()))
}

/// Convert an Arrow error to a `ValueError`.
pub(crate) fn arrow_error(problem: &ArrowError) -> PyErr {
    match problem {
        ArrowError::SchemaError(message) | ArrowError::NotYetImplemented(message) => {
            PyValueError::new_err(message.clone())
        }
        other => PyValueError::new_err(other.to_string()),
    }
}
