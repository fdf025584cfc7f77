//! JSON as judges write it: one pass over the text with an explicit stack, never back, never failing.
//!
//! Each deviation from the standard is named. A document without a repair is one that the standard allows.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use super::literal::{Meaning, meaning};
use super::string::Quote;
use super::{Json, Repair, RepairKind};
use crate::reply::text::{byte_at, byte_before, char_at, slice, starts_with_at, tail};

/// How far a look ahead for a key goes: keys are shorter.
const KEY_LENGTH: usize = 100;
/// How far text between entries or without quotes may go before it is prose.
const STRAY_LENGTH: usize = 240;
const BARE_LENGTH: usize = 4096;
/// How much white space a look ahead crosses.
const GAP: usize = 256;

/// A document as it was read.
pub(crate) struct Document<'r> {
    pub(crate) value: Json<'r>,
    /// The byte behind its last one.
    pub(crate) end: usize,
    /// In the order of their places.
    pub(crate) repairs: Vec<Repair>,
    /// The text ended inside it.
    pub(crate) is_truncated: bool,
    /// It ended where the text stopped looking like JSON.
    pub(crate) is_broken: bool,
    /// The entry of the outermost object that was cut, so that its value is not whole.
    pub(crate) cut_key: Option<String>,
    /// The entry of the outermost object whose text ends only because nothing follows, so that it may have gone on.
    pub(crate) edge_key: Option<String>,
    pub(crate) problem: Option<Problem>,
    /// How many values stand for a value, as in a schema or a template.
    pub(crate) placeholders: usize,
    /// The deepest nesting that it has.
    pub(crate) depth: usize,
}

/// Why a document can't be a value at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Problem {
    /// Nested more deeply than the limit.
    TooDeep,
    /// A number that is no float and no integer of a sane length.
    HugeNumber,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Object,
    Array,
    /// A tuple, closed by a parenthesis.
    Tuple,
    /// A set, closed by a brace.
    Set,
}

impl Kind {
    fn closer(self) -> u8 {
        match self {
            Self::Object | Self::Set => b'}',
            Self::Array => b']',
            Self::Tuple => b')',
        }
    }
}

struct Frame<'r> {
    kind: Kind,
    entries: Vec<(Cow<'r, str>, Json<'r>)>,
    items: Vec<Json<'r>>,
    key: Option<(Cow<'r, str>, usize)>,
    /// The place of each key, once there are many.
    places: HashMap<Cow<'r, str>, usize>,
    /// A comma since the last entry.
    comma: Option<usize>,
    /// Opened by a key inside an array, not by a brace.
    is_implied: bool,
}

impl Frame<'_> {
    fn new(kind: Kind) -> Self {
        Self {
            kind,
            entries: Vec::new(),
            items: Vec::new(),
            key: None,
            places: HashMap::new(),
            comma: None,
            is_implied: false,
        }
    }
}

/// What is expected next.
enum State {
    Value,
    Key,
    After,
    Done,
}

/// How the document ends where it was not closed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// The text ends.
    Cut,
    /// A code fence closes.
    Fence,
    /// Prose begins.
    Prose,
}

/// Reads one document. Objects of up to this many keys are searched one by one.
const FEW_KEYS: usize = 8;

/// The reader of one document.
pub(crate) struct Reader<'r> {
    pub(super) text: &'r str,
    pub(super) at: usize,
    /// The text to read ends here.
    pub(super) end: usize,
    pub(super) repairs: Vec<Repair>,
    pub(super) is_cut: bool,
    stack: Vec<Frame<'r>>,
    root: Option<Json<'r>>,
    max_depth: usize,
    is_broken: bool,
    cut_key: Option<String>,
    edge_key: Option<String>,
    problem: Option<Problem>,
    pub(super) placeholders: usize,
    deepest: usize,
}

impl<'r> Reader<'r> {
    /// Read the document that begins with a bracket at `start`, in the text up to `end`.
    pub(crate) fn read(text: &'r str, start: usize, end: usize, max_depth: usize) -> Document<'r> {
        let mut reader = Self {
            text: text.get(..end).unwrap_or(text),
            at: start,
            end,
            repairs: Vec::new(),
            is_cut: false,
            stack: Vec::new(),
            root: None,
            max_depth,
            is_broken: false,
            cut_key: None,
            edge_key: None,
            problem: None,
            placeholders: 0,
            deepest: 0,
        };
        let mut state = State::Value;
        loop {
            state = match state {
                State::Value => reader.value(),
                State::Key => reader.key(),
                State::After => reader.after(),
                State::Done => break,
            };
        }
        reader.repairs.sort_by_key(|repair| repair.at);
        Document {
            value: reader.root.unwrap_or(Json::Null),
            end: reader.at.min(end),
            repairs: reader.repairs,
            is_truncated: reader.is_cut,
            is_broken: reader.is_broken,
            cut_key: reader.cut_key,
            edge_key: reader.edge_key,
            problem: reader.problem,
            placeholders: reader.placeholders,
            depth: reader.deepest,
        }
    }

    pub(super) fn note(&mut self, kind: RepairKind, at: usize) {
        self.repairs.push(Repair { kind, at });
    }

    pub(super) fn byte(&self, at: usize) -> u8 {
        byte_at(self.text, at)
    }

    pub(super) fn is_in_object(&self) -> bool {
        self.stack.last().is_some_and(|frame| frame.kind == Kind::Object)
    }

    pub(super) fn depth(&self) -> usize {
        self.stack.len()
    }

    pub(super) fn has_open(&self, closer: u8) -> bool {
        self.stack.iter().any(|frame| frame.kind.closer() == closer)
    }

    /// The ASCII form of the punctuation at a place, full-width included, and its length.
    pub(super) fn mark(&self, at: usize) -> (u8, usize) {
        let byte = self.byte(at);
        if byte != 0xef {
            return (byte, 1);
        }
        let ascii = match char_at(self.text, at) {
            Some('\u{ff0c}') => b',',
            Some('\u{ff1a}') => b':',
            Some('\u{ff3b}') => b'[',
            Some('\u{ff3d}') => b']',
            Some('\u{ff5b}') => b'{',
            Some('\u{ff5d}') => b'}',
            Some('\u{ff08}') => b'(',
            Some('\u{ff09}') => b')',
            _ => return (byte, 1),
        };
        (ascii, 3)
    }

    /// Step over a mark.
    fn take(&mut self, length: usize) {
        if length > 1 {
            self.note(RepairKind::FullWidth, self.at);
        }
        self.at += length;
    }

    pub(super) fn is_fence(&self, at: usize) -> bool {
        starts_with_at(self.text, at, "```")
    }

    /// The place behind white space, looked for no further than a gap in JSON goes.
    pub(super) fn behind_space(&self, at: usize) -> usize {
        let rest = tail(self.text, at);
        let near = rest.get(..rest.floor_char_boundary(GAP)).unwrap_or(rest);
        at + (near.len() - near.trim_start().len())
    }

    /// Step over white space and comments.
    fn skip_space(&mut self) {
        loop {
            match self.byte(self.at) {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                b'/' if self.byte(self.at + 1) == b'/' => self.skip_line(),
                b'#' => self.skip_line(),
                b'/' if self.byte(self.at + 1) == b'*' => {
                    self.note(RepairKind::Comment, self.at);
                    let inside = tail(self.text, self.at + 2);
                    self.at = memchr::memmem::find(inside.as_bytes(), b"*/")
                        .map_or(self.end, |close| self.at + 2 + close + 2);
                }
                0x0b | 0x0c | 0xc2 | 0xe2 | 0xe3 | 0xef => {
                    let space = char_at(self.text, self.at).filter(|&c| {
                        c.is_whitespace() || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2063}' | '\u{feff}')
                    });
                    let Some(space) = space else {
                        return;
                    };
                    if !self.repairs.iter().rev().take(1).any(|repair| repair.kind == RepairKind::WhiteSpace) {
                        self.note(RepairKind::WhiteSpace, self.at);
                    }
                    self.at += space.len_utf8();
                }
                _ => return,
            }
        }
    }

    fn skip_line(&mut self) {
        self.note(RepairKind::Comment, self.at);
        self.at = memchr::memchr(b'\n', tail(self.text, self.at).as_bytes()).map_or(self.end, |end| self.at + end);
    }

    fn value(&mut self) -> State {
        self.skip_space();
        let at = self.at;
        if at >= self.end {
            return self.stop(Ending::Cut);
        }
        let (mark, length) = self.mark(at);
        match mark {
            b'{' => self.open(Kind::Object, length),
            b'[' => self.open(Kind::Array, length),
            b'(' => {
                self.note(RepairKind::Sequence, at);
                self.open(Kind::Tuple, length)
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
            b'`' if self.is_fence(at) => self.stop(Ending::Fence),
            b'*' | b'_' if self.skip_emphasis() => State::Value,
            _ => match Quote::at(self, at) {
                Some(quote) => {
                    let text = self.string(quote, false);
                    if self.is_cut {
                        return self.stop_inside(Json::Str(text));
                    }
                    self.put(Json::Str(text))
                }
                None => self.bare(),
            },
        }
    }

    /// Step over emphasis before a value or a key that follows at once.
    fn skip_emphasis(&mut self) -> bool {
        let marker = self.byte(self.at);
        let stars = tail(self.text, self.at).bytes().take(3).take_while(|&byte| byte == marker).count();
        let after = self.byte(self.at + stars);
        let is_before = matches!(after, b'"' | b'\'' | b'{' | b'[') || (marker == b'*' && after.is_ascii_digit());
        let is_behind = matches!(after, b',' | b':' | b'}' | b']' | b'\n' | b' ' | b'\r' | 0) && marker == b'*';
        if !is_before && !is_behind {
            return false;
        }
        self.note(RepairKind::Markdown, self.at);
        self.at += stars;
        true
    }

    fn open(&mut self, kind: Kind, length: usize) -> State {
        if self.depth() >= self.max_depth {
            self.problem = Some(Problem::TooDeep);
            // What lies behind belongs to the same document, so all of it is passed over.
            while matches!(self.byte(self.at), b'[' | b'{' | b' ' | b'\n' | b'\r' | b'\t') {
                self.at += 1;
            }
            return self.stop(Ending::Prose);
        }
        self.take(length);
        self.stack.push(Frame::new(kind));
        self.deepest = self.deepest.max(self.stack.len());
        if kind == Kind::Object { State::Key } else { State::Value }
    }

    /// Put a value where it belongs.
    fn put(&mut self, value: Json<'r>) -> State {
        let Some(frame) = self.stack.last_mut() else {
            self.root = Some(value);
            return State::Done;
        };
        frame.comma = None;
        if frame.kind != Kind::Object {
            frame.items.push(value);
            return State::After;
        }
        let Some((key, key_at)) = frame.key.take() else {
            return State::After;
        };
        let known = if frame.entries.len() <= FEW_KEYS {
            frame.entries.iter().position(|(name, _)| *name == key)
        } else {
            if frame.places.is_empty() {
                frame.places = frame.entries.iter().enumerate().map(|(nth, (name, _))| (name.clone(), nth)).collect();
            }
            frame.places.get(&key).copied()
        };
        if let Some(entry) = known.and_then(|nth| frame.entries.get_mut(nth)) {
            entry.1 = value;
            self.note(RepairKind::DuplicateKey, key_at);
        } else {
            if !frame.places.is_empty() {
                frame.places.insert(key.clone(), frame.entries.len());
            }
            frame.entries.push((key, value));
        }
        State::After
    }

    fn close(&mut self, closer: u8, length: usize) -> State {
        let at = self.at;
        if !self.has_open(closer) {
            self.note(RepairKind::ExtraBracket, at);
            self.take(length);
            return State::After;
        }
        loop {
            let Some(frame) = self.stack.last() else {
                return State::Done;
            };
            let is_match = frame.kind.closer() == closer && !frame.is_implied;
            let is_implied = frame.is_implied;
            if let Some(comma) = frame.comma {
                self.note(RepairKind::TrailingComma, comma);
            }
            if is_match {
                self.take(length);
            } else if !is_implied {
                self.note(RepairKind::MissingBracket, at);
            } else if closer == b'}' {
                // `["key": "value"}]`: the brace closes the object that the key implied.
                self.take(length);
                return self.pop();
            }
            if is_match && self.depth() == 1 && self.goes_on_behind_brace() {
                self.note(RepairKind::ExtraBracket, at);
                return State::After;
            }
            let state = self.pop();
            if is_match || matches!(state, State::Done) {
                return state;
            }
        }
    }

    /// `{"a": 1}, "b": 2}`: the outermost object was closed too early.
    fn goes_on_behind_brace(&self) -> bool {
        let is_filled = self.stack.last().is_some_and(|frame| frame.kind == Kind::Object && !frame.entries.is_empty());
        let comma = self.behind_space(self.at);
        if !is_filled || self.mark(comma).0 != b',' {
            return false;
        }
        let key = self.behind_space(comma + self.mark(comma).1);
        Quote::at(self, key).is_some() && (self.looks_like_key(key) || self.looks_like_pair(key))
    }

    /// `"key" "value"`: two strings, the colon between them missing.
    fn looks_like_pair(&self, at: usize) -> bool {
        if self.byte(at) != b'"' {
            return false;
        }
        let rest = tail(self.text, at + 1);
        let near = rest.get(..rest.floor_char_boundary(KEY_LENGTH)).unwrap_or(rest);
        near.find('"').is_some_and(|close| self.byte(self.behind_space(at + close + 2)) == b'"')
    }

    /// Close the innermost container.
    fn pop(&mut self) -> State {
        let Some(frame) = self.stack.pop() else {
            return State::Done;
        };
        let value = match frame.kind {
            Kind::Object => Json::Object(Arc::new(frame.entries)),
            // A lone value in parentheses is that value.
            Kind::Tuple if frame.items.len() == 1 && frame.comma.is_none() => {
                frame.items.into_iter().next().unwrap_or(Json::Null)
            }
            _ => Json::Array(Arc::new(frame.items)),
        };
        self.put(value)
    }

    /// End a document that was not closed.
    fn stop(&mut self, ending: Ending) -> State {
        if ending == Ending::Cut {
            self.is_cut = true;
            if let Some(root) = self.stack.first()
                && let Some((key, _)) = &root.key
            {
                self.cut_key.get_or_insert_with(|| key.to_string());
            }
            self.note(RepairKind::Truncated, self.end);
        } else {
            self.is_broken = ending == Ending::Prose;
            self.note(RepairKind::MissingBracket, self.at);
        }
        while !self.stack.is_empty() {
            if let Some(frame) = self.stack.last_mut() {
                frame.key = None;
                frame.comma = None;
            }
            self.close_last();
        }
        State::Done
    }

    fn close_last(&mut self) {
        // The key of the parent is still there for what was begun.
        let Some(frame) = self.stack.pop() else {
            return;
        };
        let value = match frame.kind {
            Kind::Object => Json::Object(Arc::new(frame.entries)),
            _ => Json::Array(Arc::new(frame.items)),
        };
        self.put(value);
    }

    /// End a document inside a value that is kept.
    fn stop_inside(&mut self, value: Json<'r>) -> State {
        if let [root] = self.stack.as_slice()
            && let Some((key, _)) = &root.key
        {
            self.cut_key = Some(key.to_string());
        } else if let Some((key, _)) = self.stack.first().and_then(|root| root.key.as_ref()) {
            self.cut_key = Some(key.to_string());
        }
        self.put(value);
        self.stop(Ending::Cut)
    }

    fn key(&mut self) -> State {
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
            b'{' if self.stack.last().is_some_and(|frame| frame.entries.is_empty()) => {
                self.note(RepairKind::ExtraBracket, at);
                self.take(length);
                return State::Key;
            }
            _ => {}
        }
        if let Some(quote) = Quote::at(self, at) {
            let key = self.string(quote, true);
            if self.is_cut {
                return self.stop(Ending::Cut);
            }
            return self.colon(key, at);
        }
        self.bare_key()
    }

    /// How long the ellipsis is that stands here; 0 if none does.
    fn ellipsis_length(&self, at: usize) -> usize {
        let dots = tail(self.text, at).bytes().take(8).take_while(|&byte| byte == b'.').count();
        if starts_with_at(self.text, at, "\u{2026}") {
            3
        } else if dots < 2 {
            0
        } else {
            dots
        }
    }

    fn skip_ellipsis(&mut self) -> bool {
        let length = self.ellipsis_length(self.at);
        if length == 0 {
            return false;
        }
        self.note(RepairKind::Ellipsis, self.at);
        self.at += length;
        true
    }

    /// What stands between a key and its value.
    fn colon(&mut self, key: Cow<'r, str>, key_at: usize) -> State {
        self.skip_space();
        let (mark, length) = self.mark(self.at);
        let is_first = self.stack.last().is_some_and(|frame| frame.entries.is_empty() && frame.items.is_empty());
        match mark {
            b':' => self.take(length),
            b'=' => {
                self.note(RepairKind::MissingColon, self.at);
                self.at += 1 + usize::from(self.byte(self.at + 1) == b'>');
            }
            b'*' if self.skip_emphasis() => return self.colon(key, key_at),
            b',' | b'}' if is_first && self.at < self.end => {
                if let Some(frame) = self.stack.last_mut() {
                    frame.kind = Kind::Set;
                    frame.items.push(Json::Str(key));
                }
                self.note(RepairKind::Sequence, key_at);
                return State::After;
            }
            _ if self.at >= self.end => {}
            _ => self.note(RepairKind::MissingColon, self.at),
        }
        if let Some(frame) = self.stack.last_mut() {
            frame.key = Some((key, key_at));
        }
        State::Value
    }

    /// A key without quotes, or text that is no key.
    fn bare_key(&mut self) -> State {
        let start = self.at;
        let near = tail(self.text, start);
        let near = near.get(..near.floor_char_boundary(KEY_LENGTH)).unwrap_or(near);
        for (offset, c) in near.char_indices() {
            match c {
                ':' | '\u{ff1a}' | '=' if offset > 0 => {
                    let name = slice(self.text, start..start + offset).trim().trim_matches(['*', '`', '_', '"', '\'']);
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

    /// Behind a value.
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
            b'}' | b']' | b')' => return self.close(mark, length),
            b'`' if self.is_fence(at) => return self.stop(Ending::Fence),
            b'*' if self.skip_emphasis() => return State::After,
            b':' if !self.is_in_object() && self.imply_object() => return State::Value,
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

    /// Leave out text between entries; what goes on for too long is prose.
    fn skip_stray(&mut self) -> State {
        let at = self.at;
        let rest = tail(self.text, at);
        let near = rest.get(..rest.floor_char_boundary(STRAY_LENGTH)).unwrap_or(rest);
        let mut is_quoted = false;
        for (offset, c) in near.char_indices() {
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
        if at + near.len() >= self.end && !near.contains(['\n', '{']) {
            self.note(RepairKind::StrayText, at);
            self.at = self.end;
            return self.stop(Ending::Cut);
        }
        self.stop(Ending::Prose)
    }

    /// `["key": "value"]`: the string before the colon is the key of an object that was not opened.
    fn imply_object(&mut self) -> bool {
        let at = self.at;
        let Some(frame) = self.stack.last_mut() else {
            return false;
        };
        let Some(Json::Str(key)) = frame.items.pop_if(|item| matches!(item, Json::Str(_))) else {
            return false;
        };
        if self.stack.len() >= self.max_depth {
            return false;
        }
        let mut object = Frame::new(Kind::Object);
        object.is_implied = true;
        object.key = Some((key, at));
        self.stack.push(object);
        self.deepest = self.deepest.max(self.stack.len());
        self.note(RepairKind::MissingBracket, at);
        self.at += 1;
        true
    }

    /// A value without quotes: a number, a literal or text.
    fn bare(&mut self) -> State {
        let start = self.at;
        let end = self.bare_end(start);
        let token = slice(self.text, start..end).trim_end();
        let is_at_end = end >= self.end;
        if end - start >= BARE_LENGTH && is_numeral(token) {
            self.problem.get_or_insert(Problem::HugeNumber);
            return self.stop(Ending::Prose);
        }
        if token.is_empty() || end - start >= BARE_LENGTH {
            return self.stop(Ending::Prose);
        }
        // The opening marks may have been stepped over before.
        let opened = token.strip_prefix("**").or_else(|| (byte_before(self.text, start) == b'*').then_some(token));
        let bold = opened.and_then(|rest| rest.strip_suffix("**")).filter(|inner| !inner.contains(' '));
        let mut emphasised = None;
        if let Some(inner) = bold {
            emphasised = Some(meaning(inner));
        }
        let understood = match emphasised {
            Some(Meaning::Text) | None => meaning(token),
            Some(understood) => {
                self.note(RepairKind::Markdown, start);
                understood
            }
        };
        self.at = end;
        if is_at_end && !matches!(understood, Meaning::Text) {
            // A number or a keyword that touches the end may have gone on.
            return self.stop(Ending::Cut);
        }
        match understood {
            Meaning::Value(value, repair) => {
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
                if is_at_end
                    && !token.contains(' ')
                    && ["true", "false", "null", "None"].iter().any(|w| starts_with_at(w, 0, token))
                {
                    return self.stop(Ending::Cut);
                }
                self.note(RepairKind::UnquotedValue, start);
                let value = Json::Str(Cow::Borrowed(token));
                if is_at_end {
                    self.is_cut = true;
                    return self.stop_inside(value);
                }
                if self.byte(end) == b'"' && !self.looks_like_key(end) {
                    // `"key": text",`: only the closing quote is there.
                    self.note(RepairKind::MissingQuote, start);
                    self.at = end + 1;
                }
                self.note_edge(self.at);
                self.put(value)
            }
        }
    }

    /// Remember the entry that ends at `at` where only the end of the text shows that it does.
    pub(super) fn note_edge(&mut self, at: usize) {
        let next = self.behind_space(at);
        if self.end - next.min(self.end) > GAP + KEY_LENGTH {
            return;
        }
        let (mark, length) = self.mark(next);
        if next >= self.end || (mark == b',' && self.is_cut_key(self.behind_space(next + length))) {
            let key = self.stack.first().and_then(|root| root.key.as_ref());
            self.edge_key = key.map(|(key, _)| key.to_string());
        }
    }

    /// Whether the text ends here, or inside or behind a quoted key.
    fn is_cut_key(&self, at: usize) -> bool {
        let behind = Quote::at(self, at).and_then(|quote| self.behind_quoted_key(quote, at));
        at >= self.end || behind.is_some_and(|behind| self.behind_space(behind) >= self.end)
    }

    /// `**"key"**: 8`: whether a key in bold stands here.
    fn is_bold_key(&self, at: usize) -> bool {
        let is_bold = |at| starts_with_at(self.text, at, "**");
        is_bold(at)
            && Quote::at(self, at + 2)
                .and_then(|quote| self.behind_quoted_key(quote, at + 2))
                .is_some_and(|behind| is_bold(behind) && self.mark(self.behind_space(behind + 2)).0 == b':')
    }

    /// `"key" 8`: whether a key without its colon stands here.
    fn lacks_colon(&self, at: usize) -> bool {
        let behind = Quote::at(self, at).and_then(|quote| self.behind_quoted_key(quote, at));
        behind.is_some_and(|behind| {
            let next = self.behind_space(behind);
            next > behind && self.is_literal(next)
        })
    }

    /// Whether a number or a word that means a value stands here.
    pub(super) fn is_literal(&self, at: usize) -> bool {
        let rest = tail(self.text, at);
        let near = rest.get(..rest.floor_char_boundary(32)).unwrap_or(rest);
        let word = near.split([',', ']', '}', ')', ' ', '\n']).next().unwrap_or(near);
        matches!(meaning(word), Meaning::Value(..))
    }

    /// Where a value without quotes ends.
    fn bare_end(&self, start: usize) -> usize {
        let rest = tail(self.text, start);
        let near = rest.get(..rest.floor_char_boundary(BARE_LENGTH)).unwrap_or(rest);
        let is_in_object = self.is_in_object();
        for (offset, byte) in near.bytes().enumerate() {
            let at = start + offset;
            let ends = match byte {
                b',' => {
                    !is_in_object
                        || self.is_entry_behind(at + 1)
                        || (offset < 32
                            && matches!(meaning(slice(self.text, start..at).trim_end()), Meaning::Value(..)))
                }
                b'}' | b']' | b')' => self.has_open(byte),
                b'\n' => !is_in_object || self.is_entry_behind(at + 1),
                b'"' => offset > 0 && (self.looks_like_key(at) || self.is_entry_end(at + 1)),
                b'/' => {
                    offset > 0
                        && matches!(self.byte(at + 1), b'/' | b'*')
                        && matches!(byte_before(self.text, at), b' ' | b'\t')
                }
                b'#' => offset > 0 && matches!(byte_before(self.text, at), b' ' | b'\t'),
                b'`' => self.is_fence(at),
                // Text without quotes has no braces, so that what it swallows is read once.
                b'{' => offset > 0,
                b'[' => offset > 0 && !is_in_object,
                b' ' => !is_in_object && offset < 32 && self.is_value_behind(start, at),
                b':' => !is_in_object && offset > 0 && self.byte(at + 1) == b' ',
                0xef => {
                    matches!(self.mark(at), (b',', 3))
                        || (matches!(self.mark(at).0, b'}' | b']') && self.has_open(self.mark(at).0))
                }
                _ => false,
            };
            if ends {
                return at;
            }
        }
        start + near.len()
    }

    /// `[8 7]`: whether a number or a literal ends here and another one follows.
    fn is_value_behind(&self, start: usize, at: usize) -> bool {
        matches!(meaning(slice(self.text, start..at)), Meaning::Value(..)) && self.is_literal(self.behind_space(at))
    }

    /// Whether behind a comma or a newline another entry begins, or the object ends.
    pub(super) fn is_entry_behind(&self, at: usize) -> bool {
        let next = self.behind_space(at);
        next >= self.end
            || matches!(self.mark(next).0, b'}' | b']' | b',')
            || self.looks_like_key(next)
            || self.looks_like_pair(next)
            || (self.byte(next) == b'/' && matches!(self.byte(next + 1), b'/' | b'*'))
            || self.byte(next) == b'#'
            || self.is_fence(next)
            || self.is_ellipsis(next)
            || self.lacks_colon(next)
            || self.is_bold_key(next)
    }

    /// Whether an ellipsis stands in place of entries.
    fn is_ellipsis(&self, at: usize) -> bool {
        let length = self.ellipsis_length(at);
        length > 0 && matches!(self.mark(self.behind_space(at + length)).0, b',' | b'}')
    }

    fn is_entry_end(&self, at: usize) -> bool {
        let next = self.behind_space(at);
        next >= self.end || matches!(self.mark(next).0, b',' | b'}' | b']')
    }

    /// Whether a key with its colon stands here, quoted or one word; or one that the end of the text cuts off.
    pub(super) fn looks_like_key(&self, at: usize) -> bool {
        let behind = match Quote::at(self, at) {
            Some(quote) => self.behind_quoted_key(quote, at),
            None => self.behind_word(at),
        };
        let Some(behind) = behind else {
            return false;
        };
        let next = self.behind_space(behind);
        (next >= self.end && behind > at && self.byte(at) == b'"')
            || (self.mark(next).0 == b':' && !starts_with_at(self.text, next, "://"))
    }

    fn behind_quoted_key(&self, quote: Quote, at: usize) -> Option<usize> {
        let mut begin = at + quote.length();
        // Doubled quotes open a key as well as one.
        if quote.closes_at(self, begin)
            && quote.length() == 1
            && !matches!(self.mark(self.behind_space(begin + 1)).0, b':')
        {
            begin += 1;
        }
        let rest = tail(self.text, begin);
        let near = rest.get(..rest.floor_char_boundary(KEY_LENGTH)).unwrap_or(rest);
        let stop = near.char_indices().find(|&(offset, c)| c == '\n' || quote.closes_at(self, begin + offset));
        let Some((close, c)) = stop else {
            return (begin + near.len() >= self.end).then_some(self.end);
        };
        if c == '\n' {
            return None;
        }
        let mut behind = begin + close + quote.closing_length(self, begin + close);
        if quote.closes_at(self, behind) && begin > at + quote.length() {
            behind += quote.length();
        }
        Some(behind)
    }

    fn behind_word(&self, at: usize) -> Option<usize> {
        let rest = tail(self.text, at);
        let near = rest.get(..rest.floor_char_boundary(KEY_LENGTH)).unwrap_or(rest);
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '-' | '.');
        let name = near.len() - near.trim_start_matches(is_word).len();
        let is_name = near.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$'));
        (name > 0 && is_name).then_some(at + name)
    }
}

fn is_numeral(token: &str) -> bool {
    token.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'_' | b'e' | b'E'))
}
