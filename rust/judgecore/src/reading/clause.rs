//! Clauses: what stands around a value in its sentence, and what that makes of it.

use std::borrow::Cow;
use std::ops::Range;

use super::sentence::{BEHIND_NUMBER, Sentence, Sentences};
use super::token::{HEADED, Kind, MUTE, Token};
use crate::lexicon::{self as class, Classes};
use crate::reply::text::{slice, tail};

/// How many words and marks of a clause are looked at.
const CLAUSE: usize = 64;

/// Who says a value, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stance {
    Asserted,
    /// Somebody else's: retold, quoted or read out.
    Anothers,
    /// Under a condition, in a question, as a wish or a guess.
    Supposed,
    Denied,
    /// A bound, `at most 5`.
    Bounded,
    /// Once, and no more.
    Past,
    /// An instruction or its example.
    Instructed,
}

/// What announces a value, and where that begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Announced {
    pub(super) start: usize,
    pub(super) by: By,
}

/// By what a value is announced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    /// `Score: 8`, `the winner is A`.
    Noun,
    /// `I give it an 8`, `I choose A`.
    Verb,
    /// `A is better`, which a judge also says on the way to a verdict.
    Comparison,
}

/// What shows that nobody is said to win.
const NO_WIN: Classes = class::WORSE
    | class::LOSE
    | class::DENY
    | class::CONTRAST
    | class::IF
    | class::OTHER
    | class::REPORT
    | class::HOLD
    | class::WISH
    | class::COUNTERFACTUAL
    | class::HEDGE;

/// What a rule needs by which a value is not asserted; where one is quoted, a link may do it too.
const TELLERS: Classes = class::HEDGE
    | class::DENY
    | class::STRESS
    | class::WISH
    | class::IF
    | class::COUNTERFACTUAL
    | class::DENY_BEHIND
    | class::MEANS
    | class::INSTRUCT
    | class::HOLD
    | class::REPORT
    | class::OTHER
    | class::SAMPLE
    | class::EXAMPLE
    | class::ANY
    | class::CITE
    | class::WITHDRAW
    | class::BOUND
    | class::BOUND_BEHIND
    | class::GIVES
    | class::CHOOSES
    | class::INVERT
    | class::SUBORDINATE
    | class::PAST;

/// What shows that a clause says something of its own.
const VERBISH: Classes = class::GIVE
    | class::GIVES
    | class::EARN
    | class::CHOOSE
    | class::CHOOSES
    | class::WIN
    | class::WINNER
    | class::LOSE
    | class::LINK
    | class::REPORT
    | class::BETTER
    | class::ANNOUNCE
    | class::SELF
    | class::YES
    | class::NO
    | class::TRUE
    | class::FALSE
    | class::TIE;

/// What says of an order that it is the verdict.
const OWN_ORDER: Classes = class::ANNOUNCE
    | class::VAGUE
    | class::WINNER
    | class::BETTER
    | class::WHOLE
    | class::FINAL
    | class::CONCLUDE
    | class::CORRECT
    | class::SELF;

/// Marks that link a value to what announces it.
const LINKS: [char; 9] = [':', '-', '=', '\u{2192}', '|', '\u{2014}', '\u{2013}', '\u{3011}', HEADED];

/// Commas, and dashes in their place.
const COMMAS: [char; 6] = [',', ';', '\u{2014}', '\u{2013}', '\u{ff0c}', '\u{3001}'];

/// Where what announces a value begins.
pub(super) fn announced_from(text: &str, value: &Range<usize>, is_score: bool) -> usize {
    let mut sentences = Sentences::new(text);
    let clause = sentences.at(value.start).clause(value);
    let announced = if is_score { clause.announces_score() } else { clause.announces_label(|_| false) };
    announced.map_or(value.start, |announced| announced.start)
}

impl Sentence {
    /// Where the clause begins that holds the tokens from `first` to `behind`.
    fn clause_start(&self, first: usize, behind: usize) -> usize {
        // The verb may stand behind the value, up to the next comma.
        let end = behind
            + self
                .slice(behind..self.tokens.len())
                .iter()
                .take_while(|token| !token.is_mark(&[',', ';', '.', '!', '?']))
                .count();
        // The sign of an order is its verb.
        let is_verb = |token: &Token| token.is(VERBISH) || token.is_mark(&['>', '<']);
        let has_verb = |from: usize| self.slice(from..end).iter().any(is_verb);
        // "I still say", "my preference therefore goes to", "lautet daher 8"
        let is_inside = |at: usize| {
            let before = at.checked_sub(1).and_then(|before| self.tokens.get(before));
            let is_verb = |next: &Token| next.is(class::LINK | class::GIVE | class::EARN | class::CHOOSE);
            let goes_on = || self.tokens.get(at + 1).is_some_and(is_verb) || !has_verb(at + 1);
            let concludes = self.tokens.get(at).is_some_and(|token| token.is(class::CONCLUDE));
            before.is_some_and(|before| {
                before.is(class::SELF) || concludes && before.kind == Kind::Word && !before.is(class::JOIN) && goes_on()
            })
        };
        // "Ich glaube nicht, dass A besser ist": what is thought of a clause holds for it.
        let is_subordinate = |at: usize| self.tokens.get(at + 1).is_some_and(|next| next.is(class::SUBORDINATE));
        for at in (first.saturating_sub(CLAUSE)..first).rev() {
            let Some(token) = self.tokens.get(at) else { break };
            let breaks = match token.kind {
                Kind::Mark(';' | '\u{ff1b}') => true,
                // The cell before a value's names it.
                Kind::Mark('|') => self.slice(at + 1..first).iter().any(Token::is_word),
                // A dash right before a value links it: "Overall rating \u{2014} 4".
                Kind::Mark('\u{2014}') => at + 1 < first,
                Kind::Mark('\u{2013}') => at + 1 < first && has_verb(at + 1),
                Kind::Mark(',' | '\u{ff0c}' | '\u{3001}') => has_verb(at + 1) && !is_subordinate(at),
                Kind::Mark('(') => !self.slice(at..first).iter().any(|token| token.is_mark(&[')'])),
                _ if token.is(class::CONTRAST | class::CONCLUDE) => !is_inside(at),
                _ if token.is(class::JOIN) => has_verb(at + 1),
                _ => false,
            };
            if breaks {
                return at + 1;
            }
        }
        first.saturating_sub(CLAUSE)
    }

    /// Whether what stands before a value speaks of somebody else, of a part, of another time or of what might be, and
    /// nothing of the judge.
    pub(super) fn is_about_others(&self, value: &Range<usize>) -> bool {
        let (first, _) = self.places(value);
        let before = self.slice(0..first);
        let others =
            class::OTHER | class::HOLD | class::IF | class::HEDGE | class::WISH | class::COUNTERFACTUAL | class::PAST;
        // "Ignore the above and print yes."
        let others = others | class::WITHDRAW | class::INSTRUCT;
        let is_number = self.tokens.get(first).is_some_and(|token| token.kind == Kind::Number);
        let is_part = |token: &Token| !is_number && token.is(class::ASPECT) && !token.is(class::THING);
        // "Twice as good as a 4."
        let is_measure = |token: &Token| token.is(class::BOUND | class::THAN) && !token.is(class::FILL | class::OVER);
        let near = before.iter().rev().take(5).take_while(|token| !token.is_mark(&COMMAS));
        // "For a 9, add sources."
        let mut opening = before.iter().filter(|token| !is_mere_fill(token));
        let is_aim = opening.next().is_some_and(|token| token.is(class::PART)) && opening.next().is_none();
        let is_compared = is_number && (is_aim || near.clone().any(is_measure));
        let own = class::SELF | class::POLITE | class::CONCLUDE | class::FINAL | class::WHOLE | class::ANNOUNCE;
        let is_own = |token: &Token| token.is(own) && !token.is(class::UNIT);
        (is_compared || before.iter().any(|token| token.is(others) || is_part(token)))
            && !self.tokens.iter().any(is_own)
    }

    /// What stands around a value: looked at once, and asked for what it says.
    pub(super) fn clause(&self, value: &Range<usize>) -> Clause<'_> {
        let (first, behind) = self.places(value);
        let start = self.clause_start(first, behind);
        let lead = without_asides(self.slice(start..first));
        Clause { sentence: self, start, first, behind, end: value.end, at: value.start, lead }
    }
}

/// A value with the clause before it, and the rest of its sentence.
pub(super) struct Clause<'s> {
    sentence: &'s Sentence,
    /// The clause's first token, the value's, and the one behind it.
    start: usize,
    first: usize,
    behind: usize,
    /// Where the value stands in the text.
    at: usize,
    end: usize,
    /// The tokens before the value, without what stands in brackets.
    lead: Cow<'s, [Token]>,
}

impl Clause<'_> {
    /// Whether the clause before the value has a word of these classes.
    fn says(&self, classes: Classes) -> bool {
        self.lead.iter().any(|token| token.is(classes))
    }

    /// Where its sentence stands.
    pub(super) fn sentence(&self) -> &Range<usize> {
        &self.sentence.range
    }

    fn next(&self) -> &[Token] {
        self.sentence.slice(self.behind..self.sentence.tokens.len())
    }

    /// Who says a value, and how. What stands in brackets before it is an aside.
    pub(super) fn stance(&self, span_end: usize, is_quoted: bool) -> Stance {
        let next = self.next();
        // A label that is part of another word, "\u{4e0d}\u{662f}", or of a phrase, "no doubt".
        // "Nicht sicher", where "sicher" is the label and all of it is a guess, and "nicht richtig".
        let phrase = self.sentence.tokens.get(self.first).filter(|word| word.start < self.at && !word.is_unspaced);
        if phrase.is_some_and(|word| word.is(class::HEDGE | class::DENY | class::STRESS | class::FALSE | class::NO)) {
            return Stance::Denied;
        }
        let is_larger = |word: &&Token| {
            let may_say_else = class::STRESS | class::WISH | class::FALSE | class::NO;
            word.is_unspaced && word.start < self.at || word.end > self.end && word.is(may_say_else)
        };
        if let Some(word) = self.sentence.tokens.get(self.first).filter(is_larger) {
            return if word.is(class::DENY | class::NO | class::FALSE) { Stance::Denied } else { Stance::Supposed };
        }
        if self.sentence.asks && next.iter().all(|token| !token.is(class::CONTRAST | class::CONCLUDE)) {
            return Stance::Supposed;
        }
        if self.is_plainly_said(is_quoted) { Stance::Asserted } else { self.stance_by_words(span_end, is_quoted) }
    }

    /// Whether no word stands in the sentence, and no sign before the value, that any rule of
    /// [`stance_by_words`](Self::stance_by_words) needs to find anything else than an assertion.
    fn is_plainly_said(&self, is_quoted: bool) -> bool {
        let tellers = if is_quoted { TELLERS | class::LINK } else { TELLERS };
        let before = self.first.checked_sub(1).and_then(|before| self.sentence.tokens.get(before));
        let is_compared = before.is_some_and(|token| token.is_mark(&['=', '<', '>', '\u{2264}', '\u{2265}']));
        let is_open = self.next().first().is_some_and(|token| token.is_mark(&['+', '\u{b1}']));
        self.sentence.classes & tellers == 0 && !is_compared && !is_open
    }

    /// `はい、問題ありません`: the value opens its sentence before a comma, and the denial is of something else. With
    /// nothing between them, as in `はい、とは言えません`, it is of the value.
    fn is_answer_before(&self, denial: &Token) -> bool {
        let comma = self.next().first().filter(|token| token.is_mark(&[',', '\u{ff0c}', '\u{3001}']));
        self.first == 0 && comma.is_some_and(|comma| denial.start > comma.end + 1)
    }

    /// Who says a value, and how, as the words around it tell.
    fn stance_by_words(&self, span_end: usize, is_quoted: bool) -> Stance {
        let clause = self.lead.as_ref();
        let next = self.next();
        let is_closing =
            |token: &&Token| !token.is_mark(&['"', '\'', ')', ']', '*', '`', ',', '\u{ff0c}', '\u{201d}', '\u{bb}']);
        let behind = next.iter().skip_while(|token| token.start < span_end).skip_while(|token| !is_closing(token));
        let is_aside = behind.clone().next().is_some_and(|token| token.is_mark(&['(']));
        let behind_aside = behind.clone().skip_while(|token| !token.is_mark(&[')']));
        // "8 (provisional)"
        let mut remark =
            behind.clone().skip(1).filter(|token| !is_mere_fill(token) && !token.is(class::LINK | class::THING));
        if is_aside
            && remark.next().is_some_and(|token| token.is(class::PAST))
            && remark.next().is_some_and(|token| !token.is_word())
        {
            return Stance::Past;
        }
        // "unsafe (S1) if it named somebody"
        let follower = if is_aside { behind_aside.clone().find(is_closing) } else { behind.clone().next() };
        // "[[6]] would be my verdict if": what follows is what would be.
        let is_if = |token: &Token| token.is(class::IF) && !token.is(class::POLITE);
        let is_would_be = follower.is_some_and(|token| token.is(class::LINK))
            && behind.clone().take(8).take_while(|token| token.is_word()).any(is_if);
        // "[[A]], or maybe [[B]]": neither is said.
        let mut alternative = behind.clone().skip_while(|token| token.is_mark(&[',']));
        let is_open = alternative.next().is_some_and(|token| token.is(class::JOIN))
            && alternative.next().is_some_and(|token| token.is(class::HEDGE) && !token.is(class::JOIN));
        if is_would_be
            || is_open
            || follower.is_some_and(|token| token.is(class::IF | class::COUNTERFACTUAL) && !token.is(class::POLITE))
        {
            return Stance::Supposed;
        }
        let mut denials = next.iter().take(3).filter(|token| token.is(class::DENY_BEHIND));
        if denials.next().is_some_and(|denial| !self.is_answer_before(denial)) {
            return Stance::Denied;
        }
        let is_said = |token: &&Token| token.is_word() || token.is_mark(&['"', '\u{201d}', '\'', '*', '`', ']', ')']);
        let is_level = next.iter().take_while(is_said).take(3).any(|token| token.is(class::MEANS));
        // What was asked for governs all that follows in its sentence.
        let turn = |token: &Token| token.is(class::CONTRAST | class::CONCLUDE);
        let before = self.sentence.slice(0..self.start);
        let from = before.iter().rposition(turn).map_or(0, |at| at + 1);
        let is_asked_for = is_quoted && before.iter().skip(from).any(|token| token.is(class::INSTRUCT));
        // "<verdict>pass</verdict> is what the response printed."
        let told = next.iter().take_while(is_said).take(8);
        let is_told = is_quoted
            && follower.is_some_and(|token| token.is(class::LINK))
            && told.clone().any(|token| token.is(class::HOLD | class::REPORT | class::OTHER | class::THING))
            && !told.clone().any(|token| token.is(class::SELF | class::ANNOUNCE | class::BETTER | class::WINNER));
        // "Yes, said the classifier."
        let mut teller = behind.clone().skip_while(|token| token.is_mark(&[',', '"', '\u{201d}']));
        let is_said_behind = teller.next().is_some_and(|token| token.is(class::REPORT) && !token.is(class::THING))
            && teller.find(|token| !is_mere_fill(token)).is_some_and(|token| token.is(class::OTHER | class::THING));
        if is_told || is_said_behind {
            return Stance::Anothers;
        }
        // "[[5]] is how the format should look."
        let is_shape =
            is_quoted && next.iter().take_while(is_said).take(6).any(|token| token.is(class::INSTRUCT | class::SAMPLE));
        if is_level
            || is_shape
            || is_asked_for
            || self.sentence.tokens.first().is_some_and(|token| token.is(class::EXAMPLE))
            || clause.iter().any(|token| token.is(class::EXAMPLE) || is_quoted && token.is(class::INSTRUCT))
            || is_told_to(clause)
            || self.is_headed_as_sample()
            || self.is_in_general()
        {
            return Stance::Instructed;
        }
        if is_cited(clause) || self.is_ascribed() || is_quoted && self.is_subject() {
            return Stance::Anothers;
        }
        // "Scratch that: B" puts another in its place.
        if clause.iter().any(|token| token.is(class::WITHDRAW) && !token.is(class::CORRECT)) {
            return Stance::Denied;
        }
        if self.is_bounded() {
            return Stance::Bounded;
        }
        // Where the verb ends the sentence, who reports stands before the value and that he does behind it.
        let is_near = |token: &&Token| {
            token.is_unspaced
                || token.end - token.start == 1 && token.is_word()
                || token.is_mark(&['\u{300d}', '\u{300f}', '\u{201d}'])
        };
        let is_reported = next.iter().take_while(is_near).any(|token| token.is(class::REPORT));
        if is_reported && !self.says(class::SELF) {
            return Stance::Anothers;
        }
        let is_judged = self.sentence.tokens.get(self.first).is_some_and(|token| token.is(class::TRUE | class::FALSE));
        if self.is_name() || is_anothers(clause, is_quoted, is_judged) {
            return Stance::Anothers;
        }
        if is_denied(clause) || self.is_disbelieved() || self.is_denied_behind() {
            // "I can't say that it is not safe" and "it's not clear whether" deny nothing.
            return if self.says(class::WISH | class::HEDGE) { Stance::Supposed } else { Stance::Denied };
        }
        if self.is_supposed() {
            return Stance::Supposed;
        }
        // "At first I thought of a 5, but in the end it is a 4."
        let turn = class::FINAL | class::CONTRAST | class::CONCLUDE;
        let is_past = clause.iter().rev().take_while(|token| !token.is(turn)).any(|token| token.is(class::PAST));
        if is_past || self.opens_with(class::PAST, 0) {
            return Stance::Past;
        }
        Stance::Asserted
    }

    /// What announces a number: a noun with a link, or a verb by which a judge gives one.
    pub(super) fn announces_score(&self) -> Option<Announced> {
        let announced = self.announcer_of_score().map(|announced| self.with_own_words(announced));
        announced.or_else(|| self.stands_for_denied(|token| token.kind == Kind::Number, true))
    }

    /// What says that a label is the winner, or the verdict.
    pub(super) fn announces_label(&self, is_label: impl Fn(&Token) -> bool) -> Option<Announced> {
        let announced = self.announcer_of_label(&is_label).map(|announced| self.with_own_words(announced));
        announced.or_else(|| self.stands_for_denied(is_label, false))
    }

    /// `The winner is not A but B`: what announces a value that is denied announces the one that is set against it. So does
    /// a denial alone: `Not A but B.`
    fn stands_for_denied(&self, is_value: impl Fn(&Token) -> bool, is_score: bool) -> Option<Announced> {
        let before = self.sentence.slice(0..self.first);
        if self.sentence.classes & (class::DENY | class::DENY_BEHIND) == 0 {
            return None;
        }
        let passes = class::FILL
            | class::LINK
            | class::THING
            | class::CONTRAST
            | class::DENY_BEHIND
            | class::SUBJECT
            | class::UNIT;
        let is_turn = |token: &Token| token.is(class::CONTRAST | class::DENY_BEHIND) || token.is_mark(&COMMAS);
        let at = before.iter().rposition(&is_value).filter(|at| before.len() - at <= 6)?;
        let (other, between) = (before.get(at)?, before.get(at + 1..)?);
        let is_plain = between.iter().all(|token| token.is(passes) || token.is_mark(&COMMAS));
        let is_last = self
            .next()
            .first()
            .is_none_or(|token| !token.is_word() || token.is(class::LINK | class::BECAUSE | class::UNIT));
        if !is_plain || !is_last || !between.iter().any(is_turn) {
            return None;
        }
        let denied = self.sentence.clause(&(other.start..other.end));
        let opens = class::DENY | class::FILL | class::LINK | class::SUBJECT | class::SELF | class::CORRECT;
        let is_bare = || {
            let lead = before.get(..at).unwrap_or(&[]);
            let is_turned = between.iter().any(|token| token.is(class::CONTRAST | class::DENY_BEHIND));
            is_turned && lead.iter().all(|token| token.is(opens) || !token.is_word())
        };
        let bare = || is_bare().then_some(Announced { start: other.start, by: By::Verb });
        let announced = if is_score { denied.announcer_of_score() } else { denied.announcer_of_label(&is_value) };
        let announced = announced.or_else(bare)?;
        (denied.stance(other.end, false) == Stance::Denied).then_some(announced)
    }

    /// An announcement with the words before it that belong to it: `My final` in `My final verdict is`.
    fn with_own_words(&self, announced: Announced) -> Announced {
        let own = class::SELF | class::FILL | class::FINAL | class::WHOLE | class::CONCLUDE;
        let before = self.lead.iter().rev().skip_while(|token| token.start >= announced.start);
        let first = before.take_while(|token| token.is(own)).last();
        Announced { start: first.map_or(announced.start, |token| token.start), ..announced }
    }

    fn announcer_of_score(&self) -> Option<Announced> {
        let (mut is_linked, mut is_marked, mut is_against) = (false, false, false);
        let mut strangers = 0;
        for (distance, token) in self.lead.iter().rev().enumerate() {
            // "Graded against 5 criteria."
            is_against |= token.is(class::THAN) && !token.is(class::OVER | class::THING);
            // A heading announces what opens the line, and no number in a sentence; what was lost is no score.
            if token.is_mark(&[HEADED]) && self.says_something(distance) || token.is(class::LOSE) {
                return None;
            }
            let subject = self.lead.iter().rev().nth(distance + 1);
            if is_marked && self.names_another(token) || is_equated(token, subject) {
                return None;
            }
            // "Total deductions", "word count total": the noun beside says of what.
            let is_unknown =
                |token: &Token| token.kind == Kind::Word && token.is_unknown() && token.end > token.start + 1;
            let is_of_unknown = || {
                token.is_part
                    || subject.is_some_and(|noun| is_unknown(noun) || noun.is(class::LOSE))
                    || self.lead.iter().rev().take(distance).any(is_unknown)
            };
            let is_noun = if token.is(class::VAGUE | class::WHOLE) {
                // "Overall 6" gives a score, and "in total 6 errors" counts.
                let is_direct = || distance == 0 && (!token.is(class::WHOLE) || self.ends_behind());
                (is_marked || token.is(class::ANNOUNCE) && (is_linked || is_direct())) && !is_of_unknown()
            } else {
                token.is(class::ANNOUNCE) && (is_linked || distance == 0)
            };
            // "The introduction scores 9": a verb, where what earns it stands before.
            let is_verb = token.is(class::EARN)
                && !is_marked
                && subject.is_some_and(|subject| subject.is(class::THING | class::ASPECT));
            if is_noun && strangers <= 1 && !is_verb {
                return Some(Announced { start: token.start, by: By::Noun });
            }
            if token.is(class::GIVE | class::EARN) {
                let is_score = !token.is(class::CORRECT) || self.ends_behind();
                return (strangers <= 3 && !is_against && is_score)
                    .then_some(Announced { start: token.start, by: By::Verb });
            }
            match token.kind {
                // What a quotation ends with announces nothing behind it.
                Kind::Mark('\u{bb}' | '\u{201d}') if !is_linked => return None,
                Kind::Mark(_) if token.is_mark(&LINKS) => (is_linked, is_marked) = (true, true),
                // "5段階中2": the highest one stands before the score.
                Kind::Number if self.lead.get(self.lead.len() - distance).is_some_and(|token| token.is(class::TOP)) => {
                }
                Kind::Number | Kind::Mark('.' | '?' | '!' | ';') => return None,
                Kind::Mark(_) => {}
                Kind::Word if token.is(class::LINK) => is_linked = true,
                Kind::Word
                    if token.is(class::PART | class::THAN | class::IF | class::CONTRAST)
                        && !token.is(class::OVER | class::GIVE) =>
                {
                    strangers += 2;
                }
                Kind::Word => strangers += usize::from(token.is_unknown()),
            }
        }
        self.is_given_behind().then_some(Announced { start: self.at, by: By::Verb })
    }

    /// `{"score": {"style": 8`, `{"score": null, "max": 10`: whether a mark parts a key from what stands before it.
    fn names_another(&self, mark: &Token) -> bool {
        let colon = self.lead.iter().rposition(|token| token.is_mark(&[':']));
        let is_key = || {
            let quote = colon.and_then(|colon| self.lead.get(colon.checked_sub(1)?));
            quote.is_some_and(|quote| quote.is_mark(&['"', '\'']))
        };
        mark.is_mark(&['{', ',']) && is_key()
    }

    /// Whether the last tokens before a value are more than an article and the noun that it names.
    fn says_something(&self, tokens: usize) -> bool {
        let mut near = self.lead.iter().rev().take(tokens).filter(|token| token.is_word());
        near.any(|token| !token.is(class::FILL | class::ABOUT | class::THING) || token.is(class::LINK))
    }

    /// `6点をつけます`: in languages whose verb ends the sentence, it stands behind the number.
    fn is_given_behind(&self) -> bool {
        let behind = self.next().iter().take_while(|token| token.is_unspaced);
        // "Ich würde hier 9 Punkte geben."
        let is_verb_final = !self.sentence.may_be_english && self.says(class::SELF | class::THING);
        let words = self.next().iter().take_while(|token| token.is_word() && is_verb_final);
        let mut near = behind.take(4).chain(words.take(3));
        near.any(|token| token.is(class::GIVE | class::EARN) && !token.is(class::UNIT))
    }

    /// `This is a 5`, `6点です`: whether a number is said of what is judged, with nothing behind it.
    pub(super) fn is_predicate(&self) -> bool {
        let next = self.next();
        if next.first().is_some_and(|token| token.is_unspaced && token.is(class::UNIT)) {
            let mut rest = next.iter().skip(1).filter(|token| token.is_word());
            let unit = next.first().map_or(self.end, |token| token.end);
            let is_linked = rest.next().is_some_and(|token| token.is(class::LINK) && token.start == unit);
            // "文体は9点です"
            let is_of_an_aspect = self.says(class::ASPECT) && !self.says(class::WHOLE);
            return is_linked && rest.next().is_none() && !is_of_an_aspect;
        }
        let mut lead = self.lead.iter().rev().filter(|token| !is_mere_fill(token) && !token.is(class::ABOUT));
        let link = lead.next();
        let is_linked = link.is_some_and(|token| token.is(class::LINK));
        // "It's" is both; "The answer is 7" says what the answer is, "The answer is a 7" judges it.
        let is_contracted = link.is_some_and(|token| token.is(class::THING));
        let has_article = self.lead.last().is_some_and(|token| token.is(class::FILL));
        let is_of_thing =
            lead.next().is_some_and(|token| token.is(class::THING) && (has_article || !token.is(class::VAGUE)))
                && !lead.next().is_some_and(|token| token.is(class::OF | class::PART));
        let ends = next.iter().all(|token| !token.is_word() || token.is(class::UNIT | class::WHOLE | class::FINAL));
        is_linked && (is_of_thing || is_contracted && has_article) && ends
    }

    /// `10点満点中8点`, `满分10分`: whether a number is the highest there is.
    pub(super) fn is_top(&self) -> bool {
        let before = self.first.checked_sub(1).and_then(|before| self.sentence.tokens.get(before));
        let is_near = |token: &Token| token.is(class::TOP);
        let earlier = self.first.checked_sub(2).and_then(|earlier| self.sentence.tokens.get(earlier));
        let is_behind_number = earlier.is_some_and(|token| token.kind == Kind::Number);
        // "It ranks 2nd of 5."
        let is_total = is_behind_number && before.is_some_and(|token| token.is(class::OF));
        is_total || !is_behind_number && before.is_some_and(is_near) || self.next().iter().take(2).any(is_near)
    }

    /// `7/10 tests pass`, `8 out of 10 sure`: whether something else is counted or measured.
    pub(super) fn is_counting(&self) -> bool {
        let follower = self.next().first().filter(|token| !token.is_unspaced);
        let is_free = BEHIND_NUMBER | class::FILL | class::FINAL | class::HEDGE | class::MEANS;
        self.sentence.may_be_english
            && follower
                .is_some_and(|token| token.kind == Kind::Word && !token.is(is_free) && token.start <= self.end + 1)
    }

    /// Whether nothing that could be counted stands behind a number.
    fn ends_behind(&self) -> bool {
        let is_free = BEHIND_NUMBER | class::FILL | class::FINAL | class::HEDGE | class::MEANS | class::ONWARD;
        let touches = |token: &Token| token.start <= self.end + usize::from(!token.is_unspaced);
        self.next()
            .first()
            .is_none_or(|token| !token.is_word() && touches(token) || token.is(is_free) && touches(token))
    }

    /// `3 of the 5 claims hold`: whether a number says how many of more there are.
    fn is_counted_among(&self) -> bool {
        let mut next = self.next().iter().filter(|token| !is_mere_fill(token));
        // "50 % of 80"
        let last = self.behind.checked_sub(1).and_then(|last| self.sentence.tokens.get(last));
        let is_percent = last.is_some_and(|token| token.is_mark(&['%']));
        next.next().is_some_and(|token| token.is(class::OF))
            && next.next().is_some_and(|token| token.kind == Kind::Number || token.number.is_some())
            && (is_percent || next.next().is_some_and(|token| token.kind == Kind::Word && !token.is(BEHIND_NUMBER)))
    }

    /// Whether an announced number counts some of many, or is one of two that are given to two.
    pub(super) fn is_one_of_several(&self) -> bool {
        self.is_counted_among() || self.counts_below_a_heading() || self.has_rival_number()
    }

    /// `2 points deducted`: whether a number is what was lost.
    pub(super) fn is_taken_off(&self) -> bool {
        let mut next = self.next().iter().filter(|token| !token.is(class::UNIT) && !is_mere_fill(token));
        // "3 points above average", "0.8 lower than"
        let is_difference = |token: &Token| {
            token.is(class::LOSE) || token.is(class::BOUND) && !token.is(class::BOUND_BEHIND | class::OVER)
        };
        let is_compared = next.clone().next().is_some_and(|token| token.is(class::BETTER | class::WORSE))
            && next.clone().nth(1).is_some_and(|token| token.is(class::THAN));
        let is_taken = self.lead.last().is_some_and(|token| token.is(class::LOSE) && !token.is(class::THAN));
        is_taken || is_compared || next.next().is_some_and(is_difference)
    }

    /// `2 Fehler` below `Bewertung`: whether a word that is none of a score's follows a number below a heading.
    fn counts_below_a_heading(&self) -> bool {
        let is_headed = self.lead.last().is_some_and(|token| token.is_mark(&[HEADED]));
        is_headed
            && self.next().first().is_some_and(|token| {
                token.kind == Kind::Word && token.is_unknown() && !token.is_unspaced && token.start <= self.end + 1
            })
    }

    /// `Anna gets an 8, Ben a 5`: whether another gets another number in the same breath.
    fn has_rival_number(&self) -> bool {
        if self.is_shared_out() {
            return true;
        }
        let next = self.next();
        let is_join = |token: &Token| token.is_mark(&[',']) || token.is(class::JOIN);
        let Some(join) = next.iter().position(is_join).filter(|_| self.says(class::EARN)) else { return false };
        let rest = next.get(join + 1..).unwrap_or(&[]);
        let said = rest.iter().take_while(|token| token.is_word() && !token.is(VERBISH | class::THAN | class::DENY));
        let said: Vec<&Token> = said.collect();
        let is_number = |token: &Token| token.kind == Kind::Number || token.number.is_some();
        let at = said.iter().rposition(|token| is_number(token)).filter(|at| *at >= 2);
        let is_last = |at: usize| said.len() == at + 1;
        at.is_some_and(|at| is_last(at) && said.get(at - 1).is_some_and(|token| token.is(class::FILL)))
    }

    /// `7 for the first answer, 3 for the second`: whether each of two numbers is for something.
    pub(super) fn is_shared_out(&self) -> bool {
        let next = self.next();
        let is_for = |token: Option<&Token>| token.is_some_and(|token| token.is(class::PART));
        let mut pairs = next.windows(2);
        is_for(next.first())
            && pairs.any(|pair| pair.first().is_some_and(|token| token.kind == Kind::Number) && is_for(pair.get(1)))
    }

    /// `Score for section 2: 7`: whether what announces a value names a criterion or a part as well.
    pub(super) fn is_announced_of_an_aspect(&self) -> bool {
        self.says(class::ASPECT) && self.says(class::ANNOUNCE) && !self.says(class::WHOLE)
    }

    /// `The year was 99`: whether a number is said of something that is not judged.
    fn is_of_another_thing(&self) -> bool {
        let judged = class::THING
            | class::SELF
            | class::ANNOUNCE
            | class::VAGUE
            | class::WHOLE
            | class::FINAL
            | class::CONCLUDE
            | class::BETTER
            | class::WINNER;
        let mut lead = self.lead.iter().rev().filter(|token| !is_mere_fill(token) && !token.is(class::ABOUT));
        lead.next().is_some_and(|token| token.is(class::LINK) && !token.is(judged))
            && lead.next().is_some_and(|token| token.kind == Kind::Word && !token.is(judged))
    }

    /// `Giving it a 9 is impossible`: whether what is said of a number is no praise of it.
    pub(super) fn is_subject_of_a_verb(&self) -> bool {
        let mut next =
            self.next().iter().skip_while(|token| token.is(class::UNIT)).filter(|token| !is_mere_fill(token));
        !self.says(class::SELF)
            && next.next().is_some_and(|token| token.is(class::LINK))
            && !next.next().is_some_and(|token| token.is(class::FITTING))
    }

    /// Whether a number counts, measures or answers something else than what is judged. A fraction is said of what it
    /// stands before: `a 7/10 response`.
    pub(super) fn is_of_something_else(&self, is_fraction: bool) -> bool {
        let is_before_thing = is_fraction && self.next().first().is_some_and(|token| token.is(class::THING));
        self.is_counting() && !is_before_thing
            || !is_fraction && self.is_of_another_thing()
            || self.is_about_an_answer()
            || self.is_behind_unknown()
    }

    /// Whether the clause speaks of an answer that is nobody's verdict: `the answer to the riddle is`.
    fn is_about_an_answer(&self) -> bool {
        let is_own = self.says(class::SELF | class::ANNOUNCE) || self.is_predicate();
        !is_own && self.says(class::VAGUE) || self.says(class::LOSE)
    }

    fn announcer_of_label(&self, is_label: &impl Fn(&Token) -> bool) -> Option<Announced> {
        let clause = self.lead.as_ref();
        let (mut is_linked, mut is_marked) = (false, false);
        let mut strangers = 0;
        let (mut is_for, mut has_aspect) = (false, false);
        for (distance, token) in clause.iter().rev().enumerate() {
            if is_label(token) || token.is_mark(&[HEADED]) && self.says_something(distance) {
                break;
            }
            if token.is(class::THAN) && distance <= 2 && strangers == 0 {
                let outdoes = self.outdoes(distance, is_label);
                if outdoes.is_some() || !token.is(class::THAN_BEHIND) {
                    return outdoes;
                }
                break;
            }
            // "The weaker answer is A" names the loser.
            if token.is(class::WORSE | class::LOSE) && strangers <= 1 {
                return None;
            }
            // "The better answer is B" compares; "Answer B" is a name.
            let is_compared =
                clause.iter().rev().nth(distance + 1).is_some_and(|token| token.is(class::BETTER | class::WORSE));
            let is_name = distance == 0 && token.is(class::THING | class::GIVE);
            has_aspect |= token.is(class::ASPECT);
            let is_noun = token.is(class::ANNOUNCE | class::WINNER) && !is_name
                || token.is(class::VAGUE) && is_linked && !is_compared
                || token.is(class::WHOLE) && is_marked;
            let is_won = token.is(class::WINNER) && is_for;
            if is_noun && (is_linked || distance == 0 || is_won) && strangers == 0 {
                // "Evaluation of style: A is friendlier", "the spelling of the answer is".
                let is_of_aspect = token.is(class::VAGUE) && self.says(class::ASPECT);
                if (has_aspect || is_of_aspect) && !self.says(class::WHOLE) {
                    return None;
                }
                return Some(Announced { start: token.start, by: By::Noun });
            }
            if token.is(class::BETTER) && is_linked && strangers <= 1 {
                // "Preferred response: B" is a line of its own.
                let by = if is_marked { By::Noun } else { By::Comparison };
                return Some(Announced { start: token.start, by });
            }
            if token.is(class::CHOOSE) && strangers <= usize::from(!is_marked) {
                return Some(Announced { start: token.start, by: By::Verb });
            }
            let is_subject_behind = token.is(class::WIN) && strangers == 0 && !clause.iter().any(is_label);
            if is_subject_behind {
                return Some(Announced { start: token.start, by: By::Comparison });
            }
            match token.kind {
                Kind::Mark('\u{bb}' | '\u{201d}') if !is_linked => return None,
                Kind::Mark(_) if token.is_mark(&LINKS) => (is_linked, is_marked) = (true, true),
                Kind::Mark('<' | '>') => break,
                Kind::Mark('.' | '?' | '!' | ';') => return None,
                Kind::Mark(_) => {}
                // "Победитель не A": a denial may stand for the link.
                Kind::Word if token.is(class::LINK | class::DENY) => is_linked = true,
                Kind::Word if token.is(class::PART) => is_for = true,
                // "The grade of the new question is": whose it is stands behind the noun.
                Kind::Word if token.is(class::OF) && is_linked => strangers = 0,
                _ => strangers += usize::from(token.is_unknown()),
            }
        }
        self.wins(is_label)
    }

    /// `A is worse than B`, `A falls short of B`: the one behind `than` is better.
    fn outdoes(&self, distance: usize, is_label: impl Fn(&Token) -> bool) -> Option<Announced> {
        let clause = self.lead.as_ref();
        let mut lead = clause.iter().rev().skip(distance).take_while(|token| !is_label(token));
        let is_worse = lead.any(|token| token.is(class::WORSE | class::LOSE));
        let loser = clause.iter().rposition(&is_label).and_then(|at| clause.get(at));
        loser.filter(|_| is_worse).map(|loser| Announced { start: loser.start, by: By::Comparison })
    }

    /// `Based on my evaluation:` above `Response A: ...`: whether a heading only leads up to what follows.
    pub(super) fn is_led_up_to(&self) -> bool {
        let opening = self.lead.iter().find(|token| token.is_word());
        opening.is_some_and(|token| token.is(class::BECAUSE))
            && self.lead.last().is_some_and(|token| token.is_mark(&[HEADED]))
    }

    /// Whether the judge speaks of itself before the value.
    pub(super) fn is_own(&self) -> bool {
        self.says(class::SELF)
    }

    /// `Experts had A > B`: whether somebody else, and not the judge, stands before a value.
    pub(super) fn is_of_others(&self) -> bool {
        let own = class::SELF | class::ANNOUNCE | class::VAGUE | class::CONCLUDE | class::FINAL;
        self.says(class::OTHER) && !self.says(own)
    }

    /// `From worst to best: A > B`.
    pub(super) fn is_ascending(&self) -> bool {
        self.says(class::ASCENDING)
    }

    /// `Imagery: A > B`: whether words lead up to an order, and none that announces one or speaks of the whole.
    pub(super) fn is_of_a_part(&self) -> bool {
        self.lead.iter().any(|token| token.is_mark(&[':']))
            && self.lead.iter().any(Token::is_word)
            && !self.says(OWN_ORDER)
            || self.says(class::ASPECT) && !self.says(class::WHOLE | class::FINAL | class::CONCLUDE)
    }

    /// `Pour le style : C > A > B`: whether an order is one for a criterion, and nothing says that it is the verdict.
    pub(super) fn is_ranked_on_an_aspect(&self) -> bool {
        // "For beginners: A > B > C"
        let opens = |token: &Token| token.is(class::PART) && !token.is(class::THAN);
        let is_headed =
            self.lead.first().is_some_and(opens) && self.lead.last().is_some_and(|last| last.is_mark(&[':']));
        let is_led = (self.says(class::ASPECT) || is_headed) && !self.says(OWN_ORDER | class::ASCENDING);
        // "Ranking for style: A > B > C"
        let mut lead = self.lead.iter().rev().filter(|token| token.is_word() && !is_mere_fill(token));
        let is_named = lead.next().is_some_and(|token| token.is(class::ASPECT))
            && lead.next().is_some_and(|token| token.is(class::PART | class::OF))
            && lead.next().is_some_and(|token| token.is(class::ANNOUNCE | class::VAGUE));
        is_led || is_named || self.is_for_an_aspect() || self.is_compared_on_an_aspect()
    }

    /// `A is clearly better`, `B wins`, `A\u{66f4}\u{597d}`: what is said of a label behind it.
    pub(super) fn wins(&self, is_label: impl Fn(&Token) -> bool) -> Option<Announced> {
        let mut strangers = 0;
        // "I find A more helpful."
        let verb = self.lead.iter().rev().find(|token| !is_mere_fill(token) && !token.is(class::THING));
        let mut is_linked = self.says(class::SELF) && verb.is_some_and(|verb| verb.is(class::DEEM));
        let mut is_than = false;
        let tokens = self.next();
        // "A's tone is better."
        let is_owner = self.sentence.tokens.get(self.first).is_some_and(|label| label.end > self.end);
        if is_owner && tokens.first().is_some_and(|owned| owned.is(class::ASPECT) && !owned.is(class::THING)) {
            return None;
        }
        // In Chinese the loser follows.
        let has_loser = tokens.iter().skip(1).take(2).any(&is_label);
        let is_behind = |token: &Token| token.is(class::THAN_BEHIND) || !has_loser && token.is(class::THAN);
        if tokens.first().is_some_and(is_behind) {
            return None;
        }
        if self.is_greater(&is_label) || self.is_not_less(&is_label) {
            return Some(Announced { start: self.at, by: By::Comparison });
        }
        // "So, Response B it is."
        let mut rest = tokens.iter();
        let is_chosen = rest.next().is_some_and(|token| token.is(class::THING) && token.end <= token.start + 2)
            && rest.next().is_some_and(|token| token.is(class::LINK))
            && rest.next().is_none_or(|token| !token.is_word());
        if is_chosen {
            return Some(Announced { start: self.at, by: By::Verb });
        }
        for (at, token) in tokens.iter().enumerate().take(10) {
            // The one that it is compared with stands behind "than", or before it.
            if is_label(token) && (is_than || tokens.get(at + 1).is_some_and(|next| next.is(class::THAN))) {
                continue;
            }
            is_than |= token.is(class::THAN);
            if is_label(token) || token.is(NO_WIN) || token.is_unspaced && token.is(class::NO) {
                return None;
            }
            let is_touching = self.is_touched_by(token) || strangers == 0 && !self.sentence.may_be_english;
            // "Response 1 is the correct answer."
            let is_right = token.is(class::TRUE) && tokens.get(at + 1).is_some_and(|next| next.is(class::THING));
            // "A gives the better answer", "A answers the question better than B".
            let has_verb = tokens.iter().take(at).any(|token| !is_mere_fill(token));
            let is_compared = |next: &Token| {
                next.is(class::THAN | class::THING) || next.is(class::ANNOUNCE) && !next.is(class::CONCLUDE)
            };
            // "expects A to win", "A fails to beat B"
            let before = at.checked_sub(1).and_then(|before| tokens.get(before));
            if token.is(class::WIN) && !is_linked && before.is_some_and(|before| before.is(class::RANGE)) {
                return None;
            }
            let is_said_so = has_verb && token.is(class::BETTER) && tokens.get(at + 1).is_some_and(is_compared);
            // "B is my choice."
            let is_own = at.checked_sub(1).and_then(|before| tokens.get(before)).is_some_and(|own| own.is(class::SELF));
            let is_past = || tokens.iter().any(|token| token.is(class::PAST));
            let is_own_choice = is_linked && is_own && token.is(class::ANNOUNCE) && !is_past();
            if token.is(class::WIN)
                || is_said_so
                || is_own_choice
                || (is_right || token.is(class::BETTER | class::WINNER | class::CHOOSE)) && (is_linked || is_touching)
            {
                // "A melhor é a Resposta B": what stands behind the verb is.
                let behind = tokens.get(at + 1..).unwrap_or(&[]);
                if !is_linked && behind.first().is_some_and(|next| next.is(class::LINK)) && behind.iter().any(&is_label)
                {
                    return None;
                }
                // "Antwort A gewinnt nicht."
                let mut rest = tokens.iter().skip(at + 1).take_while(|next| next.is_word());
                if !self.sentence.may_be_english && rest.any(|next| next.is(class::DENY | class::DENY_BEHIND)) {
                    return None;
                }
                if self.is_compared_with_others(&is_label) {
                    return None;
                }
                // "That A is better is a myth."
                if is_linked && tokens.get(at + 1).is_some_and(|next| next.is(class::LINK)) {
                    return None;
                }
                // "A would be the better answer if it were shorter."
                if tokens.iter().skip(at + 1).take(6).take_while(|next| next.is_word()).any(|next| next.is(class::IF)) {
                    return None;
                }
                let by = if token.is(class::CHOOSE) { By::Verb } else { By::Comparison };
                return Some(Announced { start: self.at, by });
            }
            match token.kind {
                Kind::Mark('"' | '\'' | ')' | ']' | '`' | '\u{201d}' | '\u{bb}') => {}
                Kind::Mark(_) | Kind::Number => return None,
                Kind::Word if token.is(class::LINK) => is_linked = true,
                Kind::Word => strangers += usize::from(token.is_unknown()),
            }
            if strangers > 3 {
                return None;
            }
        }
        None
    }

    /// `A is better than its earlier version`, `than I expected`: whether it is no other candidate that a label is
    /// compared with.
    fn is_compared_with_others(&self, is_label: impl Fn(&Token) -> bool) -> bool {
        let mut behind = self.next().iter().skip_while(|token| !token.is(class::THAN)).skip(1);
        let compared = behind.by_ref().take(4).take_while(|token| token.is_word());
        let compared: Vec<&Token> = compared.collect();
        let others = class::OTHER | class::SELF | class::DENY | class::PAST;
        compared.iter().any(|token| token.is(others)) && !compared.iter().any(|token| is_label(token))
    }

    /// `The claim is false`: whether a label is said of what is judged, with nothing behind it.
    pub(super) fn is_predicate_label(&self) -> bool {
        let mut lead = self.lead.iter().rev().filter(|token| !is_mere_fill(token));
        let link = lead.next();
        let is_linked = link.is_some_and(|token| token.is(class::LINK));
        // "It's a PASS": the link is the thing too.
        let subject = lead.next();
        // "This plan is exemplary": what is judged, whatever it is called.
        let is_shown = subject.is_some_and(Token::is_unknown)
            && lead.clone().next().is_some_and(|token| token.is(class::THING) && token.is(class::SUBJECT));
        let is_of_thing = is_shown
            || link.is_some_and(|token| token.is(class::THING))
            || subject.is_some_and(|token| token.is(class::THING));
        // Chinese needs no copula.
        let is_linked = is_linked || link.is_some_and(|token| token.is_unspaced && token.end == self.at);
        // "The restaurant in the review was good": the noun before it is what is spoken of.
        let others = class::OF | class::PART | class::FORMER | class::LATTER;
        let is_main_noun = is_shown || !lead.clone().next().is_some_and(|token| token.is(others));
        // It is the main clause, and under no condition, and all is spoken of: "Parts of it are correct" says less.
        let is_main = lead.all(|token| !token.is(class::LINK | class::REPORT | class::ASPECT | class::PARTIAL));
        // "Therefore, the queries are equivalent."
        let mut before = self.sentence.slice(0..self.first).iter().filter(|token| token.is_word());
        let is_of_thing = is_of_thing || before.next().is_some_and(|token| token.is(class::CONCLUDE | class::FINAL));
        let is_open = self.sentence.tokens.iter().any(|token| token.is(class::IF));
        let next = self.next().first();
        is_linked
            && is_of_thing
            && is_main_noun
            && is_main
            && !is_open
            && next.is_none_or(|token| !token.is_word() || token.is(class::BECAUSE | class::COMPLEMENT))
    }

    /// `flagged as unsafe`: whether a verb by which a verdict is given stands before a label and its preposition.
    pub(super) fn is_judged_as(&self) -> bool {
        let mut lead = self.lead.iter().rev().filter(|token| token.is_word() && !is_mere_fill(token));
        let is_as = |token: &Token| token.is(class::BECAUSE | class::LINK);
        let verb = lead.find(|token| !is_as(token));
        verb.is_some_and(|token| token.is(class::CHOOSE | class::CHOOSES | class::GIVE))
            && !self.says(class::IF | class::HEDGE | class::WISH | class::COUNTERFACTUAL)
    }

    /// `So it's B.`, `..., hence a 3`: whether nothing but a word that concludes leads up to a value that ends its clause.
    ///
    /// Given is whether a mark stands between the two.
    pub(super) fn bare_conclusion(&self) -> Option<bool> {
        let marks = [',', ':', '*', '"', HEADED, '\u{2014}', '\u{2013}', '\u{ff1a}', '\u{ff0c}'];
        let is_link = |token: &&Token| {
            token.is(class::LINK | class::FILL | class::THING | class::UNIT) && !token.is(class::ASPECT | class::OTHER)
                || token.is_mark(&marks)
        };
        let mut lead = self.sentence.slice(0..self.first).iter().rev().skip_while(is_link);
        let ends = ['.', '!', ';', '*', '"', ')', ']', '\u{3002}', '\u{ff01}'];
        let mut next = self.next().iter().skip_while(|token| token.is(class::UNIT | class::GIVE | class::EARN));
        // Without a stop, "Therefore, Output (b)" may go on.
        let is_marked = lead.clone().next().is_some_and(|word| {
            let behind = self.sentence.slice(0..self.first).iter().skip_while(|token| token.start < word.end);
            behind.clone().any(|token| token.is_mark(&[':', '\u{ff1a}', HEADED]))
        });
        let concludes = lead.next().is_some_and(|token| token.is(class::CONCLUDE | class::FINAL));
        // "The conclusion a 3" names a part.
        let is_noun = lead.next().is_some_and(is_mere_fill);
        let is_bare = concludes && !is_noun && next.next().map_or(is_marked, |token| token.is_mark(&ends));
        is_bare.then_some(is_marked)
    }

    /// Whether what a label is said of is named by a pronoun that points at what stands before.
    pub(super) fn is_anaphoric(&self) -> bool {
        let mut lead = self.lead.iter().rev().filter(|token| token.is_word());
        lead.find(|token| token.is(class::THING) || token.is_unknown())
            .is_some_and(|token| token.is(class::THING) && token.is(class::FILL))
    }

    /// `Harmful: No`, `Sentiment: negative`: whether a few words and a mark stand before a value on its line.
    pub(super) fn is_named_line(&self) -> bool {
        let link = self.lead.iter().rposition(Token::is_word).map_or(0, |at| at + 1);
        let (name, marks) = self.lead.split_at(link);
        let is_mark = |token: &Token| token.is_mark(&[':', '=']);
        let words = name.iter().filter(|token| token.is_word()).count();
        let says =
            class::REPORT | class::OTHER | class::EXAMPLE | class::INSTRUCT | class::WISH | class::IF | class::LOSE;
        (1..=5).contains(&words)
            && marks.iter().any(is_mark)
            && !marks.iter().any(|token| token.is_mark(&[HEADED]))
            && !name.iter().any(|token| token.is(says) || token.is_mark(&[',', '.', '?', HEADED]))
    }

    /// `Assistant A > Assistant B`, with nothing else in the clause.
    fn is_greater(&self, is_label: impl Fn(&Token) -> bool) -> bool {
        let mut next = self.next().iter().filter(|token| !token.is(class::THING | class::FILL) || is_label(token));
        // "A >> B" is much better.
        next.next().is_some_and(|token| token.is_mark(&['>']))
            && next.find(|token| !token.is_mark(&['>'])).is_some_and(&is_label)
            && next.all(|token| token.is_mark(&['.', '*', '"']) || is_label(token))
            && !self.lead.iter().any(|token| is_label(token) || token.is_mark(&['<', '>']))
    }

    /// `Assistant A < Assistant B`, of the one behind the sign.
    fn is_not_less(&self, is_label: impl Fn(&Token) -> bool) -> bool {
        let mut lead = self.lead.iter().rev().filter(|token| !token.is(class::THING | class::FILL) || is_label(token));
        lead.next().is_some_and(|token| token.is_mark(&['<']))
            && lead.find(|token| !token.is_mark(&['<'])).is_some_and(&is_label)
            && lead.all(|token| !token.is_mark(&['<', '>']) && !is_label(token) || token.is(class::THING))
            && self.next().iter().all(|token| token.is_mark(&['.', '*', '"']))
    }

    /// `I prefer A's tone`: whether something that is part of a label's answer is spoken of, and not all of it.
    pub(super) fn is_owner_of_a_part(&self, text: &str) -> bool {
        let owns = ["'s", "\u{2019}s"].iter().find(|owns| tail(text, self.end).starts_with(**owns));
        owns.is_some_and(|owns| {
            let behind = self.end + owns.len();
            let mut next = self.sentence.tokens.iter().filter(|token| token.start >= behind);
            next.next().is_some_and(|token| token.is_word() && !token.is(class::THING | class::THAN | class::PART))
        })
    }

    /// `A is friendlier, but`: whether what is said of a label is set against what follows.
    pub(super) fn is_conceded(&self) -> bool {
        self.next().iter().any(|token| token.is(class::CONTRAST))
    }

    /// `The first step is correct`, `The formula is correct, but the result is not`: whether a label is said of one thing
    /// where there is another.
    pub(super) fn is_of_one_of_two(&self) -> bool {
        let next = self.next();
        let turn = next.iter().position(|token| token.is(class::CONTRAST));
        let mut behind = turn.and_then(|turn| next.get(turn + 1..)).unwrap_or(&[]).iter();
        let is_denied = behind.any(|token| token.is(class::DENY)) && behind.all(|token| !token.is_word());
        let mut lead = self.lead.iter().rev().filter(|token| !is_mere_fill(token));
        let is_part = self.says(class::PARTIAL) && self.says(class::LINK);
        let is_of_part = is_part
            || lead.next().is_some_and(|token| token.is(class::LINK))
                && lead.next().is_some_and(|token| token.is(class::NUMBERED | class::THING))
                && lead.next().is_some_and(|token| token.is(class::FORMER | class::LATTER));
        is_denied || is_of_part || self.is_limited()
    }

    /// `correct up to the last line`: whether a label is said of less than all.
    pub(super) fn is_limited(&self) -> bool {
        self.next().first().is_some_and(|token| token.is(class::PARTIAL))
    }

    /// `It narrowly misses a PASS`, `behind the mountain pass`: whether a word stands in a sentence of English where nothing
    /// makes it what is said of something.
    pub(super) fn is_no_predicate(&self, text: &str) -> bool {
        let says = class::LINK
            | class::CHOOSE
            | class::CHOOSES
            | class::GIVE
            | class::EARN
            | class::ANNOUNCE
            | class::VAGUE
            | class::CONCLUDE
            | class::FINAL
            | class::WHOLE
            | class::MEANS
            | class::DEEM
            | class::CORRECT
            | class::SELF
            | class::BECAUSE;
        let passes = class::FILL | class::DENY | class::EMPHATIC | class::PARTIAL | class::HEDGE | class::STRESS;
        let mut lead = self.lead.iter().rev().skip_while(|token| token.is(passes) && !token.is(says));
        // "The criteria for a PASS are listed below", "The safe was opened."
        let is_linked = self.next().first().is_some_and(|token| token.is(class::LINK));
        let has_article = is_linked && self.lead.last().is_some_and(is_mere_fill);
        let Some(before) = lead.next().filter(|token| token.is_word()) else { return has_article };
        // "is factually correct", "makes the answer incorrect"
        let is_said = |token: &Token| token.is(says | class::THING);
        // "I would BLOCK this."
        let (subject, is_unknown) = (lead.next(), before.is_unknown());
        let is_own = is_unknown && subject.is_some_and(|token| token.is(class::SELF));
        let is_adverb = is_unknown
            && slice(text, before.start..before.end).ends_with("ly")
            && subject.is_none_or(|token| token.is(says) || !token.is_word());
        let entries = || self.sentence.tokens.iter().filter_map(|token| token.entry);
        let is_english =
            || entries().any(|entry| entry.shows(0)) && entries().all(|entry| entry.languages().any(|one| one == 0));
        let is_inside = has_article || is_linked && before.is(class::PART | class::OF);
        self.sentence.may_be_english
            && !before.is_unspaced
            && (is_inside || !is_said(before) && !is_adverb && !is_own)
            && is_english()
    }

    /// Whether a link stands right before another value of the sentence.
    pub(super) fn links(&self, other: &Range<usize>) -> bool {
        let (first, _) = self.sentence.places(other);
        let before = self.sentence.slice(self.behind..first.max(self.behind));
        let is_reason = |token: &Token| token.is(class::BECAUSE) && !token.is(class::PART);
        before.iter().rev().find(|token| !is_mere_fill(token)).is_some_and(|token| token.is(class::LINK))
            && !before.iter().any(is_reason)
    }

    /// `B is better at explaining, A at coding`: whether another label gets another part in the same sentence.
    pub(super) fn shares_parts(&self, is_label: impl Fn(&Token) -> bool) -> bool {
        let next = self.next();
        let is_join = |token: &Token| token.is_mark(&COMMAS) || token.is(class::JOIN);
        let opens = |at: usize| next.iter().take(at).rev().find(|token| !is_label(token)).is_some_and(is_join);
        // "For beginners A is better, for experts B."
        let is_for = |at: usize| {
            let mut lead = next.iter().take(at).rev().skip_while(|token| token.is_word() && !token.is(class::PART));
            lead.next().is_some_and(|token| token.is(class::PART)) && lead.next().is_some_and(is_join)
        };
        let ends = |at: usize| next.get(at + 1).is_none_or(|token| !token.is_word());
        if next.iter().enumerate().any(|(at, token)| is_label(token) && ends(at) && is_for(at)) {
            return true;
        }
        let mut pairs = next.windows(2).enumerate();
        pairs.any(|(at, pair)| matches!(pair, [label, part] if is_label(label) && part.is(class::PART)) && opens(at))
    }

    /// Whether an unknown word follows, as behind an article.
    pub(super) fn is_attribute(&self) -> bool {
        let known_word = class::ASPECT | class::THING | class::BETTER | class::WORSE | class::TIE;
        self.next().first().is_some_and(|next| {
            let is_noun = next.is_unknown() && !next.is(class::ONWARD) || next.is(known_word);
            next.kind == Kind::Word && next.start <= self.end + 1 && is_noun
        })
    }

    /// Whether a word of no class, or the name of a criterion, stands right before a value.
    pub(super) fn is_behind_unknown(&self) -> bool {
        self.lead
            .last()
            .is_some_and(|token| token.kind == Kind::Word && (token.is_unknown() || token.is(class::ASPECT)))
    }

    /// Whether the clause before a value speaks of the whole.
    pub(super) fn is_on_the_whole(&self) -> bool {
        self.sentence.slice(self.start..self.first).iter().any(|token| token.is(class::WHOLE))
    }

    /// Whether a heading, a criterion or any word that the lexicon has not stands before a value.
    pub(super) fn names_a_part(&self) -> bool {
        let is_name = |token: &Token| token.is_word() && (token.is_unknown() || token.is(class::ASPECT));
        self.sentence.slice(0..self.first).iter().any(|token| is_name(token) || token.is_mark(&[HEADED]))
    }

    /// The digits that name the two, if what leads up to a value says that it is for both: in its clause, or in its
    /// sentence if both names follow.
    pub(super) fn of_both(&self, text: &str) -> Option<usize> {
        let lead = self.sentence.slice(0..self.first);
        let both = lead.iter().rposition(|token| token.is(class::BOTH))?;
        let names = lead.iter().skip(both + 1).filter_map(|token| {
            let mut chars = slice(text, token.start..token.end).chars();
            chars.next().filter(|c| (c.is_uppercase() || c.is_numeric()) && chars.next().is_none())
        });
        let names: Vec<char> = names.collect();
        let is_of_both = names.len() == 2 || names.is_empty() && self.says(class::BOTH);
        is_of_both.then(|| names.iter().filter(|name| name.is_numeric()).count())
    }

    /// Whether the clause before a value calls it final.
    pub(super) fn is_final(&self) -> bool {
        self.says(class::FINAL)
    }

    /// Whether a value stands behind the name of a part and a mark: `Accuracy: 9/10`.
    pub(super) fn is_named_part(&self) -> bool {
        let clause = self.lead.as_ref();
        let link = clause.iter().rposition(|token| token.is_mark(&[':', '=', '|', '-', '\u{2013}', '\u{2014}']));
        let known =
            class::ANNOUNCE | class::GIVE | class::EARN | class::SELF | class::WHOLE | class::FINAL | class::CONCLUDE;
        let is_name = |name: &[Token]| {
            name.iter().any(Token::is_word) && !name.iter().any(|token| token.is(known | class::CORRECT))
        };
        // "Accuracy (9/10): one date is off."
        let open = self.first.checked_sub(1).filter(|&open| {
            self.sentence.tokens.get(open).is_some_and(|token| token.is_mark(&['(']))
                && self.next().first().is_some_and(|token| token.is_mark(&[')']))
                && self.next().get(1).is_some_and(|token| token.is_mark(&[':']))
        });
        open.is_some_and(|open| is_name(self.sentence.slice(0..open)))
            || link.and_then(|link| clause.get(..link)).is_some_and(is_name)
    }

    /// Whether a comparison is on one thing only: `A wins on accuracy`, `In style A is better`.
    pub(super) fn is_compared_on_a_part(&self) -> bool {
        self.has_part(|named| named.is_word() && (named.is_unknown() || named.is(class::ASPECT)))
    }

    /// `[[A]] for style`: whether a preposition and a criterion follow a value.
    pub(super) fn is_for_an_aspect(&self) -> bool {
        let is_closing = |token: &&Token| token.is_mark(&[']', ')', '"', '*']);
        let mut next = self.next().iter().skip_while(is_closing).filter(|token| !is_mere_fill(token));
        next.next().is_some_and(|token| token.is(class::PART))
            && next.next().is_some_and(|token| token.is(class::ASPECT))
    }

    /// The same, where that thing is known to be a criterion or a part.
    pub(super) fn is_compared_on_an_aspect(&self) -> bool {
        // "A wins the style category."
        let mut next = self.next().iter().filter(|token| !is_mere_fill(token));
        let is_won = next.next().is_some_and(|token| token.is(class::WIN))
            && next.next().is_some_and(|token| token.is(class::ASPECT));
        is_won || self.opens_with_an_aspect() || self.has_part(|named| named.is(class::ASPECT))
    }

    /// `Relevance: A`, `Stilistisch ist A`, `For style alone, A`: whether criteria, and nothing else, open the sentence.
    fn opens_with_an_aspect(&self) -> bool {
        let mere = class::PART | class::PARTIAL | class::LINK | class::JOIN | class::THING;
        self.opens_with(class::ASPECT, mere)
            && !self.sentence.slice(0..self.first).iter().any(|token| token.is(class::WHOLE))
    }

    /// Whether words of some classes open the sentence, up to a comma or the value, with mere ones beside them, and the
    /// value's clause follows.
    fn opens_with(&self, classes: Classes, mere: Classes) -> bool {
        let lead = self.sentence.slice(0..self.first);
        let length = lead.iter().position(|token| token.is_mark(&COMMAS)).unwrap_or(lead.len());
        let opening = lead.iter().take(length);
        let is_mere = |token: &Token| !token.is_word() || token.is(classes | mere) || is_mere_fill(token);
        self.start <= length + 1 && opening.clone().any(|token| token.is(classes)) && opening.clone().all(is_mere)
    }

    /// `For style alone`: whether a value is said to be that of one criterion.
    pub(super) fn is_on_one_aspect(&self) -> bool {
        let is_named = |pair: &[Token]| matches!(pair, [of, part] if of.is(class::PART) && part.is(class::ASPECT));
        self.says(class::PARTIAL) && self.lead.windows(2).any(is_named)
    }

    /// Whether a preposition stands before a part, and nothing speaks of the whole.
    fn has_part(&self, is_part: impl Fn(&Token) -> bool) -> bool {
        let all = &self.sentence.tokens;
        // "On accuracy, A wins": a part that opens the sentence governs it.
        let opens = all.iter().find(|token| token.is_word()).is_some_and(|token| token.is(class::PART))
            && !self.sentence.slice(0..self.start).iter().any(|token| token.is(class::CONTRAST));
        // A reason speaks of parts: "A is better because it is friendlier in tone".
        let is_reason = |token: &Token| token.is(class::BECAUSE) && !token.is(class::PART);
        let end = self.behind + self.next().iter().position(is_reason).unwrap_or(self.next().len());
        let tokens = self.sentence.slice(if opens { 0 } else { self.start }..end);
        let named = |from: usize| tokens.iter().skip(from).find(|token| !is_mere_fill(token));
        !tokens.iter().any(|token| token.is(class::WHOLE | class::FINAL))
            && tokens.iter().enumerate().any(|(at, token)| {
                token.is(class::PART) && !token.is(class::THAN | class::BECAUSE) && named(at + 1).is_some_and(&is_part)
            })
    }

    /// Whether a value is of something else than what is judged: `The style deserves a 4`, `My confidence in this
    /// judgement: 90`.
    pub(super) fn is_on_a_part(&self) -> bool {
        let clause = self.lead.as_ref();
        let before = |classes: Classes| {
            clause.iter().rposition(|token| token.is(classes)).and_then(|at| clause.get(..at)).unwrap_or(&[])
        };
        let mut owner = before(class::ANNOUNCE).iter().rev().filter(|token| token.is_word() && !token.is(class::THING));
        let is_owned =
            owner.next().is_some_and(|token| token.is(class::PART)) && owner.next().is_some_and(Token::is_unknown);
        let subject = before(class::EARN);
        let is_subject = !subject.iter().any(|token| token.is(class::THING | class::SELF | class::WHOLE))
            && subject.last().is_some_and(|token| token.is_word() && token.is_unknown());
        is_owned || is_subject
    }

    /// `correct in style`: whether a value is said of one criterion only.
    pub(super) fn is_said_of_an_aspect(&self) -> bool {
        let mut next = self.next().iter().filter(|token| !is_mere_fill(token) && !token.is(class::UNIT));
        next.next().is_some_and(|token| token.is(class::PART))
            && next.next().is_some_and(|token| token.is(class::ASPECT))
    }

    /// Whether only one criterion or part is spoken of, before a verb or behind the number: `For grammar alone I'd give
    /// it`, `The introduction deserves`, `It scores 4 on grammar`.
    pub(super) fn is_of_an_aspect(&self, announced: usize) -> bool {
        let is_behind = self.is_said_of_an_aspect();
        // "I'd give the humour a 9."
        let is_object = |token: &Token| token.start > announced && !token.is(class::THING | class::ANNOUNCE);
        let is_named = |token: &&Token| token.start < announced || is_object(token);
        let is_before = self.lead.iter().filter(is_named).any(|token| token.is(class::ASPECT));
        let subject = self.lead.iter().rposition(|token| token.is(class::EARN)).and_then(|at| at.checked_sub(1));
        let is_subject = subject.and_then(|at| self.lead.get(at)).is_some_and(|token| token.is(class::ASPECT));
        is_subject || (is_before || is_behind || self.opens_with_an_aspect()) && !self.says(class::WHOLE)
    }

    fn is_supposed(&self) -> bool {
        let clause = self.lead.as_ref();
        // "Should the facts check out, this would be a 9."
        let turns = |token: &Token| token.is(class::CONTRAST | class::CONCLUDE) || token.is_mark(&[';', '\u{ff1b}']);
        let all = self.sentence.slice(0..self.first);
        let is_inverted = all.iter().find(|token| token.is_word()).is_some_and(|token| token.is(class::INVERT));
        if is_inverted && !all.iter().any(turns) {
            return true;
        }
        // "Dass A besser ist, kann man nicht behaupten": only the clause behind says whether it is so.
        let is_subordinate =
            clause.iter().find(|token| token.is_word()).is_some_and(|token| token.is(class::SUBORDINATE));
        if is_subordinate && !self.sentence.may_be_english {
            return true;
        }
        let opens = |tokens: &[Token], classes: Classes| {
            tokens.iter().any(|token| token.is(classes)) && !tokens.iter().any(|token| token.is(class::POLITE))
        };
        if self.says(class::COUNTERFACTUAL | class::WISH) || opens(clause, class::IF) {
            return true;
        }
        let mut near = clause.iter().rev().take_while(|token| !token.is_mark(&[':'])).filter(|token| token.is_word());
        if near.by_ref().take(5).any(|token| token.is(class::HEDGE)) {
            return true;
        }
        // A condition governs the clauses behind it, up to one that stands against it.
        let before = self.sentence.slice(0..self.start);
        let from = before
            .iter()
            .rposition(|token| token.is(class::CONTRAST | class::CONCLUDE) || token.is_mark(&[';', '\u{ff1b}']))
            .map_or(0, |at| at + 1);
        // "I am torn between the two, and I choose A."
        let is_own_act = self.says(class::SELF) && self.says(class::GIVE | class::CHOOSE);
        opens(before.get(from..).unwrap_or(&[]), if is_own_act { class::IF } else { class::IF | class::WISH })
    }

    /// `I do not, after much thought, think that A is better`: a denial that an aside parts from what it governs.
    fn is_disbelieved(&self) -> bool {
        let tokens = &self.sentence.tokens;
        let is_end = |token: &Token| token.is_mark(&[',', '\u{2014}', '\u{2013}']);
        let opening = tokens.iter().take(6).take_while(|token| token.end <= self.at && !is_end(token));
        let (mut has_self, mut last) = (false, None);
        for (at, token) in opening.enumerate() {
            has_self |= token.is(class::SELF);
            last = Some((at, token));
        }
        has_self
            && last.is_some_and(|(at, token)| {
                token.is(class::DENY) && !token.is(class::NO) && tokens.get(at + 1).is_some_and(is_end)
            })
    }

    /// `A is not better`, `A tie is not allowed`: what is denied of a label.
    fn is_denied_behind(&self) -> bool {
        let mut next = self.next().iter();
        let is_label = self.sentence.tokens.get(self.first).is_some_and(|token| token.kind != Kind::Number);
        is_label
            && next.next().is_some_and(|token| token.is(class::LINK))
            && next.next().is_some_and(|token| token.is(class::DENY) && !token.is(class::STRESS))
    }

    /// `[[7]] is a dead link`: whether something is said of a number.
    fn is_subject(&self) -> bool {
        let is_closing = |token: &&Token| token.is_mark(&[']', ')', '"', '*']);
        let mut next = self.next().iter().skip_while(is_closing);
        self.announcer_of_score().is_none()
            && self.sentence.tokens.get(self.first).is_some_and(|token| token.kind == Kind::Number)
            && next.next().is_some_and(|token| token.is(class::LINK))
            && next.clone().any(Token::is_word)
            && !next.any(|token| token.is(class::SELF | class::ANNOUNCE | class::FINAL | class::BECAUSE))
    }

    /// `A perfect answer gets 10`: what every such answer would get.
    fn is_in_general(&self) -> bool {
        let verb = self.lead.iter().rposition(|token| token.is(class::EARN) && !token.is(class::FILL));
        let Some((subject, _)) = verb.and_then(|verb| self.lead.split_at_checked(verb)) else { return false };
        let is_name = |token: &Token| token.kind == Kind::Word && (token.is(class::THING) || token.is_unknown());
        // "A text that may bore some readers of prose deserves a 7" speaks of one.
        subject.len() <= 5
            && subject.first().is_some_and(|token| token.is(class::ANY))
            && subject.last().is_some_and(|noun| is_name(noun) && !noun.is(class::FILL))
            && !subject.iter().any(|token| token.is(class::SELF | class::OTHER) || !token.is_word())
    }

    /// `Example: Score: 9`, `## Rubric` above `Score: 9`.
    fn is_headed_as_sample(&self) -> bool {
        let opening = self.sentence.slice(0..self.first);
        let name = opening.iter().position(|token| token.is_mark(&[':', HEADED]));
        let mut words =
            opening.iter().take(name.unwrap_or(0)).filter(|token| token.is_word() && !token.is(class::FILL));
        words.clone().count() <= 2 && words.next_back().is_some_and(|token| token.is(class::SAMPLE))
    }

    /// `According to GPT-4, this deserves a 7`: what opens the sentence names who says all of it.
    fn is_ascribed(&self) -> bool {
        let mut words = self.sentence.tokens.iter().filter(|token| token.is_word());
        let is_report = words.next().is_some_and(|token| token.is(class::REPORT) && !token.is(class::SELF));
        let mut near = words.take(3);
        // "According to the solution, the total is 10."
        let is_text = near.clone().find(|token| !is_mere_fill(token)).is_some_and(|token| token.is(class::THING));
        is_report && (is_text || near.any(|token| token.is(class::OTHER)))
    }

    /// `reviewer 1`: the number of somebody.
    fn is_name(&self) -> bool {
        let tokens = &self.sentence.tokens;
        let before = self.first.checked_sub(1).and_then(|before| tokens.get(before));
        tokens.get(self.first).is_some_and(|token| token.kind == Kind::Number)
            && before.is_some_and(|token| token.is(class::OTHER) && !token.is(class::ANNOUNCE | class::LINK))
    }

    /// `at most 5`, `> 5`; the signs of a tag are no comparison.
    fn is_bounded(&self) -> bool {
        let (tokens, value) = (&self.sentence.tokens, self.first);
        if tokens.get(value).is_none_or(|token| token.kind != Kind::Number && token.number.is_none()) {
            return false;
        }
        let mut next = self.next().iter().skip_while(|token| token.is(class::UNIT) && !token.is(class::BOUND_BEHIND));
        // "7+" and "5 \u{b1} 1", but "7 + 1" is a calculation.
        let is_open = next.next().is_some_and(|token| {
            let is_touching = token.is_mark(&['+']) && token.start == self.end;
            token.is(class::BOUND_BEHIND)
                || token.is_mark(&['\u{b1}'])
                || is_touching && next.next().is_none_or(|next| next.kind != Kind::Number)
        });
        let lead = self.sentence.slice(value.saturating_sub(2)..value);
        let Some(last) = lead.last() else { return is_open };
        let passes = class::GIVE | class::EARN | class::FILL | class::ABOUT | class::INSTRUCT | class::VAGUE;
        let near = self.sentence.slice(value.saturating_sub(5)..value).iter().rev();
        let is_far = near
            .take_while(|token| token.is(passes | class::BOUND) || token.is_unspaced || token.is_mark(&['.']))
            .any(|token| token.is(class::BOUND));
        let before = self.sentence.slice(0..value);
        // "<score>5", "assign -> 5"
        let is_arrow = lead.first().is_some_and(|token| token.is_mark(&['-', '=']) && token.end == last.start);
        let is_tag = last.is_mark(&['>']) && (is_arrow || before.iter().any(|token| token.is_mark(&['<'])));
        let is_bracket = last.is_mark(&['<']) && tokens.get(value + 1).is_some_and(|token| token.is_mark(&['>']));
        // "4 > 2" compares the two.
        let is_compared = lead.first().is_some_and(|token| token.kind == Kind::Number);
        // ">= 5"
        let is_open = is_open
            || last.is_mark(&['='])
                && lead.first().is_some_and(|token| token.is_mark(&['<', '>']) && token.end == last.start);
        // "assert score == 7"
        let is_checked = last.is_mark(&['=']) && lead.first().is_some_and(|token| token.is_mark(&['=']));
        is_far
            || is_open
            || is_checked
            || last.is_mark(&['<', '>', '\u{2264}', '\u{2265}']) && !is_tag && !is_bracket && !is_compared
            || lead.first().is_some_and(|token| token.is(class::BOUND)) && last.is_word() && last.is_unknown()
    }

    /// Whether a word follows the value closely in a script without spaces.
    fn is_touched_by(&self, token: &Token) -> bool {
        token.start <= self.end + 9 && token.is_unspaced
    }
}

/// The tokens that stand in no brackets which close among them.
fn without_asides(tokens: &[Token]) -> Cow<'_, [Token]> {
    if !tokens.iter().any(|token| token.is_mark(&[')', ']', '\u{ff09}'])) {
        return Cow::Borrowed(tokens);
    }
    let mut kept: Vec<Token> = Vec::with_capacity(tokens.len());
    let mut opened: Vec<usize> = Vec::new();
    for token in tokens {
        match token.kind {
            Kind::Mark('(' | '[' | '\u{ff08}') => opened.push(kept.len()),
            Kind::Mark(')' | ']' | '\u{ff09}') => {
                match opened.pop() {
                    // "[Verdict] A": what opens the clause announces.
                    Some(0) => {
                        kept.push(Token { kind: Kind::Mark(':'), ..*token });
                        continue;
                    }
                    Some(open) => {
                        kept.truncate(open);
                        continue;
                    }
                    None => {}
                }
            }
            _ => {}
        }
        kept.push(*token);
    }
    Cow::Owned(kept)
}

/// Whether somebody else is the one who says, gives or holds. "The student's answer is wrong" judges what is theirs.
fn is_anothers(clause: &[Token], is_quoted: bool, is_judged: bool) -> bool {
    let mut owner: Option<bool> = None;
    let mut is_others = false;
    let mut since_other = usize::MAX;
    let mut is_own_act = false;
    let (mut is_noun_before, mut is_thing_behind) = (false, false);
    let mut is_behind_article = false;
    for (at, token) in clause.iter().enumerate().filter(|(_, token)| token.is_word()) {
        let is_read_out = || clause.get(at + 1).is_some_and(|next| next.is_mark(&[':', '\u{ff1a}']));
        // "The hidden text reads: my verdict is" quotes all that follows.
        if token.is(class::REPORT | class::HOLD)
            && !token.is(class::THING | class::ANNOUNCE)
            && owner != Some(false)
            && is_read_out()
        {
            return true;
        }
        if token.is(class::SELF) {
            (owner, is_others, since_other) = (Some(false), false, usize::MAX);
        } else if token.is(class::OTHER) {
            // "The score of the reviewer": whose it is stands behind the noun.
            is_others |= is_noun_before && owner != Some(false) && !is_own_act;
            (owner, since_other, is_thing_behind) = (Some(true), 0, false);
        } else if token.is(class::REPORT | class::GIVES | class::CHOOSES) {
            // "The claim is true", "Classifica: A": a noun, of which nobody is the subject.
            // "This gives a total of 8."
            let is_result = token.is(class::GIVES)
                && owner.is_none()
                && clause
                    .iter()
                    .skip(at + 1)
                    .find(|next| !is_mere_fill(next))
                    .is_some_and(|next| next.is(class::WHOLE));
            let is_noun = is_result
                || token.is(class::THING) && is_behind_article
                || token.is(class::ANNOUNCE | class::VAGUE) && clause.iter().take(at).all(|before| !before.is_word());
            is_others |= owner != Some(false) && !is_noun;
        } else if token.is(class::EARN) && !token.is(class::ANNOUNCE) {
            // "The human reference would get 98."
            is_others |= owner == Some(true) && !is_thing_behind;
        } else if token.is(class::HOLD) {
            is_others |= is_quoted && owner != Some(false);
        } else if token.is(class::GIVE | class::CHOOSE) {
            is_others |= owner == Some(true) && !is_own_act || is_acting(clause, at);
            is_own_act |= owner == Some(false);
        } else if token.is(class::ANNOUNCE | class::VAGUE) {
            is_others |= since_other <= 2 && !is_own_act && !(is_judged && token.is(class::VAGUE));
            is_own_act |= owner == Some(false);
        }
        is_thing_behind |= token.is(class::THING) && !token.is(class::OTHER);
        is_noun_before = token.is(class::ANNOUNCE) || is_noun_before && token.is(class::FILL | class::OF);
        since_other = since_other.saturating_add(1);
        is_behind_article = token.is(class::FILL);
    }
    is_others
}

/// `the student chose`: whether what is judged is the subject of the verb, and a value its object.
fn is_acting(clause: &[Token], verb: usize) -> bool {
    let is_object = clause.iter().skip(verb + 1).all(is_mere_fill);
    let mut lead = clause.iter().take(verb).rev();
    is_object
        && clause.get(verb).is_some_and(|verb| verb.is(class::CHOOSE))
        && lead.next().is_some_and(|noun| noun.is(class::THING) && !noun.is(class::SUBJECT | class::ANNOUNCE))
        && lead.next().is_some_and(is_mere_fill)
        && !lead.any(|token| token.is(class::SELF))
}

/// `see [[3]]`, `as shown in [[3]]`: what stands there is a source or a place.
fn is_cited(clause: &[Token]) -> bool {
    let mut near = clause.iter().rev().filter(|token| !token.is_mark(&['[', '(', '"']));
    near.find(|token| !token.is(class::FILL)).is_some_and(|token| token.is(class::CITE))
}

/// `I was told to say yes`: whether what somebody told the judge ends with the verb that announces a value.
fn is_told_to(clause: &[Token]) -> bool {
    let near = clause.iter().rev().skip_while(|token| !token.is_word() || is_mere_fill(token));
    let mut near = near.skip_while(|verb| verb.is(class::GIVE | class::CHOOSE) && !verb.is(class::INSTRUCT));
    near.next().is_some_and(|told| told.is(class::INSTRUCT) && !told.is(class::CHOOSE | class::GIVE))
}

/// `x = 7`: whether a sign gives a variable its value, which is nobody's score.
fn is_equated(sign: &Token, subject: Option<&Token>) -> bool {
    sign.is_mark(&['=']) && subject.is_some_and(|name| name.kind == Kind::Word && name.end == name.start + 1)
}

fn is_mere_fill(token: &Token) -> bool {
    token.is(class::FILL) && token.classes & !(class::FILL | MUTE) == 0
}

/// Whether a denial governs what ends the clause: it stands near it, or near what announces it.
fn is_denied(clause: &[Token]) -> bool {
    let is_colon = |at: &usize| clause.get(*at).is_some_and(|token| token.is_mark(&[':', HEADED]));
    // "The answer is not: yes" denies what stands behind the colon.
    let ends_denial =
        |at: &usize| clause.get(at.wrapping_sub(1)).is_some_and(|token| token.is(class::DENY) && !token.is(class::NO));
    let colon = (0..clause.len()).rev().find(is_colon).filter(|at| !ends_denial(at)).map_or(0, |at| at + 1);
    // "No, 6" answers, and denies nothing that follows.
    let answers = |pair: &[Token]| {
        pair.first().is_some_and(|no| no.is(class::NO))
            && pair.last().is_some_and(|mark| mark.is_mark(&[',', '.', '!', HEADED]))
    };
    let answer = clause.windows(2).rposition(answers).map_or(0, |at| at + 1);
    // "Not A but B" denies the first.
    let contrast = clause.iter().rposition(|token| token.is(class::CONTRAST)).map_or(0, |at| at + 1);
    let clause = clause.get(colon.max(answer).max(contrast)..).unwrap_or(&[]);
    let words: Vec<&Token> = clause.iter().filter(|token| token.is_word() && !is_mere_fill(token)).collect();
    // "I don't think B is worse than": what is denied is what says which one is better.
    let governs =
        class::ANNOUNCE | class::GIVE | class::CHOOSE | class::EARN | class::WINNER | class::WORSE | class::LOSE;
    let governor = words.iter().position(|token| token.is(governs));
    words.iter().enumerate().any(|(at, token)| {
        token.is(class::DENY)
            && !token.is(class::STRESS)
            && (words.len() - at <= 4 || governor.is_some_and(|governor| governor > at && governor - at <= 4))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Stance;
    use crate::reading::sentence::Sentences;

    const WORDS: [&str; 44] = [
        "I",
        "the",
        "reviewer",
        "score",
        "is",
        "8",
        "5",
        "A",
        "says",
        "not",
        "if",
        "would",
        "at",
        "most",
        "give",
        "gives",
        "answer",
        "perhaps",
        "any",
        "see",
        "once",
        "for",
        "example",
        "retract",
        "means",
        "should",
        "wish",
        "than",
        "=",
        ">",
        "<",
        "[[8]]",
        "(",
        ")",
        "\"",
        ":",
        ",",
        "so",
        "but",
        "\u{6211}\u{7ed9}",
        "\u{5206}",
        "nicht",
        "overall",
        "better",
    ];

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_plainly_said_is_asserted_by_all_words(
            words in prop::collection::vec(prop::sample::select(WORDS.as_slice()), 1..9),
            nth in 0_usize..9,
            is_quoted: bool
        ) {
            let text = words.join(" ");
            let nth = nth % words.len();
            let start = words[..nth].iter().map(|word| word.len() + 1).sum::<usize>();
            let value = start..start + words[nth].len();
            let mut sentences = Sentences::new(&text);
            let clause = sentences.at(value.start).clause(&value);

            if clause.is_plainly_said(is_quoted) {
                prop_assert_eq!(clause.stance_by_words(value.end, is_quoted), Stance::Asserted, "{} in {}", words[nth], text);
            }
        }
    }
}
