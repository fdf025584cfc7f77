//! Where a judge says of its verdict that it is none.

use std::ops::Range;

use super::sentence::{Sentence, last_sentence};
use super::token::{DENIES, HEADED, Kind, OPEN_QUOTES, REFERS, Token, among, entry_of, of, tokens, words};
use crate::lexicon::{self as class, Classes, Entry, PARTICLES};
use crate::reply::text::{byte_at, char_at, head, skip_near, slice};

/// What parts an answer from what follows it, in Chinese, Japanese and Arabic too.
pub(super) const COMMAS: [char; 4] = [',', '\u{ff0c}', '\u{3001}', '\u{60c}'];

/// What sets an apposition off.
const APPOSITIONS: [char; 7] = ['(', '[', ']', '\u{ff08}', '\u{2013}', '\u{2014}', '\u{30fb}'];

/// Those that go on with a reason.
const DASHES: [char; 2] = ['\u{2013}', '\u{2014}'];

/// What else a word for what is void is of, where it says that something is taken back, or that it comes before what counts.
const TAKEN_BACK: Classes = class::DISMISS | class::WITHDRAW | class::THING | class::PAST;

/// How far behind a word that announces a correction the corrected verdict may stand.
pub(super) const NEAR: usize = 600;

/// How many words and marks may name a verdict and lead up to what is said of it.
pub(super) const REFERENCE: usize = 8;

/// What a clause beside a verdict speaks of.
#[derive(Clone, Copy, PartialEq)]
enum Topic {
    /// `That score`, `the line above`, `my rating`, `so that 5`.
    Verdict,
    /// `That`, `c'`, or nothing, in languages that leave it out.
    That,
    /// `I`
    Judge,
    /// `Do not`
    Order,
    /// Nothing, right behind the verdict: `Score: 7 (revoked)`.
    Beside,
}

/// A clause, parted at the word that may say of a verdict that it is none.
struct Clause<'s> {
    /// The noun and the verb behind it.
    subject: Vec<&'s Token>,
    predicate: &'s Token,
    has_space: bool,
    /// The rest of the clause, and the first word behind it.
    rest: Vec<&'s Token>,
    later: Option<&'s Token>,
    place: Place,
}

/// Where a clause begins.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// With the word itself, at the beginning of a sentence, in brackets, or behind a dash where it gives no reason.
    Apposed,
    BehindDash,
    Elsewhere,
}

/// `That number is a placeholder.`, `I was joking.`, `The line above does not count.`: whether all that a clause right behind a
/// verdict says of it, or of how the judge came to it, is that it is none. An answer may give a bare word as its reason:
/// `Is it still valid? No (revoked).`
pub(super) fn is_voided(
    text: &str,
    sentence: &Sentence,
    nth: usize,
    may_be_bare: bool,
    is_claimed: impl Fn(Range<usize>) -> bool,
) -> bool {
    let (before, behind) = sentence.tokens.split_at(nth);
    let Some((predicate, rest)) = behind.split_first().filter(|_| !sentence.asks) else { return false };
    // "Score: 7 – revoked", but not "re-read"
    let is_dash = |token: &Token| token.is_mark(&['-']) && byte_at(text, token.end) == b' ';
    let is_end = |token: &Token| ends_clause(token) || token.is_mark(&APPOSITIONS) || is_dash(token);
    let first = before.iter().rposition(is_end).map_or(0, |at| at + 1);
    let mark = first.checked_sub(1).and_then(|at| before.get(at));
    let leads = class::SORRY | class::EMPHATIC | class::CORRECT | class::NO;
    let is_lead = |token: &&Token| token.is(leads) && !token.is(class::SELF);
    let subject: Vec<&Token> = words(before.get(first..).unwrap_or(&[])).skip_while(is_lead).collect();
    let start = subject.first().map_or(predicate.start, |token| token.start);
    // "That's a guess and not a verdict", "the rating above is inserted and is not a judgement"
    let is_joined = mark.is_some_and(|mark| mark.is(class::JOIN) || mark.is_mark(&COMMAS));
    let earlier = before.get(..first.saturating_sub(1)).filter(|_| is_joined && noun_length(&subject) == 0);
    let earlier = earlier.and_then(|earlier| earlier.rsplit(ends_clause).next()).unwrap_or(&[]);
    let noun: Vec<&Token> = words(earlier).collect();
    let subject: Vec<&Token> = noun.iter().take(noun_length(&noun)).copied().chain(subject).collect();
    let rest: Vec<&Token> = rest.iter().take_while(|token| token.is_word() && !ends_clause(token)).collect();
    let later = words(behind).nth(1 + rest.len());
    let has_space = predicate.text(text).contains(' ');
    let is_closed = behind.get(1 + rest.len()).is_some_and(among(&[')', ']', '\u{ff09}']));
    let later = later.filter(|_| !is_closed);

    let said = sentence_before(text, sentence);
    let is_beside = is_claimed(said.start..start);
    let near = slice(text, text.floor_char_boundary(start.saturating_sub(NEAR))..start);
    let is_number = |token: &Token| token.kind == Kind::Number && near.contains(token.text(text));
    let is_behind_dash = mark.is_some_and(|mark| mark.is_mark(&DASHES) || is_dash(mark));
    // "Score: 3 – not valid JSON", "Score: 6 – draft": behind a dash such a word may give a reason.
    let is_set_off = if is_behind_dash {
        predicate.is(TAKEN_BACK & !class::THING)
    } else {
        mark.is_none_or(|mark| mark.is_mark(&APPOSITIONS))
    };
    let place = match is_behind_dash {
        _ if may_be_bare && first == nth && is_set_off => Place::Apposed,
        true => Place::BehindDash,
        false => Place::Elsewhere,
    };
    let clause = Clause { subject, predicate, has_space, rest, later, place };
    let may_leave_out = first == 0 && !sentence.may_be_english;
    let Some(topic) = clause.topic(is_number, is_beside, may_leave_out) else {
        return false;
    };
    let from = mark.map_or(sentence.range.start, |mark| mark.end);
    let is_whole = if topic == Topic::Verdict && clause.is_void() {
        !predicate.is_part && !clause.subject.iter().any(|token| token.runs_on)
    } else {
        !has_unknown(text, sentence.slice(first..nth + 1), from..predicate.end)
    };
    // "Rating: [[3]], because it says 3000. That number is made up."
    let is_told = |token: &Token| token.is(class::BECAUSE | class::REPORT);
    let may_be_told_of = is_beside && !clause.subject.iter().any(of(class::ANNOUNCE | class::SELF));
    is_whole && clause.says_of(topic) && !(may_be_told_of && tokens(text, None, said).0.iter().any(is_told))
}

/// What may stand beside the verb and the verdict where a judge takes that back: `please delete my earlier score again`.
const BESIDE: Classes = class::FILL
    | class::SUBJECT
    | class::EMPHATIC
    | class::SORRY
    | class::SELF
    | class::BOTH
    | class::PAST
    | class::OTHER
    | class::FINAL
    | class::WHOLE
    | class::CORRECT
    | class::CONTRAST
    | class::CONCLUDE
    | class::JOIN
    | class::ONWARD
    | class::INVERT
    | class::HOLD
    | class::LINK;

/// How far before a pronoun the verdict may stand that it refers to, in bytes.
const BEFORE: usize = 40;

/// Whether what follows a word at once may be a verdict or nothing, so that the sentence has to be looked at.
pub(super) fn may_be_dismissed(text: &str, word: &Entry, end: usize) -> bool {
    let next = skip_near(text, end, |c| c == ' ');
    let object = BESIDE | class::POSSESSIVE | class::LOCUS | class::ANNOUNCE | class::DEMONSTRATIVE;
    let may_be_object = || entry_of(text, next).is_some_and(|(entry, _)| entry.may_be(object));
    !char_at(text, next).is_some_and(char::is_alphanumeric) || word.may_be(class::DISMISS) && may_be_object()
}

/// `Delete that score.`, `I'm taking my rating back.`: whether all that is said between two marks is that the judge takes its
/// verdict back, or asks for that.
pub(super) fn is_dismissed(
    text: &str,
    sentence: &Sentence,
    nth: usize,
    is_claimed: impl Fn(Range<usize>) -> bool,
) -> bool {
    let Some(verb) = sentence.tokens.get(nth).filter(|_| !sentence.asks) else { return false };
    let is_mark = |token: &Token| !token.is_word();
    let (clause, said) = clause_around(sentence, nth, is_mark);
    let (before, lead) = (sentence.slice(..clause.start), sentence.slice(clause.start..nth));
    // "Until I have seen the source"
    let ends = |token: &Token| token.is(class::BECAUSE | class::RANGE | class::IF);
    let object = sentence.slice(nth + 1..clause.end).split(ends).next().unwrap_or_default();
    let is_pronoun = |token: &Token| token.is(class::SUBJECT | class::DEMONSTRATIVE) && !token.is(class::SELF);
    let is_verdict = |token: &Token| is_name(token) || is_pronoun(token);
    // "Score: 8. Ignore the 8."
    let near = slice(text, sentence_before(text, sentence).start..verb.start);
    let is_value = matches!(object, [.., article, number] if article.is(class::FILL | class::DEMONSTRATIVE)
        && number.kind == Kind::Number
        && near.split(|c: char| !c.is_ascii_digit() && c != '.').any(|said| said.trim_matches('.') == number.text(text)))
        && sentence.tokens.get(clause.end).is_none_or(among(&['.', ',', ';', '!']));
    let is_known = |token: &Token| {
        token.is(BESIDE | class::POSSESSIVE)
            || token.number.is_some()
            || is_value && token.kind == Kind::Number
            || is_verdict(token)
    };
    // Who does it is the judge or the reader, and no third; what is quoted is the text's.
    let is_quoted = before.last().is_some_and(among(&OPEN_QUOTES));
    if is_quoted || lead.iter().any(of(class::DENY | class::IF | class::REPORT)) {
        return false;
    }
    let strange = lead.iter().filter(|token| !is_known(token)).count();
    let end = object.last().unwrap_or(verb).end;
    let is_whole = !has_unknown(text, sentence.slice(clause.start..nth + 1 + object.len()), said.start..end);
    if verb.is(class::BACK) {
        return is_whole
            && object.is_empty()
            && strange <= 2
            && lead.last().is_some_and(is_verdict)
            && lead.iter().any(Token::is_judge);
    }
    let polite = class::EMPHATIC | class::SORRY | class::CORRECT | class::FILL | class::CONTRAST;
    let has_own = lead.iter().any(Token::is_judge);
    let has_third = lead.iter().any(of(class::SUBJECT | class::THING | class::VAGUE));
    let speaks = has_own || lead.iter().all(of(polite)) || !sentence.may_be_english && !has_third;
    let named = if object.is_empty() { lead } else { object };
    let opens = before.iter().rev().find(|token| !token.is_mark(&['(', '['])).is_none_or(among(&[HEADED]));
    // "Cancelled.", "Remove it." speak of what stands right before.
    let is_beside = || {
        let (start, said) = (sentence.range.start, sentence_before(text, sentence));
        let is_near = |range: Range<usize>| is_claimed(range.end.saturating_sub(BEFORE).max(range.start)..range.end);
        is_near(start..verb.start) || opens && is_near(said)
    };
    // "Please ignore."
    let is_alone = words(&sentence.tokens).filter(|token| !token.is(polite)).count() == 1;
    let refers = named.iter().any(|token| is_name(token) || is_that(token))
        || (named.iter().any(is_pronoun) || is_alone || is_value) && (has_own || is_beside());
    is_whole && speaks && strange <= usize::from(has_own) && object.iter().all(is_known) && refers
}

impl Clause<'_> {
    fn is_void(&self) -> bool {
        self.predicate.is(class::VOID) && !self.predicate.runs_on
    }

    /// What the subject speaks of, which some languages leave out.
    fn topic(&self, is_number: impl Fn(&Token) -> bool, is_beside: bool, may_leave_out: bool) -> Option<Topic> {
        let has_number = |noun: &[&Token]| noun.iter().any(|token| is_number(token));
        if self.subject.len() > REFERENCE || !is_beside && !has_number(&self.subject) {
            return None;
        }
        let opens = self.subject.first().unwrap_or(&self.predicate);
        // "Шучу."
        if opens.is_judge() {
            return Some(Topic::Judge);
        }
        let (noun, tail) = self.subject.split_at(noun_length(&self.subject));
        match noun {
            [] if tail.first().is_some_and(of(class::LINK)) => may_leave_out.then_some(Topic::That),
            // "Verdict: incorrect (mistake)" gives a reason.
            [] if is_beside && self.place == Place::Apposed && (!self.is_void() || self.predicate.is(TAKEN_BACK)) => {
                Some(Topic::Beside)
            }
            [] if tail.len() <= 1 && self.place != Place::BehindDash => Some(Topic::Order),
            [that] if is_that(that) => Some(Topic::That),
            // "Rating revoked."
            [name] if tail.is_empty() && name.is(class::ANNOUNCE) && name.is(class::LOCUS) => {
                is_beside.then_some(Topic::Verdict)
            }
            _ => {
                let named =
                    class::SELF | class::OTHER | class::FINAL | class::PAST | class::SUBJECT | class::DEMONSTRATIVE;
                let is_known = |token: &&Token| is_name(token) || is_number(token) || token.is(named | class::FILL);
                // "Line 3 is a mistake" is of something else, and so may be "the conclusion".
                let is_shown = noun.iter().any(of(class::DEMONSTRATIVE | class::POSSESSIVE));
                // "This conclusion is a mistake" is of what is judged.
                let is_own = noun.iter().any(of(class::POSSESSIVE));
                let has_name = noun.iter().any(|token| is_name(token) && (is_own || token.is(class::LOCUS)));
                let is_it = if has_name { is_beside && is_shown } else { has_number(noun) };
                (is_it && noun.iter().all(is_known)).then_some(Topic::Verdict)
            }
        }
    }

    /// Whether it says of its topic that the verdict is none.
    fn says_of(&self, topic: Topic) -> bool {
        let tail = self.subject.get(noun_length(&self.subject)..).unwrap_or(&[]);
        let is_copula = || is_mere(tail, class::LINK);
        let verbs = class::LINK | class::INVERT | class::VALID;
        let is_tail = tail.len() <= 3 && tail.iter().all(|token| is_strange(token) || is_mere(&[token], verbs));
        let is_linked = self.has_space || self.predicate.is_unspaced || self.subject.iter().any(of(class::LINK));
        if self.later.is_some_and(of(class::CONTRAST)) {
            return false;
        }
        match (topic, self.is_void()) {
            (Topic::Judge, true) => {
                let known =
                    class::SELF | class::LINK | class::DEMONSTRATIVE | class::ANNOUNCE | class::LOCUS | class::PAST;
                let acts = self.subject.iter().filter(|token| !is_mere(&[token], known)).count();
                let is_state =
                    is_mere(&self.subject, class::SELF | class::LINK) && (is_linked || self.subject.len() <= 1);
                self.rest.is_empty() && (is_state || self.has_space && acts <= 2)
            }
            (Topic::Judge | Topic::Order, false) => self.rest.first().is_some_and(of(class::VALID)),
            (Topic::Order, true) => false,
            // "Ne pas compter", "(not my final score)"
            (Topic::Beside, false) => {
                let act = self.rest.iter().find(|token| !token.is(class::DENY));
                let is_all = self.rest.iter().all(|token| token.is(class::DENY | class::VALID)) && self.later.is_none();
                is_all && act.is_some_and(|act| act.is(class::VALID)) || self.names_none(true)
            }
            (Topic::Beside, true) => self.later.is_none() && self.rest.is_empty() || is_by_judge(&self.rest),
            (Topic::That, true) => {
                let is_copula_behind = |token: &&Token| self.predicate.is_unspaced && token.is(class::LINK);
                is_linked && is_copula() && self.rest.iter().all(is_copula_behind) && self.later.is_none()
            }
            (Topic::That, false) => is_copula() && self.names_none(true),
            (Topic::Verdict, true) => {
                (is_linked || matches!(self.subject.as_slice(), [name] if is_name(name))) && is_tail
            }
            (Topic::Verdict, false) => is_tail && (self.names_none(false) || self.is_invalid(tail)),
        }
    }

    /// `Is not a score`, `is not my rating`; of a mere `that`, `not a judgement on the author` is of something else.
    fn names_none(&self, is_of_that: bool) -> bool {
        let passes = class::FILL | class::POSSESSIVE | class::LINK | class::FINAL;
        let lead = self.rest.iter().take_while(|token| token.is(passes)).count();
        let (lead, name) = self.rest.split_at(lead);
        let is_own = lead.iter().any(of(class::POSSESSIVE));
        let ends = |behind: &[&Token]| !is_of_that || is_own || behind.is_empty() && self.later.is_none();
        // "Not an opinion" may be of what is judged.
        let is_noun = |noun: &Token| noun.is(class::ANNOUNCE) && (is_own || noun.is(class::LOCUS));
        name.split_first().is_some_and(|(noun, behind)| is_noun(noun) && ends(behind))
    }

    /// `Does not count`, `Die Note oben zählt nicht`, `これは私の評価ではありません`.
    fn is_invalid(&self, tail: &[&Token]) -> bool {
        let valid = self.rest.iter().take(2).any(of(class::VALID));
        let is_behind = tail.last().is_some_and(of(class::VALID))
            || self.predicate.is(class::DENY_BEHIND) && self.subject.last().is_some_and(of(class::ANNOUNCE));
        valid || self.rest.is_empty() && is_behind
    }
}

/// `By the annotator`
fn is_by_judge(said: &[&Token]) -> bool {
    let judges = class::OTHER | class::RATER | class::SELF;
    said.first().is_some_and(of(class::COMPLEMENT)) && said.iter().take(3).any(of(judges))
}

fn is_mere(said: &[&Token], classes: Classes) -> bool {
    said.iter().all(of(classes | class::FILL | class::PARTIAL))
}

/// "This" is what is judged, "that's" what was said.
fn is_that(token: &Token) -> bool {
    token.is(class::DEMONSTRATIVE) && !token.is(class::LOCUS) && (!token.is(class::THING) || token.is(class::LINK))
}

pub(super) fn is_strange(token: &Token) -> bool {
    token.is_bare() && !token.is(REFERS)
}

/// Whether a noun is one for a verdict, or for the place where it stands.
fn is_name(token: &Token) -> bool {
    token.is(class::LOCUS | class::ANNOUNCE) && !token.is(class::UNIT)
}

/// How many words stand before a verb.
fn noun_length(clause: &[&Token]) -> usize {
    let verbs = class::LINK | class::VALID | class::INVERT;
    let is_verb = |token: &&Token| token.is(verbs) && !token.is(class::DEMONSTRATIVE) || is_strange(token);
    clause.iter().position(is_verb).unwrap_or(clause.len())
}

pub(super) fn ends_clause(token: &Token) -> bool {
    let is_mark = matches!(token.kind, Kind::Mark(HEADED | ';' | ':' | '\u{ff1a}')) || token.is_mark(&COMMAS);
    is_mark || token.is(class::CONCLUDE | class::CONTRAST | class::JOIN)
}

/// Whether more than particles stands between the words that are known, as in scripts without spaces.
pub(super) fn has_unknown(text: &str, clause: &[Token], said: Range<usize>) -> bool {
    let starts = clause.iter().map(|token| token.start).chain([said.end]);
    let ends = std::iter::once(said.start).chain(clause.iter().map(|token| token.end));
    let mut gaps = ends.zip(starts).map(|(end, start)| text.get(end..start).unwrap_or(""));
    let is_particle = |gap: &str| PARTICLES.lines().any(|particle| gap.trim() == particle);
    gaps.any(|gap| gap.contains(char::is_alphanumeric) && !is_particle(gap))
}

/// The tokens of the clause that holds one, and where it stands in the text.
pub(super) fn clause_around(
    sentence: &Sentence,
    nth: usize,
    ends: impl Fn(&Token) -> bool,
) -> (Range<usize>, Range<usize>) {
    let (before, behind) = sentence.tokens.split_at(nth);
    let first = before.iter().rposition(&ends).map_or(0, |at| at + 1);
    let length = behind.iter().position(&ends).unwrap_or(behind.len());
    let start = first.checked_sub(1).and_then(|at| before.get(at)).map_or(sentence.range.start, |mark| mark.end);
    let end = behind.get(length).map_or(sentence.range.end, |mark| mark.start);
    (first..nth + length, start..end)
}

/// `The reasoning is correct, the answer is not.`, `Die Rechnung stimmt. Die Antwort nicht.`: whether a clause behind a value, or the
/// next sentence, ends with a denial of another noun than the value is said of, and leaves out what it denies.
pub(super) fn denies_of_another(text: &str, sentence: &Sentence, value: &Range<usize>) -> bool {
    let (nouns, denials) = (class::THING | class::ASPECT | class::VAGUE | class::ANNOUNCE, DENIES | class::NO);
    // Where the verb ends the clause, "説明はありません" says that there is none.
    let nouns = if sentence.is_verb_final() { nouns & !class::ASPECT } else { nouns };
    let is_noun = |token: &&Token| token.is(nouns) && !token.is(class::SUBJECT);
    let (first, behind) = sentence.places(value);
    let Some(judged) = sentence.slice(..first).iter().rfind(is_noun) else { return false };
    let ends = |token: &Token| ends_clause(token) || token.is_mark(&['.', '!', '\u{3002}', '\u{964}']);
    let denies = |tokens: &[Token]| {
        tokens.split(ends).any(|clause| {
            let mut said = words(clause).skip_while(|token| token.is(class::FILL) && !is_noun(token));
            let is_other = said.next().is_some_and(|noun| is_noun(&noun) && noun.text(text) != judged.text(text));
            let mut said = said.skip_while(|token| token.is(class::LINK | class::SUBJECT) && !token.is(denials));
            is_other && said.next().is_some_and(of(denials)) && said.all(of(class::LINK | class::SUBJECT))
        })
    };
    let next = Sentence::range(text, sentence.range.end);
    let is_near = next.start >= sentence.range.end && next.len() <= ELLIPSIS;
    denies(sentence.slice(behind..)) || is_near && denies(&tokens(text, None, next).0)
}

/// No sentence is longer that leaves out what it denies, in bytes.
const ELLIPSIS: usize = 80;

/// `Suppose the link were dead. Then it would be a 2.`: whether a sentence goes on with what the one before only supposes.
pub(super) fn follows_supposition(text: &str, sentence: &Sentence) -> bool {
    let others = class::CONCLUDE | class::SUBJECT | class::COMPLEMENT | class::PART;
    let goes_on = |word: &Token| word.is(class::ONWARD) && !word.is(others);
    // "Assume that x > 0. Then it holds, so the answer is correct" draws what does not depend on it.
    if !words(&sentence.tokens).next().is_some_and(goes_on) || sentence.classes & class::CONCLUDE != 0 {
        return false;
    }
    supposes(&tokens(text, None, sentence_before(text, sentence)).0)
}

/// `Suppose the link were dead.`, `Angenommen, der Link ist echt.`: whether a sentence is nothing but a condition.
pub(super) fn supposes(sentence: &[Token]) -> bool {
    let commas = sentence.iter().filter(|token| token.is_mark(&COMMAS)).count();
    let is_set_off = sentence.get(1).is_some_and(among(&COMMAS));
    words(sentence).next().is_some_and(of(class::IF)) && commas <= usize::from(is_set_off)
}

/// Where the sentence before one stands.
pub(super) fn sentence_before(text: &str, sentence: &Sentence) -> Range<usize> {
    // A line of dashes says nothing.
    let is_rule = |c: char| c.is_whitespace() || matches!(c, '-' | '*' | '_' | '=');
    let end = head(text, sentence.range.start).trim_end_matches(is_rule).len();
    last_sentence(text, text.floor_char_boundary(end.saturating_sub(NEAR))..end)..end
}
