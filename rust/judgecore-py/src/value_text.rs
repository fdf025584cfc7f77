//! Writes outcomes as text: the cells that are added to rows of JSON lines or CSV.

use judgecore::format::{Format, Kind};
use judgecore::json::Json;
use judgecore::{Outcome, Reading, Value};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

pub(crate) use crate::json_text::string;
use crate::json_text::{fields_text, float, json_text, literal};
use crate::text::code_points;

/// A property of an outcome.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Part {
    Value,
    Status,
    Reason,
    Detail,
    Rule,
    Evidence,
    Start,
    End,
    Format,
}

impl Part {
    const ALL: [(&'static str, Self); 9] = [
        ("value", Self::Value),
        ("status", Self::Status),
        ("reason", Self::Reason),
        ("detail", Self::Detail),
        ("rule", Self::Rule),
        ("evidence", Self::Evidence),
        ("start", Self::Start),
        ("end", Self::End),
        ("format", Self::Format),
    ];

    pub(crate) fn from_name(name: &str) -> PyResult<Self> {
        let found = Self::ALL.into_iter().find(|(known, _)| *known == name);
        found.map(|(_, part)| part).ok_or_else(|| PyValueError::new_err(format!("no output column {name:?}")))
    }

    /// Write the property as JSON.
    pub(crate) fn json(self, out: &mut Vec<u8>, outcome: &Outcome<'_>, reply: &str, format: &Format) {
        match self.cell(outcome, reply, format) {
            PartValue::Nothing => out.extend_from_slice(b"null"),
            PartValue::Text(text) => string(out, &text),
            PartValue::Count(count) => out.extend_from_slice(count.to_string().as_bytes()),
            PartValue::Value(reading) => value(out, &reading.value, reading, format),
        }
    }

    /// Write the property as a CSV field; a value that is not a string is written as JSON.
    pub(crate) fn csv(self, out: &mut Vec<u8>, outcome: &Outcome<'_>, reply: &str, format: &Format, delimiter: u8) {
        match self.cell(outcome, reply, format) {
            PartValue::Nothing => {}
            PartValue::Text(text) => csv_text(out, &escape_formula(&text), delimiter),
            PartValue::Count(count) => out.extend_from_slice(count.to_string().as_bytes()),
            PartValue::Value(reading) => {
                let text = match &reading.value {
                    Value::Label(_, name) => escape_formula(name),
                    Value::Ranking(_) => names_text(&reading.value),
                    Value::Json(document) if is_document(document, reading) => json_text(document),
                    Value::Json(Json::Str(text)) => escape_formula(text),
                    other => {
                        let mut json = Vec::new();
                        value(&mut json, other, reading, format);
                        String::from_utf8(json).unwrap_or_default()
                    }
                };
                csv_text(out, &text, delimiter);
            }
        }
    }

    fn cell<'o>(self, outcome: &'o Outcome<'o>, reply: &str, format: &Format) -> PartValue<'o> {
        let points = |at: usize| PartValue::Count(code_points(reply, at));
        match (self, outcome) {
            (Self::Format, _) => PartValue::Text(format.id().to_owned()),
            (Self::Status, Ok(_)) => PartValue::Text("ok".to_owned()),
            (Self::Status, Err(_)) => PartValue::Text("unreadable".to_owned()),
            (Self::Value, Ok(reading)) => PartValue::Value(reading),
            (Self::Rule, Ok(reading)) => PartValue::Text(reading.rule.name().to_owned()),
            (Self::Evidence, Ok(reading)) => PartValue::Text(reply.get(reading.span.clone()).unwrap_or("").to_owned()),
            (Self::Start, Ok(reading)) => points(reading.span.start),
            (Self::End, Ok(reading)) => points(reading.span.end),
            (Self::Reason, Err(unread)) => PartValue::Text(unread.reason.name().to_owned()),
            (Self::Detail, Err(unread)) => PartValue::Text(unread.detail.to_string()),
            _ => PartValue::Nothing,
        }
    }
}

enum PartValue<'o> {
    Nothing,
    Text(String),
    Count(usize),
    Value(&'o Reading<'o>),
}

/// Whether a JSON value is the whole document, which is written as a string, so that the column has a single type.
fn is_document(document: &Json<'_>, reading: &Reading<'_>) -> bool {
    reading.object.is_none() || matches!(document, Json::Object(_))
}

fn value(out: &mut Vec<u8>, kind: &Value<'_>, reading: &Reading<'_>, format: &Format) {
    let mut is_first = true;
    match kind {
        Value::Bool(one) => literal(out, *one),
        Value::Score(score) => float(out, *score),
        Value::Label(_, name) => string(out, name),
        Value::Scores(scores) => {
            list(out, scores, |out, score| float(out, *score));
        }
        Value::Order(ranks) => {
            list(out, ranks, |out, rank| out.extend_from_slice(rank.to_string().as_bytes()));
        }
        Value::Ranking(_) => string(out, &names_text(kind)),
        Value::Fields(fields) => {
            out.push(b'{');
            for (name, field) in fields {
                key(out, &mut is_first, name);
                value(out, field, reading, format);
            }
            out.push(b'}');
        }
        Value::Guard(guard) => {
            let side = |out: &mut Vec<u8>, side: Option<bool>| match side {
                Some(is_unsafe) => literal(out, is_unsafe),
                None => out.extend_from_slice(b"null"),
            };
            out.extend_from_slice(b"{\"unsafe\": ");
            side(out, guard.is_unsafe);
            out.extend_from_slice(b", \"prompt_unsafe\": ");
            side(out, guard.prompt_unsafe);
            out.extend_from_slice(b", \"response_unsafe\": ");
            side(out, guard.response_unsafe);
            out.extend_from_slice(b", \"categories\": ");
            list(out, &guard.categories, |out, category| string(out, category));
            out.extend_from_slice(b", \"fields\": ");
            let fields: Vec<_> = guard.fields.iter().map(|(name, field)| (*name, field.clone())).collect();
            out.extend_from_slice(fields_text(&fields).as_bytes());
            out.push(b'}');
        }
        Value::Json(document) => {
            let text = json_text(document);
            if format.kind() == Kind::Json && is_document(document, reading) {
                string(out, &text);
            } else {
                out.extend_from_slice(text.as_bytes());
            }
        }
    }
}

fn names_text(ranking: &Value<'_>) -> String {
    let Value::Ranking(names) = ranking else { return String::new() };
    let mut out = Vec::new();
    list(&mut out, names, |out, name| string(out, name));
    String::from_utf8(out).unwrap_or_default()
}

/// Write a JSON array.
fn list<T>(out: &mut Vec<u8>, items: &[T], mut write: impl FnMut(&mut Vec<u8>, &T)) {
    out.push(b'[');
    for (nth, item) in items.iter().enumerate() {
        if nth > 0 {
            out.extend_from_slice(b", ");
        }
        write(out, item);
    }
    out.push(b']');
}

/// Write a key of a JSON object, after a comma unless it is the first.
pub(crate) fn key(out: &mut Vec<u8>, is_first: &mut bool, name: &str) {
    if !std::mem::take(is_first) {
        out.extend_from_slice(b", ");
    }
    string(out, name);
    out.extend_from_slice(b": ");
}

/// Escape a text that a spreadsheet would run as a formula.
fn escape_formula(text: &str) -> String {
    let runs = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    if runs { format!("'{text}") } else { text.to_owned() }
}

/// Write a CSV field, quoted if necessary.
pub(crate) fn csv_text(out: &mut Vec<u8>, text: &str, delimiter: u8) {
    let is_plain = |byte: u8| byte != delimiter && !matches!(byte, b'"' | b'\n' | b'\r');
    if text.bytes().all(is_plain) {
        out.extend_from_slice(text.as_bytes());
        return;
    }
    out.push(b'"');
    out.extend_from_slice(text.replace('"', "\"\"").as_bytes());
    out.push(b'"');
}

/// Write JSON text as a CSV field: a string unescaped, null as an empty field.
pub(crate) fn csv_of_json(out: &mut Vec<u8>, written: &str, delimiter: u8) {
    match judgecore::table::json_line::cell(written) {
        judgecore::table::Cell::Null => {}
        judgecore::table::Cell::Text(text) => csv_text(out, &text, delimiter),
        _ => csv_text(out, written, delimiter),
    }
}
