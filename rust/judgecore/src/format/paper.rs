//! Compiled publisher's rules: patterns in order or a named function, and a default value.

use std::fmt;
use std::sync::OnceLock;

use indexmap::IndexMap;
use regex_automata::meta::Regex;

use super::declaration::{OutOfRange, PaperDeclaration, StepDeclaration, Take};
use super::error::FormatError;

/// The functions for rules that patterns can't express.
pub(crate) const FUNCTIONS: [&str; 8] = [
    "lmms_eval_binary",
    "lmms_eval_score",
    "lmms_eval_comparative",
    "nemo_json_prompt",
    "nemo_json_response",
    "nemo_lines_prompt",
    "nemo_lines_response",
    "strong_reject",
];

/// A publisher's own rule.
#[derive(Debug)]
pub(crate) struct PaperRule {
    pub(crate) search: Search,
    pub(crate) out_of_range: OutOfRange,
    /// The value that the publisher invents if nothing is found.
    pub(crate) default: Option<Literal>,
}

/// How a rule finds its value.
#[derive(Debug)]
pub(crate) enum Search {
    Function(&'static str),
    Steps(Vec<Step>),
}

/// A regular expression, compiled when first used.
#[derive(Debug)]
pub(crate) struct Pattern {
    text: String,
    regex: OnceLock<Option<Regex>>,
}

impl Pattern {
    /// Parse the pattern eagerly, so that an invalid one, or one without the given groups, is an error of the file.
    fn new(id: &str, key: &str, text: &str, groups: &[usize]) -> Result<Self, FormatError> {
        let parsed = regex_automata::util::syntax::parse(text);
        let parsed = parsed.map_err(|problem| FormatError::key(id, key, problem.to_string()))?;
        let known = parsed.properties().explicit_captures_len();
        if let Some(missing) = groups.iter().find(|&&group| group > known) {
            let problem =
                format!("there is no group {missing}; the pattern has {known}, and group 0 is the whole match");
            return Err(FormatError::key(id, "paper.steps.groups", problem));
        }
        Ok(Self { text: text.to_owned(), regex: OnceLock::new() })
    }

    /// Return the compiled pattern; None only if it exceeds the compiler's size limit.
    pub(crate) fn regex(&self) -> Option<&Regex> {
        self.regex.get_or_init(|| Regex::new(&self.text).ok()).as_ref()
    }
}

/// One attempt of a rule.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) pattern: Pattern,
    pub(crate) groups: Vec<usize>,
    pub(crate) take: Take,
    pub(crate) lowercase: bool,
    pub(crate) strip: bool,
    /// The pattern whose matches are removed first.
    pub(crate) without: Option<Pattern>,
    pub(crate) line: Option<usize>,
    /// The number of characters to search, at the end of the reply.
    pub(crate) last: Option<usize>,
    pub(crate) value: Option<Literal>,
    pub(crate) mapping: IndexMap<String, Literal>,
}

/// A value in a format file.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(f64),
    /// Several numbers.
    Numbers(Vec<f64>),
    /// A label.
    Text(String),
    /// Several texts.
    Texts(Vec<String>),
    /// Named values.
    Table(Vec<(String, Literal)>),
}

impl Literal {
    pub(crate) fn new(id: &str, key: &str, value: &toml::Value) -> Result<Self, FormatError> {
        let wrong = |problem: String| FormatError::key(id, key, problem);
        Ok(match value {
            toml::Value::Boolean(value) => Self::Bool(*value),
            toml::Value::Float(value) if value.is_finite() => Self::Number(*value),
            toml::Value::Float(value) => return Err(wrong(format!("{value} is not a score; write a finite number"))),
            toml::Value::Integer(value) => Self::Number(
                i32::try_from(*value)
                    .map(f64::from)
                    .map_err(|_| wrong(format!("{value} is too large; write a smaller number")))?,
            ),
            toml::Value::String(text) => Self::Text(text.clone()),
            toml::Value::Array(values) => {
                let values = values.iter().map(|value| Self::new(id, key, value)).collect::<Result<Vec<_>, _>>()?;
                let numbers: Option<Vec<f64>> = values
                    .iter()
                    .map(|value| match value {
                        Self::Number(number) => Some(*number),
                        _ => None,
                    })
                    .collect();
                let texts: Option<Vec<String>> = values
                    .iter()
                    .map(|value| match value {
                        Self::Text(text) => Some(text.clone()),
                        _ => None,
                    })
                    .collect();
                match (numbers, texts) {
                    (Some(numbers), _) if !numbers.is_empty() => Self::Numbers(numbers),
                    (_, Some(texts)) => Self::Texts(texts),
                    _ => return Err(wrong("a list must have numbers or strings, not both".to_owned())),
                }
            }
            toml::Value::Table(table) => Self::Table(
                table
                    .iter()
                    .map(|(name, value)| Ok((name.clone(), Self::new(id, key, value)?)))
                    .collect::<Result<_, FormatError>>()?,
            ),
            toml::Value::Datetime(value) => {
                return Err(wrong(format!("a date is not a value; write {value} as a string, or another value")));
            }
        })
    }
}

impl PaperRule {
    pub(crate) fn new(id: &str, declared: &PaperDeclaration) -> Result<Self, FormatError> {
        let default = declared.default.as_ref().map(|value| Literal::new(id, "paper.default", value)).transpose()?;
        let search = Search::new(id, declared)?;
        Ok(Self { search, out_of_range: declared.out_of_range, default })
    }
}

impl Search {
    fn new(id: &str, declared: &PaperDeclaration) -> Result<Self, FormatError> {
        if let Some(name) = &declared.function {
            let known = FUNCTIONS.into_iter().find(|known| known == name).ok_or_else(|| {
                let problem = format!("no function {name:?}; the available ones are {}", FUNCTIONS.join(", "));
                FormatError::key(id, "paper.function", problem)
            })?;
            return Ok(Self::Function(known));
        }
        if declared.steps.is_empty() {
            let problem = "give either steps or the name of a function";
            return Err(FormatError::key(id, "paper", problem));
        }
        declared.steps.iter().map(|step| Step::new(id, step)).collect::<Result<_, _>>().map(Self::Steps)
    }
}

impl Step {
    fn new(id: &str, declared: &StepDeclaration) -> Result<Self, FormatError> {
        let without = declared.without.as_deref();
        Ok(Self {
            pattern: Pattern::new(id, "paper.steps.pattern", &declared.pattern, &declared.groups)?,
            without: without.map(|text| Pattern::new(id, "paper.steps.without", text, &[])).transpose()?,
            last: declared.last,
            groups: declared.groups.clone(),
            take: declared.take,
            lowercase: declared.lowercase,
            strip: declared.strip,
            line: declared.line,
            value: declared.value.as_ref().map(|value| Literal::new(id, "paper.steps.value", value)).transpose()?,
            mapping: declared
                .mapping
                .iter()
                .map(|(text, value)| Ok((text.clone(), Literal::new(id, "paper.steps.mapping", value)?)))
                .collect::<Result<_, FormatError>>()?,
        })
    }
}

/// A description for people: one line for each step, and one for the invented value.
impl fmt::Display for PaperRule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.search {
            Search::Function(name) => write!(out, "the built-in function {name}")?,
            Search::Steps(steps) => {
                for (nth, step) in steps.iter().enumerate() {
                    if nth > 0 {
                        out.write_str("\nelse ")?;
                    }
                    write!(out, "{step}")?;
                }
            }
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
        match (self.strip, self.lowercase) {
            (true, true) => out.write_str(" of the stripped, lowercased reply")?,
            (true, false) => out.write_str(" of the stripped reply")?,
            (false, true) => out.write_str(" of the lowercased reply")?,
            (false, false) => {}
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

impl fmt::Display for Literal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => write!(out, "{value}"),
            Self::Number(value) => write!(out, "{value}"),
            Self::Numbers(values) => write!(out, "{values:?}"),
            Self::Text(text) => write!(out, "{text:?}"),
            Self::Texts(texts) => write!(out, "{texts:?}"),
            Self::Table(entries) => {
                out.write_str("{")?;
                for (nth, (name, value)) in entries.iter().enumerate() {
                    write!(out, "{}{name}: {value}", if nth == 0 { "" } else { ", " })?;
                }
                out.write_str("}")
            }
        }
    }
}
