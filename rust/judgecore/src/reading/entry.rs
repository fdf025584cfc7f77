//! Texts beside the verdict: the reasoning, an extracted answer, a confidence.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::context::opens_line;
use super::line_label::labels_in;
use crate::format::entry::Entry;
use crate::format::{Format, Reader};
use crate::json::Json;
use crate::reply::View;
use crate::reply::text::{slice, tail, trim_range};

/// More openings than a judge writes are not looked at.
const MOST: usize = 1024;

/// Where an entry, or the verdict, is announced; its text begins behind it.
struct Opening<'f> {
    entry: Option<&'f Entry>,
    at: Range<usize>,
}

/// The entries of a reply that was read, by name: texts, numbers, or a list of each where the format reads lists.
///
/// `verdict` is where the verdict stands in the reply.
pub(super) fn texts<'f>(view: &View<'_>, format: &'f Format, verdict: &Range<usize>) -> Json<'f> {
    let text = view.text();
    let openings = openings(view, format);
    let is_list = matches!(format.reader, Reader::Scores(_, None, _));
    let mut found: Vec<(&'f Entry, Json<'f>)> = Vec::new();
    // How often each prefix stood since one stood more often than entries are declared with it.
    let mut seen: Vec<&str> = Vec::new();
    for (nth, opening) in openings.iter().enumerate() {
        let Some(first) = opening.entry else { continue };
        let same = || format.entries.iter().filter(|entry| entry.prefix == first.prefix);
        let mut before = seen.iter().filter(|prefix| **prefix == first.prefix).count();
        if before >= same().count() {
            if !is_list {
                continue;
            }
            seen.clear();
            before = 0;
        }
        seen.push(&first.prefix);
        let Some(entry) = same().nth(before) else { continue };
        let end = openings.get(nth + 1).map_or(text.len(), |next| next.at.start);
        if let Some(value) = value(view, entry, opening.at.end, end) {
            found.push((entry, value));
        }
    }
    for entry in format.entries.iter().filter(|entry| entry.prefix.is_empty()) {
        let before = view.reply().get(..verdict.start).unwrap_or_default().trim();
        if !before.is_empty() {
            found.push((entry, Json::Str(Cow::Owned(before.to_owned()))));
        }
    }
    let mut entries: Vec<(Cow<'f, str>, Json<'f>)> = Vec::new();
    for entry in &format.entries {
        let mut values: Vec<Json<'f>> =
            found.iter().filter(|(one, _)| one.name == entry.name).map(|(_, value)| value.clone()).collect();
        let value = if is_list { Some(Json::Array(Arc::new(values))) } else { values.pop() };
        entries.extend(value.map(|value| (Cow::Borrowed(entry.name.as_str()), value)));
    }
    Json::Object(Arc::new(entries))
}

/// Everything that announces an entry or the verdict, in the order of the text.
fn openings<'f>(view: &View<'_>, format: &'f Format) -> Vec<Opening<'f>> {
    let text = view.text();
    let entries = format.entries.iter().filter(|entry| !entry.prefix.is_empty());
    let mut found = labels_in(text, entries.map(|entry| (entry.prefix.as_str(), entry)));
    // Of several entries with one prefix the first stands for all.
    found.dedup_by_key(|(at, _)| at.start);
    let found = found.into_iter().filter(|(at, _)| stands(view, at)).take(MOST);
    let mut openings: Vec<Opening<'f>> = found.map(|(at, entry)| Opening { entry: Some(entry), at }).collect();
    let markers = format.markers.openings(view, true).map(|opening| opening.start..opening.end);
    openings.extend(markers.filter(|at| stands(view, at)).take(MOST).map(|at| Opening { entry: None, at }));
    openings.sort_by_key(|opening| opening.at.start);
    openings
}

/// Words announce at the start of a line; tags do anywhere. What is quoted announces nothing.
fn stands(view: &View<'_>, at: &Range<usize>) -> bool {
    let text = view.text();
    let is_word = slice(text, at.clone()).starts_with(char::is_alphanumeric);
    (!is_word || opens_line(text, at.start)) && !view.hides(at)
}

/// What stands between an opening and its end, as it is written.
fn value<'f>(view: &View<'_>, entry: &Entry, start: usize, end: usize) -> Option<Json<'f>> {
    let text = view.text();
    let end = if entry.suffix.is_empty() {
        end
    } else {
        memchr::memmem::find(tail(text, start).as_bytes(), entry.suffix.as_bytes()).map_or(end, |at| start + at)
    };
    let is_edge = |c: char| c.is_whitespace() || (entry.suffix.is_empty() && matches!(c, '#' | '*' | '-' | ',' | '"'));
    let seen = trim_range(text, start..end, is_edge);
    if seen.is_empty() {
        return None;
    }
    if entry.is_number {
        let number = slice(text, seen.clone()).trim_end_matches(['%', '.', ' ']);
        return number.parse().map(Json::Int).or_else(|_| number.parse().map(Json::Float)).ok();
    }
    let written = view.reply().get(view.place(seen)).unwrap_or_default().trim();
    (!written.is_empty()).then(|| Json::Str(Cow::Owned(written.to_owned())))
}
