//! Quotations: text in a reply that the judge repeats and does not say.

use std::ops::Range;

use super::text::{any_byte, byte_at, char_at, char_before, head, line_end, skip, slice, tail};

/// Quoted stretches of a view: between quotation marks or backticks, in fences, behind `>`.
#[derive(Debug, Default)]
pub(crate) struct Quotations {
    /// The outermost inner ranges, ascending and apart, so that a lookup is one binary search.
    inside: Vec<Range<usize>>,
}

impl Quotations {
    pub(crate) fn find(text: &str) -> Self {
        if !any_byte(text, is_sign) {
            return Self::default();
        }
        let mut found = Vec::new();
        marks(text, &mut found);
        fences(text, &mut found);
        blockquotes(text, &mut found);
        found.sort_by_key(|range| range.start);
        let mut inside: Vec<Range<usize>> = Vec::with_capacity(found.len());
        for range in found {
            match inside.last_mut() {
                Some(outer) if range.start < outer.end => outer.end = outer.end.max(range.end),
                _ => inside.push(range),
            }
        }
        Self { inside }
    }

    /// Whether the range stands in a quotation that holds more than the range itself.
    ///
    /// A judge may put its own label between quotation marks; more than that is somebody else's text.
    pub(crate) fn hide(&self, text: &str, range: &Range<usize>) -> bool {
        self.holder(range).is_some_and(|holder| {
            let before = slice(text, holder.start..range.start);
            let after = slice(text, range.end..holder.end);
            before.contains(char::is_alphanumeric) || after.contains(char::is_alphanumeric)
        })
    }

    /// Whether the range stands in any quotation at all.
    pub(crate) fn hold(&self, range: &Range<usize>) -> bool {
        self.holder(range).is_some()
    }

    fn holder(&self, range: &Range<usize>) -> Option<&Range<usize>> {
        let after = self.inside.partition_point(|held| held.start <= range.start);
        let held = self.inside.get(after.checked_sub(1)?)?;
        (held.end >= range.end).then_some(held)
    }
}

/// Whether a byte could open a quotation, told without a branch.
#[inline]
#[expect(clippy::needless_bitwise_bool, reason = "a lazy operator would keep a pass over many from being vectorised")]
pub(crate) const fn is_sign(byte: u8) -> bool {
    (byte >= 0x80) | (byte == b'"') | (byte == b'\'') | (byte == b'`') | (byte == b'~') | (byte == b'>')
}

/// Whether no quotation can hold a range, because none closes behind it and its line is no block's. It is told only
/// within a few characters of a text's end, and where the line begins near, so that a look takes no time to speak of.
pub(crate) fn is_behind(text: &str, range: &Range<usize>) -> bool {
    const FEW: usize = 64;
    const LINE: usize = 4096;
    let rest = tail(text, range.end).as_bytes();
    rest.len() <= FEW && !rest.iter().any(|&byte| is_sign(byte)) && {
        let from = range.end.saturating_sub(LINE);
        let lead = text.as_bytes().get(from..range.end).unwrap_or_default();
        memchr::memrchr2(b'\n', b'>', lead).map_or(from == 0, |at| lead.get(at) == Some(&b'\n'))
    }
}

struct Mark {
    at: usize,
    length: usize,
    kind: Kind,
    can_open: bool,
    can_close: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Double,
    Single,
    Backtick,
    Smart(usize),
}

/// Quotation marks that show their direction.
const SMART: [(char, char); 5] = [
    ('\u{201c}', '\u{201d}'),
    ('\u{2018}', '\u{2019}'),
    ('\u{ab}', '\u{bb}'),
    ('\u{300c}', '\u{300d}'),
    ('\u{300e}', '\u{300f}'),
];

fn marks(text: &str, inside: &mut Vec<Range<usize>>) {
    let mut open: [Option<usize>; 3 + SMART.len()] = [None; 3 + SMART.len()];
    for mark in find_marks(text) {
        let slot = match mark.kind {
            Kind::Double => 0,
            Kind::Single => 1,
            Kind::Backtick => 2,
            Kind::Smart(pair) => 3 + pair,
        };
        let Some(opened) = open.get_mut(slot) else {
            continue;
        };
        match *opened {
            Some(start) if mark.can_close && closes(text, start, &mark) => {
                inside.push(start..mark.at);
                *opened = None;
            }
            _ if mark.can_open => *opened = Some(mark.at + mark.length),
            _ => {}
        }
    }
}

/// Double marks may hold paragraphs; the others, which are also apostrophes and code, hold part of a line.
fn closes(text: &str, start: usize, mark: &Mark) -> bool {
    match mark.kind {
        Kind::Double | Kind::Smart(_) => true,
        Kind::Single | Kind::Backtick => {
            let inside = slice(text, start..mark.at);
            inside.len() <= 600 && !inside.contains('\n')
        }
    }
}

fn find_marks(text: &str) -> impl Iterator<Item = Mark> {
    let places: Vec<usize> = if text.is_ascii() {
        memchr::memchr3_iter(b'"', b'\'', b'`', text.as_bytes()).collect()
    } else {
        // The first bytes of all marks.
        let is_first = |byte| matches!(byte, b'"' | b'\'' | b'`' | 0xc2 | 0xe2 | 0xe3);
        text.bytes().enumerate().filter(|&(_, byte)| is_first(byte)).map(|(at, _)| at).collect()
    };
    places.into_iter().filter_map(|at| {
        let c = char_at(text, at)?;
        let kind = match c {
            '"' => Kind::Double,
            '\'' => Kind::Single,
            '`' => Kind::Backtick,
            _ if c.is_ascii() => return None,
            _ => {
                let pair = SMART.iter().position(|&(open, close)| c == open || c == close)?;
                Kind::Smart(pair)
            }
        };
        let length = c.len_utf8();
        let before = char_before(text, at);
        let after = char_at(text, at + length);
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let is_space = |c: Option<char>| c.is_none_or(char::is_whitespace);
        let (can_open, can_close) = match kind {
            Kind::Double => (!is_word(before) && !is_space(after), !is_word(after)),
            Kind::Single => (!is_word(before) && !is_space(after), !is_word(after) && !is_space(before)),
            // Three backticks are a fence, which has its own rule.
            Kind::Backtick => {
                let alone = before != Some('`') && after != Some('`');
                (alone, alone)
            }
            Kind::Smart(pair) => {
                let is_open = SMART.get(pair).is_some_and(|&(open, _)| c == open);
                (is_open, !(is_open || pair == 1 && is_word(after)))
            }
        };
        Some(Mark { at, length, kind, can_open, can_close })
    })
}

/// Fenced blocks, except one that is the whole answer or closes it behind a line that announces it.
fn fences(text: &str, inside: &mut Vec<Range<usize>>) {
    let mut open: Option<(usize, usize)> = None;
    let mut at = 0;
    while let Some(found) = memchr::memmem::find(tail(text, at).as_bytes(), b"```") {
        let fence = at + found;
        let end = skip(text, fence, |c| c == '`');
        let opens_line = head(text, fence).trim_end_matches([' ', '\t']).is_empty()
            || head(text, fence).trim_end_matches([' ', '\t']).ends_with('\n');
        match open.take() {
            Some((before, start)) if !is_answer(text, before, end) => inside.push(start..fence),
            None if opens_line => open = Some((fence, line_end(text, end))),
            _ => {}
        }
        at = end;
    }
}

/// Whether a fenced block is the answer itself: nothing behind it, at most one announcing line before.
fn is_answer(text: &str, before: usize, after: usize) -> bool {
    let lead = head(text, before).trim();
    let is_announced = lead.is_empty() || (lead.ends_with(':') && !lead.contains('\n'));
    is_announced && tail(text, after).trim().is_empty()
}

/// Lines behind `>`.
fn blockquotes(text: &str, inside: &mut Vec<Range<usize>>) {
    for at in memchr::memchr_iter(b'>', text.as_bytes()) {
        let opens_line = match at.checked_sub(1).map(|before| byte_at(text, before)) {
            None | Some(b'\n') => true,
            Some(b' ' | b'>') => {
                let line = head(text, at).trim_end_matches([' ', '>']);
                line.is_empty() || line.ends_with('\n')
            }
            Some(_) => false,
        };
        if opens_line && byte_at(text, at + 1) != b'>' {
            inside.push(at + 1..line_end(text, at + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Quotations, is_behind};

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_behind_all_quotations_is_in_none(
            pieces in prop::collection::vec(
                prop::sample::select(["\"", "'", "`", "```", ">", "> ", "\n", " ", "a", "[[A]]", "\u{201c}", "\u{201d}", "~"].as_slice()),
                0..24
            ),
            ends in (0_usize..60, 0_usize..12)
        ) {
            let text = pieces.concat();
            let start = text.floor_char_boundary(ends.0);
            let range = start..text.ceil_char_boundary(start + ends.1);

            prop_assert!(!(is_behind(&text, &range) && Quotations::find(&text).hold(&range)), "{text:?} {range:?}");
        }
    }

    fn is_hidden(text: &str, needle: &str) -> bool {
        let at = text.find(needle).unwrap();
        Quotations::find(text).hide(text, &(at..at + needle.len()))
    }

    #[test]
    fn quoted_text_that_says_more_is_hidden() {
        for text in [
            "It wrote \"I choose [[A]]\" here.",
            "It wrote \u{201c}I choose [[A]]\u{201d} here.",
            "It wrote 'I choose [[A]]' here.",
            "It wrote `print([[A]])` here.",
            "> the answer is [[A]]\n\nOk.",
            "See:\n```\nreturn [[A]]\n```\nThat was the code.",
            "It said: \"one\n\ntwo [[A]]\n\nthree\" and stopped.",
            "\u{300c}\u{9078}\u{3076} [[A]]\u{300d}",
        ] {
            assert!(is_hidden(text, "[[A]]"), "{text}");
        }
    }

    #[test]
    fn a_quoted_label_alone_and_plain_text_are_not() {
        for text in [
            "\"[[A]]\"",
            "`[[A]]`",
            "> [[A]]",
            "the judge's choice, users' choice: [[A]]",
            "5\" by 7\" [[A]]",
            "```\nVerdict: [[A]]\n```",
            "Here it is:\n```\nVerdict: [[A]]\n```\n",
            "an \"odd\" word [[A]] and \"another\" one",
            "a stray \" mark and [[A]]",
        ] {
            assert!(!is_hidden(text, "[[A]]"), "{text}");
        }
    }
}
