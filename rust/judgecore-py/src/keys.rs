//! The Python strings of keys: judges write the same few again and again.

use std::sync::{Mutex, MutexGuard};

use pyo3::prelude::*;
use pyo3::types::PyString;

/// Longer keys are seldom the same.
const LONGEST: usize = 64;
/// A power of two.
const PLACES: usize = 512;

/// The recent keys, each at its place.
pub(crate) type Places = Vec<Option<(Box<str>, Py<PyString>)>>;

static RECENT: Mutex<Places> = Mutex::new(Vec::new());

/// Recent keys, whose strings know their hash already.
pub(crate) enum Keys {
    NotAsked,
    Held(MutexGuard<'static, Places>),
    /// Another thread has them. Making objects may run other code, which must not wait for this.
    Taken,
}

impl Keys {
    /// The Python string of a key.
    pub(crate) fn get<'py>(&mut self, py: Python<'py>, key: &str) -> Bound<'py, PyString> {
        if matches!(self, Self::NotAsked) {
            *self = RECENT.try_lock().map_or(Self::Taken, Self::Held);
        }
        let Self::Held(places) = self else {
            return PyString::new(py, key);
        };
        if places.is_empty() {
            places.resize_with(PLACES, || None);
        }
        match places.get_mut(place(key.as_bytes())).filter(|_| key.len() <= LONGEST) {
            Some(Some((known, string))) if **known == *key => string.bind(py).clone(),
            Some(other) => {
                let string = PyString::new(py, key);
                *other = Some((key.into(), string.clone().unbind()));
                string
            }
            None => PyString::new(py, key),
        }
    }
}

/// The place of a key; its length, its beginning and its end tell most keys apart.
fn place(key: &[u8]) -> usize {
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    let ends = match (key.first_chunk::<8>(), key.last_chunk::<8>()) {
        (Some(first), Some(last)) => u64::from_le_bytes(*first) ^ u64::from_le_bytes(*last).rotate_left(7),
        _ => key.iter().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    };
    let mixed = (ends ^ u64::try_from(key.len()).unwrap_or_default()).wrapping_mul(SPREAD);
    usize::try_from(mixed >> (u64::BITS - PLACES.ilog2())).unwrap_or_default()
}
