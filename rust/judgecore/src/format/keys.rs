//! The keys of format files and what each takes.
//!
//! The declarations are asked themselves: each is deserialized from what only notes which type is wanted, so that a new
//! key is known here as soon as it is declared.

use std::fmt;
use std::sync::LazyLock;

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{Deserialize, Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use toml::{Table, Value};

use super::declaration::{AnswerDeclaration, Codes, Declaration, Family, GuardDeclaration, Logprobs, Ranking};
use super::example::Example;
use super::outcome_hash::write;
use super::paper::{PaperRule, Step};
use crate::hashing::Canonical;

/// What a key takes.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Takes {
    Text,
    Number,
    /// A whole number from 0 to this one.
    Whole(u64),
    Bool,
    /// One of these words.
    Word(&'static [&'static str]),
    List(Box<Self>),
    /// A table of any keys.
    Map(Box<Self>),
    /// A table of known keys: the declaration's name, and all keys.
    Table(&'static str, &'static [&'static str]),
    Anything,
}

/// A table of a format file.
#[derive(Debug)]
pub(super) struct TableKeys {
    /// The declaration's name.
    name: &'static str,
    /// What people call such a table.
    pub(super) title: &'static str,
    /// The keys with what each takes.
    pub(super) keys: Vec<(&'static str, Takes)>,
    /// The keys that must be there.
    pub(super) required: &'static [&'static str],
}

/// The declaration of a whole file.
pub(super) const FILE: &str = "Family";
/// The declaration of a format; one that is like another may do without what is required.
pub(super) const FORMAT: &str = "Declaration";
/// The table of a format that is completed key by key from the format that it is like.
pub(super) const INHERITING: &str = "GuardDeclaration";

/// All tables of a format file.
static TABLES: LazyLock<Vec<TableKeys>> = LazyLock::new(|| {
    vec![
        table::<Family>("the file", &["family", "title", "evidence", "sources"]),
        table::<Declaration>("a format", &["kind"]),
        table::<Ranking>("a ranking", &["name", "rank"]),
        table::<GuardDeclaration>("a guard", &["subject", "answers"]),
        table::<AnswerDeclaration>("an answer", &[]),
        table::<Codes>("codes", &["prefix", "last"]),
        table::<Logprobs>("logprobs", &[]),
        table::<PaperRule>("paper", &[]),
        table::<Step>("a step", &["pattern"]),
        table::<Example>("an example", &["reply", "lenient", "strict"]),
    ]
});

/// The table that a declaration's name stands for.
pub(super) fn of(name: &str) -> Option<&'static TableKeys> {
    TABLES.iter().find(|table| table.name == name)
}

/// The JSON Schema, draft 2020-12, of format files: what it accepts loads, or is refused for what its values mean.
pub fn schema() -> String {
    let tables: Table = TABLES.iter().map(|table| (table.name.to_owned(), described(table))).collect();
    let whole = object([
        ("$defs", tables.into()),
        ("$ref", reference(FILE)),
        ("$schema", "https://json-schema.org/draft/2020-12/schema".into()),
        ("title", "judgecore formats".into()),
    ]);
    let mut json = Canonical::new(Vec::new());
    // A schema has no number that can't be written.
    let _ = write(&mut json, &whole);
    String::from_utf8(json.finish()).unwrap_or_default()
}

fn object<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::Table(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

fn reference(name: &str) -> Value {
    format!("#/$defs/{name}").into()
}

fn required(name: &str) -> Value {
    of(name).map(|table| table.required.to_vec()).unwrap_or_default().into()
}

fn described(table: &TableKeys) -> Value {
    let properties = table.keys.iter().map(|(key, takes)| {
        let taken = match (table.name, takes) {
            (FILE, Takes::List(inner)) if **inner != Takes::Text => formats(),
            _ => taken(takes),
        };
        ((*key).to_owned(), taken)
    });
    let mut described = Table::from_iter([
        ("additionalProperties".to_owned(), false.into()),
        ("properties".to_owned(), Value::Table(properties.collect())),
        ("type".to_owned(), "object".into()),
    ]);
    // Where these are used says whether they may inherit what is required.
    if ![FORMAT, INHERITING].contains(&table.name) {
        described.insert("required".to_owned(), required(table.name));
    }
    described.into()
}

/// The formats of a file, which may be like another one of it.
fn formats() -> Value {
    let inherits_nothing = object([("not", object([("required", vec!["like"].into())]))]);
    let items = object([("$ref", reference(FORMAT)), ("if", inherits_nothing), ("then", whole_format())]);
    object([("items", items), ("type", "array".into())])
}

/// A format that inherits nothing.
fn whole_format() -> Value {
    let guard = object([("guard", object([("required", required(INHERITING))]))]);
    object([("$ref", reference(FORMAT)), ("properties", guard), ("required", required(FORMAT))])
}

fn taken(takes: &Takes) -> Value {
    let kind = |name: &str| ("type", name.into());
    match takes {
        Takes::Text => object([kind("string")]),
        Takes::Number => object([kind("number")]),
        Takes::Bool => object([kind("boolean")]),
        Takes::Whole(most) => {
            let most = i64::try_from(*most).unwrap_or(i64::MAX);
            object([kind("integer"), ("maximum", most.into()), ("minimum", 0.into())])
        }
        Takes::Word(words) => object([("enum", words.to_vec().into())]),
        Takes::List(inner) => object([kind("array"), ("items", taken(inner))]),
        Takes::Map(inner) => object([kind("object"), ("additionalProperties", taken(inner))]),
        Takes::Table(FORMAT, _) => whole_format(),
        Takes::Table(name, _) => object([("$ref", reference(name))]),
        Takes::Anything => object([]),
    }
}

/// Ask a declaration for its keys.
fn table<T: Deserialize<'static>>(title: &'static str, required: &'static [&'static str]) -> TableKeys {
    let Err(Wanted(Takes::Table(name, keys))) = T::deserialize(Ask) else {
        return TableKeys { name: "", title, keys: Vec::new(), required };
    };
    let takes = |key: &'static str| match T::deserialize(MapDeserializer::new(std::iter::once((key, Ask)))) {
        Err(Wanted(takes)) => takes,
        Ok(_) => Takes::Anything,
    };
    TableKeys { name, title, keys: keys.iter().map(|&key| (key, takes(key))).collect(), required }
}

/// What a declaration says when it is asked: it takes this.
#[derive(Debug)]
struct Wanted(Takes);

impl fmt::Display for Wanted {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, to)
    }
}

impl std::error::Error for Wanted {}

impl serde::de::Error for Wanted {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self(Takes::Anything)
    }
}

/// Gives no value, and answers which one was wanted.
#[derive(Debug, Clone, Copy)]
struct Ask;

impl IntoDeserializer<'_, Wanted> for Ask {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// The methods that answer what they are named for.
macro_rules! answers {
    ($($method:ident => $takes:expr),* $(,)?) => {
        $(fn $method<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Wanted> {
            Err(Wanted($takes))
        })*
    };
}

impl<'de> Deserializer<'de> for Ask {
    type Error = Wanted;

    answers! {
        deserialize_any => Takes::Anything,
        deserialize_bool => Takes::Bool,
        deserialize_f32 => Takes::Number,
        deserialize_f64 => Takes::Number,
        deserialize_str => Takes::Text,
        deserialize_string => Takes::Text,
        deserialize_u8 => Takes::Whole(u8::MAX.into()),
        deserialize_u16 => Takes::Whole(u16::MAX.into()),
        deserialize_u32 => Takes::Whole(u32::MAX.into()),
        // A file's numbers have 64 bits with a sign.
        deserialize_u64 => Takes::Whole(i64::MAX.unsigned_abs()),
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wanted> {
        visitor.visit_some(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wanted> {
        let items = SeqDeserializer::new(std::iter::once(self));
        visitor.visit_seq(items).map_err(|Wanted(item)| Wanted(Takes::List(Box::new(item))))
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wanted> {
        let entries = MapDeserializer::new(std::iter::once(("", self)));
        visitor.visit_map(entries).map_err(|Wanted(entry)| Wanted(Takes::Map(Box::new(entry))))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        keys: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Wanted> {
        Err(Wanted(Takes::Table(name, keys)))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        words: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Wanted> {
        Err(Wanted(Takes::Word(words)))
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u128 char bytes byte_buf unit unit_struct newtype_struct tuple tuple_struct identifier
        ignored_any
    }
}
