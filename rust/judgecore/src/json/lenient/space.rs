//! White space, comments, emphasis and punctuation between the parts of a document.

use super::{GAP, Parser};
use crate::json::RepairKind;
use crate::reply::text::{ahead, char_at, starts_with_at, tail};

impl Parser<'_> {
    /// Return the punctuation mark at `at` in ASCII, also if it is full-width, and its length.
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

    /// Skip a mark.
    pub(super) fn take(&mut self, length: usize) {
        if length > 1 {
            self.note(RepairKind::FullWidth, self.at);
        }
        self.at += length;
    }

    pub(super) fn is_fence(&self, at: usize) -> bool {
        starts_with_at(self.text, at, "```")
    }

    /// Return the position after white space, at most `GAP` bytes ahead.
    pub(super) fn after_space(&self, at: usize) -> usize {
        let near = ahead(self.text, at, GAP);
        at + (near.len() - near.trim_start().len())
    }

    /// Skip white space and comments.
    pub(super) fn skip_space(&mut self) {
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
                // `\boxed{\{"a": 1\}}`
                b'\\' if matches!(self.byte(self.at + 1), b'{' | b'}' | b'[' | b']') => {
                    self.note(RepairKind::Escape, self.at);
                    self.at += 1;
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

    pub(super) fn skip_line(&mut self) {
        self.note(RepairKind::Comment, self.at);
        self.at = memchr::memchr(b'\n', tail(self.text, self.at).as_bytes()).map_or(self.end, |end| self.at + end);
    }

    /// Skip emphasis directly before or after a key or a value.
    pub(super) fn skip_emphasis(&mut self) -> bool {
        let marker = self.byte(self.at);
        let stars = ahead(self.text, self.at, 3).bytes().take_while(|&byte| byte == marker).count();
        let after = self.byte(self.at + stars);
        let is_before = matches!(after, b'"' | b'\'' | b'{' | b'[') || (marker == b'*' && after.is_ascii_digit());
        let is_after = matches!(after, b',' | b':' | b'}' | b']' | b'\n' | b' ' | b'\r' | 0) && marker == b'*';
        if !is_before && !is_after {
            return false;
        }
        self.note(RepairKind::Markdown, self.at);
        self.at += stars;
        true
    }
}
