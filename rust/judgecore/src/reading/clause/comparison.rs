//! Comparisons of two candidates: which one is compared with which, and who wins where one is said to lose.

use super::announcement::{Announced, By, OWNED};
use super::stance::{Stance, is_by_another};
use super::{COMMAS, Clause, is_mere_fill};
use crate::lexicon::{self as class, Classes};
use crate::reading::token::{DENIES, LAST, LOSES, Token, among, of, split_lead};

/// Marks behind which a comparison may be limited: `A is worse than B (style)`.
const PARTS: [char; 7] = [',', '(', '-', '\u{2013}', '\u{2014}', '\u{ff0c}', '\u{ff08}'];

/// What a candidate is called by.
const NAMED: Classes = class::THING | class::VAGUE | class::FILL;

/// No particles with which a subject ends are longer, in bytes, in scripts without spaces.
const NOUN: usize = 10;

impl Clause<'_> {
    /// `A'dan daha iyi`, `A보다 더 좋습니다`, `der Antwort A überlegen`: whether a label is what another one is compared with.
    pub(super) fn is_standard(&self, is_label: impl Fn(&Token) -> bool) -> bool {
        let tokens = self.next();
        // In Chinese the loser follows.
        let is_before_than = |at: usize| {
            let has_loser = || tokens.iter().skip(at + 1).take(3).any(&is_label);
            let is_than = |token: &Token| token.is(class::THAN_BEHIND) || token.is(class::THAN) && !has_loser();
            tokens.get(at).is_some_and(is_than)
        };
        let label = self.value().last();
        !self.is_cleft() && self.behind_noun(0, self.end).is_some_and(is_before_than)
            || label.is_some_and(of(class::THAN_BEHIND))
            || self.is_outdone(&is_label)
    }

    /// `É A que é melhor`, `Es ist A, die besser ist`: whether nothing but a link stands before a label, so that a relative
    /// pronoun may follow it.
    pub(super) fn is_cleft(&self) -> bool {
        let mut lead = self.lead.iter().filter(|token| token.is_word() && (!token.is(NAMED) || token.is(class::LINK)));
        let has_link = lead.clone().any(of(class::LINK));
        !self.sentence.may_be_english && has_link && lead.all(of(class::LINK | class::SUBJECT))
    }

    /// `C'est A qui donne le meilleur exemple`, `Es ist A, die besser sein könnte`: whether a comparative at a place behind the
    /// value says of a part, or perhaps.
    pub(super) fn is_part_of_cleft(&self, at: usize) -> bool {
        let rest = self.next().get(at..).unwrap_or(&[]);
        let next = rest.get(1);
        let perhaps = class::HEDGE | class::CONDITIONAL | class::COUNTERFACTUAL | class::DENY;
        next.is_some_and(|noun| noun.is_bare() || noun.is(class::ASPECT | class::EXAMPLE | class::SAMPLE))
            || rest.iter().any(of(perhaps))
    }

    /// `Antwort B ist der Antwort A überlegen`: whether a label stands behind a link that has another one as its subject.
    fn is_outdone(&self, is_label: impl Fn(&Token) -> bool) -> bool {
        let is_name = |token: &&Token| token.is(NAMED) && !token.is(class::LINK);
        let mut before = self.before().iter().rev().skip_while(is_name);
        let is_between = before.next().is_some_and(of(class::LINK)) && before.next().is_some_and(&is_label);
        // "Im Vergleich zu A ist B besser", "Von A und B ist B besser": the subject stands behind the link.
        let is_other = before.find(|token| !is_name(token) && !is_label(token));
        !self.sentence.may_be_english && is_between && !is_other.is_some_and(of(class::THAN | class::JOIN))
    }

    /// The same where the link's subject is the value, and the label behind it stands at `at` among what follows.
    pub(super) fn outdoes_before(&self, at: usize) -> bool {
        let mut behind = self.next().iter().skip(at + 1).filter(|next| !is_mere_fill(next)).take(2);
        // "Von A und B ist A besser" has another subject.
        !self.sentence.may_be_english && !self.is_joined() && behind.any(of(class::BETTER))
    }

    /// Whether a conjunction stands before a label with its noun.
    fn is_joined(&self) -> bool {
        let mut before = self.before().iter().rev().skip_while(of(class::THING));
        before.next().is_some_and(of(class::JOIN))
    }

    /// Which of the tokens behind the value follows what ends at `end`, right before the token at `at`, with its noun: `より`
    /// behind `Aの回答`.
    pub(super) fn behind_noun(&self, at: usize, end: usize) -> Option<usize> {
        let tokens = self.next();
        let nouns = tokens.iter().skip(at).take_while(|token| token.is_unspaced && token.is(OWNED)).count();
        let last = nouns.checked_sub(1).and_then(|last| tokens.get(at + last)).map_or(end, |noun| noun.end);
        // "Bの回答がより有用": a particle that the lexicon has not.
        let next = tokens.get(at + nouns)?;
        (!next.is_unspaced || next.start <= last + 1).then_some(at + nouns)
    }

    /// `A is better than its earlier version`, `than I expected`: whether it is no other candidate that a label is
    /// compared with.
    pub(super) fn is_compared_with_others(&self, is_label: impl Fn(&Token) -> bool) -> bool {
        let mut behind = self.next().iter().skip_while(|token| !token.is(class::THAN));
        let than = behind.next();
        let has_than = than.is_some() && self.sentence.may_be_english;
        let compared = behind.by_ref().take(4).take_while(|token| token.is_word());
        let compared: Vec<&Token> = compared.collect();
        let others = class::OTHER | class::SELF | class::DENY | class::PAST;
        // "The other response" is a candidate, "its earlier version" is none.
        let is_other = |token: &Token| token.is(others) && (!token.is(class::THING) || token.is(class::ANOTHER));
        let is_candidate = |token: &Token| token.is(class::THING | class::BOTH | class::FORMER | class::LATTER);
        // "Than the alternative" is the other one, and "than average", "than a human's" is none.
        let has_article = compared.first().is_some_and(|article| is_mere_fill(article) && !article.is(class::ANY));
        let is_standard = has_than && !has_article && !compared.iter().any(|token| is_candidate(token));
        // "Besser als erwartet"
        let is_expected = !self.sentence.may_be_english
            && (1..=2).contains(&compared.len())
            && compared.iter().all(|token| token.is_bare());
        // "Than the other", "als die andere Antwort", but "als andere", "als eine andere"
        let is_definite = |lead: &[&Token], rival: &Token| {
            let article = lead.last().copied().or(than);
            let article = article.filter(|article| article.is(class::FILL) && !article.is(class::ANY));
            rival.is(class::RIVAL) && (article.is_some() || !self.sentence.may_be_english || rival.is_unspaced)
        };
        let is_rival = match compared.as_slice() {
            [lead @ .., rival] if is_definite(lead, rival) => true,
            [lead @ .., rival, noun] => noun.is(class::THING) && is_definite(lead, rival),
            _ => false,
        };
        (is_standard || is_expected || compared.iter().any(|token| is_other(token)))
            && !is_rival
            && !compared.iter().any(|token| is_label(token))
    }

    /// `A is worse than B`, `A falls short of B`: the one behind `than` is better.
    pub(super) fn outdoes(&self, said: &[Token], is_label: impl Fn(&Token) -> bool) -> Option<Announced> {
        let at = said.iter().rposition(&is_label)?;
        let verb = said.iter().rposition(of(LOSES)).filter(|verb| *verb > at)?;
        let between = said.get(at + 1..verb)?;
        // "A is taalkundig niet zo goed als B", but "A fait moins bien que B": what is worse needs a verb, where languages without
        // articles mostly have none.
        let is_adverb = between.len() == 1 && !self.sentence.may_be_english;
        let is_verb = |word: &Token| word.is_bare() && !is_adverb && between.get(1).is_none_or(is_mere_fill);
        let verbs = usize::from(between.first().is_some_and(is_verb));
        let limits = class::ASPECT | class::PART | class::PARTIAL | class::HEDGE;
        let is_part = between.iter().skip(verbs).any(|token| token.is_bare() || token.is(limits));
        let loser = said.get(at).filter(|_| self.sentence.may_be_english || !is_part)?;
        self.loses(loser, self.next(), is_label).then(|| by_comparison(loser))
    }

    /// The same where nothing but what leads up to an object stands between the verb and the winner: `A уступает B`.
    pub(super) fn outdoes_as_object(
        &self,
        said: &[Token],
        object: &[Token],
        is_label: impl Fn(&Token) -> bool,
    ) -> Option<Announced> {
        let leads = NAMED | class::THAN | class::RANGE;
        // "не так хорош, как B"
        let object = match object {
            [comma, _, object @ ..] if comma.is_mark(&[',']) => object,
            object => object,
        };
        self.outdoes(said, is_label).filter(|_| object.iter().all(of(leads)))
    }

    /// `A, B'den daha kötü`, `A ist B unterlegen`, `A比B差`: the same where the subject stands right before what it is compared
    /// with.
    pub(super) fn outdoes_subject(&self, is_label: impl Fn(&Token) -> bool) -> Option<Announced> {
        let next = self.next();
        let verb = next.iter().take(4).take_while(|token| token.is_word());
        let verb = verb.enumerate().find(|(_, token)| token.is(LOSES)).map(|(verb, _)| verb)?;
        let passes = OWNED | class::FILL | class::LINK;
        let is_passed = |token: &Token| (token.is(passes) || token.is_mark(&COMMAS)) && !is_label(token);
        let mut before = self.before().iter().rev().filter(|token| !is_passed(token)).peekable();
        let has_than = |token: &&Token| token.is_unspaced && token.is(class::THAN);
        let is_behind_than = before.next_if(has_than).is_some();
        let loser = before.next().filter(|subject| is_label(subject))?;
        let says_else = class::PART | class::ASPECT | class::BETTER | class::DENY;
        let is_of_all = !next.get(..verb)?.iter().any(|token| token.is(says_else) || token.is_bare());
        let is_of_all = is_of_all && self.unknown_behind(loser) <= NOUN;
        let is_compared = is_behind_than || self.is_standard(&is_label);
        let is_said = is_of_all && is_compared && self.loses(loser, next.get(verb + 1..)?, is_label);
        is_said.then(|| by_comparison(loser))
    }

    /// Whether what follows a word that says of the value that it wins says something else.
    pub(super) fn is_undone_behind(
        &self,
        word: &Token,
        behind: &[Token],
        is_linked: bool,
        is_label: impl Fn(&Token) -> bool,
    ) -> bool {
        let may_be_english = self.sentence.may_be_english;
        let has_label = behind.iter().any(&is_label);
        // "A melhor resposta \u{e9} B": the letter is an article.
        let is_noun = |next: &&Token| {
            next.is(class::THING | class::VAGUE | class::ANNOUNCE) && !next.is(class::LINK) && !is_label(next)
        };
        let nouns = if may_be_english { 0 } else { behind.iter().take_while(is_noun).count().min(1) };
        let is_before_link = behind.get(nouns).is_some_and(of(class::LINK));
        // "A melhor é a Resposta B": what stands behind the verb is. "That A is better is a myth."
        let is_subject = if is_linked { is_before_link } else { has_label && (is_before_link || word.is(class::LINK)) };
        // "Antwort A gewinnt nicht.", but "La risposta A è migliore perché non inventa nulla."
        let is_said = |next: &&Token| next.is_word() && (next.is(class::PART) || !next.is(class::BECAUSE));
        let is_denied = || behind.iter().take_while(is_said).any(of(DENIES));
        // "A es superior a la media."
        let has_standard = || word.is(class::THAN) && word.is(class::BETTER) && !word.is_unspaced;
        // "Entre A y B es mejor A."
        let is_other = || behind.iter().find(|next| is_label(next) || !next.is(class::THING)).is_some_and(&is_label);
        // "AはBよりも優れている点が多い" says more than that.
        let goes_on = word.runs_on || behind.first().is_some_and(|noun| noun.is_unspaced && noun.is(class::UNIT));
        let says_more = word.is_unspaced && goes_on && word.is(class::BETTER) && word.is(class::THAN_BEHIND);
        is_subject
            || says_more
            || self.is_joined() && is_other()
            || !may_be_english && (is_denied() || has_standard() && !has_label)
            || self.is_compared_with_others(&is_label)
            // "B was chosen by the other judge", "B would be better with a source"
            || is_by_another(behind)
            || self.would_be_with(word, behind)
            || word.is(class::WIN) && has_strange_object(behind)
            || is_limited(behind)
    }

    /// `B would be better with a source`: whether what would be so depends on what follows.
    fn would_be_with(&self, word: &Token, behind: &[Token]) -> bool {
        let mut before = self.next().iter().take_while(|token| token.start < word.start);
        before.any(|token| token.is(class::CONDITIONAL))
            && behind.first().is_some_and(|with| with.is(class::COMPLEMENT | class::DENY))
    }

    /// How much of what stands between a label and the value the lexicon has not, in bytes, in scripts without spaces.
    fn unknown_behind(&self, label: &Token) -> usize {
        let said = self.sentence.tokens.iter().filter(|token| token.start >= label.end && token.end <= self.at);
        let known: usize = said.map(|token| token.end - token.start).sum();
        let is_unspaced = self.next().first().is_some_and(|token| token.is_unspaced);
        if is_unspaced { self.at.saturating_sub(label.end + known) } else { 0 }
    }

    /// Whether it is said of all of a label, by the judge, that it loses, and nothing limits that or turns it round in what
    /// follows: `A is worse in style, but better overall`.
    fn loses(&self, loser: &Token, rest: &[Token], is_label: impl Fn(&Token) -> bool) -> bool {
        let tokens = &self.sentence.tokens;
        let at = tokens.partition_point(|token| token.start < loser.start);
        let is_name = |token: &&Token| is_label(token) || token.is(NAMED) && !token.is(class::OF | class::LINK);
        // "La introducción de A", "Úvod A", "Aの導入部"
        let owner = self.sentence.slice(..at).iter().rev().find(|token| !is_name(token));
        let is_english = self.sentence.may_be_english;
        let is_part =
            |token: &Token| token.is(class::OF | class::ASPECT | class::PARTIAL) || !is_english && token.is_bare();
        if owner.is_some_and(is_part) {
            return false;
        }
        let mut turned = rest.iter().skip_while(|token| !token.is(class::CONTRAST));
        let wins = class::BETTER | class::WIN | class::WINNER | class::CHOOSE;
        let is_turned = turned.any(of(wins));
        let says_part = |token: &Token| {
            token.is_bare() || token.is(class::PART | class::ASPECT | class::PARTIAL | class::HEDGE | class::BOUND)
        };
        let (_, behind) = split_lead(rest, of(NAMED | class::LINK));
        let follows = LAST | class::BECAUSE | class::EMPHATIC | class::JOIN;
        let is_limited = match behind {
            [] => false,
            // "A est inférieure à B (style)", "…, was die Quellen betrifft"
            [mark, next, ..] if mark.is_mark(&PARTS) => says_part(next),
            [next, ..] => next.is_word() && !next.is(follows),
        };
        let clause = self.sentence.clause(&(loser.start..loser.end));
        // "Although A falls short of B, A is better", "Gramaticalmente, A es inferior a B"
        let mut opening = [clause.lead.first(), self.sentence.slice(..clause.start).last()].into_iter().flatten();
        let is_conceded = opening.any(of(class::CONTRAST));
        let mut front = self.sentence.slice(..at).iter().rev().skip_while(is_name);
        let is_set_off = front.next().is_some_and(among(&COMMAS));
        let is_fronted = is_set_off && front.take_while(|token| token.is_word()).any(says_part);
        !is_turned
            && !is_conceded
            && (is_english || !is_limited && !is_fronted)
            && clause.stance(loser.end, false) == Stance::Asserted
    }
}

fn by_comparison(loser: &Token) -> Announced {
    Announced { start: loser.start, by: By::Comparison }
}

/// `A won the lottery`: whether what stands behind a verb has an article and a noun of no class, and is no contest.
fn has_strange_object(behind: &[Token]) -> bool {
    let (articles, noun) = split_lead(behind, |token| token.is(class::FILL) && !token.is(class::COMPLEMENT));
    !articles.is_empty() && noun.first().is_some_and(Token::is_bare)
}

/// `A is better suited for someone in a hurry`, `A would be the better answer if it were shorter`: whether what follows a
/// comparison limits it.
fn is_limited(behind: &[Token]) -> bool {
    let is_for = |next: &Token| next.is(class::PART) && next.is(class::BECAUSE);
    matches!(behind, [aim, whom, ..] if is_for(aim) && whom.is(class::OTHER))
        || behind.iter().take(6).take_while(|next| next.is_word()).any(of(class::IF))
}
