//! A statement that no candidate is better, in any language: `Beide Antworten sind gleichwertig.`

use std::ops::Range;

use super::evidence::{Candidate, Chooser, Rank};
use super::outcome::Rule;
use super::sentence::Sentence;
use super::token::{Kind, Token};
use crate::format::label::Labels;
use crate::lexicon as class;
use crate::reply::View;
use crate::reply::text::head;

/// Offer a tie where the first or the last sentence says it of all candidates, or concludes so. Any label that is named
/// as the verdict is stronger.
pub(super) fn offer(view: &View<'_>, labels: &Labels, chooser: &mut Chooser<'_, usize>) {
    let Some(tie) = labels.tie() else { return };
    let text = view.text();
    let is_word = |c: char| c.is_alphanumeric();
    let (Some(first), Some(last)) = (text.find(is_word), text.rfind(is_word)) else { return };
    let mut behind = 0;
    for at in [first, last] {
        let sentence = chooser.sentence(at);
        if sentence.range.end <= behind || sentence.classes & class::TIE == 0 {
            continue;
        }
        behind = sentence.range.end;
        let Some(span) = stated(text, sentence, labels) else { continue };
        if !view.hides(&span) && !view.quotes(&span) {
            let rank = Rank::of(Rule::Closing, 1);
            chooser.offer(Candidate { found: Ok(tie), rank, reach: behind, value: span.clone(), span });
        }
    }
}

/// The word by which a sentence says that all candidates are equal, and no more than that.
fn stated(text: &str, sentence: &Sentence, labels: &Labels) -> Option<Range<usize>> {
    let at = sentence.tokens.iter().rposition(|token| token.is(class::TIE))?;
    let token = sentence.tokens.get(at)?;
    let compares = class::CONTRAST
        | class::IF
        | class::ASPECT
        | class::ABOUT
        | class::BETTER
        | class::WORSE
        | class::WIN
        | class::LOSE;
    let is_qualified = |(nth, token): (usize, &Token)| nth != at && token.is(compares) && !token.is(class::TIE);
    if sentence.tokens.iter().enumerate().any(is_qualified) {
        return None;
    }
    // "equally verbose" speaks of one property.
    let next = sentence.tokens.get(at + 1);
    let goes_on = next.is_some_and(|next| next.kind == Kind::Word && next.is_unknown() && !next.is_unspaced);
    let mut named = labels.mentions(text, sentence.range.start..token.start).map(|mention| mention.label);
    let first = named.next();
    let is_of_all =
        sentence.tokens.iter().any(|token| token.is(class::BOTH)) || named.any(|label| Some(label) != first);
    let mut lead = sentence.slice(0..at).iter().rev().filter(|token| token.is_word() && !token.is(class::FILL));
    // "A, B or tie" lists what may be chosen.
    if lead.clone().next().is_some_and(|token| token.is(class::OR)) {
        return None;
    }
    // "A/B/tie" does so too.
    let is_list_mark = |token: &Token| token.is_mark(&['/', '|']);
    if at.checked_sub(1).and_then(|before| sentence.tokens.get(before)).is_some_and(is_list_mark) {
        return None;
    }
    let concludes = class::CONCLUDE | class::FINAL | class::WHOLE | class::ANNOUNCE | class::LINK;
    let is_concluded = next.is_none_or(|next| !next.is_word() || next.is(class::LINK | class::GIVE | class::CHOOSE))
        && (lead.next().is_some_and(|token| token.is(concludes)) || head(text, token.start).trim().is_empty());
    (!goes_on && (is_of_all || is_concluded)).then_some(token.start..token.end)
}
