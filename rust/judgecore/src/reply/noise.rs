//! Noise: characters that a reader sees through, such as emphasis, zero-width marks and full-width forms.

use std::ops::Range;

use super::digit;
use super::text::{ahead, char_at, char_before, head, slice, tail};
use crate::blocks::places;

/// How a character looks to a reader of verdicts.
pub(super) enum Look {
    Same,
    Nothing,
    As(char),
}

/// A stretch of view text and the stretch of the reply that it stands for.
///
/// Both have one length where the text is the reply's own; a folded character has its own piece.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece {
    pub(crate) view: usize,
    pub(crate) reply: usize,
    pub(crate) view_length: usize,
    pub(crate) reply_length: usize,
}

/// No struck-out stretch is longer, in bytes.
const STRUCK: usize = 400;

/// Whether a byte is beyond ASCII or could begin noise or a tag, told without a branch. Most text is ASCII, and asks no more.
#[inline]
#[expect(clippy::needless_bitwise_bool, reason = "a lazy operator would keep a pass over many from being vectorised")]
pub(crate) const fn may_be_sign(byte: u8) -> bool {
    // Those beyond ASCII are below it as signed ones.
    (byte.cast_signed() < 0x20) & (byte != b'\n') & (byte != b'\t')
        | (byte == b'*')
        | (byte == b'_')
        | (byte == b'<')
        | (byte == b'~')
}

/// Whether a byte could begin noise or a tag, told without a branch. Letters of Latin, Greek, Cyrillic, Hebrew, Arabic,
/// Chinese, Japanese and Korean hold none; of a wide space it is the last byte.
#[inline]
#[expect(clippy::needless_bitwise_bool, reason = "a lazy operator would keep a pass over many from being vectorised")]
pub(crate) const fn is_sign(byte: u8) -> bool {
    (byte < 0x80) & may_be_sign(byte)
        | (byte == 0x80)
        | (byte == 0xc2)
        | (byte == 0xcd)
        | (byte >= 0xd9) & (byte <= 0xe2)
        | (byte == 0xea)
        | (byte >= 0xee)
}

/// Append what a reader sees of `span` to `view`, and where it stands to `pieces`.
pub(crate) fn see_through(reply: &str, span: Range<usize>, view: &mut String, pieces: &mut Vec<Piece>) {
    let mut run = span.start;
    let mut at = span.start;
    let bytes = reply.as_bytes().get(..span.end).unwrap_or_default();
    for place in places(bytes, span.start, is_sign) {
        let start = match bytes.get(..=place) {
            Some([.., 0xe3, 0x80, 0x80]) => place - 2,
            Some([.., 0x80]) => continue,
            _ => place,
        };
        let Some(c) = char_at(reply, start).filter(|_| start >= at) else { continue };
        at = start;
        let set_aside = match c {
            '~' => struck(reply, &span, at),
            '<' => deleted(reply, &span, at),
            _ => None,
        };
        let (length, look) = match (set_aside, c) {
            (Some(length), _) => (length, Look::Nothing),
            (None, '<') => (1, Look::Same),
            (None, '*' | '_' | '~') => emphasis(reply, &span, at, c),
            (None, _) => (c.len_utf8(), look(reply, at, c)),
        };
        match look {
            Look::Same => {}
            Look::Nothing => {
                copy(reply, run..at, view, pieces);
                run = at + length;
            }
            Look::As(other) => {
                copy(reply, run..at, view, pieces);
                pieces.push(Piece { view: view.len(), reply: at, view_length: other.len_utf8(), reply_length: length });
                view.push(other);
                run = at + length;
            }
        }
        at += length;
    }
    copy(reply, run..span.end, view, pieces);
}

fn copy(reply: &str, run: Range<usize>, view: &mut String, pieces: &mut Vec<Piece>) {
    if run.start < run.end {
        pieces.push(Piece { view: view.len(), reply: run.start, view_length: run.len(), reply_length: run.len() });
        view.push_str(slice(reply, run));
    }
}

/// How long a struck-out stretch is that begins at `at`, `~~4~~` or `~4~`: who strikes a word out takes it back.
fn struck(reply: &str, span: &Range<usize>, at: usize) -> Option<usize> {
    let near = ahead(slice(reply, 0..span.end), at, STRUCK);
    let mark = if near.starts_with("~~") { "~~" } else { "~" };
    let inner = near.strip_prefix(mark).filter(|inner| !inner.starts_with(['~', ' ', '\n']))?;
    let length = inner.find(mark).filter(|&length| length > 0)?;
    // "~5, ~6", "~5/~6" and "4~5" say about or to.
    let goes_on = |c: Option<char>| c.is_some_and(|c| c == '~' || c.is_alphanumeric());
    let is_pair = || {
        let is_inside = goes_on(char_before(reply, at)) || goes_on(char_at(inner, length + 1));
        !is_inside && !head(inner, length).ends_with(' ')
    };
    (!head(inner, length).contains('\n') && (mark.len() == 2 || is_pair())).then_some(length + 2 * mark.len())
}

/// The same, as HTML has it, `<del>8</del>`, and a comment, which nobody sees.
fn deleted(reply: &str, span: &Range<usize>, at: usize) -> Option<usize> {
    let near = ahead(slice(reply, 0..span.end), at, STRUCK);
    let (open, close) = [("<del>", "</del>"), ("<strike>", "</strike>"), ("<!--", "-->")]
        .into_iter()
        .find(|(open, _)| near.starts_with(open))?;
    near.find(close).map(|end| end + close.len()).filter(|_| near.len() > open.len())
}

/// A run of `*`, `_` or `~`: emphasis unless it stands free or inside a word.
fn emphasis(reply: &str, span: &Range<usize>, at: usize, mark: char) -> (usize, Look) {
    let rest = reply.as_bytes().get(at..span.end).unwrap_or_default();
    let length = rest.iter().take_while(|&&byte| char::from(byte) == mark).count();
    let before = char_before(reply, at).filter(|_| at > span.start);
    let after = char_at(reply, at + length).filter(|_| at + length < span.end);
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let is_free = |c: Option<char>| c.is_none_or(char::is_whitespace);
    let inside_word = is_word(before) && is_word(after) && (length == 1 || mark == '_');
    let stands_free = is_free(before) && is_free(after);
    let is_emphasis = match mark {
        '~' => length == 2 && !stands_free,
        _ => length <= 3 && !inside_word && !stands_free,
    };
    let look = if is_emphasis { Look::Nothing } else { Look::Same };
    (length, look)
}

pub(super) fn look(reply: &str, at: usize, c: char) -> Look {
    match c {
        '\r' if tail(reply, at + 1).starts_with('\n') => Look::Nothing,
        '\r' | '\u{b}' | '\u{c}' | '\u{1c}'..='\u{1e}' | '\u{85}' | '\u{2028}' | '\u{2029}' => Look::As('\n'),
        // Zero-width, direction, joiner and variation marks; a byte order mark; soft hyphens.
        '\u{ad}'
        | '\u{34f}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' => Look::Nothing,
        '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => Look::As(' '),
        // Full-width forms stand at a fixed distance from their ASCII originals.
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).map_or(Look::Same, Look::As),
        '\u{2212}' | '\u{2010}' | '\u{2011}' => Look::As('-'),
        // What parts the digits of a number in Arabic.
        '\u{66b}' => Look::As('.'),
        '\u{66c}' => Look::As(','),
        _ => digit::value(c).filter(|_| !c.is_ascii()).map_or(Look::Same, |digit| Look::As(char::from(b'0' + digit))),
    }
}

#[cfg(test)]
mod tests {
    use super::{Look, is_sign, look, see_through};

    fn seen(reply: &str) -> String {
        let (mut view, mut pieces) = (String::new(), Vec::new());
        see_through(reply, 0..reply.len(), &mut view, &mut pieces);
        let folded: usize = pieces.iter().map(|piece| piece.view_length).sum();
        assert_eq!(folded, view.len());
        view
    }

    #[test]
    fn emphasis_is_seen_through_and_arithmetic_is_not() {
        for (reply, want) in [
            ("**Score**: *8*", "Score: 8"),
            ("__yes__ _no_", "yes no"),
            ("2*3 = 2 * 3", "2*3 = 2 * 3"),
            ("NOT_ATTEMPTED", "NOT_ATTEMPTED"),
            ("* item", "* item"),
            ("**[[A]]**.", "[[A]]."),
            ("~~A~~ B ~5", " B ~5"),
            ("~A~ B", " B"),
            ("~5, ~6 or ~7/~8", "~5, ~6 or ~7/~8"),
        ] {
            assert_eq!(seen(reply), want, "{reply}");
        }
    }

    #[test]
    fn widths_marks_and_line_ends_are_folded() {
        for (reply, want) in [
            ("\u{feff}safe\r\nS1", "safe\nS1"),
            ("\u{ff28}\u{ff49}\u{ff1a}\u{ff18}", "Hi:8"),
            ("GRADE:\u{200b}C", "GRADE:C"),
            ("a\u{a0}b\u{3000}c", "a b c"),
            ("\u{2212}3", "-3"),
            ("unsafe\u{b}S1", "unsafe\nS1"),
            ("\u{1d7d6}", "8"),
        ] {
            assert_eq!(seen(reply), want, "{reply}");
            assert!(reply.bytes().any(is_sign));
        }
    }

    #[test]
    fn what_is_passed_over_looks_like_itself() {
        for c in ('\0'..=char::MAX).filter(|c| !c.to_string().bytes().any(is_sign)) {
            assert!(matches!(look(&c.to_string(), 0, c), Look::Same), "{c:?}");
        }
    }

    #[test]
    fn clean_text_is_known_to_be_clean() {
        assert!(!"Score: 8\n\tgood [[8]] -- \"yes\"".bytes().any(is_sign));
    }
}
