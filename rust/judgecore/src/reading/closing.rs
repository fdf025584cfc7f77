//! Telling that a reply ends without a verdict: the judge has not judged, does not or will do so later, or asks for what it is to
//! judge.
//!
//! Only the end of a reply says so of all that stands before it. What is denied or put off must be to judge, or to get, open or
//! read what is judged, all of it and by the judge: judges say of parts, other texts and side questions that they did not look at
//! them, and of what is judged that it does not judge.

use std::ops::Range;

use super::refusal::{Met, OPENING, Said, ends_sentence, is_gap, words_with};
use super::sentence::{Sentence, Sentences};
use super::token::{Kind, Token, among, of, words};
use super::voided::{ends_clause, has_unknown, is_strange};
use crate::lexicon::refusal::{ACCESS, DECLINE, JUDGE, LATER, LEAD, NEGATION, PERSON, REQUEST, UNABLE, UNJUDGED};
use crate::lexicon::{self as class, Classes};
use crate::reply::text::{char_before, continues_word, is_unspaced, skip, tail};

/// What a sentence can't do without by which there is no verdict.
pub(super) const OPEN: u16 = LATER | REQUEST | DENIED;

/// Phrases by which something is not done.
const DENIED: u16 = UNJUDGED | UNABLE | DECLINE | NEGATION;

/// How many words and marks of a sentence may leave out who judges: `Verdict still pending`.
const SHORT: usize = 6;

/// How many words and marks may ask for what is judged: `Now please send me the response that I am to evaluate.`
const ASKED: usize = 16;

/// How many words name all that is judged: `this new version`.
const OBJECT: usize = 3;

/// What limits a verdict to a part or a level: `I did not rate it higher`, `I can't choose between them`.
const LIMITS: Classes = class::PART
    | class::ASPECT
    | class::BETTER
    | class::WORSE
    | class::BOUND
    | class::BECAUSE
    | class::SCALE
    | class::TOP
    | class::WHOLE
    | class::FROM
    | class::BOTH
    | class::COUNT;

/// What tells that something is not what is judged: `the other answer`, `the draft`.
const ANOTHERS: Classes = class::ANOTHER | class::OTHER | class::VOID;

/// What names something else than what is judged.
const NOUNS: Classes = class::OTHER
    | class::ASPECT
    | class::CITE
    | class::COUNT
    | class::MEASURE
    | class::SAMPLE
    | class::BETTER
    | class::WORSE;

/// What may stand beside the judge and a word for judging that is denied: `私はまだこの回答を`, `ich entscheide das nicht`.
const BESIDE: Classes = class::THING
    | class::SELF
    | class::SUBJECT
    | class::DEMONSTRATIVE
    | class::FILL
    | class::CONTRAST
    | class::CONCLUDE
    | class::EMPHATIC
    | class::FINAL
    | class::ONWARD
    | class::LOCUS;

/// What stands before a sentence.
#[derive(Clone, Copy, PartialEq)]
enum Before {
    Verdict,
    Statement,
    Question,
}

/// `My own grade will follow tomorrow.`: whether what stands behind a verdict ends with a sentence by which there is none.
pub(super) fn leaves_open(behind: &str) -> bool {
    let said = behind.trim_end_matches(|c: char| !c.is_alphanumeric());
    let from = said.floor_char_boundary(said.len().saturating_sub(OPENING));
    let first = if from == 0 { 0 } else { tail(said, from).find(ends_sentence).map_or(said.len(), |at| from + at) };
    let Some(closing) = words_with(tail(said, first), OPEN, &class::CLOSINGS) else { return false };
    let mut before = if first == 0 { Before::Verdict } else { Before::Statement };
    closing.split_inclusive(ends_sentence).filter(|sentence| sentence.contains(char::is_alphanumeric)).any(|sentence| {
        let said = Said::of(sentence.trim_end_matches(ends_sentence));
        let mut sentences = Sentences::new(said.text);
        let closing = Closing { said: &said, sentence: sentences.at(0), before };
        before = if sentence.ends_with(['?', '？']) { Before::Question } else { Before::Statement };
        closing.leaves_open()
    })
}

/// A sentence near the end of a reply.
struct Closing<'s> {
    said: &'s Said<'s>,
    sentence: &'s Sentence,
    before: Before,
}

impl Closing<'_> {
    fn leaves_open(&self) -> bool {
        let met = || self.said.met.iter();
        if met().any(|met| met.is(REQUEST)) {
            return self.asks_for_all();
        }
        met().any(|met| met.is(LATER) && self.puts_off(met) || met.is(DENIED) && self.denies(met))
    }

    /// `Please send me the response`, but not `the next one`: whether what is asked for is what is judged, and all of it.
    fn asks_for_all(&self) -> bool {
        let tokens = &self.sentence.tokens;
        let is_another = tokens.iter().any(of(class::ANOTHER | class::OTHER | class::LATTER));
        // "Please send feedback."
        let is_thing = |pair: &[Token]| {
            let [article, noun] = pair else { return false };
            noun.is(class::THING)
                && !noun.is(class::SUBJECT)
                && (article.is(class::FILL) || !self.sentence.may_be_english)
        };
        let others = class::REPORT | class::HOLD | class::IF | class::CONDITIONAL;
        tokens.len() <= ASKED
            && tokens.windows(2).any(is_thing)
            && !is_another
            && self.sentence.classes & (LIMITS | others) == 0
    }

    /// `I'll judge it tomorrow`, but not `The court's verdict is still pending`: whether it is the judge's verdict that a phrase
    /// puts off.
    fn puts_off(&self, later: &Met) -> bool {
        let Sentence { tokens, classes, may_be_english, .. } = self.sentence;
        let names_judge = classes & class::SELF != 0;
        // "I'll read the new answer tonight"
        let is_judging = |met: &&Met| met.is(JUDGE) || met.is(ACCESS) && names_judge && names_judged(tokens);
        let Some(judged) = self.said.met.iter().find(is_judging) else { return false };
        let leads = judged.start <= later.start;
        let is_short = tokens.len() <= SHORT || !may_be_english && leads;
        let is_others = classes & (class::THING | class::OTHER) != 0;
        let is_own = names_judge || is_short && !is_others || self.sentence.is_verb_final() && leads;
        // "I'll judge the next pair tomorrow.", "I can't score it higher until I see citations."
        let inside = |token: &Token| later.start <= token.start && token.start < later.end;
        let is_another = tokens.iter().any(|token| token.is(class::ANOTHER) && !inside(token));
        is_own && !is_another && classes & (class::BETTER | class::WORSE | class::BOUND) == 0
    }

    /// `I have not evaluated this item`, but not `I did not rate it higher`: whether the judge says that it does not judge.
    fn denies(&self, denied: &Met) -> bool {
        let at = denied.start;
        let is_own = denied.is(UNJUDGED)
            || denied.is(NEGATION) && self.names_judge(at)
            || denied.is(UNABLE | DECLINE) && self.names_judge(at) && self.said.is_of_the_judge(at)
            || denied.is(DECLINE) && !self.sentence.may_be_english;
        let Some(judging) = self.judging(denied).filter(|_| is_own) else { return false };
        !self.names_another(at, judging.is(JUDGE)) && !self.is_told_before(at)
    }

    /// What the judge is said not to do, if that is to judge, or to get, open or read all that is judged.
    fn judging<'m>(&'m self, denied: &'m Met) -> Option<&'m Met> {
        let is_whole = |denied: &&Met| denied.is(DECLINE) && is_whole_object(self.sentence, denied.end..usize::MAX);
        self.judging_behind(denied).or_else(|| self.judging_before(denied)).or_else(|| Some(denied).filter(is_whole))
    }

    fn judging_behind(&self, denied: &Met) -> Option<&Met> {
        let (said, sentence) = (self.said, self.sentence);
        let object = |at: usize| {
            let token = sentence.tokens.iter().find(|token| token.start == at)?;
            token.is(BESIDE).then_some(token.end)
        };
        let mut at = skip(said.text, denied.end, is_gap);
        let judging = loop {
            if let Some(judging) = said.next(at, JUDGE | ACCESS) {
                break judging;
            }
            let end = said.next(at, LEAD).map(|lead| lead.end).or_else(|| object(at))?;
            at = skip(said.text, end, is_gap);
        };
        let end = word_end(said.text, judging);
        let is_end = |met: &&Met| met.is(LATER) && met.start >= end;
        let until = said.met.iter().filter(is_end).map(|met| met.start).min().unwrap_or(usize::MAX);
        let behind = || words(&sentence.tokens).filter(|token| token.start >= end && token.start < until);
        // "The author has yet to evaluate the second option", "回答尚未评估风险"
        let is_thing = |token: &Token| token.start < at && token.is(class::THING | class::OTHER);
        let is_others = sentence.classes & class::SELF == 0 && sentence.tokens.iter().any(is_thing);
        let is_unspaced = char_before(said.text, at).is_some_and(is_unspaced);
        let is_judged = || {
            (self.names_judge(denied.start) || !sentence.may_be_english)
                && names_judged(self.clause(denied.start))
                && !behind().any(is_strange)
        };
        let is_all = (judging.is(JUDGE) || is_judged())
            && is_whole_object(sentence, end..until)
            && !(is_others && (is_unspaced || behind().next().is_some()));
        is_all.then_some(judging)
    }

    /// `点数は出せません`, `ich entscheide das nicht`: judging that stands before a negation, with nothing but the judge and what is
    /// judged.
    fn judging_before(&self, denied: &Met) -> Option<&Met> {
        let (said, sentence) = (self.said, self.sentence);
        let first = self.clause_start(denied.start);
        let start = first.checked_sub(1).and_then(|mark| sentence.tokens.get(mark)).map_or(0, |mark| mark.end);
        let is_judging = |met: &&Met| met.is(JUDGE | ACCESS) && start <= met.start && met.end <= denied.start;
        let judging = said.met.iter().filter(is_judging).max_by_key(|met| met.end)?;
        let nth = |at: usize| sentence.tokens.partition_point(|token| token.start < at);
        let before = sentence.slice(first..sentence.tokens.partition_point(|token| token.end <= judging.start));
        let between = sentence.slice(nth(word_end(said.text, judging))..nth(denied.start));
        let is_known = |token: &Token| !token.is_word() || token.is(BESIDE) && !token.is(LIMITS | ANOTHERS);
        let is_verb_last = sentence.is_verb_final() && skip(said.text, judging.end, is_gap) == denied.start;
        let is_verb_second = !sentence.may_be_english
            && before.iter().any(Token::is_judge)
            && is_whole_object(sentence, denied.end..usize::MAX);
        let is_all = (judging.is(JUDGE) || names_judged(self.clause(denied.start)))
            && (is_verb_last || is_verb_second)
            && before.iter().chain(between).all(is_known)
            && !has_unknown(said.text, before, start..judging.start);
        is_all.then_some(judging)
    }

    /// `Bilaga 1 har jag inte l\u{e4}st`, `The layout was not judged`, `The author has not`: whether anything but the judge and what is
    /// judged is named before a place in its clause.
    fn names_another(&self, at: usize, may_be_described: bool) -> bool {
        let before = self.clause_before(at);
        let mut last: Option<&Token> = None;
        before.iter().enumerate().any(|(nth, token)| {
            let next = before.get(nth + 1);
            let is_owner = next.is_some_and(of(class::THING));
            // "The current answer", but of what is read also "the German text"
            let is_adjective = may_be_described && is_owner;
            // "I guess", "habe ich"
            let is_verb = last.is_some_and(Token::is_judge) || nth > 0 && next.is_some_and(Token::is_judge);
            let is_person = self.said.next(token.start, PERSON).is_some();
            if !token.is(class::FILL | class::EMPHATIC) {
                last = Some(token);
            }
            is_strange(token) && !is_adjective && !is_verb && !is_person
                || token.is(NOUNS) && !token.is(class::THING) && !(token.is(class::ROLE) && is_owner)
                || token.is(class::ANOTHER)
                || token.is(class::LATTER) && !is_owner
        })
    }

    /// `Is the dose right? I can't judge that.`, `All it says is: I cannot judge this.`: whether what is not judged, or who does not
    /// judge it, is told before the clause of a place.
    fn is_told_before(&self, at: usize) -> bool {
        let start = self.clause_start(at);
        let (earlier, clause) = (self.sentence.slice(..start), self.sentence.slice(start..));
        let mark = earlier.last();
        if mark.is_some_and(among(&[':', '：'])) && words(earlier).count() > 1 {
            return true;
        }
        if names_judged(clause) {
            return false;
        }
        let is_pronoun = |word: &str| class::lexicon().classes(word) & (class::SUBJECT | class::DEMONSTRATIVE) != 0;
        let refers = |(nth, token): (usize, &Token)| {
            let is_noun = |next: &Token| is_strange(next) || next.is(class::NUMBERED);
            let is_article = clause.get(nth + 1).is_some_and(is_noun);
            !token.is(class::SELF) && !is_article && token.text(self.said.text).split(' ').any(is_pronoun)
        };
        let refers = clause.iter().enumerate().any(refers);
        if words(earlier).next().is_none() {
            return self.before == Before::Question || self.before == Before::Statement && refers;
        }
        let asks = earlier.iter().any(of(class::IF | class::SUBORDINATE));
        let names_other = earlier.iter().any(|token| is_strange(token) || token.is(NOUNS));
        (asks || refers) && names_other && !names_judged(earlier)
    }

    fn names_judge(&self, at: usize) -> bool {
        let earlier = || self.sentence.slice(..self.clause_start(at)).iter();
        self.clause_before(at).iter().any(Token::is_judge)
            || !self.sentence.may_be_english && earlier().any(Token::is_judge)
    }

    /// The first token of the clause that holds a place.
    fn clause_start(&self, at: usize) -> usize {
        let before = self.sentence.slice(..self.sentence.tokens.partition_point(|token| token.start < at));
        before.iter().rposition(ends_clause).map_or(0, |mark| mark + 1)
    }

    /// The clause of a place, and what follows it.
    fn clause(&self, at: usize) -> &[Token] {
        self.sentence.slice(self.clause_start(at)..)
    }

    fn clause_before(&self, at: usize) -> &[Token] {
        self.sentence.slice(self.clause_start(at)..self.sentence.tokens.partition_point(|token| token.end <= at))
    }
}

/// Where the word ends that begins with a stem.
fn word_end(text: &str, stem: &Met) -> usize {
    let ends = |c| !continues_word(c) || is_unspaced(c);
    stem.end + tail(text, stem.end).find(ends).unwrap_or(text.len() - stem.end)
}

/// Whether what is said there of what the judge does not judge is nothing, or names what is judged and neither a part of it nor
/// another: `the new version`, but not `the answer's style`.
fn is_whole_object(sentence: &Sentence, range: Range<usize>) -> bool {
    let rest: Vec<&Token> =
        words(&sentence.tokens).filter(|token| token.end > range.start && token.start < range.end).collect();
    let noun = rest.iter().rposition(of(class::THING));
    // "On this one"
    let limits = |(at, token): (usize, &&Token)| {
        let leads = token.is(class::PART) && !token.is(class::FROM) && noun.is_some_and(|noun| at < noun);
        token.kind == Kind::Number || token.is(LIMITS | ANOTHERS) && !leads
    };
    rest.len() <= OBJECT
        && !rest.iter().enumerate().any(limits)
        && !rest.iter().skip(noun.map_or(0, |noun| noun + 1)).any(|token| is_strange(token))
}

/// Whether a noun for what is judged, and no pronoun, stands in these words.
fn names_judged(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| token.is(class::THING) && !token.is(class::SUBJECT | class::ASPECT | class::VOID))
}

#[cfg(test)]
mod tests {
    use super::leaves_open;

    #[test]
    fn a_verdict_leaves_open_at_the_end_and_by_the_judge() {
        for (behind, want) in [
            (". My own grade will follow tomorrow.", true),
            (". I have not evaluated this item.", true),
            (". Turn 2 hasn't been judged.", true),
            (". Verdict still pending.", true),
            (". Esta versi\u{f3}n todav\u{ed}a no la he evaluado.", true),
            (
                ". \u{3053}\u{306e}\u{7b54}\u{6848}\u{306e}\u{63a1}\u{70b9}\u{306f}\u{307e}\u{3060}\u{7d42}\u{308f}\u{3063}\u{3066}\u{3044}\u{307e}\u{305b}\u{3093}",
                true,
            ),
            (". I did not rate it higher because it lacks sources.", false),
            (". I haven't judged the layout.", false),
            (". The essay does not yet reach a verdict on the causes.", false),
            (". The court's verdict is still pending, as the answer says.", false),
            (". La r\u{e9}ponse n'\u{e9}value pas encore les risques.", false),
            (". It says \"I have not evaluated this yet\".", false),
            (". Sie sagt \u{201e}das habe ich noch nicht bewertet\" und mehr nicht.", false),
            (". Is the dose right? I can't judge that.", false),
            (". All it says is: I cannot judge this text.", false),
            (". I could not open the response.", true),
            (". The German text I have not read.", false),
            (". Ich entscheide das nicht.", true),
            (". Den Stil bewerte ich nicht.", false),
            ("\u{3002}\u{70b9}\u{6570}\u{306f}\u{51fa}\u{305b}\u{307e}\u{305b}\u{3093}", true),
            ("", false),
        ] {
            assert_eq!(leaves_open(behind), want, "{behind}");
        }
    }
}
