//! CSV records: fields in quotation marks may hold delimiters and line ends, and a quotation mark twice is one.
//!
//! What is no record costs its first line and no more: the reader goes on at the next.

use std::borrow::Cow;
use std::collections::BTreeMap;
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
/// So few lines may count by chance.
const FEW: usize = 3;

/// Finds records, one after the other, and remembers what it saw, so that time stays linear in damaged text.
#[derive(Debug, Clone)]
pub struct Records {
    delimiter: u8,
    /// How many fields a record has; None in the header.
    width: Option<usize>,
    /// The number that a column holds in the last record, where it has counted the records so far.
    counted: Vec<Option<u64>>,
    /// Stretches inside quotation marks from whose line ends on a record was seen to break, by their first byte in the
    /// whole table, with their end.
    dead: BTreeMap<u64, u64>,
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
            counted: Vec::new(),
            dead: BTreeMap::new(),
            #[cfg(test)]
            looked_at: 0,
        }
    }

    /// Say how many fields a record has.
    pub fn set_width(&mut self, width: usize) {
        self.width = Some(width);
    }

    /// What was seen of the records so far, for `remember`: the numbers that columns count, and where records broke.
    pub fn memory(&self) -> (Vec<Option<u64>>, Vec<(u64, u64)>) {
        (self.counted.clone(), self.dead.iter().map(|(start, end)| (*start, *end)).collect())
    }

    /// Go on as whoever had this memory.
    pub fn remember(&mut self, counted: Vec<Option<u64>>, dead: Vec<(u64, u64)>) {
        self.counted = counted;
        self.dead = dead.into_iter().collect();
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
            for stretch in crossed {
                let end = self.dead.entry(stretch.start).or_default();
                *end = (*end).max(stretch.end);
            }
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
        crossed: &mut Vec<Range<u64>>,
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

    /// Note which columns count the records.
    fn note(&mut self, text: &[u8], fields: &[Field]) {
        let is_first = self.counted.is_empty();
        self.counted.resize(fields.len(), None);
        for (counted, field) in self.counted.iter_mut().zip(fields) {
            let number = number(text.get(field.range.clone()).unwrap_or_default());
            let goes_on = is_first || counted.is_some_and(|before| number == before.checked_add(1));
            *counted = number.filter(|_| goes_on);
        }
    }

    /// Whether each line of a record would be a row, and a column goes on counting in them as in the rows before: two
    /// stray quotation marks, in two rows, enclose what stands between them.
    fn takes_rows(&self, record: &[u8]) -> bool {
        let lines: Vec<&[u8]> = record.split(|&byte| byte == b'\n').collect();
        let counts = |(column, before): (usize, &Option<u64>)| {
            let Some(before) = before else { return false };
            lines.iter().zip(before + 1..).all(|(line, wanted)| {
                let mut cells = line.split(|&byte| byte == self.delimiter);
                let is_next = cells.clone().nth(column).and_then(number) == Some(wanted);
                is_next && cells.by_ref().count() == self.counted.len()
            })
        };
        lines.len() > FEW && self.counted.len() > 1 && self.counted.iter().enumerate().any(counts)
    }

    /// Note a stretch inside quotation marks that holds line ends; whether one of them is known to lead to a break.
    fn cross(&self, text: &[u8], range: Range<usize>, offset: u64, crossed: &mut Vec<Range<u64>>) -> bool {
        let Some(first) = text.get(range.clone()).and_then(|stretch| memchr(b'\n', stretch)) else { return false };
        let first = offset + (range.start + first) as u64;
        let end = offset + range.end as u64;
        // Of a stretch that is known, all line ends behind its beginning are.
        let is_dead = self.dead.range(..end).next_back().is_some_and(|(_, dead_end)| *dead_end > first);
        if !is_dead {
            crossed.push(first..end);
        }
        is_dead
    }

    /// Forget what was seen before a place of the table, which is not looked at again.
    pub fn forget(&mut self, offset: u64) {
        self.dead.retain(|_, end| *end > offset);
    }
}

fn number(cell: &[u8]) -> Option<u64> {
    std::str::from_utf8(cell).ok()?.parse().ok()
}

/// Where the header begins, from a place on: empty lines before it are passed over, as they are among the rows.
pub fn header_at(text: &[u8], from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    from + rest.iter().position(|byte| !matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len())
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

    /// How many bytes are looked at where a line stands so often, behind it a field that never closes.
    fn looked_at(line: &str, tail: &str, width: usize, lines: usize) -> usize {
        let text = format!("{}\"{}{tail}", line.repeat(lines), "z\n".repeat(lines));
        let mut records = Records::new(b',');
        records.set_width(width);
        let (mut at, mut fields) = (0, Vec::new());
        while at < text.len() {
            at = match records.next(text.as_bytes(), at, 0, true, &mut fields) {
                Found::Record(_, next) => next,
                _ => next_line(&text, at),
            };
        }
        records.looked_at
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
        let (rows, broken) = read("1,a\n2,\"b\n3,c\n4,\n5,d\"\n6,\"e,\n9,8\n7, g\"\n", Some(2));

        assert_eq!(broken, [2]);
        assert_eq!(rows.last().unwrap(), &["6", "e,\n9,8\n7, g"].map(str::to_owned));
        assert_eq!(rows.len(), 5);
    }

    #[test]
    fn damaged_text_takes_linear_time() {
        for line in ["a,\"\"\"\n", "\"\n", "a\"\",\"\n", "\"x\"\"\n", "x,\"\ny\"\"\n", "\"\",\"\"\"\n", "a\",\"\"\"\n"]
        {
            let (once, twice) = (looked_at(line, "", 3, 4_000), looked_at(line, "", 3, 8_000));

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
        fn any_lines_take_linear_time(line in "[a\",\r]{0,6}(\n[a\",]{0,4})?\n", tail in "[a\",]{0,2}", width in 1_usize..4) {
            let (once, twice) = (looked_at(&line, &tail, width, 200), looked_at(&line, &tail, width, 400));

            prop_assert!(twice * 10 <= once * 25, "{:?}: {} and {} bytes for twice as much", line, once, twice);
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
