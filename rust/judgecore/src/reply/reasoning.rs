//! Reasoning and chat-template tokens: which parts of a reply the judge meant to be read.

use std::ops::Range;

use super::text::{byte_at, byte_before, char_at, char_before, continues_word, head, slice, starts_with_at, tail};

/// Which parts of a reply are its answer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    /// Ascending byte ranges of the reply, without reasoning and template tokens.
    pub(crate) spans: Vec<Range<usize>>,
    /// The reply ends inside its reasoning, so no answer was written.
    pub(crate) is_unclosed: bool,
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

/// What opens a channel's name in a harmony reply.
const CHANNEL: &str = "<|channel|>";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Token {
    Open(usize),
    Close(usize),
    EndOfTurn,
    Skip,
}

struct Event {
    range: Range<usize>,
    token: Token,
}

/// Whether `[THINK]` or `[/THINK]` stands in the reply.
pub(crate) fn has_bracketed_tag(reply: &str) -> bool {
    memchr::memchr_iter(b']', reply.as_bytes()).any(|at| head(reply, at).ends_with("THINK"))
}

/// Set reasoning and template tokens aside; None where a reply has neither, so that all of it counts.
pub(crate) fn answer(reply: &str) -> Option<Answer> {
    let Some(events) = events(reply) else {
        return Some(harmony(reply));
    };
    if events.is_empty() {
        return stripped_channels(reply);
    }
    let mut spans: Vec<Range<usize>> = Vec::new();
    let mut cursor = 0;
    let mut depth = 0_usize;
    let mut family = 0;
    let mut last_close = None;
    for event in &events {
        match event.token {
            Token::Open(opened) if depth == 0 => {
                push(&mut spans, cursor..event.range.start);
                (depth, family, last_close) = (1, opened, None);
            }
            Token::Open(opened) if opened == family => depth += 1,
            Token::Close(closed) if depth > 0 && closed == family => {
                depth -= 1;
                last_close = Some(event.range.end);
                cursor = event.range.end;
            }
            // The opening tag stood in the prompt, so everything up to here is reasoning.
            Token::Close(_) if depth == 0 => {
                spans.clear();
                cursor = event.range.end;
            }
            Token::EndOfTurn if depth == 0 => {
                push(&mut spans, cursor..event.range.start);
                if spans.iter().any(|span| !is_blank(slice(reply, span.clone()))) {
                    return Some(Answer { spans, is_unclosed: false });
                }
                cursor = event.range.end;
            }
            Token::Skip if depth == 0 => {
                push(&mut spans, cursor..event.range.start);
                cursor = event.range.end;
            }
            _ => {}
        }
    }
    let is_unclosed = depth > 0 && last_close.is_none();
    if is_unclosed {
        spans.clear();
    } else {
        push(&mut spans, cursor..reply.len());
    }
    Some(Answer { spans, is_unclosed })
}

fn push(spans: &mut Vec<Range<usize>>, span: Range<usize>) {
    if span.start < span.end {
        spans.push(span);
    }
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}

/// All tags and tokens, found in one pass because reasoning is long; None where the reply is one of channels.
fn events(reply: &str) -> Option<Vec<Event>> {
    let mut events = Vec::new();
    let mut at = 0;
    // Where reasoning is open, nothing counts but tags of its family, and most begin alike.
    let (mut family, mut depth) = (0, 0_usize);
    loop {
        let rest = tail(reply, at).as_bytes();
        let is_in_tags = depth > 0 && family < TAGS.len();
        let found = if is_in_tags { memchr::memchr(b'<', rest) } else { memchr::memchr3(b'<', b'[', 0xe2, rest) };
        let Some(found) = found else {
            break;
        };
        at += found;
        if starts_with_at(reply, at, CHANNEL) {
            return None;
        }
        if let Some((length, token)) = token_at(reply, at)
            && !is_quoted(reply, at, at + length)
        {
            match token {
                Token::Open(opened) if depth == 0 => (family, depth) = (opened, 1),
                Token::Open(opened) if opened == family => depth += 1,
                Token::Close(closed) if closed == family => depth = depth.saturating_sub(1),
                _ => {}
            }
            let range = at..at + length;
            events.push(Event { range, token });
        }
        at += char_at(reply, at).map_or(1, char::len_utf8);
    }
    if let Some(length) = trailing_stop(reply) {
        let at = reply.trim_end().len() - length;
        let range = at..at + length;
        events.push(Event { range, token: Token::Skip });
    }
    Some(events)
}

/// `</s>` is also an HTML tag, so it counts only at the very end.
fn trailing_stop(reply: &str) -> Option<usize> {
    ["</s>", "[/s]"].into_iter().find(|stop| reply.trim_end().ends_with(stop)).map(str::len)
}

fn token_at(reply: &str, at: usize) -> Option<(usize, Token)> {
    match byte_at(reply, at + 1) {
        b'|' | b'e' | b'b' | b's' | 0x80.. => {
            if let Some(stop) = END_OF_TURN.iter().find(|t| starts_with_at(reply, at, t)) {
                return Some((stop.len(), Token::EndOfTurn));
            }
            let start = START_OF_TURN.iter().find(|t| starts_with_at(reply, at, t));
            if let Some(start) = start {
                return Some((start.len(), Token::Skip));
            }
        }
        _ => {}
    }
    for (family, (open, close)) in (TAGS.len()..).zip(PAIRS) {
        if starts_with_at(reply, at, open) {
            return Some((open.len(), Token::Open(family)));
        }
        if starts_with_at(reply, at, close) {
            return Some((close.len(), Token::Close(family)));
        }
    }
    if byte_at(reply, at) != b'<' {
        return None;
    }
    let is_close = byte_at(reply, at + 1) == b'/';
    let name_at = at + 1 + usize::from(is_close);
    if !byte_at(reply, name_at).is_ascii_alphabetic() {
        return None;
    }
    let family = TAGS
        .iter()
        .position(|tag| starts_with_at(reply, name_at, tag) && byte_at(reply, name_at + tag.len()) == b'>')?;
    let length = name_at - at + TAGS.get(family)?.len() + 1;
    let token = if is_close { Token::Close(family) } else { Token::Open(family) };
    Some((length, token))
}

/// A tag between quotation marks or backticks is spoken about, not used.
fn is_quoted(reply: &str, start: usize, end: usize) -> bool {
    let before = byte_before(reply, start);
    // A mark that closes what stands before it, or opens what comes behind, quotes something else.
    let closes = |c: char| continues_word(c) || matches!(c, '.' | '!' | '?' | ',' | ')' | ']' | '}' | '>');
    matches!(before, b'`' | b'"' | b'\'')
        && byte_at(reply, end) == before
        && !char_before(reply, start - 1).is_some_and(closes)
        && !char_at(reply, end + 1).is_some_and(continues_word)
}

/// The final channel of a harmony reply (`gpt-oss`), where its tokens are still there.
fn harmony(reply: &str) -> Answer {
    const MESSAGE: &str = "<|message|>";
    let mut spans = Vec::new();
    let mut cursor = 0;
    while let Some(at) = memchr::memmem::find(tail(reply, cursor).as_bytes(), CHANNEL.as_bytes()) {
        let name_at = cursor + at + CHANNEL.len();
        // A channel's name is short; looking further would make hostile input quadratic.
        let rest = tail(reply, name_at);
        let header = head(rest, rest.floor_char_boundary(64));
        let Some(named) = memchr::memmem::find(header.as_bytes(), MESSAGE.as_bytes()) else {
            cursor = name_at;
            continue;
        };
        let is_final = starts_with_at(header.trim_start(), 0, "final");
        let body_at = name_at + named + MESSAGE.len();
        let body_end = message_end(reply, body_at);
        if is_final {
            push(&mut spans, body_at..body_end);
        }
        cursor = body_end;
    }
    let is_unclosed = spans.is_empty();
    Answer { spans, is_unclosed }
}

fn message_end(reply: &str, body_at: usize) -> usize {
    const ENDS: [&str; 6] = ["<|end|>", "<|return|>", "<|call|>", "<|start|>", "<|channel|>", "<|eot_id|>"];
    memchr::memmem::find_iter(tail(reply, body_at).as_bytes(), b"<|")
        .map(|at| body_at + at)
        .find(|&at| ENDS.iter().any(|end| starts_with_at(reply, at, end)))
        .unwrap_or(reply.len())
}

/// A harmony reply whose special tokens a server removed: `analysis…assistantfinal…`.
fn stripped_channels(reply: &str) -> Option<Answer> {
    const FINAL: &str = "assistantfinal";
    if !reply.starts_with("analysis") {
        return None;
    }
    let at = memchr::memmem::rfind(reply.as_bytes(), FINAL.as_bytes())?;
    let start = at + FINAL.len();
    Some(Answer { spans: std::iter::once(start..reply.len()).collect(), is_unclosed: false })
}

#[cfg(test)]
mod tests {
    use super::{Answer, answer};
    use crate::reply::text::slice;

    fn visible(reply: &str) -> Option<String> {
        let Answer { spans, is_unclosed } = answer(reply)?;
        assert!(!is_unclosed || spans.is_empty());
        (!is_unclosed).then(|| spans.into_iter().map(|span| slice(reply, span)).collect())
    }

    #[test]
    fn plain_text_has_nothing_to_set_aside() {
        for reply in ["", "Score: 8", "a < b and <b>c</b>", "the tag `<think>` is odd"] {
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
        ] {
            assert_eq!(visible(reply).as_deref(), Some(want), "{reply}");
        }
    }

    #[test]
    fn unclosed_reasoning_leaves_no_answer() {
        for reply in ["<think>a", "[[A]]<think>", "<think><think>a", "<|channel|>analysis<|message|>a"] {
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
            ("safe<|im_end|>\n<|im_start|>user\nunsafe", "safe"),
            ("<|im_start|>assistant\nsafe", "\nsafe"),
            ("<|eot_id|>safe", "safe"),
            ("4</s>", "4"),
        ] {
            assert_eq!(visible(reply).as_deref(), Some(want), "{reply}");
        }
    }
}
