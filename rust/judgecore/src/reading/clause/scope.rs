//! Of what a value is: of all that is judged or a part, of something else, or somebody else's.

use super::announcement::{Announced, By};
use super::{
    COMMAS, Clause, VERBISH, VERDICT, goes_no_further, is_mere_fill, is_number, is_one_of_several, without_asides,
};
use crate::lexicon::{self as class, Classes};
use crate::reading::sentence::BEHIND_NUMBER;
use crate::reading::token::{AWARDS, COLONS, COUNTED, HEADED, Kind, LAST, OF_ALL, Token, among, of, split_lead, words};
use crate::reading::told::Top;

/// Of what a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::reading) enum Scope {
    /// What is judged: nothing tells of anything else.
    Own,
    /// The same, in so many words: `overall`.
    Whole,
    /// A criterion gives the value its name: `Style score: 8`.
    Named,
    /// Perhaps a part: something unknown, where a part would stand.
    Unclear,
    /// One criterion or part.
    Part,
    /// One of two that are given to two: `7 for the first, 3 for the second`.
    Shared,
    /// Something that is not judged: `The year was 99`.
    Thing,
    /// Somebody else, or others: `Experts had A > B`.
    Person,
    /// How many of something, or by how much.
    Count,
}

impl Scope {
    /// Whether it is no verdict of the judge's on all that is judged, however it is announced.
    pub(in crate::reading) fn is_else(self) -> bool {
        matches!(self, Self::Part | Self::Shared | Self::Person | Self::Count)
    }
}

/// What a phrase speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Subject {
    Nothing,
    Judged,
    Whole,
    Criterion,
    Person,
}

/// What says that a value is the verdict, or takes the place of another.
const OWN: Classes = VERDICT | class::CORRECT;

/// What a number may stand before that counts nothing.
const FREE: Classes = BEHIND_NUMBER
    | class::FILL
    | class::FINAL
    | class::HEDGE
    | class::MEANS
    | class::ONWARD
    | class::DENY
    | class::STRESS
    | class::EMPHATIC;

/// The length of the longest letter or Roman numeral in brackets, in bytes.
const NUMERAL: usize = 3;

impl Subject {
    /// Its words, in whatever order a language puts them.
    fn of<'t>(tokens: impl Iterator<Item = &'t Token>) -> Self {
        let said = tokens.filter(|token| token.is_word() && !is_mere_fill(token));
        let classes = said.fold(0, |classes, token| classes | token.classes);
        let kinds = [
            (OF_ALL, Self::Whole),
            (class::SELF, Self::Judged),
            (class::OTHER, Self::Person),
            (class::ASPECT, Self::Criterion),
        ];
        kinds.into_iter().find(|(kind, _)| classes & kind != 0).map_or(Self::Nothing, |(_, subject)| subject)
    }
}

impl Clause<'_> {
    /// Of what the value is that something announces, or nothing: by what opens its sentence, by what stands before it and
    /// by what follows. Other values of the sentence are told by `is_value`.
    pub(in crate::reading) fn scope(&self, announced: Option<Announced>, is_value: impl Fn(&Token) -> bool) -> Scope {
        let by = announced.map(|announced| announced.by);
        let is_number = self.is_number();
        if is_number && self.is_count() {
            return Scope::Count;
        }
        if !is_number && self.yields(&is_value) {
            return Scope::Part;
        }
        if self.is_shared(by, is_value) {
            return Scope::Shared;
        }
        if self.is_line_of_one() {
            return Scope::Part;
        }
        let opening = self.opening();
        // "For the user, A is better" is the judge's.
        let is_benefit = self.adjunct().first().is_some_and(of(class::BECAUSE | class::COMPLEMENT));
        if opening == Subject::Person && !is_benefit || by.is_none() && self.says(class::OTHER) && !self.says(OWN) {
            return Scope::Person;
        }
        if self.shares_others_subject() {
            return Scope::Person;
        }
        let is_whole =
            self.sentence.slice(self.start..self.first).iter().any(of(class::WHOLE)) || opening == Subject::Whole;
        if !is_whole && opening == Subject::Criterion {
            return Scope::Part;
        }
        let scope = if is_number { self.scope_of_number(by, is_whole) } else { self.scope_of_label(by) };
        match scope {
            Scope::Own if is_whole => Scope::Whole,
            scope => scope,
        }
    }

    /// `Step 2: wrong.`, `The first step: 3`, `Sections 1 to 6: safe`: whether one of several of its kind, or some of them, lead
    /// up to the value.
    pub(super) fn is_line_of_one(&self) -> bool {
        let lead = without_asides(self.before().rsplit(among(&[HEADED])).next().unwrap_or_default());
        let mut lead = lead.iter().rev().filter(|token| !is_mere_fill(token)).peekable();
        lead.next();
        let joins = class::RANGE | class::UNTIL | class::JOIN;
        let passes = |token: &&Token| is_number(token) || token.is(joins) || token.is_mark(&['-', '\u{2013}', ',']);
        let last = std::iter::from_fn(|| lead.next_if(passes)).last();
        let noun = lead.next();
        let is_one = match last {
            Some(number) => noun.is_some_and(|noun| is_one_of_several(number, noun) && !noun.is(class::SCALE)),
            None => noun.zip(lead.next()).is_some_and(|(noun, before)| is_one_of_several(noun, before)),
        };
        is_one && lead.next().is_none_or(|token| token.is_bare() || token.is(class::JOIN))
    }

    /// `The client wanted more and rated it 3`: whether a verb without a subject goes on with what others do.
    fn shares_others_subject(&self) -> bool {
        let (before, clause) = self.sentence.tokens.split_at(self.start.min(self.first));
        let is_verb = clause.first().is_some_and(of(class::GIVE | class::GIVES | class::CHOOSE | class::CHOOSES));
        // "My colleague", but "the user's needs"
        let mut subject =
            before.iter().take_while(|token| token.is_word() && !token.is(VERBISH & !class::SELF)).take(3);
        is_verb
            && before.last().is_some_and(of(class::JOIN))
            && subject.clone().any(of(class::OTHER))
            && !subject.any(of(class::THING | class::ANNOUNCE))
    }

    pub(super) fn is_number(&self) -> bool {
        self.opener().is_some_and(is_number)
    }

    /// The words that open the sentence and govern the value, `For style alone, A`.
    pub(super) fn adjunct(&self) -> &[Token] {
        let lead = self.before();
        let end = lead.iter().position(|token| token.is_mark(&COMMAS) || token.is_mark(&[':', '\u{ff1a}', HEADED]));
        let verb = || lead.iter().skip(1).position(of(VERBISH)).filter(|_| is_opened(lead));
        let length = end.or_else(|| verb().map(|verb| verb + 1)).unwrap_or(lead.len());
        // "For depth, tone and style, A wins": another clause between the two has a verb, or is set against it.
        let adjunct = lead.get(..length.max(self.start.saturating_sub(1))).unwrap_or(lead);
        let parts = |(at, token): (usize, &Token)| {
            // "Turn 1 only"
            let is_index = || at.checked_sub(1).and_then(|at| lead.get(at)).is_some_and(of(COUNTED));
            let is_turn = token.is(class::CONTRAST) || token.kind == Kind::Number && !is_index();
            is_turn || at >= length && token.is(VERBISH | class::CONCLUDE)
        };
        let before = lead.get(..adjunct.len().max(self.start)).unwrap_or(adjunct);
        if before.iter().enumerate().any(parts) { &[] } else { adjunct }
    }

    /// What the words that open the sentence limit the value to.
    fn opening(&self) -> Subject {
        let adjunct = self.adjunct();
        let subject = Subject::of(adjunct.iter());
        let is_colon = self.sentence.tokens.get(adjunct.len()).is_some_and(among(&COLONS));
        // "Stilistisch ist A", "\u{6587}\u{4f53}\u{3067}\u{306f}": a criterion, and nothing else. "Coherence: 4" names it.
        let mere = class::ASPECT | class::PART | class::PARTIAL | class::LINK | class::JOIN | class::THING;
        let is_mere = |token: &Token| !token.is_word() || token.is(mere) || is_mere_fill(token);
        let is_name = is_colon && self.is_number();
        let is_bare = || subject == Subject::Criterion && !is_name && adjunct.iter().all(is_mere);
        // "For the first message alone, 5.", "Rating of the first turn only: 6"
        let phrase: Vec<&Token> = words(adjunct.split(among(&COMMAS)).next().unwrap_or_default()).collect();
        let parts = COUNTED | class::FORMER | class::LATTER | class::ASPECT;
        let is_part = |token: &&Token| token.is(parts) && !token.is(class::THING);
        // "Only the second answer: [[B]]" names a candidate, and "Answers the first part only: 5" has a verb.
        let is_named = |token: &Token| token.is(mere | parts) || is_mere_fill(token) || is_number(token);
        let is_led =
            matches!(phrase.as_slice(), [name, of, ..] if name.is(class::ANNOUNCE) && of.is(class::OF | class::PART));
        let opens =
            phrase.first().is_some_and(of(class::PARTIAL)) && !phrase.iter().any(of(class::THING | class::ANNOUNCE));
        let closes = phrase.last().is_some_and(of(class::PARTIAL));
        let is_limited = subject != Subject::Whole
            && (opens || closes)
            && phrase.iter().any(is_part)
            && (is_opened(adjunct)
                || phrase.iter().skip(usize::from(is_led)).all(|token| is_named(token) || token.is(class::OF)));
        if is_limited {
            Subject::Criterion
        } else if is_opened(adjunct) || is_bare() {
            subject
        } else {
            Subject::Nothing
        }
    }

    /// Whether a preposition among some tokens limits a value to a criterion or to one of several, `on style`, but for one that
    /// may give a reason, `for its style`.
    fn is_limiting(tokens: &[Token]) -> bool {
        // "on the first question", "response to the second one"
        let is_ordinal = |token: &Token| token.is(class::FORMER | class::LATTER);
        let is_limit = |token: &Token| token.is(class::PART) && !token.is(class::THAN | class::BECAUSE);
        let mut phrases = tokens.iter().enumerate().filter(|(_, token)| is_limit(token) || token.is(class::RANGE));
        phrases.any(|(at, token)| {
            let noun = tokens.iter().skip(at + 1).find(|token| !is_mere_fill(token));
            noun.is_some_and(is_ordinal) || is_limit(token) && Subject::of(noun.into_iter()) == Subject::Criterion
        })
    }

    /// `[[A]] for style`: whether a preposition and a criterion follow a value.
    pub(in crate::reading) fn is_for_a_criterion(&self) -> bool {
        Subject::of(self.limit_behind().into_iter()) == Subject::Criterion
    }

    /// What stands right behind the value and its unit, with a preposition.
    fn limit_behind(&self) -> Option<&Token> {
        let is_passed =
            |token: &&Token| token.is_mark(&[']', ')', '"', '*']) || token.is(class::UNIT) || is_mere_fill(token);
        let mut next = self.next().iter().skip_while(is_passed);
        next.next().filter(|word| word.is(class::PART)).and_then(|_| next.find(|token| !is_mere_fill(token)))
    }

    /// Of what a number is, by what stands before it and behind it.
    fn scope_of_number(&self, by: Option<By>, is_whole: bool) -> Scope {
        let has_criterion = self.says(class::ASPECT) && !is_whole;
        // "For style alone: 8", but "Score for style: 8".
        if has_criterion && self.says(class::PARTIAL) {
            return Scope::Part;
        }
        let is_part_behind = self.is_for_a_criterion();
        match by {
            Some(By::Noun) if self.is_complement() => Scope::Unclear,
            Some(By::Noun) if has_criterion => Scope::Named,
            Some(By::Noun) => Scope::Own,
            Some(_) => {
                // "I'd give the humour a 9", "The introduction deserves a 4", "It scores 4 on grammar".
                let is_part = self.says(class::ASPECT) || is_part_behind;
                // "The best response in the batch got a 9."
                let is_elsewhere = self.earner_is_elsewhere()
                    || self.before_last(class::EARN).iter().any(of(class::BETTER | class::WORSE));
                if self.earner_is_a_part() || is_part && !is_whole {
                    Scope::Part
                } else if is_elsewhere || self.is_counting() || self.is_subject_of_a_verb() {
                    Scope::Thing
                } else {
                    Scope::Own
                }
            }
            None if is_part_behind => Scope::Part,
            None if self.is_of_another_thing() => Scope::Thing,
            None if has_criterion && self.says(class::ANNOUNCE) => Scope::Named,
            None if self.is_named() => Scope::Unclear,
            None => Scope::Own,
        }
    }

    /// Of what a label is said, by what stands before it and behind it.
    fn scope_of_label(&self, by: Option<By>) -> Scope {
        if self.owns_a_part() || by.is_none() && self.is_of_one_of_two() {
            return Scope::Part;
        }
        // A reason speaks of parts: "A is better because it is friendlier in tone".
        let is_reason = |token: &Token| token.is(class::BECAUSE) && !token.is(class::PART);
        let behind = self.next().split(is_reason).next().unwrap_or(&[]);
        let is_whole = self.lead.iter().chain(behind).any(of(OF_ALL));
        let is_limited = !is_whole && (Self::is_limiting(behind) || Self::is_limiting(&self.lead));
        // "A wins the style category.", "A wins points for style", "A wins no prize"
        let won = class::ASPECT | class::UNIT | class::DENY | class::NONE | class::ABOUT;
        let mut words = behind.iter().filter(|token| !is_mere_fill(token));
        let is_won = words.next().is_some_and(of(class::WIN)) && words.next().is_some_and(of(won));
        // "A is better left unread", "A is better only at first": what follows at once is what it is better at.
        let is_narrowed = behind.windows(3).any(|words| {
            let [link, better, what] = words else { return false };
            let is_what = what.is(class::PARTIAL) || what.is_bare() && !better.is(class::THAN);
            link.is(class::LINK) && better.is(class::BETTER) && is_what
        });
        // "A is better, but only for beginners.", "A is better for beginners only."
        let limits = |words: &[Token]| {
            matches!(words, [but, only, of_what]
                if but.is(class::CONTRAST) && only.is(class::PARTIAL) && of_what.is(class::PART))
        };
        let clause = behind.split(among(&[';'])).next().unwrap_or_default();
        let last = clause.iter().rfind(|token| token.is_word());
        let is_narrowed = is_narrowed
            || clause.windows(3).any(limits)
            || last.is_some_and(of(class::PARTIAL))
                && clause.iter().any(of(class::PART))
                && !clause.iter().any(of(class::DENY));
        let has_criterion = self.says(class::ASPECT) && !self.says(LAST);
        match by {
            Some(By::Comparison) if self.is_limited_before() => Scope::Part,
            _ if is_won || is_narrowed || is_limited => Scope::Part,
            Some(By::Comparison) if self.is_conceded() => Scope::Unclear,
            None if has_criterion || self.is_named() => Scope::Unclear,
            _ => Scope::Own,
        }
    }

    /// `첫 번째 질문에서는 A가`: whether what limits a label stands right before it, where words are not parted.
    fn is_limited_before(&self) -> bool {
        let part = self.lead.iter().rfind(|token| !token.is(class::THING | class::OF));
        self.sentence.is_verb_final() && part.is_some_and(|part| part.is_unspaced && part.is(class::PART))
    }

    /// `The film in the review got 7/10`, `The film got 7/10 on IMDb`: whether what earns a number is something unknown within what
    /// is judged, or at some place.
    fn earner_is_elsewhere(&self) -> bool {
        let subject = self.before_last(class::EARN);
        let part = subject.iter().position(of(class::PART)).unwrap_or(subject.len());
        let (noun, place) = subject.split_at(part);
        noun.last().is_some_and(Token::is_bare)
            && noun.iter().all(|token| token.is_bare() || is_mere_fill(token))
            && match place.last() {
                Some(place) => place.is(class::THING),
                None => self.limit_behind().is_some_and(Token::is_bare),
            }
    }

    /// `- up to 4 for facts: got 3`, `The terms alone would deserve a 9`: whether what earns a number is a part.
    fn earner_is_a_part(&self) -> bool {
        let subject = self.before_last(class::EARN);
        let end = subject.iter().rposition(|token| !token.is(class::CONDITIONAL)).map_or(0, |at| at + 1);
        let Some((noun, before)) = subject.split_at(end).0.split_last() else { return false };
        let is_item = self.sentence.tokens.first().is_some_and(among(&['-', '*']));
        let says = |classes: Classes| before.iter().any(of(classes));
        // "The answer alone deserves an 8", "This alone earns it a 7"
        let own = class::THING | class::SUBJECT | class::SELF | class::WHOLE | class::DEMONSTRATIVE;
        is_item && noun.is_mark(&COLONS) && !says(OWN | class::THING | class::SELF | OF_ALL)
            || noun.is(class::PARTIAL) && !says(own)
    }

    /// `My confidence in this judgement: 90`: whether what announces a number only says more of another noun.
    fn is_complement(&self) -> bool {
        let before = self.before_last(class::ANNOUNCE).iter();
        let mut words = before.rev().filter(|token| token.is_word() && !token.is(class::THING));
        words.next().is_some_and(of(class::PART)) && words.next().is_some_and(Token::is_unknown)
    }

    /// `Accuracy: 9/10`, `Imagery: A > B`, `Accuracy (9/10): one date is off`: whether a name that is none of a verdict's
    /// stands before a value and a mark.
    fn is_named(&self) -> bool {
        let marks = [':', '\u{ff1a}', '=', '|', '-', '\u{2013}', '\u{2014}'];
        let announces =
            AWARDS | if self.is_number() { OWN & !(class::VAGUE | class::WINNER | class::BETTER) } else { OWN };
        let says = |name: &[Token]| name.iter().any(Token::is_word) && !name.iter().any(of(announces));
        let link = self.lead.iter().rposition(among(&marks));
        link.and_then(|link| self.lead.get(..link)).is_some_and(says)
    }

    /// Whether a number is said of something that is not judged: it counts, or another noun stands before the verb.
    fn is_of_another_thing(&self) -> bool {
        // "a 7/10 response"
        let is_fraction = self.behind > self.first + 1;
        let is_before_thing = is_fraction && self.is_before(class::THING);
        let judged = VERDICT | class::THING;
        let mut lead = self.lead.iter().rev().filter(|token| !is_mere_fill(token));
        // "The year was 99"
        let is_said = lead.next().is_some_and(|token| token.is(class::LINK) && !token.is(judged))
            && lead.next().is_some_and(|token| token.kind == Kind::Word && !token.is(judged));
        // "the answer to the riddle is"
        let is_answer = self.says(class::VAGUE) && !self.says(class::SELF | class::ANNOUNCE) && !self.is_predicate();
        // "A decent answer (6/10)."
        let is_aside = is_fraction && self.before().last().is_some_and(among(&['(']));
        // "Facts 3/10, style 4/10."
        let is_of_a_part = self.is_behind(class::ASPECT);
        self.is_counting() && !is_before_thing || is_said && !is_fraction || is_answer && !is_aside || is_of_a_part
    }

    /// Whether a number counts some of many, or says what was lost or how far something is from another.
    fn is_count(&self) -> bool {
        self.is_difference() || self.is_counted_among() || self.counts_below_a_heading() || self.counts_people()
    }

    /// Whether the value is one of two that are given to two.
    fn is_shared(&self, by: Option<By>, is_value: impl Fn(&Token) -> bool) -> bool {
        if self.is_number() {
            return self.is_shared_out()
                || self.is_shared_before()
                || self.is_in_a_row_of_cells()
                || self.is_of_a_letter()
                || by.is_none() && self.is_second_of_a_list()
                || by.is_some() && self.has_rival_number();
        }
        by == Some(By::Comparison) && self.shares_parts(is_value)
    }
    /// `10点満点中8点`, `满分10分`: whether a number is the highest there is.
    pub(in crate::reading) fn is_top(&self) -> bool {
        // "Eight (8) out of ten (10)": a number in brackets stands for the word before them.
        let is_bracket = |token: &&Token| token.is_mark(&['(', ')']);
        let mut lead = self.before().iter().rev().peekable();
        let is_open = lead.next_if(is_bracket).is_some();
        lead.next_if(|word| is_open && word.number.is_some());
        // "two points of the five"
        let mut lead = lead.filter(|token| !is_open || !is_bracket(token)).skip_while(|token| is_mere_fill(token));
        let (before, earlier) = (lead.next(), lead.next());
        let is_near = |token: &Token| token.is(class::TOP);
        let told = self.sentence.top.map(|top| top.at);
        // "vier Punkte von 5"
        let counted = if earlier.is_some_and(of(class::UNIT)) { lead.next() } else { earlier };
        let is_behind_number = counted.is_some_and(is_number);
        // "It ranks 2nd of 5."
        let opens = earlier.is_none() && before.is_some_and(|over| over.is(class::OVER) && !over.is(class::OF));
        let is_total = opens || is_behind_number && before.is_some_and(of(class::OF | class::OVER));
        is_total
            || told.is_some() && self.value().iter().rfind(|token| is_number(token)).map(|token| token.start) == told
            || self.next().iter().take(2).take_while(|token| token.is_word()).any(is_near)
    }

    /// The highest score that the sentence or the heads of its table tell.
    pub(in crate::reading) fn told_top(&self) -> Option<Top> {
        self.sentence.top
    }

    /// `7/10 tests pass`, `8 out of 10 sure`: whether something else is counted or measured.
    fn is_counting(&self) -> bool {
        // "4 van 10 criteria"
        let is_english = self.sentence.may_be_english;
        let counts = |noun: &Token| if is_english { !noun.is(FREE) } else { noun.is(class::ASPECT) };
        self.follower().is_some_and(|noun| !noun.is_unspaced && counts(noun))
    }

    /// The word right behind a value.
    fn follower(&self) -> Option<&Token> {
        self.next().first().filter(|next| next.kind == Kind::Word && next.start <= self.end + 1)
    }

    /// Whether nothing that could be counted stands behind a number.
    pub(super) fn ends_behind(&self) -> bool {
        let touches = |token: &Token| token.start <= self.end + usize::from(!token.is_unspaced);
        self.next().first().is_none_or(|token| !token.is_word() || token.is(FREE) && touches(token))
    }

    /// `3 of the 5 claims hold`: whether a number says how many of more there are.
    fn is_counted_among(&self) -> bool {
        let mut next = self.next().iter().filter(|token| !is_mere_fill(token));
        next.next().is_some_and(of(class::OF))
            && next.next().is_some_and(is_number)
            && next.next().is_some_and(|token| token.kind == Kind::Word && !token.is(BEHIND_NUMBER))
    }

    /// `8 из 10 читателей`: whether a noun that is no unit follows a number, words and the number of all.
    fn counts_people(&self) -> bool {
        let inside = self.value();
        !self.sentence.may_be_english
            && inside.iter().any(|token| token.kind == Kind::Word)
            && self.follower().is_some_and(|noun| noun.is_bare() || noun.is(class::OTHER))
    }

    /// `2 points deducted`: whether a number is what was lost.
    fn is_difference(&self) -> bool {
        let mut next = self.next().iter().filter(|token| !token.is(class::UNIT | class::LINK) && !is_mere_fill(token));
        // "3 points above average", "0.8 lower than"
        let is_difference = |token: &Token| {
            token.is(class::LOSE) || token.is(class::BOUND) && !token.is(class::BOUND_BEHIND | class::OVER)
        };
        let is_compared = next.clone().next().is_some_and(of(class::BETTER | class::WORSE))
            && next.clone().nth(1).is_some_and(of(class::THAN));
        self.is_behind(class::LOSE) || is_compared || next.next().is_some_and(is_difference)
    }

    /// `Number of errors: 3`, `Score gap: 2`: whether the name before a mark says that the number behind it counts, and not
    /// points; `is_share` says that it is a part of the scale. A named verdict may have regard to what is counted: `Score
    /// after all deductions: 6`.
    pub(in crate::reading) fn is_named_as_count(&self, is_share: bool) -> bool {
        let Some((mark, lead)) = self.before().split_last() else { return false };
        let name = lead.rsplit(|token| !token.is_word()).next().unwrap_or_default();
        let says = |classes: Classes| name.iter().any(of(classes));
        let counts = |token: &Token| token.is(class::COUNT | class::DIFFERENCE);
        let is_last = name.last().is_some_and(counts) && (name.len() <= 2 || !says(class::ANNOUNCE));
        // "Years: 5", but "Age appropriateness: 5".
        let mut said = name.iter().filter(|token| !is_mere_fill(token));
        let is_counted =
            said.next().is_some_and(|noun| counts(noun) || noun.is(class::MEASURE) && said.next().is_none());
        mark.is_mark(&[':', '=', '\u{ff1a}'])
            && !is_share
            && !says(class::UNIT | class::NO | class::DENY)
            && (is_last || is_counted)
    }

    /// `2 Fehler` below `Bewertung`: whether a word that is none of a score's follows a number below a heading.
    fn counts_below_a_heading(&self) -> bool {
        let is_headed = self.lead.last().is_some_and(among(&[HEADED]));
        is_headed && self.next().first().is_some_and(|token| token.kind == Kind::Word && token.is_unknown())
    }

    /// `Anna gets an 8, Ben a 5`: whether another gets another number in the same breath.
    fn has_rival_number(&self) -> bool {
        let next = self.next();
        let is_join = |token: &Token| token.is_mark(&[',']) || token.is(class::JOIN);
        let Some(join) = next.iter().position(is_join).filter(|_| self.says(AWARDS)) else { return false };
        let rest = next.get(join + 1..).unwrap_or(&[]);
        let said = rest.iter().take_while(|token| token.is_word() && !token.is(VERBISH | class::THAN | class::DENY));
        let said: Vec<&Token> = said.collect();
        let at = said.iter().rposition(|token| is_number(token)).filter(|at| *at >= 2);
        let is_last = |at: usize| said.len() == at + 1;
        // "A 7 and the other an 8", "Response A 7 and Response B 5"
        let leads = |token: &Token| token.is(class::FILL) || token.end == token.start + 1;
        at.is_some_and(|at| is_last(at) && said.get(at - 1).is_some_and(|token| leads(token)))
    }

    /// `Response A: 8`: whether the name of one of several stands before a number, and a colon.
    fn is_of_a_letter(&self) -> bool {
        let [.., noun, letter, colon] = self.lead.as_ref() else { return false };
        colon.is_mark(&[':']) && letter.is_word() && letter.end == letter.start + 1 && noun.is(class::THING)
    }

    /// `読みやすさ4点、論理3点です`: whether another number, of which no verdict is told either, ends before the comma before the
    /// name of this one.
    fn is_second_of_a_list(&self) -> bool {
        let before = self.sentence.slice(..self.first);
        let other = before.rsplitn(2, |token| token.is_mark(&COMMAS)).nth(1);
        let Some([.., number, _]) = other else { return false };
        number.kind == Kind::Number && !before.iter().any(of(VERBISH | OWN))
    }

    /// `7 for the first answer, 3 for the second`: whether each of two numbers is for something, up to another verb.
    pub(in crate::reading) fn is_shared_out(&self) -> bool {
        let is_for = |token: &Token| token.is(class::PART);
        let has_pair = |tokens: &[Token]| {
            tokens.windows(2).any(|pair| matches!(pair, [number, part] if number.kind == Kind::Number && is_for(part)))
        };
        let next = self.next();
        let lead = self.before().rsplit(of(VERBISH)).next().unwrap_or_default();
        next.first().is_some_and(is_for) && (has_pair(next) || has_pair(lead))
    }

    /// `| Overall | 10 | 7 |`: whether the next cell of a table holds another number, and nothing tells which one is meant.
    fn is_in_a_row_of_cells(&self) -> bool {
        let is_cell = |token: &Token| token.is_mark(&['|']);
        matches!(self.next(), [mark, number, end, ..] if is_cell(mark) && number.kind == Kind::Number && is_cell(end))
            && self.lead.last().is_some_and(is_cell)
            && !self.value().iter().any(among(&['%']))
    }

    /// `For the introduction, 9; for the rest, 4`.
    fn is_shared_before(&self) -> bool {
        let is_noun = |token: &Token| {
            token.is_mark(&[',', ':'])
                || token.is(class::FILL | class::THING | class::ASPECT)
                || token.kind == Kind::Word && token.is_unknown()
        };
        let is_opened_by_part = |number: usize| {
            let mut before =
                self.sentence.slice(..number).iter().rev().skip_while(|t| is_noun(t) && !t.is(class::PART));
            before.next().is_some_and(of(class::PART))
                && before.next().is_none_or(|mark| !mark.is_word() || mark.is(class::JOIN))
        };
        let mut numbers = self.sentence.tokens.iter().enumerate().filter(|(_, token)| token.kind == Kind::Number);
        is_opened_by_part(self.first) && numbers.any(|(at, _)| at != self.first && is_opened_by_part(at))
    }

    /// `Giving it a 9 is impossible`: whether what is said of a value is no praise of it.
    pub(in crate::reading) fn is_subject_of_a_verb(&self) -> bool {
        let mut next = self.next().iter().skip_while(of(class::UNIT)).filter(|token| !is_mere_fill(token));
        !self.says(class::SELF)
            && next.next().is_some_and(|verb| verb.is(class::LINK | class::MISTAKEN) && !verb.is(AWARDS))
            && !self.is_found_fitting()
    }

    /// `A's`: whether a label owns what stands behind it.
    pub(super) fn is_owner(&self) -> bool {
        let last = self.sentence.slice(..self.behind).last();
        last.is_some_and(|label| label.end > self.end)
    }

    /// `I prefer A's tone`: whether something that is part of a label's answer is spoken of, and not all of it.
    fn owns_a_part(&self) -> bool {
        let is_owner = self.sentence.may_be_english && self.is_owner();
        let owned = self.next().first();
        let is_touched = owned.is_some_and(of(class::ASPECT));
        // "The tone of A"
        let mut lead = self.lead.iter().rev().filter(|token| !is_mere_fill(token) && !token.is(class::THING));
        let is_behind = lead.next().is_some_and(of(class::OF))
            && lead.next().is_some_and(|noun| noun.is(class::ASPECT | class::PARTIAL | class::OTHER) || noun.is_bare());
        // "A's is the better answer"
        let is_link = |token: &Token| token.is(class::LINK | class::THING | class::THAN | class::PART);
        is_touched || is_behind || is_owner && owned.is_some_and(|token| token.is_word() && !is_link(token))
    }

    /// `Although B is shorter, A is better`: whether a label stands in a clause that yields to one with another label. One that
    /// says which is chosen, or better on the whole, does not.
    fn yields(&self, is_label: impl Fn(&Token) -> bool) -> bool {
        let before = self.before();
        let Some(at) = before.iter().rposition(of(class::CONCEDE)) else { return false };
        let (lead, conceded) = before.split_at(at);
        let (rest, main) = split_lead(self.next(), |token| !token.is_mark(&COMMAS));
        let decides = class::CHOOSE | class::WINNER | class::SELF | OF_ALL;
        !conceded.iter().chain(rest).any(of(decides)) && words(lead).all(is_mere_fill) && main.iter().any(&is_label)
    }

    /// `A is friendlier, but`: whether what is said of a label is set against what follows.
    pub(super) fn is_conceded(&self) -> bool {
        self.next().iter().any(of(class::CONTRAST))
    }

    /// `The first step is correct`: whether a label is said of one of several things.
    fn is_of_one_of_two(&self) -> bool {
        let mut lead = self.lead.iter().rev().filter(|token| !is_mere_fill(token));
        let is_part = self.says(class::PARTIAL) && self.says(class::LINK);
        let is_linked = lead.next().is_some_and(of(class::LINK));
        // "The first two steps are correct", "Steps 1 and 2 are correct"
        let noun = lead.next().zip(lead.find(|token| !token.is(class::JOIN) && !is_number(token)));
        // "Part B is correct", "Part (ii) is correct"
        let is_short = |token: &Token, most: usize| token.kind == Kind::Word && token.end - token.start <= most;
        let is_lettered = match self.before() {
            [.., noun, open, numeral, close, _] if open.is_mark(&['(']) && close.is_mark(&[')']) => {
                noun.is(class::NUMBERED) && is_short(numeral, NUMERAL)
            }
            [.., noun, letter, _] => noun.is(class::NUMBERED) && is_short(letter, 1),
            _ => false,
        };
        let is_one = is_lettered || noun.is_some_and(|(noun, before)| is_one_of_several(noun, before));
        is_part || is_linked && is_one || self.is_limited()
    }

    /// `B is better at explaining, A at coding`: whether another label gets another part in the same sentence.
    fn shares_parts(&self, is_label: impl Fn(&Token) -> bool) -> bool {
        let next = self.next();
        let is_join = |token: &Token| token.is_mark(&COMMAS) || token.is(class::JOIN);
        let opens = |at: usize| next.iter().take(at).rev().find(|token| !is_label(token)).is_some_and(is_join);
        // "For beginners A is better, for experts B."
        let is_for = |at: usize| {
            let mut lead = next.iter().take(at).rev().skip_while(|token| token.is_word() && !token.is(class::PART));
            lead.next().is_some_and(of(class::PART)) && lead.next().is_some_and(is_join)
        };
        let ends = |at: usize| goes_no_further(next.get(at + 1), 0);
        if next.iter().enumerate().any(|(at, token)| is_label(token) && ends(at) && is_for(at)) {
            return true;
        }
        // "A is ahead in style, in substance however B, and".
        let is_turned = |at: usize| {
            let (labels, rest) = split_lead(next.get(at + 1..).unwrap_or(&[]), &is_label);
            !labels.is_empty() && goes_no_further(rest.first(), 0)
        };
        let turns = |token: &Token| token.is(class::CONTRAST) && !token.is(class::CONCEDE);
        if next.iter().enumerate().any(|(at, token)| turns(token) && is_turned(at)) {
            return true;
        }
        let mut pairs = next.windows(2).enumerate();
        // "A wins when it must be brief, B otherwise."
        let limits = class::PART | class::IF;
        pairs.any(|(at, pair)| matches!(pair, [label, part] if is_label(label) && part.is(limits)) && opens(at))
    }

    /// `By one key it's correct, by the other incorrect`: whether the sentence gives another label as well, without a verb.
    pub(in crate::reading) fn is_split(&self, is_other: impl Fn(&Token) -> bool) -> bool {
        let next = self.next();
        let verbs = class::LINK | class::DENY | class::CONTRAST;
        next.iter().enumerate().filter(|(_, token)| is_other(token)).any(|(at, _)| {
            let mut parted = next.get(..at).unwrap_or(&[]).rsplitn(2, among(&COMMAS));
            let said = parted.next().unwrap_or(&[]);
            parted.next().is_some() && goes_no_further(next.get(at + 1), 0) && !said.iter().any(of(verbs))
        })
    }

    /// `correct up to the last line`: whether a label is said of less than all.
    pub(in crate::reading) fn is_limited(&self) -> bool {
        // "Question 2 only: yes"
        let is_named =
            matches!(self.lead.as_ref(), [.., limit, colon] if colon.is_mark(&COLONS) && limit.is(class::PARTIAL));
        is_named || self.is_before(class::PARTIAL)
    }

    /// `Grammar alone: Rating: [[9]]`, `Nur für den Stil: [[7]]`: whether what stands before a marker says that it is of a part.
    /// `Almost perfect: [[9]]` is of all.
    pub(in crate::reading) fn is_named_for_a_part(&self) -> bool {
        let before = self.sentence.slice(..self.name);
        // "The grammar deserves a [[9]]"
        let subject = self.before_last(class::EARN);
        // "The introduction alone earns [[9]]"
        let is_part_named = subject.iter().any(of(class::ASPECT)) || subject.last().is_some_and(of(class::PARTIAL));
        let is_part = |token: &Token| {
            token.is(class::ASPECT | class::PARTIAL) && !token.is(class::THING)
                || token.is_bare() && subject.last().is_some_and(of(class::PARTIAL))
        };
        if is_part_named && subject.iter().all(|token| is_mere_fill(token) || is_part(token)) {
            return true;
        }
        // "On grammar [[A]], on content [[B]]"
        let own = before.rsplit(among(&COMMAS)).next().unwrap_or_default();
        let things = if own.len() < before.len() { 0 } else { class::THING };
        let is_plain = |token: &Token| token.is(class::PART | class::ASPECT) && !token.is(class::POSSESSIVE | things);
        if is_opened(own)
            && Subject::of(own.iter()) == Subject::Criterion
            && own.iter().all(|token| is_plain(token) || is_mere_fill(token))
        {
            return true;
        }
        let (name, rest) = before.split_at(self.adjunct().len().min(before.len()));
        let limits = class::PART | class::PARTIAL;
        let parts = limits | COUNTED | class::ASPECT | class::FORMER | class::LATTER | class::OF;
        let names = parts | class::ANNOUNCE | class::THING | class::LINK;
        let is_only = name.iter().any(of(class::PARTIAL));
        let is_name = |token: &Token| {
            token.is(names) && !token.is(class::POSSESSIVE) || is_mere_fill(token) || is_only && token.is_bare()
        };
        // "As far as style is concerned"
        let is_verb = |at: usize| at + 1 == name.len() && is_opened(name) && !name.iter().take(at).any(Token::is_bare);
        // "For the rhyme scheme alone: [[8]]", "Prose only: [[8]]"
        let is_limited = words(name).next_back().is_some_and(of(class::PARTIAL));
        let all = OF_ALL | class::ANNOUNCE | class::VAGUE;
        let has_noun =
            || name.iter().any(|token| token.is_bare() || token.is(class::ASPECT)) && !name.iter().any(of(all));
        (self.opening() == Subject::Criterion || is_limited && has_noun())
            // "[[A]] for accuracy, [[B]] for style" names no part before the second.
            && name.iter().rev().skip_while(|token| !token.is_word()).all(Token::is_word)
            && words(name).any(of(limits))
            && name.iter().enumerate().filter(|(_, token)| token.is_word()).all(|(at, token)| {
                is_name(token) || is_number(token) || token.is_bare() && is_verb(at)
            })
            // "For spelling I give [[9]]"
            && words(rest).all(of(class::ANNOUNCE | class::FILL | class::SELF | class::SUBJECT | class::GIVE | class::CONDITIONAL))
    }

    /// Whether a letter that is a word in its language has a noun or a comparative behind it, as an article has.
    pub(in crate::reading) fn is_attribute(&self) -> bool {
        let known_word = class::ASPECT | class::THING | class::BETTER | class::WORSE | class::TIE;
        // "A yanıtını": where the verb ends the clause, the noun of a label stands behind it.
        let next = self.follower().filter(|_| !self.sentence.is_verb_final());
        // "结论：A更好": Chinese has no articles.
        let is_known = |next: &Token| next.is(known_word) && !next.is_unspaced;
        self.opener().is_some_and(|letter| letter.classes != 0) && next.is_some_and(is_known)
    }

    /// `It clears the bar of 6`, `the 5 stars on the flag`: whether words that the lexicon has not lead up to a value
    /// that nothing announces, with no mark that would make them its name, or limit it behind.
    pub(in crate::reading) fn may_be_another_things(&self) -> bool {
        let marks = [':', '=', '|', '-', '\u{2013}', '\u{2014}', '\u{ff1a}', '\u{2192}', ',', '\u{ff0c}', HEADED];
        let mut near = self.lead.iter().rev().take_while(|token| !token.is_mark(&marks));
        if near.any(Token::is_bare) {
            return true;
        }
        // "4 stars on this one", "7 on the scale"
        let judged = class::THING | class::SELF | OF_ALL | class::ONWARD;
        let mut next = self.next().iter().skip_while(|token| token.is(class::UNIT) || is_mere_fill(token));
        let is_limit = |token: &Token| token.is(class::PART | class::BECAUSE);
        let limit = next.next().filter(|token| is_limit(token));
        let noun = limit.and_then(|_| next.find(|token| !is_mere_fill(token)));
        // "A 5 star hotel"
        let behind_unit =
            self.next().split_first().filter(|(unit, _)| unit.is(class::UNIT)).and_then(|(_, rest)| rest.first());
        noun.is_some_and(|noun| !noun.is(judged))
            || behind_unit.is_some_and(|noun| noun.is_bare() || noun.is(class::SAMPLE))
    }

    /// Whether a heading, a criterion or any word that the lexicon has not stands before a value.
    pub(in crate::reading) fn names_a_part(&self) -> bool {
        let is_name = |token: &Token| token.is_word() && (token.is_unknown() || token.is(class::ASPECT));
        self.before().iter().any(|token| is_name(token) || token.is_mark(&[HEADED]))
    }
}

/// Whether a preposition opens a sentence.
fn is_opened(tokens: &[Token]) -> bool {
    tokens
        .iter()
        .find(|token| token.is_word())
        .is_some_and(|word| word.is(class::PART) && !word.is(class::THAN | class::ASPECT))
}
