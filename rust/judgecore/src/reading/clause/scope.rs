//! Of what a value is: of the whole or a part, of what is judged or something else.

use super::{COMMAS, Clause, VERBISH, is_mere_fill};
use crate::lexicon::{self as class, Classes};
use crate::reading::sentence::BEHIND_NUMBER;
use crate::reading::token::{HEADED, Kind, Token};
use crate::reply::text::{slice, tail};

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

impl Clause<'_> {
    /// `10点満点中8点`, `满分10分`: whether a number is the highest there is.
    pub(in crate::reading) fn is_top(&self) -> bool {
        let before = self.first.checked_sub(1).and_then(|before| self.sentence.tokens.get(before));
        let is_near = |token: &Token| token.is(class::TOP);
        let earlier = self.first.checked_sub(2).and_then(|earlier| self.sentence.tokens.get(earlier));
        let is_behind_number = earlier.is_some_and(|token| token.kind == Kind::Number);
        // "It ranks 2nd of 5."
        let is_total = is_behind_number && before.is_some_and(|token| token.is(class::OF));
        is_total || !is_behind_number && before.is_some_and(is_near) || self.next().iter().take(2).any(is_near)
    }

    /// `7/10 tests pass`, `8 out of 10 sure`: whether something else is counted or measured.
    pub(in crate::reading) fn is_counting(&self) -> bool {
        let follower = self.next().first().filter(|token| !token.is_unspaced);
        let is_free = BEHIND_NUMBER | class::FILL | class::FINAL | class::HEDGE | class::MEANS;
        self.sentence.may_be_english
            && follower
                .is_some_and(|token| token.kind == Kind::Word && !token.is(is_free) && token.start <= self.end + 1)
    }

    /// Whether nothing that could be counted stands behind a number.
    pub(super) fn ends_behind(&self) -> bool {
        let is_free = BEHIND_NUMBER | class::FILL | class::FINAL | class::HEDGE | class::MEANS | class::ONWARD;
        let touches = |token: &Token| token.start <= self.end + usize::from(!token.is_unspaced);
        self.next()
            .first()
            .is_none_or(|token| !token.is_word() && touches(token) || token.is(is_free) && touches(token))
    }

    /// `3 of the 5 claims hold`: whether a number says how many of more there are.
    pub(super) fn is_counted_among(&self) -> bool {
        let mut next = self.next().iter().filter(|token| !is_mere_fill(token));
        // "50 % of 80"
        let last = self.behind.checked_sub(1).and_then(|last| self.sentence.tokens.get(last));
        let is_percent = last.is_some_and(|token| token.is_mark(&['%']));
        next.next().is_some_and(|token| token.is(class::OF))
            && next.next().is_some_and(|token| token.kind == Kind::Number || token.number.is_some())
            && (is_percent || next.next().is_some_and(|token| token.kind == Kind::Word && !token.is(BEHIND_NUMBER)))
    }

    /// Whether an announced number counts some of many, or is one of two that are given to two.
    pub(in crate::reading) fn is_one_of_several(&self) -> bool {
        self.is_counted_among() || self.counts_below_a_heading() || self.has_rival_number()
    }

    /// `2 points deducted`: whether a number is what was lost.
    pub(in crate::reading) fn is_taken_off(&self) -> bool {
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
    pub(super) fn counts_below_a_heading(&self) -> bool {
        let is_headed = self.lead.last().is_some_and(|token| token.is_mark(&[HEADED]));
        is_headed
            && self.next().first().is_some_and(|token| {
                token.kind == Kind::Word && token.is_unknown() && !token.is_unspaced && token.start <= self.end + 1
            })
    }

    /// `Anna gets an 8, Ben a 5`: whether another gets another number in the same breath.
    pub(super) fn has_rival_number(&self) -> bool {
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
    pub(in crate::reading) fn is_shared_out(&self) -> bool {
        let next = self.next();
        let is_for = |token: Option<&Token>| token.is_some_and(|token| token.is(class::PART));
        let mut pairs = next.windows(2);
        is_for(next.first())
            && pairs.any(|pair| pair.first().is_some_and(|token| token.kind == Kind::Number) && is_for(pair.get(1)))
    }

    /// `Score for section 2: 7`: whether what announces a value names a criterion or a part as well.
    pub(in crate::reading) fn is_announced_of_an_aspect(&self) -> bool {
        self.says(class::ASPECT) && self.says(class::ANNOUNCE) && !self.says(class::WHOLE)
    }

    /// `The year was 99`: whether a number is said of something that is not judged.
    pub(super) fn is_of_another_thing(&self) -> bool {
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
    pub(in crate::reading) fn is_subject_of_a_verb(&self) -> bool {
        let mut next =
            self.next().iter().skip_while(|token| token.is(class::UNIT)).filter(|token| !is_mere_fill(token));
        !self.says(class::SELF)
            && next.next().is_some_and(|token| token.is(class::LINK))
            && !next.next().is_some_and(|token| token.is(class::FITTING))
    }

    /// Whether a number counts, measures or answers something else than what is judged. A fraction is said of what it
    /// stands before: `a 7/10 response`.
    pub(in crate::reading) fn is_of_something_else(&self, is_fraction: bool) -> bool {
        let is_before_thing = is_fraction && self.next().first().is_some_and(|token| token.is(class::THING));
        self.is_counting() && !is_before_thing
            || !is_fraction && self.is_of_another_thing()
            || self.is_about_an_answer()
            || self.is_behind_unknown()
    }

    /// Whether the clause speaks of an answer that is nobody's verdict: `the answer to the riddle is`.
    pub(super) fn is_about_an_answer(&self) -> bool {
        let is_own = self.says(class::SELF | class::ANNOUNCE) || self.is_predicate();
        !is_own && self.says(class::VAGUE) || self.says(class::LOSE)
    }

    /// `Imagery: A > B`: whether words lead up to an order, and none that announces one or speaks of the whole.
    pub(in crate::reading) fn is_of_a_part(&self) -> bool {
        self.lead.iter().any(|token| token.is_mark(&[':']))
            && self.lead.iter().any(Token::is_word)
            && !self.says(OWN_ORDER)
            || self.says(class::ASPECT) && !self.says(class::WHOLE | class::FINAL | class::CONCLUDE)
    }

    /// `Pour le style : C > A > B`: whether an order is one for a criterion, and nothing says that it is the verdict.
    pub(in crate::reading) fn is_ranked_on_an_aspect(&self) -> bool {
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

    /// `I prefer A's tone`: whether something that is part of a label's answer is spoken of, and not all of it.
    pub(in crate::reading) fn is_owner_of_a_part(&self, text: &str) -> bool {
        let owns = ["'s", "\u{2019}s"].iter().find(|owns| tail(text, self.end).starts_with(**owns));
        owns.is_some_and(|owns| {
            let behind = self.end + owns.len();
            let mut next = self.sentence.tokens.iter().filter(|token| token.start >= behind);
            next.next().is_some_and(|token| token.is_word() && !token.is(class::THING | class::THAN | class::PART))
        })
    }

    /// `A is friendlier, but`: whether what is said of a label is set against what follows.
    pub(in crate::reading) fn is_conceded(&self) -> bool {
        self.next().iter().any(|token| token.is(class::CONTRAST))
    }

    /// `The first step is correct`, `The formula is correct, but the result is not`: whether a label is said of one thing
    /// where there is another.
    pub(in crate::reading) fn is_of_one_of_two(&self) -> bool {
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
    pub(in crate::reading) fn is_limited(&self) -> bool {
        self.next().first().is_some_and(|token| token.is(class::PARTIAL))
    }

    /// `B is better at explaining, A at coding`: whether another label gets another part in the same sentence.
    pub(in crate::reading) fn shares_parts(&self, is_label: impl Fn(&Token) -> bool) -> bool {
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
    pub(in crate::reading) fn is_attribute(&self) -> bool {
        let known_word = class::ASPECT | class::THING | class::BETTER | class::WORSE | class::TIE;
        self.next().first().is_some_and(|next| {
            let is_noun = next.is_unknown() && !next.is(class::ONWARD) || next.is(known_word);
            next.kind == Kind::Word && next.start <= self.end + 1 && is_noun
        })
    }

    /// Whether a word of no class, or the name of a criterion, stands right before a value.
    pub(in crate::reading) fn is_behind_unknown(&self) -> bool {
        self.lead
            .last()
            .is_some_and(|token| token.kind == Kind::Word && (token.is_unknown() || token.is(class::ASPECT)))
    }

    /// Whether the clause before a value speaks of the whole.
    pub(in crate::reading) fn is_on_the_whole(&self) -> bool {
        self.sentence.slice(self.start..self.first).iter().any(|token| token.is(class::WHOLE))
    }

    /// Whether a heading, a criterion or any word that the lexicon has not stands before a value.
    pub(in crate::reading) fn names_a_part(&self) -> bool {
        let is_name = |token: &Token| token.is_word() && (token.is_unknown() || token.is(class::ASPECT));
        self.sentence.slice(0..self.first).iter().any(|token| is_name(token) || token.is_mark(&[HEADED]))
    }

    /// The digits that name the two, if what leads up to a value says that it is for both: in its clause, or in its
    /// sentence if both names follow.
    pub(in crate::reading) fn of_both(&self, text: &str) -> Option<usize> {
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

    /// Whether a value stands behind the name of a part and a mark: `Accuracy: 9/10`.
    pub(in crate::reading) fn is_named_part(&self) -> bool {
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
    pub(in crate::reading) fn is_compared_on_a_part(&self) -> bool {
        self.has_part(|named| named.is_word() && (named.is_unknown() || named.is(class::ASPECT)))
    }

    /// `[[A]] for style`: whether a preposition and a criterion follow a value.
    pub(in crate::reading) fn is_for_an_aspect(&self) -> bool {
        let is_closing = |token: &&Token| token.is_mark(&[']', ')', '"', '*']);
        let mut next = self.next().iter().skip_while(is_closing).filter(|token| !is_mere_fill(token));
        next.next().is_some_and(|token| token.is(class::PART))
            && next.next().is_some_and(|token| token.is(class::ASPECT))
    }

    /// The same, where that thing is known to be a criterion or a part.
    pub(in crate::reading) fn is_compared_on_an_aspect(&self) -> bool {
        // "A wins the style category."
        let mut next = self.next().iter().filter(|token| !is_mere_fill(token));
        let is_won = next.next().is_some_and(|token| token.is(class::WIN))
            && next.next().is_some_and(|token| token.is(class::ASPECT));
        is_won || self.opens_with_an_aspect() || self.has_part(|named| named.is(class::ASPECT))
    }

    /// `Relevance: A`, `Stilistisch ist A`, `For style alone, A`: whether criteria, and nothing else, open the sentence.
    pub(super) fn opens_with_an_aspect(&self) -> bool {
        let mere = class::PART | class::PARTIAL | class::LINK | class::JOIN | class::THING;
        self.opens_with(class::ASPECT, mere)
            && !self.sentence.slice(0..self.first).iter().any(|token| token.is(class::WHOLE))
    }

    /// Whether words of some classes open the sentence, up to a comma or the value, with mere ones beside them, and the
    /// value's clause follows.
    pub(super) fn opens_with(&self, classes: Classes, mere: Classes) -> bool {
        let lead = self.sentence.slice(0..self.first);
        let length = lead.iter().position(|token| token.is_mark(&COMMAS)).unwrap_or(lead.len());
        let opening = lead.iter().take(length);
        let is_mere = |token: &Token| !token.is_word() || token.is(classes | mere) || is_mere_fill(token);
        self.start <= length + 1 && opening.clone().any(|token| token.is(classes)) && opening.clone().all(is_mere)
    }

    /// `For style alone`: whether a value is said to be that of one criterion.
    pub(in crate::reading) fn is_on_one_aspect(&self) -> bool {
        let is_named = |pair: &[Token]| matches!(pair, [of, part] if of.is(class::PART) && part.is(class::ASPECT));
        self.says(class::PARTIAL) && self.lead.windows(2).any(is_named)
    }

    /// Whether a preposition stands before a part, and nothing speaks of the whole.
    pub(super) fn has_part(&self, is_part: impl Fn(&Token) -> bool) -> bool {
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
    pub(in crate::reading) fn is_on_a_part(&self) -> bool {
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
    pub(in crate::reading) fn is_said_of_an_aspect(&self) -> bool {
        let mut next = self.next().iter().filter(|token| !is_mere_fill(token) && !token.is(class::UNIT));
        next.next().is_some_and(|token| token.is(class::PART))
            && next.next().is_some_and(|token| token.is(class::ASPECT))
    }

    /// Whether only one criterion or part is spoken of, before a verb or behind the number: `For grammar alone I'd give
    /// it`, `The introduction deserves`, `It scores 4 on grammar`.
    pub(in crate::reading) fn is_of_an_aspect(&self, announced: usize) -> bool {
        let is_behind = self.is_said_of_an_aspect();
        // "I'd give the humour a 9."
        let is_object = |token: &Token| token.start > announced && !token.is(class::THING | class::ANNOUNCE);
        let is_named = |token: &&Token| token.start < announced || is_object(token);
        let is_before = self.lead.iter().filter(is_named).any(|token| token.is(class::ASPECT));
        let subject = self.lead.iter().rposition(|token| token.is(class::EARN)).and_then(|at| at.checked_sub(1));
        let is_subject = subject.and_then(|at| self.lead.get(at)).is_some_and(|token| token.is(class::ASPECT));
        is_subject || (is_before || is_behind || self.opens_with_an_aspect()) && !self.says(class::WHOLE)
    }

    /// `Experts had A > B`: whether somebody else, and not the judge, stands before a value.
    pub(in crate::reading) fn is_of_others(&self) -> bool {
        let own = class::SELF | class::ANNOUNCE | class::VAGUE | class::CONCLUDE | class::FINAL;
        self.says(class::OTHER) && !self.says(own)
    }

    /// Whether the judge speaks of itself before the value.
    pub(in crate::reading) fn is_own(&self) -> bool {
        self.says(class::SELF)
    }
}
