//! Escapes in strings, including invalid ones and LaTeX commands.

use super::Parser;
use super::string::Draft;
use crate::json::RepairKind;
use crate::json::latex::is_latex;
use crate::reply::text::{slice, tail};

impl<'r> Parser<'r> {
    /// Note the first raw control character in a string.
    pub(super) fn note_control_characters(&mut self, start: usize, end: usize) {
        let found = slice(self.text, start..end).bytes().position(|byte| byte < 0x20);
        if let Some(found) = found {
            self.note(RepairKind::ControlCharacter, start + found);
        }
    }

    /// Read an escape, and return the position after it.
    pub(super) fn escape(&mut self, draft: &mut Draft<'r>, at: usize) -> usize {
        let next = at + 2;
        let simple = match self.byte(at + 1) {
            b'"' => "\"",
            b'\\' => "\\",
            b'/' => "/",
            letter @ (b'b' | b'f' | b'n' | b'r' | b't') => {
                if is_latex(tail(self.text, at + 1)) {
                    self.note(RepairKind::Latex, at);
                    return next;
                }
                match letter {
                    b'b' => "\u{8}",
                    b'f' => "\u{c}",
                    b'n' => "\n",
                    b'r' => "\r",
                    _ => "\t",
                }
            }
            b'u' => return self.unicode_escape(draft, at),
            b'\'' => {
                self.note(RepairKind::Escape, at);
                "'"
            }
            b'`' => {
                self.note(RepairKind::Escape, at);
                "`"
            }
            b'\n' => {
                self.note(RepairKind::Escape, at);
                "\n"
            }
            // Markdown escape in a key, which never has a backslash itself: `"safety\_label"`.
            mark if draft.is_key && mark.is_ascii_punctuation() => {
                self.note(RepairKind::Escape, at);
                draft.replace(at, "", at + 1);
                return next;
            }
            letter => {
                let is_command = letter.is_ascii_alphabetic() && self.byte(at + 2).is_ascii_alphabetic();
                self.note(if is_command { RepairKind::Latex } else { RepairKind::Escape }, at);
                return at + 1;
            }
        };
        draft.replace(at, simple, next);
        next
    }

    fn unicode_escape(&mut self, draft: &mut Draft<'r>, at: usize) -> usize {
        let unit = |at: usize| -> Option<u32> {
            let digits = self.text.get(at + 2..at + 6)?;
            let is_escape = self.byte(at) == b'\\' && self.byte(at + 1) == b'u';
            (is_escape && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
                .then(|| u32::from_str_radix(digits, 16).ok())?
        };
        let Some(first) = unit(at) else {
            if at + 6 > self.end && tail(self.text, at + 2).bytes().all(|byte| byte.is_ascii_hexdigit()) {
                // The text ends inside the escape.
                self.is_cut = true;
                draft.replace(at, "", self.end);
                return self.end;
            }
            let is_command = self.byte(at + 2).is_ascii_alphabetic();
            self.note(if is_command { RepairKind::Latex } else { RepairKind::Escape }, at);
            return at + 2;
        };
        if let Some(c) = char::from_u32(first) {
            draft.replace(at, c.encode_utf8(&mut [0; 4]), at + 6);
            return at + 6;
        }
        let second = unit(at + 6).filter(|unit| (0xdc00..0xe000).contains(unit) && first < 0xdc00);
        if let Some(c) =
            second.and_then(|second| char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00)))
        {
            draft.replace(at, c.encode_utf8(&mut [0; 4]), at + 12);
            return at + 12;
        }
        self.note(RepairKind::Escape, at);
        draft.replace(at, "\u{fffd}", at + 6);
        at + 6
    }
}
