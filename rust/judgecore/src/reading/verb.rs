//! A label as a verb of what is judged: `The submission passes.`, `It doesn't pass.`

use super::evidence::{Candidate, Chooser, Rank};
use super::outcome::Rule;
use super::sentence::Sentence;
use super::token::Token;
use crate::format::label::{Labels, Mention, Shape};
use crate::lexicon as class;
use crate::reply::View;
use crate::reply::text::slice;

/// Offer the label that the first or the last sentence says as a verb of what is judged, and of all of it.
pub(super) fn offer(
    view: &View<'_>,
    labels: &Labels,
    opposite: impl Fn(&Mention) -> Option<usize>,
    chooser: &mut Chooser<'_, usize>,
) {
    if !labels.has_verbs() {
        return;
    }
    let text = view.text();
    let is_word = |c: char| c.is_alphanumeric();
    let (Some(first), Some(last)) = (text.find(is_word), text.rfind(is_word)) else { return };
    let mut behind = 0;
    for at in [first, last] {
        let sentence = chooser.sentence(at);
        if sentence.range.end <= behind {
            continue;
        }
        behind = sentence.range.end;
        let Some(mention) = stated(text, sentence, labels) else { continue };
        let span = mention.start..mention.end;
        if !view.hides(&span) && !view.quotes(&span) {
            let rank = Rank::of(Rule::Statement, 2);
            let candidate = Candidate { found: Ok(mention.label), rank, reach: behind, value: span.clone(), span };
            chooser.offer_either(candidate, opposite(&mention));
        }
    }
}

/// The only verb of its sentence that is a label, between what is judged and a stop or a reason.
fn stated(text: &str, sentence: &Sentence, labels: &Labels) -> Option<Mention> {
    let verb = |token: &Token| labels.verb(slice(text, token.start..token.end));
    let mut verbs = sentence.tokens.iter().enumerate().filter_map(|(at, token)| Some((at, verb(token)?)));
    let (at, label) = verbs.next().filter(|_| verbs.next().is_none())?;
    let token = sentence.tokens.get(at)?;
    // "It does not pass"
    let passes = class::FILL | class::EMPHATIC | class::DENY | class::LINK | class::CONCLUDE;
    let mut lead = sentence.slice(0..at).iter().rev().skip_while(|token| token.is(passes) && !token.is(class::THING));
    let opens = class::FILL | class::THING | class::CONCLUDE | class::FINAL | class::WHOLE | class::EMPHATIC;
    let is_of_thing = lead.next().is_some_and(|subject| subject.is(class::THING) && !subject.is(class::ASPECT))
        && lead.all(|token| !token.is_word() || token.is(opens));
    let next = sentence.tokens.get(at + 1);
    let ends = next.is_none_or(|next| {
        !next.is_word() && !next.is_mark(&['-', '/']) || next.is(class::BECAUSE) && !next.is(class::PART)
    });
    // "The response fails the test."
    let object = sentence.slice(at + 1..sentence.tokens.len());
    let has_object = object.first().is_some_and(|article| article.is(class::FILL))
        && object.get(1).is_some_and(|noun| noun.is_word() && noun.is_unknown())
        && object.get(2).is_none_or(|stop| !stop.is_word());
    (is_of_thing && (ends || has_object)).then_some(Mention {
        label,
        shape: Shape::Word,
        start: token.start,
        end: token.end,
    })
}
