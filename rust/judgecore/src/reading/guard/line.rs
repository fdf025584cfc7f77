//! Answers on lines of their own: `Harmful request: yes`.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Range;

use super::{Task, category};
use crate::format::Precedence;
use crate::format::guard::{Answer, Line};
use crate::format::label::{Labels, Mention, Shape};
use crate::lexicon as class;
use crate::reading::context::{Word, skip_closing, word_after};
use crate::reading::evidence::{Candidate, Chooser, Found};
use crate::reading::line_label::{MOST_MARKS, below, is_closed, label_end, mark, value_behind, value_start};
use crate::reading::option::{TWO_LABELS, is_onward, is_rivalled};
use crate::reading::outcome::{Detail, Mode, Reason, Rule};
use crate::reading::slot::{closed, held, not_a_label};
use crate::reply::text::{LineEnds, byte_at, byte_before, char_at, is_word_edge, line_end, lines, skip_near, slice};

/// What the lines of a guard say.
pub(super) struct Heard<'f> {
    /// In the order of the guard's answers.
    pub(super) answers: Vec<Slot<'f>>,
    /// The categories that belong to no answer.
    pub(super) categories: Option<Listed<'f>>,
}

/// What an answer's lines say.
#[derive(Clone)]
pub(super) enum Slot<'f> {
    Label(Option<Said>),
    List(Option<Listed<'f>>),
}

impl Slot<'_> {
    /// Where what was heard ends.
    pub(super) fn end(&self) -> Option<usize> {
        match self {
            Self::Label(said) => said.as_ref().map(|said| said.span.end),
            Self::List(listed) => listed.as_ref().map(|listed| listed.span.end),
        }
    }
}

/// A word on its line.
#[derive(Clone)]
pub(super) struct Said {
    pub(super) found: Found<usize>,
    pub(super) span: Range<usize>,
}

/// Categories on a line.
#[derive(Clone)]
pub(super) struct Listed<'f> {
    pub(super) items: Vec<Cow<'f, str>>,
    pub(super) span: Range<usize>,
}

/// The words that may stand for an answer in this mode.
pub(in crate::reading) fn labels(answer: &Answer, mode: Mode) -> &Labels {
    if mode == Mode::Strict { &answer.labels } else { &answer.loose }
}

/// All answers that have lines, or a word that is all of a line.
pub(super) fn gather<'f>(task: Task<'_, 'f>) -> Heard<'f> {
    let Task { view, guard, .. } = task;
    let empty = |answer: &Answer| if answer.declared.lists { Slot::List(None) } else { Slot::Label(None) };
    let text = view.text();
    let mut listener = Listener {
        task,
        text,
        heard: Heard { answers: guard.answers.iter().map(empty).collect(), categories: None },
        choosers: guard.answers.iter().map(|_| Chooser::slot(text, task.format.precedence(), false)).collect(),
        line_ends: LineEnds::new(text, |_| true),
        next_entry: Cell::new(None),
    };
    lines(text).for_each(|line| listener.line(line));
    if task.mode == Mode::Lenient {
        listener.prose();
    }
    let Listener { mut heard, choosers, .. } = listener;
    for (slot, chooser) in heard.answers.iter_mut().zip(choosers) {
        if let Slot::Label(said) = slot {
            *said = chooser.settle(|_| None).ok().map(|(found, span)| Said { found, span });
        }
    }
    heard
}

struct Listener<'g, 'v, F> {
    task: Task<'v, 'g>,
    text: &'v str,
    heard: Heard<'g>,
    /// What weighs the words of each answer.
    choosers: Vec<Chooser<'v, usize>>,
    line_ends: LineEnds<'v, F>,
    /// From where the next entry of a list's line was looked for, and where it stands or the line ends.
    next_entry: Cell<Option<(usize, usize)>>,
}

impl<'g, F: Fn(&str) -> bool> Listener<'g, '_, F> {
    /// What begins on this line, and behind the commas of one that holds an answer.
    fn line(&mut self, line: Range<usize>) {
        self.alone(&line);
        let Some(mut at) = self.begin(&line) else {
            return;
        };
        while at < line.end {
            // The next one may follow at once: `Harmful request: yes Response refusal: no`.
            let close = skip_near(self.text, at, |c| matches!(c, ' ' | '.' | '*'));
            if close > at
                && self.task.guard.may_begin(byte_at(self.text, close))
                && let Some(end) = self.entry(close, true)
            {
                at = end.max(close);
                continue;
            }
            let rest = slice(self.text, at..line.end);
            let Some(next) = rest.find([',', ';', '|', '{']) else {
                return;
            };
            at += next + 1;
            if let Some(end) = self.begin(&(at..line.end)) {
                at = end.max(at);
            }
        }
    }

    /// The entry that a stretch begins with, marks aside; gives where it ends.
    fn begin(&mut self, line: &Range<usize>) -> Option<usize> {
        let mut at = line.start;
        for _ in 0..MOST_MARKS {
            if self.task.guard.may_begin(byte_at(self.text, at))
                && let Some(end) = self.entry(at, true)
            {
                return Some(end);
            }
            at += mark(self.text, at)?;
            if at >= line.end {
                return None;
            }
        }
        None
    }

    /// The entry whose label stands here; gives where it ends.
    fn entry(&mut self, start: usize, is_standing: bool) -> Option<usize> {
        for (nth, answer) in self.task.guard.answers.iter().enumerate() {
            for line in &answer.lines {
                if let Some(end) = self.answer(nth, answer, line, start, is_standing) {
                    return Some(end);
                }
            }
        }
        let line = self.task.guard.categories.iter().find_map(|line| value_start(self.text, &line.prefix, start))?;
        let listed = self.list(start, line)?;
        let end = listed.span.end;
        if is_standing && (self.heard.categories.is_none() || self.task.format.precedence() == Precedence::Last) {
            self.heard.categories = Some(listed);
        }
        Some(end)
    }

    fn answer(&mut self, nth: usize, answer: &Answer, line: &Line, start: usize, is_standing: bool) -> Option<usize> {
        let label_end = label_end(self.text, &line.prefix, start)?;
        let value = value_behind(self.text, label_end, is_closed(&line.prefix));
        if answer.declared.lists {
            let listed = self.list(start, value?)?;
            let end = listed.span.end;
            if let Some(Slot::List(slot)) = self.heard.answers.get_mut(nth)
                && is_standing
                && (slot.is_none() || self.task.format.precedence() == Precedence::Last)
            {
                *slot = Some(listed);
            }
            return Some(end);
        }
        let labels = labels(answer, self.task.mode);
        let (found, end) = match value {
            Some(value) => self.said_at(labels, line, value, is_standing)?,
            None if self.task.mode == Mode::Lenient && is_standing => under_heading(self.text, labels, label_end)?,
            None => return None,
        };
        let span = start..end;
        if self.task.view.hides(&span) && byte_at(self.text, label_end) != b'"' {
            return Some(end);
        }
        self.offer(nth, found, span, is_standing);
        Some(end)
    }

    fn list(&self, start: usize, value: usize) -> Option<Listed<'g>> {
        // Another entry on the line ends the list.
        let (items, end) = category::listed(self.text, self.task.guard, value, self.entry_behind(value));
        let is_hidden = self.task.view.hides(&(start..end)) && byte_before(self.text, value) != b'"';
        (!is_hidden).then_some(Listed { items, span: start..end })
    }

    /// Where the next entry stands on the line, or where the line ends.
    fn entry_behind(&self, value: usize) -> usize {
        if let Some((_, stop)) = self.next_entry.get().filter(|&(from, stop)| from <= value && value + 1 < stop) {
            return stop;
        }
        let line_end = self.line_ends.end(value);
        let rest = self.text.as_bytes().get(value + 1..line_end).unwrap_or_default();
        let gaps = rest.iter().zip(value + 2..).filter(|(byte, _)| matches!(byte, b' ' | b',' | b';' | b'|'));
        let mut starts = gaps.map(|(_, at)| at);
        let entry = starts.find(|&at| self.task.guard.may_begin(byte_at(self.text, at)) && self.is_entry(at));
        let stop = entry.unwrap_or(line_end);
        self.next_entry.set(Some((value, stop)));
        stop
    }

    /// Whether an entry with its colon begins here.
    fn is_entry(&self, at: usize) -> bool {
        let lines = self.task.guard.answers.iter().flat_map(|answer| &answer.lines).chain(&self.task.guard.categories);
        is_word_edge(self.text, at) && lines.into_iter().any(|line| value_start(self.text, &line.prefix, at).is_some())
    }

    /// The word at a value's place, or what stands there instead.
    fn said_at(&self, labels: &Labels, line: &Line, value: usize, is_standing: bool) -> Option<(Found<usize>, usize)> {
        let text = self.text;
        match labels.at(text, value) {
            Some(mention) => {
                let end = closed(text, mention.end, &line.suffix)?;
                let found = match standing(text, labels, mention) {
                    Standing::Value => Ok(mention.label),
                    Standing::Listed => Err(TWO_LABELS),
                    Standing::Else(next) if self.is_entry(next) => Ok(mention.label),
                    Standing::Else(_) => return failed(text, value),
                };
                Some((found, end))
            }
            // A value on the next line that is none belongs to something else.
            None if is_standing && !slice(text, value.saturating_sub(2)..value).contains('\n') => failed(text, value),
            None => None,
        }
    }

    /// A word that is all of a line.
    fn alone(&mut self, line: &Range<usize>) {
        for (nth, answer) in self.task.guard.answers.iter().enumerate().filter(|(_, answer)| answer.declared.alone) {
            let is_mark = |c: char| c.is_whitespace() || (c.is_ascii_punctuation() && c != '_');
            let whole = slice(self.text, line.clone());
            let bare = if self.task.mode == Mode::Strict { whole.trim() } else { whole.trim_matches(is_mark) };
            if let Some(label) = labels(answer, self.task.mode).of(bare) {
                self.offer(nth, Ok(label), line.clone(), true);
            }
        }
    }

    /// Labels in running text, of answers that have no line.
    fn prose(&mut self) {
        for (nth, answer) in self.task.guard.answers.iter().enumerate() {
            let is_heard = self.choosers.get(nth).is_none_or(|chooser| !chooser.is_empty());
            if is_heard || answer.declared.lists {
                continue;
            }
            for line in &answer.lines {
                let Some(initial) = line.prefix.bytes().next() else { continue };
                let (lower, upper) = (initial.to_ascii_lowercase(), initial.to_ascii_uppercase());
                for start in memchr::memchr2_iter(lower, upper, self.text.as_bytes()) {
                    let span = start..start + line.prefix.len();
                    if is_word_edge(self.text, start)
                        && byte_before(self.text, start) != b'-'
                        && is_announced(self.text, span.end)
                        && (byte_before(self.text, start) == b'"' || !self.task.view.quotes(&span))
                    {
                        self.answer(nth, answer, line, start, false);
                    }
                }
            }
        }
    }

    /// Take what an answer's line says; the form that is repeated, and several words that hold no label, say nothing.
    fn offer(&mut self, nth: usize, found: Found<usize>, span: Range<usize>, is_standing: bool) {
        let Some(chooser) = self.choosers.get_mut(nth) else { return };
        let says_nothing = match &found {
            Err((Reason::Malformed, Detail::NotALabel(held))) => held.contains(' '),
            Err(problem) => *problem == TWO_LABELS,
            Ok(_) => false,
        };
        let grade = usize::from(!is_standing) + 2 * usize::from(says_nothing);
        chooser.offer(Candidate::new(found, Rule::Fields, grade, span));
    }
}

/// Whether a colon or its like stands close behind a label, as prose has it where an answer follows.
fn is_announced(text: &str, end: usize) -> bool {
    let link = skip_near(text, end, |c| matches!(c, ' ' | '"' | '*' | '\u{201d}'));
    matches!(byte_at(text, link), b':' | b'=' | b'>')
}

/// What stands at a value's place and is no label, if it is short.
fn failed(text: &str, value: usize) -> Option<(Found<usize>, usize)> {
    let held = held(text, value, None);
    (1..=40).contains(&held.len()).then(|| (Err(not_a_label(held)), value + held.len()))
}

enum Standing {
    Value,
    /// One of several, and no choice.
    Listed,
    /// The first word of something else, which goes on here.
    Else(usize),
}

/// Whether a label is the value: `no, because …`, but not `no longer`, `yes or no` or `safe?`.
fn standing(text: &str, labels: &Labels, mention: Mention) -> Standing {
    let next = skip_near(text, skip_closing(text, mention.end), |c| matches!(c, ' ' | '\t'));
    // "Safe, Unsafe or Controversial" shows what may stand there.
    let behind_comma = skip_near(text, next + 1, |c| c == ' ');
    let is_word = matches!(mention.shape, Shape::Word | Shape::Phrase) && byte_at(text, next) == b',';
    let is_listed = is_word && labels.at(text, behind_comma).is_some_and(|other| other.label != mention.label);
    if is_listed || is_rivalled(text, labels, mention) {
        return Standing::Listed;
    }
    // A word that begins another clause.
    let begins = |word: Word<'_>| is_onward(word) || word.has(class::FILL | class::SUBJECT | class::SELF);
    let goes_on = match char_at(text, next) {
        Some('.') => byte_at(text, next + 1) == b'.',
        Some(c) => c == '?' || c.is_alphanumeric() && !word_after(text, next).is_some_and(begins),
        None => false,
    };
    if goes_on { Standing::Else(next) } else { Standing::Value }
}

/// A label on a line of its own, and its value on the next: `### Safety` and `Unsafe`.
fn under_heading(text: &str, labels: &Labels, label_end: usize) -> Option<(Found<usize>, usize)> {
    let value = skip_near(text, below(text, label_end)?, |c| matches!(c, '-' | '*' | ' '));
    let mention = labels.at(text, value)?;
    let rest = slice(text, mention.end..line_end(text, mention.end));
    rest.chars().all(|c| !c.is_alphanumeric()).then_some((Ok(mention.label), mention.end))
}

/// The word that stands behind a verdict on its line: `unsafe, score 4`.
pub(super) fn behind(text: &str, labels: &Labels, verdict_end: usize) -> Option<Mention> {
    let end = line_end(text, verdict_end);
    let is_gap = |c: char| c.is_whitespace() || (c.is_ascii_punctuation() && c != '-');
    let mut at = skip_near(text, verdict_end, is_gap);
    for _ in 0..4 {
        if at >= end {
            return None;
        }
        if let Some(mention) = labels.at(text, at) {
            return Some(mention);
        }
        let word = word_after(text, at).filter(|word| {
            word.start == at && word.is(&["score", "severity", "level", "is", "of", "with", "a", "an", "plus", "and"])
        })?;
        at = skip_near(text, word.end, is_gap);
    }
    None
}
