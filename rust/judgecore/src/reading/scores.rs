//! Reading several numbers: `8 7`, `Assistant 1: 8` and `Assistant 2: 7`.

use std::ops::Range;

use super::context::{Word, clause_end, word_after, word_before};
use super::evidence::{Candidate, Chooser, Found, Rank};
use super::numeral::{self, Comma, Met, Numeral};
use super::outcome::{Mode, Outcome, Rule, Value};
use super::score::{self, TWO_NUMBERS, has_alternative, on_scale};
use super::word::{Words, word_at, words};
use crate::format::{Format, Scale, Strictness};
use crate::reply::View;
use crate::reply::text::{ahead, byte_at, byte_before, head, line_end, skip, skip_near, slice};

/// Words that may stand on a line of scores without making it prose.
static LINE_WORDS: Words = Words::new(&[
    "score",
    "scores",
    "rating",
    "ratings",
    "and",
    "for",
    "the",
    "are",
    "is",
    "respectively",
    "assistant",
    "assistants",
    "response",
    "answer",
    "model",
    "overall",
    "final",
    "my",
    "of",
    "a",
    "points",
    "out",
    "to",
    "vs",
    "verdict",
    "evaluation",
    "result",
    "therefore",
    "thus",
    "so",
    "on",
    "scale",
    "from",
]);

/// Words that may stand between a name and its score: `Assistant 1 receives a score of 8`.
static ITEM_WORDS: Words = Words::new(&[
    "score", "scores", "rating", "is", "gets", "get", "receives", "receive", "received", "earns", "a", "an", "of",
    "the", "overall", "final", "scored", "deserves", "would", "be", "rated", "given", "at", "as", "with", "s", "total",
    "only", "just",
]);

static ITEM_NOUNS: Words =
    Words::new(&["assistant", "response", "answer", "model", "output", "candidate", "system", "score", "rating"]);

pub(super) fn read<'f>(
    view: &View<'_>,
    format: &'f Format,
    scale: &Scale,
    count: usize,
    mode: Mode,
    is_cut: bool,
) -> Outcome<'f> {
    let text = view.text();
    let mut chooser = Chooser::new(text, format.precedence(), is_cut);
    let is_strict = mode == Mode::Strict;
    if format.markers.has_declared() {
        super::score_list::offer_rows(view, format, scale, count, &mut chooser);
        if is_strict || is_cut || chooser.has(Rule::Marker) {
            return chooser.decide(view, Value::Scores, || super::nothing(text, format));
        }
    }
    let mut at = 0;
    let mut is_first = true;
    while at < text.len() {
        let start = skip(text, at, char::is_whitespace);
        let end = line_end(text, start);
        // Without a documented first line, strict accepts the numbers and nothing else.
        let is_accepted = !is_strict || format.strict.contains(&Strictness::FirstLine) || end == text.len();
        if start < end && is_accepted {
            offer_line(view, scale, count, start..end, is_first, is_strict, &mut chooser);
            is_first = false;
        }
        if is_strict {
            break;
        }
        at = end + 1;
    }
    if !is_strict && !chooser.has(Rule::Labelled) {
        offer_items(view, scale, count, &mut chooser);
        if count == 2 && !chooser.has(Rule::Labelled) {
            offer_sentences(view, scale, &mut chooser);
        }
    }
    let alone = |range: Range<usize>| in_a_row(view, scale, count, range);
    chooser.decide_with(view, Value::Scores, alone, || super::nothing(text, format))
}

/// All scores that stand in a range, where a correction was announced.
fn in_a_row(view: &View<'_>, scale: &Scale, count: usize, range: Range<usize>) -> Option<Candidate<Vec<f64>>> {
    let numbers = numbers_of(view.text(), scale, range.clone());
    let values: Vec<&Numeral> = numbers.iter().filter(|number| !is_name(view.text(), number)).collect();
    let span = values.first()?.start..values.last()?.end;
    (values.len() == count && is_in_order(view.text(), range) && !view.hides(&span)).then(|| Candidate {
        found: all_on_scale(&values, scale),
        rank: Rank::of(Rule::Labelled, 2),
        reach: span.end,
        value: span.clone(),
        span,
    })
}

/// Whether no name in a range stands before one that comes first: `Assistant 2: 9, Assistant 1: 4`.
fn is_in_order(text: &str, range: Range<usize>) -> bool {
    let row = head(text, range.end);
    let names = std::iter::successors(next_name(row, range.start), |(.., end)| next_name(row, *end));
    names.map(|(place, ..)| place).enumerate().all(|(nth, place)| nth == place)
}

/// The numbers of a range; of a range of numbers, both.
fn numbers_of(text: &str, scale: &Scale, line: Range<usize>) -> Vec<Numeral> {
    let mut numbers: Vec<Numeral> = Vec::new();
    let mut at = line.start;
    // Up to the end of the line, or a text without numbers would be searched once a line.
    while let Some(met) = numeral::next(head(text, line.end), at, Comma::Separates) {
        match met {
            Met::Number(number) if number.start < line.end => {
                at = number.end;
                numbers.push(number);
            }
            // "On a scale of 1 to 10" is no score.
            Met::Span(low, high, end) if end < line.end && low <= scale.low.max(1.0) && high >= scale.high => at = end,
            Met::Span(low, high, end) if end <= line.end => {
                let start = numeral::next_digit(text, at).unwrap_or(at).max(line.start);
                let first = plain(low, start, end);
                // "Assistant 1 - 6" is a name and its score.
                if !numeral::is_numbered(text, &first) {
                    numbers.push(first);
                }
                numbers.push(plain(high, start, end));
                at = end;
            }
            _ => break,
        }
    }
    numbers
}

/// A line that holds the scores and nothing else that matters.
fn offer_line(
    view: &View<'_>,
    scale: &Scale,
    count: usize,
    line: Range<usize>,
    is_first: bool,
    is_strict: bool,
    chooser: &mut Chooser<'_, Vec<f64>>,
) {
    let text = view.text();
    // A line of scores is short; a paragraph is not looked through.
    if line.len() > 80 + 40 * count {
        return;
    }
    let numbers = numbers_of(text, scale, line.clone());
    let values: Vec<&Numeral> = numbers.iter().filter(|number| !is_name(text, number)).collect();
    // A calculation or a change is no line of scores: "10 = 5x - 10", "9 -> 5".
    let is_reckoned = slice(text, line.clone()).contains(['=', '+', '^', '\\', '>', '\u{2192}']);
    if values.len() != count || is_reckoned || !is_in_order(text, line.clone()) {
        return;
    }
    // What stands in brackets at the end explains: "8 7 (Assistant 1 is better)".
    let aside = slice(text, line.clone()).trim_end().strip_suffix(')').and_then(|row| row.rfind(" ("));
    let is_behind = |at: &usize| values.last().is_some_and(|last| last.end <= line.start + *at);
    let line_words = aside.filter(is_behind).map_or(line.clone(), |at| line.start..line.start + at);
    let words = words(text, line_words);
    if words.clone().any(|word| !word.is(&LINE_WORDS)) {
        return;
    }
    let is_bare = words.count() == 0;
    if is_strict && !is_bare {
        return;
    }
    let (Some(first), Some(last)) = (values.first(), values.last()) else {
        return;
    };
    let span = first.start..last.end;
    if view.hides(&span) {
        return;
    }
    let is_alone = text.trim().len() <= line.len();
    let rule = match (is_bare, is_first, is_alone) {
        (true, _, true) => Rule::Whole,
        (true, true, false) => Rule::Marker,
        _ => Rule::Labelled,
    };
    chooser.offer(Candidate {
        found: all_on_scale(&values, scale),
        rank: Rank::of(rule, usize::from(!is_bare)),
        reach: line.end + usize::from(line.end < text.len()),
        value: span.clone(),
        span,
    });
}

fn plain(value: f64, start: usize, end: usize) -> Numeral {
    Numeral { start, end, value, denominator: None, is_percent: false, is_decimal: false }
}

fn all_on_scale(numbers: &[&Numeral], scale: &Scale) -> Found<Vec<f64>> {
    numbers.iter().map(|number| on_scale(number, scale)).collect()
}

fn words(text: &str, line: Range<usize>) -> impl Iterator<Item = Word<'_>> + Clone {
    let mut at = line.start;
    std::iter::from_fn(move || {
        loop {
            let word = word_after(text, at).filter(|word| word.start < line.end)?;
            at = word.end;
            if !word.text.chars().all(|c| c.is_ascii_digit()) && !word.text.starts_with(|c: char| c.is_ascii_digit()) {
                return Some(word);
            }
        }
    })
}

/// Whether a number is part of a name, `Assistant 1`, and not a score.
fn is_name(text: &str, number: &Numeral) -> bool {
    numeral::is_numbered(text, number)
        && word_before(text, number.start)
            .is_none_or(|word| !word.is(&["score", "rating"]) || number_names(text, number))
}

/// `Score 1: 8`: the first number is a name where a colon follows it.
fn number_names(text: &str, number: &Numeral) -> bool {
    matches!(byte_at(text, skip_near(text, number.end, |c| c == ' ')), b':' | b'=')
}

/// A score for each name, wherever they stand.
fn offer_items(view: &View<'_>, scale: &Scale, count: usize, chooser: &mut Chooser<'_, Vec<f64>>) {
    let text = view.text();
    let mut slots: Vec<Chooser<'_, f64>> =
        (0..count).map(|_| Chooser::slot(text, chooser.precedence(), chooser.is_cut())).collect();
    let mut at = 0;
    while let Some((index, name_start, name_end)) = next_name(text, at) {
        at = name_end;
        let Some(number) = item_score(text, name_end) else {
            continue;
        };
        let span = name_start..number.end;
        if view.hides(&span) {
            continue;
        }
        at = number.end;
        let found = if has_alternative(text, number.end) { Err(TWO_NUMBERS) } else { on_scale(&number, scale) };
        if let Some(slot) = slots.get_mut(index) {
            let (rank, reach) = (Rank::of(Rule::Labelled, 2), clause_end(text, number.end));
            slot.offer(Candidate { found, rank, span, value: number.start..number.end, reach });
        }
    }
    let settle = |slot: Chooser<'_, f64>| slot.settle(|range| score::alone(view, scale, range));
    let Some(items) = slots.into_iter().map(settle).collect::<Option<Vec<_>>>() else {
        return;
    };
    let start = items.iter().map(|(_, span)| span.start).min().unwrap_or(0);
    let end = items.iter().map(|(_, span)| span.end).max().unwrap_or(0);
    chooser.offer_documented(Candidate {
        found: items.into_iter().map(|(found, _)| found).collect(),
        rank: Rank::of(Rule::Labelled, 2),
        span: start..end,
        value: start..end,
        reach: clause_end(text, end),
    });
}

/// The next name of a scored thing, `Assistant 1` or `Response A`: its place in order, start and end.
fn next_name(text: &str, from: usize) -> Option<(usize, usize, usize)> {
    let mut at = from;
    loop {
        let noun = next_noun(text, at)?;
        let mark = skip_near(text, noun.end, |c| matches!(c, ' ' | '#' | '_' | '('));
        let byte = byte_at(text, mark);
        let is_single = !byte_at(text, mark + 1).is_ascii_alphanumeric();
        let index = match byte {
            b'1'..=b'9' if is_single => Some(usize::from(byte - b'1')),
            b'A'..=b'H' if is_single => Some(usize::from(byte - b'A')),
            _ => None,
        };
        if let Some(index) = index {
            return Some((index, noun.start, mark + 1));
        }
        at = noun.end;
    }
}

fn next_noun(text: &str, from: usize) -> Option<Word<'_>> {
    let rest = crate::reply::text::tail(text, from);
    let bytes = rest.as_bytes();
    let mut at = 0;
    loop {
        // All nouns begin with one of these letters, in two cases.
        let found = bytes
            .get(at..)?
            .iter()
            .position(|byte| matches!(byte.to_ascii_lowercase(), b'a' | b'r' | b'm' | b'o' | b'c' | b's'))?;
        at += found;
        let is_start = at == 0 || !byte_at(rest, at - 1).is_ascii_alphanumeric();
        if is_start
            && let Some(word) = word_at(text, from + at)
            && word.is(&ITEM_NOUNS)
        {
            return Some(word);
        }
        at += 1;
    }
}

/// The score that follows a name, behind a colon or a few words.
fn item_score(text: &str, name_end: usize) -> Option<Numeral> {
    let mut at = name_end;
    // "Assistant 1 (the first model): 6".
    if slice(text, at..(at + 2).min(text.len())) == " (" {
        let close = ahead(text, at, 40).find(')').filter(|&close| !slice(text, at..at + close).contains('\n'));
        let is_name = |close: &usize| !slice(text, at..at + close).contains(|c: char| c.is_ascii_digit());
        at += close.filter(is_name).map_or(0, |close| close + 1);
    }
    let mut is_linked = false;
    for _ in 0..8 {
        let gap_end = skip_near(text, at, |c| {
            matches!(
                c,
                ' ' | '\t'
                    | ':'
                    | '='
                    | '-'
                    | '\u{2013}'
                    | '\u{2014}'
                    | '|'
                    | ')'
                    | ']'
                    | '['
                    | '('
                    | '*'
                    | '\''
                    | '\u{2019}'
                    | '"'
            )
        });
        let gap = slice(text, at..gap_end);
        is_linked |= gap.contains([':', '=', '|', '\u{2013}', '\u{2014}']) || gap.contains(" - ");
        if gap_end - at > 12 {
            return None;
        }
        let point = usize::from(byte_at(text, gap_end) == b'.');
        if byte_at(text, gap_end + point).is_ascii_digit() {
            let number = numeral::number_at(text, gap_end + point, Comma::Separates)?;
            return (is_linked && !is_name(text, &number) && byte_before(text, number.start) != b'#').then_some(number);
        }
        let word = word_at(text, gap_end).filter(|word| word.is(&ITEM_WORDS))?;
        is_linked |= !word.is(words!["s", "the", "a", "an", "with", "as", "at", "total", "overall", "final"]);
        at = word.end;
    }
    None
}

/// `The scores for Assistant 1 and Assistant 2 are 4 and 9, respectively.`
fn offer_sentences(view: &View<'_>, scale: &Scale, chooser: &mut Chooser<'_, Vec<f64>>) {
    let text = view.text();
    let mut at = 0;
    let mut previous: Option<Numeral> = None;
    while let Some(met) = numeral::next(text, at, Comma::Separates) {
        let number = match met {
            Met::Number(number) => number,
            Met::Span(_, _, end) => {
                at = end;
                previous = None;
                continue;
            }
        };
        at = number.end;
        if numeral::is_numbered(text, &number) {
            continue;
        }
        if let Some(first) = previous.take()
            && slice(text, first.end..number.start).trim() == "and"
            && is_respective(text, &first, &number)
            && !view.hides(&(first.start..number.end))
        {
            chooser.offer(Candidate {
                found: all_on_scale(&[&first, &number], scale),
                rank: Rank::of(Rule::Labelled, 3),
                span: first.start..number.end,
                value: first.start..number.end,
                reach: clause_end(text, number.end),
            });
        }
        previous = Some(number);
    }
}

fn is_respective(text: &str, first: &Numeral, second: &Numeral) -> bool {
    let follows = word_after(text, second.end).is_some_and(|word| word.is(&["respectively"]));
    let start = super::context::clause_start(text, first.start).unwrap_or(first.start);
    let clause = slice(text, start..first.start).to_ascii_lowercase();
    follows && ["score", "rating", "rate", "give", "assign", "receive"].iter().any(|word| clause.contains(word))
}
