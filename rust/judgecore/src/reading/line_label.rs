//! The labels of lines, and where the values begin behind them.

use super::context::word_after;
use super::outcome::Mode;
use crate::reply::text::{ahead, byte_at, byte_before, char_at, is_word_edge, skip_near, slice};

/// Where the lines of a text begin.
pub(super) fn starts(text: &str) -> impl Iterator<Item = usize> + '_ {
    std::iter::once(0).chain(memchr::memchr_iter(b'\n', text.as_bytes()).map(|newline| newline + 1))
}

/// Where a label may stand on the line that begins here: behind marks, in lenient reading.
pub(super) fn places(text: &str, start: usize, mode: Mode) -> impl Iterator<Item = usize> + '_ {
    let most = if mode == Mode::Strict { 1 } else { MOST_MARKS };
    let next = move |&at: &usize| mark(text, at).map(|length| at + length);
    std::iter::successors(Some(start), next).take(most)
}

/// How many marks may stand before what a line begins with.
pub(super) const MOST_MARKS: usize = 12;

/// How long a mark of lists, headings, tables and quotation is that stands here.
pub(super) fn mark(text: &str, at: usize) -> Option<usize> {
    let c = char_at(text, at)?;
    let opens = matches!(c, '"' | '\'' | '`' | '(' | '[' | '{' | '\u{201c}');
    if opens || matches!(c, ' ' | '\t' | '#' | '>' | '-' | '*' | '|' | '\u{2022}' | '\u{2013}') {
        return Some(c.len_utf8());
    }
    // The number of a list.
    let digits = ahead(text, at, 3).bytes().take_while(u8::is_ascii_digit).count();
    (digits > 0 && matches!(byte_at(text, at + digits), b'.' | b')')).then_some(digits + 1)
}

/// Where a label ends that stands here, in any case and with other signs for its spaces.
pub(super) fn label_end(text: &str, label: &str, start: usize) -> Option<usize> {
    let end = start + label.len();
    let here = text.as_bytes().get(start..end)?;
    let is_same = |(&one, &other): (&u8, &u8)| {
        one == other
            || one.eq_ignore_ascii_case(&other)
            || (one == b' ' && matches!(other, b'_' | b'-'))
            || (one == b'_' && other == b' ')
    };
    (label.as_bytes().iter().zip(here).all(is_same)
        && text.is_char_boundary(end)
        && (is_word_edge(text, end) || !label.ends_with(char::is_alphanumeric)))
    .then_some(end)
}

/// How far a value may stand from its label.
pub(super) const VALUE_DISTANCE: usize = 60;

/// Where the value begins behind a label that stands here, and behind what links them.
pub(super) fn value_start(text: &str, label: &str, start: usize) -> Option<usize> {
    value_behind(text, label_end(text, label, start)?, is_closed(label))
}

/// Whether a label needs no link with its value.
pub(super) fn is_closed(label: &str) -> bool {
    !label.ends_with(char::is_alphanumeric)
}

/// The same, of a label that ends here.
pub(super) fn value_behind(text: &str, end: usize, is_closed: bool) -> Option<usize> {
    let mut at = skip_near(text, end, |c| matches!(c, ' ' | '\t' | '"' | '\'' | '`' | '*' | ']' | '\u{201d}'));
    if matches!(byte_at(text, at), b'(' | b'[') {
        let close = ahead(text, at, VALUE_DISTANCE).find([')', ']'])?;
        at = skip_near(text, at + close + 1, |c| c == ' ');
    }
    let link = char_at(text, at);
    let is_link = match link {
        Some(':' | '=' | '|' | '\u{2192}') => true,
        Some('-' | '\u{2013}' | '\u{2014}') => byte_before(text, at) == b' ' && byte_at(text, at + 1) != b'-',
        _ => false,
    };
    if is_link {
        at += link.map_or(1, char::len_utf8);
    } else if let Some(word) = word_after(text, at).filter(|word| word.start == at && word.is(&["is"])) {
        at = word.end;
    } else if !is_closed {
        return None;
    }
    let is_gap = |c: char| {
        matches!(c, ' ' | '\t' | '"' | '\'' | '[' | '(' | '`' | '*' | '<' | ':' | '>' | '\u{201c}' | '\u{2018}')
    };
    at = skip_near(text, at, is_gap);
    if byte_at(text, at) == b'\n' {
        at = skip_near(text, at + 1, |c| is_gap(c) || matches!(c, '-' | '\u{2022}'));
    }
    (at - end <= VALUE_DISTANCE).then_some(at)
}

/// Where a value begins that stands on a line of its own below its label: `### Relevance` and `4`.
pub(super) fn below(text: &str, end: usize) -> Option<usize> {
    let newline = skip_near(text, end, |c| matches!(c, ' ' | '\t' | '#' | '*' | '?'));
    let value = skip_near(text, newline, |c| c.is_whitespace() || matches!(c, '"' | '\'' | '[' | '(' | '`'));
    let newlines = slice(text, newline..value).matches('\n').count();
    (byte_at(text, newline) == b'\n' && newlines <= 2).then_some(value)
}
