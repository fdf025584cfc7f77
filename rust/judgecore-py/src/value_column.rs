//! Arrow arrays of values, whose type depends on the format.

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int32Array, Int64Array, ListArray, StringArray,
    StructArray,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{ArrowError, DataType, Field, Fields};
use judgecore::format::{Format, Kind};
use judgecore::{GuardVerdict, Value};

use crate::arrays::{strings, validity};
use crate::json_column::Document;
use crate::json_text::fields_text;

/// The column type of a format's values.
#[derive(Clone)]
pub(crate) enum Shape {
    Bool,
    Score,
    Scores,
    /// With the names of the labels.
    Label(ArrayRef),
    Guard,
    Names,
    Ranks,
    Fields(Vec<(String, Self)>),
    Document(Document),
}

impl Shape {
    pub(crate) fn of(format: &Format) -> Self {
        let format = format.verdict().unwrap_or(format);
        match format.kind() {
            Kind::Binary => Self::Bool,
            Kind::Score => Self::Score,
            Kind::Scores => Self::Scores,
            Kind::Choice => Self::Label(Arc::new(StringArray::from_iter_values(format.labels()))),
            Kind::Fields => {
                Self::Fields(format.parts().iter().map(|(name, field)| (name.clone(), Self::of(field))).collect())
            }
            Kind::Guard => Self::Guard,
            Kind::Ranking => Self::Names,
            Kind::Order => Self::Ranks,
            Kind::Json => Self::Document(Document::Text),
        }
    }

    pub(crate) fn data_type(&self) -> DataType {
        match self {
            Self::Bool => DataType::Boolean,
            Self::Score => DataType::Float64,
            Self::Scores => DataType::List(item(DataType::Float64)),
            Self::Label(_) => DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8)),
            Self::Names => DataType::List(item(DataType::Utf8)),
            Self::Ranks => DataType::List(item(DataType::Int64)),
            Self::Guard => DataType::Struct(guard_fields()),
            Self::Fields(fields) => DataType::Struct(struct_fields(fields)),
            Self::Document(document) => document.data_type(),
        }
    }

    /// Create the array of some rows, with nulls for missing values. `first` is the number of the first row, for errors.
    pub(crate) fn array(&self, cells: &[Option<&Value<'_>>], first: usize) -> Result<ArrayRef, ArrowError> {
        Ok(match self {
            Self::Bool => Arc::new(
                cells
                    .iter()
                    .map(|cell| if let Some(Value::Bool(value)) = cell { Some(*value) } else { None })
                    .collect::<BooleanArray>(),
            ),
            Self::Score => Arc::new(
                cells
                    .iter()
                    .map(|cell| if let Some(Value::Score(value)) = cell { Some(*value) } else { None })
                    .collect::<Float64Array>(),
            ),
            Self::Label(names) => {
                let codes = cells.iter().map(|cell| match cell {
                    Some(Value::Label(label, _)) => i32::try_from(*label).ok(),
                    _ => None,
                });
                Arc::new(labels(codes.collect(), names)?)
            }
            Self::Scores => {
                let lists: Vec<_> = cells
                    .iter()
                    .map(|cell| if let Some(Value::Scores(values)) = cell { Some(values.as_slice()) } else { None })
                    .collect();
                let values = lists.iter().copied().flatten().flatten().copied().collect::<Float64Array>();
                Arc::new(list(&lists, Arc::new(values))?)
            }
            Self::Names => {
                let lists: Vec<_> = cells
                    .iter()
                    .map(|cell| if let Some(Value::Ranking(names)) = cell { Some(names.as_slice()) } else { None })
                    .collect();
                Arc::new(names(&lists)?)
            }
            Self::Ranks => {
                let lists: Vec<_> = cells
                    .iter()
                    .map(|cell| if let Some(Value::Order(ranks)) = cell { Some(ranks.as_slice()) } else { None })
                    .collect();
                let ranks = lists.iter().copied().flatten().flatten().map(|rank| i64::from(*rank));
                Arc::new(list(&lists, Arc::new(ranks.collect::<Int64Array>()))?)
            }
            Self::Guard => guard(cells)?,
            Self::Fields(fields) => {
                let columns = fields
                    .iter()
                    .map(|(name, shape)| {
                        let column: Vec<_> = cells
                            .iter()
                            .map(|cell| match cell {
                                Some(Value::Fields(fields)) => {
                                    fields.iter().find(|(one, _)| one == name).map(|(_, value)| value)
                                }
                                _ => None,
                            })
                            .collect();
                        shape.array(&column, first)
                    })
                    .collect::<Result<Vec<_>, _>>()?;
                Arc::new(StructArray::try_new(struct_fields(fields), columns, present(cells))?)
            }
            Self::Document(document) => {
                let documents: Vec<_> = cells
                    .iter()
                    .map(|cell| if let Some(Value::Json(document)) = cell { Some(document) } else { None })
                    .collect();
                document.array(&documents, first)?
            }
        })
    }
}

/// Create a dictionary array of label codes and names.
pub(crate) fn labels(codes: Int32Array, names: &ArrayRef) -> Result<DictionaryArray<Int32Type>, ArrowError> {
    DictionaryArray::try_new(codes, names.clone())
}

fn present<T>(cells: &[Option<T>]) -> Option<NullBuffer> {
    validity(cells.iter().map(Option::is_some))
}

/// Create a list array whose items are concatenated in `items`.
fn list<T>(lists: &[Option<&[T]>], items: ArrayRef) -> Result<ListArray, ArrowError> {
    let lengths = lists.iter().map(|list| list.map_or(0, <[T]>::len));
    let offsets = OffsetBuffer::from_lengths(lengths);
    ListArray::try_new(item(items.data_type().clone()), offsets, items, present(lists))
}

fn names<T: AsRef<str>>(lists: &[Option<&[T]>]) -> Result<ListArray, ArrowError> {
    let items = strings(lists.iter().copied().flatten().flatten().map(Some))?;
    list(lists, Arc::new(items))
}

fn guard(cells: &[Option<&Value<'_>>]) -> Result<ArrayRef, ArrowError> {
    let verdicts: Vec<Option<&GuardVerdict<'_>>> =
        cells.iter().map(|cell| if let Some(Value::Guard(verdict)) = cell { Some(verdict) } else { None }).collect();
    let side = |of: fn(&GuardVerdict<'_>) -> Option<bool>| -> ArrayRef {
        Arc::new(verdicts.iter().map(|verdict| verdict.and_then(of)).collect::<BooleanArray>())
    };
    let categories: Vec<_> = verdicts.iter().map(|verdict| verdict.map(|one| one.categories.as_slice())).collect();
    let fields = verdicts.iter().map(|verdict| verdict.map(|one| fields_text(&one.fields)));
    let columns: Vec<ArrayRef> = vec![
        side(|verdict| verdict.is_unsafe),
        side(|verdict| verdict.prompt_unsafe),
        side(|verdict| verdict.response_unsafe),
        Arc::new(names(&categories)?),
        Arc::new(strings(fields)?),
    ];
    Ok(Arc::new(StructArray::try_new(guard_fields(), columns, present(&verdicts))?))
}

fn guard_fields() -> Fields {
    Fields::from(vec![
        Field::new("unsafe", DataType::Boolean, true),
        Field::new("prompt_unsafe", DataType::Boolean, true),
        Field::new("response_unsafe", DataType::Boolean, true),
        Field::new("categories", DataType::List(item(DataType::Utf8)), true),
        Field::new("fields", DataType::Utf8, true),
    ])
}

fn struct_fields(fields: &[(String, Shape)]) -> Fields {
    fields.iter().map(|(name, shape)| Field::new(name, shape.data_type(), true)).collect()
}

fn item(kind: DataType) -> Arc<Field> {
    Arc::new(Field::new("item", kind, true))
}
