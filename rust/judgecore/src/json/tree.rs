//! Inspects JSON values without recursion.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use super::Json;

/// Properties that the standard allows, but a verdict must not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Audit {
    /// An object has a duplicate key.
    pub(crate) has_duplicates: bool,
    /// A number lies beyond the range of a float.
    pub(crate) has_infinity: bool,
}

/// Objects with up to this many keys are searched linearly.
pub(super) const FEW_KEYS: usize = 8;

pub(crate) fn audit(value: &Json<'_>) -> Audit {
    let mut found = Audit::default();
    let mut pending: Vec<&Json<'_>> = Vec::new();
    let mut next = Some(value);
    while let Some(value) = next {
        match value {
            Json::Array(items) => items.iter().for_each(|item| found.inspect(item, &mut pending)),
            Json::Object(entries) => {
                found.has_duplicates |= has_duplicates(entries);
                entries.iter().for_each(|(_, value)| found.inspect(value, &mut pending));
            }
            scalar => found.inspect(scalar, &mut pending),
        }
        next = pending.pop();
    }
    found
}

impl Audit {
    /// Inspect a scalar, or queue a container.
    fn inspect<'a, 'r>(&mut self, value: &'a Json<'r>, pending: &mut Vec<&'a Json<'r>>) {
        match value {
            Json::Float(number) => self.has_infinity |= !number.is_finite(),
            Json::Array(_) | Json::Object(_) => pending.push(value),
            _ => {}
        }
    }
}

fn has_duplicates(entries: &[(Cow<'_, str>, Json<'_>)]) -> bool {
    if entries.len() > FEW_KEYS {
        let mut seen = HashSet::with_capacity(entries.len());
        return !entries.iter().all(|(key, _)| seen.insert(key.as_ref()));
    }
    // Cheap filter: equal keys have the same length, first and last byte.
    let mut marks = 0_u64;
    let may_be_known = |(key, _): &(Cow<'_, str>, Json<'_>)| {
        let (first, last) = (key.as_bytes().first(), key.as_bytes().last());
        let [first, last] = [first, last].map(|byte| usize::from(byte.copied().unwrap_or_default()));
        let mark = 1 << ((first + 7 * last + 11 * key.len()) % 64);
        let is_known = marks & mark != 0;
        marks |= mark;
        is_known
    };
    if !entries.iter().any(may_be_known) {
        return false;
    }
    let mut rest = entries;
    while let Some(((key, _), others)) = rest.split_first() {
        if others.iter().any(|(other, _)| other == key) {
            return true;
        }
        rest = others;
    }
    false
}

/// Return the value of a key; the last one if the key is duplicate.
pub fn get<'a, 'r>(value: &'a Json<'r>, key: &str) -> Option<&'a Json<'r>> {
    match value {
        Json::Object(entries) => entries.iter().rev().find(|(name, _)| name == key).map(|(_, value)| value),
        _ => None,
    }
}

/// Whether two values are equal; the order of keys does not matter.
pub(crate) fn is_same(one: &Json<'_>, other: &Json<'_>) -> bool {
    let mut pending = vec![(one, other)];
    while let Some((one, other)) = pending.pop() {
        let is_equal = match (one, other) {
            (Json::Array(one), Json::Array(other)) if one.len() == other.len() => {
                pending.extend(one.iter().zip(other.iter()));
                true
            }
            (Json::Object(one), Json::Object(other)) if one.len() == other.len() => {
                let is_ordered = one.iter().zip(other.iter()).all(|((a, _), (b, _))| a == b);
                if is_ordered {
                    pending.extend(one.iter().zip(other.iter()).map(|((_, a), (_, b))| (a, b)));
                    true
                } else {
                    let others: std::collections::HashMap<&str, &Json<'_>> =
                        other.iter().map(|(key, value)| (key.as_ref(), value)).collect();
                    let pairs: Option<Vec<_>> =
                        one.iter().map(|(key, value)| others.get(key.as_ref()).map(|other| (value, *other))).collect();
                    match pairs {
                        Some(pairs) => {
                            pending.extend(pairs);
                            true
                        }
                        None => false,
                    }
                }
            }
            (Json::Array(_) | Json::Object(_), _) | (_, Json::Array(_) | Json::Object(_)) => false,
            (Json::Float(one), Json::Float(other)) => one.to_bits() == other.to_bits(),
            #[expect(clippy::cast_precision_loss, reason = "a float equals the integer it came from")]
            (Json::Int(whole), Json::Float(number)) | (Json::Float(number), Json::Int(whole)) => {
                (*whole as f64).to_bits() == number.to_bits()
            }
            (one, other) => one == other,
        };
        if !is_equal {
            return false;
        }
    }
    true
}

/// Return the depth of nesting; 0 for a scalar.
pub(crate) fn depth_of(value: &Json<'_>) -> usize {
    let mut deepest = 0;
    let mut pending = vec![(value, 0_usize)];
    while let Some((value, depth)) = pending.pop() {
        match value {
            Json::Array(items) => pending.extend(items.iter().map(|item| (item, depth + 1))),
            Json::Object(entries) => pending.extend(entries.iter().map(|(_, value)| (value, depth + 1))),
            _ => {
                deepest = deepest.max(depth);
                continue;
            }
        }
        deepest = deepest.max(depth + 1);
    }
    deepest
}

/// Drop a value without recursion, which would overflow the stack for a deep one.
pub fn drop_iteratively(value: Json<'_>) {
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        match value {
            Json::Array(items) => pending.extend(Arc::into_inner(items).into_iter().flatten()),
            Json::Object(entries) => {
                pending.extend(Arc::into_inner(entries).into_iter().flatten().map(|(_, value)| value));
            }
            _ => {}
        }
    }
}
