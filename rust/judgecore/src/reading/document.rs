//! Documents in prose: each stands for a value, and the resolver hears of them as of any other.

use std::ops::Range;

use super::evidence::{Candidate, Chooser};
use super::outcome::{Detail, Outcome, Reading, Reason, Rule, Unreadable};
use super::sentence::Sentences;
use super::token::{Kind, Token, of};
use crate::format::Precedence;
use crate::lexicon as class;
use crate::reply::text::{slice, tail};

/// What stands for a document in the prose around it.
const PLACEHOLDER: &str = "[[0]]";

/// What was said of all documents is taken back.
const TAKEN_BACK: Detail = Detail::Sentence("what was said is taken back");

const SEVERAL: Detail = Detail::Sentence("several JSON documents differ");

/// What the judge says by its documents: those that it takes back, corrects or gives as somebody else's fall out.
pub(super) fn weighed<'a>(reply: &str, outcome: Outcome<'a>) -> Outcome<'a> {
    let is_in_prose = |reading: &Reading<'_>| reading.rule == Rule::Json;
    let documents = match outcome {
        Ok(reading) if is_in_prose(&reading) => vec![reading],
        Err(Unreadable { reason: Reason::Ambiguous, candidates, .. })
            if candidates.len() > 1 && candidates.iter().all(is_in_prose) =>
        {
            candidates
        }
        other => return other,
    };
    let (text, places) = without_documents(reply, &documents);
    let mut chooser = Chooser::new(&text, Precedence::Agree, false);
    for (nth, span) in places.into_iter().enumerate() {
        chooser.offer(Candidate::new(Ok(nth), Rule::Marker, 0, span));
    }
    let why = match chooser.settle(|range| amendment(&text, range)) {
        Ok((Ok(nth), _)) => match documents.into_iter().nth(nth) {
            Some(reading) => return Ok(reading),
            None => return Err(Unreadable::new(Reason::NoVerdict, TAKEN_BACK)),
        },
        Ok((Err((reason, detail)), _)) => (reason, detail),
        Err(why) => (Reason::NoVerdict, why.map_or(TAKEN_BACK, Detail::Sentence)),
    };
    let detail = if why.0 == Reason::Ambiguous { SEVERAL } else { why.1 };
    // What they say is kept, so that a copy of what the judge was shown is told.
    Err(Unreadable { reason: why.0, detail, candidates: documents })
}

/// The one of several documents that the judge means; where that can't be told, they differ. One alone is read whatever
/// is said of it: no verdict is asked for, but the document.
pub(super) fn told_apart<'a>(reply: &str, outcome: Outcome<'a>) -> Outcome<'a> {
    let is_open = matches!(&outcome, Err(unreadable) if unreadable.reason == Reason::Ambiguous);
    if !is_open {
        return outcome;
    }
    weighed(reply, outcome).map_err(|unreadable| Unreadable {
        reason: Reason::Ambiguous,
        detail: SEVERAL,
        ..unreadable
    })
}

/// The prose of the answer with something short for each document, and where that stands.
fn without_documents(reply: &str, documents: &[Reading<'_>]) -> (String, Vec<Range<usize>>) {
    let first = documents.first().map_or(0, |document| document.span.start);
    // What stands in reasoning introduces nothing.
    let answer = crate::reply::answer(reply);
    let spans = answer.iter().flat_map(|answer| &answer.spans);
    let mut at = spans.map(|span| span.start).filter(|start| *start <= first).max().unwrap_or(0);
    let (mut text, mut fence) = (String::new(), None);
    let mut places = Vec::new();
    for document in documents {
        push_prose(&mut text, slice(reply, at..document.span.start), &mut fence);
        let start = text.len();
        text.push_str(PLACEHOLDER);
        places.push(start..text.len());
        at = document.span.end;
    }
    push_prose(&mut text, tail(reply, at), &mut fence);
    (text, places)
}

/// Add the lines that stand outside of fences; `fence` is the mark of the one that is open.
fn push_prose(text: &mut String, between: &str, fence: &mut Option<&'static str>) {
    // The mark right behind a document closes a fence, wherever that was opened.
    let mut may_close = fence.is_none() && !text.is_empty();
    for line in between.split_inclusive('\n') {
        let mark = ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark));
        match (mark, *fence) {
            (Some(mark), Some(open)) if mark == open => {
                *fence = None;
                text.push('\n');
            }
            (Some(_), None) if may_close => {}
            (Some(mark), None) => *fence = Some(mark),
            (_, Some(_)) => {}
            (None, None) => text.push_str(line),
        }
        may_close &= mark.is_none() && line.trim().is_empty();
    }
}

/// `Sorry, I meant 2.`: a number that takes the place of one in a document, so that it holds no more.
fn amendment<V>(text: &str, range: Range<usize>) -> Option<Candidate<V>> {
    let mut sentences = Sentences::new(text);
    let sentence = sentences.at(range.start);
    let is_new = |token: &&Token| token.kind == Kind::Number && token.start > range.start;
    let new = sentence.tokens.iter().find(is_new)?;
    let value = new.start..new.end;
    let is_said = sentence.tokens.iter().any(of(class::ANNOUNCE)) || sentence.is_all_said(range.start, &value);
    is_said.then(|| Candidate::new(Err((Reason::NoVerdict, TAKEN_BACK)), Rule::Labelled, 0, value))
}
