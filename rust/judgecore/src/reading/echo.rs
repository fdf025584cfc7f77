//! Verdicts that a reply copies from what its judge was shown.

use std::ops::Range;

use super::outcome::{Detail, Mode, Outcome, Reason, Rule, Unreadable};
use super::{Told, read_told};
use crate::format::Format;
use crate::reply::material;

/// The outcome without what the reply copies from the material; `outcome` is what all of the reply gives.
pub(super) fn set_aside<'a>(
    reply: &'a str,
    outcome: Outcome<'a>,
    format: &'a Format,
    mode: Mode,
    is_cut: bool,
    shown: &[&str],
) -> Outcome<'a> {
    let candidates = match &outcome {
        // A reply that is the answer as a whole is the judge's, wherever else it stands.
        Ok(reading) if reading.rule == Rule::Whole => return outcome,
        Ok(reading) => std::slice::from_ref(reading),
        Err(unreadable) if unreadable.reason == Reason::Ambiguous || !unreadable.candidates.is_empty() => {
            &unreadable.candidates
        }
        Err(_) => return outcome,
    };
    let echoes = material::echoes(reply, shown);
    let is_touched = |span: &Range<usize>| {
        let before = echoes.partition_point(|echo| echo.end <= span.start);
        echoes.get(before).is_some_and(|echo| echo.start < span.end)
    };
    let is_told = !candidates.iter().any(|candidate| is_touched(&candidate.span));
    if echoes.is_empty() || is_told && !candidates.is_empty() {
        return outcome;
    }
    let rest = material::without(reply, &echoes);
    let told = read_told(Told { reply, shown: &rest, echoes: &echoes, mode, is_cut }, format);
    // What was no verdict with its echoes is none without them.
    if told.is_ok() && outcome.as_ref().is_err_and(|unreadable| unreadable.reason != Reason::Ambiguous) {
        return outcome;
    }
    told.map_err(|unreadable| match unreadable.reason {
        Reason::NoVerdict | Reason::Empty | Reason::Malformed => Unreadable {
            reason: Reason::Echoed,
            detail: Detail::Sentence("the only verdict is copied from what the judge was shown"),
            candidates: outcome.map_or_else(|unreadable| unreadable.candidates, |reading| vec![reading]),
        },
        _ => unreadable,
    })
}
