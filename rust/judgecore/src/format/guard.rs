//! Compiled guards: the answers and codes that a guard writes.

use std::sync::OnceLock;

use indexmap::IndexMap;

use super::builtin;
use super::declaration::{AnswerDeclaration, Codes, GuardDeclaration, Side};
use super::error::FormatError;
use super::label::Labels;
use crate::taxonomy::{self, Mapping};

/// A guard's answers and codes.
#[derive(Debug, Clone)]
pub(crate) struct Guard {
    id: String,
    pub(crate) subject: Side,
    /// The verdict without a line or key of its own.
    pub(crate) verdict: Option<Answer>,
    /// All other answers.
    pub(crate) answers: Vec<Answer>,
    pub(crate) codes: Option<Codes>,
    /// All codes, from first to last.
    known_codes: Vec<String>,
    /// What the family defines.
    known_categories: Vec<Category>,
    /// The answers are entries of a JSON object.
    pub(crate) is_json: bool,
    /// In JSON, the keys of the sides.
    pub(crate) keys: Vec<String>,
    /// The lines or keys of the categories.
    pub(crate) categories: Vec<String>,
}

/// A category that the family defines.
#[derive(Debug, Clone)]
pub(crate) struct Category {
    pub(crate) code: String,
    pub(crate) meaning: String,
    /// The meaning of a code; a word that the guard writes is its own name.
    pub(crate) name: String,
    mapping: OnceLock<Option<Mapping>>,
}

/// One of a guard's answers.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) declared: AnswerDeclaration,
    pub(crate) lines: Vec<String>,
    /// The documented words.
    pub(crate) labels: Labels,
    /// The documented words and those that lenient reading accepts.
    pub(crate) loose: Labels,
    /// The meaning of each label; None for neither.
    meanings: Vec<Option<bool>>,
    /// The first of the labels that mean neither.
    first_word: usize,
}

/// What stands before an answer on its line: `Safety:` of `Safety: {}`.
pub(super) fn label_of(line: &str) -> String {
    line.split_once("{}").map_or(line, |(label, _)| label).trim().to_owned()
}

impl Guard {
    pub(crate) fn new(
        id: &str,
        declared: &GuardDeclaration,
        categories: &IndexMap<String, String>,
    ) -> Result<Self, FormatError> {
        let known_categories = categories.iter().map(|(code, meaning)| Category {
            code: code.clone(),
            meaning: meaning.clone(),
            name: if declared.codes.is_some() { meaning } else { code }.clone(),
            mapping: OnceLock::new(),
        });
        let known_categories = known_categories.collect();
        let mut verdict = None;
        let mut answers = Vec::new();
        for answer in &declared.answers {
            let answer = Answer::new(id, answer)?;
            if answer.has_place() {
                answers.push(answer);
            } else if verdict.replace(answer).is_some() {
                let problem = "give one answer without a place of its own, which is the verdict; the others need lines, \
                               alone or follows";
                return Err(FormatError::key(id, "guard.answers", problem));
            }
        }
        let problem = "give every answer a name, except the one without a place of its own";
        let is_unnamed = answers.iter().any(|answer| answer.declared.name.is_none());
        FormatError::refuse_if(is_unnamed, id, "guard.answers", problem)?;
        let problem = "no answer has a side; set the side of the one that judges the prompt or the response";
        let is_sideless = !verdict.iter().chain(&answers).any(|answer| answer.declared.side.is_some());
        FormatError::refuse_if(is_sideless, id, "guard.answers", problem)?;
        let categories: Vec<String> = declared.categories.iter().map(|line| label_of(line)).collect();
        if answers.iter().flat_map(|answer| &answer.lines).chain(&categories).any(String::is_empty) {
            return Err(FormatError::key(id, "guard.lines", "a line has no words; remove it"));
        }
        let sides = answers.iter().filter(|answer| answer.declared.side.is_some());
        let keys = sides.flat_map(|answer| answer.lines.clone()).collect();
        Ok(Self {
            id: id.to_owned(),
            subject: declared.subject,
            keys,
            verdict,
            answers,
            codes: declared.codes.clone(),
            known_codes: declared.codes.as_ref().map_or_else(Vec::new, |codes| {
                (1..=codes.last).map(|number| format!("{}{number}", codes.prefix)).collect()
            }),
            known_categories,
            is_json: declared.json,
            categories,
        })
    }

    /// The codes from one to another; None where they are not in order, or are all of the family's.
    pub(crate) fn codes_between<'s>(&'s self, first: &str, last: &str) -> Option<&'s [String]> {
        let place = |code: &str| self.known_codes.iter().position(|known| known == code);
        let (first, last) = (place(first)?, place(last)?);
        let codes = self.known_codes.get(first..=last)?;
        (codes.len() < self.known_codes.len()).then_some(codes)
    }

    /// Return the guard's code, if the text is one.
    pub(crate) fn code(&self, written: &str) -> Option<&str> {
        let number = written.strip_prefix(self.codes.as_ref()?.prefix.as_str())?;
        let is_number = (1..=3).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
        let nth = number.parse::<usize>().ok().filter(|_| is_number && !number.starts_with('0'))?;
        self.known_codes.get(nth.checked_sub(1)?).map(String::as_str)
    }

    /// The family's categories.
    pub(crate) fn known_categories(&self) -> &[Category] {
        &self.known_categories
    }

    /// What a category is among the hazards; None where no built-in format of this name has the category so.
    pub(crate) fn mapping<'g>(&self, Category { code, meaning, mapping, .. }: &'g Category) -> Option<&'g Mapping> {
        let known = || builtin::find(&self.id).filter(|format| format.categories().any(|one| one == (code, meaning)));
        mapping.get_or_init(|| known().and_then(|_| taxonomy::mapping(&self.id, code))).as_ref()
    }

    /// The family's category of this code, or of this meaning.
    pub(crate) fn named(&self, written: &str) -> Option<&Category> {
        let known = || self.known_categories.iter();
        let coded = known().find(|category| category.code.eq_ignore_ascii_case(written));
        coded.or_else(|| known().find(|category| category.meaning.eq_ignore_ascii_case(written)))
    }

    /// The family's category that is written so, by its code or its meaning, or as both: `S11: Sexual Content`.
    pub(crate) fn category(&self, written: &str) -> Option<&Category> {
        self.named(written).or_else(|| written.split_once(':').and_then(|(code, _)| self.named(code.trim())))
    }
}

impl Answer {
    fn new(id: &str, declared: &AnswerDeclaration) -> Result<Self, FormatError> {
        let AnswerDeclaration { yes, no, none, loosely_true, loosely_false, words, .. } = declared;
        let name = |forms: &[String], name: &str| match forms.first() {
            Some(first) if declared.word => first.clone(),
            _ => name.to_owned(),
        };
        let with = |forms: &[String], loosely: &[String]| [forms, loosely].concat();
        let answers = [
            (name(yes, "true"), yes, with(yes, loosely_true), Some(true)),
            (name(no, "false"), no, with(no, loosely_false), Some(false)),
            ("none".to_owned(), none, none.clone(), None),
        ];
        let answers: Vec<_> = answers.into_iter().filter(|(_, forms, ..)| !forms.is_empty()).collect();
        let first_word = answers.len();
        let words = words.iter().map(|(name, forms)| (name.clone(), forms, forms.clone(), None));
        let (mut named, mut loose, mut meanings) = (Vec::new(), Vec::new(), Vec::new());
        for (name, forms, all, meaning) in answers.into_iter().chain(words) {
            named.push((name.clone(), forms.clone()));
            loose.push((name, all));
            meanings.push(meaning);
        }
        let problem = "give the answer's words, or set lists = true if it lists categories";
        FormatError::refuse_if(declared.lists != named.is_empty(), id, "guard.answers", problem)?;
        Ok(Self {
            lines: declared.lines.iter().map(|line| label_of(line)).collect(),
            labels: Labels::new(id, &named)?,
            loose: Labels::new(id, &loose)?,
            meanings,
            first_word,
            declared: declared.clone(),
        })
    }

    /// Whether it has lines or another place of its own; otherwise it is the verdict of the whole reply.
    fn has_place(&self) -> bool {
        !self.lines.is_empty() || self.declared.alone || self.declared.follows
    }

    /// Return the meaning of a label; None for neither.
    pub(crate) fn meaning(&self, label: usize) -> Option<bool> {
        self.meanings.get(label).copied().flatten()
    }

    /// Whether a label is one of the words that mean neither.
    pub(crate) fn is_neither(&self, label: usize) -> bool {
        label >= self.first_word && label < self.meanings.len()
    }
}
