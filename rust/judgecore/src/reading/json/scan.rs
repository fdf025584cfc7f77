//! The search for documents in a reply.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use super::call;
use super::contest::{Contest, Found, Judge};
use super::rank::Rank;
use super::start::{Braces, fenced_document, goes_on, is_escaped, next_start};
use super::{SPACE, Wanted, cut, huge, lacking, malformed, nothing, problematic, sound};
use crate::json::lenient::{Document, Ending, Parser, Problem};
use crate::json::strict;
use crate::json::{self, Json, Repair, RepairKind};
use crate::reading::outcome::{Outcome, Reason, Rule, Unreadable};
use crate::reading::{Told, refusal};
use crate::reply::text::{byte_at, head, skip, slice, tail};
use crate::reply::{Answer, Quotations, answer, answered};

/// How often a string that swallowed a fenced document is given up for that document.
const MOST_RESUMPTIONS: usize = 8;

/// What the strict reader made of the document that begins at a place.
struct Tried<'r> {
    start: usize,
    /// The value and its length; None where it takes a repair.
    found: Option<(Json<'r>, usize)>,
}

/// The search through the reply's answer.
pub(super) struct Scan<'r, 'c> {
    told: Told<'r, 'c>,
    reply: &'r str,
    /// The reply without white space at its ends.
    whole: Range<usize>,
    wanted: Wanted<'c>,
    contest: Contest<'r, 'c>,
    /// What need not be tried again.
    tried: Option<Tried<'r>>,
    missing: Option<String>,
    problem: Option<Problem>,
    resumptions: usize,
    /// What is open in the prose of the segment.
    braces: Braces,
    /// Where the first document stands, as long as it is the only one.
    first: Option<Range<usize>>,
    /// Looked for once there is a second document.
    quotations: OnceCell<Quotations>,
}

impl<'r, 'c> Scan<'r, 'c> {
    pub(super) fn new(
        told: Told<'r, 'c>,
        whole: Range<usize>,
        wanted: Wanted<'c>,
        refused: Option<usize>,
        judge: &'c Judge<'c, 'r>,
    ) -> Self {
        Self {
            told,
            reply: told.reply,
            whole,
            wanted,
            contest: Contest::new(judge),
            tried: refused.map(|start| Tried { start, found: None }),
            missing: None,
            problem: None,
            resumptions: 0,
            braces: Braces::default(),
            first: None,
            quotations: OnceCell::new(),
        }
    }

    /// The whole reply as the standard wants it; None where that takes a repair.
    pub(super) fn whole_document(&mut self) -> Option<Json<'r>> {
        let text = slice(self.reply, self.whole.clone());
        let max_depth = self.wanted.limits.max_depth;
        match byte_at(text, 0) {
            b'{' | b'[' => {
                let start = self.whole.start;
                if self.tried.as_ref().is_some_and(|tried| tried.start == start) {
                    return None;
                }
                let found = strict::read_prefix(text);
                let is_whole = found.as_ref().is_some_and(|(_, length)| *length == text.len());
                let (value, found) = if is_whole { (found, None) } else { (None, found) };
                self.tried = Some(Tried { start, found });
                sound(value?.0, text, max_depth)
            }
            first @ (b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => {
                let value = strict::read(text).ok()?;
                let is_open_ended = self.told.is_cut && first != b'"';
                let is_wrapped = matches!(&value, Json::Str(text) if text.trim_start().starts_with(['{', '[']));
                sound(value, text, max_depth).filter(|_| !is_open_ended && !is_wrapped)
            }
            _ => None,
        }
    }

    /// Find all documents, and read the one that is meant.
    pub(super) fn run(mut self) -> Outcome<'r> {
        let answer = answer(self.reply);
        match &answer {
            None => self.segment(0..self.reply.len()),
            Some(answer) => answer.spans.iter().for_each(|span| self.segment(span.clone())),
        }
        if let Some(problem) = self.problem {
            return Err(problematic(problem, self.wanted.limits.max_depth));
        }
        let Some(best) = self.contest.rank() else {
            let is_blank = |span: &Range<usize>| slice(self.reply, span.clone()).trim().is_empty();
            if answer.as_ref().is_some_and(|answer| !answer.is_unclosed && answer.spans.iter().all(is_blank)) {
                let reason = if self.told.is_cut { Reason::Truncated } else { Reason::Empty };
                return Err(Unreadable::because(reason, "there is no answer behind the reasoning"));
            }
            return self.nothing(answer.as_ref());
        };
        let is_cut = self.contest.is_cut();
        if !best.has_keys {
            return Err(if is_cut { cut() } else { lacking(&self.missing.unwrap_or_default()) });
        }
        if !best.is_filled_in {
            return Err(Unreadable::because(Reason::NoVerdict, "the only JSON document is a template without values"));
        }
        if !best.stands_alone {
            return Err(malformed("the JSON document stands inside another one, which can't be read"));
        }
        // With keys named, those stand whole before the cut.
        if is_cut && self.wanted.is_nothing() && (self.told.is_cut || !best.is_filled) {
            return Err(cut());
        }
        self.contest.decide().unwrap_or_else(|| Err(nothing()))
    }

    /// Neither an object nor a list: a lone value, a document in a string, or nothing.
    fn nothing(self, answer: Option<&Answer>) -> Outcome<'r> {
        if answer.is_some_and(|answer| answer.is_unclosed) {
            return Err(Unreadable::because(
                Reason::Truncated,
                "the reasoning was never closed, so no answer was written",
            ));
        }
        let text = self.reply.trim().trim_start_matches('\u{feff}').trim_start();
        if self.wanted.is_nothing()
            && let Ok(value) = strict::read(text)
        {
            if self.told.is_cut && !matches!(value, Json::Str(_)) {
                return Err(cut());
            }
            let start = self.reply.len() - self.reply.trim_start().trim_start_matches('\u{feff}').trim_start().len();
            if json::audit(&value).has_infinity {
                return Err(huge());
            }
            let mut repairs = Vec::new();
            if self.whole.len() != text.len() {
                repairs.push(Repair { kind: RepairKind::WhiteSpace, at: 0 });
            }
            return Found::new(value, Rule::Whole, start..start + text.len(), repairs).judged(self.contest.judge());
        }
        let is_refusal = |span: &Range<usize>| refusal::is_refusal(slice(self.reply, span.clone()).trim_start());
        if answer.map_or_else(|| is_refusal(&(0..self.reply.len())), |answer| answer.spans.iter().any(is_refusal)) {
            return Err(Unreadable::because(Reason::Refused, "the judge declined to judge"));
        }
        Err(if self.told.is_cut {
            Unreadable::because(Reason::Truncated, "the reply was cut off before its JSON began")
        } else {
            nothing()
        })
    }

    fn segment(&mut self, segment: Range<usize>) {
        let mut at = segment.start;
        if let Some(end) = self.wrapped(&segment).or_else(|| self.tuple(&segment)) {
            at = end;
        }
        while let Some(start) = next_start(self.reply, at..segment.end) {
            self.braces.count(self.reply, at..start);
            at = self.candidate(start, &segment);
            if self.problem.is_some() {
                return;
            }
        }
    }

    /// A document inside a JSON string that is all of the segment, its quotes there or not.
    fn wrapped(&mut self, segment: &Range<usize>) -> Option<usize> {
        let text = slice(self.reply, segment.clone());
        let start = segment.start + skip(text, 0, char::is_whitespace);
        let text = text.trim();
        let (inside, kind) = match byte_at(text, 0) {
            b'"' => match strict::read(text) {
                Ok(Json::Str(Cow::Owned(inside))) => (inside, RepairKind::NestedString),
                _ => return None,
            },
            b'{' | b'[' if is_escaped(text) => match strict::read(&format!("\"{text}\"")) {
                Ok(Json::Str(inside)) => (inside.into_owned(), RepairKind::EscapedQuotes),
                _ => return None,
            },
            _ => return None,
        };
        let inside = inside.trim();
        let document = sound(strict::read(inside).ok()?, inside, self.wanted.limits.max_depth)?;
        let place = start..start + text.len();
        let is_document = matches!(document, Json::Object(_) | Json::Array(_)) && !self.is_echo(&place);
        if !is_document || !self.wanted.is_met_by(&document, [None; 2]) {
            return None;
        }
        let repairs = vec![Repair { kind, at: start }];
        let found = Found::new(document.into_static(), Rule::Json, place, repairs);
        self.contest.enter(Rank::BEST, found, false);
        Some(segment.end)
    }

    /// A Python tuple that is all of the segment, or all of the code fence that ends it.
    fn tuple(&mut self, segment: &Range<usize>) -> Option<usize> {
        let text = slice(self.reply, segment.clone()).trim_end();
        if !self.wanted.is_nothing() || !matches!(text.as_bytes().last(), Some(b')' | b'`')) {
            return None;
        }
        let body = text.strip_suffix("```").unwrap_or(text).trim_end();
        if !body.ends_with(')') {
            return None;
        }
        let begin = segment.start + skip(body, 0, char::is_whitespace);
        let body = body.trim_start();
        let opening = body.rfind("```").map_or(0, |fence| {
            let behind = tail(body, fence + 3);
            body.len() - behind.trim_start_matches(|c: char| c.is_ascii_alphabetic()).trim_start().len()
        });
        let body = tail(body, opening);
        let inside = body.strip_prefix('(')?.trim_start();
        let is_value =
            inside.starts_with(['"', '\'', '(', '[', '{', '-']) || inside.starts_with(|c: char| c.is_ascii_digit());
        if !is_value {
            return None;
        }
        let start = begin + opening;
        let document = self.read(start, start + body.len());
        let is_whole =
            document.end == start + body.len() && document.problem.is_none() && document.ending != Some(Ending::Prose);
        if !is_whole {
            json::drop_iteratively(document.value);
            return None;
        }
        self.take(document, start);
        Some(segment.end)
    }

    /// Read the document that begins here, and give the place to go on from.
    fn candidate(&mut self, start: usize, segment: &Range<usize>) -> usize {
        let document = self.read(start, segment.end);
        if let Some(problem) = document.problem {
            self.problem = Some(problem);
            json::drop_iteratively(document.value);
            return segment.end;
        }
        let mut next = document.next.max(start + 1);
        if document.ending == Some(Ending::Cut)
            && self.resumptions < MOST_RESUMPTIONS
            && let Some(fence) = fenced_document(self.reply, start, segment.end)
        {
            // An unclosed string ran over a document that stands in a fence of its own.
            self.resumptions += 1;
            next = fence;
        }
        if self.is_document(&document, start, segment) && !self.is_echo(&(start..document.end)) {
            self.take(document, start);
        } else {
            json::drop_iteratively(document.value);
        }
        next
    }

    /// Weigh a document.
    fn take(&mut self, mut document: Document<'r>, start: usize) {
        if document.ending.is_none() {
            document.value = call::unwrapped(document.value, self.wanted);
        }
        let is_fit = self.wanted.is_nothing() || matches!(document.value, Json::Object(_));
        // Where the reply is known to be cut off, a document without its end may have gone on, and so may its last text.
        let edge_key = document.edge_key.as_deref().filter(|_| self.told.is_cut);
        let is_cut = match document.ending {
            Some(Ending::Cut) => true,
            Some(Ending::Prose) => self.told.is_cut,
            Some(Ending::Fence) | None => edge_key.is_some(),
        };
        let has_keys = is_fit && self.wanted.is_met_by(&document.value, [document.cut_key.as_deref(), edge_key]);
        if !has_keys && self.missing.is_none() {
            self.missing = Some(self.wanted.missing(&document.value));
        }
        let stands_alone = !self.braces.enclose(self.reply, document.end);
        let is_own = self.is_own(start..document.end);
        let rank = Rank { stands_alone, is_own, ..Rank::new(&document, has_keys) };
        self.braces.open(document.open_braces);
        if let Some(extra) = self.extra_brackets(&document) {
            document.repairs.push(Repair { kind: RepairKind::ExtraBracket, at: extra.start });
            document.end = extra.end;
        }
        if document.end < self.whole.end {
            document.repairs.push(Repair { kind: RepairKind::SurroundingText, at: document.end });
        }
        if start > self.whole.start {
            document.repairs.insert(0, Repair { kind: RepairKind::SurroundingText, at: 0 });
        }
        let rule = if document.repairs.is_empty() { Rule::Whole } else { Rule::Json };
        self.contest.enter(rank, Found::of(document, rule, start), is_cut);
    }

    /// The brackets too many directly behind a document: `{"a": 1}}`.
    fn extra_brackets(&self, document: &Document<'_>) -> Option<Range<usize>> {
        let is_closer: &[char] = match document.value {
            Json::Object(_) => &['}', '\u{ff5d}'],
            _ => &[']', '\u{ff3d}'],
        };
        let at = skip(self.reply, document.end, |c| SPACE.contains(&c));
        let is_extra = document.ending.is_none() && tail(self.reply, at).starts_with(is_closer);
        is_extra.then(|| {
            let run = slice(self.reply, at..skip(self.reply, at, |c| SPACE.contains(&c) || is_closer.contains(&c)));
            at..at + run.trim_end_matches(SPACE).len()
        })
    }

    /// Whether a document is the judge's own; of the first one only worked out once there is a second.
    fn is_own(&mut self, place: Range<usize>) -> bool {
        let reply = self.reply;
        let Some(best) = self.contest.rank_mut() else {
            self.first = Some(place);
            return true;
        };
        let quotations = self.quotations.get_or_init(|| Quotations::find_unfenced(&answered(reply)));
        if let Some(first) = self.first.take() {
            best.is_own = !quotations.hide(&first);
        }
        !quotations.hide(&place)
    }

    /// Whether a document is copied from what the judge was shown.
    fn is_echo(&self, span: &Range<usize>) -> bool {
        let after = self.told.echoes.partition_point(|echo| echo.start <= span.start);
        let echo = after.checked_sub(1).and_then(|before| self.told.echoes.get(before));
        echo.is_some_and(|echo| span.end <= echo.end)
    }

    fn read(&mut self, start: usize, end: usize) -> Document<'r> {
        let text = slice(self.reply, start..end);
        let max_depth = self.wanted.limits.max_depth;
        let standard = match self.tried.take_if(|tried| tried.start == start) {
            Some(Tried { found: None, .. }) => None,
            Some(Tried { found: Some((value, length)), .. }) if length <= text.len() => Some((value, length)),
            _ => strict::read_prefix(text),
        };
        if let Some((value, length)) = standard
            && (!goes_on(text, length) || self.braces.enclose(self.reply, start + length))
            && let Some(value) = sound(value, head(text, length), max_depth)
        {
            return Document::standard(value, start + length);
        }
        Parser::read(self.reply, start, end, max_depth)
    }

    /// Whether a list is one, too: those of plain numbers and words stand in prose as citations and examples.
    fn is_document(&self, document: &Document<'_>, start: usize, segment: &Range<usize>) -> bool {
        let Json::Array(items) = &document.value else { return true };
        let is_rich = items.iter().any(|item| matches!(item, Json::Object(_) | Json::Str(_) | Json::Array(_)));
        let before = head(slice(self.reply, segment.clone()), start - segment.start).trim_end();
        let end = self.extra_brackets(document).map_or(document.end, |extra| extra.end);
        let behind = slice(self.reply, end..segment.end).trim_start();
        // The line of a fence is short; looking further back would make a long line of lists quadratic.
        let near = tail(before, before.ceil_char_boundary(before.len().saturating_sub(64)));
        let is_fenced = near.rsplit('\n').next().is_some_and(|line| line.trim_start().starts_with("```"));
        let is_alone = before.is_empty() && behind.is_empty();
        is_alone || is_fenced || (is_rich && !before.ends_with('['))
    }
}
