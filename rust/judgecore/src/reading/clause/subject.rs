//! What a sentence is about: the verdict of the judge, or something else that has a value.

use super::{COMMAS, Clause, RETELLS, VERDICT, is_mere_fill, is_number};
use crate::lexicon::{self as class, Classes};
use crate::reading::outcome::Rule;
use crate::reading::token::{
    ANSWERS, AWARDS, CLOSERS, COLONS, GOES_ON, HEADED, Kind, LAST, NAMES, OF_ALL, OPEN_QUOTES, Token, among, of, words,
};

/// Verbs that say a verdict.
const SAYS: Classes = class::LINK | AWARDS | class::CHOOSE | class::DEEM | class::WIN;

/// What measures and compares.
const MEASURES: Classes = class::UNIT | class::OVER | class::THAN | class::THAN_BEHIND;

/// What a sentence may consist of that says a verdict and nothing else.
const MERE: Classes = VERDICT | ANSWERS | SAYS | NAMES | MEASURES;

/// What makes somebody else the one who says it.
const SUPPOSES: Classes = RETELLS | class::COUNTERFACTUAL;

/// Marks that part a label from what it is not said of.
const PARTS: [char; 16] = [
    ':', ';', ',', '(', '>', '-', '=', '|', '\u{2014}', '\u{2013}', '\u{2192}', '\u{ff1a}', '\u{ff0c}', '\u{3001}',
    '\u{61b}', HEADED,
];

/// What may lead up to a label that is said of all.
const LEADS: Classes = class::FILL
    | class::EMPHATIC
    | LAST
    | class::DENY
    | class::CONTRAST
    | class::JOIN
    | class::STRESS
    | class::BECAUSE
    | class::SUBORDINATE;

/// What the judge says a label of, itself, and the verbs that it says one with.
const SUBJECTS: Classes = class::SELF
    | class::THING
    | class::SUBJECT
    | class::DEMONSTRATIVE
    | class::ANNOUNCE
    | class::VAGUE
    | class::GIVE
    | class::CHOOSE
    | class::DEEM
    | class::CHANGE
    | class::LINK
    | class::YES
    | class::NO;

/// `"Paris" is correct.`, `42 is correct.`: whether a quotation or a number is what a label is said of.
fn is_named(lead: &[Token]) -> bool {
    match lead {
        [number, link] if number.kind == Kind::Number => link.is(class::LINK),
        [open, .., close, link] => open.is_mark(&OPEN_QUOTES) && close.is_mark(&CLOSERS) && link.is(class::LINK),
        _ => false,
    }
}

/// `It says 42, which is correct.`: whether a relative clause says a label of what is judged, and of no part of it.
fn is_relative(lead: &[Token], before: &[Token]) -> bool {
    let is_part = |token: &Token| token.is(class::ASPECT) && !token.is(class::THING);
    matches!(lead, [which, link] if which.is(class::ONWARD) && link.is(class::LINK))
        && before.iter().any(of(class::THING | class::ROLE))
        && !before.iter().any(is_part)
}

impl Clause<'_> {
    /// `The answer is correct.`, `So: safe.`: whether a label ends what is said, alone, of what is judged or by the judge.
    pub(in crate::reading) fn stands_alone(&self) -> bool {
        let before = self.before();
        let lead = before.rsplit(among(&PARTS)).next().unwrap_or_default();
        let mut said = words(lead).skip_while(|token| token.is(LEADS) && !token.is(SUBJECTS));
        let others = class::BOUND | class::PARTIAL | class::THAN | class::IF | class::HALF;
        // "Ich bewerte sie als falsch.": `als` compares, but not right before a label.
        let is_as = |token: &Token| token.end + 1 == self.at && token.is(class::THAN);
        let is_other = |token: &Token| {
            token.is(others) && !token.is(class::SELF | NAMES | class::LINK | class::RANGE) && !is_as(token)
        };
        let is_of_all = said.next().is_none_or(|first| first.is(SUBJECTS) || first.is_unspaced)
            || lead.iter().any(Token::is_judge)
            // "In conclusion, the reasoning is wrong.", but not "The dog is therefore unsafe"
            || before.split(among(&PARTS)).any(|part| words(part).next().is_some_and(of(LAST)))
            || self.is_mere_answer(lead)
            || is_named(lead)
            || is_relative(lead, before);
        // "I have no grounds for unsafe", but "It is not safe"
        let denies_else = lead.iter().rev().skip(2).any(of(class::DENY));
        self.ends_what_is_said()
            && is_of_all
            && !lead.iter().any(is_other)
            && !denies_else
            && !said.any(of(class::SUBORDINATE))
    }

    /// `A reluctant no.`
    fn is_mere_answer(&self, lead: &[Token]) -> bool {
        let is_led_to = lead.last().is_some_and(of(class::RANGE));
        self.value().iter().any(of(class::YES | class::NO)) && !is_led_to && words(self.before()).count() <= 2
    }

    /// `It's a tie between the two responses.`, `correct in my opinion`, but not `Correct to 3 decimals`: whether nothing goes on
    /// behind a label but what makes no less of it.
    fn ends_what_is_said(&self) -> bool {
        let next = self.next();
        let limits = class::PART | class::FROM | class::COMPLEMENT | class::ONWARD;
        // "A tie between the two", but not "Correct the spelling"
        let limits = if self.value().iter().any(of(class::TIE)) { limits | class::FILL | class::BOTH } else { limits };
        let own = class::THING | class::SELF | class::NUMBERED | class::BOTH | OF_ALL;
        let is_of_all = || {
            let mut behind = next.iter().skip(1).take_while(|token| token.is_word());
            behind.clone().next().is_none() || behind.any(|token| token.is(own) && !token.is(class::ASPECT))
        };
        // "Safe:" heads nothing.
        let is_heading = next.last().is_some_and(among(&COLONS)) && !next.iter().any(Token::is_word);
        !is_heading
            && next.iter().find(|token| !token.is_mark(&CLOSERS)).is_none_or(|next| {
                !next.is_word()
                    || next.is(GOES_ON & !class::PART | OF_ALL | class::EMPHATIC | class::SELF)
                    || next.is_unspaced
                    || next.is(limits) && !next.is(class::RANGE) && is_of_all()
                    || self.sentence.is_verb_final()
            })
    }

    /// `I'd say 8`, `The answer is correct, with the right unit`: whether a sentence says the judge's verdict and nothing of somebody
    /// or something else, by its subject, or by all its words.
    pub(in crate::reading) fn is_of_what_is_judged(&self, rule: Rule) -> bool {
        let (before, next) = (self.before(), self.next());
        let is_marked = rule == Rule::Marker;
        let is_mere = |token: &Token| {
            token.kind != Kind::Word || token.is(MERE) && !token.is(SUPPOSES) || token.end == token.start + 1
        };
        let says = |token: &&Token| !token.is(class::BECAUSE) && !token.is_mark(&[':', ';', '\u{2014}', '\u{2013}']);
        let opens = before.iter().all(|token| !token.is_word() || token.is(class::ANY));
        // "4, with the caveat that I haven't opened the links"
        let is_apart =
            || self.is_in_digits() && !next.first().is_some_and(Token::is_word) && !next.iter().any(of(RETELLS));
        if self.has_name
            || opens && (is_marked || is_apart())
            || before.iter().chain(next.iter().take_while(says)).all(is_mere)
        {
            return true;
        }
        if rule == Rule::Mention || !is_marked && self.before_quotation().is_some() {
            return false;
        }
        // "Je donne" is one word of the lexicon.
        let acts = class::GIVE | class::CHOOSE | class::DEEM;
        let is_judge = |token: &Token| token.is(class::SELF | acts) && !token.is(class::POSSESSIVE);
        let first =
            |passes: Classes| next.iter().find(|token| token.is_word() && !token.is_bare() && !token.is(passes));
        let value = self.value();
        if value.iter().any(of(class::YES | class::NO)) {
            // "Yes, of course I can check that!"
            let is_chat =
                first(class::FILL | class::EMPHATIC | class::YES | class::NO | class::OF).is_some_and(is_judge);
            return opens && (!is_chat || next.iter().any(of(class::DEEM | class::TRUE)));
        }
        let is_score = value.iter().any(is_number);
        let judged = class::THING | class::ANNOUNCE | class::WINNER | class::VAGUE;
        let is_subject = |token: &Token| (token.is(judged) || is_judge(token)) && !token.is_part && !token.runs_on;
        // "Le premier correcteur a classé les copies ainsi" has another subject.
        let has_subject = before.split(among(&COMMAS)).any(|clause| {
            let subject = clause.iter().position(is_subject);
            subject.is_some_and(|at| clause.iter().take(at).filter(|token| !is_mere(token)).count() <= 1)
        });
        // "For most readers Response B is better."
        let is_label = !is_score && first(0).is_some_and(of(class::LINK | class::WIN | class::EARN));
        // "It gets a nine from me, and I don't hand those out often."
        let is_from_judge = next.iter().take_while(|token| !token.is_mark(&COMMAS)).any(is_judge);
        !self.says(SUPPOSES) && (has_subject || is_label || is_from_judge)
    }

    /// `I choose no side`, `No respondo`, `Odpowiadam tak, aby było jasne.`: whether a word that may answer is another word, by what a
    /// verb of answering and it go on with.
    pub(in crate::reading) fn is_no_answer(&self) -> bool {
        if !self.value().iter().any(of(class::YES | class::NO)) || self.sentence.is_verb_final() {
            return false;
        }
        let acts = class::CHOOSE | class::GIVE | class::DEEM;
        let is_answering = || self.lead.iter().rev().find(|token| !is_mere_fill(token)).is_some_and(of(acts));
        let nouns = class::COUNT | class::ASPECT | class::VAGUE | class::ANNOUNCE;
        match self.next() {
            [next, ..] if next.is(acts) => !next.is(GOES_ON | class::ONWARD),
            [next, ..] if next.is_word() => {
                is_answering() && (next.is_bare() || next.is(nouns) && !next.is(class::FILL | class::ONWARD | OF_ALL))
            }
            [comma, next, ..] if comma.is_mark(&COMMAS) => {
                is_answering() && next.is(class::AIM | class::SUBORDINATE | class::THAN) && !next.is(GOES_ON)
            }
            _ => false,
        }
    }

    /// Whether a value calls something right or safe, or the opposite.
    pub(in crate::reading) fn is_a_judgement(&self) -> bool {
        self.value().iter().any(of(class::TRUE | class::FALSE | class::SAFE | class::UNSAFE))
    }

    /// `…, so it is unsafe.`, `…, yes: …`: whether no more than a pronoun and a copula stand between a mark and a value that another
    /// mark, or nothing, follows. An apology may be addressed to a candidate.
    pub(in crate::reading) fn is_set_off(&self, is_apology: bool) -> bool {
        let lead = self.before().rsplit(among(&PARTS)).next().unwrap_or_default();
        let mere = class::LINK | class::SUBJECT | class::CONCLUDE | class::SELF | class::CORRECT | class::SORRY;
        let passes = |token: &Token| token.is(mere) && !token.is(class::POSSESSIVE) || is_mere_fill(token);
        // "No, on a second look it is right."
        let mut last = lead.iter().rev().take_while(|token| passes(token));
        let is_pronoun = last.clone().any(of(class::SUBJECT)) && last.clone().any(of(class::LINK));
        // "等等，重新计算后是正确的", "いや、計算し直すと正解です": with no word for the subject.
        let next = self.next();
        let link = if self.sentence.is_verb_final() { next.first() } else { last.next() };
        let is_linked = self.opener().is_some_and(|token| token.is_unspaced) && link.is_some_and(of(class::LINK));
        let others = class::OTHER | class::IF | class::REPORT | class::DEEM | class::SUBORDINATE;
        let is_led = (is_pronoun || is_linked)
            && !is_apology
            && !lead.iter().any(|token| token.is(others) && !token.is(class::SUBJECT));
        let is_mere = is_led
            || lead.iter().all(|token| if token.is_word() { passes(token) } else { !token.is_mark(&OPEN_QUOTES) });
        let is_named = lead.is_empty() && self.before().last().is_some_and(among(&COLONS));
        let is_answer = self.value().iter().any(of(class::YES | class::NO));
        let next = next.iter().find(|token| !(is_linked && token.is(class::LINK)));
        let goes_on = next.is_some_and(|next| next.is_word() || next.is_mark(&COLONS) && !is_answer);
        is_mere && !is_named && !goes_on && (!is_apology || is_answer || self.is_a_judgement())
    }

    /// Whether a value answers no.
    pub(in crate::reading) fn answers_no(&self) -> bool {
        self.value().iter().any(of(class::NO))
    }
}
