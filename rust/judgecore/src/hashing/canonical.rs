//! The writer of canonical JSON.

use super::number::{self, NotFinite};
use super::text;

/// A destination of canonical JSON.
pub trait Sink {
    /// The bytes to append to.
    fn bytes(&mut self) -> &mut Vec<u8>;

    /// Called after each value. It may consume all bytes but the last.
    fn settle(&mut self) {}
}

impl Sink for Vec<u8> {
    fn bytes(&mut self) -> &mut Vec<u8> {
        self
    }
}

/// Writes one JSON value from a sequence of calls.
///
/// The writer adds commas and colons. The caller must pass keys sorted by code point (which is also the order of their
/// UTF-8 bytes), and must end each array and object.
#[derive(Debug, Clone, Default)]
pub struct Canonical<S> {
    /// A trailing comma is written after each value, and removed when the container ends.
    sink: S,
}

impl<S: Sink> Canonical<S> {
    /// Create a writer to a sink.
    pub fn new(sink: S) -> Self {
        Self { sink }
    }

    /// Return the sink with the complete value.
    pub fn finish(mut self) -> S {
        self.sink.bytes().pop_if(|last| *last == b',');
        self.sink
    }

    /// Write `null`.
    pub fn null(&mut self) {
        self.literal(b"null");
    }

    /// Write `true` or `false`.
    pub fn boolean(&mut self, value: bool) {
        if value { self.literal(b"true") } else { self.literal(b"false") }
    }

    /// Write an integer.
    pub fn integer(&mut self, value: i64) {
        number::integer(self.sink.bytes(), value);
        self.comma();
    }

    /// Write an integer of any size from its decimal digits, with an optional minus sign.
    pub fn digits(&mut self, digits: &str) {
        self.literal(digits.as_bytes());
    }

    /// Write a float with the fewest digits that read back as the same float.
    ///
    /// # Errors
    ///
    /// [`NotFinite`] for NaN and infinities; then nothing is written.
    pub fn float(&mut self, value: f64) -> Result<(), NotFinite> {
        if !value.is_finite() {
            return Err(NotFinite);
        }
        number::float(self.sink.bytes(), value);
        self.comma();
        Ok(())
    }

    /// Write a string.
    pub fn text(&mut self, text: &str) {
        self.text_with_surrogates(text.as_bytes());
    }

    /// Write a string from UTF-8 that may also encode lone surrogates, as three bytes each (WTF-8).
    pub fn text_with_surrogates(&mut self, bytes: &[u8]) {
        text::quote(self.sink.bytes(), bytes, b',');
        self.sink.settle();
    }

    /// Write the key of the next value.
    pub fn key(&mut self, key: &str) {
        self.key_with_surrogates(key.as_bytes());
    }

    /// Write the key of the next value, encoded as for [`Canonical::text_with_surrogates`].
    pub fn key_with_surrogates(&mut self, bytes: &[u8]) {
        text::quote(self.sink.bytes(), bytes, b':');
    }

    /// Begin an array.
    pub fn begin_array(&mut self) {
        self.begin(b'[');
    }

    /// End the innermost array.
    pub fn end_array(&mut self) {
        self.end(b']');
    }

    /// Begin an object.
    pub fn begin_object(&mut self) {
        self.begin(b'{');
    }

    /// End the innermost object.
    pub fn end_object(&mut self) {
        self.end(b'}');
    }

    fn literal(&mut self, word: &[u8]) {
        self.sink.bytes().extend_from_slice(word);
        self.comma();
    }

    fn comma(&mut self) {
        self.sink.bytes().push(b',');
        self.sink.settle();
    }

    fn begin(&mut self, bracket: u8) {
        self.sink.bytes().push(bracket);
    }

    fn end(&mut self, bracket: u8) {
        let out = self.sink.bytes();
        out.pop_if(|last| *last == b',');
        out.extend_from_slice(&[bracket, b',']);
        self.sink.settle();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::super::{ContentHash, hex_digest};
    use super::*;

    fn feed<S: Sink>(json: &mut Canonical<S>, value: &Value) {
        match value {
            Value::Null => json.null(),
            Value::Bool(value) => json.boolean(*value),
            Value::Number(number) => match number.as_i64() {
                Some(value) => json.integer(value),
                None => json.float(number.as_f64().unwrap()).unwrap(),
            },
            Value::String(text) => json.text(text),
            Value::Array(items) => {
                json.begin_array();
                for item in items {
                    feed(json, item);
                }
                json.end_array();
            }
            Value::Object(entries) => {
                json.begin_object();
                for (key, value) in entries {
                    json.key(key);
                    feed(json, value);
                }
                json.end_object();
            }
        }
    }

    fn written(value: &Value) -> Vec<u8> {
        let mut json = Canonical::new(Vec::new());
        feed(&mut json, value);
        json.finish()
    }

    fn values() -> impl Strategy<Value = Value> {
        let scalar = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            // Few digits, because serde_json rounds longer floats inexactly by default.
            any::<i32>().prop_map(|sixteenths| Value::from(f64::from(sixteenths) / 16.0)),
            any::<String>().prop_map(Value::from),
        ];
        scalar.prop_recursive(4, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map(any::<String>(), inner, 0..6)
                    .prop_map(|entries| Value::Object(entries.into_iter().collect())),
            ]
        })
    }

    #[test]
    fn commas_and_colons_are_placed_correctly() {
        let value: Value =
            serde_json::from_str(r#"{"a": [1, [], {}, [2, 3]], "b": {"c": null, "d": [true]}}"#).unwrap();

        assert_eq!(written(&value), br#"{"a":[1,[],{},[2,3]],"b":{"c":null,"d":[true]}}"#);
    }

    #[test]
    fn nan_and_infinities_are_rejected_and_not_written() {
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut json = Canonical::new(Vec::new());
            json.begin_array();
            assert_eq!(json.float(value), Err(NotFinite));
            json.end_array();
            assert_eq!(json.finish(), b"[]");
        }
    }

    #[test]
    fn a_hash_in_pieces_is_the_hash_of_the_whole() {
        let value = Value::from((0..5000).map(|nth| Value::from(format!("item {nth}"))).collect::<Vec<_>>());
        let mut json = Canonical::new(ContentHash::default());

        feed(&mut json, &value);

        assert_eq!(json.finish().hex(), hex_digest(&written(&value)));
    }

    #[test]
    fn a_container_ends_correctly_wherever_a_piece_was_hashed() {
        for length in 480..540 {
            let text = "x".repeat(length);
            for value in [serde_json::json!([[text]]), serde_json::json!([[], [text, {}], {"a": {"b": text}}, []])] {
                let mut json = Canonical::new(ContentHash::default());
                feed(&mut json, &value);
                assert_eq!(json.finish().hex(), hex_digest(value.to_string().as_bytes()));
            }
        }
    }

    #[test]
    fn the_digest_is_that_of_the_sha_256_standard() {
        assert_eq!(hex_digest(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    proptest! {
        #[test]
        fn output_is_ascii_and_reads_back_as_the_same_value(value in values()) {
            let bytes = written(&value);

            prop_assert!(bytes.iter().all(|byte| (0x20..0x7f).contains(byte)));
            prop_assert_eq!(serde_json::from_slice::<Value>(&bytes).unwrap(), value);
        }
    }
}
