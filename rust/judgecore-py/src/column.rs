//! A caller's column of texts, of any type, which is kept so that a row can be read again.

use std::ops::Range;
use std::sync::OnceLock;

use numpy::{PyReadonlyArray1, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyImportError, PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyList, PyString, PyTuple};

use crate::arrow_text::{ArrowText, Entries, TextVisitor};
use crate::capsule;
use crate::pool::{SignalPoll, Stop};
use crate::text::{Text, utf8};

/// The number of strings, and of their bytes, between two polls for signals.
const STRINGS_BETWEEN_POLLS: usize = 1 << 16;
const BYTES_BETWEEN_POLLS: usize = 1 << 20;

/// A column of texts.
pub(crate) enum Column {
    Strings(Strings),
    Arrow(ArrowText),
}

/// Python strings, read without copying. The tuple keeps them alive.
pub(crate) struct Strings {
    given: Py<PyTuple>,
    rows: usize,
    nulls: Nulls,
    /// The argument's name, for errors.
    name: &'static str,
    /// The rows with lone surrogates, and their text with replacement characters.
    without_surrogates: OnceLock<Vec<(usize, String)>>,
}

/// The objects that mean a missing string, in addition to None.
enum Nulls {
    Nothing,
    /// NaN, and the types of `NA` and `NaT`, as in `NumPy` arrays and pandas.
    Nan,
    /// This object.
    This(Py<PyAny>),
}

impl Column {
    /// Wrap a caller's column. `name` is the argument, for errors.
    pub(crate) fn new(given: &Bound<'_, PyAny>, name: &'static str) -> PyResult<Self> {
        let py = given.py();
        if given.is_instance_of::<PyString>() {
            return Err(PyTypeError::new_err(format!("{name} must be a column, not a str")));
        }
        if given.is_none() {
            return Err(PyTypeError::new_err(format!("{name} must be a column, not None")));
        }
        if let Ok(list) = given.cast::<PyList>() {
            return Ok(Self::Strings(Strings::new(list.to_tuple(), Nulls::Nothing, name)));
        }
        if let Ok(tuple) = given.cast::<PyTuple>() {
            return Ok(Self::Strings(Strings::new(tuple.clone(), Nulls::Nothing, name)));
        }
        let series = series(given)?;
        if let Some(series) = &series
            && holds_objects(series)?
        {
            return Strings::collect(series, Nulls::Nan, name).map(Self::Strings);
        }
        match capsule::take(given) {
            Ok(Some(reader)) => return ArrowText::of_stream(py, reader, name).map(Self::Arrow),
            Ok(None) => {}
            // A pandas column can be exported only if pyarrow is installed, but it can be iterated without.
            Err(problem) if problem.is_instance_of::<PyImportError>(py) => {
                return Strings::collect(series.as_ref().unwrap_or(given), Nulls::Nan, name).map(Self::Strings);
            }
            Err(problem) => {
                // Find the row of the value that is not a string, because the exporting library may not report it.
                let collected = series.map(|series| Strings::collect(&series, Nulls::Nan, name)).transpose();
                return Err(collected.err().unwrap_or(problem));
            }
        }
        if is_numpy_loaded(py)?
            && let Ok(array) = given.cast::<PyUntypedArray>()
        {
            return Self::from_numpy(array, name);
        }
        Strings::collect(given, Nulls::Nothing, name).map(Self::Strings)
    }

    fn from_numpy(array: &Bound<'_, PyUntypedArray>, name: &'static str) -> PyResult<Self> {
        let dtype = array.getattr("dtype")?;
        if array.ndim() != 1 {
            let shape = array.getattr("shape")?;
            return Err(PyValueError::new_err(format!("{name} must have one dimension, not the shape {shape}")));
        }
        let kind: char = dtype.getattr("kind")?.extract()?;
        let nulls = match kind {
            'O' => Nulls::Nan,
            'T' => match dtype.getattr_opt("na_object")? {
                Some(null) if !null.is_instance_of::<PyString>() => Nulls::This(null.unbind()),
                _ => Nulls::Nothing,
            },
            'U' => return wide(array, &dtype).map(Self::Arrow),
            _ => {
                return Err(PyTypeError::new_err(format!("{name} must be an array of strings, not of {dtype}")));
            }
        };
        let rows = array.call_method0("tolist")?;
        let rows = rows.cast::<PyList>()?;
        Ok(Self::Strings(Strings::new(rows.to_tuple(), nulls, name)))
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Strings(strings) => strings.rows,
            Self::Arrow(column) => column.len(),
        }
    }

    /// Return a row as a Python string or None. The error is the first byte that is not valid UTF-8.
    pub(crate) fn row<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Result<Bound<'py, PyAny>, usize>> {
        match self {
            Self::Strings(strings) => {
                let given = strings.given.bind(py).get_item(row)?;
                Ok(Ok(if given.is_instance_of::<PyString>() { given } else { py.None().into_bound(py) }))
            }
            Self::Arrow(column) => {
                let text = column.text(row).ok_or_else(|| PyIndexError::new_err("row out of range"))?;
                Ok(match text {
                    Text::Missing => Ok(py.None().into_bound(py)),
                    Text::Whole { text, .. } => Ok(PyString::new(py, text).into_any()),
                    Text::Broken(at) => Err(at),
                })
            }
        }
    }

    /// View the texts, so that they can be visited without the GIL.
    pub(crate) fn views<'a>(&'a self, py: Python<'a>) -> PyResult<Views<'a>> {
        self.view(py, 0..self.len())
    }

    /// View the texts of some rows.
    pub(crate) fn view<'a>(&'a self, py: Python<'a>, rows: Range<usize>) -> PyResult<Views<'a>> {
        Ok(match self {
            Self::Strings(strings) => Views::Strings(rows.start, strings.view(py, rows)?),
            Self::Arrow(column) => Views::Arrow(column),
        })
    }

    /// Iterate over the dictionaries: the first row, the number of rows, and the entries.
    pub(crate) fn dictionaries(&self) -> impl Iterator<Item = (usize, usize, &Entries)> {
        let column = match self {
            Self::Strings(_) => None,
            Self::Arrow(column) => Some(column),
        };
        column.into_iter().flat_map(ArrowText::dictionaries)
    }
}

impl Nulls {
    fn contains(&self, given: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(given.is_none()
            || match self {
                Self::Nothing => false,
                Self::This(null) => given.is(null),
                Self::Nan => match given.cast::<PyFloat>() {
                    Ok(number) => number.extract::<f64>()?.is_nan(),
                    Err(_) => given.get_type().name()?.to_str().is_ok_and(|name| matches!(name, "NAType" | "NaTType")),
                },
            })
    }
}

impl Strings {
    fn new(given: Bound<'_, PyTuple>, nulls: Nulls, name: &'static str) -> Self {
        Self { rows: given.len(), given: given.unbind(), nulls, name, without_surrogates: OnceLock::new() }
    }

    /// Collect the items of an iterable; fail at the first one that is not a string.
    fn collect(given: &Bound<'_, PyAny>, nulls: Nulls, name: &'static str) -> PyResult<Self> {
        let mut strings = Self::new(PyTuple::empty(given.py()), nulls, name);
        let py = given.py();
        let mut signals = SignalPoll::new();
        let mut items = Vec::new();
        for (row, item) in given.try_iter()?.enumerate() {
            let item = item?;
            if !item.is_instance_of::<PyString>() {
                strings.check_null(row, &item)?;
            }
            items.push(item);
            if row.is_multiple_of(STRINGS_BETWEEN_POLLS) {
                signals.poll(py)?;
            }
        }
        strings.rows = items.len();
        strings.given = PyTuple::new(given.py(), items)?.unbind();
        Ok(strings)
    }

    fn check_null(&self, row: usize, item: &Bound<'_, PyAny>) -> PyResult<()> {
        if self.nulls.contains(item)? {
            return Ok(());
        }
        let (name, kind) = (self.name, item.get_type().name()?);
        Err(PyTypeError::new_err(format!("{name}[{row}] must be a str or None, not {kind}")))
    }

    /// View the texts of some rows; None for missing ones.
    fn view<'a>(&'a self, py: Python<'a>, rows: Range<usize>) -> PyResult<Vec<Option<&'a str>>> {
        let given = self.given.bind(py);
        let mut texts = Vec::with_capacity(rows.len());
        let mut signals = SignalPoll::new();
        let mut bytes = 0;
        for row in rows {
            let item = given.get_borrowed_item(row)?;
            let text = if item.is_none() {
                None
            } else {
                match item.extract::<&'a str>() {
                    Ok(text) => Some(text),
                    Err(_) if item.is_instance_of::<PyString>() => self.without_surrogates(py, row)?,
                    Err(_) => {
                        self.check_null(row, &item)?;
                        None
                    }
                }
            };
            // The first view of a string may have to encode it as UTF-8.
            bytes += text.map_or(0, str::len);
            if bytes >= BYTES_BETWEEN_POLLS || row.is_multiple_of(STRINGS_BETWEEN_POLLS) {
                signals.poll(py)?;
                bytes = 0;
            }
            texts.push(text);
        }
        Ok(texts)
    }

    /// Return the text of a row with lone surrogates. The first call converts all such rows.
    #[cold]
    fn without_surrogates<'a>(&'a self, py: Python<'a>, row: usize) -> PyResult<Option<&'a str>> {
        if self.without_surrogates.get().is_none() {
            let mut without_surrogates = Vec::new();
            let mut signals = SignalPoll::new();
            for (row, item) in self.given.bind(py).iter_borrowed().enumerate() {
                if let Ok(string) = item.cast::<PyString>()
                    && string.to_str().is_err()
                {
                    without_surrogates.push((row, utf8(&string)?.into_owned()));
                }
                signals.poll(py)?;
            }
            // Another thread may have set the same value.
            let _ = self.without_surrogates.set(without_surrogates);
        }
        let without_surrogates = self.without_surrogates.get().map_or([].as_slice(), Vec::as_slice);
        let found = without_surrogates.binary_search_by_key(&row, |(row, _)| *row).ok();
        Ok(found.and_then(|found| without_surrogates.get(found)).map(|(_, text)| text.as_str()))
    }
}

/// Return a pandas or polars series, or the only column of such a frame.
fn series<'py>(given: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let class = given.get_type();
    let module = class.module()?;
    if !matches!(module.to_string_lossy().split('.').next(), Some("pandas" | "polars")) {
        return Ok(None);
    }
    match given.getattr_opt("columns")? {
        Some(names) if names.len()? == 1 => given.get_item(names.get_item(0)?).map(Some),
        Some(_) => Ok(None),
        None => Ok(given.hasattr("dtype")?.then(|| given.clone())),
    }
}

/// Whether a series has arbitrary Python objects.
fn holds_objects(series: &Bound<'_, PyAny>) -> PyResult<bool> {
    let dtype = series.getattr("dtype")?;
    Ok(matches!(dtype.str()?.to_string_lossy().as_ref(), "object" | "Object"))
}

/// The texts of a column.
pub(crate) enum Views<'a> {
    /// The first row, and the texts; None for missing ones.
    Strings(usize, Vec<Option<&'a str>>),
    Arrow(&'a ArrowText),
}

impl<'a> Views<'a> {
    /// Walk some rows.
    pub(crate) fn visit_rows(&self, rows: Range<usize>, stop: &Stop, visitor: &mut impl TextVisitor<'a>) {
        match self {
            Self::Strings(first, texts) => {
                let here = rows.start.wrapping_sub(*first)..rows.end.wrapping_sub(*first);
                for (row, text) in rows.zip(texts.get(here).unwrap_or_default()) {
                    if stop.is_requested() {
                        return;
                    }
                    visitor.visit(row, text.map_or(Text::Missing, |text| Text::Whole { text, is_ascii: false }));
                }
            }
            Self::Arrow(column) => column.visit_rows(rows, stop, visitor),
        }
    }

    /// Return the text of a row, which is missing if the row does not exist.
    pub(crate) fn text(&self, row: usize) -> Text<'a> {
        match self {
            Self::Strings(first, texts) => {
                let text = texts.get(row.wrapping_sub(*first)).copied().flatten();
                text.map_or(Text::Missing, |text| Text::Whole { text, is_ascii: false })
            }
            Self::Arrow(column) => column.text(row).unwrap_or(Text::Missing),
        }
    }

    /// Return the approximate number of bytes of text.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Strings(_, texts) => texts.iter().flatten().map(|text| text.len()).sum(),
            Self::Arrow(column) => column.bytes(),
        }
    }
}

/// Encode a `NumPy` `U` array, which has four bytes for each character.
fn wide(array: &Bound<'_, PyUntypedArray>, dtype: &Bound<'_, PyAny>) -> PyResult<ArrowText> {
    let py = array.py();
    let rows = array.len();
    let width = dtype.getattr("itemsize")?.extract::<usize>()? / 4;
    if width == 0 || rows == 0 {
        return ArrowText::of(vec![0; rows + 1], Vec::new());
    }
    let native = array.call_method1("astype", (dtype.call_method1("newbyteorder", ("=",))?,))?;
    let points = py.import("numpy")?.call_method1("ascontiguousarray", (native,))?.call_method1("view", ("uint32",))?;
    let points: PyReadonlyArray1<'_, u32> = points.extract()?;
    let points = points.as_slice()?;
    let mut bytes = Vec::with_capacity(points.len());
    let mut offsets = Vec::with_capacity(rows + 1);
    offsets.push(0);
    let mut signals = SignalPoll::new();
    for row in points.chunks_exact(width) {
        let end = row.iter().rposition(|&point| point != 0).map_or(0, |last| last + 1);
        for &point in row.get(..end).unwrap_or_default() {
            match u8::try_from(point) {
                Ok(byte) if byte.is_ascii() => bytes.push(byte),
                _ => {
                    let point = char::from_u32(point).unwrap_or(char::REPLACEMENT_CHARACTER);
                    bytes.extend_from_slice(point.encode_utf8(&mut [0; 4]).as_bytes());
                }
            }
        }
        offsets.push(i64::try_from(bytes.len())?);
        signals.poll(py)?;
    }
    ArrowText::of(offsets, bytes)
}

/// Whether `NumPy` is loaded; otherwise the argument can't be an array, and importing `NumPy` would be slow.
pub(crate) fn is_numpy_loaded(py: Python<'_>) -> PyResult<bool> {
    py.import("sys")?.getattr("modules")?.contains("numpy")
}
