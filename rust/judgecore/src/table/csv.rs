//! CSV records: quoted fields may contain delimiters and line ends; a doubled quotation mark stands for one.
//!
//! Only the first line of a malformed record is lost: the caller continues at the next line.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use memchr::{memchr, memchr3};

/// A field of a record, as a range of the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The bytes of the field, quotation marks included.
    pub range: Range<usize>,
    is_quoted: bool,
    /// Whether it contains doubled quotation marks.
    has_pairs: bool,
}

impl Field {
    /// Return the field's value, unquoted, from the text in which the field was found.
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let written = text.get(self.range.clone()).unwrap_or("");
        if !self.is_quoted {
            return Cow::Borrowed(written);
        }
        let inner = written.get(1..written.len().saturating_sub(1)).unwrap_or("");
        if self.has_pairs { Cow::Owned(inner.replace("\"\"", "\"")) } else { Cow::Borrowed(inner) }
    }
}

/// The result of looking for a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NextRecord {
    /// A record: the end of its last field, and the start of the next record.
    Complete(usize, usize),
    /// A malformed record, with the reason. Continue at the next line.
    Malformed(&'static str),
    /// The text ends inside a record. Call again with more text.
    Incomplete,
}

const UNCLOSED: &str = "a quotation mark opens a field that never closes";
const AFTER_QUOTE: &str = "text after a closing quotation mark; a quotation mark inside a field must be doubled";
const LONE_RETURN: &str = "a lone carriage return outside quotation marks";
/// The reason for a record with more fields than the header has.
pub const TOO_MANY_FIELDS: &str = "more fields than the header has";
const SPANS_ROWS: &str = "a quotation mark opens a field that contains whole rows";
/// In records of up to this many lines, a column may count up by chance.
const FEW_LINES: usize = 3;

/// Finds one record after the other. It remembers earlier failures, so time stays linear on damaged text.
#[derive(Debug, Clone)]
pub struct Records {
    delimiter: u8,
    /// The number of fields in a record; None while reading the header.
    width: Option<usize>,
    /// For each column that has counted up by one in every record so far: its value in the last record.
    counted: Vec<Option<u64>>,
    /// Quoted ranges known to end in a malformed record, as start and end offset in the whole table. A record that
    /// enters such a range at one of its line ends is malformed too.
    dead: BTreeMap<u64, u64>,
    /// The number of bytes scanned.
    #[cfg(test)]
    scanned: usize,
}

impl Records {
    /// Create a reader of records with an ASCII delimiter.
    pub fn new(delimiter: u8) -> Self {
        Self {
            delimiter,
            width: None,
            counted: Vec::new(),
            dead: BTreeMap::new(),
            #[cfg(test)]
            scanned: 0,
        }
    }

    /// Set the number of fields in a record.
    pub fn set_width(&mut self, width: usize) {
        self.width = Some(width);
    }

    /// Return the state to restore with [`Records::restore`]: the counting columns and the dead ranges.
    pub fn state(&self) -> (Vec<Option<u64>>, Vec<(u64, u64)>) {
        (self.counted.clone(), self.dead.iter().map(|(start, end)| (*start, *end)).collect())
    }

    /// Restore the state of another reader of the same table.
    pub fn restore(&mut self, counted: Vec<Option<u64>>, dead: Vec<(u64, u64)>) {
        self.counted = counted;
        self.dead = dead.into_iter().collect();
    }

    /// Find the record that begins at `from`.
    ///
    /// `offset` is the position of the text in its table. `is_last` declares that no more text follows. The record's
    /// fields replace the contents of `fields`.
    pub fn next(
        &mut self,
        text: &[u8],
        from: usize,
        offset: u64,
        is_last: bool,
        fields: &mut Vec<Field>,
    ) -> NextRecord {
        fields.clear();
        let mut crossed = Vec::new();
        let mut found = self.scan(text, from, offset, is_last, fields, &mut crossed);
        if let NextRecord::Complete(end, _) = found
            && self.width == Some(fields.len())
        {
            if !crossed.is_empty() && self.spans_rows(text.get(from..end).unwrap_or_default()) {
                found = NextRecord::Malformed(SPANS_ROWS);
            } else {
                self.update_counted(text, fields);
            }
        }
        #[cfg(test)]
        {
            self.scanned += match found {
                NextRecord::Complete(_, next) => next,
                _ => fields.last().map_or(from, |field| field.range.end) + crossed.len() * 8,
            } - from;
        }
        // Every record that reaches one of these line ends inside quotation marks fails at the same place.
        if matches!(found, NextRecord::Malformed(problem) if problem != TOO_MANY_FIELDS && problem != SPANS_ROWS) {
            for stretch in crossed {
                let end = self.dead.entry(stretch.start).or_default();
                *end = (*end).max(stretch.end);
            }
        }
        found
    }

    fn scan(
        &self,
        text: &[u8],
        from: usize,
        offset: u64,
        is_last: bool,
        fields: &mut Vec<Field>,
        crossed: &mut Vec<Range<u64>>,
    ) -> NextRecord {
        let at_end =
            |ended: usize| if is_last { NextRecord::Complete(ended, text.len()) } else { NextRecord::Incomplete };
        let mut at = from;
        loop {
            if self.width.is_some_and(|width| fields.len() >= width) && !fields.is_empty() {
                return NextRecord::Malformed(TOO_MANY_FIELDS);
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
                        return if is_last { NextRecord::Malformed(UNCLOSED) } else { NextRecord::Incomplete };
                    };
                    if self.cross(text, at..at + length, offset, crossed) {
                        return NextRecord::Malformed(UNCLOSED);
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
                Some(b'\n') => return NextRecord::Complete(at, at + 1),
                Some(b'\r') => match text.get(at + 1) {
                    None if is_last => return NextRecord::Complete(at, at + 1),
                    None => return NextRecord::Incomplete,
                    Some(b'\n') => return NextRecord::Complete(at, at + 2),
                    Some(_) => return NextRecord::Malformed(LONE_RETURN),
                },
                Some(_) => return NextRecord::Malformed(AFTER_QUOTE),
            }
        }
    }

    /// Update the columns that count up by one in every record.
    fn update_counted(&mut self, text: &[u8], fields: &[Field]) {
        let is_first = self.counted.is_empty();
        self.counted.resize(fields.len(), None);
        for (counted, field) in self.counted.iter_mut().zip(fields) {
            let number = number(text.get(field.range.clone()).unwrap_or_default());
            let goes_on = is_first || counted.is_some_and(|before| number == before.checked_add(1));
            *counted = number.filter(|_| goes_on);
        }
    }

    /// Whether each line of a record would be a row of its own, in which a column continues to count up. Then two stray
    /// quotation marks in different rows have joined these rows.
    fn spans_rows(&self, record: &[u8]) -> bool {
        let lines: Vec<&[u8]> = record.split(|&byte| byte == b'\n').collect();
        let counts = |(column, before): (usize, &Option<u64>)| {
            let Some(before) = before else { return false };
            lines.iter().zip(before + 1..).all(|(line, wanted)| {
                let mut cells = line.split(|&byte| byte == self.delimiter);
                let is_next = cells.clone().nth(column).and_then(number) == Some(wanted);
                is_next && cells.by_ref().count() == self.counted.len()
            })
        };
        lines.len() > FEW_LINES && self.counted.len() > 1 && self.counted.iter().enumerate().any(counts)
    }

    /// Record a quoted range that contains line ends. Return whether it is known to end in a malformed record.
    fn cross(&self, text: &[u8], range: Range<usize>, offset: u64, crossed: &mut Vec<Range<u64>>) -> bool {
        let Some(first) = text.get(range.clone()).and_then(|stretch| memchr(b'\n', stretch)) else { return false };
        let first = offset + (range.start + first) as u64;
        let end = offset + range.end as u64;
        // A known range covers all line ends after its start.
        let is_dead = self.dead.range(..end).next_back().is_some_and(|(_, dead_end)| *dead_end > first);
        if !is_dead {
            crossed.push(first..end);
        }
        is_dead
    }

    /// Drop what was remembered about the table before `offset`, which is not scanned again.
    pub fn forget(&mut self, offset: u64) {
        self.dead.retain(|_, end| *end > offset);
    }
}

fn number(cell: &[u8]) -> Option<u64> {
    std::str::from_utf8(cell).ok()?.parse().ok()
}

/// Return the start of the header at or after `from`. Empty lines before it are skipped.
pub fn header_at(text: &[u8], from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    from + rest.iter().position(|byte| !matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len())
}

/// Detect the delimiter of a table: the most frequent of comma, semicolon, tab and bar in its first line.
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

    use super::{NextRecord, Records, sniff};
    use crate::reply::text::{head, tail};

    /// The start of the line after the one that begins at `at`.
    fn next_line(text: &str, at: usize) -> usize {
        tail(text, at).find('\n').map_or(text.len(), |length| at + length + 1)
    }

    /// The records of a text, and the numbers of the malformed lines.
    fn read(text: &str, width: Option<usize>) -> (Vec<Vec<String>>, Vec<usize>) {
        let mut records = Records::new(b',');
        if let Some(width) = width {
            records.set_width(width);
        }
        let (mut rows, mut broken, mut fields, mut at) = (Vec::new(), Vec::new(), Vec::new(), 0);
        while at < text.len() {
            if let NextRecord::Complete(_, next) = records.next(text.as_bytes(), at, 0, true, &mut fields) {
                rows.push(fields.iter().map(|field| field.text(text).into_owned()).collect());
                at = next;
            } else {
                broken.push(head(text, at).matches('\n').count() + 1);
                at = next_line(text, at);
            }
        }
        (rows, broken)
    }

    /// The number of bytes scanned in a text of repeated lines, followed by a field that never closes.
    fn scanned(line: &str, tail: &str, width: usize, lines: usize) -> usize {
        let text = format!("{}\"{}{tail}", line.repeat(lines), "z\n".repeat(lines));
        let mut records = Records::new(b',');
        records.set_width(width);
        let (mut at, mut fields) = (0, Vec::new());
        while at < text.len() {
            at = match records.next(text.as_bytes(), at, 0, true, &mut fields) {
                NextRecord::Complete(_, next) => next,
                _ => next_line(&text, at),
            };
        }
        records.scanned
    }

    #[test]
    fn a_stray_quotation_mark_loses_only_its_own_line() {
        let (rows, broken) = read("a,b\n1,\"x\n2,y\n3,\"z, \"\"w\"\"\n and more\"\n4,\"v\"u\n5,t\n", Some(2));

        assert_eq!(
            rows,
            [["a", "b"], ["2", "y"], ["3", "z, \"w\"\n and more"], ["5", "t"]]
                .map(|row| row.map(str::to_owned).to_vec())
        );
        assert_eq!(broken, [2, 6]);
    }

    #[test]
    fn a_field_that_contains_rows_is_malformed_and_one_with_other_lines_is_not() {
        let (rows, broken) = read("1,a\n2,\"b\n3,c\n4,\n5,d\"\n6,\"e,\n9,8\n7, g\"\n", Some(2));

        assert_eq!(broken, [2]);
        assert_eq!(rows.last().unwrap(), &["6", "e,\n9,8\n7, g"].map(str::to_owned));
        assert_eq!(rows.len(), 5);
    }

    #[test]
    fn damaged_text_takes_linear_time() {
        for line in ["a,\"\"\"\n", "\"\n", "a\"\",\"\n", "\"x\"\"\n", "x,\"\ny\"\"\n", "\"\",\"\"\"\n", "a\",\"\"\"\n"]
        {
            let (once, twice) = (scanned(line, "", 3, 4_000), scanned(line, "", 3, 8_000));

            assert!(twice * 10 <= once * 25, "{line:?}: {once} and {twice} bytes for twice the text");
        }
    }

    #[test]
    fn the_delimiter_is_detected() {
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
        fn written_records_are_read_back(rows in prop::collection::vec(prop::collection::vec("[a\",\r\n é]{0,6}", 3), 1..8)) {
            let field = |text: &String| format!("\"{}\"", text.replace('"', "\"\""));
            let line = |row: &Vec<String>| row.iter().map(field).collect::<Vec<_>>().join(",");
            let text = rows.iter().map(line).collect::<Vec<_>>().join("\r\n");

            prop_assert_eq!(read(&text, Some(3)), (rows, vec![]));
        }

        #[test]
        fn every_line_is_in_a_record_or_malformed(text in "[a\",\r\n]{0,60}", width in 1_usize..4) {
            let mut records = Records::new(b',');
            records.set_width(width);
            let (mut at, mut fields) = (0, Vec::new());
            while at < text.len() {
                let before = at;
                at = match records.next(text.as_bytes(), at, 0, true, &mut fields) {
                    NextRecord::Complete(_, next) => next,
                    _ => next_line(&text, at),
                };
                prop_assert!(at > before);
            }
        }

        #[test]
        fn any_lines_take_linear_time(line in "[a\",\r]{0,6}(\n[a\",]{0,4})?\n", tail in "[a\",]{0,2}", width in 1_usize..4) {
            let (once, twice) = (scanned(&line, &tail, width, 200), scanned(&line, &tail, width, 400));

            prop_assert!(twice * 10 <= once * 25, "{:?}: {} and {} bytes for twice the text", line, once, twice);
        }

        #[test]
        fn a_text_in_pieces_gives_the_same_records(text in "[a\",\r\n]{0,60}", cut in 0_usize..60) {
            let head = text.floor_char_boundary(cut);
            let mut fields = Vec::new();
            let open = Records::new(b',').next(&text.as_bytes()[..head], 0, 0, false, &mut fields);
            let whole = Records::new(b',').next(text.as_bytes(), 0, 0, true, &mut fields);

            prop_assert!(open == NextRecord::Incomplete || open == whole, "{:?} {:?}", open, whole);
        }
    }
}
