//! Containers that are open: what they hold so far, and how they are closed.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use super::quote::Quote;
use super::{Ending, Problem, Reader, State};
use crate::json::tree::FEW_KEYS;
use crate::json::{Json, RepairKind, dismantle};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
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

/// A container that is open.
pub(super) struct Frame<'r> {
    pub(super) kind: Kind,
    pub(super) entries: Vec<(Cow<'r, str>, Json<'r>)>,
    pub(super) items: Vec<Json<'r>>,
    /// The key that waits for its value, and its place.
    pub(super) key: Option<(Cow<'r, str>, usize)>,
    /// The place of each key among the entries, once there are many.
    places: HashMap<Cow<'r, str>, usize>,
    /// Which entry got its value last.
    latest: usize,
    /// A comma since the last entry.
    pub(super) comma: Option<usize>,
    /// Opened by a key inside an array, not by a brace.
    is_implied: bool,
}

impl<'r> Frame<'r> {
    fn new(kind: Kind) -> Self {
        Self {
            kind,
            entries: Vec::new(),
            items: Vec::new(),
            key: None,
            places: HashMap::new(),
            latest: 0,
            comma: None,
            is_implied: false,
        }
    }

    /// Add an entry, or change the one of the same key; whether there was one.
    fn set(&mut self, key: Cow<'r, str>, value: Json<'r>) -> bool {
        let known = if self.entries.len() <= FEW_KEYS {
            self.entries.iter().position(|(name, _)| *name == key)
        } else {
            if self.places.is_empty() {
                self.places = self.entries.iter().enumerate().map(|(nth, (name, _))| (name.clone(), nth)).collect();
            }
            self.places.get(&key).copied()
        };
        self.latest = known.unwrap_or(self.entries.len());
        if let Some((_, entry)) = self.entries.get_mut(self.latest) {
            // It may be too deep to be dropped whole.
            dismantle(std::mem::replace(entry, value));
            return true;
        }
        if !self.places.is_empty() {
            self.places.insert(key.clone(), self.entries.len());
        }
        self.entries.push((key, value));
        false
    }

    fn into_value(self) -> Json<'r> {
        match self.kind {
            Kind::Object => Json::Object(Arc::new(self.entries)),
            // A lone value in parentheses is that value.
            Kind::Tuple if self.items.len() == 1 && self.comma.is_none() => {
                self.items.into_iter().next().unwrap_or(Json::Null)
            }
            _ => Json::Array(Arc::new(self.items)),
        }
    }
}

/// The containers that are open, the outermost first.
#[derive(Default)]
pub(super) struct Stack<'r> {
    frames: Vec<Frame<'r>>,
    /// How many of them a brace, a bracket and a parenthesis closes, so that asking takes no time.
    braces: usize,
    brackets: usize,
    parentheses: usize,
    deepest: usize,
}

impl<'r> Stack<'r> {
    fn push(&mut self, frame: Frame<'r>) {
        *self.open(frame.kind.closer()) += 1;
        self.frames.push(frame);
        self.deepest = self.deepest.max(self.frames.len());
    }

    fn pop(&mut self) -> Option<Frame<'r>> {
        let frame = self.frames.pop()?;
        *self.open(frame.kind.closer()) -= 1;
        Some(frame)
    }

    fn open(&mut self, closer: u8) -> &mut usize {
        match closer {
            b'}' => &mut self.braces,
            b']' => &mut self.brackets,
            _ => &mut self.parentheses,
        }
    }

    /// Whether one of them is closed by this.
    pub(super) fn has_open(&self, closer: u8) -> bool {
        match closer {
            b'}' => self.braces > 0,
            b']' => self.brackets > 0,
            _ => self.parentheses > 0,
        }
    }

    /// What closes each of them, the outermost first.
    pub(super) fn closers(&self) -> impl Iterator<Item = u8> {
        self.frames.iter().map(|frame| frame.kind.closer())
    }

    pub(super) fn first(&self) -> Option<&Frame<'r>> {
        self.frames.first()
    }

    pub(super) fn last(&self) -> Option<&Frame<'r>> {
        self.frames.last()
    }

    pub(super) fn last_mut(&mut self) -> Option<&mut Frame<'r>> {
        self.frames.last_mut()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    pub(super) fn deepest(&self) -> usize {
        self.deepest
    }

    /// Whether the innermost container holds nothing yet.
    pub(super) fn is_at_start(&self) -> bool {
        self.last().is_some_and(|frame| frame.entries.is_empty() && frame.items.is_empty())
    }

    /// `{"a", "b"}`: what was opened as an object is a set.
    pub(super) fn turn_into_set(&mut self) {
        if let Some(frame) = self.last_mut() {
            frame.kind = Kind::Set;
        }
    }

    /// The key of the outermost object's entry that got its value last, whole or as far as it goes.
    pub(super) fn last_key(&self) -> Option<&Cow<'r, str>> {
        match self.frames.as_slice() {
            [] => None,
            [root] => root.entries.get(root.latest).map(|(key, _)| key),
            [root, ..] => root.key.as_ref().map(|(key, _)| key),
        }
    }
}

impl<'r> Reader<'r> {
    pub(super) fn open(&mut self, kind: Kind, length: usize) -> State {
        if self.stack.frames.len() >= self.max_depth {
            self.problem = Some(Problem::TooDeep);
            // What lies behind belongs to the same document, so all of it is passed over.
            while matches!(self.byte(self.at), b'[' | b'{' | b' ' | b'\n' | b'\r' | b'\t') {
                self.at += 1;
            }
            return self.stop(Ending::Prose);
        }
        self.take(length);
        self.stack.push(Frame::new(kind));
        if kind == Kind::Object { State::Key } else { State::Value }
    }

    /// Put a value where it belongs.
    pub(super) fn put(&mut self, value: Json<'r>) -> State {
        let Some(frame) = self.stack.last_mut() else {
            self.root = Some(value);
            return State::Done;
        };
        frame.comma = None;
        if frame.kind != Kind::Object {
            frame.items.push(value);
            return State::After;
        }
        if let Some((key, key_at)) = frame.key.take()
            && frame.set(key, value)
        {
            self.note(RepairKind::DuplicateKey, key_at);
        }
        State::After
    }

    /// Close the innermost container.
    pub(super) fn pop(&mut self) -> State {
        match self.stack.pop() {
            Some(frame) => self.put(frame.into_value()),
            None => State::Done,
        }
    }

    pub(super) fn close(&mut self, closer: u8, length: usize) -> State {
        let at = self.at;
        if !self.stack.has_open(closer) {
            self.note(RepairKind::ExtraBracket, at);
            self.take(length);
            return State::After;
        }
        loop {
            let Some(frame) = self.stack.last() else {
                return State::Done;
            };
            let is_implied = frame.is_implied;
            let is_match = frame.kind.closer() == closer && !is_implied;
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
            if is_match && self.stack.frames.len() == 1 && self.goes_on_behind_brace() {
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
        Quote::at(self, key).is_some_and(|quote| self.looks_like_entry(quote, key))
    }

    /// `["key": "value"]`: the string before the colon is the key of an object that was not opened.
    pub(super) fn imply_object(&mut self, colon: usize) -> bool {
        let at = self.at;
        let is_too_deep = self.stack.frames.len() >= self.max_depth;
        let Some(frame) = self.stack.last_mut().filter(|_| !is_too_deep) else {
            return false;
        };
        let Some(Json::Str(key)) = frame.items.pop_if(|item| matches!(item, Json::Str(_))) else {
            return false;
        };
        let mut object = Frame::new(Kind::Object);
        object.is_implied = true;
        object.key = Some((key, at));
        self.stack.push(object);
        self.note(RepairKind::MissingBracket, at);
        self.take(colon);
        true
    }
}
