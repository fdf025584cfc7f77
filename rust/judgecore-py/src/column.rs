//! A column of texts, in whatever it came in, held so that a row can be read again.

use std::ops::Range;
use std::sync::OnceLock;

use numpy::{PyReadonlyArray1, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyImportError, PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyList, PyString, PyTuple};

use crate::arrow_text::{ArrowText, Entries, Visitor};
use crate::capsule;
use crate::pool::{Lookout, Stop};
use crate::text::{Text, utf8};

/// How many strings are taken between two looks for signals, and how many bytes of them.
const STRINGS_BETWEEN_LOOKS: usize = 1 << 16;
const BYTES_BETWEEN_LOOKS: usize = 1 << 20;

/// A column of texts.
pub(crate) enum Column {
    Strings(Strings),
    Arrow(ArrowText),
}

/// Python strings, held so that nobody can take them away, and read where they lie.
pub(crate) struct Strings {
    given: Py<PyTuple>,
    rows: usize,
    nulls: Nulls,
    /// The argument's, for errors.
    name: &'static str,
    /// Rows with lone surrogates, and what they read as.
    mended: OnceLock<Vec<(usize, String)>>,
}

/// What stands for a missing string beside None.
enum Nulls {
    Nothing,
    /// Whatever is no string and not equal to itself, or calls itself NA or `NaT`, as in arrays and pandas.
    Nan,
    /// This object.
    This(Py<PyAny>),
}

impl Column {
    /// Hold a caller's column; `name` is the argument's, for errors.
    pub(crate) fn new(given: &Bound<'_, PyAny>, name: &'static str) -> PyResult<Self> {
        let py = given.py();
        if given.is_instance_of::<PyString>() {
            return Err(PyTypeError::new_err(format!("{name} must be a column, and this is one str")));
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
            // A pandas column exports itself only where pyarrow is installed; it can be walked without.
            Err(problem) if problem.is_instance_of::<PyImportError>(py) => {
                return Strings::collect(series.as_ref().unwrap_or(given), Nulls::Nan, name).map(Self::Strings);
            }
            Err(problem) => {
                // What is no text is named with its row, where the library that exports it doesn't name it.
                let walked = series.map(|series| Strings::collect(&series, Nulls::Nan, name)).transpose();
                return Err(walked.err().unwrap_or(problem));
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

    /// A row as a Python string; the byte at which it stops being UTF-8 where there is none.
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

    /// The rows with lone surrogates, which read as other texts than they hold; known once the texts were viewed.
    pub(crate) fn mended_rows(&self) -> Vec<usize> {
        let mended = match self {
            Self::Strings(strings) => strings.mended.get(),
            Self::Arrow(_) => None,
        };
        mended.into_iter().flatten().map(|(row, _)| *row).collect()
    }

    /// View the texts, so that they can be walked without the GIL.
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

    /// The dictionaries that rows point into: from which row on, how many rows, and the entries.
    pub(crate) fn dictionaries(&self) -> impl Iterator<Item = (usize, usize, &Entries)> {
        let column = match self {
            Self::Strings(_) => None,
            Self::Arrow(column) => Some(column),
        };
        column.into_iter().flat_map(ArrowText::dictionaries)
    }
}

impl Nulls {
    fn hold(&self, given: &Bound<'_, PyAny>) -> PyResult<bool> {
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
        Self { rows: given.len(), given: given.unbind(), nulls, name, mended: OnceLock::new() }
    }

    /// Take what can only be walked, up to the first row that is no text.
    fn collect(given: &Bound<'_, PyAny>, nulls: Nulls, name: &'static str) -> PyResult<Self> {
        let mut strings = Self::new(PyTuple::empty(given.py()), nulls, name);
        let py = given.py();
        let mut lookout = Lookout::new();
        let mut items = Vec::new();
        for (row, item) in given.try_iter()?.enumerate() {
            let item = item?;
            if !item.is_instance_of::<PyString>() {
                strings.check_null(row, &item)?;
            }
            items.push(item);
            if row.is_multiple_of(STRINGS_BETWEEN_LOOKS) {
                lookout.look(py)?;
            }
        }
        strings.rows = items.len();
        strings.given = PyTuple::new(given.py(), items)?.unbind();
        Ok(strings)
    }

    fn check_null(&self, row: usize, item: &Bound<'_, PyAny>) -> PyResult<()> {
        if self.nulls.hold(item)? {
            return Ok(());
        }
        let (name, kind) = (self.name, item.get_type().name()?);
        Err(PyTypeError::new_err(format!("{name}[{row}] must be a str or None, not {kind}")))
    }

    /// What some rows say, None where one is missing.
    fn view<'a>(&'a self, py: Python<'a>, rows: Range<usize>) -> PyResult<Vec<Option<&'a str>>> {
        let given = self.given.bind(py);
        let mut texts = Vec::with_capacity(rows.len());
        let mut lookout = Lookout::new();
        let mut bytes = 0;
        for row in rows {
            let item = given.get_borrowed_item(row)?;
            let text = if item.is_none() {
                None
            } else {
                match item.extract::<&'a str>() {
                    Ok(text) => Some(text),
                    Err(_) if item.is_instance_of::<PyString>() => self.mended(py, row)?,
                    Err(_) => {
                        self.check_null(row, &item)?;
                        None
                    }
                }
            };
            // To view a string for the first time may be to make its UTF-8.
            bytes += text.map_or(0, str::len);
            if bytes >= BYTES_BETWEEN_LOOKS || row.is_multiple_of(STRINGS_BETWEEN_LOOKS) {
                lookout.look(py)?;
                bytes = 0;
            }
            texts.push(text);
        }
        Ok(texts)
    }

    /// What a row with lone surrogates reads as. When one is met, all are looked for.
    #[cold]
    fn mended<'a>(&'a self, py: Python<'a>, row: usize) -> PyResult<Option<&'a str>> {
        if self.mended.get().is_none() {
            let mut mended = Vec::new();
            let mut lookout = Lookout::new();
            for (row, item) in self.given.bind(py).iter_borrowed().enumerate() {
                if let Ok(string) = item.cast::<PyString>()
                    && string.to_str().is_err()
                {
                    mended.push((row, utf8(&string)?.into_owned()));
                }
                lookout.look(py)?;
            }
            // Another thread may have been as quick with the same.
            let _ = self.mended.set(mended);
        }
        let mended = self.mended.get().map_or([].as_slice(), Vec::as_slice);
        let found = mended.binary_search_by_key(&row, |(row, _)| *row).ok();
        Ok(found.and_then(|found| mended.get(found)).map(|(_, text)| text.as_str()))
    }
}

/// A series of pandas or polars, which may be the only column of a frame.
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

/// Whether a series holds objects of Python's, each of a type of its own.
fn holds_objects(series: &Bound<'_, PyAny>) -> PyResult<bool> {
    let dtype = series.getattr("dtype")?;
    Ok(matches!(dtype.str()?.to_string_lossy().as_ref(), "object" | "Object"))
}

/// The texts of a column.
pub(crate) enum Views<'a> {
    /// From this row on; None where a string is missing.
    Strings(usize, Vec<Option<&'a str>>),
    Arrow(&'a ArrowText),
}

impl<'a> Views<'a> {
    /// Walk some rows.
    pub(crate) fn walk(&self, rows: Range<usize>, stop: &Stop, visitor: &mut impl Visitor<'a>) {
        match self {
            Self::Strings(first, texts) => {
                let here = rows.start.wrapping_sub(*first)..rows.end.wrapping_sub(*first);
                for (row, text) in rows.zip(texts.get(here).unwrap_or_default()) {
                    if stop.is_asked() {
                        return;
                    }
                    visitor.visit(row, text.map_or(Text::Missing, |text| Text::Whole { text, is_ascii: false }));
                }
            }
            Self::Arrow(column) => column.walk(rows, stop, visitor),
        }
    }

    /// The text of a row, which is missing where there is no such row.
    pub(crate) fn text(&self, row: usize) -> Text<'a> {
        match self {
            Self::Strings(first, texts) => {
                let text = texts.get(row.wrapping_sub(*first)).copied().flatten();
                text.map_or(Text::Missing, |text| Text::Whole { text, is_ascii: false })
            }
            Self::Arrow(column) => column.text(row).unwrap_or(Text::Missing),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Strings(_, texts) => texts.len(),
            Self::Arrow(column) => column.len(),
        }
    }

    /// About how many bytes of text there are.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Strings(_, texts) => texts.iter().flatten().map(|text| text.len()).sum(),
            Self::Arrow(column) => column.bytes(),
        }
    }
}

/// An array of four bytes a character has no UTF-8 to view, so that it is made.
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
    let mut lookout = Lookout::new();
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
        lookout.look(py)?;
    }
    ArrowText::of(offsets, bytes)
}

/// Whether there can be an array at all; to load numpy in order to see costs more than a call.
pub(crate) fn is_numpy_loaded(py: Python<'_>) -> PyResult<bool> {
    py.import("sys")?.getattr("modules")?.contains("numpy")
}
