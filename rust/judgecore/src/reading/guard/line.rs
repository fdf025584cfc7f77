//! Answers on lines of their own: `Harmful request: yes`.

use std::borrow::Cow;
use std::ops::Range;

use super::category;
use crate::format::Precedence;
use crate::format::guard::{Answer, Guard};
use crate::format::label::Labels;
use crate::reading::Asked;
use crate::reading::choice::slot_label;
use crate::reading::evidence::{Candidate, Chooser, Found};
use crate::reading::line_label::{labels_in, stands, value_behind};
use crate::reading::named::gather_label;
use crate::reading::outcome::{Mode, Rule};
use crate::reply::View;
use crate::reply::text::{byte_at, byte_before, line_end, lines, skip_near, slice};

/// What stands where an answer or categories are announced.
#[derive(Clone)]
pub(super) struct Heard<'f> {
    pub(super) said: Said<'f>,
    pub(super) span: Range<usize>,
}

#[derive(Clone)]
pub(super) enum Said<'f> {
    Label(Found<usize>),
    List(Vec<Cow<'f, str>>),
}

/// The words that may stand for an answer in this mode.
pub(in crate::reading) fn labels(answer: &Answer, mode: Mode) -> &Labels {
    if mode == Mode::Strict { &answer.labels } else { &answer.loose }
}

/// How far behind the label of an entry the next one on its line stands at most without a comma.
const NEXT: usize = 40;

/// Where an answer or the categories are announced.
struct Entry {
    label: Range<usize>,
    /// The place of the answer in the guard's list; None for the categories.
    answer: Option<usize>,
    is_standing: bool,
}

/// The entries of a text, in its order: on lines of their own, behind others on theirs, or in running text.
fn entries(view: &View<'_>, guard: &Guard) -> Vec<Entry> {
    let text = view.text();
    let answers = guard.answers.iter().enumerate();
    let prefixes = answers.flat_map(|(nth, answer)| answer.lines.iter().map(move |line| (line.as_str(), Some(nth))));
    let categories = guard.categories.iter().map(|line| (line.as_str(), None));
    let mut entries: Vec<Entry> = Vec::new();
    for (label, answer) in labels_in(text, prefixes.chain(categories)) {
        let is_behind = |last: &Entry| {
            let gap = slice(text, last.label.end..label.start);
            let is_item = gap.len() <= NEXT || gap.trim_end_matches([' ', '*', '"']).ends_with([',', ';', '|', '{']);
            last.is_standing && is_item && !gap.contains('\n') && !view.quotes(&label)
        };
        let is_standing = stands(text, label.start) || entries.last().is_some_and(is_behind);
        entries.push(Entry { label, answer, is_standing });
    }
    entries
}

/// What is heard of each answer, on its line or as a word that is all of one, and of the categories that belong to none.
pub(super) fn gather<'f>(asked: Asked<'_, 'f>, guard: &'f Guard) -> (Vec<Option<Heard<'f>>>, Option<Heard<'f>>) {
    let Asked { view, format, mode, .. } = asked;
    let text = view.text();
    let entries = entries(view, guard);
    let hear = |(nth, answer): (usize, &'f Answer)| {
        if answer.declared.lists {
            return list(asked, guard, Some(nth), &entries);
        }
        let labels = labels(answer, mode);
        let mut chooser = Chooser::slot(text, format.precedence(), false);
        let own = entries.iter().filter(|entry| entry.answer == Some(nth));
        let said = own.filter(|entry| entry.is_standing || is_announced(view, &entry.label));
        let names = said.map(|entry| (entry.label.clone(), entry.is_standing));
        gather_label(view, names, labels, mode, &mut chooser);
        if answer.declared.alone {
            let is_mark = |c: char| c.is_whitespace() || mode != Mode::Strict && c.is_ascii_punctuation() && c != '_';
            let said = |line: Range<usize>| {
                let label = labels.of(slice(text, line.clone()).trim_matches(is_mark))?;
                Some(Candidate::new(Ok(label), Rule::Fields, 0, line))
            };
            chooser.offer_all(lines(text).filter_map(said));
        }
        chooser.settle(|_| None).ok().map(|(found, span)| Heard { said: Said::Label(found), span })
    };
    let answers = guard.answers.iter().enumerate().map(hear).collect();
    (answers, list(asked, guard, None, &entries))
}

/// Whether a label in running text announces an answer: a colon or its like follows.
fn is_announced(view: &View<'_>, label: &Range<usize>) -> bool {
    let text = view.text();
    let link = skip_near(text, label.end, |c| matches!(c, ' ' | '"' | '*' | '\u{201d}'));
    byte_before(text, label.start) != b'-'
        && matches!(byte_at(text, link), b':' | b'=' | b'>' | b'|')
        && !view.quotes(label)
}

/// The categories behind the label of a line, up to where the next entry stands.
fn list<'f>(asked: Asked<'_, 'f>, guard: &'f Guard, answer: Option<usize>, entries: &[Entry]) -> Option<Heard<'f>> {
    let Asked { view, format, .. } = asked;
    let text = view.text();
    let listed = |(nth, entry): (usize, &Entry)| {
        let start = entry.label.start;
        let value = value_behind(text, entry.label.end).filter(|_| entry.is_standing && entry.answer == answer)?;
        let stop = line_end(text, value);
        let mut behind = entries.iter().skip(nth + 1).take_while(|next| next.label.start < stop);
        let next = behind.find(|next| next.label.start > value && value_behind(text, next.label.end).is_some());
        let (items, end) = category::listed(text, guard, value, next.map_or(stop, |next| next.label.start));
        let is_hidden = view.hides(&(start..end)) && byte_before(text, value) != b'"';
        (!is_hidden).then_some(Heard { said: Said::List(items), span: start..end })
    };
    let mut all = entries.iter().enumerate();
    if format.precedence() == Precedence::Last { all.rev().find_map(listed) } else { all.find_map(listed) }
}

/// The word that stands behind a verdict on its line: `unsafe, score 4`.
pub(super) fn behind<'f>(text: &str, labels: &Labels, verdict_end: usize) -> Option<Heard<'f>> {
    let is_gap = |c: char| c.is_whitespace() && c != '\n' || (c.is_ascii_punctuation() && c != '-');
    let mention = slot_label(text, labels, skip_near(text, verdict_end, is_gap))?;
    Some(Heard { said: Said::Label(Ok(mention.label)), span: mention.span() })
}
