//! What judges wrap a document in: a list of one, and the call of a tool.

use super::Wanted;
use crate::json::{Json, get, strict};

/// More wrappings than this are none.
const MOST: usize = 4;

/// The names of the arguments in the calls of `OpenAI`, Anthropic, Llama 3, Hermes, Qwen and `LangChain`.
const ARGUMENTS: [&str; 4] = ["arguments", "input", "parameters", "args"];

/// What holds one call: messages of `OpenAI`, and each of their calls.
const CALLS: [&str; 3] = ["tool_calls", "function_call", "function"];

/// The document that holds the verdict, if it is all that a value wraps; else the value. Where a document is asked for by
/// its keys, a list that holds it is another one.
pub(super) fn unwrapped<'r>(value: Json<'r>, wanted: Wanted<'_>) -> Json<'r> {
    if wanted.any.is_empty() && wanted.parts.is_empty() || wanted.is_met_by(&value, [None; 2]) {
        return value;
    }
    let mut inner = inside(&value);
    for _ in 1..MOST {
        inner = match inner {
            Some(found) if wanted.is_met_by(&found, [None; 2]) => return found,
            found => found.as_ref().and_then(inside),
        };
    }
    inner.filter(|found| wanted.is_met_by(found, [None; 2])).unwrap_or(value)
}

/// What one wrapping holds.
fn inside<'r>(value: &Json<'r>) -> Option<Json<'r>> {
    if let Json::Array(items) = value {
        let [only] = items.as_slice() else { return None };
        return Some(only.clone());
    }
    let held = |keys: &[&str]| {
        let mut found = keys.iter().filter_map(|key| get(value, key));
        found.next().filter(|_| found.next().is_none())
    };
    let is_call = matches!(get(value, "name"), Some(Json::Str(_)));
    match held(&ARGUMENTS).filter(|_| is_call).or_else(|| held(&CALLS))? {
        Json::Str(text) => strict::read(text).ok().map(Json::into_static),
        inner @ (Json::Object(_) | Json::Array(_)) => Some(inner.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Wanted;
    use super::unwrapped;
    use crate::json::strict;

    #[test]
    fn the_only_document_of_a_call_or_a_list_is_read_and_one_of_several_is_not() {
        let any = ["score".to_owned()];
        let wanted = Wanted { any: &any, ..Wanted::default() };
        let inner = strict::read(r#"{"score": 5}"#).unwrap();
        for wrapped in [
            r#"[{"score": 5}]"#,
            r#"{"name": "grade", "arguments": {"score": 5}}"#,
            r#"{"name": "grade", "arguments": "{\"score\": 5}"}"#,
            r#"{"type": "tool_use", "id": "1", "name": "grade", "input": {"score": 5}}"#,
            r#"{"tool_calls": [{"type": "function", "function": {"name": "g", "arguments": "{\"score\": 5}"}}]}"#,
        ] {
            assert_eq!(unwrapped(strict::read(wrapped).unwrap(), wanted), inner, "{wrapped}");
        }
        for other in [
            r#"[{"score": 5}, {"score": 6}]"#,
            r#"[[[[[{"score": 5}]]]]]"#,
            r#"{"style": {"score": 5}}"#,
            r#"{"arguments": {"score": 5}}"#,
            r#"{"name": "grade", "arguments": {"score": 5}, "input": {"score": 6}}"#,
            r#"{"tool_calls": [{"name": "g", "input": {"score": 5}}, {"name": "g", "input": {"score": 6}}]}"#,
        ] {
            let value = strict::read(other).unwrap();
            assert_eq!(unwrapped(value.clone(), wanted), value, "{other}");
        }
    }
}
