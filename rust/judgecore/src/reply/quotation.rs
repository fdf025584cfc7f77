//! Quotations: text in a reply that the judge repeats and does not say.

use std::ops::Range;

use crate::blocks::places;
use crate::lexicon::{self as class, lexicon};

use super::text::{
    LineEnds, ahead, any_byte, byte_at, byte_before, char_at, char_before, head, is_unspaced, line_end, lines, skip,
    skip_back_near, skip_near, slice, tag_name_at, tail, trim_range,
};

/// A longer line is no mere heading.
const HEADING: usize = 60;

/// Quoted stretches of a text: between quotation marks, backticks or HTML tags, in fences, behind `>`.
#[derive(Debug, Default)]
pub(crate) struct Quotations {
    /// The outermost ones, ascending and apart, so that a lookup is one binary search.
    outermost: Vec<Quotation>,
}

#[derive(Debug)]
struct Quotation {
    inside: Range<usize>,
    /// From its first letter or digit to its last one.
    said: Range<usize>,
}

impl Quotations {
    pub(crate) fn find(text: &str) -> Self {
        if !any_byte(text, is_sign) {
            return Self::default();
        }
        let mut found = Vec::new();
        marks(text, &mut found);
        // A reply that stands in quotation marks as a whole is the judge's own.
        let said = |range: Range<usize>| trim_range(text, range, |c| !c.is_alphanumeric());
        let all = said(0..text.len());
        let is_all = |range: &Range<usize>| range.start <= all.start && all.end <= range.end;
        found.retain(|range| !is_all(range) && !is_own_line(text, range));
        blocks(text, &mut found);
        Self::of(text, found)
    }

    /// Those that also hold a JSON document: in a fence the judge may write its own.
    pub(crate) fn find_unfenced(text: &str) -> Self {
        let mut found = Vec::new();
        marks(text, &mut found);
        found.extend(lines(text).filter_map(|line| quoted_line(text, &line)));
        Self::of(text, found)
    }

    fn of(text: &str, mut found: Vec<Range<usize>>) -> Self {
        found.sort_unstable_by_key(|range| range.start);
        found.dedup_by(|range, outer| {
            let is_inside = range.start < outer.end;
            outer.end = if is_inside { outer.end.max(range.end) } else { outer.end };
            is_inside
        });
        let quotation = |inside: Range<usize>| {
            let said = trim_range(text, inside.clone(), |c| !c.is_alphanumeric());
            Quotation { inside, said }
        };
        Self { outermost: found.into_iter().map(quotation).collect() }
    }

    /// Whether the range stands in a quotation that holds more than the range itself.
    ///
    /// A judge may put its own label between quotation marks; more than that is somebody else's text.
    pub(crate) fn hide(&self, range: &Range<usize>) -> bool {
        let holder = self.holder(range);
        holder.is_some_and(|Quotation { said, .. }| said.start < range.start || range.end < said.end)
    }

    /// Whether the range stands in any quotation at all.
    pub(crate) fn hold(&self, range: &Range<usize>) -> bool {
        self.holder(range).is_some()
    }

    /// All of them, ascending and apart.
    pub(super) fn into_inside(self) -> Vec<Range<usize>> {
        self.outermost.into_iter().map(|held| held.inside).collect()
    }

    fn holder(&self, range: &Range<usize>) -> Option<&Quotation> {
        let after = self.outermost.partition_point(|held| held.inside.start <= range.start);
        let held = self.outermost.get(after.checked_sub(1)?)?;
        (held.inside.end >= range.end).then_some(held)
    }
}

/// Whether a quotation is a line of its own that nothing but a heading for the verdict introduces: so a judge also writes
/// its last sentence.
fn is_own_line(text: &str, range: &Range<usize>) -> bool {
    let is_mark = |c: char| !c.is_alphanumeric() && c != '\n';
    let end = skip_near(text, range.end, is_mark);
    if !matches!(byte_at(text, end), 0 | b'\n') || slice(text, range.clone()).contains('\n') {
        return false;
    }
    let start = skip_back_near(text, range.start, is_mark);
    let is_above = byte_before(text, start) == b'\n';
    let before = if is_above { skip_back_near(text, start, char::is_whitespace) } else { range.start };
    let lead = head(text, before).trim_end_matches([' ', '*', '_', '"', '\u{201c}']);
    let is_introduced = lead.ends_with([':', '\u{ff1a}', ',', '\u{ff0c}']);
    let heading = || lead.get(lead.rfind('\n').map_or(0, |newline| newline + 1)..).unwrap_or("");
    if is_introduced { heads_verdict(heading()) } else { is_above }
}

/// `**Final verdict:**`, `Both agree, so my verdict is:`: whether nothing but a heading for a verdict ends a line.
fn heads_verdict(line: &str) -> bool {
    let line = line.rsplit(',').next().unwrap_or("");
    if line.len() > HEADING {
        return false;
    }
    let heading = class::ANNOUNCE | class::FINAL | class::WHOLE | class::SELF;
    let passes = heading | class::FILL | class::LINK | class::CONCLUDE;
    let words = || line.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words().any(|word| lexicon().classes(word) & heading != 0)
        && words().all(|word| lexicon().classes(word) & passes != 0)
}

/// Whether a byte could open a quotation, told without a branch.
#[inline]
#[expect(clippy::needless_bitwise_bool, reason = "a lazy operator would keep a pass over many from being vectorised")]
pub(crate) const fn is_sign(byte: u8) -> bool {
    (byte >= 0x80) | (byte == b'"') | (byte == b'\'') | (byte == b'`') | (byte == b'~') | (byte == b'>')
}

/// Whether no quotation can hold a range, because none opens before it, or none closes behind it and its line is no
/// block's. It is told only within a few characters of a text's ends, and where the line begins near, so that a look takes
/// no time to speak of.
pub(crate) fn is_outside(text: &str, range: &Range<usize>) -> bool {
    const FEW: usize = 64;
    const LINE: usize = 4096;
    let is_smart = |c: char| SMART.iter().any(|&(open, close)| c == open || c == close);
    let is_mark = |c: char| u8::try_from(c).ok().filter(u8::is_ascii).map_or_else(|| is_smart(c), is_sign);
    let is_clear = |text: &str| text.len() <= FEW && !text.chars().any(is_mark);
    is_clear(head(text, range.start))
        || is_clear(tail(text, range.end)) && {
            let from = range.end.saturating_sub(LINE);
            let lead = text.as_bytes().get(from..range.end).unwrap_or_default();
            memchr::memrchr2(b'\n', b'>', lead).map_or(from == 0, |at| lead.get(at) == Some(&b'\n'))
        }
}

struct Mark {
    kind: usize,
    length: usize,
    can_open: bool,
    can_close: bool,
}

const DOUBLE: usize = 0;
/// A double mark behind a backslash: it pairs with its like, and never closes what a plain one opened.
const ESCAPED: usize = 1;
const SINGLE: usize = 2;
const BACKTICK: usize = 3;
/// The kinds of [`SMART`] begin here, and behind them those of [`ELEMENTS`].
const DIRECTED: usize = 4;
const KINDS: usize = OTHERS + 1;

/// Quotation marks that show their direction.
const SMART: [(char, char); 6] = [
    ('\u{201c}', '\u{201d}'),
    ('\u{2018}', '\u{2019}'),
    ('\u{ab}', '\u{bb}'),
    ('\u{300c}', '\u{300d}'),
    ('\u{300e}', '\u{300f}'),
    LOW,
];

/// German marks close with the one that opens in English.
const LOW: (char, char) = ('\u{201e}', '\u{201c}');

/// The kind of the German marks.
const LOW_KIND: usize = DIRECTED + SMART.len() - 1;

/// HTML elements that hold what others wrote, and code. They may also set the judge's own verdict.
const ELEMENTS: [&str; 4] = ["blockquote", "q", "pre", "code"];

/// The kind of the elements whose name tells that somebody else's text stands in them.
const OTHERS: usize = DIRECTED + SMART.len() + ELEMENTS.len();

/// How much a single mark may hold that a word closes, which may be an apostrophe too.
const MOST_IN_SINGLE: usize = 600;

fn marks(text: &str, inside: &mut Vec<Range<usize>>) {
    let mut open: [Vec<usize>; KINDS] = [const { Vec::new() }; KINDS];
    let line_ends = LineEnds::new(text, |_| true);
    let paragraph_ends = LineEnds::new(text, |behind| behind.trim_start_matches([' ', '\t', '\r']).starts_with('\n'));
    let bytes = text.as_bytes();
    let plain = memchr::memchr3_iter(b'"', b'\'', b'`', bytes).chain(memchr::memchr_iter(b'<', bytes));
    // How the others are written begins with these two bytes, of which few letters have one.
    let second = places(bytes, 1, |byte| matches!(byte, 0x80 | 0xab | 0xbb));
    let directed = second
        .map(|at| at - 1)
        .filter(|&at| matches!(bytes.get(at..at + 2), Some([0xc2, 0xab | 0xbb] | [0xe2 | 0xe3, 0x80])));
    // Marks of different kinds know nothing of each other, so that they need not come in their order.
    for at in plain.chain(directed) {
        // An apostrophe in a word neither opens nor closes; it only breaks off what another mark has opened.
        if byte_at(text, at) == b'\''
            && byte_before(text, at).is_ascii_alphanumeric()
            && byte_at(text, at + 1).is_ascii_alphanumeric()
            && open.get(SINGLE).is_some_and(Vec::is_empty)
        {
            continue;
        }
        let Some(mut mark) = mark_at(text, at) else { continue };
        let is_low = open.get(LOW_KIND).is_some_and(|low| !low.is_empty());
        if is_low && char_at(text, at) == Some(LOW.1) {
            mark = Mark { kind: LOW_KIND, can_open: false, can_close: true, ..mark };
        }
        let Some(opened) = open.get_mut(mark.kind) else { continue };
        // The others may hold paragraphs, and each other.
        match (mark.kind, opened.last()) {
            (SINGLE, Some(&start)) if line_ends.end(start) < at => opened.clear(),
            // "the students' papers"
            (SINGLE, Some(&start))
                if at - start > MOST_IN_SINGLE && char_before(text, at).is_some_and(char::is_alphanumeric) =>
            {
                opened.clear();
            }
            (BACKTICK, Some(&start)) if paragraph_ends.end(start) < at => opened.clear(),
            (SINGLE, Some(_)) if !mark.can_close => opened.clear(),
            _ => {}
        }
        if mark.can_close
            && let Some(start) = opened.pop()
        {
            inside.push(start..at);
        } else if mark.can_open {
            opened.push(at + mark.length);
        }
    }
}

fn mark_at(text: &str, at: usize) -> Option<Mark> {
    let c = char_at(text, at)?;
    let kind = match c {
        '"' if backslashes(text, at) % 2 == 1 => ESCAPED,
        '"' => DOUBLE,
        '\'' => SINGLE,
        '`' => BACKTICK,
        '<' => return element_at(text, at),
        _ => DIRECTED + SMART.iter().position(|&(open, close)| c == open || c == close)?,
    };
    let length = c.len_utf8();
    let before = char_before(text, at);
    let after = char_at(text, at + length);
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let is_space = |c: Option<char>| c.is_none_or(char::is_whitespace);
    let (can_open, can_close) = match kind {
        SINGLE => (!is_word(before) && !is_space(after), !is_word(after) && !is_space(before)),
        // Three backticks are a fence, which has its own rule.
        BACKTICK => {
            let alone = before != Some('`') && after != Some('`');
            (alone, alone)
        }
        DIRECTED.. => {
            let pair = kind - DIRECTED;
            let is_open = SMART.get(pair).is_some_and(|&(open, _)| c == open);
            // Swedish opens with the mark that closes in English, and Danish turns the French marks around.
            let opens_turned = matches!(pair, 0 | 2) && !is_word(before) && !is_space(after);
            let closes_turned = pair == 2 && !is_word(after) && !is_space(before);
            (is_open || opens_turned, if is_open { closes_turned } else { pair != 1 || !is_word(after) })
        }
        // "이름은 "노란색"이라고": where words are not parted, a particle touches what is quoted.
        _ => {
            let is_apart = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() || is_unspaced(c));
            (is_apart(before) && !is_space(after), !is_word(after) || is_apart(after) && !is_space(before))
        }
    };
    Some(Mark { kind, length, can_open, can_close })
}

fn backslashes(text: &str, at: usize) -> usize {
    head(text, at).bytes().rev().take_while(|&byte| byte == b'\\').count()
}

/// The tag of an element that holds what others wrote.
fn element_at(text: &str, at: usize) -> Option<Mark> {
    let can_close = byte_at(text, at + 1) == b'/';
    let name = tag_name_at(text, at + 1 + usize::from(can_close))?;
    let (kind, length) = match ELEMENTS.iter().position(|element| *element == name) {
        // Its attributes are short.
        Some(nth) => (DIRECTED + SMART.len() + nth, ahead(text, at, 200).find('>')? + 1),
        // The name belongs to what is held, so that a lone value is hidden too.
        None if is_of_others(name) => (OTHERS, 0),
        None => return None,
    };
    Some(Mark { kind, length, can_open: !can_close, can_close })
}

/// `rubric`, `previous_verdict`, `student_answer`: whether the name of an element tells that it holds somebody else's text.
/// An `answer` may be the judge's, and a `student_score` is.
fn is_of_others(name: &str) -> bool {
    let words = || name.split(['_', '-']).map(|word| (word, lexicon().classes(word)));
    words().any(|(_, classes)| classes & (class::OTHER | class::SAMPLE) != 0)
        || words().any(|(word, _)| class::lists(class::ELEMENTS, word))
            && words().all(|(_, classes)| classes & class::ANNOUNCE == 0)
}

/// A fence that is open.
struct Fence {
    start: usize,
    inside: usize,
    mark: u8,
    length: usize,
}

/// Fenced blocks, except one that is the whole answer or closes it behind a line that announces it, and lines behind `>`.
fn blocks(text: &str, inside: &mut Vec<Range<usize>>) {
    if memchr::memchr3(b'`', b'~', b'>', text.as_bytes()).is_none() {
        return;
    }
    let start = skip(text, 0, char::is_whitespace);
    let first = start..line_end(text, start);
    let mut open: Option<Fence> = None;
    for line in lines(text) {
        let held = slice(text, line.clone());
        let first_byte = held.bytes().find(|byte| !matches!(byte, b' ' | b'\t'));
        if open.is_none() && !matches!(first_byte, Some(b'`' | b'~' | b'>')) {
            continue;
        }
        inside.extend(quoted_line(text, &line));
        let (bare, start) = (held.trim(), line.start + skip(held, 0, char::is_whitespace));
        let mark = byte_at(bare, 0);
        let length = bare.bytes().take_while(|&byte| byte == mark).count();
        let info = tail(bare, length).trim_start();
        let is_fence = length >= 3 && matches!(mark, b'`' | b'~') && !info.as_bytes().contains(&mark);
        // What has a language opens, also where the one before was never closed.
        let opens = is_fence && (open.is_none() || !info.is_empty() && !info.contains(' '));
        if opens {
            open = Some(Fence { start, inside: line.end, mark, length });
        } else if let Some(fence) = &open {
            let run = bare.bytes().rev().take_while(|&byte| byte == fence.mark).count();
            if run >= fence.length {
                let end = start + bare.len() - run;
                if !is_answer(text, &first, fence, end + run) {
                    inside.push(fence.inside..end);
                }
                open = None;
            }
        }
    }
}

/// Whether a fenced block is the answer itself: nothing behind it, at most one announcing line before, the text's first.
fn is_answer(text: &str, first: &Range<usize>, fence: &Fence, after: usize) -> bool {
    let lead = slice(text, first.start..fence.start).trim_end();
    let is_announced = lead.is_empty() || (lead.ends_with(':') && first.start + lead.len() <= first.end);
    is_announced && tail(text, after).trim_start().is_empty()
}

/// What stands behind `>` where a line begins.
fn quoted_line(text: &str, line: &Range<usize>) -> Option<Range<usize>> {
    let held = slice(text, line.clone());
    let inner = held.trim_start_matches([' ', '>']);
    head(held, held.len() - inner.len()).contains('>').then(|| line.end - inner.len()..line.end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Quotations, is_outside};

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_outside_all_quotations_is_in_none(
            pieces in prop::collection::vec(
                prop::sample::select(["\"", "'", "`", "```", ">", "> ", "<q>", "</q>", "\n", " ", "a", "[[A]]", "\u{201c}", "\u{201d}", "~"].as_slice()),
                0..24
            ),
            ends in (0_usize..60, 0_usize..12)
        ) {
            let text = pieces.concat();
            let start = text.floor_char_boundary(ends.0);
            let range = start..text.ceil_char_boundary(start + ends.1);

            prop_assert!(!(is_outside(&text, &range) && Quotations::find(&text).hold(&range)), "{text:?} {range:?}");
        }
    }

    fn is_hidden(text: &str, needle: &str) -> bool {
        let at = text.find(needle).unwrap();
        Quotations::find(text).hide(&(at..at + needle.len()))
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
            "It: \u{300c}\u{9078}\u{3076} [[A]]\u{300d}",
            "It wrote `code\nand [[A]]` here.",
            "It wrote \"the {\"score\": 9} and [[A]] is it\" here.",
            "{\"text\": \"it says \\\"yes\\\", so [[A]]\"}",
            "> > deep [[A]]",
            "It:\n~~~\nreturn [[A]]\n~~~\nThat was it.",
            "It: <blockquote>one\n\ntwo [[A]]</blockquote> Ok.",
            "```python\nopen\n```json\nreturn [[A]]\n```\nOk.",
        ] {
            assert!(is_hidden(text, "[[A]]"), "{text}");
        }
    }

    #[test]
    fn a_quoted_label_alone_and_plain_text_are_not() {
        for text in [
            "\"[[A]]\"",
            "\"My verdict is [[A]].\"",
            "`[[A]]`",
            "> [[A]]",
            "the judge's choice, users' choice: [[A]]",
            "5\" by 7\" [[A]]",
            "```\nVerdict: [[A]]\n```",
            "Here it is:\n```\nVerdict: [[A]]\n```\n",
            "an \"odd\" word [[A]] and \"another\" one",
            "a stray \" mark and [[A]]",
            "a `stray mark\n\nand [[A]] or `code`",
            "```python\nnever closed [[A]]\n```json\n{}\n```\nOk.",
            "<code>[[A]]</code>",
        ] {
            assert!(!is_hidden(text, "[[A]]"), "{text}");
        }
    }
}
