//! The two outcomes of reading a reply: a value with its evidence, or the reason why there is none.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use crate::format::label::Labels;
use crate::format::{Format, Kind, Side};
use crate::json::{Json, Repair, drop_iteratively};
use crate::names::named;

named! {
    /// How far a reader goes in search of a verdict.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub enum Mode {
        /// All evidence a careful reader would accept, strongest first.
        #[default]
        Lenient = "lenient",
        /// Only what the format documents.
        Strict = "strict",
        /// The publisher's own rule, defects included.
        Paper = "paper",
    }
}

named! {
    /// Where in the order of evidence a value was found.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    #[non_exhaustive]
    pub enum Rule {
        /// The whole reply is a label.
        Whole = "whole",
        /// The format's own marker.
        Marker = "marker",
        /// Where the judge was asked to put the verdict.
        Place = "place",
        /// A label behind a cue such as `Verdict:` or `I give it`.
        Labelled = "labelled",
        /// A sentence that names the winner.
        Statement = "statement",
        /// The opening words.
        Opening = "opening",
        /// The closing line.
        Closing = "closing",
        /// One lone mention with no negation.
        Mention = "mention",
        /// Named lines or keys, one for each field.
        Fields = "fields",
        /// A JSON document inside other text, or a broken one.
        Json = "json",
        /// The publisher's own rule.
        Publisher = "publisher",
        /// A value that the publisher's rule invents where it finds none.
        PublisherDefault = "publisher_default",
        /// The probabilities of the tokens at the verdict's place.
        Logprobs = "logprobs",
    }
}

named! {
    /// Why a reply can't be read.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Reason {
        /// There is no reply.
        Missing = "missing",
        /// The reply is empty or white space.
        Empty = "empty",
        /// There is text, but no verdict in it.
        NoVerdict = "no_verdict",
        /// Two verdicts contradict each other.
        Ambiguous = "ambiguous",
        /// The value lies outside the format's scale.
        OutOfRange = "out_of_range",
        /// Only what others wrote is there: the judge copied a verdict from what it was shown.
        Echoed = "echoed",
        /// The reply was cut off before or inside the verdict.
        Truncated = "truncated",
        /// The marker is there, but what it holds is no verdict.
        Malformed = "malformed",
        /// The judge declined to judge.
        Refused = "refused",
        /// The reply exceeds a limit of size or depth.
        TooLarge = "too_large",
        /// Too little probability stands on the labels.
        LowMass = "low_mass",
    }
}

/// What a reading says. Labels are borrowed from the format that was read.
#[derive(Debug, Clone, PartialEq)]
pub enum Value<'f> {
    /// Of a binary format.
    Bool(bool),
    /// Of a score format; finite.
    Score(f64),
    /// Of a format of several scores; finite.
    Scores(Vec<f64>),
    /// The canonical label of a choice format, and its place among the format's labels.
    Label(usize, &'f str),
    /// Of a format of named fields, in the format's order.
    Fields(Vec<(&'f str, Value<'f>)>),
    /// Of a guard format.
    Guard(GuardVerdict<'f>),
    /// Of a ranking format: names, best first.
    Ranking(Vec<String>),
    /// Of an order format: the rank of each candidate, 1 is best; those who tie share the better one.
    Order(Vec<u32>),
    /// Of a JSON format without a verdict key.
    Json(Json<'f>),
}

impl<'f> Value<'f> {
    /// A label of a binary or a choice format.
    pub(super) fn of_label(format: &Format, labels: &'f Labels, label: usize) -> Self {
        if format.kind() == Kind::Binary { Self::Bool(label == 1) } else { Self::Label(label, labels.name(label)) }
    }
}

/// What a guard says. A side that it leaves out or contradicts itself on is None.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GuardVerdict<'f> {
    /// The side that the format declares as its subject.
    pub is_unsafe: Option<bool>,
    /// Whether the prompt is unsafe.
    pub prompt_unsafe: Option<bool>,
    /// Whether the response is unsafe.
    pub response_unsafe: Option<bool>,
    /// Violated categories as the guard wrote them, without repetition.
    pub categories: Vec<Cow<'f, str>>,
    /// The guard's other answers by name.
    pub fields: Vec<(&'f str, FieldValue<'f>)>,
    /// The side that `is_unsafe` speaks of; a verdict that was read has one.
    pub side: Option<Side>,
    /// The name of each of the categories; what the family does not define is its own name.
    pub names: Vec<Cow<'f, str>>,
    /// The hazards of [`crate::taxonomy`] that the categories have, each once.
    pub hazards: Vec<&'static str>,
    /// Those of them that no category is certain of, because it also holds other things.
    pub uncertain_hazards: Vec<&'static str>,
}

/// One of a guard's answers.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum FieldValue<'f> {
    /// Not applicable, or not said.
    None,
    /// Yes or no.
    Bool(bool),
    /// One of the format's words.
    Word(&'f str),
    /// A number.
    Number(f64),
    /// Text that the guard wrote.
    Text(String),
    /// A list of texts that the guard wrote.
    Texts(Vec<Cow<'f, str>>),
}

/// A value that was read, and where.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading<'f> {
    /// What the judge said.
    pub value: Value<'f>,
    /// By which rule it was found.
    pub rule: Rule,
    /// Byte range of the evidence in the reply; empty where the value was invented.
    pub span: Range<usize>,
    /// The whole document, where the value is one of its entries.
    pub object: Option<Json<'f>>,
    /// What was mended to read it, in the order of the reply.
    pub repairs: Vec<Repair>,
}

impl<'f> Reading<'f> {
    /// A reading of what stands in the reply as it is.
    pub(crate) fn new(value: Value<'f>, rule: Rule, span: Range<usize>) -> Self {
        Self { value, rule, span, object: None, repairs: Vec::new() }
    }
}

impl Reading<'_> {
    /// Whether the publisher's rule made the value up (paper mode only).
    pub fn is_invented(&self) -> bool {
        self.rule == Rule::PublisherDefault
    }
}

/// Why a reply could not be read.
#[derive(Debug, Clone, PartialEq)]
pub struct Unreadable<'f> {
    /// The kind of failure.
    pub reason: Reason,
    /// What was found instead, for people.
    pub detail: Detail,
    /// Verdicts that contradict each other, that lie outside the scale, or that others wrote.
    pub candidates: Vec<Reading<'f>>,
}

impl Unreadable<'_> {
    pub(crate) fn new(reason: Reason, detail: Detail) -> Self {
        Self { reason, detail, candidates: Vec::new() }
    }

    pub(crate) fn because(reason: Reason, sentence: &'static str) -> Self {
        Self::new(reason, Detail::Sentence(sentence))
    }
}

/// What was found instead of a verdict, put into words only when asked for.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Detail {
    /// A fixed sentence.
    Sentence(&'static str),
    /// A field that is not there.
    NoField(String),
    /// What stands where a verdict belongs.
    NotALabel(String),
    /// A number that lies outside the scale.
    OutsideScale(f64, f64, f64),
    /// A byte offset at which text stops being UTF-8.
    NotText(usize),
    /// Any other sentence.
    Words(String),
}

impl fmt::Display for Detail {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sentence(text) => out.write_str(text),
            Self::Words(text) => out.write_str(text),
            Self::NoField(name) => write!(out, "no value for {name:?}"),
            Self::NotALabel(text) => write!(out, "{text:?} stands where a verdict belongs"),
            Self::OutsideScale(value, low, high) => {
                write!(out, "{value} lies outside the scale {low} to {high}")
            }
            Self::NotText(at) => write!(out, "byte {at} is not UTF-8"),
        }
    }
}

/// Drop an outcome whose document may be nested so deeply that dropping it whole would exhaust the machine stack.
///
/// Only formats whose depth limit was raised need it.
pub fn release(outcome: Outcome<'_>) {
    let readings = match outcome {
        Ok(reading) => vec![reading],
        Err(unreadable) => unreadable.candidates,
    };
    for reading in readings {
        if let Value::Json(document) = reading.value {
            drop_iteratively(document);
        }
        if let Some(document) = reading.object {
            drop_iteratively(document);
        }
    }
}

/// What reading a reply gives.
pub type Outcome<'f> = Result<Reading<'f>, Unreadable<'f>>;
