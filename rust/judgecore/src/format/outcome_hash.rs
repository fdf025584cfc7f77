//! The outcome hash: a hash of the keys of a declaration that affect outcomes.
//!
//! Every key is listed, so that a new key does not compile until it is included or ignored. Default values are left out,
//! so that a new key does not change the hashes of formats that don't use it.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;

use super::declaration::{
    AnswerDeclaration, CodesDeclaration, Declaration, GuardDeclaration, LogprobsDeclaration, OutOfRange,
    PaperDeclaration, RankingDeclaration, StepDeclaration,
};
use super::document::Limits;
use super::{Kind, Place, Precedence, Side, Strictness, Take};
use crate::hashing::{Canonical, ContentHash, NotFinite};

type Json = Canonical<ContentHash>;

/// Return the SHA-256, as 64 hex digits, of everything that affects outcomes in any mode.
pub(super) fn outcome_hash(declared: &Declaration) -> Result<String, NotFinite> {
    let mut json = Canonical::new(ContentHash::default());
    declared.write(&mut json)?;
    Ok(json.finish().hex())
}

/// A part of a declaration that affects outcomes.
trait HashInput {
    /// Whether it equals the default, so that it is left out.
    fn is_default(&self) -> bool {
        false
    }

    fn write(&self, json: &mut Json) -> Result<(), NotFinite>;
}

/// Write an object of the entries that differ from their defaults.
fn object<const N: usize>(json: &mut Json, mut entries: [(&str, &dyn HashInput); N]) -> Result<(), NotFinite> {
    entries.sort_unstable_by_key(|(name, _)| *name);
    json.begin_object();
    for (name, value) in entries {
        if !value.is_default() {
            json.key(name);
            value.write(json)?;
        }
    }
    json.end_object();
    Ok(())
}

fn array<'v, V: HashInput + ?Sized + 'v>(
    json: &mut Json,
    values: impl Iterator<Item = &'v V>,
) -> Result<(), NotFinite> {
    json.begin_array();
    for value in values {
        value.write(json)?;
    }
    json.end_array();
    Ok(())
}

impl HashInput for Declaration {
    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        let Self {
            // Only for people and for lookup.
            id: _,
            aliases: _,
            version: _,
            about: _,
            evidence: _,
            sources: _,
            replies: _,
            examples: _,
            // The inherited keys have been copied already.
            like: _,
            kind,
            yes,
            no,
            labels,
            low,
            high,
            integer,
            rescale,
            words,
            formula,
            count,
            names,
            fields,
            json: is_json,
            guard,
            verdict,
            keys,
            max_depth,
            max_bytes,
            text,
            ranking,
            entries,
            numbers,
            markers,
            precedence,
            strict: _,
            place,
            first_token,
            paper,
            logprobs,
            categories,
        } = self;
        let usual = Limits::default();
        let strict: BTreeSet<&str> = self.strictness().into_iter().map(name_of).collect();
        object(
            json,
            [
                ("kind", kind),
                ("true", yes),
                ("false", no),
                ("labels", labels),
                ("low", low),
                ("high", high),
                ("integer", integer),
                ("rescale", rescale),
                ("words", words),
                ("formula", formula),
                ("count", count),
                ("names", names),
                ("fields", fields),
                ("json", is_json),
                ("guard", guard),
                ("verdict", verdict),
                ("keys", keys),
                ("max_depth", &max_depth.filter(|depth| *depth != usual.max_depth)),
                ("max_bytes", &max_bytes.filter(|bytes| *bytes != usual.max_bytes)),
                ("text", text),
                ("ranking", ranking),
                ("entries", entries),
                ("numbers", &numbers.iter().map(String::as_str).collect::<BTreeSet<_>>()),
                ("markers", markers),
                ("precedence", precedence),
                ("strict", &strict),
                ("place", place),
                ("first_token", first_token),
                ("paper", paper),
                ("logprobs", logprobs),
                ("categories", categories),
            ],
        )
    }
}

impl HashInput for GuardDeclaration {
    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        let Self { subject, answers, codes, json: is_json, categories } = self;
        object(
            json,
            [
                ("subject", subject),
                ("answers", answers),
                ("codes", codes),
                ("json", is_json),
                ("categories", categories),
            ],
        )
    }
}

impl HashInput for AnswerDeclaration {
    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        let Self {
            name,
            lines,
            alone,
            follows,
            optional,
            side,
            category,
            lists,
            yes,
            no,
            loosely_true,
            loosely_false,
            none,
            words,
            word,
        } = self;
        object(
            json,
            [
                ("name", name),
                ("lines", lines),
                ("alone", alone),
                ("follows", follows),
                ("optional", optional),
                ("side", side),
                ("category", category),
                ("lists", lists),
                ("true", yes),
                ("false", no),
                ("loosely_true", loosely_true),
                ("loosely_false", loosely_false),
                ("none", none),
                ("words", words),
                ("word", word),
            ],
        )
    }
}

impl HashInput for CodesDeclaration {
    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        let Self { prefix, last, join, words } = self;
        object(json, [("prefix", prefix), ("last", last), ("join", join), ("words", words)])
    }
}

impl HashInput for LogprobsDeclaration {
    fn is_default(&self) -> bool {
        let Self { label, share, sum } = self;
        label.is_none() && *share && !sum
    }

    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        let Self { label, share, sum } = self;
        object(json, [("label", label), ("no_share", &!share), ("sum", sum)])
    }
}

impl HashInput for RankingDeclaration {
    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        let Self { name, rank, list } = self;
        object(json, [("name", name), ("rank", rank), ("list", list)])
    }
}

impl HashInput for PaperDeclaration {
    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        let Self { function, steps, default, out_of_range } = self;
        object(json, [("function", function), ("steps", steps), ("default", default), ("out_of_range", out_of_range)])
    }
}

impl HashInput for StepDeclaration {
    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        let Self { pattern, groups, take, lowercase, strip, without, line, last, value, mapping } = self;
        // Looked up by key, so the order is irrelevant.
        let mapping: BTreeMap<&str, &toml::Value> = mapping.iter().map(|(key, value)| (key.as_str(), value)).collect();
        object(
            json,
            [
                ("pattern", pattern),
                ("groups", groups),
                ("take", take),
                ("lowercase", lowercase),
                ("strip", strip),
                ("without", without),
                ("line", line),
                ("last", last),
                ("value", value),
                ("mapping", &mapping),
            ],
        )
    }
}

impl HashInput for bool {
    fn is_default(&self) -> bool {
        !self
    }

    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        json.boolean(*self);
        Ok(())
    }
}

/// An integral float is written without a point, so 1 equals 1.0, and 0 equals -0.
impl HashInput for f64 {
    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        if self.fract() == 0.0 {
            json.digits(&format!("{:.0}", self + 0.0));
            return Ok(());
        }
        json.float(*self)
    }
}

impl HashInput for u32 {
    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        json.digits(&self.to_string());
        Ok(())
    }
}

impl HashInput for usize {
    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        json.digits(&self.to_string());
        Ok(())
    }
}

impl HashInput for &str {
    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        json.text(self);
        Ok(())
    }
}

impl HashInput for String {
    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        self.as_str().write(json)
    }
}

impl<V: HashInput> HashInput for Option<V> {
    fn is_default(&self) -> bool {
        self.as_ref().is_none_or(V::is_default)
    }

    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        if let Some(value) = self {
            return value.write(json);
        }
        json.null();
        Ok(())
    }
}

/// Unlike keys of a declaration, items of a list are never left out.
impl<V: HashInput> HashInput for Vec<V> {
    fn is_default(&self) -> bool {
        self.is_empty()
    }

    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        array(json, self.iter())
    }
}

/// Names whose order is irrelevant.
impl HashInput for BTreeSet<&str> {
    fn is_default(&self) -> bool {
        self.is_empty()
    }

    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        array(json, self.iter())
    }
}

/// Written as pairs, because the first match counts.
impl<V: HashInput> HashInput for IndexMap<String, V> {
    fn is_default(&self) -> bool {
        self.is_empty()
    }

    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        json.begin_array();
        for (name, value) in self {
            json.begin_array();
            json.text(name);
            value.write(json)?;
            json.end_array();
        }
        json.end_array();
        Ok(())
    }
}

/// A table that is looked up by key.
impl HashInput for BTreeMap<&str, &toml::Value> {
    fn is_default(&self) -> bool {
        self.is_empty()
    }

    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        json.begin_object();
        for (key, value) in self {
            json.key(key);
            value.write(json)?;
        }
        json.end_object();
        Ok(())
    }
}

impl HashInput for toml::Value {
    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        match self {
            Self::String(text) => text.write(json),
            Self::Boolean(value) => value.write(json),
            Self::Float(value) => value.write(json),
            Self::Integer(value) => {
                json.integer(*value);
                Ok(())
            }
            Self::Datetime(value) => value.to_string().write(json),
            Self::Array(values) => values.write(json),
            Self::Table(table) => {
                let table: BTreeMap<&str, &Self> = table.iter().map(|(key, value)| (key.as_str(), value)).collect();
                table.write(json)
            }
        }
    }
}

impl HashInput for Kind {
    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        self.name().write(json)
    }
}

impl HashInput for Place {
    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        self.name().write(json)
    }
}

impl HashInput for Side {
    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        let name = match self {
            Self::Prompt => "prompt",
            Self::Response => "response",
        };
        name.write(json)
    }
}

impl HashInput for OutOfRange {
    fn is_default(&self) -> bool {
        self.is_refused()
    }

    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        let name = match self {
            Self::Refuse => "refuse",
            Self::Clamp => "clamp",
            Self::Keep => "keep",
        };
        name.write(json)
    }
}

impl HashInput for Precedence {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }

    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        let name = match self {
            Self::Agree => "agree",
            Self::First => "first",
            Self::Last => "last",
        };
        name.write(json)
    }
}

impl HashInput for Take {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }

    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        let name = match self {
            Self::First => "first",
            Self::Last => "last",
            Self::Only => "only",
            Self::Lowest => "lowest",
        };
        name.write(json)
    }
}

fn name_of(strictness: Strictness) -> &'static str {
    match strictness {
        Strictness::Whole => "whole",
        Strictness::Marker => "marker",
        Strictness::FirstWord => "first_word",
        Strictness::FirstLine => "first_line",
        Strictness::Statement => "statement",
        Strictness::LastLine => "last_line",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::builtin;
    use super::*;

    /// The keys of a declaration, and of its fields' declarations, that don't affect outcomes.
    const PROSE: [&str; 9] =
        ["id", "aliases", "like", "version", "about", "evidence", "sources", "replies", "examples"];

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
            ["fields", _, inner, ..] => PROSE.contains(inner),
            [key, ..] => PROSE.contains(key),
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
        let mut wrong = BTreeSet::new();
        for format in builtin::all() {
            let declared = serde_json::to_value(&format.declaration).unwrap();
            // JSON objects are sorted here, but the order of labels counts.
            let before = outcome_hash(&serde_json::from_value(declared.clone()).unwrap()).unwrap();
            let mut all = Vec::new();
            places(&declared, "", &mut all);
            for place in all.iter().filter(|place| !place.is_empty()) {
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
