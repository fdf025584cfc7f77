//! The categories that a guard names: codes, names, and where they stand.

use std::borrow::Cow;
use std::ops::Range;

use crate::format::guard::Guard;
use crate::lexicon::{self as class, lexicon};
use crate::reading::clause::stance::Stance;
use crate::reading::context::{is_among, prose_ranges, ticked};
use crate::reading::line_label::{label_end, value_behind};
use crate::reading::outcome::{Detail, FieldValue, GuardVerdict, Reason, Unreadable};
use crate::reading::sentence::Sentences;
use crate::reading::token::{COLONS, DENIES, Token, among, entry_of, of, tokens};
use crate::reading::word::word_at;
use crate::reply::View;
use crate::reply::text::{
    byte_at, char_at, head, is_word_edge, line_ahead, line_end, lines, skip_near, slice, starts_with_at, tail,
};
use crate::taxonomy::Relation;

/// How far the ends of a range of codes stand from each other at most.
const RANGE: usize = 16;
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
        let line = slice(text, end + 1..line_end(text, end + 1));
        let item = line.trim_start_matches([' ', '\t']).trim_start_matches(BULLETS);
        if item.len() == line.trim_start().len() || line.len() > LONGEST {
            break;
        }
        collect(item, guard, &mut items);
        end += 1 + line.len();
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

/// Marks of a list.
const BULLETS: [char; 3] = ['-', '*', '\u{2022}'];

/// Whether a mark of a list stands before this on its line.
fn is_bulleted(text: &str, at: usize) -> bool {
    let lead = head(text, at);
    let line = tail(lead, lead.rfind('\n').map_or(0, |newline| newline + 1));
    line.contains(BULLETS) && !line.contains(char::is_alphanumeric)
}

/// Marks between categories.
fn is_separator(c: char) -> bool {
    matches!(c, ',' | ';' | '|' | '\u{3001}' | '\u{ff0c}' | '\u{ff1b}' | '\u{60c}')
}

/// Whether a conjunction stands here: `S1 and S2`.
fn joins(text: &str, at: usize) -> bool {
    byte_at(text, at) == b'&' || entry_of(text, at).is_some_and(|(entry, _)| entry.may_be(class::JOIN))
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
    for part in line.split(is_separator) {
        // Codes also stand apart by spaces or conjunctions alone, and the last may be half of one.
        let words = || part.split_whitespace().filter(|word| !joins(word, 0));
        let is_apart = || {
            let mut all = words();
            let last = all.next_back().unwrap_or("");
            all.clone().next().is_some() && all.all(is_code) && (is_code(last) || last.len() == 1)
        };
        if is_apart() { words().for_each(&mut add) } else { add(part) }
    }
}

/// Categories outside the family's list are kept, and named.
pub(super) fn note_unknown(guard: &Guard, verdict: &mut GuardVerdict<'_>) {
    if verdict.categories.is_empty() || guard.known_categories().is_empty() {
        return;
    }
    let is_unknown = |written: &&Cow<'_, str>| matches!(written, Cow::Owned(name) if !is_known(guard, name));
    let unknown: Vec<_> = verdict.categories.iter().filter(is_unknown).cloned().collect();
    if !unknown.is_empty() {
        verdict.fields.push(("unknown_categories", FieldValue::Texts(unknown)));
    }
}

/// Take away a last category that is the first half of one of the family's, where the reply ends with it.
pub(super) fn drop_half(guard: &Guard, categories: &mut Vec<Cow<'_, str>>) {
    let known = guard.known_categories();
    let is_half = |written: &str| {
        let begins = |name: &str| name.len() > written.len() && starts_with_at(name, 0, written);
        let is_letters = written.chars().all(|c| !c.is_ascii_digit());
        is_letters && known.iter().any(|category| begins(&category.code) || begins(&category.meaning))
            || !known.is_empty() && begins_nothing(written)
    };
    if categories.last().is_some_and(|last| !is_known(guard, last) && is_half(last)) {
        categories.pop();
    }
}

/// `No`, of `None`.
pub(super) fn begins_nothing(written: &str) -> bool {
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
        for (hazard, relation) in guard.mapping(category).iter().flat_map(|mapping| &mapping.hazards) {
            let name = hazard.name.as_str();
            if !verdict.hazards.contains(&name) {
                verdict.hazards.push(name);
            }
            if *relation != Relation::WiderThan {
                certain.push(name);
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
///
/// # Errors
///
/// The reply denies all that it names.
pub(super) fn around<'f>(
    view: &View<'_>,
    guard: &'f Guard,
    verdict: &Range<usize>,
    is_unsafe: bool,
) -> Result<Around<'f>, Unreadable<'f>> {
    let text = view.text();
    let (categories, end, is_last_new) = behind(text, guard, verdict.end, is_unsafe);
    let is_behind = !categories.is_empty();
    let (categories, end) = if is_behind { (categories, end) } else { announced(view, guard) };
    let mentioned = mentioned(view, guard, end);
    if categories.is_empty() {
        let Mentioned { mut said, denied, end } = mentioned;
        said.retain(|code| !denied.contains(code));
        return Ok(Around { categories: said, end, is_behind: false, is_last_new: true });
    }
    let around = Around { categories, end, is_behind, is_last_new: !is_behind || is_last_new };
    corrected(guard, around, &mentioned)
}

/// Take out the codes that the reply denies further on, and put those in their place that it names there.
fn corrected<'f>(
    guard: &'f Guard,
    mut around: Around<'f>,
    further: &Mentioned<'_>,
) -> Result<Around<'f>, Unreadable<'f>> {
    let count = around.categories.len();
    around.categories.retain(|code| !further.denied.contains(code));
    if around.categories.len() == count {
        return Ok(around);
    }
    for code in further.said.iter().filter(|code| !further.denied.contains(code)) {
        push(&mut around.categories, guard, code);
    }
    if around.categories.is_empty() {
        let detail = Detail::Sentence("the reply names categories, and denies them further on");
        return Err(Unreadable::new(Reason::Ambiguous, detail));
    }
    Ok(Around { end: further.end.max(around.end), is_last_new: false, ..around })
}

/// What the lines behind the verdict hold as long as they begin with categories, where they end, and whether the last one
/// was new.
///
/// Codes of another family or version count as they are written, and names behind an unsafe verdict.
fn behind<'f>(text: &str, guard: &'f Guard, verdict_end: usize, is_unsafe: bool) -> (Vec<Cow<'f, str>>, usize, bool) {
    let is_gap = |c: char| c.is_whitespace() || (c.is_ascii_punctuation() && c != '<');
    let mut sentences = Sentences::new(text);
    let (mut found, mut end, mut is_new) = (Vec::new(), verdict_end, true);
    let mut at = verdict_end;
    loop {
        let start = skip_near(text, at, is_gap);
        at = line_end(text, start);
        let line = slice(text, start..at);
        if code_at(text, start, guard).is_some() {
            let mut last: Option<(Cow<'_, str>, usize)> = None;
            for (code, place) in codes_in(text, start..at, guard) {
                let between = last.as_ref().map_or("", |(_, end)| slice(text, *end..place.start));
                // "S2. The user asks to jailbreak a Galaxy S10.": an explanation names what else looks like a code.
                if !is_range(between) && !is_listing(between, guard) {
                    break;
                }
                // All codes of a family are what was looked at, and no list of what was found.
                let from = last.take().filter(|_| is_range(between)).map(|(from, _)| from);
                let codes = from.as_ref().map(|from| guard.codes_between(from, &code));
                is_new = match codes {
                    Some(None) => {
                        found.retain(|known| Some(known) != from.as_ref());
                        end = if found.is_empty() { verdict_end } else { end };
                        break;
                    }
                    Some(Some(codes)) => codes.iter().fold(false, |_, code| push(&mut found, guard, code)),
                    None => {
                        let stance = stance(text, guard, &mut sentences, &place);
                        let is_said = stance == Stance::Asserted || !between.contains(char::is_alphabetic);
                        stance != Stance::Denied && is_said && push(&mut found, guard, &code)
                    }
                };
                end = place.end;
                last = Some((code, end));
            }
            continue;
        }
        let is_next_line = slice(text, verdict_end..start).contains('\n');
        let bare = line.trim_end().trim_end_matches(['.', ',', ';', ')', '!']);
        if found.is_empty() && is_unsafe && !bare.is_empty() && line.len() <= LONGEST {
            let is_name = |name: &str| guard.named(name).is_some() || (is_next_line && is_title(name));
            let is_free = !is_next_line && guard.codes.as_ref().is_some_and(|codes| codes.words);
            let parts = || bare.split([',', ';']).map(str::trim);
            if parts().all(is_name) {
                parts().for_each(|name| _ = push(&mut found, guard, name));
            } else if is_free && is_bare_list(bare) {
                bare.split([' ', ',', ';']).for_each(|word| _ = push(&mut found, guard, word));
            }
            end = if found.is_empty() { end } else { start + bare.len() };
        }
        return (found, end, is_new);
    }
}

/// Whether nothing but marks, words that join and names of categories stand between two codes.
fn is_listing(between: &str, guard: &Guard) -> bool {
    let joins = |word: &str| lexicon().classes(word) & class::JOIN != 0;
    let is_edge = |c: char| !c.is_alphanumeric();
    let said = between.trim_matches(is_edge);
    let said =
        said.rsplit_once(' ').filter(|(_, last)| joins(last)).map_or(said, |(name, _)| name.trim_matches(is_edge));
    said.is_empty() || joins(said) || guard.named(said).is_some()
}

/// The codes that stand in a range.
fn codes_in<'t, 'g>(
    text: &'t str,
    range: Range<usize>,
    guard: &'g Guard,
) -> impl Iterator<Item = (Cow<'t, str>, Range<usize>)> + use<'t, 'g> {
    range.filter_map(move |at| code_at(text, at, guard).map(|(code, length)| (code, at..at + length)))
}

/// Whether nothing, or the beginning of a code, stands behind the categories: where a reply is cut off, more may follow.
pub(super) fn is_going_on(text: &str, guard: &Guard, end: usize) -> bool {
    // What is closed goes no further: "<UNSAFE-S4>".
    if tail(text, end).trim_end().ends_with(is_closer) {
        return false;
    }
    let rest = tail(text, end).trim_matches(|c: char| !c.is_alphanumeric());
    guard.codes.as_ref().is_some_and(|codes| starts_with_at(&codes.prefix, 0, rest))
}

/// Marks that may close what holds a code.
fn is_closer(c: char) -> bool {
    matches!(c, '*' | '"' | '\'' | '`' | ']' | ')' | '}' | '>')
}

/// Whether what stands between two codes makes a range of them: `S2-S4`, `S2 to S4`.
fn is_range(between: &str) -> bool {
    matches!(
        between.trim_matches(|c| c == ' ' || is_closer(c)),
        "-" | "\u{2013}" | "\u{2014}" | "through" | "to" | "..." | ".."
    )
}

/// Whether a box or an answer says that a code is not violated: `[ ] S1`, `| S1 | no |`.
fn is_answered_no(text: &str, guard: &Guard, place: &Range<usize>) -> bool {
    if ticked(text, place.start) == Some(false) {
        return true;
    }
    let is_gap = |c: char| matches!(c, ' ' | '\t') || is_closer(c);
    let link = skip_near(text, place.end, is_gap);
    let Some(sign) = char_at(text, link).filter(|c| matches!(c, ':' | '=' | '|' | '-' | '\u{2013}' | '\u{ff1a}'))
    else {
        return false;
    };
    let value = skip_near(text, link + sign.len_utf8(), |c| is_gap(c) || c == '[');
    let Some((entry, end)) = entry_of(text, value) else { return false };
    // "S2: Non-Violent Crimes" is its name, and "S12: not safe for work" says why; "S1: not applicable" is an answer.
    let rest = skip_near(text, end, is_gap);
    let ends =
        |at: usize| char_at(text, skip_near(text, at, is_gap)).is_none_or(|c| !(c.is_alphanumeric() || c == '-'));
    let word = word_at(text, rest).filter(|_| rest > end);
    let is_all =
        ends(end) || word.is_some_and(|word| ends(word.end) && guard.named(slice(text, value..word.end)).is_none());
    is_all && entry.may_be(class::NO | class::FALSE | class::DENY)
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
    let sentence = class::BECAUSE | class::SUBJECT | class::FILL | class::LINK | class::OF | class::PART | class::IF;
    let sentence = sentence | class::DENY | class::CONTRAST | class::OR | class::SELF | class::NO | class::THING;
    let words = || line.split([' ', ',', ';']).filter(|word| !word.is_empty());
    (1..=8).contains(&words().count())
        && words().all(|word| {
            word.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '&'))
                && lexicon().classes(word) & sentence == 0
        })
}

/// A name of a few words, each with a capital but for the small ones between: `Guns and Illegal Weapons`. One letter is
/// what a cut leaves of a code, and a word of the lexicon answers or opens a sentence.
fn is_title(name: &str) -> bool {
    let mut words = name.split([' ', '-', '/']).filter(|word| !word.is_empty());
    let is_opening = |first: &str| first.starts_with(char::is_uppercase) && lexicon().classes(first) == 0;
    name.len() > 2
        && name.chars().all(|c| c.is_alphabetic() || matches!(c, ' ' | '-' | '/' | '&' | '\''))
        && words.next().is_some_and(is_opening)
        && words.all(|word| word.starts_with(char::is_uppercase) || word.len() <= 3)
}

/// Categories on a line that announces them: `Violated categories: S1, S3`.
fn announced<'f>(view: &View<'_>, guard: &'f Guard) -> (Vec<Cow<'f, str>>, usize) {
    let text = view.text();
    for line in lines(text) {
        let start =
            skip_near(text, line.start, |c| matches!(c, ' ' | '\t' | '#' | '-' | '*' | '>' | '"' | '(' | '\u{2022}'));
        if let Some((value, is_declared)) = heading_end(text, guard, start) {
            let (items, items_end) = listed(text, guard, value, line_end(text, value));
            let is_list = |item: &Cow<'_, str>| {
                is_code(item.split(':').next().unwrap_or("").trim())
                    || is_known(guard, item)
                    || is_declared && guard.codes.is_none()
            };
            if !items.is_empty() && items.iter().all(is_list) && !view.hides(&(start..items_end)) {
                return (items, items_end);
            }
        }
    }
    (Vec::new(), 0)
}

/// `Not violated: S3`, `None of: S4`, `Previous verdict: S4`: whether what stands before a colon says that the categories behind it
/// are not violated, or are another verdict's. `It was not safe: S3` denies something else.
fn names_others(heading: &[Token]) -> bool {
    let has = |classes| heading.iter().any(of(classes));
    let denies = heading.iter().any(|token| token.is(DENIES | class::NONE) && !token.is(class::STRESS));
    denies && !has(class::SAFE | class::TRUE) || has(class::PAST | class::ANOTHER) && has(class::ANNOUNCE)
}

/// How long what announces categories is at most.
const HEADING: usize = 60;

/// Where the categories begin behind a heading that stands here, and whether it is one of the family's, and not only
/// a few words and a colon.
fn heading_end(text: &str, guard: &Guard, start: usize) -> Option<(usize, bool)> {
    if let Some(value) = guard.categories.iter().find_map(|line| value_behind(text, label_end(text, line, start)?)) {
        return Some((value, true));
    }
    let near = line_ahead(text, start, HEADING);
    let (colon, sign) = near.char_indices().find(|(_, c)| matches!(c, ':' | '\u{ff1a}'))?;
    let is_gap = |c: char| matches!(c, ' ' | '\t' | '*' | '[' | '(' | '"' | '`');
    let (name, _) = tokens(text, None, start..start + colon);
    (colon > 0 && !names_others(&name)).then(|| (skip_near(text, start + colon + sign.len_utf8(), is_gap), false))
}

/// Codes in prose, each once.
struct Mentioned<'f> {
    said: Vec<Cow<'f, str>>,
    denied: Vec<Cow<'f, str>>,
    /// Where the last one that is said to be violated ends.
    end: usize,
}

/// What is said of codes in prose behind a place.
fn mentioned<'f>(view: &View<'_>, guard: &'f Guard, from: usize) -> Mentioned<'f> {
    let mut found = Mentioned { said: Vec::new(), denied: Vec::new(), end: 0 };
    let mut sentences = Sentences::new(view.text());
    for (code, place) in mentions(view, guard, from) {
        if found.said.contains(&code) && found.denied.contains(&code) {
            continue;
        }
        match stance(view.text(), guard, &mut sentences, &place) {
            Stance::Asserted if push(&mut found.said, guard, &code) => found.end = place.end,
            Stance::Denied => _ = push(&mut found.denied, guard, &code),
            _ => {}
        }
    }
    found
}

/// The family's codes behind a place that are not quoted.
fn mentions<'v>(
    view: &'v View<'_>,
    guard: &'v Guard,
    from: usize,
) -> impl Iterator<Item = (Cow<'v, str>, Range<usize>)> {
    let text = view.text();
    let prefix = guard.codes.as_ref().map(|codes| codes.prefix.as_str());
    let ranges = prefix.into_iter().flat_map(move |_| prose_ranges(text));
    let codes = ranges.flat_map(move |range| codes_in(text, range.start.max(from)..range.end, guard));
    codes.filter(move |(code, place)| prefix.is_some_and(|prefix| code.starts_with(prefix)) && !view.hides(place))
}

/// Whether a code is said to be violated: not in `none of S1 to S14`, `it would be S6 if`, `S6 does not apply`.
fn stance(text: &str, guard: &Guard, sentences: &mut Sentences<'_>, place: &Range<usize>) -> Stance {
    if is_answered_no(text, guard, place) {
        return Stance::Denied;
    }
    // "S1 to S14": the codes that were looked at.
    let near = |range: Range<usize>| codes_in(text, range, guard);
    let before = near(text.floor_char_boundary(place.start.saturating_sub(RANGE))..place.start).last();
    let is_in_range = before.is_some_and(|(_, before)| is_range(slice(text, before.end..place.start)))
        || near(place.end..place.end + RANGE)
            .next()
            .is_some_and(|(_, next)| is_range(slice(text, place.end..next.start)));
    let sentence = sentences.at(place.start);
    let (first, behind) = sentence.places(place);
    let mut next = sentence.slice(behind..).iter();
    // "S1 or S2" leaves it open.
    let beside = [sentence.slice(..first).last(), next.as_slice().first()].into_iter().flatten();
    let is_open = is_in_range || beside.into_iter().any(of(class::OR));
    let lead = sentence.slice(..first);
    let heading = lead.iter().rposition(among(&COLONS)).and_then(|colon| lead.get(..colon)).unwrap_or_default();
    if names_others(heading) {
        return Stance::Denied;
    }
    // "S6 does not apply"
    let denies = |token: &Token| token.is(class::DENY | class::NO) && !token.is(class::STRESS);
    if next.by_ref().take_while(|token| token.is_word()).take(3).any(denies) {
        Stance::Denied
    } else if is_open {
        Stance::Supposed
    } else {
        sentence.clause(place).stance(place.end, false)
    }
}
