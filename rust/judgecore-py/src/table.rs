//! Rows of JSON lines and CSV: cut out of a stream, read by several threads, and written beside what was read.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use judgecore::format::Format;
use judgecore::table::Cell;
use judgecore::table::csv::{self, Field, Found, Records};
use judgecore::table::json_line::{self, Path};
use judgecore::{Mode, Outcome, Reason, Unreadable, read, release};
use memchr::{memchr, memchr_iter};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};

use crate::format::{self, PyFormat};
use crate::kept::SHALLOW;
use crate::pool::{self, Stop, Threads};
use crate::text::code_points;
use crate::value_text::{self, Part};

/// A thread takes rows of about so many bytes at once.
const PIECE: usize = 64 << 10;
/// So many unread replies of each reason are kept to be shown, of each piece.
const SAMPLES: usize = 50;
/// Of a longer one its beginning and its end, of so many bytes each.
const SHOWN: usize = 4000;
/// So many rows and rejects are held at once.
const AT_MOST: usize = 1 << 16;
/// Of a record that is too long, so much is kept at once.
const AT_ONCE: usize = 1 << 20;

const BOM: &[u8] = b"\xef\xbb\xbf";
/// The finish reasons of replies that reached their limit, and how tables without booleans write true.
const CUT: [&str; 5] = ["length", "max_tokens", "true", "1", "yes"];

/// Where a reader goes on: the line and the byte at which a record begins, and what was seen of the records before it.
type Place = (u64, u64, Vec<Option<u64>>, Vec<(u64, u64)>);

/// What the rows are written as.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Jsonl,
    Csv,
}

impl Kind {
    fn from_name(name: &str) -> PyResult<Self> {
        match name {
            "jsonl" => Ok(Self::Jsonl),
            "csv" => Ok(Self::Csv),
            _ => Err(PyValueError::new_err(format!("no kind of text table is called {name:?}"))),
        }
    }
}

/// A column of replies, and what is written of each.
struct Asked {
    cell: usize,
    added: Vec<(Part, String)>,
}

/// What is done with each row.
struct Plan {
    kind: Kind,
    /// The names of the cells that are looked at.
    names: Vec<String>,
    /// The same as paths of JSON, and as places among the fields of CSV.
    paths: Vec<Path>,
    places: Vec<Option<usize>>,
    asked: Vec<Asked>,
    cut: Option<usize>,
    material: Vec<usize>,
    output: Option<Kind>,
    is_unread_only: bool,
    delimiter: u8,
    /// What parts the fields of CSV that is written.
    between: u8,
    /// The columns of a CSV table, that is read or written.
    header: Vec<String>,
    /// The place of each among the fields.
    columns: HashMap<String, usize>,
}

/// A row of the buffer, without its line end.
#[derive(Clone, Copy)]
struct At {
    start: usize,
    end: usize,
    line: u64,
}

/// Lines that are no row.
struct Reject {
    line: u64,
    problem: String,
    /// As they came, without the last line feed; of a record that is too long, its next part.
    raw: Vec<u8>,
    /// Whether it goes on the one before.
    goes_on: bool,
}

/// An unread reply.
struct Sample {
    line: u64,
    reason: Reason,
    detail: String,
    reply: Option<String>,
}

/// What a piece of rows gave.
#[derive(Default)]
struct Done {
    output: Vec<u8>,
    rows: usize,
    /// By the columns of replies: how many were read, and how many not for each reason.
    counts: Vec<(usize, [usize; Reason::ALL.len()])>,
    invented: usize,
    rejects: Vec<Reject>,
    samples: Vec<Sample>,
    /// A row that has a column of a name that is to be added, or one that a CSV output has not.
    misfit: Option<(u64, String, bool)>,
}

/// Reads a table of text, part by part.
#[pyclass(module = "judgecore._core")]
pub(crate) struct TableReader {
    /// None where rows are only cut.
    format: Option<Py<PyFormat>>,
    mode: Mode,
    plan: Plan,
    records: Records,
    longest: usize,
    /// What was given and is not read yet: the beginning of a record.
    carry: Vec<u8>,
    /// How much of it there must be before it is looked at again.
    needed: usize,
    line: u64,
    offset: u64,
    /// Whether the rest of a record that is too long is passed over.
    is_passing: bool,
    is_begun: bool,
}

#[pymethods]
impl TableReader {
    #[new]
    #[pyo3(signature = (
        kind, *, header, delimiter, longest, format = None, mode = "lenient", columns = Vec::new(), cut = None,
        material = Vec::new(), output = None, between = None, unread_only = false
    ))]
    #[expect(clippy::too_many_arguments, clippy::needless_pass_by_value, reason = "what a job says")]
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
        let kind = Kind::from_name(kind)?;
        let delimiter = delimiter_of(delimiter)?;
        let mut names: Vec<String> = Vec::new();
        let mut place = |name: &str| {
            names.iter().position(|known| known == name).unwrap_or_else(|| {
                names.push(name.to_owned());
                names.len() - 1
            })
        };
        let asked = columns
            .into_iter()
            .map(|(name, added)| {
                let added = added.into_iter().map(|(part, name)| Ok((Part::from_name(&part)?, name)));
                Ok(Asked { cell: place(&name), added: added.collect::<PyResult<_>>()? })
            })
            .collect::<PyResult<Vec<_>>>()?;
        let cut = cut.map(|name| place(&name));
        let material = material.iter().map(|name| place(name)).collect();
        // Of columns that have one name the first counts.
        let by_name: HashMap<String, usize> =
            header.iter().enumerate().rev().map(|(place, name)| (name.clone(), place)).collect();
        let plan = Plan {
            kind,
            paths: names.iter().map(|name| Path::new(name)).collect(),
            places: names.iter().map(|name| by_name.get(name).copied()).collect(),
            names,
            asked,
            cut,
            material,
            output: output.map(Kind::from_name).transpose()?,
            is_unread_only: unread_only,
            delimiter,
            between: between.map_or(Ok(delimiter), delimiter_of)?,
            header,
            columns: by_name,
        };
        let mut records = Records::new(delimiter);
        if kind == Kind::Csv {
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
            is_passing: false,
            is_begun: false,
        })
    }

    /// Read the next part of the table; the last one may be empty.
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
        let end = self.cut(&text, is_last, &mut rows, &mut rejects);
        let Some(format) = self.format.as_ref().map(Py::get) else {
            return Err(PyValueError::new_err("no format was given to read with"));
        };
        let (plan, mode) = (&self.plan, self.mode);
        let pieces = pieces(&rows);
        let mut done: Vec<Done> = pieces.iter().map(|_| Done::default()).collect();
        let jobs = pieces.iter().zip(&mut done).map(|(rows, done)| {
            let (text, format) = (&text, &format.inner);
            Ok(move |stop: &Stop| {
                for at in *rows {
                    if stop.is_asked() || done.misfit.is_some() {
                        return;
                    }
                    plan.read(text, *at, format, mode, done);
                }
            })
        });
        pool::run_each(py, pool::count(threads), jobs)?;
        let is_left = rows.len() + rejects.len() >= AT_MOST;
        self.keep(text, end);
        let given = self.given(py, done, rejects)?;
        given.set_item("is_left", is_left)?;
        Ok(given)
    }

    /// Cut the next part of the table into rows, each with its line: the text of a JSON object, or the fields of a
    /// record.
    #[pyo3(signature = (part, *, is_last))]
    fn split<'py>(&mut self, py: Python<'py>, part: &[u8], is_last: bool) -> PyResult<Bound<'py, PyTuple>> {
        let (mut text, mut rows, mut rejects) = (std::mem::take(&mut self.carry), Vec::new(), Vec::new());
        text.extend_from_slice(part);
        let end = self.cut(&text, is_last, &mut rows, &mut rejects);
        let given = PyList::empty(py);
        let is_left = rows.len() + rejects.len() >= AT_MOST;
        let mut fields = Vec::new();
        for at in rows {
            let raw = text.get(at.start..at.end).unwrap_or_default();
            let is_jsonl = self.plan.kind == Kind::Jsonl;
            let checked = simdutf8::compat::from_utf8(raw).map_err(say_utf8).and_then(|row| {
                let line = if is_jsonl { json_line::read(row, &[], |_, _| ()).map(|_| row) } else { Ok(row) };
                line.map_err(|problem| say_json(row, problem))
            });
            let row = match checked {
                Ok(row) => row,
                Err(problem) => {
                    rejects.push(Reject { line: at.line, problem, raw: raw.to_vec(), goes_on: false });
                    continue;
                }
            };
            if is_jsonl {
                given.append((at.line, row))?;
            } else {
                Records::new(self.plan.delimiter).next(raw, 0, 0, true, &mut fields);
                given.append((at.line, fields.iter().map(|field| field.text(row)).collect::<Vec<_>>()))?;
            }
        }
        self.keep(text, end);
        (given, rejected(py, rejects), is_left).into_pyobject(py)
    }

    /// Where the first record begins that was not given yet; None where another reader could not go on alike.
    fn place(&self) -> Option<Place> {
        // In a record that is too long, and while an open one is waited for, it matters how the text was parted.
        if !self.is_begun || self.is_passing || self.needed > 0 {
            return None;
        }
        let (counted, dead) = self.records.memory();
        Some((self.line, self.offset, counted, dead))
    }

    /// Go on at the place of another reader of the same table.
    fn go_on(&mut self, place: Place) {
        let (line, offset, counted, dead) = place;
        (self.line, self.offset, self.is_begun) = (line, offset, true);
        self.records.remember(counted, dead);
    }
}

/// Lines that are no row, for Python: the line, the problem, the bytes, and whether they go on those before.
fn rejected(py: Python<'_>, mut rejects: Vec<Reject>) -> Vec<(u64, String, Bound<'_, PyBytes>, bool)> {
    rejects.sort_by_key(|reject| reject.line);
    let give = |one: Reject| (one.line, one.problem, PyBytes::new(py, &one.raw), one.goes_on);
    rejects.into_iter().map(give).collect()
}

impl TableReader {
    /// Keep what was not read of a text.
    fn keep(&mut self, mut text: Vec<u8>, end: usize) {
        self.offset += end as u64;
        self.records.forget(self.offset);
        text.drain(..end);
        // What is open is looked at again when there is twice as much, so that time stays linear.
        self.needed = if end == 0 && !text.is_empty() { self.needed.max(2 * text.len()) } else { 0 };
        self.carry = text;
    }

    /// Cut the text into rows, up to the beginning of one that is not whole.
    fn cut(&mut self, text: &[u8], is_last: bool, rows: &mut Vec<At>, rejects: &mut Vec<Reject>) -> usize {
        if text.len() < self.needed && !is_last {
            return 0;
        }
        self.needed = 0;
        let mut at = 0;
        if !self.is_begun && !text.is_empty() {
            at = if text.starts_with(BOM) { BOM.len() } else { 0 };
            if self.plan.kind == Kind::Csv {
                // The header, which was read before.
                let mut fields = Vec::new();
                let header =
                    Records::new(self.plan.delimiter).next(text, csv::header_at(text, at), 0, is_last, &mut fields);
                let Found::Record(_, next) = header else { return 0 };
                self.line += lines(text, at..next);
                at = next;
            }
            self.is_begun = true;
        }
        let mut fields = Vec::new();
        // The rest waits for the next call, so that memory stays bounded.
        while at < text.len() && rows.len() + rejects.len() < AT_MOST {
            let ended = text.get(at..).and_then(|rest| memchr(b'\n', rest));
            let line_end = ended.map(|length| at + length + 1);
            if self.is_passing {
                let end = line_end.unwrap_or(text.len());
                self.reject(text, at..end - usize::from(line_end.is_some()), "", true, rejects);
                self.is_passing = line_end.is_none();
                self.line += u64::from(line_end.is_some());
                at = end;
                continue;
            }
            let found = match self.plan.kind {
                Kind::Jsonl => match line_end {
                    Some(end) => Found::Record(end - 1, end),
                    None if is_last => Found::Record(text.len(), text.len()),
                    None => Found::Open,
                },
                Kind::Csv => self.records.next(text, at, self.offset, is_last, &mut fields),
            };
            let width = self.plan.header.len();
            let is_long = |end: usize| end - at > self.longest;
            match found {
                Found::Record(end, next) if !is_long(end) => {
                    let line = text.get(at..end).unwrap_or_default();
                    let is_jsonl = self.plan.kind == Kind::Jsonl;
                    // A line of spaces may be all of a row of one column.
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
                        rows.push(At { start: at, end, line: self.line });
                        self.line += lines(text, at..next);
                        at = next;
                    }
                }
                Found::Open if !is_long(text.len()) => return at,
                // Where the line goes on, all of it is waited for.
                Found::Broken(_) if line_end.is_none() && !is_last && !is_long(text.len()) => return at,
                Found::Broken(problem) => {
                    let line = text.get(at..line_end.unwrap_or(text.len())).unwrap_or_default();
                    let problem = if problem == csv::MANY && !line.contains(&b'"') {
                        let count = 1 + memchr_iter(self.plan.delimiter, line).count();
                        format!("{count} fields, where the header has {width}")
                    } else {
                        format!("not CSV: {problem}")
                    };
                    at = self.reject_line(text, at, line_end, &problem, rejects);
                }
                Found::Record(..) | Found::Open => {
                    let problem = format!("a record of more than {} bytes", self.longest);
                    if line_end.is_some() {
                        at = self.reject_line(text, at, line_end, &problem, rejects);
                    } else {
                        self.reject(text, at..text.len(), &problem, false, rejects);
                        self.is_passing = !is_last;
                        at = text.len();
                    }
                }
            }
        }
        at
    }

    /// Reject the line that begins here; where the next one does.
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

    fn reject(&self, text: &[u8], range: Range<usize>, problem: &str, goes_on: bool, rejects: &mut Vec<Reject>) {
        let (mut rest, mut goes_on) = (text.get(range).unwrap_or_default(), goes_on);
        // A line of nothing is one reject, too.
        while !(goes_on && rest.is_empty()) {
            // No letter is cut, so that what is text in the whole is text in each part.
            let begins = |at: &usize| rest.get(*at).is_none_or(|byte| byte & 0xc0 != 0x80);
            let most = rest.len().min(AT_ONCE);
            let (raw, others) =
                rest.split_at((most - most.saturating_sub(1).min(3)..=most).rev().find(begins).unwrap_or(most));
            rejects.push(Reject { line: self.line, problem: problem.to_owned(), raw: raw.to_vec(), goes_on });
            (rest, goes_on) = (others, true);
        }
    }

    /// What a part gave, for Python.
    fn given<'py>(&self, py: Python<'py>, done: Vec<Done>, mut rejects: Vec<Reject>) -> PyResult<Bound<'py, PyDict>> {
        let given = PyDict::new(py);
        let size = done.iter().map(|piece| piece.output.len()).sum();
        let output = PyBytes::new_with(py, size, |mut rest: &mut [u8]| {
            for piece in &done {
                let Some((here, others)) = rest.split_at_mut_checked(piece.output.len()) else { break };
                here.copy_from_slice(&piece.output);
                rest = others;
            }
            Ok(())
        })?;
        given.set_item("output", output)?;
        given.set_item("rows", done.iter().map(|piece| piece.rows).sum::<usize>())?;
        given.set_item("invented", done.iter().map(|piece| piece.invented).sum::<usize>())?;
        let counts = PyList::empty(py);
        for nth in 0..self.plan.asked.len() {
            let of_column = PyDict::new(py);
            let each = || done.iter().filter_map(|piece| piece.counts.get(nth));
            of_column.set_item("ok", each().map(|(ok, _)| ok).sum::<usize>())?;
            for (place, reason) in Reason::ALL.iter().enumerate() {
                let count: usize = each().filter_map(|(_, reasons)| reasons.get(place)).sum();
                if count > 0 {
                    of_column.set_item(reason.name(), count)?;
                }
            }
            counts.append(of_column)?;
        }
        given.set_item("counts", counts)?;
        let misfit = done.iter().find_map(|piece| piece.misfit.clone());
        given.set_item("misfit", misfit)?;
        let mut shown = [0; Reason::ALL.len()];
        let is_shown = |sample: &&Sample| {
            let place = Reason::ALL.iter().position(|one| *one == sample.reason);
            place.and_then(|place| shown.get_mut(place)).is_some_and(|count| {
                *count += 1;
                *count <= SAMPLES
            })
        };
        let samples: Vec<_> = done.iter().flat_map(|piece| &piece.samples).filter(is_shown).collect();
        let samples = samples.into_iter().map(|one| (one.line, one.reason.name(), &one.detail, one.reply.as_deref()));
        given.set_item("samples", samples.collect::<Vec<_>>())?;
        rejects.extend(done.into_iter().flat_map(|piece| piece.rejects));
        given.set_item("rejects", rejected(py, rejects))?;
        Ok(given)
    }
}

impl Plan {
    /// Read a row, and write it where it goes.
    fn read(&self, text: &[u8], at: At, format: &Format, mode: Mode, done: &mut Done) {
        let raw = text.get(at.start..at.end).unwrap_or_default();
        let mut reject = |problem: String| {
            done.rejects.push(Reject { line: at.line, problem, raw: raw.to_vec(), goes_on: false });
        };
        let row = match simdutf8::compat::from_utf8(raw) {
            Ok(row) => row,
            Err(problem) => return reject(say_utf8(problem)),
        };
        let mut fields: Vec<Field> = Vec::new();
        let mut misfit = None;
        let mut others: Vec<Option<&str>> = Vec::new();
        let (cells, body) = match self.kind {
            Kind::Jsonl => {
                if self.output == Some(Kind::Csv) {
                    others = vec![None; self.header.len()];
                }
                let found = json_line::read(row, &self.paths, |key, written| {
                    if self.output.is_none() {
                        return;
                    }
                    if self.asked.iter().any(|asked| asked.added.iter().any(|(_, name)| *key == **name)) {
                        misfit = Some((at.line, key.clone().into_owned(), true));
                    } else if self.output == Some(Kind::Csv) {
                        match self.columns.get(&**key).and_then(|&place| others.get_mut(place)) {
                            Some(other) => *other = Some(written),
                            None => misfit = Some((at.line, key.clone().into_owned(), false)),
                        }
                    }
                });
                match found {
                    Ok(line) => (line.cells, Body::Json(row.get(..line.end).unwrap_or(""), line.is_empty)),
                    Err(problem) => return reject(say_json(row, problem)),
                }
            }
            Kind::Csv => {
                // It was found to be one before.
                Records::new(self.delimiter).next(raw, 0, 0, true, &mut fields);
                let cell = |place: &Option<usize>| match place.and_then(|place| fields.get(place)) {
                    Some(field) => Cell::Text(field.text(row)),
                    None => Cell::Null,
                };
                (self.places.iter().map(cell).collect::<Vec<_>>(), Body::Csv(row))
            }
        };
        let row = match self.take(&cells) {
            Ok(row) => row,
            Err(problem) => return reject(problem),
        };
        if misfit.is_some() {
            done.misfit = misfit;
            return;
        }
        done.rows += 1;
        done.counts.resize(self.asked.len(), (0, [0; Reason::ALL.len()]));
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
        if format.max_depth() > SHALLOW {
            outcomes.into_iter().for_each(release);
        }
    }

    /// The texts of a row that are read.
    fn take<'c>(&self, cells: &'c [Cell<'_>]) -> Result<Taken<'c>, String> {
        let text = |cell: usize, what: &str, option: &str| match cells.get(cell) {
            None | Some(Cell::Null) => Ok(None),
            Some(Cell::Text(text)) => Ok(Some(text.as_ref())),
            Some(other) => {
                let name = self.names.get(cell).map_or("", String::as_str);
                Err(format!("{option}column '{name}' holds {}; {what} must be a string or null", other.kind()))
            }
        };
        let replies = self.asked.iter().map(|asked| text(asked.cell, "a reply", "")).collect::<Result<Vec<_>, _>>()?;
        let is_cut = match self.cut.and_then(|cell| Some((cell, cells.get(cell)?))) {
            None | Some((_, Cell::Null | Cell::Bool(false))) => false,
            Some((_, Cell::Bool(true))) => true,
            Some((_, Cell::Text(said))) => CUT.iter().any(|word| said.trim().eq_ignore_ascii_case(word)),
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
                if shown.len() > crate::material::MOST_BYTES {
                    let name = self.names.get(cell).map_or("", String::as_str);
                    return Err(format!(
                        "--material: column '{name}' is longer than {} bytes",
                        crate::material::MOST_BYTES
                    ));
                }
                material.push(shown);
            }
        }
        Ok(Taken { replies, is_cut, material })
    }

    #[expect(clippy::too_many_arguments, reason = "a row and all that is known of it")]
    fn write(
        &self,
        output: Kind,
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
            (Body::Json(text, is_empty), Kind::Jsonl) => {
                out.extend_from_slice(text.trim_matches([' ', '\t', '\r', '\n']).as_bytes());
                is_first = *is_empty;
            }
            (Body::Json(..), Kind::Csv) => {
                for other in others {
                    if !std::mem::take(&mut is_first) {
                        out.push(self.between);
                    }
                    value_text::csv_of_json(out, other.unwrap_or("null"), self.between);
                }
            }
            (Body::Csv(text), Kind::Csv) if self.between == self.delimiter => {
                out.extend_from_slice(text.as_bytes());
                is_first = false;
            }
            (Body::Csv(text), Kind::Csv) => {
                for field in fields {
                    if !std::mem::take(&mut is_first) {
                        out.push(self.between);
                    }
                    value_text::csv_text(out, &field.text(text), self.between);
                }
            }
            (Body::Csv(text), Kind::Jsonl) => {
                out.push(b'{');
                for (name, field) in self.header.iter().zip(fields) {
                    value_text::separate(out, &mut is_first, ", ");
                    value_text::string(out, name);
                    out.extend_from_slice(b": ");
                    value_text::string(out, &field.text(text));
                }
            }
        }
        for ((asked, outcome), reply) in self.asked.iter().zip(outcomes).zip(replies) {
            for (part, name) in &asked.added {
                if output == Kind::Jsonl {
                    value_text::separate(out, &mut is_first, ", ");
                    value_text::string(out, name);
                    out.extend_from_slice(b": ");
                    part.json(out, outcome, reply.unwrap_or(""), format);
                } else {
                    if !std::mem::take(&mut is_first) {
                        out.push(self.between);
                    }
                    part.csv(out, outcome, reply.unwrap_or(""), format, self.between);
                }
            }
        }
        out.extend_from_slice(if output == Kind::Jsonl { b"}\n" } else { b"\r\n" });
    }
}

/// A row as it stands: an object up to its closing brace, and whether it is empty; or a record.
enum Body<'t> {
    Json(&'t str, bool),
    Csv(&'t str),
}

/// What is read of a row.
struct Taken<'c> {
    replies: Vec<Option<&'c str>>,
    is_cut: bool,
    material: Vec<&'c str>,
}

impl Done {
    fn count(&mut self, line: u64, outcomes: &[Outcome<'_>], replies: &[Option<&str>]) {
        for ((outcome, reply), (ok, reasons)) in outcomes.iter().zip(replies).zip(&mut self.counts) {
            match outcome {
                Ok(reading) => {
                    *ok += 1;
                    self.invented += usize::from(reading.is_invented());
                }
                Err(unread) => {
                    let place = Reason::ALL.iter().position(|one| *one == unread.reason);
                    let Some(count) = place.and_then(|place| reasons.get_mut(place)) else { continue };
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

fn say_utf8(problem: simdutf8::compat::Utf8Error) -> String {
    format!("not UTF-8 at byte {}", problem.valid_up_to() + 1)
}

/// Why a line is no JSON object.
fn say_json(line: &str, problem: json_line::Problem) -> String {
    if problem.is_json {
        return problem.what.to_owned();
    }
    format!("not JSON: {}, column {}", problem.what, code_points(line, problem.at) + 1)
}

/// A reply, or the beginning and the end of a long one.
fn excerpt(reply: &str) -> String {
    if reply.len() <= 2 * SHOWN {
        return reply.to_owned();
    }
    let beginning = reply.get(..reply.floor_char_boundary(SHOWN)).unwrap_or("");
    let end = reply.get(reply.ceil_char_boundary(reply.len() - SHOWN)..).unwrap_or("");
    format!("{beginning} \u{2026} {end}")
}

/// Rows in pieces of about the same number of bytes.
fn pieces(rows: &[At]) -> Vec<&[At]> {
    let mut pieces = Vec::new();
    let mut rest = rows;
    while let Some(first) = rest.first() {
        let count = rest.iter().take_while(|row| row.end - first.start <= PIECE).count().max(1);
        let (piece, others) = rest.split_at(count);
        pieces.push(piece);
        rest = others;
    }
    pieces
}

/// How many lines end in a range.
fn lines(text: &[u8], range: Range<usize>) -> u64 {
    memchr_iter(b'\n', text.get(range).unwrap_or_default()).count() as u64
}

fn delimiter_of(said: &str) -> PyResult<u8> {
    match said.as_bytes() {
        [one] if one.is_ascii() && !matches!(one, b'"' | b'\r' | b'\n') => Ok(*one),
        _ => Err(PyValueError::new_err(format!(
            "a delimiter is one ASCII character and no quotation mark, not {said:?}"
        ))),
    }
}

/// The names of a text table's columns, from its beginning: a CSV table's header, the keys of the first JSON lines.
///
/// None where the header has not ended yet. Beside them the delimiter of a CSV table.
#[pyfunction]
#[pyo3(signature = (kind, text, *, is_last, delimiter = None))]
pub(crate) fn table_columns(
    kind: &str,
    text: &[u8],
    is_last: bool,
    delimiter: Option<&str>,
) -> PyResult<(Option<Vec<String>>, String)> {
    let text = text.strip_prefix(BOM).unwrap_or(text);
    if Kind::from_name(kind)? == Kind::Jsonl {
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
        Found::Open => Ok((None, said)),
        Found::Broken(problem) => Err(PyValueError::new_err(format!("not CSV: {problem}"))),
        Found::Record(end, _) => {
            let header = text.get(..end).unwrap_or_default();
            let header = std::str::from_utf8(header)
                .map_err(|problem| PyValueError::new_err(format!("not UTF-8 at byte {}", problem.valid_up_to() + 1)))?;
            Ok((Some(fields.iter().map(|field| field.text(header).into_owned()).collect()), said))
        }
    }
}

/// The objects of a JSON array as JSON lines; an item that is no object stays as it is written, on a line of its own.
#[pyfunction]
pub(crate) fn json_array_lines<'py>(py: Python<'py>, text: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
    let text = text.strip_prefix(BOM).unwrap_or(text);
    let text = simdutf8::compat::from_utf8(text)
        .map_err(|problem| PyValueError::new_err(format!("not UTF-8 at byte {}", problem.valid_up_to() + 1)))?;
    let lines = json_line::items(text).map_err(|problem| {
        let line = text.get(..problem.at).unwrap_or(text).matches('\n').count() + 1;
        PyValueError::new_err(format!("not JSON: {}, line {line}", problem.what))
    })?;
    // A string holds no line ends as such, so that all of them stand between the parts of an object.
    Ok(PyBytes::new(py, lines.iter().map(|line| line.replace(['\n', '\r'], " ") + "\n").collect::<String>().as_bytes()))
}
