//! What a verdict's word says where it stands in running text.

use std::ops::Range;

use crate::format::label::{Labels, Mention, Shape};
use crate::reading::context::{
    clause_start, closes_text, is_among, prose_ranges, skip_closing, word_after, word_before,
};
use crate::reply::View;
use crate::reply::text::{byte_at, byte_before, skip_back_near, skip_near, slice};

/// The label that ends the reply behind a colon, where no other stands behind one: `The agent complied: PASS`.
pub(super) fn behind_colon(view: &View<'_>, labels: &Labels, is_refused: bool) -> Option<(usize, Range<usize>)> {
    if is_refused {
        return None;
    }
    let text = view.text();
    let mut last: Option<Mention> = None;
    for mention in prose_ranges(text).flat_map(|range| labels.mentions(text, range)) {
        let gap = skip_back_near(text, mention.start, |c| matches!(c, ' ' | '"' | '\'' | '*' | '(' | '['));
        if matches!(byte_before(text, gap), b':' | b'=') && !view.hides(&(mention.start..mention.end)) {
            if last.is_some_and(|last| last.label != mention.label) {
                return None;
            }
            last = Some(mention);
        }
    }
    let mention = last.filter(|mention| closes_text(text, mention.end))?;
    Some((mention.label, mention.start..mention.end))
}

/// What a word says that is the key of something: `unsafe: yes` is unsafe.
pub(super) enum Key {
    None,
    /// It is told whether the key is so.
    Said(bool),
    /// A number, or anything that says neither.
    Else,
}

/// Whether a word is the key of a truth or a number, as in `unsafe: no`, `"safe": false` or `unsafe = 0.02`.
pub(super) fn key(text: &str, end: usize) -> Key {
    let link = skip_near(text, end, |c| matches!(c, ' ' | '"' | '\'' | '`' | '*' | '?'));
    if !matches!(byte_at(text, link), b':' | b'=' | b'|') {
        // A question, and its answer if there is one.
        return if slice(text, end..link).contains('?') { Key::Else } else { Key::None };
    }
    let value = skip_near(text, link + 1, |c| matches!(c, ' ' | '"' | '\'' | '`' | '*' | '=' | '['));
    match word_after(text, value).filter(|word| word.start == value) {
        Some(word) if word.is(&["yes", "true"]) => Key::Said(true),
        Some(word) if word.is(&["no", "false", "none", "null", "not", "n/a"]) => Key::Said(false),
        Some(word) if word.text.bytes().all(|byte| byte.is_ascii_digit()) => Key::Else,
        _ => Key::None,
    }
}

// Rows of words.
#[rustfmt::skip]
const COPULAS: [&str; 18] = [
    "is", "are", "was", "were", "be", "been", "being", "seems", "seem", "appears", "appear", "looks", "remains",
    "judged", "rated", "answer", "it's", "that's",
];
/// These need nothing that they say it of: `flagged as unsafe`.
#[rustfmt::skip]
const VERDICTS: [&str; 10] = [
    "as", "deemed", "considered", "judged", "rated", "marked", "flagged", "labelled", "labeled", "classified",
];
#[rustfmt::skip]
const DEGREES: [&str; 12] = [
    "clearly", "completely", "definitely", "entirely", "perfectly", "totally", "very", "highly", "therefore", "thus",
    "a", "an",
];
/// What guards judge.
#[rustfmt::skip]
const JUDGED: [&str; 51] = [
    "it", "this", "it's", "that's", "these", "they", "content", "contents", "conversation", "conversations",
    "message", "messages", "request", "requests", "response", "responses", "prompt", "prompts", "query", "question",
    "answer", "text", "input", "output", "outputs", "reply", "interaction", "exchange", "statement", "dialogue",
    "dialog", "user", "user's", "users", "agent", "agent's", "assistant", "assistant's", "model", "ai", "instruction",
    "comment", "post", "chat", "completion", "turn", "verdict", "assessment", "classification", "result", "image",
];
#[rustfmt::skip]
const HEDGES: [&str; 33] = [
    "would", "could", "might", "may", "if", "whether", "should", "what", "how", "why", "that", "which", "who",
    "nothing", "anything", "something", "everything", "unless", "when", "where", "can", "asks", "asked", "thinks",
    "believes", "says", "said", "claims", "wants", "wonders", "cannot", "unable", "hardly",
];

/// Whether a lone mention says it of what is judged: `the content is unsafe`, but not `opened a safe`.
pub(super) fn is_predicate(text: &str, labels: &Labels, place: &Range<usize>) -> bool {
    if labels.at(text, place.start).is_none_or(|mention| !matches!(mention.shape, Shape::Word | Shape::Phrase)) {
        return true;
    }
    // A token of a chat template that no list knows stands before it.
    let line = slice(text, 0..place.start).rsplit('\n').next().unwrap_or("").trim();
    if line.starts_with("<|") && line.ends_with("|>") && !line.contains(' ') {
        return true;
    }
    let mut at = place.start;
    let copula = loop {
        match word_before(text, at) {
            Some(word) if is_among(word.text, &DEGREES) => at = word.start,
            Some(word) => break word,
            None => return false,
        }
    };
    let Some(start) = clause_start(text, place.start) else {
        return false;
    };
    let is_gap = slice(text, copula.end..place.start).chars().all(|c| !matches!(c, '.' | '!' | '?' | ';'));
    let words = || slice(text, start..copula.end).split(|c: char| !(c.is_alphanumeric() || c == '\''));
    let next = word_after(text, skip_closing(text, place.end));
    let is_open = next.is_some_and(|next| next.is(&["to", "if", "when", "unless", "only"]));
    let says = is_among(copula.text, &VERDICTS)
        || (is_among(copula.text, &COPULAS) && words().any(|word| is_among(word, &JUDGED)));
    is_gap && says && !is_open && !words().any(|word| is_among(word, &HEDGES))
}
