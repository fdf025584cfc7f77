//! CSV records: fields in quotation marks may hold delimiters and line ends, and a quotation mark twice is one.
//!
//! What is no record costs its first line and no more: the reader goes on at the next.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use memchr::{memchr, memchr3};

/// A field as it stands in its record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Where it stands, with its quotation marks.
    pub range: Range<usize>,
    is_quoted: bool,
    /// Whether a quotation mark stands twice in it.
    has_pairs: bool,
}

impl Field {
    /// Its text, of the text that it was found in.
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let written = text.get(self.range.clone()).unwrap_or("");
        if !self.is_quoted {
            return Cow::Borrowed(written);
        }
        let inner = written.get(1..written.len().saturating_sub(1)).unwrap_or("");
        if self.has_pairs { Cow::Owned(inner.replace("\"\"", "\"")) } else { Cow::Borrowed(inner) }
    }
}

/// What stands at a place of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// A record: where its last field ends, and where the next record begins.
    Record(usize, usize),
    /// No record; the reader goes on behind the line.
    Broken(&'static str),
    /// Part of a record, whose rest was not given yet.
    Open,
}

/// A field that never closes.
const UNCLOSED: &str = "a quotation mark opens a field that never closes";
/// What may not stand behind a closing quotation mark.
const BEHIND: &str = "text behind a closing quotation mark; one inside a field must be doubled";
/// An old kind of line end.
const RETURN: &str = "a carriage return stands outside quotation marks";
/// More fields than the header has.
pub const MANY: &str = "more fields than the header has";
/// A field that takes in rows.
const TAKES_ROWS: &str = "a quotation mark opens a field that takes in whole rows";

/// Finds records, one after the other, and remembers what it saw, so that time stays linear in damaged text.
#[derive(Debug, Clone)]
pub struct Records {
    delimiter: u8,
    /// How many fields a record has; None in the header.
    width: Option<usize>,
    /// Which columns have held nothing but numbers; empty before the first record.
    numeric: Vec<bool>,
    /// Line ends inside quotation marks from which on a record was seen to break, in bytes of the whole table.
    dead: HashSet<u64>,
    /// How many bytes were looked at.
    #[cfg(test)]
    looked_at: usize,
}

impl Records {
    /// Records whose fields are parted by an ASCII character.
    pub fn new(delimiter: u8) -> Self {
        Self {
            delimiter,
            width: None,
            numeric: Vec::new(),
            dead: HashSet::new(),
            #[cfg(test)]
            looked_at: 0,
        }
    }

    /// Say how many fields a record has.
    pub fn set_width(&mut self, width: usize) {
        self.width = Some(width);
    }

    /// Find the record that begins at a place.
    ///
    /// `offset` is where the text begins in its table, `is_last` says that nothing follows the text, and `fields` takes
    /// the record's fields.
    pub fn next(&mut self, text: &[u8], from: usize, offset: u64, is_last: bool, fields: &mut Vec<Field>) -> Found {
        fields.clear();
        let mut crossed = Vec::new();
        let mut found = self.walk(text, from, offset, is_last, fields, &mut crossed);
        if let Found::Record(end, _) = found
            && self.width == Some(fields.len())
        {
            if !crossed.is_empty() && self.takes_rows(text.get(from..end).unwrap_or_default()) {
                found = Found::Broken(TAKES_ROWS);
            } else {
                self.note(text, fields);
            }
        }
        #[cfg(test)]
        {
            self.looked_at += match found {
                Found::Record(_, next) => next,
                _ => fields.last().map_or(from, |field| field.range.end) + crossed.len() * 8,
            } - from;
        }
        // From a line end inside quotation marks on, all that begins before it breaks at the same place.
        if matches!(found, Found::Broken(problem) if problem != MANY && problem != TAKES_ROWS) {
            self.dead.extend(crossed);
        }
        found
    }

    fn walk(
        &self,
        text: &[u8],
        from: usize,
        offset: u64,
        is_last: bool,
        fields: &mut Vec<Field>,
        crossed: &mut Vec<u64>,
    ) -> Found {
        let at_end = |ended: usize| if is_last { Found::Record(ended, text.len()) } else { Found::Open };
        let mut at = from;
        loop {
            if self.width.is_some_and(|width| fields.len() >= width) && !fields.is_empty() {
                return Found::Broken(MANY);
            }
            let start = at;
            let mut has_pairs = false;
            let is_quoted = text.get(at) == Some(&b'"');
            if is_quoted {
                at += 1;
                loop {
                    let rest = text.get(at..).unwrap_or_default();
                    let Some(length) = memchr(b'"', rest) else {
                        self.cross(text, at..text.len(), offset, crossed);
                        return if is_last { Found::Broken(UNCLOSED) } else { Found::Open };
                    };
                    if self.cross(text, at..at + length, offset, crossed) {
                        return Found::Broken(UNCLOSED);
                    }
                    at += length + 1;
                    if text.get(at) != Some(&b'"') {
                        break;
                    }
                    has_pairs = true;
                    at += 1;
                }
            } else {
                let rest = text.get(at..).unwrap_or_default();
                at += memchr3(self.delimiter, b'\n', b'\r', rest).unwrap_or(rest.len());
            }
            fields.push(Field { range: start..at, is_quoted, has_pairs });
            match text.get(at) {
                None => return at_end(at),
                Some(byte) if *byte == self.delimiter => at += 1,
                Some(b'\n') => return Found::Record(at, at + 1),
                Some(b'\r') => match text.get(at + 1) {
                    None if is_last => return Found::Record(at, at + 1),
                    None => return Found::Open,
                    Some(b'\n') => return Found::Record(at, at + 2),
                    Some(_) => return Found::Broken(RETURN),
                },
                Some(_) => return Found::Broken(BEHIND),
            }
        }
    }

    /// Note which columns hold numbers.
    fn note(&mut self, text: &[u8], fields: &[Field]) {
        if self.numeric.is_empty() {
            self.numeric = vec![true; fields.len()];
        }
        for (is_numeric, field) in self.numeric.iter_mut().zip(fields) {
            *is_numeric = *is_numeric && is_number(text.get(field.range.clone()).unwrap_or_default());
        }
    }

    /// Whether each line of a record would be a row, with numbers in the columns that hold numbers: two stray
    /// quotation marks, in two rows, enclose what stands between them.
    fn takes_rows(&self, record: &[u8]) -> bool {
        let is_row = |line: &[u8]| {
            let mut cells = line.split(|&byte| byte == self.delimiter);
            let has_numbers = self.numeric.iter().all(|is_numeric| {
                cells.next().is_some_and(|cell| !is_numeric || is_number(cell.strip_suffix(b"\r").unwrap_or(cell)))
            });
            has_numbers && cells.next().is_none()
        };
        self.numeric.contains(&true) && self.numeric.len() > 1 && record.split(|&byte| byte == b'\n').all(is_row)
    }

    /// Note the line ends in a stretch inside quotation marks; whether one of them is known to lead to a break.
    fn cross(&self, text: &[u8], range: Range<usize>, offset: u64, crossed: &mut Vec<u64>) -> bool {
        let mut at = range.start;
        while let Some(length) = text.get(at..range.end).and_then(|rest| memchr(b'\n', rest)) {
            at += length + 1;
            let place = offset + at as u64;
            if self.dead.contains(&place) {
                return true;
            }
            crossed.push(place);
        }
        false
    }

    /// Forget what was seen before a place of the table, which is not looked at again.
    pub fn forget(&mut self, offset: u64) {
        self.dead.retain(|place| *place > offset);
    }
}

fn is_number(cell: &[u8]) -> bool {
    cell.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-')) && cell.iter().any(u8::is_ascii_digit)
}

/// The delimiter of a table: the one of comma, semicolon, tab and bar that stands most often in its first line.
pub fn sniff(text: &[u8]) -> u8 {
    let line = text.get(..memchr(b'\n', text).unwrap_or(text.len())).unwrap_or_default();
    let count = |delimiter: u8| {
        let mut is_inside = false;
        line.iter()
            .filter(|&&byte| {
                is_inside ^= byte == b'"';
                byte == delimiter && !is_inside
            })
            .count()
    };
    let most = [b',', b';', b'\t', b'|'].into_iter().rev().max_by_key(|&delimiter| count(delimiter));
    most.filter(|&delimiter| count(delimiter) > 0).unwrap_or(b',')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Found, Records, sniff};
    use crate::reply::text::{head, tail};

    /// Where the line behind the one that begins at a place does.
    fn next_line(text: &str, at: usize) -> usize {
        tail(text, at).find('\n').map_or(text.len(), |length| at + length + 1)
    }

    /// The records of a text, and the lines that are none, by their number.
    fn read(text: &str, width: Option<usize>) -> (Vec<Vec<String>>, Vec<usize>) {
        let mut records = Records::new(b',');
        if let Some(width) = width {
            records.set_width(width);
        }
        let (mut rows, mut broken, mut fields, mut at) = (Vec::new(), Vec::new(), Vec::new(), 0);
        while at < text.len() {
            if let Found::Record(_, next) = records.next(text.as_bytes(), at, 0, true, &mut fields) {
                rows.push(fields.iter().map(|field| field.text(text).into_owned()).collect());
                at = next;
            } else {
                broken.push(head(text, at).matches('\n').count() + 1);
                at = next_line(text, at);
            }
        }
        (rows, broken)
    }

    #[test]
    fn a_stray_quotation_mark_costs_its_own_line_and_no_other() {
        let (rows, broken) = read("a,b\n1,\"x\n2,y\n3,\"z, \"\"w\"\"\n and more\"\n4,\"v\"u\n5,t\n", Some(2));

        assert_eq!(
            rows,
            [["a", "b"], ["2", "y"], ["3", "z, \"w\"\n and more"], ["5", "t"]]
                .map(|row| row.map(str::to_owned).to_vec())
        );
        assert_eq!(broken, [2, 6]);
    }

    #[test]
    fn a_field_that_takes_in_rows_is_broken_and_one_with_other_lines_is_not() {
        let (rows, broken) = read("1,a\n2,\"b\n3,c\n4,d\"\n5,\"e,\nf, g\"\n", Some(2));

        assert_eq!(broken, [2]);
        assert_eq!(rows.last().unwrap(), &["5", "e,\nf, g"].map(str::to_owned));
        assert_eq!(rows.len(), 4);
    }

    #[test]
    fn damaged_text_takes_linear_time() {
        for line in ["a,\"\"\"\n", "\"\n", "a\"\",\"\n", "\"x\"\"\n", "x,\"\ny\"\"\n", "\"\",\"\"\"\n", "a\",\"\"\"\n"]
        {
            let looked_at = |lines: usize| {
                let text = format!("{}\"{}", line.repeat(lines), "z\n".repeat(lines));
                let mut records = Records::new(b',');
                records.set_width(3);
                let (mut at, mut fields) = (0, Vec::new());
                while at < text.len() {
                    at = match records.next(text.as_bytes(), at, 0, true, &mut fields) {
                        Found::Record(_, next) => next,
                        _ => next_line(&text, at),
                    };
                }
                records.looked_at
            };
            let (once, twice) = (looked_at(4_000), looked_at(8_000));

            assert!(twice * 10 <= once * 25, "{line:?}: {once} and {twice} bytes for twice as much");
        }
    }

    #[test]
    fn the_delimiter_is_found() {
        for (line, delimiter) in [
            ("a,b;c,d\n", b','),
            ("a;b\n", b';'),
            ("a\tb\tc,d\n", b'\t'),
            ("a|b\n", b'|'),
            ("a\n", b','),
            ("\"a;b;c\",d\n", b','),
        ] {
            assert_eq!(sniff(line.as_bytes()), delimiter, "{line}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(rows in prop::collection::vec(prop::collection::vec("[a\",\r\n é]{0,6}", 3), 1..8)) {
            let field = |text: &String| format!("\"{}\"", text.replace('"', "\"\""));
            let line = |row: &Vec<String>| row.iter().map(field).collect::<Vec<_>>().join(",");
            let text = rows.iter().map(line).collect::<Vec<_>>().join("\r\n");

            prop_assert_eq!(read(&text, Some(3)), (rows, vec![]));
        }

        #[test]
        fn every_line_is_in_a_record_or_broken(text in "[a\",\r\n]{0,60}", width in 1_usize..4) {
            let mut records = Records::new(b',');
            records.set_width(width);
            let (mut at, mut fields) = (0, Vec::new());
            while at < text.len() {
                let before = at;
                at = match records.next(text.as_bytes(), at, 0, true, &mut fields) {
                    Found::Record(_, next) => next,
                    _ => next_line(&text, at),
                };
                prop_assert!(at > before);
            }
        }

        #[test]
        fn a_text_in_pieces_gives_the_same_records(text in "[a\",\r\n]{0,60}", cut in 0_usize..60) {
            let head = text.floor_char_boundary(cut);
            let mut fields = Vec::new();
            let open = Records::new(b',').next(&text.as_bytes()[..head], 0, 0, false, &mut fields);
            let whole = Records::new(b',').next(text.as_bytes(), 0, 0, true, &mut fields);

            prop_assert!(open == Found::Open || open == whole, "{:?} {:?}", open, whole);
        }
    }
}
