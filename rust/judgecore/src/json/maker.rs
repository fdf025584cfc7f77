//! Values of the caller's own kind, made straight from a document that the standard allows, with no tree in between.

use jiter::{Jiter, NumberAny, NumberInt, Peek};

use super::literal::is_placeholder;

/// Makes values from the parts of a document, in their order.
pub trait Maker {
    /// A value.
    type Value;
    /// A key that waits for its value.
    type Key;
    /// A list that is being filled.
    type List;
    /// An object that is being filled.
    type Object;
    /// Why something can't be made.
    type Error;

    /// `null`.
    ///
    /// # Errors
    ///
    /// As all others, what the maker says.
    fn null(&mut self) -> Result<Self::Value, Self::Error>;
    /// `true` or `false`.
    #[expect(clippy::missing_errors_doc, reason = "as null")]
    fn boolean(&mut self, value: bool) -> Result<Self::Value, Self::Error>;
    /// A whole number.
    #[expect(clippy::missing_errors_doc, reason = "as null")]
    fn integer(&mut self, value: i64) -> Result<Self::Value, Self::Error>;
    /// A whole number of more than 64 bits, as its decimal digits.
    #[expect(clippy::missing_errors_doc, reason = "as null")]
    fn long_integer(&mut self, digits: &str) -> Result<Self::Value, Self::Error>;
    /// A float, which is finite.
    #[expect(clippy::missing_errors_doc, reason = "as null")]
    fn float(&mut self, value: f64) -> Result<Self::Value, Self::Error>;
    /// A string.
    #[expect(clippy::missing_errors_doc, reason = "as null")]
    fn text(&mut self, text: &str) -> Result<Self::Value, Self::Error>;
    /// An empty list.
    #[expect(clippy::missing_errors_doc, reason = "as null")]
    fn list(&mut self) -> Result<Self::List, Self::Error>;
    /// Another item of a list.
    #[expect(clippy::missing_errors_doc, reason = "as null")]
    fn item(&mut self, list: &mut Self::List, value: Self::Value) -> Result<(), Self::Error>;
    /// A list with all its items.
    #[expect(clippy::missing_errors_doc, reason = "as null")]
    fn end_list(&mut self, list: Self::List) -> Result<Self::Value, Self::Error>;
    /// An empty object.
    #[expect(clippy::missing_errors_doc, reason = "as null")]
    fn object(&mut self) -> Result<Self::Object, Self::Error>;
    /// A key of an object.
    #[expect(clippy::missing_errors_doc, reason = "as null")]
    fn key(&mut self, key: &str) -> Result<Self::Key, Self::Error>;
    /// Another entry of an object.
    #[expect(clippy::missing_errors_doc, reason = "as null")]
    fn entry(&mut self, object: &mut Self::Object, key: Self::Key, value: Self::Value) -> Result<(), Self::Error>;
    /// An object with all its entries, and how many keys it has.
    #[expect(clippy::missing_errors_doc, reason = "as null")]
    fn end_object(&mut self, object: Self::Object) -> Result<(Self::Value, usize), Self::Error>;
}

/// A value that was made, and what is to be known of its document.
pub(crate) struct Made<V> {
    pub(crate) value: V,
    /// How many bytes of the text it is.
    pub(crate) length: usize,
    pub(crate) is_object: bool,
    /// It says something, rather than showing where something would stand.
    pub(crate) is_filled_in: bool,
    /// Its outermost object has all keys that were asked for.
    pub(crate) has_keys: bool,
}

/// Why nothing was made.
pub(crate) enum Stop<E> {
    /// The text begins with nothing that the standard allows, or it has a key twice, or a number beyond a float.
    Refused,
    /// Nested too deeply for this reader.
    TooDeep,
    /// The maker failed.
    Failed(E),
}

/// Nested more deeply than this, documents are left to a reader that takes no machine stack for it.
const MOST_LEVELS: usize = 32;

/// The value at the start of `text`, by jiter.
pub(crate) fn make<M: Maker>(
    text: &str,
    keys: &[String],
    max_depth: usize,
    maker: &mut M,
) -> Result<Made<M::Value>, Stop<M::Error>> {
    let levels = MOST_LEVELS.min(max_depth);
    let mut walk = Walk { jiter: Jiter::new(text.as_bytes()), maker, keys, levels, root: Root::default() };
    let peek = walk.peek()?;
    let value = walk.value(peek, levels)?;
    Ok(Made {
        value,
        length: walk.jiter.current_index(),
        is_object: peek == Peek::Object,
        is_filled_in: walk.root.is_filled_in(),
        has_keys: walk.root.wanted == keys.len(),
    })
}

/// What is to be known of the outermost object.
#[derive(Default)]
struct Root {
    /// How many of the keys that were asked for it has.
    wanted: usize,
    has_entries: bool,
    /// One of its values is more than a placeholder.
    has_value: bool,
    /// How many of `type` and `properties` it has, which a schema has both.
    schema_keys: usize,
}

impl Root {
    fn is_filled_in(&self) -> bool {
        self.schema_keys < 2 && (self.has_value || !self.has_entries)
    }
}

struct Walk<'w, 'r, M> {
    jiter: Jiter<'r>,
    maker: &'w mut M,
    keys: &'w [String],
    levels: usize,
    root: Root,
}

impl<M: Maker> Walk<'_, '_, M> {
    fn peek(&mut self) -> Result<Peek, Stop<M::Error>> {
        self.jiter.peek().map_err(|_| Stop::Refused)
    }

    /// The value that begins here. Recursion ends with the levels.
    fn value(&mut self, peek: Peek, levels: usize) -> Result<M::Value, Stop<M::Error>> {
        let made = match peek {
            Peek::String => {
                let text = self.jiter.known_str().map_err(|_| Stop::Refused)?;
                if levels + 1 == self.levels && !self.root.has_value {
                    self.root.has_value = !is_placeholder(text.trim());
                }
                self.maker.text(text)
            }
            Peek::Object | Peek::Array if levels == 0 => return Err(Stop::TooDeep),
            Peek::Object => return self.object(levels),
            Peek::Array => return self.list(levels),
            Peek::Null => {
                self.jiter.known_null().map_err(|_| Stop::Refused)?;
                self.maker.null()
            }
            Peek::True | Peek::False => {
                let value = self.jiter.known_bool(peek).map_err(|_| Stop::Refused)?;
                self.maker.boolean(value)
            }
            _ => match self.jiter.known_number(peek).map_err(|_| Stop::Refused)? {
                NumberAny::Int(NumberInt::Int(value)) => self.maker.integer(value),
                NumberAny::Int(NumberInt::BigInt(value)) => self.maker.long_integer(&value.to_string()),
                NumberAny::Float(value) if value.is_finite() => self.maker.float(value),
                NumberAny::Float(_) => return Err(Stop::Refused),
            },
        };
        made.map_err(Stop::Failed)
    }

    fn list(&mut self, levels: usize) -> Result<M::Value, Stop<M::Error>> {
        let mut list = self.maker.list().map_err(Stop::Failed)?;
        let mut next = self.jiter.known_array().map_err(|_| Stop::Refused)?;
        while let Some(peek) = next {
            let value = self.value(peek, levels - 1)?;
            self.maker.item(&mut list, value).map_err(Stop::Failed)?;
            next = self.jiter.array_step().map_err(|_| Stop::Refused)?;
        }
        self.maker.end_list(list).map_err(Stop::Failed)
    }

    fn object(&mut self, levels: usize) -> Result<M::Value, Stop<M::Error>> {
        let is_root = levels == self.levels;
        let mut object = self.maker.object().map_err(Stop::Failed)?;
        let mut entries = 0;
        let mut next = self.jiter.known_object().map_err(|_| Stop::Refused)?;
        while let Some(name) = next {
            if is_root {
                self.root.has_entries = true;
                self.root.schema_keys += usize::from(matches!(name, "type" | "properties"));
                self.root.wanted += usize::from(self.keys.iter().any(|key| key == name));
            }
            let key = self.maker.key(name).map_err(Stop::Failed)?;
            let peek = self.peek()?;
            self.root.has_value |= is_root && peek != Peek::String;
            let value = self.value(peek, levels - 1)?;
            self.maker.entry(&mut object, key, value).map_err(Stop::Failed)?;
            entries += 1;
            next = self.jiter.next_key().map_err(|_| Stop::Refused)?;
        }
        let (value, keys) = self.maker.end_object(object).map_err(Stop::Failed)?;
        if keys == entries { Ok(value) } else { Err(Stop::Refused) }
    }
}
