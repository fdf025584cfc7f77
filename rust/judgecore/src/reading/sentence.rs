//! Sentences, split into words with the classes of the lexicon, and what they make of a value in them.
//!
//! A sentence is looked at once, however many values it holds, and never further than a bound.

use std::ops::Range;
use std::slice::SliceIndex;

use super::numeral::Numeral;
use super::table;
use super::token::{ANSWERS, AWARDS, COMMAS, GOES_ON, Kind, LAST, SCORED, Token, among, entry_of, of, tokens, words};
use super::told::{Top, top_of};
use crate::blocks::{places, places_back};
use crate::lexicon::{self as class, Classes, Languages, lexicon};
use crate::reply::text::{
    TAG_NAME, byte_at, byte_before, char_at, char_before, head, is_tag_name, is_unspaced, skip, skip_near, slice, tail,
};

/// Long sentences are looked at in stretches of twice as much, which begin at multiples of it.
pub(super) const STRIDE: usize = 512;

/// What may stand behind a number that counts nothing: `I give it a seven because`, `eight points`.
pub(super) const BEHIND_NUMBER: Classes = GOES_ON | class::UNIT | class::LINK | class::OVER | class::THAN | class::SELF;

/// `to the`, `on time`: whether a word that may be a number in some language counts the next one in every language, so that
/// no sentence has to be split for it.
pub(super) fn counts_word(text: &str, at: usize) -> bool {
    let follows = BEHIND_NUMBER | AWARDS | class::HALF | class::TOP | class::RANGE;
    let next =
        tail(text, at).bytes().position(|byte| !byte.is_ascii_alphabetic()).map_or(text.len(), |word| at + word + 1);
    let is_single = |from: usize, end: usize| !slice(text, from..end).contains([' ', '.', '-']);
    byte_before(text, next) == b' '
        && byte_at(text, next).is_ascii_alphabetic()
        && entry_of(text, at).is_some_and(|(_, end)| end + 1 == next)
        && entry_of(text, next)
            .is_none_or(|(entry, end)| is_single(next, end) && !entry.may_be(follows) && !entry.may_be_number())
}

/// What says of a statement that it is the judge's last word.
const CONCLUDES: Classes = LAST | class::CORRECT;

/// A sentence or a stretch of a long one.
#[derive(Debug, Clone, Default)]
pub(super) struct Sentence {
    pub(super) range: Range<usize>,
    pub(super) tokens: Vec<Token>,
    /// Those of all its tokens.
    pub(super) classes: Classes,
    pub(super) asks: bool,
    /// English, which joins a winner with its adjective by a copula, may be its language.
    pub(super) may_be_english: bool,
    /// The highest score, if it or the heads of its table tell it.
    pub(super) top: Option<Top>,
    /// Its languages, a bit for each.
    languages: Languages,
    /// Which stretch of a long sentence it is.
    stride: usize,
}

/// Whether a place is looked at in a stretch, however it was come by.
fn holds((range, stride): (&Range<usize>, usize), at: usize) -> bool {
    range.contains(&at) && (range.len() <= STRIDE || stride == at / STRIDE)
}

/// No more sentences of a text are kept.
const KEPT: usize = 256;

/// The sentences of a text, each split into words once.
#[derive(Debug)]
pub(super) struct Sentences<'t> {
    text: &'t str,
    /// By where they begin, and by their stretch.
    kept: Vec<Sentence>,
    /// Where the last one lies that was asked for, and which stretch it is.
    last: (Range<usize>, usize),
    /// What is given where there is none, which does not come about.
    none: Sentence,
}

impl<'t> Sentences<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, kept: Vec::new(), last: (0..0, 0), none: Sentence::default() }
    }

    /// The sentence that holds a place.
    pub(super) fn at(&mut self, at: usize) -> &Sentence {
        let nth = self.find(at).unwrap_or_else(|| {
            let range = self.unsplit_range(at);
            self.keep(Sentence::new(self.text, range, at / STRIDE))
        });
        self.kept.get(nth).unwrap_or(&self.none)
    }

    /// The same, if it was looked at already.
    pub(super) fn known(&self, at: usize) -> Option<&Sentence> {
        self.kept.get(self.find(at)?)
    }

    /// Where the sentence lies that holds a place, which is split into no words for that.
    pub(super) fn range(&mut self, at: usize) -> Range<usize> {
        let known = self.known(at).map(|known| known.range.clone());
        known.unwrap_or_else(|| self.unsplit_range(at))
    }

    /// The same of one that is not known yet.
    fn unsplit_range(&mut self, at: usize) -> Range<usize> {
        if !holds((&self.last.0, self.last.1), at) {
            self.last = (Sentence::range(self.text, at), at / STRIDE);
        }
        self.last.0.clone()
    }

    /// The same with the heading above.
    pub(super) fn headed_range(&mut self, at: usize) -> Range<usize> {
        let Range { start, end } = self.range(at);
        heading(self.text, start).map_or(start, |heading| heading.start)..end
    }

    #[inline]
    fn find(&self, at: usize) -> Option<usize> {
        let holds = |nth: &usize| self.kept.get(*nth).is_some_and(|kept| holds((&kept.range, kept.stride), at));
        // Most replies have few.
        if self.kept.len() <= 1 {
            return Some(0).filter(holds);
        }
        let near = self.kept.partition_point(|sentence| sentence.range.start <= at);
        (near.saturating_sub(4)..near).rev().find(holds)
    }

    /// Keep a sentence, and tell where.
    fn keep(&mut self, sentence: Sentence) -> usize {
        if self.kept.len() == KEPT {
            self.kept.clear();
        }
        let place = (sentence.range.start, sentence.stride);
        let nth = self.kept.partition_point(|kept| (kept.range.start, kept.stride) < place);
        self.kept.insert(nth, sentence);
        nth
    }
}

/// Whether a sentence may end behind a byte, told without a branch: of the characters beyond ASCII that [`ends_before`] knows,
/// it is the last one.
#[inline]
#[expect(clippy::needless_bitwise_bool, reason = "a lazy operator would keep a pass over many from being vectorised")]
const fn may_end(byte: u8) -> bool {
    (byte == b'\n')
        | (byte | 1 == b'?')
        | (byte == b']')
        // From "!" to ".", but for "," and "-", which are many.
        | (byte.wrapping_sub(0x21) < 14) & (byte | 1 != b'-')
        | (byte.wrapping_sub(0x81) < 2)
        | (byte == 0x94)
        | (byte | 4 == 0x9f)
        | (byte == 0x9d)
        | (byte | 2 == 0xa6)
        | (byte == 0xbb)
}

/// The first place inside a range that a sentence ends before.
fn first_end(text: &str, range: Range<usize>) -> Option<usize> {
    let bytes = text.as_bytes().get(..range.end.saturating_sub(1)).unwrap_or_default();
    places(bytes, range.start, may_end).map(|byte| byte + 1).find(|&at| ends_before(text, at))
}

/// The last one.
fn last_end(text: &str, range: Range<usize>) -> Option<usize> {
    let Range { start, end } = range;
    let places = places_back(text.as_bytes(), start..end.saturating_sub(1), may_end);
    places.map(|byte| byte + 1).find(|&at| ends_before(text, at))
}

/// No heading is longer, in bytes.
const HEADING: usize = 40;

/// What ends the line above, past a blank one, if it is a heading of what stands at `start`: `## Verdict`, `Score:`.
pub(super) fn heading(text: &str, start: usize) -> Option<Range<usize>> {
    let lead = head(text, start).trim_end_matches([' ', '\t']);
    if !lead.ends_with('\n') {
        return None;
    }
    let above = lead.trim_end_matches(['\n', ' ', '\t']);
    if lead.len() - above.len() > 4 {
        return None;
    }
    let from = above.floor_char_boundary(above.len().saturating_sub(HEADING));
    let ends_sentence = above.ends_with(['.', '!', '?', ',', ';', '。']);
    // Most lines are sentences.
    if ends_sentence && !tail(above, from).contains('#') {
        return None;
    }
    let begin = last_sentence(above, from..above.len());
    if begin == from && from > 0 && !ends_before(above, from) {
        return None;
    }
    let line = tail(above, begin);
    let indented = head(above, begin).trim_end_matches([' ', '\t']);
    let begins_line = indented.is_empty() || indented.ends_with('\n');
    let is_item = ["- ", "* ", "+ ", "\u{2022} "].iter().any(|mark| line.starts_with(mark));
    // "[x] Title" above a blank line is one, too.
    let is_box = lead.len() - above.len() > 1
        && ["[ ] ", "[x] ", "\u{2610} ", "\u{2611} "].iter().any(|mark| line.starts_with(mark));
    let is_short = line.len() <= 24
        && !(is_item || is_box || ends_sentence || is_linked(line))
        && !line.contains(|c: char| c.is_ascii_digit() || c == ':');
    let is_heading = begins_line && (line.starts_with('#') || is_short) || line.ends_with([':', '\u{ff1a}']);
    (is_heading && !line.starts_with(['|', '>'])).then_some(begin..above.len())
}

/// `Style → B`, `Facts - no`: whether a line has a name and a value of its own.
fn is_linked(line: &str) -> bool {
    let value = ["\u{2192} ", " - ", " = "].iter().find_map(|link| line.split_once(link)).map(|(_, value)| value);
    value.is_some_and(|value| value.chars().count() == 1 || lexicon().classes(value) & ANSWERS != 0)
}

/// Where the last sentence of a range begins.
pub(super) fn last_sentence(text: &str, range: Range<usize>) -> usize {
    let end = last_end(text, range.clone()).unwrap_or(range.start);
    skip(text, end, |c| matches!(c, ' ' | '\t'))
}

/// Whether a sentence ends before `at`.
pub(super) fn ends_before(text: &str, at: usize) -> bool {
    // Many signs of Chinese and Japanese end with the byte that a mark ends with.
    let is_sign =
        byte_before(text, at) >= 0x80 && !matches!(byte_before(text, at - 1), 0x80 | 0xa5 | 0xbc | 0xc2 | 0xd8 | 0xdb);
    if is_sign || !text.is_char_boundary(at) {
        return false;
    }
    match char_before(text, at) {
        // The last three are of Hindi, Arabic and Urdu.
        None | Some('\n' | '。' | '！' | '？' | '；' | '\u{964}' | '\u{61f}' | '\u{6d4}') => true,
        Some('.' | '!' | '?' | '\u{2026}') => {
            let goes_on = char_at(text, at).is_some_and(|c| !c.is_whitespace() && !is_unspaced(c) && c != '<');
            !goes_on && !is_abbreviation(text, at)
        }
        Some(mark @ ('"' | '\'' | ')' | '\u{201d}' | '*' | '\u{bb}')) => {
            // `"Correct!" shouts the host.`
            let goes_on =
                || mark != '*' && char_at(text, skip_near(text, at, |c| c == ' ')).is_some_and(char::is_lowercase);
            char_at(text, at).is_none_or(char::is_whitespace)
                && !goes_on()
                && matches!(
                    char_before(text, at - char_before(text, at).map_or(0, char::len_utf8)),
                    Some('.' | '!' | '?')
                )
        }
        Some('>') => ends_element(text, at),
        Some(']') => byte_before(text, at - 1) == b']' && opens_anew(text, at),
        _ => false,
    }
}

/// Only elements of HTML have a shorter name, and these of those with a longer one hold a part of a sentence.
const SHORTEST: usize = 3;
const INLINE: [&str; 12] =
    ["strong", "span", "code", "mark", "small", "font", "samp", "cite", "sub", "sup", "kbd", "del"];

/// Whether an element ends before a place that is no part of a sentence. A label in one of HTML goes on in the
/// next: `<strong>Score:</strong> <span>8</span>`.
fn ends_element(text: &str, at: usize) -> bool {
    let lead = slice(text, text.floor_char_boundary(at.saturating_sub(TAG_NAME))..at - 1);
    lead.rsplit_once("</").is_some_and(|(held, name)| {
        name.len() >= SHORTEST && is_tag_name(name) && !INLINE.contains(&name) && !held.ends_with(':')
    })
}

/// `[[2]] If`, `</score> Wenn`, but not `[[2]] Punkte`: whether a word with a capital begins behind a marker and a space. English
/// writes "I" so anywhere.
fn opens_anew(text: &str, at: usize) -> bool {
    let next = skip_near(text, at, |c| c == ' ');
    let first = char_at(text, next).filter(|_| next > at);
    if first.is_some_and(is_unspaced) {
        return false;
    }
    let word = slice(text, next..skip_near(text, next, char::is_alphanumeric));
    next > at && word != "I" && word.starts_with(char::is_uppercase) && lexicon().classes(word) & class::UNIT == 0
}

/// How questions of Japanese and Korean end, without a mark too.
const ASKING: [&str; 9] = ["すか", "ょうか", "たか", "せんか", "습니까", "입니까", "합니까", "됩니까", "십니까"];

/// `e.g.`, `vs.`, `z. B.`: a full stop that ends no sentence.
fn is_abbreviation(text: &str, at: usize) -> bool {
    let end = at - 1;
    let from = text.floor_char_boundary(end.saturating_sub(16));
    let near = slice(text, from..end);
    let word = tail(near, near.trim_end_matches(char::is_alphanumeric).len());
    let before = near.len().checked_sub(word.len() + 1).and_then(|at| near.as_bytes().get(at));
    let is_dotted = before == Some(&b'.') && word.len() <= 2 && !word.is_empty();
    let is_number_sign = word.eq_ignore_ascii_case("no") && byte_at(text, at + 1).is_ascii_digit();
    is_number_sign
        || is_dotted && word.chars().all(char::is_alphabetic)
        || byte_at(text, at) == b' '
            && (1..16).contains(&word.len())
            && lexicon().classes(word) & class::ABBREVIATION != 0
}

/// A number in words, with what it stands over.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Spelled {
    pub(super) value: f64,
    pub(super) over: Option<f64>,
    pub(super) start: usize,
    pub(super) end: usize,
    /// Whether points or stars are counted.
    pub(super) has_unit: bool,
    /// `A seven.`, `Six, because`: whether nothing else stands in the sentence but units, links and conclusions, and a reason behind.
    pub(super) may_open: bool,
    /// `A seven.`, `Not perfect, but still an eight`: whether the same, or what follows its last turn, is nothing else.
    pub(super) may_close: bool,
}

impl Spelled {
    pub(super) fn numeral(&self) -> Numeral {
        let Self { value, over, start, end, .. } = *self;
        Numeral { start, end, value, denominator: over, ..Numeral::default() }
    }

    /// "This one" and "got one" name a thing.
    pub(super) fn may_be_pronoun(&self) -> bool {
        (0.5..1.5).contains(&self.value) && self.over.is_none() && !self.has_unit
    }
}

impl Sentence {
    /// The numbers that words stand for, in the order of the text.
    pub(super) fn spelled(&self) -> Vec<Spelled> {
        let mut found: Vec<Spelled> = Vec::new();
        let mut at = 0;
        // "दस में से आठ": the highest score, where that begins, and where the score stands.
        let mut top: Option<(f64, usize, usize)> = None;
        while let Some(token) = self.tokens.get(at) {
            at += 1;
            let Some(mut value) = token.number else { continue };
            // "Tízből hét"
            if token.is(class::OVER) {
                top = Some((value, token.start, at));
                continue;
            }
            let mut last = token;
            let unit = |next: &Token| next.number.filter(|&unit| (1.0..10.0).contains(&unit));
            let hyphen = usize::from(self.tokens.get(at).is_some_and(among(&['-'])));
            if value >= 20.0
                && value % 10.0 == 0.0
                && let Some((next, unit)) = self.tokens.get(at + hyphen).and_then(|next| Some((next, unit(next)?)))
            {
                (value, last, at) = (value + unit, next, at + hyphen + 1);
            }
            let mut has_unit = false;
            let mut over = None;
            for _ in 0..4 {
                let Some(next) = self.tokens.get(at) else { break };
                // "一个很重要的观点": more than a space stands between.
                if next.is_unspaced && next.start > last.end + 1 {
                    break;
                }
                // "Out of a hundred"
                let article = usize::from(self.tokens.get(at + 1).is_some_and(of(class::ANY)));
                if next.is(class::OVER) && next.number.is_some() && over.is_none() {
                    // "Seitsemän kymmenestä"
                    (over, last, at) = (next.number, next, at + 1);
                } else if next.is(class::HALF) {
                    (value, last, at) = (value + 0.5, next, at + 1);
                } else if next.is(class::OVER)
                    && over.is_none()
                    && let Some(top) = self.tokens.get(at + 1 + article).filter(|top| top.number.is_some())
                    // "열 점 만점에 일곱 점": the highest score may stand before the word.
                    && !(next.is(class::TOP) && top.number < Some(value))
                {
                    // "Huit points sur dix": the unit may be part of the phrase.
                    (over, last, at, has_unit) = (top.number, top, at + 2 + article, has_unit || next.is(class::UNIT));
                } else if next.is(class::UNIT) && !has_unit {
                    (has_unit, last, at) = (true, next, at + 1);
                } else {
                    break;
                }
            }
            let (top_value, start) = match top.take() {
                Some((top, start, next)) if next + 1 == at || next + 2 == at && has_unit => (Some(top), start),
                _ => (None, token.start),
            };
            if self.tokens.get(at).is_some_and(of(class::TOP)) {
                top = Some((value, token.start, at + 1));
                at += 1;
                continue;
            }
            // "Six to eight" bounds a range.
            let is_range = self.tokens.get(at).is_some_and(|next| next.is(class::RANGE) || next.is_mark(&['-']));
            if is_range && self.tokens.get(at + 1).is_some_and(|next| next.number.is_some()) {
                at += 2;
                continue;
            }
            if self.runs_on(at, last, token) {
                continue;
            }
            let over = over.or(top_value);
            let end = last.end;
            found.push(Spelled { value, over, start, end, has_unit, may_open: false, may_close: false });
        }
        if let [only] = found.as_mut_slice() {
            let Spelled { start, end, .. } = *only;
            let is_mere = |token: &Token| {
                !token.is_word()
                    || (start <= token.start && token.end <= end)
                    || token.is(LAST
                        | class::UNIT
                        | class::ABOUT
                        | class::FILL
                        | class::LINK
                        | class::FROM
                        | class::ANY)
                    || token.is_judge()
            };
            let (first, behind) = self.places(&(only.start..only.end));
            let (before, rest) = (self.slice(..first), self.slice(behind..));
            let turn = before.iter().rposition(of(class::CONTRAST));
            let goes_on = |token: &Token| is_mere(token) || token.is(class::ONWARD | class::SUBJECT | class::EMPHATIC);
            let is_alone = self.tokens.iter().all(is_mere);
            let reason =
                words(rest).next().is_some_and(|next| next.is(class::BECAUSE) && !next.is(class::PART | class::ONWARD));
            let opens = before.iter().all(is_mere) && reason;
            // "There are many, but only eight" counts.
            let turned = turn.map_or(&[][..], |turn| self.slice(turn + 1..));
            let is_conceded = before.iter().any(of(class::DENY)) && turned.iter().any(of(class::ANY));
            let closes = is_conceded && turned.iter().all(goes_on);
            (only.may_open, only.may_close) = (is_alone || opens, is_alone || closes);
        }
        found
    }

    /// Whether a number word is part of a longer word, or counts what stands behind it.
    fn runs_on(&self, next: usize, last: &Token, first: &Token) -> bool {
        let follower = self.tokens.get(next);
        if last.is_unspaced {
            let touches = follower
                .is_some_and(|token| token.start == last.end && token.is(class::UNIT | class::LINK | class::OVER));
            // "打八分": its unit shows that a number begins inside a word that is not known; "十分" is "very".
            let is_counted = last.is(class::UNIT) && first.number.is_some_and(|value| !(9.5..10.5).contains(&value));
            return first.is_part && !is_counted || last.runs_on && !touches;
        }
        follower.is_some_and(|token| {
            // "आठ अंक दूँगा", "acht Punkte geben"
            let is_verb = !self.may_be_english && token.is(AWARDS);
            // "שתיים בלבד.", "Un nouă binemeritat: …"
            let is_last = token.is(class::FILL | class::FITTING | class::QUALITY)
                && self.tokens.get(next + 1).is_none_or(|end| !end.is_word());
            token.kind == Kind::Word && !token.is(BEHIND_NUMBER) && !is_verb && !is_last
                || token.is_mark(&['-']) && token.start == last.end
        })
    }

    /// Where the sentence or the stretch of it lies that holds a place.
    pub(super) fn range(text: &str, at: usize) -> Range<usize> {
        let anchor = at / STRIDE * STRIDE;
        let first = text.floor_char_boundary(anchor.saturating_sub(STRIDE));
        let last = text.ceil_char_boundary((anchor + 2 * STRIDE).min(text.len()));
        let start = last_end(text, first..at + 1).unwrap_or(first);
        let end = first_end(text, at..last).unwrap_or(last);
        start..end
    }

    fn new(text: &str, range: Range<usize>, stride: usize) -> Self {
        let Range { start, end } = range;
        let said = slice(text, start..end).trim_end_matches(|c: char| {
            c.is_whitespace() || matches!(c, '"' | '\'' | ')' | '*' | '\u{201d}' | '\u{bb}' | '_')
        });
        // Greek asks with a semicolon.
        let is_greek = |said: &str| said.chars().rev().take(2).all(|c| matches!(c, '\u{386}'..='\u{3ce}'));
        let bare = said.trim_end_matches(['.', '\u{3002}']);
        let asks = said.ends_with(['?', '\u{ff1f}', '\u{61f}']) && !said.ends_with("!?")
            || !bare.ends_with(|c: char| c.is_ascii()) && ASKING.iter().any(|end| bare.ends_with(end))
            || said.strip_suffix([';', '\u{37e}']).is_some_and(is_greek);
        // Of the numbers of a row, only the score is said of what names it.
        let heads = table::heads(text, start);
        let row = heads.as_ref().and_then(|heads| table::row(text, start, heads)).unwrap_or_default();
        // What stands above a table is said of all its rows, but names none.
        let above = heads.map_or(start, |heads| heads.start);
        let heading = heading(text, above).filter(|_| !row.is_nameless);
        let (mut tokens, languages) = tokens(text, heading, start..end);
        if !row.others.is_empty() {
            tokens.retain(|token| !row.others.iter().any(|other| other.contains(&token.start)));
        }
        let may_be_english = languages & 1 != 0 || languages == 0;
        let classes = tokens.iter().fold(0, |all, token| all | token.classes);
        let top = row.top.or_else(|| top_of(text, &tokens, classes));
        Self { range: start..end, tokens, classes, asks, may_be_english, top, languages, stride }
    }

    /// Whether its verb ends the clause, so that what a verb makes of a value is said behind it.
    pub(super) fn is_verb_final(&self) -> bool {
        self.languages & class::VERB_FINAL != 0
    }

    /// Where the tokens of a span begin and end.
    pub(super) fn places(&self, span: &Range<usize>) -> (usize, usize) {
        let first = self.tokens.partition_point(|token| token.end <= span.start);
        let behind = self.tokens.partition_point(|token| token.start < span.end);
        (first, behind.max(first))
    }

    pub(super) fn slice(&self, range: impl SliceIndex<[Token], Output = [Token]>) -> &[Token] {
        self.tokens.get(range).unwrap_or(&[])
    }

    /// Whether what is said in a range is the judge's last word on the matter.
    pub(super) fn concludes(&self, said: Range<usize>) -> bool {
        self.words_in(said).any(of(CONCLUDES))
    }

    /// Whether what is said in a range calls itself final, so that it takes the place of an earlier verdict.
    pub(super) fn settles(&self, said: Range<usize>) -> bool {
        let says = |classes| self.words_in(said.clone()).any(of(classes));
        // "The final answer is 4" speaks of what is judged; "my final answer" does not.
        // "The correct score is 5."
        let is_true = |pair: &[&Token]| {
            let has = |classes| pair.iter().any(of(classes));
            has(class::TRUE) && has(class::ANNOUNCE) && !has(class::VAGUE)
        };
        let words: Vec<&Token> = self.words_in(said.clone()).filter(|token| token.is_word()).collect();
        // "Classement final" may be of a verdict.
        let is_vague = words.iter().any(|token| token.is(class::VAGUE) && !token.is(class::ANNOUNCE));
        says(class::FINAL) && (says(class::SELF) || !is_vague) || words.windows(2).any(is_true)
    }

    /// `[[6]] in the end`: whether a value is called final by what follows it.
    pub(super) fn is_final_behind(&self, value: &Range<usize>) -> bool {
        let (_, behind) = self.places(value);
        self.tokens.get(behind).is_some_and(of(class::FINAL))
    }

    /// Whether what is said in a range calls itself a verdict on all that is judged.
    pub(super) fn is_of_all(&self, said: Range<usize>) -> bool {
        self.words_in(said).any(of(class::WHOLE))
    }

    /// `Sorry, it's 6.`: whether nothing but a value is said behind a word.
    pub(super) fn is_all_said(&self, word: usize, value: &Range<usize>) -> bool {
        let mut behind = self.tokens.iter().filter(|token| token.start > word);
        behind.all(|token| {
            let is_end = token.is_mark(&['.', ',', ';', ')', '"', '\'', '*', '。', '，', '、', '،', ':', '-', '/']);
            token.is(SCORED | class::CORRECT | class::SUBJECT)
                || is_end
                || token.kind == Kind::Number
                || token.start < value.end && value.start < token.end
        })
    }

    /// `Then yes.`, `不正解です。`, `No, sorry, it is right.`: whether a sentence says nothing but a value of what is judged, or
    /// answers with it, `Yes, it answers.`, where it may.
    pub(super) fn is_all(&self, value: &Range<usize>, may_answer: bool) -> bool {
        let (first, behind) = self.places(value);
        let (answer, rest) = (self.slice(first..behind), self.slice(behind..));
        // "No, nothing is missing" says something else.
        let is_answer = may_answer
            && answer.iter().any(of(class::YES | class::NO))
            && rest.first().is_some_and(among(&COMMAS))
            && (words(rest).next().is_some_and(of(class::SUBJECT)) || words(rest).count() == 1);
        self.is_led_by_none(value) && (is_answer || words(rest).all(of(class::UNIT | class::LINK)))
    }

    /// `[[7]] or [[4]]`, `[[A]] provided brevity counts, otherwise [[B]]`: whether a word between alternatives leads up to the end
    /// of a range.
    pub(super) fn is_alternative(&self, said: Range<usize>) -> bool {
        let between: Vec<&Token> = self.words_in(said).filter(|token| token.is_word()).collect();
        let is_or = |token: &&Token| token.is(class::OR | class::FILL | class::ANY);
        between.last().is_some_and(|last| last.is(class::IF))
            || between.first().is_some_and(|first| first.is(class::OR)) && between.iter().all(is_or)
    }

    /// Whether a word in a range announces a correction, and is no apology.
    pub(super) fn corrects_in(&self, said: Range<usize>) -> bool {
        self.words_in(said).any(|token| token.is(class::CORRECT) && !token.is(class::SORRY))
    }

    /// `The answer is therefore right.`: whether a word that concludes stands behind a copula, and so opens no clause.
    pub(super) fn is_amid(&self, token: &Token) -> bool {
        let nth = self.tokens.partition_point(|other| other.start < token.start);
        token.is(class::CONCLUDE) && self.slice(..nth).last().is_some_and(of(class::LINK))
    }

    /// `Then 5`, `よって[[B]]`: whether a sentence says nothing before a value but that it is one.
    pub(super) fn is_led_by_none(&self, value: &Range<usize>) -> bool {
        let passes =
            SCORED | class::CORRECT | class::CONCLUDE | class::ONWARD | class::SUBJECT | class::SORRY | class::NO;
        words(self.slice(..self.places(value).0)).all(of(passes))
    }

    fn words_in(&self, said: Range<usize>) -> impl Iterator<Item = &Token> {
        self.tokens.iter().filter(move |token| said.contains(&token.start))
    }
}

#[cfg(test)]
mod tests {
    use super::{counts_word, ends_before, may_end};

    #[test]
    fn a_sentence_ends_behind_the_marks_of_each_script() {
        let marks = "\n.!?\u{2026}\u{3002}\u{ff01}\u{ff1f}\u{ff1b}\u{964}\u{61f}\u{6d4}";
        for mark in marks.chars() {
            assert!(ends_before(&format!("A{mark}"), 1 + mark.len_utf8()), "{mark:?}");
        }
        assert!(ends_before("A.\u{201d}", 5) && ends_before("A.\u{bb}", 4));
    }

    #[test]
    fn a_word_before_a_known_one_or_a_mark_may_be_a_number() {
        for (text, want) in [("to the", true), ("on time.", true), ("two points", false), ("seven because", false)] {
            assert_eq!(counts_word(text, 0), want, "{text}");
        }
        assert!(["to", "ten.", "ten, no", "ten  no", "ten 5"].iter().all(|text| !counts_word(text, 0)));
    }

    #[test]
    fn a_sentence_ends_behind_no_other_byte() {
        for c in '\0'..=char::MAX {
            for text in [c.to_string(), format!("!{c}")] {
                assert!(text.bytes().next_back().is_some_and(may_end) || !ends_before(&text, text.len()), "{text:?}");
            }
        }
    }
}
