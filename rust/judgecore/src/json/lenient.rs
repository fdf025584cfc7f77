//! Lenient JSON, as judges write it: one pass with an explicit stack and no backtracking. Parsing never fails.
//!
//! Each deviation from the standard is a repair. A document without repairs is standard JSON.

mod bare;
mod escape;
mod frame;
mod key;
mod quote;
mod space;
mod string;

use std::borrow::Cow;

use super::literal::{Meaning, meaning};
use super::{Json, Repair, RepairKind};
use crate::reply::text::{ahead, byte_at, tail};
use frame::{Container, Stack};
use quote::Quote;

/// The maximum white space that a lookahead skips.
const GAP: usize = 256;
/// The maximum length of text between entries; longer text is prose.
const STRAY_LENGTH: usize = 240;

/// A parsed document.
pub(crate) struct Document<'r> {
    pub(crate) value: Json<'r>,
    /// The end of the document.
    pub(crate) end: usize,
    /// Where to look for another document: after all text that was scanned.
    pub(crate) next: usize,
    /// In the order of their positions.
    pub(crate) repairs: Vec<Repair>,
    /// The keys that are given twice in an object, with different values.
    pub(crate) contested: Vec<Cow<'r, str>>,
    /// How it ended, unless its own bracket closes it.
    pub(crate) ending: Option<Ending>,
    /// The entry of the outermost object whose value is incomplete because it was cut off.
    pub(crate) cut_key: Option<Cow<'r, str>>,
    /// The entry of the outermost object whose string may be incomplete, because nothing after it confirms its end.
    pub(crate) edge_key: Option<Cow<'r, str>>,
    /// The number of open braces where prose began.
    pub(crate) open_braces: usize,
    pub(crate) problem: Option<Problem>,
    /// The number of placeholder values, as in a schema or a template.
    pub(crate) placeholders: usize,
    /// The maximum depth; 0 if it was parsed by jiter, which has its own limit.
    pub(crate) depth: usize,
}

impl<'r> Document<'r> {
    /// Create a standard document that is not nested deeply.
    pub(crate) fn standard(value: Json<'r>, end: usize) -> Self {
        Self {
            value,
            end,
            next: end,
            repairs: Vec::new(),
            contested: Vec::new(),
            ending: None,
            cut_key: None,
            edge_key: None,
            open_braces: 0,
            problem: None,
            placeholders: 0,
            depth: 0,
        }
    }
}

/// Why a document can't be a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Problem {
    /// Nested more deeply than the limit.
    TooDeep,
    /// A number beyond the range of a float, or an integer with too many digits.
    HugeNumber,
}

/// What is expected next.
enum State {
    Value,
    Key,
    After,
    Done,
}

/// How an unclosed document ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The text ends.
    Cut,
    /// A code fence closes.
    Fence,
    /// Prose begins.
    Prose,
}

/// Parses one document.
pub(crate) struct Parser<'r> {
    text: &'r str,
    at: usize,
    /// The end of the text to parse.
    end: usize,
    repairs: Vec<Repair>,
    contested: Vec<Cow<'r, str>>,
    stack: Stack<'r>,
    root: Option<Json<'r>>,
    max_depth: usize,
    /// The text ended inside the current value.
    is_cut: bool,
    ending: Option<Ending>,
    cut_key: Option<Cow<'r, str>>,
    edge_key: Option<Cow<'r, str>>,
    open_braces: usize,
    /// The end of the text scanned by failed lookaheads.
    read_to: usize,
    /// The end of the last value that is a string.
    text_end: usize,
    problem: Option<Problem>,
    placeholders: usize,
}

impl<'r> Parser<'r> {
    /// Parse the document that begins with a bracket at `start`, in the text up to `end`.
    pub(crate) fn read(text: &'r str, start: usize, end: usize, max_depth: usize) -> Document<'r> {
        let mut parser = Self {
            text: text.get(..end).unwrap_or(text),
            at: start,
            end,
            repairs: Vec::new(),
            contested: Vec::new(),
            stack: Stack::default(),
            root: None,
            max_depth,
            is_cut: false,
            ending: None,
            cut_key: None,
            edge_key: None,
            open_braces: 0,
            read_to: start,
            text_end: start,
            problem: None,
            placeholders: 0,
        };
        let mut state = State::Value;
        loop {
            state = match state {
                State::Value => parser.value(),
                State::Key => parser.key(),
                State::After => parser.after(),
                State::Done => break,
            };
        }
        parser.repairs.sort_by_key(|repair| repair.at);
        Document {
            value: parser.root.unwrap_or(Json::Null),
            end: parser.at.min(end),
            next: parser.at.max(parser.read_to).min(end),
            repairs: parser.repairs,
            contested: parser.contested,
            ending: parser.ending,
            cut_key: parser.cut_key,
            edge_key: parser.edge_key,
            open_braces: parser.open_braces,
            problem: parser.problem,
            placeholders: parser.placeholders,
            depth: parser.stack.deepest(),
        }
    }

    fn note(&mut self, kind: RepairKind, at: usize) {
        self.repairs.push(Repair { kind, at });
    }

    fn byte(&self, at: usize) -> u8 {
        byte_at(self.text, at)
    }

    fn is_in_object(&self) -> bool {
        self.stack.last().is_some_and(|frame| frame.kind == Container::Object)
    }

    fn value(&mut self) -> State {
        self.skip_space();
        let at = self.at;
        if at >= self.end {
            return self.stop(Ending::Cut);
        }
        let (mark, length) = self.mark(at);
        match mark {
            b'{' => self.open(Container::Object, length),
            b'[' => self.open(Container::Array, length),
            b'(' => {
                self.note(RepairKind::Sequence, at);
                self.open(Container::Tuple, length)
            }
            b',' => {
                if self.is_in_object() {
                    self.note(RepairKind::MissingValue, at);
                    return self.put(Json::Null);
                }
                self.note(RepairKind::ExtraComma, at);
                self.take(length);
                State::Value
            }
            b'}' | b']' | b')' => {
                if self.is_in_object() {
                    self.note(RepairKind::MissingValue, at);
                    return self.put(Json::Null);
                }
                self.close(mark, length)
            }
            b':' if self.is_in_object() => {
                self.note(RepairKind::StrayText, at);
                self.take(length);
                State::Value
            }
            b'`' if self.is_fence(at) => self.stop(Ending::Fence),
            b'*' | b'_' if self.skip_emphasis() => State::Value,
            _ => match Quote::at(self, at) {
                Some(quote) => self.text(quote),
                None if self.skip_prefix() => State::Value,
                None => self.bare(),
            },
        }
    }

    /// Read a string, or several joined by `+`.
    fn text(&mut self, quote: Quote) -> State {
        let mut text = self.string(quote, false);
        while !self.is_cut
            && let Some(next) = self.after_plus()
            && let Some(quote) = Quote::at(self, next)
        {
            self.note(RepairKind::Literal, self.at);
            self.at = next;
            text += self.string(quote, false);
        }
        if self.is_cut {
            return self.stop_inside(Json::Str(text));
        }
        self.text_end = self.at;
        self.put(Json::Str(text))
    }

    /// Skip the prefix of a Python string: `u'text'`.
    fn skip_prefix(&mut self) -> bool {
        let letters = self.prefix_length(self.at);
        if letters == 0 {
            return false;
        }
        self.note(RepairKind::Literal, self.at);
        self.at += letters;
        true
    }

    /// The length of a Python string prefix at `at`.
    fn prefix_length(&self, at: usize) -> usize {
        let letters = ahead(self.text, at, 2).bytes().take_while(|byte| b"bBrRuU".contains(byte)).count();
        if matches!(self.byte(at + letters), b'"' | b'\'') { letters } else { 0 }
    }

    /// Handle the text after a value.
    fn after(&mut self) -> State {
        if self.stack.is_empty() {
            return State::Done;
        }
        self.skip_space();
        let at = self.at;
        if at >= self.end {
            return self.stop(Ending::Cut);
        }
        let (mark, length) = self.mark(at);
        match mark {
            b',' => {
                self.take(length);
                if let Some(frame) = self.stack.last_mut() {
                    frame.comma = Some(at);
                }
                return if self.is_in_object() { State::Key } else { State::Value };
            }
            b';' if self.is_in_object() && self.is_entry_after(at + 1) => return self.semicolon(State::Key),
            b';' if !self.is_in_object() && self.is_item_after(at + 1) => return self.semicolon(State::Value),
            b'}' | b']' | b')' => return self.close(mark, length),
            b'`' if self.is_fence(at) => return self.stop(Ending::Fence),
            b'*' if self.skip_emphasis() => return State::After,
            b':' if !self.is_in_object() && self.imply_object(length) => return State::Value,
            b'|' => {
                self.placeholders += 1;
                return self.skip_stray();
            }
            _ => {}
        }
        if self.is_in_object() {
            if self.looks_like_key(at) {
                self.note(RepairKind::MissingComma, at);
                return State::Key;
            }
        } else if Quote::at(self, at).is_some() || matches!(mark, b'{' | b'[' | b'-' | b'0'..=b'9') {
            self.note(RepairKind::MissingComma, at);
            return State::Value;
        } else if matches!(mark, b't' | b'f' | b'n' | b'T' | b'F' | b'N') {
            let word: String = tail(self.text, at).chars().take(10).take_while(char::is_ascii_alphabetic).collect();
            if let Meaning::Value(..) = meaning(&word) {
                self.note(RepairKind::MissingComma, at);
                return State::Value;
            }
        }
        self.skip_stray()
    }

    /// Accept a semicolon in place of a comma.
    fn semicolon(&mut self, next: State) -> State {
        self.note(RepairKind::MissingComma, self.at);
        self.at += 1;
        next
    }

    /// Skip text between entries. If it is too long, or continues to the end, it is prose.
    fn skip_stray(&mut self) -> State {
        let at = self.at;
        let mut is_quoted = false;
        for (offset, c) in ahead(self.text, at, STRAY_LENGTH).char_indices() {
            match c {
                '"' => {
                    if offset > 0 && !is_quoted && self.is_in_object() && self.looks_like_key(at + offset) {
                        self.note(RepairKind::StrayText, at);
                        self.at = at + offset;
                        return State::After;
                    }
                    is_quoted = !is_quoted;
                }
                ',' | '}' | ']' if !is_quoted => {
                    self.note(RepairKind::StrayText, at);
                    self.at = at + offset;
                    return State::After;
                }
                '\n' => break,
                '{' if !is_quoted => break,
                _ => {}
            }
        }
        self.stop(Ending::Prose)
    }

    /// End an unclosed document.
    fn stop(&mut self, ending: Ending) -> State {
        self.ending = Some(ending);
        if ending == Ending::Cut {
            self.note_cut_key();
            self.note_last_edge_key();
            self.note(RepairKind::Truncated, self.end);
        } else {
            self.note(RepairKind::MissingBracket, self.at);
        }
        if ending == Ending::Prose {
            self.open_braces = self.stack.closers().filter(|&closer| closer == b'}').count();
            self.edge_key = self.open_key().or_else(|| self.edge_key.take());
        }
        while let Some(frame) = self.stack.last_mut() {
            // A key without a value is dropped: here, and in the enclosing frames.
            frame.key = None;
            self.pop();
        }
        State::Done
    }

    /// End a document inside a value, and keep the value.
    fn stop_inside(&mut self, value: Json<'r>) -> State {
        self.note_cut_key();
        self.put(value);
        self.stop(Ending::Cut)
    }

    /// Store the current entry of the outermost object.
    fn note_cut_key(&mut self) {
        if self.cut_key.is_none() {
            self.cut_key = self.open_key();
        }
    }

    /// Store the current entry of the outermost object, whose string may be incomplete.
    fn note_edge_key(&mut self) {
        self.edge_key = self.open_key();
    }

    fn open_key(&self) -> Option<Cow<'r, str>> {
        self.stack.first().and_then(|root| root.key.as_ref()).map(|(key, _)| key.clone())
    }

    /// Store the last entry of the outermost object if nothing after its string confirms that the quote closes it. A comma
    /// or an incomplete key is no confirmation.
    fn note_last_edge_key(&mut self) {
        let next = self.after_space(self.text_end);
        let (mark, length) = self.mark(next);
        if next >= self.end || (mark == b',' && self.is_cut_key(self.after_space(next + length))) {
            self.edge_key = self.stack.last_key().cloned();
        }
    }
}
