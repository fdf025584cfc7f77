//! A verdict that the format documents on the last line, behind free text.

use super::evidence::{Candidate, Chooser, Rank};
use super::outcome::Rule;
use super::place::within_tags;
use crate::reply::text::{slice, trim_range};

/// Offer the last line if it is a verdict and nothing else.
pub(super) fn offer<V: PartialEq + Clone>(
    text: &str,
    verdict: impl Fn(&str) -> Option<V>,
    chooser: &mut Chooser<'_, V>,
) {
    let whole = within_tags(text);
    let start = slice(text, whole.clone()).rfind('\n').map_or(whole.start, |newline| whole.start + newline + 1);
    let span = trim_range(text, start..whole.end, char::is_whitespace);
    if let Some(value) = verdict(slice(text, span.clone())) {
        chooser.offer_documented(Candidate {
            found: Ok(value),
            rank: Rank::of(Rule::Closing, 0),
            reach: text.len(),
            value: span.clone(),
            span,
        });
    }
}
