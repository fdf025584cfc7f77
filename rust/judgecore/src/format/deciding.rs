//! What of a declaration decides outcomes, and its hash.
//!
//! Every key is named here, so that a new one does not compile before somebody has said whether it decides. What has
//! its usual value is left out, so that a new key changes no hash of a format that does without it.

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

/// The SHA-256 in 64 hex digits of all that decides what a reply gives, in any mode.
pub(super) fn outcome_hash(declared: &Declaration) -> Result<String, NotFinite> {
    let mut json = Canonical::new(ContentHash::default());
    declared.write(&mut json)?;
    Ok(json.finish().hex())
}

/// A part of a declaration that decides outcomes.
trait Deciding {
    /// Whether it says what holds where nothing is said.
    fn is_usual(&self) -> bool {
        false
    }

    fn write(&self, json: &mut Json) -> Result<(), NotFinite>;
}

/// Write an object of the entries that are not usual.
fn object<const N: usize>(json: &mut Json, mut entries: [(&str, &dyn Deciding); N]) -> Result<(), NotFinite> {
    entries.sort_unstable_by_key(|(name, _)| *name);
    json.begin_object();
    for (name, value) in entries {
        if !value.is_usual() {
            json.key(name);
            value.write(json)?;
        }
    }
    json.end_object();
    Ok(())
}

fn array<'v, V: Deciding + ?Sized + 'v>(json: &mut Json, values: impl Iterator<Item = &'v V>) -> Result<(), NotFinite> {
    json.begin_array();
    for value in values {
        value.write(json)?;
    }
    json.end_array();
    Ok(())
}

impl Deciding for Declaration {
    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        let Self {
            // For people, and to find the format by.
            id: _,
            aliases: _,
            version: _,
            about: _,
            evidence: _,
            sources: _,
            replies: _,
            examples: _,
            // What it stands for is here by now.
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

impl Deciding for GuardDeclaration {
    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        // `either_side` says what else may be asked, and that is another declaration.
        let Self { subject, either_side: _, answers, codes, json: is_json, categories } = self;
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

impl Deciding for AnswerDeclaration {
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

impl Deciding for CodesDeclaration {
    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        let Self { prefix, last, join, words } = self;
        object(json, [("prefix", prefix), ("last", last), ("join", join), ("words", words)])
    }
}

impl Deciding for LogprobsDeclaration {
    fn is_usual(&self) -> bool {
        let Self { label, share, sum } = self;
        label.is_none() && *share && !sum
    }

    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        let Self { label, share, sum } = self;
        object(json, [("label", label), ("no_share", &!share), ("sum", sum)])
    }
}

impl Deciding for RankingDeclaration {
    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        let Self { name, rank, list } = self;
        object(json, [("name", name), ("rank", rank), ("list", list)])
    }
}

impl Deciding for PaperDeclaration {
    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        let Self { function, steps, default, out_of_range } = self;
        object(json, [("function", function), ("steps", steps), ("default", default), ("out_of_range", out_of_range)])
    }
}

impl Deciding for StepDeclaration {
    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        let Self { pattern, groups, take, lowercase, strip, without, line, last, value, mapping } = self;
        // Looked up by key, so that its order decides nothing.
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

impl Deciding for bool {
    fn is_usual(&self) -> bool {
        !self
    }

    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        json.boolean(*self);
        Ok(())
    }
}

/// A whole number is written without a point, so that 1 and 1.0 are one number; and so are 0 and its negative.
impl Deciding for f64 {
    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        if self.fract() == 0.0 {
            json.digits(&format!("{:.0}", self + 0.0));
            return Ok(());
        }
        json.float(*self)
    }
}

impl Deciding for u32 {
    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        json.digits(&self.to_string());
        Ok(())
    }
}

impl Deciding for usize {
    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        json.digits(&self.to_string());
        Ok(())
    }
}

impl Deciding for &str {
    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        json.text(self);
        Ok(())
    }
}

impl Deciding for String {
    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        self.as_str().write(json)
    }
}

impl<V: Deciding> Deciding for Option<V> {
    fn is_usual(&self) -> bool {
        self.as_ref().is_none_or(V::is_usual)
    }

    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        if let Some(value) = self {
            return value.write(json);
        }
        json.null();
        Ok(())
    }
}

/// A flag or a part of a declaration is left out where it is usual, and a value of a list never.
impl<V: Deciding> Deciding for Vec<V> {
    fn is_usual(&self) -> bool {
        self.is_empty()
    }

    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        array(json, self.iter())
    }
}

/// What has no order of its own.
impl Deciding for BTreeSet<&str> {
    fn is_usual(&self) -> bool {
        self.is_empty()
    }

    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        array(json, self.iter())
    }
}

/// Pairs, because the first that fits counts.
impl<V: Deciding> Deciding for IndexMap<String, V> {
    fn is_usual(&self) -> bool {
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

/// What is looked up by key.
impl Deciding for BTreeMap<&str, &toml::Value> {
    fn is_usual(&self) -> bool {
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

impl Deciding for toml::Value {
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

impl Deciding for Kind {
    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        self.name().write(json)
    }
}

impl Deciding for Place {
    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        self.name().write(json)
    }
}

impl Deciding for Side {
    fn write(&self, json: &mut Json) -> Result<(), NotFinite> {
        let name = match self {
            Self::Prompt => "prompt",
            Self::Response => "response",
        };
        name.write(json)
    }
}

impl Deciding for OutOfRange {
    fn is_usual(&self) -> bool {
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

impl Deciding for Precedence {
    fn is_usual(&self) -> bool {
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

impl Deciding for Take {
    fn is_usual(&self) -> bool {
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

    /// The keys of a declaration, and of those of its fields, that decide nothing.
    const PROSE: [&str; 9] =
        ["id", "aliases", "like", "version", "about", "evidence", "sources", "replies", "examples"];

    /// What may stand where a key of a declaration says nothing, or in place of a name of a list of its own.
    fn others() -> Vec<Value> {
        vec![
            json!("zzz"),
            json!("statement"),
            json!("first_line"),
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

    /// Values that a value may be changed into; those that make no sense in its place do not parse.
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

    /// Every place in a value, the value itself included: the keys that lead to it.
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

    /// Whether a place belongs to a key that decides nothing; the keys of declarations stand first, and below fields.
    fn is_prose(place: &str) -> bool {
        let keys: Vec<&str> = place.split('/').skip(1).collect();
        match keys.as_slice() {
            ["fields", _, inner, ..] => PROSE.contains(inner),
            ["guard", "either_side"] => true,
            [key, ..] => PROSE.contains(key),
            [] => false,
        }
    }

    /// Change a declaration at a place, in the first way that still is a declaration and says something else.
    fn changed_at(declared: &Value, place: &str) -> Option<Declaration> {
        let here = declared.pointer(place)?;
        changed(here).into_iter().filter(|other| other != here).find_map(|other| {
            let mut whole = declared.clone();
            *whole.pointer_mut(place)? = other;
            serde_json::from_value(whole).ok()
        })
    }

    #[test]
    fn a_hash_follows_each_key_that_decides_and_no_other() {
        let mut wrong = BTreeSet::new();
        for format in builtin::all() {
            let declared = serde_json::to_value(&format.declaration).unwrap();
            // A table of JSON is sorted, and the order of labels counts.
            let before = outcome_hash(&serde_json::from_value(declared.clone()).unwrap()).unwrap();
            let mut all = Vec::new();
            places(&declared, "", &mut all);
            for place in all.iter().filter(|place| !place.is_empty()) {
                match changed_at(&declared, place).map(|other| outcome_hash(&other).unwrap()) {
                    Some(after) if is_prose(place) == (before == after) => {}
                    // A structure takes no further key; those that it has are changed one by one.
                    None if declared.pointer(place).is_some_and(Value::is_object) => {}
                    Some(_) => drop(wrong.insert(format!("{}: {place}: the hash does not follow", format.id()))),
                    None => drop(wrong.insert(format!("{}: {place}: say in `others` what it may be", format.id()))),
                }
            }
        }

        assert_eq!(wrong, BTreeSet::new());
    }

    #[test]
    fn every_key_of_a_file_is_changed_in_the_test_above() {
        let declared = serde_json::to_value(Declaration::of(Kind::Score)).unwrap();

        // Keys that nobody sets are there too, so that a new one can't be forgotten.
        assert!(["like", "logprobs", "guard", "paper", "formula"].iter().all(|key| declared.get(key).is_some()));
    }

    #[test]
    fn what_is_said_to_be_as_usual_is_as_if_nothing_were_said() {
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
        // What a rule makes up counts, false and 0 too.
        let invented = |default: Value| said(json!({"paper": {"default": default, "steps": [{"pattern": "x"}]}}));
        assert_ne!(invented(json!(false)), said(json!({"paper": {"steps": [{"pattern": "x"}]}})));
        assert_ne!(invented(json!(false)), invented(json!(0)));
        assert_eq!(invented(json!({"a": 1, "b": 2})), invented(json!({"b": 2.0, "a": 1})));
    }
}
