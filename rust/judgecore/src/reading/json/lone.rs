//! The usual reply: one document in it, and nothing to be mended. Its value is made at once.

use std::ops::Range;

use super::start::{goes_on, next_start};
use super::{Wanted, written};
use crate::json::builder::{BuildError, Builder, Built, build};
use crate::json::{Repair, RepairKind, has_latex};
use crate::reading::outcome::{Mode, Rule};
use crate::reply::answer;
use crate::reply::text::{byte_at, slice};

/// A value that was made, and where its document stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Lone<V> {
    /// The value.
    pub value: V,
    /// Whether the document is all of the reply.
    pub rule: Rule,
    /// Byte range of the document in the reply.
    pub span: Range<usize>,
    /// What was left out around it.
    pub repairs: Vec<Repair>,
}

/// Why no value was made.
pub(super) enum Other<E> {
    /// The reply is another; at this place, if any, it takes a repair.
    Reply(Option<usize>),
    /// The builder failed.
    Failed(E),
}

/// Make the value of the only document of a reply, where nothing else can be meant.
pub(super) fn attempt<M: Builder>(
    reply: &str,
    wanted: Wanted<'_>,
    mode: Mode,
    builder: &mut M,
) -> Result<Lone<M::Value>, Other<M::Error>> {
    if reply.len() > wanted.limits.max_bytes || !wanted.any.is_empty() {
        return Err(Other::Reply(None));
    }
    let whole = written(reply);
    let mut opening = None;
    if matches!(byte_at(reply, whole.start), b'{' | b'[') {
        let document = document(reply, whole.clone(), wanted, mode, builder)?;
        if document.length == whole.len() {
            let is_fit = if document.is_object { document.has_keys } else { wanted.is_nothing() };
            let lone = Lone { value: document.value, rule: Rule::Whole, span: whole, repairs: Vec::new() };
            return if is_fit { Ok(lone) } else { Err(Other::Reply(None)) };
        }
        opening = Some(document);
    }
    if mode == Mode::Strict { Err(Other::Reply(None)) } else { embedded(reply, &whole, wanted, opening, builder) }
}

/// The only document of an answer that says more; `opening` is the one that the reply opens with.
fn embedded<M: Builder>(
    reply: &str,
    whole: &Range<usize>,
    wanted: Wanted<'_>,
    opening: Option<Built<M::Value>>,
    builder: &mut M,
) -> Result<Lone<M::Value>, Other<M::Error>> {
    let answer = answer(reply);
    let spans = match &answer {
        Some(answer) => answer.spans.as_slice(),
        None => std::slice::from_ref(whole),
    };
    let first = spans.iter().find_map(|span| Some((next_start(reply, span.clone())?, span.end)));
    let (start, end) = first.ok_or(Other::Reply(None))?;
    let document = match opening.filter(|opening| start == whole.start && start + opening.length <= end) {
        Some(opening) => opening,
        None => document(reply, start..end, wanted, Mode::Lenient, builder)?,
    };
    let span = start..start + document.length;
    let rest = spans.iter().map(|other| other.start.max(span.end)..other.end);
    let is_lone = document.is_object
        && document.has_keys
        && document.is_filled_in
        && !slice(reply, span.end..end).contains(['}', '\u{ff5d}'])
        && rest.filter(|rest| !rest.is_empty()).all(|rest| next_start(reply, rest).is_none())
        && !spans.iter().any(|span| may_be_wrapped(slice(reply, span.clone())));
    if !is_lone {
        return Err(Other::Reply(None));
    }
    let mut repairs = Vec::with_capacity(2);
    if span.start > whole.start {
        repairs.push(Repair { kind: RepairKind::SurroundingText, at: 0 });
    }
    if span.end < whole.end {
        repairs.push(Repair { kind: RepairKind::SurroundingText, at: span.end });
    }
    let rule = if repairs.is_empty() { Rule::Whole } else { Rule::Json };
    Ok(Lone { value: document.value, rule, span, repairs })
}

/// Make the value of the document that begins with the range, or give the place where it takes a repair, if any.
fn document<M: Builder>(
    reply: &str,
    range: Range<usize>,
    wanted: Wanted<'_>,
    mode: Mode,
    builder: &mut M,
) -> Result<Built<M::Value>, Other<M::Error>> {
    let start = range.start;
    let text = slice(reply, range);
    let document = build(text, wanted.all, wanted.limits.max_depth, builder).map_err(|why| match why {
        BuildError::Rejected => Other::Reply(Some(start)),
        BuildError::TooDeep => Other::Reply(None),
        BuildError::Failed(error) => Other::Failed(error),
    })?;
    let is_mended = has_latex(slice(text, 0..document.length)) || goes_on(text, document.length);
    if is_mended && mode == Mode::Lenient { Err(Other::Reply(Some(start))) } else { Ok(document) }
}

/// Whether text may be a document inside a string, or a Python tuple.
fn may_be_wrapped(text: &str) -> bool {
    let text = text.trim();
    text.starts_with('"') || text.trim_end_matches('`').trim_end().ends_with(')')
}
