//! Reading a score that is made of several numbers, each on a line of its own.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::evidence::{Candidate, Chooser, Rank};
use super::guard::{line, line_label};
use super::outcome::{Detail, Mode, Outcome, Reading, Reason, Rule, Unreadable, Value};
use super::scale::{in_range, value_at};
use crate::format::formula::{Formula, Number};
use crate::format::{Format, Precedence};
use crate::json::Json;
use crate::reply::View;
use crate::reply::text::{byte_at, skip_near};

pub(super) fn read<'f>(
    view: &View<'_>,
    format: &'f Format,
    formula: &'f Formula,
    mode: Mode,
    is_cut: bool,
) -> Outcome<'f> {
    let text = view.text();
    let mut numbers = Vec::with_capacity(formula.numbers.len());
    let mut span: Option<Range<usize>> = None;
    for number in &formula.numbers {
        let mut chooser = Chooser::new(text, Precedence::Agree, is_cut);
        gather(view, number, mode, &mut chooser);
        let missing = || Unreadable::new(Reason::NoVerdict, Detail::NoField(number.name.clone()));
        match chooser.decide(view, Value::Score, missing) {
            Ok(Reading { value: Value::Score(value), span: place, .. }) => {
                line::extend(&mut span, &place);
                numbers.push(value);
            }
            Ok(_) => return Err(missing()),
            Err(unreadable) if unreadable.reason == Reason::NoVerdict && numbers.is_empty() => {
                let nothing = super::nothing(text, format);
                return Err(if nothing.reason == Reason::Refused { nothing } else { unreadable });
            }
            Err(unreadable) => {
                let words = format!("{}: {}", number.name, unreadable.detail);
                return Err(Unreadable { detail: Detail::Words(words), candidates: Vec::new(), ..unreadable });
            }
        }
    }
    let score = formula.function.score(&numbers).ok_or_else(|| super::nothing(text, format))?;
    let score = in_range(score, &formula.scale).map_err(|(reason, detail)| Unreadable::new(reason, detail))?;
    let entries = formula.numbers.iter().zip(&numbers).map(|(number, &value)| {
        #[expect(clippy::cast_possible_truncation, reason = "a whole number on a small scale")]
        let written = if number.scale.is_integer { Json::Int(value as i64) } else { Json::Float(value) };
        (Cow::Borrowed(number.name.as_str()), written)
    });
    let object = Json::Object(Arc::new(entries.collect()));
    let reading = Reading::new(Value::Score(score), Rule::Fields, span.unwrap_or(0..0));
    Ok(Reading { object: Some(object), ..reading })
}

/// The numbers that stand behind a label at the beginning of a line.
fn gather(view: &View<'_>, number: &Number, mode: Mode, chooser: &mut Chooser<'_, f64>) {
    let text = view.text();
    for start in line::starts(text) {
        let label = number.lines.iter().find_map(|line| {
            line::places(text, start, mode).find_map(|at| Some((at, line_label::label_end(text, &line.prefix, at)?)))
        });
        let Some((start, end)) = label else { continue };
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
            chooser.offer(Candidate {
                found,
                rank: Rank::of(Rule::Fields, 0),
                reach: end + 1,
                value: value..end,
                span: start..end,
            });
        }
    }
}
