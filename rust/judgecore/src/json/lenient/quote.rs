//! The kinds of quotation marks that judges use.

use super::Parser;
use crate::json::RepairKind;
use crate::reply::text::char_at;

/// The quotes around a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quote {
    Double,
    Single,
    Backtick,
    /// Typographic double quotes; each of them closes the string.
    Smart,
    /// Typographic single quotes.
    SmartSingle,
    FullWidth,
    /// A quote after a backslash, in a document that was escaped as a whole.
    Escaped,
}

impl Quote {
    /// Return the quote that opens a string here.
    pub(super) fn at(parser: &Parser<'_>, at: usize) -> Option<Self> {
        match parser.byte(at) {
            b'"' => Some(Self::Double),
            b'\'' => Some(Self::Single),
            b'`' if !parser.is_fence(at) => Some(Self::Backtick),
            b'\\' if parser.byte(at + 1) == b'"' => Some(Self::Escaped),
            0xe2 => match char_at(parser.text, at) {
                Some('\u{201c}' | '\u{201d}' | '\u{201e}') => Some(Self::Smart),
                Some('\u{2018}' | '\u{2019}') => Some(Self::SmartSingle),
                _ => None,
            },
            0xef if char_at(parser.text, at) == Some('\u{ff02}') => Some(Self::FullWidth),
            _ => None,
        }
    }

    /// Return the closing byte, if the closing quote is always this one byte.
    pub(super) fn byte(self) -> Option<u8> {
        match self {
            Self::Double => Some(b'"'),
            Self::Single => Some(b'\''),
            Self::Backtick => Some(b'`'),
            Self::Smart | Self::SmartSingle | Self::FullWidth | Self::Escaped => None,
        }
    }

    /// Return its length in bytes.
    pub(super) fn length(self) -> usize {
        match self {
            Self::Double | Self::Single | Self::Backtick => 1,
            Self::Escaped => 2,
            Self::Smart | Self::SmartSingle | Self::FullWidth => 3,
        }
    }

    /// Whether a matching closing quote is here.
    pub(super) fn closes_at(self, parser: &Parser<'_>, at: usize) -> bool {
        match self {
            Self::Double => parser.byte(at) == b'"',
            Self::Single => parser.byte(at) == b'\'',
            Self::Backtick => parser.byte(at) == b'`',
            Self::Escaped => parser.byte(at) == b'\\' && parser.byte(at + 1) == b'"',
            Self::Smart => {
                parser.byte(at) == b'"'
                    || (parser.byte(at) == 0xe2 && matches!(char_at(parser.text, at), Some('\u{201c}' | '\u{201d}')))
            }
            Self::SmartSingle => {
                parser.byte(at) == 0xe2 && matches!(char_at(parser.text, at), Some('\u{2018}' | '\u{2019}'))
            }
            Self::FullWidth => parser.byte(at) == 0xef && char_at(parser.text, at) == Some('\u{ff02}'),
        }
    }

    pub(super) fn closing_length(self, parser: &Parser<'_>, at: usize) -> usize {
        if self == Self::Smart && parser.byte(at) == b'"' { 1 } else { self.length() }
    }

    pub(super) fn repair(self) -> Option<RepairKind> {
        match self {
            Self::Double => None,
            Self::Single | Self::Backtick => Some(RepairKind::SingleQuotes),
            Self::Smart | Self::SmartSingle => Some(RepairKind::SmartQuotes),
            Self::FullWidth => Some(RepairKind::FullWidth),
            Self::Escaped => Some(RepairKind::EscapedQuotes),
        }
    }

    /// Find the next byte that may begin a quote or a backslash.
    pub(super) fn next(self, text: &[u8]) -> Option<usize> {
        match self {
            Self::Double => memchr::memchr2(b'"', b'\\', text),
            Self::Single => memchr::memchr2(b'\'', b'\\', text),
            Self::Backtick => memchr::memchr2(b'`', b'\\', text),
            Self::Escaped => memchr::memchr(b'\\', text),
            Self::Smart => memchr::memchr3(0xe2, b'"', b'\\', text),
            Self::SmartSingle => memchr::memchr2(0xe2, b'\\', text),
            Self::FullWidth => memchr::memchr2(0xef, b'\\', text),
        }
    }
}
