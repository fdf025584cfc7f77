//! JSON lines: the whole line is validated, but values are built only for the requested cells.
//!
//! It accepts what Python's `json` accepts, so also `NaN`, `Infinity` and lone surrogates: the other cells are only
//! copied, and must not make a row unreadable.

use std::borrow::Cow;

use memchr::memchr2;

use super::Cell;

/// The maximum depth of nesting.
const DEPTH: u32 = 1000;

/// Why a line is not a JSON object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineError {
    /// The byte offset of the error.
    pub at: usize,
    /// The message.
    pub what: &'static str,
    /// Whether the line is valid JSON, but not an object that can be read.
    pub is_json: bool,
}

impl LineError {
    fn at(at: usize, what: &'static str) -> Self {
        Self { at, what, is_json: false }
    }
}

/// The path of a cell: a key, or several keys and list indices joined by full stops.
#[derive(Debug, Clone)]
pub struct CellPath {
    name: String,
    /// The path's parts; empty if it has only one.
    parts: Vec<String>,
}

impl CellPath {
    /// Parse a path such as `reply`, `output.judge` or `choices.0.message.content`.
    pub fn new(name: &str) -> Self {
        let parts: Vec<String> = name.split('.').map(str::to_owned).collect();
        Self { name: name.to_owned(), parts: if parts.len() > 1 { parts } else { Vec::new() } }
    }
}

/// The parsed line.
#[derive(Debug, Clone, PartialEq)]
pub struct Line<'t> {
    /// The requested cells, in the order of their paths.
    pub cells: Vec<Cell<'t>>,
    /// The offset of the object's closing brace.
    pub end: usize,
    /// Whether the object has no entries.
    pub is_empty: bool,
}

/// Read the object of a line, in linear time.
///
/// `visit` is called with each top-level key and its value as written. The last value of a duplicate key counts.
///
/// # Errors
///
/// [`LineError`] if the line is not a JSON object.
pub fn read<'t>(
    line: &'t str,
    paths: &[CellPath],
    mut visit: impl FnMut(&Cow<'t, str>, &'t str),
) -> Result<Line<'t>, LineError> {
    let mut scan = Scan { text: line, at: 0 };
    scan.space();
    if scan.byte() != b'{' {
        let cell = scan.value(0)?;
        scan.end()?;
        return Err(LineError { at: 0, what: not_an_object(&cell), is_json: true });
    }
    let mut cells = vec![Cell::Null; paths.len()];
    // A key that equals the whole path takes precedence over the path's parts.
    let mut is_whole = vec![false; paths.len()];
    let mut is_empty = true;
    scan.entries(0, |scan, key| {
        is_empty = false;
        let start = scan.at;
        let cell = scan.value(1)?;
        visit(&key, scan.written(start));
        for ((path, found), is_whole) in paths.iter().zip(&mut cells).zip(&mut is_whole) {
            if *key == *path.name {
                (*found, *is_whole) = (cell.clone(), true);
            } else if !*is_whole && path.parts.first().is_some_and(|part| *key == **part) {
                *found = inner(&cell, path.parts.get(1..).unwrap_or(&[]));
            }
        }
        Ok(())
    })?;
    let end = scan.at - 1;
    scan.end().map(|()| Line { cells, end, is_empty })
}

/// Return the items of a list as written.
///
/// # Errors
///
/// [`LineError`] if the text is not a JSON list.
pub fn items(text: &str) -> Result<Vec<&str>, LineError> {
    let mut scan = Scan { text, at: 0 };
    let mut items = Vec::new();
    scan.space();
    scan.items(0, |scan| {
        let start = scan.at;
        scan.value(1)?;
        items.push(scan.written(start));
        Ok(())
    })?;
    scan.end().map(|()| items)
}

/// Parse a value that was validated before.
pub fn cell(written: &str) -> Cell<'_> {
    Scan { text: written, at: 0 }.value(0).unwrap_or(Cell::Null)
}

fn not_an_object(cell: &Cell<'_>) -> &'static str {
    match cell {
        Cell::Null => "null, not an object",
        Cell::Bool(_) => "true or false, not an object",
        Cell::Number(_) => "a number, not an object",
        Cell::Text(_) => "a string, not an object",
        Cell::List(_) => "an array, not an object",
        Cell::Object(_) => "more than one value",
    }
}

/// Return the value at the rest of a path, or null if there is none.
fn inner<'t>(cell: &Cell<'t>, parts: &[String]) -> Cell<'t> {
    let Some((first, rest)) = parts.split_first() else { return cell.clone() };
    let (Cell::Object(text) | Cell::List(text)) = cell else { return Cell::Null };
    let mut scan = Scan { text, at: 0 };
    let mut found = Cell::Null;
    let mut take = |scan: &mut Scan<'t>, is_sought: bool| {
        let value = scan.value(1)?;
        if is_sought {
            found = inner(&value, rest);
        }
        Ok(())
    };
    // `parse` would accept a sign.
    let wanted = first.parse::<usize>().ok().filter(|_| first.bytes().all(|byte| byte.is_ascii_digit()));
    let mut places = 0..;
    // This text was validated before.
    let _ = match cell {
        Cell::Object(_) => scan.entries(0, |scan, key| take(scan, *key == **first)),
        _ => scan.items(0, |scan| take(scan, places.next() == wanted)),
    };
    found
}

struct Scan<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Scan<'t> {
    fn byte(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    fn error(&self, what: &'static str) -> LineError {
        let what = if self.at >= self.text.len() { "the line ends in the middle of a value" } else { what };
        LineError::at(self.at, what)
    }

    fn space(&mut self) {
        while self.skip(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')) {}
    }

    /// Pass a byte for which `is_it` holds, which is false for 0. Return whether there was one.
    fn skip(&mut self, is_it: impl Fn(u8) -> bool) -> bool {
        let is_there = is_it(self.byte());
        self.at += usize::from(is_there);
        is_there
    }

    /// Check that nothing more follows.
    fn end(&mut self) -> Result<(), LineError> {
        self.space();
        if self.at < self.text.len() { Err(self.error("more than one value")) } else { Ok(()) }
    }

    fn expect(&mut self, byte: u8, what: &'static str) -> Result<(), LineError> {
        if self.skip(|next| next == byte) { Ok(()) } else { Err(self.error(what)) }
    }

    /// Read an object's entries. `take` reads the value of each key.
    fn entries(
        &mut self,
        depth: u32,
        mut take: impl FnMut(&mut Self, Cow<'t, str>) -> Result<(), LineError>,
    ) -> Result<(), LineError> {
        self.expect(b'{', "expected an object")?;
        self.each(depth, b'}', "expected a comma or a closing brace", |scan| {
            if scan.byte() != b'"' {
                return Err(scan.error("expected a key in quotation marks"));
            }
            let key = scan.string()?;
            scan.space();
            scan.expect(b':', "expected a colon after the key")?;
            scan.space();
            take(scan, key)
        })
    }

    /// Read a list's items. `take` reads each item.
    fn items(&mut self, depth: u32, take: impl FnMut(&mut Self) -> Result<(), LineError>) -> Result<(), LineError> {
        self.expect(b'[', "expected a list")?;
        self.each(depth, b']', "expected a comma or a closing bracket", take)
    }

    /// Read what stands between commas up to a closing byte.
    fn each(
        &mut self,
        depth: u32,
        close: u8,
        unclosed: &'static str,
        mut take: impl FnMut(&mut Self) -> Result<(), LineError>,
    ) -> Result<(), LineError> {
        self.space();
        if self.skip(|byte| byte == close) {
            return Ok(());
        }
        if depth > DEPTH {
            return Err(LineError { is_json: true, ..self.error("nested too deeply") });
        }
        loop {
            self.space();
            take(self)?;
            self.space();
            if !self.skip(|byte| byte == b',') {
                return self.expect(close, unclosed);
            }
        }
    }

    fn value(&mut self, depth: u32) -> Result<Cell<'t>, LineError> {
        let start = self.at;
        match self.byte() {
            b'"' => Ok(Cell::Text(self.string()?)),
            b'{' => {
                self.entries(depth, |scan, _| scan.value(depth + 1).map(|_| ()))?;
                Ok(Cell::Object(self.written(start)))
            }
            b'[' => {
                self.items(depth, |scan| scan.value(depth + 1).map(|_| ()))?;
                Ok(Cell::List(self.written(start)))
            }
            b't' => self.word("true").map(|()| Cell::Bool(true)),
            b'f' => self.word("false").map(|()| Cell::Bool(false)),
            b'n' => self.word("null").map(|()| Cell::Null),
            b'N' => self.word("NaN").map(|()| Cell::Number("NaN")),
            b'I' => self.word("Infinity").map(|()| Cell::Number("Infinity")),
            b'-' | b'0'..=b'9' => self.number(),
            _ => Err(self.error("expected a value")),
        }
    }

    fn written(&self, start: usize) -> &'t str {
        self.text.get(start..self.at).unwrap_or("")
    }

    fn word(&mut self, word: &str) -> Result<(), LineError> {
        if !self.text.as_bytes().get(self.at..).is_some_and(|rest| rest.starts_with(word.as_bytes())) {
            return Err(self.error("expected a value"));
        }
        self.at += word.len();
        Ok(())
    }

    /// Read digits, and return how many there are.
    fn digits(&mut self, none: &'static str) -> Result<usize, LineError> {
        let start = self.at;
        while self.skip(|byte| byte.is_ascii_digit()) {}
        if self.at == start { Err(self.error(none)) } else { Ok(self.at - start) }
    }

    fn number(&mut self) -> Result<Cell<'t>, LineError> {
        let start = self.at;
        if self.skip(|byte| byte == b'-') && self.byte() == b'I' {
            return self.word("Infinity").map(|()| Cell::Number("-Infinity"));
        }
        let is_zero = self.byte() == b'0';
        if self.digits("no number")? > 1 && is_zero {
            return Err(LineError::at(start, "a number with a leading zero"));
        }
        if self.skip(|byte| byte == b'.') {
            self.digits("expected a digit after the decimal point")?;
        }
        if self.skip(|byte| matches!(byte, b'e' | b'E')) {
            self.skip(|byte| matches!(byte, b'+' | b'-'));
            self.digits("expected a digit in the exponent")?;
        }
        Ok(Cell::Number(self.written(start)))
    }

    /// Read the string that begins here. It is borrowed unless it has escapes.
    fn string(&mut self) -> Result<Cow<'t, str>, LineError> {
        let bytes = self.text.as_bytes();
        self.at += 1;
        let mut made: Option<String> = None;
        let mut start = self.at;
        loop {
            let rest = bytes.get(self.at..).unwrap_or_default();
            let Some(length) = memchr2(b'"', b'\\', rest) else {
                return Err(LineError::at(bytes.len(), "the line ends in the middle of a string"));
            };
            let plain = rest.get(..length).unwrap_or_default();
            if let Some(control) = plain.iter().position(|&byte| byte < b' ') {
                return Err(LineError::at(self.at + control, "a control character in a string"));
            }
            self.at += length;
            if self.byte() == b'"' {
                let last = self.written(start);
                self.at += 1;
                return Ok(match made {
                    None => Cow::Borrowed(last),
                    Some(made) => Cow::Owned(made + last),
                });
            }
            let text = made.get_or_insert_with(String::new);
            text.push_str(self.written(start));
            let escaped = bytes.get(self.at + 1).copied().unwrap_or(0);
            let short = match escaped {
                b'"' | b'\\' | b'/' => Some(char::from(escaped)),
                b'b' => Some('\u{8}'),
                b'f' => Some('\u{c}'),
                b'n' => Some('\n'),
                b'r' => Some('\r'),
                b't' => Some('\t'),
                _ => None,
            };
            if let Some(c) = short {
                text.push(c);
                self.at += 2;
            } else {
                let Some(unit) = self.unit().filter(|_| escaped == b'u') else {
                    return Err(self.error("an unknown escape in a string"));
                };
                self.at += 6;
                let low = (0xd800..0xdc00).contains(&unit).then(|| self.unit()).flatten();
                let pair = low.filter(|low| (0xdc00..0xe000).contains(low));
                let point = pair.map_or(unit, |low| 0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00));
                self.at += if pair.is_some() { 6 } else { 0 };
                text.push(char::from_u32(point).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            start = self.at;
        }
    }

    /// The code unit of the escape `\u0041` at this position.
    fn unit(&self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 6)?.strip_prefix("\\u")?;
        digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok()).flatten()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{CellPath, read};
    use crate::table::Cell;

    fn cells<'t>(line: &'t str, names: &[&str]) -> Vec<Cell<'t>> {
        let paths: Vec<CellPath> = names.iter().map(|name| CellPath::new(name)).collect();
        read(line, &paths, |_, _| ()).unwrap().cells
    }

    #[test]
    fn a_cell_is_found_by_its_name_its_path_and_its_place_in_a_list() {
        let line = r#" {"a.b": "whole", "a": {"b": 1, "c": [true, "\u00e9\ud83d\ude00\ud800"]}, "d": null} "#;

        let found = cells(line, &["a.b", "a.c.1", "a.c.0", "d", "e", "a"]);

        assert_eq!(
            found,
            [
                Cell::Text("whole".into()),
                Cell::Text("\u{e9}\u{1f600}\u{fffd}".into()),
                Cell::Bool(true),
                Cell::Null,
                Cell::Null,
                Cell::Object(r#"{"b": 1, "c": [true, "\u00e9\ud83d\ude00\ud800"]}"#),
            ]
        );
    }

    #[test]
    fn the_last_of_two_keys_counts() {
        assert_eq!(cells(r#"{"a": 1, "a": 2}"#, &["a"]), [Cell::Number("2")]);
    }

    #[test]
    fn an_error_has_its_message_and_offset() {
        for (line, at, what) in [
            ("[1]", 0, "an array, not an object"),
            ("{\"a\": 1", 7, "the line ends in the middle of a value"),
            ("{\"a\": 01}", 6, "a number with a leading zero"),
            ("{\"a\": \"\u{1}\"}", 7, "a control character in a string"),
            ("{\"a\" 1}", 5, "expected a colon after the key"),
            ("{} {}", 3, "more than one value"),
            ("{\"a\": \"\\x\"}", 7, "an unknown escape in a string"),
        ] {
            let problem = read(line, &[], |_, _| ()).unwrap_err();

            assert_eq!((problem.at, problem.what), (at, what), "{line}");
        }
    }

    #[test]
    fn deep_nesting_is_rejected() {
        let line = format!("{{\"a\": {}{}}}", "[".repeat(100_000), "]".repeat(100_000));

        assert_eq!(read(&line, &[], |_, _| ()).unwrap_err().what, "nested too deeply");
    }

    const PIECES: [&str; 16] =
        ["{", "}", "[", "]", ",", ":", "\"", "\\", "\"a\"", "1", "-0.5e3", "null", "true", " ", "\\u00e9", "é"];

    fn text_like_json() -> impl Strategy<Value = String> {
        prop::collection::vec(prop::sample::select(PIECES.as_slice()), 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn any_object_is_read_as_serde_reads_it(
            value in "[^\u{0}]{0,20}", number in any::<i64>(), key in "[a-z.\"\\\\é]{1,6}"
        ) {
            let line = serde_json::json!({"first": number, &key: {"deep": [&value, 1.5, false]}, "last": value}).to_string();

            let found = cells(&line, &["last", "first"]);

            if key != "last" && key != "first" {
                prop_assert_eq!(&found, &[Cell::Text(value.into()), Cell::Number(&number.to_string())]);
            }
        }

        #[test]
        fn the_same_lines_are_accepted_as_by_serde(line in text_like_json()) {
            let known = serde_json::from_str::<serde_json::Value>(&line).is_ok_and(|value| value.is_object());

            prop_assert_eq!(read(&line, &[], |_, _| ()).is_ok(), known, "{}", line);
        }
    }
}
