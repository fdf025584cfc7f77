//! What the first or the last sentence says of all that is judged, in any language: that no candidate is better, `Beide
//! Antworten sind gleichwertig.`, that it is true or safe, or a label as its verb, `The submission passes.`, `It doesn't
//! pass.`

use std::ops::Range;

use super::evidence::{Candidate, Chooser};
use super::outcome::Rule;
use super::sentence::{Sentence, Sentences};
use super::token::{COLONS, COMMAS, DENIES, Kind, LAST, NAMES, Token, among, of};
use super::truth::{LESS, truth, word};
use crate::format::label::{Labels, Mention};
use crate::lexicon::word::Beginnings;
use crate::lexicon::{self as class, Classes};
use crate::reply::View;
use crate::reply::text::slice;

/// The first or the last letter or digit of a text, and where its sentence stands, with the heading above.
pub(super) struct Edge {
    pub(super) at: usize,
    pub(super) sentence: Range<usize>,
}

impl Edge {
    /// Both of a text, its end where it has none.
    pub(super) fn both(text: &str, sentences: &mut Sentences<'_>) -> [Self; 2] {
        let first = text.find(char::is_alphanumeric).unwrap_or(text.len());
        let last = text.rfind(char::is_alphanumeric).unwrap_or(first);
        [first, last].map(|at| Self { at, sentence: sentences.headed_range(at) })
    }

    /// Those of different sentences.
    pub(super) fn distinct(edges: &[Self; 2]) -> &[Self] {
        let [first, last] = edges;
        if first.sentence == last.sentence { std::slice::from_ref(first) } else { edges }
    }
}

/// What says of the last sentence that it corrects the one before.
const TURNED: Classes = class::CORRECT | class::SORRY | class::MISTAKEN | class::WITHDRAW | class::CONTRAST;

/// Offer a tie, which any label that is named as the verdict outdoes, the label that is a verb, and what is called true or
/// safe; `opposite` is what who denies that says.
pub(super) fn offer(
    view: &View<'_>,
    labels: &Labels,
    edges: &[Edge; 2],
    opposite: impl Fn(&Mention) -> Option<usize>,
    chooser: &mut Chooser<'_, usize>,
) {
    if labels.tie().is_none() && !labels.has_verbs() && !labels.has_truths() {
        return;
    }
    let text = view.text();
    let is_alone = chooser.is_empty();
    let [_, Edge { at: closing, sentence: last }] = edges;
    for Edge { at, sentence: range } in Edge::distinct(edges).iter().filter(|edge| edge.at < text.len()) {
        let at = *at;
        let may_say = || {
            let says = |words: &'static Beginnings| words.places(slice(text, range.clone())).next().is_some();
            labels.tie().is_some() && says(&class::TIES)
                || labels.truths_in(slice(text, range.clone())).next().is_some()
                || labels.may_act_in(text, range)
        };
        if chooser.sentences().known(at).is_none() && !may_say() {
            continue;
        }
        let sentence = chooser.sentence(at);
        let end = sentence.range.end;
        let tie = labels
            .tie()
            .and_then(|label| Some((label, tie(sentence, |token| labels.at(text, token.start).is_some())?)));
        let asked = labels.tie().filter(|_| tie.is_none());
        let equal = asked.and_then(|label| Some((label, equal(text, sentence, labels)?)));
        let verb = if labels.has_verbs() { verb(text, sentence, labels) } else { None };
        // A label that stands somewhere is the verdict's own word; what the one sentence before it says, or the last one, contradicts
        // it, but for a correction.
        let is_before_last =
            !is_alone && end <= last.start && !slice(text, end..last.start).contains(char::is_alphanumeric);
        // "Answer: correct" above "Errors: none"
        let is_last = !is_alone && at == *closing && !sentence.tokens.iter().any(among(&COLONS));
        let told = if verb.is_none() && (is_alone || is_before_last || is_last) {
            truth(text, sentence, labels)
        } else {
            None
        };
        // What another clause denies is not denied here: "Нарушений нет, содержание безопасно."
        // Where the opposite is no label, a denial says nothing: "Nothing about this content is unsafe".
        let mut told = told.and_then(|(said, is_denied)| {
            let denied = if is_denied { opposite(&said) } else { Some(said.label) };
            Some((said, denied)).filter(|_| denied.is_some())
        });
        let turns = |token: &Token| token.is(TURNED) && !token.is(class::FALSE);
        // "The calculation is right. Verdict: wrong" judges a part first.
        let is_other =
            |token: &Token| token.is(class::THING) && !token.is(class::VAGUE | class::SUBJECT | class::ASPECT);
        // "This is unsafe. Label: safe."
        let closes = |said: &Mention| {
            sentence.tokens.iter().rfind(|token| token.is_word()).is_some_and(|last| last.end == said.end)
        };
        let outright = verb.filter(closes).filter(|_| is_before_last || is_last).map(|said| (said, Some(said.label)));
        if !is_alone
            && let Some((said, denied)) = told.take().or(outright)
            && (is_last || !chooser.sentence(*closing).tokens.iter().any(turns))
            && !chooser.sentence(at).tokens.iter().any(is_other)
        {
            let label = denied.unwrap_or(said.label);
            chooser.contradict(Candidate::new(Ok(label), Rule::Statement, 2, said.span()));
        }
        let said = verb.map(|said| (said, opposite(&said))).or(told);
        let claims = [
            tie.map(|(label, span)| (Candidate::new(Ok(label), Rule::Closing, 1, span), None)),
            said.map(|(said, denied)| (Candidate::new(Ok(said.label), Rule::Statement, 2, said.span()), denied)),
        ];
        // What denies that one is better is no denial.
        if let Some((label, span)) = equal.filter(|(_, span)| !view.hides(span) && !view.quotes(span)) {
            chooser.offer_documented(Candidate::new(Ok(label), Rule::Closing, 1, span).reaching(end));
        }
        for (claim, denied) in claims.into_iter().flatten() {
            if !view.hides(&claim.span) && !view.quotes(&claim.span) {
                chooser.offer_either(claim.reaching(end), denied);
            }
        }
    }
}

/// The word by which a sentence says that all candidates are equal, and no more than that.
fn tie(sentence: &Sentence, is_label: impl Fn(&Token) -> bool) -> Option<Range<usize>> {
    let at = sentence.tokens.iter().rposition(of(class::TIE))?;
    let token = sentence.tokens.get(at)?;
    // "equally verbose" speaks of one property.
    let next = sentence.tokens.get(at + 1);
    let judges = class::LINK | class::GIVE | class::CHOOSE | class::DEEM;
    let goes_on = next.is_some_and(|next| {
        next.kind == Kind::Word && next.is_unknown() && !next.is_unspaced && !next.is(judges | class::COMPLEMENT)
    });
    // "Can't separate them: same tone; call it a draw."
    let start = sentence.slice(..at).iter().rposition(among(&[';'])).unwrap_or(0);
    let is_qualified = sentence.slice(start..).iter().any(of(class::ABOUT | class::ASPECT));
    let is_of_all = sentence.tokens.iter().any(of(class::BOTH));
    let mut lead = sentence.slice(..at).iter().rev().filter(|token| token.is_word() && !token.is(class::FILL));
    // "A, B or tie" and "A/B/tie" list what may be chosen.
    let is_behind_mark = sentence.slice(..at).last().is_some_and(among(&['/', '|']));
    let before = lead.next();
    let is_behind_labels = matches!(sentence.slice(..at), [.., one, between, other, comma]
        if is_label(one) && is_label(other) && between.is_mark(&COMMAS) && comma.is_mark(&COMMAS));
    let is_listed = is_behind_mark || is_behind_labels || before.is_some_and(of(class::OR));
    // "Style: tie"
    let is_part = sentence.slice(..at).iter().rfind(|token| !token.is(class::FILL)).is_some_and(among(&COLONS))
        && before.is_some_and(|name| name.is_unknown() || name.is(class::ASPECT));
    // "A draw it is."
    let is_it = matches!(sentence.slice(at + 1..), [it, link, end @ ..] if it.is_pronoun()
        && link.is(class::LINK)
        && end.iter().all(|token| !token.is_word()));
    let is_concluded = is_it || next.is_none_or(|next| !next.is_word() || next.is(judges));
    (!is_qualified && !goes_on && !is_listed && !is_part && (is_of_all || is_concluded))
        .then_some(token.start..token.end)
}

/// What a sentence consists of that denies that one candidate is better, and says nothing else.
const EVEN: Classes =
    NONE | LAST | NAMES | APART | class::JOIN | class::LATTER | class::LINK | class::ANY | class::RIVAL;

/// What sets one candidate apart from another.
const APART: Classes =
    class::DIFFERENCE | class::BETTER | class::THAN | class::THAN_BEHIND | class::FROM | class::UNTIL;

/// The word by which a sentence denies that one candidate is better, and no more than that: `There is no difference between
/// A and B.`, `Neither of the two is better.`
fn equal(text: &str, sentence: &Sentence, labels: &Labels) -> Option<Range<usize>> {
    let is_none = sentence.tokens.iter().any(of(class::NONE)) && sentence.classes & class::BETTER != 0;
    let differs = if is_none { class::NONE } else { class::DIFFERENCE };
    let at = sentence.tokens.iter().rposition(of(differs)).filter(|_| !sentence.asks)?;
    let token = sentence.tokens.get(at)?;
    let (lead, behind) = (sentence.slice(..at), sentence.slice(at + 1..));
    let named: Vec<Mention> = labels.mentions(text, sentence.range.clone()).collect();
    let is_named = |token: &Token| named.iter().any(|label| label.start <= token.start && token.end <= label.end);
    let first = named.first().map(|mention| mention.label);
    let is_of_all = named.iter().any(|other| Some(other.label) != first);
    // "Keinen nennenswerten Unterschied", "pas de différence notable": one adjective, beside the noun.
    let is_adjective = |token: &Token| !is_none && token.is_bare();
    let mut near = lead.iter().rev().peekable();
    near.next_if(|token| is_adjective(token));
    let is_denied = is_none
        || near.find(|token| !token.is(class::FILL | class::ANY) || token.is(class::DENY)).is_some_and(of(NONE))
        || !sentence.may_be_english && behind.iter().any(of(NONE));
    // "I can't say that there is no difference."
    let denials = sentence.tokens.iter().filter(of(NONE)).count();
    let is_denied = is_denied && (denials == 1 || !sentence.may_be_english);
    let is_beside = |other: usize| other + 1 == at || other == at + 1;
    // "Neither is significantly better."
    let is_adverb = |nth: usize, token: &Token| {
        is_none && token.is_bare() && sentence.tokens.get(nth + 1).is_some_and(of(class::BETTER))
    };
    // "Neither is better than the other."
    let is_last = |nth: usize, token: &Token| {
        let mut before = sentence.slice(..nth).iter().rev().skip_while(of(class::FILL));
        is_none && token.is_bare() && before.next().is_some_and(of(class::THAN))
    };
    let is_mere = |(nth, token): (usize, &Token)| {
        let is_less = token.is(LESS & !EVEN) && !token.is(class::FROM);
        let is_known = token.is(EVEN) && !is_less || !token.is_word() || is_named(token);
        is_known || is_adverb(nth, token) || is_last(nth, token) || is_beside(nth) && is_adjective(token)
    };
    let opens = LAST | class::FILL;
    let is_subject = lead.iter().all(|token| token.is(opens) || !token.is_word());
    let is_of_all = is_of_all || named.is_empty() && (is_none || sentence.classes & class::BOTH != 0);
    let is_all = is_denied && is_of_all && (!is_none || is_subject) && sentence.tokens.iter().enumerate().all(is_mere);
    is_all.then_some(token.start..token.end)
}

/// What denies, of one or of several.
const NONE: Classes = DENIES | class::NO | class::NONE;

/// The only verb of its sentence that is a label, between what is judged and a stop or a reason.
fn verb(text: &str, sentence: &Sentence, labels: &Labels) -> Option<Mention> {
    let label = |token: &Token| labels.verb(token.text(text));
    let mut verbs = sentence.tokens.iter().enumerate().filter_map(|(at, token)| Some((at, label(token)?)));
    let (at, label) = verbs.next().filter(|_| verbs.next().is_none())?;
    let token = sentence.tokens.get(at)?;
    // "It does not pass"
    let passes = class::FILL | class::EMPHATIC | class::DENY | class::LINK | class::CONCLUDE;
    let mut lead = sentence.slice(..at).iter().rev().skip_while(|token| token.is(passes) && !token.is(class::THING));
    let opens = LAST | class::FILL | class::THING | class::EMPHATIC | class::SELF | class::DEEM;
    let is_of_thing = lead.next().is_some_and(|subject| subject.is(class::THING) && !subject.is(class::ASPECT))
        && lead.all(|token| !token.is_word() || token.is(opens));
    let next = sentence.tokens.get(at + 1);
    let ends = next.is_none_or(|next| {
        !next.is_word() && !next.is_mark(&['-', '/']) || next.is(class::BECAUSE) && !next.is(class::PART)
    });
    // "The response fails the test."
    let object = sentence.slice(at + 1..);
    let has_object = matches!(object, [article, noun, rest @ ..] if article.is(class::FILL)
        && noun.is_word()
        && noun.is_unknown()
        && rest.first().is_none_or(|stop| !stop.is_word()));
    (is_of_thing && (ends || has_object)).then(|| word(label, token))
}
