//! A cache of Python strings for keys, because judges write the same few keys again and again.

use std::sync::{Mutex, MutexGuard};

use pyo3::prelude::*;
use pyo3::types::PyString;

/// The maximum length of a cached key; longer keys seldom repeat.
const MAX_LENGTH: usize = 64;
/// The number of slots; a power of two.
const SLOTS: usize = 512;

/// The slots of the cache.
pub(crate) type Slots = Vec<Option<(Box<str>, Py<PyString>)>>;

static RECENT: Mutex<Slots> = Mutex::new(Vec::new());

/// Access to the cache. Cached strings have their hash computed already.
pub(crate) enum KeyCache {
    NotTried,
    Locked(MutexGuard<'static, Slots>),
    /// Another thread holds the lock. Waiting could deadlock, because creating objects may run other code.
    Busy,
}

impl KeyCache {
    /// Return the Python string of a key.
    pub(crate) fn get<'py>(&mut self, py: Python<'py>, key: &str) -> Bound<'py, PyString> {
        if matches!(self, Self::NotTried) {
            *self = RECENT.try_lock().map_or(Self::Busy, Self::Locked);
        }
        let Self::Locked(slots) = self else {
            return PyString::new(py, key);
        };
        if slots.is_empty() {
            slots.resize_with(SLOTS, || None);
        }
        match slots.get_mut(slot(key.as_bytes())).filter(|_| key.len() <= MAX_LENGTH) {
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

/// Return the slot of a key from its length, its beginning and its end.
fn slot(key: &[u8]) -> usize {
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    let ends = match (key.first_chunk::<8>(), key.last_chunk::<8>()) {
        (Some(first), Some(last)) => u64::from_le_bytes(*first) ^ u64::from_le_bytes(*last).rotate_left(7),
        _ => key.iter().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    };
    let mixed = (ends ^ u64::try_from(key.len()).unwrap_or_default()).wrapping_mul(SPREAD);
    usize::try_from(mixed >> (u64::BITS - SLOTS.ilog2())).unwrap_or_default()
}
