//! Where a document begins in prose.

use std::cell::OnceCell;
use std::ops::Range;

use crate::reply::text::{ahead, byte_at, byte_before, char_at, is_word_edge, slice, starts_with_at, tail};

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
    let Some(next) = rest.chars().next() else { return !(before.is_ascii_alphabetic() || before == b'\\') };
    let is_glued = is_glue(before);
    let is_quote =
        matches!(next, '"' | '\'' | '\u{201c}' | '\u{201d}' | '\u{2018}' | '\u{ff02}') || rest.starts_with("\\\"");
    match bracket_at(text, at) {
        Some('{') if is_quote => true,
        Some('{') => {
            let name = at.saturating_sub("json".len());
            let is_named = starts_with_at(reply, name, "json") && is_word_edge(reply, name);
            begins_object(rest, next, is_glued, is_named)
        }
        Some('[') => begins_list(rest, next, is_quote, is_glued),
        _ => false,
    }
}

/// Whether a bracket behind this byte belongs to it, as in LaTeX.
fn is_glue(before: u8) -> bool {
    before.is_ascii_alphanumeric() || matches!(before, b'\\' | b'^' | b'_' | b'$' | b'}')
}

/// How far behind a document the brace is looked for that closes one before it.
const ENCLOSED: usize = 4096;

/// The braces of prose that are open, each with whether it belongs to LaTeX or the like.
#[derive(Default)]
pub(super) struct Braces {
    open: Vec<bool>,
    /// How many of them belong to nothing.
    plain: usize,
    closing: OnceCell<Vec<(usize, Option<usize>)>>,
}

impl Braces {
    /// Count those of a range.
    pub(super) fn count(&mut self, reply: &str, range: Range<usize>) {
        let start = range.start;
        for found in memchr::memchr2_iter(b'{', b'}', slice(reply, range).as_bytes()) {
            let at = start + found;
            let is_glued = is_glue(byte_before(reply, at));
            if byte_at(reply, at) == b'{' {
                self.open.push(is_glued);
                self.plain += usize::from(!is_glued);
            } else if let Some(is_glued) = self.open.pop() {
                self.plain -= usize::from(!is_glued);
            }
        }
    }

    /// Open those that a document left open.
    pub(super) fn open(&mut self, braces: usize) {
        self.open.resize(self.open.len() + braces, false);
        self.plain += braces;
    }

    /// Whether what ends at `end` stands inside of one that is closed behind it.
    pub(super) fn enclose(&self, reply: &str, end: usize) -> bool {
        if self.plain == 0 {
            return false;
        }
        let closing = self.closing.get_or_init(|| closing(reply));
        let next = closing.get(closing.partition_point(|&(brace, _)| brace < end));
        next.and_then(|&(_, close)| close).is_some_and(|close| close - end < ENCLOSED)
    }
}

/// All braces, each with the first one from it on that closes what was opened before it. They are matched once: a text
/// may have a document at every brace.
fn closing(text: &str) -> Vec<(usize, Option<usize>)> {
    let mut unmatched = Vec::new();
    let matched = memchr::memchr2_iter(b'{', b'}', text.as_bytes()).rev().map(|brace| {
        if byte_at(text, brace) == b'}' {
            unmatched.push(brace);
        } else {
            unmatched.pop();
        }
        (brace, unmatched.last().copied())
    });
    let mut closing: Vec<_> = matched.collect();
    closing.reverse();
    closing
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
    // A list of objects is as plain as an object, whatever stands before it.
    let is_quoted_key = next == '{' && ahead(rest, 1, 16).trim_start().starts_with(['"', '\'']);
    is_quote || is_quoted_key || ((is_value || is_prefixed(rest)) && !is_glued)
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
    if rest.starts_with(['"', '\'']) || is_prefixed(rest) {
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

/// `u'text'`, as Python writes strings of a kind.
fn is_prefixed(text: &str) -> bool {
    let behind = text.trim_start_matches(['b', 'B', 'r', 'R', 'u', 'U']);
    matches!(text.len() - behind.len(), 1 | 2) && behind.starts_with(['"', '\''])
}

fn starts_with_literal(text: &str) -> bool {
    ["true", "false", "null", "True", "False", "None"].iter().any(|word| text.starts_with(word))
}

/// `{\\n \\"a\\": 1}`: whether all of a document is written as inside a string, not its quotes alone.
pub(super) fn is_escaped(text: &str) -> bool {
    let inside =
        ahead(text, 1, 64).trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '\\' | 'n' | 'r' | 't'));
    let is_opened = ahead(text, 1, 64).contains('\\') && inside.starts_with('"');
    let others = || memchr::memchr_iter(b'\\', text.as_bytes()).any(|at| byte_at(text, at + 1) != b'"');
    is_opened && others()
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
