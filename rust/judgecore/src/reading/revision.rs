//! Where a judge takes back what it said, or puts another verdict in its place.

use std::ops::Range;

use super::numeral::next_digit;
use super::sentence::{STRIDE, Sentence, Sentences};
use super::token::{DENIES, HEADED, Kind, OF_ALL, TURNS, Token, among, entry_of, of, words};
use super::voided::{
    COMMAS, NEAR, clause_around, ends_clause, has_unknown, is_dismissed, is_voided, may_be_dismissed, sentence_before,
};
use crate::lexicon::{self as class, Classes, lexicon};
use crate::reply::text::{head, tail};

/// How many revisions are looked at; nobody changes a mind more often.
const MOST: usize = 64;

/// What says of something that it does not hold.
const REJECTS: Classes = class::COUNTERFACTUAL | class::MISTAKEN | class::WORSE | class::FALSE;

/// What may take something back.
pub(super) const REVISES: Classes = class::WITHDRAW
    | class::DISMISS
    | class::BACK
    | class::MISTAKEN
    | class::VOID
    | class::CORRECT
    | DENIES
    | class::NO;

/// What may put something in place of what was said.
pub(super) const REPLACES: Classes = class::CORRECT | class::NO;

/// What a judge does.
const ACTS: Classes = class::GIVE | class::CHOOSE;

/// What else may be said where a judge denies its act.
const DECLINES: Classes = TURNS | class::ANNOUNCE | class::ONWARD | class::FINAL | class::OF | class::ANY | class::JOIN;

/// What says nothing of what it speaks of.
const PLAIN: Classes = class::FILL | class::SUBJECT | class::EMPHATIC | class::SORRY | class::DEMONSTRATIVE;

/// What a denial consists of that leaves out what it denies.
const ELLIPTIC: Classes = DENIES | TURNS | class::SELF | class::SUBJECT | class::LINK | class::FILL | class::NO;

/// What happens at a place to what was said before it.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Revision {
    /// It holds no more.
    Withdrawn(usize),
    /// What is said behind the place, up to the end of the range, takes its place.
    Corrected(Range<usize>),
    /// The same, where it is no word of consolation: `Sorry, 6`, but not `Sorry, B fans`.
    Apologized(Range<usize>),
}

/// No word is told by more of its bytes.
const WORD: usize = 64;

/// Where words stand with which a judge may take something back, or answers `No, 6`, each looked for once.
#[derive(Debug)]
pub(super) struct Revising<'t> {
    text: &'t str,
    revises: Classes,
    /// What was looked through, and where they stand in it, in order.
    searched: Option<Range<usize>>,
    found: Vec<usize>,
}

impl<'t> Revising<'t> {
    /// Those of such classes.
    pub(super) fn new(text: &'t str, revises: Classes) -> Self {
        Self { text, revises, searched: None, found: Vec::new() }
    }

    /// The first of them from a place on, if it stands before another place, or not much behind that.
    pub(super) fn next(&mut self, from: usize, to: usize) -> Option<usize> {
        let Range { start, mut end } = self.searched.clone().unwrap_or(from..from);
        // What is offered later may stand before.
        if from < start {
            self.found.splice(..0, self.search(from..start));
        }
        if end < to.min(self.text.len()) {
            // No search begins inside a word.
            let space = memchr::memchr(b' ', self.text.as_bytes().get(to..).unwrap_or_default());
            let behind = space.map_or(self.text.len(), |space| to + space + 1);
            self.found.extend(self.search(end..behind));
            end = behind;
        }
        self.searched = Some(from.min(start)..end);
        self.found.get(self.found.partition_point(|at| *at < from)).copied()
    }

    fn search(&self, range: Range<usize>) -> impl Iterator<Item = usize> + use<'t> {
        let Self { text, revises, .. } = *self;
        // Without a bound each search would go on to the next such word, however far.
        let bounded = head(text, text.floor_char_boundary(range.end + WORD));
        let near = places(bounded, range.start, revises).take_while(move |at| *at < range.end);
        near.filter(move |at| may_revise_at(text, *at, revises))
    }
}

/// Where words stand that may be of such classes.
fn places(text: &str, from: usize, revises: Classes) -> impl Iterator<Item = usize> {
    let words = if revises == REPLACES { &class::REPLACEMENTS } else { &class::REVISIONS };
    words.places(tail(text, from)).map(move |at| from + at)
}

fn may_revise_at(text: &str, at: usize, revises: Classes) -> bool {
    const DISMISSES: Classes = class::DISMISS | class::BACK;
    entry_of(text, at).is_some_and(|(entry, end)| {
        let classes = entry.classes() & revises;
        classes & !(class::NO | DISMISSES) != 0
            || classes & class::NO != 0 && tail(text, end).starts_with(COMMAS)
            || classes & DISMISSES != 0 && may_be_dismissed(text, entry, end)
    })
}

/// Whether a word that may put something in place of what was said stands in a sentence with digits, as any may in a long one.
pub(super) fn may_replace_digits(text: &str, sentences: &mut Sentences<'_>) -> bool {
    let mut from = 0;
    while let Some(digit) = next_digit(text, from) {
        let Range { start, end } = sentences.range(digit);
        from = end;
        if end - start > STRIDE {
            return true;
        }
        // A sentence that was split already tells by its classes.
        if sentences.known(digit).is_some_and(|known| known.classes & REPLACES == 0) {
            continue;
        }
        if places(head(text, end), start, REPLACES).any(|at| may_revise_at(text, at, REPLACES)) {
            return true;
        }
    }
    false
}

/// Whether what was said up to `from` holds no more by what stands behind it.
pub(super) fn is_taken_back(text: &str, from: usize) -> bool {
    let revising = &mut Revising::new(text, REVISES);
    let found = revisions(revising, from, &mut Sentences::new(text), Hears { no: false, bare: true }, |_| false);
    found.iter().any(|revision| matches!(revision, Revision::Withdrawn(_)))
}

/// What takes something back besides: a `No` that is no value itself, and a bare word that is no reason, such as `revoked`.
#[derive(Clone, Copy)]
pub(super) struct Hears {
    pub(super) no: bool,
    pub(super) bare: bool,
}

/// The revisions behind `from` by these words, in the order of the text.
pub(super) fn revisions(
    revising: &mut Revising<'_>,
    from: usize,
    sentences: &mut Sentences<'_>,
    hears: Hears,
    is_claimed: impl Fn(Range<usize>) -> bool,
) -> Vec<Revision> {
    let (text, mut found) = (revising.text, Vec::new());
    let mut next = from;
    while let Some(at) = revising.next(next, text.len()) {
        next = at + 1;
        if found.len() == MOST {
            break;
        }
        // A sentence that was split already tells by its classes.
        if sentences.known(at).is_some_and(|known| known.classes & revising.revises == 0) {
            continue;
        }
        let sentence = sentences.at(at);
        let Some(nth) = sentence.tokens.iter().position(|token| token.start == at) else { continue };
        let Some(token) = sentence.tokens.get(nth) else { continue };
        let is_taken_back = token.is(DENIES) && declines(text, sentence, nth, &is_claimed)
            || token.is(class::WITHDRAW | class::MISTAKEN) && withdraws(text, sentence, nth)
            || token.is(class::DISMISS | class::BACK) && is_dismissed(text, sentence, nth, &is_claimed)
            || token.is(class::VOID | DENIES) && is_voided(text, sentence, nth, hears.bare, &is_claimed)
            || token.is(class::MISTAKEN) && is_said_of_that(text, sentence, nth);
        if is_taken_back {
            found.push(Revision::Withdrawn(token.start));
        }
        // "Scratch that: 6" does both.
        if token.is(class::CORRECT) && corrects(sentence, nth) || hears.no && answers_no(text, sentence, nth) {
            // Where the verb ends the clause, the corrected value stands before it.
            let is_inside = |token: &&Token| !ends_clause(token) && !token.is_mark(&['(']);
            let clause = sentence.slice(..nth).iter().rev().take_while(is_inside);
            let first = clause.last().filter(|_| sentence.is_verb_final()).map_or(token.start, |first| first.start);
            let range = first..text.len().min(token.start + NEAR);
            found.push(if token.is(class::SORRY) { Revision::Apologized(range) } else { Revision::Corrected(range) });
        }
    }
    found
}

/// `I retract my score`: the judge, or its verdict, and no denial, condition or guess.
fn withdraws(text: &str, sentence: &Sentence, nth: usize) -> bool {
    let (before, behind) = sentence.tokens.split_at(nth);
    let phrase = behind.first().map_or("", |token| token.text(text));
    // "The tests do not use this function": a noun that is no verdict's has the verb or is its object.
    let has_article = phrase.rsplit(' ').next().is_some_and(|last| lexicon().classes(last) & class::FILL != 0);
    let clause = before.iter().rev().take_while(|token| !ends_clause(token));
    // "A olvida uno", "Câu trả lời bỏ qua điểm": what is judged is no judge.
    let is_of_judge = clause.clone().any(of(class::SELF | class::ANNOUNCE | class::LINK));
    if !is_of_judge && clause.clone().any(of(class::THING)) {
        return false;
    }
    let own = class::SELF | class::ANNOUNCE | class::EMPHATIC;
    let is_strange = clause.clone().any(Token::is_bare) && !clause.clone().any(of(own));
    let is_others = has_article && (is_strange || words(behind).nth(1).is_some_and(Token::is_bare));
    let is_phrase = phrase.contains(' ') && !is_others;
    let is_locus = |noun: &Token| noun.entry.is_some_and(|entry| entry.may_be(class::LOCUS));
    let is_verdict = |noun: &Token| noun.is(class::ANNOUNCE) && is_locus(noun);
    // "Score: 3 (wrong date)", "Score: 2 - mostly wrong", but "Score: 3 was for the wrong file"
    let goes_on = class::THING | class::UNIT | class::NUMBERED | class::ASPECT | class::PART;
    let is_of_noun = |noun: &Token| noun.is_bare() || noun.is(goes_on);
    let is_linked = before.iter().rev().take_while(|token| !is_verdict(token)).any(of(class::LINK));
    let is_remark = !is_linked
        && (behind.get(1).is_some_and(is_of_noun) || before.last().is_some_and(of(class::PARTIAL | class::EMPHATIC)));
    // What stands before a reason is not what is spoken of in it; "My rating for this was wrong" gives none.
    let is_reason =
        |token: &Token| token.is(class::BECAUSE) && !token.is(class::PART | class::THAN | class::GIVE | class::ONWARD);
    let mut near = words(before).rev().take(4).take_while(|token| !is_reason(token));
    let is_about = if behind.first().is_some_and(of(class::MISTAKEN)) {
        near.any(is_verdict) && !is_remark || words(before).any(of(class::CORRECT))
    } else {
        // "I retract that" speaks of the verdict; "I disregard typos in my scoring" does not.
        let is_mere = class::FILL | class::SELF | class::OTHER | class::PAST | class::THING;
        let is_verdict = |token: &Token| token.is(class::ANNOUNCE | class::LOCUS);
        let mut object = words(behind).skip(1).filter(|token| !token.is(is_mere) || is_verdict(token)).take(2);
        let is_short = words(behind).count() <= 3
            && !words(behind).skip(1).any(Token::is_bare)
            && words(before).any(of(class::SELF));
        is_phrase
            || is_short
            || is_mere_clause(text, sentence, nth, class::WITHDRAW)
            || object.any(is_verdict)
            || near.any(is_verdict)
    };
    let doubts = class::DENY | class::IF | class::HEDGE | class::COUNTERFACTUAL | class::CONDITIONAL | class::OTHER;
    let is_doubted = clause.take(4).any(of(doubts));
    !sentence.asks && !is_doubted && is_about
}

/// `Ignorez cela.`, `Please discard this output, it was for another`: without an object of its own, the clause of a verb
/// speaks of what stands before it.
fn is_mere_clause(text: &str, sentence: &Sentence, nth: usize, verb: Classes) -> bool {
    // "VOID - wrong file"
    let ends = |token: &Token| ends_clause(token) || token.is_mark(&['-', '\u{2013}', '\u{2014}']);
    let (clause, said) = clause_around(sentence, nth, ends);
    is_mere(text, sentence.slice(clause), said, verb, 0)
}

/// Whether a verb and what stands in place of its object is all that a clause says, with so many words that nobody knows.
fn is_mere(text: &str, clause: &[Token], said: Range<usize>, verb: Classes, bare: usize) -> bool {
    let is_mere = PLAIN | TURNS | class::SELF | class::PAST | class::THING | class::BOTH | verb;
    // "Anulo el resultado anterior": what opens its clause may name what it is about.
    let (mut has_verb, mut bare) = (false, bare);
    let is_other = |token: &Token| {
        has_verb |= token.is(verb);
        if bare > 0 && token.is_bare() {
            bare -= 1;
            return false;
        }
        token.is_word() && !token.is(is_mere) && !(has_verb && token.is(class::VAGUE | class::OTHER))
    };
    !clause.iter().any(is_other) && !has_unknown(text, clause, said)
}

/// `Ich bewerte noch nicht.`, `I have no score yet.`: whether a denial is of the judge's own act, and of nothing else.
/// So is one that leaves out what it denies, `I don't.`, behind what was claimed.
fn declines(text: &str, sentence: &Sentence, nth: usize, is_claimed: impl Fn(Range<usize>) -> bool) -> bool {
    let is_mark = |token: &Token| !token.is_word() && ends_clause(token);
    let (clause, said) = clause_around(sentence, nth, is_mark);
    // "Style: no score" speaks of a part.
    let before = sentence.slice(..clause.start);
    let turns = before.iter().any(of(class::CORRECT));
    // "Sorry: I can't score this."
    let is_mere_turn = matches!(before, [.., word, _] if word.is(class::CORRECT | class::NO));
    let is_headed = !is_mere_turn && before.last().is_some_and(among(&[':', '\u{ff1a}', HEADED]));
    let tokens = sentence.slice(clause);
    let opens = words(tokens).next();
    // "I report this and give no verdict."
    let joined = clause_around(sentence, nth, |token| is_mark(token) || token.is(class::JOIN));
    let is_joined = joined.0.len() < tokens.len()
        && opens.is_some_and(|first| first.is(class::SELF) || first.is_bare() && !sentence.may_be_english)
        && names_none(sentence.slice(joined.0.clone()));
    let (tokens, said) = if is_joined { (sentence.slice(joined.0), joined.1) } else { (tokens, said) };
    // "My score is not one", but "No conclusion" speaks of what the response lacks.
    let has = |tokens: &[Token], classes| tokens.iter().any(of(classes));
    // "Wait, the key is missing; no verdict possible."
    let is_own = is_joined || turns || has(tokens, class::SELF);
    let acts = if is_own { ACTS | class::ANNOUNCE } else { ACTS };
    let names_none = is_own && names_none(tokens);
    let acts = if names_none { acts | class::ANNOUNCE | class::WHOLE } else { acts };
    let Some(act) = tokens.iter().position(of(acts)) else {
        let is_elliptic = is_elliptic(tokens) && is_claimed(sentence_before(text, sentence));
        return !sentence.asks && (is_elliptic || !is_headed && forbids(tokens));
    };
    // "The response gives no score", "This is not my final score."
    let subject = class::THING | class::SUBJECT | class::VAGUE;
    let is_others = has(tokens.get(..act).unwrap_or(&[]), subject) && !has(tokens, class::SELF);
    let denied = tokens.iter().skip_while(|token| !token.is(DENIES));
    let is_limited = denied.into_iter().any(of(class::OTHER));
    !sentence.asks
        && !is_headed
        && !is_others
        && !is_limited
        && !has(tokens, class::STRESS | class::IF)
        && is_mere(text, tokens, said, acts | DENIES | DECLINES, usize::from(names_none))
}

/// Whether a token is a noun for a verdict and for nothing else.
fn is_verdict(token: &Token) -> bool {
    token.is(class::ANNOUNCE) && !token.is(class::UNIT | class::VAGUE | class::VALID)
}

/// Each word with the one behind it, past those that call a verdict final.
fn neighbours(clause: &[Token]) -> impl Iterator<Item = (&Token, &Token)> {
    let near = || words(clause).filter(|token| is_verdict(token) || !token.is(OF_ALL));
    near().zip(near().skip(1))
}

/// `I name no rating`, `Seçim yapmıyorum`: whether a denial stands right beside a noun for a verdict.
fn names_none(clause: &[Token]) -> bool {
    neighbours(clause).any(|(first, second)| {
        first.is(DENIES | class::ANY) && is_verdict(second)
            || is_verdict(first) && !first.is_part && second.is(class::DENY_BEHIND) && !second.is_part
    })
}

/// How many sentences may stand between a value and the one that leaves the verdict open.
const OPEN: usize = 3;

/// `so I can't weigh in`, `no overall rating so far`: whether a clause near behind a place leaves the verdict open, or the reply
/// ends with a question: `Yes, I can check that. Which of the two do you mean?`
pub(super) fn is_left_open(
    revising: &mut Revising<'_>,
    from: usize,
    sentences: &mut Sentences<'_>,
    leaves_open: fn(&[Token]) -> bool,
) -> bool {
    let text = revising.text;
    let ends_with_question = text.trim_end().ends_with(['?', '\u{ff1f}', '\u{61f}']);
    if ends_with_question && !tail(text, sentences.range(from).end).trim().is_empty() {
        return true;
    }
    // Each clause is heard once.
    let (mut heard, mut end, mut left) = (from, from, OPEN);
    while let Some(at) = revising.next(heard, from + NEAR).filter(|at| *at < from + NEAR) {
        while end <= at && left > 0 {
            (end, left) = (sentences.range(end).end, left - 1);
        }
        if end <= at {
            break;
        }
        heard = at + 1;
        let sentence = sentences.at(at);
        let Some(nth) = sentence.tokens.iter().position(|token| token.start == at) else { continue };
        let (clause, said) = clause_around(sentence, nth, ends_clause);
        heard = heard.max(said.end);
        let behind = sentence.tokens.partition_point(|token| token.start < from);
        if !sentence.asks && leaves_open(sentence.slice(clause.start.max(behind)..clause.end)) {
            return true;
        }
    }
    false
}

/// Whether a clause denies something of the judge or of a verdict, whatever it is.
pub(super) fn denies_any(clause: &[Token]) -> bool {
    let has = |classes| clause.iter().any(of(classes));
    // "I found no errors" denies the errors.
    let denies = clause.iter().any(Token::denies);
    let judges = ACTS | class::ANNOUNCE;
    denies && has(judges | class::SELF) || has(class::NO | DENIES) && has(judges)
}

/// `I have not read it`, `there is no decision`: whether a clause denies what the judge did or can do, or a verdict, and is no
/// limit, `I can't rate it higher`.
pub(super) fn denies_own(clause: &[Token]) -> bool {
    let limits = class::BOUND | class::BOUND_BEHIND | class::STRESS | class::CONDITIONAL | class::COUNTERFACTUAL;
    // "The joke didn't land for me": who denies stands before the denial.
    let agent = clause.iter().position(Token::is_judge);
    let is_own =
        clause.iter().rposition(Token::denies).is_some_and(|denial| agent.is_some_and(|agent| agent <= denial));
    // "A 9, and I don't give it a 10."
    is_own && !clause.iter().any(of(limits | class::BETTER | class::WORSE))
}

/// `I can't judge it`: whether a clause denies that the judge judged or can, and not of a part: `I haven't scored spelling`.
pub(super) fn denies_own_judging(clause: &[Token]) -> bool {
    // "Je ne donne pas la note maximale."
    let parts = class::ASPECT | class::PART | class::BOUND | class::OTHER;
    let is_part = |token: &Token| token.is_bare() || token.is(parts) || token.kind == Kind::Number;
    let act = clause.iter().position(of(class::GIVE));
    act.is_some_and(|act| !clause.iter().skip(act).any(is_part)) && denies_own(clause)
}

/// `I don't.`, `No, it is not.`: whether a pronoun and a denial are all that is said.
fn is_elliptic(tokens: &[Token]) -> bool {
    let has = |classes| words(tokens).any(|token| token.is(classes) && !token.is(class::NO));
    has(class::SELF | class::SUBJECT) && has(DENIES) && words(tokens).all(of(ELLIPTIC))
}

/// `この点数は使わないでください`, `Diese Zahl bitte nicht verwenden`: whether nothing but the use of the verdict is forbidden,
/// whatever the verb.
fn forbids(clause: &[Token]) -> bool {
    let mere = PLAIN | class::UNIT | class::INSTRUCT;
    let noun = class::ANNOUNCE | class::VAGUE;
    let count = |is_it: &dyn Fn(&Token) -> bool| words(clause).filter(|token| is_it(token)).count();
    count(&|token| token.is(DENIES) && token.is(class::INSTRUCT)) == 1
        && count(&|token| token.is(noun)) == 1
        && count(&Token::is_bare) <= 2
        && words(clause).all(|token| token.is_bare() || token.is(noun | mere))
}

/// `That was premature.`: whether nothing else is said, and of nothing but what stands before it.
fn is_said_of_that(text: &str, sentence: &Sentence, nth: usize) -> bool {
    let subject = words(sentence.slice(..nth)).rfind(|token| !token.is(class::LINK));
    let said = class::MISTAKEN | class::LINK;
    subject.is_some_and(of(class::SUBORDINATE)) && is_mere_clause(text, sentence, nth, said)
}

/// Whether a word that announces a correction opens its sentence, or a part of it behind a mark.
fn corrects(sentence: &Sentence, nth: usize) -> bool {
    let (before, behind) = sentence.tokens.split_at(nth);
    let parts = [HEADED, '\u{2014}', '\u{2013}', '-', '(', ',', ';', ':', '\u{ff0c}', '\u{ff08}'];
    // "6点に訂正します"
    let is_before = |token: &&Token| token.is_word() && !(sentence.is_verb_final() && token.is(class::UNIT));
    let lead = before.iter().rev().take_while(|token| !token.is_mark(&parts)).filter(is_before);
    // "The function actually computes a value of 3"
    let is_others = words(behind).nth(1).is_some_and(Token::is_bare) && lead.clone().any(of(class::FILL));
    !is_others && lead.count() <= 2
}

/// `No, 6`, which opens its sentence or what stands behind a mark.
fn answers_no(text: &str, sentence: &Sentence, nth: usize) -> bool {
    let (before, behind) = sentence.tokens.split_at(nth);
    let opens = before.last().is_none_or(among(&COMMAS))
        || before.last().is_some_and(among(&[HEADED, '\u{2014}', '\u{2013}', '-', '(']));
    let answers = matches!(behind, [no, comma, ..] if no.is(class::NO) && comma.is_mark(&COMMAS));
    if !opens || !answers {
        return false;
    }
    // "No, A would be wrong" rejects the other; "No, that was wrong" what was said.
    let Some(at) = sentence.tokens.iter().position(of(REJECTS)) else { return true };
    at > nth
        && sentence.slice(nth + 2..at).iter().all(|token| !ends_clause(token))
        && is_mere_clause(text, sentence, at, REJECTS | class::LINK)
}
