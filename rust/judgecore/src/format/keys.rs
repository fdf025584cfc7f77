//! The keys of format files and what each takes.
//!
//! The declarations are asked themselves: each is deserialized from what only notes which type is wanted, so that a new
//! key is known here as soon as it is declared.

use std::fmt;
use std::sync::OnceLock;

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{Deserialize, Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::declaration::{
    AnswerDeclaration, CodesDeclaration, Declaration, ExampleDeclaration, Family, GuardDeclaration,
    LogprobsDeclaration, PaperDeclaration, RankingDeclaration, StepDeclaration,
};
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
            table::<RankingDeclaration>("a ranking"),
            table::<GuardDeclaration>("a guard"),
            table::<AnswerDeclaration>("an answer"),
            table::<CodesDeclaration>("codes"),
            table::<LogprobsDeclaration>("logprobs"),
            table::<PaperDeclaration>("paper"),
            table::<StepDeclaration>("a step"),
            table::<ExampleDeclaration>("an example"),
        ]
    })
}

/// The table that a declaration's name stands for.
pub(super) fn of(name: &str) -> Option<&'static TableKeys> {
    tables().iter().find(|table| table.name == name)
}

/// The JSON Schema, draft 2020-12, of format files: what it accepts loads, or is refused for what its values mean.
pub fn schema() -> String {
    let mut json = Canonical::new(Vec::new());
    object(&mut json, |json| {
        json.key("$defs");
        object(json, |json| {
            for table in tables() {
                json.key(table.name);
                write_table(json, table);
            }
        });
        json.key("$ref");
        json.text(&reference(FILE));
        json.key("$schema");
        json.text("https://json-schema.org/draft/2020-12/schema");
        json.key("title");
        json.text("judgecore formats");
    });
    String::from_utf8(json.finish()).unwrap_or_default()
}

type Json = Canonical<Vec<u8>>;

fn object(json: &mut Json, entries: impl FnOnce(&mut Json)) {
    json.begin_object();
    entries(json);
    json.end_object();
}

fn texts(json: &mut Json, texts: &[&str]) {
    json.begin_array();
    for text in texts {
        json.text(text);
    }
    json.end_array();
}

fn reference(name: &str) -> String {
    format!("#/$defs/{name}")
}

fn write_table(json: &mut Json, table: &TableKeys) {
    object(json, |json| {
        json.key("additionalProperties");
        json.boolean(false);
        json.key("properties");
        object(json, |json| {
            for (key, takes) in &table.keys {
                json.key(key);
                match (table.name, takes) {
                    (FILE, Takes::List(inner)) if **inner != Takes::Text => write_formats(json, inner),
                    _ => write_takes(json, takes),
                }
            }
        });
        // Where these are used says whether they may inherit what is required.
        if ![FORMAT, INHERITING].contains(&table.name) {
            json.key("required");
            texts(json, &table.required);
        }
        json.key("type");
        json.text("object");
    });
}

/// The formats of a file, which may be like another one of it.
fn write_formats(json: &mut Json, format: &Takes) {
    object(json, |json| {
        json.key("items");
        object(json, |json| {
            json.key("$ref");
            json.text(&reference(FORMAT));
            json.key("if");
            object(json, |json| {
                json.key("not");
                object(json, |json| {
                    json.key("required");
                    texts(json, &["like"]);
                });
            });
            json.key("then");
            write_whole(json, format);
        });
        json.key("type");
        json.text("array");
    });
}

/// A format that inherits nothing.
fn write_whole(json: &mut Json, format: &Takes) {
    let required = |name: &str| of(name).map(|table| table.required.clone()).unwrap_or_default();
    object(json, |json| {
        write_type(json, format);
        json.key("properties");
        object(json, |json| {
            json.key("guard");
            object(json, |json| {
                json.key("required");
                texts(json, &required(INHERITING));
            });
        });
        json.key("required");
        texts(json, &required(FORMAT));
    });
}

fn write_takes(json: &mut Json, takes: &Takes) {
    match takes {
        Takes::Table(FORMAT, _) => write_whole(json, takes),
        _ => object(json, |json| write_type(json, takes)),
    }
}

fn write_type(json: &mut Json, takes: &Takes) {
    let kind = |json: &mut Json, name: &str| {
        json.key("type");
        json.text(name);
    };
    match takes {
        Takes::Text => kind(json, "string"),
        Takes::Number => kind(json, "number"),
        Takes::Bool => kind(json, "boolean"),
        Takes::Whole(most) => {
            json.key("maximum");
            json.digits(&most.to_string());
            json.key("minimum");
            json.integer(0);
            kind(json, "integer");
        }
        Takes::Word(words) => {
            json.key("enum");
            texts(json, words);
        }
        Takes::List(inner) => {
            json.key("items");
            write_takes(json, inner);
            kind(json, "array");
        }
        Takes::Map(inner) => {
            json.key("additionalProperties");
            write_takes(json, inner);
            kind(json, "object");
        }
        Takes::Table(name, _) => {
            json.key("$ref");
            json.text(&reference(name));
        }
        Takes::Anything => {}
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
