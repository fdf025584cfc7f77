//! What a verdict's word says where it stands in running text.

use std::ops::Range;

use crate::format::label::{Labels, Mention, Shape};
use crate::reading::context::{closes_text, prose_ranges, word_after};
use crate::reading::sentence::Sentences;
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

/// Whether a word is the key of a denial or a number, or a question: `unsafe: no`, `"safe": false`, `unsafe = 0.02`.
pub(super) fn is_denied_key(text: &str, end: usize) -> bool {
    let link = skip_near(text, end, |c| matches!(c, ' ' | '"' | '\'' | '`' | '*' | '?'));
    if !matches!(byte_at(text, link), b':' | b'=' | b'|') {
        return slice(text, end..link).contains('?');
    }
    let value = skip_near(text, link + 1, |c| matches!(c, ' ' | '"' | '\'' | '`' | '*' | '=' | '['));
    word_after(text, value).is_some_and(|word| {
        let is_number = word.text.bytes().all(|byte| byte.is_ascii_digit());
        word.start == value && (is_number || word.is(&["no", "false", "none", "null", "not", "n/a"]))
    })
}

/// Whether a lone mention says it of what is judged: `the content is unsafe`, `flagged as unsafe`, but not
/// `opened a safe`.
pub(super) fn is_predicate(text: &str, labels: &Labels, place: &Range<usize>) -> bool {
    if labels.at(text, place.start).is_none_or(|mention| !matches!(mention.shape, Shape::Word | Shape::Phrase)) {
        return true;
    }
    // A token of a chat template that no list knows stands before it.
    let line = slice(text, 0..place.start).rsplit('\n').next().unwrap_or("").trim();
    if line.starts_with("<|") && line.ends_with("|>") && !line.contains(' ') {
        return true;
    }
    let mut sentences = Sentences::new(text);
    let clause = sentences.at(place.start).clause(place);
    clause.is_predicate_label() || clause.is_judged_as()
}
