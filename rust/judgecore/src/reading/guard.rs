//! Reading a guard's verdict: sides, categories and other answers.

use std::ops::Range;

use super::choice;
use super::context::{closes_text, is_denied};
use super::evidence::Chooser;
use super::fields::gather_label;
use super::outcome::{Detail, FieldValue, GuardVerdict, Mode, Outcome, Reading, Reason, Rule, Unreadable, Value};
use crate::format::guard::{Answer, Guard};
use crate::format::{Format, Precedence, Side};
use crate::reply::View;
use crate::reply::text::{byte_at, is_word_edge, line_end, skip, skip_near, slice, starts_with_at, tail};

pub(super) fn read<'f>(view: &View<'_>, format: &'f Format, guard: &'f Guard, mode: Mode, is_cut: bool) -> Outcome<'f> {
    match guard.answers.as_slice() {
        [only] if only.lines.is_empty() => read_lone(view, format, guard, only, mode, is_cut),
        answers => read_lines(view, format, guard, answers, mode, is_cut),
    }
}

/// One verdict, with codes behind it where the family has them.
fn read_lone<'f>(
    view: &View<'_>,
    format: &'f Format,
    guard: &'f Guard,
    answer: &'f Answer,
    mode: Mode,
    is_cut: bool,
) -> Outcome<'f> {
    let text = view.text();
    if mode == Mode::Strict && guard.codes.is_some() {
        return read_documented(view, format, guard, answer, is_cut);
    }
    let mut chooser = Chooser::new(text, format.precedence(), is_cut);
    choice::gather(view, format, &answer.labels, mode, &mut chooser);
    let verdict_end = chooser.place().map_or(0, |place| place.end);
    let reading = chooser.decide(view, |label| Value::Label(label, ""), || super::nothing(text, format))?;
    let Value::Label(label, _) = reading.value else {
        return Err(super::nothing(text, format));
    };
    let meaning = answer.meanings.get(label).copied().flatten();
    let mut verdict = one_sided(guard, answer, meaning);
    let mut span = reading.span.clone();
    if guard.codes.is_some() {
        let (mut categories, mut end) = codes_in(view, guard, 0..text.len());
        let (line, line_end) = category_line(text, format, verdict_end, meaning == Some(true));
        if !line.is_empty() {
            // The line's own order, and behind it what stands elsewhere.
            let elsewhere = categories.into_iter().filter(|code| !line.contains(code));
            categories = line.iter().cloned().chain(elsewhere).collect();
            end = end.max(line_end);
        }
        if meaning == Some(false) && !categories.is_empty() {
            return Err(Unreadable::new(
                Reason::Ambiguous,
                Detail::Sentence("a safe verdict contradicts the violated categories behind it"),
            ));
        }
        if is_cut && !categories.is_empty() && closes_text(text, end) {
            return Err(Unreadable::new(
                Reason::Truncated,
                Detail::Sentence("the reply was cut off inside its categories"),
            ));
        }
        if !categories.is_empty() {
            span.end = span.end.max(view.place(end.saturating_sub(1)..end).end);
        }
        verdict.categories = categories;
        note_unknown(guard, format, &mut verdict);
    }
    Ok(Reading::new(Value::Guard(verdict), reading.rule, span))
}

fn one_sided<'f>(guard: &Guard, answer: &Answer, meaning: Option<bool>) -> GuardVerdict<'f> {
    let side = answer.side.unwrap_or(guard.subject);
    GuardVerdict {
        is_unsafe: meaning,
        prompt_unsafe: meaning.filter(|_| side == Side::Prompt),
        response_unsafe: meaning.filter(|_| side == Side::Response),
        categories: Vec::new(),
        fields: Vec::new(),
    }
}

/// Exactly what the card documents: the verdict, and on the next line its codes, each known and once.
fn read_documented<'f>(
    view: &View<'_>,
    format: &'f Format,
    guard: &'f Guard,
    answer: &'f Answer,
    is_cut: bool,
) -> Outcome<'f> {
    let text = view.text();
    let start = skip(text, 0, char::is_whitespace);
    let end = text.trim_end().len();
    let first_end = line_end(text, start).min(end);
    let malformed = |words: &str| Unreadable::new(Reason::Malformed, Detail::Words(words.to_owned()));
    let Some(label) = answer.labels.of(slice(text, start..first_end).trim()) else {
        return Err(super::nothing(text, format));
    };
    let meaning = answer.meanings.get(label).copied().flatten();
    let mut verdict = one_sided(guard, answer, meaning);
    let rest = slice(text, first_end..end);
    match meaning {
        Some(true) => {
            let codes = rest.strip_prefix('\n').unwrap_or("");
            if codes.is_empty() || codes.contains('\n') {
                return Err(malformed("an unsafe verdict must name its categories on the next line, and nothing more"));
            }
            for code in codes.split(',') {
                let code = code.trim();
                if !is_known_code(guard, code) {
                    return Err(malformed(&format!("{code:?} is no category of {}", format.id())));
                }
                if verdict.categories.iter().any(|known| known == code) {
                    return Err(malformed(&format!("category {code} stands twice")));
                }
                verdict.categories.push(code.to_owned());
            }
        }
        _ if !rest.is_empty() => return Err(malformed("text stands behind a safe verdict")),
        _ => {}
    }
    if is_cut && !format.is_first_token() {
        return Err(malformed("the reply was cut off"));
    }
    Ok(Reading::new(Value::Guard(verdict), Rule::Whole, view.place(start..end)))
}

fn is_known_code(guard: &Guard, code: &str) -> bool {
    guard.codes.as_ref().is_some_and(|codes| {
        code.strip_prefix(codes.prefix.as_str()).is_some_and(|number| {
            !number.starts_with('0')
                && number.bytes().all(|byte| byte.is_ascii_digit())
                && number.parse::<u32>().is_ok_and(|number| (1..=codes.last).contains(&number))
        })
    })
}

/// All codes in a range, each once, as written but for the case of the prefix; and where the last one ends.
fn codes_in(view: &View<'_>, guard: &Guard, range: Range<usize>) -> (Vec<String>, usize) {
    let text = view.text();
    let mut found: Vec<String> = Vec::new();
    let mut last = range.start;
    let Some(codes) = &guard.codes else {
        return (found, last);
    };
    let Some(initial) = codes.prefix.bytes().next() else {
        return (found, last);
    };
    let (lower, upper) = (initial.to_ascii_lowercase(), initial.to_ascii_uppercase());
    for at in memchr::memchr2_iter(lower, upper, slice(text, range.clone()).as_bytes()) {
        let start = range.start + at;
        let number_at = start + codes.prefix.len();
        let digits = tail(text, number_at).bytes().take_while(u8::is_ascii_digit).count();
        let end = number_at + digits;
        let is_code = starts_with_at(text, start, &codes.prefix)
            && (1..=3).contains(&digits)
            && is_word_edge(text, start)
            && is_word_edge(text, end)
            && !(byte_at(text, end) == b'.' && byte_at(text, end + 1).is_ascii_digit());
        if !is_code || view.quotations().hide(text, &(start..end)) || is_denied(text, start) {
            continue;
        }
        let code = format!("{}{}", codes.prefix, slice(text, number_at..end));
        if !found.contains(&code) {
            found.push(code);
        }
        last = end;
    }
    (found, last)
}

/// How long a line of categories is at most.
const CATEGORY_LINE: usize = 80;

/// What the lines behind the verdict hold if they hold categories and nothing else, and where they end.
///
/// Codes of another family or version count as they are written, and names behind an unsafe verdict.
fn category_line(text: &str, format: &Format, verdict_end: usize, is_unsafe: bool) -> (Vec<String>, usize) {
    let is_gap = |c: char| c.is_whitespace() || c.is_ascii_punctuation();
    let mut written: Vec<&str> = Vec::new();
    let mut at = verdict_end;
    loop {
        let start = skip_near(text, at, is_gap);
        let end = line_end(text, start);
        if start >= end || end - start > CATEGORY_LINE {
            break;
        }
        let line = slice(text, start..end).trim_end().trim_end_matches(['.', ',', ';']);
        let parts = |separators: &'static [char]| line.split(separators).map(str::trim).filter(|part| !part.is_empty());
        let codes = || parts(&[',', ';', ' ', '\t']);
        let names = || parts(&[',', ';']);
        // Names belong on the next line; what goes on behind the verdict is a sentence.
        let may_name = is_unsafe && written.is_empty() && slice(text, at..start).contains('\n');
        if codes().all(is_code) {
            written.extend(codes());
        } else if may_name && names().all(|name| is_code(name) || is_meaning(format, name) || is_title(name)) {
            written.extend(names());
        } else {
            break;
        }
        at = start + line.len();
    }
    let mut seen = std::collections::HashSet::new();
    written.retain(|one| seen.insert(*one));
    (written.into_iter().map(ToOwned::to_owned).collect(), at)
}

/// `O3`, `S14`: a capital and a number.
fn is_code(word: &str) -> bool {
    let number = word.strip_prefix(|c: char| c.is_ascii_uppercase()).unwrap_or("");
    (1..=3).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether this is what one of the family's codes means.
fn is_meaning(format: &Format, written: &str) -> bool {
    format.categories().any(|(_, meaning)| meaning.eq_ignore_ascii_case(written))
}

/// A name of a few words, each with a capital but for the small ones between: `Guns and Illegal Weapons`.
fn is_title(name: &str) -> bool {
    let words = || name.split([' ', '-', '/']).filter(|word| !word.is_empty());
    let is_name_sign = |c: char| c.is_alphabetic() || matches!(c, ' ' | '-' | '/' | '&' | '\'');
    // One letter is what a cut leaves of a code, and these words answer or open a sentence.
    let opens_text = ["yes", "no", "true", "false", "the", "this", "it", "i", "user", "reason", "explanation"];
    name.len() > 2
        && !words().next().is_some_and(|word| super::context::is_among(word, &opens_text))
        && name.chars().all(is_name_sign)
        && name.starts_with(char::is_uppercase)
        && (1..=6).contains(&words().count())
        && words().all(|word| {
            let small = ["and", "or", "of", "to", "for", "in", "the", "&"];
            small.contains(&word) || word.starts_with(char::is_uppercase)
        })
}

/// Categories outside the family's list are kept, and named.
pub(super) fn note_unknown(guard: &Guard, format: &Format, verdict: &mut GuardVerdict<'_>) {
    let is_known = |written: &str| is_known_code(guard, written) || is_meaning(format, written);
    let unknown: Vec<String> = verdict.categories.iter().filter(|written| !is_known(written)).cloned().collect();
    if !unknown.is_empty() {
        verdict.fields.push(("unknown_categories", FieldValue::Texts(unknown)));
    }
}

/// Several answers, each on a line of its own.
fn read_lines<'f>(
    view: &View<'_>,
    format: &'f Format,
    guard: &'f Guard,
    answers: &'f [Answer],
    mode: Mode,
    is_cut: bool,
) -> Outcome<'f> {
    let text = view.text();
    let mut verdict = GuardVerdict::default();
    let mut span: Option<Range<usize>> = None;
    let mut failure: Option<Unreadable<'f>> = None;
    for answer in answers {
        let mut chooser = Chooser::new(text, Precedence::Agree, is_cut);
        gather_label(view, &answer.lines, &answer.labels, mode, &mut chooser);
        let outcome = chooser.decide(view, |label| Value::Label(label, ""), || super::nothing(text, format));
        let meaning = match outcome {
            Ok(reading) => {
                span = Some(match span {
                    Some(span) => span.start.min(reading.span.start)..span.end.max(reading.span.end),
                    None => reading.span.clone(),
                });
                match reading.value {
                    Value::Label(label, _) => answer.meanings.get(label).copied().flatten(),
                    _ => None,
                }
            }
            Err(unreadable) => {
                let is_worse = failure.as_ref().is_none_or(|known| known.reason == Reason::NoVerdict);
                if is_worse {
                    failure = Some(unreadable.clone());
                }
                if mode == Mode::Strict || unreadable.reason == Reason::NoVerdict {
                    continue;
                }
                None
            }
        };
        match answer.side {
            Some(Side::Prompt) => verdict.prompt_unsafe = meaning,
            Some(Side::Response) => verdict.response_unsafe = meaning,
            None => {}
        }
        if let Some(name) = &answer.name {
            let value = meaning.map_or(FieldValue::None, FieldValue::Bool);
            verdict.fields.push((name, value));
        }
    }
    let has_side = verdict.prompt_unsafe.is_some() || verdict.response_unsafe.is_some();
    if (mode == Mode::Strict || !has_side)
        && let Some(failure) = failure
    {
        return Err(failure);
    }
    let Some(span) = span.filter(|_| has_side) else {
        return Err(Unreadable::new(
            Reason::NoVerdict,
            Detail::Sentence("the guard says of no side whether it is unsafe"),
        ));
    };
    verdict.is_unsafe = match guard.subject {
        Side::Prompt => verdict.prompt_unsafe,
        Side::Response => verdict.response_unsafe,
    };
    Ok(Reading::new(Value::Guard(verdict), Rule::Fields, span))
}
