//! Reading several numbers: `[[8, 7]]`, `8 7`, `Assistant 1: 8` and `Assistant 2: 7`.

use std::ops::Range;

use super::Asked;
use super::clause::announcement::By;
use super::context::{Word, clause_end, opens_line, word_after, word_before};
use super::evidence::{Candidate, Chooser, Found};
use super::gather::Values;
use super::named;
use super::numeral::{self, Comma, Met, Numeral};
use super::ordinal::ordinals;
use super::outcome::{Detail, Mode, Outcome, Reading, Reason, Rule, Unreadable, Value};
use super::scale::on_scale;
use super::slot::{marked, not_a_label, slot_start};
use super::table;
use super::token::{AWARDS, Kind, LAST, SCORED, Token, entry_of};
use crate::blocks::places;
use crate::format::{Format, Scale, Strictness};
use crate::lexicon::{self as class, Classes, lexicon};
use crate::reply::View;
use crate::reply::text::{
    byte_at, byte_before, char_at, head, is_unspaced, line_ahead, line_end, skip, skip_back_near, skip_near, slice,
};

/// What may stand on a line of scores without making it prose.
const LINE: Classes = SCORED | LAST | class::VAGUE | class::JOIN | class::OF | class::PART | class::ONWARD;

/// How long the row of scores in a marker is at most.
const ROW: usize = 80;

/// The longest noun before a number, in bytes, in scripts without spaces.
const NOUN: usize = 24;

/// How much of a line of scores may be unknown in scripts without spaces, in bytes: the particles of a few words.
const UNKNOWN: usize = 20;

/// Read scores in their order, and behind their names if the format declares them.
pub(super) fn read<'f>(
    asked: Asked<'_, 'f>,
    scale: &Scale,
    count: usize,
    slots: &'f [(String, Format)],
) -> Outcome<'f> {
    let in_order = read_in_order(asked, scale, count);
    if slots.is_empty() || asked.mode == Mode::Strict && asked.format.markers.has_declared() {
        return in_order;
    }
    match (named::read(asked, slots).map(listed), in_order) {
        (Ok(named), Ok(ordered)) if named.value == ordered.value => Ok(ordered),
        (Ok(named), Ok(ordered)) => Err(Unreadable {
            reason: Reason::Ambiguous,
            detail: Detail::Sentence("the scores behind the names contradict those in a row"),
            candidates: vec![ordered, named],
        }),
        (Ok(named), Err(unread)) if unread.reason == Reason::NoVerdict => Ok(named),
        (Err(unread), Ok(ordered)) if unread.reason == Reason::NoVerdict || ordered.rule <= Rule::Marker => Ok(ordered),
        (Err(unread), Err(other)) if other.reason == Reason::NoVerdict => Err(unread),
        (_, Err(unread)) | (Err(unread), _) => Err(unread),
    }
}

/// A reading of named scores as one of scores.
fn listed(reading: Reading<'_>) -> Reading<'_> {
    let Value::Fields(values) = reading.value else { return reading };
    let score = |(_, value)| if let Value::Score(score) = value { Some(score) } else { None };
    Reading { value: Value::Scores(values.into_iter().filter_map(score).collect()), ..reading }
}

/// Whether a number stands in a text that is no part of a name: `Assistant 1`, but `score 1`.
pub(super) fn may_score(text: &str) -> bool {
    let noun = |at: usize| entry_of(text, name_at(text, at)?);
    let is_score = |at: usize| noun(at).is_none_or(|(noun, _)| noun.may_be(class::ANNOUNCE));
    let is_number = |at: usize| !text.is_ascii() || numeral::spelled(text, at).is_some();
    places(text.as_bytes(), 0, |byte| byte.wrapping_sub(b'0') < 10).any(is_score)
        || lexicon().numbers(text).any(is_number)
}

fn read_in_order<'f>(asked: Asked<'_, 'f>, scale: &Scale, count: usize) -> Outcome<'f> {
    let Asked { view, format, mode, is_cut, .. } = asked;
    let text = view.text();
    let mut chooser = Chooser::new(text, format.precedence(), is_cut);
    let is_strict = mode == Mode::Strict;
    if format.markers.has_declared() {
        offer_rows(view, format, scale, count, &mut chooser);
        if is_strict || is_cut || chooser.has(Rule::Marker) {
            return chooser.decide(view, Value::Scores, |_| None, || asked.nothing());
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
    // Only numbers that are no names could fill in where nothing was said.
    let mut digits = places(text.as_bytes(), 0, |byte| byte.wrapping_sub(b'0') < 10);
    if chooser.is_empty() && digits.all(|at| name_at(text, at).is_some()) {
        chooser.settle_empty();
    }
    let alone = |range: Range<usize>| in_a_row(view, scale, count, range);
    chooser.decide(view, Value::Scores, alone, || asked.nothing())
}

/// A row of scores in one marker: `[[8, 7]]`.
fn offer_rows(view: &View<'_>, format: &Format, scale: &Scale, count: usize, chooser: &mut Chooser<'_, Vec<f64>>) {
    let text = view.text();
    for opening in format.markers.openings(view, true) {
        let Some(slot) = slot_start(text, &opening) else { continue };
        let near = line_ahead(text, slot, ROW);
        let suffix = &opening.marker.suffix;
        let close = if suffix.is_empty() { Some(near.len()) } else { near.find(suffix.as_str()) };
        let found = close.map(|close| slice(near, 0..close)).and_then(|row| {
            let numbers = unnamed(row);
            if numbers.len() == count {
                return Some(numbers.iter().map(|number| on_scale(number, scale)).collect());
            }
            (!numbers.is_empty() || row.contains(char::is_alphabetic)).then(|| Err(not_a_label(row.trim())))
        });
        let close = close.map(|close| slot + close + suffix.len());
        let value = opening.start..close.unwrap_or(slot);
        chooser.offer_all(marked(view, &opening, found, value, close, true));
    }
}

/// The numbers of a row that are no part of a name, as in `Assistant 1: 8`.
fn unnamed(row: &str) -> Vec<Numeral> {
    numeral::numbers(row, 0, Comma::Separates).filter(|number| !numeral::is_numbered(row, number)).collect()
}

/// All scores that stand in a range, where a correction was announced.
fn in_a_row(view: &View<'_>, scale: &Scale, count: usize, range: Range<usize>) -> Option<Candidate<Vec<f64>>> {
    let numbers = numbers_of(view.text(), scale, range.clone());
    let values: Vec<&Numeral> = numbers.iter().filter(|number| !is_name(view.text(), number)).collect();
    let span = values.first()?.start..values.last()?.end;
    // "Instead, it prints 3 or 5" leaves it open.
    let is_open = words(view.text(), span.clone()).any(|word| word.has(class::OR));
    (values.len() == count && !is_open && is_in_order(view.text(), range) && !view.hides(&span))
        .then(|| Candidate::new(all_on_scale(&values, scale), Rule::Labelled, 2, span))
}

/// Whether no name in a range stands before one that comes first: `Assistant 2: 9, Assistant 1: 4`.
fn is_in_order(text: &str, range: Range<usize>) -> bool {
    names_in(text, range).enumerate().all(|(nth, (place, _))| nth == place)
}

/// The names in a range, each with its place in order.
fn names_in(text: &str, range: Range<usize>) -> impl Iterator<Item = (usize, Range<usize>)> {
    let row = head(text, range.end);
    std::iter::successors(next_name(row, range.start), |(_, name)| next_name(row, name.end))
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
            Met::Span(low, high, end) if end <= line.end => {
                let digit = numeral::next_digit(text, at).unwrap_or(at);
                let start = digit.saturating_sub(usize::from(low < 0.0)).max(line.start);
                let is_negative = scale.low < 0.0 && has_sign(slice(text, start..end));
                // "On a scale of 1 to 10" is no score.
                if !is_negative && end < line.end && low <= scale.low.max(1.0) && high >= scale.high {
                    at = end;
                    continue;
                }
                let first = plain(low, start, end);
                // "Assistant 1 - 6" is a name and its score.
                if !numeral::is_numbered(text, &first) {
                    numbers.push(first);
                }
                numbers.push(plain(if is_negative { -high } else { high }, start, end));
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
    // "| Criterion | Weight | Score |" heads no scores of two, "| Criterion | Assistant 2 | Assistant 1 |" not in their order.
    if table::heads(text, line.start)
        .is_some_and(|heads| table::row(text, line.start, &heads).is_some() || !is_in_order(text, heads))
    {
        return;
    }
    let mut numbers = numbers_of(text, scale, line.clone());
    // "甲九十二分,乙八十分"
    if numbers.is_empty() && !slice(text, line.clone()).is_ascii() {
        let spelled = chooser.sentence(line.start).spelled().into_iter();
        let spelled = spelled.filter(|one| one.has_unit && line.contains(&one.start));
        numbers.extend(spelled.map(|one| one.numeral()));
    }
    let values: Vec<&Numeral> = numbers.iter().filter(|number| !is_name(text, number)).collect();
    // A calculation or a change is no line of scores: "10 = 5x - 10", "9 -> 5".
    let is_reckoned = || slice(text, line.clone()).contains(['=', '+', '^', '\\', '>', '\u{2192}']);
    if values.len() != count || is_reckoned() || !is_in_order(text, line.clone()) {
        return;
    }
    // What stands in brackets at the end explains: "8 7 (Assistant 1 is better)".
    let aside = slice(text, line.clone()).trim_end().strip_suffix(')').and_then(|row| row.rfind(" ("));
    let is_behind = |at: &usize| values.last().is_some_and(|last| last.end <= line.start + *at);
    let line_words = aside.filter(is_behind).map_or(line.clone(), |at| line.start..line.start + at);
    let words = words(text, line_words);
    // "8 or 7" leaves it open.
    if words.clone().any(|word| !word.has(LINE) || word.has(class::OR)) {
        return;
    }
    // "助手1:7分(满分10分,列出3个例子)" says more than its numbers.
    let unspaced = |range: Range<usize>| -> usize {
        slice(text, range).chars().filter(|&c| is_unspaced(c)).map(char::len_utf8).sum()
    };
    let known = lexicon().unspaced(slice(text, line.clone())).filter(|(.., entry)| entry.may_be(LINE | AWARDS));
    let known: usize = known.map(|(start, end, _)| end - start).sum();
    let numbers: usize = values.iter().map(|number| unspaced(number.span())).sum();
    if unspaced(line.clone()) > known + numbers + UNKNOWN {
        return;
    }
    let is_bare = words.count() == 0;
    if is_strict && !is_bare {
        return;
    }
    let (Some(first), Some(last)) = (values.first(), values.last()) else { return };
    let span = first.start..last.end;
    // "| Assistant 1 | 6 | 7 |" has the scores of one.
    let names = names_in(text, line.start..span.end).count();
    if view.hides(&span) || names != 0 && names < count {
        return;
    }
    let is_alone = text.trim().len() <= line.len();
    let rule = match (is_bare, is_first, is_alone) {
        (true, _, true) => Rule::Whole,
        (true, true, false) => Rule::Marker,
        _ => Rule::Labelled,
    };
    let reach = line.end + usize::from(line.end < text.len());
    let claim = Candidate::new(all_on_scale(&values, scale), rule, usize::from(!is_bare), span);
    chooser.offer(claim.reaching(reach));
}

/// Whether the dash between two numbers is the sign of the second: `1 -2`.
fn has_sign(pair: &str) -> bool {
    pair.rsplit_once('-')
        .is_some_and(|(low, high)| low.ends_with(' ') && high.starts_with(|c: char| c.is_ascii_digit()))
}

fn plain(value: f64, start: usize, end: usize) -> Numeral {
    Numeral { start, end, value, ..Numeral::default() }
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
    let is_numbered = numeral::is_numbered(text, number)
        && word_before(text, number.start).is_none_or(|word| !word.has(class::ANNOUNCE));
    is_numbered || row_mark(text, number.start).is_some() || name_at(text, number.start).is_some()
}

/// A score for each name, wherever they stand.
fn offer_items(view: &View<'_>, scale: &Scale, count: usize, chooser: &mut Chooser<'_, Vec<f64>>) {
    let text = view.text();
    let mut names: Vec<(usize, Range<usize>)> = names_in(text, 0..text.len()).collect();
    if names.is_empty() && count == 2 {
        let is_noun = |noun: &Token| noun.is(class::THING | class::VAGUE) && !noun.is(class::FILL | class::SUBJECT);
        names = ordinals(text, chooser.sentences(), is_noun, false, true);
    }
    // "Assistant 3" beside the two that were asked for; "Sentence 3" is another list.
    let noun = |name: &Range<usize>| slice(text, name.clone()).split(|c: char| !c.is_alphabetic()).next();
    let first = names.iter().find(|(nth, _)| *nth < count).and_then(|(_, name)| noun(name));
    if names.iter().any(|(nth, name)| *nth >= count && noun(name) == first) {
        return;
    }
    let settled = |nth: usize| {
        let mut slot = Chooser::slot(text, chooser.precedence(), chooser.is_cut());
        let own = names.iter().filter(|(place, _)| *place == nth).map(|(_, name)| (name.clone(), false));
        named::gather_score(view, own, scale, Mode::Lenient, &mut slot);
        slot.settle(|range| scale.alone(view, range)).ok()
    };
    let Some(items) = (0..count).map(settled).collect::<Option<Vec<_>>>() else { return };
    let start = items.iter().map(|(_, span)| span.start).min().unwrap_or(0);
    let end = items.iter().map(|(_, span)| span.end).max().unwrap_or(0);
    let found = items.into_iter().map(|(found, _)| found).collect();
    chooser.offer_documented(Candidate::new(found, Rule::Labelled, 2, start..end).reaching(clause_end(text, end)));
}

/// The next name of a scored thing, `Assistant 1` or `Response A`, with its place in order.
fn next_name(text: &str, from: usize) -> Option<(usize, Range<usize>)> {
    let is_mark = |byte: u8| (byte.wrapping_sub(b'1') < 9) | (byte.wrapping_sub(b'A') < 8);
    places(text.as_bytes(), from, is_mark).find_map(|at| {
        let start = name_at(text, at)?;
        let byte = byte_at(text, at);
        let first = if byte.is_ascii_digit() { b'1' } else { b'A' };
        let end = if start == at { row_mark(text, at)? } else { at + 1 };
        Some((usize::from(byte - first), start..end))
    })
}

/// Where a name begins whose number or letter stands at a place: behind a noun, or at the start of a numbered line.
fn name_at(text: &str, at: usize) -> Option<usize> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric();
    let is_decimal = matches!(byte_at(text, at + 1), b'.' | b',') && byte_at(text, at + 2).is_ascii_digit();
    if is_part(byte_at(text, at + 1)) || is_decimal || at > 0 && is_part(byte_before(text, at)) {
        return None;
    }
    let end = skip_back_near(text, at, |c| matches!(c, ' ' | '#' | '_' | '('));
    let is_noun = |classes: Classes| {
        classes & (class::THING | class::ANNOUNCE) != 0 && classes & (class::FILL | class::SUBJECT) == 0
    };
    if let Some(word) = word_before(text, at).filter(|word| word.end == end) {
        // "câu trả lời A": the noun may be more than a word.
        let before = |word: &Word<'_>| word_before(text, word.start);
        let is_phrase = |from: &Word<'_>| {
            entry_of(text, from.start).is_some_and(|(entry, end)| end == word.end && is_noun(entry.among(0).0))
        };
        let phrase = || {
            let mut words = std::iter::successors(before(&word), |word| word_before(text, word.start)).take(2);
            words.find(is_phrase).map(|word| word.start)
        };
        return if is_noun(lexicon().classes(word.text)) { Some(word.start) } else { phrase() };
    }
    let from = text.ceil_char_boundary(end.saturating_sub(NOUN));
    let nouns = lexicon().unspaced(slice(text, from..end));
    let touching = nouns.filter(|(_, stop, entry)| from + stop == end && is_noun(entry.among(0).0)).last();
    touching.map(|(start, ..)| from + start).or_else(|| row_mark(text, at).map(|_| at))
}

/// `1. 8`, `2) 7`: where the mark ends behind a number that opens its line and has another one behind it.
fn row_mark(text: &str, at: usize) -> Option<usize> {
    let mark = char_at(text, at + 1).filter(|c| matches!(c, '.' | ')' | ':' | '\u{ff1a}' | '\u{3001}'))?;
    let end = at + 1 + mark.len_utf8();
    let behind = skip_near(text, end, |c| matches!(c, ' ' | '*'));
    let is_row = byte_at(text, at).is_ascii_digit()
        && byte_at(text, behind).is_ascii_digit()
        && (behind > end || mark != '.')
        && opens_line(text, at);
    is_row.then_some(end)
}

/// `The scores for Assistant 1 and Assistant 2 are 4 and 9, respectively.`, `I give 4 and 9.`
fn offer_sentences(view: &View<'_>, scale: &Scale, chooser: &mut Chooser<'_, Vec<f64>>) {
    let text = view.text();
    let mut previous: Option<Numeral> = None;
    for number in numeral::numbers(text, 0, Comma::Separates) {
        if numeral::is_numbered(text, &number) {
            continue;
        }
        offer_for_both(view, scale, &number, chooser);
        if let Some(first) = previous.take()
            && joins(text, first.end..number.start)
            && is_respective(text, &first, &number, chooser)
            && !view.hides(&(first.start..number.end))
        {
            let found = all_on_scale(&[&first, &number], scale);
            let claim = Candidate::new(found, Rule::Labelled, 3, first.start..number.end);
            chooser.offer(claim.reaching(clause_end(text, number.end)));
        }
        previous = Some(number);
    }
}

/// `Both assistants deserve an 8.`: the only number of a sentence, which gives it to all.
fn offer_for_both(view: &View<'_>, scale: &Scale, number: &Numeral, chooser: &mut Chooser<'_, Vec<f64>>) {
    let value = number.span();
    let sentence = chooser.sentence(number.start);
    if sentence.classes & class::BOTH == 0 || view.hides(&value) {
        return;
    }
    let numbers = sentence.tokens.iter().filter(|token| token.kind == Kind::Number).count();
    let own = 1 + usize::from(number.denominator.is_some());
    let end = sentence.range.end;
    let clause = sentence.clause(&value);
    if numbers == own
        && clause.says(class::BOTH)
        && let Some(announced) = clause.announces_score()
    {
        let found = on_scale(number, scale).map(|score| vec![score; 2]);
        chooser.offer(Candidate::new(found, Rule::Labelled, 3, value).from(announced.start).reaching(end));
    }
}

/// Whether nothing but a conjunction stands in a range.
fn joins(text: &str, gap: Range<usize>) -> bool {
    let classes = lexicon().classes(slice(text, gap).trim());
    classes & class::JOIN != 0 && classes & class::OR == 0
}

fn is_respective(text: &str, first: &Numeral, second: &Numeral, chooser: &mut Chooser<'_, Vec<f64>>) -> bool {
    let gives = class::ANNOUNCE | class::VAGUE | AWARDS;
    let follows = word_after(text, second.end).is_some_and(|word| word.is(&["respectively"]));
    let sentence = chooser.sentence(first.start);
    let clause = sentence.clause(&(first.start..first.end));
    let is_own =
        || clause.says(class::SELF) && clause.announces_score().is_some_and(|announced| announced.by == By::Verb);
    let ends = || {
        let mut rest = sentence.tokens.iter().filter(|token| token.start >= second.end);
        rest.all(|token| !token.is_word() || token.is(class::UNIT))
    };
    follows && sentence.classes & gives != 0 || is_own() && ends()
}
