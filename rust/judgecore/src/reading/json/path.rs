//! Entries of a document by path: `helpfulness.score`, and `scores.0` of a list.

use crate::json::{self, Json};

/// The entry that a path leads to, and the document's own key on the way there.
///
/// A key that is spelled as all that is left of the path wins over a path, at every step. If `is_exact` is false, a key
/// may be written in another way: `Score Value` for `score_value`.
pub(super) fn follow<'d, 'r, 'p>(
    document: &'d Json<'r>,
    path: &'p str,
    is_exact: bool,
) -> Option<(&'p str, &'d Json<'r>)> {
    let step = |value, key| step(value, key, is_exact);
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
fn step<'d, 'r>(value: &'d Json<'r>, key: &str, is_exact: bool) -> Option<&'d Json<'r>> {
    match value {
        Json::Array(items) => items.get(key.parse::<usize>().ok()?),
        Json::Object(entries) if !is_exact => json::get(value, key).or_else(|| {
            let mut alike = entries.iter().filter(|(name, _)| is_alike(name, key));
            alike.next().filter(|_| alike.next().is_none()).map(|(_, value)| value)
        }),
        _ => json::get(value, key),
    }
}

/// Whether two keys differ in case and in what parts their words alone: `scoreValue`, `Score value`, `score_value`.
pub(super) fn is_alike(one: &str, other: &str) -> bool {
    let is_letter = |byte: &u8| !matches!(byte, b'_' | b'-' | b' ');
    let [mut one, mut other] = [one, other].map(|key| key.bytes().filter(is_letter));
    let Some((first, second)) = one.next().zip(other.next()) else { return false };
    first.eq_ignore_ascii_case(&second) && one.map(|b| b.to_ascii_lowercase()).eq(other.map(|b| b.to_ascii_lowercase()))
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
            (r#"{"A": 1}"#, "a", None),
        ] {
            let document = strict::read(document).unwrap();
            let found = follow(&document, path, true).map(|(key, value)| (key, super::super::verdict::shown(value)));
            assert_eq!(found, want.map(|(key, value)| (key, value.to_owned())), "{path} of {document:?}");
        }
    }

    #[test]
    fn a_key_may_be_written_in_another_way_if_only_one_is() {
        for (document, want) in [
            (r#"{"Score Value": 1}"#, Some("1")),
            (r#"{"scoreValue": {"Top": 1}}"#, Some("an object of 1")),
            (r#"{"SCORE-VALUE": 1, "score_value": 2}"#, Some("2")),
            (r#"{"SCORE-VALUE": 1, "scoreValue": 2}"#, None),
            (r#"{"score_values": 1}"#, None),
        ] {
            let document = strict::read(document).unwrap();
            let found = follow(&document, "score_value", false).map(|(_, value)| super::super::verdict::shown(value));
            assert_eq!(found.as_deref(), want, "{document:?}");
        }
        let document = strict::read(r#"{"Scores": {"First Part": 1}}"#).unwrap();
        assert!(follow(&document, "scores.first_part", false).is_some());
    }
}
