//! Reading a number on a scale.

use std::ops::Range;

use super::clause::Clause;
use super::clause::announcement::{Announced, By};
use super::clause::scope::Scope;
use super::context::{
    PROSE_LIMIT, clause_reach, closes_line, closes_text, is_blank_before, is_blank_behind, is_doubted, opens_line,
    prose_ranges, skip_closing, ticked, word_after, word_before,
};
use super::evidence::{Candidate, Chooser, Found};
use super::gather::Values;
use super::numeral::{self, Comma, Met, Numeral, behind_unit};
use super::outcome::{Detail, Reason, Rule};
use super::revision::may_replace_digits;
use super::scale::{
    RECKONING, TWO_NUMBERS, behind_top, changed_to, counts, has_rival, in_brackets, in_range, is_same, on_scale,
    value_among, value_at, with_half,
};
use super::sentence::{Sentences, Spelled, counts_word};
use super::slot::{FILLERS, INSIDE_MARKER, closed, held, marked, not_a_label};
use super::token::{Kind, Token, entry_of};
use super::word::{Word, word_at};
use crate::format::marker::{Marker, Opening};
use crate::format::{Format, Place, Scale};
use crate::lexicon::{self as class, Classes, Entry, lexicon};
use crate::reply::View;
use crate::reply::text::{
    ahead, byte_at, byte_before, char_at, head, line_ahead, line_end, line_start, skip, skip_near, slice, tail,
    trim_range,
};

/// No number of a slot is longer.
const SLOT_NUMBER: usize = 40;

/// Only of a short reply is it looked up whether it has a number.
const SHORT: usize = 64;

impl Values for Scale {
    type Value = f64;

    const SEVERAL: (Reason, Detail) = TWO_NUMBERS;

    fn at_place(&self, text: &str, asked: Place, at: usize) -> Option<(Found<f64>, usize)> {
        if asked == Place::Whole {
            value_at(text, at, self)
        } else {
            slot_value(text, self, at, &mut Sentences::new(text))
        }
    }

    /// A number, with marks and a unit at most, or a word that stands for one.
    fn whole(&self, text: &str, format: &Format, is_strict: bool) -> Option<Candidate<f64>> {
        let is_mark = |c: char| matches!(c, '!'..='$' | '\''..='*' | '.' | '[' | ']' | '`' | '{' | '}' | '。' | '\u{201c}'..='\u{201d}');
        let span = trim_range(text, 0..text.len(), |c| c.is_whitespace() || !is_strict && is_mark(c));
        // A leading point belongs to the number: ".5".
        let start = if byte_before(text, span.start) == b'.' { span.start - 1 } else { span.start };
        let number = if span.len() <= 40 { value_at(text, start, self) } else { None };
        let number = number.filter(|(_, end)| rest_is_unit(slice(text, *end..span.end)));
        let number = number.map(|(found, end)| (found, start..end));
        let word = || {
            let span = trim_range(text, 0..text.len(), |c| c.is_whitespace() || c.is_ascii_punctuation());
            Some((Ok(format.number_of(slice(text, span.clone()))?), span))
        };
        let (found, span) = number.or_else(word)?;
        Some(Candidate::new(found, Rule::Whole, 0, span))
    }

    fn declared(&self, text: &str) -> Option<f64> {
        value_at(text, 0, self).filter(|(_, end)| *end == text.len())?.0.ok()
    }

    fn in_slot(
        &self,
        view: &View<'_>,
        opening: &Opening<'_>,
        slot: usize,
        _is_strict: bool,
        sentences: &mut Sentences<'_>,
    ) -> Option<Candidate<f64>> {
        let (text, marker) = (view.text(), opening.marker);
        // "Rating:" above "1. Introduction: …" announces a list.
        let number = || numeral::number_at(text, slot, Comma::Decimal);
        if opens_line(text, slot) && number().is_some_and(|number| numeral::is_list_item(text, &number)) {
            return None;
        }
        let read =
            slot_value(text, self, slot, sentences).map(|read| exact_slot(text, self, slot, marker).unwrap_or(read));
        let failed = if read.is_none() { failed_slot(text, slot, marker) } else { None };
        let end = read.as_ref().map_or(slot + failed.map_or(0, str::len), |(_, end)| *end);
        // "[[8, 7]]" and "[[8 out of" are other things than "[[8]]".
        let close = closed(text, end, &marker.suffix);
        let found = match read {
            Some(_) if is_reckoned_with(text, close.unwrap_or(end)) => Some(Err(RECKONING)),
            Some(_) if is_first_of_pair(text, slot..end) => Some(Err(TWO_NUMBERS)),
            Some(_) if marker.suffix.is_empty() && is_one_of_all(text, slot..end) => Some(Err(TWO_NUMBERS)),
            Some((found, _)) => Some(found),
            None if !marker.is_declared => return None,
            None if !marker.suffix.is_empty() => failed.map(|held| Err(not_a_label(held.trim()))),
            None if slot >= text.len() => Some(Err(INSIDE_MARKER)),
            None => {
                // Prose may speak of a marker; a line that begins with one says what its verdict is.
                let held = held(text, slot, None);
                let is_linked = slice(text, opening.end..slot).contains([':', '=']);
                let is_verdict = held.len() <= 40 || is_linked && opens_line(text, opening.start);
                is_verdict.then(|| Err(not_a_label(held)))
            }
        };
        marked(view, opening, found.filter(|_| close.is_some()), slot..end, close, true)
    }

    fn offer_prose(&self, view: &View<'_>, _format: &Format, chooser: &mut Chooser<'_, f64>) {
        let text = view.text();
        let has_number = || text.contains(|c: char| c.is_ascii_digit() || c == ':');
        if text.len() <= SHORT && text.is_ascii() && !has_number() && lexicon().numbers(text).next().is_none() {
            return chooser.settle_empty();
        }
        let first = skip(text, 0, |c: char| !c.is_alphanumeric() && c != '-');
        let mut lone: Option<Lone> = None;
        let mut contradicted = false;
        let mut windows = prose_ranges(text);
        let mut window = windows.next().unwrap_or(0..0);
        let mut at = 0;
        let mut from = 0;
        while let Some(met) = numeral::next_result(text, &mut at, Comma::Decimal) {
            if let Some((cue, number)) = changed(text, std::mem::replace(&mut from, at), self, chooser) {
                at = number.end;
                let reach = clause_reach(text, at, chooser.is_cut());
                chooser.offer(offered(on_scale(&number, self), Rule::Labelled, 0, cue, &number, reach));
                continue;
            }
            let (number, is_counted_of) = match met {
                Met::Span(low, high, end) => {
                    // A range behind a cue is an answer that does not decide.
                    at = end;
                    contradicted |= low > self.low || high < self.high;
                    continue;
                }
                Met::Number(number) => of_top(text, number, self),
            };
            at = number.end;
            // "The final score was 3-1": two numbers, of which none is said alone.
            if let Some(end) = pair_end(text, &number) {
                at = end;
                continue;
            }
            if at > window.end {
                let Some(next) = windows.next() else { break };
                (at, window) = (next.start, next);
                continue;
            }
            let is_rivalled = has_rival(text, &number) || is_restated(chooser, text, &number);
            let (is_thing, is_numbered) = is_of_a_thing(text, &number, chooser);
            let tick = ticked(text, number.start);
            // What counts or numbers a thing, with no rival and no box, is passed over whoever says it: most numbers are, and
            // around them no quotation has to be looked for.
            if is_thing && !is_rivalled && tick.is_none() {
                continue;
            }
            let value = number.span();
            if view.hides(&value) || is_doubted(text, value.end) {
                continue;
            }
            contradicted |= is_rivalled || is_counted_of;
            let found = if is_rivalled { Err(TWO_NUMBERS) } else { on_scale(&number, self) };
            let reach = clause_reach(text, number.end, chooser.is_cut());
            let is_ticked = tick.filter(|_| !counts(text, number.end));
            if is_ticked == Some(true) {
                chooser.offer(offered(found.clone(), Rule::Labelled, 0, number.start, &number, reach));
            }
            if is_thing || is_ticked.is_some() {
                continue;
            }
            let clause = chooser.sentence(value.start).clause(&value);
            let is_counted = numeral::is_counter_behind(text, &number);
            contradicted |= is_counted;
            if is_counted || clause.is_left_out() || clause.is_top() || numeral::is_denominator(text, number.start) {
                continue;
            }
            let found = found.and_then(|value| on_told_scale(text, value, &number, &clause, self));
            let cue = clause.announces_score();
            let scope = clause.scope(cue, |token| token.kind == Kind::Number);
            let is_predicate = is_predicate(text, &number, &clause);
            let is_others =
                cue.is_none() && (clause.may_be_another_things()) || matches!(scope, Scope::Thing | Scope::Named);
            let is_none = |cue| scope == Scope::Thing || is_no_score(text, cue, &number, &clause, is_rivalled);
            if scope.is_else() || clause.is_named_as_count(number.is_share()) || cue.is_some_and(is_none) {
                contradicted |= scope != Scope::Person;
                continue;
            }
            if let Some(cue) = cue {
                let is_inner = is_inner(text, cue, &number);
                let is_whole = scope == Scope::Whole;
                let is_unclear = scope == Scope::Unclear;
                let grade = usize::from(!is_whole) + 2 * usize::from(is_inner) + 8 * usize::from(is_unclear);
                chooser.offer(offered(found.clone(), Rule::Labelled, grade, cue.start, &number, reach));
                if !is_inner {
                    continue;
                }
            }
            if is_numbered || numeral::is_list_index(text, &number) {
                continue;
            }
            let is_of_top = number.denominator.is_some() && found.is_ok() && scope != Scope::Thing && !is_counted_of;
            let is_statement = is_of_top || is_predicate;
            let is_vague = matches!(scope, Scope::Named | Scope::Unclear);
            let statement = is_statement.then(|| 2 * usize::from(is_vague));
            offer_unannounced(text, &number, &found, statement, number.start == first, reach, chooser);
            // Once contradicted, no lone number counts, and nobody has to be asked who says the next one.
            contradicted = contradicted
                || found.is_ok_and(|value| is_others || is_contradicting(&mut lone, value, number, chooser));
        }
        offer_rest(view, self, lone.filter(|_| !contradicted), chooser);
    }

    fn may_stand_in(&self, text: &str, range: Range<usize>) -> bool {
        let said = slice(text, range);
        said.contains(|c: char| c.is_ascii_digit() || STARS.contains(&c)) || lexicon().numbers(said).next().is_some()
    }

    fn alone(&self, view: &View<'_>, range: Range<usize>) -> Option<Candidate<f64>> {
        let text = view.text();
        let near = head(text, range.end);
        let mut found: Option<Candidate<f64>> = None;
        for number in numeral::numbers(near, range.start, Comma::Decimal) {
            if numeral::is_aside(text, &number) || view.hides(&number.span()) {
                continue;
            }
            if found.is_some() {
                return None;
            }
            found = Some(offered(on_scale(&number, self), Rule::Labelled, 0, number.start, &number, range.end));
        }
        found.or_else(|| {
            let spelled = Sentences::new(text).at(range.start).spelled();
            let is_inside = |one: &&Spelled| range.start <= one.start && one.end <= range.end && !one.may_be_pronoun();
            let mut inside = spelled.iter().filter(is_inside);
            let number = inside.next().filter(|_| inside.next().is_none()).map(Spelled::numeral)?;
            Some(offered(on_scale(&number, self), Rule::Labelled, 0, number.start, &number, range.end))
        })
    }
}

fn rest_is_unit(rest: &str) -> bool {
    let rest = rest.trim().trim_end_matches(['.', ')', ']', '*', '!']);
    behind_unit(rest, 0) == rest.len()
}

/// `75 (fifty-seven)`, `nine (8)`: whether brackets hold another number than stands before them, and nothing else.
fn is_restated(chooser: &mut Chooser<'_, f64>, text: &str, number: &Numeral) -> bool {
    let from = skip_near(text, number.end, |c| c == ' ');
    let inside = ahead(text, from, RESTATED).strip_prefix('(').and_then(|rest| rest.split_once(')'));
    let (start, end) = match inside {
        Some((inside, _)) => (from + 1, from + 1 + inside.len()),
        None if byte_before(text, number.start) == b'(' => {
            (0, head(text, number.start - 1).trim_end_matches(' ').len())
        }
        None => return false,
    };
    let digits = || inside.and_then(|(inside, _)| inside.parse::<f64>().ok());
    let spelled = || {
        if !may_end_number(text, start, end) {
            return None;
        }
        let sentence = chooser.sentence(end);
        let (_, behind) = sentence.places(&(end..end));
        let is_word = behind.checked_sub(1).and_then(|at| sentence.tokens.get(at))?.number.is_some();
        let found = if is_word { sentence.spelled() } else { Vec::new() };
        found.iter().find(|one| one.end == end && one.start >= start && !one.may_be_pronoun()).map(|one| one.value)
    };
    // "8 out of ten (10)"
    let is_other =
        |other: f64| !is_same(other, number.value) && number.denominator.is_none_or(|top| !is_same(other, top));
    digits().or_else(spelled).is_some_and(is_other)
}

/// Whether a number in words may end at a place: its last word may be one, or one near before begins a phrase that may.
fn may_end_number(text: &str, start: usize, end: usize) -> bool {
    let near = slice(text, text.ceil_char_boundary(start.max(end.saturating_sub(RESTATED)))..end);
    let is_mark = |c: char| c.is_ascii() && !c.is_ascii_alphanumeric();
    word_before(text, end).is_some_and(|word| word.end == end && lexicon().may_be_number(word.text))
        || !near.ends_with(is_mark) && lexicon().numbers(near).next().is_some()
}

/// No number in words that brackets repeat is longer, with its brackets, in bytes.
const RESTATED: usize = 40;

/// `Rating: 5 for the first and 7 for the second`, `Score: 1 2 3 4 5`, `Score: 1 = poor, 10 = good`: whether a marker has a
/// number for each of two, or all that there are.
fn is_one_of_all(text: &str, number: Range<usize>) -> bool {
    let is_shared_out = || Sentences::new(text).at(number.start).clause(&number).is_shared_out();
    let line = ahead(text, number.end, LEVEL).split('\n').next().unwrap_or("");
    let is_row =
        || line.starts_with(' ') && line.chars().all(|c| matches!(c, '0'..='9' | ' ')) && !line.trim().is_empty();
    let is_legend = || line.trim_start().starts_with('=') && line.matches('=').count() > 1;
    is_row() || is_legend() || word_after(text, number.end).is_some_and(|word| word.has(class::PART)) && is_shared_out()
}

/// What joins two numbers, as of goals.
fn is_dash(c: char) -> bool {
    matches!(c, '-' | '\u{2013}')
}

/// Where the second number of a pair ends that a dash joins to a first one: `3-1`.
fn pair_end(text: &str, number: &Numeral) -> Option<usize> {
    let dash = char_at(text, number.end).filter(|c| is_dash(*c))?;
    let second = number.end + dash.len_utf8();
    let is_pair = number.denominator.is_none() && byte_at(text, second).is_ascii_digit();
    is_pair.then(|| numeral::number_at_or_plain(text, second, Comma::Decimal)).flatten().map(|other| other.end)
}

/// `Score: 3-1`: whether a marker's number is the first of a pair, such as the goals of two teams.
fn is_first_of_pair(text: &str, number: Range<usize>) -> bool {
    if !char_at(text, number.end).is_some_and(is_dash) {
        return false;
    }
    let digits = numeral::number_at(text, number.start, Comma::Decimal);
    let digits = digits.filter(|one| one.span() == number && byte_at(text, number.start).is_ascii_digit());
    digits.is_some_and(|one| pair_end(text, &one).is_some())
}

/// `[[10]] - 2`, `[[10]] minus two`: whether a marker's number is only the first of a calculation.
fn is_reckoned_with(text: &str, end: usize) -> bool {
    let at = skip_near(text, end, |c| c == ' ');
    let rest = ahead(text, at, SLOT_NUMBER);
    let rest = rest.split('\n').next().unwrap_or("");
    let sign = rest.strip_prefix(['+', '-', '*', '\u{d7}', '\u{2212}', '\u{2013}']);
    let word = ["minus ", "plus ", "times ", "less "].iter().find_map(|word| rest.strip_prefix(word));
    let behind = sign.or(word).map(|behind| behind.trim_start_matches(' '));
    let ends =
        |behind: &str| behind.trim_start_matches(|c: char| c.is_ascii_digit()).trim_matches(['.', ' ']).is_empty();
    behind.is_some_and(|behind| {
        let is_digit = behind.starts_with(|c: char| c.is_ascii_digit());
        is_digit && ends(behind) || word.is_some() && (is_digit || numeral::spelled(behind, 0).is_some())
    })
}

/// The number of a slot that what must stand behind it belongs to: `{}/10`, `{}%`.
fn exact_slot(text: &str, scale: &Scale, slot: usize, marker: &Marker) -> Option<(Found<f64>, usize)> {
    if !marker.is_declared || !marker.suffix.starts_with(['/', '%', '.', '-']) {
        return None;
    }
    let near = ahead(text, slot, SLOT_NUMBER).split_once(&marker.suffix)?.0;
    let number = near.trim_end();
    value_at(head(text, slot + number.len()), slot, scale).filter(|(_, end)| *end == slot + number.len())
}

/// What stands instead of a number in a marker: a word of a slot that was never filled, `[[rating]]`, or anything where words
/// set the marker apart from brackets for other things.
fn failed_slot<'t>(text: &'t str, slot: usize, marker: &Marker) -> Option<&'t str> {
    if !marker.is_declared || marker.suffix.is_empty() {
        return None;
    }
    let closes = |word: &Word<'_>| word.has(FILLERS) && closed(text, word.end, &marker.suffix).is_some();
    if let Some(word) = word_at(text, slot).filter(closes) {
        return Some(word.text);
    }
    let held = ahead(text, slot, 60).split_once(&marker.suffix)?.0;
    let said = held.trim_end();
    let is_named = marker.prefix.contains(char::is_alphabetic);
    (is_named && said.len() <= 40 && !said.contains('\n')).then_some(held)
}

/// The number of a slot, behind words that introduce it: `[[rating: 8]]`, `[RESULT] score of 4`.
fn slot_value(text: &str, scale: &Scale, slot: usize, sentences: &mut Sentences<'_>) -> Option<(Found<f64>, usize)> {
    let mut at = slot;
    for _ in 0..5 {
        if let Some(read) = value_among(text, at, scale, sentences) {
            return Some(read);
        }
        let is_ascii = byte_at(text, at).is_ascii();
        let unspaced = ["评分", "得分", "スコア", "점수"].iter().filter(|_| !is_ascii);
        let end = match unspaced.into_iter().find(|word| tail(text, at).starts_with(**word)) {
            Some(word) => at + word.len(),
            None => word_at(text, at).filter(|word| word.has(FILLERS))?.end,
        };
        at = skip_near(text, end, |c| matches!(c, ' ' | ':' | '(' | '[' | '"' | '\'' | '='));
    }
    None
}

/// What counts where nothing announces a number: words, stars, and a number that no other contradicts.
fn offer_rest(view: &View<'_>, scale: &Scale, lone: Option<Lone>, chooser: &mut Chooser<'_, f64>) {
    let mut is_spelled = false;
    if chooser.is_empty() {
        is_spelled = offer_words(view, scale, chooser);
        offer_stars(view, scale, chooser);
    }
    if let Some((value, number, _)) = lone {
        offer_lone(view, value, &number, chooser);
    }
    let text = view.text();
    if !is_spelled && text.len() <= PROSE_LIMIT && chooser.is_empty() && !may_replace_digits(text, chooser.sentences())
    {
        chooser.settle_empty();
    }
}

/// What a number says where its sentence or its table tells the highest score: `Out of 20, I'd give 9`.
fn on_told_scale(text: &str, value: f64, number: &Numeral, clause: &Clause<'_>, scale: &Scale) -> Found<f64> {
    if number.denominator.is_some() {
        return Ok(value);
    }
    let told = clause.told_top().map_or_else(|| in_brackets(text, number), |top| top.over(number));
    if told.denominator.is_some() { on_scale(&told, scale) } else { Ok(value) }
}

/// Whether a sentence says a number of what is judged, concludes with it, or ends the text with it as the judge's own.
fn is_predicate(text: &str, number: &Numeral, clause: &Clause<'_>) -> bool {
    clause.is_predicate()
        || clause.is_it()
        || clause.is_what_is_given()
        || clause.is_found_fitting()
        || clause.bare_conclusion(false).is_some()
        || clause.is_own_end() && closes_text(text, number.end)
}

/// A number with its half and the highest score, `10点満点中7点`, and whether that says of how many something is counted: `10 में से 3
/// प्रश्न सही थे।`
fn of_top(text: &str, number: Numeral, scale: &Scale) -> (Numeral, bool) {
    let number = with_half(text, number);
    let Some(told) = behind_top(text, &number, scale) else { return (number, false) };
    let says_else = |word: &Entry| word.may_be(!(class::NUMBERED | class::THING));
    let is_counted = counts(text, told.end) && !entry_of(text, told.end + 1).is_some_and(|(word, _)| says_else(word));
    (told, is_counted)
}

/// `from 8 to 7`: what the next number is changed to, where that is said of a score, and where that is named.
fn changed(text: &str, from: usize, scale: &Scale, chooser: &mut Chooser<'_, f64>) -> Option<(usize, Numeral)> {
    let start = numeral::next_digit(text, from)?;
    let (number, sentence) = changed_to(text, start, chooser.sentences(), scale)?;
    let is_score = |token: &&Token| token.is(class::ANNOUNCE) && token.end <= number.start;
    let cue = sentence.tokens.iter().rfind(is_score)?.start;
    Some((cue, number))
}

/// A number that nothing announces, its value, and whether it is not asserted.
type Lone = (f64, Numeral, bool);

/// `Not a 9. A 7.`: whether a number contradicts the lone one, whose place it takes if that is not asserted and it is.
fn is_contradicting(lone: &mut Option<Lone>, value: f64, number: Numeral, chooser: &mut Chooser<'_, f64>) -> bool {
    let is_disowned = chooser.disowns(&offered(Ok(value), Rule::Mention, 0, number.start, &number, number.end));
    match lone {
        Some((.., false)) if is_disowned => false,
        Some((other, _, false)) if !is_same(*other, value) => true,
        _ => {
            *lone = Some((value, number, is_disowned));
            false
        }
    }
}

/// The only number of a reply that nothing announces or contradicts.
fn offer_lone(view: &View<'_>, value: f64, number: &Numeral, chooser: &mut Chooser<'_, f64>) {
    let text = view.text();
    // "x = 7", "2 + 2 = 4, as it says"
    let variable = head(text, number.start).trim_end_matches(' ').strip_suffix('=');
    let is_equated = variable
        .and_then(|lead| word_before(lead, lead.len()))
        .is_some_and(|word| word.text.len() == 1 && word.text.starts_with(char::is_alphabetic))
        || slice(text, number.span()).contains('=') && !closes_text(text, number.end);
    if !chooser.is_cut() && !is_equated && !view.quotes(&number.span()) && may_stand_alone(text, number) {
        chooser.offer(offered(Ok(value), Rule::Mention, 0, number.start, number, text.len()));
    }
}

/// Whether what announces a number makes it a level, one of two or the apposition of something else.
fn is_no_score(text: &str, cue: Announced, number: &Numeral, clause: &Clause<'_>, is_rivalled: bool) -> bool {
    // "Score 3: the answer is half right" says what a score means, "The reference (score 5) has more" which one is meant.
    match cue.by {
        By::Noun => {
            is_level(text, cue.start, number) || is_inner(text, cue, number) && is_apposition(text, cue.start, number)
        }
        _ => is_rivalled && !clause.says(class::SELF),
    }
}

/// Whether brackets before the end of the text hold a number with what announces it.
fn is_inner(text: &str, cue: Announced, number: &Numeral) -> bool {
    byte_before(text, cue.start) == b'(' && !closes_text(text, number.end)
}

/// Whether a number counts, numbers, adds or dates something, so that it is looked at no closer, and whether it stands
/// behind a noun that it could number, rated or not.
fn is_of_a_thing(text: &str, number: &Numeral, chooser: &mut Chooser<'_, f64>) -> (bool, bool) {
    // "I rate this response 6" names no response.
    let mut is_rated = || {
        let announced = chooser.sentence(number.start).clause(&number.span()).announces_score();
        announced.is_some_and(|announced| announced.by == By::Verb)
    };
    let is_list_item = numeral::is_list_item(text, number);
    let is_numbered = !is_list_item && numeral::is_numbered(text, number);
    let is_thing = is_list_item
        || is_numbered && !(ends_phrase(text, number.end) && is_rated())
        || numeral::is_count(text, number)
        || is_legend_entry(text, number)
        || is_index_of_heading(text, number)
        || is_level_of_several(text, number)
        || matches!(byte_before(text, number.start), b'+' | b'^')
        || head(text, number.start).trim_end_matches(' ').ends_with('\u{b1}');
    (is_thing, is_numbered)
}

/// A number that nothing announces: over the scale's end or said of what is judged, with the grade of that, or where the
/// text opens or closes.
fn offer_unannounced(
    text: &str,
    number: &Numeral,
    found: &Found<f64>,
    statement: Option<usize>,
    is_first: bool,
    reach: usize,
    chooser: &mut Chooser<'_, f64>,
) {
    if let Some(grade) = statement {
        chooser.offer(offered(found.clone(), Rule::Statement, grade, number.start, number, number.end + 1));
    }
    let Range { start, end } = chooser.sentence(number.start).range.clone();
    let is_first_sentence = is_blank_before(text, start);
    let is_phrase = chooser.sentence(number.start).clause(&number.span()).is_noun_phrase(is_first_sentence);
    let is_opening = is_first && opens(text, number) || is_phrase && is_first_sentence;
    if is_opening {
        chooser.offer(offered(found.clone(), Rule::Opening, 0, number.start, number, reach));
    } else if !chooser.is_cut() && (closes(text, number) || is_phrase && is_blank_behind(text, end)) {
        chooser.offer(offered(found.clone(), Rule::Closing, 0, number.start, number, text.len()));
    }
}

/// Numbers in words, where none in digits is a verdict: `I give it a seven`, `Macht dreiundachtzig Punkte`. Whether there may
/// be some.
fn offer_words(view: &View<'_>, scale: &Scale, chooser: &mut Chooser<'_, f64>) -> bool {
    let text = view.text();
    let mut lone: Vec<Candidate<f64>> = Vec::new();
    let (mut is_contradicted, mut is_spelled) = (false, false);
    for range in prose_ranges(text) {
        let mut behind = range.start;
        let words = lexicon().numbers(slice(text, range.clone())).map(|at| range.start + at);
        for at in words.skip_while(|at| counts_word(text, *at)) {
            if at < behind {
                continue;
            }
            is_spelled = true;
            let sentence = chooser.sentence(at);
            let (end, start) = (sentence.range.end, sentence.range.start);
            behind = end.max(at + 1);
            let mut is_behind_rival = false;
            for spelled in sentence.spelled() {
                let value = spelled.start..spelled.end;
                if view.hides(&value) {
                    continue;
                }
                let number = spelled.numeral();
                let is_rivalled = has_rival(text, &number) || is_restated(chooser, text, &number);
                let found = if is_rivalled { Err(TWO_NUMBERS) } else { on_scale(&number, scale) };
                let clause = chooser.sentence(at).clause(&value);
                let announced = clause.announces_score();
                let scope = clause.scope(announced, |token| token.number.is_some());
                // "The three points are collinear."
                let (is_said, is_phrase) = (clause.is_predicate(), clause.is_noun_phrase(is_blank_before(text, start)));
                let is_others = clause.may_be_another_things() || clause.is_subject_of_a_verb();
                if scope.is_else()
                    || scope == Scope::Thing && !is_said && !is_phrase
                    || clause.is_named_as_count(number.is_share())
                {
                    is_contradicted |= scope != Scope::Person;
                    continue;
                }
                let is_noun = announced.is_some_and(|announced| announced.by == By::Noun);
                if spelled.may_be_pronoun() && !is_noun {
                    continue;
                }
                if clause.is_top() {
                    continue;
                }
                // "Seven or eight": the second is no better than the first.
                if std::mem::replace(&mut is_behind_rival, is_rivalled) {
                    continue;
                }
                let reach = clause_reach(text, number.end, chooser.is_cut());
                let is_last = is_blank_behind(text, end);
                let (rule, start) = if let Some(announced) = announced {
                    (Rule::Labelled, announced.start)
                } else if (spelled.over.is_some() || is_said) && found.is_ok() {
                    (Rule::Statement, number.start)
                } else if (spelled.may_open || is_phrase) && is_blank_before(text, start) {
                    (Rule::Opening, number.start)
                } else if (spelled.may_close || is_phrase) && is_last && !chooser.is_cut() {
                    (Rule::Closing, number.start)
                } else {
                    if spelled.has_unit && found.is_ok() && !is_others {
                        is_contradicted |= lone.first().is_some_and(|other| other.found != found);
                        lone.push(offered(found, Rule::Mention, 0, number.start, &number, text.len()));
                    }
                    continue;
                };
                chooser.offer(offered(found, rule, usize::from(rule == Rule::Labelled), start, &number, reach));
            }
        }
    }
    if !is_contradicted && !chooser.is_cut() {
        chooser.offer_all(lone.into_iter().take(1));
    }
    is_spelled
}

/// Stars, of which the last one is empty.
const STARS: [char; 3] = ['\u{2605}', '\u{2b50}', '\u{2606}'];

/// `★★★★☆`: the only row of stars, as many as the scale ends at or as are filled.
fn offer_stars(view: &View<'_>, scale: &Scale, chooser: &mut Chooser<'_, f64>) {
    let text = view.text();
    let is_star = |c: char| STARS.contains(&c);
    let is_full = |c: char| is_star(c) && c != '\u{2606}';
    // They begin with one byte.
    let mut starts = memchr::memchr_iter(0xe2, text.as_bytes());
    let Some(start) = starts.find(|&at| char_at(text, at).is_some_and(is_star)) else { return };
    let rest = tail(text, start);
    let row = head(rest, rest.find(|c| !is_star(c)).unwrap_or(rest.len()));
    let end = start + row.len();
    let (all, filled) = (row.chars().count(), row.trim_end_matches('\u{2606}').chars().count());
    let is_row = row.chars().take(filled).all(is_full) && !tail(text, end).contains(is_star);
    #[expect(clippy::cast_precision_loss, reason = "a row of stars is short")]
    let (all, value) = (all as f64, filled as f64);
    // A single star is an ornament.
    let is_whole = is_same(all, scale.high) || is_same(all, value) && filled > 1 && value <= scale.high;
    let value_at = start..end;
    if !is_row || !is_whole || view.hides(&value_at) || view.quotes(&value_at) {
        return;
    }
    let clause = chooser.sentence(start).clause(&value_at);
    let (rule, from) = match clause.announces_score() {
        Some(announced) => (Rule::Labelled, announced.start),
        None => (Rule::Statement, start),
    };
    let reach = clause_reach(text, end, chooser.is_cut());
    chooser.offer(Candidate::new(in_range(value, scale), rule, 0, value_at).from(from).reaching(reach));
}

fn offered(
    found: Found<f64>,
    rule: Rule,
    grade: usize,
    start: usize,
    number: &Numeral,
    reach: usize,
) -> Candidate<f64> {
    Candidate::new(found, rule, grade, number.span()).from(start).reaching(reach)
}

/// A noun and its number in brackets behind a word, with no colon: `reference (score 5)`.
fn is_apposition(text: &str, cue: usize, number: &Numeral) -> bool {
    let is_plain = slice(text, cue..number.start).chars().all(|c| c.is_alphabetic() || matches!(c, ' ' | '='));
    let noun = word_before(text, cue).filter(|word| slice(text, word.end..cue) == " (");
    is_plain && byte_at(text, number.end) == b')' && noun.is_some()
}

/// `Score 3: clarity` beside `Score 4: more than that`: a noun and its number, with nothing between, that head what follows on
/// the line, and the same with another number near.
fn is_level(text: &str, cue: usize, number: &Numeral) -> bool {
    let label = slice(text, cue..number.start);
    let is_plain = label.chars().all(|c| c.is_alphabetic() || c == ' ');
    let is_head = byte_at(text, number.end) == b':' && !closes_line(text, number.end);
    let is_again = || {
        let before = slice(text, text.floor_char_boundary(cue.saturating_sub(LEVELS))..cue);
        let behind = ahead(text, number.end, LEVELS);
        [before, behind]
            .iter()
            .any(|near| near.match_indices(label).any(|(at, _)| byte_at(near, at + label.len()).is_ascii_digit()))
    };
    // "## Score 3: Clarity", "Arvosana on 8:n ja 7:n välillä"
    let is_heading = slice(text, line_start(text, cue)..cue).starts_with('#');
    let is_ending = byte_at(text, number.end + 1).is_ascii_alphabetic();
    is_plain && is_head && opens_line(text, cue) && (is_heading || is_ending || is_again())
}

/// How far from a level another one may stand, in bytes.
const LEVELS: usize = 500;

/// Whether a number's phrase ends here, with the line, with a stop or before a reason.
fn ends_phrase(text: &str, end: usize) -> bool {
    let is_stop = matches!(byte_at(text, end), b'.' | b';' | b'!') || char_at(text, end) == Some('。');
    let next = word_after(text, end).filter(|word| slice(text, end..word.start).trim().is_empty());
    is_stop || closes_line(text, end) || next.is_some_and(|word| word.has(class::BECAUSE | class::UNIT))
}

/// What stands behind a place, spaces aside.
fn mark_behind(text: &str, end: usize) -> Option<char> {
    char_at(text, skip_near(text, end, |c| c == ' '))
}

/// No heading is longer, in bytes.
const HEADING: usize = 40;

/// `7. Overall assessment` above what is said: whether a number is the index of a line that names a verdict or a criterion.
fn is_index_of_heading(text: &str, number: &Numeral) -> bool {
    if !matches!(byte_at(text, number.end), b'.' | b')') || !opens_line(text, number.start) {
        return false;
    }
    let line = line_ahead(text, number.end + 1, HEADING + 2);
    let title = line.trim_matches([' ', '*', '\r']);
    let says = |classes: Classes| title.split(' ').any(|word| lexicon().classes(word) & classes != 0);
    // "8. Good overall" is no heading.
    let judges = class::QUALITY | class::BETTER | class::WORSE | class::TRUE | class::FALSE | class::FITTING;
    (1..=HEADING).contains(&title.len())
        && !title.ends_with(['.', '!', '?', ':', '\u{3002}', '\u{964}', '\u{ff1a}'])
        && !title.contains(|c: char| c.is_ascii_digit())
        && !is_blank_behind(text, number.end + 1 + line.len())
        && says(class::ANNOUNCE | class::ASPECT | class::WHOLE)
        && !says(judges)
}

/// `5 = excellent`, `0: irrelevant, 1: weak`: what a level means, alone or in a row of such.
fn is_legend_entry(text: &str, number: &Numeral) -> bool {
    let level_mark = |end: usize| {
        let unit = behind_unit(text, skip_near(text, end, |c| c == ' '));
        mark_behind(text, end)
            .filter(|mark| !mark.is_alphabetic())
            .or(mark_behind(text, unit).filter(|mark| *mark == ':'))
    };
    let mark = level_mark(number.end);
    if mark_behind(text, number.end) == Some('=') {
        return true;
    }
    if !matches!(mark, Some(':' | '(' | '-' | '\u{2013}')) || number.denominator.is_some() {
        return false;
    }
    let is_next = |other: &Numeral| level_mark(other.end) == mark && is_same((other.value - number.value).abs(), 1.0);
    // The last one stands behind others.
    let entry = head(text, number.start).trim_end_matches(' ').strip_suffix([',', ';']).unwrap_or("");
    let near = entry.floor_char_boundary(entry.len().saturating_sub(LEVEL));
    let from = tail(entry, near).rfind([',', ';', '\n']).map_or(near, |at| near + at + 1);
    let from = skip_near(text, from, |c| c == ' ');
    if tail(entry, from).contains(char::is_alphabetic)
        && numeral::number_at(text, from, Comma::Separates).as_ref().is_some_and(is_next)
    {
        return true;
    }
    let near = head(text, number.end + ahead(text, number.end, LEVEL).len());
    let Some(Met::Number(next)) = numeral::next(near, number.end, Comma::Separates) else { return false };
    let between = slice(text, number.end..next.start);
    is_next(&next) && between.trim_end_matches(' ').ends_with([',', ';']) && between.contains(char::is_alphabetic)
}

/// `5 - excellent` above `4 - good`: whether the line above or below begins with another number and the same mark.
pub(super) fn is_level_of_several(text: &str, number: &Numeral) -> bool {
    let own =
        mark_behind(text, number.end).filter(|mark| matches!(mark, '-' | ':' | '\u{2013}' | '\u{2014}' | '\u{ff1a}'));
    if own.is_none() || !opens_line(text, number.start) {
        return false;
    }
    let below = skip_near(text, line_end(text, number.end), |c| matches!(c, '\n' | ' ' | '-' | '*' | '#'));
    let above = head(text, number.start).trim_end_matches([' ', '-', '*', '#', '\n']);
    let above = above.rfind('\n').map_or(0, |newline| newline + 1);
    let is_level = |at: usize| {
        let at = skip_near(text, at, |c| matches!(c, ' ' | '-' | '*' | '#'));
        at != number.start
            && byte_at(text, at).is_ascii_digit()
            && numeral::number_at(text, at, Comma::Decimal).is_some_and(|other| {
                other.start == at && !is_same(other.value, number.value) && mark_behind(text, other.end) == own
            })
    };
    is_level(below) || is_level(above)
}

/// No level is told in more bytes.
const LEVEL: usize = 80;

/// `8. It is`, `8/10, because`, `8 - good`: a number that opens the reply and ends its phrase.
fn opens(text: &str, number: &Numeral) -> bool {
    let end = skip_closing(text, number.end);
    let at = skip_near(text, end, |c| c == ' ');
    // "10-point scale"
    if at == number.end && byte_at(text, at) == b'-' && byte_at(text, at + 1).is_ascii_alphabetic() {
        return false;
    }
    // "8 - good" gives a reason, "10 - 2" reckons.
    let behind_dash = |at: usize| byte_at(text, skip_near(text, at + 1, |c| c == ' '));
    let is_reason = byte_at(text, at) == b'-' && !behind_dash(at).is_ascii_digit();
    // "3 + 5 = 8, so the sum holds"
    if slice(text, number.span()).contains('=') {
        return matches!(byte_at(text, at), 0 | b'\n' | b'.' | b'!');
    }
    matches!(byte_at(text, at), 0 | b'\n' | b',' | b'.' | b';' | b'!' | b':' | b'(')
        || is_reason
        || matches!(char_at(text, at), Some('\u{2014}' | '\u{2013}' | '。' | '，' | '分'))
        || ends_with_unit(text, at)
        || word_after(text, end).is_some_and(|word| word.has(class::BECAUSE | class::UNIT) || word.is(&["the"]))
}

/// `7点`, but not `7点は` or `3点、`: whether a unit that is written to its number stands here, and ends the line or a sentence.
fn ends_with_unit(text: &str, at: usize) -> bool {
    let end = behind_unit(text, at);
    end > at && !byte_at(text, at).is_ascii() && matches!(char_at(text, end), None | Some('\n' | '.' | '。'))
}

/// A last line or sentence that is nothing but the number, or ends with "so 7" or "a 7".
fn closes(text: &str, number: &Numeral) -> bool {
    if !closes_text(text, number.end) && !rest_is_unit(tail(text, number.end)) {
        return false;
    }
    let is_mark = |c: char| matches!(c, ' ' | '\t' | '"' | '\'' | '(' | '[' | '*' | '#' | '-' | '`' | '=' | '\u{2192}');
    let lead = head(text, number.start).trim_end_matches(is_mark);
    // "[1, 10]" is a row.
    if lead.strip_suffix(',').is_some_and(|row| row.ends_with(|c: char| c.is_ascii_digit())) {
        return false;
    }
    lead.is_empty() || lead.ends_with(['\n', '.', '!', '?', '。', ',']) || lead.ends_with(" so")
}

/// Whether a number in running text can be a verdict by itself.
fn may_stand_alone(text: &str, number: &Numeral) -> bool {
    let (before, after) = (byte_before(text, number.start), byte_at(text, number.end));
    // "10-point scale" is a word.
    let next = word_after(text, number.end).filter(|word| word.start == number.end + 1 && after != b'-');
    // "给8分。"
    let unit =
        lexicon().unspaced_at(tail(text, number.end)).filter(|(_, entry)| after >= 0x80 && entry.may_be(class::UNIT));
    let is_named = head(text, number.start).trim_end_matches(' ').ends_with([':', '\u{ff1a}']);
    let is_counted = !is_named && unit.is_some_and(|(length, _)| ends_phrase(text, number.end + length));
    // "Coherence: 4 (two turns contradict each other)", "Coherence: 4 – two turns do"
    let behind = ahead(text, number.end, 8).strip_prefix(' ').unwrap_or("");
    let is_remark = || {
        let dash = behind.starts_with(['-', '\u{2013}', '\u{2014}']);
        let remark = word_after(text, number.end).filter(|_| dash);
        // "Accuracy: 3 – errors" counts.
        word_before(text, number.start).is_some_and(|name| name.has(class::ASPECT))
            && remark.is_some_and(|word| word.has(class::FILL | class::SUBJECT | class::SELF))
    };
    let is_explained = is_named && (behind.starts_with('(') || is_remark());
    is_counted
        || is_explained
        || matches!(char_at(text, number.end), None | Some('.' | ',' | '!' | '\n' | ';' | '。'))
            && !matches!(before, b'"' | b'\'' | b'(' | b'\\')
        || number.denominator.is_some()
        || next.is_some_and(|word| word.has(class::UNIT | class::BECAUSE))
}
