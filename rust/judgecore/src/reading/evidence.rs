//! Weighing evidence: the strongest kind that is there decides, and must not contradict itself.

use std::ops::Range;

use super::context::{is_correction, is_marked_final};
use super::outcome::{Detail, Outcome, Reading, Reason, Rule, Unreadable, Value};
use crate::format::Precedence;
use crate::reply::View;

/// How strong a piece of evidence is; smaller is stronger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    pub(super) rule: Rule,
    /// Among evidence of one rule.
    pub(super) grade: usize,
}

impl Rank {
    pub(super) fn of(rule: Rule, grade: usize) -> Self {
        Self { rule, grade }
    }
}

/// What stands where a verdict belongs: a value, or something that is none.
pub(super) type Found<V> = Result<V, (Reason, Detail)>;

/// One piece of evidence. Ranges are of the view.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidate<V> {
    pub(super) found: Found<V>,
    pub(super) rank: Rank,
    pub(super) span: Range<usize>,
    /// How far the text was looked at to accept it.
    pub(super) reach: usize,
}

/// Takes evidence in the order of the text and keeps what decides.
pub(super) struct Chooser<'t, V> {
    text: &'t str,
    precedence: Precedence,
    /// The view's end where the reply is known to be cut off there.
    cut_at: Option<usize>,
    /// The strongest evidence so far, and one of equal rank that contradicts it.
    best: Option<Candidate<V>>,
    rival: Option<Candidate<V>>,
    touched_cut: bool,
}

impl<'t, V: PartialEq + Clone> Chooser<'t, V> {
    pub(super) fn new(text: &'t str, precedence: Precedence, is_cut: bool) -> Self {
        Self {
            text,
            precedence,
            cut_at: is_cut.then(|| text.trim_end().len()),
            best: None,
            rival: None,
            touched_cut: is_cut,
        }
    }

    /// Whether evidence of this rule or stronger is there, so that weaker evidence is not needed.
    pub(super) fn has(&self, rule: Rule) -> bool {
        self.best.as_ref().is_some_and(|best| best.rank.rule <= rule)
    }

    /// Whether this rule gave the best evidence so far.
    pub(super) fn is_best(&self, rule: Rule) -> bool {
        self.best.as_ref().is_some_and(|best| best.rank.rule == rule)
    }

    /// Where the best evidence so far stands in the view.
    pub(super) fn place(&self) -> Option<Range<usize>> {
        self.best.as_ref().map(|best| best.span.clone())
    }

    pub(super) fn is_cut(&self) -> bool {
        self.cut_at.is_some()
    }

    pub(super) fn offer(&mut self, candidate: Candidate<V>) {
        if self.cut_at.is_some_and(|end| candidate.reach >= end) {
            self.touched_cut = true;
            return;
        }
        let Some(best) = &mut self.best else {
            self.best = Some(candidate);
            return;
        };
        match candidate.rank.cmp(&best.rank) {
            std::cmp::Ordering::Less => {
                *best = candidate;
                self.rival = None;
            }
            std::cmp::Ordering::Greater => self.correct(candidate),
            std::cmp::Ordering::Equal => self.weigh(candidate),
        }
    }

    /// Evidence of lower standing that comes later and takes the best back.
    fn correct(&mut self, later: Candidate<V>) {
        let Some(best) = &mut self.best else {
            return;
        };
        // Only by where it stands in its line may it be weaker, not by what it is.
        let is_comparable = later.rank.rule == best.rank.rule
            && matches!(later.rank.rule, Rule::Marker | Rule::Labelled | Rule::Fields);
        if is_comparable
            && self.precedence != Precedence::First
            && later.span.start >= best.span.end
            && later.found.as_ref().map_or_else(|(reason, _)| *reason == Reason::OutOfRange, |_| true)
            && later.found != best.found
            && is_correction(self.text, later.span.clone(), best.span.end)
        {
            // What follows is weighed against the correction as against what it corrects.
            *best = Candidate { rank: best.rank, ..later };
            self.rival = None;
        }
    }

    /// A second piece of evidence of the best rank.
    fn weigh(&mut self, later: Candidate<V>) {
        let Some(best) = &mut self.best else {
            return;
        };
        match self.precedence {
            Precedence::First => {}
            Precedence::Last => *best = later,
            Precedence::Agree => {
                let same = match (&best.found, &later.found) {
                    (Ok(one), Ok(other)) => one == other,
                    (Err(_), Err(_)) => true,
                    // What is no verdict does not stand against one that comes after it.
                    (Err(_), Ok(_)) => {
                        *best = later;
                        return;
                    }
                    (Ok(_), Err(_)) => false,
                };
                if same && self.rival.is_none() {
                    return;
                }
                let is_final = is_marked_final(self.text, later.span.clone(), best.span.end);
                // Several words that hold no label are a link or a placeholder, not another verdict.
                let is_prose = matches!(&later.found, Err((_, Detail::NotALabel(held))) if held.contains(' '));
                if is_prose && !is_final && self.rival.is_none() {
                    return;
                }
                if is_final {
                    *best = later;
                    self.rival = None;
                } else if !same {
                    self.rival = Some(later);
                }
            }
        }
    }

    /// The outcome, with `otherwise` where there was no evidence.
    pub(super) fn decide<'f>(
        self,
        view: &View<'_>,
        value_of: impl Fn(V) -> Value<'f>,
        otherwise: impl FnOnce() -> Unreadable<'f>,
    ) -> Outcome<'f> {
        let reading =
            |value: V, rank: Rank, span: Range<usize>| Reading::new(value_of(value), rank.rule, view.place(span));
        let Some(best) = self.best else {
            let otherwise = otherwise();
            let is_cut = self.touched_cut && otherwise.reason == Reason::NoVerdict;
            return Err(if is_cut {
                Unreadable::new(
                    Reason::Truncated,
                    Detail::Sentence("the reply was cut off before its verdict was complete"),
                )
            } else {
                otherwise
            });
        };
        if let Some(rival) = self.rival {
            let candidates = [best, rival]
                .into_iter()
                .filter_map(|one| Some(reading(one.found.ok()?, one.rank, one.span)))
                .collect();
            return Err(Unreadable {
                reason: Reason::Ambiguous,
                detail: Detail::Sentence("two verdicts of equal standing contradict each other"),
                candidates,
            });
        }
        match best.found {
            Ok(value) => Ok(reading(value, best.rank, best.span)),
            Err((reason, detail)) => Err(Unreadable::new(reason, detail)),
        }
    }
}
