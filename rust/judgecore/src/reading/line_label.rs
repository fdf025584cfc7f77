//! The labels of lines, and where the values begin behind them.

use std::ops::Range;

use super::context::{opens_line, word_after};
use crate::reply::text::{
    ahead, byte_at, byte_before, char_at, char_before, is_word_byte, is_word_edge, skip_back_near, skip_near,
};

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

/// Where labels stand in a text, in its order, each with whose it is.
pub(super) fn labels_in<'l, K: Copy>(text: &str, labels: impl Iterator<Item = (&'l str, K)>) -> Vec<(Range<usize>, K)> {
    let of = |(label, whose): (&'l str, K)| {
        let initial = label.bytes().next().unwrap_or(0);
        let starts = memchr::memchr2_iter(initial.to_ascii_lowercase(), initial.to_ascii_uppercase(), text.as_bytes());
        starts.filter_map(move |start| {
            let is_part = is_word_byte(initial) && !is_word_edge(text, start);
            label_end(text, label, start).filter(|_| !is_part).map(|end| (start..end, whose))
        })
    };
    let mut found: Vec<_> = labels.flat_map(of).collect();
    found.sort_by_key(|(label, _)| label.start);
    found
}

/// Whether a label begins its line, a string or a cell, or is an item of a numbered list.
pub(super) fn stands(text: &str, start: usize) -> bool {
    let number = skip_back_near(text, start, |c| c.is_ascii_digit() || matches!(c, '.' | ')' | ' ' | '*'));
    opens_line(text, start)
        || opens_line(text, number) && byte_at(text, number).is_ascii_digit()
        || matches!(byte_before(text, start), b'"' | b'\'' | b'|')
}

/// Where the value begins behind a label that ends here and what links them; a mark at its end needs no link.
pub(super) fn value_behind(text: &str, end: usize) -> Option<usize> {
    let mut at = skip_near(text, end, |c| matches!(c, ' ' | '\t' | '"' | '\'' | '`' | '*' | ']' | '\u{201d}'));
    if matches!(byte_at(text, at), b'(' | b'[') {
        let close = ahead(text, at, VALUE_DISTANCE).find([')', ']'])?;
        at = skip_near(text, at + close + 1, |c| c == ' ');
    }
    let link = char_at(text, at);
    let is_link = match link {
        Some(':' | '\u{ff1a}' | '=' | '|' | '\u{2192}') => true,
        Some('-') if byte_at(text, at + 1) == b'>' => true,
        Some('-' | '\u{2013}' | '\u{2014}') => byte_before(text, at) == b' ' && byte_at(text, at + 1) != b'-',
        // "Accuracy ..... 4"
        Some('.') => byte_at(text, at + 1) == b'.',
        _ => false,
    };
    if is_link {
        at = skip_near(text, at + link.map_or(1, char::len_utf8), |c| c == '.');
    } else if let Some(word) = word_after(text, at).filter(|word| word.start == at && word.is(&["is"])) {
        at = word.end;
    } else if char_before(text, end).is_some_and(char::is_alphanumeric) {
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
