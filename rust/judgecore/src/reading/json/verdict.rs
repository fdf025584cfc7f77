//! An entry of a document as the format of the verdict reads it.

use crate::format::label::Labels;
use crate::format::{Format, Reader, Scale};
use crate::json::Json;
use crate::lexicon::{self as class, lexicon};
use crate::reading::order::ranked;
use crate::reading::outcome::{Detail, Mode, Reason, Unreadable, Value};
use crate::reading::scale::{in_range, value_at};
use crate::reading::{Told, read_text};

use super::malformed;

/// An entry's value as the format of the verdict reads it.
pub(super) fn verdict_of<'f>(verdict: &Json<'_>, format: &'f Format, mode: Mode) -> Result<Value<'f>, Unreadable<'f>> {
    let of_text = |text: &str| match whole_word(text, format) {
        Some(value) => Ok(value),
        None => read_text(Told::all(text, mode, false), format).map(|reading| reading.value),
    };
    let is_no_verdict = || malformed(format!("{} stands where a verdict belongs", shown(verdict)));
    let score_of = |value: &Json<'_>, scale: &Scale| {
        let number = number_of(value).ok_or_else(is_no_verdict)?;
        in_range(number, scale).map_err(|(reason, detail)| Unreadable::new(reason, detail))
    };
    match (&format.reader, verdict) {
        (_, Json::Null) => Err(Unreadable::because(Reason::NoVerdict, "it is null")),
        (_, Json::Str(text)) => of_text(text).map_err(|unreadable| match unreadable.reason {
            Reason::NoVerdict | Reason::Empty if !text.trim().is_empty() => is_no_verdict(),
            _ => unreadable,
        }),
        (Reader::Binary(_), Json::Bool(value)) => Ok(Value::Bool(*value)),
        (Reader::Binary(labels), Json::Int(_)) | (Reader::Choice(labels), Json::Bool(_) | Json::Int(_)) => {
            label_of(verdict, labels).map(|label| Value::of_label(format, labels, label)).ok_or_else(is_no_verdict)
        }
        (Reader::Score(_), Json::Bool(value)) => {
            let number = format.number_of(if *value { "true" } else { "false" }).ok_or_else(is_no_verdict)?;
            Ok(Value::Score(number))
        }
        (Reader::Score(scale), Json::Int(_) | Json::Float(_)) => score_of(verdict, scale).map(Value::Score),
        (Reader::Scores(scale, count, _), Json::Array(items))
            if !items.is_empty() && count.is_none_or(|count| items.len() == count) =>
        {
            items.iter().map(|item| score_of(item, scale)).collect::<Result<_, _>>().map(Value::Scores)
        }
        (Reader::Order(order), Json::Array(best_first)) => {
            let all: Option<Vec<usize>> = best_first.iter().map(|name| label_of(name, &order.candidates)).collect();
            all.and_then(|all| ranked(&all, order).ok()).map(Value::Order).ok_or_else(is_no_verdict)
        }
        // `{"accuracy": {"score": 4, "reason": "..."}}`
        (_, Json::Object(entries)) if mode == Mode::Lenient => {
            let mut named = entries.iter().filter(|(key, _)| lexicon().classes(key) & class::ANNOUNCE != 0);
            // `{"score": {"total": 10, "awarded": 4}}`: a second number may be the verdict.
            let others = entries.iter().filter(|(_, value)| !matches!(value, Json::Str(_) | Json::Null)).count();
            match (named.next(), named.next()) {
                (Some((_, value)), None) if !matches!(value, Json::Object(_)) && others <= 1 => {
                    verdict_of(value, format, mode)
                }
                _ => Err(is_no_verdict()),
            }
        }
        _ => Err(is_no_verdict()),
    }
}

/// The label that an entry is: as a word, a number or a truth.
pub(super) fn label_of(entry: &Json<'_>, labels: &Labels) -> Option<usize> {
    match entry {
        Json::Bool(value) => labels.declared(if *value { "true" } else { "false" }),
        Json::Int(number) => labels.declared(&number.to_string()),
        Json::Str(text) => labels.declared(text.trim()),
        _ => None,
    }
}

/// Why an entry can't be read, with its key or path.
pub(super) fn failed<'f>(key: &str, unreadable: &Unreadable<'f>) -> Unreadable<'f> {
    Unreadable::new(unreadable.reason, Detail::Words(format!("{key}: {}", unreadable.detail)))
}

/// An entry that is a label or a number and nothing else, whatever markers the format has for plain text.
fn whole_word<'f>(text: &str, format: &'f Format) -> Option<Value<'f>> {
    match &format.reader {
        Reader::Binary(labels) | Reader::Choice(labels) => {
            labels.declared(text.trim()).map(|label| Value::of_label(format, labels, label))
        }
        Reader::Score(scale) => {
            let (found, _) = value_at(text.trim(), 0, scale).filter(|(_, end)| *end == text.trim().len())?;
            found.ok().map(Value::Score)
        }
        _ => None,
    }
}

pub(super) fn number_of(value: &Json<'_>) -> Option<f64> {
    match value {
        #[expect(clippy::cast_precision_loss, reason = "no scale goes beyond what a float holds exactly")]
        Json::Int(number) => Some(*number as f64),
        Json::Float(number) if number.is_finite() => Some(*number),
        _ => None,
    }
}

/// A value in a few words, for people.
pub(super) fn shown(value: &Json<'_>) -> String {
    match value {
        Json::Null => "null".to_owned(),
        Json::Bool(value) => value.to_string(),
        Json::Int(number) => number.to_string(),
        Json::Float(number) => number.to_string(),
        Json::Str(text) => format!("{:?}", text.chars().take(40).collect::<String>()),
        Json::Array(items) => format!("a list of {}", items.len()),
        Json::Object(entries) => format!("an object of {}", entries.len()),
        Json::BigInt(_) => "a long integer".to_owned(),
    }
}
