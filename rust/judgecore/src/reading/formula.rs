//! Reading a score that is made of several numbers, each on a line of its own.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::Asked;
use super::evidence::{Candidate, Chooser};
use super::line_label::{labels_in, stands};
use super::named;
use super::outcome::{Detail, Outcome, Reading, Reason, Rule, Unreadable, Value};
use super::scale::{in_range, value_at};
use crate::format::Precedence;
use crate::format::formula::{Formula, Number};
use crate::json::Json;
use crate::reply::View;
use crate::reply::text::{byte_at, skip_near};

pub(super) fn read<'f>(asked: Asked<'_, 'f>, formula: &'f Formula) -> Outcome<'f> {
    let Asked { view, format, is_cut, .. } = asked;
    let text = view.text();
    let outcomes = formula.numbers.iter().map(|number| {
        let mut chooser = Chooser::new(text, Precedence::Agree, is_cut);
        gather(view, number, &mut chooser);
        let missing = || Unreadable::new(Reason::NoVerdict, Detail::NoField(number.name.clone()));
        (number.name.as_str(), chooser.decide(view, Value::Score, missing))
    });
    let reading = named::all(text, format, outcomes)?;
    let Value::Fields(values) = &reading.value else { return Ok(reading) };
    let number = |(_, value): &(&str, Value<'_>)| if let Value::Score(value) = value { Some(*value) } else { None };
    let numbers: Vec<f64> = values.iter().filter_map(number).collect();
    let score = formula.function.score(&numbers).ok_or_else(|| super::nothing(text, format))?;
    let score = in_range(score, &formula.scale).map_err(|(reason, detail)| Unreadable::new(reason, detail))?;
    let entries = formula.numbers.iter().zip(&numbers).map(|(number, &value)| {
        #[expect(clippy::cast_possible_truncation, reason = "a whole number on a small scale")]
        let written = if number.scale.is_integer { Json::Int(value as i64) } else { Json::Float(value) };
        (Cow::Borrowed(number.name.as_str()), written)
    });
    let object = Json::Object(Arc::new(entries.collect()));
    Ok(Reading { value: Value::Score(score), object: Some(object), ..reading })
}

/// The numbers that stand behind a label at the beginning of a line.
fn gather(view: &View<'_>, number: &Number, chooser: &mut Chooser<'_, f64>) {
    let text = view.text();
    for (Range { start, end }, ()) in labels_in(text, number.lines.iter().map(|line| (line.as_str(), ()))) {
        if !stands(text, start) {
            continue;
        }
        let is_gap =
            |c: char| matches!(c, ' ' | '\t' | ':' | '=' | '.' | ')' | '<' | '[' | '"' | '*' | '-' | '\u{2013}');
        let value = skip_near(text, end, is_gap);
        if value == end && byte_at(text, end).is_ascii_digit() {
            continue;
        }
        let span = start..value;
        if view.hides(&span) {
            continue;
        }
        if let Some((found, end)) = value_at(text, value, &number.scale) {
            chooser.offer(Candidate::new(found, Rule::Fields, 0, value..end).from(start).reaching(end + 1));
        }
    }
}
