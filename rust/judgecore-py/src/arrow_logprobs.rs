//! Token probabilities in Arrow arrays: lists of structs with `token`, `logprob`, `bytes` and `top_logprobs`.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray, StructArray, downcast_integer_array};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::DataType;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::arrow_text::{ArrowText, slice, table_of, viewed};
use crate::capsule;

/// A column of token lists in one or more arrays.
pub(crate) struct ArrowLogprobs {
    chunks: Vec<TokenLists>,
}

/// The token lists of one array.
pub(crate) struct TokenLists {
    lists: Lists,
    /// Null entries, whose other columns are ignored.
    nulls: Option<NullBuffer>,
    /// None if all are null.
    token: Option<ArrowText>,
    logprob: ArrayRef,
    bytes: Bytes,
    top: Option<Box<TokenLists>>,
}

/// The ranges of lists in their items.
struct Lists {
    offsets: Offsets,
    nulls: Option<NullBuffer>,
    rows: usize,
}

enum Offsets {
    Small(OffsetBuffer<i32>),
    Large(OffsetBuffer<i64>),
    /// All lists have this length.
    Fixed(usize),
    /// All lists are null.
    Nothing,
}

enum Bytes {
    /// One number for each byte.
    Numbers(Lists, ArrayRef),
    Binary(ArrayRef),
    Nothing,
}

impl ArrowLogprobs {
    /// Import the arrays that a Python object exports; None if it exports none. `name` is the argument, for errors.
    pub(crate) fn import(given: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<Self>> {
        let Some(reader) = capsule::take(given)? else {
            return Ok(None);
        };
        let (_, arrays) = capsule::drain(given.py(), reader)?;
        let chunks = arrays.iter().map(|array| TokenLists::new(only_column(array), name)).collect::<PyResult<_>>()?;
        Ok(Some(Self { chunks }))
    }

    /// Iterate over the rows of all chunks: the chunk and the range of the list, None for null.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (&TokenLists, Option<Range<usize>>)> {
        self.chunks.iter().flat_map(|chunk| (0..chunk.lists.rows).map(move |row| (chunk, chunk.lists.range(row))))
    }
}

impl TokenLists {
    fn new(array: &ArrayRef, name: &str) -> PyResult<Self> {
        let (lists, items) = Lists::new(array).ok_or_else(|| not_tokens(array.data_type(), name))?;
        if items.data_type() == &DataType::Null {
            let nulls = Some(NullBuffer::new_null(items.len()));
            return Ok(Self { lists, nulls, token: None, logprob: items, bytes: Bytes::Nothing, top: None });
        }
        let items = items.as_struct_opt().ok_or_else(|| not_tokens(array.data_type(), name))?;
        let column = |column: &str| items.column_by_name(column);
        let missing = |column: &str| {
            PyValueError::new_err(format!("{name} has no {column} in its entries; each needs token and logprob"))
        };
        let token = column("token").ok_or_else(|| missing("token"))?;
        let logprob = column("logprob").ok_or_else(|| missing("logprob"))?;
        let wrong = |column: &str, array: &ArrayRef, cure: &str| {
            PyTypeError::new_err(format!("{name}.{column} must be {cure}, not of {}; cast it first", array.data_type()))
        };
        Ok(Self {
            lists,
            nulls: items.nulls().cloned(),
            token: Some(ArrowText::of_array(token).ok_or_else(|| wrong("token", token, "a column of strings"))?),
            logprob: match logprob.data_type() {
                DataType::Float32 | DataType::Float64 | DataType::Int64 | DataType::Null => logprob.clone(),
                _ => return Err(wrong("logprob", logprob, "a column of floats")),
            },
            bytes: match column("bytes") {
                Some(bytes) => Bytes::new(bytes).ok_or_else(|| wrong("bytes", bytes, "lists of numbers"))?,
                None => Bytes::Nothing,
            },
            top: match column("top_logprobs") {
                Some(top) => Some(Box::new(Self::new(top, &format!("{name}.top_logprobs"))?)),
                None => None,
            },
        })
    }

    /// Return the bytes of a token: from the endpoint, or those of the token's text; None if there is neither.
    pub(crate) fn bytes(&self, entry: usize) -> Option<Vec<u8>> {
        if self.is_null(entry) {
            return None;
        }
        self.bytes.at(entry).or_else(|| self.token.as_ref()?.bytes_of(entry).map(<[u8]>::to_vec))
    }

    pub(crate) fn logprob(&self, entry: usize) -> Option<f64> {
        if self.is_null(entry) || !is_there(&self.logprob, entry) {
            return None;
        }
        match self.logprob.data_type() {
            DataType::Float32 => Some(f64::from(self.logprob.as_primitive::<Float32Type>().value(entry))),
            DataType::Float64 => Some(self.logprob.as_primitive::<Float64Type>().value(entry)),
            #[expect(clippy::cast_precision_loss, reason = "logarithms of probabilities are small numbers")]
            DataType::Int64 => Some(self.logprob.as_primitive::<Int64Type>().value(entry) as f64),
            _ => None,
        }
    }

    /// Return the most likely tokens at the position of an entry.
    pub(crate) fn top(&self, entry: usize) -> Option<(&Self, Range<usize>)> {
        let top = self.top.as_deref().filter(|_| !self.is_null(entry))?;
        Some((top, top.lists.range(entry)?))
    }

    fn is_null(&self, entry: usize) -> bool {
        is_null(self.nulls.as_ref(), entry)
    }
}

impl Lists {
    /// Return the lists and their items.
    fn new(array: &ArrayRef) -> Option<(Self, ArrayRef)> {
        let (offsets, items) = match array.data_type() {
            DataType::List(_) => {
                let list = array.as_list::<i32>();
                (Offsets::Small(list.offsets().clone()), list.values().clone())
            }
            DataType::LargeList(_) => {
                let list = array.as_list::<i64>();
                (Offsets::Large(list.offsets().clone()), list.values().clone())
            }
            DataType::FixedSizeList(_, length) => {
                (Offsets::Fixed(usize::try_from(*length).ok()?), array.as_fixed_size_list().values().clone())
            }
            DataType::Null => (Offsets::Nothing, array.clone()),
            _ => return None,
        };
        Some((Self { offsets, nulls: array.nulls().cloned(), rows: array.len() }, items))
    }

    /// Return the range of a row's list; None for null.
    fn range(&self, row: usize) -> Option<Range<usize>> {
        fn between<O: Copy + TryInto<usize>>(offsets: &[O], row: usize) -> Option<Range<usize>> {
            Some((*offsets.get(row)?).try_into().ok()?..(*offsets.get(row + 1)?).try_into().ok()?)
        }
        if is_null(self.nulls.as_ref(), row) {
            return None;
        }
        match &self.offsets {
            Offsets::Small(offsets) => between(offsets, row),
            Offsets::Large(offsets) => between(offsets, row),
            Offsets::Fixed(length) => Some(row * length..(row + 1) * length),
            Offsets::Nothing => None,
        }
    }
}

impl Bytes {
    fn new(array: &ArrayRef) -> Option<Self> {
        match array.data_type() {
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView => Some(Self::Binary(array.clone())),
            DataType::Null => Some(Self::Nothing),
            _ => {
                let (lists, items) = Lists::new(array)?;
                match items.data_type() {
                    DataType::Null => Some(Self::Nothing),
                    kind => kind.is_integer().then_some(Self::Numbers(lists, items)),
                }
            }
        }
    }

    fn at(&self, entry: usize) -> Option<Vec<u8>> {
        match self {
            Self::Nothing => None,
            Self::Binary(array) if !is_there(array, entry) => None,
            Self::Binary(array) => match array.data_type() {
                DataType::Binary => slice(array.as_binary::<i32>(), entry),
                DataType::LargeBinary => slice(array.as_binary::<i64>(), entry),
                _ => viewed(array.as_binary_view(), entry),
            }
            .map(<[u8]>::to_vec),
            Self::Numbers(lists, items) => lists.range(entry).and_then(|range| numbers(items, range)),
        }
    }
}

/// Return numbers as bytes; None if one is null or not a byte.
fn numbers(array: &ArrayRef, range: Range<usize>) -> Option<Vec<u8>> {
    fn of<T: ArrowPrimitiveType>(array: &PrimitiveArray<T>, range: Range<usize>) -> Option<Vec<u8>>
    where
        T::Native: TryInto<u8>,
    {
        range.map(|at| is_there(array, at).then(|| array.value(at))?.try_into().ok()).collect()
    }
    downcast_integer_array!(
        array => of(array, range),
        _ => None,
    )
}

/// Whether an array has a value here. A foreign array may be shorter than declared.
fn is_there(array: &dyn Array, at: usize) -> bool {
    at < array.len() && array.is_valid(at)
}

fn is_null(nulls: Option<&NullBuffer>, at: usize) -> bool {
    nulls.is_some_and(|nulls| at >= nulls.len() || nulls.is_null(at))
}

/// Return the column of a table with a single column.
fn only_column(array: &ArrayRef) -> &ArrayRef {
    match array.as_struct_opt().map(StructArray::columns) {
        Some([only]) => only,
        _ => array,
    }
}

fn not_tokens(kind: &DataType, name: &str) -> PyErr {
    let said = match kind {
        DataType::Struct(fields) => table_of(fields),
        kind => format!("of {kind}"),
    };
    PyTypeError::new_err(format!(
        "{name} must be lists of structs with token and logprob, as in choices[0].logprobs.content, and is {said}"
    ))
}
