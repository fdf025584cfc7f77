//! Publishers' rules: patterns in order or a named function, and a default value.

use std::fmt;
use std::sync::OnceLock;

use indexmap::IndexMap;
use regex_automata::meta::Regex;
use serde::{Deserialize, Serialize};

use super::error::FormatError;
use super::example::Literal;
use crate::names::named;

/// A publisher's own rule.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PaperRule {
    /// The function of the engine that is the rule, instead of steps.
    pub(crate) function: Option<Function>,
    /// The steps, tried in order.
    #[serde(default)]
    steps: Vec<Step>,
    /// The value that the publisher invents if nothing is found.
    pub(crate) default: Option<Literal>,
    /// The treatment of numbers that are not on the scale.
    #[serde(default)]
    pub(crate) out_of_range: OutOfRange,
}

named! {
    /// The rules that patterns can't express.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
    #[serde(rename_all = "snake_case")]
    pub(crate) enum Function {
        LmmsEvalBinary = "lmms_eval_binary",
        LmmsEvalScore = "lmms_eval_score",
        LmmsEvalComparative = "lmms_eval_comparative",
        NemoJsonPrompt = "nemo_json_prompt",
        NemoJsonResponse = "nemo_json_response",
        NemoLinesPrompt = "nemo_lines_prompt",
        NemoLinesResponse = "nemo_lines_response",
        StrongReject = "strong_reject",
    }
}

/// The publisher's treatment of numbers that are not on the scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OutOfRange {
    /// They are rejected.
    #[default]
    Refuse,
    /// They are clamped to the scale.
    Clamp,
    /// They are kept.
    Keep,
}

/// One attempt of a rule.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Step {
    pub(crate) pattern: Pattern,
    /// The group of the verdict, or groups for scores. Default: the whole match.
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
    /// The pattern whose matches are removed first.
    pub(crate) without: Option<Pattern>,
    /// The only line of the stripped reply to search, from 0.
    pub(crate) line: Option<usize>,
    /// The number of characters to search, at the end of the reply.
    pub(crate) last: Option<usize>,
    /// The value of every match.
    pub(crate) value: Option<Literal>,
    /// The values of matched texts; any other text is not a verdict.
    #[serde(default)]
    pub(crate) mapping: IndexMap<String, Literal>,
}

/// Which match of a step counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Take {
    #[default]
    First,
    Last,
    /// The only distinct one; several are no verdict.
    Only,
    /// The lowest number on the scale.
    Lowest,
}

/// A regular expression, compiled when first used.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct Pattern {
    text: String,
    groups: usize,
    regex: OnceLock<Option<Regex>>,
}

impl TryFrom<String> for Pattern {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let parsed = regex_automata::util::syntax::parse(&text).map_err(|problem| problem.to_string())?;
        Ok(Self { groups: parsed.properties().explicit_captures_len(), text, regex: OnceLock::new() })
    }
}

impl From<Pattern> for String {
    fn from(pattern: Pattern) -> Self {
        pattern.text
    }
}

impl Pattern {
    /// Return the compiled pattern; None only if it exceeds the compiler's size limit.
    pub(crate) fn regex(&self) -> Option<&Regex> {
        self.regex.get_or_init(|| Regex::new(&self.text).ok()).as_ref()
    }
}

impl PaperRule {
    /// The steps; none if the rule is a function.
    pub(crate) fn steps(&self) -> &[Step] {
        if self.function.is_none() { &self.steps } else { &[] }
    }

    /// Check what no single key can tell.
    pub(super) fn check(&self, id: &str) -> Result<(), FormatError> {
        let is_nothing = self.function.is_none() && self.steps.is_empty();
        FormatError::refuse_if(is_nothing, id, "paper", "give either steps or the name of a function")?;
        for Step { pattern, groups, .. } in &self.steps {
            let known = pattern.groups;
            if let Some(missing) = groups.iter().find(|&&group| group > known) {
                let problem =
                    format!("there is no group {missing}; the pattern has {known}, and group 0 is the whole match");
                return Err(FormatError::key(id, "paper.steps.groups", problem));
            }
        }
        Ok(())
    }
}

/// A description for people: one line for each step, and one for the invented value.
impl fmt::Display for PaperRule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(function) = self.function {
            write!(out, "the built-in function {}", function.name())?;
        }
        for (nth, step) in self.steps().iter().enumerate() {
            write!(out, "{}{step}", if nth > 0 { "\nelse " } else { "" })?;
        }
        match self.out_of_range {
            OutOfRange::Refuse => {}
            OutOfRange::Clamp => out.write_str("\na number off the scale is clamped to the scale")?,
            OutOfRange::Keep => out.write_str("\na number off the scale is kept")?,
        }
        match &self.default {
            Some(default) => write!(out, "\nelse {default}, invented"),
            None => out.write_str("\nelse nothing"),
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let take = match self.take {
            Take::First => "first",
            Take::Last => "last",
            Take::Only => "only distinct",
            Take::Lowest => "lowest",
        };
        write!(out, "the {take} match of /{}/", self.pattern.text)?;
        if let Some(last) = self.last {
            write!(out, " in the last {last} characters")?;
        }
        if let Some(without) = &self.without {
            write!(out, ", after removing /{}/,", without.text)?;
        }
        if let Some(line) = self.line {
            write!(out, " in line {}", line + 1)?;
        }
        let changes = [(self.strip, "stripped"), (self.lowercase, "lowercased")].into_iter();
        let changes: Vec<&str> = changes.filter_map(|(is_made, change)| is_made.then_some(change)).collect();
        if !changes.is_empty() {
            write!(out, " of the {} reply", changes.join(", "))?;
        }
        if let Some(value) = &self.value {
            return write!(out, ": {value}");
        }
        for (nth, (text, value)) in self.mapping.iter().enumerate() {
            write!(out, "{} {text:?} is {value}", if nth == 0 { ":" } else { "," })?;
        }
        Ok(())
    }
}
