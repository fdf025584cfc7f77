//! Outcomes in columns, filled by several threads at once.

use std::mem;
use std::ops::Range;
use std::slice::ChunksMut;
use std::sync::{Arc, Mutex};

use arrow_array::types::Int8Type;
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int8Array, Int32Array, Int64Array, StringArray,
    StructArray, make_array,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, ScalarBuffer};
use arrow_data::ArrayData;
use arrow_data::transform::MutableArrayData;
use arrow_schema::{ArrowError, DataType, Field, Fields};
use judgecore::json::dismantle;
use judgecore::{Format, LastWords, Mode, Reason, Rule, Value, read, release};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::arrow_text::Entries;
use crate::column::{Column, Text, Views, Visitor};
use crate::cut::Cut;
use crate::json::SHALLOW;
use crate::memo::{self, Memo};
use crate::pool::{self, Stop, Threads};
use crate::text::code_points;
use crate::value_column::{Shape, labels};

/// Replies are read in pieces of at most this many rows, so that every core has work until the end.
const PIECE: usize = 4096;
/// More where rows share the texts of a dictionary, each of which is read once in a piece.
const PIECE_OF_ENTRIES: usize = 16 * PIECE;
/// And so many bytes, where the outcome may be as long as the text.
const PIECE_BYTES: usize = 64 << 20;
/// So many pieces for each thread, where there are rows enough.
const PIECES_EACH: usize = 16;
/// Fewer rows, of fewer bytes, are read sooner than another thread could begin.
const FEW_ROWS: usize = 256;
const FEW_BYTES: usize = 1 << 16;
/// An array of texts can hold two gigabytes.
const MOST_BYTES: usize = 1 << 30;

/// So many last words are known.
const SENTENCES: usize = 1024;

/// The code of a row that was read, and of one that was not.
pub(crate) const OK: i8 = 0;
const UNREADABLE: i8 = 1;

/// What the columns hold of an outcome; the codes count from 0, and are 0 where there is none.
#[derive(Clone, Copy, Default)]
struct Row {
    status: i8,
    reason: i8,
    rule: i8,
    start: i64,
    end: i64,
}

impl Row {
    /// The same at another place.
    #[inline]
    fn moved(self, by: i64) -> Self {
        Self { start: self.start + by, end: self.end + by, ..self }
    }

    /// Whether the last words of a reply alone were read. Where they are, it is ASCII, so that places are of bytes.
    fn decided(self, last_words: LastWords, reply: &str) -> bool {
        let place = |at: i64| usize::try_from(at).unwrap_or(usize::MAX);
        let span = place(self.start)..place(self.end);
        self.status == OK && named(&Rule::ALL, self.rule).is_some_and(|rule| last_words.decide(reply, rule, &span))
    }
}

/// The columns.
pub(crate) struct Outcomes {
    pub(crate) status: ScalarBuffer<i8>,
    pub(crate) values: Values,
    reason: ScalarBuffer<i8>,
    rule: ScalarBuffer<i8>,
    start: ScalarBuffer<i64>,
    end: ScalarBuffer<i64>,
}

/// The values, by kind.
pub(crate) enum Values {
    Bools(Vec<bool>),
    Scores(ScalarBuffer<f64>),
    Labels(ScalarBuffer<i32>),
    /// Arrays one behind the other, of kinds that need more than a number.
    Arrays(Vec<ArrayRef>),
    /// Documents, which are read again when they are asked for.
    Documents,
}

/// What a column of values holds for a row.
trait Slot<'a>: Clone + Default + Send {
    /// Whether the slots of a piece become an array when it is full, and are needed no longer.
    const PASSES: bool = false;
    /// Of how long texts how many outcomes are known.
    const KNOWN: (usize, usize) = (4096, memo::MANY);

    /// What an outcome's value leaves here.
    fn take(value: &mut Value<'a>) -> Self;

    fn value(&self) -> Option<&Value<'a>> {
        None
    }
}

impl Slot<'_> for bool {
    fn take(value: &mut Value<'_>) -> Self {
        matches!(value, Value::Bool(true))
    }
}

impl Slot<'_> for f64 {
    fn take(value: &mut Value<'_>) -> Self {
        if let Value::Score(score) = value { *score } else { Self::NAN }
    }
}

impl Slot<'_> for i32 {
    fn take(value: &mut Value<'_>) -> Self {
        let label = if let Value::Label(label, _) = value { Self::try_from(*label).ok() } else { None };
        label.unwrap_or(-1)
    }
}

impl Slot<'_> for () {
    fn take(_value: &mut Value<'_>) -> Self {}
}

impl<'a> Slot<'a> for Option<Arc<Kept<'a>>> {
    const PASSES: bool = true;
    /// A document may be many times as large as its text.
    const KNOWN: (usize, usize) = (256, 1024);

    fn take(value: &mut Value<'a>) -> Self {
        Some(Arc::new(Kept(mem::replace(value, Value::Bool(false)))))
    }

    fn value(&self) -> Option<&Value<'a>> {
        self.as_ref().map(|kept| &kept.0)
    }
}

/// A value that is dropped without recursion, however deeply it is nested.
struct Kept<'a>(Value<'a>);

impl Drop for Kept<'_> {
    fn drop(&mut self) {
        if let Value::Json(document) = mem::replace(&mut self.0, Value::Bool(false)) {
            dismantle(document);
        }
    }
}

/// How replies are read.
#[derive(Clone, Copy)]
pub(crate) struct How<'a> {
    pub(crate) format: &'a Format,
    pub(crate) mode: Mode,
    pub(crate) cut: &'a Cut,
}

impl Outcomes {
    /// Read all texts; documents are not kept.
    pub(crate) fn read<'a>(
        py: Python<'a>,
        column: &'a Column,
        how: How<'a>,
        threads: Option<Threads>,
    ) -> PyResult<Self> {
        match Shape::of(how.format) {
            Shape::Bool => {
                let (columns, values, _) = Columns::fill::<bool>(py, column, how, threads, None)?;
                Ok(columns.with(Values::Bools(values)))
            }
            Shape::Score => {
                let (columns, values, _) = Columns::fill::<f64>(py, column, how, threads, None)?;
                Ok(columns.with(Values::Scores(values.into())))
            }
            Shape::Label(_) => {
                let (columns, values, _) = Columns::fill::<i32>(py, column, how, threads, None)?;
                Ok(columns.with(Values::Labels(values.into())))
            }
            Shape::Document(_) => {
                let (columns, _, _) = Columns::fill::<()>(py, column, how, threads, None)?;
                Ok(columns.with(Values::Documents))
            }
            shape => {
                let (columns, _, arrays) =
                    Columns::fill::<Option<Arc<Kept<'a>>>>(py, column, how, threads, Some(&shape))?;
                Ok(columns.with(Values::Arrays(arrays)))
            }
        }
    }

    /// Read all texts for the sake of their documents alone.
    pub(crate) fn read_documents<'a>(
        py: Python<'a>,
        column: &'a Column,
        how: How<'a>,
        threads: Option<Threads>,
        shape: &Shape,
    ) -> PyResult<Vec<ArrayRef>> {
        Columns::fill::<Option<Arc<Kept<'a>>>>(py, column, how, threads, Some(shape)).map(|(_, _, arrays)| arrays)
    }
}

/// The columns that are being filled.
struct Columns {
    /// Status, reason and rule, one behind the other: memory comes in large pages for large blocks.
    codes: Vec<i8>,
    start: Vec<i64>,
    end: Vec<i64>,
}

impl Columns {
    fn with(self, values: Values) -> Outcomes {
        let rows = self.start.len();
        let codes = Buffer::from_vec(self.codes);
        let [status, reason, rule] = [0, 1, 2].map(|nth| ScalarBuffer::new(codes.clone(), nth * rows, rows));
        Outcomes { status, reason, rule, start: self.start.into(), end: self.end.into(), values }
    }

    /// The columns, the slots of values, and the arrays of values where the slots pass.
    fn fill<'a, S: Slot<'a>>(
        py: Python<'a>,
        column: &'a Column,
        how: How<'a>,
        threads: Option<Threads>,
        shape: Option<&Shape>,
    ) -> PyResult<(Self, Vec<S>, Vec<ArrayRef>)> {
        let rows = column.len();
        let threads = pool::count(threads);
        let mut piece = piece(rows, threads, column.has_entries());
        // Where the number of bytes counts, all is viewed before any of it is read.
        let all = if S::PASSES || rows <= FEW_ROWS { Some(Arc::new(column.views(py)?)) } else { None };
        let bytes = all.as_ref().map_or(0, |views| views.bytes());
        if S::PASSES {
            // What a piece of these leaves must fit into one array.
            piece = piece.min((rows.saturating_mul(PIECE_BYTES)).div_ceil(bytes.max(1))).max(1);
        }
        let mut slots = vec![S::default(); if S::PASSES { 0 } else { rows }];
        let mut columns = Self { codes: vec![0; 3 * rows], start: vec![0; rows], end: vec![0; rows] };
        let (status, others) = columns.codes.split_at_mut(rows);
        let (reason, rule) = others.split_at_mut(rows);
        let mut first = 0;
        let mut lent = if S::PASSES { None } else { Some(slots.chunks_mut(piece)) };
        let pieces: Vec<Piece<'_, S>> = status
            .chunks_mut(piece)
            .zip(reason.chunks_mut(piece))
            .zip(rule.chunks_mut(piece))
            .zip(columns.start.chunks_mut(piece).zip(columns.end.chunks_mut(piece)))
            .map(|(((status, reason), rule), (start, end))| {
                let values = lent.as_mut().and_then(ChunksMut::next).unwrap_or_default();
                let piece = Piece { first, status, reason, rule, start, end, values };
                first += piece.status.len();
                piece
            })
            .collect();
        let mut arrays: Vec<Result<Option<ArrayRef>, ArrowError>> = pieces.iter().map(|_| Ok(None)).collect();
        if let Some(views) = all.as_ref().filter(|_| rows <= FEW_ROWS && bytes <= FEW_BYTES) {
            let mut desk = Desk::new(how);
            for (piece, array) in pieces.into_iter().zip(&mut arrays) {
                *array = piece.read(views, &mut desk, shape, &Stop::default());
            }
        } else {
            // One for each thread, for as long as there are pieces: what it knows grows.
            let desks: Vec<Mutex<Desk<'a, S>>> = (0..threads).map(|_| Mutex::new(Desk::new(how))).collect();
            let desks = desks.as_slice();
            let jobs = pieces.into_iter().zip(&mut arrays).map(|(piece, array)| {
                let views = match &all {
                    Some(views) => views.clone(),
                    None => Arc::new(column.view(py, piece.first..piece.first + piece.status.len())?),
                };
                Ok(move |stop: &Stop| {
                    let desk = rayon::current_thread_index().and_then(|nth| desks.get(nth)?.try_lock().ok());
                    *array = match desk {
                        Some(mut desk) => piece.read(&views, &mut desk, shape, stop),
                        None => piece.read(&views, &mut Desk::new(how), shape, stop),
                    };
                })
            });
            pool::run_each(py, threads, jobs)?;
        }
        let arrays = arrays.into_iter().filter_map(Result::transpose).collect::<Result<Vec<_>, _>>();
        let arrays = arrays.and_then(|arrays| match (shape, arrays.is_empty()) {
            (Some(shape), true) => Ok(vec![shape.array(&[], 0)?]),
            _ => py.detach(|| joined(&arrays)),
        });
        Ok((columns, slots, arrays.map_err(|problem| arrow_error(&problem))?))
    }
}

/// Arrays one behind the other, as few as can be.
fn joined(arrays: &[ArrayRef]) -> Result<Vec<ArrayRef>, ArrowError> {
    let mut joined = Vec::new();
    let mut rest = arrays;
    while !rest.is_empty() {
        let mut bytes = 0;
        let fits = |array: &&ArrayRef| {
            bytes += array.get_array_memory_size();
            bytes <= MOST_BYTES
        };
        let (some, others) = rest.split_at(rest.iter().take_while(fits).count().max(1).min(rest.len()));
        joined.push(join(some)?);
        rest = others;
    }
    Ok(joined)
}

/// One array of all; arrow-select's would bring code for every pair of types.
fn join(arrays: &[ArrayRef]) -> Result<ArrayRef, ArrowError> {
    let data: Vec<ArrayData> = arrays.iter().map(Array::to_data).collect();
    let mut all = MutableArrayData::new(data.iter().collect(), false, data.iter().map(ArrayData::len).sum());
    for (nth, one) in data.iter().enumerate() {
        all.try_extend(nth, 0, one.len())?;
    }
    Ok(make_array(all.freeze()))
}

/// What a caller meets of Arrow's errors: that a value does not fit.
pub(crate) fn arrow_error(problem: &ArrowError) -> PyErr {
    match problem {
        ArrowError::SchemaError(words) | ArrowError::NotYetImplemented(words) => PyValueError::new_err(words.clone()),
        other => PyValueError::new_err(other.to_string()),
    }
}

/// How many rows a piece has.
fn piece(rows: usize, threads: usize, has_entries: bool) -> usize {
    let most = if has_entries { PIECE_OF_ENTRIES } else { PIECE };
    rows.div_ceil(threads * PIECES_EACH).clamp(1, most)
}

/// Some rows of the columns, to be filled.
struct Piece<'p, S> {
    first: usize,
    status: &'p mut [i8],
    reason: &'p mut [i8],
    rule: &'p mut [i8],
    start: &'p mut [i64],
    end: &'p mut [i64],
    values: &'p mut [S],
}

impl<'a, S: Slot<'a>> Piece<'_, S> {
    /// Fill the columns, and make the array of values where the slots pass.
    fn read(
        self,
        views: &Views<'a>,
        desk: &mut Desk<'a, S>,
        shape: Option<&Shape>,
        stop: &Stop,
    ) -> Result<Option<ArrayRef>, ArrowError> {
        let (first, length) = (self.first, self.status.len());
        let rows = first..first + length;
        let Some(shape) = shape.filter(|_| S::PASSES) else {
            views.walk(rows, stop, &mut Filling { piece: self, desk });
            return Ok(None);
        };
        let mut slots = vec![S::default(); length];
        views.walk(rows, stop, &mut Filling { piece: Piece { values: &mut slots, ..self }, desk });
        if stop.is_asked() {
            return Ok(None);
        }
        let cells: Vec<Option<&Value<'_>>> = slots.iter().map(Slot::value).collect();
        shape.array(&cells, first).map(Some)
    }

    fn put(&mut self, row: usize, known: (Row, S)) {
        let nth = row.wrapping_sub(self.first);
        let (row, value) = known;
        if let (Some(status), Some(reason), Some(rule), Some(start), Some(end), Some(slot)) = (
            self.status.get_mut(nth),
            self.reason.get_mut(nth),
            self.rule.get_mut(nth),
            self.start.get_mut(nth),
            self.end.get_mut(nth),
            self.values.get_mut(nth),
        ) {
            (*status, *reason, *rule, *start, *end, *slot) =
                (row.status, row.reason, row.rule, row.start, row.end, value);
        }
    }
}

/// What a thread has at hand to read with.
struct Desk<'a, S> {
    how: How<'a>,
    /// For whole replies, and for those that are cut off; each outcome is a pure function of its text.
    memos: [Memo<(&'a str, Row, S)>; 2],
    /// Where the last words of whole replies decide, and what they say: places count from where they begin.
    last_words: Option<LastWords>,
    sentences: Memo<(&'a str, Option<(Row, S)>)>,
}

impl<'a, S: Slot<'a>> Desk<'a, S> {
    fn new(how: How<'a>) -> Self {
        let memo = || Memo::new(S::KNOWN.1);
        Self {
            how,
            memos: [memo(), memo()],
            last_words: LastWords::new(how.format, how.mode),
            sentences: Memo::new(SENTENCES),
        }
    }

    /// The outcome of a row.
    #[inline]
    fn outcome(&mut self, text: Text<'a>, is_cut: bool) -> (Row, S) {
        if let Some(last_words) = self.last_words.filter(|_| !is_cut)
            && let Text::Whole { text: reply, .. } = text
            && let Some((start, words)) = last_words.find(reply)
        {
            let hash = memo::hash_of(words);
            if self.sentences.is_worth(hash) {
                let offset = i64::try_from(start).unwrap_or_default();
                return match self.sentences.find(hash, |(known, _)| *known == words) {
                    Some((_, Some((row, value)))) => (row.moved(offset), value.clone()),
                    Some((_, None)) => self.outcome_of_all(text, is_cut),
                    None => {
                        let (row, value) = self.outcome_of_all(text, is_cut);
                        let is_decided = row.decided(last_words, reply);
                        let known = is_decided.then(|| (row.moved(-offset), value.clone()));
                        self.sentences.keep(hash, (words, known));
                        (row, value)
                    }
                };
            }
        }
        self.outcome_of_all(text, is_cut)
    }

    /// The outcome of a row, for which all of its text is looked at.
    fn outcome_of_all(&mut self, text: Text<'a>, is_cut: bool) -> (Row, S) {
        let work_out = || summary(text, self.how, is_cut);
        let Text::Whole { text, .. } = text else { return work_out() };
        if text.len() > S::KNOWN.0 {
            return work_out();
        }
        let [whole, cut_off] = &mut self.memos;
        let memo = if is_cut { cut_off } else { whole };
        let hash = memo::hash_of(text);
        if !memo.is_worth(hash) {
            return work_out();
        }
        if let Some((_, row, value)) = memo.find(hash, |(known, ..)| *known == text) {
            return (*row, value.clone());
        }
        let (row, value) = work_out();
        memo.keep(hash, (text, row, value.clone()));
        (row, value)
    }
}

fn unreadable(reason: Reason) -> Row {
    Row { status: UNREADABLE, reason: reason_code(reason), ..Row::default() }
}

/// What the columns keep of an outcome.
fn summary<'a, S: Slot<'a>>(text: Text<'a>, how: How<'a>, is_cut: bool) -> (Row, S) {
    let How { format, mode, .. } = how;
    let (text, is_ascii) = match text {
        Text::Missing => return (unreadable(Reason::Missing), S::default()),
        Text::Broken(_) => return (unreadable(Reason::Malformed), S::default()),
        Text::Whole { text, is_ascii } => (text, is_ascii),
    };
    let mut outcome = read(text, format, mode, is_cut);
    let summary = match &mut outcome {
        Ok(reading) => {
            let points = |range: Range<usize>| {
                let points = if is_ascii {
                    range.len()
                } else {
                    text.get(range).map_or(0, |part| code_points(part, part.len()))
                };
                i64::try_from(points).unwrap_or(i64::MAX)
            };
            let start = points(0..reading.span.start);
            let end = start + points(reading.span.clone());
            let row = Row { status: OK, reason: 0, rule: rule_code(reading.rule), start, end };
            (row, S::take(&mut reading.value))
        }
        Err(problem) => (unreadable(problem.reason), S::default()),
    };
    if format.max_depth() > SHALLOW {
        release(outcome);
    }
    summary
}

/// A piece that is being filled.
struct Filling<'d, 'p, 'a, S> {
    piece: Piece<'p, S>,
    desk: &'d mut Desk<'a, S>,
}

impl<'a, S: Slot<'a>> Visitor<'a> for Filling<'_, '_, 'a, S> {
    fn visit(&mut self, row: usize, text: Text<'a>) {
        let outcome = self.desk.outcome(text, self.desk.how.cut.at(row));
        self.piece.put(row, outcome);
    }

    fn visit_entries(&mut self, first: usize, entries: &'a Entries, rows: Range<usize>, stop: &Stop) {
        let is_cut = self.desk.how.cut.for_all();
        // Of a large dictionary few texts are met twice, and only those that rows point to are read.
        let is_small = entries.len() <= rows.len();
        let mut known = vec![None; if is_small { entries.len() } else { 0 }];
        for (row, nth) in (first..).zip(rows) {
            if stop.is_asked() {
                return;
            }
            let known = entries.entry(nth).and_then(|entry| known.get_mut(entry));
            let outcome = match (known, is_cut) {
                (Some(known), Some(is_cut)) => {
                    known.get_or_insert_with(|| self.desk.outcome(entries.text(nth), is_cut)).clone()
                }
                _ => self.desk.outcome(entries.text(nth), self.desk.how.cut.at(row)),
            };
            self.piece.put(row, outcome);
        }
    }
}

/// The place of a reason among all.
fn reason_code(reason: Reason) -> i8 {
    place(Reason::ALL.iter().position(|one| *one == reason))
}

/// The place of a rule among all.
fn rule_code(rule: Rule) -> i8 {
    place(Rule::ALL.iter().position(|one| *one == rule))
}

fn place(found: Option<usize>) -> i8 {
    found.and_then(|place| i8::try_from(place).ok()).unwrap_or_default()
}

/// What a code stands for.
fn named<T: Copy>(all: &[T], code: i8) -> Option<T> {
    usize::try_from(code).ok().and_then(|place| all.get(place)).copied()
}

impl Outcomes {
    pub(crate) fn len(&self) -> usize {
        self.status.len()
    }

    pub(crate) fn is_ok(&self, row: usize) -> bool {
        self.status.get(row) == Some(&OK)
    }

    /// Why each row was not read.
    pub(crate) fn reasons(&self) -> impl Iterator<Item = Option<Reason>> {
        let codes = self.status.iter().zip(&self.reason);
        codes.map(|(&status, &reason)| if status == OK { None } else { named(&Reason::ALL, reason) })
    }

    /// Which rule decided each row.
    pub(crate) fn rules(&self) -> impl Iterator<Item = Option<Rule>> {
        let codes = self.status.iter().zip(&self.rule);
        codes.map(|(&status, &rule)| if status == OK { named(&Rule::ALL, rule) } else { None })
    }
}

/// The fields of an outcome in Arrow, with values of a type.
pub(crate) fn fields(values: &DataType) -> Fields {
    let names = || DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8));
    Fields::from(vec![
        Field::new("status", names(), true),
        Field::new("reason", names(), true),
        Field::new("value", values.clone(), true),
        Field::new("rule", names(), true),
        Field::new("start", DataType::Int64, true),
        Field::new("end", DataType::Int64, true),
    ])
}

impl Outcomes {
    /// The columns as arrays of structs, one for each array of values; `documents` are the values where these are
    /// not kept. The numbers are not copied.
    pub(crate) fn arrays(
        &self,
        shape: &Shape,
        documents: Option<Vec<ArrayRef>>,
    ) -> Result<Vec<StructArray>, ArrowError> {
        let ok = NullBuffer::new(BooleanBuffer::collect_bool(self.len(), |row| self.is_ok(row)));
        let not_ok = NullBuffer::new(!ok.inner());
        let one = |array: ArrayRef| vec![array];
        let values = match (&self.values, documents) {
            (_, Some(documents)) => documents,
            (Values::Arrays(arrays), None) => arrays.clone(),
            (Values::Documents, None) => one(shape.array(&vec![None; self.len()], 0)?),
            (Values::Bools(bools), None) => {
                let bits = BooleanBuffer::collect_bool(bools.len(), |row| bools.get(row) == Some(&true));
                one(Arc::new(BooleanArray::new(bits, Some(ok.clone()))))
            }
            (Values::Scores(scores), None) => one(Arc::new(Float64Array::try_new(scores.clone(), Some(ok.clone()))?)),
            (Values::Labels(codes), None) => {
                let Shape::Label(names) = shape else {
                    return Err(ArrowError::ComputeError("labels without names".to_owned()));
                };
                one(Arc::new(labels(Int32Array::try_new(codes.clone(), Some(ok.clone()))?, names)?))
            }
        };
        let coded = |codes: &ScalarBuffer<i8>, nulls: Option<&NullBuffer>, names: Vec<&'static str>| {
            let keys = Int8Array::try_new(codes.clone(), nulls.cloned())?;
            DictionaryArray::<Int8Type>::try_new(keys, Arc::new(StringArray::from(names)))
        };
        let status = coded(&self.status, None, vec!["ok", "unreadable"])?;
        let reason = coded(&self.reason, Some(&not_ok), Reason::ALL.into_iter().map(Reason::name).collect())?;
        let rule = coded(&self.rule, Some(&ok), Rule::ALL.into_iter().map(Rule::name).collect())?;
        let place = |places: &ScalarBuffer<i64>| Int64Array::try_new(places.clone(), Some(ok.clone()));
        let (start, end) = (place(&self.start)?, place(&self.end)?);
        let fields = fields(&shape.data_type());
        let mut first = 0;
        values
            .into_iter()
            .map(|values| {
                let rows = values.len();
                let columns: Vec<ArrayRef> = vec![
                    Arc::new(status.slice(first, rows)),
                    Arc::new(reason.slice(first, rows)),
                    values,
                    Arc::new(rule.slice(first, rows)),
                    Arc::new(start.slice(first, rows)),
                    Arc::new(end.slice(first, rows)),
                ];
                first += rows;
                StructArray::try_new_with_length(fields.clone(), columns, None, rows)
            })
            .collect()
    }
}
