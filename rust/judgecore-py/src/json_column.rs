//! Arrow arrays of JSON documents: as text, or as the type that a consumer requests.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, BooleanArray, LargeStringArray, ListArray, PrimitiveArray, StringArray, StringViewArray,
    StructArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{ArrowError, DataType};
use judgecore::Value;
use judgecore::json::{Json, get, parse};

use crate::arrays::{strings, validity};
use crate::deep::DeepValue;
use crate::json_text::json_text;

/// The representation of documents in a column.
#[derive(Clone, Debug)]
pub(crate) enum Document {
    /// JSON text.
    Text,
    /// Values of this type, for which `is_supported` must be true.
    Typed(DataType),
}

impl Document {
    pub(crate) fn data_type(&self) -> DataType {
        match self {
            Self::Text => DataType::Utf8,
            Self::Typed(kind) => kind.clone(),
        }
    }

    pub(crate) fn array(&self, documents: &[Option<&Json<'_>>], first: usize) -> Result<ArrayRef, ArrowError> {
        match self {
            Self::Text => Ok(Arc::new(strings(documents.iter().map(|one| one.map(json_text)))?)),
            Self::Typed(kind) => {
                let cells =
                    (first..).zip(documents).map(|(row, value)| Cell { row, value: *value }).collect::<Vec<_>>();
                typed(kind, &cells, "$")
            }
        }
    }
}

impl Document {
    /// Convert arrays of JSON text.
    pub(crate) fn of_arrays(&self, arrays: &[ArrayRef]) -> Result<Vec<ArrayRef>, ArrowError> {
        let mut first = 0;
        let made = arrays.iter().map(|texts| {
            let array = self.of_texts(texts.as_string(), first)?;
            first += texts.len();
            Ok(array)
        });
        made.collect()
    }

    fn of_texts(&self, texts: &StringArray, first: usize) -> Result<ArrayRef, ArrowError> {
        let parsed: Vec<Option<DeepValue<'_>>> =
            texts.iter().map(|text| text.and_then(parse).map(|document| DeepValue(Value::Json(document)))).collect();
        let documents: Vec<Option<&Json<'_>>> = parsed
            .iter()
            .map(|deep| if let Some(DeepValue(Value::Json(document))) = deep { Some(document) } else { None })
            .collect();
        self.array(&documents, first)
    }
}

/// Whether documents can be converted to a type.
pub(crate) fn is_supported(kind: &DataType) -> bool {
    match kind {
        DataType::Struct(fields) => fields.iter().all(|field| is_supported(field.data_type())),
        DataType::List(item) => is_supported(item.data_type()),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Boolean => true,
        other => other.is_integer() || matches!(other, DataType::Float32 | DataType::Float64),
    }
}

/// A value and its row.
#[derive(Clone, Copy)]
struct Cell<'a> {
    row: usize,
    value: Option<&'a Json<'a>>,
}

fn typed(kind: &DataType, cells: &[Cell<'_>], path: &str) -> Result<ArrayRef, ArrowError> {
    Ok(match kind {
        DataType::Struct(fields) => {
            for cell in cells {
                if !matches!(cell.value, None | Some(Json::Null | Json::Object(_))) {
                    return Err(misfit(cell, path, "an object"));
                }
            }
            let columns = fields
                .iter()
                .map(|field| {
                    let column: Vec<_> = cells
                        .iter()
                        .map(|cell| Cell { value: cell.value.and_then(|value| get(value, field.name())), ..*cell })
                        .collect();
                    typed(field.data_type(), &column, &format!("{path}.{}", field.name()))
                })
                .collect::<Result<Vec<_>, _>>()?;
            Arc::new(StructArray::try_new_with_length(fields.clone(), columns, present(cells), cells.len())?)
        }
        DataType::List(item) => {
            let mut items = Vec::new();
            let mut lengths = Vec::with_capacity(cells.len());
            for cell in cells {
                let before = items.len();
                match cell.value {
                    None | Some(Json::Null) => {}
                    Some(Json::Array(values)) => {
                        items.extend(values.iter().map(|value| Cell { value: Some(value), ..*cell }));
                    }
                    Some(_) => return Err(misfit(cell, path, "an array")),
                }
                lengths.push(items.len() - before);
            }
            let items = typed(item.data_type(), &items, &format!("{path}[]"))?;
            Arc::new(ListArray::try_new(item.clone(), OffsetBuffer::from_lengths(lengths), items, present(cells))?)
        }
        DataType::Boolean => Arc::new(scalars::<bool, BooleanArray>(cells, path, "a boolean", |value| match value {
            Json::Bool(value) => Some(*value),
            _ => None,
        })?),
        DataType::Utf8 => Arc::new(strings(scalars::<String, Vec<_>>(cells, path, "a string", text)?.into_iter())?),
        DataType::LargeUtf8 => Arc::new(scalars::<String, LargeStringArray>(cells, path, "a string", text)?),
        DataType::Utf8View => Arc::new(scalars::<String, StringViewArray>(cells, path, "a string", text)?),
        DataType::Float64 => floats::<Float64Type>(cells, path, |value| value)?,
        #[expect(clippy::cast_possible_truncation, reason = "the caller asked for the nearest float of this size")]
        DataType::Float32 => floats::<Float32Type>(cells, path, |value| value as f32)?,
        DataType::Int8 => integers::<Int8Type>(cells, path)?,
        DataType::Int16 => integers::<Int16Type>(cells, path)?,
        DataType::Int32 => integers::<Int32Type>(cells, path)?,
        DataType::Int64 => integers::<Int64Type>(cells, path)?,
        DataType::UInt8 => integers::<UInt8Type>(cells, path)?,
        DataType::UInt16 => integers::<UInt16Type>(cells, path)?,
        DataType::UInt32 => integers::<UInt32Type>(cells, path)?,
        DataType::UInt64 => integers::<UInt64Type>(cells, path)?,
        other => return Err(ArrowError::NotYetImplemented(format!("JSON documents can't be converted to {other}"))),
    })
}

fn present(cells: &[Cell<'_>]) -> Option<NullBuffer> {
    validity(cells.iter().map(|cell| !matches!(cell.value, None | Some(Json::Null))))
}

fn scalars<T, A: FromIterator<Option<T>>>(
    cells: &[Cell<'_>],
    path: &str,
    wanted: &str,
    convert: impl Fn(&Json<'_>) -> Option<T>,
) -> Result<A, ArrowError> {
    cells
        .iter()
        .map(|cell| match cell.value {
            None | Some(Json::Null) => Ok(None),
            Some(value) => convert(value).map(Some).ok_or_else(|| misfit(cell, path, wanted)),
        })
        .collect()
}

/// Return a string unchanged, and any other value as JSON.
#[expect(clippy::unnecessary_wraps, reason = "one of the conversions, most of which can fail")]
fn text(value: &Json<'_>) -> Option<String> {
    Some(if let Json::Str(text) = value { text.to_string() } else { json_text(value) })
}

fn floats<T: ArrowPrimitiveType>(
    cells: &[Cell<'_>],
    path: &str,
    narrow: impl Fn(f64) -> T::Native,
) -> Result<ArrayRef, ArrowError> {
    let array: PrimitiveArray<T> = scalars::<T::Native, Numbers<T>>(cells, path, "a number", |value| match value {
        #[expect(clippy::cast_precision_loss, reason = "the caller asked for the nearest float")]
        Json::Int(value) => Some(narrow(*value as f64)),
        Json::Float(value) => Some(narrow(*value)),
        Json::BigInt(value) => value.to_string().parse().ok().map(&narrow),
        _ => None,
    })?
    .0;
    Ok(Arc::new(array))
}

fn integers<T: ArrowPrimitiveType>(cells: &[Cell<'_>], path: &str) -> Result<ArrayRef, ArrowError>
where
    T::Native: TryFrom<i64> + std::str::FromStr,
{
    // Up to here, every integer is a distinct float.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let wanted = format!("an integer of type {}", T::DATA_TYPE);
    let array: PrimitiveArray<T> = scalars::<T::Native, Numbers<T>>(cells, path, &wanted, |value| match value {
        Json::Int(value) => T::Native::try_from(*value).ok(),
        #[expect(clippy::cast_possible_truncation, reason = "it is whole and small enough")]
        Json::Float(value) if value.fract() == 0.0 && value.abs() <= EXACT => T::Native::try_from(*value as i64).ok(),
        Json::BigInt(value) => value.to_string().parse().ok(),
        _ => None,
    })?
    .0;
    Ok(Arc::new(array))
}

/// An array of numbers that implements `FromIterator`.
struct Numbers<T: ArrowPrimitiveType>(PrimitiveArray<T>);

impl<T: ArrowPrimitiveType> FromIterator<Option<T::Native>> for Numbers<T> {
    fn from_iter<I: IntoIterator<Item = Option<T::Native>>>(numbers: I) -> Self {
        let mut builder = arrow_array::builder::PrimitiveBuilder::<T>::new();
        numbers.into_iter().for_each(|number| builder.append_option(number));
        Self(builder.finish())
    }
}

fn misfit(cell: &Cell<'_>, path: &str, wanted: &str) -> ArrowError {
    let found = match cell.value {
        None | Some(Json::Null) => "nothing",
        Some(Json::Bool(_)) => "a boolean",
        Some(Json::Int(_) | Json::BigInt(_) | Json::Float(_)) => "another number",
        Some(Json::Str(_)) => "a string",
        Some(Json::Array(_)) => "an array",
        Some(Json::Object(_)) => "an object",
    };
    ArrowError::SchemaError(format!(
        "row {}: {path} is {found}, but the schema requires {wanted}; use a string type there, which accepts any value",
        cell.row
    ))
}
