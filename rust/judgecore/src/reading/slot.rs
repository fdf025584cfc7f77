//! What a marker holds, and how strong it is where it stands.

use std::ops::Range;

use super::clause::announcement::announced_from;
use super::evidence::{Candidate, Found};
use super::outcome::{Detail, Reason, Rule};
use super::token::LAST;
use crate::format::marker::Opening;
use crate::lexicon::{self as class, Classes};
use crate::reply::View;
use crate::reply::text::{ahead, byte_at, char_at, line_ahead, skip, skip_near, starts_with_at, tail};

/// What may stand between a marker and its value: `[RESULT] score of 4`, `the verdict is A`.
pub(super) const FILLERS: Classes =
    LAST | class::FILL | class::ANNOUNCE | class::VAGUE | class::OF | class::LINK | class::ABOUT | class::SELF;

/// How far a marker's verdict may stand from its opening.
const SLOT_LIMIT: usize = 120;

/// What stands where a verdict belongs if the reply ends there.
pub(super) const INSIDE_MARKER: (Reason, Detail) =
    (Reason::Truncated, Detail::Sentence("the reply ends inside its marker"));

/// Whether the reply ends so soon inside a declared marker that it was cut off there.
pub(super) fn breaks_off(text: &str, opening: &Opening<'_>) -> bool {
    let rest = tail(text, opening.end);
    let closes = opening.marker.suffix.chars().next();
    opening.marker.is_declared && rest.len() <= 16 && !rest.contains('\n') && !closes.is_some_and(|c| rest.contains(c))
}

/// What stands where a verdict belongs, and is none.
pub(super) fn not_a_label(held: &str) -> (Reason, Detail) {
    (Reason::Malformed, Detail::NotALabel(held.to_owned()))
}

/// The evidence of a marker that holds a value, or what is none; nothing where another says it or it is passed over.
///
/// `close` is where the marker ends, if it is closed.
pub(super) fn marked<V>(
    view: &View<'_>,
    opening: &Opening<'_>,
    found: Option<Found<V>>,
    value: Range<usize>,
    close: Option<usize>,
    is_score: bool,
) -> Option<Candidate<V>> {
    let text = view.text();
    let span = opening.start..close.unwrap_or(value.end);
    let is_quoted = view.quotes(&span) && view.hides(&(announced_from(text, &span, is_score)..span.end));
    if is_quoted {
        return None;
    }
    let found = match found {
        _ if close.is_none() && breaks_off(text, opening) => Err(INSIDE_MARKER),
        found => found?,
    };
    // A closing that is not whole may still have been coming.
    let suffix = opening.marker.suffix.len();
    let reach = span.end + close.map_or(suffix + 1, |_| usize::from(suffix == 0));
    let grade = marker_grade(view, opening, close);
    Some(Candidate { span, ..Candidate::new(found, Rule::Marker, grade, value).reaching(reach) })
}

/// More than any marker's grade.
const QUOTED: usize = 1 << 16;

/// How strong a marker is: by its place among the format's, whether it is closed, and unquoted.
fn marker_grade(view: &View<'_>, opening: &Opening<'_>, close: Option<usize>) -> usize {
    let marker = opening.marker;
    let is_quoted = view.quotes(&(opening.start..close.unwrap_or(opening.end)));
    // A marker inside a quotation is weaker than any outside: the judge shows what others wrote.
    let standing = marker.grade * 2 + usize::from(close.is_none());
    standing + QUOTED * usize::from(is_quoted)
}

/// The last of nested brackets, `[[[A]]]`; None where there are so many that nobody wrote a verdict.
pub(super) fn innermost<'m>(text: &str, opening: &Opening<'m>) -> Option<Opening<'m>> {
    if !opening.marker.prefix.ends_with('[') {
        return Some(*opening);
    }
    let more = ahead(text, opening.end, 4).bytes().take_while(|&byte| byte == b'[').count();
    (more < 4).then(|| Opening { end: opening.end + more, ..*opening })
}

/// No command of LaTeX that sets a verdict is longer, with its brace, in bytes.
const COMMAND: usize = 24;

/// Where a marker's verdict begins; None where the colon that it needs is missing.
pub(super) fn slot_start(text: &str, opening: &Opening<'_>) -> Option<usize> {
    // "<score>>3" bounds, and "Result: \u{2705} PASS" adorns.
    let is_tag = opening.marker.prefix.ends_with('>');
    let is_gap = |c: char| {
        matches!(c, ' ' | '\t' | '*' | '"' | '\'' | '`' | '(' | '[' | '{' | '$' | '\u{201c}' | '\u{fe0f}')
            || c == '>' && !is_tag
            || matches!(c, '\u{2600}'..='\u{27bf}' | '\u{2b50}' | '\u{1f300}'..='\u{1faff}')
    };
    // "\\text{...}": a command of LaTeX that only sets what it holds, and takes nothing else, as "\\frac{1}{7}" does.
    let command = |at: usize| {
        let (name, rest) = ahead(text, at, COMMAND + SLOT_LIMIT).strip_prefix('\\')?.split_once('{')?;
        let is_only = !rest.split_once('}').is_some_and(|(_, behind)| behind.starts_with('{'));
        let is_name = (1..COMMAND).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphabetic());
        (is_name && is_only).then_some(at + name.len() + 2)
    };
    let closing = |c: char| matches!(c, ' ' | '*' | '"' | '\'' | '`' | ')');
    let mut at = skip_near(text, opening.end, closing);
    let mut has_link = false;
    if matches!(byte_at(text, at), b':' | b'=') || (opening.marker.needs_link && byte_at(text, at) == b'-') {
        at += 1;
        has_link = true;
    } else if starts_with_at(text, at, "is") && !char_at(text, at + 2).is_some_and(char::is_alphanumeric) {
        at += 2;
        has_link = true;
        at = skip_near(text, at, |c| matches!(c, ' ' | ':'));
    }
    if opening.marker.needs_link && !has_link {
        return None;
    }
    // More than a few brackets and quotes are no way to write a verdict.
    at += skip(ahead(text, at, 12), 0, is_gap);
    // A verdict may stand on the next line, alone, as the only entry of a list too.
    let mut newlines = 0;
    while newlines < 2 && byte_at(text, at) == b'\n' {
        newlines += 1;
        at = skip_near(text, at + 1, is_gap);
    }
    if newlines > 0 {
        let bullet = ["- ", "\u{2022} "].iter().find(|bullet| starts_with_at(text, at, bullet));
        at += bullet.map_or(0, |bullet| bullet.len());
    }
    at = command(at).unwrap_or(at);
    (at - opening.end <= SLOT_LIMIT).then_some(at)
}

/// Where the suffix ends that closes a slot right behind its value, marks aside.
pub(super) fn closed(text: &str, end: usize, suffix: &str) -> Option<usize> {
    if suffix.is_empty() {
        return Some(end);
    }
    let at = skip_near(text, end, |c| c.is_whitespace() || matches!(c, '.' | '*' | '"' | '`'));
    starts_with_at(text, at, suffix).then_some(at + suffix.len())
}

/// Where the suffix that closes a slot ends, within the limit.
pub(super) fn slot_end(text: &str, at: usize, suffix: &str) -> Option<usize> {
    let near = ahead(text, at, SLOT_LIMIT);
    let found = near.char_indices().map(|(offset, _)| offset).find(|&offset| starts_with_at(near, offset, suffix))?;
    Some(at + found + suffix.len())
}

/// What stands in the slot of a marker that holds no label, up to the end of its line.
pub(super) fn held(text: &str, slot: usize, close: Option<usize>) -> &str {
    let near = line_ahead(text, slot, 60);
    match close {
        Some(close) if close > slot => near.get(..close - slot).unwrap_or(near),
        _ => near,
    }
    .trim()
}
