//! What stands around a place in the text: words, clauses, cues and denials.
//!
//! Every look is bounded, so that reading stays linear however many places are looked at.

use std::ops::Range;

pub(super) use super::word::{Word, is_among, word_after, word_before};
use crate::reply::text::{byte_at, byte_before, char_at, char_before, head, skip_back_near, skip_near, tail};

/// How far a clause is followed in bytes. Sentences of real judges are shorter (99.9 % of the corpora).
pub(super) const CLAUSE_LIMIT: usize = 320;

/// How much of a long reply is searched for evidence in prose, at its start and at its end.
///
/// A judge decides at either end; markers are sought everywhere. This keeps a megabyte of labels under 50 ms.
pub(super) const PROSE_LIMIT: usize = 1 << 15;

/// Where evidence in prose is sought: the whole text, or the two ends of a long one.
pub(super) fn prose_ranges(text: &str) -> impl Iterator<Item = Range<usize>> + use<> {
    let (first, last) = if text.len() <= 2 * PROSE_LIMIT {
        (0..text.len(), text.len()..text.len())
    } else {
        let first_end = text.floor_char_boundary(PROSE_LIMIT);
        let last_start = text.ceil_char_boundary(text.len() - PROSE_LIMIT);
        (0..first_end, last_start..text.len())
    };
    [first, last].into_iter().filter(|range| !range.is_empty())
}

/// Whether a sentence ends with the character before `at`.
#[inline]
fn ends_clause(text: &str, at: usize) -> bool {
    match char_before(text, at) {
        Some('\n' | '!' | '?' | '。' | '！' | '？' | ';' | '；') => true,
        // A full stop inside a number or an abbreviation is followed by no space.
        Some('.') => char_at(text, at).is_none_or(char::is_whitespace),
        _ => false,
    }
}

/// Whether a clause could end with a byte, or with the character that it is part of.
#[inline]
fn may_end_clause(byte: u8) -> bool {
    matches!(byte, b'\n' | b'!' | b'?' | b';' | b'.' | 0x80..)
}

/// Whether the clause that holds `at` begins there.
#[inline]
pub(super) fn opens_clause(text: &str, at: usize) -> bool {
    at == 0 || ends_clause(text, at)
}

/// Where the clause that holds `at` begins, or None where it begins too far away.
pub(super) fn clause_start(text: &str, at: usize) -> Option<usize> {
    let mut start = at;
    loop {
        if at - start > CLAUSE_LIMIT {
            return None;
        }
        if opens_clause(text, start) {
            return Some(start);
        }
        start -= char_before(text, start).map_or(1, char::len_utf8);
        let near = text.as_bytes().get(at.saturating_sub(CLAUSE_LIMIT + 1)..start)?;
        start -= near.iter().rev().take_while(|&&byte| !may_end_clause(byte)).count();
    }
}

/// Where the clause that holds `at` ends, behind its full stop.
pub(super) fn clause_end(text: &str, at: usize) -> usize {
    let mut end = at;
    while let Some(c) = char_at(text, end) {
        end += c.len_utf8();
        let may_end = !c.is_ascii() || matches!(c, '\n' | '!' | '?' | ';' | '.');
        if (may_end && ends_clause(text, end)) || end - at > CLAUSE_LIMIT {
            break;
        }
    }
    end
}

/// How far the clause behind `at` must be looked at to know that it is whole: only a reply that is cut off asks.
#[inline]
pub(super) fn clause_reach(text: &str, at: usize, is_cut: bool) -> usize {
    if is_cut { clause_end(text, at) } else { at }
}

/// Whether `at` is the first thing on its line, marks of lists, headings and tables aside.
pub(super) fn opens_line(text: &str, at: usize) -> bool {
    let is_mark = |c: char| matches!(c, ' ' | '\t' | '#' | '>' | '-' | '*' | '\u{2022}' | '|' | '"' | '(' | '[');
    let start = skip_back_near(text, at, is_mark);
    start == 0 || byte_before(text, start) == b'\n'
}

/// Whether nothing but marks stands on the line behind `at`.
pub(super) fn closes_line(text: &str, at: usize) -> bool {
    let is_mark = |c: char| {
        c.is_ascii_punctuation() || matches!(c, ' ' | '\t' | '。' | '\u{964}' | '\u{6d4}' | '\u{201d}' | '\u{2019}')
    };
    let end = skip_near(text, at, is_mark);
    end == text.len() || byte_at(text, end) == b'\n'
}

/// Whether nothing but marks and white space stands behind `at`.
pub(super) fn closes_text(text: &str, at: usize) -> bool {
    let end = skip_near(text, at, |c| {
        c.is_ascii_punctuation() || c.is_whitespace() || matches!(c, '。' | '\u{964}' | '\u{6d4}')
    });
    end == text.len()
}

/// What is said, marks aside, but for brackets that hold something.
fn is_said(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '[' | '{')
}

/// Whether nothing but marks stands before `at`.
pub(super) fn is_blank_before(text: &str, at: usize) -> bool {
    skip_back_near(text, at, |c| !is_said(c)) == 0
}

/// Whether nothing but marks stands behind `at`.
pub(super) fn is_blank_behind(text: &str, at: usize) -> bool {
    skip_near(text, at, |c| !is_said(c)) == text.len()
}

/// Whether the box of what stands at `at` is ticked, `[x] Yes`, or `Yes [x]` on a line that ends with one; None where there is
/// none.
pub(super) fn ticked(text: &str, at: usize) -> Option<bool> {
    let is_gap = |c: char| matches!(c, ' ' | '"' | ':');
    let behind = skip_near(text, skip_near(text, at, char::is_alphanumeric), is_gap);
    let may_be_behind = matches!(byte_at(text, behind), b'[' | b'(' | 0xe2);
    if let Some(is_ticked) = box_at(tail(text, behind), str::starts_with).filter(|_| may_be_behind)
        && is_behind_all(text, at)
    {
        return Some(is_ticked);
    }
    let end = skip_back_near(text, at, |c| matches!(c, ' ' | '"'));
    if !matches!(byte_before(text, end), b']' | b')' | 0x80..) {
        return None;
    }
    box_at(head(text, end), str::ends_with)
}

/// `1 [ ] 2 [x] 3 [ ]`: whether the line of a place ends with a box and begins with none.
fn is_behind_all(text: &str, at: usize) -> bool {
    let (before, behind) = (head(text, at), tail(text, at));
    let before = tail(before, before.floor_char_boundary(at.saturating_sub(ROW)));
    let line = before.rsplit('\n').next().unwrap_or_default().trim_start_matches([' ', '-', '*', '|']);
    let rest = head(behind, behind.floor_char_boundary(ROW)).split('\n').next().unwrap_or_default();
    let is_row = |text: &str| text.chars().all(|c| !matches!(c, ':' | '.' | ','));
    let opened = rest.matches(['\u{2610}', '[']).count() + before.matches(['\u{2610}', '[']).count();
    is_row(line)
        && is_row(rest)
        && opened > 1
        && box_at(line, str::starts_with).is_none()
        && box_at(rest.trim_end_matches([' ', '|']), str::ends_with).is_some()
}

/// No longer is a row of boxes before and behind a place, in bytes.
const ROW: usize = 160;

/// Whether the box is ticked that stands at an end of a text.
fn box_at(text: &str, stands: impl Fn(&str, &'static str) -> bool) -> Option<bool> {
    const TICKED: [&str; 9] =
        ["[x]", "[X]", "[v]", "[\u{2713}]", "(x)", "\u{2611}", "\u{2612}", "\u{2714}", "\u{2705}"];
    const OPEN: [&str; 6] = ["[ ]", "[]", "( )", "\u{2610}", "\u{2b1c}", "\u{25a1}"];
    let has = |boxes: &[&'static str]| boxes.iter().any(|sign| stands(text, sign));
    if has(&TICKED) { Some(true) } else { has(&OPEN).then_some(false) }
}

/// Skip brackets and quotation marks that close.
pub(super) fn skip_closing(text: &str, at: usize) -> usize {
    let mut end = at;
    while matches!(byte_at(text, end), b')' | b']' | b'}' | b'"' | b'\'' | b'`') && end - at < 4 {
        // "A's" goes on.
        if byte_at(text, end) == b'\'' && char_at(text, end + 1).is_some_and(char::is_alphabetic) {
            break;
        }
        end += 1;
    }
    end
}

/// Whether a verdict is doubted as soon as it is said: `B... or is it A?`
pub(super) fn is_doubted(text: &str, end: usize) -> bool {
    let at = skip_closing(text, end);
    match byte_at(text, at) {
        b'?' => true,
        b'.' => byte_at(text, at + 1) == b'.',
        byte => !byte.is_ascii() && tail(text, at).starts_with(['\u{2026}', '吗', '嗎']),
    }
}
