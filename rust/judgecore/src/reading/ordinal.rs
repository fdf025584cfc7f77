//! Candidates that are named by their order.

use std::ops::Range;

use super::sentence::{Sentence, Sentences};
use super::token::Token;
use crate::lexicon::{self as class, lexicon};
use crate::reply::text::{head, slice, tail};

/// How many bytes of blanks and marks may stand before the first word of a sentence.
const MARKS: usize = 4;

/// In longer replies, ordinals count more than candidates.
const ORDINALS: usize = 4096;

/// Where candidates are named by their order, `the first response`, `the latter`: each as 0 or 1, with its noun. Behind one
/// that has its noun, another may have none where numbers are told: `the first answer gets 8, the second 6`.
pub(super) fn ordinals(
    text: &str,
    sentences: &mut Sentences<'_>,
    is_noun: impl Fn(&Token) -> bool,
    is_named: bool,
    is_told: bool,
) -> Vec<(usize, Range<usize>)> {
    let mut found = Vec::new();
    if text.len() > ORDINALS {
        return found;
    }
    let mut places = class::ORDINALS.places(text).peekable();
    let mut next = 0;
    while places.peek().is_some() {
        let Range { start, end } = Sentence::range(text, next);
        let at = std::mem::replace(&mut next, end);
        if places.next_if(|&place| place < end).is_none() {
            continue;
        }
        while places.next_if(|&place| place < end).is_some() {}
        let sentence = sentences.at(at);
        let is_ordinal = |token: &Token| token.start >= start && token.is(class::FORMER | class::LATTER);
        for (nth, token) in sentence.tokens.iter().enumerate().filter(|(_, token)| is_ordinal(token)) {
            let ordinal = Ordinal { text, sentence, nth, token };
            let name = ordinal.name(&is_noun).or_else(|| {
                (!is_named && ordinal.stands_alone() || is_told && !found.is_empty())
                    .then(|| ordinal.start()..token.end)
            });
            found.extend(name.map(|name| (usize::from(token.is(class::LATTER)), name)));
        }
    }
    found
}

/// An ordinal in its sentence.
struct Ordinal<'s> {
    text: &'s str,
    sentence: &'s Sentence,
    nth: usize,
    token: &'s Token,
}

impl<'s> Ordinal<'s> {
    fn before(&self) -> Option<&'s Token> {
        self.sentence.slice(..self.nth).last()
    }

    fn next(&self) -> Option<&'s Token> {
        self.sentence.tokens.get(self.nth + 1)
    }

    /// Where it begins, with its article.
    fn start(&self) -> usize {
        let is_article = |before: &&Token| before.is(class::FILL) && before.end + 1 == self.token.start;
        self.before().filter(is_article).map_or(self.token.start, |article| article.start)
    }

    /// Where it and its noun stand.
    fn name(&self, is_noun: impl Fn(&Token) -> bool) -> Option<Range<usize>> {
        let noun = self.next().filter(|noun| is_noun(noun));
        // "المساعد الأول", "jawaban pertama"
        let noun_before = self.before().filter(|noun| !self.sentence.may_be_english && is_noun(noun));
        let start = noun_before.map_or(self.start(), |noun| noun.start);
        let end = noun.map_or(self.token.end, |noun| noun.end);
        (noun.or(noun_before).is_some() || holds_noun(self.token.text(self.text))).then_some(start..end)
    }

    /// Whether it needs no noun: `The former is better`, `I prefer the latter.`, `Второй.`
    fn stands_alone(&self) -> bool {
        let is_led = self.is_led();
        let opens = self.before().is_none() && !self.sentence.may_be_english;
        // "첫 번째 답변이": a particle.
        let is_particle = |next: &&Token| next.start == self.token.end && next.is(class::FILL);
        let particle = self.next().filter(is_particle);
        let next = particle.map_or(self.next(), |_| self.sentence.tokens.get(self.nth + 2));
        let goes_on = class::LINK | class::WIN | class::EARN | class::CHOOSE | class::BECAUSE;
        // "الثانية أفضل"
        let goes_on = goes_on | if opens || self.token.is_unspaced { class::BETTER } else { 0 };
        // "1つ目の質問の方が良い" has another noun.
        let end = particle.map_or(self.token.end, |particle| particle.end);
        let is_near = |next: &Token| slice(self.text, end..next.start).trim().is_empty();
        let follows = |next: &Token| match next.is_word() {
            true => next.is(goes_on) && (!next.is_unspaced || is_near(next)),
            false if is_led => !next.is_mark(&['-', '/']),
            // "第一，" counts.
            false => next.is_mark(&['.', '!', '\u{3002}', '\u{964}']),
        };
        (is_led || opens) && next.is_none_or(follows)
    }

    /// `The former`, `Выбираю первый.`, `Fico com a primeira.`: whether what stands before it leads up to it. `Un segundo.` asks
    /// for one.
    fn is_led(&self) -> bool {
        let sentence = self.sentence;
        let leads = class::CHOOSE | if sentence.may_be_english { 0 } else { class::EMPHATIC | class::CONCLUDE };
        // "我选择淘汰第二个" chooses something else.
        let is_near = |before: &Token| slice(self.text, before.end..self.token.start).trim().is_empty();
        // "我避免选择第一个": what begins the sentence chooses.
        let begins = |before: &Token| !self.token.is_unspaced || before.start <= sentence.range.start + MARKS;
        // "Краща відповідь — перша."
        let is_dash = |before: &Token| before.is_mark(&['\u{2014}', '\u{2013}']) && !sentence.may_be_english;
        self.before().filter(|before| is_near(before) && begins(before)).is_some_and(|before| {
            is_dash(before)
                || before.is(class::FILL) && !before.is(class::ANY)
                || !sentence.may_be_english && before.is(leads)
                || !self.token.is_unspaced && self.token.text(self.text).contains(' ')
        })
    }
}

/// Whether a phrase begins or ends with a noun of what is judged.
fn holds_noun(phrase: &str) -> bool {
    let is_noun = |word: &str| lexicon().classes(word.trim()) & (class::THING | class::VAGUE) != 0;
    phrase.char_indices().skip(1).any(|(at, _)| is_noun(head(phrase, at)) || is_noun(tail(phrase, at)))
}
