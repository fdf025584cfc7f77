//! Tables: for any bytes, the records and lines cover the file, and no part is read twice.

use judgecore::table::Cell;
use judgecore::table::csv::{Field, NextRecord, Records, header_at, sniff};
use judgecore::table::json_line::{self, CellPath};

/// Delimiters to try.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];
/// Cells to request.
const PATHS: [&str; 4] = ["raw", "a.b", "a.0.b", "a"];

/// A file and the options to read it with.
///
/// Encoded as a byte for the delimiter and the number of columns, a byte for the position of the cut, and the file.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    knobs: u8,
    cut: u8,
    file: &'a [u8],
}

impl<'a> Input<'a> {
    /// Decode an input; None if there are too few bytes.
    pub fn decode(bytes: &'a [u8]) -> Option<Self> {
        let (&[knobs, cut], file) = bytes.split_first_chunk()?;
        Some(Self { knobs, cut, file })
    }

    /// Encode the input as bytes.
    pub fn encode(&self) -> Vec<u8> {
        [&[self.knobs, self.cut], self.file].concat()
    }

    /// Combine a file with all delimiters and numbers of columns.
    pub fn every(file: &'a [u8]) -> impl Iterator<Item = Self> {
        (0..16).map(move |knobs| Self { knobs, cut: 128, file })
    }

    fn delimiter(&self) -> u8 {
        DELIMITERS[usize::from(self.knobs % 4)]
    }

    fn width(&self) -> usize {
        1 + usize::from(self.knobs / 4 % 4)
    }

    /// Read the file as CSV and as JSON lines; panic if a part is lost or read twice.
    pub fn check(&self) {
        self.check_records();
        for line in self.file.split(|&byte| byte == b'\n').filter_map(|line| str::from_utf8(line).ok()) {
            check_line(line);
        }
        if let Ok(text) = str::from_utf8(self.file)
            && let Ok(items) = json_line::items(text)
        {
            let ranges: Vec<_> = items.iter().filter_map(|item| range_of(text, item)).collect();
            assert_eq!(ranges.len(), items.len(), "an item is not a slice of {text:?}");
            assert!(ranges.is_sorted_by(|one, other| one.1 <= other.0), "items overlap in {text:?}");
        }
    }

    fn check_records(&self) {
        let header = header_at(self.file, 0);
        assert!(
            self.file[..header].iter().all(|byte| b"\r\n".contains(byte)),
            "the header does not begin at the first non-empty line"
        );
        assert!(DELIMITERS.contains(&sniff(self.file)), "the delimiter is not one of the four");
        let mut records = Records::new(self.delimiter());
        records.set_width(self.width());
        let (mut fields, mut at) = (Vec::new(), 0);
        let mut found = Vec::new();
        while at < self.file.len() {
            let next = match records.next(self.file, at, 0, true, &mut fields) {
                NextRecord::Complete(end, next) => {
                    assert!(
                        at <= end && end <= next && next <= self.file.len(),
                        "a record of {at}..{end}, then {next}"
                    );
                    self.check_fields(&fields, at, end);
                    next
                }
                NextRecord::Malformed(problem) => {
                    assert!(!problem.is_empty(), "a malformed record at {at} without a reason");
                    self.line_end(at)
                }
                NextRecord::Incomplete => panic!("the record at {at} is incomplete at the end of the file"),
            };
            assert!(next > at, "no progress at {at}");
            found.push((at, next));
            at = next;
        }
        self.check_in_two(&found);
    }

    /// Check that the fields partition the record: each begins after the delimiter that ends the one before.
    fn check_fields(&self, fields: &[Field], start: usize, end: usize) {
        let mut at = start;
        for (nth, field) in fields.iter().enumerate() {
            assert_eq!(field.range.start, at, "field {nth} does not begin after the one before");
            at = field.range.end + 1;
            if nth + 1 < fields.len() {
                assert_eq!(self.file[field.range.end], self.delimiter(), "field {nth} does not end at a delimiter");
            }
            if let Ok(text) = str::from_utf8(&self.file[..end]) {
                let written = &text[field.range.clone()];
                assert!(field.text(text).len() <= written.len(), "field {nth} is longer than its source");
            }
        }
        assert_eq!(at, end + 1, "the record continues after its last field");
    }

    /// Check that a file given in two parts has the same records as the whole file.
    fn check_in_two(&self, whole: &[(usize, usize)]) {
        let given = &self.file[..self.file.len() * usize::from(self.cut) / 256];
        let mut records = Records::new(self.delimiter());
        records.set_width(self.width());
        let mut fields = Vec::new();
        for &(at, next) in whole.iter().take_while(|(at, _)| *at < given.len()) {
            match records.next(given, at, 0, false, &mut fields) {
                NextRecord::Complete(_, here) => assert_eq!(here, next, "the first part has another record at {at}"),
                // The rest of the line may still follow.
                NextRecord::Malformed(_) if self.line_end(at) > given.len() => break,
                NextRecord::Malformed(_) => {
                    assert_eq!(self.line_end(at), next, "the first part has a malformed record at {at}");
                }
                NextRecord::Incomplete => break,
            }
        }
    }

    fn line_end(&self, at: usize) -> usize {
        self.file[at..].iter().position(|&byte| byte == b'\n').map_or(self.file.len(), |length| at + length + 1)
    }
}

/// Read a line of JSON; panic if the result does not agree with the line.
fn check_line(line: &str) {
    let paths = PATHS.map(CellPath::new);
    let mut keys = Vec::new();
    match json_line::read(line, &paths, |key, written| keys.push((key.clone().into_owned(), written))) {
        Err(error) => {
            assert!(line.is_char_boundary(error.at.min(line.len())), "the error is inside a character of {line:?}");
            assert!(!error.what.is_empty());
        }
        Ok(found) => {
            assert_eq!(line.as_bytes()[found.end], b'}', "the end of {line:?} is not its closing brace");
            assert!(
                line[found.end + 1..].bytes().all(|byte| byte.is_ascii_whitespace()),
                "text after the object in {line:?}"
            );
            assert_eq!(found.is_empty, keys.is_empty());
            for (key, written) in &keys {
                assert!(range_of(line, written).is_some(), "the value of {key:?} is not a slice of {line:?}");
            }
            // The last of duplicate keys counts, and a key that equals the whole path takes precedence over its parts.
            for (name, cell) in PATHS.iter().zip(&found.cells) {
                let last = keys.iter().rev().find(|(key, _)| key == name);
                if let Some((_, written)) = last {
                    assert_eq!(*cell, json_line::cell(written), "{name} in {line:?}");
                } else if !name.contains('.') {
                    assert_eq!(*cell, Cell::Null, "{name} in {line:?}");
                }
            }
        }
    }
}

/// The range of a slice of a text; None if it is not a slice of this text.
fn range_of(text: &str, part: &str) -> Option<(usize, usize)> {
    let start = (part.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
    let end = start + part.len();
    (end <= text.len()).then_some((start, end))
}
