//! Values without quotes: numbers, literals and text.

use std::borrow::Cow;

use super::{Ending, Parser, Problem, State};
use crate::json::literal::{Meaning, meaning};
use crate::json::{Json, RepairKind};
use crate::reply::text::{ahead, byte_before, slice, starts_with_at};

/// The maximum length of an unquoted value; longer text is prose.
const BARE_LENGTH: usize = 4096;

impl Parser<'_> {
    /// Read an unquoted value: a number, a literal or text.
    pub(super) fn bare(&mut self) -> State {
        let start = self.at;
        let end = self.bare_end(start);
        let token = slice(self.text, start..end).trim_end();
        let is_at_end = end >= self.end;
        if token.is_empty() || end - start >= BARE_LENGTH {
            if !token.is_empty() && is_numeral(token) {
                self.problem.get_or_insert(Problem::HugeNumber);
            }
            self.read_to = end;
            return self.stop(Ending::Prose);
        }
        let plain = self.without_emphasis(start, token);
        if plain.is_some() {
            self.note(RepairKind::Markdown, start);
        }
        let token = plain.unwrap_or(token);
        let token_meaning = meaning(token);
        self.at = end;
        if is_at_end && !matches!(token_meaning, Meaning::Text) {
            // A number or a keyword at the end of the text may be incomplete.
            return self.stop(Ending::Cut);
        }
        match token_meaning {
            Meaning::Value(value, repair) => {
                if self.is_in_object() && self.byte(end) == b',' && end + 1 >= self.end {
                    // `{"score": 8,` may be the beginning of `8,5`.
                    self.text_end = end;
                }
                if let Some(repair) = repair {
                    self.note(repair, start);
                }
                self.put(value)
            }
            Meaning::Huge => {
                self.problem.get_or_insert(Problem::HugeNumber);
                self.put(Json::Null)
            }
            Meaning::Placeholder => {
                self.placeholders += 1;
                self.note(RepairKind::UnquotedValue, start);
                self.put(Json::Str(Cow::Borrowed(token)))
            }
            Meaning::Ellipsis => {
                self.note(RepairKind::Ellipsis, start);
                if self.is_in_object() {
                    self.placeholders += 1;
                    return self.put(Json::Null);
                }
                if let Some(frame) = self.stack.last_mut() {
                    frame.comma = None;
                }
                State::After
            }
            Meaning::Text => {
                if is_at_end && may_become_scalar(token) {
                    return self.stop(Ending::Cut);
                }
                self.note(RepairKind::UnquotedValue, start);
                let value = Json::Str(Cow::Borrowed(token));
                if is_at_end {
                    self.is_cut = true;
                    return self.stop_inside(value);
                }
                if self.byte(end) == b'"' && !self.looks_like_key(end) {
                    // `"key": text",`: the opening quote is missing.
                    self.note(RepairKind::MissingQuote, start);
                    self.at = end + 1;
                }
                self.text_end = self.at;
                self.put(value)
            }
        }
    }

    /// Return the text between asterisks. The asterisks before it may have been skipped already.
    fn without_emphasis<'t>(&self, start: usize, token: &'t str) -> Option<&'t str> {
        let own = token.bytes().take(3).take_while(|&byte| byte == b'*').count();
        let before = (0..3).take_while(|&nth| byte_before(self.text, start.saturating_sub(nth)) == b'*').count();
        let marks = "***".get(..if own > 0 { own } else { before })?;
        let inner = token.get(own..)?.strip_suffix(marks).filter(|_| !marks.is_empty())?.trim();
        (!inner.is_empty() && !inner.contains('*')).then_some(inner)
    }

    /// Return the end of an unquoted value.
    pub(super) fn bare_end(&self, start: usize) -> usize {
        let near = ahead(self.text, start, BARE_LENGTH);
        let is_in_object = self.is_in_object();
        let is_value = |length: usize| {
            length < 32 && matches!(meaning(slice(self.text, start..start + length).trim_end()), Meaning::Value(..))
        };
        for (offset, byte) in near.bytes().enumerate() {
            let at = start + offset;
            let ends = match byte {
                // `8,5` and `1,000` are meant as one number.
                b',' if is_in_object && self.is_between_digits(at) => false,
                b',' => !is_in_object || self.is_entry_after(at + 1) || is_value(offset),
                // A blank line ends a number.
                b'\n' => {
                    !is_in_object || self.is_entry_after(at + 1) || (self.byte(at + 1) == b'\n' && is_value(offset))
                }
                b';' if is_in_object => self.is_entry_after(at + 1),
                b';' => self.is_item_after(at + 1),
                b'}' | b']' | b')' => self.stack.has_open(byte) || is_value(offset),
                b'"' => offset > 0 && (self.looks_like_key(at) || self.is_entry_end(at + 1)),
                b'/' => {
                    offset > 0
                        && matches!(self.byte(at + 1), b'/' | b'*')
                        && matches!(byte_before(self.text, at), b' ' | b'\t')
                }
                b'#' => offset > 0 && matches!(byte_before(self.text, at), b' ' | b'\t'),
                b'\\' => matches!(self.byte(at + 1), b'}' | b']'),
                b'`' => self.is_fence(at),
                // A brace ends unquoted text, so that a document in it is not scanned twice.
                b'{' => offset > 0,
                b'[' => offset > 0 && !is_in_object,
                b' ' => !is_in_object && offset < 32 && self.is_value_after(start, at),
                b':' => !is_in_object && offset > 0 && self.byte(at + 1) == b' ',
                0xef => match self.mark(at) {
                    (b',' | b'{', 3) => offset > 0,
                    (mark @ (b'}' | b']'), 3) => self.stack.has_open(mark),
                    _ => false,
                },
                _ => false,
            };
            if ends {
                return at;
            }
        }
        start + near.len()
    }

    fn is_between_digits(&self, at: usize) -> bool {
        byte_before(self.text, at).is_ascii_digit() && self.byte(at + 1).is_ascii_digit()
    }

    /// Whether a number or a literal ends here and another one follows: `[8 7]`.
    pub(super) fn is_value_after(&self, start: usize, at: usize) -> bool {
        matches!(meaning(slice(self.text, start..at)), Meaning::Value(..)) && self.is_literal(self.after_space(at))
    }

    /// Whether a number or a literal begins here.
    pub(super) fn is_literal(&self, at: usize) -> bool {
        let near = ahead(self.text, at, 32);
        let word = near.split([',', ';', ']', '}', ')', ' ', '\n', '，', '］', '｝']).next().unwrap_or(near);
        matches!(meaning(word), Meaning::Value(..))
    }
}

fn is_numeral(token: &str) -> bool {
    token.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'_' | b'e' | b'E'))
}

/// Whether text at the end may be the beginning of a number or a literal.
fn may_become_scalar(token: &str) -> bool {
    const WORDS: [&str; 7] = ["true", "false", "null", "None", "undefined", "NaN", "Infinity"];
    let is_number = !token.starts_with(['e', 'E', '_']) && is_numeral(token);
    is_number || WORDS.iter().any(|word| starts_with_at(word, 0, token))
}
