//! The outcome hash: a hash of the keys of a declaration that affect outcomes.
//!
//! All keys count but those listed here. Default values are left out, so that a new key does not change the hashes of
//! formats that don't use it.

use toml::Value;

use super::declaration::{Declaration, Logprobs};
use super::document::Limits;
use crate::hashing::{Canonical, ContentHash, NotFinite, Sink};

/// Keys for people and for lookup, and `either_side`, which says what else may be asked: that is another declaration.
const IGNORED: [&str; 10] =
    ["id", "aliases", "like", "version", "about", "evidence", "sources", "replies", "examples", "either_side"];

/// Names that are the default of their key.
const USUAL: [(&str, &str); 3] = [("precedence", "agree"), ("take", "first"), ("out_of_range", "refuse")];

/// Tables whose first matching entry counts, so that their order matters.
const ORDERED: [&str; 5] = ["labels", "words", "fields", "entries", "categories"];

/// Lists of names whose order is irrelevant.
const SETS: [&str; 2] = ["numbers", "strict"];

/// Keys whose values are literals: they count whatever they are.
const LITERALS: [&str; 3] = ["default", "value", "mapping"];

/// Return the SHA-256, as 64 hex digits, of everything that affects outcomes in any mode.
///
/// # Errors
///
/// What in the declaration can't be written.
pub(super) fn outcome_hash(declared: &Declaration) -> Result<String, String> {
    let whole = Value::try_from(explicit(declared)).map_err(|problem| problem.to_string())?;
    let mut json = Canonical::new(ContentHash::default());
    write(&mut json, &counted("", whole)).map_err(|problem| problem.to_string())?;
    Ok(json.finish().hex())
}

/// The declaration with its strictness, and without limits and a rule of probabilities that are the default.
fn explicit(declared: &Declaration) -> Declaration {
    let usual = Limits::default();
    Declaration {
        strict: declared.strictness(),
        max_depth: declared.max_depth.filter(|depth| *depth != usual.max_depth),
        max_bytes: declared.max_bytes.filter(|bytes| *bytes != usual.max_bytes),
        logprobs: declared.logprobs.clone().filter(|logprobs| *logprobs != Logprobs::default()),
        fields: declared.fields.iter().map(|(name, field)| (name.clone(), explicit(field))).collect(),
        examples: Vec::new(),
        ..declared.clone()
    }
}

/// What counts of a key's value.
fn counted(key: &str, value: Value) -> Value {
    match value {
        value if LITERALS.contains(&key) => value,
        Value::Table(table) if ORDERED.contains(&key) => {
            let pairs = table.into_iter().map(|(name, value)| Value::Array(vec![name.into(), counted("", value)]));
            Value::Array(pairs.collect())
        }
        Value::Table(table) => {
            // That probabilities are shares is the default.
            let entries = table.into_iter().map(|(name, value)| match (name.as_str(), value) {
                ("share", Value::Boolean(share)) => ("no_share".to_owned(), Value::Boolean(!share)),
                (_, value) => (name, value),
            });
            let entries = entries.filter(|(name, value)| !is_left_out(name, value));
            Value::Table(entries.map(|(name, value)| (name.clone(), counted(&name, value))).collect())
        }
        Value::Array(mut names) if SETS.contains(&key) => {
            names.sort_by(|one, other| one.as_str().cmp(&other.as_str()));
            names.dedup();
            Value::Array(names)
        }
        Value::Array(values) => Value::Array(values.into_iter().map(|value| counted(key, value)).collect()),
        value => value,
    }
}

/// Whether an entry affects no outcome, or has its default value.
fn is_left_out(name: &str, value: &Value) -> bool {
    let is_default = match value {
        Value::Table(entries) => entries.is_empty(),
        _ if LITERALS.contains(&name) => false,
        Value::Array(values) => values.is_empty(),
        Value::Boolean(value) => !value,
        Value::String(word) => USUAL.contains(&(name, word)),
        _ => false,
    };
    is_default || IGNORED.contains(&name)
}

/// Write a value. An integral float is written without a point, so 1 equals 1.0, and 0 equals -0.
pub(super) fn write<S: Sink>(json: &mut Canonical<S>, value: &Value) -> Result<(), NotFinite> {
    match value {
        Value::String(text) => json.text(text),
        Value::Boolean(value) => json.boolean(*value),
        Value::Integer(value) => json.integer(*value),
        Value::Float(value) if value.fract() == 0.0 => json.digits(&format!("{:.0}", value + 0.0)),
        Value::Float(value) => json.float(*value)?,
        Value::Datetime(value) => json.text(&value.to_string()),
        Value::Array(values) => {
            json.begin_array();
            values.iter().try_for_each(|value| write(json, value))?;
            json.end_array();
        }
        Value::Table(table) => {
            json.begin_object();
            let mut entries: Vec<_> = table.iter().collect();
            entries.sort_unstable_by_key(|(key, _)| *key);
            for (key, value) in entries {
                json.key(key);
                write(json, value)?;
            }
            json.end_object();
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::{Value, json};

    use super::super::{Kind, builtin};
    use super::{Declaration, IGNORED, outcome_hash};

    /// Other values for keys that are unset or accept only certain names.
    fn others() -> Vec<Value> {
        vec![
            json!("zzz"),
            json!("statement"),
            json!("first_line"),
            json!("last_line"),
            json!("last"),
            json!("first"),
            json!("lowest"),
            json!("clamp"),
            json!("keep"),
            json!("prompt"),
            json!("response"),
            json!("code"),
            json!("card"),
            json!("guard"),
            json!("ranking"),
            json!("strong_reject"),
            json!("lmms_eval_score"),
            Value::Null,
            json!(77),
            json!({"zzz": "zzz"}),
            json!({"zzz": ["zzz"]}),
            json!({"zzz": 77}),
            json!({"zzz": {"kind": "score"}}),
            json!({"pattern": "zzz"}),
            json!({"sum": true}),
            json!({"prefix": "zzz", "last": 77}),
            json!({"name": "zzz", "rank": "zzz"}),
            json!({"subject": "prompt", "answers": []}),
            json!({"steps": [{"pattern": "zzz"}]}),
            json!({"lists": true}),
            json!({"reply": "zzz", "lenient": 77, "strict": 77}),
        ]
    }

    /// Replacements to try for a value; invalid ones do not parse.
    fn changed(value: &Value) -> Vec<Value> {
        match value {
            Value::Bool(value) => vec![json!(!value)],
            Value::Number(number) => {
                vec![json!(number.as_f64().unwrap() + 1.0), json!(number.as_u64().unwrap_or(0) + 1)]
            }
            Value::String(text) => std::iter::once(json!(format!("{text}zzz"))).chain(others()).collect(),
            Value::Null => others(),
            Value::Array(items) => {
                let longer = |more| Value::from(items.iter().cloned().chain([more]).collect::<Vec<_>>());
                others().into_iter().filter(|other| !items.contains(other)).map(longer).collect()
            }
            Value::Object(entries) => {
                let with = |(name, value): (&String, &Value)| {
                    let mut more = entries.clone();
                    more.insert(name.clone(), value.clone());
                    Value::from(more)
                };
                let tables = others();
                tables.iter().filter_map(Value::as_object).flatten().map(with).collect()
            }
        }
    }

    /// Collect the JSON pointers of a value and of everything in it.
    fn places(value: &Value, at: &str, found: &mut Vec<String>) {
        found.push(at.to_owned());
        match value {
            Value::Object(entries) => {
                for (name, value) in entries {
                    places(value, &format!("{at}/{}", name.replace('~', "~0").replace('/', "~1")), found);
                }
            }
            Value::Array(items) => {
                for (nth, item) in items.iter().enumerate() {
                    places(item, &format!("{at}/{nth}"), found);
                }
            }
            _ => {}
        }
    }

    /// Whether a pointer leads to a key that does not affect outcomes. Declarations are at the root and below `fields`.
    fn is_prose(place: &str) -> bool {
        let keys: Vec<&str> = place.split('/').skip(1).collect();
        match keys.as_slice() {
            ["fields", _, inner, ..] => IGNORED.contains(inner),
            ["guard", "either_side"] => true,
            [key, ..] => IGNORED.contains(key),
            [] => false,
        }
    }

    /// Replace the value at a pointer with the first one that makes a valid, different declaration.
    fn changed_at(declared: &Value, place: &str) -> Option<Declaration> {
        let here = declared.pointer(place)?;
        changed(here).into_iter().filter(|other| other != here).find_map(|other| {
            let mut whole = declared.clone();
            *whole.pointer_mut(place)? = other;
            serde_json::from_value(whole).ok()
        })
    }

    #[test]
    fn the_hash_depends_on_exactly_the_keys_that_affect_outcomes() {
        let (mut wrong, mut seen) = (BTreeSet::new(), BTreeSet::new());
        for format in builtin::all() {
            let declared = serde_json::to_value(&format.declaration).unwrap();
            // JSON objects are sorted here, but the order of labels counts.
            let before = outcome_hash(&serde_json::from_value(declared.clone()).unwrap()).unwrap();
            let mut all = Vec::new();
            places(&declared, "", &mut all);
            // All items of a list are alike, and so are formats of a kind.
            let shape = |place: &String| (format.kind().name(), place.replace(|c: char| c.is_ascii_digit(), ""));
            for place in all.iter().filter(|place| !place.is_empty() && seen.insert(shape(place))) {
                match changed_at(&declared, place).map(|other| outcome_hash(&other).unwrap()) {
                    Some(after) if is_prose(place) == (before == after) => {}
                    // A struct accepts no other keys; its own keys are changed one by one.
                    None if declared.pointer(place).is_some_and(Value::is_object) => {}
                    Some(_) => drop(wrong.insert(format!("{}: {place}: the hash does not change", format.id()))),
                    None => drop(wrong.insert(format!("{}: {place}: add a valid value to `others`", format.id()))),
                }
            }
        }

        assert_eq!(wrong, BTreeSet::new());
    }

    #[test]
    fn every_key_of_a_file_is_changed_in_the_test_above() {
        let declared = serde_json::to_value(Declaration::of(Kind::Score)).unwrap();

        // Unset keys are serialized too, so a new key can't be forgotten.
        assert!(["like", "logprobs", "guard", "paper", "formula"].iter().all(|key| declared.get(key).is_some()));
    }

    #[test]
    fn a_default_value_hashes_like_an_unset_key() {
        let said = |more: Value| {
            let mut declared = json!({"kind": "score", "low": 1, "high": 5});
            declared.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            outcome_hash(&serde_json::from_value(declared).unwrap()).unwrap()
        };

        for usual in [
            json!({"strict": ["whole"]}),
            json!({"precedence": "agree"}),
            json!({"max_depth": 200}),
            json!({"logprobs": {"share": true}}),
            json!({"low": 1.0}),
        ] {
            assert_eq!(said(json!({})), said(usual.clone()), "{usual}");
        }
        assert_eq!(said(json!({"low": 0})), said(json!({"low": -0.0})));
        assert_ne!(said(json!({"low": 0})), said(json!({"low": 0.5})));
        assert_eq!(
            said(json!({"strict": ["whole", "marker"]})),
            said(json!({"strict": ["marker", "whole", "marker"]}))
        );
        // The value that a rule invents counts, also false and 0.
        let invented = |default: Value| said(json!({"paper": {"default": default, "steps": [{"pattern": "x"}]}}));
        assert_ne!(invented(json!(false)), said(json!({"paper": {"steps": [{"pattern": "x"}]}})));
        assert_ne!(invented(json!(false)), invented(json!(0)));
        assert_eq!(invented(json!({"a": 1, "b": 2})), invented(json!({"b": 2.0, "a": 1})));
    }
}
