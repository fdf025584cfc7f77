//! Gathering evidence for a verdict of any kind, strongest first.

use std::ops::Range;

use super::Asked;
use super::evidence::{Candidate, Chooser, Found};
use super::option::set_side_by_side;
use super::outcome::{Detail, Mode, Outcome, Reason, Rule, Value};
use super::place;
use super::revision::Hears;
use super::sentence::Sentences;
use super::slot::{innermost, slot_start};
use super::token::Token;
use crate::format::marker::Opening;
use crate::format::{Format, Place, Strictness};
use crate::reply::View;
use crate::reply::text::{skip, slice, tail};

/// How the values of a kind stand in a reply.
pub(super) trait Values {
    type Value: PartialEq + Clone;

    /// Whether a value answers or calls something true, so that a bare word behind it may be the reason: `No (revoked)`.
    fn may_have_reason(&self) -> bool {
        false
    }

    /// Whether a noun and what tells several of that name apart name a candidate: `Response B`.
    fn is_candidate(&self, _text: &str, _noun: &Token, _mark: &Token) -> bool {
        false
    }

    /// What stands where several values do.
    const SEVERAL: (Reason, Detail);

    /// Whether `No, …` is a value itself, and so takes none back.
    fn has_answers(&self) -> bool {
        false
    }

    /// What begins where a verdict was asked for, and where it ends.
    fn at_place(&self, text: &str, asked: Place, at: usize) -> Option<(Found<Self::Value>, usize)>;

    /// The only value of a line where a verdict was asked for, if no more than its place announces it.
    fn on_line(&self, _text: &str, _line: Range<usize>) -> Option<Candidate<Self::Value>> {
        None
    }

    /// The whole reply.
    fn whole(&self, text: &str, format: &Format, is_strict: bool) -> Option<Candidate<Self::Value>>;

    /// The first word or line, where the format declares that the verdict stands there.
    fn opening(&self, _text: &str, _first: Range<usize>) -> Option<Candidate<Self::Value>> {
        None
    }

    /// A text that is the value and nothing else, in a form that the format declares.
    fn declared(&self, text: &str) -> Option<Self::Value>;

    /// What stands in the slot of a marker.
    fn in_slot(
        &self,
        view: &View<'_>,
        opening: &Opening<'_>,
        slot: usize,
        is_strict: bool,
        sentences: &mut Sentences<'_>,
    ) -> Option<Candidate<Self::Value>>;

    /// Offer what sentences say in the form that the format documents.
    fn offer_statements(&self, _view: &View<'_>, _format: &Format, _chooser: &mut Chooser<'_, Self::Value>) {}

    /// Offer what prose says, from labelled lines to lone mentions.
    fn offer_prose(&self, view: &View<'_>, format: &Format, chooser: &mut Chooser<'_, Self::Value>);

    /// Whether prose may say a value in a range.
    fn may_stand_in(&self, _text: &str, _range: Range<usize>) -> bool {
        true
    }

    /// The value that stands alone in a range, where a correction was announced.
    fn alone(&self, view: &View<'_>, range: Range<usize>) -> Option<Candidate<Self::Value>>;
}

/// The verdict of a reply that has one value.
pub(super) fn read<'f, K: Values>(
    asked: Asked<'_, 'f>,
    kind: &K,
    value_of: impl Fn(K::Value) -> Value<'f>,
) -> Outcome<'f> {
    let Asked { view, format, is_cut, .. } = asked;
    let mut chooser = Chooser::new(view.text(), format.precedence(), is_cut);
    gather(asked, kind, &mut chooser);
    chooser.leave_out_items(|noun, mark| kind.is_candidate(view.text(), noun, mark));
    chooser.decide(view, value_of, |range| kind.alone(view, range), || asked.nothing())
}

/// Gather all evidence that the mode accepts.
pub(super) fn gather<K: Values>(asked: Asked<'_, '_>, kind: &K, chooser: &mut Chooser<'_, K::Value>) {
    let Asked { view, format, mode, .. } = asked;
    let text = view.text();
    let is_strict = mode == Mode::Strict;
    chooser.hears = Hears { no: !kind.has_answers(), bare: !kind.may_have_reason() };
    chooser.mode = mode;
    if let Some(asked) = format.asked_place() {
        place::offer(view, format, asked, chooser, |at| kind.at_place(text, asked, at));
        if is_strict {
            return;
        }
        let line = place::line_of(text, asked);
        if asked == Place::LastLine && !chooser.has(Rule::Place) && line.len() <= place::LONGEST {
            chooser.offer_all(kind.on_line(text, line));
        }
    }
    let allows = |strictness| !is_strict || format.strict.contains(&strictness);
    if allows(Strictness::Whole) && !chooser.is_cut() {
        chooser.offer_all(kind.whole(text, format, is_strict));
    }
    for first in [Strictness::FirstWord, Strictness::FirstLine].iter().filter(|first| format.strict.contains(first)) {
        let start = skip(text, 0, char::is_whitespace);
        let ends = |c: char| c == '\n' || *first == Strictness::FirstWord && c.is_whitespace();
        let end = tail(text, start).find(ends).map_or(text.len(), |length| start + length);
        chooser.offer_all(kind.opening(text, start..end));
    }
    if is_strict && allows(Strictness::LastLine) && !chooser.is_cut() {
        let line = place::line_of(text, Place::LastLine);
        if let Some(value) = kind.declared(slice(text, line.clone())) {
            chooser.offer_documented(Candidate::new(Ok(value), Rule::Closing, 0, line));
        }
    }
    if chooser.has(Rule::Whole) {
        return;
    }
    // A marker that is all of a reply is no marker elsewhere.
    if allows(Strictness::Marker) && format.asked_place() != Some(Place::Whole) {
        let openings = format.markers.openings(view, is_strict);
        let in_slot = |opening: Opening<'_>| {
            let opening = innermost(text, &opening)?;
            kind.in_slot(view, &opening, slot_start(text, &opening)?, is_strict, chooser.sentences())
        };
        let mut marked: Vec<_> = openings.filter_map(in_slot).collect();
        set_side_by_side(text, &mut marked, &K::SEVERAL);
        chooser.offer_all(marked);
    }
    if is_strict && allows(Strictness::Statement) {
        kind.offer_statements(view, format, chooser);
    }
    // A reply that was cut off before its marker has not come to its verdict.
    let is_unfinished = chooser.is_cut() && format.markers.has_declared();
    if !(is_strict
        || is_unfinished
        || chooser.has(Rule::Place)
        || chooser.is_marked(|said| kind.may_stand_in(text, said)))
    {
        kind.offer_prose(view, format, chooser);
    }
}
