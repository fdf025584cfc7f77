//! `Readings`: the outcomes of many replies, as columns.

use std::sync::atomic::{AtomicUsize, Ordering};

use judgecore::{Mode, Reason, Rule, Value, read, release};
use numpy::{PyArray1, ToPyArray};
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBool, PyDict, PyEllipsis, PyList, PySlice, PyString};
use rayon::prelude::*;

use crate::format::PyFormat;
use crate::json::SHALLOW;
use crate::memo::Memo;
use crate::parse::one;
use crate::text::utf8;

/// Replies are read in pieces of this many rows, so that every core has work until the end.
const PIECE: usize = 4096;

/// Which replies are known to be cut off.
pub(crate) enum Cut {
    All(bool),
    Each(Vec<bool>),
}

impl Cut {
    pub(crate) fn new(given: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(given) = given else {
            return Ok(Self::All(false));
        };
        if let Ok(one) = given.extract::<bool>() {
            return Ok(Self::All(one));
        }
        let each = given.try_iter()?.map(|one| one?.is_truthy()).collect::<PyResult<_>>()?;
        Ok(Self::Each(each))
    }

    fn at(&self, row: usize) -> bool {
        match self {
            Self::All(cut) => *cut,
            Self::Each(each) => each.get(row).copied().unwrap_or(false),
        }
    }
}

/// What a caller says for rows that were not read; `...` says nothing.
enum StandIn<'py> {
    NotSaid,
    Said(Bound<'py, PyAny>),
}

impl<'py> FromPyObject<'_, 'py> for StandIn<'py> {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if given.is_instance_of::<PyEllipsis>() { Ok(Self::NotSaid) } else { Ok(Self::Said(given.to_owned())) }
    }
}

/// A row of the columns: what every kind of outcome has.
#[derive(Clone, Copy)]
struct Row {
    reason: Option<Reason>,
    rule: Option<Rule>,
}

/// The values of a kind that fits a column; others are read again when asked for.
enum Values {
    Bools(Vec<bool>),
    Scores(Vec<f64>),
    Labels(Vec<usize>),
    Objects,
}

/// The outcomes of many replies.
#[pyclass(frozen, sequence, module = "judgecore")]
pub(crate) struct Readings {
    replies: Vec<Text>,
    format: Py<PyFormat>,
    mode: Mode,
    cut: Cut,
    rows: Vec<Row>,
    values: Values,
}

/// One reply, held so that its text can be read without the GIL.
enum Text {
    Missing,
    Backed(PyBackedStr),
    /// The text without its lone surrogates, and the string that it comes from.
    Mended(Box<(String, Py<PyString>)>),
}

impl Text {
    fn new(reply: Bound<'_, PyAny>, row: usize) -> PyResult<Self> {
        let text = match reply.cast_into::<PyString>() {
            Ok(text) => text,
            Err(problem) => {
                let reply = problem.into_inner();
                if reply.is_none() {
                    return Ok(Self::Missing);
                }
                let kind = reply.get_type().name()?;
                return Err(PyTypeError::new_err(format!("replies[{row}] must be a str or None, not {kind}")));
            }
        };
        if text.to_str().is_err() {
            return Ok(Self::Mended(Box::new((utf8(&text)?.into_owned(), text.unbind()))));
        }
        Ok(Self::Backed(PyBackedStr::try_from(text)?))
    }

    fn as_str(&self) -> Option<&str> {
        match self {
            Self::Missing => None,
            Self::Backed(text) => Some(text),
            Self::Mended(mended) => Some(&mended.0),
        }
    }

    /// The reply as it was given.
    fn given<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        match self {
            Self::Missing => py.None().into_bound(py),
            Self::Backed(text) => text.as_py_str().bind(py).clone().into_any(),
            Self::Mended(mended) => mended.1.bind(py).clone().into_any(),
        }
    }
}

impl Readings {
    pub(crate) fn read(
        py: Python<'_>,
        replies: &Bound<'_, PyAny>,
        format: Py<PyFormat>,
        mode: Mode,
        cut: Cut,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        if replies.is_instance_of::<PyString>() {
            return Err(PyTypeError::new_err("replies must be a list of replies; for one reply call parse"));
        }
        let replies = texts(replies)?;
        if let Cut::Each(each) = &cut
            && each.len() != replies.len()
        {
            return Err(PyValueError::new_err(format!("cut has {} rows, replies has {}", each.len(), replies.len())));
        }
        let inner = &format.get().inner;
        let mut rows = vec![Row { reason: None, rule: None }; replies.len()];
        let mut numbers = vec![0.0; replies.len()];
        let work = || {
            replies
                .par_chunks(PIECE)
                .zip(rows.par_chunks_mut(PIECE))
                .zip(numbers.par_chunks_mut(PIECE))
                .enumerate()
                .for_each(|(piece, ((texts, rows), numbers))| {
                    let mut memos = [Memo::new(), Memo::new()];
                    let [whole, cut_off] = &mut memos;
                    for (nth, ((text, row), number)) in texts.iter().zip(rows).zip(numbers).enumerate() {
                        let Some(text) = text.as_str() else {
                            *row = Row { reason: Some(Reason::Missing), rule: None };
                            continue;
                        };
                        let is_cut = cut.at(piece * PIECE + nth);
                        let memo = if is_cut { &mut *cut_off } else { &mut *whole };
                        (*row, *number) = memo.get(text, |text| summary(text, inner, mode, is_cut));
                    }
                });
        };
        match threads {
            None => py.detach(work),
            Some(threads) => {
                let pool = rayon::ThreadPoolBuilder::new()
                    .num_threads(threads.max(1))
                    .build()
                    .map_err(|problem| PyValueError::new_err(problem.to_string()))?;
                py.detach(|| pool.install(work));
            }
        }
        let values = column(inner, numbers);
        Ok(Self { replies, format, mode, cut, rows, values })
    }

    fn is_ok(&self, row: usize) -> bool {
        self.rows.get(row).is_some_and(|row| row.reason.is_none())
    }

    fn value<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Bound<'py, PyAny>> {
        if !self.is_ok(row) {
            return Ok(py.None().into_bound(py));
        }
        Ok(match &self.values {
            Values::Bools(column) => column.get(row).copied().unwrap_or(false).into_pyobject(py)?.to_owned().into_any(),
            Values::Scores(column) => column.get(row).copied().unwrap_or(f64::NAN).into_pyobject(py)?.into_any(),
            Values::Labels(column) => {
                let label = column.get(row).and_then(|&label| self.format.get().labels.get(label));
                label.map_or_else(|| py.None().into_bound(py), |label| label.bind(py).clone().into_any())
            }
            Values::Objects => self.again(py, row)?.getattr("value")?,
        })
    }

    /// The outcome of a row, read again.
    fn again<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Bound<'py, PyAny>> {
        let reply = self.replies.get(row).ok_or_else(|| PyIndexError::new_err("row out of range"))?;
        one(py, &reply.given(py), self.format.get(), self.mode, self.cut.at(row))
    }
}

/// The outcomes of `Readings`, one after the other.
#[pyclass(frozen, module = "judgecore")]
struct Rows {
    readings: Py<Readings>,
    next: AtomicUsize,
}

#[pymethods]
impl Rows {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let row = self.next.fetch_add(1, Ordering::Relaxed);
        let readings = self.readings.get();
        (row < readings.rows.len()).then(|| readings.again(py, row)).transpose()
    }
}

/// All replies, held; an error names the row of one that is no reply.
fn texts(replies: &Bound<'_, PyAny>) -> PyResult<Vec<Text>> {
    if let Ok(list) = replies.cast::<PyList>() {
        return list.iter().enumerate().map(|(row, reply)| Text::new(reply, row)).collect();
    }
    replies.try_iter()?.enumerate().map(|(row, reply)| Text::new(reply?, row)).collect()
}

/// What the columns keep of an outcome.
fn summary(text: &str, format: &judgecore::Format, mode: Mode, is_cut: bool) -> (Row, f64) {
    let outcome = read(text, format, mode, is_cut);
    let summary = match &outcome {
        Ok(reading) => {
            let number = match &reading.value {
                Value::Bool(value) => f64::from(u8::from(*value)),
                Value::Score(value) => *value,
                Value::Label(label, _) => u32::try_from(*label).map_or(0.0, f64::from),
                _ => 0.0,
            };
            (Row { reason: None, rule: Some(reading.rule) }, number)
        }
        Err(unreadable) => (Row { reason: Some(unreadable.reason), rule: None }, 0.0),
    };
    if format.max_depth() > SHALLOW {
        release(outcome);
    }
    summary
}

fn column(format: &judgecore::Format, numbers: Vec<f64>) -> Values {
    use judgecore::format::Kind;
    match format.kind() {
        Kind::Binary => Values::Bools(numbers.into_iter().map(|number| number > 0.5).collect()),
        Kind::Score => Values::Scores(numbers),
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a label's index went in as u32")]
        Kind::Choice => Values::Labels(numbers.into_iter().map(|number| number as usize).collect()),
        _ => Values::Objects,
    }
}

#[pymethods]
impl Readings {
    fn __len__(&self) -> usize {
        self.rows.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(slice) = index.cast::<PySlice>() {
            let indices = slice.indices(isize::try_from(self.rows.len())?)?;
            let mut outcomes = Vec::with_capacity(indices.slicelength);
            let mut row = indices.start;
            for _ in 0..indices.slicelength {
                outcomes.push(self.again(py, usize::try_from(row)?)?);
                row += indices.step;
            }
            return Ok(PyList::new(py, outcomes)?.into_any());
        }
        let length = isize::try_from(self.rows.len())?;
        let index: isize = index.extract()?;
        let row = if index < 0 { index + length } else { index };
        if !(0..length).contains(&row) {
            return Err(PyIndexError::new_err(format!("row {index} of {length}")));
        }
        self.again(py, usize::try_from(row)?)
    }

    fn __iter__(slf: Bound<'_, Self>) -> Rows {
        Rows { readings: slf.unbind(), next: AtomicUsize::new(0) }
    }

    #[getter]
    fn format(&self, py: Python<'_>) -> Py<PyFormat> {
        self.format.clone_ref(py)
    }

    #[getter]
    fn mode(&self) -> &'static str {
        self.mode.name()
    }

    fn counts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let counts = PyDict::new(py);
        let ok = self.rows.iter().filter(|row| row.reason.is_none()).count();
        counts.set_item("ok", ok)?;
        for reason in Reason::ALL {
            let count = self.rows.iter().filter(|row| row.reason == Some(reason)).count();
            if count > 0 {
                counts.set_item(reason.name(), count)?;
            }
        }
        Ok(counts)
    }

    #[getter]
    fn ok<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        let ok: Vec<bool> = self.rows.iter().map(|row| row.reason.is_none()).collect();
        ok.to_pyarray(py)
    }

    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let values = (0..self.rows.len()).map(|row| self.value(py, row)).collect::<PyResult<Vec<_>>>()?;
        PyList::new(py, values)
    }

    #[getter]
    fn reason<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.rows.iter().map(|row| row.reason.map(Reason::name)))
    }

    #[getter]
    fn rule<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.rows.iter().map(|row| row.rule.map(Rule::name)))
    }

    #[pyo3(signature = (*, unreadable = StandIn::NotSaid), text_signature = "($self, *, unreadable=...)")]
    #[expect(clippy::needless_pass_by_value, reason = "an argument that Python hands over")]
    fn to_numpy<'py>(&self, py: Python<'py>, unreadable: StandIn<'py>) -> PyResult<Bound<'py, PyAny>> {
        let first = self.rows.iter().position(|row| row.reason.is_some());
        let row = match (&unreadable, first) {
            (StandIn::Said(stand_in), _) => return self.array(py, Some(stand_in)),
            (StandIn::NotSaid, None) => return self.array(py, None),
            (StandIn::NotSaid, Some(row)) => row,
        };
        let reason = self.rows.get(row).and_then(|row| row.reason).map_or("", Reason::name);
        Err(PyValueError::new_err(format!(
            "row {row} is unreadable ({reason}); say what stands for such rows: to_numpy(unreadable=...)"
        )))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let counts = self.counts(py)?;
        Ok(format!("Readings({} rows, format={:?}, {})", self.rows.len(), self.format.get().inner.id(), counts.repr()?))
    }
}

impl Readings {
    /// The values as an array, with the caller's stand-in for what was not read.
    fn array<'py>(&self, py: Python<'py>, unreadable: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        let ok = |row: usize| self.is_ok(row);
        match &self.values {
            Values::Scores(column) if unreadable.is_none_or(|stand_in| stand_in.extract::<f64>().is_ok()) => {
                let stand_in = unreadable.map(PyAnyMethods::extract::<f64>).transpose()?.unwrap_or(f64::NAN);
                let values: Vec<f64> =
                    column.iter().enumerate().map(|(row, &value)| if ok(row) { value } else { stand_in }).collect();
                Ok(values.to_pyarray(py).into_any())
            }
            Values::Bools(column) if unreadable.is_none_or(PyAnyMethods::is_instance_of::<PyBool>) => {
                let stand_in = unreadable.map(PyAnyMethods::extract::<bool>).transpose()?.unwrap_or(false);
                let values: Vec<bool> =
                    column.iter().enumerate().map(|(row, &value)| if ok(row) { value } else { stand_in }).collect();
                Ok(values.to_pyarray(py).into_any())
            }
            _ => {
                let array = PyArray1::<Py<PyAny>>::from_vec(py, (0..self.rows.len()).map(|_| py.None()).collect());
                for row in 0..self.rows.len() {
                    let value = match unreadable {
                        Some(stand_in) if !ok(row) => stand_in.clone(),
                        _ => self.value(py, row)?,
                    };
                    array.set_item(row, value)?;
                }
                Ok(array.into_any())
            }
        }
    }
}
