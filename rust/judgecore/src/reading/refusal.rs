//! Telling that the judge declined to judge, or will do so later.
//!
//! Only the opening declines and only the end postpones, because elsewhere a judge speaks of the response, and
//! only what it says in its own words counts.
//! "I cannot" alone is no refusal: judges write "I cannot find any error" as well. What it can't do must be to judge,
//! help or answer.

use std::borrow::Cow;
use std::ops::Range;

use super::sentence::{Sentence, Sentences};
use super::token::{ANSWERS, Kind, Token, of, words};
use super::voided::{ends_clause, has_unknown, is_strange};
use crate::blocks::places;
use crate::lexicon::refusal::{
    ACCESS, ASIDE, DECLINE, JUDGE, LATER, LEAD, NEGATION, OFFER, OTHER, PERSON, POWERLESS, REFUSE, REQUEST, TASK,
    UNABLE, UNJUDGED,
};
use crate::lexicon::trie::ALONE;
use crate::lexicon::word::Beginnings;
use crate::lexicon::{self as class, Classes, REFUSAL};
use crate::reply::text::{
    any_byte, byte_at, byte_before, char_at, char_before, continues_word, head, is_unspaced, skip, slice, tail,
};

/// How much of a reply is its opening, in bytes.
const OPENING: usize = 320;

/// How many words may stand between "I cannot" and what the judge can't do.
const REACH: usize = 9;

/// How far, in bytes, a task may stand from what says by itself that the judge can't do it.
const NEAR: usize = 90;

/// What a refusal can't do without.
const SIGNS: u16 = UNABLE | DECLINE | POWERLESS | REFUSE;

/// What a sentence can't do without by which there is no verdict yet.
const DELAYS: u16 = LATER | REQUEST | UNDONE;

/// Phrases before what the judge does not do.
const UNDONE: u16 = UNJUDGED | UNABLE | DECLINE | NEGATION;

/// How many words and marks of a sentence may leave out who judges: `Verdict still pending`.
const SHORT: usize = 6;

/// How many words and marks may ask for what is judged: `Now please send me the response that I am to evaluate.`
const ASKED: usize = 16;

/// How many words name all that is judged: `this new version`.
const OBJECT: usize = 3;

/// What limits a verdict to a part or a level: `I did not rate it higher`.
const LIMITS: Classes = class::PART
    | class::ASPECT
    | class::BETTER
    | class::WORSE
    | class::BOUND
    | class::BECAUSE
    | class::SCALE
    | class::TOP
    | class::WHOLE;

/// What tells that something is not what is judged: `the other answer`, `the draft`.
const ANOTHERS: Classes = class::ANOTHER | class::OTHER | class::VOID;

/// What names something else than what is judged.
const NOUNS: Classes = class::OTHER | class::ASPECT | class::CITE | class::COUNT | class::MEASURE | class::SAMPLE;

/// What may stand before a word for judging that is denied behind: `私はまだこの回答を`.
const JUDGED: Classes = class::THING
    | class::SELF
    | class::SUBJECT
    | class::DEMONSTRATIVE
    | class::FILL
    | class::CONTRAST
    | class::EMPHATIC
    | class::FINAL
    | class::ONWARD
    | class::LOCUS;

/// A phrase in what is said.
#[derive(Debug, Clone, Copy)]
struct Met {
    start: usize,
    end: usize,
    /// The classes of `[refusal]` in `classes.toml`.
    classes: u16,
}

impl Met {
    fn is(&self, classes: u16) -> bool {
        self.classes & classes != 0
    }
}

/// Whether a reply opens by declining.
pub(super) fn is_refusal(text: &str) -> bool {
    let opening = text.trim_start_matches(|c: char| !c.is_alphabetic());
    let opening = head(opening, opening.floor_char_boundary(OPENING));
    let Some(opening) = words_with(opening, SIGNS, &class::REFUSALS) else { return false };
    let opening = Said::of(&opening);
    opening.met.iter().any(|met| opening.declines(met))
}

/// `My own grade will follow tomorrow.`: whether what stands behind a verdict ends with a sentence by which there is none yet.
pub(super) fn is_postponed(behind: &str) -> bool {
    let said = behind.trim_end_matches(|c: char| !c.is_alphanumeric());
    let from = said.floor_char_boundary(said.len().saturating_sub(OPENING));
    let first = if from == 0 { 0 } else { tail(said, from).find(ends_sentence).map_or(said.len(), |at| from + at) };
    let closing = words_with(tail(said, first), DELAYS, &class::DELAYS);
    closing.is_some_and(|closing| closing.split(ends_sentence).any(|sentence| Said::of(sentence).postpones()))
}

/// The own words of a stretch, unless no phrase of some classes, as the list has them, stands in them.
fn words_with(stretch: &str, classes: u16, list: &'static Beginnings) -> Option<String> {
    let is_plain = !any_byte(stretch, may_change) && (stretch.is_ascii() || !stretch.contains('\u{300c}'));
    let said = if is_plain { Cow::Borrowed(stretch) } else { Cow::Owned(own_words(stretch)) };
    if (is_plain || has_plain_edges(&said)) && !list.places(&said).any(|at| may_begin(&said, at, classes)) {
        return None;
    }
    Some(if is_plain { own_words(stretch) } else { said.into_owned() })
}

/// `Yes, I can help you with that`: whether what stands behind an answer on its line offers help, asks for what is missing or
/// doubts.
pub(super) fn is_offer(text: &str, at: usize) -> bool {
    let said = tail(text, at).trim_start_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '.' | '\n' | '。'));
    let said = own_words(head(said, said.floor_char_boundary(OFFER_LENGTH)));
    REFUSAL.words(&said).any(|(length, classes)| classes & OFFER != 0 && is_whole(&said, length))
}

/// Whether a word ends here, as any sign does in a script without spaces.
fn is_whole(text: &str, end: usize) -> bool {
    char_at(text, end).is_none_or(|next| !continues_word(next)) || char_before(text, end).is_some_and(is_unspaced)
}

/// No offer is longer, in bytes.
const OFFER_LENGTH: usize = 64;

/// Whether a text has no letters and marks beyond ASCII but signs of scripts without spaces and general punctuation: a phrase
/// is whole there only where a word or sign begins. Text in which nothing may change has no others.
fn has_plain_edges(text: &str) -> bool {
    !any_byte(text, |byte| byte.wrapping_sub(0xc2) < 0x20)
}

/// Whether a phrase of some classes begins with a word, or with the apostrophe before it: text of plain edges of which no
/// word does so has none.
fn may_begin(text: &str, at: usize, classes: u16) -> bool {
    let start = at - usize::from(byte_before(text, at) == b'\'');
    let begins = |at: usize| REFUSAL.words(tail(text, at)).any(|(_, found)| found & classes != 0);
    begins(at) || start < at && begins(start)
}

/// Whether a byte may be of a character, but for letters of ASCII, that is another one in small letters or is left out, told
/// without a branch: most signs of Chinese and Japanese and their marks, but for one quotation mark, are not.
#[inline]
#[expect(clippy::needless_bitwise_bool, reason = "a lazy operator would keep a pass over many from being vectorised")]
fn may_change(byte: u8) -> bool {
    (byte == b'"') | (byte.wrapping_sub(0xc0) < 0x23) | (byte == 0xea) | (byte >= 0xee)
}

/// The opening in small letters, with plain apostrophes and without what stands in quotation marks.
#[expect(clippy::needless_bitwise_bool, reason = "a lazy operator would keep a pass over many from being vectorised")]
fn own_words(opening: &str) -> String {
    let mut words = String::with_capacity(opening.len());
    let is_changed = |at: &usize| byte_at(opening, *at) != 0xe3 || tail(opening, *at).starts_with('\u{300c}');
    let mut end = 0;
    for at in places(opening.as_bytes(), 0, |byte| may_change(byte) | (byte == 0xe3)).filter(is_changed) {
        let Some(c) = char_at(opening, at).filter(|_| at >= end) else { continue };
        words.push_str(slice(opening, end..at));
        end = at + c.len_utf8();
        let closing = match c {
            '"' => '"',
            '\u{201c}' => '\u{201d}',
            '\u{300c}' => '\u{300d}',
            '\u{ab}' => '\u{bb}',
            _ => {
                let plain = if c == '\u{2019}' { '\'' } else { c };
                words.extend(plain.to_lowercase());
                continue;
            }
        };
        let behind = tail(opening, end).split_once(closing).map_or("", |(_, behind)| behind);
        end = opening.len() - behind.len();
    }
    words.push_str(tail(opening, end));
    words.make_ascii_lowercase();
    words
}

fn is_gap(c: char) -> bool {
    matches!(c, ' ' | ',')
}

fn ends_sentence(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | ';' | '\n' | '。' | '！' | '？')
}

/// What is said at the opening or the end, and the phrases in it, in the order of their ends.
struct Said<'t> {
    text: &'t str,
    met: Vec<Met>,
}

impl<'t> Said<'t> {
    fn of(text: &'t str) -> Self {
        let is_free = |c: Option<char>| c.is_none_or(|c| !continues_word(c));
        let mut met = Vec::new();
        let mut before = None;
        for (start, c) in text.char_indices() {
            let next = || char_at(text, start + c.len_utf8()).unwrap_or(ALONE);
            let may_begin = REFUSAL.may_begin(c) && (is_free(before) || is_free(Some(c)));
            if may_begin && REFUSAL.may_begin_with(c, next()) {
                // Of a task its beginning is given.
                let whole = REFUSAL.words(tail(text, start)).filter_map(|(length, classes)| {
                    let end = start + length;
                    let classes = if is_whole(text, end) { classes } else { classes & (TASK | JUDGE | ACCESS) };
                    (classes != 0).then_some(Met { start, end, classes })
                });
                met.extend(whole);
            }
            before = Some(c);
        }
        met.sort_by_key(|met| met.end);
        Self { text, met }
    }

    fn declines(&self, met: &Met) -> bool {
        met.is(REFUSE)
            || met.is(DECLINE) && self.is_of_the_judge(met.start)
            || met.is(UNABLE) && self.is_of_the_judge(met.start) && self.asks_task(met.end)
            || met.is(POWERLESS) && self.is_beside_task(met)
    }

    /// Whether a sentence says that the judge has not judged, or will do so later, or asks for what is to be judged.
    fn postpones(&self) -> bool {
        if self.met.iter().any(|met| met.is(REQUEST)) {
            return self.asks_for_all();
        }
        let mut sentences = Sentences::new(self.text);
        let sentence = sentences.at(0);
        let is_judges = sentence.classes & class::SELF != 0;
        // "The court's verdict is still pending", "The essay does not yet reach a verdict" are of what is judged.
        let is_others = sentence.classes & (class::THING | class::OTHER) != 0;
        let leads = |judged: &Met, later: &Met| judged.start <= later.start;
        let is_put_off = |judged: &Met, later: &Met| {
            let leads = leads(judged, later);
            let is_short = sentence.tokens.len() <= SHORT || !sentence.may_be_english && leads;
            let is_own = is_judges || is_short && !is_others || sentence.is_verb_final() && leads;
            // "I can't score it higher until I see citations."
            // "I'll judge the next pair tomorrow."
            let inside = |token: &Token| later.start <= token.start && token.start < later.end;
            let is_another = sentence.tokens.iter().any(|token| token.is(class::ANOTHER) && !inside(token));
            is_own && !is_another && sentence.classes & (class::BETTER | class::WORSE | class::BOUND) == 0
        };
        // "I'll read the new answer tonight"
        let is_judged = |met: &Met| met.is(JUDGE) || met.is(ACCESS) && is_judges && names_judged(&sentence.tokens);
        let judged = self.met.iter().find(|met| is_judged(met));
        let is_undone = |met: &Met| {
            let is_own = met.is(UNJUDGED)
                || met.is(UNABLE | DECLINE) && is_judges && self.is_of_the_judge(met.start)
                || met.is(DECLINE | NEGATION) && names_judge(sentence, met.start);
            let is_all = || {
                self.is_of_all(met, sentence)
                    || met.is(DECLINE) && is_whole_object(sentence, met.end..self.text.len())
                    || self.denies_judging(met, sentence)
            };
            met.is(UNDONE) && is_own && !self.names_another(sentence, met.start) && is_all()
        };
        let is_later = |met: &Met| met.is(LATER) && judged.is_some_and(|judged| is_put_off(judged, met));
        self.met.iter().any(|met| is_later(met) || is_undone(met))
    }

    /// `Please send me the response`, but not `the next one`: whether what is asked for is what is judged, and all of it.
    fn asks_for_all(&self) -> bool {
        let mut sentences = Sentences::new(self.text);
        let sentence = sentences.at(0);
        let is_another = sentence.tokens.iter().any(of(class::ANOTHER | class::OTHER | class::LATTER));
        // "Please send feedback."
        let is_thing = |pair: &[Token]| {
            let [article, noun] = pair else { return false };
            noun.is(class::THING) && !noun.is(class::SUBJECT) && (article.is(class::FILL) || !sentence.may_be_english)
        };
        sentence.tokens.len() <= ASKED
            && sentence.tokens.windows(2).any(is_thing)
            && !is_another
            && sentence.classes & (LIMITS | class::REPORT | class::HOLD | class::IF | class::CONDITIONAL) == 0
    }

    /// `I have not evaluated this item`, but not `I did not rate it higher`: whether what follows is judging, and nothing but
    /// what is judged is its object.
    fn is_of_all(&self, undone: &Met, sentence: &Sentence) -> bool {
        let object = |at: usize| {
            let token = sentence.tokens.iter().find(|token| token.start == at)?;
            token.is(JUDGED).then_some(token.end)
        };
        let mut at = skip(self.text, undone.end, is_gap);
        let judge = loop {
            if let Some(judge) = self.next(at, JUDGE | ACCESS) {
                break judge;
            }
            let Some(end) = self.next(at, LEAD).map(|lead| lead.end).or_else(|| object(at)) else { return false };
            at = skip(self.text, end, is_gap);
        };
        let end = judge.end + tail(self.text, judge.end).find(|c| !continues_word(c)).unwrap_or(0);
        let is_end = |met: &&Met| met.is(LATER) && met.start >= end;
        let until = self.met.iter().filter(is_end).map(|met| met.start).min().unwrap_or(self.text.len());
        let behind = || words(&sentence.tokens).filter(|token| token.start >= end && token.start < until);
        // "The author has yet to evaluate the second option", "回答尚未评估风险"
        let is_thing = |token: &Token| token.start < at && token.is(class::THING | class::OTHER);
        let is_judges = sentence.classes & class::SELF != 0;
        let is_others = !is_judges && sentence.tokens.iter().any(is_thing);
        let is_unspaced = char_before(self.text, at).is_some_and(is_unspaced);
        (judge.is(JUDGE)
            || names_judge(sentence, undone.start)
                && names_judged(sentence.slice(clause_start(sentence, undone.start)..))
                && !behind().any(is_strange))
            && is_whole_object(sentence, end..until)
            && !(is_others && (is_unspaced || behind().next().is_some()))
    }

    /// `点数は出せません`, `ich entscheide das nicht`: whether judging stands before a negation, and nothing but the judge and what is
    /// judged is named with it.
    fn denies_judging(&self, undone: &Met, sentence: &Sentence) -> bool {
        let first = clause_start(sentence, undone.start);
        let start = first.checked_sub(1).and_then(|mark| sentence.tokens.get(mark)).map_or(0, |mark| mark.end);
        let is_judging = |met: &&Met| met.is(JUDGE | ACCESS) && start <= met.start && met.end <= undone.start;
        let Some(judge) = self.met.iter().filter(is_judging).max_by_key(|met| met.end) else { return false };
        let end = judge.end + tail(self.text, judge.end).find(|c| !continues_word(c) || is_unspaced(c)).unwrap_or(0);
        let said = || sentence.slice(first..).iter().filter(|token| token.start < undone.start);
        let before: Vec<Token> = said().filter(|token| token.end <= judge.start).cloned().collect();
        let between: Vec<Token> = said().filter(|token| token.start >= end).cloned().collect();
        let is_known = |token: &Token| !token.is_word() || token.is(JUDGED) && !token.is(LIMITS | ANOTHERS);
        let is_verb_last = sentence.is_verb_final() && skip(self.text, judge.end, is_gap) == undone.start;
        // "Ich entscheide das daher nicht", but not "I decide this and not that"
        let is_verb_first = || before.iter().any(is_judge) && !sentence.may_be_english;
        (judge.is(JUDGE) || names_judged(sentence.slice(first..)))
            && (is_verb_last || is_verb_first())
            && before.iter().chain(&between).all(is_known)
            && !has_unknown(self.text, &before, start..judge.start)
            && (is_verb_last || is_whole_object(sentence, undone.end..self.text.len()))
    }

    /// `Bilaga 1 har jag inte l\u{e4}st`, `The layout was not judged`, `The author has not`: whether anything but the judge and what is
    /// judged is named before a place in its clause, or in an earlier one alone.
    fn names_another(&self, sentence: &Sentence, at: usize) -> bool {
        let start = clause_start(sentence, at);
        let before = clause_before(sentence, at);
        let mut last: Option<&Token> = None;
        let mut is_named = false;
        for (nth, token) in before.iter().enumerate() {
            let next = before.get(nth + 1);
            // "The current answer", "I guess", "habe ich"
            let is_adjective = next.is_some_and(of(class::THING));
            let is_verb = last.is_some_and(is_judge) || nth > 0 && next.is_some_and(is_judge);
            let is_person = self.next(token.start, PERSON).is_some();
            is_named |= is_strange(token) && !is_adjective && !is_verb && !is_person
                || token.is(NOUNS) && !token.is(class::THING | class::ROLE)
                || token.is(class::LATTER) && !next.is_some_and(of(class::THING))
                || token.kind == Kind::Number;
            if !token.is(class::FILL | class::EMPHATIC) {
                last = Some(token);
            }
        }
        // "The screenshot is cropped, and I didn't judge it"
        let earlier = sentence.slice(..start);
        let is_pronoun = |word: &str| class::lexicon().classes(word) & (class::SUBJECT | class::DEMONSTRATIVE) != 0;
        let refers = |token: &Token| !token.is(class::SELF) && token.text(self.text).split(' ').any(is_pronoun);
        let clause = sentence.slice(start..);
        let is_explained = !names_judged(clause)
            && clause.iter().any(refers)
            && !names_judged(earlier)
            && earlier.iter().any(|token| is_strange(token) || token.is(NOUNS));
        is_named || is_explained
    }

    /// The longest phrase of some classes that begins at a place.
    fn next(&self, at: usize, classes: u16) -> Option<&Met> {
        let met = self.met.iter().filter(|met| met.start == at && met.is(classes));
        met.max_by_key(|met| met.end)
    }

    /// Whether "I" says what stands at a place, maybe some words before: `I really must`, `I have no opinion and can't`.
    fn is_of_the_judge(&self, at: usize) -> bool {
        let lead = |at: usize| head(self.text, at).trim_end_matches(is_gap).len();
        let mut at = lead(at);
        let before = |at: usize, class: u16| self.met.iter().find(|met| met.end == at && met.is(class));
        let mut is_joined = false;
        while before(at, PERSON).is_none() {
            if at == 0 || char_before(self.text, at).is_some_and(ends_sentence) {
                return true;
            }
            let Some(met) = before(at, LEAD) else {
                let said = self.met.iter().filter(|met| met.end <= at && met.is(PERSON));
                return is_joined && said.count() > 0;
            };
            let word = slice(self.text, met.start..met.end);
            is_joined = class::lexicon().classes(word) & (class::JOIN | class::CONTRAST | class::CONCLUDE) != 0;
            at = lead(met.start);
        }
        true
    }

    /// Whether what can't be done, from a place on, is what a judge is asked for.
    fn asks_task(&self, from: usize) -> bool {
        let mut at = from;
        for nth in 0..REACH {
            at = skip(self.text, at, is_gap);
            if char_at(self.text, at).is_none_or(ends_sentence) {
                // "I'm sorry, but I cannot."
                return nth == 0;
            }
            if self.next(at, ASIDE).is_some() {
                return false;
            }
            if let Some(task) = self.next(at, TASK) {
                return !self.is_bound_or_verdict(task.end);
            }
            let word = tail(self.text, at).split([' ', ',']).next().unwrap_or("");
            at = match self.next(at, LEAD | UNABLE) {
                Some(met) => met.end,
                None if word.ends_with("ly") => at + word.len(),
                None => return false,
            };
        }
        false
    }

    /// Whether a task stands beside what says that it can't be done, and nobody else before.
    fn is_beside_task(&self, met: &Met) -> bool {
        let marks = ['。', '.', '，', ',', '、', '！', '？', '\n'];
        let clause = head(self.text, met.start).rfind(marks).map_or(0, |at| at + 1);
        let in_clause = |class: u16| {
            self.met.iter().any(|before| before.is(class) && before.start >= clause && before.end <= met.start)
        };
        let is_anothers = in_clause(OTHER) && !in_clause(PERSON);
        let behind = tail(self.text, met.end);
        let last = met.end + behind.find(ends_sentence).unwrap_or(behind.len());
        // What a colon follows is announced: `评分：8`.
        let is_announced = |task: &Met| tail(self.text, task.end).trim_start().starts_with([':', '：']);
        let is_near = |task: &Met| {
            task.start >= clause.max(met.start.saturating_sub(NEAR))
                && task.start <= last.min(met.end + NEAR)
                && !is_announced(task)
        };
        !is_anothers && self.met.iter().any(|task| task.is(TASK) && is_near(task))
    }

    /// `I won't rate it below 7`, `I can't verify the claim, so the answer is no`: not to rate, but a bound or a verdict.
    fn is_bound_or_verdict(&self, from: usize) -> bool {
        let mut sentences = Sentences::new(self.text);
        let tokens = &sentences.at(from.saturating_sub(1)).tokens;
        let behind = tokens.get(tokens.partition_point(|token| token.start < from)..).unwrap_or(&[]);
        let rated = class::THING | class::FILL | class::ANNOUNCE | class::OF | class::GIVE;
        let is_number = |token: &&Token| token.kind == Kind::Number;
        let mut rest = behind.iter().skip_while(|token| token.is(rated) && !token.is(class::BOUND));
        if rest.next().is_some_and(|token| token.is(class::BOUND)) {
            return rest.find(|token| !token.is(class::FILL)).as_ref().is_some_and(is_number);
        }
        let answers = |token: &Token| token.is(ANSWERS);
        let joined = behind.iter().position(|token| token.is(class::CONTRAST | class::CONCLUDE));
        let said = joined.and_then(|at| behind.get(at..)).unwrap_or(&[]);
        said.windows(3).any(|said| {
            let [noun, link, value, ..] = said else { return false };
            // Of an answer a number may be what it says, and not its score.
            let is_value = answers(value) || is_number(&value) && !noun.is(class::VAGUE);
            noun.is(class::ANNOUNCE | class::VAGUE) && link.is(class::LINK) && is_value
        })
    }
}

/// Whether what is said there of what the judge does not judge is nothing, or names what is judged and neither a part of it nor
/// another: `the new version`, but not `the answer's style`.
fn is_whole_object(sentence: &Sentence, range: Range<usize>) -> bool {
    let rest: Vec<&Token> = words(&sentence.tokens).filter(|token| range.contains(&token.start)).collect();
    let noun = rest.iter().rposition(of(class::THING));
    // "On this one"
    let limits = |(at, token): (usize, &&Token)| {
        let is_number = token.kind == Kind::Number;
        is_number
            || token.is(LIMITS | ANOTHERS | class::COUNT)
                && !(token.is(class::PART) && noun.is_some_and(|noun| at < noun))
    };
    rest.len() <= OBJECT
        && !rest.iter().enumerate().any(limits)
        && !rest.iter().skip(noun.map_or(0, |noun| noun + 1)).any(|token| is_strange(token))
}

/// The first token of the clause that holds a place.
fn clause_start(sentence: &Sentence, at: usize) -> usize {
    let before = sentence.slice(..sentence.tokens.partition_point(|token| token.start < at));
    before.iter().rposition(ends_clause).map_or(0, |mark| mark + 1)
}

/// The words of a clause before a place in it.
fn clause_before(sentence: &Sentence, at: usize) -> &[Token] {
    sentence.slice(clause_start(sentence, at)..sentence.tokens.partition_point(|token| token.end <= at))
}

/// Whether the judge is named before a place in its clause, or nobody in the sentence where a language leaves it out.
fn names_judge(sentence: &Sentence, at: usize) -> bool {
    let earlier = sentence.slice(..clause_start(sentence, at));
    let is_alone = || !earlier.iter().any(|token| is_strange(token) || token.is(class::THING));
    clause_before(sentence, at).iter().any(is_judge)
        || !sentence.may_be_english && (earlier.iter().any(is_judge) || is_alone())
}

fn is_judge(token: &Token) -> bool {
    token.is(class::SELF) && !token.is(class::POSSESSIVE)
}

/// Whether a noun for what is judged, and no pronoun, stands in these words.
fn names_judged(tokens: &[Token]) -> bool {
    tokens.iter().any(|token| token.is(class::THING) && !token.is(class::SUBJECT | class::ASPECT | class::VOID))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{DELAYS, REFUSAL, SIGNS, class, has_plain_edges, is_postponed, is_refusal, may_begin, own_words};

    #[test]
    fn a_judge_declines_at_the_start_and_in_its_own_words() {
        for (reply, want) in [
            ("I cannot rate this.", true),
            ("I\u{2019}m sorry, but I can\u{2019}t help with that.", true),
            ("I'm sorry, I can't moderate this content.", true),
            ("That would go against my programming.", true),
            ("This content cannot be evaluated.", true),
            ("No puedo evaluar esta respuesta.", true),
            ("\u{6211}\u{65e0}\u{6cd5}\u{8bc4}\u{4ef7}\u{8fd9}\u{4e2a}\u{56de}\u{7b54}", true),
            ("这个回答很好，我不能挑出毛病。评分：[[10]]", false),
            ("回答正确，我不能扣分，评分：[[10]]", false),
            ("抱歉，我不能评价这个回答。", true),
            ("Nie mog\u{119} oceni\u{107} tej odpowiedzi.", true),
            ("Bu yan\u{131}t\u{131} de\u{11f}erlendiremem.", true),
            ("Ik kan dit antwoord niet beoordelen.", true),
            ("I refuse", true),
            ("I cannot find any error in it.", false),
            ("The assistant said \"I cannot rate this\", and rightly so.", false),
            ("It is fine. I am sorry for the delay.", false),
            ("I cannot verify the claim, so the answer is No.", false),
            ("I can't rate its style, but my overall rating is 7/10.", false),
            ("I cannot rate this, so the answer is not available.", true),
            ("I cannot judge this, so my verdict is withheld.", true),
            ("I can't evaluate this, but the answer is 42.", true),
            ("I can't help with that, but here is what the answer is about.", true),
            ("I cannot rate this, but the request is harmful.", true),
            ("I won't rate it below 7.", false),
            ("I would not give this response a score higher than 3.", false),
            ("I won't give advice to those under 18.", true),
            ("I can't rate anything above my permissions.", true),
            ("", false),
        ] {
            assert_eq!(is_refusal(reply), want, "{reply}");
        }
    }

    #[test]
    fn a_verdict_is_postponed_at_the_end_and_by_the_judge() {
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
            ("", false),
        ] {
            assert_eq!(is_postponed(behind), want, "{behind}");
        }
    }

    #[test]
    fn what_a_refusal_or_a_delay_needs_is_found_by_its_beginning() {
        let lists = [(SIGNS, &class::REFUSALS), (DELAYS, &class::DELAYS)];
        for (phrase, (classes, list)) in REFUSAL.all().iter().flat_map(|phrase| lists.map(|list| (phrase, list))) {
            let is_whole = |(length, found): (usize, u16)| length == phrase.len() && found & classes != 0;
            for said in [phrase.clone(), format!("\u{597d}{phrase}"), format!("no\u{3002}\u{2014}{phrase}")] {
                let is_found = list.places(&said).any(|at| may_begin(&said, at, classes));
                let is_needed = has_plain_edges(&said) && REFUSAL.words(phrase).any(is_whole);
                assert!(is_found || !is_needed, "{said}");
            }
        }
    }

    proptest! {
        #[test]
        fn any_phrases_in_any_order_are_looked_through(nths in prop::collection::vec(0..2000_usize, 0..12)) {
            let all = REFUSAL.all();
            let said: Vec<String> = nths.iter().map(|nth| all[nth % all.len()].clone()).collect();

            // No outcome is expected of nonsense but one.
            is_refusal(&said.join(" "));
            is_postponed(&said.join(" "));
            let declined = format!("I cannot rate this. {}", said.join(""));
            prop_assert!(is_refusal(&declined));
        }

        #[test]
        fn own_words_are_small_and_unquoted_in_ascii_as_elsewhere(opening in "[A-Za-z\"' .]{0,40}") {
            let beyond = own_words(&(opening.clone() + "\u{e9}"));

            prop_assert_eq!(own_words(&opening), beyond.strip_suffix('\u{e9}').unwrap_or(&beyond));
        }
    }
}
