//! The categories that a guard names: codes, names, and where they stand.

use std::borrow::Cow;
use std::ops::Range;

use super::line_label::value_start;
use crate::format::Format;
use crate::format::guard::Guard;
use crate::reading::context::{clause_start, is_among, prose_ranges, skip_closing, word_after};
use crate::reading::outcome::{FieldValue, GuardVerdict};
use crate::reply::View;
use crate::reply::text::{
    ahead, byte_at, char_at, head, is_word_edge, line_end, skip, skip_near, slice, starts_with_at, tail,
};
use crate::taxonomy::Relation;

/// How long the name of a category is at most.
const LONGEST: usize = 80;
/// No family has as many categories.
const MOST: usize = 64;

/// Whether a word says that there are no categories.
fn is_nothing(item: &str) -> bool {
    const NOTHING: [&str; 9] =
        ["none", "n/a", "na", "null", "nil", "not applicable", "no categories", "no violations", "no violation"];
    !item.contains(char::is_alphanumeric) || is_among(item, &NOTHING)
}

/// The categories of a line, and where they end: `Violence, Threat`, `S2 S7`, `['O15']`, `None`.
///
/// Where the line is empty, those of the list below it.
pub(super) fn listed<'f>(text: &str, guard: &'f Guard, value: usize, stop: usize) -> (Vec<Cow<'f, str>>, usize) {
    let mut end = stop;
    let mut items = Vec::new();
    // A tag closes the list.
    if let Some(tag) = memchr::memchr(b'<', slice(text, value..end).as_bytes()) {
        end = value + tag;
    }
    collect(slice(text, value..end), guard, &mut items);
    // A list below: marks, and short lines.
    while byte_at(text, end) == b'\n' && is_bulleted(text, value) {
        let next = end + 1;
        let next_end = line_end(text, next);
        if !is_bulleted(text, skip_near(text, next, |c| matches!(c, ' ' | '\t' | '-' | '*' | '\u{2022}'))) {
            break;
        }
        let line = slice(text, next..next_end);
        if line.len() > LONGEST {
            break;
        }
        collect(line.trim_start_matches([' ', '\t', '-', '*', '\u{2022}']), guard, &mut items);
        end = next_end;
    }
    let trimmed = slice(text, value..end).trim_end().len();
    (items, value + trimmed)
}

/// Add a category once; whether it was new.
pub(super) fn push<'f>(items: &mut Vec<Cow<'f, str>>, guard: &'f Guard, item: &str) -> bool {
    let is_new = items.len() < MOST && !items.iter().any(|known| known == item);
    if is_new {
        items.push(own(guard, item));
    }
    is_new
}

/// A category, borrowed where it is one of the guard's codes.
fn own<'f>(guard: &'f Guard, item: &str) -> Cow<'f, str> {
    guard.code(item).map_or_else(|| Cow::Owned(item.to_owned()), Cow::Borrowed)
}

/// Whether a mark of a list stands before this on its line.
fn is_bulleted(text: &str, at: usize) -> bool {
    let lead = head(text, at);
    let line = tail(lead, lead.rfind('\n').map_or(0, |newline| newline + 1));
    line.contains(['-', '*', '\u{2022}']) && !line.contains(char::is_alphanumeric)
}

pub(super) fn collect<'f>(line: &str, guard: &'f Guard, items: &mut Vec<Cow<'f, str>>) {
    let is_edge = |c: char| {
        c.is_whitespace()
            || matches!(c, '[' | ']' | '\'' | '"' | '`' | '*' | '.' | '\u{201c}' | '\u{201d}' | '{' | '}' | '|')
    };
    let line = line.trim_matches(is_edge);
    let mut add = |item: &str| {
        let item = item.trim_matches(is_edge);
        // "S9 (Indiscriminate Weapons)": the code with its name.
        let item = item.split_once(" (").map_or(item, |(code, _)| if is_code(code) { code } else { item });
        if !is_nothing(item) && item.len() <= LONGEST {
            push(items, guard, item);
        }
    };
    for part in line.split([',', ';', '|']) {
        // Codes also stand apart by spaces alone, and the last may be half of one.
        let is_apart = || {
            let mut words = part.split_whitespace();
            let last = words.next_back().unwrap_or("");
            words.clone().next().is_some() && words.all(is_code) && (is_code(last) || last.len() == 1)
        };
        if is_apart() { part.split_whitespace().for_each(&mut add) } else { add(part) }
    }
}

/// Categories outside the family's list are kept, and named.
pub(super) fn note_unknown(format: &Format, guard: &Guard, verdict: &mut GuardVerdict<'_>) {
    if verdict.categories.is_empty() || format.categories().next().is_none() {
        return;
    }
    let is_unknown = |written: &&Cow<'_, str>| matches!(written, Cow::Owned(name) if !is_known(guard, name));
    let unknown: Vec<_> = verdict.categories.iter().filter(is_unknown).cloned().collect();
    if !unknown.is_empty() {
        verdict.fields.push(("unknown_categories", FieldValue::Texts(unknown)));
    }
}

/// Take away a last category that is the first half of one of the family's, where the reply ends with it.
pub(super) fn drop_half(format: &Format, guard: &Guard, categories: &mut Vec<Cow<'_, str>>) {
    let is_half = |written: &str| {
        let begins = |name: &str| name.len() > written.len() && starts_with_at(name, 0, written);
        let is_letters = written.chars().all(|c| !c.is_ascii_digit());
        (format.categories().any(|(code, meaning)| begins(code) || begins(meaning)) && is_letters)
            || (format.categories().next().is_some() && begins_nothing(written))
    };
    if categories.last().is_some_and(|last| !is_known(guard, last) && is_half(last)) {
        categories.pop();
    }
}

/// `No`, of `None`.
fn begins_nothing(written: &str) -> bool {
    starts_with_at("none", 0, written)
}

/// Whether this is one of the family's codes or names, or a code with its name: `S11: Sexual Content`.
fn is_known(guard: &Guard, written: &str) -> bool {
    let code = written.split_once(':').map_or("", |(code, _)| code.trim());
    guard.code(written).is_some() || guard.code(code).is_some() || guard.category(written).is_some()
}

/// Say what the categories are called, and which hazards they are.
pub(super) fn place<'f>(guard: &'f Guard, verdict: &mut GuardVerdict<'f>) {
    let mut certain = Vec::new();
    for written in &verdict.categories {
        let Some(category) = guard.category(written) else {
            verdict.names.push(written.clone());
            continue;
        };
        verdict.names.push(Cow::Borrowed(&category.name));
        for (hazard, relation) in category.mapping.iter().flat_map(|mapping| &mapping.hazards) {
            if !verdict.hazards.contains(&hazard.name) {
                verdict.hazards.push(hazard.name);
            }
            if *relation != Relation::WiderThan {
                certain.push(hazard.name);
            }
        }
    }
    verdict.uncertain_hazards = verdict.hazards.iter().copied().filter(|hazard| !certain.contains(hazard)).collect();
}

/// `O3`, `S14`: a capital and a number.
fn is_code(word: &str) -> bool {
    let number = word.strip_prefix(|c: char| c.is_ascii_uppercase()).unwrap_or("");
    (1..=3).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// What is said of categories around a lone verdict.
pub(super) struct Around<'f> {
    pub(super) categories: Vec<Cow<'f, str>>,
    /// Where the last one ends.
    pub(super) end: usize,
    /// They stand right behind the verdict.
    pub(super) is_behind: bool,
    /// The last one does not repeat another.
    pub(super) is_last_new: bool,
}

/// The categories of a lone verdict: right behind it, on a line that announces them, or in prose.
pub(super) fn around<'f>(
    view: &View<'_>,
    format: &Format,
    guard: &'f Guard,
    verdict_end: usize,
    is_unsafe: bool,
) -> Around<'f> {
    let text = view.text();
    let (categories, end, is_last_new) = behind(text, format, guard, verdict_end, is_unsafe);
    if !categories.is_empty() {
        return Around { categories, end, is_behind: true, is_last_new };
    }
    let (categories, end) = announced(view, guard);
    if !categories.is_empty() {
        return Around { categories, end, is_behind: false, is_last_new: true };
    }
    let (categories, end) = mentioned(view, guard);
    Around { categories, end, is_behind: false, is_last_new: true }
}

/// What the lines behind the verdict hold as long as they hold categories, and where they end.
///
/// Codes of another family or version count as they are written, and names behind an unsafe verdict.
fn behind<'f>(
    text: &str,
    format: &Format,
    guard: &'f Guard,
    verdict_end: usize,
    is_unsafe: bool,
) -> (Vec<Cow<'f, str>>, usize, bool) {
    let is_gap = |c: char| c.is_whitespace() || (c.is_ascii_punctuation() && c != '<');
    let mut found = Vec::new();
    let mut at = verdict_end;
    let mut end = verdict_end;
    let mut is_new = true;
    loop {
        let start = skip_near(text, at, is_gap);
        let stop = line_end(text, start);
        if start >= stop {
            break;
        }
        let is_next_line = slice(text, verdict_end..start).contains('\n');
        let line = slice(text, start..stop);
        let before = found.len();
        let has_codes = match codes(line, guard, &mut found) {
            Some((length, is_last_new)) => {
                end = start + length;
                is_new = is_last_new;
                true
            }
            None => false,
        };
        if !has_codes && found.is_empty() && is_unsafe && line.len() <= LONGEST {
            let is_name = |name: &str| is_meaning(format, name) || (is_next_line && is_title(name));
            let is_free = !is_next_line && guard.codes.as_ref().is_some_and(|codes| codes.words);
            let bare = line.trim_end().trim_end_matches(['.', ',', ';', ')', '!']);
            let parts = || bare.split([',', ';']).map(str::trim).filter(|part| !part.is_empty());
            if parts().all(is_name) {
                for name in parts() {
                    push(&mut found, guard, name);
                }
            } else if is_free && is_bare_list(bare) {
                for word in bare.split([' ', ',', ';']).filter(|word| !word.is_empty()) {
                    push(&mut found, guard, word);
                }
            }
            end = start + bare.len();
        }
        if !has_codes && found.len() == before {
            break;
        }
        at = stop;
    }
    let end = if found.is_empty() { verdict_end } else { end };
    (found, end, is_new)
}

/// The codes with which a line begins, each with what may be said of it: `S1: Violent Crimes, S2`.
///
/// Gives where they end, and whether the last one was new.
/// None where the line is no list: `S1 is not violated`.
fn codes<'f>(line: &str, guard: &'f Guard, found: &mut Vec<Cow<'f, str>>) -> Option<(usize, bool)> {
    let mut at = 0;
    let mut end = 0;
    let mut is_new = true;
    while let Some((code, length)) = code_at(line, at, guard) {
        let after =
            skip_near(line, at + length, |c| matches!(c, ' ' | '\t' | '*' | '"' | '\'' | '`' | ']' | ')' | '}' | '>'));
        let rest = tail(line, after);
        let next = rest.chars().next();
        let is_code_next = |from: usize| code_at(line, from, guard).is_some();
        if next == Some('-') && is_code_next(skip_near(line, after, |c| matches!(c, '-' | ' '))) {
            // A range of codes is what was looked at, and no list of what was found.
            break;
        }
        let behind = skip_near(line, after + 1, |c| c == ' ');
        if next == Some(',') && is_code_next(behind) {
            is_new = push(found, guard, &code);
            end = at + length;
            at = behind;
            continue;
        }
        let joins = ["and ", "& ", "und ", "y ", "et "].iter().find(|join| rest.starts_with(**join));
        let is_told_of =
            |c: char| matches!(c, ',' | ';' | ':' | '|' | '/' | '.' | '(' | '-' | '\u{2013}' | '\u{2014}' | '!' | '&');
        let goes_on = next.is_none_or(is_told_of) || joins.is_some() || is_code_next(after);
        if !goes_on {
            break;
        }
        is_new = push(found, guard, &code);
        end = at + length;
        // What is said of a code ends at a comma, a bar or the next code.
        let mut next = joins.map_or(after, |join| after + join.len());
        if !is_code_next(next) {
            let rest = tail(line, after);
            let Some(comma) = rest.find([',', ';', '|', '/', '&']) else { break };
            next = skip_near(line, after + comma + 1, |c| matches!(c, ' ' | '\t' | '*' | '"' | '\'' | '[' | '('));
            if let Some(word) = word_after(line, next).filter(|word| word.start == next && word.is(&["and"])) {
                next = skip_near(line, word.end, |c| c == ' ');
            }
        }
        at = next;
    }
    (end > 0).then_some((end, is_new))
}

/// The code that stands here, as written but for the case of the family's letters, and how long it is.
fn code_at<'t>(text: &'t str, at: usize, guard: &Guard) -> Option<(Cow<'t, str>, usize)> {
    let prefix = guard.codes.as_ref().map_or("", |codes| codes.prefix.as_str());
    let is_own = !prefix.is_empty() && starts_with_at(text, at, prefix);
    let letters = if is_own {
        prefix.len()
    } else if byte_at(text, at).is_ascii_uppercase() {
        1
    } else {
        return None;
    };
    let digits = tail(text, at + letters).bytes().take_while(u8::is_ascii_digit).count();
    let end = at + letters + digits;
    let is_code = (1..=3).contains(&digits)
        && is_word_edge(text, at)
        && is_word_edge(text, end)
        && !(byte_at(text, end) == b'.' && byte_at(text, end + 1).is_ascii_digit());
    is_code.then(|| {
        let written = slice(text, at..end);
        let code = if !is_own || written.starts_with(prefix) {
            Cow::Borrowed(written)
        } else {
            Cow::Owned(format!("{prefix}{}", slice(text, at + letters..end)))
        };
        (code, letters + digits)
    })
}

/// Words side by side that are no sentence: `violence hate`.
pub(super) fn is_bare_list(line: &str) -> bool {
    const SENTENCE: [&str; 34] = [
        "because", "as", "since", "the", "it", "this", "that", "is", "are", "was", "a", "an", "of", "to", "in", "for",
        "content", "due", "if", "but", "not", "no", "contains", "with", "by", "i", "they", "there", "which", "has",
        "user", "message", "response", "or",
    ];
    let words = || line.split([' ', ',', ';']).filter(|word| !word.is_empty());
    (1..=8).contains(&words().count())
        && words().all(|word| {
            word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '&'))
                && !is_among(word, &SENTENCE)
        })
}

/// Whether this is what one of the family's codes means, or one of its names.
fn is_meaning(format: &Format, written: &str) -> bool {
    format
        .categories()
        .any(|(code, meaning)| meaning.eq_ignore_ascii_case(written) || code.eq_ignore_ascii_case(written))
}

/// A name of a few words, each with a capital but for the small ones between: `Guns and Illegal Weapons`.
fn is_title(name: &str) -> bool {
    let words = || name.split([' ', '-', '/']).filter(|word| !word.is_empty());
    let is_name_sign = |c: char| c.is_alphabetic() || matches!(c, ' ' | '-' | '/' | '&' | '\'');
    // One letter is what a cut leaves of a code, and these words answer or open a sentence.
    let opens_text = [
        "yes",
        "no",
        "true",
        "false",
        "the",
        "this",
        "it",
        "i",
        "user",
        "reason",
        "explanation",
        "none",
        "unsafe",
        "safe",
        "reasoning",
        "because",
        "note",
        "confidence",
        "verdict",
    ];
    name.len() > 2
        && !words().next().is_some_and(|word| is_among(word, &opens_text))
        && name.chars().all(is_name_sign)
        && name.starts_with(char::is_uppercase)
        && (1..=6).contains(&words().count())
        && words().all(|word| {
            let small = ["and", "or", "of", "to", "for", "in", "the", "&"];
            small.contains(&word) || word.starts_with(char::is_uppercase)
        })
}

/// How guards announce their categories without being asked to.
const HEADINGS: [&str; 12] = [
    "categories",
    "category",
    "violated categories",
    "violated category",
    "categories violated",
    "category violated",
    "unsafe categories",
    "unsafe category",
    "safety categories",
    "hazard categories",
    "violations",
    "violation",
];

/// Categories on a line that announces them: `Violated categories: S1, S3`.
fn announced<'f>(view: &View<'_>, guard: &'f Guard) -> (Vec<Cow<'f, str>>, usize) {
    let text = view.text();
    let mut at = 0;
    while at < text.len() {
        let end = line_end(text, at);
        let start = skip_near(text, at, |c| matches!(c, ' ' | '\t' | '#' | '-' | '*' | '>' | '"' | '(' | '\u{2022}'));
        if let Some(value) = heading_end(text, guard, start) {
            let (items, items_end) = listed(text, guard, value, line_end(text, value));
            let is_list =
                |item: &Cow<'_, str>| is_code(item.split(':').next().unwrap_or("").trim()) || guard.codes.is_none();
            if !items.is_empty() && items.iter().all(is_list) && !view.hides(&(start..items_end)) {
                let items = items.into_iter().map(|item| own_case(guard, item)).collect();
                return (items, items_end);
            }
        }
        at = end + 1;
    }
    (Vec::new(), 0)
}

fn own_case<'f>(guard: &'f Guard, item: Cow<'f, str>) -> Cow<'f, str> {
    match code_at(&item, 0, guard) {
        Some((code, length)) if length == item.len() => own(guard, &code),
        _ => item,
    }
}

/// Where the categories begin behind a heading that stands here.
fn heading_end(text: &str, guard: &Guard, start: usize) -> Option<usize> {
    if let Some(value) = guard.categories.iter().find_map(|line| value_start(text, &line.prefix, start)) {
        return Some(value);
    }
    if !matches!(byte_at(text, start) | 0x20, b'c' | b'v' | b'u' | b's' | b'h') {
        return None;
    }
    HEADINGS.iter().find_map(|heading| value_start(text, heading, start))
}

/// Codes in prose, each once, that nothing around them rules out.
fn mentioned<'f>(view: &View<'_>, guard: &'f Guard) -> (Vec<Cow<'f, str>>, usize) {
    let text = view.text();
    let mut found = Vec::new();
    let mut last = 0;
    let Some(initial) = guard.codes.as_ref().and_then(|codes| codes.prefix.bytes().next()) else {
        return (found, last);
    };
    let (lower, upper) = (initial.to_ascii_lowercase(), initial.to_ascii_uppercase());
    for range in prose_ranges(text) {
        for at in memchr::memchr2_iter(lower, upper, slice(text, range.clone()).as_bytes()) {
            let start = range.start + at;
            let Some((code, length)) = code_at(text, start, guard) else { continue };
            let place = start..start + length;
            if !found.contains(&code) && !is_ruled_out(text, &place) && !view.hides(&place) {
                push(&mut found, guard, &code);
                last = place.end;
            }
        }
    }
    (found, last)
}

/// Whether what is said around a code is not that it is violated: `none of S1 to S14`, `it would be S6 if`.
fn is_ruled_out(text: &str, place: &Range<usize>) -> bool {
    const RULING: [&str; 34] = [
        "not", "no", "none", "never", "neither", "nor", "without", "isn't", "doesn't", "don't", "aren't", "wasn't",
        "didn't", "cannot", "can't", "won't", "if", "would", "could", "might", "may", "unless", "rather", "instead",
        "unlike", "except", "outside", "closest", "nearest", "whether", "checked", "e.g", "such", "hardly",
    ];
    let Some(start) = clause_start(text, place.start) else {
        return true;
    };
    let words =
        slice(text, start..place.start).split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '\u{2019}')));
    if words.map(|word| word.replace('\u{2019}', "'")).any(|word| is_among(&word, &RULING)) {
        return true;
    }
    // "S1 to S14", "S1-S14": the codes that were looked at.
    let is_link = |near: &str| {
        let near = near.trim_matches([' ', '\t']);
        matches!(near, "-" | "\u{2013}" | "\u{2014}" | "to" | "through" | "..." | "..")
    };
    let is_code_at = |at: usize| byte_at(text, at).is_ascii_uppercase() && byte_at(text, at + 1).is_ascii_digit();
    let after = ahead(text, place.end, 16);
    let link_end = after.find(|c: char| c.is_ascii_uppercase()).unwrap_or(0);
    if link_end > 0 && is_link(head(after, link_end)) && is_code_at(place.end + link_end) {
        return true;
    }
    let lead = head(text, place.start);
    let near = tail(lead, lead.ceil_char_boundary(lead.len().saturating_sub(16)));
    let trimmed = near.trim_end_matches([' ', '\t']);
    let link = ["-", "\u{2013}", "\u{2014}", "through", "to"].iter().find_map(|link| trimmed.strip_suffix(link));
    if link.is_some_and(|before| before.trim_end().ends_with(|c: char| c.is_ascii_digit())) {
        return true;
    }
    // "S6 is not violated", "S6 does not apply".
    let behind = skip_closing(text, place.end);
    let mut at = behind;
    for _ in 0..3 {
        let Some(word) = word_after(text, at).filter(|word| slice(text, at..word.start).trim().is_empty()) else {
            return false;
        };
        if word.is(&["not", "isn't", "doesn't", "no", "cannot", "wasn't"]) {
            return true;
        }
        at = word.end;
    }
    char_at(text, skip(text, behind, |c| c == ' ')) == Some('?')
}
