//! Reading a score that is made of several numbers, each on a line of its own.

use std::borrow::Cow;
use std::sync::Arc;

use super::outcome::{Mode, Outcome, Reading, Unreadable, Value};
use super::scale::in_range;
use super::{Asked, named};
use crate::format::formula::Formula;
use crate::json::Json;

pub(super) fn read<'f>(asked: Asked<'_, 'f>, formula: &'f Formula) -> Outcome<'f> {
    let Asked { view, format, .. } = asked;
    let outcomes = formula.numbers.iter().map(|(name, number)| {
        // A number stands behind its label, or nowhere.
        let asked = Asked { format: number, mode: Mode::Strict, asks_why: false, ..asked };
        (name.as_str(), super::read_view(asked))
    });
    let reading = named::all(view.text(), format, outcomes)?;
    let Value::Fields(values) = &reading.value else { return Ok(reading) };
    let number = |(_, value): &(&str, Value<'_>)| if let Value::Score(value) = value { Some(*value) } else { None };
    let numbers: Vec<f64> = values.iter().filter_map(number).collect();
    let score = formula.function.score(&numbers).ok_or_else(|| asked.nothing())?;
    let score = in_range(score, &formula.scale).map_err(|(reason, detail)| Unreadable::new(reason, detail))?;
    let entries = formula.numbers.iter().zip(&numbers).map(|((name, number), &value)| {
        #[expect(clippy::cast_possible_truncation, reason = "a whole number on a small scale")]
        let written = if number.scale().is_some_and(|scale| scale.is_integer) {
            Json::Int(value as i64)
        } else {
            Json::Float(value)
        };
        (Cow::Borrowed(name.as_str()), written)
    });
    let object = Json::Object(Arc::new(entries.collect()));
    Ok(Reading { value: Value::Score(score), object: Some(object), ..reading })
}
