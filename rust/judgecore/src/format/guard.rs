//! How a guard answers, compiled.

use super::declaration::{AnswerDeclaration, CodesDeclaration, GuardDeclaration, Side};
use super::error::FormatError;
use super::label::Labels;

/// A guard's answers and codes.
#[derive(Debug, Clone)]
pub(crate) struct Guard {
    pub(crate) subject: Side,
    pub(crate) answers: Vec<Answer>,
    pub(crate) codes: Option<CodesDeclaration>,
    /// The answers are entries of a JSON object.
    pub(crate) is_json: bool,
    /// The keys of the categories there.
    pub(crate) category_keys: Vec<String>,
}

/// One of a guard's answers.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) name: Option<String>,
    pub(crate) lines: Vec<String>,
    pub(crate) side: Option<Side>,
    pub(crate) labels: Labels,
    /// What each label says; None for "does not apply".
    pub(crate) meanings: Vec<Option<bool>>,
}

impl Guard {
    pub(crate) fn new(id: &str, declared: &GuardDeclaration) -> Result<Self, FormatError> {
        let answers = declared.answers.iter().map(|answer| Answer::new(id, answer)).collect::<Result<Vec<_>, _>>()?;
        let is_lone = matches!(answers.as_slice(), [only] if only.lines.is_empty());
        if !is_lone && (answers.is_empty() || answers.iter().any(|a| a.lines.is_empty() || a.name.is_none())) {
            let problem = "give one answer without lines, or several that each have a name and lines";
            return Err(FormatError::key(id, "guard.answers", problem));
        }
        if !answers.iter().any(|answer| answer.side.is_some()) {
            let problem = "no answer has a side; say which one judges the prompt or the response";
            return Err(FormatError::key(id, "guard.answers", problem));
        }
        Ok(Self {
            subject: declared.subject,
            answers,
            codes: declared.codes.clone(),
            is_json: declared.json,
            category_keys: declared.categories.clone(),
        })
    }
}

impl Answer {
    fn new(id: &str, declared: &AnswerDeclaration) -> Result<Self, FormatError> {
        let mut named = Vec::new();
        let mut meanings = Vec::new();
        for (name, forms, meaning) in
            [("true", &declared.yes, Some(true)), ("false", &declared.no, Some(false)), ("none", &declared.none, None)]
        {
            if !forms.is_empty() {
                named.push((name.to_owned(), forms.clone()));
                meanings.push(meaning);
            }
        }
        Ok(Self {
            name: declared.name.clone(),
            lines: declared.lines.clone(),
            side: declared.side,
            labels: Labels::new(id, &named)?,
            meanings,
        })
    }
}
