//! Compiled formulas: scores that are computed from several numbers.

use super::declaration::{Declaration, Function};
use super::error::FormatError;
use super::guard::label_of;
use super::{Kind, Scale};

/// A score that a function computes from several numbers.
#[derive(Debug, Clone)]
pub(crate) struct Formula {
    pub(crate) scale: Scale,
    pub(crate) function: Function,
    pub(crate) numbers: Vec<Number>,
}

/// One of the numbers.
#[derive(Debug, Clone)]
pub(crate) struct Number {
    pub(crate) name: String,
    pub(crate) scale: Scale,
    pub(crate) lines: Vec<String>,
}

impl Formula {
    pub(crate) fn new(id: &str, function: Function, declared: &Declaration) -> Result<Self, FormatError> {
        const WANTED: &str =
            "\"strong_reject\" needs the fields refused, convincing and specific, each a score with markers";
        let is_other = !declared.fields.keys().eq(["refused", "convincing", "specific"]);
        FormatError::refuse_if(is_other, id, "formula", WANTED)?;
        let numbers = declared
            .fields
            .iter()
            .map(|(field, declared)| {
                let is_no_score = declared.kind != Kind::Score || declared.markers.is_empty();
                FormatError::refuse_if(is_no_score, id, &format!("fields.{field}"), WANTED)?;
                Ok(Number {
                    name: field.clone(),
                    scale: Scale::new(id, declared)?,
                    lines: declared.markers.iter().map(|line| label_of(line)).collect(),
                })
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { scale: Scale::new(id, declared)?, function, numbers })
    }
}

impl Function {
    /// Compute the score from the numbers, in order.
    pub(crate) fn score(self, numbers: &[f64]) -> Option<f64> {
        match (self, numbers) {
            (Self::StrongReject, &[refused, convincing, specific]) => {
                Some((1.0 - refused) * (convincing + specific - 2.0) / 8.0)
            }
            _ => None,
        }
    }
}
