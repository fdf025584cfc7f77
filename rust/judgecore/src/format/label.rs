//! Labels: the words a judge chooses from, in all the forms they are written in.

use std::ops::Range;

use super::error::FormatError;
use super::finder::{Finder, Found};
use crate::reply::text::{byte_at, is_word_edge};

/// How a form may occur in prose without being a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// One letter, which may be an article or a list mark.
    Letter,
    /// A number, which may count something.
    Number,
    /// Yes, no and their like, which may be determiners.
    Particle,
    /// A word of its own.
    Word,
    /// Several words, or a word with signs.
    Phrase,
    /// The name of one of the things compared: `Output (a)`, `Response 1`.
    Name,
}

const PARTICLES: [&str; 10] = ["yes", "no", "true", "false", "y", "n", "pass", "fail", "allow", "block"];

/// One way to write a label.
#[derive(Debug, Clone)]
pub(crate) struct Form {
    pub(crate) text: String,
    /// In lower case, which outside of ASCII takes more than a look at each byte.
    lower: String,
    pub(crate) label: usize,
    pub(crate) shape: Shape,
}

/// The labels of a format.
#[derive(Debug, Clone)]
pub(crate) struct Labels {
    pub(crate) names: Vec<String>,
    /// Longest first, so that the first that fits is the right one.
    forms: Vec<Form>,
    finder: Finder,
    is_case_sensitive: bool,
}

/// A label at a place in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mention {
    pub(crate) label: usize,
    pub(crate) shape: Shape,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Labels {
    pub(crate) fn new(id: &str, declared: &[(String, Vec<String>)]) -> Result<Self, FormatError> {
        let mut forms: Vec<Form> = Vec::new();
        for (label, (name, written)) in declared.iter().enumerate() {
            if written.is_empty() {
                let problem = format!("label {name:?} has no form; give the words that stand for it");
                return Err(FormatError::key(id, "labels", problem));
            }
            for text in written {
                let text = text.trim();
                if text.is_empty() {
                    let problem = format!("label {name:?} has an empty form; remove it");
                    return Err(FormatError::key(id, "labels", problem));
                }
                let mut add = |text: &str| {
                    let (text, lower, shape) = (text.to_owned(), text.to_lowercase(), shape(text));
                    forms.push(Form { text, lower, label, shape });
                };
                add(text);
                if text.contains(" (") {
                    add(&text.replace(" (", "("));
                }
            }
        }
        if let Some(problem) = clash(&forms, declared) {
            return Err(FormatError::key(id, "labels", problem));
        }
        // Labels that differ by case alone, such as `m` and `M`, are told apart by case.
        let is_case_sensitive = forms.iter().any(|one| {
            forms.iter().any(|other| one.label != other.label && one.text.eq_ignore_ascii_case(&other.text))
        });
        forms.sort_by_key(|form| std::cmp::Reverse(form.text.len()));
        let finder = Finder::new(forms.iter().map(|form| form.text.as_str()), !is_case_sensitive)
            .map_err(|problem| FormatError::key(id, "labels", problem.to_string()))?;
        Ok(Self { names: declared.iter().map(|(name, _)| name.clone()).collect(), forms, finder, is_case_sensitive })
    }

    pub(crate) fn name(&self, label: usize) -> &str {
        self.names.get(label).map_or("", String::as_str)
    }

    /// The label that the whole text is.
    pub(crate) fn of(&self, text: &str) -> Option<usize> {
        let form = self.forms.iter().find(|form| self.equal(form, text))?;
        Some(form.label)
    }

    fn equal(&self, form: &Form, text: &str) -> bool {
        if self.is_case_sensitive {
            return form.text == text;
        }
        form.text.eq_ignore_ascii_case(text)
            // In another case, three bytes can be one; what is longer need not be looked at.
            || !form.text.is_ascii() && text.len() <= 3 * form.lower.len() && form.lower == text.to_lowercase()
    }

    /// The label that starts at `at`.
    pub(crate) fn at(&self, text: &str, at: usize) -> Option<Mention> {
        self.finder.all_at(text, at).find_map(|found| self.whole(text, found))
    }

    /// All mentions as whole words that start in the range, in the order of the text.
    pub(crate) fn mentions<'t>(&'t self, text: &'t str, range: Range<usize>) -> impl Iterator<Item = Mention> + 't {
        self.finder.find(text, range).filter_map(move |found| self.whole(text, found))
    }

    /// What was found as a mention, if no word goes on across its ends.
    #[inline]
    fn whole(&self, text: &str, found: Found) -> Option<Mention> {
        let form = self.forms.get(found.pattern)?;
        (is_edge(text, found.start) && is_edge(text, found.end)).then_some(Mention {
            label: form.label,
            shape: form.shape,
            start: found.start,
            end: found.end,
        })
    }

    pub(crate) fn forms(&self) -> impl Iterator<Item = &Form> {
        self.forms.iter()
    }

    /// The label of a name.
    pub(crate) fn named(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|other| other == name)
    }
}

/// Whether a label may begin or end here. An apostrophe or a hyphen continues a word: "A's", "no-one".
fn is_edge(text: &str, at: usize) -> bool {
    is_word_edge(text, at)
        && !(byte_at(text, at) == b'-' && byte_at(text, at + 1).is_ascii_alphabetic())
        && !(at > 1
            && byte_at(text, at - 1) == b'-'
            && byte_at(text, at - 2).is_ascii_alphabetic()
            && byte_at(text, at).is_ascii_alphabetic())
}

fn shape(form: &str) -> Shape {
    let mut chars = form.chars();
    if let (Some(only), None) = (chars.next(), chars.next())
        && only.is_ascii_alphabetic()
    {
        return Shape::Letter;
    }
    if form.bytes().all(|byte| byte.is_ascii_digit()) {
        return Shape::Number;
    }
    if PARTICLES.iter().any(|particle| particle.eq_ignore_ascii_case(form)) {
        return Shape::Particle;
    }
    if form.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-') {
        return Shape::Word;
    }
    let last = form.rsplit(char::is_whitespace).next().unwrap_or(form);
    let designator = last.trim_matches(|c: char| !c.is_alphanumeric());
    if designator.chars().count() == 1 { Shape::Name } else { Shape::Phrase }
}

/// Two labels with one form can't be told apart.
fn clash(forms: &[Form], declared: &[(String, Vec<String>)]) -> Option<String> {
    let name = |label: usize| declared.get(label).map_or("", |(name, _)| name.as_str());
    forms.iter().enumerate().find_map(|(nth, one)| {
        let other = forms.get(nth + 1..)?.iter().find(|other| other.label != one.label && other.text == one.text)?;
        Some(format!(
            "{:?} stands for both {:?} and {:?}; give each label its own forms",
            one.text,
            name(one.label),
            name(other.label)
        ))
    })
}
