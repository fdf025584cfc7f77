//! Python objects as canonical JSON, and its hash.

use judgecore::hashing::{Canonical, ContentHash, Sink};
use num_bigint::BigInt;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use rayon::prelude::*;

use crate::text::with_surrogates;

/// How deeply objects may be nested.
const DEPTH: usize = 1000;

/// A path of more steps is shown without its middle.
const STEPS: usize = 24;

/// What most identities fit into, each less than the kilobyte up to which allocators keep blocks at hand.
const USUAL_BYTES: usize = 1000;
const USUAL_DEPTH: usize = 8;
const USUAL_ENTRIES: usize = 20;

/// Fewer texts than this are not worth another thread.
const FEW: usize = 64;

/// The canonical JSON of an object.
#[pyfunction]
#[pyo3(signature = (obj, /))]
pub(crate) fn canonical_json<'py>(py: Python<'py>, obj: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = Walk::new(Vec::with_capacity(USUAL_BYTES)).write(obj.clone())?;
    Ok(PyBytes::new(py, &bytes))
}

/// The SHA-256 of the canonical JSON of an object.
#[pyfunction]
#[pyo3(signature = (obj, /))]
pub(crate) fn content_hash(obj: &Bound<'_, PyAny>) -> PyResult<String> {
    Ok(Walk::new(ContentHash::default()).write(obj.clone())?.hex())
}

/// The hashes of many texts.
#[pyfunction]
#[pyo3(signature = (texts, *, threads = None))]
pub(crate) fn content_hash_many(
    py: Python<'_>,
    texts: &Bound<'_, PyAny>,
    threads: Option<usize>,
) -> PyResult<Vec<Option<String>>> {
    if texts.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err("texts must be a list of texts; for one text call content_hash"));
    }
    let mut rows = Vec::new();
    for (row, text) in texts.try_iter()?.enumerate() {
        let text = text?;
        rows.push(if text.is_none() {
            None
        } else if let Ok(text) = text.cast::<PyString>() {
            Some(Text::new(text)?)
        } else {
            let kind = text.get_type().name()?;
            return Err(PyTypeError::new_err(format!("texts[{row}] must be a str or None, not {kind}")));
        });
    }
    let hash = |text: &Text| {
        let mut json = Canonical::new(ContentHash::default());
        json.text_with_surrogates(text.bytes());
        json.finish().hex()
    };
    let work =
        || -> Vec<Option<String>> { rows.par_iter().with_min_len(FEW).map(|text| text.as_ref().map(hash)).collect() };
    match threads {
        None => Ok(py.detach(work)),
        Some(threads) => {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads.max(1))
                .build()
                .map_err(|problem| PyValueError::new_err(problem.to_string()))?;
            Ok(py.detach(|| pool.install(work)))
        }
    }
}

/// A string's UTF-8, shared with Python unless it holds lone surrogates.
enum Text {
    Shared(PyBackedStr),
    WithSurrogates(Vec<u8>),
}

impl Text {
    fn new(text: &Bound<'_, PyString>) -> PyResult<Self> {
        match PyBackedStr::try_from(text.clone()) {
            Ok(text) => Ok(Self::Shared(text)),
            Err(_) => Ok(Self::WithSurrogates(with_surrogates(text)?)),
        }
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Self::Shared(text) => text.as_bytes(),
            Self::WithSurrogates(bytes) => bytes,
        }
    }
}

/// A container that is being written.
enum Frame<'py> {
    /// What is left of its entries stands in the walk's from `start` on.
    Dict {
        dict: Bound<'py, PyDict>,
        start: usize,
        key: Option<Text>,
    },
    List {
        list: Bound<'py, PyList>,
        next: usize,
    },
    Tuple {
        tuple: Bound<'py, PyTuple>,
        next: usize,
    },
}

impl Frame<'_> {
    fn address(&self) -> *const () {
        match self {
            Self::Dict { dict, .. } => dict.as_ptr().cast(),
            Self::List { list, .. } => list.as_ptr().cast(),
            Self::Tuple { tuple, .. } => tuple.as_ptr().cast(),
        }
    }
}

/// Writes an object without recursion on the machine stack.
struct Walk<'py, S> {
    json: Canonical<S>,
    frames: Vec<Frame<'py>>,
    /// The entries of all open dictionaries, each one's in descending order, so that the last is the next.
    entries: Vec<(Text, Bound<'py, PyAny>)>,
}

impl<'py, S: Sink> Walk<'py, S> {
    fn new(sink: S) -> Self {
        let (frames, entries) = (Vec::with_capacity(USUAL_DEPTH), Vec::with_capacity(USUAL_ENTRIES));
        Self { json: Canonical::new(sink), frames, entries }
    }

    fn write(mut self, obj: Bound<'py, PyAny>) -> PyResult<S> {
        self.value(obj)?;
        while let Some(frame) = self.frames.last_mut() {
            let next = match frame {
                Frame::Dict { start, key, .. } => if self.entries.len() > *start { self.entries.pop() } else { None }
                    .map(|(name, value)| {
                        self.json.key_with_surrogates(name.bytes());
                        *key = Some(name);
                        value
                    }),
                Frame::List { list, next } => {
                    *next += 1;
                    if *next <= list.len() { list.get_item(*next - 1).ok() } else { None }
                }
                Frame::Tuple { tuple, next } => {
                    *next += 1;
                    if *next <= tuple.len() { tuple.get_item(*next - 1).ok() } else { None }
                }
            };
            match next {
                Some(value) => self.value(value)?,
                None => self.close(),
            }
        }
        Ok(self.json.finish())
    }

    fn close(&mut self) {
        match self.frames.pop() {
            Some(Frame::Dict { .. }) => self.json.end_object(),
            Some(Frame::List { .. } | Frame::Tuple { .. }) => self.json.end_array(),
            None => {}
        }
    }

    /// Write a scalar, or open a container. The exact types come first, since they are told by an address alone.
    fn value(&mut self, value: Bound<'py, PyAny>) -> PyResult<()> {
        if let Ok(text) = value.cast_exact::<PyString>()
            && let Ok(text) = text.to_str()
        {
            self.json.text(text);
            return Ok(());
        }
        if value.is_exact_instance_of::<PyDict>() || value.is_exact_instance_of::<PyList>() {
            return self.container(value);
        }
        if let Ok(text) = value.cast::<PyString>() {
            match text.to_str() {
                Ok(text) => self.json.text(text),
                Err(_) => self.json.text_with_surrogates(&with_surrogates(text)?),
            }
        } else if value.is_none() {
            self.json.null();
        } else if let Ok(value) = value.cast::<PyBool>() {
            self.json.boolean(value.is_true());
        } else if value.is_instance_of::<PyInt>() {
            match value.extract::<i64>() {
                Ok(number) => self.json.integer(number),
                Err(_) => self.json.digits(&value.extract::<BigInt>()?.to_string()),
            }
        } else if let Ok(number) = value.cast::<PyFloat>() {
            let number = number.value();
            if self.json.float(number).is_err() {
                let message = format!("{}: JSON has no form for {}", self.path(), value.repr()?);
                return Err(PyValueError::new_err(message));
            }
        } else {
            return self.container(value);
        }
        Ok(())
    }

    fn container(&mut self, value: Bound<'py, PyAny>) -> PyResult<()> {
        let value = match value.cast_into::<PyDict>() {
            Ok(dict) => {
                let start = self.entries.len();
                for (key, value) in dict.iter() {
                    match key.cast_exact::<PyString>().or_else(|_| key.cast::<PyString>()) {
                        Ok(key) => self.entries.push((Text::new(key)?, value)),
                        Err(_) => return Err(self.refuse_key(&key)?),
                    }
                }
                if let Some(own) = self.entries.get_mut(start..) {
                    own.sort_unstable_by(|(one, _), (other, _)| other.bytes().cmp(one.bytes()));
                }
                self.open(Frame::Dict { dict, start, key: None })?;
                self.json.begin_object();
                return Ok(());
            }
            Err(other) => other.into_inner(),
        };
        let frame = match value.cast_into::<PyList>() {
            Ok(list) => Frame::List { list, next: 0 },
            Err(other) => match other.into_inner().cast_into::<PyTuple>() {
                Ok(tuple) => Frame::Tuple { tuple, next: 0 },
                Err(other) => {
                    let kind = other.into_inner().get_type().fully_qualified_name()?;
                    let message = format!(
                        "{}: canonical JSON takes dict, list, tuple, str, int, float, bool and None, not {kind}",
                        self.path()
                    );
                    return Err(PyTypeError::new_err(message));
                }
            },
        };
        self.open(frame)?;
        self.json.begin_array();
        Ok(())
    }

    fn open(&mut self, frame: Frame<'py>) -> PyResult<()> {
        // A container that stands above the greatest power of two is met again soon if it holds itself.
        let landmark = (self.frames.len() + 1).next_power_of_two() / 2;
        let is_cycle =
            self.frames.get(landmark.saturating_sub(1)).is_some_and(|above| above.address() == frame.address());
        if is_cycle {
            let path = self.path_of(self.before_repetition(&frame));
            return Err(PyValueError::new_err(format!("{path}: the object holds itself, so it has no JSON")));
        }
        if self.frames.len() >= DEPTH {
            return Err(PyValueError::new_err(format!("{}: nested more than {DEPTH} levels deep", self.path())));
        }
        self.frames.push(frame);
        Ok(())
    }

    /// How many frames lead to the first container that stands above itself.
    fn before_repetition(&self, last: &Frame<'py>) -> usize {
        let mut seen = std::collections::HashSet::new();
        let addresses = self.frames.iter().map(Frame::address).chain([last.address()]);
        addresses.take_while(|&address| seen.insert(address)).count()
    }

    fn refuse_key(&self, key: &Bound<'py, PyAny>) -> PyResult<PyErr> {
        let kind = key.get_type().fully_qualified_name()?;
        Ok(PyTypeError::new_err(format!("{}: keys must be str, not {kind} ({})", self.path(), key.repr()?)))
    }

    fn path(&self) -> String {
        self.path_of(self.frames.len())
    }

    /// Where the walk is, as far as a number of frames.
    fn path_of(&self, depth: usize) -> String {
        let mut path = String::from("$");
        for (nth, frame) in self.frames.iter().take(depth).enumerate() {
            if depth > STEPS && nth >= STEPS / 2 && nth + STEPS / 2 < depth {
                if nth == STEPS / 2 {
                    path.push('…');
                }
                continue;
            }
            match frame {
                Frame::Dict { key: Some(key), .. } => push_key(&mut path, key.bytes()),
                Frame::Dict { key: None, .. } => {}
                Frame::List { next, .. } | Frame::Tuple { next, .. } => {
                    path.extend(["[", &next.saturating_sub(1).to_string(), "]"]);
                }
            }
        }
        path
    }
}

/// `.name` where the key is a name, else `["any key"]`.
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
