//! Tables: whatever bytes stand in a file, its records and lines cover it, and each part of it is read once.

use judgecore::table::Cell;
use judgecore::table::csv::{Field, Found, Records, header_at, sniff};
use judgecore::table::json_line::{self, Path};

/// Delimiters to try.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];
/// Cells to ask for.
const PATHS: [&str; 4] = ["raw", "a.b", "a.0.b", "a"];

/// A file, and how it is read.
///
/// As bytes: the delimiter and the number of columns in one, where the file is cut in two in another, and the file.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    knobs: u8,
    cut: u8,
    file: &'a [u8],
}

impl<'a> Input<'a> {
    /// The input that bytes stand for; None if there are too few.
    pub fn decode(bytes: &'a [u8]) -> Option<Self> {
        let (&[knobs, cut], file) = bytes.split_first_chunk()?;
        Some(Self { knobs, cut, file })
    }

    /// The bytes that stand for the input.
    pub fn encode(&self) -> Vec<u8> {
        [&[self.knobs, self.cut], self.file].concat()
    }

    /// A file with all delimiters and numbers of columns.
    pub fn every(file: &'a [u8]) -> impl Iterator<Item = Self> {
        (0..16).map(move |knobs| Self { knobs, cut: 128, file })
    }

    fn delimiter(&self) -> u8 {
        DELIMITERS[usize::from(self.knobs % 4)]
    }

    fn width(&self) -> usize {
        1 + usize::from(self.knobs / 4 % 4)
    }

    /// Read the file as CSV and as JSON lines; panic where a part of it is lost, or read twice.
    pub fn check(&self) {
        self.check_records();
        for line in self.file.split(|&byte| byte == b'\n').filter_map(|line| str::from_utf8(line).ok()) {
            check_line(line);
        }
        if let Ok(text) = str::from_utf8(self.file)
            && let Ok(items) = json_line::items(text)
        {
            let ranges: Vec<_> = items.iter().filter_map(|item| range_of(text, item)).collect();
            assert_eq!(ranges.len(), items.len(), "an item stands elsewhere than in {text:?}");
            assert!(ranges.is_sorted_by(|one, other| one.1 <= other.0), "items overlap in {text:?}");
        }
    }

    fn check_records(&self) {
        let header = header_at(self.file, 0);
        assert!(self.file[..header].iter().all(|byte| b"\r\n".contains(byte)), "a header begins in the middle");
        assert!(DELIMITERS.contains(&sniff(self.file)), "no delimiter");
        let mut records = Records::new(self.delimiter());
        records.set_width(self.width());
        let (mut fields, mut at) = (Vec::new(), 0);
        let mut found = Vec::new();
        while at < self.file.len() {
            let next = match records.next(self.file, at, 0, true, &mut fields) {
                Found::Record(end, next) => {
                    assert!(
                        at <= end && end <= next && next <= self.file.len(),
                        "a record of {at}..{end}, then {next}"
                    );
                    self.check_fields(&fields, at, end);
                    next
                }
                Found::Broken(problem) => {
                    assert!(!problem.is_empty(), "a record is broken, and nobody says why");
                    self.line_end(at)
                }
                Found::Open => panic!("a record at {at} is open at the end"),
            };
            assert!(next > at, "nothing is read at {at}");
            found.push((at, next));
            at = next;
        }
        self.check_in_two(&found);
    }

    /// A record's fields part it: each begins behind the delimiter that ends the one before.
    fn check_fields(&self, fields: &[Field], start: usize, end: usize) {
        let mut at = start;
        for (nth, field) in fields.iter().enumerate() {
            assert_eq!(field.range.start, at, "field {nth} begins elsewhere");
            at = field.range.end + 1;
            if nth + 1 < fields.len() {
                assert_eq!(self.file[field.range.end], self.delimiter(), "field {nth} ends at no delimiter");
            }
            if let Ok(text) = str::from_utf8(&self.file[..end]) {
                let written = &text[field.range.clone()];
                assert!(field.text(text).len() <= written.len(), "a field is longer than it is written");
            }
        }
        assert_eq!(at, end + 1, "the record goes on behind its last field");
    }

    /// A file that comes in two parts is cut where a whole one is.
    fn check_in_two(&self, whole: &[(usize, usize)]) {
        let given = &self.file[..self.file.len() * usize::from(self.cut) / 256];
        let mut records = Records::new(self.delimiter());
        records.set_width(self.width());
        let mut fields = Vec::new();
        for &(at, next) in whole.iter().take_while(|(at, _)| *at < given.len()) {
            match records.next(given, at, 0, false, &mut fields) {
                Found::Record(_, here) => assert_eq!(here, next, "a part of the file gives another record at {at}"),
                // A line that may go on is waited for.
                Found::Broken(_) if self.line_end(at) > given.len() => break,
                Found::Broken(_) => assert_eq!(self.line_end(at), next, "a part of the file breaks a record at {at}"),
                Found::Open => break,
            }
        }
    }

    fn line_end(&self, at: usize) -> usize {
        self.file[at..].iter().position(|&byte| byte == b'\n').map_or(self.file.len(), |length| at + length + 1)
    }
}

/// Read a line of JSON; panic where what is found is not what stands there.
fn check_line(line: &str) {
    let paths = PATHS.map(Path::new);
    let mut keys = Vec::new();
    match json_line::read(line, &paths, |key, written| keys.push((key.clone().into_owned(), written))) {
        Err(problem) => {
            assert!(line.is_char_boundary(problem.at.min(line.len())), "a problem inside a letter of {line:?}");
            assert!(!problem.what.is_empty());
        }
        Ok(found) => {
            assert_eq!(line.as_bytes()[found.end], b'}', "{line:?} ends elsewhere");
            assert!(
                line[found.end + 1..].bytes().all(|byte| byte.is_ascii_whitespace()),
                "something follows in {line:?}"
            );
            assert_eq!(found.is_empty, keys.is_empty());
            for (key, written) in &keys {
                assert!(range_of(line, written).is_some(), "the value of {key:?} stands elsewhere than in {line:?}");
            }
            // Of a key that comes twice the last counts, and one that is spelled so wins over a path.
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

/// Where a part of a text stands in it; None where it is no part of it.
fn range_of(text: &str, part: &str) -> Option<(usize, usize)> {
    let start = (part.as_ptr() as usize).checked_sub(text.as_ptr() as usize)?;
    let end = start + part.len();
    (end <= text.len()).then_some((start, end))
}
