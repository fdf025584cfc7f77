//! Guards whose answers are entries of an object.

use std::cell::Cell;

use super::path::is_alike;
use super::verdict::{label_of, shown};
use super::{Wanted, cut, find, malformed};
use crate::format::Format;
use crate::format::guard::Guard;
use crate::json::Json;
use crate::reading::guard::{self, Tally, line};
use crate::reading::outcome::{Mode, Outcome, Reason, Value};
use crate::reading::{Asked, Told};
use crate::reply::View;

/// A guard's answers as entries of an object.
pub(in crate::reading) fn read_guard<'a>(told: Told<'a, '_>, format: &'a Format, guard: &'a Guard) -> Outcome<'a> {
    let Told { mode, is_cut, .. } = told;
    let is_found = Cell::new(false);
    let outcome = find(told, Wanted { any: &guard.keys, ..Wanted::default() }, None, &|found| {
        is_found.set(true);
        let mut tally = Tally::new(guard);
        for answer in &guard.answers {
            let label = match answer.lines.iter().find_map(|key| found.entry(key).transpose()).transpose()? {
                None | Some((_, Json::Null)) => None,
                Some((key, value)) => {
                    let labels = line::labels(answer, mode);
                    let label = match value {
                        Json::Str(text) => labels.declared(text.trim().trim_end_matches('.')),
                        value => label_of(value, labels),
                    };
                    let is_wrong = || malformed(format!("{key}: {} stands where a verdict belongs", shown(value)));
                    Some(label.ok_or_else(is_wrong)?)
                }
            };
            tally.note(answer, label);
        }
        // What the cut hit may have been one of them, or another of them was to come.
        let mut told = guard.answers.iter().flat_map(|answer| &answer.lines).chain(&guard.categories);
        if found.is_truncated() && found.last_key().is_some_and(|key| told.any(|one| is_alike(one, key))) {
            return Err(cut());
        }
        for entry in guard.categories.iter().filter_map(|key| found.entry(key).transpose()) {
            tally.list(None, Some(guard::categories_of(entry?.1, guard)));
        }
        let verdict = tally.settle().ok_or_else(guard::no_side)?;
        Ok(Some(Value::Guard(verdict)))
    });
    match outcome {
        // Where there is no document with the keys, they may stand on lines.
        Err(unreadable) if mode == Mode::Lenient && !is_found.get() && unreadable.reason == Reason::NoVerdict => {
            let view = &View::of(told.reply, told.shown);
            let asked = Asked { view, format, mode, is_cut, asks_why: true };
            guard::read_undocumented(asked, guard).ok_or(unreadable)
        }
        outcome => outcome,
    }
}
