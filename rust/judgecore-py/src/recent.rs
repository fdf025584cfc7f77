//! What short replies gave before in single calls: judges and guards give the same few answers again and again.

use std::ops::Range;
use std::sync::Mutex;

use judgecore::{Mode, Reading, Rule, Value};
use pyo3::prelude::*;

use crate::memo::{self, Memo};
use crate::outcome::Shared;

/// Longer replies are seldom the same.
const LONGEST: usize = 1024;
/// So many readings of a format are kept at once, for as long as the format: at most 300 kB.
const MOST: usize = 1 << 8;

/// The readings of a format's recent short replies; each is a pure function of the reply, the mode and the cut.
pub(crate) struct Recent(Mutex<Memo<Known>>);

/// A reading without its reply, and with a value that nobody can change.
pub(crate) struct Known {
    text: Box<str>,
    pub(crate) mode: Mode,
    is_cut: bool,
    pub(crate) value: Shared,
    pub(crate) rule: Rule,
    pub(crate) span: Range<usize>,
}

/// What was read, and the hash that a look gave for it.
pub(crate) struct Asked<'t> {
    pub(crate) hash: u64,
    pub(crate) text: &'t str,
    pub(crate) mode: Mode,
    pub(crate) is_cut: bool,
}

/// What a look found.
pub(crate) enum Look<T> {
    Known(T),
    /// Nothing; what is read now may be kept under this hash.
    Unknown(u64),
    Vain,
}

impl Recent {
    pub(crate) fn new() -> Self {
        Self(Mutex::new(Memo::new(MOST)))
    }

    /// Make something of what a reply gave; another thread that looks at the same time is not waited for.
    pub(crate) fn look<T>(&self, text: &str, mode: Mode, is_cut: bool, make: impl FnOnce(&Known) -> T) -> Look<T> {
        if text.len() > LONGEST {
            return Look::Vain;
        }
        let hash = memo::hash_of(text);
        let Ok(mut memo) = self.0.try_lock() else { return Look::Vain };
        if !memo.is_worth(hash) {
            return Look::Vain;
        }
        let is_it = |known: &Known| known.mode == mode && known.is_cut == is_cut && *known.text == *text;
        memo.find(hash, is_it).map_or(Look::Unknown(hash), |known| Look::Known(make(known)))
    }

    /// Keep a reading, if it has nothing but a value that can be shared.
    pub(crate) fn keep(&self, asked: &Asked<'_>, reading: &Reading<'_>, value: Bound<'_, PyAny>) {
        let &Asked { hash, text, mode, is_cut } = asked;
        let is_plain = reading.object.is_none() && reading.repairs.is_empty() && !reading.is_invented();
        let value = match &reading.value {
            Value::Bool(_) | Value::Score(_) | Value::Label(..) => Some(Shared::Value(value.unbind())),
            Value::Guard(_) => Shared::of_guard(&value),
            _ => None,
        };
        if let (Some(value), true, Ok(mut memo)) = (value, is_plain, self.0.try_lock()) {
            let (rule, span) = (reading.rule, reading.span.clone());
            memo.keep(hash, Known { text: text.into(), mode, is_cut, value, rule, span });
        }
    }
}
