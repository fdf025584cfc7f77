//! Columns of outcomes, filled by several threads.

use std::collections::HashMap;
use std::mem;
use std::ops::Range;
use std::slice::ChunksMut;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use arrow_array::types::Int8Type;
use arrow_array::{
    Array, ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int8Array, Int32Array, Int64Array, StringArray,
    StructArray,
};
use arrow_buffer::{BooleanBuffer, NullBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, Fields};
use judgecore::{Detail, Format, Mode, Reading, Reason, Rule, Value, read};
use pyo3::prelude::*;

use crate::arrays::{arrow_error, join};
use crate::arrow_text::{Entries, TextVisitor};
use crate::column::{Column, Views};
use crate::cut::Cut;
use crate::deep::{DeepValue, drop_outcome};
use crate::pool::{self, LONG, Stop, Threads};
use crate::text::{Text, code_points};
use crate::value_column::{Shape, labels};

/// The maximum rows of a piece, small enough that every core has work until the end.
const PIECE: usize = 4096;
/// The maximum bytes of a piece, if the outcomes may be as long as the text.
const PIECE_BYTES: usize = 64 << 20;
/// The number of pieces for each thread, if there are enough rows.
const PIECES_EACH: usize = 16;
/// Up to this size, reading takes less time than starting a thread.
const FEW_ROWS: usize = 256;
const FEW_BYTES: usize = LONG;
/// The maximum size of a concatenated array, in bytes; an array of strings can hold two gigabytes.
const MAX_JOINED_BYTES: usize = 1 << 30;

/// The status codes.
pub(crate) const OK: i8 = 0;
pub(crate) const UNREADABLE: i8 = 1;

/// One row of the columns. Codes are indices, and 0 if not applicable.
#[derive(Clone, Copy, Default)]
struct Row {
    status: i8,
    reason: i8,
    rule: i8,
    start: i64,
    end: i64,
    /// The detail of an unreadable reply, if it is a fixed sentence.
    sentence: Option<&'static str>,
}

/// The fixed sentences of unreadable rows, deduplicated for each piece of `rows` rows.
#[derive(Clone, Default)]
pub(crate) struct Sentences {
    rows: usize,
    /// The index of a row's sentence in its piece, counted from 1; 0 if it has none.
    codes: Vec<u8>,
    distinct: Vec<Vec<&'static str>>,
}

impl Sentences {
    fn new(rows: usize, piece: usize) -> Self {
        Self { rows: piece, codes: vec![0; rows], distinct: vec![Vec::new(); rows.div_ceil(piece)] }
    }

    fn at(&self, row: usize) -> Option<&'static str> {
        let code = usize::from(*self.codes.get(row)?).checked_sub(1)?;
        self.distinct.get(row.checked_div(self.rows)?)?.get(code).copied()
    }
}

/// The columns of outcomes.
#[derive(Clone)]
pub(crate) struct Outcomes {
    pub(crate) status: ScalarBuffer<i8>,
    pub(crate) values: Values,
    pub(crate) reason: ScalarBuffer<i8>,
    pub(crate) rule: ScalarBuffer<i8>,
    pub(crate) start: ScalarBuffer<i64>,
    pub(crate) end: ScalarBuffer<i64>,
    /// Ignored when outcomes are compared and pickled.
    pub(crate) sentences: Sentences,
}

/// The column of values, by kind.
#[derive(Clone)]
pub(crate) enum Values {
    Bools(Vec<bool>),
    Scores(ScalarBuffer<f64>),
    Labels(ScalarBuffer<i32>),
    /// Consecutive arrays, for kinds whose values are not single numbers.
    Arrays(Vec<ArrayRef>),
    /// Documents are read again from the replies on demand.
    Documents,
}

/// An element of a column of values.
trait Element<'a>: Clone + Default + Send + Sync {
    /// Whether the elements of a piece are temporary, and are converted to an array when the piece is full.
    const IS_TEMPORARY: bool = false;

    /// Take the element from a reading.
    fn take(reading: &mut Reading<'a>) -> Self;

    fn value(&self) -> Option<&Value<'a>> {
        None
    }
}

impl Element<'_> for bool {
    fn take(reading: &mut Reading<'_>) -> Self {
        matches!(reading.value, Value::Bool(true))
    }
}

impl Element<'_> for f64 {
    fn take(reading: &mut Reading<'_>) -> Self {
        if let Value::Score(score) = reading.value { score } else { Self::NAN }
    }
}

impl Element<'_> for i32 {
    fn take(reading: &mut Reading<'_>) -> Self {
        let label = if let Value::Label(label, _) = reading.value { Self::try_from(label).ok() } else { None };
        label.unwrap_or(-1)
    }
}

impl Element<'_> for () {
    fn take(_: &mut Reading<'_>) {}
}

impl<'a> Element<'a> for Option<Arc<DeepValue<'a>>> {
    const IS_TEMPORARY: bool = true;

    fn take(reading: &mut Reading<'a>) -> Self {
        Some(Arc::new(DeepValue(mem::replace(&mut reading.value, Value::Bool(false)))))
    }

    fn value(&self) -> Option<&Value<'a>> {
        self.as_ref().map(|deep| &deep.0)
    }
}

/// The options for reading replies.
#[derive(Clone, Copy)]
pub(crate) struct ReadOptions<'a> {
    pub(crate) format: &'a Format,
    pub(crate) mode: Mode,
    pub(crate) cut: &'a Cut,
    /// The columns of material.
    pub(crate) material: &'a [Views<'a>],
}

impl<'a> ReadOptions<'a> {
    /// Return why a row is unreadable, in words.
    pub(crate) fn detail(&self, row: usize, text: Text<'a>) -> String {
        match text {
            Text::Missing => "there is no reply".to_owned(),
            Text::Broken(at) => Detail::NotText(at).to_string(),
            Text::Whole { text, .. } => {
                let outcome = read(text, self.format, self.mode, self.cut.at(row), &self.material_at(row));
                let detail = outcome.as_ref().err().map(|unread| unread.detail.to_string());
                drop_outcome(self.format, outcome);
                detail.unwrap_or_default()
            }
        }
    }

    /// Return the material of a row.
    fn material_at(&self, row: usize) -> Vec<&'a str> {
        let text = |view: &Views<'a>| if let Text::Whole { text, .. } = view.text(row) { Some(text) } else { None };
        self.material.iter().filter_map(text).collect()
    }
}

impl Outcomes {
    /// Read all texts, without keeping documents.
    pub(crate) fn read<'a>(
        py: Python<'a>,
        column: &'a Column,
        options: ReadOptions<'a>,
        threads: Option<Threads>,
    ) -> PyResult<Self> {
        match Shape::of(options.format) {
            Shape::Bool => {
                let (columns, values, _) = Columns::fill::<bool>(py, column, options, threads, None)?;
                Ok(columns.with(Values::Bools(values)))
            }
            Shape::Score => {
                let (columns, values, _) = Columns::fill::<f64>(py, column, options, threads, None)?;
                Ok(columns.with(Values::Scores(values.into())))
            }
            Shape::Label(_) => {
                let (columns, values, _) = Columns::fill::<i32>(py, column, options, threads, None)?;
                Ok(columns.with(Values::Labels(values.into())))
            }
            Shape::Document(_) => {
                let (columns, ..) = Columns::fill::<()>(py, column, options, threads, None)?;
                Ok(columns.with(Values::Documents))
            }
            shape => {
                let (columns, _, arrays) =
                    Columns::fill::<Option<Arc<DeepValue<'a>>>>(py, column, options, threads, Some(&shape))?;
                Ok(columns.with(Values::Arrays(arrays)))
            }
        }
    }

    /// Read all texts, and return only their documents.
    pub(crate) fn read_documents<'a>(
        py: Python<'a>,
        column: &'a Column,
        options: ReadOptions<'a>,
        threads: Option<Threads>,
        shape: &Shape,
    ) -> PyResult<Vec<ArrayRef>> {
        Columns::fill::<Option<Arc<DeepValue<'a>>>>(py, column, options, threads, Some(shape))
            .map(|(_, _, arrays)| arrays)
    }
}

/// Columns under construction.
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

    /// Read all rows. Return the columns, the values, and their arrays if the values are temporary.
    fn fill<'a, S: Element<'a>>(
        py: Python<'a>,
        column: &'a Column,
        options: ReadOptions<'a>,
        threads: Option<Threads>,
        shape: Option<&Shape>,
    ) -> PyResult<(Self, Vec<S>, Vec<ArrayRef>)> {
        let rows = column.len();
        let threads = pool::count(threads);
        let mut piece = rows.div_ceil(threads * PIECES_EACH).clamp(1, PIECE);
        // If the size in bytes matters, all rows are viewed first.
        let all = if S::IS_TEMPORARY || rows <= FEW_ROWS { Some(Arc::new(column.views(py)?)) } else { None };
        let bytes = all.as_ref().map_or(0, |views| views.bytes());
        if S::IS_TEMPORARY {
            // The values of a piece must fit into one array.
            piece = piece.min((rows.saturating_mul(PIECE_BYTES)).div_ceil(bytes.max(1))).max(1);
        }
        let mut elements = vec![S::default(); if S::IS_TEMPORARY { 0 } else { rows }];
        let codes = || vec![0; rows];
        let places = || vec![0; rows];
        let sentences = Sentences::new(rows, piece);
        let mut columns =
            Self { status: codes(), reason: codes(), rule: codes(), start: places(), end: places(), sentences };
        let mut first = 0;
        let mut lent = if S::IS_TEMPORARY { None } else { Some(elements.chunks_mut(piece)) };
        let pieces: Vec<Piece<'_, S>> = columns
            .status
            .chunks_mut(piece)
            .zip(columns.reason.chunks_mut(piece))
            .zip(columns.rule.chunks_mut(piece))
            .zip(columns.start.chunks_mut(piece).zip(columns.end.chunks_mut(piece)))
            .zip(columns.sentences.codes.chunks_mut(piece).zip(&mut columns.sentences.distinct))
            .map(|((((status, reason), rule), (start, end)), (sentence, distinct))| {
                let values = lent.as_mut().and_then(ChunksMut::next).unwrap_or_default();
                let piece = Piece { first, status, reason, rule, start, end, sentence, distinct, values };
                first += piece.status.len();
                piece
            })
            .collect();
        let entries = DictionaryOutcomes::new(column, options.cut);
        let mut arrays: Vec<Result<Option<ArrayRef>, ArrowError>> = pieces.iter().map(|_| Ok(None)).collect();
        if let Some(views) = all.as_ref().filter(|_| rows <= FEW_ROWS && bytes <= FEW_BYTES) {
            for (piece, array) in pieces.into_iter().zip(&mut arrays) {
                *array = piece.read(views, options, &entries, shape, &Stop::default());
            }
        } else {
            let entries = &entries;
            let jobs = pieces.into_iter().zip(&mut arrays).map(|(piece, array)| {
                let views = match &all {
                    Some(views) => views.clone(),
                    None => Arc::new(column.view(py, piece.first..piece.first + piece.status.len())?),
                };
                Ok(move |stop: &Stop| {
                    *array = piece.read(&views, options, entries, shape, stop);
                })
            });
            pool::run_each(py, threads, jobs)?;
        }
        let arrays = arrays.into_iter().filter_map(Result::transpose).collect::<Result<Vec<_>, _>>();
        let arrays = arrays.and_then(|arrays| match (shape, arrays.is_empty()) {
            (Some(shape), true) => Ok(vec![shape.array(&[], 0)?]),
            _ => py.detach(|| join_all(&arrays)),
        });
        Ok((columns, elements, arrays.map_err(|problem| arrow_error(&problem))?))
    }
}

/// Concatenate consecutive arrays into as few as possible.
fn join_all(arrays: &[ArrayRef]) -> Result<Vec<ArrayRef>, ArrowError> {
    let mut joined = Vec::new();
    let mut rest = arrays;
    while !rest.is_empty() {
        let mut bytes = 0;
        let fits = |array: &&ArrayRef| {
            bytes += array.get_array_memory_size();
            bytes <= MAX_JOINED_BYTES
        };
        let (some, others) = rest.split_at(rest.iter().take_while(fits).count().max(1).min(rest.len()));
        joined.push(join(some)?);
        rest = others;
    }
    Ok(joined)
}

/// Whether two sequences of arrays are equal when concatenated.
fn are_equal(some: &[ArrayRef], others: &[ArrayRef]) -> bool {
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

/// Mutable slices of the columns for some rows.
struct Piece<'p, S> {
    first: usize,
    status: &'p mut [i8],
    reason: &'p mut [i8],
    rule: &'p mut [i8],
    start: &'p mut [i64],
    end: &'p mut [i64],
    sentence: &'p mut [u8],
    distinct: &'p mut Vec<&'static str>,
    values: &'p mut [S],
}

impl<'a, S: Element<'a>> Piece<'_, S> {
    /// Fill the columns. Return the array of values if they are temporary.
    fn read(
        self,
        views: &Views<'a>,
        options: ReadOptions<'a>,
        entries: &DictionaryOutcomes<S>,
        shape: Option<&Shape>,
        stop: &Stop,
    ) -> Result<Option<ArrayRef>, ArrowError> {
        let (first, length) = (self.first, self.status.len());
        let rows = first..first + length;
        let Some(shape) = shape.filter(|_| S::IS_TEMPORARY) else {
            views.visit_rows(rows, stop, &mut PieceFiller { piece: self, options, entries });
            return Ok(None);
        };
        let mut elements = vec![S::default(); length];
        let piece = Piece { values: &mut elements, ..self };
        views.visit_rows(rows, stop, &mut PieceFiller { piece, options, entries });
        if stop.is_requested() {
            return Ok(None);
        }
        let cells: Vec<Option<&Value<'_>>> = elements.iter().map(Element::value).collect();
        shape.array(&cells, first).map(Some)
    }

    fn put(&mut self, row: usize, outcome: (Row, S)) {
        let nth = row.wrapping_sub(self.first);
        let (row, value) = outcome;
        if let (Some(sentence), Some(code)) = (row.sentence, self.sentence.get_mut(nth)) {
            // Equal sentences mostly have the same address.
            let known = self.distinct.iter().position(|one| std::ptr::eq(*one, sentence) || *one == sentence);
            let place = known.unwrap_or_else(|| {
                self.distinct.push(sentence);
                self.distinct.len() - 1
            });
            *code = u8::try_from(place + 1).unwrap_or(0);
        }
        if let (Some(status), Some(reason), Some(rule), Some(start), Some(end), Some(element)) = (
            self.status.get_mut(nth),
            self.reason.get_mut(nth),
            self.rule.get_mut(nth),
            self.start.get_mut(nth),
            self.end.get_mut(nth),
            self.values.get_mut(nth),
        ) {
            (*status, *reason, *rule, *start, *end, *element) =
                (row.status, row.reason, row.rule, row.start, row.end, value);
        }
    }
}

type OnceOutcome<S> = OnceLock<(Row, S)>;

/// The outcomes of a column's dictionary entries, each of which is read once.
struct DictionaryOutcomes<S> {
    /// By the first row of the dictionary array.
    known: Vec<(usize, Vec<OnceOutcome<S>>)>,
    /// Whether all replies are cut off. If rows differ, the outcomes of cut replies follow those of whole ones.
    is_cut: Option<bool>,
    /// Outcomes with material, by the addresses of its texts.
    with_material: Mutex<HashMap<MaterialKey, Arc<OnceOutcome<S>>>>,
}

/// The first row of a dictionary array, the index of an entry's outcome, and the addresses of the material.
type MaterialKey = (usize, usize, Vec<(usize, usize)>);

impl<S: Clone> DictionaryOutcomes<S> {
    fn new(column: &Column, cut: &Cut) -> Self {
        let is_cut = cut.for_all();
        let ways = if is_cut.is_some() { 1 } else { 2 };
        // For a dictionary that is larger than its column, only the used entries are read.
        let is_small = |&(_, rows, entries): &(usize, usize, &Entries)| entries.len() <= rows;
        let unread = |entries: &Entries| (0..ways * entries.len()).map(|_| OnceLock::new()).collect();
        let known = column.dictionaries().filter(is_small).map(|(start, _, entries)| (start, unread(entries)));
        Self { known: known.collect(), is_cut, with_material: Mutex::default() }
    }

    /// Return the outcomes of the dictionary array whose rows begin at `start`.
    fn of(&self, start: usize) -> &[OnceOutcome<S>] {
        let found = self.known.binary_search_by_key(&start, |(start, _)| *start).ok();
        found.and_then(|found| self.known.get(found)).map_or(&[], |(_, known)| known)
    }

    /// Return the outcome of an entry with this material.
    fn with_material(
        &self,
        start: usize,
        place: usize,
        material: &[&str],
        compute: impl FnOnce() -> (Row, S),
    ) -> (Row, S) {
        let key = (start, place, material.iter().map(|text| (text.as_ptr().addr(), text.len())).collect());
        let mut with_material = self.with_material.lock().unwrap_or_else(PoisonError::into_inner);
        let once = Arc::clone(with_material.entry(key).or_default());
        drop(with_material);
        once.get_or_init(compute).clone()
    }

    /// Return the index of an entry's outcome.
    fn place(&self, entries: &Entries, entry: usize, is_cut: bool) -> usize {
        if self.is_cut.is_none() && is_cut { entries.len() + entry } else { entry }
    }
}

fn unreadable(reason: Reason, detail: Option<&Detail>) -> Row {
    let sentence = if let Some(Detail::Sentence(sentence)) = detail { Some(*sentence) } else { None };
    Row { status: UNREADABLE, reason: reason_code(reason), sentence, ..Row::default() }
}

/// Read a text, and return its row and value.
fn summary<'a, S: Element<'a>>(text: Text<'a>, options: ReadOptions<'a>, is_cut: bool, material: &[&str]) -> (Row, S) {
    let ReadOptions { format, mode, .. } = options;
    let (text, is_ascii) = match text {
        Text::Missing => return (unreadable(Reason::Missing, None), S::default()),
        Text::Broken(_) => return (unreadable(Reason::Malformed, None), S::default()),
        Text::Whole { text, is_ascii } => (text, is_ascii),
    };
    let mut outcome = read(text, format, mode, is_cut, material);
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
    drop_outcome(format, outcome);
    summary
}

/// Fills a piece.
struct PieceFiller<'d, 'p, 'a, S> {
    piece: Piece<'p, S>,
    options: ReadOptions<'a>,
    entries: &'d DictionaryOutcomes<S>,
}

impl<'a, S: Element<'a>> TextVisitor<'a> for PieceFiller<'_, '_, 'a, S> {
    fn visit(&mut self, row: usize, text: Text<'a>) {
        self.piece.put(row, summary(text, self.options, self.options.cut.at(row), &self.options.material_at(row)));
    }

    fn visit_entries(&mut self, first: usize, entries: &'a Entries, rows: Range<usize>, stop: &Stop) {
        let start = rows.start;
        let known = self.entries.of(first - start);
        for (row, nth) in (first..).zip(rows) {
            if stop.is_requested() {
                return;
            }
            let is_cut = self.options.cut.at(row);
            let material = self.options.material_at(row);
            let compute = || summary(entries.text(nth), self.options, is_cut, &material);
            let place = entries.entry(nth).map(|entry| self.entries.place(entries, entry, is_cut));
            let outcome = match place.and_then(|place| Some((place, known.get(place)?))) {
                Some((_, known)) if material.is_empty() => known.get_or_init(compute).clone(),
                Some((place, _)) => self.entries.with_material(first - start, place, &material, compute),
                None => compute(),
            };
            self.piece.put(row, outcome);
        }
    }
}

/// Return the code of a reason.
fn reason_code(reason: Reason) -> i8 {
    place(Reason::ALL.iter().position(|one| *one == reason))
}

/// Return the code of a rule.
fn rule_code(rule: Rule) -> i8 {
    place(Rule::ALL.iter().position(|one| *one == rule))
}

fn place(found: Option<usize>) -> i8 {
    found.and_then(|place| i8::try_from(place).ok()).unwrap_or_default()
}

/// Return the item of a code.
fn named<T: Copy>(all: &[T], code: i8) -> Option<T> {
    usize::try_from(code).ok().and_then(|place| all.get(place)).copied()
}

impl Outcomes {
    pub(crate) fn len(&self) -> usize {
        self.status.len()
    }

    /// Return the span of a row's evidence in code points; None if it is unreadable.
    pub(crate) fn span(&self, row: usize) -> Option<Range<usize>> {
        let place = |places: &ScalarBuffer<i64>| usize::try_from(*places.get(row)?).ok();
        self.is_ok(row).then(|| Some(place(&self.start)?..place(&self.end)?)).flatten()
    }

    /// Return the detail of an unreadable row, if it is a fixed sentence.
    pub(crate) fn sentence(&self, row: usize) -> Option<&'static str> {
        self.sentences.at(row)
    }

    pub(crate) fn is_ok(&self, row: usize) -> bool {
        self.status.get(row) == Some(&OK)
    }

    /// Iterate over the reasons; None for rows that were read.
    pub(crate) fn reasons(&self) -> impl Iterator<Item = Option<Reason>> {
        let codes = self.status.iter().zip(&self.reason);
        codes.map(|(&status, &reason)| if status == OK { None } else { named(&Reason::ALL, reason) })
    }

    /// Return the reason of an unreadable row.
    pub(crate) fn reason_at(&self, row: usize) -> Option<Reason> {
        if self.is_ok(row) { None } else { named(&Reason::ALL, *self.reason.get(row)?) }
    }

    /// Return the rule and the span of a row that was read.
    pub(crate) fn place(&self, row: usize) -> Option<(Rule, (i64, i64))> {
        let rule = named(&Rule::ALL, *self.rule.get(row)?).filter(|_| self.is_ok(row))?;
        Some((rule, (*self.start.get(row)?, *self.end.get(row)?)))
    }

    /// Whether the columns other than the values are equal.
    pub(crate) fn equals_except_values(&self, other: &Self) -> bool {
        let codes = |one: &Self| [one.status.clone(), one.reason.clone(), one.rule.clone()];
        codes(self) == codes(other) && [&self.start, &self.end] == [&other.start, &other.end]
    }

    /// Whether the values are equal, if the other columns and the formats are.
    pub(crate) fn equals_in_values(&self, other: &Self) -> bool {
        match (&self.values, &other.values) {
            (Values::Bools(one), Values::Bools(other)) => one == other,
            (Values::Scores(one), Values::Scores(other)) => {
                (0..self.len()).all(|row| !self.is_ok(row) || one.get(row) == other.get(row))
            }
            (Values::Labels(one), Values::Labels(other)) => one == other,
            (Values::Arrays(one), Values::Arrays(other)) => are_equal(one, other),
            _ => false,
        }
    }

    /// Iterate over the spans of the evidence, in code points of the reply.
    pub(crate) fn spans(&self) -> impl Iterator<Item = Option<(i64, i64)>> {
        let places = self.status.iter().zip(self.start.iter().zip(self.end.iter()));
        places.map(|(&status, (&start, &end))| (status == OK).then_some((start, end)))
    }

    /// Iterate over the rules; None for unreadable rows.
    pub(crate) fn rules(&self) -> impl Iterator<Item = Option<Rule>> {
        let codes = self.status.iter().zip(&self.rule);
        codes.map(|(&status, &rule)| if status == OK { named(&Rule::ALL, rule) } else { None })
    }
}

/// Return the Arrow fields of an outcome, with values of a type.
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
    /// Return the columns as struct arrays, one for each array of values, without copying numbers. `documents` are the
    /// values if they are not stored here.
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
                    return Err(ArrowError::ComputeError("labels have no names".to_owned()));
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
