//! Reading by the publisher's own rule, defects included.

use std::borrow::Cow;

use regex_automata::util::captures::Captures;

use super::inherited;
use super::outcome::{Detail, GuardVerdict, Outcome, Reading, Reason, Rule, Unreadable, Value};
use super::publisher::{self, Hit, blank};
use crate::format::formula::Formula;
use crate::format::paper::{Function, OutOfRange, Step, Take};
use crate::format::{Format, Literal, Reader, Scale, Side};
use crate::reply::text::{slice, trim_range};

pub(super) fn read<'f>(reply: &str, format: &'f Format) -> Outcome<'f> {
    let Some(rule) = format.paper() else {
        return Err(Unreadable::because(Reason::NoVerdict, "the format declares no publisher's rule"));
    };
    let hit = match rule.function {
        Some(function) => found_by(function, reply),
        None => rule.steps().iter().find_map(|step| attempt(step, reply, format)),
    };
    if let Some((literal, span)) = hit {
        let value = match rule.out_of_range {
            OutOfRange::Refuse => to_value(&literal, format, false),
            OutOfRange::Clamp => to_value(&clamped(&literal, format), format, false),
            OutOfRange::Keep => to_value(&literal, format, true),
        };
        let value = value.ok_or_else(|| {
            let words = format!("the publisher's rule gives {literal}, which is outside the format");
            Unreadable::new(Reason::OutOfRange, Detail::Words(words))
        })?;
        return Ok(Reading::new(value, Rule::Publisher, span));
    }
    match rule.default.as_ref().and_then(|default| to_value(default, format, true)) {
        Some(value) => Ok(Reading::new(value, Rule::PublisherDefault, 0..0)),
        None => Err(Unreadable::because(Reason::NoVerdict, "the publisher's rule finds nothing")),
    }
}

fn found_by(function: Function, reply: &str) -> Option<Hit> {
    match function {
        Function::LmmsEvalBinary => {
            let at = memchr::memchr(b'1', reply.as_bytes())?;
            Some((Literal::Bool(true), at..at + 1))
        }
        Function::LmmsEvalScore => {
            let (value, span) = inherited::first_number(reply)?;
            Some((Literal::Number(value), span))
        }
        Function::LmmsEvalComparative => {
            let (first, second, span) = inherited::first_pair(reply)?;
            Some((Literal::Numbers(vec![first, second]), span))
        }
        Function::NemoJsonPrompt => publisher::nemo_json(reply, "User Safety"),
        Function::NemoJsonResponse => publisher::nemo_json(reply, "Response Safety"),
        Function::NemoLinesPrompt => publisher::nemo_lines(reply, "User Safety"),
        Function::NemoLinesResponse => publisher::nemo_lines(reply, "Response Safety"),
        Function::StrongReject => publisher::strong_reject(reply),
    }
}

/// One step: its text, its pattern, the match that counts, and what that means.
fn attempt(step: &Step, reply: &str, format: &Format) -> Option<Hit> {
    let mut range = 0..reply.len();
    if step.strip {
        range = trim_range(reply, range, inherited::is_python_space);
    }
    if let Some(wanted) = step.line {
        let text = slice(reply, range.clone());
        let mut start = range.start;
        let mut lines = text.split('\n');
        for _ in 0..wanted {
            start += lines.next()?.len() + 1;
        }
        range = start..start + lines.next()?.len();
    }
    if let Some(last) = step.last.filter(|&last| last > 0) {
        let text = slice(reply, range.clone());
        range.start += text.char_indices().rev().nth(last - 1).map_or(0, |(at, _)| at);
    }
    let mut text: Cow<'_, str> = if step.lowercase {
        slice(reply, range.clone()).to_ascii_lowercase().into()
    } else {
        slice(reply, range.clone()).into()
    };
    if let Some(without) = &step.without {
        text = blank(&text, without.regex()?).into();
    }
    let mut found: Option<Hit> = None;
    for captures in step.pattern.regex()?.captures_iter(text.as_ref()) {
        let whole = captures.get_match()?;
        if let Some(value) = meaning(step, &text, &captures) {
            let hit = (value, whole.start() + range.start..whole.end() + range.start);
            match step.take {
                Take::First => return Some(hit),
                Take::Last => found = Some(hit),
                Take::Only => match &found {
                    Some((known, _)) if *known != hit.0 => return None,
                    Some(_) => {}
                    None => found = Some(hit),
                },
                Take::Lowest if is_lower(&hit, found.as_ref(), format) => found = Some(hit),
                Take::Lowest => {}
            }
        } else if step.take == Take::First {
            return None;
        }
    }
    found
}

/// Whether a number is on the scale, and lower than the one that is known.
fn is_lower(hit: &Hit, known: Option<&Hit>, format: &Format) -> bool {
    let Literal::Number(value) = hit.0 else { return false };
    let is_on_scale = format.scale().is_some_and(|scale| (scale.low..=scale.high).contains(&value));
    is_on_scale && known.is_none_or(|(known, _)| matches!(known, Literal::Number(lowest) if value < *lowest))
}

fn meaning(step: &Step, text: &str, captures: &Captures) -> Option<Literal> {
    if let Some(value) = &step.value {
        return Some(value.clone());
    }
    let group = |nth: usize| captures.get_group(nth).map(|span| slice(text, span.range()));
    if step.groups.len() > 1 {
        let numbers: Option<Vec<f64>> = step.groups.iter().map(|&nth| group(nth)?.trim().parse().ok()).collect();
        return numbers.map(Literal::Numbers);
    }
    let held = group(step.groups.first().copied().unwrap_or(0))?;
    if !step.mapping.is_empty() {
        return step.mapping.get(held).cloned();
    }
    Some(match held.trim().parse::<f64>() {
        Ok(number) => Literal::Number(number),
        Err(_) => Literal::Text(held.to_owned()),
    })
}

/// A literal as a value of the format; None where it is not in the format's domain, but for numbers that may lie off the
/// scale: -1 on a scale from 1 to 10.
fn to_value<'f>(literal: &Literal, format: &'f Format, keeps_off_scale: bool) -> Option<Value<'f>> {
    let is_kept = |scale: &Scale, value: &f64| keeps_off_scale || (scale.low..=scale.high).contains(value);
    match (&format.reader, literal) {
        (Reader::Binary(_), Literal::Bool(value)) => Some(Value::Bool(*value)),
        (Reader::Choice(labels), Literal::Text(_) | Literal::Number(_)) => {
            let label = match literal {
                Literal::Text(name) => labels.named(name)?,
                number => labels.named(&number.to_string())?,
            };
            Some(Value::Label(label, labels.name(label)))
        }
        (Reader::Score(scale) | Reader::Formula(Formula { scale, .. }), Literal::Number(value)) => {
            is_kept(scale, value).then_some(Value::Score(*value))
        }
        (Reader::Scores(scale, count, _), Literal::Numbers(values)) => {
            let is_whole = count.is_none_or(|count| values.len() == count);
            (is_whole && values.iter().all(|value| is_kept(scale, value))).then(|| Value::Scores(values.clone()))
        }
        (Reader::Json(reader), literal) => to_value(literal, reader.format.as_deref()?, keeps_off_scale),
        (Reader::Guard(guard), Literal::Bool(value)) => Some(Value::Guard(GuardVerdict {
            is_unsafe: Some(*value),
            prompt_unsafe: (guard.subject == Side::Prompt).then_some(*value),
            response_unsafe: (guard.subject == Side::Response).then_some(*value),
            side: Some(guard.subject),
            ..GuardVerdict::default()
        })),
        _ => None,
    }
}

/// Numbers with the nearer end of the scale in place of those beyond it.
fn clamped(literal: &Literal, format: &Format) -> Literal {
    let Some(scale) = format.scale() else { return literal.clone() };
    let clamp = |value: &f64| value.min(scale.high).max(scale.low);
    match literal {
        Literal::Number(value) => Literal::Number(clamp(value)),
        Literal::Numbers(values) => Literal::Numbers(values.iter().map(clamp).collect()),
        other => other.clone(),
    }
}
