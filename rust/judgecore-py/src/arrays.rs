//! Arrow arrays: texts, several as one, and their errors.

use arrow_array::{Array, ArrayRef, StringArray, make_array};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer};
use arrow_data::ArrayData;
use arrow_data::transform::MutableArrayData;
use arrow_schema::ArrowError;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Texts one behind the other; more than two gigabytes of them are an error.
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
    let nulls = Some(NullBuffer::from(present)).filter(|nulls| nulls.null_count() > 0);
    StringArray::try_new(OffsetBuffer::new(offsets.into()), Buffer::from_vec(bytes), nulls)
}

/// One array of all, which begins at its memory's beginning; arrow-select's would bring code for every pair of types.
pub(crate) fn join(arrays: &[ArrayRef]) -> Result<ArrayRef, ArrowError> {
    let data: Vec<ArrayData> = arrays.iter().map(Array::to_data).collect();
    let mut all = MutableArrayData::new(data.iter().collect(), false, data.iter().map(ArrayData::len).sum());
    for (nth, one) in data.iter().enumerate() {
        all.try_extend(nth, 0, one.len())?;
    }
    Ok(make_array(all.freeze()))
}

/// What a caller meets of Arrow's errors: that a value does not fit.
pub(crate) fn arrow_error(problem: &ArrowError) -> PyErr {
    match problem {
        ArrowError::SchemaError(words) | ArrowError::NotYetImplemented(words) => PyValueError::new_err(words.clone()),
        other => PyValueError::new_err(other.to_string()),
    }
}
