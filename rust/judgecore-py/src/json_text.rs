//! Writes JSON values and guards' fields as text, with keys in their original order and minimal escaping.

use std::borrow::Cow;
use std::collections::HashMap;

use judgecore::FieldValue;
use judgecore::hashing::Canonical;
use judgecore::json::Json;

/// Objects with up to this many entries are searched linearly.
const FEW_KEYS: usize = 16;

/// Return the text of a value. Infinities and NaN, which standard JSON can't represent, are written as in Python.
pub(crate) fn json_text(value: &Json<'_>) -> String {
    let mut text = Vec::new();
    write(&mut text, value);
    String::from_utf8(text).unwrap_or_default()
}

/// Return the text of a guard's fields as an object.
pub(crate) fn fields_text(fields: &[(&str, FieldValue<'_>)]) -> String {
    let mut text = vec![b'{'];
    for (nth, (name, value)) in fields.iter().enumerate() {
        separate(&mut text, nth);
        string(&mut text, name);
        text.push(b':');
        match value {
            FieldValue::Bool(value) => literal(&mut text, *value),
            FieldValue::Word(word) => string(&mut text, word),
            FieldValue::Number(value) => float(&mut text, *value),
            FieldValue::Text(said) => string(&mut text, said),
            FieldValue::Texts(texts) => {
                text.push(b'[');
                for (nth, one) in texts.iter().enumerate() {
                    separate(&mut text, nth);
                    string(&mut text, one);
                }
                text.push(b']');
            }
            _ => text.extend_from_slice(b"null"),
        }
    }
    text.push(b'}');
    String::from_utf8(text).unwrap_or_default()
}

/// Pending output. An explicit stack, because deep documents would overflow the machine stack.
enum Pending<'a> {
    Value(&'a Json<'a>),
    Key(&'a str, usize),
    Comma,
    End(u8),
}

fn write(text: &mut Vec<u8>, value: &Json<'_>) {
    let mut pending = vec![Pending::Value(value)];
    while let Some(part) = pending.pop() {
        match part {
            Pending::Comma => text.push(b','),
            Pending::End(bracket) => text.push(bracket),
            Pending::Key(key, nth) => {
                separate(text, nth);
                string(text, key);
                text.push(b':');
            }
            Pending::Value(Json::Array(items)) => {
                text.push(b'[');
                pending.push(Pending::End(b']'));
                for (nth, item) in items.iter().enumerate().rev() {
                    pending.push(Pending::Value(item));
                    if nth > 0 {
                        pending.push(Pending::Comma);
                    }
                }
            }
            Pending::Value(Json::Object(entries)) => {
                text.push(b'{');
                pending.push(Pending::End(b'}'));
                let entries = last_of_each(entries);
                for (nth, (key, value)) in entries.into_iter().enumerate().rev() {
                    pending.push(Pending::Value(value));
                    pending.push(Pending::Key(key, nth));
                }
            }
            Pending::Value(Json::Null) => text.extend_from_slice(b"null"),
            Pending::Value(Json::Bool(value)) => literal(text, *value),
            Pending::Value(Json::Int(value)) => text.extend_from_slice(value.to_string().as_bytes()),
            Pending::Value(Json::BigInt(value)) => text.extend_from_slice(value.to_string().as_bytes()),
            Pending::Value(Json::Float(value)) => float(text, *value),
            Pending::Value(Json::Str(value)) => string(text, value),
        }
    }
}

/// Return the entries without duplicate keys: each key at its first position with its last value, as in a Python dict.
fn last_of_each<'a>(entries: &'a [(Cow<'a, str>, Json<'a>)]) -> Vec<(&'a str, &'a Json<'a>)> {
    let mut last: Vec<(&str, &Json<'_>)> = Vec::with_capacity(entries.len());
    let mut places: HashMap<&str, usize> = HashMap::new();
    for (key, value) in entries {
        let known = if entries.len() <= FEW_KEYS {
            last.iter().position(|(known, _)| known == key)
        } else {
            let place = *places.entry(key).or_insert(last.len());
            (place < last.len()).then_some(place)
        };
        if let Some(known) = known.and_then(|place| last.get_mut(place)) {
            known.1 = value;
        } else {
            last.push((key, value));
        }
    }
    last
}

fn separate(text: &mut Vec<u8>, nth: usize) {
    if nth > 0 {
        text.push(b',');
    }
}

pub(crate) fn literal(text: &mut Vec<u8>, value: bool) {
    text.extend_from_slice(if value { b"true" } else { b"false" });
}

pub(crate) fn float(text: &mut Vec<u8>, value: f64) {
    if value.is_finite() {
        let mut json = Canonical::new(std::mem::take(text));
        let _ = json.float(value);
        *text = json.finish();
    } else {
        let name = if value.is_nan() {
            "NaN"
        } else if value > 0.0 {
            "Infinity"
        } else {
            "-Infinity"
        };
        text.extend_from_slice(name.as_bytes());
    }
}

pub(crate) fn string(text: &mut Vec<u8>, value: &str) {
    text.push(b'"');
    for &byte in value.as_bytes() {
        match byte {
            b'"' => text.extend_from_slice(b"\\\""),
            b'\\' => text.extend_from_slice(b"\\\\"),
            b'\n' => text.extend_from_slice(b"\\n"),
            b'\r' => text.extend_from_slice(b"\\r"),
            b'\t' => text.extend_from_slice(b"\\t"),
            0x08 => text.extend_from_slice(b"\\b"),
            0x0c => text.extend_from_slice(b"\\f"),
            0..0x20 => text.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            _ => text.push(byte),
        }
    }
    text.push(b'"');
}
