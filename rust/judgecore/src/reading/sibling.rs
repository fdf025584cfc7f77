//! Several things that a number or a letter tells apart, of one of which something is said: `Turn 1: [[8]]`.

use std::ops::Range;

use super::sentence::Sentences;
use super::token::{AWARDS, COUNTED, Kind, Token, of, words};
use crate::lexicon::{self as class, Classes};

/// How many sentences behind the last value may speak of another of them.
const NEXT: usize = 3;

/// How many words of a sentence may stand before its topic.
const NEAR: usize = 4;

/// What is judged and what is said of it, each of which stands for a value of its own.
const SPOKEN: Classes = class::THING | class::VAGUE | class::ANNOUNCE;

/// What may stand before the one that a value is given to: `For turn 1 I gave`, `Response to prompt 17`.
const OPENS: Classes =
    SPOKEN | class::FILL | class::PART | class::OF | class::RANGE | class::COMPLEMENT | class::SELF | class::WINNER;

/// What may say that it is given.
const SAYS: Classes = AWARDS
    | class::GIVES
    | class::FILL
    | class::LINK
    | class::SELF
    | class::PAST
    | class::INVERT
    | class::WIN
    | class::HOLD
    | class::COMPLEMENT
    | class::FROM;

/// What is said of a later one that has a verdict, is held against the first, or is no matter of fact.
const KNOWN: Classes = class::TRUE
    | class::FALSE
    | class::BETTER
    | class::WORSE
    | class::ANOTHER
    | class::CONDITIONAL
    | class::COUNTERFACTUAL
    | class::INVERT;

/// Words that tell the first of several and the second.
const ORDINALS: Classes = class::FORMER | class::LATTER;

/// One of several things: what it is called, which one it is, where its name ends, and whether another is held against it.
struct Item<'t> {
    noun: &'t str,
    nth: Nth,
    start: usize,
    end: usize,
    is_compared: bool,
}

/// Which of several it is.
#[derive(PartialEq, PartialOrd)]
enum Nth {
    Number(f64),
    Letter(char),
}

impl Nth {
    fn of(text: &str, token: &Token, is_bracketed: bool) -> Option<Self> {
        let written = token.text(text);
        if token.is(ORDINALS) {
            return Some(Self::Number(if token.is(class::LATTER) { 2.0 } else { 1.0 }));
        }
        if token.kind == Kind::Number || token.number.is_some() {
            return token.number.or_else(|| written.parse().ok()).map(Self::Number);
        }
        let mut letters = written.chars();
        let letter = letters.next().filter(|c| c.is_uppercase() || is_bracketed && c.is_lowercase());
        letter.filter(|_| letters.next().is_none() && !token.is(class::SELF)).map(Self::Letter)
    }

    fn is_behind(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other) && self > other
    }
}

/// The things that are named in these words.
fn items<'t>(
    text: &'t str,
    tokens: &[Token],
    is_candidate: impl Fn(&Token, &Token) -> bool,
) -> impl Iterator<Item = Item<'t>> {
    let is_bracket = |token: &Token| token.is_mark(&['(', '#']);
    tokens.iter().enumerate().filter_map(move |(at, noun)| {
        let next = tokens.get(at + 1..)?;
        let brackets = next.iter().take_while(|token| is_bracket(token)).count();
        let (mark, behind) = next.get(brackets..)?.split_first()?;
        let (noun, mark) = if noun.is(ORDINALS) { (mark, noun) } else { (noun, mark) };
        let is_known = noun.is(COUNTED | class::THING) && !noun.is(class::ASPECT | class::SUBJECT);
        // "mentions 3 causes"
        let is_name = noun.is_bare() && !behind.first().is_some_and(Token::is_bare);
        let nth = Nth::of(text, mark, brackets > 0).filter(|_| is_known || is_name)?;
        let is_item = !is_candidate(noun, mark);
        let before = tokens.get(..at).and_then(<[_]>::last);
        let is_compared = before.is_some_and(of(class::THAN | class::COMPLEMENT));
        is_item.then(|| Item {
            noun: noun.text(text),
            nth,
            start: noun.start.min(mark.start),
            end: noun.end.max(mark.end),
            is_compared,
        })
    })
}

/// The one of several things that a value is given to, where that is all that its clause says: `For turn 1 I gave`, but not
/// `Because of the error in step 1`, `It uses Python 2`, `The first turn is good`.
fn receiver<'t>(text: &'t str, lead: &[Token], is_candidate: impl Fn(&Token, &Token) -> bool) -> Option<Item<'t>> {
    let mut items = items(text, lead, is_candidate);
    let named = items.next().filter(|_| items.next().is_none())?;
    let is_mere = |token: &Token| {
        if token.start < named.start {
            token.is(OPENS)
        } else {
            token.start < named.end || (token.is_bare() || token.is(SAYS)) && !token.is(SPOKEN)
        }
    };
    words(lead).all(is_mere).then_some(named)
}

/// What a part is named by: a criterion, or which one of several it is.
const PART_NAMES: Classes = class::ASPECT | ORDINALS;

/// What else stands in the name of a part.
const BESIDE: Classes =
    class::FILL | class::PART | class::OF | class::LINK | class::NUMBERED | class::CITE | class::UNIT;

/// What leaves a part to somebody else or to later: `still being checked`.
const LEFT: Classes = class::ABSENT | class::OTHER | class::CONTRAST;

/// `Spelling: 10. Everything else is still unread.`: whether a value is said of a part, and a sentence behind the last value
/// leaves another one open.
pub(super) fn is_of_a_part_beside_an_open_one(value: Range<usize>, last: usize, sentences: &mut Sentences<'_>) -> bool {
    let is_part = {
        let clause = sentences.at(value.start).clause(&value);
        let mut lead = words(clause.own_lead());
        let is_beside = |token: &Token| token.is(PART_NAMES | BESIDE) || token.is_bare() || token.number.is_some();
        // The content is all that is judged.
        let is_name = |token: &Token| token.is(PART_NAMES) && !token.is(class::THING);
        lead.clone().any(is_name) && lead.all(is_beside)
    };
    let mut at = last;
    is_part
        && (0..NEXT).any(|_| {
            let sentence = sentences.at(at);
            let behind = sentence.slice(sentence.tokens.partition_point(|token| token.start < last)..);
            at = sentence.range.end;
            let mut opening = words(behind).take(NEAR);
            let is_topic = |token: &&Token| token.is(PART_NAMES | class::RIVAL | class::OTHER | class::LINK);
            let topic = opening.find(is_topic).filter(|topic| !topic.is(class::LINK));
            // "The ending does not fit" leaves nothing open, but "the rest does not load" does.
            let is_denied = |topic: &Token| {
                let is_left = topic.is(class::RIVAL | ORDINALS) || behind.iter().any(Token::is_judge);
                let fails = |pair: &[Token]| matches!(pair, [denial, verb] if denial.is(class::DENY) && verb.is_bare());
                is_left && behind.windows(2).any(fails)
            };
            topic.is_some_and(|topic| is_denied(topic) || behind.iter().any(of(LEFT)))
                && !behind.iter().any(of(KNOWN | class::QUALITY))
        })
}

/// `Document 12 was a 0.9. Document 13 won't open.`: whether a value is said of one of several things, and a later one is spoken
/// of behind the last value.
pub(super) fn is_of_an_earlier_item(
    text: &str,
    value: Range<usize>,
    last: usize,
    sentences: &mut Sentences<'_>,
    is_candidate: impl Fn(&Token, &Token) -> bool,
) -> bool {
    let named = receiver(text, sentences.at(value.start).clause(&value).own_lead(), &is_candidate);
    let Some(named) = named else { return false };
    let mut at = last;
    (0..=NEXT).any(|_| {
        let sentence = sentences.at(at);
        let behind = sentence.slice(sentence.tokens.partition_point(|token| token.start < last)..);
        at = sentence.range.end;
        // "Waiting for candidate 4."
        let is_spoken_of = |item: &Item<'_>| {
            let mut said = words(behind).filter(|token| token.start >= item.end).peekable();
            let opens = words(behind).next().is_some_and(|first| first.start >= item.start);
            (opens || said.peek().is_some()) && !said.any(of(KNOWN))
        };
        // "Better than essay 5", "I compared it with essay 5".
        let is_next = |item: Item<'_>| {
            !item.is_compared
                && item.nth.is_behind(&named.nth)
                && item.noun.eq_ignore_ascii_case(named.noun)
                && is_spoken_of(&item)
        };
        items(text, behind, &is_candidate).any(is_next)
    })
}
