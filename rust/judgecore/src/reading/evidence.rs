//! Weighing evidence: the strongest kind that is there decides, and must not contradict itself.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::Range;

use super::clause::introduction::{is_introduced, is_spoken_in_a_dialogue};
use super::clause::stance::Stance;
use super::context::{closes_text, ticked, word_before};
use super::outcome::{Detail, Mode, Outcome, Reading, Reason, Rule, Unreadable, Value};
use super::revision::{
    Hears, REPLACES, REVISES, Revising, Revision, denies_any, denies_own, denies_own_judging, is_left_open, revisions,
};
use super::sentence::{Sentence, Sentences};
use super::sibling::{is_of_a_part_beside_an_open_one, is_of_an_earlier_item};
use super::token::{COLONS, OF_ALL, Token};
use super::truth::owns;
use super::voided::{COMMAS, denies_of_another, follows_supposition, sentence_before};
use crate::format::Precedence;
use crate::lexicon as class;
use crate::reply::View;
use crate::reply::text::{char_before, is_unspaced, skip_back_near, slice, tail};

/// No clause has fewer words: `the annex is missing`.
const CLAUSE: usize = 3;

/// How many sentences behind the announcement of a correction may conclude it.
const CONCLUDED: usize = 3;

/// How strong a piece of evidence is; smaller is stronger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    pub(super) rule: Rule,
    /// Among evidence of one rule.
    pub(super) grade: usize,
}

impl Rank {
    pub(super) fn of(rule: Rule, grade: usize) -> Self {
        Self { rule, grade }
    }
}

/// What stands where a verdict belongs: a value, or something that is none.
pub(super) type Found<V> = Result<V, (Reason, Detail)>;

/// One piece of evidence. Ranges are of the view.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidate<V> {
    pub(super) found: Found<V>,
    pub(super) rank: Rank,
    pub(super) span: Range<usize>,
    /// Where the value itself stands, without what announces it.
    pub(super) value: Range<usize>,
    /// How far the text was looked at to accept it.
    pub(super) reach: usize,
}

impl<V> Candidate<V> {
    /// Evidence that is a value by itself, and needs no look beyond it.
    pub(super) fn new(found: Found<V>, rule: Rule, grade: usize, value: Range<usize>) -> Self {
        Self { found, rank: Rank::of(rule, grade), span: value.clone(), reach: value.end, value }
    }

    /// The same with what announces it, from here on.
    pub(super) fn from(self, start: usize) -> Self {
        Self { span: start..self.span.end, ..self }
    }

    /// The same where the text was looked at up to here.
    pub(super) fn reaching(self, reach: usize) -> Self {
        Self { reach, ..self }
    }
}

/// Takes evidence in the order of the text, and decides.
pub(super) struct Chooser<'t, V> {
    text: &'t str,
    precedence: Precedence,
    /// The view's end where the reply is known to be cut off there.
    cut_at: Option<usize>,
    sentences: Sentences<'t>,
    revising: Revising<'t>,
    claims: Vec<Candidate<V>>,
    strongest: Option<Rank>,
    touched_cut: bool,
    /// What was said last and is nobody's verdict, and how it was said.
    disowned: Option<(Stance, Candidate<V>)>,
    /// Markers that are nobody's verdict, by where their values stand, and how they are said.
    passed: BTreeMap<usize, (Stance, Candidate<V>)>,
    /// What takes something back besides the words that do so everywhere.
    pub(super) hears: Hears,
    /// In strict mode, words that lead up to a marker must announce it.
    pub(super) mode: Mode,
    /// Whether it is one of several named values, so that a value alone corrects only what stands beside it.
    is_slot: bool,
    /// What the sentence before the last one says, or the last one.
    contradiction: Option<Candidate<V>>,
    /// From where on nothing takes anything back, or what does was heard.
    settled_from: Option<usize>,
    /// Who says what was offered last, and how: several rules may offer the same.
    heard: Option<(Said, Stance)>,
}

/// All of a candidate that tells who says it, and how.
#[derive(PartialEq)]
struct Said {
    span: Range<usize>,
    value: Range<usize>,
    rule: Rule,
    is_value: bool,
}

impl<'t, V: PartialEq + Clone> Chooser<'t, V> {
    pub(super) fn new(text: &'t str, precedence: Precedence, is_cut: bool) -> Self {
        Self {
            text,
            precedence,
            cut_at: is_cut.then(|| text.trim_end().len()),
            sentences: Sentences::new(text),
            revising: Revising::new(text, REVISES),
            claims: Vec::new(),
            strongest: None,
            touched_cut: is_cut,
            disowned: None,
            passed: BTreeMap::new(),
            hears: Hears { no: true, bare: true },
            mode: Mode::Lenient,
            is_slot: false,
            contradiction: None,
            settled_from: None,
            heard: None,
        }
    }

    /// One of several named values.
    pub(super) fn slot(text: &'t str, precedence: Precedence, is_cut: bool) -> Self {
        Self { is_slot: true, ..Self::new(text, precedence, is_cut) }
    }

    /// Whether evidence of this rule or stronger is there, so that weaker evidence is not needed.
    pub(super) fn has(&self, rule: Rule) -> bool {
        self.strongest.is_some_and(|best| best.rule <= rule)
    }

    /// Whether this rule gave the best evidence so far.
    pub(super) fn is_best(&self, rule: Rule) -> bool {
        self.strongest.is_some_and(|best| best.rule == rule)
    }

    /// Whether a marker decides, and nothing behind it takes it back, whatever prose says where it `may_say` a value.
    pub(super) fn is_marked(&mut self, may_say: impl Fn(Range<usize>) -> bool) -> bool {
        let first = self.claims.iter().map(|claim| claim.span.end).min();
        let first = first.filter(|_| self.has(Rule::Marker));
        self.settled_from = first.filter(|&from| {
            !(self.revising.next(from, self.text.len()).is_some() && self.may_be_revised(from, may_say))
        });
        self.settled_from.is_some()
    }

    /// Whether something behind a place takes back what markers claim, or could where prose claims something too.
    fn may_be_revised(&mut self, from: usize, may_say: impl Fn(Range<usize>) -> bool) -> bool {
        let is_open = Cell::new(false);
        let claimed = self.claimed();
        let is_claimed = |said: Range<usize>| {
            let is_claimed = is_any_in(&claimed, &said);
            is_open.set(is_open.get() || !is_claimed && may_say(said));
            is_claimed
        };
        let found = revisions(&mut self.revising, from, &mut self.sentences, self.hears, is_claimed);
        is_open.get() || !found.is_empty()
    }

    /// Where the values of all claims stand, in order.
    fn claimed(&self) -> Vec<usize> {
        let mut claimed: Vec<usize> = self.claims.iter().map(|claim| claim.value.start).collect();
        claimed.sort_unstable();
        claimed
    }

    /// Say that there is no value with which a correction could fill in where nothing was said.
    pub(super) fn settle_empty(&mut self) {
        if self.claims.is_empty() {
            self.settled_from = Some(0);
        }
    }

    /// Where the best evidence so far stands in the view.
    pub(super) fn place(&self) -> Option<Range<usize>> {
        let is_strongest = |claim: &&Candidate<V>| Some(claim.rank) == self.strongest;
        let best = match self.precedence {
            Precedence::Last => self.claims.iter().rfind(is_strongest),
            Precedence::First | Precedence::Agree => self.claims.iter().find(is_strongest),
        };
        best.map(|claim| claim.span.clone())
    }

    pub(super) fn precedence(&self) -> Precedence {
        self.precedence
    }

    pub(super) fn is_cut(&self) -> bool {
        self.cut_at.is_some()
    }

    /// Take evidence that the judge asserts.
    pub(super) fn offer(&mut self, candidate: Candidate<V>) {
        self.offer_either(candidate, None);
    }

    pub(super) fn offer_all(&mut self, candidates: impl IntoIterator<Item = Candidate<V>>) {
        for candidate in candidates {
            self.offer(candidate);
        }
    }

    /// The same, where who denies it asserts something else.
    pub(super) fn offer_either(&mut self, candidate: Candidate<V>, denied: Option<V>) {
        // What is nobody's by one rule is not the judge's by a weaker one.
        if let Some((_, disowned)) = &mut self.disowned
            && disowned.value.contains(&candidate.value.start)
        {
            disowned.value = candidate.value;
            return;
        }
        if candidate.rank.rule > Rule::Marker && self.passed.contains_key(&candidate.value.start) {
            return;
        }
        match (self.stance(&candidate), denied) {
            (Stance::Asserted, _) => self.offer_documented(candidate),
            // "GRADE: pending": what is no value stands there all the same.
            (Stance::Denied, None) if candidate.found.is_err() => self.offer_documented(candidate),
            (Stance::Denied, Some(other)) => self.offer_documented(Candidate { found: Ok(other), ..candidate }),
            (stance, _) => {
                if candidate.rank.rule == Rule::Marker && candidate.found.is_ok() {
                    self.passed.insert(candidate.value.start, (stance, candidate.clone()));
                }
                self.disowned = Some((stance, candidate));
            }
        }
    }

    /// Whether a value is not what the judge asserts.
    pub(super) fn disowns(&mut self, candidate: &Candidate<V>) -> bool {
        self.stance(candidate) != Stance::Asserted
    }

    /// Who says what is offered, and how.
    fn stance(&mut self, candidate: &Candidate<V>) -> Stance {
        let Candidate { found, rank, span, value, .. } = candidate;
        let rule = match rank.rule {
            // What was said before a marker counts, too.
            Rule::Marker => return self.stance_of(candidate),
            Rule::Whole | Rule::Fields | Rule::Mention => rank.rule,
            _ => Rule::Statement,
        };
        let said = Said { span: span.clone(), value: value.clone(), rule, is_value: found.is_ok() };
        match &self.heard {
            Some((heard, stance)) if *heard == said => *stance,
            _ => {
                let stance = self.stance_of(candidate);
                self.heard = Some((said, stance));
                stance
            }
        }
    }

    fn stance_of(&mut self, candidate: &Candidate<V>) -> Stance {
        if ticked(self.text, candidate.value.start) == Some(false) {
            return Stance::Denied;
        }
        if candidate.rank.rule == Rule::Whole {
            return Stance::Asserted;
        }
        let at = candidate.value.start;
        // "User: 4" may be a field of that name.
        let is_line = candidate.rank.rule != Rule::Fields && is_spoken_in_a_dialogue(self.text, at);
        if is_line || is_introduced(self.text, at) {
            return Stance::Anothers;
        }
        let is_marked = candidate.rank.rule == Rule::Marker;
        let sentence = self.sentences.at(candidate.value.start);
        // The weakest evidence is the judge's only where nothing around it is anything else.
        if candidate.rank.rule == Rule::Mention && sentence.is_about_others(&candidate.value) {
            return Stance::Anothers;
        }
        let is_named = is_marked || candidate.rank.rule == Rule::Fields;
        let name = if is_named { candidate.span.start } else { candidate.value.start };
        let clause = sentence.clause_named(name, &candidate.value);
        let mut stance = clause.stance(candidate.span.end, is_marked);
        if stance == Stance::Asserted && follows_supposition(self.text, sentence) {
            stance = Stance::Supposed;
        }
        if stance != Stance::Asserted || candidate.found.is_err() {
            return stance;
        }
        if clause.behind_thinker().is_some_and(|gap| !owns(slice(self.text, gap))) {
            return Stance::Anothers;
        }
        if clause.is_a_judgement() && denies_of_another(self.text, sentence, &candidate.value) {
            return Stance::Mentioned;
        }
        // "Write GRADE: C for a correct one and GRADE: I for others": what is joined is said alike.
        if is_marked
            && let Some((stance, other)) = &self.disowned
            && clause.is_joined_to(other.span.end)
        {
            return *stance;
        }
        let is_strict = is_marked && self.mode == Mode::Strict;
        let marker = slice(self.text, candidate.span.start..candidate.value.start);
        // A document, and a line of scores, have none.
        let has_marker = is_marked && !marker.is_empty();
        // `{"result": 4, "why": "…"}`: its own quotation mark is closed.
        let is_quotable = is_marked && !marker.contains('"');
        // "Feedback: fine [RESULT] 3", "with a total score reduction of 7": some markers stand amid a sentence by design.
        let is_set_apart = is_marked && (!clause.has_name || marker.contains([':', '\u{ff1a}', '<']));
        let is_name = is_marked && clause.is_candidates_name();
        let is_mentioned = is_quotable
            && (clause.is_quoted_amid_a_sentence() || clause.is_quoted_within_a_sentence(is_strict))
            || is_name
            || has_marker && (clause.is_named_for_a_part() || is_index(self.text, candidate.span.start))
            || is_set_apart && (is_strict || has_marker && clause.is_run_into()) && clause.is_unsaid(is_strict)
            || is_strict && is_quotable && clause.goes_on_at_once();
        let leaves_open: Option<fn(&[Token]) -> bool> = if is_strict {
            (!clause.has_name || is_set_apart && clause.is_led_up_to()).then_some(denies_any)
        } else if is_name || is_set_apart && clause.is_amid_a_sentence() {
            Some(denies_any)
        } else {
            let is_sure = clause.is_of_what_is_judged(candidate.rank.rule);
            Some(if is_sure { denies_own_judging } else { denies_own })
        };
        // "No, I don't see it" answers, and then says the same.
        let behind = if clause.answers_no() { clause.sentence().end } else { candidate.span.end };
        let is_open =
            leaves_open.is_some_and(|leaves| is_left_open(&mut self.revising, behind, &mut self.sentences, leaves));
        if is_mentioned || is_open { Stance::Mentioned } else { stance }
    }

    /// Take what the sentence before the last one says, or the last one, which leaves nothing of a verdict that says something else.
    pub(super) fn contradict(&mut self, other: Candidate<V>) {
        if !self.disowns(&other) {
            self.contradiction = Some(other);
        }
    }

    /// Take evidence that stands alone where the format documents the verdict, whatever is said around it.
    pub(super) fn offer_documented(&mut self, candidate: Candidate<V>) {
        if self.cut_at.is_some_and(|end| candidate.reach >= end) {
            self.touched_cut = true;
            return;
        }
        if self.strongest.is_none_or(|strongest| candidate.rank < strongest) {
            self.strongest = Some(candidate.rank);
        }
        self.claims.push(candidate);
    }

    /// Take out what was withdrawn or corrected, and say whether that was all. `bare` finds a value alone where a
    /// correction was announced.
    pub(super) fn revise(&mut self, bare: impl Fn(Range<usize>) -> Option<Candidate<V>>) -> bool {
        // Behind a value that is the whole reply nothing is said.
        if self.precedence == Precedence::First || self.is_best(Rule::Whole) {
            return false;
        }
        let first = self.claims.iter().map(|claim| claim.span.end).min();
        let may_be_alone = !self.is_slot && self.mode != Mode::Strict;
        let Some(from) = first.or(may_be_alone.then_some(0)) else { return false };
        if self.settled_from.is_some_and(|settled| settled <= from) {
            return false;
        }
        self.settled_from = Some(from);
        let claimed = self.claimed();
        let is_claimed = |said: Range<usize>| is_any_in(&claimed, &said);
        let mut heard =
            |revising: &mut Revising<'_>| revisions(revising, from, &mut self.sentences, self.hears, is_claimed);
        // Where nothing was claimed, nothing can be taken back, and few words put something in its place.
        if first.is_none() && heard(&mut Revising::new(self.text, REPLACES)).is_empty() {
            return false;
        }
        for revision in heard(&mut self.revising) {
            match revision {
                Revision::Withdrawn(at) => self.claims.retain(|claim| claim.span.end > at),
                Revision::Apologized(range) if !self.is_replaced(&range, &bare) => self.contest(&range, true, &bare),
                Revision::Corrected(range) | Revision::Apologized(range) => {
                    self.correct(&range, first.is_some(), &bare);
                    self.contest(&range, false, &bare);
                }
            }
        }
        self.strongest = self.claims.iter().map(|claim| claim.rank).min();
        first.is_some() && self.claims.is_empty()
    }

    /// Whether an apology is followed by a verdict as strong as what was said, or by a value alone, and consoles nobody.
    fn is_replaced(&mut self, range: &Range<usize>, bare: &impl Fn(Range<usize>) -> Option<Candidate<V>>) -> bool {
        let is_marked = self.claims.iter().any(|claim| claim.rank.rule == Rule::Marker);
        let is_as_strong =
            |claim: &Candidate<V>| range.contains(&claim.span.start) && (!is_marked || claim.rank.rule == Rule::Marker);
        let sentence = self.sentences.at(range.start);
        let end = sentence.range.end;
        self.claims.iter().any(is_as_strong)
            || bare(range.start..end).is_some_and(|claim| sentence.is_all_said(range.start, &claim.value))
            || self.set_off(range.start, bare).is_some()
            || self.concluded(end..range.end, bare).is_some()
    }

    /// `Sorry, it stands in the annex: yes.`, `I correct: answer B, because A fails`: the value that a colon sets off behind a
    /// word that corrects, with nothing beside it but its noun.
    fn set_off(&mut self, word: usize, bare: &impl Fn(Range<usize>) -> Option<Candidate<V>>) -> Option<Candidate<V>> {
        let sentence = self.sentences.at(word);
        let colon = sentence.tokens.iter().rposition(|token| token.start >= word && token.is_mark(&COLONS))?;
        let start = sentence.tokens.get(colon)?.end;
        let ends = |token: &&Token| token.is(class::BECAUSE) || token.is_mark(&COMMAS);
        let behind = sentence.slice(colon + 1..);
        let end = behind.iter().skip(1).find(ends).map_or(sentence.range.end, |token| token.start);
        // "Sorry, typos: 3" and "Correction on style: 3" name something else: a clause has more words.
        let between = sentence.slice(..colon).iter().filter(|token| token.is_word() && token.start > word);
        if (1..CLAUSE).contains(&between.count()) {
            return None;
        }
        let claim = bare(start..end)?;
        let is_value = |token: &Token| token.start < claim.value.end && claim.value.start < token.end;
        let is_noun = |token: &Token| !token.is_word() || token.is(class::THING | class::FILL | class::VAGUE);
        let is_alone =
            behind.iter().take_while(|token| token.start < end).all(|token| is_value(token) || is_noun(token));
        (is_alone && self.stance(&claim) == Stance::Asserted).then_some(claim)
    }

    /// What stands behind the announcement of a correction takes the place of what was said, or a value alone does.
    fn correct(
        &mut self,
        range: &Range<usize>,
        was_claimed: bool,
        bare: &impl Fn(Range<usize>) -> Option<Candidate<V>>,
    ) {
        if self.claims.iter().any(|claim| range.contains(&claim.span.start)) {
            self.claims.retain(|claim| claim.span.start >= range.start);
            return;
        }
        let said = self.sentences.at(range.start).range.clone();
        if self.is_slot && !self.claims.iter().any(|claim| said.contains(&claim.value.start)) {
            return;
        }
        let set_off = if was_claimed { self.set_off(range.start, bare) } else { None };
        let claim = set_off.or_else(|| {
            bare(range.start..said.end).filter(|claim| {
                let is_in_place = if was_claimed {
                    self.is_put_in_place(range.start, &claim.value)
                } else {
                    self.is_own_correction(range.start, &claim.value)
                };
                is_in_place && self.is_of_the_same(range.start, claim) && self.stance(claim) == Stance::Asserted
            })
        });
        let later = said.end..range.end;
        let claim = if claim.is_none() && was_claimed { self.concluded(later, bare) } else { claim };
        if let Some(claim) = claim {
            self.claims.clear();
            self.offer_documented(claim);
        }
    }

    /// `Safe. Correction: it tells how to build a weapon, unsafe.`: what a correction may have put in the place of all that was
    /// claimed leaves nothing of it, where its sentence has another value that only marks and a copula lead up to.
    fn contest(
        &mut self,
        range: &Range<usize>,
        is_apology: bool,
        bare: &impl Fn(Range<usize>) -> Option<Candidate<V>>,
    ) {
        if self.is_slot || self.claims.iter().any(|claim| claim.span.end > range.start) {
            return;
        }
        let end = self.sentences.at(range.start).range.end;
        if let Some(claim) = bare(range.start..end)
            && claim.found.is_ok()
            && self.claims.iter().all(|other| other.found != claim.found)
            && self.sentences.at(range.start).clause(&claim.value).is_set_off(is_apology)
            && self.stance(&claim) == Stance::Asserted
        {
            self.claims.clear();
        }
    }

    /// `Fel. Nej, det är rätt.`, but not `Incorrect. Many deny it. Actually, it is true.`: whether a word in place of a verdict
    /// is all that its sentence says right behind that one, if it is no label's own, which `Values::alone` calls an opening.
    fn is_of_the_same(&mut self, word: usize, claim: &Candidate<V>) -> bool {
        if claim.rank.rule != Rule::Opening {
            return true;
        }
        if self.has(Rule::Marker) {
            return false;
        }
        let sentence = self.sentences.at(word);
        let near = sentence_before(self.text, sentence).start..claim.span.start;
        // "Actually, the statement is true."
        let is_noun = |token: &Token| token.is(class::THING) && !token.is(class::SUBJECT | class::FILL | class::LINK);
        let is_mere = sentence.is_all(&claim.value, false) && !sentence.tokens.iter().any(is_noun);
        is_mere && self.claims.iter().any(|claim| near.contains(&claim.value.start))
    }

    /// `No. Wait, the second paragraph has it. Then yes.`: what one of the next sentences says, and nothing else.
    fn concluded(
        &mut self,
        range: Range<usize>,
        bare: &impl Fn(Range<usize>) -> Option<Candidate<V>>,
    ) -> Option<Candidate<V>> {
        let is_marked = self.has(Rule::Marker);
        let mut at = range.start;
        for _ in 0..CONCLUDED {
            let sentence = self.sentences.at(at).range.clone();
            if sentence.is_empty() || sentence.start >= range.end {
                break;
            }
            if let Some(claim) = bare(sentence.clone())
                && self.sentences.at(at).is_all(&claim.value, !is_marked)
                && self.stance(&claim) == Stance::Asserted
            {
                return Some(claim);
            }
            at = sentence.end;
        }
        None
    }

    /// `I first had a 7. Correction: 4.`: whether the judge speaks of itself right before a word that corrects, and nothing
    /// but a value is said behind it.
    fn is_own_correction(&mut self, word: usize, value: &Range<usize>) -> bool {
        let sentence = self.sentences.at(word);
        if !sentence.is_all_said(word, value) {
            return false;
        }
        let before = sentence_before(self.text, sentence);
        self.sentences.at(before.start).classes & class::SELF != 0
    }

    /// `Instead, 6`, `Actually, B is better`, but not `Instead, B lists them`: whether nothing else is said of a value
    /// behind a word that corrects.
    fn is_put_in_place(&mut self, word: usize, value: &Range<usize>) -> bool {
        let sentence = self.sentences.at(word);
        // Scripts without spaces have text between the words that are known.
        let next = sentence.tokens.iter().find(|token| token.start >= value.end);
        let gap = slice(self.text, value.end..next.map_or(sentence.range.end, |next| next.start));
        let goes_on = gap.contains(char::is_alphanumeric);
        let clause = sentence.clause(value);
        let is_value = |token: &Token| token.start < value.end && value.start < token.end;
        !clause.is_told_of() && !goes_on
            || sentence.is_all_said(word, value)
            || clause.announces_score().is_some()
            || clause.announces_label(is_value).is_some()
    }

    pub(super) fn sentences(&mut self) -> &mut Sentences<'t> {
        &mut self.sentences
    }

    /// The sentence that holds a place.
    pub(super) fn sentence(&mut self, at: usize) -> &Sentence {
        self.sentences.at(at)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.claims.is_empty()
    }

    /// Whether a value that stands alone somewhere is claimed already.
    pub(super) fn claims(&self, value: &V, span: &Range<usize>) -> bool {
        let is_it = |claim: &Candidate<V>| claim.span == *span && claim.value == *span;
        self.claims.iter().any(|claim| is_it(claim) && claim.found.as_ref().is_ok_and(|found| found == value))
    }

    fn weigh_all(&mut self) -> Weighed<'_, 't, V> {
        let claims = std::mem::take(&mut self.claims);
        let is_lesser = |claim: &&Candidate<V>| {
            matches!(claim.rank.rule, Rule::Statement | Rule::Opening | Rule::Closing) && claim.rank.grade <= 1
                || claim.rank == Rank::of(Rule::Labelled, 1)
        };
        let lesser: Vec<Candidate<V>> = claims.iter().filter(is_lesser).cloned().collect();
        let (text, precedence) = (self.text, self.precedence);
        let mut weighed = Weighed { text, precedence, sentences: &mut self.sentences, best: None, rival: None };
        for claim in claims {
            weighed.take(claim);
        }
        weighed.oppose(&lesser);
        // What the judge denies or left behind stands beside nothing.
        let is_else = |(stance, _): &&(Stance, Candidate<V>)| !matches!(stance, Stance::Denied | Stance::Past);
        weighed.compare(self.passed.values().filter(is_else).map(|(_, claim)| claim));
        if let Some(other) = self.contradiction.take() {
            weighed.contradict(other);
        }
        weighed
    }

    /// Take back all where the best is said of one of several things, and a later one is spoken of that has no value.
    pub(super) fn leave_out_items(&mut self, is_candidate: impl Fn(&Token, &Token) -> bool) {
        let Some(last) = self.claims.iter().map(|claim| claim.span.end).max() else { return };
        let best = self.claims.iter().filter(|claim| Some(claim.rank) == self.strongest);
        let Some(best) = best.max_by_key(|claim| claim.value.start) else { return };
        if best.rank.rule == Rule::Whole || tail(self.text, last).trim().is_empty() {
            return;
        }
        let start = if best.rank.rule == Rule::Marker { best.span.start } else { best.value.start };
        let value = start..best.value.end;
        if is_of_an_earlier_item(self.text, value.clone(), last, &mut self.sentences, is_candidate)
            || is_of_a_part_beside_an_open_one(value, last, &mut self.sentences)
        {
            self.disowned = Some((Stance::Mentioned, best.clone()));
            self.claims.clear();
        }
    }

    /// What was said in the end, a value or what is none, and where: part of a larger verdict.
    ///
    /// # Errors
    ///
    /// Why nothing was, where something stood there.
    pub(super) fn settle(
        mut self,
        bare: impl Fn(Range<usize>) -> Option<Candidate<V>>,
    ) -> Result<(Found<V>, Range<usize>), Option<&'static str>> {
        let is_withdrawn = self.revise(bare);
        let stance = self.disowned.take().map(|(stance, _)| stance);
        let Weighed { best, rival, .. } = self.weigh_all();
        let Some(best) = best else { return Err(if is_withdrawn { None } else { stance.and_then(why_nobodys) }) };
        Ok(match rival {
            Some(rival) => (Err((Reason::Ambiguous, CONTRADICTION)), best.span.start..rival.span.end),
            None => (best.found, best.span),
        })
    }

    /// The outcome, with `otherwise` where there was no evidence. `bare` finds a value alone that may correct another.
    pub(super) fn decide<'f>(
        mut self,
        view: &View<'_>,
        value_of: impl Fn(V) -> Value<'f>,
        bare: impl Fn(Range<usize>) -> Option<Candidate<V>>,
        otherwise: impl FnOnce() -> Unreadable<'f>,
    ) -> Outcome<'f> {
        let is_withdrawn = self.revise(bare);
        let touched_cut = self.touched_cut;
        let (stance, said) = self.disowned.take().unzip();
        let why = if is_withdrawn { Some("what was said is taken back") } else { stance.and_then(why_nobodys) };
        // What somebody else says is kept, so that a copy of what the judge was shown is told.
        let said = said.filter(|_| matches!(stance, Some(Stance::Anothers | Stance::Mentioned)) && !is_withdrawn);
        let kept =
            said.and_then(|said| Some(Reading::new(value_of(said.found.ok()?), said.rank.rule, view.place(said.span))));
        let otherwise = || {
            let unread = otherwise();
            match why.filter(|_| unread.reason == Reason::NoVerdict) {
                Some(why) => {
                    let candidates = kept.into_iter().collect();
                    Unreadable { reason: Reason::NoVerdict, detail: Detail::Sentence(why), candidates }
                }
                None => unread,
            }
        };
        self.weigh_all().decide(view, value_of, otherwise, touched_cut)
    }
}

/// `grid[[4]]`, `det([[A]])`, `solve(A, [[8]])`: whether brackets touch a word that is no name of a verdict, or stand in a call.
fn is_index(text: &str, open: usize) -> bool {
    if text.as_bytes().get(open) != Some(&b'[') {
        return false;
    }
    let near = text.floor_char_boundary(open.saturating_sub(CALL));
    let mut depth = 0_usize;
    let call = slice(text, near..open).bytes().rev().take_while(|&byte| byte != b'\n').position(|byte| {
        depth += usize::from(byte == b')');
        let is_open = byte == b'(' && depth == 0;
        depth -= usize::from(byte == b'(' && depth > 0);
        is_open
    });
    let is_touched = |at: usize| {
        let at = skip_back_near(text, at, |c| matches!(c, '(' | '[' | '{'));
        // `\boxed{[[A]]}` calls nothing.
        text.as_bytes().get(at) != Some(&b'{')
            && char_before(text, at).is_some_and(|c| c.is_alphanumeric() && !is_unspaced(c))
            && word_before(text, at)
                .is_none_or(|word| !word.has(class::ANNOUNCE | class::VAGUE | class::WINNER | OF_ALL))
    };
    is_touched(open) || call.is_some_and(|back| is_touched(open - back - 1))
}

/// No call is longer before what is looked at, in bytes.
const CALL: usize = 64;

const CONTRADICTION: Detail = Detail::Sentence("two verdicts of equal standing contradict each other");

/// Whether any of some places, which are in order, lies in a range.
fn is_any_in(places: &[usize], range: &Range<usize>) -> bool {
    let first = places.partition_point(|at| *at < range.start);
    places.get(first).is_some_and(|at| *at < range.end)
}

/// Why what stands there is not the judge's verdict.
fn why_nobodys(stance: Stance) -> Option<&'static str> {
    Some(match stance {
        Stance::Asserted => return None,
        Stance::Anothers => "what stands there was said by somebody else",
        Stance::Supposed => "what stands there is supposed or asked, and not said",
        Stance::Denied => "what stands there is denied",
        Stance::Bounded => "what stands there is a bound, and no score",
        Stance::Past => "what stands there was once so",
        Stance::Instructed => "what stands there is an instruction or its example",
        Stance::Mentioned => "nothing says that what stands there is the verdict",
    })
}

/// The strongest evidence so far, and one of equal rank that contradicts it.
struct Weighed<'c, 't, V> {
    text: &'t str,
    precedence: Precedence,
    sentences: &'c mut Sentences<'t>,
    best: Option<Candidate<V>>,
    rival: Option<Candidate<V>>,
}

/// How one of two pieces of evidence of equal rank is said.
#[derive(Clone, Copy, PartialEq)]
enum Standing {
    /// For one criterion, or where nothing announces it.
    Aside,
    /// Of something else than what is judged, or by somebody else.
    Told,
    Level,
    /// Alone, or where the judge speaks of itself.
    Own,
}

/// The rule one step weaker, among those that prose gives evidence by.
fn step_below(rule: Rule) -> Option<Rule> {
    match rule {
        Rule::Labelled => Some(Rule::Statement),
        Rule::Statement => Some(Rule::Opening),
        Rule::Opening => Some(Rule::Closing),
        _ => None,
    }
}

impl<V: PartialEq + Clone> Weighed<'_, '_, V> {
    fn take(&mut self, candidate: Candidate<V>) {
        let Some(best) = &self.best else { return self.replace(candidate) };
        match candidate.rank.cmp(&best.rank) {
            std::cmp::Ordering::Less => self.replace(candidate),
            std::cmp::Ordering::Greater => self.correct(candidate),
            std::cmp::Ordering::Equal => self.weigh(candidate),
        }
    }

    /// `If safety counts, [[B]]; if it doesn't, [[A]], they say.`: a marker amid a sentence that gives no verdict is said as
    /// another one is that is none.
    fn compare<'p>(&mut self, mut passed: impl Iterator<Item = &'p Candidate<V>>)
    where
        V: 'p,
    {
        let Some(best) = &self.best else { return };
        let is_marked = best.rank.rule == Rule::Marker && best.found.is_ok() && self.precedence == Precedence::Agree;
        let Some(other) = passed.find(|other| is_marked && other.found != best.found) else { return };
        let sentence = self.sentences.at(best.value.start);
        let is_alone = closes_text(self.text, best.span.end) || sentence.is_led_by_none(&best.span);
        let clause = sentence.clause_named(best.span.start, &best.value);
        let is_sure = is_alone || clause.is_given_by_the_judge(false) || sentence.settles(sentence.range.clone());
        // "[[A]] On reflection [[B]]. I don't know.": what is announced as a correction contests what it would correct.
        let said = best.span.end..other.value.start;
        let is_corrected = !said.is_empty() && self.sentences.at(other.value.start).corrects_in(said);
        // "A [[7]] or a [[4]], depending on the rubric."
        let is_alternative = self.sentences.at(other.value.start).is_alternative(best.span.end..other.span.start);
        if !is_sure || is_corrected || is_alternative {
            self.rival = Some(other.clone());
        }
    }

    /// What another sentence calls true or safe contradicts a later verdict, and one right before it that no marker gives.
    fn contradict(&mut self, other: Candidate<V>) {
        let Some(best) = self.best.as_ref().filter(|_| self.precedence == Precedence::Agree) else { return };
        let is_before = best.value.start > other.value.end;
        let is_behind = best.rank.rule > Rule::Marker
            && sentence_before(self.text, self.sentences.at(other.value.start)).contains(&best.value.start);
        if best.found.is_ok() && best.found != other.found && (is_before || is_behind) {
            self.rival = Some(other);
        }
    }

    fn replace(&mut self, better: Candidate<V>) {
        (self.best, self.rival) = (Some(better), None);
    }

    /// Another value one step below the best, among those that prose says, contradicts it.
    fn oppose(&mut self, lesser: &[Candidate<V>]) {
        let Some(best) = self.best.as_ref().filter(|_| self.precedence == Precedence::Agree && self.rival.is_none())
        else {
            return;
        };
        let Some(below) = step_below(best.rank.rule).filter(|_| !lesser.is_empty()) else { return };
        let sentence = self.sentences.at(best.value.start).range.clone();
        // "Score: 8" and "Overall score: 5", where no other score stands and nothing says of what part that one is.
        let is_whole = best.rank == Rank::of(Rule::Labelled, 0)
            && !self.sentences.at(best.value.start).settles(0..best.value.start);
        let mut same = lesser.iter().filter(|claim| is_whole && claim.rank == Rank::of(Rule::Labelled, 1));
        let only = same.next().filter(|_| same.next().is_none()).map(|claim| claim.value.clone()).filter(|value| {
            let between = slice(self.text, value.end..best.value.start.max(value.end));
            let clause = self.sentences.at(value.start).clause(value);
            (clause.says(class::FINAL) || !between.contains("\n\n")) && !clause.names_a_part()
        });
        let is_rival = |claim: &&Candidate<V>| {
            // "A is better.", and "B" at the end.
            let is_near = claim.rank.rule == below || claim.rank == Rank::of(Rule::Closing, 0);
            (is_near && best.rank.grade <= 3 || only.as_ref() == Some(&claim.value))
                && claim.found.is_ok()
                && claim.found != best.found
                && !sentence.contains(&claim.value.start)
        };
        self.rival = lesser.iter().find(is_rival).cloned();
    }

    /// Evidence of lower standing that comes later and takes the best back.
    fn correct(&mut self, later: Candidate<V>) {
        let Some(best) = &self.best else { return };
        // Only by where it stands in its line may it be weaker, not by what it is.
        let is_comparable = later.rank.rule == best.rank.rule
            && matches!(later.rank.rule, Rule::Marker | Rule::Labelled | Rule::Fields);
        if is_comparable
            && self.precedence != Precedence::First
            && later.span.start >= best.span.end
            && later.found.as_ref().map_or_else(|(reason, _)| *reason == Reason::OutOfRange, |_| true)
            && later.found != best.found
            && (self.sentences.at(later.value.start).settles(best.span.end..later.value.start)
                || later.found.is_ok() && self.sentences.at(later.value.start).is_final_behind(&later.span))
        {
            // What follows is weighed against the correction as against what it corrects.
            self.replace(Candidate { rank: best.rank, ..later });
        }
    }

    /// A second piece of evidence of the best rank.
    fn weigh(&mut self, later: Candidate<V>) {
        let Some(best) = &self.best else { return };
        let precedence = self.precedence;
        if precedence == Precedence::First {
            return;
        }
        // "I should answer [[A]], [[B]] or [[C]]. Having compared the two: [[C]]"
        if matches!(best.found, Err((Reason::Ambiguous, _))) && later.found.is_ok() {
            return self.replace(later);
        }
        let is_apart = !self.sentences.at(best.value.start).range.contains(&later.value.start);
        // "[[A]] for style, [[B]] for substance. Overall [[C]]", "There's a case for [[A]]. [[B]]": those for one criterion
        // yield, and those that nothing announces.
        let mut standing = |claim: &Candidate<V>| {
            let clause = self.sentences.at(claim.value.start).clause_named(claim.span.start, &claim.value);
            let is_marked = claim.rank.rule == Rule::Marker;
            if is_marked && is_apart && clause.goes_through() && !clause.is_given_by_the_judge(false) {
                return Standing::Aside;
            }
            if claim.found.is_err() {
                return Standing::Level;
            }
            if precedence == Precedence::Agree && clause.is_for_a_criterion()
                || is_marked && is_apart && !clause.has_name && clause.is_only_mentioned()
            {
                Standing::Aside
            } else if is_marked && precedence == Precedence::Agree && clause.is_given_elsewhere() {
                Standing::Told
            } else if is_marked && clause.is_given_by_the_judge(is_apart) {
                Standing::Own
            } else {
                Standing::Level
            }
        };
        let standing = (standing(best), standing(&later));
        match standing {
            (Standing::Aside, Standing::Aside) => {}
            (Standing::Aside, _) | (Standing::Told, Standing::Own) => return self.replace(later),
            (_, Standing::Aside) | (Standing::Own, Standing::Told) => return,
            _ => {}
        }
        let same = match (&best.found, &later.found) {
            _ if precedence == Precedence::Last => return self.replace(later),
            (Ok(one), Ok(other)) => one == other,
            (Err(_), Err(_)) => true,
            // What is no verdict does not stand against one that comes after it.
            (Err(_), Ok(_)) => return self.replace(later),
            (Ok(_), Err(_)) => false,
        };
        if same && self.rival.is_none() {
            return;
        }
        let said = best.span.end..later.value.start;
        // "Depth: [[6]]" above "Overall: [[7]]".
        let mut is_part_of = |part: &Candidate<V>, whole: &Candidate<V>, said: Range<usize>| {
            best.rank.rule == Rule::Marker
                && self.sentences.at(whole.value.start).is_of_all(said)
                && self.sentences.at(part.value.start).clause(&part.value).names_a_part()
        };
        if is_part_of(&later, best, 0..best.value.start) {
            return;
        }
        let is_whole = is_part_of(best, &later, said.clone());
        let is_final = if best.rank.rule == Rule::Statement {
            self.sentences.at(later.value.start).concludes(said)
        } else {
            is_whole
                || self.sentences.at(later.value.start).settles(said)
                    && !self.sentences.at(best.value.start).settles(0..best.value.start)
        };
        // Several words that hold no label are a link or a placeholder, not another verdict.
        let is_prose = matches!(&later.found, Err((_, Detail::NotALabel(held))) if held.contains(' '));
        if is_final {
            self.replace(later);
        } else if !(same || is_prose && self.rival.is_none()) {
            self.rival = Some(later);
        }
    }

    /// The outcome, with `otherwise` where there was no evidence.
    fn decide<'f>(
        self,
        view: &View<'_>,
        value_of: impl Fn(V) -> Value<'f>,
        otherwise: impl FnOnce() -> Unreadable<'f>,
        touched_cut: bool,
    ) -> Outcome<'f> {
        let reading =
            |value: V, rank: Rank, span: Range<usize>| Reading::new(value_of(value), rank.rule, view.place(span));
        let Some(best) = self.best else {
            let otherwise = otherwise();
            let is_cut = touched_cut && otherwise.reason == Reason::NoVerdict;
            return Err(if is_cut {
                Unreadable::new(
                    Reason::Truncated,
                    Detail::Sentence("the reply was cut off before its verdict was complete"),
                )
            } else {
                otherwise
            });
        };
        if let Some(rival) = self.rival {
            let candidates = [best, rival]
                .into_iter()
                .filter_map(|one| Some(reading(one.found.ok()?, one.rank, one.span)))
                .collect();
            return Err(Unreadable { reason: Reason::Ambiguous, detail: CONTRADICTION, candidates });
        }
        match best.found {
            Ok(value) => Ok(reading(value, best.rank, best.span)),
            Err((reason, detail)) => Err(Unreadable::new(reason, detail)),
        }
    }
}
