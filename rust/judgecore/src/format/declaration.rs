//! A format as its file declares it.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

/// A file of formats: one judge or guard family.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Family {
    /// The first part of its formats' ids.
    #[serde(rename = "family")]
    pub(crate) name: String,
    /// What people call it.
    pub(crate) title: String,
    /// How well its output is known.
    pub(crate) evidence: EvidenceLevel,
    /// Where its facts come from.
    pub(crate) sources: Vec<String>,
    #[serde(default)]
    pub(crate) formats: Vec<Declaration>,
}

/// How well a format's output is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum EvidenceLevel {
    /// Documented by a model card or paper.
    Card,
    /// Read in the publisher's code.
    Code,
    /// Seen in real replies.
    Observed,
    /// Of no publisher: a form that many prompts ask for.
    Convention,
}

impl EvidenceLevel {
    /// The level's name: `card`, `code`, `observed` or `convention`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Card => "card",
            Self::Code => "code",
            Self::Observed => "observed",
            Self::Convention => "convention",
        }
    }
}

/// What kind of value a format's readings have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Yes or no.
    Binary,
    /// One of several labels.
    Choice,
    /// A number on a scale.
    Score,
    /// Several numbers on a scale.
    Scores,
    /// Named values.
    Fields,
    /// A guard's verdict.
    Guard,
    /// An entry of a JSON document, or all of it.
    Json,
    /// Names, best first, from a JSON list.
    Ranking,
    /// The rank of each candidate.
    Order,
}

impl Kind {
    /// The kind's name as format files write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Binary => "binary",
            Self::Choice => "choice",
            Self::Score => "score",
            Self::Scores => "scores",
            Self::Fields => "fields",
            Self::Guard => "guard",
            Self::Json => "json",
            Self::Ranking => "ranking",
            Self::Order => "order",
        }
    }
}

/// Which of several pieces of evidence of equal strength counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Precedence {
    /// All must agree, unless a later one is marked as final.
    #[default]
    Agree,
    First,
    Last,
}

/// What a format documents, beyond which `strict` does not go.
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

/// Where in its reply a judge was asked to put the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Place {
    /// The reply is the verdict and nothing else.
    Whole,
    FirstWord,
    FirstLine,
    LastLine,
}

impl Place {
    pub(crate) const ALL: [Self; 4] = [Self::LastLine, Self::FirstLine, Self::FirstWord, Self::Whole];

    /// The place's name in files and constructors.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::FirstWord => "first_word",
            Self::FirstLine => "first_line",
            Self::LastLine => "last_line",
        }
    }
}

/// One format.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the file")]
pub(crate) struct Declaration {
    /// `family` or `family.variant`; empty for the format of a field.
    #[serde(default)]
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) aliases: Vec<String>,
    /// Another format of the file, from which all is taken that is left out here.
    #[serde(default)]
    pub(crate) like: Option<String>,
    #[serde(default = "first_version")]
    pub(crate) version: u32,
    #[serde(default)]
    pub(crate) about: String,
    /// Overrides the family's.
    pub(crate) evidence: Option<EvidenceLevel>,
    /// Beside the family's.
    #[serde(default)]
    pub(crate) sources: Vec<String>,
    /// How many recorded real replies the format was held against.
    #[serde(default)]
    pub(crate) replies: u32,
    pub(crate) kind: Kind,
    /// Binary: surface forms of true and false.
    #[serde(default, rename = "true")]
    pub(crate) yes: Vec<String>,
    #[serde(default, rename = "false")]
    pub(crate) no: Vec<String>,
    /// Choice: labels in order, each with its surface forms.
    #[serde(default)]
    pub(crate) labels: IndexMap<String, Vec<String>>,
    /// Score and scores: the scale.
    pub(crate) low: Option<f64>,
    pub(crate) high: Option<f64>,
    #[serde(default)]
    pub(crate) integer: bool,
    /// A fraction over another denominator is brought to the scale.
    #[serde(default)]
    pub(crate) rescale: bool,
    /// Score: words that stand for a number where they are all of the answer.
    #[serde(default)]
    pub(crate) words: IndexMap<String, f64>,
    /// Score: the name of the function that makes it from several numbers, each in one of `fields`.
    pub(crate) formula: Option<String>,
    /// Scores and order: how many.
    #[serde(alias = "n")]
    pub(crate) count: Option<usize>,
    /// Order: what the candidates are called, where they are not just numbered.
    #[serde(default)]
    pub(crate) names: Vec<String>,
    /// Fields: name and format of each.
    #[serde(default)]
    pub(crate) fields: IndexMap<String, Declaration>,
    /// Fields: they are entries of a JSON document, found by key or path.
    #[serde(default)]
    pub(crate) json: bool,
    pub(crate) guard: Option<GuardDeclaration>,
    /// Json: the key of the verdict; the first that is there, where there are several. Without one, the whole document
    /// is the value. The verdict's format stands under `fields`.
    #[serde(default)]
    pub(crate) verdict: Vec<String>,
    /// Json: keys that must be there.
    #[serde(default)]
    pub(crate) keys: Vec<String>,
    /// Json: the deepest nesting and the longest reply in bytes, where they are not the usual ones.
    pub(crate) max_depth: Option<usize>,
    pub(crate) max_bytes: Option<usize>,
    /// Json: a judge that writes no document may write the verdict in plain text.
    #[serde(default)]
    pub(crate) text: bool,
    pub(crate) ranking: Option<RankingDeclaration>,
    /// Texts beside the verdict that readings keep as fields: names, and what stands around each.
    #[serde(default)]
    pub(crate) entries: IndexMap<String, String>,
    /// The entries that are numbers.
    #[serde(default)]
    pub(crate) numbers: Vec<String>,
    /// The format's own markers, with `{}` where the verdict stands, strongest first.
    #[serde(default)]
    pub(crate) markers: Vec<String>,
    #[serde(default)]
    pub(crate) precedence: Precedence,
    #[serde(default)]
    pub(crate) strict: Vec<Strictness>,
    /// Where the judge was asked to put the verdict; strict reading looks nowhere else.
    pub(crate) place: Option<Place>,
    #[serde(default)]
    pub(crate) first_token: bool,
    pub(crate) paper: Option<PaperDeclaration>,
    /// How the probabilities of tokens become a value, where it is not as with most.
    #[serde(default)]
    pub(crate) logprobs: Option<LogprobsDeclaration>,
    /// Codes and their meanings.
    #[serde(default)]
    pub(crate) categories: IndexMap<String, String>,
    #[serde(default)]
    pub(crate) examples: Vec<ExampleDeclaration>,
}

fn first_version() -> u32 {
    1
}

fn yes() -> bool {
    true
}

/// Which side of a conversation a guard judges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Side {
    Prompt,
    Response,
}

/// How a list of ranked names is written.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RankingDeclaration {
    /// The key of a name in an item of the list.
    pub(crate) name: String,
    /// The key of its rank; 1 is best.
    pub(crate) rank: String,
    /// The key of the list, where it stands in an object.
    #[serde(default)]
    pub(crate) list: Vec<String>,
}

/// How a guard answers.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GuardDeclaration {
    /// The side that `unsafe` speaks of.
    pub(crate) subject: Side,
    /// The guard's answers; at most one without a place of its own, which is the verdict.
    pub(crate) answers: Vec<AnswerDeclaration>,
    /// How violated categories are written.
    pub(crate) codes: Option<CodesDeclaration>,
    /// The answers are entries of a JSON object, and `lines` are their keys.
    #[serde(default)]
    pub(crate) json: bool,
    /// The lines or keys of the violated categories, a list or a text with commas.
    #[serde(default)]
    pub(crate) categories: Vec<String>,
}

#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the file")]
pub(crate) struct AnswerDeclaration {
    /// Its name in the verdict's fields; a lone verdict needs none.
    pub(crate) name: Option<String>,
    /// What stands before it on its line, `Harmful request`, or around it, `<confidence>{}</confidence>`; its keys in
    /// JSON.
    #[serde(default)]
    pub(crate) lines: Vec<String>,
    /// Its word is all of a line.
    #[serde(default)]
    pub(crate) alone: bool,
    /// It stands behind the verdict, on the verdict's line.
    #[serde(default)]
    pub(crate) follows: bool,
    /// Replies may do without it.
    #[serde(default)]
    pub(crate) optional: bool,
    /// The side that it judges, where it judges one.
    pub(crate) side: Option<Side>,
    /// The category that is violated where it is true; its side is unsafe where any is.
    pub(crate) category: Option<String>,
    /// It lists categories, those of its side.
    #[serde(default)]
    pub(crate) lists: bool,
    #[serde(default, rename = "true")]
    pub(crate) yes: Vec<String>,
    #[serde(default, rename = "false")]
    pub(crate) no: Vec<String>,
    /// Words that lenient reading takes for true and false beside these.
    #[serde(default)]
    pub(crate) loosely_true: Vec<String>,
    #[serde(default)]
    pub(crate) loosely_false: Vec<String>,
    /// Words for "does not apply".
    #[serde(default)]
    pub(crate) none: Vec<String>,
    /// Words that say neither, by the name that its field has then.
    #[serde(default)]
    pub(crate) words: IndexMap<String, Vec<String>>,
    /// Its field holds the word, and not true or false.
    #[serde(default)]
    pub(crate) word: bool,
}

#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CodesDeclaration {
    /// The letters before a code's number: `S` of `S10`.
    pub(crate) prefix: String,
    /// The highest number that the family defines.
    pub(crate) last: u32,
    /// What stands between the verdict and its codes.
    #[serde(default = "newline")]
    pub(crate) join: String,
    /// Words behind an unsafe verdict, on its line, are categories too.
    #[serde(default)]
    pub(crate) words: bool,
}

fn newline() -> String {
    "\n".to_owned()
}

/// How the probabilities of tokens become a value.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LogprobsDeclaration {
    /// Of a choice: the label whose probability is the value.
    pub(crate) label: Option<String>,
    /// False where a probability counts as it is, and not as its share of what is seen.
    #[serde(default = "yes")]
    pub(crate) share: bool,
    /// The labels count wherever they are among the likeliest tokens, and not at one place alone.
    #[serde(default)]
    pub(crate) sum: bool,
}

/// The publisher's own rule.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PaperDeclaration {
    /// A named function of the engine, instead of steps.
    pub(crate) function: Option<String>,
    /// Tried in order.
    #[serde(default)]
    pub(crate) steps: Vec<StepDeclaration>,
    /// What the publisher invents where no step finds anything.
    pub(crate) default: Option<toml::Value>,
    /// What becomes of numbers that are not on the scale.
    #[serde(default, skip_serializing_if = "OutOfRange::is_refused")]
    pub(crate) out_of_range: OutOfRange,
}

/// What the publisher does with numbers that are not on the scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OutOfRange {
    /// They are no value.
    #[default]
    Refuse,
    /// They become the nearer end of the scale.
    Clamp,
    /// They stay what they are.
    Keep,
}

impl OutOfRange {
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
    pub(crate) fn is_refused(&self) -> bool {
        *self == Self::Refuse
    }
}

#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct StepDeclaration {
    pub(crate) pattern: String,
    /// The group that holds the verdict; groups for scores. The whole match by default.
    #[serde(default)]
    pub(crate) groups: Vec<usize>,
    #[serde(default)]
    pub(crate) take: Take,
    /// Lowercases the reply, as `str.lower()` does.
    #[serde(default)]
    pub(crate) lowercase: bool,
    /// Strips the reply, as `str.strip()` does.
    #[serde(default)]
    pub(crate) strip: bool,
    /// What is cut out first: the matches of this pattern.
    pub(crate) without: Option<String>,
    /// Only this line of the stripped reply, from 0.
    pub(crate) line: Option<usize>,
    /// Only so many characters, those at the end.
    pub(crate) last: Option<usize>,
    /// The value of every match.
    pub(crate) value: Option<toml::Value>,
    /// The value of what was matched; what is not in it is no verdict.
    #[serde(default)]
    pub(crate) mapping: IndexMap<String, toml::Value>,
}

/// Which match of a step counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Take {
    #[default]
    First,
    Last,
    /// The only distinct one; more than one is no verdict.
    Only,
    /// The lowest of the numbers that are on the scale.
    Lowest,
}

/// An example: a reply and what each mode says of it.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExampleDeclaration {
    pub(crate) reply: String,
    #[serde(default)]
    pub(crate) cut: bool,
    #[serde(default)]
    pub(crate) note: String,
    pub(crate) lenient: toml::Value,
    pub(crate) strict: toml::Value,
    pub(crate) paper: Option<toml::Value>,
}
