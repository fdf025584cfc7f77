//! Entries of a document by path: `helpfulness.score`, and `scores.0` of a list.

use crate::json::{self, Json};
use crate::reading::outcome::{Detail, Reason, Unreadable};

/// What a path leads to.
pub(super) struct Entry<'d, 'r, 'p> {
    /// The document's own key on the way there.
    pub(super) key: &'p str,
    /// The entry; of a key that is given twice, the last.
    pub(super) value: &'d Json<'r>,
    /// Whether a key on the way is given twice, with different values.
    is_contested: bool,
}

impl<'d, 'r> Entry<'d, 'r, '_> {
    /// The entry as a verdict.
    ///
    /// # Errors
    ///
    /// [`Reason::Ambiguous`] where it is given twice, with different values.
    pub(super) fn settled<'f>(&self) -> Result<&'d Json<'r>, Unreadable<'f>> {
        let detail = || Detail::Words(format!("{} is given twice, with different values", self.key));
        if self.is_contested { Err(Unreadable::new(Reason::Ambiguous, detail())) } else { Ok(self.value) }
    }
}

/// The entry that a path leads to.
///
/// A key that is spelled as all that is left of the path wins over a path, at every step.
pub(super) fn follow<'d, 'r, 'p>(document: &'d Json<'r>, path: &'p str) -> Option<Entry<'d, 'r, 'p>> {
    if let Json::Object(_) = document
        && let Some((value, is_contested)) = step(document, path)
    {
        return Some(Entry { key: path, value, is_contested });
    }
    let (key, mut rest) = path.split_once('.')?;
    let (mut value, mut is_contested) = step(document, key)?;
    loop {
        if let Some((value, is_twice)) = step(value, rest) {
            return Some(Entry { key, value, is_contested: is_contested || is_twice });
        }
        let (next, behind) = rest.split_once('.')?;
        let (inner, is_twice) = step(value, next)?;
        (value, is_contested, rest) = (inner, is_contested || is_twice, behind);
    }
}

/// The entry of a key, or of a place in a list, from 0; and whether the key is given another value before.
fn step<'d, 'r>(value: &'d Json<'r>, key: &str) -> Option<(&'d Json<'r>, bool)> {
    match value {
        Json::Array(items) => Some((items.get(key.parse::<usize>().ok()?)?, false)),
        Json::Object(entries) => {
            let mut named = entries.iter().rev().filter(|(name, _)| name == key).map(|(_, value)| value);
            let last = named.next()?;
            Some((last, named.any(|other| !json::is_same(other, last))))
        }
        _ => None,
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
            let found = follow(&document, path).map(|entry| (entry.key, super::super::verdict::shown(entry.value)));
            assert_eq!(found, want.map(|(key, value)| (key, value.to_owned())), "{path} of {document:?}");
        }
    }

    #[test]
    fn a_key_with_two_values_on_the_way_settles_nothing() {
        for (document, path, is_settled) in [
            (r#"{"a": 1, "a": 1.0}"#, "a", true),
            (r#"{"a": 1, "a": 2}"#, "a", false),
            (r#"{"a": 1, "b": 0, "b": 2}"#, "a", true),
            (r#"{"a": {"b": 1}, "a": {"b": 2}}"#, "a.b", false),
            (r#"{"a": [{"b": 1, "b": 2}]}"#, "a.0.b", false),
        ] {
            let document = strict::read(document).unwrap();
            let entry = follow(&document, path).unwrap();
            assert_eq!(entry.settled().is_ok(), is_settled, "{path} of {document:?}");
        }
    }
}
