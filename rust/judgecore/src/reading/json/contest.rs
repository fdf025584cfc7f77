//! Documents that were found, and the one among them that is read.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;

use super::path;
use super::rank::Rank;
use crate::json::lenient::Document;
use crate::json::{self, Json, Repair, RepairKind};
use crate::reading::outcome::{Detail, Outcome, Reading, Reason, Rule, Unreadable, Value};

/// Nested more deeply than this, a value is dropped piece by piece.
const DEEP: usize = 500;

/// How many that differ are shown.
const MOST_SHOWN: usize = 8;

/// What reads the verdict of a document; None where the document itself is the value.
pub(super) type Judge<'c, 'r> = dyn Fn(&Found<'r>) -> Result<Option<Value<'r>>, Unreadable<'r>> + 'c;

/// A document that was found.
pub(super) struct Found<'r> {
    pub(super) value: Json<'r>,
    rule: Rule,
    span: Range<usize>,
    pub(super) repairs: Vec<Repair>,
    /// The verdict, where the document is not the value itself.
    verdict: Option<Value<'r>>,
    /// The keys that are given twice in an object, with different values.
    contested: Vec<Cow<'r, str>>,
    /// Too deep to be dropped whole.
    is_deep: bool,
    /// Its keys count as they are declared only.
    pub(super) is_exact: bool,
}

impl<'r> Found<'r> {
    /// A document of no great depth.
    pub(super) fn new(value: Json<'r>, rule: Rule, span: Range<usize>, repairs: Vec<Repair>) -> Self {
        Self { value, rule, span, repairs, verdict: None, contested: Vec::new(), is_deep: false, is_exact: false }
    }

    /// A document that begins at `start`, as it was read.
    pub(super) fn of(document: Document<'r>, rule: Rule, start: usize) -> Self {
        let is_deep = document.depth > DEEP;
        let Document { value, end, repairs, contested, .. } = document;
        Self { value, rule, span: start..end, repairs, verdict: None, contested, is_deep, is_exact: false }
    }

    /// The entry that a path leads to, and the document's own key on the way there.
    ///
    /// # Errors
    ///
    /// [`Reason::Ambiguous`] where a key of the path is given twice, with different values.
    pub(super) fn entry<'f, 'p>(&self, path: &'p str) -> Result<Option<(&'p str, &Json<'r>)>, Unreadable<'f>> {
        let entry = path::follow(&self.value, path, self.is_exact);
        let is_on_path =
            |key: &&Cow<'_, str>| path::is_alike(key, path) || path.split('.').any(|step| path::is_alike(key, step));
        match self.contested.iter().find(is_on_path).filter(|_| entry.is_some()) {
            Some(key) => {
                let words = format!("{key} is given twice, with different values");
                Err(Unreadable::new(Reason::Ambiguous, Detail::Words(words)))
            }
            None => Ok(entry),
        }
    }

    /// Whether the document was cut off, and closed.
    pub(super) fn is_truncated(&self) -> bool {
        self.repairs.iter().any(|repair| repair.kind == RepairKind::Truncated)
    }

    /// The last key of an object: the one that a cut may have hit.
    pub(super) fn last_key(&self) -> Option<&str> {
        match &self.value {
            Json::Object(entries) => entries.last().map(|(key, _)| key.as_ref()),
            _ => None,
        }
    }

    /// What a judge makes of it.
    pub(super) fn judged(mut self, judge: &Judge<'_, 'r>) -> Outcome<'r> {
        self.verdict = judge(&self)?;
        Ok(self.into_reading())
    }

    fn into_reading(mut self) -> Reading<'r> {
        let document = std::mem::replace(&mut self.value, Json::Null);
        let (value, object) = match self.verdict.take() {
            Some(value) => (value, Some(document)),
            None => (Value::Json(document), None),
        };
        let repairs = std::mem::take(&mut self.repairs);
        Reading { value, rule: self.rule, span: self.span.clone(), object, repairs }
    }

    fn says_the_same(&self, other: &Self) -> bool {
        match (&self.verdict, &other.verdict) {
            (None, None) => json::is_same(&self.value, &other.value),
            (one, other) => one == other,
        }
    }
}

impl Drop for Found<'_> {
    fn drop(&mut self) {
        if self.is_deep {
            json::drop_iteratively(std::mem::replace(&mut self.value, Json::Null));
        }
    }
}

/// The documents of the highest rank so far. All must say the same, however many there are.
pub(super) struct Contest<'r, 'c> {
    judge: &'c Judge<'c, 'r>,
    rank: Option<Rank>,
    is_cut: bool,
    /// The last one of those that say the same.
    leader: Option<Found<'r>>,
    /// Those that say something else.
    others: Vec<Found<'r>>,
    failure: Option<Unreadable<'r>>,
}

impl<'r, 'c> Contest<'r, 'c> {
    pub(super) fn new(judge: &'c Judge<'c, 'r>) -> Self {
        Self { judge, rank: None, is_cut: false, leader: None, others: Vec::new(), failure: None }
    }

    pub(super) fn judge(&self) -> &'c Judge<'c, 'r> {
        self.judge
    }

    /// The highest rank.
    pub(super) fn rank(&self) -> Option<Rank> {
        self.rank
    }

    /// The highest rank, to be changed where more is known of its only document.
    pub(super) fn rank_mut(&mut self) -> Option<&mut Rank> {
        self.rank.as_mut()
    }

    /// Whether all documents of the highest rank were cut off.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    pub(super) fn enter(&mut self, rank: Rank, mut entry: Found<'r>, is_cut: bool) {
        match self.rank.map_or(Ordering::Greater, |best| rank.cmp(&best)) {
            Ordering::Less => return,
            Ordering::Equal => self.is_cut &= is_cut,
            Ordering::Greater => {
                *self = Self { rank: Some(rank), is_cut, ..Self::new(self.judge) };
            }
        }
        if !rank.may_be_read() {
            return;
        }
        match (self.judge)(&entry) {
            Ok(verdict) => entry.verdict = verdict,
            Err(unreadable) => {
                self.failure = Some(unreadable);
                return;
            }
        }
        match &mut self.leader {
            Some(leader) if !leader.says_the_same(&entry) => {
                let is_new = !self.others.iter().any(|other| other.says_the_same(&entry));
                if is_new && self.others.len() + 1 < MOST_SHOWN {
                    self.others.push(entry);
                }
            }
            leader => *leader = Some(entry),
        }
    }

    /// The one reading, or the contradiction between several.
    pub(super) fn decide(self) -> Option<Outcome<'r>> {
        if let Some(failure) = self.failure {
            return Some(Err(failure));
        }
        let reading = self.leader?.into_reading();
        if self.others.is_empty() {
            return Some(Ok(reading));
        }
        let others = self.others.into_iter().map(Found::into_reading);
        let mut candidates: Vec<Reading<'r>> = std::iter::once(reading).chain(others).collect();
        candidates.sort_by_key(|candidate| candidate.span.start);
        let detail = Detail::Sentence("several JSON documents differ");
        Some(Err(Unreadable { reason: Reason::Ambiguous, detail, candidates }))
    }
}
