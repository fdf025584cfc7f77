//! Reading JSON: the verdict object in any surroundings.

mod call;
mod contest;
mod entries;
mod guard;
mod lone;
mod path;
mod rank;
mod ranking;
mod scan;
mod start;
mod verdict;

use std::cell::Cell;
use std::ops::Range;
use std::sync::Arc;

use super::outcome::{Detail, Mode, Outcome, Reason, Rule, Unreadable};
use super::{Told, read_text};
use crate::format::document::JsonReader;
use crate::format::{Format, Limits};
use crate::json::lenient::{self, Problem};
use crate::json::strict::{self, StrictError};
use crate::json::{self, Builder, Json, Repair, RepairKind};
use crate::reply::View;
use crate::reply::text::{byte_at, head, slice, trim_range};
use contest::{Found, Judge};
pub(super) use entries::read_entries;
pub(super) use guard::read_guard;
pub use lone::Lone;
use lone::Other;
pub(super) use ranking::read_ranking;
use scan::Scan;

/// What a document must have to hold the verdict.
#[derive(Clone, Copy, Default)]
struct Wanted<'k> {
    /// All of these keys.
    all: &'k [String],
    /// One of these keys or paths, unless there are none.
    any: &'k [String],
    /// All of these keys or paths.
    parts: &'k [(String, Format)],
    /// Whether a key of `any` or `parts` must be written as it is declared.
    is_exact: bool,
    limits: Limits,
}

impl Wanted<'_> {
    /// Whether a value has what is wanted, apart from the entries that were cut.
    fn is_met_by(&self, value: &Json<'_>, cut: [Option<&str>; 2]) -> bool {
        let is_cut = |key: &str| cut.into_iter().flatten().any(|cut| path::is_alike(cut, key));
        let has = |key: &String| json::get(value, key).is_some() && !is_cut(key);
        let leads = |path: &String| path::follow(value, path, self.is_exact).is_some_and(|(key, _)| !is_cut(key));
        self.all.iter().all(has)
            && (self.any.is_empty() || self.any.iter().any(leads))
            && self.parts.iter().all(|(path, _)| leads(path))
    }

    fn missing(&self, value: &Json<'_>) -> String {
        let lacks = |key: &&String| path::follow(value, key, self.is_exact).is_none();
        let mut parts = self.parts.iter().map(|(path, _)| path);
        let first = self.all.iter().find(|key| json::get(value, key).is_none());
        first.or_else(|| parts.find(lacks)).or_else(|| self.any.first()).cloned().unwrap_or_default()
    }

    /// Whether nothing is wanted, so that a list can be what is looked for.
    fn is_nothing(&self) -> bool {
        self.all.is_empty() && self.any.is_empty() && self.parts.is_empty()
    }
}

/// jiter goes no deeper.
const JITER_DEPTH: usize = 200;

/// What JSON itself takes for white space.
const SPACE: [char; 4] = [' ', '\t', '\n', '\r'];

/// What reading with a builder gives.
#[derive(Debug, Clone, PartialEq)]
pub enum Read<'a, V> {
    /// The value of a reply's only document, made at once.
    Lone(Lone<V>),
    /// Any other outcome.
    Outcome(Outcome<'a>),
}

/// The document of a reply, or the entry of it that is the verdict.
pub(super) fn read<'a>(told: Told<'a, '_>, reader: &'a JsonReader) -> Outcome<'a> {
    read_from(told, reader, None)
}

/// The same, where the value is made of the document itself if nothing else can be meant.
pub(super) fn read_into<'a, M: Builder>(
    reply: &'a str,
    reader: &'a JsonReader,
    mode: Mode,
    is_cut: bool,
    builder: &mut M,
) -> Result<Read<'a, M::Value>, M::Error> {
    let refused = match lone::attempt(reply, wanted_by(reader), mode, builder) {
        Ok(lone) => return Ok(Read::Lone(lone)),
        Err(Other::Failed(error)) => return Err(error),
        Err(Other::Reply(refused)) => refused,
    };
    Ok(Read::Outcome(read_from(Told::all(reply, mode, is_cut), reader, refused)))
}

fn wanted_by(reader: &JsonReader) -> Wanted<'_> {
    let JsonReader { keys, verdict, limits, .. } = reader;
    Wanted { all: keys, any: verdict, limits: *limits, ..Wanted::default() }
}

/// Read a reply of which it may be known that the document at `refused` takes a repair.
fn read_from<'a>(told: Told<'a, '_>, reader: &'a JsonReader, refused: Option<usize>) -> Outcome<'a> {
    let is_found = Cell::new(false);
    let outcome = find(told, wanted_by(reader), refused, &|found| {
        let Some(format) = &reader.format else { return Ok(None) };
        is_found.set(true);
        let entry = reader.verdict.iter().find_map(|key| Some((key, found.entry(key).transpose()?)));
        let (key, entry) = entry.ok_or_else(|| lacking(reader.verdict.first().map_or("", String::as_str)))?;
        verdict::verdict_of(entry?.1, format, told.mode).map(Some).map_err(|other| verdict::failed(key, &other))
    });
    match outcome {
        Err(unreadable) if !is_found.get() => in_text(told, reader, unreadable),
        outcome => outcome,
    }
}

/// The verdict in plain text, of a judge that was asked for a document and wrote none.
fn in_text<'a>(told: Told<'a, '_>, reader: &'a JsonReader, unreadable: Unreadable<'a>) -> Outcome<'a> {
    // What begins as a document is held to be one where nothing is forgiven.
    let begins = told.reply.trim_start().starts_with(['{', '[', '`']);
    let is_absent = matches!(unreadable.reason, Reason::NoVerdict | Reason::Malformed | Reason::Refused)
        && !(told.mode == Mode::Strict && begins);
    match &reader.format {
        Some(format) if reader.is_in_text && is_absent => {
            // What the text says of itself is more telling than that it is no document.
            let mut reading = read_text(told, format).map_err(|other| match other.reason {
                Reason::NoVerdict if View::of(told.reply, told.shown).text().contains('{') => unreadable,
                _ => other,
            })?;
            // A verdict of a document has fields, if only none.
            reading.object.get_or_insert_with(|| Json::Object(Arc::default()));
            Ok(reading)
        }
        _ => Err(unreadable),
    }
}

/// Find the document that holds the verdict, and judge it.
fn find<'r>(told: Told<'r, '_>, wanted: Wanted<'_>, refused: Option<usize>, judge: &Judge<'_, 'r>) -> Outcome<'r> {
    let Told { reply, mode, is_cut, .. } = told;
    if reply.len() > wanted.limits.max_bytes {
        let words = format!("{} bytes are more than the limit of {}", reply.len(), wanted.limits.max_bytes);
        return Err(Unreadable::new(Reason::TooLarge, Detail::Words(words)));
    }
    let whole = written(reply);
    if slice(reply, whole.clone()).trim().is_empty() {
        let reason = if is_cut && !reply.is_empty() { Reason::Truncated } else { Reason::Empty };
        return Err(Unreadable::because(reason, "the reply is empty"));
    }
    if mode == Mode::Strict {
        return strictly(told, whole, Wanted { is_exact: true, ..wanted })?.judged(judge);
    }
    let mut scan = Scan::new(told, whole.clone(), wanted, refused, judge);
    if let Some(value) = scan.whole_document() {
        let value = call::unwrapped(value, wanted);
        if wanted.is_met_by(&value, [None; 2]) {
            return Found::new(value, Rule::Whole, whole, Vec::new()).judged(judge);
        }
        if matches!(value, Json::Object(_)) {
            return Err(lacking(&wanted.missing(&value)));
        }
    }
    scan.run()
}

/// The reply without white space at its ends.
fn written(reply: &str) -> Range<usize> {
    trim_range(reply, 0..reply.len(), |c| SPACE.contains(&c))
}

/// A value that jiter read from `text`, where it has all that a verdict may have, and means what it says.
fn sound<'r>(value: Json<'r>, text: &str, max_depth: usize) -> Option<Json<'r>> {
    let audit = json::audit(&value);
    let is_sound =
        !audit.has_duplicates && !audit.has_infinity && !json::has_latex(text) && !is_deeper(&value, max_depth);
    is_sound.then_some(value)
}

fn is_deeper(value: &Json<'_>, max_depth: usize) -> bool {
    max_depth < JITER_DEPTH && json::depth_of(value) > max_depth
}

/// Strict: the whole reply is one JSON value, of any type.
fn strictly<'r>(told: Told<'r, '_>, whole: Range<usize>, wanted: Wanted<'_>) -> Result<Found<'r>, Unreadable<'r>> {
    let Told { reply, is_cut, .. } = told;
    let text = slice(reply, whole.clone());
    let max_depth = wanted.limits.max_depth;
    let standard = match strict::read(text) {
        Ok(value) if json::audit(&value).has_infinity => return Err(huge()),
        Ok(value) if is_deeper(&value, max_depth) => return Err(too_deep(max_depth)),
        Ok(value) => Some(value).filter(|value| !json::audit(value).has_duplicates),
        Err(StrictError::TooDeep) => None,
        Err(StrictError::Wrong(problem, at)) => {
            let line = head(text, at).matches('\n').count() + 1;
            return Err(malformed(format!("not JSON: {problem}, line {line} of it, byte {at}")));
        }
    };
    if is_cut && !matches!(byte_at(text, 0), b'{' | b'[' | b'"') {
        return Err(cut());
    }
    let mut found = if let Some(value) = standard {
        Found::new(value, Rule::Whole, whole, Vec::new())
    } else {
        // Of a key that is given twice the last value counts, and the key is named.
        let document = lenient::Parser::read(reply, whole.start, whole.end, max_depth);
        let (end, problem) = (document.end, document.problem);
        let found = Found::of(document, Rule::Whole, whole.start);
        if let Some(problem) = problem {
            return Err(problematic(problem, max_depth));
        }
        let is_duplicate = |repair: &Repair| repair.kind == RepairKind::DuplicateKey;
        if end < whole.end || !found.repairs.iter().all(is_duplicate) {
            return Err(malformed("not JSON"));
        }
        found
    };
    if !wanted.is_met_by(&found.value, [None; 2]) {
        return Err(lacking(&wanted.missing(&found.value)));
    }
    found.is_exact = true;
    Ok(found)
}

fn nothing<'r>() -> Unreadable<'r> {
    Unreadable::because(Reason::NoVerdict, "there is no JSON document")
}

fn lacking<'r>(key: &str) -> Unreadable<'r> {
    Unreadable::new(Reason::NoVerdict, Detail::NoField(key.to_owned()))
}

fn malformed<'r>(words: impl Into<String>) -> Unreadable<'r> {
    Unreadable::new(Reason::Malformed, Detail::Words(words.into()))
}

fn cut<'r>() -> Unreadable<'r> {
    Unreadable::because(Reason::Truncated, "the reply was cut off inside its JSON")
}

fn huge<'r>() -> Unreadable<'r> {
    malformed("a number is too large for a float, or has more digits than an integer may have")
}

fn too_deep<'r>(max_depth: usize) -> Unreadable<'r> {
    malformed(format!("nested more deeply than {max_depth}"))
}

fn problematic<'r>(problem: Problem, max_depth: usize) -> Unreadable<'r> {
    match problem {
        Problem::TooDeep => too_deep(max_depth),
        Problem::HugeNumber => huge(),
    }
}
