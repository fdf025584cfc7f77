//! The highest score there is, where a text tells it elsewhere than right behind the score: `on a 5-point scale`.

use super::numeral::Numeral;
use super::token::{COMMAS, Kind, Token, among, is_number, of};
use crate::lexicon::{self as class, Classes, lexicon};
use crate::reply::text::{char_before, head, is_unspaced};

/// What may stand between a scale and its highest score: `scale of 5`, `5-point rating scale`.
const BETWEEN: Classes =
    class::OF | class::OVER | class::UNIT | class::ANNOUNCE | class::FROM | class::RANGE | class::UNTIL;

/// A preposition before a scale: `on`, `using`.
const GOVERNS: Classes = class::PART | class::COMPLEMENT;

/// How many words and marks from its noun the ends of a scale are told: `a scale that ranges from 1 (poor) to 5`.
const FARTHEST: usize = 10;

/// The highest score of a scale, and where it is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Top {
    pub(super) value: f64,
    pub(super) at: usize,
}

impl Top {
    pub(super) fn new(text: &str, number: &Token) -> Option<Self> {
        let value = value_of(text, number).filter(|value| *value > 0.0)?;
        Some(Self { value, at: number.start })
    }

    /// A number with this highest score, unless it is that or has one of its own.
    pub(super) fn over(self, number: &Numeral) -> Numeral {
        let told = Some(self.value).filter(|_| number.start != self.at);
        Numeral { denominator: number.denominator.or(told), ..number.clone() }
    }
}

/// What a sentence of these words tells: `on a scale of 1 to 5`, `5-point scale`, `满分5分`, `Out of 20, I'd give 9`.
pub(super) fn top_of(text: &str, tokens: &[Token], classes: Classes) -> Option<Top> {
    match tokens {
        [over, top, mark, ..] if over.is(class::OVER) && is_number(top) && mark.is_mark(&COMMAS) => {
            return Top::new(text, top);
        }
        _ if classes & (class::SCALE | class::TOP) == 0 => return None,
        _ => {}
    }
    let mut scales = tokens.iter().enumerate().filter(|(_, token)| token.is(class::SCALE | class::TOP));
    scales.find_map(|(nth, scale)| {
        let (before, next) = (tokens.get(..nth)?, tokens.get(nth + 1..)?);
        let top = top_beside(text, before, scale, next)?;
        if is_judges(text, before, scale, next, top) { Top::new(text, top) } else { None }
    })
}

/// `On a 5-point scale`, `(5-point scale)`, `5分制：`, but not `it explains the 5-point scale`: whether a scale is the one that the
/// judge uses: a preposition governs it, or nothing else stands between two marks.
fn is_judges(text: &str, before: &[Token], scale: &Token, next: &[Token], top: &Token) -> bool {
    // "满分5分", "10-ből" say so themselves.
    if scale.is(class::TOP) && (top.start > scale.start || !scale.is_unspaced) {
        return true;
    }
    let own = BETWEEN | class::FILL | class::ANY;
    let is_part = |token: &&Token| {
        is_number(token) || token.is_mark(&HYPHENS) || token.is(own) && !token.is(GOVERNS | class::LINK)
    };
    let named = |token: &&Token| token.start >= top.start || is_part(token);
    let lead = before.iter().rev().find(|token| !named(token));
    // Where words are not parted, what touches the number may be the verb of another.
    let first = before.iter().rev().take_while(named).last().unwrap_or(scale);
    let is_known = lead.is_some_and(|lead| lead.end == first.start);
    let touches = char_before(text, first.start).is_some_and(is_unspaced) && !is_known;
    let governs = lead.is_some_and(of(GOVERNS)) || first.is(class::OVER);
    let stands_alone = lead.is_none_or(|lead| !lead.is_word()) && !touches;
    let behind = next.iter().find(|token| !is_part(token));
    governs || stands_alone && behind.is_none_or(|token| !token.is_word())
}

fn top_beside<'s>(text: &str, before: &'s [Token], scale: &Token, next: &'s [Token]) -> Option<&'s Token> {
    if scale.is(class::TOP) {
        let near = before.iter().rfind(|token| !token.is_mark(&HYPHENS));
        return near.into_iter().chain(next.first()).find(|token| is_number(token));
    }
    // "ranging from 1 (poor) to 5 (excellent)"
    let said = next.iter().take(FARTHEST).take_while(|token| !token.is_mark(&['.', ';', ',', '\u{ff0c}', '\u{3002}']));
    let mut numbers = said.clone().filter(|token| is_number(token));
    if let Some(low) = numbers.next() {
        let is_low = value_of(text, low).is_some_and(|low| low <= 1.0);
        let gap = || next.iter().take_while(|token| token.start < low.start);
        // "Auf dieser Skala gebe ich eine 4": two numbers that nothing parts are no ends.
        let is_parted = |high: &Token| said.clone().any(|one| one.start >= low.end && one.end <= high.start);
        let is_high = |high: &&Token| is_parted(high) && value_of(text, high) > value_of(text, low);
        if let Some(high) = numbers.next().filter(is_high).filter(|_| is_low) {
            return Some(high);
        }
        // "scale of 5", "thang điểm 5", but "on the scale 4 is low"
        let is_of = gap().all(of(BETWEEN & !class::ANNOUNCE))
            && (gap().next().is_some() || !scale.entry.is_some_and(|one| one.shows(0)));
        if is_of && !is_low && low.start < scale.end + FARTHEST {
            return Some(low);
        }
    }
    // "5-point Likert scale", "5'lik ölçek", "пятибалльной шкале"
    let is_hyphen = |nth: Option<usize>| nth.and_then(|nth| before.get(nth)).is_some_and(among(&HYPHENS));
    for (nth, token) in before.iter().enumerate().rev().take(FARTHEST / 2) {
        if is_number(token) || value_of(text, token).is_some() {
            // "1-5 scale", but "2 scales"
            let is_lone = nth + 1 == before.len() && token.text(text).bytes().all(|byte| byte.is_ascii_digit());
            let ends = nth.checked_sub(1).and_then(|nth| before.get(nth));
            let is_range = ends.is_some_and(|token| token.is_mark(&DASHES) || token.is(class::RANGE | class::UNTIL));
            return Some(token).filter(|_| !is_lone || is_range || token.end == scale.start);
        }
        let is_joined = is_hyphen(Some(nth)) || is_hyphen(Some(nth + 1)) || is_hyphen(nth.checked_sub(1));
        if !is_joined && !token.is(BETWEEN) {
            return None;
        }
    }
    None
}

/// What joins a number and its unit.
const HYPHENS: [char; 3] = ['-', '\u{2010}', '\u{2011}'];

/// What parts the ends of a range.
const DASHES: [char; 3] = ['-', '\u{2013}', '~'];

/// The number that a word is, or begins with: `5er`, `five`, `fünfstufigen`.
fn value_of(text: &str, token: &Token) -> Option<f64> {
    let word = token.text(text);
    let digits = word.len() - word.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if digits > 0 {
        return head(word, digits).parse().ok();
    }
    let begun = || word.char_indices().rev().find_map(|(end, _)| lexicon().number(head(word, end)));
    token.number.or_else(|| begun().filter(|_| token.kind == Kind::Word && token.is_unknown()))
}
