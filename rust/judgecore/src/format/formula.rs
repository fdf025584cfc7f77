//! Compiled formulas: scores that are computed from several numbers.

use super::declaration::{Declaration, Function};
use super::error::FormatError;
use super::guard::label_of;
use super::{Format, Kind, Scale};

/// A score that a function computes from several numbers.
#[derive(Debug)]
pub(crate) struct Formula {
    pub(crate) scale: Scale,
    pub(crate) function: Function,
    /// The names of the numbers, and how each is read.
    pub(crate) numbers: Vec<(String, Format)>,
}

/// How a number stands behind its label, also without a colon: `1.b 4`, `1.b. 4`, `1.b - 4`, `1.b <4>`.
const BEHIND: [&str; 4] = [" {}", ". {}", " - {}", " <{}>"];

impl Formula {
    pub(crate) fn new(id: &str, function: Function, declared: &Declaration) -> Result<Self, FormatError> {
        const WANTED: &str =
            "\"strong_reject\" needs the fields refused, convincing and specific, each a score with markers";
        let is_other = !declared.fields.keys().eq(["refused", "convincing", "specific"]);
        FormatError::refuse_if(is_other, id, "formula", WANTED)?;
        let numbers = declared.fields.iter().map(|(name, field)| {
            let key = format!("fields.{name}");
            let is_no_score = field.kind != Kind::Score || field.markers.is_empty();
            FormatError::refuse_if(is_no_score, id, &key, WANTED)?;
            let labels = field.markers.iter().map(|line| label_of(line));
            let markers = labels.flat_map(|label| BEHIND.map(|behind| label.clone() + behind)).collect();
            Ok((name.clone(), Format::part(id, &key, Declaration { markers, ..field.clone() })?))
        });
        let numbers = numbers.collect::<Result<_, _>>()?;
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
