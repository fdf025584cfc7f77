//! A column of texts, in whatever it came in, held so that a row can be read again.

use std::ops::Range;

use numpy::{PyReadonlyArray1, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyImportError, PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyFloat, PyList, PyString, PyTuple};

use crate::arrow_text::{ArrowText, Entries};
use crate::memo::{self, Memo};
use crate::pool::{Lookout, Stop};
use crate::text::utf8;

/// How many strings are taken between two looks for signals.
const STRINGS_BETWEEN_LOOKS: usize = 1 << 16;
/// Strings of at most so many bytes are copied; to hold and to let go of each would cost more.
const LONGEST_COPIED: usize = 252;
/// They are copied into blocks of less than so many bytes, which never move: a power of two.
const BLOCK: usize = 1 << BLOCK_BITS;
const BLOCK_BITS: u32 = 25;

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

    /// Take a row whose text others may have too: all of them name the same entry, counted from 0.
    fn visit_entry(&mut self, row: usize, _entry: usize, text: impl FnOnce() -> Text<'a>) {
        self.visit(row, text());
    }

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

/// What Python strings say: the short ones one after the other, mostly once each, the long ones as they are.
pub(crate) struct Strings {
    short: Vec<String>,
    /// Where the short ones stand that may be many rows'.
    entries: Vec<Place>,
    long: Vec<Long>,
    places: Vec<Place>,
}

/// Where a row's text is, in as few bytes as can be: the place, and in the last byte the length, or one of those below.
#[derive(Clone, Copy)]
struct Place(u64);

enum Held {
    Missing,
    Short(usize, usize),
    Entry(usize),
    Long(usize),
}

impl Place {
    const ENTRY: u8 = 0xfd;
    const LONG: u8 = 0xfe;
    const MISSING: u8 = 0xff;

    fn new(at: usize, last: u8) -> PyResult<Self> {
        Ok(Self(u64::try_from(at)? << 8 | u64::from(last)))
    }

    fn held(self) -> Held {
        let [last, ..] = self.0.to_le_bytes();
        let at = usize::try_from(self.0 >> 8).unwrap_or_default();
        match last {
            Self::MISSING => Held::Missing,
            Self::ENTRY => Held::Entry(at),
            Self::LONG => Held::Long(at),
            length => Held::Short(at, usize::from(length)),
        }
    }
}

/// A string that is not copied.
enum Long {
    Given(Py<PyString>),
    /// One with lone surrogates, and what it reads as.
    Mended(Py<PyString>, String),
}

/// What stands for a missing string beside None.
enum Nulls<'py> {
    Nothing,
    /// Whatever is no string and not equal to itself, or calls itself NA, as in arrays and pandas.
    Nan,
    /// This object.
    This(Bound<'py, PyAny>),
}

impl Column {
    /// Hold a caller's column; `name` is the argument's, for errors.
    pub(crate) fn new(given: &Bound<'_, PyAny>, name: &'static str) -> PyResult<Self> {
        let py = given.py();
        if given.is_instance_of::<PyString>() {
            return Err(PyTypeError::new_err(format!("{name} must be a column, and this is one str")));
        }
        if let Ok(list) = given.cast::<PyList>() {
            // An iterator would ask for the length each time.
            let items = (0..list.len()).map(|nth| list.get_item(nth));
            return Strings::new(items, list.len(), &Nulls::Nothing, name).map(Self::Strings);
        }
        if let Ok(tuple) = given.cast::<PyTuple>() {
            return Strings::new(tuple.iter().map(Ok), tuple.len(), &Nulls::Nothing, name).map(Self::Strings);
        }
        match ArrowText::import(given, name) {
            Ok(Some(column)) => return Ok(Self::Arrow(column)),
            Ok(None) => {}
            // A pandas column exports itself only where pyarrow is installed; it can be walked without.
            Err(problem) if problem.is_instance_of::<PyImportError>(py) => {
                return Strings::new(given.try_iter()?, 0, &Nulls::Nan, name).map(Self::Strings);
            }
            Err(problem) => return Err(problem),
        }
        if is_numpy_loaded(py)?
            && let Ok(array) = given.cast::<PyUntypedArray>()
        {
            return Self::from_numpy(array, name);
        }
        Strings::new(given.try_iter()?, 0, &Nulls::Nothing, name).map(Self::Strings)
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
                Some(null) if !null.is_instance_of::<PyString>() => Nulls::This(null),
                _ => Nulls::Nothing,
            },
            'U' => return wide(array, &dtype).map(Self::Arrow),
            _ => {
                return Err(PyTypeError::new_err(format!("{name} must be an array of strings, not of {dtype}")));
            }
        };
        let rows = array.call_method0("tolist")?;
        let rows = rows.cast::<PyList>()?;
        Strings::new(rows.iter().map(Ok), rows.len(), &nulls, name).map(Self::Strings)
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Strings(strings) => strings.places.len(),
            Self::Arrow(column) => column.len(),
        }
    }

    /// A row as a Python string; the byte at which it stops being UTF-8 where there is none.
    pub(crate) fn row<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Result<Bound<'py, PyAny>, usize>> {
        match self {
            Self::Strings(strings) => {
                let place = strings.places.get(row).ok_or_else(|| PyIndexError::new_err("row out of range"))?;
                Ok(Ok(match place.held() {
                    Held::Missing => py.None().into_bound(py),
                    Held::Short(..) | Held::Entry(_) => {
                        PyString::new(py, strings.short(*place).unwrap_or_default()).into_any()
                    }
                    Held::Long(nth) => match strings.long.get(nth) {
                        Some(Long::Given(text) | Long::Mended(text, _)) => text.bind(py).clone().into_any(),
                        None => py.None().into_bound(py),
                    },
                }))
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

    /// The rows with lone surrogates, which read as other texts than they hold.
    pub(crate) fn mended_rows(&self) -> Vec<usize> {
        let Self::Strings(strings) = self else {
            return Vec::new();
        };
        let is_mended = |place: &Place| match place.held() {
            Held::Long(nth) => matches!(strings.long.get(nth), Some(Long::Mended(..))),
            Held::Missing | Held::Short(..) | Held::Entry(_) => false,
        };
        if !strings.long.iter().any(|long| matches!(long, Long::Mended(..))) {
            return Vec::new();
        }
        strings.places.iter().enumerate().filter(|(_, place)| is_mended(place)).map(|(row, _)| row).collect()
    }

    /// View the texts, so that they can be walked without the GIL.
    pub(crate) fn views<'a>(&'a self, py: Python<'a>) -> PyResult<Views<'a>> {
        Ok(match self {
            Self::Strings(strings) => {
                Views::Strings(strings, strings.long.iter().map(|long| long.text(py)).collect::<PyResult<_>>()?)
            }
            Self::Arrow(column) => Views::Arrow(column),
        })
    }
}

impl Nulls<'_> {
    fn hold(&self, given: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(given.is_none()
            || match self {
                Self::Nothing => false,
                Self::This(null) => given.is(null),
                Self::Nan => match given.cast::<PyFloat>() {
                    Ok(number) => number.extract::<f64>()?.is_nan(),
                    Err(_) => given.get_type().name()? == "NAType",
                },
            })
    }
}

impl Long {
    fn text<'a>(&'a self, py: Python<'a>) -> PyResult<&'a str> {
        match self {
            Self::Given(text) => text.bind(py).to_str(),
            Self::Mended(_, text) => Ok(text),
        }
    }
}

impl Strings {
    /// Take what strings say; `count` is about how many there are.
    fn new<'py>(
        given: impl Iterator<Item = PyResult<Bound<'py, PyAny>>>,
        count: usize,
        nulls: &Nulls<'_>,
        name: &str,
    ) -> PyResult<Self> {
        let mut strings =
            Self { short: Vec::new(), entries: Vec::new(), long: Vec::new(), places: Vec::with_capacity(count) };
        let mut lookout = Lookout::new();
        let mut memo = Memo::new(memo::MANY);
        for (row, given) in given.enumerate() {
            let given = given?;
            // To see that a string is one exactly takes no call.
            let string = given.cast_exact::<PyString>().or_else(|_| given.cast());
            let place = match string.map(|string| (string, string.to_str())) {
                Ok((_, Ok(text))) if text.len() <= LONGEST_COPIED => {
                    strings.place(text, count.saturating_sub(row), &mut memo)?
                }
                Ok((string, Ok(_))) => strings.hold(Long::Given(string.clone().unbind()))?,
                Ok((string, Err(_))) => {
                    strings.hold(Long::Mended(string.clone().unbind(), utf8(string)?.into_owned()))?
                }
                Err(_) if nulls.hold(&given)? => Place::new(0, Place::MISSING)?,
                Err(_) => {
                    let kind = given.get_type().name()?;
                    return Err(PyTypeError::new_err(format!("{name}[{row}] must be a str or None, not {kind}")));
                }
            };
            strings.places.push(place);
            if row.is_multiple_of(STRINGS_BETWEEN_LOOKS) {
                lookout.look()?;
            }
        }
        Ok(strings)
    }

    /// Where a short text stands: where one like it stands already, or where it is copied to.
    fn place(&mut self, text: &str, rows: usize, memo: &mut Memo<(Place, Place)>) -> PyResult<Place> {
        let hash = memo::hash_of(text);
        if !memo.is_worth(hash) {
            return self.copy(text, rows);
        }
        let is_it = |(copied, _): &(Place, Place)| self.bytes(*copied) == Some(text.as_bytes());
        if let Some((_, entry)) = memo.find(hash, is_it) {
            return Ok(*entry);
        }
        let copied = self.copy(text, rows)?;
        let entry = Place::new(self.entries.len(), Place::ENTRY)?;
        self.entries.push(copied);
        memo.keep(hash, (copied, entry));
        Ok(entry)
    }

    /// Copy a short text; about so many rows are to come.
    fn copy(&mut self, text: &str, rows: usize) -> PyResult<Place> {
        let length = u8::try_from(text.len())?;
        let nth = self.short.len();
        if let Some(block) = self.short.last_mut()
            && block.len() + text.len() < BLOCK
        {
            let at = (nth - 1) << BLOCK_BITS | block.len();
            block.push_str(text);
            return Place::new(at, length);
        }
        let mut block = String::with_capacity(BLOCK.min(rows.saturating_mul(LONGEST_COPIED)));
        block.push_str(text);
        self.short.push(block);
        Place::new(nth << BLOCK_BITS, length)
    }

    /// The text of a copy, or of an entry.
    fn short(&self, place: Place) -> Option<&str> {
        let copied = match place.held() {
            Held::Entry(entry) => self.entries.get(entry)?.held(),
            held => held,
        };
        let Held::Short(at, length) = copied else { return None };
        let first = at & (BLOCK - 1);
        self.short.get(at >> BLOCK_BITS)?.get(first..first + length)
    }

    /// The same of a copy, without a look at where its characters begin.
    #[inline]
    fn bytes(&self, copied: Place) -> Option<&[u8]> {
        let Held::Short(at, length) = copied.held() else { return None };
        let first = at & (BLOCK - 1);
        self.short.get(at >> BLOCK_BITS)?.as_bytes().get(first..first + length)
    }

    fn hold(&mut self, long: Long) -> PyResult<Place> {
        self.long.push(long);
        Place::new(self.long.len() - 1, Place::LONG)
    }
}

/// The texts of a column.
pub(crate) enum Views<'a> {
    /// With the texts of the long ones.
    Strings(&'a Strings, Vec<&'a str>),
    Arrow(&'a ArrowText),
}

impl<'a> Views<'a> {
    /// Walk some rows.
    pub(crate) fn walk(&self, rows: Range<usize>, stop: &Stop, visitor: &mut impl Visitor<'a>) {
        match self {
            Self::Strings(strings, long) => {
                for (row, place) in rows.clone().zip(strings.places.get(rows).unwrap_or_default()) {
                    if stop.is_asked() {
                        return;
                    }
                    let whole = |text: Option<&'a str>| {
                        text.map_or(Text::Missing, |text| Text::Whole { text, is_ascii: false })
                    };
                    match place.held() {
                        Held::Missing => visitor.visit(row, Text::Missing),
                        Held::Short(..) => visitor.visit(row, whole(strings.short(*place))),
                        Held::Entry(entry) => visitor.visit_entry(row, entry, || whole(strings.short(*place))),
                        Held::Long(nth) => visitor.visit(row, whole(long.get(nth).copied())),
                    }
                }
            }
            Self::Arrow(column) => column.walk(rows, stop, visitor),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Strings(strings, _) => strings.places.len(),
            Self::Arrow(column) => column.len(),
        }
    }

    /// About how many bytes of text there are.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Strings(strings, long) => {
                let short = strings.short.iter().map(String::len);
                short.chain(long.iter().map(|text| text.len())).sum()
            }
            Self::Arrow(column) => column.bytes(),
        }
    }

    /// Whether rows point into dictionaries.
    pub(crate) fn has_entries(&self) -> bool {
        match self {
            Self::Strings(..) => false,
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
