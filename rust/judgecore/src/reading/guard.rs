//! Reading a guard's verdict: sides, categories and other answers.

mod category;
pub(super) mod line;
mod lone;

use std::borrow::Cow;
use std::ops::Range;

use super::Asked;
use super::outcome::{FieldValue, GuardVerdict, Mode, Outcome, Reading, Reason, Rule, Unreadable, Value};
use crate::format::guard::{Answer, Guard};
use crate::format::{Format, Side};
use crate::json::Json;
use crate::reply::View;
use crate::reply::text::extend;

/// A reply that a guard wrote, and how it is read.
#[derive(Clone, Copy)]
pub(super) struct Task<'v, 'f> {
    pub(super) view: &'v View<'v>,
    pub(super) format: &'f Format,
    pub(super) guard: &'f Guard,
    pub(super) mode: Mode,
    pub(super) is_cut: bool,
}

/// Read a guard's reply that is no JSON.
pub(super) fn read<'f>(asked: Asked<'_, 'f>, guard: &'f Guard) -> Outcome<'f> {
    let Asked { view, format, mode, is_cut, .. } = asked;
    let task = Task { view, format, guard, mode, is_cut };
    guard.verdict.as_ref().map_or_else(|| task.read_lines(), |verdict| lone::read(task, verdict))
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

/// What came of the answers so far.
struct Told<'t, 'f> {
    task: Task<'t, 'f>,
    span: Option<Range<usize>>,
    failure: Option<Unreadable<'f>>,
    /// An answer is missing that replies can't do without.
    is_missing: bool,
    /// Any answer is missing.
    is_short: bool,
}

impl<'f> Told<'_, 'f> {
    /// Whether what stands here may have been going on where the reply was cut off.
    fn is_open(&self, span: &Range<usize>) -> bool {
        self.task.is_cut && span.end + 1 >= self.task.view.text().len()
    }

    fn take(&mut self, answer: &'f Answer, slot: line::Slot<'f>, tally: &mut Tally<'f>) {
        match slot {
            line::Slot::Label(said) => match said.filter(|said| !self.is_open(&said.span)) {
                Some(line::Said { found: Ok(label), span, .. }) => {
                    extend(&mut self.span, &span);
                    tally.note(answer, Some(label));
                }
                said => {
                    self.miss(answer, said.is_none());
                    if let Some(line::Said { found: Err((reason, detail)), .. }) = said {
                        self.failure.get_or_insert(Unreadable::new(reason, detail));
                    }
                    tally.note(answer, None);
                }
            },
            line::Slot::List(listed) => {
                let listed = listed.filter(|listed| !self.is_open(&listed.span));
                self.miss(answer, listed.is_none());
                let items =
                    listed.map(|listed| self.items(listed)).filter(|(items, is_whole)| *is_whole || !items.is_empty());
                let items = items.map(|(items, _)| items);
                tally.list(answer.declared.name.as_deref(), items);
            }
        }
    }

    fn miss(&mut self, answer: &Answer, is_missing: bool) {
        self.is_short |= is_missing;
        self.is_missing |= is_missing && !answer.declared.optional;
    }

    /// Categories, but the last one where it was going on; and whether it was not.
    fn items(&mut self, listed: line::Listed<'f>) -> (Vec<Cow<'f, str>>, bool) {
        let mut items = listed.items;
        let count = items.len();
        let is_open = self.is_open(&listed.span);
        // "Categories: No" may have been going on as "None".
        let is_nothing = |item: &Cow<'_, str>| category::begins_nothing(item);
        self.is_short |= is_open && !items.iter().all(is_nothing);
        if is_open {
            items.pop();
        } else if listed.span.end >= self.task.view.text().len() {
            category::drop_half(self.task.guard, &mut items);
        }
        // "None" may have been going on too.
        let is_whole = !is_open && items.len() == count;
        if is_whole {
            extend(&mut self.span, &listed.span);
        }
        (items, is_whole)
    }
}

/// Whether the answer that judges the subject is the next that was to come, as in a reply cut off before it.
fn stops_before_subject(text: &str, guard: &Guard, heard: &[line::Slot<'_>]) -> bool {
    let is_heard = |slot: &line::Slot<'_>| matches!(slot, line::Slot::Label(Some(_)) | line::Slot::List(Some(_)));
    let is_subject = |answer: &Answer| answer.declared.side == Some(guard.subject) && !answer.declared.optional;
    let Some(subject) = guard.answers.iter().position(is_subject) else {
        return false;
    };
    let (before, rest) = heard.split_at(subject.min(heard.len()));
    if before.is_empty() || !before.iter().all(is_heard) || rest.iter().any(is_heard) {
        return false;
    }
    let end = before.iter().filter_map(line::Slot::end).max().unwrap_or(0);
    let is_mark = |c: char| c.is_whitespace() || matches!(c, '*' | '-' | '#' | '.' | ':' | '"');
    let left = crate::reply::text::tail(text, end).trim_matches(is_mark);
    let lines = guard.answers.get(subject).map_or(&[][..], |answer| &answer.lines);
    left.is_empty()
        || lines.iter().any(|line| line.get(..left.len()).is_some_and(|head| head.eq_ignore_ascii_case(left)))
}

impl<'f> Task<'_, 'f> {
    /// Several answers, each on a line of its own.
    fn read_lines(self) -> Outcome<'f> {
        let Self { view, format, guard, mode, is_cut } = self;
        let text = view.text();
        let heard = line::gather(self);
        let mut tally = Tally::new(guard);
        let is_stopped = stops_before_subject(text, guard, &heard.answers);
        let mut told = Told { task: self, span: None, failure: None, is_missing: false, is_short: false };
        for (answer, slot) in guard.answers.iter().zip(heard.answers) {
            told.take(answer, slot, &mut tally);
        }
        if let Some(listed) = heard.categories {
            tally.list(None, Some(told.items(listed).0));
        }
        let Told { span, failure, is_missing, is_short, .. } = told;
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
            (Some(verdict), _) => {
                let place = view.place(span.unwrap_or(0..0));
                Ok(Reading::new(Value::Guard(verdict), Rule::Fields, place))
            }
            (None, Some(failure)) => Err(failure),
            (None, None) if span.is_some() => Err(no_side()),
            (None, None) => Err(super::nothing(text, format)),
        }
    }

    /// A reply that holds none of a guard's documents: the answers on lines, or the one answer as a word at the end.
    pub(super) fn read_undocumented(self) -> Option<Reading<'f>> {
        let mut sides = self.guard.answers.iter().filter(|answer| answer.declared.side.is_some());
        let only = sides.next().filter(|_| sides.next().is_none());
        self.read_lines().ok().or_else(|| {
            let reading = lone::read_word(self, only?).ok()?;
            matches!(reading.rule, Rule::Whole | Rule::Labelled | Rule::Closing).then_some(reading)
        })
    }
}
