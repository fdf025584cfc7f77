//! Reading scores that stand in section after section: `Rating: 4`.

use super::Asked;
use super::context::opens_line;
use super::outcome::{Detail, Outcome, Reading, Reason, Rule, Unreadable, Value};
use super::scale::{value_at, whole_scale};
use super::slot::{held, not_a_label, slot_start};
use crate::format::Scale;

/// As many scores as there are, each in a marker of its own.
pub(super) fn read<'f>(asked: Asked<'_, 'f>, scale: &Scale) -> Outcome<'f> {
    let Asked { view, format, is_cut, .. } = asked;
    let text = view.text();
    let mut scores: Vec<f64> = Vec::new();
    let mut span: Option<std::ops::Range<usize>> = None;
    for opening in format.markers.openings(view, true) {
        let Some(slot) = slot_start(text, &opening).filter(|_| opens_line(text, opening.start)) else { continue };
        if view.hides(&(opening.start..slot)) || whole_scale(text, slot, scale).is_some() {
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
    let Some(span) = span else { return Err(super::nothing(text, format)) };
    if is_cut {
        let detail = Detail::Sentence("the reply was cut off, so that scores may be missing");
        return Err(Unreadable::new(Reason::Truncated, detail));
    }
    Ok(Reading::new(Value::Scores(scores), Rule::Marker, view.place(span)))
}
