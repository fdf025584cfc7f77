//! `TableReader`: splits a stream of JSON lines or CSV into rows, reads them with several threads, and writes the rows
//! with their outcomes.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use judgecore::format::Format;
use judgecore::table::Cell;
use judgecore::table::csv::{self, Field, NextRecord, Records};
use judgecore::table::json_line::{self, CellPath};
use judgecore::{Mode, Outcome, Reason, Unreadable, read};
use memchr::{memchr, memchr_iter};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};

use crate::deep::drop_outcome;
use crate::format::{self, PyFormat};
use crate::pool::{self, Stop, Threads};
use crate::text::code_points;
use crate::value_text::{self, Part};

/// The approximate size of a piece of rows, in bytes.
const PIECE_BYTES: usize = 64 << 10;
/// The maximum number of samples for each reason.
const SAMPLES: usize = 50;
/// The size of the beginning and of the end to which a long sample is shortened.
const EXCERPT_BYTES: usize = 4000;
/// The maximum number of rows and rejects in a part.
const MAX_ROWS: usize = 1 << 16;
/// The maximum size of a rejected chunk; a longer record is rejected in several chunks.
const MAX_CHUNK: usize = 1 << 20;

const BOM: &[u8] = b"\xef\xbb\xbf";
/// The finish reasons of truncated replies, and the spellings of true in tables without booleans.
const TRUNCATED: [&str; 5] = ["length", "max_tokens", "true", "1", "yes"];

/// A position to resume from: the line and the byte offset of a record, and the state of `Records`.
type Position = (u64, u64, Vec<Option<u64>>, Vec<(u64, u64)>);

/// The type of a text table.
#[derive(Clone, Copy, PartialEq)]
enum TableType {
    Jsonl,
    Csv,
}

impl TableType {
    fn from_name(name: &str) -> PyResult<Self> {
        match name {
            "jsonl" => Ok(Self::Jsonl),
            "csv" => Ok(Self::Csv),
            _ => Err(PyValueError::new_err(format!("no text table of the type {name:?}"))),
        }
    }
}

/// A column of replies, and the outputs for each reply.
struct ReplyColumn {
    cell: usize,
    added: Vec<(Part, String)>,
}

/// The processing of each row.
struct Plan {
    kind: TableType,
    /// The names of the required cells.
    names: Vec<String>,
    /// The required cells as JSON paths, and as indices of CSV fields.
    paths: Vec<CellPath>,
    places: Vec<Option<usize>>,
    replies: Vec<ReplyColumn>,
    cut: Option<usize>,
    material: Vec<usize>,
    output: Option<TableType>,
    is_unread_only: bool,
    delimiter: u8,
    /// The delimiter of CSV output.
    output_delimiter: u8,
    /// The columns of the CSV input or output.
    header: Vec<String>,
    /// The index of each column.
    columns: HashMap<String, usize>,
}

/// The range of a row in the buffer, without its line end.
#[derive(Clone, Copy)]
struct RowRange {
    start: usize,
    end: usize,
    line: u64,
}

/// A rejected row.
struct Reject {
    line: u64,
    problem: String,
    /// The original bytes without the last line feed, or a chunk of a record that is too long.
    raw: Vec<u8>,
    /// Whether it continues the chunk before it.
    continues: bool,
}

/// A sample of an unreadable reply.
struct Sample {
    line: u64,
    reason: Reason,
    detail: String,
    reply: Option<String>,
}

/// The result of reading a piece.
#[derive(Default)]
struct PieceResult {
    output: Vec<u8>,
    rows: usize,
    /// For each column of replies: the number of readings, and of unreadable replies by reason.
    counts: Vec<(usize, [usize; Reason::ALL.len()])>,
    invented: usize,
    rejects: Vec<Reject>,
    samples: Vec<Sample>,
    /// The line and name of a column that is also added (true), or that the CSV output does not have (false).
    misfit: Option<(u64, String, bool)>,
}

/// Reads a text table part by part.
#[pyclass(module = "judgecore._core")]
pub(crate) struct TableReader {
    /// None if rows are only split.
    format: Option<Py<PyFormat>>,
    mode: Mode,
    plan: Plan,
    records: Records,
    longest: usize,
    /// Unread input: the beginning of a record.
    carry: Vec<u8>,
    /// The size of `carry` at which it is scanned again.
    needed: usize,
    line: u64,
    offset: u64,
    /// Whether it is inside a record that is too long.
    is_skipping: bool,
    has_begun: bool,
}

#[pymethods]
impl TableReader {
    #[new]
    #[pyo3(signature = (
        kind, *, header, delimiter, longest, format = None, mode = "lenient", columns = Vec::new(), cut = None,
        material = Vec::new(), output = None, between = None, unread_only = false
    ))]
    #[expect(clippy::too_many_arguments, clippy::needless_pass_by_value, reason = "the options of a job")]
    fn new(
        kind: &str,
        header: Vec<String>,
        delimiter: &str,
        longest: usize,
        format: Option<&Bound<'_, PyAny>>,
        mode: &str,
        columns: Vec<(String, Vec<(String, String)>)>,
        cut: Option<String>,
        material: Vec<String>,
        output: Option<&str>,
        between: Option<&str>,
        unread_only: bool,
    ) -> PyResult<Self> {
        let format = format.map(format::resolve).transpose()?;
        let mode = format.as_ref().map_or(Ok(Mode::Lenient), |format| format::mode(mode, &format.get().inner))?;
        let kind = TableType::from_name(kind)?;
        let delimiter = delimiter_of(delimiter)?;
        let mut names: Vec<String> = Vec::new();
        let mut cell_of = |name: &str| {
            names.iter().position(|known| known == name).unwrap_or_else(|| {
                names.push(name.to_owned());
                names.len() - 1
            })
        };
        let replies = columns
            .into_iter()
            .map(|(name, added)| {
                let added = added.into_iter().map(|(part, name)| Ok((Part::from_name(&part)?, name)));
                Ok(ReplyColumn { cell: cell_of(&name), added: added.collect::<PyResult<_>>()? })
            })
            .collect::<PyResult<Vec<_>>>()?;
        let cut = cut.map(|name| cell_of(&name));
        let material = material.iter().map(|name| cell_of(name)).collect();
        // The first of several columns with one name counts.
        let by_name: HashMap<String, usize> =
            header.iter().enumerate().rev().map(|(index, name)| (name.clone(), index)).collect();
        let plan = Plan {
            kind,
            paths: names.iter().map(|name| CellPath::new(name)).collect(),
            places: names.iter().map(|name| by_name.get(name).copied()).collect(),
            names,
            replies,
            cut,
            material,
            output: output.map(TableType::from_name).transpose()?,
            is_unread_only: unread_only,
            delimiter,
            output_delimiter: between.map_or(Ok(delimiter), delimiter_of)?,
            header,
            columns: by_name,
        };
        let mut records = Records::new(delimiter);
        if kind == TableType::Csv {
            records.set_width(plan.header.len());
        }
        Ok(Self {
            format,
            mode,
            plan,
            records,
            longest,
            carry: Vec::new(),
            needed: 0,
            line: 1,
            offset: 0,
            is_skipping: false,
            has_begun: false,
        })
    }

    /// Read the next part of the table. The last part may be empty.
    #[pyo3(signature = (part, *, is_last, threads = None))]
    fn feed<'py>(
        &mut self,
        py: Python<'py>,
        part: &[u8],
        is_last: bool,
        threads: Option<Threads>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (mut text, mut rows, mut rejects) = (std::mem::take(&mut self.carry), Vec::new(), Vec::new());
        text.extend_from_slice(part);
        let end = self.split_rows(&text, is_last, &mut rows, &mut rejects);
        let Some(format) = self.format.as_ref().map(Py::get) else {
            return Err(PyValueError::new_err("this reader has no format to read with"));
        };
        let (plan, mode) = (&self.plan, self.mode);
        let pieces = pieces(&rows);
        let mut done: Vec<PieceResult> = pieces.iter().map(|_| PieceResult::default()).collect();
        let jobs = pieces.iter().zip(&mut done).map(|(rows, done)| {
            let (text, format) = (&text, &format.inner);
            Ok(move |stop: &Stop| {
                for at in *rows {
                    if stop.is_requested() || done.misfit.is_some() {
                        return;
                    }
                    plan.read(text, *at, format, mode, done);
                }
            })
        });
        pool::run_each(py, pool::count(threads), jobs)?;
        let is_left = rows.len() + rejects.len() >= MAX_ROWS;
        self.keep(text, end);
        let results = self.results(py, done, rejects)?;
        results.set_item("is_left", is_left)?;
        Ok(results)
    }

    /// Split the next part of the table into rows with line numbers: the text of a JSON object, or the fields of a record.
    #[pyo3(signature = (part, *, is_last))]
    fn split<'py>(&mut self, py: Python<'py>, part: &[u8], is_last: bool) -> PyResult<Bound<'py, PyTuple>> {
        let (mut text, mut rows, mut rejects) = (std::mem::take(&mut self.carry), Vec::new(), Vec::new());
        text.extend_from_slice(part);
        let end = self.split_rows(&text, is_last, &mut rows, &mut rejects);
        let results = PyList::empty(py);
        let is_left = rows.len() + rejects.len() >= MAX_ROWS;
        let mut fields = Vec::new();
        for at in rows {
            let raw = text.get(at.start..at.end).unwrap_or_default();
            let is_jsonl = self.plan.kind == TableType::Jsonl;
            let checked = utf8(raw).and_then(|row| {
                let line = if is_jsonl { json_line::read(row, &[], |_, _| ()).map(|_| row) } else { Ok(row) };
                line.map_err(|problem| json_error(row, problem))
            });
            let row = match checked {
                Ok(row) => row,
                Err(problem) => {
                    rejects.push(Reject { line: at.line, problem, raw: raw.to_vec(), continues: false });
                    continue;
                }
            };
            if is_jsonl {
                results.append((at.line, row))?;
            } else {
                Records::new(self.plan.delimiter).next(raw, 0, 0, true, &mut fields);
                results.append((at.line, fields.iter().map(|field| field.text(row)).collect::<Vec<_>>()))?;
            }
        }
        self.keep(text, end);
        (results, rejected(py, rejects), is_left).into_pyobject(py)
    }

    /// Return the position of the next record; None if another reader could not resume from here.
    fn place(&self) -> Option<Position> {
        // Inside a record that is too long or incomplete, the state depends on how the input was split.
        if !self.has_begun || self.is_skipping || self.needed > 0 {
            return None;
        }
        let (counted, dead) = self.records.state();
        Some((self.line, self.offset, counted, dead))
    }

    /// Resume at the position of another reader of the same table.
    fn go_on(&mut self, place: Position) {
        let (line, offset, counted, dead) = place;
        (self.line, self.offset, self.has_begun) = (line, offset, true);
        self.records.restore(counted, dead);
    }
}

/// Convert rejects for Python: the line, the problem, the bytes, and whether it continues the one before.
fn rejected(py: Python<'_>, mut rejects: Vec<Reject>) -> Vec<(u64, String, Bound<'_, PyBytes>, bool)> {
    rejects.sort_by_key(|reject| reject.line);
    let give = |one: Reject| (one.line, one.problem, PyBytes::new(py, &one.raw), one.continues);
    rejects.into_iter().map(give).collect()
}

impl TableReader {
    /// Keep the unread rest of a text.
    fn keep(&mut self, mut text: Vec<u8>, end: usize) {
        self.offset += end as u64;
        self.records.forget(self.offset);
        text.drain(..end);
        // An incomplete record is scanned again when its size has doubled, so that time stays linear.
        self.needed = if end == 0 && !text.is_empty() { self.needed.max(2 * text.len()) } else { 0 };
        self.carry = text;
    }

    /// Split the text into rows, up to the first incomplete one; return where that begins.
    fn split_rows(&mut self, text: &[u8], is_last: bool, rows: &mut Vec<RowRange>, rejects: &mut Vec<Reject>) -> usize {
        if text.len() < self.needed && !is_last {
            return 0;
        }
        self.needed = 0;
        let mut at = 0;
        if !self.has_begun && !text.is_empty() {
            at = if text.starts_with(BOM) { BOM.len() } else { 0 };
            if self.plan.kind == TableType::Csv {
                // Skip the header, which was read before.
                let mut fields = Vec::new();
                let header =
                    Records::new(self.plan.delimiter).next(text, csv::header_at(text, at), 0, is_last, &mut fields);
                let NextRecord::Complete(_, next) = header else { return 0 };
                self.line += lines(text, at..next);
                at = next;
            }
            self.has_begun = true;
        }
        let mut fields = Vec::new();
        // The rest is left to the next call, so that memory stays bounded.
        while at < text.len() && rows.len() + rejects.len() < MAX_ROWS {
            let ended = text.get(at..).and_then(|rest| memchr(b'\n', rest));
            let line_end = ended.map(|length| at + length + 1);
            if self.is_skipping {
                let end = line_end.unwrap_or(text.len());
                self.reject(text, at..end - usize::from(line_end.is_some()), "", true, rejects);
                self.is_skipping = line_end.is_none();
                self.line += u64::from(line_end.is_some());
                at = end;
                continue;
            }
            let found = match self.plan.kind {
                TableType::Jsonl => match line_end {
                    Some(end) => NextRecord::Complete(end - 1, end),
                    None if is_last => NextRecord::Complete(text.len(), text.len()),
                    None => NextRecord::Incomplete,
                },
                TableType::Csv => self.records.next(text, at, self.offset, is_last, &mut fields),
            };
            let width = self.plan.header.len();
            let is_long = |end: usize| end - at > self.longest;
            match found {
                NextRecord::Complete(end, next) if !is_long(end) => {
                    let line = text.get(at..end).unwrap_or_default();
                    let is_jsonl = self.plan.kind == TableType::Jsonl;
                    // In CSV, a line of spaces is a row of one column.
                    let is_blank = line.is_empty() || is_jsonl && line.iter().all(u8::is_ascii_whitespace);
                    let is_narrow = !is_jsonl && fields.len() != width;
                    if is_blank {
                        self.line += lines(text, at..next);
                        at = next;
                    } else if is_narrow {
                        let noun = if fields.len() == 1 { "field" } else { "fields" };
                        let problem = format!("{} {noun}, where the header has {width}", fields.len());
                        at = self.reject_line(text, at, line_end, &problem, rejects);
                    } else {
                        rows.push(RowRange { start: at, end, line: self.line });
                        self.line += lines(text, at..next);
                        at = next;
                    }
                }
                NextRecord::Incomplete if !is_long(text.len()) => return at,
                // Wait for the rest of the line.
                NextRecord::Malformed(_) if line_end.is_none() && !is_last && !is_long(text.len()) => return at,
                NextRecord::Malformed(problem) => {
                    let line = text.get(at..line_end.unwrap_or(text.len())).unwrap_or_default();
                    let problem = if problem == csv::TOO_MANY_FIELDS && !line.contains(&b'"') {
                        let count = 1 + memchr_iter(self.plan.delimiter, line).count();
                        format!("{count} fields, where the header has {width}")
                    } else {
                        format!("not CSV: {problem}")
                    };
                    at = self.reject_line(text, at, line_end, &problem, rejects);
                }
                NextRecord::Complete(..) | NextRecord::Incomplete => {
                    let problem = format!("a record of more than {} bytes", self.longest);
                    if line_end.is_some() {
                        at = self.reject_line(text, at, line_end, &problem, rejects);
                    } else {
                        self.reject(text, at..text.len(), &problem, false, rejects);
                        self.is_skipping = !is_last;
                        at = text.len();
                    }
                }
            }
        }
        at
    }

    /// Reject the line that begins here; return where the next one begins.
    fn reject_line(
        &mut self,
        text: &[u8],
        at: usize,
        line_end: Option<usize>,
        problem: &str,
        rejects: &mut Vec<Reject>,
    ) -> usize {
        let end = line_end.unwrap_or(text.len());
        self.reject(text, at..end - usize::from(line_end.is_some()), problem, false, rejects);
        self.line += 1;
        end
    }

    fn reject(&self, text: &[u8], range: Range<usize>, problem: &str, continues: bool, rejects: &mut Vec<Reject>) {
        let (mut rest, mut continues) = (text.get(range).unwrap_or_default(), continues);
        // An empty line is one reject, too.
        while !(continues && rest.is_empty()) {
            // Split at character boundaries, so that chunks of valid UTF-8 are valid.
            let begins = |at: &usize| rest.get(*at).is_none_or(|byte| byte & 0xc0 != 0x80);
            let most = rest.len().min(MAX_CHUNK);
            let (raw, others) =
                rest.split_at((most - most.saturating_sub(1).min(3)..=most).rev().find(begins).unwrap_or(most));
            rejects.push(Reject { line: self.line, problem: problem.to_owned(), raw: raw.to_vec(), continues });
            (rest, continues) = (others, true);
        }
    }

    /// Convert the results of a part for Python.
    fn results<'py>(
        &self,
        py: Python<'py>,
        done: Vec<PieceResult>,
        mut rejects: Vec<Reject>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let results = PyDict::new(py);
        let size = done.iter().map(|piece| piece.output.len()).sum();
        let output = PyBytes::new_with(py, size, |mut rest: &mut [u8]| {
            for piece in &done {
                let Some((here, others)) = rest.split_at_mut_checked(piece.output.len()) else { break };
                here.copy_from_slice(&piece.output);
                rest = others;
            }
            Ok(())
        })?;
        results.set_item("output", output)?;
        results.set_item("rows", done.iter().map(|piece| piece.rows).sum::<usize>())?;
        results.set_item("invented", done.iter().map(|piece| piece.invented).sum::<usize>())?;
        let counts = PyList::empty(py);
        for nth in 0..self.plan.replies.len() {
            let of_column = PyDict::new(py);
            let each = || done.iter().filter_map(|piece| piece.counts.get(nth));
            of_column.set_item("ok", each().map(|(ok, _)| ok).sum::<usize>())?;
            for (index, reason) in Reason::ALL.iter().enumerate() {
                let count: usize = each().filter_map(|(_, reasons)| reasons.get(index)).sum();
                if count > 0 {
                    of_column.set_item(reason.name(), count)?;
                }
            }
            counts.append(of_column)?;
        }
        results.set_item("counts", counts)?;
        let misfit = done.iter().find_map(|piece| piece.misfit.clone());
        results.set_item("misfit", misfit)?;
        let mut shown = [0; Reason::ALL.len()];
        let is_shown = |sample: &&Sample| {
            let index = Reason::ALL.iter().position(|one| *one == sample.reason);
            index.and_then(|index| shown.get_mut(index)).is_some_and(|count| {
                *count += 1;
                *count <= SAMPLES
            })
        };
        let samples: Vec<_> = done.iter().flat_map(|piece| &piece.samples).filter(is_shown).collect();
        let samples = samples.into_iter().map(|one| (one.line, one.reason.name(), &one.detail, one.reply.as_deref()));
        results.set_item("samples", samples.collect::<Vec<_>>())?;
        rejects.extend(done.into_iter().flat_map(|piece| piece.rejects));
        results.set_item("rejects", rejected(py, rejects))?;
        Ok(results)
    }
}

impl Plan {
    /// Read a row, and write its output.
    fn read(&self, text: &[u8], at: RowRange, format: &Format, mode: Mode, done: &mut PieceResult) {
        let raw = text.get(at.start..at.end).unwrap_or_default();
        let mut reject = |problem: String| {
            done.rejects.push(Reject { line: at.line, problem, raw: raw.to_vec(), continues: false });
        };
        let row = match utf8(raw) {
            Ok(row) => row,
            Err(problem) => return reject(problem),
        };
        let mut fields: Vec<Field> = Vec::new();
        let mut misfit = None;
        let mut others: Vec<Option<&str>> = Vec::new();
        let (cells, body) = match self.kind {
            TableType::Jsonl => {
                if self.output == Some(TableType::Csv) {
                    others = vec![None; self.header.len()];
                }
                let found = json_line::read(row, &self.paths, |key, written| {
                    if self.output.is_none() {
                        return;
                    }
                    if self.replies.iter().any(|column| column.added.iter().any(|(_, name)| *key == **name)) {
                        misfit = Some((at.line, key.clone().into_owned(), true));
                    } else if self.output == Some(TableType::Csv) {
                        match self.columns.get(&**key).and_then(|&index| others.get_mut(index)) {
                            Some(other) => *other = Some(written),
                            None => misfit = Some((at.line, key.clone().into_owned(), false)),
                        }
                    }
                });
                match found {
                    Ok(line) => (line.cells, Body::Json(row.get(..line.end).unwrap_or(""), line.is_empty)),
                    Err(problem) => return reject(json_error(row, problem)),
                }
            }
            TableType::Csv => {
                // This record was validated before.
                Records::new(self.delimiter).next(raw, 0, 0, true, &mut fields);
                let cell = |index: &Option<usize>| match index.and_then(|index| fields.get(index)) {
                    Some(field) => Cell::Text(field.text(row)),
                    None => Cell::Null,
                };
                (self.places.iter().map(cell).collect::<Vec<_>>(), Body::Csv(row))
            }
        };
        let row = match self.texts_of(&cells) {
            Ok(row) => row,
            Err(problem) => return reject(problem),
        };
        if misfit.is_some() {
            done.misfit = misfit;
            return;
        }
        done.rows += 1;
        done.counts.resize(self.replies.len(), (0, [0; Reason::ALL.len()]));
        let outcomes: Vec<Outcome<'_>> = row
            .replies
            .iter()
            .map(|reply| match reply {
                Some(reply) => read(reply, format, mode, row.is_cut, &row.material),
                None => Err(Unreadable {
                    reason: Reason::Missing,
                    detail: judgecore::Detail::Sentence("there is no reply"),
                    candidates: Vec::new(),
                }),
            })
            .collect();
        done.count(at.line, &outcomes, &row.replies);
        let is_wanted = !self.is_unread_only || outcomes.iter().any(Result::is_err);
        if let Some(output) = self.output.filter(|_| is_wanted) {
            self.write(output, &body, &fields, &others, &outcomes, &row.replies, format, &mut done.output);
        }
        for outcome in outcomes {
            drop_outcome(format, outcome);
        }
    }

    /// Return the texts of a row to read.
    fn texts_of<'c>(&self, cells: &'c [Cell<'_>]) -> Result<RowTexts<'c>, String> {
        let text = |cell: usize, what: &str, option: &str| match cells.get(cell) {
            None | Some(Cell::Null) => Ok(None),
            Some(Cell::Text(text)) => Ok(Some(text.as_ref())),
            Some(other) => {
                let name = self.names.get(cell).map_or("", String::as_str);
                Err(format!("{option}column '{name}' holds {}; {what} must be a string or null", other.kind()))
            }
        };
        let replies =
            self.replies.iter().map(|column| text(column.cell, "a reply", "")).collect::<Result<Vec<_>, _>>()?;
        let is_cut = match self.cut.and_then(|cell| Some((cell, cells.get(cell)?))) {
            None | Some((_, Cell::Null | Cell::Bool(false))) => false,
            Some((_, Cell::Bool(true))) => true,
            Some((_, Cell::Text(said))) => TRUNCATED.iter().any(|word| said.trim().eq_ignore_ascii_case(word)),
            Some((_, Cell::Number(number))) if number.parse() == Ok(0.0) => false,
            Some((_, Cell::Number(number))) if number.parse() == Ok(1.0) => true,
            Some((cell, other)) => {
                let name = self.names.get(cell).map_or("", String::as_str);
                return Err(format!(
                    "column '{name}' holds {}; it must hold true, false or a finish reason",
                    other.kind()
                ));
            }
        };
        let mut material = Vec::new();
        for &cell in &self.material {
            if let Some(shown) = text(cell, "a text of the material", "--material: ")? {
                if shown.len() > crate::material::MAX_BYTES {
                    let name = self.names.get(cell).map_or("", String::as_str);
                    return Err(format!(
                        "--material: column '{name}' is longer than {} bytes",
                        crate::material::MAX_BYTES
                    ));
                }
                material.push(shown);
            }
        }
        Ok(RowTexts { replies, is_cut, material })
    }

    /// Write the delimiter before each CSV field but the first.
    fn delimit(&self, out: &mut Vec<u8>, is_first: &mut bool) {
        if !std::mem::take(is_first) {
            out.push(self.output_delimiter);
        }
    }

    #[expect(clippy::too_many_arguments, reason = "a row and its outcomes")]
    fn write(
        &self,
        output: TableType,
        body: &Body<'_>,
        fields: &[Field],
        others: &[Option<&str>],
        outcomes: &[Outcome<'_>],
        replies: &[Option<&str>],
        format: &Format,
        out: &mut Vec<u8>,
    ) {
        let mut is_first = true;
        match (body, output) {
            (Body::Json(text, is_empty), TableType::Jsonl) => {
                out.extend_from_slice(text.trim_matches([' ', '\t', '\r', '\n']).as_bytes());
                is_first = *is_empty;
            }
            (Body::Json(..), TableType::Csv) => {
                for other in others {
                    self.delimit(out, &mut is_first);
                    value_text::csv_of_json(out, other.unwrap_or("null"), self.output_delimiter);
                }
            }
            (Body::Csv(text), TableType::Csv) if self.output_delimiter == self.delimiter => {
                out.extend_from_slice(text.as_bytes());
                is_first = false;
            }
            (Body::Csv(text), TableType::Csv) => {
                for field in fields {
                    self.delimit(out, &mut is_first);
                    value_text::csv_text(out, &field.text(text), self.output_delimiter);
                }
            }
            (Body::Csv(text), TableType::Jsonl) => {
                out.push(b'{');
                for (name, field) in self.header.iter().zip(fields) {
                    value_text::key(out, &mut is_first, name);
                    value_text::string(out, &field.text(text));
                }
            }
        }
        for ((column, outcome), reply) in self.replies.iter().zip(outcomes).zip(replies) {
            for (part, name) in &column.added {
                if output == TableType::Jsonl {
                    value_text::key(out, &mut is_first, name);
                    part.json(out, outcome, reply.unwrap_or(""), format);
                } else {
                    self.delimit(out, &mut is_first);
                    part.csv(out, outcome, reply.unwrap_or(""), format, self.output_delimiter);
                }
            }
        }
        out.extend_from_slice(if output == TableType::Jsonl { b"}\n" } else { b"\r\n" });
    }
}

/// The original text of a row: an object up to its closing brace, and whether it is empty; or a record.
enum Body<'t> {
    Json(&'t str, bool),
    Csv(&'t str),
}

/// The texts of a row.
struct RowTexts<'c> {
    replies: Vec<Option<&'c str>>,
    is_cut: bool,
    material: Vec<&'c str>,
}

impl PieceResult {
    fn count(&mut self, line: u64, outcomes: &[Outcome<'_>], replies: &[Option<&str>]) {
        for ((outcome, reply), (ok, reasons)) in outcomes.iter().zip(replies).zip(&mut self.counts) {
            match outcome {
                Ok(reading) => {
                    *ok += 1;
                    self.invented += usize::from(reading.is_invented());
                }
                Err(unread) => {
                    let index = Reason::ALL.iter().position(|one| *one == unread.reason);
                    let Some(count) = index.and_then(|index| reasons.get_mut(index)) else {
                        continue;
                    };
                    *count += 1;
                    if *count <= SAMPLES {
                        self.samples.push(Sample {
                            line,
                            reason: unread.reason,
                            detail: unread.detail.to_string(),
                            reply: reply.map(excerpt),
                        });
                    }
                }
            }
        }
    }
}

/// Check that bytes are UTF-8; return the text, or a message.
fn utf8(bytes: &[u8]) -> Result<&str, String> {
    simdutf8::compat::from_utf8(bytes).map_err(|problem| format!("not UTF-8 at byte {}", problem.valid_up_to() + 1))
}

/// Return a message for a line that is not a JSON object.
fn json_error(line: &str, problem: json_line::LineError) -> String {
    if problem.is_json {
        return problem.what.to_owned();
    }
    format!("not JSON: {}, column {}", problem.what, code_points(line, problem.at) + 1)
}

/// Return a reply, or the beginning and the end of a long one.
fn excerpt(reply: &str) -> String {
    if reply.len() <= 2 * EXCERPT_BYTES {
        return reply.to_owned();
    }
    let beginning = reply.get(..reply.floor_char_boundary(EXCERPT_BYTES)).unwrap_or("");
    let end = reply.get(reply.ceil_char_boundary(reply.len() - EXCERPT_BYTES)..).unwrap_or("");
    format!("{beginning} \u{2026} {end}")
}

/// Split rows into pieces of about the same number of bytes.
fn pieces(rows: &[RowRange]) -> Vec<&[RowRange]> {
    let mut pieces = Vec::new();
    let mut rest = rows;
    while let Some(first) = rest.first() {
        let count = rest.iter().take_while(|row| row.end - first.start <= PIECE_BYTES).count().max(1);
        let (piece, others) = rest.split_at(count);
        pieces.push(piece);
        rest = others;
    }
    pieces
}

/// Return the number of line ends in a range.
fn lines(text: &[u8], range: Range<usize>) -> u64 {
    memchr_iter(b'\n', text.get(range).unwrap_or_default()).count() as u64
}

fn delimiter_of(said: &str) -> PyResult<u8> {
    match said.as_bytes() {
        [one] if one.is_ascii() && !matches!(one, b'"' | b'\r' | b'\n') => Ok(*one),
        _ => Err(PyValueError::new_err(format!(
            "a delimiter must be one ASCII character other than a quotation mark, not {said:?}"
        ))),
    }
}

/// Return the column names of a text table from its beginning (a CSV header, or the keys of the first JSON lines), and
/// the delimiter of a CSV table. The names are None if the header is incomplete.
#[pyfunction]
#[pyo3(signature = (kind, text, *, is_last, delimiter = None))]
pub(crate) fn table_columns(
    kind: &str,
    text: &[u8],
    is_last: bool,
    delimiter: Option<&str>,
) -> PyResult<(Option<Vec<String>>, String)> {
    let text = text.strip_prefix(BOM).unwrap_or(text);
    if TableType::from_name(kind)? == TableType::Jsonl {
        let (mut names, mut known) = (Vec::new(), HashSet::new());
        for line in text.split(|&byte| byte == b'\n').filter_map(|line| std::str::from_utf8(line).ok()) {
            let mut own = Vec::new();
            if json_line::read(line, &[], |key, _| own.push(key.clone().into_owned())).is_ok() {
                own.retain(|name| known.insert(name.clone()));
                names.extend(own);
            }
        }
        return Ok((Some(names), String::new()));
    }
    let text = text.get(csv::header_at(text, 0)..).unwrap_or_default();
    let delimiter = delimiter.map_or_else(|| Ok(csv::sniff(text)), delimiter_of)?;
    let mut fields = Vec::new();
    let found = Records::new(delimiter).next(text, 0, 0, is_last, &mut fields);
    let said = char::from(delimiter).to_string();
    match found {
        NextRecord::Incomplete => Ok((None, said)),
        NextRecord::Malformed(problem) => Err(PyValueError::new_err(format!("not CSV: {problem}"))),
        NextRecord::Complete(end, _) => {
            let header = text.get(..end).unwrap_or_default();
            let header = utf8(header).map_err(PyValueError::new_err)?;
            Ok((Some(fields.iter().map(|field| field.text(header).into_owned()).collect()), said))
        }
    }
}

/// Convert a JSON array to JSON lines, with each item on its own line, also if it is not an object.
#[pyfunction]
pub(crate) fn json_array_lines<'py>(py: Python<'py>, text: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    let text = text.strip_prefix(BOM).unwrap_or(text);
    let text = utf8(text).map_err(PyValueError::new_err)?;
    let lines = json_line::items(text).map_err(|problem| {
        let line = text.get(..problem.at).unwrap_or(text).matches('\n').count() + 1;
        PyValueError::new_err(format!("not JSON: {}, line {line}", problem.what))
    })?;
    // Valid JSON strings have no raw line ends, so all of them are between the parts of an item.
    Ok(PyBytes::new(py, lines.iter().map(|line| line.replace(['\n', '\r'], " ") + "\n").collect::<String>().as_bytes()))
}
