//! Reasoning and chat-template tokens: which parts of a reply the judge meant to be read.

use std::borrow::Cow;
use std::ops::Range;

use super::quotation::Quotations;
use super::text::{ahead, byte_at, char_at, head, line_end, slice, starts_with_at, tag_name_at, tail};

/// Which parts of a reply are its answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// Ascending byte ranges of the reply, without reasoning and template tokens.
    pub(crate) spans: Vec<Range<usize>>,
    /// The reply ends inside its reasoning, so no answer was written.
    pub(crate) is_unclosed: bool,
}

/// A reply with blank lines in the place of its reasoning, as long as it.
pub(crate) fn answered(reply: &str) -> Cow<'_, str> {
    let Some(answer) = answer(reply) else { return Cow::Borrowed(reply) };
    let mut text = String::with_capacity(reply.len());
    for span in answer.spans {
        text.extend(std::iter::repeat_n('\n', span.start - text.len()));
        text.push_str(slice(reply, span));
    }
    text.extend(std::iter::repeat_n('\n', reply.len() - text.len()));
    Cow::Owned(text)
}

/// Tags that judges put around reasoning: `DeepSeek`, Qwen, Granite (think), Glider (reasoning), Seed,
/// and those that prompts ask for.
const TAGS: [&str; 11] = [
    "think",
    "thinking",
    "thought",
    "thoughts",
    "reasoning",
    "analysis",
    "reflection",
    "scratchpad",
    "seed:think",
    "internal_reasoning",
    "inner_thoughts",
];

/// Other spellings of an opening and a closing tag: Magistral, Kimi, Sky-T1.
const PAIRS: [(&str, &str); 3] = [
    ("[THINK]", "[/THINK]"),
    ("\u{25c1}think\u{25b7}", "\u{25c1}/think\u{25b7}"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
];

/// Tokens after which a model's turn is over; what follows is a runaway generation.
const END_OF_TURN: [&str; 10] = [
    "<|eot_id|>",
    "<|im_end|>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|eom_id|>",
    "<|end|>",
    "<|return|>",
    "<end_of_turn>",
    "<eos>",
    "<\u{ff5c}end\u{2581}of\u{2581}sentence\u{ff5c}>",
];

/// Tokens that open a turn, with the role that may follow them.
const START_OF_TURN: [&str; 11] = [
    "<|start_header_id|>assistant<|end_header_id|>",
    "<|im_start|>assistant",
    "<start_of_turn>model",
    "<|start|>assistant",
    "<|begin_of_text|>",
    "<|assistant|>",
    "<|im_start|>",
    "<bos>",
    "<s>",
    "<|begin_of_solution|>",
    "<|end_of_solution|>",
];

/// What ends a message of a harmony reply.
const ENDS_OF_MESSAGE: [&str; 6] = ["<|end|>", "<|return|>", "<|call|>", "<|start|>", CHANNEL, "<|eot_id|>"];

/// What opens a channel's name in a harmony reply.
const CHANNEL: &str = "<|channel|>";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Open(usize),
    Close(usize),
    EndOfTurn,
    Skip,
    Channel,
}

struct Token {
    range: Range<usize>,
    kind: Kind,
}

/// Whether `[THINK]` or `[/THINK]` stands in the reply.
pub(crate) fn has_bracketed_tag(reply: &str) -> bool {
    memchr::memchr_iter(b']', reply.as_bytes()).any(|at| head(reply, at).ends_with("THINK"))
}

/// Set reasoning and template tokens aside; None where a reply has neither, so that all of it counts.
pub(crate) fn answer(reply: &str) -> Option<Answer> {
    let mut tokens = tokens(reply);
    let mut quoted = Vec::new();
    if !tokens.is_empty() && !is_one_block(reply, &tokens) {
        // What a judge quotes is no structure of its own reply.
        let quotations = Quotations::find(reply);
        (quoted, tokens) = tokens.into_iter().partition(|token| quotations.hold(&token.range));
        if tokens.iter().any(|token| token.kind == Kind::Channel) {
            return Some(harmony(reply, &quotations));
        }
    }
    if let Some(stop) = trailing_stop(reply) {
        tokens.push(Token { range: stop, kind: Kind::Skip });
    }
    if tokens.is_empty() { glued_channels(reply) } else { Some(outside(reply, &tokens, &quoted)) }
}

/// Whether there is but one block, which opens the reply, so that it is no matter whether marks seem to quote its end.
fn is_one_block(reply: &str, tokens: &[Token]) -> bool {
    let [Token { range: open, kind: Kind::Open(family) }, close] = tokens else { return false };
    close.kind == Kind::Close(*family) && is_blank(head(reply, open.start)) && is_at_edge(reply, &close.range)
}

/// What stands outside of reasoning, up to the end of the turn.
fn outside(reply: &str, tokens: &[Token], quoted: &[Token]) -> Answer {
    let mut spans: Vec<Range<usize>> = Vec::new();
    let mut cursor = 0;
    // A reply that opens its reasoning itself has closed it where that block ends.
    let mut is_opened = false;
    // The families of which no tag closes any more.
    let mut unclosed = [false; TAGS.len() + PAIRS.len()];
    let mut rest = tokens;
    while let [token, behind @ ..] = rest {
        rest = behind;
        let Range { start, end } = token.range;
        let can_begin = can_begin(reply, start, cursor);
        push(reply, &mut spans, cursor..start);
        cursor = end;
        match token.kind {
            Kind::Open(family) => {
                let is_unclosed = unclosed.get(family).is_none_or(|known| *known);
                if let Some((nth, closed)) = if is_unclosed { None } else { close(behind, family) } {
                    is_opened |= spans.is_empty() && !is_blank(slice(reply, end..closed.start));
                    cursor = closed.end;
                    rest = behind.get(nth + 1..).unwrap_or_default();
                } else if can_begin {
                    let Some(closed) = last_close(reply, quoted, family).filter(|_| spans.is_empty()) else {
                        return Answer { spans: Vec::new(), is_unclosed: true };
                    };
                    is_opened = true;
                    cursor = closed;
                    rest = rest.get(rest.partition_point(|token| token.range.start < closed)..).unwrap_or_default();
                } else if let Some(known) = unclosed.get_mut(family) {
                    *known = true;
                }
            }
            // The opening tag stood in the prompt, so everything up to here is reasoning.
            Kind::Close(_) if !is_opened => spans.clear(),
            Kind::EndOfTurn if !spans.is_empty() => return Answer { spans, is_unclosed: false },
            _ => {}
        }
    }
    push(reply, &mut spans, cursor..reply.len());
    Answer { spans, is_unclosed: false }
}

/// The tag that closes a block of this family, or the last one where tags in it are spoken about, and its number.
fn close(tokens: &[Token], family: usize) -> Option<(usize, Range<usize>)> {
    let mut depth = 1_usize;
    let mut last = None;
    for (nth, token) in tokens.iter().enumerate() {
        if token.kind == Kind::Open(family) {
            depth += 1;
        } else if token.kind == Kind::Close(family) {
            depth -= 1;
            last = Some((nth, token.range.clone()));
        }
        if depth == 0 {
            break;
        }
    }
    last
}

/// Where the last tag ends that closes this family at an edge of a line. A quotation that is still open where reasoning
/// ends holds nothing, though the answer may have a mark that seems to close it.
fn last_close(reply: &str, quoted: &[Token], family: usize) -> Option<usize> {
    let mut closes = quoted.iter().rev().filter(|token| token.kind == Kind::Close(family));
    closes.find(|token| is_at_edge(reply, &token.range)).map(|token| token.range.end)
}

/// Whether nothing stands before a tag on its line, or nothing behind it.
fn is_at_edge(reply: &str, tag: &Range<usize>) -> bool {
    head(reply, tag.start).trim_end_matches([' ', '\t']).ends_with('\n')
        || is_blank(slice(reply, tag.end..line_end(reply, tag.end)))
}

/// Whether a tag can begin something: it opens a line, what was set aside up to `cursor` left out, or stands behind a
/// sentence or a verdict. In a sentence it is spoken about.
fn can_begin(reply: &str, start: usize, cursor: usize) -> bool {
    const STOPS: [char; 9] = ['.', '!', '?', ']', '}', '>', '\u{3002}', '\u{ff01}', '\u{ff1f}'];
    let before = slice(reply, cursor..start).rsplit('\n').next().unwrap_or_default();
    is_blank(before) || before.trim_end().ends_with(STOPS)
}

fn push(reply: &str, spans: &mut Vec<Range<usize>>, span: Range<usize>) {
    let held = slice(reply, span.clone());
    // A byte order mark before all else is no answer.
    let is_lead = span.start == 0 && is_blank(held);
    if !is_lead && !held.trim().is_empty() {
        spans.push(span);
    }
}

/// Whether nothing is written, white space and a byte order mark aside.
fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || c == '\u{feff}')
}

/// All tags and tokens, quoted or not, in one pass.
fn tokens(reply: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(found) = memchr::memchr3(b'<', b'[', 0xe2, tail(reply, at).as_bytes()) {
        at += found;
        if let Some((length, kind)) = token_at(reply, at) {
            tokens.push(Token { range: at..at + length, kind });
        }
        at += char_at(reply, at).map_or(1, char::len_utf8);
    }
    tokens
}

/// `</s>` is also an HTML tag, so it counts only at the very end.
fn trailing_stop(reply: &str) -> Option<Range<usize>> {
    let end = reply.trim_end().len();
    ["</s>", "[/s]"].iter().find(|stop| head(reply, end).ends_with(**stop)).map(|stop| end - stop.len()..end)
}

fn token_at(reply: &str, at: usize) -> Option<(usize, Kind)> {
    let is_angled = byte_at(reply, at) == b'<';
    if is_angled && starts_with_at(reply, at, CHANNEL) {
        return Some((CHANNEL.len(), Kind::Channel));
    }
    if is_angled && matches!(byte_at(reply, at + 1), b'|' | b'e' | b'b' | b's' | 0x80..) {
        let turns = [(&END_OF_TURN[..], Kind::EndOfTurn), (&START_OF_TURN[..], Kind::Skip)];
        let mut marks =
            turns.into_iter().flat_map(|(marks, kind)| marks.iter().map(move |mark| (mark.len(), kind, mark)));
        if let Some((length, kind, _)) = marks.find(|(.., mark)| starts_with_at(reply, at, mark)) {
            return Some((length, kind));
        }
    }
    for (family, (open, close)) in (TAGS.len()..).zip(PAIRS) {
        if starts_with_at(reply, at, open) {
            return Some((open.len(), Kind::Open(family)));
        }
        if starts_with_at(reply, at, close) {
            return Some((close.len(), Kind::Close(family)));
        }
    }
    if !is_angled {
        return None;
    }
    let is_close = byte_at(reply, at + 1) == b'/';
    let name_at = at + 1 + usize::from(is_close);
    let name = tag_name_at(reply, name_at).filter(|name| byte_at(reply, name_at + name.len()) == b'>')?;
    let family = TAGS.iter().position(|tag| tag.eq_ignore_ascii_case(name))?;
    let kind = if is_close { Kind::Close(family) } else { Kind::Open(family) };
    Some((name_at + name.len() + 1 - at, kind))
}

/// The final channel of a harmony reply (`gpt-oss`), where its tokens are still there.
fn harmony(reply: &str, quotations: &Quotations) -> Answer {
    const MESSAGE: &str = "<|message|>";
    let mut spans = Vec::new();
    let mut cursor = 0;
    while let Some(name_at) = next_own(reply, quotations, cursor, &[CHANNEL]).map(|at| at + CHANNEL.len()) {
        // A channel's name is short; looking further would make hostile input quadratic.
        let header = ahead(reply, name_at, 64);
        let Some(named) = header.find(MESSAGE) else {
            cursor = name_at;
            continue;
        };
        let body_at = name_at + named + MESSAGE.len();
        cursor = next_own(reply, quotations, body_at, &ENDS_OF_MESSAGE).unwrap_or(reply.len());
        if starts_with_at(header.trim_start(), 0, "final") {
            push(reply, &mut spans, body_at..cursor);
        }
    }
    let is_unclosed = spans.is_empty();
    Answer { spans, is_unclosed }
}

/// Where one of these tokens stands next that the judge does not quote.
fn next_own(reply: &str, quotations: &Quotations, from: usize, tokens: &[&str]) -> Option<usize> {
    let mut places = memchr::memmem::find_iter(tail(reply, from).as_bytes(), b"<|").map(|at| from + at);
    places.find(|&at| {
        let token = tokens.iter().find(|token| starts_with_at(reply, at, token));
        token.is_some_and(|token| !quotations.hold(&(at..at + token.len())))
    })
}

/// A harmony reply whose special tokens a server removed: `analysisWe…assistantfinal…`.
fn glued_channels(reply: &str) -> Option<Answer> {
    const FINAL: &str = "assistantfinal";
    let thought = reply.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}').strip_prefix("analysis")?;
    let mut spans = Vec::new();
    let found = memchr::memmem::rfind(reply.as_bytes(), FINAL.as_bytes());
    if let Some(at) = found {
        push(reply, &mut spans, at + FINAL.len()..reply.len());
    }
    // No word goes on behind `analysis`.
    let is_channel = found.is_some() || thought.starts_with(char::is_alphanumeric);
    is_channel.then_some(Answer { spans, is_unclosed: found.is_none() })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Answer, answer};
    use crate::reply::text::slice;

    const PIECES: [&str; 24] = [
        "<think>",
        "</think>",
        "<think>a</think>",
        "[THINK]",
        "[/THINK]",
        "</reasoning>",
        "<|im_end|>",
        "<s>",
        "</s>",
        "<|channel|>",
        "final<|message|>",
        "analysis",
        "assistantfinal",
        "\"",
        " \"",
        "`",
        "```\n",
        "\n",
        "\n> ",
        " ",
        "\u{feff}",
        "é",
        "a",
        "[[A]]",
    ];

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn an_answer_is_parts_of_the_reply_in_their_order(
            pieces in prop::collection::vec(prop::sample::select(PIECES.as_slice()), 0..24)
        ) {
            let reply = pieces.concat();
            let Some(Answer { spans, is_unclosed }) = answer(&reply) else { return Ok(()) };

            prop_assert!(!is_unclosed || spans.is_empty(), "{reply:?}");
            prop_assert!(spans.iter().all(|span| !slice(&reply, span.clone()).trim().is_empty()), "{reply:?} {spans:?}");
            prop_assert!(spans.windows(2).all(|pair| pair[0].end <= pair[1].start), "{reply:?} {spans:?}");
        }

        #[test]
        fn what_one_line_quotes_sets_nothing_aside(
            pieces in prop::collection::vec(prop::sample::select(&PIECES[..11]), 0..12)
        ) {
            let reply = format!("It says \"so {} it is\", [[A]]", pieces.concat());

            prop_assert_eq!(answer(&reply), None, "{:?}", reply);
        }
    }

    fn visible(reply: &str) -> Option<String> {
        let Answer { spans, is_unclosed } = answer(reply)?;
        assert!(!is_unclosed || spans.is_empty());
        (!is_unclosed).then(|| spans.into_iter().map(|span| slice(reply, span)).collect())
    }

    #[test]
    fn plain_text_has_nothing_to_set_aside() {
        for reply in ["", "Score: 8", "a < b and <b>c</b>", "the tag `<think>` is odd", "analysis: [[A]]"] {
            assert_eq!(answer(reply), None, "{reply}");
        }
    }

    #[test]
    fn closed_reasoning_is_set_aside() {
        for (reply, want) in [
            ("<think>[[A]]</think>[[B]]", "[[B]]"),
            ("<THINK>[[A]]</Think>\n[[B]]", "\n[[B]]"),
            ("[[A]]</think>[[B]]", "[[B]]"),
            ("<think>a <think> b</think> c</think>d", "d"),
            ("<think>the tag <think> is for thoughts</think>d", "d"),
            ("<think>say 'No'</think>'Yes'", "'Yes'"),
            ("<think>the tag `</think>` ends it</think>d", "d"),
            ("[THINK]a[/THINK]b", "b"),
            ("\u{25c1}think\u{25b7}a\u{25c1}/think\u{25b7}b", "b"),
            ("<|begin_of_thought|>a<|end_of_thought|>b", "b"),
            ("x<think>a</think>y<think>b</think>z", "xyz"),
            ("\u{feff}\n<think>a</think>b", "b"),
            ("[[A]] or \"so </think>[[B]]\"</think>c", "c"),
            ("<think>a</think>b, and </think> is said", "b, and  is said"),
            ("<think>\n</think>a</think>b", "b"),
            ("the tag <think> is never closed", "the tag  is never closed"),
            ("<think>```\na\n</think>\n```\nb\n```", "\n```\nb\n```"),
            ("<think>he says \"a\n</think>\nthe \"b\" of 5\" is c", "\nthe \"b\" of 5\" is c"),
        ] {
            assert_eq!(visible(reply).as_deref(), Some(want), "{reply}");
        }
    }

    #[test]
    fn unclosed_reasoning_leaves_no_answer() {
        for reply in [
            "<think>a",
            "[[A]]<think>",
            "[[A]]\n<think>",
            "Sure. <think>Is it [[A]]",
            "<think><think>a",
            "analysisWe [[A]]",
            "<|channel|>analysis<|message|>a",
        ] {
            assert_eq!(visible(reply), None, "{reply}");
        }
    }

    #[test]
    fn only_the_final_channel_is_read() {
        let reply =
            "<|channel|>analysis<|message|>safe?<|end|><|start|>assistant<|channel|>final<|message|>1<|return|>";
        assert_eq!(visible(reply).as_deref(), Some("1"));
        assert_eq!(visible("analysisMaybe 0.assistantfinal1").as_deref(), Some("1"));
    }

    #[test]
    fn a_turn_ends_at_its_token() {
        for (reply, want) in [
            ("safe<|eot_id|>", "safe"),
            ("\"so <|eot_id|> it is\", safe<|eot_id|>x", "\"so <|eot_id|> it is\", safe"),
            ("safe<|im_end|>\n<|im_start|>user\nunsafe", "safe"),
            ("<|im_start|>assistant\nsafe", "\nsafe"),
            ("<|eot_id|>safe", "safe"),
            ("4</s>", "4"),
        ] {
            assert_eq!(visible(reply).as_deref(), Some(want), "{reply}");
        }
    }
}
