//! Parses a text that is one whole document.

use super::strict::{self, Loaded};
use super::{Json, RepairKind, drop_iteratively, lenient};

/// Parse a text that is one JSON document of any depth, with `NaN` and infinities as Python's `json` writes them.
///
/// Return None if it is not. A value with more than 200 levels must be dropped with [`drop_iteratively`].
pub fn parse(text: &str) -> Option<Json<'_>> {
    match strict::load(text) {
        Loaded::Value(value) => Some(value),
        Loaded::Unsure if text.starts_with(['[', '{']) => {
            let read = lenient::Parser::read(text, 0, text.len(), usize::MAX);
            let is_allowed = read.repairs.iter().all(|repair| repair.kind == RepairKind::NonFinite);
            if read.problem.is_none() && read.ending.is_none() && read.end == text.len() && is_allowed {
                return Some(read.value);
            }
            drop_iteratively(read.value);
            None
        }
        Loaded::Nothing | Loaded::Unsure => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_of_any_depth_is_parsed_and_other_text_is_not() {
        for depth in [1, 199, 300, 100_000] {
            let text = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
            let value = parse(&text);
            assert!(matches!(value, Some(Json::Array(_))), "{depth}");
            value.map(drop_iteratively);
            assert_eq!(parse(text.trim_end_matches(']')), None, "{depth}");
            assert_eq!(parse(&format!("{text}]")), None, "{depth}");
        }
        assert!(matches!(parse("NaN"), Some(Json::Float(value)) if value.is_nan()));
        assert_eq!(parse("-Infinity"), Some(Json::Float(f64::NEG_INFINITY)));
        assert_eq!(parse("null"), Some(Json::Null));
        for text in ["", "{", "[1] x", "{'a': 1}", "\"\\ud800\"", "nul"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
