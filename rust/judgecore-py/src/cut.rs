//! The `cut` argument: which replies are known to be cut off.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, new_null_array};
use arrow_schema::DataType;
use numpy::PyReadonlyArray1;
use pyo3::exceptions::{PyImportError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::capsule;
use crate::column::is_numpy_loaded;

/// Which replies are known to be cut off.
pub(crate) enum Cut {
    All(bool),
    Each(Vec<bool>),
}

impl Cut {
    pub(crate) fn new(given: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(given) = given else {
            return Ok(Self::All(false));
        };
        if let Ok(one) = given.extract::<bool>() {
            return Ok(Self::All(one));
        }
        if given.is_instance_of::<PyString>() {
            return Err(PyTypeError::new_err("cut must be a bool or a column of them, not a str"));
        }
        match Self::from_arrow(given) {
            Ok(Some(cut)) => return Ok(cut),
            Ok(None) => {}
            // A pandas column can be exported only if pyarrow is installed, but it can be iterated without.
            Err(problem) if problem.is_instance_of::<PyImportError>(given.py()) => {}
            Err(problem) => return Err(problem),
        }
        if is_numpy_loaded(given.py())?
            && let Ok(array) = given.extract::<PyReadonlyArray1<'_, bool>>()
        {
            return Ok(Self::Each(array.as_array().iter().copied().collect()));
        }
        let each = given.try_iter()?.enumerate().map(|(row, one)| {
            let one = one?;
            if one.is_none() {
                return Ok(false);
            }
            one.extract::<bool>().or_else(|_| {
                let kind = one.get_type().name()?;
                Err(PyTypeError::new_err(format!("cut[{row}] must be a bool or None, not {kind}")))
            })
        });
        Ok(Self::Each(each.collect::<PyResult<_>>()?))
    }

    fn from_arrow(given: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        let Some(reader) = capsule::take(given)? else {
            return Ok(None);
        };
        let (field, arrays) = capsule::drain(given.py(), reader)?;
        let mut each = Vec::new();
        for array in &arrays {
            let bools = bools(array).ok_or_else(|| {
                PyTypeError::new_err(format!("cut must be a column of booleans, not of {}", field.data_type()))
            })?;
            each.extend(bools.as_boolean().iter().map(|one| one == Some(true)));
        }
        Ok(Some(Self::Each(each)))
    }

    pub(crate) fn at(&self, row: usize) -> bool {
        match self {
            Self::All(cut) => *cut,
            Self::Each(each) => each.get(row).copied().unwrap_or(false),
        }
    }

    /// Return the value for all rows, if it is the same.
    pub(crate) fn for_all(&self) -> Option<bool> {
        match self {
            Self::All(cut) => Some(*cut),
            Self::Each(_) => None,
        }
    }
}

/// Return a boolean array, or that of a table with one column. Where no value has a type, all are null.
fn bools(array: &ArrayRef) -> Option<ArrayRef> {
    match array.data_type() {
        DataType::Boolean => Some(array.clone()),
        DataType::Null => Some(new_null_array(&DataType::Boolean, array.len())),
        DataType::Struct(_) if array.null_count() == 0 => match array.as_struct().columns() {
            [only] => bools(only),
            _ => None,
        },
        _ => None,
    }
}
