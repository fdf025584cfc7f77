//! Reading scores that stand in markers: `[[8, 7]]`, and `Rating: 4` in section after section.

use super::Asked;
use super::context::opens_line;
use super::evidence::Chooser;
use super::numeral::{self, Comma, Met, Numeral};
use super::outcome::{Detail, Outcome, Reading, Reason, Rule, Unreadable, Value};
use super::scale::{on_scale, value_at};
use super::slot::{held, marked, not_a_label, slot_start};
use crate::format::{Format, Scale};
use crate::reply::View;
use crate::reply::text::{ahead, slice};

/// How long the row of scores in a marker is at most.
const ROW: usize = 80;

/// As many scores as there are, each in a marker of its own.
pub(super) fn read<'f>(asked: Asked<'_, 'f>, scale: &Scale) -> Outcome<'f> {
    let Asked { view, format, is_cut, .. } = asked;
    let text = view.text();
    let mut scores: Vec<f64> = Vec::new();
    let mut span: Option<std::ops::Range<usize>> = None;
    for opening in format.markers.openings(view, true) {
        let Some(slot) = slot_start(text, &opening).filter(|_| opens_line(text, opening.start)) else {
            continue;
        };
        if view.hides(&(opening.start..slot)) || describes_scale(text, slot, scale) {
            continue;
        }
        let (found, end) = match value_at(text, slot, scale) {
            Some((Ok(value), end)) => (value, end),
            _ if is_cut && slot >= text.len() => break,
            Some((Err((reason, detail)), _)) => return Err(Unreadable::new(reason, detail)),
            // One response without a score would shift the others.
            None => {
                let (reason, detail) = not_a_label(held(text, slot, None));
                return Err(Unreadable::new(reason, detail));
            }
        };
        scores.push(found);
        span = Some(span.map_or(opening.start, |span| span.start)..end);
    }
    let Some(span) = span else {
        return Err(super::nothing(text, format));
    };
    if is_cut {
        let detail = Detail::Sentence("the reply was cut off, so that scores may be missing");
        return Err(Unreadable::new(Reason::Truncated, detail));
    }
    Ok(Reading::new(Value::Scores(scores), Rule::Marker, view.place(span)))
}

/// `Rating: 1-5` says what may stand there.
fn describes_scale(text: &str, slot: usize, scale: &Scale) -> bool {
    let met = numeral::next(ahead(text, slot, 16), 0, Comma::Decimal);
    matches!(met, Some(Met::Span(low, high, _)) if low <= scale.low && high >= scale.high)
}

/// A row of scores in one marker: `[[8, 7]]`.
pub(super) fn offer_rows(
    view: &View<'_>,
    format: &Format,
    scale: &Scale,
    count: usize,
    chooser: &mut Chooser<'_, Vec<f64>>,
) {
    let text = view.text();
    for opening in format.markers.openings(view, true) {
        let Some(slot) = slot_start(text, &opening) else { continue };
        let near = ahead(text, slot, ROW);
        let near = near.split('\n').next().unwrap_or(near);
        let suffix = &opening.marker.suffix;
        let close = if suffix.is_empty() { Some(near.len()) } else { near.find(suffix.as_str()) };
        let found = close.map(|close| slice(near, 0..close)).and_then(|row| {
            let numbers = numbers(row);
            if numbers.len() == count {
                return Some(numbers.iter().map(|number| on_scale(number, scale)).collect());
            }
            (!numbers.is_empty() || row.contains(char::is_alphabetic)).then(|| Err(not_a_label(row.trim())))
        });
        let close = close.map(|close| slot + close + suffix.len());
        let value = opening.start..close.unwrap_or(slot);
        chooser.offer_all(marked(view, &opening, found, value, close, true));
    }
}

/// The numbers of a row that are no part of a name, as in `Assistant 1: 8`.
fn numbers(row: &str) -> Vec<Numeral> {
    numeral::numbers(row, 0, Comma::Separates).filter(|number| !numeral::is_numbered(row, number)).collect()
}
