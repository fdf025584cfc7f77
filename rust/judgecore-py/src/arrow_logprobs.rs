//! The probabilities of tokens in Arrow's memory: lists of structs with `token`, `logprob`, `bytes` and `top_logprobs`.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, PrimitiveArray, StructArray};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::arrow_text::ArrowText;
use crate::capsule;
use crate::column::Text;

/// A column of lists of tokens, as one or more arrays.
pub(crate) struct ArrowLogprobs {
    chunks: Vec<Entries>,
}

/// Lists of entries.
pub(crate) struct Entries {
    lists: Lists,
    /// What stands in a null entry's columns is nothing.
    nulls: Option<NullBuffer>,
    token: ArrowText,
    logprob: Numbers,
    bytes: Option<Bytes>,
    top: Option<Box<Entries>>,
}

/// Where lists stand in what they hold.
struct Lists {
    offsets: Offsets,
    nulls: Option<NullBuffer>,
    rows: usize,
}

enum Offsets {
    Small(OffsetBuffer<i32>),
    Large(OffsetBuffer<i64>),
}

enum Numbers {
    Single(PrimitiveArray<Float32Type>),
    Double(PrimitiveArray<Float64Type>),
}

enum Bytes {
    /// One number for each byte.
    Numbers(Lists, ArrayRef),
    Binary(ArrayRef),
    /// Of the type that has only nulls.
    Nothing,
}

impl ArrowLogprobs {
    /// Take over what a Python object exports; None where it exports nothing, or in a form that can't be taken, as
    /// polars hands over columns of nulls alone. `name` is the argument's, for errors.
    pub(crate) fn import(given: &Bound<'_, PyAny>, name: &str) -> PyResult<Option<Self>> {
        let Some(reader) = capsule::take(given)? else {
            return Ok(None);
        };
        let arrays = match capsule::drain(given.py(), reader) {
            Ok((_, arrays)) => arrays,
            Err(problem) if problem.is_instance_of::<PyValueError>(given.py()) => return Ok(None),
            Err(problem) => return Err(problem),
        };
        let chunks = arrays.iter().map(|array| Entries::new(only_column(array), name)).collect::<PyResult<_>>()?;
        Ok(Some(Self { chunks }))
    }

    /// The lists of each chunk, row by row; None where there is none.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (&Entries, Option<Range<usize>>)> {
        self.chunks.iter().flat_map(|chunk| (0..chunk.lists.rows).map(move |row| (chunk, chunk.lists.range(row))))
    }
}

impl Entries {
    fn new(array: &ArrayRef, name: &str) -> PyResult<Self> {
        let (lists, held) = Lists::new(array).ok_or_else(|| not_tokens(array.data_type(), name))?;
        let held = held.as_struct_opt().ok_or_else(|| not_tokens(array.data_type(), name))?;
        let column = |column: &str| held.column_by_name(column);
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
            nulls: held.nulls().cloned(),
            token: ArrowText::of_array(token).ok_or_else(|| wrong("token", token, "a column of strings"))?,
            logprob: Numbers::new(logprob).ok_or_else(|| wrong("logprob", logprob, "a column of floats"))?,
            bytes: match column("bytes") {
                Some(bytes) => Some(Bytes::new(bytes).ok_or_else(|| wrong("bytes", bytes, "lists of numbers"))?),
                None => None,
            },
            top: match column("top_logprobs").filter(|top| top.data_type() != &DataType::Null) {
                Some(top) => Some(Box::new(Self::new(top, &format!("{name}.top_logprobs"))?)),
                None => None,
            },
        })
    }

    /// The bytes of a token: those that the endpoint gave, or its text's; None where there is neither.
    pub(crate) fn bytes(&self, entry: usize) -> Option<Vec<u8>> {
        if self.is_null(entry) {
            return None;
        }
        self.bytes.as_ref().and_then(|bytes| bytes.at(entry)).or_else(|| match self.token.text(entry)? {
            Text::Whole { text, .. } => Some(text.as_bytes().to_vec()),
            Text::Missing | Text::Broken(_) => None,
        })
    }

    fn is_null(&self, entry: usize) -> bool {
        self.nulls.as_ref().is_some_and(|nulls| entry >= nulls.len() || nulls.is_null(entry))
    }

    pub(crate) fn logprob(&self, entry: usize) -> Option<f64> {
        if self.is_null(entry) {
            return None;
        }
        match &self.logprob {
            Numbers::Single(array) => is_there(array, entry).then(|| f64::from(array.value(entry))),
            Numbers::Double(array) => is_there(array, entry).then(|| array.value(entry)),
        }
    }

    /// The likeliest tokens beside an entry.
    pub(crate) fn top(&self, entry: usize) -> Option<(&Self, Range<usize>)> {
        let top = self.top.as_deref()?;
        Some((top, top.lists.range(entry)?))
    }
}

impl Lists {
    /// Lists, and what they hold.
    fn new(array: &ArrayRef) -> Option<(Self, ArrayRef)> {
        let (offsets, held) = match array.data_type() {
            DataType::List(_) => {
                let list = array.as_list::<i32>();
                (Offsets::Small(list.offsets().clone()), list.values().clone())
            }
            DataType::LargeList(_) => {
                let list = array.as_list::<i64>();
                (Offsets::Large(list.offsets().clone()), list.values().clone())
            }
            _ => return None,
        };
        Some((Self { offsets, nulls: array.nulls().cloned(), rows: array.len() }, held))
    }

    /// Where a row's list stands; None where there is none.
    fn range(&self, row: usize) -> Option<Range<usize>> {
        if self.nulls.as_ref().is_some_and(|nulls| row >= nulls.len() || nulls.is_null(row)) {
            return None;
        }
        match &self.offsets {
            Offsets::Small(offsets) => {
                Some(usize::try_from(*offsets.get(row)?).ok()?..usize::try_from(*offsets.get(row + 1)?).ok()?)
            }
            Offsets::Large(offsets) => {
                Some(usize::try_from(*offsets.get(row)?).ok()?..usize::try_from(*offsets.get(row + 1)?).ok()?)
            }
        }
    }
}

impl Numbers {
    fn new(array: &ArrayRef) -> Option<Self> {
        match array.data_type() {
            DataType::Float32 => Some(Self::Single(array.as_primitive().clone())),
            DataType::Float64 => Some(Self::Double(array.as_primitive().clone())),
            _ => None,
        }
    }
}

impl Bytes {
    fn new(array: &ArrayRef) -> Option<Self> {
        match array.data_type() {
            DataType::Binary | DataType::LargeBinary | DataType::BinaryView => Some(Self::Binary(array.clone())),
            DataType::Null => Some(Self::Nothing),
            _ => {
                let (lists, held) = Lists::new(array)?;
                match held.data_type() {
                    DataType::Null => Some(Self::Nothing),
                    kind => kind.is_integer().then_some(Self::Numbers(lists, held)),
                }
            }
        }
    }

    fn at(&self, entry: usize) -> Option<Vec<u8>> {
        match self {
            Self::Nothing => None,
            Self::Binary(array) if !is_there(array, entry) => None,
            Self::Binary(array) => Some(match array.data_type() {
                DataType::Binary => array.as_binary::<i32>().value(entry).to_vec(),
                DataType::LargeBinary => array.as_binary::<i64>().value(entry).to_vec(),
                _ => array.as_binary_view().value(entry).to_vec(),
            }),
            Self::Numbers(lists, held) => lists.range(entry).and_then(|range| numbers(held, range)),
        }
    }
}

/// Numbers as bytes; None where one is null, or none.
fn numbers(array: &ArrayRef, range: Range<usize>) -> Option<Vec<u8>> {
    fn of<T: ArrowPrimitiveType>(array: &ArrayRef, mut range: Range<usize>) -> Option<Vec<u8>>
    where
        T::Native: TryInto<u8>,
    {
        let array = array.as_primitive::<T>();
        let mut bytes = Vec::with_capacity(range.len());
        range.try_for_each(|at| {
            bytes.push(is_there(array, at).then(|| array.value(at))?.try_into().ok()?);
            Some(())
        })?;
        Some(bytes)
    }
    match array.data_type() {
        DataType::Int8 => of::<Int8Type>(array, range),
        DataType::Int16 => of::<Int16Type>(array, range),
        DataType::Int32 => of::<Int32Type>(array, range),
        DataType::Int64 => of::<Int64Type>(array, range),
        DataType::UInt8 => of::<UInt8Type>(array, range),
        DataType::UInt16 => of::<UInt16Type>(array, range),
        DataType::UInt32 => of::<UInt32Type>(array, range),
        DataType::UInt64 => of::<UInt64Type>(array, range),
        _ => None,
    }
}

/// Whether an array has a value here: what others hand over may be shorter than they say.
fn is_there(array: &dyn Array, at: usize) -> bool {
    at < array.len() && array.is_valid(at)
}

/// The column of a table that has one.
fn only_column(array: &ArrayRef) -> &ArrayRef {
    match array.as_struct_opt().map(StructArray::columns) {
        Some([only]) => only,
        _ => array,
    }
}

fn not_tokens(kind: &DataType, name: &str) -> PyErr {
    let names = |fields: &[std::sync::Arc<Field>]| {
        fields.iter().map(|field| field.name().as_str()).collect::<Vec<_>>().join(", ")
    };
    let said = match kind {
        DataType::Struct(fields) => format!("a table with the columns {}; give one of them", names(fields)),
        kind => format!("of {kind}"),
    };
    PyTypeError::new_err(format!(
        "{name} must be lists of structs with token and logprob, as in choices[0].logprobs.content, and is {said}"
    ))
}
