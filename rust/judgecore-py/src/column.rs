//! A column of texts, in whatever it came in, held so that a row can be read again.

use std::ops::Range;

use numpy::{PyReadonlyArray1, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyImportError, PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyList, PyString, PyTuple};

use crate::arrow_text::{ArrowText, Entries};
use crate::pool::{Lookout, Stop};
use crate::text::utf8;

/// How many strings are viewed between two looks for signals.
const STRINGS_BETWEEN_LOOKS: usize = 1 << 16;

/// A row's text.
#[derive(Clone, Copy)]
pub(crate) enum Text<'a> {
    Missing,
    /// A text; `is_ascii` is true only if it is known to be ASCII.
    Whole {
        text: &'a str,
        is_ascii: bool,
    },
    /// Bytes that stop being UTF-8 at this one.
    Broken(usize),
}

/// What takes texts, row by row.
pub(crate) trait Visitor<'a> {
    fn visit(&mut self, row: usize, text: Text<'a>);

    /// Take rows that point into a dictionary; `first` is the row that `rows` begins with.
    fn visit_entries(&mut self, first: usize, entries: &'a Entries, rows: Range<usize>, stop: &Stop) {
        for (nth, row) in rows.enumerate() {
            if stop.is_asked() {
                return;
            }
            self.visit(first + nth, entries.text(row));
        }
    }
}

/// A column of texts.
pub(crate) enum Column {
    Strings(Strings),
    Arrow(ArrowText),
}

/// Python strings, and what stands where there is none.
pub(crate) struct Strings {
    rows: Py<PyTuple>,
    nulls: Nulls,
}

/// What stands for a missing string beside None.
enum Nulls {
    None,
    /// Whatever is no string and not equal to itself, or calls itself NA, as in arrays and pandas.
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
            return Ok(Self::strings(list.to_tuple(), Nulls::None));
        }
        if let Ok(tuple) = given.cast::<PyTuple>() {
            return Ok(Self::strings(tuple.clone(), Nulls::None));
        }
        match ArrowText::import(given, name) {
            Ok(Some(column)) => return Ok(Self::Arrow(column)),
            Ok(None) => {}
            // A pandas column exports itself only where pyarrow is installed; it can be walked without.
            Err(problem) if problem.is_instance_of::<PyImportError>(py) => {
                return Ok(Self::strings(
                    PyList::new(py, given.try_iter()?.collect::<PyResult<Vec<_>>>()?)?.to_tuple(),
                    Nulls::Nan,
                ));
            }
            Err(problem) => return Err(problem),
        }
        if is_numpy_loaded(py)?
            && let Ok(array) = given.cast::<PyUntypedArray>()
        {
            return Self::from_numpy(array, name);
        }
        let rows = given.try_iter()?.collect::<PyResult<Vec<_>>>()?;
        Ok(Self::strings(PyTuple::new(py, rows)?, Nulls::None))
    }

    fn strings(rows: Bound<'_, PyTuple>, nulls: Nulls) -> Self {
        Self::Strings(Strings { rows: rows.unbind(), nulls })
    }

    fn from_numpy(array: &Bound<'_, PyUntypedArray>, name: &str) -> PyResult<Self> {
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
                _ => Nulls::None,
            },
            'U' => return wide(array, &dtype).map(Self::Arrow),
            _ => {
                return Err(PyTypeError::new_err(format!("{name} must be an array of strings, not of {dtype}")));
            }
        };
        Ok(Self::strings(array.call_method0("tolist")?.cast::<PyList>()?.to_tuple(), nulls))
    }

    pub(crate) fn len(&self, py: Python<'_>) -> usize {
        match self {
            Self::Strings(strings) => strings.rows.bind(py).len(),
            Self::Arrow(column) => column.len(),
        }
    }

    /// A row as a Python string; the byte at which it stops being UTF-8 where there is none.
    pub(crate) fn row<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Result<Bound<'py, PyAny>, usize>> {
        match self {
            Self::Strings(strings) => {
                let given = strings.rows.bind(py).get_item(row)?;
                Ok(Ok(if strings.is_null(&given)? { py.None().into_bound(py) } else { given }))
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

    /// View the texts, so that they can be walked without the GIL; `mended` keeps those that had to be made anew.
    pub(crate) fn views<'a>(&'a self, py: Python<'a>, name: &str, mended: &'a mut Mended) -> PyResult<Views<'a>> {
        match self {
            Self::Strings(strings) => strings.views(py, name, mended).map(Views::Strings),
            Self::Arrow(column) => Ok(Views::Arrow(column)),
        }
    }
}

impl Strings {
    fn is_null(&self, given: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(given.is_none()
            || match &self.nulls {
                Nulls::None => false,
                Nulls::This(null) => given.is(null),
                Nulls::Nan => match given.cast::<PyFloat>() {
                    Ok(number) => number.extract::<f64>()?.is_nan(),
                    Err(_) => given.get_type().name()? == "NAType",
                },
            })
    }

    fn views<'a>(&'a self, py: Python<'a>, name: &str, mended: &'a mut Mended) -> PyResult<Vec<Option<&'a str>>> {
        let rows = self.rows.bind(py);
        let mut views = Vec::with_capacity(rows.len());
        let mut lookout = Lookout::new();
        for (row, given) in rows.iter_borrowed().enumerate() {
            views.push(match <&str>::extract(given) {
                Ok(text) => Some(text),
                Err(_) => self.odd(&given, row, name, mended)?,
            });
            if row.is_multiple_of(STRINGS_BETWEEN_LOOKS) {
                lookout.look()?;
            }
        }
        for (row, text) in &mended.0 {
            if let Some(view) = views.get_mut(*row) {
                *view = Some(text);
            }
        }
        Ok(views)
    }

    /// A row that is no text as it stands: null, with lone surrogates, or no string at all.
    fn odd(
        &self,
        given: &Bound<'_, PyAny>,
        row: usize,
        name: &str,
        mended: &mut Mended,
    ) -> PyResult<Option<&'static str>> {
        if self.is_null(given)? {
            return Ok(None);
        }
        let Ok(text) = given.cast::<PyString>() else {
            let kind = given.get_type().name()?;
            return Err(PyTypeError::new_err(format!("{name}[{row}] must be a str or None, not {kind}")));
        };
        mended.0.push((row, utf8(text)?.into_owned()));
        Ok(None)
    }
}

/// Texts with their rows that could not be viewed as they were given, because they hold lone surrogates.
#[derive(Default)]
pub(crate) struct Mended(Vec<(usize, String)>);

impl Mended {
    /// Their rows.
    pub(crate) fn rows(&self) -> impl Iterator<Item = usize> {
        self.0.iter().map(|(row, _)| *row)
    }
}

/// The texts of a column.
pub(crate) enum Views<'a> {
    Strings(Vec<Option<&'a str>>),
    Arrow(&'a ArrowText),
}

impl<'a> Views<'a> {
    /// Walk some rows.
    pub(crate) fn walk(&self, rows: Range<usize>, stop: &Stop, visitor: &mut impl Visitor<'a>) {
        match self {
            Self::Strings(views) => {
                for (row, view) in rows.clone().zip(views.get(rows).unwrap_or_default()) {
                    if stop.is_asked() {
                        return;
                    }
                    let text = view.map_or(Text::Missing, |text| Text::Whole { text, is_ascii: false });
                    visitor.visit(row, text);
                }
            }
            Self::Arrow(column) => column.walk(rows, stop, visitor),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Strings(views) => views.len(),
            Self::Arrow(column) => column.len(),
        }
    }

    /// About how many bytes of text there are.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Strings(views) => views.iter().flatten().map(|text| text.len()).sum(),
            Self::Arrow(column) => column.bytes(),
        }
    }

    /// Whether rows point into dictionaries.
    pub(crate) fn has_entries(&self) -> bool {
        match self {
            Self::Strings(_) => false,
            Self::Arrow(column) => column.has_entries(),
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
        lookout.look()?;
    }
    ArrowText::of(offsets, bytes)
}

/// Whether there can be an array at all; to load numpy in order to see costs more than a call.
pub(crate) fn is_numpy_loaded(py: Python<'_>) -> PyResult<bool> {
    py.import("sys")?.getattr("modules")?.contains("numpy")
}

/// The text of bytes that should be UTF-8.
pub(crate) fn checked(bytes: &[u8]) -> Text<'_> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Text::Whole { text, is_ascii: false },
        Err(problem) => Text::Broken(problem.valid_up_to()),
    }
}
