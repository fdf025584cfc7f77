//! The stack of open containers.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use super::quote::Quote;
use super::{Ending, Parser, Problem, State};
use crate::json::tree::FEW_KEYS;
use crate::json::{Json, RepairKind, drop_iteratively, is_same};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Container {
    Object,
    Array,
    /// A tuple, closed by a parenthesis.
    Tuple,
    /// A set, closed by a brace.
    Set,
}

impl Container {
    fn closer(self) -> u8 {
        match self {
            Self::Object | Self::Set => b'}',
            Self::Array => b']',
            Self::Tuple => b')',
        }
    }
}

/// An open container.
pub(super) struct Frame<'r> {
    pub(super) kind: Container,
    pub(super) entries: Vec<(Cow<'r, str>, Json<'r>)>,
    pub(super) items: Vec<Json<'r>>,
    /// The key whose value follows, and its position.
    pub(super) key: Option<(Cow<'r, str>, usize)>,
    /// The index of each key's entry; empty while there are few.
    places: HashMap<Cow<'r, str>, usize>,
    /// The index of the entry that was set last.
    latest: usize,
    /// The position of a comma after the last entry.
    pub(super) comma: Option<usize>,
    /// Opened by a key inside an array instead of a brace.
    is_implied: bool,
}

impl<'r> Frame<'r> {
    fn new(kind: Container) -> Self {
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

    /// Add or replace an entry. Return whether the key was known, and had another value.
    fn set(&mut self, key: Cow<'r, str>, value: Json<'r>) -> Option<bool> {
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
            let is_other = !is_same(entry, &value);
            // The old value may be too deep for a recursive drop.
            drop_iteratively(std::mem::replace(entry, value));
            return Some(is_other);
        }
        if !self.places.is_empty() {
            self.places.insert(key.clone(), self.entries.len());
        }
        self.entries.push((key, value));
        None
    }

    fn into_value(self) -> Json<'r> {
        match self.kind {
            Container::Object => Json::Object(Arc::new(self.entries)),
            // As in Python, a single value in parentheses is not a tuple.
            Container::Tuple if self.items.len() == 1 && self.comma.is_none() => {
                self.items.into_iter().next().unwrap_or(Json::Null)
            }
            _ => Json::Array(Arc::new(self.items)),
        }
    }
}

/// The open containers, outermost first.
#[derive(Default)]
pub(super) struct Stack<'r> {
    frames: Vec<Frame<'r>>,
    /// The number of open containers by their closing bracket.
    braces: usize,
    brackets: usize,
    parentheses: usize,
    deepest: usize,
}

impl<'r> Stack<'r> {
    fn push(&mut self, frame: Frame<'r>) {
        *self.open_count(frame.kind.closer()) += 1;
        self.frames.push(frame);
        self.deepest = self.deepest.max(self.frames.len());
    }

    fn pop(&mut self) -> Option<Frame<'r>> {
        let frame = self.frames.pop()?;
        *self.open_count(frame.kind.closer()) -= 1;
        Some(frame)
    }

    fn open_count(&mut self, closer: u8) -> &mut usize {
        match closer {
            b'}' => &mut self.braces,
            b']' => &mut self.brackets,
            _ => &mut self.parentheses,
        }
    }

    /// Whether an open container has this closing bracket.
    pub(super) fn has_open(&self, closer: u8) -> bool {
        match closer {
            b'}' => self.braces > 0,
            b']' => self.brackets > 0,
            _ => self.parentheses > 0,
        }
    }

    /// Iterate over the closing brackets, outermost container first.
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

    /// Whether the innermost container is empty.
    pub(super) fn is_at_start(&self) -> bool {
        self.last().is_some_and(|frame| frame.entries.is_empty() && frame.items.is_empty())
    }

    /// Turn the innermost container into a set: `{"a", "b"}`.
    pub(super) fn turn_into_set(&mut self) {
        if let Some(frame) = self.last_mut() {
            frame.kind = Container::Set;
        }
    }

    /// Return the outermost object's key whose value was set last, or is being read.
    pub(super) fn last_key(&self) -> Option<&Cow<'r, str>> {
        match self.frames.as_slice() {
            [] => None,
            [root] => root.entries.get(root.latest).map(|(key, _)| key),
            [root, ..] => root.key.as_ref().map(|(key, _)| key),
        }
    }
}

impl<'r> Parser<'r> {
    pub(super) fn open(&mut self, kind: Container, length: usize) -> State {
        if self.stack.frames.len() >= self.max_depth {
            self.problem = Some(Problem::TooDeep);
            // The following brackets belong to the same document.
            while matches!(self.byte(self.at), b'[' | b'{' | b' ' | b'\n' | b'\r' | b'\t') {
                self.at += 1;
            }
            return self.stop(Ending::Prose);
        }
        self.take(length);
        self.stack.push(Frame::new(kind));
        if kind == Container::Object { State::Key } else { State::Value }
    }

    /// Add a value to the innermost container.
    pub(super) fn put(&mut self, value: Json<'r>) -> State {
        let Some(frame) = self.stack.last_mut() else {
            self.root = Some(value);
            return State::Done;
        };
        frame.comma = None;
        if frame.kind != Container::Object {
            frame.items.push(value);
            return State::After;
        }
        if let Some((key, key_at)) = frame.key.take()
            && let Some(is_other) = frame.set(key.clone(), value)
        {
            self.note(RepairKind::DuplicateKey, key_at);
            if is_other && self.contested.last() != Some(&key) {
                self.contested.push(key);
            }
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
                // `["key": "value"}]`: the brace closes the implied object.
                self.take(length);
                return self.pop();
            }
            if is_match && self.stack.frames.len() == 1 && self.continues_after_brace() {
                self.note(RepairKind::ExtraBracket, at);
                return State::After;
            }
            let state = self.pop();
            if is_match || matches!(state, State::Done) {
                return state;
            }
        }
    }

    /// Whether the outermost object was closed too early: `{"a": 1}, "b": 2}`.
    fn continues_after_brace(&self) -> bool {
        let is_filled =
            self.stack.last().is_some_and(|frame| frame.kind == Container::Object && !frame.entries.is_empty());
        let comma = self.after_space(self.at);
        if !is_filled || self.mark(comma).0 != b',' {
            return false;
        }
        let key = self.after_space(comma + self.mark(comma).1);
        Quote::at(self, key).is_some_and(|quote| self.looks_like_entry(quote, key))
    }

    /// Open an implied object whose key is the string before the colon: `["key": "value"]`.
    pub(super) fn imply_object(&mut self, colon: usize) -> bool {
        let at = self.at;
        let is_too_deep = self.stack.frames.len() >= self.max_depth;
        let Some(frame) = self.stack.last_mut().filter(|_| !is_too_deep) else {
            return false;
        };
        let Some(Json::Str(key)) = frame.items.pop_if(|item| matches!(item, Json::Str(_))) else {
            return false;
        };
        let mut object = Frame::new(Container::Object);
        object.is_implied = true;
        object.key = Some((key, at));
        self.stack.push(object);
        self.note(RepairKind::MissingBracket, at);
        self.take(colon);
        true
    }
}
