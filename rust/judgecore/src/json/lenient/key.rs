//! Keys, and the lookahead that recognizes them.

use std::borrow::Cow;

use super::quote::Quote;
use super::{Ending, Parser, State};
use crate::json::{Json, RepairKind};
use crate::reply::text::{ahead, slice, starts_with_at};

/// The maximum length of a key, and of a lookahead for one.
pub(super) const KEY_LENGTH: usize = 100;

impl<'r> Parser<'r> {
    pub(super) fn key(&mut self) -> State {
        self.skip_space();
        let at = self.at;
        if at >= self.end {
            return self.stop(Ending::Cut);
        }
        let (mark, length) = self.mark(at);
        match mark {
            b'}' | b']' | b')' => return self.close(mark, length),
            b',' => {
                self.note(RepairKind::ExtraComma, at);
                self.take(length);
                return State::Key;
            }
            b'`' if self.is_fence(at) => return self.stop(Ending::Fence),
            b'*' if self.skip_emphasis() => return State::Key,
            b'.' | 0xe2 if self.skip_ellipsis() => return State::Key,
            b'{' if self.stack.is_at_start() => {
                self.note(RepairKind::ExtraBracket, at);
                self.take(length);
                return State::Key;
            }
            b'-' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' if self.stack.is_at_start() && self.is_literal(at) => {
                self.note(RepairKind::Sequence, at);
                self.stack.turn_into_set();
                return State::Value;
            }
            _ => {}
        }
        self.skip_prefix();
        if let Some(quote) = Quote::at(self, self.at) {
            let key = self.string(quote, true);
            if self.is_cut {
                return self.stop(Ending::Cut);
            }
            return self.colon(key, at);
        }
        self.bare_key()
    }

    /// Read an unquoted key, or skip text that is not a key.
    pub(super) fn bare_key(&mut self) -> State {
        let start = self.at;
        let near = ahead(self.text, start, KEY_LENGTH);
        for (offset, c) in near.char_indices() {
            match c {
                ':' | '\u{ff1a}' | '=' if offset > 0 => {
                    let name = slice(self.text, start..start + offset).trim().trim_matches(['*', '`', '"', '\'']);
                    self.note(RepairKind::UnquotedKey, start);
                    self.at = start + offset;
                    return self.colon(Cow::Borrowed(name), start);
                }
                '"' | '\u{201c}' if offset > 0 && self.looks_like_key(start + offset) => {
                    self.note(RepairKind::StrayText, start);
                    self.at = start + offset;
                    return State::Key;
                }
                '{' | '}' | '[' | ']' | ',' | '\n' => break,
                _ => {}
            }
        }
        if start + near.len() >= self.end && !near.contains(['{', '}', '[', ']', '\n']) {
            self.at = self.end;
            return self.stop(Ending::Cut);
        }
        self.stop(Ending::Prose)
    }

    /// Read the colon between a key and its value.
    pub(super) fn colon(&mut self, key: Cow<'r, str>, key_at: usize) -> State {
        self.skip_space();
        while self.byte(self.at) == b'*' && self.skip_emphasis() {
            self.skip_space();
        }
        let (mark, length) = self.mark(self.at);
        match mark {
            b':' => self.take(length),
            b'=' => {
                self.note(RepairKind::MissingColon, self.at);
                self.at += 1 + usize::from(self.byte(self.at + 1) == b'>');
            }
            b',' | b'}' if self.stack.is_at_start() && self.at < self.end => {
                self.note(RepairKind::Sequence, key_at);
                self.stack.turn_into_set();
                return self.put(Json::Str(key));
            }
            _ if self.at >= self.end => {}
            _ => self.note(RepairKind::MissingColon, self.at),
        }
        if let Some(frame) = self.stack.last_mut() {
            frame.key = Some((key, key_at));
        }
        State::Value
    }

    /// Whether a quoted or one-word key with its colon begins here, or one that the end of the text cuts off.
    pub(super) fn looks_like_key(&self, at: usize) -> bool {
        let at = at + self.prefix_length(at);
        let after = match Quote::at(self, at) {
            Some(quote) => self.after_quoted_key(quote, at),
            None => self.after_word(at),
        };
        after.is_some_and(|after| self.is_key_end(at, self.after_space(after)))
    }

    /// Whether the text at `next`, after a word or a string, shows that it is a key.
    fn is_key_end(&self, key_at: usize, next: usize) -> bool {
        (next >= self.end && self.byte(key_at) == b'"')
            || (self.mark(next).0 == b':' && !starts_with_at(self.text, next, "://"))
    }

    /// Like `looks_like_key`, but also accept a key without its colon: `"key" "value"`, `"key" 8`.
    pub(super) fn looks_like_entry(&self, quote: Quote, at: usize) -> bool {
        self.after_quoted_key(quote, at).is_some_and(|after| {
            let next = self.after_space(after);
            self.is_key_end(at, next)
                || (quote == Quote::Double && self.byte(next) == b'"')
                || (next > after && self.is_literal(next))
        })
    }

    fn after_quoted_key(&self, quote: Quote, at: usize) -> Option<usize> {
        let mut begin = at + quote.length();
        // A key may be in doubled quotes.
        if quote.closes_at(self, begin)
            && quote.length() == 1
            && !matches!(self.mark(self.after_space(begin + 1)).0, b':')
        {
            begin += 1;
        }
        let near = ahead(self.text, begin, KEY_LENGTH);
        let stop = match quote.byte() {
            Some(byte) => memchr::memchr2(byte, b'\n', near.as_bytes()),
            None => near
                .char_indices()
                .map(|(offset, _)| offset)
                .find(|&offset| self.byte(begin + offset) == b'\n' || quote.closes_at(self, begin + offset)),
        };
        let Some(close) = stop else {
            return (begin + near.len() >= self.end).then_some(self.end);
        };
        if self.byte(begin + close) == b'\n' {
            return None;
        }
        let mut after = begin + close + quote.closing_length(self, begin + close);
        if quote.closes_at(self, after) && begin > at + quote.length() {
            after += quote.length();
        }
        Some(after)
    }

    fn after_word(&self, at: usize) -> Option<usize> {
        let near = ahead(self.text, at, KEY_LENGTH);
        let is_name = near.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$'));
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '-' | '.');
        is_name.then(|| at + (near.len() - near.trim_start_matches(is_word).len()))
    }

    /// Whether the text ends here, or inside or after a quoted key.
    pub(super) fn is_cut_key(&self, at: usize) -> bool {
        let after = Quote::at(self, at).and_then(|quote| self.after_quoted_key(quote, at));
        at >= self.end || after.is_some_and(|after| self.after_space(after) >= self.end)
    }

    /// Whether a key in bold begins here: `**"key"**: 8`.
    pub(super) fn is_bold_key(&self, at: usize) -> bool {
        let is_bold = |at| starts_with_at(self.text, at, "**");
        is_bold(at)
            && Quote::at(self, at + 2)
                .and_then(|quote| self.after_quoted_key(quote, at + 2))
                .is_some_and(|after| is_bold(after) && self.mark(self.after_space(after + 2)).0 == b':')
    }

    /// Whether another entry begins or the object ends here, after a comma or a newline.
    pub(super) fn is_entry_after(&self, at: usize) -> bool {
        let next = self.after_space(at);
        if next >= self.end {
            return true;
        }
        match self.mark(next).0 {
            b'}' | b']' | b',' | b'#' => true,
            b'/' => matches!(self.byte(next + 1), b'/' | b'*'),
            b'*' => self.is_bold_key(next),
            b'`' if self.is_fence(next) => true,
            b'.' | 0xe2 if self.is_ellipsis(next) => true,
            _ => match Quote::at(self, next) {
                Some(quote) => self.looks_like_entry(quote, next),
                None => self.looks_like_key(next),
            },
        }
    }

    pub(super) fn is_entry_end(&self, at: usize) -> bool {
        let next = self.after_space(at);
        next >= self.end || matches!(self.mark(next).0, b',' | b'}' | b']')
    }

    /// Whether an ellipsis in place of entries begins here.
    pub(super) fn is_ellipsis(&self, at: usize) -> bool {
        let length = self.ellipsis_length(at);
        length > 0 && matches!(self.mark(self.after_space(at + length)).0, b',' | b'}')
    }

    /// Return the length of the ellipsis here; 0 if there is none.
    pub(super) fn ellipsis_length(&self, at: usize) -> usize {
        let dots = ahead(self.text, at, 8).bytes().take_while(|&byte| byte == b'.').count();
        if starts_with_at(self.text, at, "\u{2026}") {
            3
        } else if dots < 2 {
            0
        } else {
            dots
        }
    }

    pub(super) fn skip_ellipsis(&mut self) -> bool {
        let length = self.ellipsis_length(self.at);
        if length == 0 {
            return false;
        }
        self.note(RepairKind::Ellipsis, self.at);
        self.at += length;
        true
    }
}
