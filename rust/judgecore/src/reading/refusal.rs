//! Telling that the judge declined to judge.
//!
//! Only the opening declines, because elsewhere a judge speaks of the response, and only what it says in its own words counts.
//! "I cannot" alone is no refusal: judges write "I cannot find any error" as well. What it can't do must be to judge,
//! help or answer.

use std::borrow::Cow;

use super::sentence::Sentences;
use super::token::{ANSWERS, Kind, Token};
use crate::blocks::places;
use crate::lexicon::refusal::{ASIDE, DECLINE, LEAD, OFFER, OTHER, PERSON, POWERLESS, REFUSE, TASK, UNABLE};
use crate::lexicon::trie::ALONE;
use crate::lexicon::{self as class, REFUSAL};
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
    let Some(opening) = opening_words(opening) else { return false };
    let opening = Said::of(&opening);
    opening.met.iter().any(|met| opening.declines(met))
}

/// The own words of an opening, unless none of the signs of a refusal stands in them.
fn opening_words(stretch: &str) -> Option<String> {
    let is_plain = !any_byte(stretch, may_change) && (stretch.is_ascii() || !stretch.contains('\u{300c}'));
    let said = if is_plain { Cow::Borrowed(stretch) } else { Cow::Owned(own_words(stretch)) };
    if (is_plain || has_plain_edges(&said)) && !class::REFUSALS.places(&said).any(|at| may_begin(&said, at, SIGNS)) {
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
        let closing: &[char] = match c {
            '"' => &['"'],
            '\u{201c}' => &['\u{201d}'],
            '\u{201e}' => &['\u{201c}', '\u{201d}', '"'],
            '\u{300c}' => &['\u{300d}'],
            '\u{ab}' => &['\u{bb}'],
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

/// What is said at the opening, and the phrases in it, in the order of their ends.
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
                    let classes = if is_whole(text, end) { classes } else { classes & TASK };
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{REFUSAL, SIGNS, class, has_plain_edges, is_refusal, may_begin, own_words};

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
    fn what_a_refusal_needs_is_found_by_its_beginning() {
        for phrase in REFUSAL.all() {
            let is_whole = |(length, found): (usize, u16)| length == phrase.len() && found & SIGNS != 0;
            for said in [phrase.clone(), format!("\u{597d}{phrase}"), format!("no\u{3002}\u{2014}{phrase}")] {
                let is_found = class::REFUSALS.places(&said).any(|at| may_begin(&said, at, SIGNS));
                let is_needed = has_plain_edges(&said) && REFUSAL.words(&phrase).any(is_whole);
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
