//! The declaration of a format, as in its file.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::example::Example;
use super::paper::PaperRule;
use crate::names::named;

/// A file of formats: one judge or guard family.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Family {
    /// The first part of the ids of its formats.
    #[serde(rename = "family")]
    pub(crate) name: String,
    /// The display name.
    pub(crate) title: String,
    /// How well its output is known.
    pub(crate) evidence: EvidenceLevel,
    /// The sources of its facts.
    pub(crate) sources: Vec<String>,
    #[serde(default)]
    pub(crate) formats: Vec<Declaration>,
}

named! {
    /// How well a format's output is known.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
    #[serde(rename_all = "lowercase")]
    #[non_exhaustive]
    pub enum EvidenceLevel {
        /// Documented in a model card or a paper.
        Card = "card",
        /// Taken from the publisher's code.
        Code = "code",
        /// Observed in real replies.
        Observed = "observed",
        /// A common form that many prompts ask for, without a publisher.
        Convention = "convention",
    }
}

named! {
    /// The kind of value that a format's readings have.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Deserialize, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Kind {
        /// Yes or no.
        #[default]
        Binary = "binary",
        /// One of several labels.
        Choice = "choice",
        /// A number on a scale.
        Score = "score",
        /// Several numbers on a scale.
        Scores = "scores",
        /// Named values.
        Fields = "fields",
        /// A guard's verdict.
        Guard = "guard",
        /// A JSON document, or one of its entries.
        Json = "json",
        /// Names, best first, from a JSON list.
        Ranking = "ranking",
        /// The rank of each candidate.
        Order = "order",
    }
}

/// Which of several equally strong pieces of evidence counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Precedence {
    /// All must agree, unless a later one is marked as final.
    #[default]
    Agree,
    First,
    Last,
}

/// The only forms of a verdict that strict reading accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Strictness {
    /// The whole reply is a label.
    Whole,
    /// The format's marker.
    Marker,
    /// The first word is a label.
    FirstWord,
    /// The first line is a label, or the numbers.
    FirstLine,
    /// A sentence that names the winner.
    Statement,
    /// The last line is a label, or the number.
    LastLine,
}

named! {
    /// The place in the reply where the judge was asked to put the verdict.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub(crate) enum Place {
        LastLine = "last_line",
        FirstLine = "first_line",
        FirstWord = "first_word",
        /// The reply is the verdict and nothing else.
        Whole = "whole",
    }
}

/// One format. That it has a kind is checked before: see `keys`.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the file")]
pub(crate) struct Declaration {
    /// `family` or `family.variant`; empty for the format of a field.
    pub(crate) id: String,
    pub(crate) aliases: Vec<String>,
    /// Another format of the file, whose values this format inherits unless it sets them.
    pub(crate) like: Option<String>,
    #[serde(default = "first_version")]
    pub(crate) version: u32,
    pub(crate) about: String,
    /// Overrides the family's.
    pub(crate) evidence: Option<EvidenceLevel>,
    /// In addition to the family's.
    pub(crate) sources: Vec<String>,
    /// The number of recorded real replies that the format was tested with.
    pub(crate) replies: u32,
    pub(crate) kind: Kind,
    /// Binary: surface forms of true and false.
    #[serde(rename = "true")]
    pub(crate) yes: Vec<String>,
    #[serde(rename = "false")]
    pub(crate) no: Vec<String>,
    /// Choice: labels in order, each with its surface forms.
    pub(crate) labels: IndexMap<String, Vec<String>>,
    /// Score and scores: the scale.
    pub(crate) low: Option<f64>,
    pub(crate) high: Option<f64>,
    pub(crate) integer: bool,
    /// A fraction with another denominator is rescaled.
    pub(crate) rescale: bool,
    /// Score: words that mean a number if they are the whole answer.
    pub(crate) words: IndexMap<String, f64>,
    /// Score: the function that computes it from several numbers, each in one of `fields`.
    pub(crate) formula: Option<Function>,
    /// Scores and order: the number of scores or candidates.
    #[serde(alias = "n")]
    pub(crate) count: Option<usize>,
    /// Order and scores: the names of the candidates, unless they are numbered, or of the scores.
    pub(crate) names: Vec<String>,
    /// Fields: the name and format of each.
    pub(crate) fields: IndexMap<String, Declaration>,
    /// Fields: they are entries of a JSON document, found by key or path.
    pub(crate) json: bool,
    pub(crate) guard: Option<GuardDeclaration>,
    /// Json: the keys of the verdict, of which the first one found counts. Without keys, the whole document is the value.
    /// The verdict's format is in `fields`.
    pub(crate) verdict: Vec<String>,
    /// Json: required keys.
    pub(crate) keys: Vec<String>,
    /// Json: the maximum nesting and the maximum length of a reply in bytes, unless they are the defaults.
    pub(crate) max_depth: Option<usize>,
    pub(crate) max_bytes: Option<usize>,
    /// Json: without a document, the verdict may be in plain text.
    pub(crate) text: bool,
    pub(crate) ranking: Option<Ranking>,
    /// Texts next to the verdict that readings keep as fields: their names and the text around each.
    pub(crate) entries: IndexMap<String, String>,
    /// The entries that are numbers.
    pub(crate) numbers: Vec<String>,
    /// The format's own markers, with `{}` in place of the verdict, strongest first.
    pub(crate) markers: Vec<String>,
    pub(crate) precedence: Precedence,
    pub(crate) strict: Vec<Strictness>,
    /// The place where the judge was asked to put the verdict; strict reading looks only there.
    pub(crate) place: Option<Place>,
    pub(crate) first_token: bool,
    pub(crate) paper: Option<PaperRule>,
    /// How a value is computed from token probabilities, unless in the default way.
    pub(crate) logprobs: Option<Logprobs>,
    /// Codes and their meanings.
    pub(crate) categories: IndexMap<String, String>,
    pub(crate) examples: Vec<Example>,
}

fn first_version() -> u32 {
    1
}

/// The functions that a format may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Function {
    /// `StrongREJECT`: 0 if the response refuses, else how convincing and specific it is, from 0 to 1.
    StrongReject,
}

named! {
    /// The side of a conversation that a guard judges.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Side {
        /// What the user wrote.
        Prompt = "prompt",
        /// What the assistant answered.
        Response = "response",
    }
}

/// The keys of a list of ranked names.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ranking {
    /// The key of a name in an item of the list.
    pub(crate) name: String,
    /// The key of its rank; 1 is best.
    pub(crate) rank: String,
    /// The keys of the list, if it is in an object.
    #[serde(default)]
    pub(crate) list: Vec<String>,
}

/// How a guard answers.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GuardDeclaration {
    /// The side to which `unsafe` refers.
    pub(crate) subject: Side,
    /// Its reply does not say which side it judges: that is the one that it was shown.
    #[serde(default)]
    pub(crate) either_side: bool,
    /// The guard's answers. At most one has no place of its own; it is the verdict.
    pub(crate) answers: Vec<AnswerDeclaration>,
    /// How violated categories are written.
    pub(crate) codes: Option<Codes>,
    /// The answers are entries of a JSON object, and `lines` are their keys.
    #[serde(default)]
    pub(crate) json: bool,
    /// The lines or keys of the violated categories, which are a list or a comma-separated text.
    #[serde(default)]
    pub(crate) categories: Vec<String>,
}

#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the file")]
pub(crate) struct AnswerDeclaration {
    /// Its name in the verdict's fields; optional for the only answer.
    pub(crate) name: Option<String>,
    /// The text before it on its line, `Harmful request`, or around it, `<confidence>{}</confidence>`. In JSON, its keys.
    pub(crate) lines: Vec<String>,
    /// Its word is a whole line.
    pub(crate) alone: bool,
    /// It follows the verdict on the verdict's line.
    pub(crate) follows: bool,
    /// It may be missing.
    pub(crate) optional: bool,
    /// The side that it judges, if any.
    pub(crate) side: Option<Side>,
    /// The category that is violated if the answer is true. A violated category makes its side unsafe.
    pub(crate) category: Option<String>,
    /// It lists the violated categories of its side.
    pub(crate) lists: bool,
    #[serde(rename = "true")]
    pub(crate) yes: Vec<String>,
    #[serde(rename = "false")]
    pub(crate) no: Vec<String>,
    /// Further words for true and false that lenient reading accepts.
    pub(crate) loosely_true: Vec<String>,
    pub(crate) loosely_false: Vec<String>,
    /// Words for "does not apply".
    pub(crate) none: Vec<String>,
    /// Words that mean neither, by the value of the field.
    pub(crate) words: IndexMap<String, Vec<String>>,
    /// Its field holds the word instead of true or false.
    pub(crate) word: bool,
}

#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Codes {
    /// The letters before a code's number: `S` of `S10`.
    pub(crate) prefix: String,
    /// The highest number that the family defines.
    pub(crate) last: u32,
    /// The separator between the verdict and its codes.
    #[serde(default = "newline")]
    pub(crate) join: String,
    /// Words after an unsafe verdict on its line are categories, too.
    #[serde(default)]
    pub(crate) words: bool,
}

fn newline() -> String {
    "\n".to_owned()
}

/// How a value is computed from token probabilities.
#[derive(Debug, Clone, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Logprobs {
    /// Choice: the label whose probability is the value.
    pub(crate) label: Option<String>,
    /// Whether a probability is normalized by the sum over all labels.
    pub(crate) share: bool,
    /// Labels count at every position where they are among the most likely tokens, not at a single one.
    pub(crate) sum: bool,
}

impl Default for Logprobs {
    fn default() -> Self {
        Self { label: None, share: true, sum: false }
    }
}
