//! Builds the caller's own values directly from a standard document, without an intermediate tree.

use jiter::{Jiter, NumberAny, NumberInt, Peek};

use super::literal::is_placeholder;

/// Builds values from the parts of a document, which arrive in order.
pub trait Builder {
    /// A value.
    type Value;
    /// A key whose value follows.
    type Key;
    /// A list that is being filled.
    type List;
    /// An object that is being filled.
    type Object;
    /// The error of a failed method.
    type Error;

    /// Build `null`.
    ///
    /// # Errors
    ///
    /// This and all other methods return the builder's own error.
    fn null(&mut self) -> Result<Self::Value, Self::Error>;
    /// Build `true` or `false`.
    #[expect(clippy::missing_errors_doc, reason = "as null")]
    fn boolean(&mut self, value: bool) -> Result<Self::Value, Self::Error>;
    /// Build an integer.
    #[expect(clippy::missing_errors_doc, reason = "as null")]
    fn integer(&mut self, value: i64) -> Result<Self::Value, Self::Error>;
    /// Build an integer of more than 64 bits from its decimal digits.
    #[expect(clippy::missing_errors_doc, reason = "as null")]
    fn long_integer(&mut self, digits: &str) -> Result<Self::Value, Self::Error>;
    /// Build a finite float.
    #[expect(clippy::missing_errors_doc, reason = "as null")]
    fn float(&mut self, value: f64) -> Result<Self::Value, Self::Error>;
    /// Build a string.
    #[expect(clippy::missing_errors_doc, reason = "as null")]
    fn text(&mut self, text: &str) -> Result<Self::Value, Self::Error>;
    /// Begin a list.
    #[expect(clippy::missing_errors_doc, reason = "as null")]
    fn list(&mut self) -> Result<Self::List, Self::Error>;
    /// Append an item to a list.
    #[expect(clippy::missing_errors_doc, reason = "as null")]
    fn item(&mut self, list: &mut Self::List, value: Self::Value) -> Result<(), Self::Error>;
    /// Finish a list.
    #[expect(clippy::missing_errors_doc, reason = "as null")]
    fn end_list(&mut self, list: Self::List) -> Result<Self::Value, Self::Error>;
    /// Begin an object.
    #[expect(clippy::missing_errors_doc, reason = "as null")]
    fn object(&mut self) -> Result<Self::Object, Self::Error>;
    /// Build a key of an object.
    #[expect(clippy::missing_errors_doc, reason = "as null")]
    fn key(&mut self, key: &str) -> Result<Self::Key, Self::Error>;
    /// Add an entry to an object.
    #[expect(clippy::missing_errors_doc, reason = "as null")]
    fn entry(&mut self, object: &mut Self::Object, key: Self::Key, value: Self::Value) -> Result<(), Self::Error>;
    /// Finish an object. Return it with its number of distinct keys.
    #[expect(clippy::missing_errors_doc, reason = "as null")]
    fn end_object(&mut self, object: Self::Object) -> Result<(Self::Value, usize), Self::Error>;
}

/// A built value, and facts about its document.
pub(crate) struct Built<V> {
    pub(crate) value: V,
    /// The document's length in bytes.
    pub(crate) length: usize,
    pub(crate) is_object: bool,
    /// It has content, so is neither a schema nor a template.
    pub(crate) is_filled_in: bool,
    /// Its outermost object has all wanted keys.
    pub(crate) has_keys: bool,
}

/// Why no value was built.
pub(crate) enum BuildError<E> {
    /// The text does not begin with a standard document, or it has a duplicate key or a number beyond the range of a float.
    Rejected,
    /// Nested too deeply for this parser.
    TooDeep,
    /// The builder failed.
    Failed(E),
}

/// The maximum nesting, because this parser recurses. Deeper documents are left to an iterative parser.
const MAX_LEVELS: usize = 32;

/// Build the value at the start of `text`, parsed by jiter.
pub(crate) fn build<M: Builder>(
    text: &str,
    keys: &[String],
    max_depth: usize,
    builder: &mut M,
) -> Result<Built<M::Value>, BuildError<M::Error>> {
    let levels = MAX_LEVELS.min(max_depth);
    let mut walk = Walk { jiter: Jiter::new(text.as_bytes()), builder, keys, levels, root: Root::default() };
    let peek = walk.peek()?;
    let value = walk.value(peek, levels)?;
    Ok(Built {
        value,
        length: walk.jiter.current_index(),
        is_object: peek == Peek::Object,
        is_filled_in: walk.root.is_filled_in(),
        has_keys: walk.root.wanted == keys.len(),
    })
}

/// Facts about the outermost object.
#[derive(Default)]
struct Root {
    /// The number of wanted keys that it has.
    wanted: usize,
    has_entries: bool,
    /// One of its values is more than a placeholder.
    has_value: bool,
    /// How many of `type` and `properties` it has. A schema has both.
    schema_keys: usize,
}

impl Root {
    fn is_filled_in(&self) -> bool {
        self.schema_keys < 2 && (self.has_value || !self.has_entries)
    }
}

struct Walk<'w, 'r, M> {
    jiter: Jiter<'r>,
    builder: &'w mut M,
    keys: &'w [String],
    levels: usize,
    root: Root,
}

impl<M: Builder> Walk<'_, '_, M> {
    fn peek(&mut self) -> Result<Peek, BuildError<M::Error>> {
        self.jiter.peek().map_err(|_| BuildError::Rejected)
    }

    /// Build the value that begins here. Recursion ends when no levels are left.
    fn value(&mut self, peek: Peek, levels: usize) -> Result<M::Value, BuildError<M::Error>> {
        let built = match peek {
            Peek::String => {
                let text = self.jiter.known_str().map_err(|_| BuildError::Rejected)?;
                if levels + 1 == self.levels && !self.root.has_value {
                    self.root.has_value = !is_placeholder(text.trim());
                }
                self.builder.text(text)
            }
            Peek::Object | Peek::Array if levels == 0 => return Err(BuildError::TooDeep),
            Peek::Object => return self.object(levels),
            Peek::Array => return self.list(levels),
            Peek::Null => {
                self.jiter.known_null().map_err(|_| BuildError::Rejected)?;
                self.builder.null()
            }
            Peek::True | Peek::False => {
                let value = self.jiter.known_bool(peek).map_err(|_| BuildError::Rejected)?;
                self.builder.boolean(value)
            }
            _ => match self.jiter.known_number(peek).map_err(|_| BuildError::Rejected)? {
                NumberAny::Int(NumberInt::Int(value)) => self.builder.integer(value),
                NumberAny::Int(NumberInt::BigInt(value)) => self.builder.long_integer(&value.to_string()),
                NumberAny::Float(value) if value.is_finite() => self.builder.float(value),
                NumberAny::Float(_) => return Err(BuildError::Rejected),
            },
        };
        built.map_err(BuildError::Failed)
    }

    fn list(&mut self, levels: usize) -> Result<M::Value, BuildError<M::Error>> {
        let mut list = self.builder.list().map_err(BuildError::Failed)?;
        let mut next = self.jiter.known_array().map_err(|_| BuildError::Rejected)?;
        while let Some(peek) = next {
            let value = self.value(peek, levels - 1)?;
            self.builder.item(&mut list, value).map_err(BuildError::Failed)?;
            next = self.jiter.array_step().map_err(|_| BuildError::Rejected)?;
        }
        self.builder.end_list(list).map_err(BuildError::Failed)
    }

    fn object(&mut self, levels: usize) -> Result<M::Value, BuildError<M::Error>> {
        let is_root = levels == self.levels;
        let mut object = self.builder.object().map_err(BuildError::Failed)?;
        let mut entries = 0;
        let mut next = self.jiter.known_object().map_err(|_| BuildError::Rejected)?;
        while let Some(name) = next {
            if is_root {
                self.root.has_entries = true;
                self.root.schema_keys += usize::from(matches!(name, "type" | "properties"));
                self.root.wanted += usize::from(self.keys.iter().any(|key| key == name));
            }
            let key = self.builder.key(name).map_err(BuildError::Failed)?;
            let peek = self.peek()?;
            self.root.has_value |= is_root && peek != Peek::String;
            let value = self.value(peek, levels - 1)?;
            self.builder.entry(&mut object, key, value).map_err(BuildError::Failed)?;
            entries += 1;
            next = self.jiter.next_key().map_err(|_| BuildError::Rejected)?;
        }
        let (value, keys) = self.builder.end_object(object).map_err(BuildError::Failed)?;
        if keys == entries { Ok(value) } else { Err(BuildError::Rejected) }
    }
}
