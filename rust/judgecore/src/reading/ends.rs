//! What the first or the last sentence says of all that is judged, in any language: that no candidate is better, `Beide
//! Antworten sind gleichwertig.`, or a label as its verb, `The submission passes.`, `It doesn't pass.`

use std::ops::Range;

use super::evidence::{Candidate, Chooser};
use super::outcome::Rule;
use super::sentence::{Sentence, Sentences};
use super::token::{COLONS, DENIES, Kind, LAST, LOSES, NAMES, Token, UNREAL, among, of, tokens, words};
use super::voided::{clause_around, ends_clause, has_unknown, sentence_before};
use crate::format::label::{Labels, Mention, Shape};
use crate::lexicon::word::Beginnings;
use crate::lexicon::{self as class, Classes};
use crate::reply::View;
use crate::reply::text::{head, slice};

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

/// Offer a tie, which any label that is named as the verdict outdoes, and the label that is a verb; `opposite` is what
/// who denies that one says.
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
    let (mut behind, is_alone) = (0, chooser.is_empty());
    for Edge { at, sentence: range } in Edge::distinct(edges).iter().filter(|edge| edge.at < text.len()) {
        let at = *at;
        let may_say = || {
            let says = |words: &'static Beginnings| words.places(slice(text, range.clone())).next().is_some();
            labels.tie().is_some() && says(&class::TIES)
                || labels.has_truths() && says(&class::TRUTHS)
                || labels.may_act_in(text, range)
        };
        if chooser.sentences().known(at).is_none() && !may_say() {
            continue;
        }
        let sentence = chooser.sentence(at);
        let end = sentence.range.end;
        if std::mem::replace(&mut behind, end) >= end {
            continue;
        }
        let tie = labels.tie().and_then(|label| Some((label, tie(text, sentence, labels)?)));
        let is_even = |span: &Range<usize>| denies_better(sentence, span.start);
        let even = tie.clone().filter(|(_, span)| is_even(span));
        let equal = even.or_else(|| {
            labels.tie().filter(|_| tie.is_none()).and_then(|label| Some((label, equal(text, sentence, labels)?)))
        });
        let verb = if labels.has_verbs() { verb(text, sentence, labels) } else { None };
        // A label that stands somewhere is the verdict's own word.
        let said = verb.or_else(|| truth(text, sentence, labels).filter(|_| is_alone));
        let claims = [
            tie.filter(|_| equal.is_none())
                .map(|(label, span)| (Candidate::new(Ok(label), Rule::Closing, 1, span), None)),
            said.map(|said| (Candidate::new(Ok(said.label), Rule::Statement, 2, said.span()), opposite(&said))),
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
fn tie(text: &str, sentence: &Sentence, labels: &Labels) -> Option<Range<usize>> {
    let at = sentence.tokens.iter().rposition(of(class::TIE))?;
    let token = sentence.tokens.get(at)?;
    let compares = LOSES | class::BETTER | class::WIN | class::CONTRAST | class::IF | class::ASPECT | class::ABOUT;
    // "Can't separate them: same facts; call it a draw.", "Elle est plus longue, mais c'est un match nul."
    let start = sentence.slice(..at).iter().rposition(among(&[';'])).unwrap_or(0);
    let turns = |nth: usize, token: &Token| nth < at && !token.is(compares & !class::CONTRAST);
    let is_other = |(nth, token): (usize, &Token)| {
        nth != at && nth >= start && token.is(compares) && !token.is(class::TIE) && !turns(nth, token)
    };
    let is_none = denies_better(sentence, token.start) && !sentence.slice(at + 1..).iter().any(of(DENIES));
    let is_qualified = !is_none && sentence.tokens.iter().enumerate().any(is_other);
    // "equally verbose" speaks of one property.
    let next = sentence.tokens.get(at + 1);
    let goes_on = next.is_some_and(|next| next.kind == Kind::Word && next.is_unknown() && !next.is_unspaced);
    let mut named = labels.mentions(text, sentence.range.start..token.start).map(|mention| mention.label);
    let first = named.next();
    let is_of_all = sentence.tokens.iter().any(of(class::BOTH)) || named.any(|label| Some(label) != first);
    let mut lead = sentence.slice(..at).iter().rev().filter(|token| token.is_word() && !token.is(class::FILL));
    // "A, B or tie" and "A/B/tie" list what may be chosen.
    let is_behind_mark = sentence.slice(..at).last().is_some_and(among(&['/', '|']));
    let is_listed = is_behind_mark || lead.clone().next().is_some_and(of(class::OR));
    // "Оба хороши, ничья."
    let is_apart = first.is_none() && sentence.slice(..at).last().is_some_and(|mark| mark.is_mark(&APART_MARKS));
    let says = LAST | class::ANNOUNCE | class::VAGUE | class::LINK | class::TIE | class::CONTRAST;
    // "Declaro un empate", "Menurut saya seri", "यह बराबरी है"
    let concludes = says | class::GIVE | class::CHOOSE | class::DEEM | class::SELF | class::SUBJECT;
    let judges = class::LINK | class::GIVE | class::CHOOSE | class::DEEM;
    let is_concluded = next.is_none_or(|next| !next.is_word() || next.is(judges))
        && (is_none || lead.next().is_some_and(of(concludes)) || is_apart || head(text, token.start).trim().is_empty());
    (!is_qualified && !goes_on && !is_listed && (is_of_all || is_concluded)).then_some(token.start..token.end)
}

/// What parts a tie from what leads up to it.
const APART_MARKS: [char; 8] = [',', '\u{ff0c}', '\u{3001}', '\u{60c}', ';', ':', '\u{2013}', '\u{2014}'];

/// `Neither is better, it's a tie.`: whether what stands before a place denies that one is better or worse.
fn denies_better(sentence: &Sentence, at: usize) -> bool {
    let before = sentence.slice(..sentence.tokens.partition_point(|token| token.start < at));
    // "Neither is better, but not a tie"
    let better = before.iter().rposition(of(class::BETTER | class::WORSE | class::WIN)).unwrap_or(before.len());
    let (denial, said) = before.split_at(better);
    // "Hiçbiri diğerinden üstün değil"
    let turns = if sentence.may_be_english { DENIES | class::CONTRAST } else { class::CONTRAST };
    denial.iter().any(of(class::NONE)) && !said.is_empty() && !said.iter().any(of(turns))
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
    let opens = LAST | class::FILL | class::THING | class::EMPHATIC;
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

/// What a clause consists of that says of all that is judged whether it is true, and nothing else.
const MERE: Classes = NAMES & !class::OF | JUDGES | DENIES | LAST | class::CONTRAST | class::JOIN;

/// What a judge says of what is true.
const JUDGES: Classes = class::SELF | class::LINK | class::DEEM | class::TRUE | class::FALSE;

/// What makes less of what is true, behind it.
const AGAINST: Classes = class::PARTIAL
    | class::HALF
    | class::ABSENT
    | class::LOSE
    | class::FALSE
    | DENIES
    | class::CONTRAST
    | UNREAL & !class::WISH;

/// How many bytes behind what is said to be true may make less of it.
const KEPT: usize = 320;

/// What makes less of it, or leaves it open, anywhere in the sentence.
const LESS: Classes =
    PARTS | UNREAL & !class::WISH | class::CONDITIONAL | class::OTHER | class::REPORT | class::PAST | class::THAN;

/// What speaks of a part, or of one of several.
const PARTS: Classes = class::PARTIAL
    | class::HALF
    | class::PART
    | class::ASPECT
    | class::ABOUT
    | class::BOTH
    | class::FORMER
    | class::LATTER;

/// `Die Antwort ist falsch.`, `It's well written, but wrong.`: what a sentence says of all that is judged, in any language,
/// where the labels call it true or false.
fn truth(text: &str, sentence: &Sentence, labels: &Labels) -> Option<Mention> {
    if !labels.has_truths() || sentence.asks {
        return None;
    }
    let label = |token: &Token| labels.truth(token.classes);
    // "The answer of the student", "the student's answer": whose it is that is judged.
    let is_noun = |token: &Token| token.entry.is_some_and(|entry| entry.may_be(class::THING));
    let is_beside = |token: &&Token| !token.is(class::FILL | class::OF) || is_noun(token);
    let is_owner = |at: usize, token: &Token| {
        let before = sentence.slice(..at).iter().rev().find(is_beside);
        let mut beside = before.into_iter().chain(sentence.slice(at + 1..).iter().find(is_beside));
        token.is(class::ROLE) && beside.any(is_noun)
    };
    let mut truths = sentence.tokens.iter().enumerate().filter_map(|(at, token)| Some((at, label(token)?)));
    let (at, label) = truths.next()?;
    let token = sentence.tokens.get(at)?;
    // What gives a reason makes no less of it.
    let gives_reason = |token: &Token| token.is_mark(&COLONS) || token.is(class::BECAUSE) && !token.is(class::PART);
    let reason =
        sentence.slice(at + 1..).iter().position(gives_reason).map_or(sentence.tokens.len(), |nth| at + 1 + nth);
    let (range, said) =
        clause_around(sentence, at, |token| ends_clause(token) && !token.is(class::JOIN) || gives_reason(token));
    let clause = sentence.slice(range.clone());
    let is_less = |(at, token): (usize, &Token)| token.is(LESS) && !is_owner(at, token);
    // "It is not right, the Po ends elsewhere": more words tell why, and make no less of it.
    let is_denied = token.is(class::FALSE) || clause.iter().any(of(DENIES));
    let is_why = tells_why(sentence.slice(range.end + 1..), is_denied);
    let said_of_it = if is_why { reason.min(range.end) } else { reason };
    if sentence.slice(..said_of_it).iter().enumerate().any(is_less) {
        return None;
    }
    let (lead, rest) = (sentence.slice(..range.start), sentence.slice(range.end..));
    // "Dieses Fazit ist falsch" speaks of a part, "my answer is wrong" of another, "one is right" of one of several.
    let others = class::ANNOUNCE | class::LOCUS | class::VAGUE;
    let is_other = |token: &Token| {
        token.is(others) && !token.is(class::THING | class::FINAL)
            || token.is(class::POSSESSIVE)
            || token.number.is_some()
    };
    let has_owner = range.clone().zip(clause).any(|(at, token)| is_owner(at, token));
    let mere = MERE | if has_owner { class::OF } else { 0 };
    let is_mere = |(at, token): (usize, &Token)| {
        !token.is_word() || is_owner(at, token) || (is_noun(token) || token.is(mere)) && !is_other(token)
    };
    let pronoun = class::SUBJECT | class::WHOLE;
    // "It's well written, but wrong."
    let is_turned = lead.last().is_some_and(of(class::CONTRAST));
    let is_of_noun = clause.iter().any(|token| is_noun(token) && !token.is(pronoun));
    // "Also falsch.", "8이므로 정답입니다"
    let joins = class::CONCLUDE | if sentence.is_verb_final() { class::BECAUSE } else { 0 };
    let first = clause.first().map_or(token.start, |first| first.start);
    let is_concluded =
        words(lead).next_back().is_some_and(|join| join.is(class::CONCLUDE) || join.is(joins) && first <= join.end + 1);
    let has_subject = is_turned || is_concluded || is_of_noun || clause.iter().any(of(pronoun));
    // "Das ist ein Fehler" counts one, and "La réponse est juste une copie" says something else.
    let (before, behind) = clause.split_at(at - range.start);
    let noun = behind.get(1);
    let is_counted =
        before.last().is_some_and(of(class::ANY)) && !noun.is_some_and(is_noun) || noun.is_some_and(of(class::ANY));
    let is_weakened = is_weakened(before, behind, sentence.may_be_english);
    let is_true = token.is(class::TRUE);
    // "True, but irrelevant", "It is true that …", "The right answer: 5"
    let is_that = !is_of_noun && !is_turned && !is_concluded;
    // "Das stimmt." concedes something, where more is said.
    let is_all = text.trim().len() <= sentence.range.len();
    let is_explained = rest.first().is_some_and(among(&COLONS));
    let goes_on = || words(rest).next().is_some_and(|word| !word.is(class::BECAUSE)) && !is_explained && !is_why;
    // "Wrong. The date is 1789.", but "Right. Let's see."
    let is_said = |c: char| c.is_alphanumeric() || matches!(c, '[' | '{');
    let opens = !head(text, first).contains(is_said) && labels.at(text, token.start).is_none();
    // "Sie ist korrekt, obwohl sie lang ist." opens the reply; "It says 15. It is wrong." closes it.
    let is_said_in = |range: Range<usize>| slice(text, range).contains(is_said);
    let is_linked = before.iter().any(of(class::LINK));
    let turns = class::CONTRAST | class::BECAUSE | class::JOIN;
    let is_opening = !is_said_in(0..sentence.range.start)
        && (is_linked
            && !clause.iter().any(of(class::DEMONSTRATIVE))
            && (is_why || words(rest).next().is_none_or(of(turns)))
            || is_why && has_subject && sentence.slice(..range.start).is_empty());
    // "I first had 7. That was wrong" is of something else, and "A is right. B is wrong." of each.
    let others = class::SELF | class::OTHER | class::ANNOUNCE;
    let is_own = |one: &Token| {
        one.is(others) && !one.is(class::THING | class::ROLE)
            || labels.truth(one.classes).is_some_and(|one| one != label)
    };
    let is_closing = !is_said_in(sentence.range.end..text.len())
        && !goes_on()
        && !clause.iter().any(of(LAST))
        && !tokens(text, None, sentence_before(text, sentence)).0.iter().any(is_own);
    // "It says 15. Wrong.", but not "[wrong]".
    let is_free = || !slice(text, sentence.range.start..token.start).contains(['[', '{']);
    // "Totally right."
    let stress = words(clause).filter(of(class::EMPHATIC)).count();
    let is_stressed = stress > 0 && (rest.is_empty() || is_why);
    // "Pas exact."
    let denials = words(before).filter(of(DENIES)).count();
    // "Stimmt. 17 mal 6 ergibt 102.", but "Right. Let's see."
    let is_kept = || !sentence.may_be_english && rest.is_empty() && is_kept_behind(text, sentence.range.end);
    let is_bare = (!is_true || is_stressed || denials == 1 || is_all && rest.is_empty() || is_kept())
        && words(clause).count() == 1 + stress + denials
        && (opens || is_closing && lead.is_empty() && is_free());
    let says_more = is_that && !is_bare && !is_opening && !is_closing && (!is_all || goes_on())
        || is_explained && noun.is_some()
        || sentence
            .slice(range.end..reason)
            .iter()
            .any(|token| token.is(class::SUBORDINATE) || token.is(class::CONTRAST) && is_true);
    (range.clone().zip(clause).all(is_mere)
        && (has_subject || is_bare || is_opening && !sentence.may_be_english)
        && !is_counted
        && !is_weakened
        && !says_more
        && truths.all(|(_, other)| other == label)
        && !has_unknown(text, clause, said))
    .then(|| word(label, token))
}

/// Whether nothing near behind a place makes less of what is said before it to be true.
fn is_kept_behind(text: &str, at: usize) -> bool {
    let near = text.floor_char_boundary(text.len().min(at + KEPT));
    !tokens(text, None, at..near).0.iter().any(of(AGAINST))
}

/// Whether the words behind a truth tell why, and nobody else's view.
fn tells_why(why: &[Token], is_denied: bool) -> bool {
    let other = class::REPORT | class::HOLD | class::DEEM | class::SUBORDINATE | class::OTHER | class::CONDITIONAL;
    // What is good makes less of a denial, and what is denied or so in part less of what is true.
    let good = class::QUALITY | class::FITTING | class::TRUE | class::FALSE | class::UNIT;
    let against = if is_denied { good } else { AGAINST };
    words(why).count() > if is_denied { 2 } else { 1 }
        && !words(why).next().is_some_and(|first| first.is(LESS | class::CONTRAST) && !first.is(class::BECAUSE))
        && !words(why).any(of(other | against))
}

/// `Not quite right`, `Non è corretto del tutto`: whether a denial leaves something of what is true.
fn is_weakened(before: &[Token], behind: &[Token], may_be_english: bool) -> bool {
    let article = class::ANY | class::LINK | if may_be_english { class::FILL } else { 0 };
    let near = before.iter().rfind(|token| !token.is(article));
    let denies = |tokens: &[Token]| tokens.iter().any(of(DENIES));
    // "Es stimmt nicht ganz", but "es stimmt ganz und gar nicht"
    let stress = behind.iter().rposition(of(class::EMPHATIC)).and_then(|at| behind.get(..at));
    let is_stressed_behind = stress.is_some_and(|denial| denies(before) || denies(denial));
    let is_stressed = before.last().is_some_and(of(class::EMPHATIC)) && (denies(before) || denies(behind));
    before.iter().any(of(class::DENY)) && near.is_some_and(|near| !near.is(class::DENY))
        || (is_stressed || is_stressed_behind) && !behind.first().is_some_and(of(class::FALSE))
}

/// A label that is told by a word.
fn word(label: usize, token: &Token) -> Mention {
    Mention { label, shape: Shape::Word, start: token.start, end: token.end }
}
