//! Numbers where a score is asked for: on the scale, beyond it, or one of several.

use std::ops::Range;

use super::context::word_after;
use super::evidence::Found;
use super::numeral::{self, Comma, Met, Numeral, behind_unit};
use super::outcome::{Detail, Reason};
use super::sentence::{Sentence, Sentences};
use super::token::{UNREAL, entry_of, of};
use super::word::word_at;
use crate::format::Scale;
use crate::lexicon::{self as class, Classes, lexicon};
use crate::reply::text::{
    ahead, byte_at, byte_before, continues_word, head, line_end, skip_back_near, skip_near, slice, tail,
};

/// What a number says on this scale.
pub(super) fn on_scale(number: &Numeral, scale: &Scale) -> Found<f64> {
    let mut value = number.value;
    // "1.000" is one, or a thousand.
    if scale.high >= 1000.0 && number.has_three_decimals() {
        return Err((Reason::Ambiguous, Detail::Sentence("the point may part decimals or thousands")));
    }
    if let Some(denominator) = number.denominator {
        if scale.is_rescaled && denominator > 0.0 {
            value = scale.low.mul_add(1.0 - value / denominator, scale.high * (value / denominator));
        } else if !is_same(denominator, scale.high) {
            let words = format!("a fraction over {denominator} on a scale that ends at {}", scale.high);
            return Err((Reason::OutOfRange, Detail::Words(words)));
        }
    }
    if number.is_percent {
        if is_same(scale.low, 0.0) && is_same(scale.high, 1.0) {
            value /= 100.0;
        } else if !is_same(scale.high, 100.0) {
            let words = format!("a percentage on a scale from {} to {}", scale.low, scale.high);
            return Err((Reason::OutOfRange, Detail::Words(words)));
        }
    }
    in_range(value, scale)
}

pub(super) fn in_range(value: f64, scale: &Scale) -> Found<f64> {
    if !(scale.low..=scale.high).contains(&value) {
        return Err((Reason::OutOfRange, Detail::OutsideScale(value, scale.low, scale.high)));
    }
    if scale.is_integer && value.fract() != 0.0 {
        let words = format!("{value} is no whole number");
        return Err((Reason::Malformed, Detail::Words(words)));
    }
    Ok(value)
}

/// Where a scale's own description ends: `1-5` behind a name says what may stand there.
pub(super) fn whole_scale(text: &str, at: usize, scale: &Scale) -> Option<usize> {
    match numeral::next(ahead(text, at, 40), 0, Comma::Decimal)? {
        Met::Span(low, high, end) if low <= scale.low && high >= scale.high && byte_at(text, at).is_ascii_digit() => {
            Some(at + end)
        }
        _ => None,
    }
}

/// A number or number word that starts right here.
pub(super) fn value_at(text: &str, at: usize, scale: &Scale) -> Option<(Found<f64>, usize)> {
    value_among(text, at, scale, &mut Sentences::new(text))
}

/// The same in a text whose sentences are asked for more than once.
pub(super) fn value_among(
    text: &str,
    at: usize,
    scale: &Scale,
    sentences: &mut Sentences<'_>,
) -> Option<(Found<f64>, usize)> {
    let signs = usize::from(matches!(byte_at(text, at), b'-' | b'+'));
    let point = usize::from(byte_at(text, at + signs) == b'.');
    if byte_at(text, at + signs + point).is_ascii_digit() {
        let number = numeral::number_at(text, at + signs + point, Comma::Decimal)?;
        if number.start > at + signs {
            return None;
        }
        let number = behind_top(text, &number, scale).unwrap_or(number);
        let number = match numeral::worked_out(text, number) {
            Ok(number) => with_half(text, number),
            Err(end) => return Some((Err(RECKONING), end)),
        };
        let found = match numeral::range_end(text, &number, Comma::Decimal) {
            Some((high, end)) => {
                let words = format!("a range from {} to {high}", number.value);
                return Some((Err((Reason::Ambiguous, Detail::Words(words))), end));
            }
            None if has_rival(text, &number) => Err(TWO_NUMBERS),
            None => on_scale(&on_told_scale(text, &number, sentences), scale),
        };
        return Some((found, number.end));
    }
    let number = numeral::spelled(text, at)?;
    Some((on_scale(&number, scale), number.end))
}

/// `7 and a half`, `7分半`: the number with the half that a phrase behind it adds.
pub(super) fn with_half(text: &str, number: Numeral) -> Numeral {
    if number.behind.is_some_and(|behind| !behind.half) {
        return number;
    }
    let at = skip_near(text, number.end, |c| c == ' ');
    if number.is_decimal || number.denominator.is_some() || byte_at(text, at).is_ascii_punctuation() {
        return number;
    }
    // "7 half-truths"
    let is_phrase = |end: usize| !byte_at(text, at).is_ascii() || slice(text, at..end).contains(' ');
    match entry_of(text, at).filter(|(entry, end)| entry.may_be(class::HALF) && is_phrase(*end)) {
        Some((_, end)) => Numeral { value: number.value + 0.5, end, is_decimal: true, behind: None, ..number },
        None => number,
    }
}

/// A number with the highest score that brackets beside it or its sentence tell.
fn on_told_scale(text: &str, number: &Numeral, sentences: &mut Sentences<'_>) -> Numeral {
    let told = in_brackets(text, number);
    if told.is_share() || class::SCALES.places(slice(text, sentences.range(number.start))).next().is_none() {
        return told;
    }
    sentences.at(number.start).top.map_or(told, |top| top.over(number))
}

/// `7 (on a scale of 1 to 100)`, `Score (0-100): 7`: a number with the end of the scale that brackets beside it tell.
pub(super) fn in_brackets(text: &str, number: &Numeral) -> Numeral {
    let is_open = |c: char| matches!(c, '(' | '\u{ff08}');
    let next = skip_near(text, number.end, |c| c == ' ');
    let unit = if number.behind.is_none_or(|behind| behind.unit_or_join) { behind_unit(text, next) } else { next };
    let behind = || {
        let near = ahead(text, skip_near(text, unit, |c| c == ' '), BRACKETS).strip_prefix(is_open)?;
        near.find([')', '\u{ff09}']).map(|close| head(near, close))
    };
    let before = || {
        let name = head(text, number.start).trim_end_matches([' ', ':', '*', '\u{ff1a}']);
        let name = name.strip_suffix([')', '\u{ff09}'])?;
        let start = skip_back_near(name, name.len(), |c| !is_open(c) && c != '\n');
        Some(slice(name, start..name.len()))
    };
    // "(1-5)", "(scale of 1 to 5)", "（满分5分）", but "(1-2 slips)"
    let top = |inside: &str| match numeral::next(inside, 0, Comma::Decimal)? {
        Met::Span(low, high, end) if low <= 1.0 && end == inside.len() => Some(high),
        Met::Number(top) if behind_unit(inside, top.end) == inside.len() => {
            let (entry, end) = entry_of(inside, 0)?;
            (entry.may_be(class::TOP) && end == top.start).then_some(top.value)
        }
        _ => None,
    };
    let told = behind().and_then(top).or_else(|| before().and_then(top));
    Numeral { denominator: number.denominator.or(told), ..number.clone() }
}

/// No brackets that tell a scale are longer, in bytes.
const BRACKETS: usize = 60;

/// No case ending has more letters.
const ENDING: usize = 3;

/// `10 üzerinden 7`, `10点満点中7点`: the number behind the highest score and a word that says of what it is one.
pub(super) fn behind_top(text: &str, number: &Numeral, scale: &Scale) -> Option<Numeral> {
    if !is_same(number.value, scale.high) || number.denominator.is_some() {
        return None;
    }
    let gap = |at| skip_near(text, at, |c| c == ' ');
    // "10-ből 7"
    let word = gap(number.end) + usize::from(byte_at(text, number.end) == b'-');
    let told = entry_of(text, word).filter(|(entry, _)| entry.may_be(class::TOP)).map(|(_, end)| end);
    // "100-ден 60": a short ending joined to the number alone, as case endings are in many languages.
    let ending = tail(text, word).split(|c: char| !continues_word(c)).next().unwrap_or("");
    let is_ending = word == number.end + 1 && (1..=ENDING).contains(&ending.chars().count());
    let at = gap(told.or_else(|| is_ending.then(|| word + ending.len()))?);
    let value = Some(at).filter(|&at| byte_at(text, at).is_ascii_digit());
    let value = numeral::number_at(text, value?, Comma::Decimal).filter(|value| value.value <= scale.high)?;
    // "8-den 7-ye" changes it, and "10-dan 7 ta savol" counts.
    let next = tail(text, value.end).trim_start_matches(' ').chars().next();
    let is_changed = told.is_none() && next.is_some_and(|c| matches!(c, '-' | '\'') || continues_word(c));
    (!is_changed).then_some(Numeral { start: number.start, denominator: Some(scale.high), ..value })
}

/// What somebody else changes, or what is not changed yet, or only in part.
const UNCHANGED: Classes =
    UNREAL | class::OTHER | class::REPORT | class::DENY | class::CONDITIONAL | class::INSTRUCT | class::ASPECT;

/// `I lower my score from 8 to 7`, `8 puandan 7 puana`: the number to which the judge changes the one at `start`, and
/// nothing else.
pub(super) fn changed_to<'s>(
    text: &str,
    start: usize,
    sentences: &'s mut Sentences<'_>,
    scale: &Scale,
) -> Option<(Numeral, &'s Sentence)> {
    // Most numbers are the last one of their line, or not the first of two in their sentence, which needs no look then.
    let digits = skip_near(text, start, |c| c.is_ascii_digit());
    numeral::next_digit(head(text, line_end(text, digits)), digits)?;
    if sentences.known(start).is_some_and(|known| known.classes & class::CHANGE == 0) {
        return None;
    }
    let first = numeral::number_at(text, start, Comma::Decimal)?;
    let leads = class::INTO | class::CHANGE | class::UNIT | class::RANGE | class::ANY;
    // What stands right behind most numbers leads to no other one, so that their sentence is not split.
    let is_word = byte_before(text, first.end).is_ascii_digit() && byte_at(text, first.end) == b' ';
    let is_word = is_word && byte_at(text, first.end + 1).is_ascii_alphabetic();
    if is_word && entry_of(text, first.end + 1).is_none_or(|(entry, _)| !entry.may_be(leads)) {
        return None;
    }
    let Range { start: from, end } = sentences.range(start);
    let near = head(text, end);
    let next =
        |from: usize| numeral::next_digit(near, from).and_then(|at| numeral::number_at(near, at, Comma::Decimal));
    let is_first = numeral::next_digit(near, from) == Some(start);
    let second = next(first.end).filter(|second| is_first && next(second.end).is_none())?;
    let sentence = sentences.at(start);
    if sentence.classes & class::CHANGE == 0 || sentence.classes & UNCHANGED != 0 {
        return None;
    }
    let mut between = sentence.tokens.iter().filter(|token| token.start >= first.end && token.end <= second.start);
    let is_into = between.clone().any(of(class::INTO | class::CHANGE | class::UNIT));
    let is_alone = between.all(|token| token.is(leads) || token.is_mark(&['-', '/']));
    let is_scale = is_same(first.value, scale.low) && is_same(second.value, scale.high);
    (is_into && is_alone && !is_scale).then_some((Numeral { start, ..second }, sentence))
}

pub(super) const COUNT: (Reason, Detail) = (Reason::Malformed, Detail::Sentence("the number counts something"));

pub(super) const RECKONING: (Reason, Detail) =
    (Reason::Ambiguous, Detail::Sentence("a calculation has no result, or a wrong one"));

pub(super) const TWO_NUMBERS: (Reason, Detail) =
    (Reason::Ambiguous, Detail::Sentence("a second number is offered instead"));

/// Whether a second number is offered instead: `4 or 5`, `7, maybe 8`.
fn has_alternative(text: &str, end: usize) -> bool {
    let byte = byte_at(text, end);
    if numeral::ends_plainly(byte) && !matches!(byte, b',' | b'(' | b'=' | b'\'') {
        return false;
    }
    // A row of numbers: "8,7,6".
    if byte == b',' && byte_at(text, end + 1).is_ascii_digit() || is_in_row(text, end) {
        return true;
    }
    let gap = |at| skip_near(text, at, |c| matches!(c, ' ' | ',' | '('));
    // "6点または8点"
    let next = gap(behind_unit(text, gap(end)));
    let or = match word_at(text, next) {
        Some(word) => word.has(class::OR | class::HEDGE).then_some(word.end),
        None => entry_of(text, next).filter(|(entry, _)| entry.may_be(class::OR)).map(|(_, end)| end),
    };
    let Some(or) = or.filter(|_| next - end <= 24) else { return false };
    let at = word_after(text, or)
        .filter(|word| word.has(class::HEDGE | class::ANY | class::TIE | class::FILL))
        .map_or(or, |word| word.end);
    let digit = skip_near(text, at, |c| c == ' ');
    byte_at(text, digit).is_ascii_digit() || numeral::spelled(text, digit).is_some()
}

/// The same behind a number of which the next word may be known.
pub(super) fn has_rival(text: &str, number: &Numeral) -> bool {
    number.behind.is_none_or(|behind| behind.unit_or_join) && has_alternative(text, number.end)
}

/// `3 passages`: whether an unknown word follows a number.
pub(super) fn counts(text: &str, end: usize) -> bool {
    let noun = word_at(text, end + 1).filter(|_| byte_at(text, end) == b' ');
    noun.is_some_and(|noun| {
        let is_named = lexicon().classes(noun.text) & !(class::NUMBERED | class::THING) != 0;
        noun.text.starts_with(|c: char| c.is_alphabetic() && !c.is_uppercase()) && !is_named
    })
}

/// `7, 8, 9.` and `7 → 8`: a row, and a change.
pub(super) fn is_in_row(text: &str, end: usize) -> bool {
    let at = skip_near(text, end, |c| c == ' ');
    let rest = ahead(text, at, 80);
    // "2 -> after another look 4"
    if ["\u{2192}", "->", "=>"].iter().any(|arrow| rest.starts_with(arrow)) {
        let line = rest.split('\n').next().unwrap_or("");
        return line.trim_end_matches(['.', '*', ' ']).ends_with(|c: char| c.is_ascii_digit());
    }
    let digit = skip_near(text, at + 1, |c| c == ' ');
    // What is counted behind a comma is no second score: "7, 3 errors".
    let ends = |end| matches!(byte_at(text, end), 0 | b',' | b'.' | b';' | b'\n' | b')' | b']');
    let number_end = |at| numeral::number_at(text, at, Comma::Decimal).map(|number| number.end);
    // "5, 5 and 10", "1, 1 and 2 were given", but "2, 7 and 9 steps"
    let goes_on = |end| word_at(text, end + 1).is_none_or(|word| !word.has(class::PLURAL));
    let is_joined = |end| {
        let join = word_at(text, end + 1).filter(|word| byte_at(text, end) == b' ' && word.has(class::JOIN));
        join.and_then(|join| number_end(join.end + 1)).is_some_and(|end| ends(end) || !goes_on(end))
    };
    byte_at(text, at) == b','
        && byte_at(text, digit).is_ascii_digit()
        && number_end(digit).is_some_and(|end| ends(end) || has_alternative(text, end) || is_joined(end))
}

pub(super) fn is_same(one: f64, other: f64) -> bool {
    (one - other).abs() < f64::EPSILON
}
