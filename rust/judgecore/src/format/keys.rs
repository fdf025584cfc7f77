//! The keys of format files and what each takes.
//!
//! The declarations are asked themselves: each is deserialized from what only notes which type is wanted, so that a new
//! key is known here as soon as it is declared.

use std::fmt;
use std::sync::OnceLock;

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
    pub(super) required: Vec<&'static str>,
}

/// The declaration of a whole file.
pub(super) const FILE: &str = "Family";
/// The declaration of a format; one that is like another may do without what is required.
pub(super) const FORMAT: &str = "Declaration";
/// The table of a format that is completed key by key from the format that it is like.
pub(super) const INHERITING: &str = "GuardDeclaration";

/// All tables of a format file.
pub(super) fn tables() -> &'static [TableKeys] {
    static TABLES: OnceLock<Vec<TableKeys>> = OnceLock::new();
    TABLES.get_or_init(|| {
        vec![
            table::<Family>("the file"),
            table::<Declaration>("a format"),
            table::<Ranking>("a ranking"),
            table::<GuardDeclaration>("a guard"),
            table::<AnswerDeclaration>("an answer"),
            table::<Codes>("codes"),
            table::<Logprobs>("logprobs"),
            table::<PaperRule>("paper"),
            table::<Step>("a step"),
            table::<Example>("an example"),
        ]
    })
}

/// The table that a declaration's name stands for.
pub(super) fn of(name: &str) -> Option<&'static TableKeys> {
    tables().iter().find(|table| table.name == name)
}

/// The JSON Schema, draft 2020-12, of format files: what it accepts loads, or is refused for what its values mean.
pub fn schema() -> String {
    let tables: Table = tables().iter().map(|table| (table.name.to_owned(), described(table))).collect();
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
    of(name).map(|table| table.required.clone()).unwrap_or_default().into()
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
fn table<T: Deserialize<'static>>(title: &'static str) -> TableKeys {
    let Err(Answer::Takes(Takes::Table(name, keys))) = T::deserialize(Ask) else {
        return TableKeys { name: "", title, keys: Vec::new(), required: Vec::new() };
    };
    let takes = |key: &'static str| match T::deserialize(MapDeserializer::new(std::iter::once((key, Ask)))) {
        Err(Answer::Takes(takes)) => takes,
        _ => Takes::Anything,
    };
    let mut required = Vec::new();
    // Each time the first that is missing is named.
    while let Err(Answer::Missing(key)) =
        T::deserialize(MapDeserializer::new(required.iter().map(|&key: &&'static str| (key, Least))))
        && !required.contains(&key)
    {
        required.push(key);
    }
    TableKeys { name, title, keys: keys.iter().map(|&key| (key, takes(key))).collect(), required }
}

/// What a declaration says when it is asked.
#[derive(Debug)]
enum Answer {
    Takes(Takes),
    Missing(&'static str),
    Other,
}

impl fmt::Display for Answer {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, to)
    }
}

impl std::error::Error for Answer {}

impl serde::de::Error for Answer {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self::Other
    }

    fn missing_field(key: &'static str) -> Self {
        Self::Missing(key)
    }
}

impl Answer {
    /// The same of what holds it.
    fn within(self, holder: impl FnOnce(Box<Takes>) -> Takes) -> Self {
        match self {
            Self::Takes(inner) => Self::Takes(holder(Box::new(inner))),
            other => other,
        }
    }
}

/// Gives no value, and answers which one was wanted.
#[derive(Debug, Clone, Copy)]
struct Ask;

impl IntoDeserializer<'_, Answer> for Ask {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// The methods that answer what they are named for.
macro_rules! answers {
    ($($method:ident => $takes:expr),* $(,)?) => {
        $(fn $method<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Answer> {
            Err(Answer::Takes($takes))
        })*
    };
}

impl<'de> Deserializer<'de> for Ask {
    type Error = Answer;

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

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Answer> {
        visitor.visit_some(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Answer> {
        let items = SeqDeserializer::new(std::iter::once(self));
        visitor.visit_seq(items).map_err(|answer: Answer| answer.within(Takes::List))
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Answer> {
        let entries = MapDeserializer::new(std::iter::once(("", self)));
        visitor.visit_map(entries).map_err(|answer: Answer| answer.within(Takes::Map))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        keys: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Answer> {
        Err(Answer::Takes(Takes::Table(name, keys)))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        words: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Answer> {
        Err(Answer::Takes(Takes::Word(words)))
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u128 char bytes byte_buf unit unit_struct newtype_struct tuple tuple_struct identifier
        ignored_any
    }
}

/// Gives the least value of what is wanted.
#[derive(Debug, Clone, Copy)]
struct Least;

impl IntoDeserializer<'_, Answer> for Least {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Least {
    type Error = Answer;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Answer> {
        visitor.visit_bool(false)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Answer> {
        visitor.visit_str("")
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Answer> {
        visitor.visit_u32(0)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Answer> {
        visitor.visit_seq(SeqDeserializer::new(std::iter::empty::<Self>()))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        words: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Answer> {
        visitor.visit_enum(words.first().copied().unwrap_or_default().into_deserializer())
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u64 u128 f32 f64 char str bytes byte_buf option unit unit_struct newtype_struct
        tuple tuple_struct map struct identifier ignored_any
    }
}
