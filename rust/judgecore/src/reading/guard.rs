//! Reading a guard's verdict: sides, categories and other answers.

mod category;
pub(super) mod line;
mod lone;

use std::borrow::Cow;
use std::ops::Range;

use super::Asked;
use super::outcome::{FieldValue, GuardVerdict, Mode, Outcome, Reading, Reason, Rule, Unreadable, Value};
use crate::format::Side;
use crate::format::guard::{Answer, Guard};
use crate::json::Json;
use crate::reply::text::extend;
use line::{Heard, Said};

/// Read a guard's reply that is no JSON.
pub(super) fn read<'f>(asked: Asked<'_, 'f>, guard: &'f Guard) -> Outcome<'f> {
    guard.verdict.as_ref().map_or_else(|| read_lines(asked, guard), |verdict| lone::read(asked, guard, verdict))
}

/// What a guard has said so far.
pub(super) struct Tally<'f> {
    guard: &'f Guard,
    verdict: GuardVerdict<'f>,
    /// Of the answers that are categories: whether one is violated, and whether all were heard.
    violated: Option<(Side, bool, bool)>,
    says_neither: bool,
}

impl<'f> Tally<'f> {
    pub(super) fn new(guard: &'f Guard) -> Self {
        Self { guard, verdict: GuardVerdict::default(), violated: None, says_neither: false }
    }

    /// Take an answer; None where the guard left it out or contradicts itself.
    pub(super) fn note(&mut self, answer: &'f Answer, label: Option<usize>) {
        let meaning = label.and_then(|label| answer.meaning(label));
        let side = answer.declared.side.unwrap_or(self.guard.subject);
        if let Some(category) = &answer.declared.category {
            let (_, is_violated, is_heard) = self.violated.unwrap_or((side, false, true));
            self.violated = Some((side, is_violated || meaning == Some(true), is_heard && meaning.is_some()));
            if meaning == Some(true) {
                self.verdict.categories.push(Cow::Borrowed(category));
            }
        } else if answer.declared.side.is_some() {
            self.set(side, meaning);
            self.says_neither |= label.is_some_and(|label| answer.is_neither(label));
        }
        if let Some(name) = &answer.declared.name {
            let value = match (label, meaning) {
                (Some(label), _) if answer.declared.word && (meaning.is_some() || answer.is_neither(label)) => {
                    word(answer.labels.name(label))
                }
                (_, Some(meaning)) => FieldValue::Bool(meaning),
                _ => FieldValue::None,
            };
            self.verdict.fields.push((name, value));
        }
    }

    /// Take the categories that an answer lists.
    pub(super) fn list(&mut self, name: Option<&'f str>, listed: Option<Vec<Cow<'f, str>>>) {
        if let Some(name) = name {
            let value = listed.as_ref().map_or(FieldValue::None, |listed| FieldValue::Texts(listed.clone()));
            self.verdict.fields.push((name, value));
        }
        if self.verdict.categories.is_empty() {
            // Each list holds what it names once.
            self.verdict.categories = listed.unwrap_or_default();
            return;
        }
        for category in listed.into_iter().flatten() {
            if !self.verdict.categories.contains(&category) {
                self.verdict.categories.push(category);
            }
        }
    }

    fn set(&mut self, side: Side, meaning: Option<bool>) {
        match side {
            Side::Prompt => self.verdict.prompt_unsafe = meaning,
            Side::Response => self.verdict.response_unsafe = meaning,
        }
    }

    /// The verdict; None where the guard says of no side whether it is unsafe.
    pub(super) fn settle(mut self) -> Option<GuardVerdict<'f>> {
        if let Some((side, is_violated, is_heard)) = self.violated {
            self.set(side, if is_violated { Some(true) } else { is_heard.then_some(false) });
        }
        let verdict = &mut self.verdict;
        if verdict.prompt_unsafe.is_none() && verdict.response_unsafe.is_none() && !self.says_neither {
            return None;
        }
        verdict.is_unsafe = match self.guard.subject {
            Side::Prompt => verdict.prompt_unsafe,
            Side::Response => verdict.response_unsafe,
        };
        verdict.side = Some(self.guard.subject);
        category::note_unknown(self.guard, verdict);
        category::place(self.guard, verdict);
        Some(self.verdict)
    }
}

/// A word as a field's value; one that is a number, as a number.
fn word(word: &str) -> FieldValue<'_> {
    word.parse().map_or(FieldValue::Word(word), FieldValue::Number)
}

/// The categories of an entry of a document: a list, or a text with commas.
pub(super) fn categories_of<'f>(entry: &Json<'_>, guard: &'f Guard) -> Vec<Cow<'f, str>> {
    let mut categories = Vec::new();
    match entry {
        Json::Str(text) => category::collect(text, guard, &mut categories),
        Json::Array(items) => items.iter().for_each(|item| {
            if let Json::Str(text) = item {
                category::push(&mut categories, guard, text.trim());
            }
        }),
        _ => {}
    }
    categories
}

pub(super) fn no_side<'f>() -> Unreadable<'f> {
    Unreadable::because(Reason::NoVerdict, "the guard says of no side whether it is unsafe")
}

fn cut<'f>() -> Unreadable<'f> {
    Unreadable::because(Reason::Truncated, "the reply was cut off before its verdict was complete")
}

/// What the answers of a text come to so far.
struct Told<'t, 'f> {
    asked: Asked<'t, 'f>,
    tally: Tally<'f>,
    span: Option<Range<usize>>,
    failure: Option<Unreadable<'f>>,
    /// An answer is missing that replies can't do without.
    is_missing: bool,
    /// Any answer is missing, or may have been going on.
    is_short: bool,
}

impl<'t, 'f> Told<'t, 'f> {
    fn new(asked: Asked<'t, 'f>, guard: &'f Guard) -> Self {
        Self { asked, tally: Tally::new(guard), span: None, failure: None, is_missing: false, is_short: false }
    }

    /// Whether what stands here may have been going on where the reply was cut off.
    fn is_open(&self, span: &Range<usize>) -> bool {
        self.asked.is_cut && span.end + 1 >= self.asked.view.text().len()
    }

    /// Take what was heard of an answer.
    fn take(&mut self, answer: &'f Answer, heard: Option<Heard<'f>>) {
        let heard = heard.filter(|heard| !self.is_open(&heard.span));
        self.is_short |= heard.is_none();
        self.is_missing |= heard.is_none() && !answer.declared.optional;
        if answer.declared.lists {
            return self.list(answer.declared.name.as_deref(), heard);
        }
        let label = match heard {
            Some(Heard { said: Said::Label(Ok(label)), span }) => {
                extend(&mut self.span, &span);
                Some(label)
            }
            Some(Heard { said: Said::Label(Err((reason, detail))), .. }) => {
                self.failure.get_or_insert(Unreadable::new(reason, detail));
                None
            }
            _ => None,
        };
        self.tally.note(answer, label);
    }

    /// Take categories, but the last one where it was going on.
    fn list(&mut self, name: Option<&'f str>, heard: Option<Heard<'f>>) {
        let Some(Heard { said: Said::List(mut items), span }) = heard else { return self.tally.list(name, None) };
        let count = items.len();
        let is_open = self.is_open(&span);
        // "Categories: No" may have been going on as "None".
        let is_nothing = |item: &Cow<'_, str>| category::begins_nothing(item);
        self.is_short |= is_open && !items.iter().all(is_nothing);
        if is_open {
            items.pop();
        } else if span.end >= self.asked.view.text().len() {
            category::drop_half(self.tally.guard, &mut items);
        }
        // "None" may have been going on too.
        let is_whole = !is_open && items.len() == count;
        if is_whole {
            extend(&mut self.span, &span);
        }
        self.tally.list(name, Some(items).filter(|items| is_whole || !items.is_empty()));
    }
}

/// Whether the answer that judges the subject is the next that was to come, as in a reply cut off before it.
fn stops_before_subject(text: &str, guard: &Guard, heard: &[Option<Heard<'_>>]) -> bool {
    let is_subject = |answer: &Answer| answer.declared.side == Some(guard.subject) && !answer.declared.optional;
    let Some(subject) = guard.answers.iter().position(is_subject) else { return false };
    let (before, rest) = heard.split_at(subject.min(heard.len()));
    if before.is_empty() || !before.iter().all(Option::is_some) || rest.iter().any(Option::is_some) {
        return false;
    }
    let end = before.iter().flatten().map(|heard| heard.span.end).max().unwrap_or(0);
    let is_mark = |c: char| c.is_whitespace() || matches!(c, '*' | '-' | '#' | '.' | ':' | '"');
    let left = crate::reply::text::tail(text, end).trim_matches(is_mark);
    let lines = guard.answers.get(subject).map_or(&[][..], |answer| &answer.lines);
    left.is_empty()
        || lines.iter().any(|line| line.get(..left.len()).is_some_and(|head| head.eq_ignore_ascii_case(left)))
}

/// Several answers, each on a line of its own.
fn read_lines<'f>(asked: Asked<'_, 'f>, guard: &'f Guard) -> Outcome<'f> {
    let Asked { view, mode, is_cut, .. } = asked;
    let (heard, categories) = line::gather(asked, guard);
    let is_stopped = stops_before_subject(view.text(), guard, &heard);
    let mut told = Told::new(asked, guard);
    for (answer, heard) in guard.answers.iter().zip(heard) {
        told.take(answer, heard);
    }
    if categories.is_some() {
        told.list(None, categories);
    }
    let Told { tally, span, failure, is_missing, is_short, .. } = told;
    let verdict = tally.settle();
    if mode == Mode::Strict
        && let Some(failure) = failure
    {
        return Err(failure);
    }
    // What is missing may have been to come; and the answer that counts was, where all stops before it.
    if is_cut && (is_short || verdict.is_none()) || mode == Mode::Lenient && is_stopped {
        return Err(cut());
    }
    match (verdict, failure) {
        (Some(_), _) if mode == Mode::Strict && is_missing => {
            Err(Unreadable::because(Reason::NoVerdict, "an answer of the guard is missing"))
        }
        (Some(verdict), _) => Ok(Reading::new(Value::Guard(verdict), Rule::Fields, view.place(span.unwrap_or(0..0)))),
        (None, Some(failure)) => Err(failure),
        (None, None) if span.is_some() => Err(no_side()),
        (None, None) => Err(asked.nothing()),
    }
}

/// A reply that holds none of a guard's documents: the answers on lines, or the one answer as a word at the end.
pub(super) fn read_undocumented<'f>(asked: Asked<'_, 'f>, guard: &'f Guard) -> Option<Reading<'f>> {
    let mut sides = guard.answers.iter().filter(|answer| answer.declared.side.is_some());
    let only = sides.next().filter(|_| sides.next().is_none());
    read_lines(asked, guard).ok().or_else(|| {
        let reading = lone::read_word(asked, guard, only?).ok()?;
        matches!(reading.rule, Rule::Whole | Rule::Labelled | Rule::Closing).then_some(reading)
    })
}
