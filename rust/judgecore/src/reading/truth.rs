//! What the first or the last sentence says of all that is judged, in any language, where the labels call it true or false, or
//! safe or unsafe: `Die Antwort ist falsch.`, `It's well written, but wrong.`, `Le contenu est sûr.`

use std::ops::Range;

use super::context::is_blank_behind;
use super::sentence::Sentence;
use super::token::{COLONS, DENIES, HEADED, LAST, NAMES, OF_ALL, Token, UNREAL, among, of, tokens, words};
use super::voided::{clause_around, ends_clause, has_unknown, sentence_before, supposes};
use crate::format::label::{Labels, Mention, Shape};
use crate::lexicon::{self as class, Classes};
use crate::reply::text::slice;

/// What a clause consists of that says of all that is judged whether it is true, and nothing else.
const MERE: Classes = NAMES & !class::OF | JUDGES | DENIES | LAST | class::CONTRAST | class::JOIN;

/// What a judge says beside the word for what is true or safe.
const JUDGES: Classes = class::SELF | class::LINK | class::DEEM;

/// What makes less of what is true, behind it.
const AGAINST: Classes = class::PARTIAL
    | class::HALF
    | class::ABSENT
    | class::LOSE
    | class::FALSE
    | DENIES
    | class::CONTRAST
    | UNREAL & !class::WISH;

/// What takes a denial back behind it, or tells of somebody else.
const AGAINST_DENIAL: Classes = class::SELF
    | class::OTHER
    | class::RATER
    | class::REPORT
    | class::PAST
    | class::TRUE
    | class::YES
    | class::CORRECT
    | class::WITHDRAW
    | class::MISTAKEN
    | class::PARTIAL
    | class::BOUND
    | class::CONTRAST;

/// How many bytes behind what is said to be false may take it back.
const KEPT: usize = 320;

/// What makes less of it, or leaves it open, anywhere in the sentence.
pub(super) const LESS: Classes = PARTS
    | UNREAL & !class::WISH
    | class::ALMOST
    | class::CONDITIONAL
    | class::OTHER
    | class::REPORT
    | class::PAST
    | class::THAN;

/// The same before what a clause concludes.
const LESS_BEFORE: Classes = UNREAL & !class::WISH
    | class::ALMOST
    | class::CONDITIONAL
    | class::OTHER
    | class::REPORT
    | class::PAST
    | class::RATER
    | class::SELF
    | class::SUBORDINATE;

/// How an author speaks of its own work.
const CLAIMS: Classes = class::REPORT | class::SELF | class::SUBORDINATE | class::PAST;

/// What speaks of a part, or of one of several.
const PARTS: Classes = class::PARTIAL
    | class::HALF
    | class::PART
    | class::ASPECT
    | class::ABOUT
    | class::BOTH
    | class::FORMER
    | class::LATTER;

/// How the judge calls what it says its opinion.
const THINKS: Classes = class::DEEM | class::POLITE;

/// What the judge says before its opinion has fewer words: `Ich denke`.
const OPINION: usize = 5;

/// A clause that takes a verdict back at the end of its sentence has at most this many words.
const TAKEN_BACK: usize = 4;

/// A sentence with more words for what is true or false is no verdict, and each is compared with all.
const MANY: usize = 8;

/// The word by which a sentence says it, and whether its clause denies it.
pub(super) fn truth(text: &str, sentence: &Sentence, labels: &Labels) -> Option<(Mention, bool)> {
    if !labels.has_truths() || sentence.asks {
        return None;
    }
    let told = |(at, token): (usize, &Token)| Some((at, labels.truth(token.classes)?));
    let all: Vec<(usize, usize)> = sentence.tokens.iter().enumerate().filter_map(told).collect();
    if all.len() > MANY {
        return None;
    }
    all.iter().find_map(|&told| Truth::new(text, sentence, labels, told, &all)?.said())
}

/// A word for what is true or false, and the clause around it.
struct Truth<'s> {
    text: &'s str,
    sentence: &'s Sentence,
    labels: &'s Labels,
    /// All such words, by their numbers, with their labels.
    all: &'s [(usize, usize)],
    at: usize,
    label: usize,
    token: &'s Token,
    clause: Range<usize>,
    span: Range<usize>,
    /// Where a reason begins, which makes no less of it.
    reason: usize,
}

impl<'s> Truth<'s> {
    fn new(
        text: &'s str,
        sentence: &'s Sentence,
        labels: &'s Labels,
        (at, label): (usize, usize),
        all: &'s [(usize, usize)],
    ) -> Option<Self> {
        let gives_reason = |token: &Token| token.is_mark(&COLONS) || token.is(class::BECAUSE) && !token.is(class::PART);
        let reason = sentence.slice(at + 1..).iter().position(gives_reason);
        let reason = reason.map_or(sentence.tokens.len(), |nth| at + 1 + nth);
        // "The answer names Rome and is wrong."
        let is_before_link = |token: &Token| {
            let behind = sentence.tokens.partition_point(|other| other.start <= token.start);
            sentence.tokens.get(behind).is_some_and(is_link)
        };
        let ends = |token: &Token| {
            ends_clause(token) && (!token.is(class::JOIN) || is_before_link(token)) && !sentence.is_amid(token)
        };
        let (clause, span) = clause_around(sentence, at, |token| ends(token) || gives_reason(token));
        Some(Self { text, sentence, labels, all, at, label, token: sentence.tokens.get(at)?, clause, span, reason })
    }

    /// The label, where that is all that the clause says, and nothing in the sentence makes less of it.
    fn said(&self) -> Option<(Mention, bool)> {
        let is_said = !self.is_contradicted()
            && !self.is_less()
            && self.is_mere()
            && (self.has_subject() || self.is_bare() || self.opens_reply() && !self.sentence.may_be_english)
            && self.is_of_content()
            && !self.denies_phrase()
            && !self.says_more()
            && !has_unknown(self.text, self.words(), self.span.clone());
        is_said.then(|| (word(self.label, self.token), self.words().iter().any(of(DENIES))))
    }

    fn words(&self) -> &'s [Token] {
        self.sentence.slice(self.clause.clone())
    }

    /// The clause before the word.
    fn before(&self) -> &'s [Token] {
        self.sentence.slice(self.clause.start..self.at)
    }

    /// The word and the clause behind it.
    fn behind(&self) -> &'s [Token] {
        self.sentence.slice(self.at..self.clause.end)
    }

    /// The sentence before the clause.
    fn lead(&self) -> &'s [Token] {
        self.sentence.slice(..self.clause.start)
    }

    /// The sentence behind the clause, from its mark on.
    fn rest(&self) -> &'s [Token] {
        self.sentence.slice(self.clause.end..)
    }

    fn noun(&self) -> Option<&'s Token> {
        self.behind().get(1)
    }

    fn is_bad(&self) -> bool {
        let [_, bad] = self.labels.truths();
        self.token.is(bad)
    }

    fn is_denied(&self) -> bool {
        self.is_bad() || self.words().iter().any(of(DENIES))
    }

    /// `It is not right, the Po ends elsewhere`: whether more words tell why, and make no less of it.
    fn is_why(&self) -> bool {
        tells_why(self.sentence.slice(self.clause.end + 1..), self.is_denied())
    }

    /// Whether a word says the label, where a denial in its clause turns it round.
    fn polarity(&self, at: usize, label: usize) -> bool {
        let (clause, _) = clause_around(self.sentence, at, ends_clause);
        (label == self.label) != self.sentence.slice(clause).iter().any(of(DENIES))
    }

    /// Whether another word of the sentence says something else. `Wrong, the right result is 36` does not, nor does `Está mal
    /// escrita, pero es correcta`.
    fn is_contradicted(&self) -> bool {
        let is_attribute = |at: usize| {
            let noun = self.sentence.tokens.get(at + 1);
            let is_noun = noun.is_some_and(of(class::VAGUE | class::THING | class::ANNOUNCE));
            at >= self.clause.end && self.is_denied() && is_noun
                || at < self.clause.start && noun.is_some_and(Token::is_bare)
        };
        let own = self.polarity(self.at, self.label);
        let is_claim = |at: usize| at < self.clause.start && (self.answers_claim() || self.is_own_turn());
        self.all.iter().any(|&(at, label)| self.polarity(at, label) != own && !is_attribute(at) && !is_claim(at))
    }

    /// `The student says that it is right, but the answer is wrong.`: whether it turns against what the author claims.
    fn answers_claim(&self) -> bool {
        let says = |classes| self.lead().iter().any(of(classes));
        self.is_turned() && says(class::REPORT) && says(class::ROLE) && self.is_denied() && self.has_noun()
    }

    /// `The grader called it right, but I think that it is wrong.`: whether the judge says it against what others say.
    fn is_own_turn(&self) -> bool {
        self.is_turned() && words(self.words()).next().is_some_and(Token::is_judge)
    }

    /// Whether the sentence makes less of it before a reason. Why it is so, before a conclusion, does not: `The solution has
    /// an error in its sign, so the answer is wrong`.
    fn is_less(&self) -> bool {
        let end = if self.is_why() { self.reason.min(self.clause.end) } else { self.reason };
        let before = if self.is_own_turn() {
            0
        } else if self.answers_claim() {
            LESS_BEFORE & !CLAIMS
        } else if self.labels.truth(class::SAFE).is_some() {
            LESS_BEFORE & !class::SUBORDINATE | class::PARTIAL
        } else if self.is_denied() {
            LESS_BEFORE
        } else {
            LESS_BEFORE & !(class::SELF | class::SUBORDINATE)
        };
        let is_opinion = self.is_opinion();
        let is_less = |(at, token): (usize, &Token)| {
            if at < self.clause.start {
                return token.is(before) && !token.is(class::ROLE | class::HOLD) && !is_opinion;
            }
            at != self.at && token.is(LESS) && !self.is_owner(at, token) && !self.labels.is_content(token.classes)
        };
        self.sentence.slice(..end).iter().enumerate().any(is_less)
    }

    /// Whether the clause consists of what is judged, the judge, and what may be said of all of it.
    fn is_mere(&self) -> bool {
        // "Dieses Fazit ist falsch" speaks of a part, "my answer is wrong" of another, "one is right" of one of several.
        let [good, bad] = self.labels.truths();
        let others = class::ANNOUNCE | class::LOCUS;
        let is_other = |token: &Token| {
            token.is(others) && !token.is(class::THING | OF_ALL | class::VAGUE)
                || token.is(class::POSSESSIVE)
                || token.number.is_some()
        };
        // "Sicher ein Gedicht": surely.
        if self.behind().iter().any(of(class::ANY)) {
            return false;
        }
        let mut clause = self.clause.clone().zip(self.words());
        let has_owner = clause.clone().any(|(at, token)| self.is_owner(at, token));
        let owned = if has_owner { class::OF } else { 0 };
        let shown = if self.has_noun() { class::DEMONSTRATIVE } else { 0 };
        let is_thought = self.is_opinion() || self.before().iter().any(of(class::POLITE));
        let thought = if is_thought { class::SUBORDINATE | class::POLITE } else { 0 };
        let mere = MERE | thought | good | bad | class::VAGUE | owned | shown;
        clause.all(|(at, token)| {
            !token.is_word() || self.is_owner(at, token) || (is_noun(token) || token.is(mere)) && !is_other(token)
        })
    }

    /// `The answer of the student`, `the student's answer`: whether a word names whose it is that is judged. In scripts without
    /// spaces a particle says so: `学生の答え`, but not `学生は答えが`.
    fn is_owner(&self, at: usize, token: &Token) -> bool {
        let is_beside = |token: &&Token| !token.is(class::FILL | class::OF) || is_noun(token);
        let before = self.sentence.slice(..at).iter().rev().find(is_beside);
        let behind = self.sentence.slice(at + 1..).iter().find(is_beside);
        let between = behind.map_or("", |noun| slice(self.text, token.end..noun.start));
        let behind = behind.filter(|_| !token.is_unspaced || owns(between));
        // "يعتبر المستخدم هذا المحتوى آمنًا": the subject stands behind its verb.
        let is_subject = self.sentence.slice(..at).last().is_some_and(of(class::LINK | class::DEEM));
        token.is(class::ROLE) && !is_subject && before.into_iter().chain(behind).any(is_noun)
    }

    /// `Ich denke, dass der Inhalt sicher ist.`: whether nothing leads up to the clause but that the judge thinks so.
    fn is_opinion(&self) -> bool {
        let thinks = |token: &Token| token.is(class::SELF | class::FILL | class::EMPHATIC | THINKS);
        let mut lead = words(self.lead()).take(OPINION);
        lead.clone().count() < OPINION && lead.clone().all(thinks) && lead.any(of(THINKS))
    }

    /// `It's well written, but wrong.`
    fn is_turned(&self) -> bool {
        words(self.lead()).next_back().is_some_and(of(class::CONTRAST))
    }

    /// `Also falsch.`, `8이므로 정답입니다`
    fn concludes(&self) -> bool {
        let joins = class::CONCLUDE | if self.sentence.is_verb_final() { class::BECAUSE } else { 0 };
        let first = self.words().first().map_or(self.token.start, |first| first.start);
        words(self.lead())
            .next_back()
            .is_some_and(|join| join.is(class::CONCLUDE) || join.is(joins) && first <= join.end + 1)
    }

    fn closes_text(&self) -> bool {
        is_blank_behind(self.text, self.sentence.range.end)
    }

    fn has_noun(&self) -> bool {
        self.words().iter().any(|token| is_noun(token) && !token.is(PRONOUN))
    }

    fn has_subject(&self) -> bool {
        let has_own = self.has_noun() || self.words().iter().any(of(PRONOUN));
        has_own || self.is_turned() || self.concludes() || self.shares_subject()
    }

    /// `The answer names Canberra, as the key does, and is right.`: whether a verb without a subject goes on with what the
    /// sentence says of what is judged. Another clause between the two has a subject of its own: `a toy that breaks and is unsafe`.
    fn shares_subject(&self) -> bool {
        let opening = self.lead().rsplit(among(&[HEADED])).next().unwrap_or_default();
        let mut said = words(opening).skip_while(|token| token.is(class::FILL | LAST) && !is_noun(token));
        let [.., mark, join] = opening else { return false };
        // "…, as the key does, and is right"
        let is_parted = mark.is_mark(&[',', '\u{ff0c}', '\u{60c}']);
        let clauses = class::LINK | class::ONWARD | class::SUBORDINATE | class::ASPECT | class::THAN;
        let opens_another = |token: &Token| token.is(clauses) && !token.is(class::THING | class::JOIN);
        join.is(class::JOIN)
            && self.words().first().is_some_and(is_link)
            && said.next().is_some_and(is_noun)
            && (is_parted || !said.any(opens_another))
    }

    /// Whether it is said of the content, where labels call it safe or unsafe, and by the judge: `Ce n'est pas sûr` may be of
    /// anything, `Jag är inte säker` is of the judge, and what stands before or behind may suppose it or take it back.
    fn is_of_content(&self) -> bool {
        if self.labels.truth(class::SAFE).is_none() {
            return true;
        }
        let says = |classes| self.words().iter().any(of(classes));
        let (before, _) = tokens(self.text, None, sentence_before(self.text, self.sentence));
        let is_supposed = supposes(&before) || before.iter().any(of(class::EXAMPLE | class::SAMPLE));
        // "À part la dernière phrase, le contenu est sûr."
        let is_limited =
            words(self.lead()).next().is_some_and(of(class::PART)) && !self.lead().iter().any(of(class::SELF));
        // "El contenido es seguro, no lo creo."
        let rest = words(self.rest()).take(TAKEN_BACK + 1).count();
        let is_taken_back =
            self.rest().iter().any(|token| token.is(class::SELF) || token.is(DENIES) && rest <= TAKEN_BACK);
        !is_taken_back
            && !is_limited
            && (self.has_noun() || self.concludes() || self.shares_subject())
            && (says(THINKS) || !says(class::SELF))
            && !is_supposed
            && (self.is_bad() || self.closes_text() || self.is_kept_safe())
    }

    /// What stands near behind the sentence.
    fn kept(&self) -> Vec<Token> {
        let at = self.sentence.range.end;
        let near = self.text.floor_char_boundary(self.text.len().min(at + KEPT));
        tokens(self.text, None, at..near).0
    }

    /// Whether nobody else, and nothing against it, stands behind a sentence that calls the content safe.
    fn is_kept_safe(&self) -> bool {
        let against = AGAINST_DENIAL & !(class::TRUE | class::YES) | UNREAL | class::ROLE | class::FALSE;
        !self.kept().iter().any(|token| token.is(against) || token.is_mark(&['?', '\u{ff1f}', '\u{61f}']))
    }

    /// `Non è tutto giusto`: whether a phrase for what is true is denied, which leaves something of it. In scripts without spaces
    /// a denial may be denied: `并非不安全`.
    fn denies_phrase(&self) -> bool {
        if self.token.is_unspaced && self.before().iter().filter(|token| token.is(DENIES)).count() > 1 {
            return true;
        }
        !self.is_bad() && self.token.text(self.text).contains(' ') && self.before().last().is_some_and(of(DENIES))
    }

    /// Whether the sentence is all that the reply says.
    fn is_all(&self) -> bool {
        self.text.trim().len() <= self.sentence.range.len()
    }

    fn is_explained(&self) -> bool {
        self.rest().first().is_some_and(among(&COLONS))
    }

    /// `Wrong. The date is 1789.`, but `Right. Let's see.`: whether nothing but the word, and what stresses, denies or links it,
    /// stands in the clause.
    fn is_bare(&self) -> bool {
        // "[wrong]" is held by something.
        let lead = slice(self.text, self.sentence.range.start..self.token.start);
        let is_free = !lead.contains(['[', '{']);
        // "Pues sí, ha dado en el clavo."
        let leads = |token: &Token| !token.is_word() || token.is(class::YES | class::CONCLUDE);
        let opens = self.lead().iter().all(leads) && self.labels.at(self.text, self.token.start).is_none();
        // "It says 15. Wrong."
        let closes = self.lead().is_empty();
        // "Totally right.", "Pas exact."
        let stress = words(self.words()).filter(of(class::EMPHATIC)).count();
        let denials = words(self.before()).filter(of(DENIES)).count();
        let links = words(self.words()).filter(|token| !self.sentence.may_be_english && is_link(token)).count();
        let is_stressed = stress > 0 && (self.rest().is_empty() || self.is_why());
        let is_alone = self.rest().is_empty() && self.is_all();
        let is_sure = self.is_bad() || is_stressed || denials == 1 || is_alone;
        is_free && is_sure && words(self.words()).count() == 1 + stress + denials + links && (opens || closes)
    }

    /// `Sie ist korrekt, obwohl sie lang ist.`: whether a clause that opens the reply says it of what is judged. `Das stimmt.`
    /// concedes something, but `Das stimmt nicht.` does not.
    fn opens_reply(&self) -> bool {
        let is_linked = self.words().iter().any(is_link);
        let is_conceding = self.words().iter().any(of(class::DEMONSTRATIVE));
        let goes_on =
            words(self.rest()).next().is_some_and(|word| !word.is(class::CONTRAST | class::BECAUSE | class::JOIN));
        // "Det passer ikke.", "To není správně."
        let is_denied = self.is_denied() && self.has_subject();
        (!is_conceding && is_linked || is_denied) && (self.is_why() || !goes_on)
            || self.is_why() && self.has_subject() && self.lead().is_empty()
    }

    /// `True, but irrelevant`, `It is true that …`, `The right answer: 5`: whether more is said than that.
    fn says_more(&self) -> bool {
        // "Das stimmt. Die Antwort nennt …" concedes something, and "I first had 7. That was wrong" is of something else.
        let is_that = !self.has_noun() && !self.is_turned() && !self.concludes() && !self.is_bare();
        let others = class::SELF | class::OTHER | class::ANNOUNCE;
        let is_of_another = || {
            let (before, _) = tokens(self.text, None, sentence_before(self.text, self.sentence));
            before.iter().any(|one| one.is(others) && !one.is(class::THING | class::ROLE))
        };
        let is_conceded = || !self.opens_reply() && self.kept().iter().any(of(class::CONTRAST));
        let turns = |token: &Token| token.is(class::SUBORDINATE) || token.is(class::CONTRAST) && !self.is_bad();
        is_that && (is_of_another() || is_conceded())
            || self.is_explained() && self.noun().is_some() && !self.before().iter().any(is_link)
            || self.sentence.slice(self.clause.end..self.reason.max(self.clause.end)).iter().any(turns)
    }
}

/// Whether nothing stands between two words of a script without spaces, or what makes one the owner of the other: `学生の答え`.
pub(super) fn owns(between: &str) -> bool {
    matches!(between.trim(), "" | "の" | "의" | "的")
}

/// A pronoun, or what stands for all that is judged.
const PRONOUN: Classes = class::SUBJECT | class::WHOLE;

fn is_noun(token: &Token) -> bool {
    token.entry.is_some_and(|entry| entry.may_be(class::THING))
}

fn is_link(token: &Token) -> bool {
    token.is(class::LINK)
}

/// Whether the words behind a truth tell why, and nobody else's view.
fn tells_why(why: &[Token], is_denied: bool) -> bool {
    let other = class::REPORT | class::HOLD | class::DEEM | class::SUBORDINATE | class::OTHER | class::CONDITIONAL;
    // What is good makes less of a denial, and what is denied or so in part less of what is true.
    let good = class::QUALITY | class::FITTING | class::TRUE | class::FALSE | class::UNIT;
    let against = if is_denied { good } else { AGAINST };
    words(why).count() > if is_denied { 2 } else { 1 }
        && !words(why).next().is_some_and(|first| first.is(LESS | class::CONTRAST) && !first.is(class::BECAUSE))
        && !words(why).any(of(other | against))
}

/// A label that is told by a word.
pub(super) fn word(label: usize, token: &Token) -> Mention {
    Mention { label, shape: Shape::Word, start: token.start, end: token.end }
}
