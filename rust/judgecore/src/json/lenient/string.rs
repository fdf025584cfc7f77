//! Strings as judges write them: with any quotes, raw newlines and unescaped inner quotes.

use std::borrow::Cow;

use super::Parser;
use super::key::KEY_LENGTH;
use super::quote::Quote;
use crate::json::RepairKind;
use crate::json::literal::{Meaning, meaning};
use crate::reply::text::{ahead, char_at, head, slice, tail};

/// The maximum lookahead for a closing quote.
const INNER_LENGTH: usize = 240;

/// A quote inside a string that may open a key, and where the string would have ended before it.
struct Swallowed {
    quote_at: usize,
    ends_at: usize,
    owned: usize,
    from: usize,
}

/// A string under construction.
pub(super) struct Draft<'r> {
    pub(super) is_key: bool,
    /// The copied text; None while the text can be borrowed.
    owned: Option<String>,
    /// The start of the text that is not copied yet.
    from: usize,
    /// The opening minus the closing brackets inside, and the position up to which they are counted.
    braces: isize,
    brackets: isize,
    /// The number of inner quotes.
    inner: usize,
    counted: usize,
    start: usize,
    text: &'r str,
}

impl<'r> Draft<'r> {
    fn new(text: &'r str, start: usize, is_key: bool) -> Self {
        Self { is_key, owned: None, from: start, braces: 0, brackets: 0, inner: 0, counted: start, start, text }
    }

    /// Copy the text up to `to` and the replacement, and continue at `next`.
    pub(super) fn replace(&mut self, to: usize, with: &str, next: usize) {
        let owned = self.owned.get_or_insert_default();
        owned.push_str(slice(self.text, self.from..to));
        owned.push_str(with);
        self.from = next;
    }

    fn finish(self, to: usize) -> Cow<'r, str> {
        match self.owned {
            Some(mut owned) => {
                owned.push_str(slice(self.text, self.from..to));
                Cow::Owned(owned)
            }
            None => Cow::Borrowed(slice(self.text, self.from..to)),
        }
    }

    fn count(&mut self, to: usize) {
        for byte in slice(self.text, self.counted..to).bytes() {
            match byte {
                b'{' => self.braces += 1,
                b'}' => self.braces -= 1,
                b'[' => self.brackets += 1,
                b']' => self.brackets -= 1,
                _ => {}
            }
        }
        self.counted = to;
    }
}

impl<'r> Parser<'r> {
    /// Read the string that begins here, and move past it. Set `is_cut` if the text ends inside.
    pub(super) fn string(&mut self, quote: Quote, is_key: bool) -> Cow<'r, str> {
        let open_at = self.at;
        if let Some(repair) = quote.repair() {
            self.note(repair, open_at);
        }
        let mut start = open_at + quote.length();
        let doubled = self.doubled(quote, start, is_key);
        if doubled > 0 {
            self.note(RepairKind::DoubledQuotes, open_at);
            start += doubled * quote.length();
        }
        let mut draft = Draft::new(self.text, start, is_key);
        let mut at = start;
        let mut swallowed: Option<Swallowed> = None;
        loop {
            let Some(found) = quote.next(tail(self.text, at).as_bytes()) else {
                if let Some(close) = self.forgotten_quote(draft.from).filter(|_| !is_key) {
                    let end = self.without_smart_quote(draft.from, close);
                    // What stands behind it was looked through, and is none of the document.
                    self.repairs.retain(|repair| repair.at <= close);
                    self.note_control_characters(start, end);
                    self.note(RepairKind::MissingQuote, end);
                    self.note_edge_key();
                    self.at = close;
                    return draft.finish(end);
                }
                self.is_cut = true;
                self.at = self.end;
                self.note_control_characters(start, self.end);
                return draft.finish(self.end);
            };
            at += found;
            if quote.closes_at(self, at) {
                let length = quote.closing_length(self, at);
                let after = at + length;
                draft.count(at);
                if let Some(end) = self.end_at_quote(quote, after, is_key, doubled, &draft) {
                    if end > after && doubled == 0 {
                        self.note(RepairKind::DoubledQuotes, after);
                    }
                    self.note_control_characters(start, at);
                    self.at = end;
                    return draft.finish(at);
                }
                if let Some(value) = self.split(quote, &mut draft, at, after, is_key, swallowed.as_ref()) {
                    self.note_control_characters(start, self.at);
                    return value;
                }
                swallowed = self.opening_inside(&draft, at);
                if draft.inner == 0 {
                    self.note(RepairKind::InnerQuote, at);
                }
                draft.inner += 1;
                at = after;
            } else if self.byte(at) == b'\\' {
                if at + 1 >= self.end {
                    self.is_cut = true;
                    self.at = self.end;
                    self.note_control_characters(start, at);
                    return draft.finish(at);
                }
                at = self.escape(&mut draft, at);
                if self.is_cut {
                    self.at = self.end;
                    return draft.finish(self.end);
                }
            } else {
                at += char_at(self.text, at).map_or(1, char::len_utf8);
            }
        }
    }

    /// Return the end of a string without its closing quote, as in `{"a": "text}`: all open brackets are closed after it, and
    /// then the text or a fence ends. `from` is the start of its last part.
    fn forgotten_quote(&self, from: usize) -> Option<usize> {
        let text = slice(self.text, from..self.end);
        let fenced = memchr::memmem::rfind(text.as_bytes(), b"```").map(|fence| head(text, fence));
        fenced.into_iter().chain([text]).find_map(|text| {
            let mut kept = text.trim_end();
            for closer in self.stack.closers() {
                kept = kept.strip_suffix(char::from(closer))?.trim_end();
            }
            let is_balanced = |open: u8, close: u8| {
                memchr::memchr_iter(open, kept.as_bytes()).count()
                    == memchr::memchr_iter(close, kept.as_bytes()).count()
            };
            // If it contains a key, its intended end is unknown.
            let has_key = memchr::memchr_iter(b':', kept.as_bytes())
                .any(|colon| head(kept, colon).trim_end().ends_with(['"', '\'']));
            (!has_key && is_balanced(b'{', b'}') && is_balanced(b'[', b']')).then_some(from + kept.len())
        })
    }

    /// Return the end of a string that was opened by an ordinary quote and closed by a typographic one.
    fn without_smart_quote(&self, from: usize, end: usize) -> usize {
        let text = slice(self.text, from..end);
        match text.strip_suffix('\u{201d}') {
            Some(inner) if !inner.contains('\u{201c}') => from + inner.len(),
            _ => end,
        }
    }

    /// Return the number of extra opening quotes: `""text""`.
    fn doubled(&self, quote: Quote, start: usize, is_key: bool) -> usize {
        if !matches!(quote, Quote::Double | Quote::Single) || !quote.closes_at(self, start) {
            return 0;
        }
        let run = (0..8).take_while(|nth| quote.closes_at(self, start + nth)).count();
        let after = start + run;
        match run {
            1 if self.is_end_of_string(after, is_key, &Draft::new(self.text, start, is_key)) => 0,
            // `""text""`, `""text"`, and not `""so" it says"`.
            1 if is_key || self.is_closed_soon(quote, after) => 1,
            1 => 0,
            // Three and three quotes with nothing between, or two and two.
            5 => 2,
            3 if self.is_end_of_string(after, is_key, &Draft::new(self.text, start, is_key)) => 1,
            _ => 2.min(run),
        }
    }

    /// Whether the next quote is doubled, or closes the string.
    fn is_closed_soon(&self, quote: Quote, at: usize) -> bool {
        let near = ahead(self.text, at, INNER_LENGTH);
        let Some(close) = quote.byte().and_then(|byte| memchr::memchr(byte, near.as_bytes())) else {
            return true;
        };
        let after = at + close + 1;
        quote.closes_at(self, after) || self.is_end_of_string(after, false, &Draft::new(self.text, after, false))
    }

    /// Return the end of the string if the quote before `after` closes it.
    fn end_at_quote(
        &self,
        quote: Quote,
        after: usize,
        is_key: bool,
        doubled: usize,
        draft: &Draft<'_>,
    ) -> Option<usize> {
        let mut end = after;
        for _ in 0..doubled {
            if !quote.closes_at(self, end) {
                break;
            }
            end += quote.length();
        }
        if doubled > 0 || !quote.closes_at(self, after) || after - 1 == draft.start {
            return self.is_end_of_string(end, is_key, draft).then_some(end);
        }
        // Of two quotes, the first closes an inner quotation, `"it says "no"", "b": 1`, or the second is surplus.
        let is_extra = draft.inner.is_multiple_of(2)
            && matches!(self.mark(self.after_space(after + 1)).0, b',' | b'}' | b']' | b':')
            && self.is_end_of_string(after + 1, is_key, draft);
        if is_extra {
            return Some(after + 1);
        }
        (draft.inner.is_multiple_of(2) && self.is_end_of_string(end, is_key, draft)).then_some(end)
    }

    /// Whether the text after a quote shows that it closed the string.
    fn is_end_of_string(&self, after: usize, is_key: bool, draft: &Draft<'_>) -> bool {
        let next = self.after_space(after);
        if next >= self.end {
            return true;
        }
        let (mark, length) = self.mark(next);
        if is_key {
            return match mark {
                b':' | b',' | b'}' => true,
                b'=' => matches!(self.byte(next + 1), b'>' | b' ' | b'"' | b'\''),
                b'"' | b'\'' | b'{' | b'[' | b'-' | b'0'..=b'9' => next > after,
                b'*' => self.mark(next + 2).0 == b':',
                b't' | b'f' | b'n' | b'T' | b'F' | b'N' | b'u' => next > after && self.is_literal(next),
                _ => false,
            };
        }
        let has_gap = next > after;
        match mark {
            b'}' => draft.braces <= 0 || self.closes_all(next + length),
            b']' => self.stack.has_open(b']') && (draft.brackets <= 0 || self.closes_all(next + length)),
            b')' => self.stack.has_open(b')'),
            b',' if self.is_in_object() => self.is_entry_after(next + length) || self.is_container(next + length),
            b',' => self.is_item_after(next + length),
            b';' if self.is_in_object() => self.is_entry_after(next + 1),
            b';' => self.is_item_after(next + 1),
            b'+' => Quote::at(self, self.after_space(next + 1)).is_some(),
            b':' => !self.is_in_object() && !matches!(self.byte(next + 1), b'/'),
            b'/' => matches!(self.byte(next + 1), b'/' | b'*') && has_gap,
            b'#' => has_gap,
            b'`' => self.is_fence(next),
            b'\\' => matches!(self.byte(next + 1), b'}' | b']'),
            b'|' => true,
            b'*' => {
                self.byte(next + 1) == b'*' && matches!(self.mark(self.after_space(next + 2)).0, b',' | b'}' | b']')
            }
            b'{' | b'[' | b'0'..=b'9' | b'-' => !self.is_in_object() && has_gap,
            b'"' | b'\'' if self.is_in_object() => self.looks_like_key(next),
            b'"' => has_gap && !matches!(self.mark(self.after_space(next + 1)).0, b',' | b']'),
            _ => {
                let is_on_new_line = slice(self.text, after..next).contains('\n');
                is_on_new_line && if self.is_in_object() { self.looks_like_key(next) } else { self.is_literal(next) }
            }
        }
    }

    /// Return the start of the next string, if a `+` joins it to the one that ends here.
    pub(super) fn after_plus(&self) -> Option<usize> {
        let plus = self.after_space(self.at);
        (self.byte(plus) == b'+').then(|| self.after_space(plus + 1))
    }

    /// Whether only closing brackets follow, and then the end or a fence.
    fn closes_all(&self, at: usize) -> bool {
        let mut next = self.after_space(at);
        for _ in 0..8 {
            if next >= self.end || self.is_fence(next) {
                return true;
            }
            if !matches!(self.mark(next).0, b'}' | b']') {
                return false;
            }
            next = self.after_space(next + self.mark(next).1);
        }
        false
    }

    fn is_container(&self, at: usize) -> bool {
        matches!(self.byte(self.after_space(at)), b'{' | b'[')
    }

    /// Whether another item begins or the list ends here, after a comma.
    pub(super) fn is_item_after(&self, at: usize) -> bool {
        let next = self.after_space(at);
        let (mark, _) = self.mark(next);
        next >= self.end
            || matches!(mark, b']' | b')' | b'{' | b'[' | b',' | b'-' | b'.' | b'(' | b'+' | b'#' | b'0'..=b'9')
            || (mark == b'*' && self.byte(next + 1) == b'*')
            || Quote::at(self, next).is_some()
            || self.prefix_length(next) > 0
            || (mark == b'/' && matches!(self.byte(next + 1), b'/' | b'*'))
            || self.is_literal(next)
    }

    /// Check for an inner quote that may open the next key, because it follows a comma or a newline.
    fn opening_inside(&self, draft: &Draft<'_>, at: usize) -> Option<Swallowed> {
        let before = slice(self.text, draft.start..at).trim_end();
        let ends_at = draft.start + before.len();
        let is_after_comma = before.ends_with(',');
        let is_on_new_line = slice(self.text, ends_at..at).contains('\n');
        let ends_at = if is_after_comma { ends_at - 1 } else { ends_at };
        ((is_after_comma || is_on_new_line) && ends_at >= draft.from).then(|| Swallowed {
            quote_at: at,
            ends_at,
            owned: draft.owned.as_ref().map_or(0, String::len),
            from: draft.from,
        })
    }

    /// End the string before the key that it contains, or the key before the value that it contains.
    fn split(
        &mut self,
        quote: Quote,
        draft: &mut Draft<'r>,
        at: usize,
        after: usize,
        is_key: bool,
        swallowed: Option<&Swallowed>,
    ) -> Option<Cow<'r, str>> {
        if is_key {
            // `"key:"value"`: the key's closing quote is missing, and this one opens the value.
            if draft.owned.is_some() || at - draft.from > KEY_LENGTH {
                return None;
            }
            let name = slice(self.text, draft.from..at).trim_end();
            let name = match name.strip_suffix(':') {
                Some(name) => name,
                None => key_before_value(name)?,
            };
            if name.contains(['"', '\n']) {
                return None;
            }
            self.note(RepairKind::MissingQuote, draft.from + name.len());
            self.at = draft.from + name.len();
            return Some(Cow::Borrowed(name));
        }
        let inside = swallowed?;
        let is_key_close = self.is_in_object() && self.mark(self.after_space(after)).0 == b':';
        let is_plain = at - inside.quote_at <= 100 && !slice(self.text, inside.quote_at..at).contains('\n');
        if !is_key_close || !is_plain || quote == Quote::Escaped {
            return None;
        }
        // The text after this position is parsed again, so its repairs are dropped.
        while self.repairs.pop_if(|repair| repair.at >= inside.ends_at).is_some() {}
        let ends_at = self.without_smart_quote(inside.from, inside.ends_at);
        self.note(RepairKind::MissingQuote, ends_at);
        self.at = inside.ends_at;
        let tail_text = slice(self.text, inside.from..ends_at);
        Some(match draft.owned.take() {
            Some(mut owned) => {
                owned.truncate(inside.owned);
                owned.push_str(tail_text);
                Cow::Owned(owned)
            }
            None => Cow::Borrowed(tail_text),
        })
    }
}

/// Return the key whose closing quote is missing, before an unquoted value: `"key: 8, "next"`.
fn key_before_value(text: &str) -> Option<&str> {
    let (name, value) = text.strip_suffix(',')?.split_once(':')?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
    (is_name && matches!(meaning(value.trim()), Meaning::Value(..))).then_some(name)
}
