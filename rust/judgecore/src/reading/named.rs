//! Reading what several names have, each on a line or behind a key of its own.

use std::cell::LazyCell;
use std::ops::Range;

use super::Asked;
use super::clause::scope::Scope;
use super::context::{closes_line, opens_line, word_after, word_before};
use super::evidence::{Candidate, Chooser, Found};
use super::gather::Values;
use super::line_label::{VALUE_DISTANCE, labels_in, stands, value_behind};
use super::numeral::{self, Comma, behind_unit};
use super::option::{TWO_LABELS, is_attribute, is_rivalled};
use super::outcome::{Detail, Mode, Outcome, Reading, Reason, Rule, Unreadable, Value};
use super::scale::{COUNT, TWO_NUMBERS, on_scale, value_at, whole_scale};
use super::score::is_level_of_several;
use super::slot::{held, not_a_label};
use super::table::{self, cells};
use super::token::{AWARDS, OF_ALL, Token, entry_of, of};
use super::told::Top;
use super::word::{Word, word_at};
use crate::format::label::{Labels, Shape};
use crate::format::{Format, Precedence, Reader, Scale};
use crate::lexicon::{self as class, Entry};
use crate::reply::View;
use crate::reply::text::{
    ahead, byte_at, byte_before, char_at, extend, head, is_unspaced, line_end, line_start, lines, skip_back_near,
    skip_near, slice, starts_with_at, tail,
};

/// No particle behind a name is longer, in bytes.
const PARTICLE: usize = 18;

pub(super) fn read<'f>(asked: Asked<'_, 'f>, fields: &'f [(String, Format)]) -> Outcome<'f> {
    let Asked { view, format, mode, is_cut, .. } = asked;
    let text = view.text();
    let outcomes = fields.iter().map(|(name, field)| {
        // A name that heads a column or a part has its value below.
        let is_missing = |unread: &Unreadable<'_>| {
            let is_unsaid = matches!((unread.reason, &unread.detail), (Reason::NoVerdict, Detail::NoField(_)));
            mode != Mode::Strict && (is_unsaid || unread.reason == Reason::Malformed)
        };
        let outcome = read_field(view, name, field, mode, is_cut).or_else(|unread| {
            let part =
                || section(text, name, fields).and_then(|part| in_part(view, part, field, Rule::Labelled, is_cut));
            let cell = || in_table(text, name).and_then(|cell| in_part(view, cell, field, Rule::Labelled, is_cut));
            let rest = || rest_of_line(text, name).and_then(|rest| in_part(view, rest, field, Rule::Closing, is_cut));
            is_missing(&unread).then(|| part().or_else(cell).or_else(rest)).flatten().ok_or(unread)
        });
        (name.as_str(), outcome)
    });
    all(text, format, outcomes)
}

/// The values of all names.
pub(super) fn all<'f>(
    text: &str,
    format: &Format,
    outcomes: impl Iterator<Item = (&'f str, Outcome<'f>)>,
) -> Outcome<'f> {
    let (mut values, mut span) = (Vec::new(), None);
    for (name, outcome) in outcomes {
        match outcome {
            Ok(reading) => {
                extend(&mut span, &reading.span);
                values.push((name, reading.value));
            }
            Err(unread) if unread.reason == Reason::NoVerdict => {
                let is_refused = values.is_empty() && super::refusal::is_refusal(text);
                let missing = || Unreadable::new(Reason::NoVerdict, Detail::NoField(name.to_owned()));
                return Err(if is_refused { super::nothing(text, format) } else { missing() });
            }
            Err(unread) => {
                let words = format!("{name}: {}", unread.detail);
                return Err(Unreadable { detail: Detail::Words(words), ..unread });
            }
        }
    }
    Ok(Reading::new(Value::Fields(values), Rule::Fields, span.unwrap_or(0..0)))
}

fn read_field<'f>(view: &View<'_>, name: &str, field: &'f Format, mode: Mode, is_cut: bool) -> Outcome<'f> {
    let text = view.text();
    let otherwise = || Unreadable::new(Reason::NoVerdict, Detail::NoField(name.to_owned()));
    let names = labels_in(text, std::iter::once((name, ()))).into_iter();
    let names = names.map(|(name, ())| (name.clone(), stands(text, name.start)));
    match &field.reader {
        Reader::Score(scale) => {
            let mut chooser = Chooser::slot(text, Precedence::Agree, is_cut);
            gather_score(view, names, scale, mode, &mut chooser);
            chooser.decide(view, Value::Score, |range| scale.alone(view, range), otherwise)
        }
        Reader::Binary(labels) | Reader::Choice(labels) => {
            let mut chooser = Chooser::slot(text, Precedence::Agree, is_cut);
            chooser.hears.no = !labels.has_answers();
            gather_label(view, names, labels, mode, &mut chooser);
            let value = |label| Value::of_label(field, labels, label);
            chooser.decide(view, value, |range| labels.alone(view, range), otherwise)
        }
        _ => Err(otherwise()),
    }
}

/// What is written below a name that is all of its line, up to the next name that is: a part of the reply by itself.
fn section(text: &str, name: &str, fields: &[(String, Format)]) -> Option<Range<usize>> {
    let heads = |line: &Range<usize>, name: &str| {
        let is_mark = |c: char| !c.is_alphanumeric();
        let bare = slice(text, line.clone()).trim_matches(is_mark);
        let bare = bare.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches(is_mark);
        bare.eq_ignore_ascii_case(name)
    };
    let mut below = lines(text).skip_while(|line| !heads(line, name));
    let start = below.next()?.end;
    let end = below.find(|line| fields.iter().any(|(name, _)| heads(line, name))).map_or(text.len(), |line| line.start);
    // A name that heads two parts names neither.
    (!lines(slice(text, end..text.len())).any(|line| heads(&(line.start + end..line.end + end), name)))
        .then_some(start..end)
}

/// What stands behind a name and its colon or dash on the only line that begins with it: `Tone: friendly, so 4/5`.
fn rest_of_line(text: &str, name: &str) -> Option<Range<usize>> {
    let mut found = lines(text).filter_map(|line| {
        let said = slice(text, line.clone());
        let bare = said.trim_start_matches(|c: char| !c.is_alphabetic());
        let start = line.end - bare.len() + name.len();
        let link = skip_near(text, start, |c| matches!(c, ' ' | '*' | '"' | ')'));
        let is_linked = matches!(char_at(text, link), Some(':' | '-' | '\u{2013}' | '\u{2014}' | '\u{ff1a}'));
        (starts_with_at(bare, 0, name) && is_linked)
            .then(|| link + char_at(text, link).map_or(1, char::len_utf8)..line.end)
    });
    found.next().filter(|_| found.next().is_none())
}

/// The cell below a name that heads a column, of a table with one row.
fn in_table(text: &str, name: &str) -> Option<Range<usize>> {
    let mut rows = lines(text).filter(|line| slice(text, line.clone()).trim_start().starts_with('|')).peekable();
    let is_head = |cell: Range<usize>| slice(text, cell).trim().eq_ignore_ascii_case(name);
    let column = rows.find_map(|line| cells(text, &line).position(is_head))?;
    let is_rule = |line: &Range<usize>| !slice(text, line.clone()).contains(char::is_alphanumeric);
    let mut below = rows.skip_while(is_rule);
    let row = below.next()?;
    below.next().is_none().then(|| cells(text, &row).nth(column)).flatten()
}

/// A field's value in a part of the reply, as the field's own format announces it.
fn in_part<'f>(
    view: &View<'_>,
    part: Range<usize>,
    field: &'f Format,
    weakest: Rule,
    is_cut: bool,
) -> Option<Reading<'f>> {
    let is_cut = is_cut && part.end == view.text().len();
    let below = &View::new(slice(view.text(), part.clone()));
    let asked = Asked { view: below, format: field, mode: Mode::Lenient, is_cut, asks_why: false };
    let reading = super::read_view(asked).ok()?;
    let span = view.place(reading.span.start + part.start..reading.span.end + part.start);
    (reading.rule <= weakest).then_some(Reading { span, ..reading })
}

/// Gather the numbers that stand behind names, of which each is said to stand for itself or not.
pub(super) fn gather_score(
    view: &View<'_>,
    names: impl Iterator<Item = (Range<usize>, bool)>,
    scale: &Scale,
    mode: Mode,
    chooser: &mut Chooser<'_, f64>,
) {
    let text = view.text();
    gather(view, names, mode, chooser, |at, top| match whole_scale(text, at, scale) {
        Some(end) => Some((None, end)),
        None => value_at(text, at, scale).map(|(found, end)| {
            let number = top.and_then(|top| Some(top.over(&numeral::number_at(text, at, Comma::Decimal)?)));
            (Some(number.map_or(found, |number| on_scale(&number, scale))), end)
        }),
    });
}

/// Gather the labels that stand behind names, of which each is said to stand for itself or not.
pub(super) fn gather_label(
    view: &View<'_>,
    names: impl Iterator<Item = (Range<usize>, bool)>,
    labels: &Labels,
    mode: Mode,
    chooser: &mut Chooser<'_, usize>,
) {
    let text = view.text();
    gather(view, names, mode, chooser, |at, _| {
        let translated = || labels.translated_at(text, at).filter(|_| mode != Mode::Strict);
        let mention = labels.at(text, at).or_else(translated)?;
        let found = match mention.shape {
            _ if is_rivalled(text, labels, mention) => Err(TWO_LABELS),
            // "no longer", "no idea"
            Shape::Particle if is_attribute(text, &mention) => Err(not_a_label(held(text, at, None))),
            _ => Ok(mention.label),
        };
        Some((Some(found), mention.end))
    });
}

/// Gather what stands behind a name and its colon, where `read_at` finds a value there, or what says nothing.
fn gather<V: PartialEq + Clone>(
    view: &View<'_>,
    names: impl Iterator<Item = (Range<usize>, bool)>,
    mode: Mode,
    chooser: &mut Chooser<'_, V>,
    read_at: impl Fn(usize, Option<Top>) -> Option<(Option<Found<V>>, usize)>,
) {
    let text = view.text();
    for (Range { start, end }, is_standing) in names {
        if mode == Mode::Strict && !is_standing {
            continue;
        }
        let reads = |at: &usize| matches!(read_at(*at, None), Some((Some(Ok(_)), _)));
        let aside = || aside_start(text, end).filter(|_| mode != Mode::Strict).filter(reads);
        let mut beside = || {
            // Most names have no number beside them, so that their sentences need not be split.
            let is_given = LazyCell::new(|| {
                let sentence = chooser.sentence(start);
                let is_before = |token: &&Token| token.start < start || sentence.is_verb_final();
                sentence.tokens.iter().take_while(is_before).any(of(AWARDS | class::CORRECT))
            });
            let mut told = bare_start(text, start, end).into_iter();
            // A number that leads up to a name is its own, and the one behind it belongs to the next.
            match lead_start(text, start, end, || *is_given) {
                Some((number, is_given)) => is_given.then_some(number),
                None => told.find(reads).or_else(|| told_start(text, start, end, || *is_given).filter(reads)),
            }
        };
        // What stands below a name in running text is not its own.
        let linked = value_start(text, start, end).filter(|at| is_standing || !slice(text, end..*at).contains('\n'));
        // "Accuracy is a 4", but "Accuracy is a 4-step process"
        let article = |at: usize| word_at(text, at).filter(|word| word.has(class::ANY) && !reads(&at));
        let behind_article = linked.and_then(article).map(|word| word.end + 1).filter(reads);
        let line = line_start(text, start);
        let heads = table::heads(text, line).filter(|_| opens_line(text, start));
        let row = heads.and_then(|heads| table::row(text, line, &heads));
        let (value_at, is_linked) = match linked {
            // The heads of a table say where its scores stand.
            Some(_) if row.is_some() => match row.as_ref().and_then(|row| row.score.as_ref()) {
                Some(score) => (score.start, true),
                None => continue,
            },
            Some(value_at) => {
                // "Accuracy (4/5): one date is off": what follows the colon explains.
                let is_value = reads(&value_at) && !byte_at(text, value_at).is_ascii_alphabetic();
                let linked = aside().filter(|_| !is_value).unwrap_or(value_at);
                behind_article.map_or((linked, true), |value_at| (value_at, false))
            }
            None if mode == Mode::Strict => continue,
            None => match below_heading(text, start, end).filter(reads) {
                Some(value_at) => (value_at, true),
                None => match beside() {
                    Some(value_at) => (value_at, false),
                    None => continue,
                },
            },
        };
        let (found, value_end) = match read_at(value_at, row.as_ref().and_then(|row| row.top)) {
            Some((Some(_), value_end)) if !is_linked && value_at > start && !ends_item(text, value_end) => continue,
            Some((Some(Ok(_)), value_end)) if row.is_none() && has_next_cell(text, value_at, value_end) => {
                (Err(TWO_CELLS), value_end)
            }
            Some((Some(Ok(_)), value_end)) if counts(text, value_at..value_end, chooser) => (Err(COUNT), value_end),
            // "4 for the first half, 2 for the second"
            Some((Some(Ok(_)), value_end))
                if is_linked && chooser.sentence(value_at).clause(&(value_at..value_end)).is_shared_out() =>
            {
                (Err(TWO_NUMBERS), value_end)
            }
            Some((Some(found), value_end)) => (found, value_end),
            // What stands on the next line and is no value belongs to something else.
            None if is_standing && is_linked && !slice(text, end..value_at).contains('\n') => {
                let held = held(text, value_at, None);
                if held.is_empty() || held.len() > 40 {
                    continue;
                }
                (Err(not_a_label(held)), value_at + held.len())
            }
            _ => continue,
        };
        let span = start.min(value_at)..value_end.max(end);
        if view.hides(&span) && byte_at(text, end) != b'"' {
            continue;
        }
        let claim = Candidate::new(found, Rule::Fields, usize::from(!is_standing), value_at..value_end);
        chooser.offer(Candidate { span, ..claim.reaching(value_end + 1) });
    }
}

/// No aside behind a name is longer, in bytes.
const ASIDE: usize = 80;

/// Where an aside begins that may be the value: `Accuracy (4/5): one date is off`.
fn aside_start(text: &str, end: usize) -> Option<usize> {
    let at = skip_near(text, end, |c| c == ' ');
    // "Safe (no = may cause harm)" explains what the values mean.
    let is_legend = || ahead(text, at, ASIDE).split([')', ']']).next().is_some_and(|aside| aside.contains('='));
    (matches!(byte_at(text, at), b'(' | b'[') && !is_legend()).then_some(at + 1)
}

/// Where a number stands right behind a name and the marks around it: `accuracy 5, clarity 4`, `[Accuracy] 5`.
fn bare_start(text: &str, start: usize, end: usize) -> Option<usize> {
    // "Metin B'ye 8": Turkish writes the endings of a name behind an apostrophe.
    let suffix = tail(text, end).strip_prefix(['\'', '\u{2019}']).and_then(|suffix| word_at(suffix, 0));
    let end = suffix.map_or(end, |suffix| end + char_at(text, end).map_or(1, char::len_utf8) + suffix.end);
    let is_held = matches!(byte_before(text, start), b'(' | b'[' | b'`');
    let at = skip_near(text, end, |c| matches!(c, ' ' | '\t') || is_held && matches!(c, ')' | ']' | '`'));
    (at > end && byte_at(text, at).is_ascii_digit()).then_some(at)
}

/// Where the number begins that opens the line below a name which is all of its own: `## Accuracy` above `4 - one slip`,
/// `Rating for accuracy` above `4`.
fn below_heading(text: &str, start: usize, end: usize) -> Option<usize> {
    let line = line_start(text, start);
    let leads = class::ANNOUNCE | class::PART | class::FILL;
    let mut words = std::iter::successors(word_after(text, line), |word| word_after(text, word.end));
    if !closes_line(text, end) || words.find(|word| word.start >= start || !word.has(leads))?.start < start {
        return None;
    }
    let at = skip_near(text, line_end(text, end), |c| matches!(c, '\n' | ' ' | '*' | '-' | '\u{2022}'));
    let number = Some(at).filter(|&at| byte_at(text, at).is_ascii_digit());
    let number = numeral::number_at(text, number?, Comma::Decimal)?;
    let is_listed = numeral::is_list_item(text, &number) || is_level_of_several(text, &number);
    let behind = skip_near(text, number.end, |c| matches!(c, ' ' | '*'));
    let explains = |mark: char| matches!(mark, '-' | '\u{2013}' | '\u{2014}' | '(' | ':');
    let is_explained = char_at(text, behind).is_some_and(explains)
        && word_after(text, behind)
            .is_some_and(|word| slice(text, behind..word.start).chars().all(|c| explains(c) || c == ' '));
    // "4 Rating"
    let is_noun = || {
        let noun = word_at(text, behind).filter(|noun| noun.has(class::ANNOUNCE | class::UNIT));
        noun.is_some_and(|noun| closes_line(text, noun.end))
    };
    let is_all = closes_line(text, number.end) || is_explained || is_noun();
    (is_all && !is_listed).then_some(at)
}

/// Where a number begins that a preposition or a bracket links with the name behind it, and whether it is said to be given:
/// `4/5 for fluency`, `a four in fluency`, `4 (fluency)`.
fn lead_start(text: &str, start: usize, end: usize, is_given: impl Fn() -> bool) -> Option<(usize, bool)> {
    let is_held = byte_before(text, start) == b'(' && byte_at(text, end) == b')';
    let part = || word_before(text, start).filter(|word| word.has(class::PART | class::INTO) && word.end + 1 == start);
    let link = if is_held { start - 1 } else { part()?.start };
    let behind = link.checked_sub(1).filter(|&at| byte_at(text, at) == b' ')?;
    let from = skip_back_near(text, behind, |c| c.is_alphanumeric() || matches!(c, '.' | '/' | ' '));
    let from = slice(text, from..link).rfind(". ").map_or(from, |stop| from + stop + 2);
    let Some(number) = numeral::numbers(head(text, behind), from, Comma::Decimal).last() else {
        let word = word_before(text, link).filter(|word| word.end == behind).map(|word| word.start)?;
        return numeral::spelled(text, word).map(|_| (word, is_led_to(text, word) || is_given()));
    };
    let unit = behind_unit(text, skip_near(text, number.end, |c| c == ' '));
    if number.end == behind || unit == behind {
        return Some((number.start, is_led_to(text, number.start) || is_given()));
    }
    // "4 errors in style, 5 in depth" counts, and "a 3, and in depth a 4" goes on.
    let counted = word_after(text, unit).filter(|noun| noun.end == behind && !noun.has(class::JOIN));
    counted.map(|_| (number.start, false))
}

/// Whether a number opens its line or its item, or what gives one stands right before it. "The leaderboard shows 9 for
/// Assistant 1" gives none.
fn is_led_to(text: &str, number: usize) -> bool {
    let gives = AWARDS | class::FILL | class::JOIN | class::ANNOUNCE;
    let before = skip_back_near(text, number, |c| c == ' ');
    opens_line(text, number)
        || matches!(byte_before(text, before), b',' | b';')
        || word_before(text, number).is_some_and(|word| word.has(gives))
}

/// Where the number begins that a sentence gives a name: `accuracy gets a 3`, `for accuracy and style I give a 4`, `on style,
/// a seven`, and `style a 2` behind a verb that gave something else its number.
fn told_start(text: &str, start: usize, end: usize, is_given: impl Fn() -> bool) -> Option<usize> {
    let passes = AWARDS | class::SELF | class::FILL | class::LINK | class::ANNOUNCE | class::OF;
    let passes = passes | class::ONWARD | class::SUBJECT | OF_ALL;
    // "回答1は7点": a particle touches its name in scripts without spaces.
    let particle =
        ahead(text, end, PARTICLE).chars().take_while(|c| is_unspaced(*c)).map(char::len_utf8).sum::<usize>();
    let (mut at, mut is_told, mut is_shared) = (end + particle, particle > 0, false);
    // "Both accuracy and style get a 4"
    let is_of_all = || word_before(text, start).is_some_and(|word| word.has(class::BOTH | class::PART));
    let joins = |word: &Word<'_>| word.has(class::JOIN) && !word.has(class::OR | class::THAN);
    if let Some(join) =
        word_after(text, at).filter(|word| slice(text, at..word.start) == " " && joins(word) && is_of_all())
    {
        let next = |at: usize| word_after(text, at).filter(|word| slice(text, at..word.start) == " ");
        let name = next(join.end)?;
        // "Assistant 1 and Assistant 2"
        let designator = next(name.end).filter(|word| name.has(class::THING) && word.text.len() == 1);
        at = designator.unwrap_or(name).end;
        is_shared = true;
    }
    for _ in 0..6 {
        let next = skip_near(text, at, |c| c == ' ' || c == ',' && at == end);
        let is_part = |word: Word<'_>| word.has(class::PART);
        let is_on = || byte_at(text, end) == b',' && word_before(text, start).is_some_and(is_part);
        let word = word_at(text, next);
        // Romance languages have one word for the article and for one.
        let is_article = word.is_some_and(|word| word.has(class::FILL));
        if byte_at(text, next).is_ascii_digit() || !is_article && numeral::spelled(text, next).is_some() {
            // "The scores of both are 4 and 9, respectively."
            let join = word.and_then(|number| word_after(text, number.end)).filter(|word| is_shared && joins(word));
            let is_first = join.is_some_and(|join| byte_at(text, join.end + 1).is_ascii_digit());
            return (!is_first && (is_told || is_on() || is_given())).then_some(next);
        }
        let (entry, behind) = entry_of(text, next).filter(|(entry, _)| entry.may_be(passes) && next > at)?;
        is_told |= entry.may_be(AWARDS);
        at = behind;
    }
    None
}

/// Whether an item of a list or a line ends here.
fn ends_item(text: &str, at: usize) -> bool {
    let unit = behind_unit(text, skip_near(text, at, |c| c == ' '));
    let at = if unit > at + 1 { unit } else { at };
    let verbs = AWARDS;
    let goes_on = verbs | class::JOIN | class::PART | class::SELF | class::ONWARD | class::BECAUSE | class::CONTRAST;
    // "9点です"
    let goes_on = goes_on | if byte_at(text, at).is_ascii() { 0 } else { class::LINK };
    let is_reason =
        || entry_of(text, skip_near(text, at, |c| c == ' ')).is_some_and(|(entry, _)| entry.may_be(goes_on));
    closes_line(text, at)
        || matches!(char_at(text, at), Some(',' | ';' | '\u{3001}' | '\u{ff0c}'))
        || ahead(text, at, 2) == ". "
        || is_reason()
}

/// `4 errors`, `4 of 6 claims`: whether a number that stands behind a name counts something.
fn counts<V: PartialEq + Clone>(text: &str, value: Range<usize>, chooser: &mut Chooser<'_, V>) -> bool {
    let number = numeral::number_at(text, value.start, Comma::Decimal).filter(|number| number.end == value.end);
    number.is_some_and(|number| {
        numeral::counts_things(text, &number)
            || chooser.sentence(value.start).clause(&value).scope(None, |_| false) == Scope::Count
    })
}

const TWO_CELLS: (Reason, Detail) = (Reason::Ambiguous, Detail::Sentence("its row holds more than one value"));

/// Whether another number stands in the next cell of a row of a table.
fn has_next_cell(text: &str, start: usize, end: usize) -> bool {
    let cell = |at: usize| skip_near(text, at, |c| c == ' ');
    let is_cell = head(text, start).trim_end_matches(' ').ends_with('|');
    let next = cell(cell(end) + 1);
    is_cell
        && byte_at(text, cell(end)) == b'|'
        && byte_at(text, next).is_ascii_digit()
        && numeral::number_at(text, next, Comma::Decimal).is_some_and(|number| byte_at(text, cell(number.end)) == b'|')
}

/// Where the value behind a name begins: `Relevance (1-5): 3`, `"Relevance" score: 3`, `| Relevance | 3 |`, `relevance of the
/// answer is 3`, `<relevance>3`.
fn value_start(text: &str, start: usize, end: usize) -> Option<usize> {
    if byte_before(text, start) == b'<' && byte_at(text, end) == b'>' {
        return Some(skip_near(text, end + 1, char::is_whitespace));
    }
    // "Assistant 1's score is 10"
    let owner = ["'s ", "\u{2019}s "].iter().find(|ending| tail(text, end).starts_with(**ending));
    let end = end + owner.map_or(0, |ending| ending.len() - 1);
    let noun = word_after(text, end).filter(|word| word.has(class::ANNOUNCE) && word.start <= end + 2);
    let end_of_name = noun.map_or(end, |noun| noun.end);
    let end_of_name = judged_end(text, end_of_name).unwrap_or(end_of_name);
    value_behind(text, end_of_name).filter(|at| at - end <= VALUE_DISTANCE)
}

/// Where a phrase ends that says of what is judged that a name is its own: `of the answer`, `for this code snippet`.
fn judged_end(text: &str, at: usize) -> Option<usize> {
    let others = class::OTHER | class::ANY | class::FORMER | class::LATTER | class::ASPECT;
    let next =
        |at: usize| entry_of(text, at + 1).filter(|(entry, _)| byte_at(text, at) == b' ' && !entry.may_be(others));
    let is_own = |entry: &Entry| entry.may_be(class::OF) || entry.may_be(class::PART) && entry.may_be(class::BECAUSE);
    let (_, mut end) = next(at).filter(|(entry, _)| is_own(entry))?;
    let mut noun = None;
    for _ in 0..4 {
        let Some((entry, behind)) = next(end).filter(|(entry, _)| !entry.may_be(class::LINK)) else { break };
        end = behind;
        if entry.may_be(class::THING) {
            noun = Some(end);
        } else if !entry.may_be(class::FILL) {
            return None;
        }
    }
    noun.filter(|noun| *noun == end)
}
