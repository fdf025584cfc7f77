//! Pickles the columns of readings, and validates them when they are loaded.

use std::vec::IntoIter;

use arrow_array::{Array, ArrayRef, make_array};
use arrow_buffer::{Buffer, ScalarBuffer};
use arrow_data::{ArrayData, BufferSpec, layout};
use arrow_schema::{ArrowError, DataType};
use judgecore::{Mode, READING_VERSION, Reason, Rule};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};

use crate::arrays::{arrow_error, join};
use crate::format::{self, PyFormat};
use crate::outcomes::{OK, Outcomes, Sentences, UNREADABLE, Values};
use crate::value_column::Shape;
use crate::value_objects::check;

/// The version of the layout. It is independent of the engine's version, because the columns store outcomes.
const LAYOUT: u32 = 2;
/// The byte order of the pickled array buffers.
const BYTE_ORDER: &str = if cfg!(target_endian = "big") { "big" } else { "little" };

/// The header: layout, judgecore's version, reading version, byte order, declaration of the format, mode, names of the
/// codes of reasons and rules, and the number of arrays of values.
type Header = (u32, String, u32, String, String, String, Vec<String>, Vec<String>, usize);

/// Return the state of columns with values.
pub(crate) fn save<'py>(
    py: Python<'py>,
    format: &PyFormat,
    mode: Mode,
    outcomes: &Outcomes,
) -> PyResult<Bound<'py, PyTuple>> {
    let codes = |codes: &[i8]| codes.iter().flat_map(|code| code.to_le_bytes()).collect::<Vec<u8>>();
    let offsets = |offsets: &[i64]| offsets.iter().flat_map(|place| place.to_le_bytes()).collect::<Vec<u8>>();
    let mut parts = vec![
        codes(&outcomes.status),
        codes(&outcomes.reason),
        codes(&outcomes.rule),
        offsets(&outcomes.start),
        offsets(&outcomes.end),
    ];
    let mut arrays = 0;
    match &outcomes.values {
        Values::Bools(bools) => parts.push(bools.iter().map(|&one| u8::from(one)).collect()),
        Values::Scores(scores) => parts.push(scores.iter().flat_map(|score| score.to_le_bytes()).collect()),
        Values::Labels(labels) => parts.push(labels.iter().flat_map(|label| label.to_le_bytes()).collect()),
        Values::Arrays(values) => {
            arrays = values.len();
            for array in values {
                // Copy slices, so that the rest of their buffers is not pickled.
                let array = join(std::slice::from_ref(array)).map_err(|problem| arrow_error(&problem))?;
                flatten(&array.to_data(), &mut parts);
            }
        }
        Values::Documents => return Err(damaged("the documents are missing")),
    }
    let names = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
    let header: Header = (
        LAYOUT,
        env!("CARGO_PKG_VERSION").to_owned(),
        READING_VERSION,
        BYTE_ORDER.to_owned(),
        format.declaration(py)?,
        mode.name().to_owned(),
        names(Reason::ALL.into_iter().map(Reason::name).collect()),
        names(Rule::ALL.into_iter().map(Rule::name).collect()),
        arrays,
    );
    let checksum = checksum(py, &header, &parts)?;
    let parts = PyList::new(py, parts.iter().map(|part| PyBytes::new(py, part)))?;
    (header, parts, checksum).into_pyobject(py)
}

/// Validate a state, and return its format, mode and columns.
pub(crate) fn load(state: &Bound<'_, PyAny>) -> PyResult<(Py<PyFormat>, Mode, Outcomes)> {
    let py = state.py();
    let invalid = |problem: PyErr| damaged(&problem.value(py).to_string());
    let (header, parts, expected): (Bound<'_, PyTuple>, Vec<Bound<'_, PyBytes>>, u32) =
        state.extract().map_err(invalid)?;
    // Check the layout first, because it determines the other fields.
    if let Ok((layout, by)) = header.get_slice(0, 2).extract::<(u32, String)>()
        && layout != LAYOUT
    {
        return Err(PyValueError::new_err(format!(
            "these readings were pickled by judgecore {by}, whose layout this version can't read"
        )));
    }
    let header: Header = header.extract().map_err(invalid)?;
    let parts: Vec<Vec<u8>> = parts.iter().map(|part| part.as_bytes().to_vec()).collect();
    if checksum(py, &header, &parts)? != expected {
        return Err(damaged("the checksum differs"));
    }
    let (_, _, _, byte_order, declaration, mode, reasons, rules, arrays) = header;
    if byte_order != BYTE_ORDER {
        return Err(PyValueError::new_err(format!(
            "these readings were pickled on a {byte_order}-endian machine; use Arrow or Parquet instead"
        )));
    }
    let format = PyFormat::declared(py, &declaration)?;
    let mode = format::mode(&mode, &format.get().inner)?;
    let reasons = codes(&reasons, |name| Reason::ALL.iter().position(|one| one.name() == name))?;
    let rules = codes(&rules, |name| Rule::ALL.iter().position(|one| one.name() == name))?;
    let mut parts = Parts(parts.into_iter());
    let status = parts.codes()?;
    let (mut reason, mut rule) = (parts.codes()?, parts.codes()?);
    let (start, end) = (parts.offsets()?, parts.offsets()?);
    let rows = status.len();
    if [reason.len(), rule.len(), start.len(), end.len()] != [rows; 4] {
        return Err(damaged("the columns have different lengths"));
    }
    let offsets = start.iter().zip(&end);
    for (((&status, reason), rule), (&start, &end)) in status.iter().zip(&mut reason).zip(&mut rule).zip(offsets) {
        let known = |codes: &[i8], code: i8| usize::try_from(code).ok().and_then(|code| codes.get(code)).copied();
        let (known, is_whole) = match status {
            OK => (known(&rules, *rule).map(|code| (0, code)), *reason == 0 && 0 <= start && start <= end),
            UNREADABLE => (known(&reasons, *reason).map(|code| (code, 0)), [i64::from(*rule), start, end] == [0; 3]),
            _ => (None, false),
        };
        (*reason, *rule) = known.filter(|_| is_whole).ok_or_else(|| damaged("a row is not a valid outcome"))?;
    }
    let values = parts.values(&Shape::of(&format.get().inner), &status, arrays)?;
    if parts.0.next().is_some() {
        return Err(damaged("there are too many columns"));
    }
    let (status, reason, rule) = (status.into(), reason.into(), rule.into());
    let (start, end, sentences) = (start.into(), end.into(), Sentences::default());
    Ok((format, mode, Outcomes { status, values, reason, rule, start, end, sentences }))
}

/// Return the codes of names in this version.
fn codes(names: &[String], place: impl Fn(&str) -> Option<usize>) -> PyResult<Vec<i8>> {
    let code = |name: &String| {
        let code = place(name).and_then(|place| i8::try_from(place).ok());
        code.ok_or_else(|| PyValueError::new_err(format!("this version of judgecore has no {name:?}")))
    };
    names.iter().map(code).collect()
}

/// The unread parts of a state.
struct Parts(IntoIter<Vec<u8>>);

impl Parts {
    fn next(&mut self) -> PyResult<Vec<u8>> {
        self.0.next().ok_or_else(|| damaged("a column is missing"))
    }

    fn numbers<const SIZE: usize, T>(&mut self, number: fn([u8; SIZE]) -> T) -> PyResult<Vec<T>> {
        let part = self.next()?;
        let (numbers, rest) = part.as_chunks::<SIZE>();
        if rest.is_empty() {
            Ok(numbers.iter().copied().map(number).collect())
        } else {
            Err(damaged("a number is incomplete"))
        }
    }

    fn codes(&mut self) -> PyResult<Vec<i8>> {
        self.numbers(i8::from_le_bytes)
    }

    fn offsets(&mut self) -> PyResult<Vec<i64>> {
        self.numbers(i64::from_le_bytes)
    }

    /// Read and validate the values, one for each row.
    fn values(&mut self, shape: &Shape, status: &[i8], arrays: usize) -> PyResult<Values> {
        match shape {
            Shape::Bool => {
                let bools = self.numbers(|[one]: [u8; 1]| one)?;
                check_values(status, &bools, |&one| one < 2)?;
                Ok(Values::Bools(bools.into_iter().map(|one| one == 1).collect()))
            }
            Shape::Score => {
                let scores = self.numbers(f64::from_le_bytes)?;
                check_values(status, &scores, |score| score.is_finite())?;
                Ok(Values::Scores(ScalarBuffer::from(scores)))
            }
            Shape::Label(names) => {
                let labels = self.numbers(i32::from_le_bytes)?;
                check_values(status, &labels, |&label| usize::try_from(label).is_ok_and(|label| label < names.len()))?;
                Ok(Values::Labels(ScalarBuffer::from(labels)))
            }
            _ => {
                let kind = shape.data_type();
                let mut values = Vec::new();
                for _ in 0..arrays {
                    let array = make_array(self.array(&kind)?);
                    check(shape, &array).map_err(damaged)?;
                    values.push(array);
                }
                let rows: Vec<bool> = values
                    .iter()
                    .flat_map(|array: &ArrayRef| (0..array.len()).map(|row| array.is_valid(row)))
                    .collect();
                if values.is_empty() || !rows.iter().copied().eq(status.iter().map(|&status| status == OK)) {
                    return Err(damaged("the values do not match the rows that were read"));
                }
                Ok(Values::Arrays(values))
            }
        }
    }

    /// Read the buffer of an array. Arrow requires a whole number of items without checking.
    fn buffer(&mut self, kind: &BufferSpec) -> PyResult<Buffer> {
        let part = self.next()?;
        match kind {
            BufferSpec::FixedWidth { byte_width, .. } if !part.len().is_multiple_of(*byte_width) => {
                Err(damaged("a number is incomplete"))
            }
            _ => Ok(Buffer::from(part.as_slice())),
        }
    }

    /// Read an array of a type, which Arrow validates.
    fn array(&mut self, kind: &DataType) -> PyResult<ArrayData> {
        let length = match self.numbers(u64::from_le_bytes)?.as_slice() {
            &[length] => usize::try_from(length).map_err(|_| damaged("an array is too long"))?,
            _ => return Err(damaged("an array has no length")),
        };
        let nulls = self.next()?;
        let nulls = (!nulls.is_empty()).then(|| Buffer::from(nulls.as_slice()));
        let buffers = layout(kind).buffers;
        let buffers = buffers.iter().map(|one| self.buffer(one)).collect::<PyResult<Vec<_>>>()?;
        let children = children(kind).into_iter().map(|kind| self.array(&kind)).collect::<PyResult<Vec<_>>>()?;
        let wrong = |problem: ArrowError| damaged(&problem.to_string());
        ArrayData::try_new(kind.clone(), length, nulls, 0, buffers, children).map_err(wrong)
    }
}

/// Check that each readable row has a value, and that there are as many values as rows.
fn check_values<T>(status: &[i8], values: &[T], is_value: impl Fn(&T) -> bool) -> PyResult<()> {
    let fits = |(&status, value): (&i8, &T)| status != OK || is_value(value);
    if values.len() == status.len() && status.iter().zip(values).all(fits) {
        Ok(())
    } else {
        Err(damaged("a value is not valid in the format"))
    }
}

/// Push the length, the nulls and the buffers of an array with offset 0, and of its children.
fn flatten(array: &ArrayData, parts: &mut Vec<Vec<u8>>) {
    parts.push(u64::try_from(array.len()).unwrap_or(u64::MAX).to_le_bytes().to_vec());
    parts.push(array.nulls().map(|nulls| nulls.inner().sliced().as_slice().to_vec()).unwrap_or_default());
    parts.extend(array.buffers().iter().map(|buffer| buffer.as_slice().to_vec()));
    for child in array.child_data() {
        flatten(child, parts);
    }
}

/// Return the types of the child arrays of a type.
fn children(kind: &DataType) -> Vec<DataType> {
    match kind {
        DataType::Struct(fields) => fields.iter().map(|field| field.data_type().clone()).collect(),
        DataType::List(item) => vec![item.data_type().clone()],
        DataType::Dictionary(_, values) => vec![values.as_ref().clone()],
        _ => Vec::new(),
    }
}

fn checksum(py: Python<'_>, header: &Header, parts: &[Vec<u8>]) -> PyResult<u32> {
    let crc = py.import("zlib")?.getattr("crc32")?;
    let lengths: Vec<usize> = parts.iter().map(Vec::len).collect();
    let mut sum: u32 = crc.call1((format!("{header:?}{lengths:?}").as_bytes(),))?.extract()?;
    for part in parts {
        sum = crc.call1((PyBytes::new(py, part), sum))?.extract()?;
    }
    Ok(sum)
}

fn damaged(how: &str) -> PyErr {
    PyValueError::new_err(format!("the pickled readings are damaged: {how}"))
}
