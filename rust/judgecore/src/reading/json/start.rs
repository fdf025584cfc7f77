//! Where a document begins in prose.

use std::ops::Range;

use crate::reply::text::{ahead, byte_at, byte_before, char_at, slice, starts_with_at, tail};

/// Where the next document begins in the range.
pub(super) fn next_start(reply: &str, range: Range<usize>) -> Option<usize> {
    let mut at = range.start;
    while let Some(found) = memchr::memchr3(b'{', b'[', 0xef, slice(reply, at..range.end).as_bytes()) {
        at += found;
        if is_start(reply, at, range.end) {
            return Some(at);
        }
        at += char_at(reply, at).map_or(1, char::len_utf8);
    }
    None
}

/// The bracket that stands here, full-width or not: `{`, `[` or another character.
fn bracket_at(text: &str, at: usize) -> Option<char> {
    Some(match char_at(text, at)? {
        '\u{ff5b}' => '{',
        '\u{ff3b}' => '[',
        other => other,
    })
}

/// Whether a document begins at this bracket, rather than a word of prose or of LaTeX; the text ends at `end`.
fn is_start(reply: &str, at: usize, end: usize) -> bool {
    let text = slice(reply, 0..end);
    let inside = at + char_at(text, at).map_or(1, char::len_utf8);
    let rest = tail(text, inside).trim_start();
    let before = byte_before(text, at);
    let Some(next) = rest.chars().next() else {
        return !(before.is_ascii_alphabetic() || before == b'\\');
    };
    let is_glued = before.is_ascii_alphanumeric() || matches!(before, b'\\' | b'^' | b'_' | b'$' | b'}');
    let is_quote =
        matches!(next, '"' | '\'' | '\u{201c}' | '\u{201d}' | '\u{2018}' | '\u{ff02}') || rest.starts_with("\\\"");
    match bracket_at(text, at) {
        Some('{') if is_quote => true,
        Some('{') => begins_object(rest, next, is_glued, starts_with_at(reply, at.saturating_sub(4), "json")),
        Some('[') => begins_list(rest, next, is_quote, is_glued),
        _ => false,
    }
}

fn begins_list(rest: &str, next: char, is_quote: bool, is_glued: bool) -> bool {
    // `[[A]]` is a marker, and no list of lists.
    let inner = ahead(rest, 0, 16).trim_start_matches(['[', ' ']);
    if next == '[' && inner.starts_with(char::is_alphabetic) && !starts_with_literal(inner) {
        return false;
    }
    let is_value = matches!(next, '{' | '[' | ']' | '-' | '0'..='9' | '\u{ff5b}' | '(')
        || starts_with_literal(rest)
        || is_comment(rest);
    is_quote || (is_value && !is_glued)
}

fn begins_object(rest: &str, next: char, is_glued: bool, is_named: bool) -> bool {
    if matches!(next, '}' | '\u{ff5d}') {
        return !is_glued;
    }
    if is_glued && !is_named {
        return false;
    }
    if next == '{' {
        // `{{"a": 1}}`, as templates escape it.
        return ahead(rest, 1, 64).trim_start().starts_with(['"', '\'']);
    }
    if is_comment(rest) || next == '#' {
        return true;
    }
    let rest = rest.trim_start_matches(['*', '`']);
    if rest.starts_with(['"', '\'']) {
        return true;
    }
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '-' | '.' | ' ');
    let name: usize = rest.chars().take(64).take_while(|&c| is_word(c)).map(char::len_utf8).sum();
    let behind = tail(rest, name).trim_start_matches(['*', '`', '"']);
    name > 0
        && rest.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$'))
        && behind.starts_with([':', '\u{ff1a}'])
        && !behind.starts_with("://")
}

fn is_comment(text: &str) -> bool {
    text.starts_with("//") || text.starts_with("/*")
}

fn starts_with_literal(text: &str) -> bool {
    ["true", "false", "null", "True", "False", "None"].iter().any(|word| text.starts_with(word))
}

/// `{"a": 1}, "b": 2}`: the object that ends here was closed too early.
pub(super) fn goes_on(text: &str, end: usize) -> bool {
    let rest = tail(text, end).trim_start();
    rest.strip_prefix(',').is_some_and(|rest| rest.trim_start().starts_with('"')) && byte_at(text, 0) == b'{'
}

/// Where a document in a code fence of its own begins, behind an opening bracket.
pub(super) fn fenced_document(reply: &str, start: usize, end: usize) -> Option<usize> {
    let text = slice(reply, start..end);
    let fence = memchr::memmem::find(text.as_bytes(), b"\n```")?;
    let behind = tail(text, fence + 4);
    let behind = behind.strip_prefix("json").or_else(|| behind.strip_prefix("JSON")).unwrap_or(behind);
    let body = behind.trim_start();
    body.starts_with('{').then(|| end - body.len())
}
