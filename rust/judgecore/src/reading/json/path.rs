//! Entries of a document by path: `helpfulness.score`, and `scores.0` of a list.

use crate::json::{self, Json};

/// The entry that a path leads to, and the document's own key on the way there.
///
/// A key that is spelled as all that is left of the path wins over a path, at every step.
pub(super) fn follow<'d, 'r, 'p>(document: &'d Json<'r>, path: &'p str) -> Option<(&'p str, &'d Json<'r>)> {
    if let Json::Object(_) = document
        && let Some(value) = step(document, path)
    {
        return Some((path, value));
    }
    let (key, mut rest) = path.split_once('.')?;
    let mut value = step(document, key)?;
    loop {
        if let Some(value) = step(value, rest) {
            return Some((key, value));
        }
        let (next, behind) = rest.split_once('.')?;
        (value, rest) = (step(value, next)?, behind);
    }
}

/// The entry of a key, or of a place in a list, from 0.
fn step<'d, 'r>(value: &'d Json<'r>, key: &str) -> Option<&'d Json<'r>> {
    match value {
        Json::Array(items) => items.get(key.parse::<usize>().ok()?),
        _ => json::get(value, key),
    }
}

#[cfg(test)]
mod tests {
    use super::follow;
    use crate::json::strict;

    #[test]
    fn a_path_leads_through_objects_and_lists_and_a_key_of_its_spelling_wins() {
        for (document, path, want) in [
            (r#"{"a": {"b": 1}}"#, "a.b", Some(("a", "1"))),
            (r#"{"a": {"b": 1}, "a.b": 2}"#, "a.b", Some(("a.b", "2"))),
            (r#"{"a": {"b": {"c": 1}, "b.c": 2}}"#, "a.b.c", Some(("a", "2"))),
            (r#"{"a": [{"b": 1}, {"b": 2}]}"#, "a.1.b", Some(("a", "2"))),
            (r#"{"a": [1]}"#, "a.1", None),
            (r#"{"a": 1}"#, "a.b", None),
            (r#"{"a": {"b": 1}}"#, "a.", None),
            (r#"{"": {"": 1}}"#, ".", Some(("", "1"))),
            (r#"[{"b": 1}]"#, "0.b", Some(("0", "1"))),
        ] {
            let document = strict::read(document).unwrap();
            let found = follow(&document, path).map(|(key, value)| (key, super::super::verdict::shown(value)));
            assert_eq!(found, want.map(|(key, value)| (key, value.to_owned())), "{path} of {document:?}");
        }
    }
}
