//! What announces a value, or says that a label is the winner.

use std::ops::Range;

use super::stance::{Stance, is_equated};
use super::{CLAUSE, COMMAS, Clause, RETELLS, VERBISH, goes_no_further, is_mere_fill, is_number, is_one_of_several};
use crate::lexicon::{self as class, Classes};
use crate::reading::sentence::Sentences;
use crate::reading::token::{
    AWARDS, CLOSERS, COLONS, COUNTED, DENIES, HEADED, Kind, LAST, LOSES, OF_ALL, OPEN_QUOTES, TURNS, Token, UNREAL,
    among, of, split_lead, words,
};

/// No grade or answer in words, behind which the value stands in brackets, has more words that are unknown.
const GRADE: usize = 3;

/// What announces a value, and where that begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::reading) struct Announced {
    pub(in crate::reading) start: usize,
    pub(in crate::reading) by: By,
}

/// By what a value is announced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::reading) enum By {
    /// `Score: 8`, `the winner is A`.
    Noun,
    /// `I give it an 8`, `I choose A`.
    Verb,
    /// `A is better`, which a judge also says on the way to a verdict.
    Comparison,
}

/// Without one of these, nothing is said to win.
const WINS: Classes = class::WIN | class::BETTER | class::WINNER | class::CHOOSE | class::TRUE | class::ANNOUNCE;

/// What shows that nobody is said to win.
const NO_WIN: Classes = UNREAL | RETELLS | LOSES | class::DENY | class::CONTRAST | class::ALMOST;

/// What names a verdict right before it, without a link.
const ANNOUNCES: Classes = LAST | class::ANNOUNCE | class::LINK;

/// What makes a verdict the judge's own, or one of all.
const OWN: Classes = LAST | class::SELF | class::FILL;

/// What of a candidate is compared: `Aの回答`.
pub(super) const OWNED: Classes = class::THING | class::VAGUE | class::OF;

/// What may head a part of the reply, with sentences below it.
const TITLE: Classes = class::EVIDENCE | class::VAGUE | class::WHOLE | class::UNIT;

/// Marks that open what holds a value.
const OPENING: [char; 11] = ['[', '(', '"', '\'', '*', '`', '<', '\u{201c}', '\u{201e}', '\u{ab}', '\u{300c}'];

/// Marks that link a value to what announces it.
const LINKS: [char; 9] = [':', '-', '=', '\u{2192}', '|', '\u{2014}', '\u{2013}', '\u{3011}', HEADED];

/// Where what announces a value begins.
pub(in crate::reading) fn announced_from(text: &str, value: &Range<usize>, is_score: bool) -> usize {
    let mut sentences = Sentences::new(text);
    let clause = sentences.at(value.start).clause(value);
    let announced = if is_score { clause.announces_score() } else { clause.announces_label(|_| false) };
    announced.map_or(value.start, |announced| announced.start)
}

/// `B is my choice.`, `B gets my preference.`: whether a noun behind these words is what the judge chooses.
fn is_choice(said: &[Token], noun: &Token, behind: &[Token], is_linked: bool) -> bool {
    let Some((own, before)) = said.split_last() else { return false };
    let is_definite = own.is(class::SELF) || is_mere_fill(own) && !own.is(class::ANY);
    let is_earned = matches!(before, [verb] if verb.is(class::EARN)) && !noun.is(class::LOCUS);
    is_linked && own.is(class::SELF)
        || is_earned && is_definite && goes_no_further(behind.first(), class::BECAUSE | class::CONTRAST)
}

/// What stands behind the adjectives that are joined to one before: `more accurate, complete and helpful answer`.
fn behind_adjectives(behind: &[Token]) -> &[Token] {
    let joins = |token: &Token| token.is(class::JOIN) || token.is_mark(&[',']);
    let mut rest = behind;
    while let [join, adjectives @ ..] = rest
        && joins(join)
    {
        rest = split_lead(adjectives, joins).1.get(1..).unwrap_or(&[]);
    }
    rest
}

impl Clause<'_> {
    /// What announces a number: a noun with a link, or a verb by which a judge gives one.
    pub(in crate::reading) fn announces_score(&self) -> Option<Announced> {
        let announced = self.announcer_of_score().map(|announced| self.with_own_words(announced));
        announced.or_else(|| self.stands_for_denied(|token| token.kind == Kind::Number, true))
    }

    /// Whether a marker is only mentioned, or words lead up to its name and give it to something else. Outside strict mode, a
    /// name says that it is the verdict.
    pub(in crate::reading) fn is_unsaid(&self, is_strict: bool) -> bool {
        (is_strict || !self.has_name) && self.is_only_mentioned()
            || self.has_name
                && self.is_led_up_to()
                && (is_strict || self.says(class::OTHER | class::ANOTHER | class::SAMPLE))
                && self.is_given_elsewhere()
    }

    /// `The proof relies on lemma [[A]] from the appendix`, `Reviewer 2 has gone with [[B]]`: whether words that name no verdict run
    /// into a marker and go on behind it, or speak of somebody else. One that ends its sentence is what that is for.
    pub(in crate::reading) fn is_run_into(&self) -> bool {
        let turns = class::BECAUSE | class::CONTRAST | class::JOIN | class::CONCLUDE;
        let last = self.leading().filter(|last| last.is_word() && !last.is(class::CONTRAST | class::CONCLUDE));
        let next = self.next().iter().find(|token| !token.is_mark(&CLOSERS));
        let goes_on = next.is_some_and(|next| next.is_word() && !next.is(turns));
        last.is_some()
            && (goes_on || self.says(class::OTHER | class::ANOTHER | class::CITE | class::SAMPLE))
            && !self.says(class::ANNOUNCE | class::WINNER)
            && !self.before().iter().any(Token::is_judge)
    }

    /// `Oh sure, [[10]], a masterpiece`, `There's a case for [[A]]`: whether known words lead up to a marker that has none of its
    /// own, and nothing in its sentence speaks of a verdict, or nothing announces one to which they lead straight up.
    pub(in crate::reading) fn is_only_mentioned(&self) -> bool {
        let says = VERBISH & !class::REPORT | LAST | class::WORSE | class::VAGUE;
        // "CLASS: [[refusal]]" names it.
        let line = self.sentence.slice(..self.name).iter().rev().take_while(|token| !token.is_mark(&[HEADED]));
        let is_said = line.filter(|token| token.is_word()).count() > 1;
        if !is_said {
            return false;
        }
        if !self.sentence.tokens.iter().any(of(says)) {
            return true;
        }
        let Some(last) = self.leading().filter(|last| last.is_word() && !last.is_unspaced) else { return false };
        // "This is a [[5]]", "the laurels go to [[A]]", "Final answer [[A]]", "correct [[9]]"
        let leads = says | class::LINK | class::RANGE | class::SUBJECT;
        let is_own = self.lead.iter().any(Token::is_judge);
        let unsaid = class::DENY | class::OTHER | class::THAN | class::COUNTERFACTUAL | class::CONDITIONAL;
        !((last.is(leads) || is_own) && !self.says(unsaid)) && self.is_unannounced()
    }

    /// `The panel average was <score>5</score>`, `Erstgutachten: [[B]]`: whether words lead up to a marker that name neither what
    /// is judged nor a verdict, and so give it to something else.
    pub(in crate::reading) fn is_given_elsewhere(&self) -> bool {
        let own = class::SELF | LAST | class::CORRECT | class::WINNER;
        let judged = class::THING | class::SUBJECT | class::ANNOUNCE | class::ASPECT;
        let line = self.lead.rsplit(among(&[HEADED])).next().unwrap_or_default();
        let lead: Vec<&Token> = line.iter().filter(|token| token.is_word() && !is_mere_fill(token)).collect();
        let Some(last) = self.leading() else { return false };
        let is_named = last.is(ANNOUNCES) || last.is_mark(&COLONS);
        let is_else = if is_named {
            lead.iter().all(|token| !token.is(judged))
        } else {
            lead.first().is_some_and(|first| !first.is(class::ANNOUNCE))
        };
        (last.is_word() || is_named)
            && is_else
            && lead.iter().any(|token| token.is_bare() || token.is(class::OTHER | class::ANOTHER | class::SAMPLE))
            && !lead.iter().any(|token| token.is(own) && !token.is(class::POSSESSIVE))
            && self.is_unannounced()
    }

    /// Whether a marker stands alone in its sentence, or the judge speaks of itself before it.
    pub(in crate::reading) fn is_given_by_the_judge(&self, is_apart: bool) -> bool {
        self.says(class::SELF | class::GIVE | class::CHOOSE) || is_apart && !self.lead.iter().any(Token::is_word)
    }

    /// What leads up to a marker: the last word or mark before it, articles and what opens it aside.
    fn leading(&self) -> Option<&Token> {
        self.lead.iter().rev().find(|token| !token.is_mark(&OPENING) && !is_mere_fill(token))
    }

    /// Whether words lead straight up to a marker.
    pub(in crate::reading) fn is_led_up_to(&self) -> bool {
        self.leading().is_some_and(Token::is_word)
    }

    /// Whether a sentence leads up to a marker with words, and goes on behind it.
    pub(in crate::reading) fn goes_through(&self) -> bool {
        self.is_led_up_to() && words(self.next()).next().is_some()
    }

    fn is_unannounced(&self) -> bool {
        self.announces_score().is_none()
            && self.announces_label(|_| false).is_none()
            && self.bare_conclusion(false).is_none()
    }

    /// Whether a marker is quoted, or words that don't announce it lead straight up to it.
    pub(in crate::reading) fn is_amid_a_sentence(&self) -> bool {
        let is_unannounced = self.is_led_up_to() && self.is_unannounced();
        (is_unannounced || self.is_quoted_by_another()) && !self.leading().is_some_and(of(ANNOUNCES))
    }

    /// `Assistant [[A]] lists three causes`: whether a marker names a candidate of which something else is said.
    pub(in crate::reading) fn is_candidates_name(&self) -> bool {
        let says = VERBISH & !(class::REPORT | class::LINK) | class::BETTER | class::WORSE | OF_ALL;
        words(&self.lead).next_back().is_some_and(of(class::THING))
            && self.goes_on()
            && !self.sentence.tokens.iter().any(of(says))
    }

    /// Whether what follows a marker in its sentence begins like a predicate.
    fn goes_on(&self) -> bool {
        let next = words(self.next()).next();
        next.is_some_and(|next| next.is_bare() || next.is(class::LINK | class::REPORT))
    }

    /// `[[5]] seconds`: whether what follows a marker belongs to it.
    pub(in crate::reading) fn goes_on_at_once(&self) -> bool {
        let next = self.next().iter().find(|token| !token.is_mark(&CLOSERS));
        self.is_number() && next.is_some_and(|next| next.is_bare() || next.is(class::REPORT))
    }

    /// `The log has the line "Winner: A"`: whether words that give no value lead up to a marker in quotation marks that are not
    /// the judge's; in strict mode any words do.
    pub(in crate::reading) fn is_quoted_within_a_sentence(&self, is_strict: bool) -> bool {
        let ends = |token: &&Token| is_strict || !is_mere_fill(token);
        let last = self.before_quotation().and_then(|before| before.iter().rev().find(ends));
        let gives_none = || !self.says(AWARDS | class::CHOOSE) && !self.before().iter().any(of(LAST));
        last.is_some_and(Token::is_word) && (is_strict || gives_none()) && self.is_quoted_by_another()
    }

    /// What stands before the quotation mark that opens before a marker.
    pub(super) fn before_quotation(&self) -> Option<&[Token]> {
        // "Nota: [[10]]", "My verdict: [[A]]"
        let own = class::ANNOUNCE | class::SELF | class::FINAL;
        let is_held = |token: &Token| token.is_mark(&OPENING) || token.is_mark(&[':']) || token.is(own);
        let held = self.lead.iter().rev().take_while(|token| is_held(token) && !token.is_mark(&OPEN_QUOTES)).count();
        let (mark, before) = self.lead.get(..self.lead.len() - held)?.split_last()?;
        mark.is_mark(&OPEN_QUOTES).then_some(before)
    }

    /// Whether a marker stands in quotation marks, and the judge says nothing of a verdict before them.
    fn is_quoted_by_another(&self) -> bool {
        let Some(before) = self.before_quotation() else { return false };
        let mut words = words(before);
        // "My guess is that it comes out as"
        let names = |token: &Token| token.is(class::ANNOUNCE | class::VAGUE | OF_ALL);
        let is_own = words.clone().next().is_some_and(|first| {
            first.is(class::SELF) && (!first.is(class::POSSESSIVE) || words.clone().take(4).any(names))
        });
        let is_said = |last: &Token| last.is(ANNOUNCES) || is_own && !last.is_bare();
        !words.next_back().is_some_and(is_said)
    }

    /// `"Rating: [[9]]", replied the bot`, `We count "GRADE: C" lines`: whether a sentence goes on behind what it quotes, with
    /// somebody else in it or with what is quoted as part of another thing.
    pub(in crate::reading) fn is_quoted_amid_a_sentence(&self) -> bool {
        let is_comma = |mark: &Token| mark.is_mark(&[',', '\u{ff0c}', '\u{3001}']);
        let (marks, words) = split_lead(self.next(), |token| !token.is_word());
        let own = class::SELF | class::ANNOUNCE | class::WINNER | class::BETTER | OF_ALL;
        let near = || words.iter().take_while(|token| token.is_word()).take(8);
        let is_told = near().skip(1).any(of(class::OTHER | class::THING | class::REPORT));
        let is_part = || self.before_quotation().is_some_and(|before| before.last().is_some_and(Token::is_bare));
        self.goes_on()
            && !near().any(of(own))
            && self.is_quoted_by_another()
            && if marks.iter().any(is_comma) { is_told } else { is_part() }
    }

    /// What says that a label is the winner, or the verdict.
    pub(in crate::reading) fn announces_label(&self, is_label: impl Fn(&Token) -> bool) -> Option<Announced> {
        let announced = self.announcer_of_label(&is_label).map(|announced| self.with_own_words(announced));
        announced.or_else(|| self.stands_for_denied(is_label, false))
    }

    /// `The winner is not A but B`: what announces a value that is denied announces the one that is set against it. So does
    /// a denial alone: `Not A but B.`
    pub(super) fn stands_for_denied(&self, is_value: impl Fn(&Token) -> bool, is_score: bool) -> Option<Announced> {
        let before = self.before();
        if self.sentence.classes & DENIES == 0 {
            return None;
        }
        let passes = DENIES | class::FILL | class::LINK | class::THING | class::CONTRAST | class::SUBJECT | class::UNIT;
        let at = before.iter().rposition(&is_value)?;
        let (other, between) = (before.get(at)?, before.get(at + 1..)?);
        let name = before.get(..at)?.iter().rposition(|token| !is_value(token)).map_or(0, |word| word + 1);
        let start = before.get(name)?.start;
        let is_plain = between.iter().all(|token| token.is(passes) || token.is_mark(&COMMAS));
        let is_last = goes_no_further(self.next().first(), class::LINK | class::BECAUSE | class::UNIT);
        if !is_plain || !is_last {
            return None;
        }
        let denied = self.sentence.clause(&(start..other.end));
        let announced = if is_score { denied.announcer_of_score() } else { denied.announcer_of_label(&is_value) };
        let announced = announced.unwrap_or(Announced { start, by: By::Verb });
        (denied.stance(other.end, false) == Stance::Denied).then_some(announced)
    }

    /// An announcement with the words before it that belong to it: `My final` in `My final verdict is`.
    pub(super) fn with_own_words(&self, announced: Announced) -> Announced {
        let before = self.lead.iter().rev().skip_while(|token| token.start >= announced.start);
        let first = before.take_while(of(OWN)).last();
        Announced { start: first.map_or(announced.start, |token| token.start), ..announced }
    }

    pub(super) fn announcer_of_score(&self) -> Option<Announced> {
        let (mut is_linked, mut is_marked, mut is_against) = (false, false, false);
        let mut strangers = 0_usize;
        let is_bracketed = self.is_bracketed();
        let mut marked = self.lead.rsplitn(2, |token| token.is_mark(&LINKS));
        let behind_mark = marked.next().unwrap_or(&[]);
        let is_apart = marked.next().is_some() && behind_mark.iter().filter(|token| token.is_unknown()).count() > 1;
        for (said, behind) in self.parted() {
            let Some((token, before)) = said.split_last() else { break };
            // "Graded against 5 criteria."
            is_against |= token.is(class::THAN) && !token.is(class::OVER | class::THING);
            // A heading announces what opens the line, and no number in a sentence; what was lost is no score.
            let is_heading = token.is_mark(&[HEADED]);
            if is_heading && says_something(behind) || token.is(class::LOSE | class::AIM) {
                return None;
            }
            let subject = before.last();
            if is_marked && self.names_another(token) || is_equated(token, subject) {
                return None;
            }
            // "Total deductions", "word count total": the noun beside says of what.
            let is_unknown = |token: &Token| token.kind == Kind::Word && token.is_unknown();
            let is_of_unknown = || token.is_part || subject.is_some_and(is_unknown) || behind.iter().any(is_unknown);
            let is_noun = if token.is(class::VAGUE | class::WHOLE) {
                // "Overall 6" gives a score, and "in total 6 errors" counts.
                let is_direct =
                    || behind.len() == usize::from(is_bracketed) && (!token.is(class::WHOLE) || self.ends_behind());
                (is_marked || token.is(class::ANNOUNCE) && (is_linked || is_direct())) && !is_of_unknown()
            } else {
                // "Points 5 and 6 discuss" numbers them, and "the highest score is 10" tells the scale.
                token.is(class::ANNOUNCE)
                    && !token.is(class::BETTER)
                    && (is_linked || behind.is_empty() && !(token.is(class::UNIT) && self.sentence.may_be_english))
            };
            // "The introduction scores 9": a verb.
            if is_noun && strangers <= 1 && !token.is(class::EARN) {
                return Some(Announced { start: token.start, by: By::Noun });
            }
            // "Given that the area is 3", "leaves a remainder of 3": the copula or the noun says of what.
            let is_of_noun = || {
                let mut near = self.lead.iter().rev().filter(|token| !is_mere_fill(token));
                near.next().is_some_and(of(class::OF)) && near.next().is_some_and(Token::is_bare)
            };
            let is_of_subject = is_linked && !is_marked;
            // "Score: see the sheet, row 45": a noun is no verb, where more than a mark stands before the value.
            let is_verb = token.is(AWARDS) && !is_apart;
            if is_verb && !is_of_subject {
                let is_given = strangers <= 3 && !is_against && (token.is(class::ANNOUNCE) || !is_of_noun());
                return is_given.then_some(Announced { start: token.start, by: By::Verb });
            }
            // "A well-deserved 8"
            let joins = |before: &Token, next: &Token| before.end == token.start && token.end == next.start;
            match token.kind {
                Kind::Mark('-') if subject.zip(behind.first()).is_some_and(|(before, next)| joins(before, next)) => {
                    strangers = strangers.saturating_sub(1);
                }
                Kind::Mark(_) if token.is_mark(&LINKS) || ends_tag(said) => {
                    (is_linked, is_marked) = (true, true);
                    strangers = strangers.saturating_sub(self.grade(behind)?);
                }
                // "Auf einer Skala von 1 bis 10 würde ich eine 7 geben."
                Kind::Number if is_end_of_scale(before, behind) => {}
                Kind::Number | Kind::Mark('.' | '?' | '!' | ';') => return None,
                Kind::Mark(_) => {}
                // "The score is Team A: 3, Team B: 1": the mark belongs to a name.
                Kind::Word if token.is(class::LINK) && is_marked && strangers > 0 => return None,
                Kind::Word if token.is(class::LINK) => is_linked = true,
                // "The score for the code snippet is 1": it is what is judged.
                Kind::Word if self.is_for_the_judged(token) => {}
                // "It earns one point, because of 5 questions": a reason begins.
                Kind::Word if token.is(class::BECAUSE) && subject.is_some_and(among(&COMMAS)) => {
                    return None;
                }
                Kind::Word
                    if token.is(class::BECAUSE)
                        || token.is(class::PART | class::THAN | class::IF | class::CONTRAST)
                            && !token.is(class::OVER | class::GIVE) =>
                {
                    strangers += 2;
                }
                // "The rating I have decided on is 8."
                Kind::Word if token.is(class::SELF) && before.last().is_some_and(of(class::ANNOUNCE)) => {
                    strangers = 0;
                }
                Kind::Word => strangers += usize::from(token.is_unknown()),
            }
        }
        self.is_given_behind().then_some(Announced { start: self.at, by: By::Verb })
    }

    /// `Rating: very good (8)`: whether brackets hold the value alone, and belong to the clause, which else begins in them.
    fn is_bracketed(&self) -> bool {
        matches!((self.lead.last(), self.next()), (Some(open), [close, ..]) if open.is_mark(&['(']) && close.is_mark(&[')']))
    }

    /// How many unknown words behind a link may be the grade or the answer before brackets; None where one says that there is
    /// none, or where it stands: `Score: pending (3)`, `Rating: see table (8)`.
    fn grade(&self, behind: &[Token]) -> Option<usize> {
        let none = class::ABSENT | class::VOID | class::NONE | class::DENY | class::WITHDRAW | class::HEDGE;
        let most = if self.is_bracketed() { GRADE } else { 0 };
        (most == 0 || !behind.iter().any(of(none | class::CITE | class::OTHER))).then_some(most)
    }

    /// The tokens before the value, parted behind each one, the last one first.
    fn parted(&self) -> impl Iterator<Item = (&[Token], &[Token])> {
        (1..=self.lead.len()).rev().map(|end| self.lead.split_at(end))
    }

    /// Whether nothing but what is judged, and not one of several, stands between a preposition of its own and a link.
    fn is_for_the_judged(&self, preposition: &Token) -> bool {
        let before = self.before();
        let behind = before.get(before.partition_point(|token| token.start <= preposition.start)..).unwrap_or(&[]);
        let noun = behind.iter().position(links).and_then(|link| behind.get(..link)).unwrap_or(&[]);
        preposition.is(class::PART)
            && noun.last().is_some_and(of(class::THING))
            && noun.iter().all(of(class::THING | class::FILL))
    }

    /// `{"score": {"style": 8`, `{"score": null, "max": 10`: whether a mark parts a key from what stands before it.
    fn names_another(&self, mark: &Token) -> bool {
        let is_colon = |pair: &&[Token]| matches!(pair, [_, colon] if colon.is_mark(&[':']));
        let is_key = |pair: &[Token]| pair.first().is_some_and(among(&['"', '\'']));
        mark.is_mark(&['{', ',']) && self.lead.windows(2).rfind(is_colon).is_some_and(is_key)
    }

    /// `6点をつけます`: in languages whose verb ends the sentence, it stands behind the number.
    pub(super) fn is_given_behind(&self) -> bool {
        let behind = self.next().iter().take_while(|token| token.is_unspaced);
        // "Ich würde hier 9 Punkte geben."
        let is_verb_final = !self.sentence.may_be_english && self.says(class::SELF | class::THING | OF_ALL);
        let words = self.next().iter().take_while(|token| token.is_word() && is_verb_final);
        let mut near = behind.take(4).chain(words.take(3));
        // "4 veriyorum, \u{e7}\u{fc}nk\u{fc}"
        let (_, verb) = split_lead(self.next(), of(class::UNIT));
        let is_at_once = self.start == self.first
            && !self.before().iter().any(is_number)
            && verb.first().is_some_and(of(class::GIVE))
            && goes_no_further(verb.get(1), class::BECAUSE);
        // "Das hat 8 Punkte verdient.", "A százból 66 pontot érdemel: …"
        let less = class::PART | class::ASPECT | class::OTHER | class::REPORT;
        let is_earned = !self.sentence.may_be_english
            && verb.first().is_some_and(of(class::EARN))
            && !self.before().iter().any(|token| token.is(less) || is_number(token))
            && goes_no_further(verb.get(1), class::BECAUSE);
        is_at_once || is_earned || near.any(of(AWARDS))
    }

    /// `This is a 5`, `6点です`: whether a number is said of what is judged, with nothing behind it.
    pub(in crate::reading) fn is_predicate(&self) -> bool {
        let next = self.next();
        if next.first().is_some_and(|token| token.is_unspaced && token.is(class::UNIT)) {
            let mut rest = next.iter().skip(1).filter(|token| token.is_word());
            let unit = next.first().map_or(self.end, |token| token.end);
            let is_linked = rest.next().is_some_and(|token| token.is(class::LINK) && token.start == unit);
            // "文体は9点です"
            return is_linked && rest.next().is_none() && !self.says(class::ASPECT);
        }
        // "\u{92f}\u{939} 4 \u{939}\u{948}": where the verb ends the clause, the copula stands behind.
        let is_subject = |token: &Token| token.is(class::SUBJECT | class::THING) || is_mere_fill(token);
        if self.sentence.is_verb_final()
            && self.says(class::SUBJECT | class::THING)
            && self.lead.iter().all(is_subject)
            && matches!(next, [link, rest @ ..] if link.is(class::LINK) && goes_no_further(rest.first(), 0))
        {
            return true;
        }
        // "An 8 from me.", "Eine 8 von mir.", "Identical, 0.9 from me"
        let said = next.iter().take_while(|token| !token.is_mark(&COMMAS) && !token.is_mark(&[':']));
        let mut own =
            said.filter(|token| token.is_word() && !token.is(class::UNIT | class::OF | class::FROM)).peekable();
        // "Direi 5: \u{e8} corretto"
        let is_polite = own.peek().is_none() && self.says(class::POLITE);
        let may_lead = |token: &Token| is_mere_fill(token) || is_polite && token.is(class::POLITE);
        if (is_polite || own.peek().is_some() && own.all(of(class::SELF))) && self.lead.iter().all(may_lead) {
            return self.sentence.slice(..self.start).last().is_none_or(among(&COMMAS));
        }
        let has_article = self.is_behind(class::FILL);
        let mut lead = self.lead.iter().rev().filter(|token| !is_mere_fill(token));
        let link = lead.next();
        let is_linked = link.is_some_and(of(class::LINK));
        // "It's" is both; "The answer is 7" says what the answer is, "The answer is a 7" judges it.
        let is_contracted = link.is_some_and(of(class::THING));
        // "That is a 4": what is judged, or a pronoun alone.
        let is_pronoun = has_article && self.lead.iter().take(1).any(of(class::SUBJECT));
        let subject = lead.next();
        let is_of_thing = match subject {
            Some(noun) if noun.is(class::THING) => has_article,
            Some(pronoun) => is_pronoun && pronoun.is(class::SUBJECT),
            None => is_pronoun,
        };
        // "This is a 3: some relevant content.", "This answer is a 2, since it is short."
        let goes_on =
            |token: &&Token| !(token.is_mark(&[':', '\u{2014}']) || token.is(class::BECAUSE) && !token.is(class::PART));
        let said = next.iter().take_while(goes_on);
        // "It's an 8 from me.", "It's a seven for me."
        let ends = class::UNIT | OF_ALL | class::SELF;
        let is_for_judge = matches!(next, [part, own, ..] if part.is(class::PART) && own.is(class::SELF));
        let ends = said.skip(usize::from(is_for_judge)).all(|token| !token.is_word() || token.is(ends));
        is_linked && (is_of_thing || is_contracted && has_article) && ends
    }

    /// `A solid 8.`, `Un 7 pieno: buona sostanza`, `Mocna ósemka.`: whether a number with an article, or one that is a noun, and at
    /// most one adjective are all that a sentence says before its reason.
    pub(in crate::reading) fn is_noun_phrase(&self, is_opening: bool) -> bool {
        // "The model picked a number. A random 7." judges nothing.
        let is_adjective = |token: &Token| {
            token.is_bare() && is_opening || is_mere_fill(token) && !token.is(class::ANY | class::PARTIAL)
        };
        let ends = ['.', '!', ':', ';', '\u{2014}', '\u{2013}', '\u{3002}'];
        let is_figure = self.value().iter().any(of(class::FIGURE));
        // "Це дев'ятка", "Szerintem ez egy erős nyolcas"
        let leads = LAST | class::SELF | class::POLITE | class::SUBJECT | class::LINK | class::EMPHATIC | class::STRESS;
        let is_lead = |token: &Token| !token.is_word() || token.is(leads) && !token.is(class::ANY);
        let turn = self.before().iter().rposition(of(class::CONTRAST));
        let said = self.before().get(turn.map_or(0, |turn| turn + 1)..).unwrap_or_default();
        let (_, before) = split_lead(said, |token| is_lead(token) || turn.is_some() && is_mere_fill(token));
        let has_article = before.first().is_some_and(of(class::ANY));
        let described = match before.get(usize::from(has_article)..).unwrap_or_default() {
            [] => false,
            [adjective] if is_adjective(adjective) => true,
            _ => return false,
        };
        if !has_article && !is_figure {
            return false;
        }
        let next = self.next();
        let next = match next {
            [adjective, rest @ ..] if !described && is_adjective(adjective) => rest,
            next => next,
        };
        let (_, rest) = split_lead(next, of(class::SELF | class::FROM | class::PART));
        rest.first().is_none_or(|end| end.is_mark(&ends) || has_article && end.is_mark(&COMMAS))
    }

    pub(super) fn announcer_of_label(&self, is_label: &impl Fn(&Token) -> bool) -> Option<Announced> {
        // "勝者は回答Bです": where the verb ends the clause, the link stands behind.
        let is_linked_behind = self.sentence.is_verb_final() && self.is_before(class::LINK);
        let (mut is_linked, mut is_marked) = (is_linked_behind, false);
        let mut strangers = 0_usize;
        let (mut is_for, mut has_aspect) = (false, false);
        for (said, behind) in self.parted() {
            let Some((token, before)) = said.split_last() else { break };
            let distance = behind.len();
            if is_label(token) || token.is_mark(&[HEADED]) && says_something(behind) {
                break;
            }
            // "より良い回答はA" is a comparative of its own.
            let is_comparative = token.is_unspaced && token.is(class::BETTER);
            if token.is(class::THAN) && !is_comparative && distance <= 2 && strangers == 0 {
                let outdoes = self.outdoes(said, is_label);
                if outdoes.is_some() || !token.is(class::THAN_BEHIND) {
                    return outdoes.or_else(|| self.outdoes_subject(is_label));
                }
                break;
            }
            // "The weaker answer is A" names the loser, and "A loses to B" has it as its subject.
            if token.is(LOSES) && strangers <= 1 {
                return self.outdoes_as_object(said, behind, is_label);
            }
            // "The better answer is B" compares; "Answer B" is a name.
            let is_compared = before.last().is_some_and(of(class::BETTER | class::WORSE));
            let is_name = distance == 0 && token.is(class::THING | class::GIVE);
            has_aspect |= token.is(class::ASPECT);
            let is_noun = token.is(class::ANNOUNCE | class::WINNER) && !is_name
                || token.is(class::VAGUE) && is_linked && !is_compared
                || token.is(class::WHOLE);
            let is_won = token.is(class::WINNER) && is_for;
            if is_noun && (is_linked || distance == 0 || is_won) && strangers == 0 {
                // "The spelling of the answer is".
                if has_aspect && !self.says(class::WHOLE) {
                    return None;
                }
                // "My evaluation:" above "A's answer is" is a title.
                let is_title = || {
                    self.is_item() && !self.ends_behind()
                        || token.is(class::EVIDENCE) && self.is_owner()
                        || token.is(TITLE) && !self.says(class::FINAL) && self.opens_a_sentence(is_label)
                };
                // "Verdict: B is worse than A."
                if self.is_said_to_lose() || is_marked && is_title() {
                    break;
                }
                return Some(Announced { start: token.start, by: By::Noun });
            }
            if token.is(class::BETTER) && is_linked && strangers <= 1 {
                // "A did better: B has no numbers" says of both.
                if is_marked && before.iter().any(is_label) && !self.ends_behind() {
                    break;
                }
                // "Preferred response: B" is a line of its own.
                let by = if is_marked { By::Noun } else { By::Comparison };
                return Some(Announced { start: token.start, by });
            }
            if token.is(class::BETTER) && self.opens_with_better(before, behind) {
                return Some(Announced { start: token.start, by: By::Comparison });
            }
            if token.is(class::CHOOSE) && strangers <= usize::from(!is_marked) {
                // "Response A chose B."
                let subject = before.iter().rfind(|token| !is_mere_fill(token));
                if subject.is_some_and(|subject| is_label(subject) && !subject.is(class::SELF)) {
                    return None;
                }
                // "Choosing A is a mistake."
                if self.is_subject_of_a_verb() {
                    break;
                }
                return Some(Announced { start: token.start, by: By::Verb });
            }
            // "B, in tone and depth, outperforms A" has its subject before.
            // "they prefer B; for me A wins" begins anew.
            let all = self.before().iter().rev();
            let mut same = all.take_while(|token| !token.is(class::SELF | class::CONCLUDE | class::CONTRAST));
            // English has it there never: "The detail edges out A" names the loser.
            let is_english = token.entry.is_some_and(|entry| entry.shows(0));
            let is_subject_behind = token.is(class::WIN) && strangers == 0 && !is_english && !same.any(is_label);
            if is_subject_behind {
                return Some(Announced { start: token.start, by: By::Comparison });
            }
            match token.kind {
                Kind::Mark(_) if token.is_mark(&LINKS) || ends_tag(said) => {
                    (is_linked, is_marked) = (true, true);
                    strangers = strangers.saturating_sub(self.grade(behind)?);
                }
                Kind::Mark('<' | '>') => break,
                Kind::Mark('.' | '?' | '!' | ';') => return None,
                Kind::Mark(_) => {}
                // "I'd say so even if B failed."
                Kind::Word if token.is(class::CONCEDE) => return None,
                // "간결한 답변이며, B는": where the verb ends the clause, so does the link.
                Kind::Word if token.is(class::LINK) && self.sentence.is_verb_final() && !is_marked => break,
                // "Победитель не A": a denial may stand for the link.
                Kind::Word if token.is(class::LINK | class::DENY) => {
                    is_linked = true;
                    strangers = strangers.saturating_sub(self.grade(behind)?.min(1));
                }
                Kind::Word if token.is(class::PART) => is_for = true,
                // "The grade of the new question is": whose it is stands behind the noun.
                Kind::Word if token.is(class::OF) && is_linked => strangers = 0,
                // "The winner here is A."
                Kind::Word if token.is(class::ONWARD) && is_linked => {}
                _ => strangers += usize::from(token.is_unknown()),
            }
        }
        self.wins(is_label)
    }

    /// `Лучше ответ B.`, `Ritengo migliore la risposta B`: whether the winner ends the clause that the comparison opens, as
    /// it may where a copula is left out or stands first.
    fn opens_with_better(&self, before: &[Token], named: &[Token]) -> bool {
        let judge = class::SELF | class::DEEM | class::POLITE | class::SUBORDINATE;
        let opens = judge | TURNS | LAST | class::FILL | class::LINK | class::BOTH | class::EMPHATIC;
        named.iter().all(of(OWNED | class::FILL | class::DEEM | class::SELF))
            && before.iter().all(of(opens))
            && goes_no_further(self.next().first(), class::BECAUSE | class::THAN)
    }

    /// `A is clearly better`, `B wins`, `A\u{66f4}\u{597d}`: what is said of a label behind it.
    pub(in crate::reading) fn wins(&self, is_label: impl Fn(&Token) -> bool) -> Option<Announced> {
        let mut strangers = 0;
        // "I find A more helpful", "This level of detail makes A better."
        let is_told = self.lead.iter().filter(|token| token.is(class::DEEM)).count() > 1 && !self.says(class::SELF);
        let mut is_linked = self.says(class::SELF | class::EVIDENCE) && self.says(class::DEEM) && !is_told;
        let mut is_than = false;
        let tokens = self.next();
        let has = |classes: Classes| self.sentence.classes & classes != 0;
        if has(LOSES)
            && let Some(announced) = self.outdoes_subject(&is_label)
        {
            return Some(announced);
        }
        if self.is_standard(&is_label) {
            return None;
        }
        let is_cleft = self.is_cleft();
        if self.is_greater(&is_label) || has(class::TRUE) && self.is_right_alone(&is_label) {
            return Some(Announced { start: self.at, by: By::Comparison });
        }
        if self.is_it() {
            return Some(Announced { start: self.at, by: By::Verb });
        }
        let is_weighed = has(class::THAN) && has(class::QUALITY) && !has(LOSES | class::DENY);
        if !has(WINS) && !is_weighed {
            return None;
        }
        if self.fares_better(&is_label) {
            return Some(Announced { start: self.at, by: By::Comparison });
        }
        let resumed = self.resumed();
        is_linked |= resumed > 0;
        for at in resumed..tokens.len().min(resumed + 10) {
            let (said, [token, behind @ ..]) = tokens.split_at(at) else { break };
            let (before, next) = (said.last(), behind.first());
            // The one that it is compared with stands behind "than", or before it.
            let is_before_than = || {
                let than = self.behind_noun(at + 1, token.end).and_then(|at| tokens.get(at));
                than.is_some_and(of(class::THAN | class::THAN_BEHIND))
            };
            // "Response" of `Response B`.
            let is_noun = || next.is_some_and(&is_label);
            let is_outdone = || is_than || is_before_than() || is_linked && strangers == 0 && self.outdoes_before(at);
            if is_label(token) && (is_noun() || is_outdone()) {
                continue;
            }
            is_than |= token.is(class::THAN);
            if is_label(token) || token.is(NO_WIN) {
                return None;
            }
            // "C'est A qui suit le mieux la consigne."
            let near = if is_cleft { 2 } else { 0 };
            let is_touching = self.is_touched_by(token) || strangers <= near && !self.sentence.may_be_english;
            if is_cleft && self.is_part_of_cleft(at) {
                return None;
            }
            // "Response 1 is the correct answer."
            // Where the verb ends the clause, the copula stands behind: "A가 올바른 답변입니다".
            let is_right = token.is(class::TRUE)
                && next.is_some_and(of(class::THING))
                && (!self.sentence.is_verb_final() || behind.get(1).is_some_and(of(class::LINK)));
            // "A gives the better answer", "A answers the question better than B".
            let has_verb = said.iter().any(|token| !is_mere_fill(token));
            let is_compared = |next: &Token| {
                next.is(class::THAN | class::THING) || next.is(class::ANNOUNCE) && !next.is(class::CONCLUDE)
            };
            // "expects A to win", "A fails to beat B"
            if token.is(class::WIN) && !is_linked && before.is_some_and(of(class::RANGE)) {
                return None;
            }
            // "A receives a higher score" says it in one; "A gives a more accurate and complete answer".
            let is_said_so = has_verb
                && token.is(class::BETTER)
                && (token.is(class::ANNOUNCE) || behind_adjectives(behind).first().is_some_and(is_compared));
            let is_own = token.is(class::ANNOUNCE) && is_choice(said, token, behind, is_linked);
            // "B比A好": what is good beside another is better, where nothing else is said.
            let is_better_than = is_than
                && !has(LOSES | class::DENY)
                && token.is(class::QUALITY)
                && token.is_unspaced
                && !token.runs_on
                && words(self.before()).all(of(class::THING | class::FILL))
                && !behind.iter().any(Token::is_word);
            if token.is(class::WIN)
                || is_better_than
                || is_said_so
                || is_own
                || (is_right || token.is(class::BETTER | class::WINNER | class::CHOOSE)) && (is_linked || is_touching)
            {
                // "That makes A the winner of round one."
                let is_of_part = token.is(class::WINNER)
                    && next.is_some_and(of(class::OF | class::PART))
                    && behind.iter().take(4).any(|token| token.is_bare() || token.is(COUNTED | class::FORMER));
                if is_of_part || self.is_undone_behind(token, behind, is_linked, &is_label) {
                    return None;
                }
                let by = if token.is(class::CHOOSE) { By::Verb } else { By::Comparison };
                return Some(Announced { start: self.at, by });
            }
            match token.kind {
                Kind::Mark('"' | '\'' | ')' | ']' | '`' | '\u{201d}' | '\u{bb}') => {}
                // "B yanıtı, A yanıtına göre daha iyi": a topic may be set apart where the verb ends the clause.
                Kind::Mark(',' | '\u{3001}') if (self.sentence.is_verb_final() || is_cleft) && strangers == 0 => {}
                // "The second one, Response B, is better."
                Kind::Mark(',') if at == 0 && self.lead.last().is_some_and(|comma| comma.is_mark(&[','])) => {}
                Kind::Mark(_) | Kind::Number => return None,
                Kind::Word if token.is(class::LINK) => is_linked = true,
                // "A rõ ràng tốt hơn"
                Kind::Word => strangers += usize::from(token.is_unknown() && !token.is(class::EMPHATIC)),
            }
            if strangers > 3 {
                return None;
            }
        }
        None
    }

    /// `A fares better.`, `A s'en sort mieux`: whether all that is said of a label alone is that it does something better,
    /// whatever that is.
    fn fares_better(&self, is_label: impl Fn(&Token) -> bool) -> bool {
        let passes = |token: &Token| token.is_bare() || token.is_pronoun() || is_mere_fill(token);
        let (_, behind) = split_lead(self.next(), |token| passes(token) && !token.is(class::BETTER));
        let [better, rest @ ..] = behind else { return false };
        // "A and B do it better."
        let is_joined =
            matches!(self.before(), [.., other, join] if is_label(other) && join.is(class::JOIN | class::OR));
        better.is(class::BETTER) && goes_no_further(rest.first(), class::BECAUSE) && !is_joined
    }

    /// `A 6 is fair`, `I consider 4 the fitting score`, `a score of 6 is thus assigned`, `7 is my final answer`: whether what is
    /// said of a number is that it fits, that it is given or that it is the judge's own.
    pub(in crate::reading) fn is_found_fitting(&self) -> bool {
        let (fitting, own) = (class::FITTING, class::ANNOUNCE | class::VAGUE | class::FINAL);
        let passes = |token: &Token| {
            !token.is(fitting) && (is_mere_fill(token) || token.is(class::ABOUT | class::ANY | class::CONCLUDE))
        };
        let mut lead =
            self.lead.iter().rev().skip_while(|token| token.is(class::OF | class::ANNOUNCE) || is_mere_fill(token));
        let subject = lead.next();
        let is_deemed = self.says(class::SELF) && subject.is_some_and(of(class::DEEM));
        let (said, _) = split_lead(self.next(), Token::is_word);
        let (links, said) = split_lead(said, of(class::UNIT | class::LINK | class::REPORT));
        // "3 are right" counts, but "6 points are fair".
        if links.first().is_some_and(of(class::PLURAL)) {
            return false;
        }
        let is_linked = links.iter().any(of(class::LINK | class::REPORT));
        let (before, said) = split_lead(said, passes);
        // "6 is the right score", but "10 is the right number of steps"
        let has_article = before.iter().any(|token| is_mere_fill(token) && !token.is(class::ABOUT | class::EMPHATIC));
        // "A penalty of 2 is fair", "The value 10 is assigned"
        if subject.is_some_and(|noun| noun.is_bare() || noun.is(class::LOSE | class::VAGUE | class::COUNT)) {
            return false;
        }
        match said {
            [fits, noun @ ..] if fits.is(fitting) && (is_linked || is_deemed) => {
                let noun = noun.first();
                !has_article || noun.map_or(is_deemed, |noun| noun.is(class::ANNOUNCE) && !noun.is(class::UNIT))
            }
            [given, to @ ..] if given.is(class::GIVE) => is_linked && is_at_end(to),
            [judge, noun, ..] => is_linked && judge.is(class::SELF) && noun.is(own),
            _ => false,
        }
    }

    /// `8 is what I'd give it`, `8 is what this deserves`: whether a number is what the judge gives, or what is judged earns.
    pub(in crate::reading) fn is_what_is_given(&self) -> bool {
        let others = class::OTHER | class::DENY | class::COUNTERFACTUAL | class::PAST | class::IF | class::HEDGE;
        let (said, _) = split_lead(self.next(), |token| token.is_word() || token.is_mark(&COMMAS));
        let [link, rest @ ..] = said else { return false };
        let gives = |subject, verb| rest.iter().skip_while(|token| !token.is(subject)).any(of(verb));
        link.is(class::LINK)
            && !said.iter().any(of(others))
            && (gives(class::SELF, class::GIVE) || gives(class::THING, class::EARN))
    }

    /// `B answers the question, so it is the better choice`: where what is concluded of a label begins behind it.
    fn resumed(&self) -> usize {
        let is_concluded = |clause: &[Token]| {
            matches!(clause, [comma, so, it, ..] if comma.is_mark(&COMMAS)
                && so.is(class::CONCLUDE | class::DEEM)
                && it.is_pronoun())
        };
        self.next().windows(3).take(CLAUSE).position(is_concluded).map_or(0, |comma| comma + 2)
    }

    /// `A is correct, B is wrong.`: whether a label is called right and the only other one wrong, and nothing else is said.
    fn is_right_alone(&self, is_label: impl Fn(&Token) -> bool) -> bool {
        let passes = |token: &Token| is_mere_fill(token) || token.is(class::LINK | class::EMPHATIC | class::THING);
        let calls = |said: &[Token], classes: Classes| {
            let (links, said) = split_lead(said, |token| passes(token) && !is_label(token));
            links.iter().any(of(class::LINK)) && said.first().is_some_and(of(classes))
        };
        let next = self.next();
        let Some(other) = next.iter().position(&is_label) else { return false };
        let (own, rest) = next.split_at(other);
        let (_, wrong) = split_lead(rest, &is_label);
        let joins = class::JOIN | class::CONTRAST | class::CONCEDE | class::TRUE | class::FALSE;
        let is_mere = |token: &Token| !token.is_word() || token.is(joins) || passes(token);
        // "In step 2, A is correct" is of a part.
        let opens = class::THING | class::CONCLUDE | class::JOIN | class::EMPHATIC | OF_ALL;
        words(self.before()).all(|token| is_mere_fill(token) || token.is(opens))
            && calls(own, class::TRUE)
            && calls(wrong, class::FALSE)
            && own.iter().chain(wrong).all(|token| is_mere(token) && !token.is(class::PARTIAL))
    }

    /// `So, Response B it is.`, `8 it is.`
    pub(in crate::reading) fn is_it(&self) -> bool {
        let mut rest = self.next().iter();
        rest.next().is_some_and(|token| token.is(class::THING) && token.end <= token.start + 2)
            && rest.next().is_some_and(of(class::LINK))
            && goes_no_further(rest.next(), 0)
    }

    /// `Evaluation:` above `Assistant A provides`: whether more is said of a label, which is not that it wins.
    fn opens_a_sentence(&self, is_label: impl Fn(&Token) -> bool) -> bool {
        let ends = class::BECAUSE | class::PART | class::COMPLEMENT | OF_ALL | class::LINK;
        let next = self.next().iter().find(|token| !token.is(OWNED));
        // What the lexicon has not is no token where words are not parted.
        let behind = next.map_or(self.sentence.range.end, |next| next.start);
        let is_unknown = self.sentence.is_verb_final() && behind > self.end + '\u{b294}'.len_utf8();
        let is_said = is_unknown || next.is_some_and(|next| next.is_word() && !next.is(ends));
        let is_linked = next.is_some_and(of(class::LINK));
        (is_said || is_linked && self.is_conceded()) && self.wins(is_label).is_none()
    }

    /// `B is worse than A`: whether what follows a label says of it that it loses.
    fn is_said_to_lose(&self) -> bool {
        let mut said = self.next().iter().take_while(|token| token.is_word());
        said.any(of(LOSES))
    }

    /// `A is clearly weaker.`, `B is the worse of the two`, `A loses`: where that ends, if all that is said of a label is that it
    /// loses.
    pub(in crate::reading) fn loses_alone(&self, is_label: impl Fn(&Token) -> bool) -> Option<usize> {
        let passes = class::LINK | class::EMPHATIC | class::FILL | class::DEEM;
        let (before, said) = split_lead(self.next(), of(passes));
        let is_linked = before.iter().any(of(class::LINK));
        let (verb, behind) = said.split_first()?;
        let ends = OF_ALL | class::BOTH | class::EMPHATIC | class::THING | class::OF | class::FILL;
        let (names, behind) = split_lead(behind, of(ends));
        // "回答AはBに劣る" compares the two.
        let owner = self.lead.iter().rfind(|token| !is_mere_fill(token) && !token.is(class::THING));
        let is_all = !self.lead.iter().any(is_label)
            // "The conclusion of A is worse."
            && !owner.is_some_and(|of| of.is(class::OF))
            && (verb.is(class::WORSE) && (is_linked || self.is_touched_by(verb))
                || verb.is(class::LOSE) && before.is_empty())
            && behind.first().is_none_or(|end| end.is(class::BECAUSE) || !end.is_word() && !self.is_conceded());
        is_all.then(|| names.last().unwrap_or(verb).end)
    }

    /// Whether a label opens an item of a list below a heading.
    fn is_item(&self) -> bool {
        let mut behind = self.lead.iter().skip_while(|token| !token.is_mark(&[HEADED])).skip(1);
        behind.next().is_some_and(among(&['-', '\u{2022}']))
    }

    /// `Loser: B`, `The weaker response is B`: whether nothing but a noun for the loser, a link and what stands between
    /// leads up to a label.
    pub(in crate::reading) fn names_loser(&self) -> bool {
        let passes = class::FILL | class::THING | class::OF | class::BOTH;
        let link = self.lead.iter().rposition(links);
        let noun = self.lead.iter().position(of(LOSES));
        let is_mere = |token: &Token| !token.is_word() || token.is(passes) || token.is(LOSES);
        noun.zip(link).is_some_and(|(noun, link)| noun < link)
            && self.lead.iter().all(|token| is_mere(token) || links(token))
    }

    /// `Two of the claims are correct`, `80% correct`: whether a number says of how much a label is said.
    pub(in crate::reading) fn is_of_some(&self) -> bool {
        let is_some = |pair: &[Token]| matches!(pair, [number, of] if is_number(number) && of.is(class::OF));
        let is_share = self.lead.last().is_some_and(|last| last.kind == Kind::Number || last.is_mark(&['%']));
        is_share || self.lead.windows(2).any(is_some)
    }

    /// `The claim is false`: whether a label is said of what is judged, with nothing behind it.
    pub(in crate::reading) fn is_predicate_label(&self) -> bool {
        if self.is_deemed() {
            return true;
        }
        let mut lead = self.lead.iter().rev().filter(|token| !is_mere_fill(token)).peekable();
        // "The answer is considered correct."
        lead.next_if(of(class::DEEM | class::CHOOSES | class::CHOOSE | class::GIVES | class::GIVE));
        let link = lead.next();
        let is_linked = link.is_some_and(of(class::LINK));
        // "It cannot be called correct."
        lead.next_if(of(class::DENY));
        // "It's a PASS": the link is the thing too.
        let subject = lead.next();
        let is_of_thing = link.is_some_and(of(class::THING)) || subject.is_some_and(of(class::THING));
        // "The restaurant in the review was good": the noun before it is what is spoken of.
        let others = class::OF | class::PART | class::FORMER | class::LATTER;
        let is_of = |noun: &Token, before: &Token| before.is(others) || is_one_of_several(noun, before);
        let is_main_noun = !subject.zip(lead.clone().next()).is_some_and(|(noun, before)| is_of(noun, before));
        // It is the main clause, and under no condition, and all is spoken of: "Parts of it are correct" says less.
        let is_main = lead.all(|token| !token.is(class::LINK | class::REPORT | class::ASPECT | class::PARTIAL));
        let goes_on = class::BECAUSE | class::SELF | class::COMPLEMENT;
        // "This is a neutral statement."
        let has_noun = self.is_behind(class::ANY) && self.is_before(class::THING);
        is_linked
            && is_of_thing
            && is_main_noun
            && is_main
            && goes_no_further(self.next().get(usize::from(has_noun)), goes_on)
    }

    /// `I find it correct`, `One can't call this correct`: whether the judge calls what is judged so, or it is denied that one can.
    fn is_deemed(&self) -> bool {
        let Some(verb) = self.lead.iter().rposition(of(class::DEEM)) else { return false };
        let (before, object) = self.lead.split_at(verb);
        let known = class::SELF | class::DENY | class::THING | class::SUBJECT | class::EMPHATIC | class::CONDITIONAL;
        let is_mere = |token: &Token| token.is(known) || is_mere_fill(token) || !token.is_word();
        let mut object = object.iter().skip(1);
        self.says(class::SELF | class::DENY)
            && before.iter().all(is_mere)
            && object.clone().any(of(class::THING | class::SUBJECT))
            && object.all(of(class::THING | class::SUBJECT | class::FILL))
            && goes_no_further(self.next().first(), class::BECAUSE)
    }

    /// `Correct answer: no`, `Student answer: yes`: whether the words before a value say whose answer it is.
    pub(in crate::reading) fn is_anothers_answer(&self) -> bool {
        let [lead @ .., whose, noun, _] = self.lead.as_ref() else { return false };
        let others = class::TRUE | class::THING | class::GIVE | class::OTHER;
        // "Die Antwort des Schülers lautet: Nein"
        let owner = [noun, whose].into_iter().find(|token| !token.is(class::LINK));
        let is_owned = owner.is_some_and(of(class::ROLE)) && lead.iter().any(of(class::VAGUE));
        noun.is(class::VAGUE) && whose.is(others) || is_owned
    }

    /// `It's a tie between Assistant 1 and Assistant 2.`: whether nothing follows a tie but the names of two candidates.
    pub(in crate::reading) fn is_tie_of_all(&self) -> bool {
        let mut next = self.next().iter();
        let names = class::THING | class::UNTIL | class::JOIN | class::BOTH;
        next.next().is_some_and(of(class::FROM))
            && next.clone().any(of(class::UNTIL | class::JOIN))
            && next.all(|token| !token.is_word() || token.is(names) || token.end <= token.start + 1)
    }

    /// `Is the answer correct?`: whether what is judged stands before a label in a question.
    pub(in crate::reading) fn asks_of_what_is_judged(&self) -> bool {
        self.before().iter().any(of(class::THING))
    }

    /// `So it's B.`, `..., hence a 3`: whether nothing but a word that concludes leads up to a value that ends its clause.
    ///
    /// Given is whether a mark stands between the two. A word that stresses may open the reply: `Definitely B.`
    pub(in crate::reading) fn bare_conclusion(&self, may_be_stressed: bool) -> Option<bool> {
        let marks =
            [',', ':', '*', '"', '[', HEADED, '\u{2014}', '\u{2013}', '\u{ff1a}', '\u{ff0c}', '\u{3001}', '\u{60c}'];
        let is_link =
            |token: &&Token| token.is(class::LINK | class::FILL | class::THING | class::UNIT) || token.is_mark(&marks);
        let mut lead = self.before().iter().rev().skip_while(is_link);
        let ends = ['.', '!', ';', '*', '"', ')', ']', '\u{3002}', '\u{ff01}'];
        let mut next = self.next().iter().skip_while(of(class::UNIT | AWARDS | class::WHOLE | class::LINK));
        // Without a stop, "Therefore, Output (b)" may go on.
        let is_marked = self.before().iter().any(among(&[':', '\u{ff1a}', HEADED]));
        // "On balance, B", but "in total, 6 errors".
        // "Není dokonalá, ale pořád je to osmička.", "Not perfect, but still an 8."
        // "Sans hésiter, la deuxième.", "断然Aです"
        let stresses = if may_be_stressed { class::EMPHATIC | class::STRESS | class::POLITE } else { 0 };
        let turns = if self.is_number() { class::CONTRAST } else { class::WHOLE };
        let concluding = class::CONCLUDE | class::FINAL | turns | stresses;
        let concludes = lead.next().is_some_and(of(concluding));
        // "The conclusion a 3" names a part, and "The version is now 7" says it of something else.
        let names = |before: &Token| is_mere_fill(before) || before.is(class::LINK);
        let is_noun = lead.next().is_some_and(names);
        let is_bare = concludes && !is_noun && next.next().map_or(is_marked, |token| token.is_mark(&ends));
        is_bare.then_some(is_marked)
    }

    /// `A no from me.`, `So B for me.`: whether a sentence is a value of the judge's.
    pub(in crate::reading) fn is_from_the_judge(&self) -> bool {
        let mere = |token: &Token| token.is(class::CONCLUDE | class::FINAL | class::ANY) || is_mere_fill(token);
        let said: Vec<&Token> = words(self.next()).take(3).collect();
        let is_own = match said.as_slice() {
            [me] => me.is(class::SELF),
            [from, me] => from.is(class::FROM | class::PART | class::COMPLEMENT) && me.is_judge(),
            _ => false,
        };
        is_own && self.next().first().is_some_and(Token::is_word) && self.before().iter().all(mere)
    }

    /// `I see it differently: B.`: whether a sentence ends with a value that the judge leads up to.
    pub(in crate::reading) fn is_own_end(&self) -> bool {
        let before = self.before();
        let is_colon = before.last().is_some_and(among(&COLONS));
        // "Readers prefer A; I, B": the judge, and the verb of the others.
        let is_elliptical = matches!(before, [.., judge, comma] if judge.is(class::SELF) && comma.is_mark(&[',']))
            && before.iter().any(of(class::CHOOSES | class::CHOOSE | class::GIVES | class::OTHER));
        (is_colon || is_elliptical)
            && before.iter().any(of(class::SELF))
            && self.next().iter().all(|token| !token.is_word() || token.is(class::UNIT))
    }

    /// `Harmful: No`, `Sentiment: negative`: whether a few words and a mark stand before a value on its line.
    pub(in crate::reading) fn is_named_line(&self) -> bool {
        let link = self.lead.iter().rposition(Token::is_word).map_or(0, |at| at + 1);
        let (name, marks) = self.lead.split_at(link);
        let is_mark = |token: &Token| token.is_mark(&[':', '=']);
        let words = words(name).count();
        let says =
            class::REPORT | class::OTHER | class::EXAMPLE | class::INSTRUCT | class::WISH | class::IF | class::LOSE;
        (1..=5).contains(&words)
            && marks.iter().any(is_mark)
            && !name.iter().any(|token| token.is(says) || token.is_mark(&[',', '.', '?', HEADED]))
            && !self.is_line_of_one()
    }

    /// `Assistant A > Assistant B`, with nothing else in the clause.
    pub(super) fn is_greater(&self, is_label: impl Fn(&Token) -> bool) -> bool {
        let mut next = self.next().iter().filter(|token| !token.is(class::THING | class::FILL) || is_label(token));
        // "A >> B" is much better.
        next.next().is_some_and(among(&['>']))
            && next.find(|token| !token.is_mark(&['>'])).is_some_and(&is_label)
            && next.all(|token| token.is_mark(&['.', '*', '"']) || is_label(token))
            && !self.lead.iter().any(|token| is_label(token) || token.is_mark(&['<', '>']))
    }
}

/// Whether a copula or a mark links a value to what announces it.
fn links(token: &Token) -> bool {
    token.is(class::LINK) || token.is_mark(&LINKS)
}

/// `<nota>`: whether a mark ends a tag of one word.
fn ends_tag(said: &[Token]) -> bool {
    let [.., open, noun, close] = said else { return false };
    open.is_mark(&['<']) && close.is_mark(&['>']) && noun.end == close.start
}

/// Whether tokens are more than an article and the noun that it names.
fn says_something(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| token.is_word() && !token.is(class::FILL | class::ABOUT | class::THING))
}

/// `von 1 bis 10`: whether a number is an end of a range, by what stands before it and behind it.
fn is_end_of_scale(before: &[Token], behind: &[Token]) -> bool {
    let joins = |word: &Token| word.is(class::RANGE | class::UNTIL) || word.is_mark(&['-', '\u{2013}']);
    matches!(behind, [word, end, ..] if joins(word) && is_number(end))
        || matches!(before, [.., end, word] if joins(word) && is_number(end))
}

/// `to the response`: whether nothing but what is judged, which an article or a pronoun shows, and a reason follow a verb.
fn is_at_end(behind: &[Token]) -> bool {
    let is_article = |token: &Token| is_mere_fill(token) && !token.is(class::ANY);
    let judged = match behind {
        [to, shown, ..] if to.is(class::INTO) && (is_article(shown) || shown.is(class::SUBJECT)) => {
            behind.iter().skip(1).take_while(|token| token.is(class::THING) || is_article(token)).count() + 1
        }
        _ => 0,
    };
    behind.get(judged).is_none_or(|end| end.is(class::BECAUSE) && !end.is(class::PART))
}
