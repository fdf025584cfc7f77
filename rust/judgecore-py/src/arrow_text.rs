//! Strings in Arrow arrays, read without copying and validated as UTF-8.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{ArrowPrimitiveType, ByteArrayType, ByteViewType};
use arrow_array::{
    Array, ArrayRef, GenericByteArray, GenericByteViewArray, GenericStringArray, LargeStringArray, OffsetSizeTrait,
    PrimitiveArray, StringArray, StringViewArray, downcast_integer_array, make_array,
};
use arrow_buffer::{ArrowNativeType, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, Fields};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3_arrow::ffi::ArrayReader;

use crate::capsule;
use crate::pool::Stop;
use crate::text::{Text, checked};

/// Visits texts row by row.
pub(crate) trait TextVisitor<'a> {
    fn visit(&mut self, row: usize, text: Text<'a>);

    /// Visit rows of a dictionary array. `first` is the row number of the first of `rows`.
    fn visit_entries(&mut self, first: usize, entries: &'a Entries, rows: Range<usize>, stop: &Stop) {
        for (nth, row) in rows.enumerate() {
            if stop.is_requested() {
                return;
            }
            self.visit(first + nth, entries.text(row));
        }
    }
}

/// The size of a block, which is validated at once and then read while it is in the cache.
const BLOCK_ROWS: usize = 256;
const BLOCK_BYTES: usize = 1 << 14;

/// The maximum length of an inlined string view.
const INLINE: usize = 12;

/// A column of strings in one or more arrays.
pub(crate) struct ArrowText {
    chunks: Vec<Chunk>,
    /// The first row of each chunk.
    starts: Vec<usize>,
    rows: usize,
}

struct Chunk {
    texts: Texts,
    nulls: Option<NullBuffer>,
    rows: usize,
}

enum Texts {
    Utf8(StringArray),
    LargeUtf8(LargeStringArray),
    View(StringViewArray),
    Dictionary(Box<Entries>),
    /// Arrow's null type.
    Nothing,
}

/// A dictionary array.
pub(crate) struct Entries {
    keys: ArrayRef,
    nulls: Option<NullBuffer>,
    values: Chunk,
}

impl ArrowText {
    /// Import a stream of arrays without copying the text.
    pub(crate) fn of_stream(py: Python<'_>, reader: Box<dyn ArrayReader + Send>, name: &str) -> PyResult<Self> {
        let field = reader.field();
        if !has_text(&field) {
            let row = py.detach(|| first_value(reader));
            return Err(not_text(&field, name, row));
        }
        let (field, arrays) = capsule::drain(py, reader)?;
        let chunks = arrays.iter().map(Chunk::new).collect::<Option<Vec<_>>>();
        chunks.map(Self::new).ok_or_else(|| not_text(&field, name, None))
    }

    /// Create a column of the texts that are concatenated in `bytes`.
    pub(crate) fn of(offsets: Vec<i64>, bytes: Vec<u8>) -> PyResult<Self> {
        let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
        let rows = LargeStringArray::try_new(offsets, Buffer::from_vec(bytes), None)
            .map_err(|problem| PyValueError::new_err(problem.to_string()))?;
        Ok(Self::new(vec![Chunk { rows: rows.len(), nulls: None, texts: Texts::LargeUtf8(rows) }]))
    }

    fn new(chunks: Vec<Chunk>) -> Self {
        let mut rows = 0;
        let starts = chunks
            .iter()
            .map(|chunk| {
                let start = rows;
                rows += chunk.rows;
                start
            })
            .collect();
        Self { chunks, starts, rows }
    }

    pub(crate) fn len(&self) -> usize {
        self.rows
    }

    pub(crate) fn bytes(&self) -> usize {
        self.chunks.iter().map(Chunk::bytes).sum()
    }

    /// Iterate over the dictionaries: the first row, the number of rows, and the entries.
    pub(crate) fn dictionaries(&self) -> impl Iterator<Item = (usize, usize, &Entries)> {
        self.chunks.iter().zip(&self.starts).filter_map(|(chunk, &start)| match &chunk.texts {
            Texts::Dictionary(entries) => Some((start, chunk.rows, entries.as_ref())),
            _ => None,
        })
    }

    /// Return the text of a row, if the row exists.
    pub(crate) fn text(&self, row: usize) -> Option<Text<'_>> {
        let chunk = self.starts.partition_point(|&start| start <= row).checked_sub(1)?;
        let (chunk, start) = (self.chunks.get(chunk)?, self.starts.get(chunk)?);
        let row = row - start;
        (row < chunk.rows).then(|| chunk.text(row))
    }

    /// Visit some rows.
    pub(crate) fn visit_rows<'a>(&'a self, rows: Range<usize>, stop: &Stop, visitor: &mut impl TextVisitor<'a>) {
        let first = self.starts.partition_point(|&start| start <= rows.start).saturating_sub(1);
        for (chunk, &start) in self.chunks.iter().zip(&self.starts).skip(first) {
            if start >= rows.end || stop.is_requested() {
                return;
            }
            let inside = rows.start.saturating_sub(start)..(rows.end - start).min(chunk.rows);
            if !inside.is_empty() {
                chunk.visit_rows(start, inside, stop, visitor);
            }
        }
    }
}

impl Chunk {
    /// Create a chunk of an array; None if its type is not a string type.
    fn new(array: &ArrayRef) -> Option<Self> {
        let rows = array.len();
        let nulls = array.nulls().cloned();
        let texts = match array.data_type() {
            DataType::Utf8 => Texts::Utf8(array.as_string().clone()),
            DataType::LargeUtf8 => Texts::LargeUtf8(array.as_string().clone()),
            DataType::Utf8View => Texts::View(array.as_string_view().clone()),
            DataType::Null => Texts::Nothing,
            DataType::Dictionary(..) => {
                let dictionary = array.as_any_dictionary_opt()?;
                let (keys, values) = (make_array(dictionary.keys().to_data()), Self::new(dictionary.values())?);
                Texts::Dictionary(Box::new(Entries { keys, nulls: nulls.clone(), values }))
            }
            DataType::Struct(_) => {
                let only = Self::new(array.as_struct_opt()?.columns().first()?)?;
                let nulls = NullBuffer::union(nulls.as_ref(), only.nulls.as_ref());
                return Some(only.with_nulls(nulls));
            }
            _ => return None,
        };
        Some(Self { texts, nulls, rows })
    }

    fn with_nulls(mut self, nulls: Option<NullBuffer>) -> Self {
        if let Texts::Dictionary(entries) = &mut self.texts {
            entries.nulls.clone_from(&nulls);
        }
        Self { nulls, ..self }
    }

    fn bytes(&self) -> usize {
        fn span<O: OffsetSizeTrait>(array: &GenericStringArray<O>) -> usize {
            let offsets = array.offsets();
            let ends = offsets.first().zip(offsets.last());
            ends.map_or(0, |(first, last)| last.as_usize().saturating_sub(first.as_usize()))
        }
        match &self.texts {
            Texts::Utf8(array) => span(array),
            Texts::LargeUtf8(array) => span(array),
            Texts::View(array) => array.views().iter().map(|&view| length(view)).sum(),
            Texts::Dictionary(entries) => entries.values.bytes().saturating_add(self.rows),
            Texts::Nothing => 0,
        }
    }

    fn is_null(&self, row: usize) -> bool {
        self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row))
    }

    fn text(&self, row: usize) -> Text<'_> {
        if self.is_null(row) {
            return Text::Missing;
        }
        match &self.texts {
            Texts::Dictionary(entries) => entries.text(row),
            Texts::Nothing => Text::Missing,
            // Text beyond the end of the buffer is invalid.
            _ => self.bytes_of(row).map_or(Text::Broken(0), checked),
        }
    }

    /// Return the bytes of a row, not validated; None if it is null or ends beyond the buffer.
    fn bytes_of(&self, row: usize) -> Option<&[u8]> {
        if row >= self.rows || self.is_null(row) {
            return None;
        }
        match &self.texts {
            Texts::Utf8(array) => slice(array, row),
            Texts::LargeUtf8(array) => slice(array, row),
            Texts::View(array) => viewed(array, row),
            Texts::Dictionary(entries) => entries.values.bytes_of(entries.entry(row)?),
            Texts::Nothing => None,
        }
    }

    fn visit_rows<'a>(&'a self, start: usize, rows: Range<usize>, stop: &Stop, visitor: &mut impl TextVisitor<'a>) {
        match &self.texts {
            Texts::Utf8(array) => self.visit_blocks(array, start, rows, stop, visitor),
            Texts::LargeUtf8(array) => self.visit_blocks(array, start, rows, stop, visitor),
            Texts::Dictionary(entries) => visitor.visit_entries(start + rows.start, entries, rows, stop),
            Texts::View(_) | Texts::Nothing => {
                for row in rows {
                    if stop.is_requested() {
                        return;
                    }
                    visitor.visit(start + row, self.text(row));
                }
            }
        }
    }

    /// Validate a whole block of texts at once, which is much faster, and then visit each of them.
    fn visit_blocks<'a, O: OffsetSizeTrait>(
        &'a self,
        array: &'a GenericStringArray<O>,
        start: usize,
        rows: Range<usize>,
        stop: &Stop,
        visitor: &mut impl TextVisitor<'a>,
    ) {
        let offset = |row: usize| array.offsets().get(row).map_or(0, |offset| offset.as_usize());
        let mut first = rows.start;
        while first < rows.end && !stop.is_requested() {
            let from = offset(first);
            let mut last = (first + BLOCK_ROWS).min(rows.end);
            while last - first > 1 && offset(last).saturating_sub(from) > BLOCK_BYTES {
                last = first + (last - first) / 2;
            }
            let block = array.value_data().get(from..offset(last)).unwrap_or_default();
            let is_ascii = block.is_ascii();
            let block = simdutf8::basic::from_utf8(block).unwrap_or_default();
            let mut begin = from;
            for row in first..last {
                if stop.is_requested() {
                    return;
                }
                let end = offset(row + 1);
                let text = if self.is_null(row) {
                    Text::Missing
                } else if let Some(text) = block.get(begin.wrapping_sub(from)..end.wrapping_sub(from)) {
                    Text::Whole { text, is_ascii }
                } else {
                    // This text or another one of its block is invalid.
                    array.value_data().get(begin..end).map_or(Text::Broken(0), checked)
                };
                visitor.visit(start + row, text);
                begin = end;
            }
            first = last;
        }
    }
}

impl Entries {
    /// Return the number of entries.
    pub(crate) fn len(&self) -> usize {
        self.values.rows
    }

    /// Return the entry of a row.
    pub(crate) fn entry(&self, row: usize) -> Option<usize> {
        if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) { None } else { index(&self.keys, row) }
    }

    /// Return the text of an entry.
    pub(crate) fn value(&self, entry: usize) -> Text<'_> {
        if entry < self.values.rows { self.values.text(entry) } else { Text::Broken(0) }
    }

    /// Return the text of a row.
    pub(crate) fn text(&self, row: usize) -> Text<'_> {
        self.entry(row).map_or(Text::Missing, |entry| self.value(entry))
    }
}

/// Return the number at a row; None if it is no index.
fn index(keys: &ArrayRef, row: usize) -> Option<usize> {
    fn of<T: ArrowPrimitiveType<Native: TryInto<usize>>>(keys: &PrimitiveArray<T>, row: usize) -> Option<usize> {
        keys.values().get(row).and_then(|&key| key.try_into().ok())
    }
    downcast_integer_array!(
        keys => of(keys, row),
        _ => None,
    )
}

/// Return the bytes of a row, if they are inside the buffer.
fn slice<T: ByteArrayType>(array: &GenericByteArray<T>, row: usize) -> Option<&[u8]> {
    let (start, end) = (array.offsets().get(row)?.as_usize(), array.offsets().get(row + 1)?.as_usize());
    array.value_data().get(start..end)
}

/// Return the length of a string view, which is in its first four bytes.
fn length(view: u128) -> usize {
    usize::try_from(view & u128::from(u32::MAX)).unwrap_or_default()
}

/// Return the bytes of a row of a view array, if they are inside the buffers.
fn viewed<T: ByteViewType + ?Sized>(array: &GenericByteViewArray<T>, row: usize) -> Option<&[u8]> {
    const VIEW: usize = size_of::<u128>();
    let part = |view: u128, word: u32| length(view >> (32 * word));
    let view = *array.views().get(row)?;
    let length = length(view);
    if length <= INLINE {
        let start = row * VIEW + 4;
        return array.views().inner().as_slice().get(start..start + length);
    }
    let (buffer, start) = (part(view, 2), part(view, 3));
    array.data_buffers().get(buffer)?.as_slice().get(start..start.checked_add(length)?)
}

fn is_text(kind: &DataType) -> bool {
    matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null)
}

fn has_text(field: &Field) -> bool {
    match field.data_type() {
        kind if is_text(kind) => true,
        DataType::Dictionary(_, values) => is_text(values),
        DataType::Struct(fields) => match fields.as_ref() {
            [only] => !matches!(only.data_type(), DataType::Struct(_)) && has_text(only),
            _ => false,
        },
        _ => false,
    }
}

/// Describe a table that was passed as a column.
fn table_of(fields: &Fields) -> String {
    let columns: Vec<String> = fields.iter().map(|field| format!("{:?}", field.name())).collect();
    let columns = if columns.is_empty() { "none".to_owned() } else { columns.join(", ") };
    format!("a table with the columns {columns}; give one of them")
}

/// Return the first row of a column, or of a table's only column, that is neither null nor a string.
fn first_value(reader: Box<dyn ArrayReader + Send>) -> Option<usize> {
    let mut start = 0;
    for array in reader {
        let array = array.ok()?;
        let column = array.as_struct_opt().and_then(|table| table.columns().first()).unwrap_or(&array);
        let nulls = column.logical_nulls();
        let union = column.as_union_opt();
        let is_text = |row: usize| union.is_some_and(|union| is_text(union.value(row).data_type()));
        let is_null = |row: usize| nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
        if let Some(row) = (0..column.len()).find(|&row| !is_null(row) && !is_text(row)) {
            return Some(start + row);
        }
        start += column.len();
    }
    None
}

fn not_text(field: &Field, name: &str, row: Option<usize>) -> PyErr {
    let problem = match field.data_type() {
        DataType::Struct(fields) if fields.len() != 1 => format!("is {}", table_of(fields)),
        DataType::Struct(fields) => {
            let kind = fields.first().map(|field| field.data_type().to_string()).unwrap_or_default();
            format!("must be a column of strings, not of {kind}")
        }
        kind => format!("must be a column of strings, not of {kind}; cast it first"),
    };
    let first = row.map(|row| format!(" ({name}[{row}] is the first value that is not a string)")).unwrap_or_default();
    PyTypeError::new_err(format!("{name} {problem}{first}"))
}
