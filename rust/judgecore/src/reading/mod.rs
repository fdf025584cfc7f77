//! Reading: a reply and a format give an [`Outcome`].

mod choice;
mod clause;
mod context;
mod document;
mod echo;
mod ends;
mod entry;
mod evidence;
mod flag;
mod formula;
mod gather;
mod guard;
pub mod inherited;
mod json;
mod line_label;
mod logprobs;
mod named;
mod numeral;
mod option;
mod order;
mod ordinal;
mod outcome;
mod paper;
mod place;
mod postscript;
mod publisher;
mod refusal;
mod revision;
mod scale;
mod score;
mod score_list;
mod scores;
mod sentence;
mod sibling;
mod slot;
mod table;
mod token;
mod told;
mod truth;
mod voided;
mod word;

pub use json::{Lone, Read};
pub use logprobs::{Token, has_logprobs, reply_of, score_logprobs};
pub use outcome::{Detail, FieldValue, GuardVerdict, Mode, Outcome, Reading, Reason, Rule, Unreadable, Value, release};

use std::ops::Range;

use crate::format::{Format, Reader};
use crate::json::Builder;
use crate::reply::View;

/// The version of the reading rules, part of every reader's identity; raised whenever an outcome of a release changes.
pub const READING_VERSION: u32 = 2;

/// A reply, what of it the judge says, and how it is read.
#[derive(Clone, Copy)]
struct Told<'r, 'm> {
    reply: &'r str,
    /// The reply without its echoes, as long as it.
    shown: &'m str,
    echoes: &'m [Range<usize>],
    mode: Mode,
    is_cut: bool,
}

impl<'r> Told<'r, 'r> {
    fn all(reply: &'r str, mode: Mode, is_cut: bool) -> Self {
        Self { reply, shown: reply, echoes: &[], mode, is_cut }
    }
}

/// Read a reply: what the judge said, or why that can't be known.
///
/// `is_cut` says that the reply is known to be cut off, so that evidence that touches its end does not count.
/// `material` are the texts that the judge was shown: a verdict that the reply merely copies from them is not read.
/// Time is linear in the length of the reply and the material.
///
/// # Errors
///
/// [`Unreadable`] with its reason, wherever there is no verdict. In paper mode a format without a publisher's
/// rule gives [`Reason::NoVerdict`]; ask [`Format::has_paper`] first. That mode ignores material.
pub fn read<'a>(reply: &'a str, format: &'a Format, mode: Mode, is_cut: bool, material: &[&str]) -> Outcome<'a> {
    if mode == Mode::Paper {
        return paper::read(reply, format);
    }
    let outcome = read_told(Told::all(reply, mode, is_cut), format);
    let outcome = if mode == Mode::Strict { agreed(reply, format, is_cut, outcome) } else { outcome };
    if material.is_empty() { outcome } else { echo::set_aside(reply, outcome, format, mode, is_cut, material) }
}

/// What strict reading found, where lenient reading finds the same.
fn agreed<'a>(reply: &'a str, format: &'a Format, is_cut: bool, strict: Outcome<'a>) -> Outcome<'a> {
    let strict = strict?;
    if matches!(format.reader, Reader::Json(_)) || is_document(format) || strict.rule == Rule::Whole {
        return Ok(strict);
    }
    match read_told(Told::all(reply, Mode::Lenient, is_cut), format) {
        Ok(lenient) if lenient.value != strict.value => Err(Unreadable {
            reason: Reason::Ambiguous,
            detail: Detail::Sentence("what else is said contradicts the form that the format documents"),
            candidates: vec![strict, lenient],
        }),
        Ok(_) => Ok(strict),
        Err(unreadable) => Err(unreadable),
    }
}

/// Read a reply, and where it has one document, nothing to be mended and no verdict of its own, make the value with the
/// caller's builder. The rest is as in [`read`].
///
/// # Errors
///
/// The builder's own error.
pub fn read_into<'a, M: Builder>(
    reply: &'a str,
    format: &'a Format,
    mode: Mode,
    is_cut: bool,
    material: &[&str],
    builder: &mut M,
) -> Result<Read<'a, M::Value>, M::Error> {
    match &format.reader {
        Reader::Json(reader) if !is_document(format) && mode != Mode::Paper && material.is_empty() => {
            let read = json::read_into(reply, reader, mode, is_cut, builder)?;
            Ok(match read {
                Read::Outcome(outcome) => Read::Outcome(document::told_apart(reply, outcome)),
                lone @ Read::Lone(_) => lone,
            })
        }
        _ => Ok(Read::Outcome(read(reply, format, mode, is_cut, material))),
    }
}

fn read_told<'a>(told: Told<'a, '_>, format: &'a Format) -> Outcome<'a> {
    let outcome = match &format.reader {
        Reader::Json(reader) if reader.format.is_none() => {
            return document::told_apart(told.reply, json::read(told, reader));
        }
        Reader::Json(reader) => json::read(told, reader),
        Reader::Ranking(ranking) => json::read_ranking(told, ranking),
        Reader::Entries(fields) => json::read_entries(told, fields),
        Reader::Guard(guard) if guard.is_json => document::weighed(told.reply, json::read_guard(told, format, guard)),
        _ => read_text(told, format),
    };
    if is_document(format) {
        let reading = document::weighed(told.reply, outcome)?;
        return postscript::weighed(told, format, reading);
    }
    // In prose, what takes a verdict back is weighed with all else that is said.
    let reading = postscript::weighed(told, format, outcome?)?;
    if matches!(format.reader, Reader::Guard(_)) && revision::is_taken_back(told.reply, reading.span.end) {
        let detail = Detail::Sentence("what was said is taken back");
        return Err(Unreadable { reason: Reason::NoVerdict, detail, candidates: vec![reading] });
    }
    Ok(reading)
}

/// Whether a format's verdict is part of a document.
fn is_document(format: &Format) -> bool {
    match &format.reader {
        Reader::Json(reader) => reader.format.is_some(),
        Reader::Ranking(_) | Reader::Entries(_) => true,
        _ => false,
    }
}

/// Read a reply that is no JSON.
fn read_text<'f>(told: Told<'_, '_>, format: &'f Format) -> Outcome<'f> {
    let view = View::of(told.reply, told.shown);
    // A guard's verdict may be the first token, but not its categories.
    let is_cut = told.is_cut && (!format.is_first_token() || matches!(format.reader, Reader::Guard(_)));
    let mut reading = read_view(Asked { view: &view, format, mode: told.mode, is_cut, asks_why: true })?;
    if !format.entries.is_empty() {
        reading.object = Some(entry::texts(&view, format, &reading.span));
    }
    Ok(reading)
}

/// A reply that is no JSON, and how it is read.
#[derive(Clone, Copy)]
struct Asked<'v, 'f> {
    view: &'v View<'v>,
    format: &'f Format,
    mode: Mode,
    is_cut: bool,
    /// Whether it matters why there is no verdict.
    asks_why: bool,
}

impl<'f> Asked<'_, 'f> {
    /// Why text without evidence is unreadable.
    fn nothing(self) -> Unreadable<'f> {
        if self.asks_why { nothing(self.view.text(), self.format) } else { Unreadable::because(Reason::NoVerdict, "") }
    }
}

fn read_view<'f>(asked: Asked<'_, 'f>) -> Outcome<'f> {
    let Asked { view, format, is_cut, .. } = asked;
    let text = view.text();
    let is_blank = |c: char| c.is_whitespace() || c == '\u{0}';
    if text.chars().all(is_blank) {
        let (reason, detail) = if view.is_unclosed() {
            (Reason::Truncated, "the reasoning was never closed, so no answer was written")
        } else if is_cut && !view.reply().chars().all(is_blank) {
            (Reason::Truncated, "the reply was cut off before its answer began")
        } else {
            (Reason::Empty, "the reply is empty")
        };
        return Err(Unreadable::because(reason, detail));
    }
    match &format.reader {
        Reader::Binary(labels) | Reader::Choice(labels) => {
            gather::read(asked, labels, |label| Value::of_label(format, labels, label))
        }
        Reader::Score(scale) => gather::read(asked, scale, Value::Score),
        Reader::Order(order) => gather::read(asked, order, Value::Order),
        Reader::Formula(formula) => formula::read(asked, formula),
        Reader::Scores(scale, Some(count), slots) => scores::read(asked, scale, *count, slots),
        Reader::Scores(scale, None, _) => score_list::read(asked, scale),
        Reader::Fields(fields) => named::read(asked, fields),
        Reader::Guard(guard) => guard::read(asked, guard),
        Reader::Json(_) | Reader::Ranking(_) | Reader::Entries(_) => Err(nothing(text, format)),
    }
}

/// Why text without evidence is unreadable.
fn nothing<'f>(text: &str, format: &Format) -> Unreadable<'f> {
    if refusal::is_refusal(text) {
        return Unreadable::because(Reason::Refused, "the judge declined to judge");
    }
    let detail = match format.kind() {
        crate::format::Kind::Score | crate::format::Kind::Scores => "no number stands where a verdict would",
        crate::format::Kind::Order => "no order of the candidates stands where a verdict would",
        _ => "no label stands where a verdict would",
    };
    Unreadable::because(Reason::NoVerdict, detail)
}
