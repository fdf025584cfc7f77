//! Canonical JSON of Python objects, and its hash.

use std::cmp::Ordering;

use judgecore::hashing::{Canonical, ContentHash, Sink};
use num_bigint::BigInt;
use pyo3::PyTypeInfo;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::text::{encoded, with_surrogates};

/// The maximum depth of nesting.
const DEPTH: usize = 1000;

/// A longer path is shown without its middle.
const STEPS: usize = 24;

/// Initial capacities that suffice for most identities. Allocators cache blocks of up to a kilobyte.
const BYTES_CAPACITY: usize = 1000;
const DEPTH_CAPACITY: usize = 8;
const ENTRIES_CAPACITY: usize = 20;

/// `judgecore.canonical_json`.
#[pyfunction]
#[pyo3(signature = (obj, /))]
pub(crate) fn canonical_json<'py>(py: Python<'py>, obj: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    let mut writer = Writer::new(Vec::with_capacity(BYTES_CAPACITY));
    writer.write(obj)?;
    Ok(PyBytes::new(py, &writer.json.finish()))
}

/// `judgecore.content_hash`.
#[pyfunction]
#[pyo3(signature = (obj, /))]
pub(crate) fn content_hash(obj: &Bound<'_, PyAny>) -> PyResult<String> {
    let mut writer = Writer::new(ContentHash::default());
    writer.write(obj)?;
    Ok(writer.json.finish().hex())
}

/// An entry of a dictionary.
struct Entry<'py> {
    /// The first bytes of the key, which distinguish most keys.
    head: u64,
    key: Key<'py>,
    /// None after writing has begun.
    value: Option<Bound<'py, PyAny>>,
}

impl Entry<'_> {
    /// Compare like Python, by code point, which is also the order of UTF-8 bytes.
    fn order(&self, other: &Self) -> Ordering {
        self.head.cmp(&other.head).then_with(|| self.key.bytes().cmp(other.key.bytes()))
    }
}

/// Return a number that sorts like the first bytes.
fn head(bytes: &[u8]) -> u64 {
    if let Some(&first) = bytes.first_chunk() {
        u64::from_be_bytes(first)
    } else if let (Some(&first), Some(&last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        // The two words overlap, with equal bytes in the overlap.
        let shift = u64::BITS - u8::BITS * u32::try_from(bytes.len()).unwrap_or_default();
        u64::from(u32::from_be_bytes(first)) << u32::BITS | u64::from(u32::from_be_bytes(last)) << shift
    } else {
        bytes.iter().rev().fold(0, |head, &byte| (head >> u8::BITS) | u64::from(byte) << (u64::BITS - u8::BITS))
    }
}

/// A key, encoded if it has lone surrogates. Each variant is one word wide, which keeps entries small.
enum Key<'py> {
    Text(Bound<'py, PyString>),
    Encoded(Bound<'py, PyBytes>),
}

impl Key<'_> {
    #[inline]
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.to_str().map(str::as_bytes).unwrap_or_default(),
            Self::Encoded(bytes) => bytes.as_bytes(),
        }
    }
}

/// A container that is being written, and the index of its next value.
struct Frame<'py> {
    address: *const (),
    next: usize,
    items: Items<'py>,
}

/// The values of a container.
enum Items<'py> {
    /// Sorted, in the writer's entries from this index.
    Entries(usize),
    List(Bound<'py, PyList>),
    Tuple(Bound<'py, PyTuple>),
}

/// Cast to an exact type. Testing first is cheaper than a failed cast, which creates an error.
#[inline]
fn exact<'v, 'py, T: PyTypeInfo>(value: &'v Bound<'py, PyAny>) -> Option<&'v Bound<'py, T>> {
    if value.is_exact_instance_of::<T>() { value.cast_exact().ok() } else { None }
}

/// Write a scalar of a frequent exact type. Return false for any other value, and for one that JSON can't represent.
#[inline]
fn scalar<S: Sink>(json: &mut Canonical<S>, value: &Bound<'_, PyAny>) -> bool {
    if let Some(text) = exact::<PyString>(value) {
        let text = text.to_str();
        text.map(|text| json.text(text)).is_ok()
    } else if value.is_none() {
        json.null();
        true
    } else if value.is_exact_instance_of::<PyInt>() {
        value.extract().map(|number| json.integer(number)).is_ok()
    } else if let Some(value) = exact::<PyBool>(value) {
        json.boolean(value.is_true());
        true
    } else if let Some(number) = exact::<PyFloat>(value) {
        json.float(number.value()).is_ok()
    } else {
        false
    }
}

/// Writes an object without recursion.
struct Writer<'py, S> {
    json: Canonical<S>,
    frames: Vec<Frame<'py>>,
    /// The entries of all open dictionaries, innermost last.
    entries: Vec<Entry<'py>>,
}

impl<'py, S: Sink> Writer<'py, S> {
    fn new(sink: S) -> Self {
        let (frames, entries) = (Vec::with_capacity(DEPTH_CAPACITY), Vec::with_capacity(ENTRIES_CAPACITY));
        Self { json: Canonical::new(sink), frames, entries }
    }

    fn write(&mut self, obj: &Bound<'py, PyAny>) -> PyResult<()> {
        let mut item = Some(obj.clone());
        loop {
            match item {
                Some(value) if scalar(&mut self.json, &value) => {}
                Some(value) => self.other(&value)?,
                None => self.close(),
            }
            let Some(frame) = self.frames.last_mut() else {
                return Ok(());
            };
            let nth = frame.next;
            frame.next += 1;
            item = match &frame.items {
                Items::Entries(_) => self.entries.get_mut(nth).and_then(|entry| {
                    self.json.key_with_surrogates(entry.key.bytes());
                    entry.value.take()
                }),
                Items::List(list) if nth < list.len() => list.get_item(nth).ok(),
                Items::Tuple(tuple) if nth < tuple.len() => tuple.get_item(nth).ok(),
                Items::List(_) | Items::Tuple(_) => None,
            };
        }
    }

    fn close(&mut self) {
        match self.frames.pop().map(|frame| frame.items) {
            Some(Items::Entries(start)) => {
                self.entries.truncate(start);
                self.json.end_object();
            }
            Some(Items::List(_) | Items::Tuple(_)) => self.json.end_array(),
            None => {}
        }
    }

    /// Write a value that [`scalar`] does not write, or open a container.
    fn other(&mut self, value: &Bound<'py, PyAny>) -> PyResult<()> {
        if let Some(dict) = exact(value) {
            return self.dict(dict);
        }
        if let Some(list) = exact::<PyList>(value) {
            return self.array(value, Items::List(list.clone()));
        }
        if value.is_instance_of::<PyInt>() {
            match value.extract::<i64>() {
                Ok(number) => self.json.integer(number),
                Err(_) => self.json.digits(&value.extract::<BigInt>()?.to_string()),
            }
        } else if let Ok(text) = value.cast::<PyString>() {
            match text.to_str() {
                Ok(text) => self.json.text(text),
                Err(_) => self.json.text_with_surrogates(&with_surrogates(text)?),
            }
        } else if let Ok(number) = value.cast::<PyFloat>() {
            if self.json.float(number.value()).is_err() {
                let message = format!("{}: JSON can't represent {}", self.path(), value.repr()?);
                return Err(PyValueError::new_err(message));
            }
        } else if let Ok(dict) = value.cast::<PyDict>() {
            return self.dict(dict);
        } else if let Ok(list) = value.cast::<PyList>() {
            return self.array(value, Items::List(list.clone()));
        } else if let Ok(tuple) = value.cast::<PyTuple>() {
            return self.array(value, Items::Tuple(tuple.clone()));
        } else {
            let kind = value.get_type().fully_qualified_name()?;
            let message = format!(
                "{}: canonical JSON accepts dict, list, tuple, str, int, float, bool and None, not {kind}",
                self.path()
            );
            return Err(PyTypeError::new_err(message));
        }
        Ok(())
    }

    fn dict(&mut self, dict: &Bound<'py, PyDict>) -> PyResult<()> {
        let start = self.entries.len();
        if !self.take_entries(dict)? {
            self.entries.truncate(start);
            self.take_odd_entries(dict)?;
        }
        if let Some(own) = self.entries.get_mut(start..) {
            own.sort_unstable_by(Entry::order);
        }
        self.open(address(dict), start, Items::Entries(start))?;
        self.json.begin_object();
        Ok(())
    }

    fn array(&mut self, array: &Bound<'py, PyAny>, items: Items<'py>) -> PyResult<()> {
        self.open(address(array), 0, items)?;
        self.json.begin_array();
        Ok(())
    }

    /// Push a dictionary's entries. Return false if a key has lone surrogates.
    fn take_entries(&mut self, dict: &Bound<'py, PyDict>) -> PyResult<bool> {
        for (key, value) in dict.iter() {
            let key = key.cast_into_exact().or_else(|other| self.odd_key(other.into_inner()))?;
            let Ok(text) = key.to_str() else {
                return Ok(false);
            };
            let head = head(text.as_bytes());
            self.entries.push(Entry { head, key: Key::Text(key), value: Some(value) });
        }
        Ok(true)
    }

    /// Push a dictionary's entries, with keys that may have lone surrogates.
    fn take_odd_entries(&mut self, dict: &Bound<'py, PyDict>) -> PyResult<()> {
        for (key, value) in dict.iter() {
            let key = encoded(&self.odd_key(key)?)?;
            self.entries.push(Entry { head: head(key.as_bytes()), key: Key::Encoded(key), value: Some(value) });
        }
        Ok(())
    }

    /// Cast a key that may be an instance of a subclass of `str`.
    #[inline(never)]
    fn odd_key(&self, key: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
        key.cast_into().map_err(|other| self.key_error(&other.into_inner()).unwrap_or_else(|problem| problem))
    }

    fn open(&mut self, address: *const (), next: usize, items: Items<'py>) -> PyResult<()> {
        // Brent's cycle detection: compare with the container at the last power of two.
        let landmark = (self.frames.len() + 1).next_power_of_two() / 2;
        let is_cycle = self.frames.get(landmark.saturating_sub(1)).is_some_and(|above| above.address == address);
        if is_cycle {
            let path = self.path_of(self.before_repetition(address));
            return Err(PyValueError::new_err(format!(
                "{path}: the object contains itself, which JSON can't represent"
            )));
        }
        if self.frames.len() >= DEPTH {
            return Err(PyValueError::new_err(format!("{}: nested more than {DEPTH} levels deep", self.path())));
        }
        self.frames.push(Frame { address, next, items });
        Ok(())
    }

    /// Return the number of frames before the first container that repeats.
    fn before_repetition(&self, last: *const ()) -> usize {
        let mut seen = std::collections::HashSet::new();
        let addresses = self.frames.iter().map(|frame| frame.address).chain([last]);
        addresses.take_while(|&address| seen.insert(address)).count()
    }

    fn key_error(&self, key: &Bound<'py, PyAny>) -> PyResult<PyErr> {
        let kind = key.get_type().fully_qualified_name()?;
        Ok(PyTypeError::new_err(format!("{}: keys must be str, not {kind} ({})", self.path(), key.repr()?)))
    }

    fn path(&self) -> String {
        self.path_of(self.frames.len())
    }

    /// Return the path of the current position, up to a number of frames.
    fn path_of(&self, depth: usize) -> String {
        let mut path = String::from("$");
        for (nth, frame) in self.frames.iter().take(depth).enumerate() {
            if depth > STEPS && nth >= STEPS / 2 && nth + STEPS / 2 < depth {
                if nth == STEPS / 2 {
                    path.push('…');
                }
                continue;
            }
            let last = frame.next.saturating_sub(1);
            match frame.items {
                Items::Entries(_) => {
                    if let Some(entry) = self.entries.get(last) {
                        push_key(&mut path, entry.key.bytes());
                    }
                }
                Items::List(_) | Items::Tuple(_) => path.extend(["[", &last.to_string(), "]"]),
            }
        }
        path
    }
}

/// Return an object's address as its identity.
fn address(object: &Bound<'_, PyAny>) -> *const () {
    object.as_ptr().cast_const().cast()
}

/// Append `.name` if the key is an identifier, else `["any key"]`.
fn push_key(path: &mut String, key: &[u8]) {
    let is_name = key.first().is_some_and(|first| !first.is_ascii_digit())
        && key.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    if is_name {
        path.push('.');
        path.push_str(&String::from_utf8_lossy(key));
    } else {
        let mut json = Canonical::new(Vec::new());
        json.begin_array();
        json.text_with_surrogates(key);
        json.end_array();
        path.push_str(&String::from_utf8_lossy(&json.finish()));
    }
}
