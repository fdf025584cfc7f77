//! A verdict where the judge was asked to put it: in the first word, on the first or the last line, or alone.

use std::ops::Range;

use super::evidence::{Candidate, Chooser, Found};
use super::numeral::behind_unit;
use super::outcome::{Reason, Rule};
use super::slot::{closed, slot_start};
use crate::format::marker::Marker;
use crate::format::{Format, Place};
use crate::reply::View;
use crate::reply::text::{is_tag_name, line_end, skip_near, slice, starts_with_at, trim_range};

/// What announces a value on its line ends with one of these.
const LINKS: [&str; 7] = [":", "=", "\u{2192}", "->", " is ", " ist ", "\u{4e3a}"];

/// A longer line is prose.
pub(super) const LONGEST: usize = 400;

/// Offer the value at its place: alone there, in a marker of the format, or behind a phrase that announces it.
///
/// `read` gives what begins at a place in the text, and where it ends.
pub(super) fn offer<V: PartialEq + Clone>(
    view: &View<'_>,
    format: &Format,
    place: Place,
    chooser: &mut Chooser<'_, V>,
    read: impl Fn(usize) -> Option<(Found<V>, usize)>,
) {
    let text = view.text();
    let line = line_of(text, place);
    let is_prose = line.len() > LONGEST && place != Place::FirstWord;
    if is_prose || place == Place::Whole && slice(text, line.clone()).contains('\n') {
        return;
    }
    let first = skip_near(text, line.start, is_opener);
    let found = match place {
        Place::FirstWord => read(first).map(|(found, end)| (found, first..end)),
        _ => on_line(view, format, place, &line, &read),
    };
    if let Some((found, span)) = found {
        let reach = match place {
            Place::LastLine | Place::Whole => text.len(),
            // The rest of the line can still change the value: `2.` becomes `2.5`.
            Place::FirstLine => line.end,
            Place::FirstWord => span.end,
        };
        let rule = if place == Place::Whole { Rule::Whole } else { Rule::Place };
        chooser.offer(Candidate::new(found, rule, 0, span).reaching(reach));
    }
}

/// The only value of a line, and where it stands.
fn on_line<V>(
    view: &View<'_>,
    format: &Format,
    place: Place,
    line: &Range<usize>,
    read: impl Fn(usize) -> Option<(Found<V>, usize)>,
) -> Option<(Found<V>, Range<usize>)> {
    let text = view.text();
    for (start, marker) in starts(view, format, line, place) {
        let bare = skip_near(text, start, is_opener);
        let Some((start, found, end)) = [start, bare]
            .into_iter()
            .find_map(|at| read(at).map(|(found, end)| (at, found, end)))
            .filter(|(.., end)| *end <= line.end)
        else {
            continue;
        };
        let suffix = marker.map_or("", |marker| marker.suffix.as_str());
        let close = behind(text, end, suffix);
        // What a marker holds needs nothing else around it; elsewhere the value ends its line.
        let is_whole = if marker.is_some() && place != Place::Whole {
            suffix.is_empty() || close > end
        } else {
            // A question asks.
            slice(text, close..line.end).chars().all(|c| !c.is_alphanumeric() && c != '?')
        };
        // Two values side by side are no verdict, and what else stands behind one makes the next the second of its line.
        let is_undecided = matches!(found, Err((Reason::Ambiguous, _)));
        return (is_whole || is_undecided).then_some((found, start..end));
    }
    None
}

/// The text without white space around it, and without closing tags on lines of their own at its end.
pub(super) fn within_tags(text: &str) -> Range<usize> {
    let mut whole = trim_range(text, 0..text.len(), char::is_whitespace);
    while let Some(newline) = slice(text, whole.clone()).rfind('\n') {
        let line = slice(text, whole.start + newline..whole.end).trim();
        let name = line.strip_prefix("</").and_then(|rest| rest.strip_suffix('>'));
        if !name.is_some_and(is_tag_name) {
            break;
        }
        whole = trim_range(text, whole.start..whole.start + newline, char::is_whitespace);
    }
    whole
}

/// The line that is looked at, without white space around it.
pub(super) fn line_of(text: &str, place: Place) -> Range<usize> {
    let whole = match place {
        Place::LastLine => within_tags(text),
        _ => trim_range(text, 0..text.len(), char::is_whitespace),
    };
    let last_line = slice(text, whole.clone()).rfind('\n').filter(|_| place == Place::LastLine);
    let start = whole.start + last_line.map_or(0, |newline| newline + 1);
    let end = if matches!(place, Place::LastLine | Place::Whole) { whole.end } else { line_end(text, start) };
    let line = trim_range(text, start..end, char::is_whitespace);
    // The mark of a list is no sign.
    let mark = if starts_with_at(text, line.start, "- ") { 2 } else { 0 };
    line.start + mark..line.end
}

/// Where a value may begin on a line, with what must close it: in the format's markers, at the start, behind links.
///
/// A reply that is nothing but the verdict announces none.
fn starts<'t>(
    view: &'t View<'_>,
    format: &'t Format,
    line: &Range<usize>,
    place: Place,
) -> impl Iterator<Item = (usize, Option<&'t Marker>)> + use<'t> {
    let (text, line) = (view.text(), line.clone());
    let (within, start) = (line.clone(), line.start);
    let is_first = move |at: usize| place != Place::Whole || !slice(text, start..at).contains(char::is_alphanumeric);
    let openings = format.markers.openings(view, true);
    let openings = openings.filter(move |opening| within.contains(&opening.start) && is_first(opening.start));
    let marked = openings.filter_map(|opening| Some((slot_start(text, &opening)?, Some(opening.marker))));
    let announced = if place == Place::Whole { "" } else { slice(text, line.clone()) };
    let links = announced.char_indices().filter_map(move |(nth, _)| {
        let at = line.start + nth;
        LINKS.iter().find(|link| starts_with_at(text, at, link)).map(|link| (at + link.len(), None))
    });
    marked.chain(std::iter::once((start, None))).chain(links)
}

/// Marks that may open a value, quotation marks and emoji among them.
fn is_opener(c: char) -> bool {
    matches!(c, ' ' | '\t' | '"' | '\'' | '`' | '(' | '[' | '*' | '#' | '>') || !c.is_ascii() && !c.is_alphanumeric()
}

/// The place behind a value and what closes it: a marker's end, or a unit.
fn behind(text: &str, end: usize, suffix: &str) -> usize {
    if !suffix.is_empty() {
        return closed(text, end, suffix).unwrap_or(end);
    }
    behind_unit(text, skip_near(text, end, |c| c == ' '))
}
