//! One verdict that is the reply, with codes behind it where the family has them.

use std::borrow::Cow;
use std::ops::Range;

use super::{Tally, Told, category, cut, line};
use crate::format::Format;
use crate::format::guard::{Answer, Guard};
use crate::format::label::{Labels, Mention, Shape};
use crate::reading::Asked;
use crate::reading::clause::stance::Stance;
use crate::reading::context::{closes_text, prose_ranges};
use crate::reading::evidence::Chooser;
use crate::reading::gather::{Values, gather};
use crate::reading::outcome::{Detail, Mode, Outcome, Reading, Reason, Rule, Unreadable, Value};
use crate::reading::sentence::Sentences;
use crate::reply::View;
use crate::reply::text::{byte_at, byte_before, char_at, head, skip, skip_back_near, slice, tail};

pub(super) fn read<'f>(asked: Asked<'_, 'f>, guard: &'f Guard, verdict: &'f Answer) -> Outcome<'f> {
    let Asked { format, mode, is_cut, .. } = asked;
    if is_whole(format, guard) && (mode == Mode::Strict || !is_cut) {
        let outcome = documented(asked, guard, verdict);
        if outcome.is_ok() || mode == Mode::Strict {
            return outcome;
        }
    }
    loosely(asked, guard, verdict)
}

/// Whether the verdict and its codes are all of the reply, rather than what a marker announces.
fn is_whole(format: &Format, guard: &Guard) -> bool {
    guard.codes.as_ref().is_some_and(|codes| format.declared_markers().is_empty() || codes.join != "\n")
}

const MORE_TEXT: &str = "text stands behind the verdict and its categories";

/// Exactly what the card documents: the verdict, its codes, each known and once, and the other answers' lines.
fn documented<'f>(asked: Asked<'_, 'f>, guard: &'f Guard, verdict: &'f Answer) -> Outcome<'f> {
    let Asked { view, format, mode, is_cut, .. } = asked;
    let text = view.text();
    let malformed = |sentence| Err(Unreadable::because(Reason::Malformed, sentence));
    let wrong = |words| Err(Unreadable::new(Reason::Malformed, Detail::Words(words)));
    let is_asked = mode == Mode::Strict;
    let nothing = || if is_asked { asked.nothing() } else { super::no_side() };
    let start = skip(text, 0, char::is_whitespace);
    let whole = start..text.trim_end().len();
    let inside = match format.declared_markers().first().and_then(|marker| marker.split_once("{}")) {
        Some((open, close)) => {
            let inner = slice(text, whole.clone()).strip_prefix(open).and_then(|inner| inner.strip_suffix(close));
            inner.ok_or_else(nothing)?
        }
        None => slice(text, whole.clone()),
    };
    let (first, below) = inside.split_once('\n').map_or((inside, None), |(first, below)| (first, Some(below)));
    let codes = guard.codes.as_ref();
    let join = codes.map_or("\n", |codes| codes.join.as_str());
    let is_free = codes.is_some_and(|codes| codes.words);
    let first = first.trim();
    let (label, same_line) = match verdict.labels.declared(first) {
        Some(label) => (label, ""),
        None if join == "\n" => return Err(nothing()),
        None => {
            let (word, codes) = first.split_once(join).ok_or_else(nothing)?;
            (verdict.labels.declared(word.trim()).ok_or_else(nothing)?, codes)
        }
    };
    let is_unsafe = verdict.meaning(label) == Some(true);
    let (written, mut below) = if join == "\n" && is_unsafe { (below.unwrap_or(""), None) } else { (same_line, below) };
    let mut categories: Vec<Cow<'f, str>> = Vec::new();
    if is_unsafe {
        if written.contains('\n') {
            return malformed(MORE_TEXT);
        }
        if is_cut && !written.trim().is_empty() {
            return Err(cut());
        }
        if written.trim().is_empty() && !is_free {
            return malformed("an unsafe verdict must name its categories");
        }
        if is_free && !written.trim().is_empty() && !category::is_bare_list(written) {
            return malformed(MORE_TEXT);
        }
        let codes = written.split(|c| c == ',' || (is_free && c == ' ')).map(str::trim);
        for code in codes.filter(|code| !(is_free && code.is_empty())) {
            let category = match guard.code(code) {
                Some(code) => Cow::Borrowed(code),
                None if is_free => Cow::Owned(code.to_owned()),
                None => return wrong(format!("{code:?} is no category of {}", format.id())),
            };
            if categories.contains(&category) {
                return wrong(format!("category {code} stands twice"));
            }
            categories.push(category);
        }
    } else if !same_line.is_empty() {
        return malformed(MORE_TEXT);
    }
    let mut tally = Tally::new(guard);
    tally.note(verdict, Some(label));
    for answer in &guard.answers {
        let (line, rest) = below.map_or((None, None), |below| match below.split_once('\n') {
            Some((line, rest)) => (Some(line), Some(rest)),
            None => (Some(below), None),
        });
        let said = line.and_then(|line| answer.labels.declared(line.trim())).filter(|_| answer.declared.alone);
        if said.is_some() {
            below = rest;
        } else if !answer.declared.optional {
            return malformed("an answer of the guard is missing");
        }
        tally.note(answer, said);
    }
    if below.is_some() {
        return malformed(MORE_TEXT);
    }
    if is_cut && !(format.is_first_token() && categories.is_empty() && guard.answers.is_empty()) {
        return Err(cut());
    }
    tally.list(None, Some(categories));
    let verdict = tally.settle().ok_or_else(nothing)?;
    Ok(Reading::new(Value::Guard(verdict), Rule::Whole, view.place(whole)))
}

/// The verdict as a word, of a guard that documents something else.
pub(super) fn read_word<'f>(asked: Asked<'_, 'f>, guard: &'f Guard, answer: &'f Answer) -> Outcome<'f> {
    let Asked { view, format, is_cut, .. } = asked;
    let text = view.text();
    let mut chooser = Chooser::new(text, format.precedence(), is_cut);
    gather(asked, &answer.loose, &mut chooser);
    let value_of = |label| Value::Label(label, "");
    let reading = chooser.decide(view, value_of, |_| None, || asked.nothing())?;
    let Value::Label(label, _) = reading.value else { return Err(asked.nothing()) };
    let mut tally = Tally::new(guard);
    for one in &guard.answers {
        tally.note(one, Some(label).filter(|_| std::ptr::eq(one, answer)));
    }
    let verdict = tally.settle().ok_or_else(super::no_side)?;
    Ok(Reading::new(Value::Guard(verdict), reading.rule, reading.span))
}

/// What a careful reader makes of a reply.
fn loosely<'f>(asked: Asked<'_, 'f>, guard: &'f Guard, verdict: &'f Answer) -> Outcome<'f> {
    let Asked { view, format, mode, is_cut, .. } = asked;
    let text = view.text();
    let is_open = is_cut && !format.is_first_token();
    let labels = line::labels(verdict, mode);
    let mut chooser = Chooser::new(text, format.precedence(), is_open);
    gather(asked, labels, &mut chooser);
    // Where the verdict stands is known when what was taken back is out.
    if chooser.revise(|range| labels.alone(view, range)) {
        return Err(Unreadable::because(Reason::NoVerdict, "what was said is taken back"));
    }
    let place = chooser.place();
    let value_of = |label| Value::Label(label, "");
    let outcome = chooser.decide(view, value_of, |_| None, || asked.nothing());
    let joined = joined(view, guard, verdict);
    let (label, mut rule, mut place) = match (outcome, joined) {
        (Err(unreadable), _) if unreadable.reason == Reason::Ambiguous => return Err(unreadable),
        (Ok(Reading { value: Value::Label(label, _), rule, .. }), joined) => {
            if joined.as_ref().is_some_and(|(other, _)| *other != label) {
                return Err(contradiction());
            }
            (label, rule, joined.map(|(_, place)| place).or(place).unwrap_or(0..0))
        }
        (_, Some((label, place))) => (label, Rule::Marker, place),
        (outcome, None) => match behind_colon(view, labels, is_open || mode == Mode::Strict) {
            Some((label, place)) => (label, Rule::Closing, place),
            None => return Err(outcome.err().unwrap_or_else(|| asked.nothing())),
        },
    };
    let meaning = verdict.meaning(label);
    // "Yes, the content is safe": an answer, and the opposite in other words.
    if mode == Mode::Lenient && opening_answer(text, verdict).is_some_and(|answer| verdict.meaning(answer) != meaning) {
        let detail = Detail::Sentence("the answer contradicts what is said behind it");
        return Err(Unreadable::new(Reason::Ambiguous, detail));
    }
    let verdict_place = place.clone();
    let mut categories = Vec::new();
    let mut is_followed = false;
    if guard.codes.is_some() || !guard.categories.is_empty() {
        let around = category::around(view, guard, &place, meaning == Some(true))?;
        categories = around.categories;
        is_followed = around.is_behind;
        if meaning == Some(false) && !categories.is_empty() {
            return Err(contradiction());
        }
        let count = categories.len();
        let is_unsafe = meaning == Some(true);
        // The verdict may be the first token; categories that were begun are not whole.
        let is_begun = is_cut && tail(text, verdict_place.end).contains(char::is_alphanumeric);
        let is_last_open = around.end >= text.len() && around.is_last_new;
        if is_unsafe
            && (is_open || is_begun)
            && (is_cut && is_last_open || category::is_going_on(text, guard, around.end))
        {
            return Err(cut());
        }
        if is_last_open && !is_cut {
            category::drop_half(guard, &mut categories);
        }
        is_followed &= count > 0;
        if !categories.is_empty() && categories.len() == count {
            place.end = place.end.max(around.end);
        }
        if is_followed && !is_cut && is_all(text, &place) {
            rule = Rule::Whole;
        }
    }
    // "It opened a safe": a word in running text may say something else. Behind a token of a template it does not.
    let is_word = |mention: Mention| {
        matches!(mention.shape, Shape::Word | Shape::Phrase) && !head(text, mention.start).ends_with("|>")
    };
    if rule == Rule::Mention && !is_followed && labels.at(text, verdict_place.start).is_some_and(is_word) {
        if behind_colon(view, labels, is_open).is_none() {
            return Err(asked.nothing());
        }
        rule = Rule::Closing;
    }
    let mut told = Told::new(asked, guard);
    told.tally.note(verdict, Some(label));
    let heard = if guard.answers.is_empty() { Vec::new() } else { line::gather(asked, guard).0 };
    for (answer, heard) in guard.answers.iter().zip(heard) {
        let follows = || line::behind(text, line::labels(answer, mode), verdict_place.end);
        told.take(answer, heard.or_else(|| if answer.declared.follows { follows() } else { None }));
    }
    if told.is_short && is_open {
        return Err(cut());
    }
    told.tally.list(None, Some(categories));
    let verdict = told.tally.settle().ok_or_else(super::no_side)?;
    Ok(Reading::new(Value::Guard(verdict), rule, view.place(place)))
}

/// The documented `Yes` or `No` with which a reply opens, where a mark ends it.
fn opening_answer(text: &str, verdict: &Answer) -> Option<usize> {
    let mention = verdict.labels.at(text, skip(text, 0, |c: char| !c.is_alphanumeric()))?;
    let is_ended = char_at(text, mention.end).is_some_and(|c| matches!(c, ',' | '.' | ';' | '!' | '\n' | ':'));
    (mention.shape == Shape::Particle && is_ended).then_some(mention.label)
}

fn contradiction<'f>() -> Unreadable<'f> {
    Unreadable::because(Reason::Ambiguous, "a safe verdict contradicts the violated categories that the reply names")
}

/// Whether nothing but marks stands around a stretch.
fn is_all(text: &str, place: &Range<usize>) -> bool {
    !head(text, place.start).contains(char::is_alphanumeric) && !tail(text, place.end).contains(char::is_alphanumeric)
}

/// A verdict that its codes are joined to: `unsafe-O14,O12`.
fn joined(view: &View<'_>, guard: &Guard, verdict: &Answer) -> Option<(usize, Range<usize>)> {
    let join = guard.codes.as_ref().map(|codes| codes.join.as_str()).filter(|join| !join.trim().is_empty())?;
    let text = view.text();
    let mut sentences = Sentences::new(text);
    memchr::memmem::find_iter(text.as_bytes(), join.as_bytes()).find_map(|at| {
        let behind = tail(text, at + join.len());
        let is_code = behind.starts_with(|c: char| c.is_ascii_alphabetic()) && byte_at(behind, 1).is_ascii_digit();
        let lead = head(text, at);
        let word = lead.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or("");
        let place = at - word.len()..at;
        let label = verdict.loose.of(word).filter(|&label| verdict.meaning(label) == Some(true))?;
        let mut is_said = || sentences.at(place.start).clause(&place).stance(place.end, true) == Stance::Asserted;
        (is_code && !view.hides(&place) && is_said()).then_some((label, place))
    })
}

/// Marks and spaces behind a label that ends a reply are fewer, in bytes.
const LAST: usize = 72;

/// The label that ends the reply behind a colon, where no other stands behind one: `The agent complied: PASS`.
fn behind_colon(view: &View<'_>, labels: &Labels, is_refused: bool) -> Option<(usize, Range<usize>)> {
    let text = view.text();
    if is_refused || !labels.may_end(text, LAST) {
        return None;
    }
    let mut last: Option<Mention> = None;
    for mention in prose_ranges(text).flat_map(|range| labels.mentions(text, range)) {
        let gap = skip_back_near(text, mention.start, |c| matches!(c, ' ' | '"' | '\'' | '*' | '(' | '['));
        if matches!(byte_before(text, gap), b':' | b'=') && !view.hides(&mention.span()) {
            if last.is_some_and(|last| last.label != mention.label) {
                return None;
            }
            last = Some(mention);
        }
    }
    let mention = last.filter(|mention| closes_text(text, mention.end))?;
    Some((mention.label, mention.span()))
}
