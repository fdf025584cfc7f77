//! Outcomes as text: the cells that stand beside a row of JSON lines or CSV.

use judgecore::format::{Format, Kind};
use judgecore::json::Json;
use judgecore::{GuardVerdict, Outcome, Reading, Value};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

pub(crate) use crate::json_text::string;
use crate::json_text::{fields_text, float, json_text, literal};
use crate::text::code_points;

/// What is told of an outcome.
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
    Side,
    Codes,
    Names,
    Hazards,
    UncertainHazards,
}

impl Part {
    const ALL: [(&'static str, Self); 14] = [
        ("value", Self::Value),
        ("status", Self::Status),
        ("reason", Self::Reason),
        ("detail", Self::Detail),
        ("rule", Self::Rule),
        ("evidence", Self::Evidence),
        ("start", Self::Start),
        ("end", Self::End),
        ("format", Self::Format),
        ("side", Self::Side),
        ("codes", Self::Codes),
        ("names", Self::Names),
        ("hazards", Self::Hazards),
        ("uncertain_hazards", Self::UncertainHazards),
    ];

    pub(crate) fn from_name(name: &str) -> PyResult<Self> {
        let found = Self::ALL.into_iter().find(|(known, _)| *known == name);
        found.map(|(_, part)| part).ok_or_else(|| PyValueError::new_err(format!("no column is called {name:?}")))
    }

    /// Write it as JSON.
    pub(crate) fn json(self, out: &mut Vec<u8>, outcome: &Outcome<'_>, reply: &str, format: &Format) {
        match self.cell(outcome, reply, format) {
            Told::Nothing => out.extend_from_slice(b"null"),
            Told::Text(text) => string(out, &text),
            Told::Texts(texts) => list(out, &texts),
            Told::Count(count) => out.extend_from_slice(count.to_string().as_bytes()),
            Told::Value(reading) => value(out, &reading.value, reading, format),
        }
    }

    /// Write it as a field of CSV; what is no text stands there as JSON.
    pub(crate) fn csv(self, out: &mut Vec<u8>, outcome: &Outcome<'_>, reply: &str, format: &Format, delimiter: u8) {
        match self.cell(outcome, reply, format) {
            Told::Nothing => {}
            Told::Text(text) => csv_text(out, &inert(&text), delimiter),
            Told::Texts(texts) => {
                let mut json = Vec::new();
                list(&mut json, &texts);
                csv_text(out, &String::from_utf8(json).unwrap_or_default(), delimiter);
            }
            Told::Count(count) => out.extend_from_slice(count.to_string().as_bytes()),
            Told::Value(reading) => {
                let text = match &reading.value {
                    Value::Label(_, name) => inert(name),
                    Value::Ranking(_) => names_text(&reading.value),
                    Value::Json(document) if is_document(document, reading) => json_text(document),
                    Value::Json(Json::Str(text)) => inert(text),
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

    fn cell<'o>(self, outcome: &'o Outcome<'o>, reply: &str, format: &Format) -> Told<'o> {
        let points = |at: usize| Told::Count(code_points(reply, at));
        match (self, outcome) {
            (Self::Format, _) => Told::Text(format.id().to_owned()),
            (Self::Status, Ok(_)) => Told::Text("ok".to_owned()),
            (Self::Status, Err(_)) => Told::Text("unreadable".to_owned()),
            (Self::Value, Ok(reading)) => Told::Value(reading),
            (Self::Side | Self::Codes | Self::Names | Self::Hazards | Self::UncertainHazards, Ok(reading)) => {
                match &reading.value {
                    Value::Guard(guard) => self.of_guard(guard),
                    _ => Told::Nothing,
                }
            }
            (Self::Rule, Ok(reading)) => Told::Text(reading.rule.name().to_owned()),
            (Self::Evidence, Ok(reading)) => Told::Text(reply.get(reading.span.clone()).unwrap_or("").to_owned()),
            (Self::Start, Ok(reading)) => points(reading.span.start),
            (Self::End, Ok(reading)) => points(reading.span.end),
            (Self::Reason, Err(unread)) => Told::Text(unread.reason.name().to_owned()),
            (Self::Detail, Err(unread)) => Told::Text(unread.detail.to_string()),
            _ => Told::Nothing,
        }
    }

    fn of_guard<'o>(self, guard: &'o GuardVerdict<'o>) -> Told<'o> {
        match self {
            Self::Side => guard.side.map_or(Told::Nothing, |side| Told::Text(side.name().to_owned())),
            Self::Codes => Told::Texts(guard.categories.iter().map(AsRef::as_ref).collect()),
            Self::Names => Told::Texts(guard.names.iter().map(AsRef::as_ref).collect()),
            Self::Hazards => Told::Texts(guard.hazards.clone()),
            Self::UncertainHazards => Told::Texts(guard.uncertain_hazards.clone()),
            _ => Told::Nothing,
        }
    }
}

enum Told<'o> {
    Nothing,
    Text(String),
    Texts(Vec<&'o str>),
    Count(usize),
    Value(&'o Reading<'o>),
}

/// Whether a JSON value is the whole document, which stands in a column as text, so that the column has one type.
fn is_document(document: &Json<'_>, reading: &Reading<'_>) -> bool {
    reading.object.is_none() || matches!(document, Json::Object(_))
}

fn value(out: &mut Vec<u8>, told: &Value<'_>, reading: &Reading<'_>, format: &Format) {
    let mut is_first = true;
    match told {
        Value::Bool(one) => literal(out, *one),
        Value::Score(score) => float(out, *score),
        Value::Label(_, name) => string(out, name),
        Value::Scores(scores) => {
            out.push(b'[');
            for score in scores {
                separate(out, &mut is_first, ", ");
                float(out, *score);
            }
            out.push(b']');
        }
        Value::Order(ranks) => {
            out.push(b'[');
            for rank in ranks {
                separate(out, &mut is_first, ", ");
                out.extend_from_slice(rank.to_string().as_bytes());
            }
            out.push(b']');
        }
        Value::Ranking(_) => string(out, &names_text(told)),
        Value::Fields(fields) => {
            out.push(b'{');
            for (name, field) in fields {
                separate(out, &mut is_first, ", ");
                string(out, name);
                out.extend_from_slice(b": ");
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
            list(out, &guard.categories);
            out.extend_from_slice(b", \"fields\": ");
            let fields: Vec<_> = guard.fields.iter().map(|(name, field)| (*name, field.clone())).collect();
            out.extend_from_slice(fields_text(&fields).as_bytes());
            out.extend_from_slice(b", \"side\": ");
            match guard.side {
                Some(side) => string(out, side.name()),
                None => out.extend_from_slice(b"null"),
            }
            out.extend_from_slice(b", \"names\": ");
            list(out, &guard.names);
            out.extend_from_slice(b", \"hazards\": ");
            list(out, &guard.hazards);
            out.extend_from_slice(b", \"uncertain_hazards\": ");
            list(out, &guard.uncertain_hazards);
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

/// Write a list of texts as JSON.
fn list<T: AsRef<str>>(out: &mut Vec<u8>, texts: &[T]) {
    let mut is_first = true;
    out.push(b'[');
    for text in texts {
        separate(out, &mut is_first, ", ");
        string(out, text.as_ref());
    }
    out.push(b']');
}

fn names_text(ranking: &Value<'_>) -> String {
    let Value::Ranking(names) = ranking else { return String::new() };
    let mut out = Vec::new();
    list(&mut out, names);
    String::from_utf8(out).unwrap_or_default()
}

pub(crate) fn separate(out: &mut Vec<u8>, is_first: &mut bool, between: &str) {
    if !std::mem::take(is_first) {
        out.extend_from_slice(between.as_bytes());
    }
}

/// A judge's text that a spreadsheet would run is shown by it as text.
fn inert(text: &str) -> String {
    let runs = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    if runs { format!("'{text}") } else { text.to_owned() }
}

/// Write a field of CSV, in quotation marks where it needs them.
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

/// Write a JSON value, as it is written, as a field of CSV: a text without its escapes, nothing for null.
pub(crate) fn csv_of_json(out: &mut Vec<u8>, written: &str, delimiter: u8) {
    match judgecore::table::json_line::cell(written) {
        judgecore::table::Cell::Null => {}
        judgecore::table::Cell::Text(text) => csv_text(out, &text, delimiter),
        _ => csv_text(out, written, delimiter),
    }
}
