//! Quotation marks, as many kinds as judges use.

use super::Reader;
use crate::json::RepairKind;
use crate::reply::text::char_at;

/// What a string stands between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quote {
    Double,
    Single,
    Backtick,
    /// Typographic double quotes, of which any closes.
    Smart,
    /// Typographic single quotes.
    SmartSingle,
    FullWidth,
    /// A quote behind a backslash, in a document that was escaped as a whole.
    Escaped,
}

impl Quote {
    /// The quote that opens a string here.
    pub(super) fn at(reader: &Reader<'_>, at: usize) -> Option<Self> {
        match reader.byte(at) {
            b'"' => Some(Self::Double),
            b'\'' => Some(Self::Single),
            b'`' if !reader.is_fence(at) => Some(Self::Backtick),
            b'\\' if reader.byte(at + 1) == b'"' => Some(Self::Escaped),
            0xe2 => match char_at(reader.text, at) {
                Some('\u{201c}' | '\u{201d}' | '\u{201e}') => Some(Self::Smart),
                Some('\u{2018}' | '\u{2019}') => Some(Self::SmartSingle),
                _ => None,
            },
            0xef if char_at(reader.text, at) == Some('\u{ff02}') => Some(Self::FullWidth),
            _ => None,
        }
    }

    /// The byte that closes it, where that is one byte, whatever stands around it.
    pub(super) fn byte(self) -> Option<u8> {
        match self {
            Self::Double => Some(b'"'),
            Self::Single => Some(b'\''),
            Self::Backtick => Some(b'`'),
            Self::Smart | Self::SmartSingle | Self::FullWidth | Self::Escaped => None,
        }
    }

    /// How many bytes it has.
    pub(super) fn length(self) -> usize {
        match self {
            Self::Double | Self::Single | Self::Backtick => 1,
            Self::Escaped => 2,
            Self::Smart | Self::SmartSingle | Self::FullWidth => 3,
        }
    }

    /// Whether a quote that can close it stands here.
    pub(super) fn closes_at(self, reader: &Reader<'_>, at: usize) -> bool {
        match self {
            Self::Double => reader.byte(at) == b'"',
            Self::Single => reader.byte(at) == b'\'',
            Self::Backtick => reader.byte(at) == b'`',
            Self::Escaped => reader.byte(at) == b'\\' && reader.byte(at + 1) == b'"',
            Self::Smart => {
                reader.byte(at) == b'"'
                    || (reader.byte(at) == 0xe2 && matches!(char_at(reader.text, at), Some('\u{201c}' | '\u{201d}')))
            }
            Self::SmartSingle => {
                reader.byte(at) == 0xe2 && matches!(char_at(reader.text, at), Some('\u{2018}' | '\u{2019}'))
            }
            Self::FullWidth => reader.byte(at) == 0xef && char_at(reader.text, at) == Some('\u{ff02}'),
        }
    }

    pub(super) fn closing_length(self, reader: &Reader<'_>, at: usize) -> usize {
        if self == Self::Smart && reader.byte(at) == b'"' { 1 } else { self.length() }
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

    /// The next byte that may be a quote or a backslash.
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
