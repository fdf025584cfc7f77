//! Another verdict that a judge announces behind its own leaves it open which is meant.

use super::outcome::{Detail, Mode, Outcome, Reading, Reason, Rule, Unreadable};
use super::scores::may_score;
use super::sentence::{Sentence, Sentences};
use super::token::LAST;
use super::{Asked, Told, read_view};
use crate::format::{Format, Kind, Precedence, Reader};
use crate::lexicon::{self as class, Classes};
use crate::reply::View;
use crate::reply::text::tail;

/// No longer text behind a verdict is looked at, in bytes.
const LONGEST: usize = 4096;

/// A verdict, unless the sentences behind a marker or document announce another one: `[[A]]` above `My final verdict is B.`
pub(super) fn weighed<'a>(told: Told<'_, '_>, format: &'a Format, reading: Reading<'a>) -> Outcome<'a> {
    let format = match &format.reader {
        Reader::Json(reader) => reader.format.as_deref(),
        _ => Some(format),
    };
    let Some(format) = format.filter(|format| format.precedence() != Precedence::First) else { return Ok(reading) };
    let is_silent = |behind: &str| !behind.contains(char::is_alphanumeric);
    let end = reading.span.end;
    // Most replies end with their verdict.
    if is_silent(tail(told.shown, end)) {
        return Ok(reading);
    }
    let is_single = matches!(format.kind(), Kind::Binary | Kind::Choice | Kind::Score | Kind::Scores);
    if !is_single || !matches!(reading.rule, Rule::Marker | Rule::Json) {
        return Ok(reading);
    }
    // What goes on with its sentence is heard with it.
    let start = if reading.rule == Rule::Json { end } else { Sentence::range(told.shown, end).end.max(end) };
    let behind = tail(told.shown, start);
    if behind.len() > LONGEST || is_silent(behind) {
        return Ok(reading);
    }
    let view = View::new(behind);
    if matches!(&format.reader, Reader::Scores(_, Some(_), names) if names.is_empty()) && !may_score(view.text()) {
        return Ok(reading);
    }
    match read_view(Asked { view: &view, format, mode: Mode::Lenient, is_cut: told.is_cut, asks_why: false }) {
        Ok(other) if other.value != reading.value && is_announced(behind, &other) => {
            let detail = Detail::Sentence("another verdict is announced behind it");
            let start = told.reply.len() - behind.len();
            let other = Reading { span: other.span.start + start..other.span.end + start, ..other };
            Err(Unreadable { reason: Reason::Ambiguous, detail, candidates: vec![reading, other] })
        }
        _ => Ok(reading),
    }
}

/// Whether a verdict is announced as one on all that is judged, `My final score is 6.` or a mere `Score: 6`.
fn is_announced(text: &str, other: &Reading<'_>) -> bool {
    const OWN: Classes = class::SELF | LAST;
    const MERE: Classes = class::ANNOUNCE | class::WINNER | class::FILL | class::LINK | class::THING | class::EARN;
    let mut sentences = Sentences::new(text);
    let sentence = sentences.at(other.span.start);
    let mut words = sentence.tokens.iter().filter(|token| token.is_word() && token.start < other.span.end);
    match other.rule {
        Rule::Labelled => {
            sentence.classes & OWN != 0 || words.all(|token| token.is(MERE) || token.end == other.span.end)
        }
        // "Final class: B": a word for a verdict that is in no lexicon.
        Rule::Mention => sentence.classes & class::FINAL != 0 && sentence.classes & class::VAGUE == 0,
        _ => false,
    }
}
