//! Outcomes in columns, filled by several threads at once.

use std::collections::HashMap;
use std::mem;
use std::ops::Range;
use std::slice::ChunksMut;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use arrow_array::types::Int8Type;
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int8Array, Int32Array, Int64Array, StringArray,
    StructArray,
};
use arrow_buffer::{BooleanBuffer, NullBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, Fields};
use judgecore::json::{Json, RepairKind};
use judgecore::{Detail, Format, Mode, Reading, Reason, Rule, Value, read, release};
use pyo3::prelude::*;

use crate::arrays::{arrow_error, join};
use crate::arrow_text::{Entries, Visitor};
use crate::column::{Column, Views};
use crate::cut::Cut;
use crate::kept::{Kept, SHALLOW};
use crate::pool::{self, LONG, Stop, Threads};
use crate::text::{Text, code_points};
use crate::value_column::{Shape, labels};

/// Replies are read in pieces of at most this many rows, so that every core has work until the end.
const PIECE: usize = 4096;
/// And so many bytes, where the outcome may be as long as the text.
const PIECE_BYTES: usize = 64 << 20;
/// So many pieces for each thread, where there are rows enough.
const PIECES_EACH: usize = 16;
/// Fewer rows, of fewer bytes, are read sooner than another thread could begin.
const FEW_ROWS: usize = 256;
const FEW_BYTES: usize = LONG;
/// Documents are converted in pieces of at most so many rows, which mostly fit into the cache.
const DOCUMENTS_PIECE: usize = 256;
/// An array of texts can hold two gigabytes.
const MOST_BYTES: usize = 1 << 30;

/// The code of a row that was read, and of one that was not.
pub(crate) const OK: i8 = 0;
pub(crate) const UNREADABLE: i8 = 1;

/// What the columns hold of an outcome; the codes count from 0, and are 0 where there is none.
#[derive(Clone, Copy, Default)]
struct Row {
    status: i8,
    reason: i8,
    rule: i8,
    start: i64,
    end: i64,
    /// Why it was not read, where that is a fixed sentence.
    sentence: Option<&'static str>,
}

/// The sentences that say why rows were not read, by pieces of so many rows: each piece has few.
#[derive(Clone, Default)]
pub(crate) struct Sentences {
    rows: usize,
    /// The place of a row's sentence among those of its piece, counted from 1; 0 where it has none.
    codes: Vec<u8>,
    said: Vec<Vec<&'static str>>,
}

impl Sentences {
    fn new(rows: usize, piece: usize) -> Self {
        Self { rows: piece, codes: vec![0; rows], said: vec![Vec::new(); rows.div_ceil(piece)] }
    }

    fn at(&self, row: usize) -> Option<&'static str> {
        let code = usize::from(*self.codes.get(row)?).checked_sub(1)?;
        self.said.get(row.checked_div(self.rows)?)?.get(code).copied()
    }
}

/// The columns.
#[derive(Clone)]
pub(crate) struct Outcomes {
    pub(crate) status: ScalarBuffer<i8>,
    pub(crate) values: Values,
    pub(crate) reason: ScalarBuffer<i8>,
    pub(crate) rule: ScalarBuffer<i8>,
    pub(crate) start: ScalarBuffer<i64>,
    pub(crate) end: ScalarBuffer<i64>,
    /// Left out where outcomes are compared and pickled.
    pub(crate) sentences: Sentences,
}

/// The values, by kind.
#[derive(Clone)]
pub(crate) enum Values {
    Bools(Vec<bool>),
    Scores(ScalarBuffer<f64>),
    Labels(ScalarBuffer<i32>),
    /// Arrays one behind the other, of kinds that need more than a number.
    Arrays(Vec<ArrayRef>),
    /// Documents are read again from the replies when they are asked for; which of them were mended is known.
    Documents(Vec<Mended>),
}

/// What a column of values holds for a row.
trait Slot<'a>: Clone + Default + Send + Sync {
    /// Whether the slots of a piece become an array when it is full, and are needed no longer.
    const PASSES: bool = false;

    /// What a reading leaves here.
    fn take(reading: &mut Reading<'a>) -> Self;

    fn value(&self) -> Option<&Value<'a>> {
        None
    }
}

impl Slot<'_> for bool {
    fn take(reading: &mut Reading<'_>) -> Self {
        matches!(reading.value, Value::Bool(true))
    }
}

impl Slot<'_> for f64 {
    fn take(reading: &mut Reading<'_>) -> Self {
        if let Value::Score(score) = reading.value { score } else { Self::NAN }
    }
}

impl Slot<'_> for i32 {
    fn take(reading: &mut Reading<'_>) -> Self {
        let label = if let Value::Label(label, _) = reading.value { Self::try_from(label).ok() } else { None };
        label.unwrap_or(-1)
    }
}

/// Whether a document was mended.
#[derive(Clone, Copy, Default)]
pub(crate) struct Mended(bool);

impl Slot<'_> for Mended {
    fn take(reading: &mut Reading<'_>) -> Self {
        Self(reading.repairs.iter().any(|repair| repair.kind != RepairKind::SurroundingText))
    }
}

impl<'a> Slot<'a> for Option<Arc<Kept<'a>>> {
    const PASSES: bool = true;

    fn take(reading: &mut Reading<'a>) -> Self {
        Some(Arc::new(Kept(mem::replace(&mut reading.value, Value::Bool(false)))))
    }

    fn value(&self) -> Option<&Value<'a>> {
        self.as_ref().map(|kept| &kept.0)
    }
}

/// A document that stays as it was read.
#[derive(Clone, Default)]
struct Whole<'a>(Option<Arc<Kept<'a>>>);

impl<'a> Slot<'a> for Whole<'a> {
    fn take(reading: &mut Reading<'a>) -> Self {
        Self(Slot::take(reading))
    }
}

/// How replies are read.
#[derive(Clone, Copy)]
pub(crate) struct How<'a> {
    pub(crate) format: &'a Format,
    pub(crate) mode: Mode,
    pub(crate) cut: &'a Cut,
    /// What judges were shown, by column.
    pub(crate) shown: &'a [Views<'a>],
}

impl<'a> How<'a> {
    /// Why a row can't be read, in words.
    pub(crate) fn detail(&self, row: usize, text: Text<'a>) -> String {
        match text {
            Text::Missing => "there is no reply".to_owned(),
            Text::Broken(at) => Detail::NotText(at).to_string(),
            Text::Whole { text, .. } => {
                let outcome = read(text, self.format, self.mode, self.cut.at(row), &self.shown_at(row));
                let detail = outcome.as_ref().err().map(|unread| unread.detail.to_string());
                release(outcome);
                detail.unwrap_or_default()
            }
        }
    }

    /// What the judge of a row was shown.
    fn shown_at(&self, row: usize) -> Vec<&'a str> {
        let text = |view: &Views<'a>| if let Text::Whole { text, .. } = view.text(row) { Some(text) } else { None };
        self.shown.iter().filter_map(text).collect()
    }
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
                let (columns, mended, _) = Columns::fill::<Mended>(py, column, how, threads, None)?;
                Ok(columns.with(Values::Documents(mended)))
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

/// Documents of some rows that were read, sent when this is dropped, however that comes.
struct ReadPiece<'a> {
    nth: usize,
    documents: Vec<Whole<'a>>,
    sender: Sender<(usize, Vec<Whole<'a>>)>,
}

impl Drop for ReadPiece<'_> {
    fn drop(&mut self) {
        // Nobody waits for it where the call was interrupted.
        let _ = self.sender.send((self.nth, mem::take(&mut self.documents)));
    }
}

impl Outcomes {
    /// Whether a row's document was mended, which takes much longer than to make an object of a document.
    fn is_mended(&self, row: usize) -> bool {
        matches!(&self.values, Values::Documents(mended) if mended.get(row).is_some_and(|mended| mended.0))
    }

    /// Make something of each row, and of its document where that has to be mended. This is done by all threads, while
    /// those that were mended before are converted.
    pub(crate) fn convert_documents<'a, T>(
        &self,
        py: Python<'a>,
        column: &'a Column,
        how: How<'a>,
        threads: Option<Threads>,
        convert: impl Fn(usize, Option<&Json<'_>>) -> PyResult<T>,
    ) -> PyResult<Vec<T>> {
        let rows = column.len();
        let entries = &EntryOutcomes::new(column, how.cut);
        let convert = |first: usize, documents: Vec<Whole<'a>>| -> PyResult<Vec<T>> {
            let documents = (first..).zip(documents).map(|(row, Whole(kept))| match kept.as_deref() {
                Some(Kept(Value::Json(document))) => convert(row, Some(document)),
                _ => convert(row, None),
            });
            documents.collect()
        };
        if rows <= FEW_ROWS {
            let views = column.views(py)?;
            if views.bytes() <= FEW_BYTES {
                return convert(0, self.read_mended(&views, 0..rows, how, entries, &Stop::default()));
            }
        }
        let threads = pool::count(threads);
        let piece = rows.div_ceil(threads * PIECES_EACH).clamp(1, DOCUMENTS_PIECE);
        let (sender, receiver) = channel();
        let receiver = Mutex::new(receiver);
        let mut converted: Vec<Vec<T>> = (0..rows.div_ceil(piece)).map(|_| Vec::new()).collect();
        let mut pending = 0;
        let mut keep = |nth: usize, documents: Vec<Whole<'a>>| -> PyResult<()> {
            let made = convert(nth * piece, documents)?;
            if let Some(place) = converted.get_mut(nth) {
                *place = made;
            }
            Ok(())
        };
        let next = || loop {
            if let Some(sent) = pool::receive(py, &receiver)? {
                return PyResult::Ok(sent);
            }
        };
        let mut spawn = |nth: usize| {
            let rows = nth * piece..rows.min((nth + 1) * piece);
            if !rows.clone().any(|row| self.is_mended(row)) {
                return keep(nth, vec![Whole::default(); rows.len()]).map(|()| None);
            }
            // No more is read ahead than the threads need, so that few documents are held at once.
            if pending >= threads * 2 {
                let (nth, documents) = next()?;
                keep(nth, documents)?;
                pending -= 1;
            }
            pending += 1;
            let views = column.view(py, rows.clone())?;
            let mut read = ReadPiece { nth, documents: Vec::new(), sender: sender.clone() };
            Ok(Some(move |stop: &Stop| {
                read.documents = self.read_mended(&views, rows, how, entries, stop);
                drop(read);
            }))
        };
        pool::run_each(py, threads, (0..rows.div_ceil(piece)).filter_map(|nth| spawn(nth).transpose()))?;
        for _ in 0..pending {
            let (nth, documents) = next()?;
            keep(nth, documents)?;
        }
        Ok(converted.into_iter().flatten().collect())
    }

    /// The documents of some rows that have to be mended.
    fn read_mended<'a>(
        &self,
        views: &Views<'a>,
        rows: Range<usize>,
        how: How<'a>,
        entries: &EntryOutcomes<Whole<'a>>,
        stop: &Stop,
    ) -> Vec<Whole<'a>> {
        let count = rows.len();
        let (mut status, mut reason, mut rule) = (vec![0; count], vec![0; count], vec![0; count]);
        let (mut start, mut end) = (vec![0; count], vec![0; count]);
        let mut documents = vec![Whole::default(); count];
        let piece = Piece {
            first: rows.start,
            status: &mut status,
            reason: &mut reason,
            rule: &mut rule,
            start: &mut start,
            end: &mut end,
            sentence: &mut [],
            said: &mut Vec::new(),
            values: &mut documents,
        };
        views.walk(rows, stop, &mut MendedRows { filling: Filling { piece, how, entries }, outcomes: self });
        documents
    }
}

/// Reads the rows whose documents have to be mended, and no others; entries of dictionaries are read once for all rows.
struct MendedRows<'o, F> {
    filling: F,
    outcomes: &'o Outcomes,
}

impl<'a, F: Visitor<'a>> Visitor<'a> for MendedRows<'_, F> {
    fn visit(&mut self, row: usize, text: Text<'a>) {
        if self.outcomes.is_mended(row) {
            self.filling.visit(row, text);
        }
    }

    fn visit_entries(&mut self, first: usize, entries: &'a Entries, rows: Range<usize>, stop: &Stop) {
        self.filling.visit_entries(first, entries, rows, stop);
    }
}

/// The columns that are being filled.
struct Columns {
    status: Vec<i8>,
    reason: Vec<i8>,
    rule: Vec<i8>,
    start: Vec<i64>,
    end: Vec<i64>,
    sentences: Sentences,
}

impl Columns {
    fn with(self, values: Values) -> Outcomes {
        let Self { status, reason, rule, start, end, sentences } = self;
        let (status, reason, rule) = (status.into(), reason.into(), rule.into());
        Outcomes { status, reason, rule, start: start.into(), end: end.into(), values, sentences }
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
        let mut piece = rows.div_ceil(threads * PIECES_EACH).clamp(1, PIECE);
        // Where the number of bytes counts, all is viewed before any of it is read.
        let all = if S::PASSES || rows <= FEW_ROWS { Some(Arc::new(column.views(py)?)) } else { None };
        let bytes = all.as_ref().map_or(0, |views| views.bytes());
        if S::PASSES {
            // What a piece of these leaves must fit into one array.
            piece = piece.min((rows.saturating_mul(PIECE_BYTES)).div_ceil(bytes.max(1))).max(1);
        }
        let mut slots = vec![S::default(); if S::PASSES { 0 } else { rows }];
        let codes = || vec![0; rows];
        let places = || vec![0; rows];
        let sentences = Sentences::new(rows, piece);
        let mut columns =
            Self { status: codes(), reason: codes(), rule: codes(), start: places(), end: places(), sentences };
        let mut first = 0;
        let mut lent = if S::PASSES { None } else { Some(slots.chunks_mut(piece)) };
        let pieces: Vec<Piece<'_, S>> = columns
            .status
            .chunks_mut(piece)
            .zip(columns.reason.chunks_mut(piece))
            .zip(columns.rule.chunks_mut(piece))
            .zip(columns.start.chunks_mut(piece).zip(columns.end.chunks_mut(piece)))
            .zip(columns.sentences.codes.chunks_mut(piece).zip(&mut columns.sentences.said))
            .map(|((((status, reason), rule), (start, end)), (sentence, said))| {
                let values = lent.as_mut().and_then(ChunksMut::next).unwrap_or_default();
                let piece = Piece { first, status, reason, rule, start, end, sentence, said, values };
                first += piece.status.len();
                piece
            })
            .collect();
        let entries = EntryOutcomes::new(column, how.cut);
        let mut arrays: Vec<Result<Option<ArrayRef>, ArrowError>> = pieces.iter().map(|_| Ok(None)).collect();
        if let Some(views) = all.as_ref().filter(|_| rows <= FEW_ROWS && bytes <= FEW_BYTES) {
            for (piece, array) in pieces.into_iter().zip(&mut arrays) {
                *array = piece.read(views, how, &entries, shape, &Stop::default());
            }
        } else {
            let entries = &entries;
            let jobs = pieces.into_iter().zip(&mut arrays).map(|(piece, array)| {
                let views = match &all {
                    Some(views) => views.clone(),
                    None => Arc::new(column.view(py, piece.first..piece.first + piece.status.len())?),
                };
                Ok(move |stop: &Stop| {
                    *array = piece.read(&views, how, entries, shape, stop);
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

/// Whether arrays one behind the other hold the same, wherever each of them ends.
fn are_same(some: &[ArrayRef], others: &[ArrayRef]) -> bool {
    let rows = |arrays: &[ArrayRef]| arrays.iter().map(Array::len).sum::<usize>();
    let (mut some_left, mut others_left) = (some.to_vec(), others.to_vec());
    some_left.reverse();
    others_left.reverse();
    while let (Some(one), Some(other)) = (some_left.pop(), others_left.pop()) {
        let length = one.len().min(other.len());
        if one.slice(0, length).to_data() != other.slice(0, length).to_data() {
            return false;
        }
        for (array, left) in [(one, &mut some_left), (other, &mut others_left)] {
            if array.len() > length {
                left.push(array.slice(length, array.len() - length));
            }
        }
    }
    rows(some) == rows(others)
}

/// Some rows of the columns, to be filled.
struct Piece<'p, S> {
    first: usize,
    status: &'p mut [i8],
    reason: &'p mut [i8],
    rule: &'p mut [i8],
    start: &'p mut [i64],
    end: &'p mut [i64],
    sentence: &'p mut [u8],
    said: &'p mut Vec<&'static str>,
    values: &'p mut [S],
}

impl<'a, S: Slot<'a>> Piece<'_, S> {
    /// Fill the columns, and make the array of values where the slots pass.
    fn read(
        self,
        views: &Views<'a>,
        how: How<'a>,
        entries: &EntryOutcomes<S>,
        shape: Option<&Shape>,
        stop: &Stop,
    ) -> Result<Option<ArrayRef>, ArrowError> {
        let (first, length) = (self.first, self.status.len());
        let rows = first..first + length;
        let Some(shape) = shape.filter(|_| S::PASSES) else {
            views.walk(rows, stop, &mut Filling { piece: self, how, entries });
            return Ok(None);
        };
        let mut slots = vec![S::default(); length];
        let piece = Piece { values: &mut slots, ..self };
        views.walk(rows, stop, &mut Filling { piece, how, entries });
        if stop.is_asked() {
            return Ok(None);
        }
        let cells: Vec<Option<&Value<'_>>> = slots.iter().map(Slot::value).collect();
        shape.array(&cells, first).map(Some)
    }

    fn put(&mut self, row: usize, outcome: (Row, S)) {
        let nth = row.wrapping_sub(self.first);
        let (row, value) = outcome;
        if let (Some(sentence), Some(code)) = (row.sentence, self.sentence.get_mut(nth)) {
            // The same sentence is mostly the same memory.
            let known = self.said.iter().position(|one| std::ptr::eq(*one, sentence) || *one == sentence);
            let place = known.unwrap_or_else(|| {
                self.said.push(sentence);
                self.said.len() - 1
            });
            *code = u8::try_from(place + 1).unwrap_or(0);
        }
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

type Once<S> = OnceLock<(Row, S)>;

/// What the entries of a column's dictionaries gave: each is read once, by the thread that comes to it first.
struct EntryOutcomes<S> {
    /// By the row with which a dictionary's rows begin.
    known: Vec<(usize, Vec<Once<S>>)>,
    /// Where rows differ in it, those of replies that are cut off stand behind the others.
    is_cut: Option<bool>,
    /// Beside material, by where its texts lie in memory.
    beside: Mutex<HashMap<Beside, Arc<Once<S>>>>,
}

/// The first row of a dictionary, the place of an entry's outcome, and where the texts lie that were shown with it.
type Beside = (usize, usize, Vec<(usize, usize)>);

impl<S: Clone> EntryOutcomes<S> {
    fn new(column: &Column, cut: &Cut) -> Self {
        let is_cut = cut.for_all();
        let ways = if is_cut.is_some() { 1 } else { 2 };
        // Of a dictionary that is larger than its column, only what rows point to is read.
        let is_small = |&(_, rows, entries): &(usize, usize, &Entries)| entries.len() <= rows;
        let unread = |entries: &Entries| (0..ways * entries.len()).map(|_| OnceLock::new()).collect();
        let known = column.dictionaries().filter(is_small).map(|(start, _, entries)| (start, unread(entries)));
        Self { known: known.collect(), is_cut, beside: Mutex::default() }
    }

    /// The outcomes of the dictionary whose rows begin at `start`.
    fn of(&self, start: usize) -> &[Once<S>] {
        let found = self.known.binary_search_by_key(&start, |(start, _)| *start).ok();
        found.and_then(|found| self.known.get(found)).map_or(&[], |(_, known)| known)
    }

    /// The outcome of an entry beside these texts.
    fn beside(&self, start: usize, place: usize, shown: &[&str], work_out: impl FnOnce() -> (Row, S)) -> (Row, S) {
        let key = (start, place, shown.iter().map(|text| (text.as_ptr().addr(), text.len())).collect());
        let mut beside = self.beside.lock().unwrap_or_else(PoisonError::into_inner);
        let once = Arc::clone(beside.entry(key).or_default());
        drop(beside);
        once.get_or_init(work_out).clone()
    }

    /// Where the outcome of an entry stands among them.
    fn place(&self, entries: &Entries, entry: usize, is_cut: bool) -> usize {
        if self.is_cut.is_none() && is_cut { entries.len() + entry } else { entry }
    }
}

fn unreadable(reason: Reason, detail: Option<&Detail>) -> Row {
    let sentence = if let Some(Detail::Sentence(sentence)) = detail { Some(*sentence) } else { None };
    Row { status: UNREADABLE, reason: reason_code(reason), sentence, ..Row::default() }
}

/// What the columns keep of an outcome.
fn summary<'a, S: Slot<'a>>(text: Text<'a>, how: How<'a>, is_cut: bool, shown: &[&str]) -> (Row, S) {
    let How { format, mode, .. } = how;
    let (text, is_ascii) = match text {
        Text::Missing => return (unreadable(Reason::Missing, None), S::default()),
        Text::Broken(_) => return (unreadable(Reason::Malformed, None), S::default()),
        Text::Whole { text, is_ascii } => (text, is_ascii),
    };
    let mut outcome = read(text, format, mode, is_cut, shown);
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
            let row = Row { status: OK, rule: rule_code(reading.rule), start, end, ..Row::default() };
            (row, S::take(reading))
        }
        Err(problem) => (unreadable(problem.reason, Some(&problem.detail)), S::default()),
    };
    if format.max_depth() > SHALLOW {
        release(outcome);
    }
    summary
}

/// A piece that is being filled.
struct Filling<'d, 'p, 'a, S> {
    piece: Piece<'p, S>,
    how: How<'a>,
    entries: &'d EntryOutcomes<S>,
}

impl<'a, S: Slot<'a>> Visitor<'a> for Filling<'_, '_, 'a, S> {
    fn visit(&mut self, row: usize, text: Text<'a>) {
        self.piece.put(row, summary(text, self.how, self.how.cut.at(row), &self.how.shown_at(row)));
    }

    fn visit_entries(&mut self, first: usize, entries: &'a Entries, rows: Range<usize>, stop: &Stop) {
        let start = rows.start;
        let known = self.entries.of(first - start);
        for (row, nth) in (first..).zip(rows) {
            if stop.is_asked() {
                return;
            }
            let is_cut = self.how.cut.at(row);
            let shown = self.how.shown_at(row);
            let work_out = || summary(entries.text(nth), self.how, is_cut, &shown);
            let place = entries.entry(nth).map(|entry| self.entries.place(entries, entry, is_cut));
            let outcome = match place.and_then(|place| Some((place, known.get(place)?))) {
                Some((_, known)) if shown.is_empty() => known.get_or_init(work_out).clone(),
                Some((place, _)) => self.entries.beside(first - start, place, &shown, work_out),
                None => work_out(),
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

    /// Where the evidence of a row stands, in code points; None where it was not read.
    pub(crate) fn span(&self, row: usize) -> Option<Range<usize>> {
        let place = |places: &ScalarBuffer<i64>| usize::try_from(*places.get(row)?).ok();
        self.is_ok(row).then(|| Some(place(&self.start)?..place(&self.end)?)).flatten()
    }

    /// Why a row was not read, where that is a fixed sentence.
    pub(crate) fn sentence(&self, row: usize) -> Option<&'static str> {
        self.sentences.at(row)
    }

    pub(crate) fn is_ok(&self, row: usize) -> bool {
        self.status.get(row) == Some(&OK)
    }

    /// Why each row was not read.
    pub(crate) fn reasons(&self) -> impl Iterator<Item = Option<Reason>> {
        let codes = self.status.iter().zip(&self.reason);
        codes.map(|(&status, &reason)| if status == OK { None } else { named(&Reason::ALL, reason) })
    }

    /// Why a row was not read.
    pub(crate) fn reason_at(&self, row: usize) -> Option<Reason> {
        if self.is_ok(row) { None } else { named(&Reason::ALL, *self.reason.get(row)?) }
    }

    /// By which rule a row was read, and where.
    pub(crate) fn place(&self, row: usize) -> Option<(Rule, (i64, i64))> {
        let rule = named(&Rule::ALL, *self.rule.get(row)?).filter(|_| self.is_ok(row))?;
        Some((rule, (*self.start.get(row)?, *self.end.get(row)?)))
    }

    /// Whether the columns are the same, those of the values apart.
    pub(crate) fn is_alike(&self, other: &Self) -> bool {
        let codes = |one: &Self| [one.status.clone(), one.reason.clone(), one.rule.clone()];
        codes(self) == codes(other) && [&self.start, &self.end] == [&other.start, &other.end]
    }

    /// Whether the values are the same, in columns that are otherwise alike and of one format.
    pub(crate) fn has_values_of(&self, other: &Self) -> bool {
        match (&self.values, &other.values) {
            (Values::Bools(one), Values::Bools(other)) => one == other,
            (Values::Scores(one), Values::Scores(other)) => {
                (0..self.len()).all(|row| !self.is_ok(row) || one.get(row) == other.get(row))
            }
            (Values::Labels(one), Values::Labels(other)) => one == other,
            (Values::Arrays(one), Values::Arrays(other)) => are_same(one, other),
            _ => false,
        }
    }

    /// Where the evidence of each row stands, in code points of its reply.
    pub(crate) fn spans(&self) -> impl Iterator<Item = Option<(i64, i64)>> {
        let places = self.status.iter().zip(self.start.iter().zip(self.end.iter()));
        places.map(|(&status, (&start, &end))| (status == OK).then_some((start, end)))
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
            (Values::Documents(_), None) => one(shape.array(&vec![None; self.len()], 0)?),
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
