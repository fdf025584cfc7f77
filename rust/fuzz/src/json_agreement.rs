//! Agreement: jiter, `serde_json` and judgecore accept the same bytes as JSON, and read the same value.
//!
//! Known differences are left out: depth, lone surrogates, numbers beyond the range of a float, duplicate keys.

use std::collections::HashSet;

use jiter::JsonValue;
use judgecore::{Format, Mode, Value, read};

/// The parsers have different depth limits, all of them above this.
const DEPTH: usize = 100;

/// Compare the parsers; panic where they differ.
pub fn check(bytes: &[u8]) {
    let Ok(text) = str::from_utf8(bytes) else {
        return;
    };
    let brackets = text.bytes().filter(|byte| matches!(byte, b'[' | b'{')).count();
    if brackets > DEPTH || has_lone_surrogate(text) {
        return;
    }
    let ours = Format::json(Vec::new(), 200, 64 << 20).expect("the limits are valid");
    let strict = read(text, &ours, Mode::Strict, false, &[]);
    let by_jiter = JsonValue::parse(bytes, false);
    let by_serde = serde_json::from_str::<serde_json::Value>(text);
    if let Ok(value) = &by_jiter
        && is_known_difference(value)
    {
        return;
    }
    // serde_json rejects a number beyond the range of a float; jiter reads it as an infinity.
    let Ok(by_serde) = by_serde else {
        assert!(by_jiter.is_err(), "only jiter reads {text:?}");
        assert!(strict.is_err(), "jiter and serde_json reject {text:?}, judgecore returns {strict:?}");
        return;
    };
    let Ok(by_jiter) = by_jiter else {
        // jiter rejects integers with more digits than Python's limit.
        assert!(text.len() > 4000, "only serde_json reads {text:?}");
        return;
    };
    let reading = strict.unwrap_or_else(|unreadable| panic!("judgecore rejects {text:?}: {unreadable:?}"));
    let Value::Json(value) = &reading.value else { panic!("no document in {text:?}: {reading:?}") };
    assert!(reading.repairs.is_empty(), "strict repairs {text:?}: {reading:?}");
    assert!(is_same(value, &by_serde), "judgecore {value:?}, serde_json {by_serde:?} for {text:?}");
    assert!(is_same(&by_jiter, &by_serde), "jiter {by_jiter:?}, serde_json {by_serde:?} for {text:?}");
    let lenient = read(text, &ours, Mode::Lenient, false, &[]);
    match &lenient {
        Ok(lenient) if lenient.repairs.is_empty() => {
            assert_eq!(lenient.value, reading.value, "strict and lenient differ on {text:?}");
            assert_eq!(lenient.span, reading.span, "strict and lenient differ on {text:?}");
        }
        // The lenient reader also handles LaTeX, and documents inside a string.
        _ if text.contains('\\') => {}
        _ if is_wrapped(value) => {}
        outcome => panic!("lenient returns {outcome:?} for {text:?}"),
    }
}

/// Whether a value is a string that looks like a document, which the lenient reader returns in its place.
fn is_wrapped(value: &JsonValue<'_>) -> bool {
    matches!(value, JsonValue::Str(text) if text.trim_start().starts_with(['{', '[']))
}

fn has_lone_surrogate(text: &str) -> bool {
    text.to_ascii_lowercase().contains("\\ud")
}

/// Whether a value has a duplicate key, or a number beyond the range of a float.
fn is_known_difference(value: &JsonValue<'_>) -> bool {
    match value {
        JsonValue::Float(number) => !number.is_finite(),
        JsonValue::Array(items) => items.iter().any(is_known_difference),
        JsonValue::Object(entries) => {
            let mut seen = HashSet::new();
            entries.iter().any(|(key, value)| !seen.insert(key.as_ref()) || is_known_difference(value))
        }
        _ => false,
    }
}

fn is_same(one: &JsonValue<'_>, other: &serde_json::Value) -> bool {
    match (one, other) {
        (JsonValue::Null, serde_json::Value::Null) => true,
        (JsonValue::Bool(one), serde_json::Value::Bool(other)) => one == other,
        (JsonValue::Int(one), serde_json::Value::Number(other)) => {
            // serde_json reads a negative zero as a float.
            other.as_i64() == Some(*one) || (*one == 0 && other.as_f64() == Some(0.0))
        }
        (JsonValue::BigInt(one), serde_json::Value::Number(other)) => {
            // serde_json reads integers of more than 64 bits as floats.
            one.to_string().parse::<f64>().ok() == other.as_f64()
        }
        (JsonValue::Float(one), serde_json::Value::Number(other)) => other.as_f64() == Some(*one),
        (JsonValue::Str(one), serde_json::Value::String(other)) => one == other,
        (JsonValue::Array(one), serde_json::Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (JsonValue::Object(one), serde_json::Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(key, one)| other.get(key.as_ref()).is_some_and(|other| is_same(one, other)))
        }
        _ => false,
    }
}
