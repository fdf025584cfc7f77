//! The class `Readings`: columns of outcomes.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use arrow_array::{Array, ArrayRef, StringArray, StructArray, new_null_array};
use arrow_schema::{DataType, Fields};
use judgecore::{Detail, Mode, Reason, Rule};
use numpy::{PyArray1, ToPyArray};
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyCapsule, PyDict, PyEllipsis, PyFloat, PyList, PySlice, PyString, PyTuple, PyType};
use pyo3_arrow::PyArray;

use crate::arrays::{arrow_error, join, strings};
use crate::capsule;
use crate::column::{Column, Views};
use crate::cut::Cut;
use crate::format::PyFormat;
use crate::json_column::{Document, is_supported};
use crate::material::{self, Materials};
use crate::one::{read_one, value_of};
use crate::outcome::{PyReading, PyUnreadable};
use crate::outcomes::{OK, Outcomes, ReadOptions, Values, fields};
use crate::pickle;
use crate::pool::{self, SignalPoll, Stop, Threads};
use crate::text::Text;
use crate::value_column::Shape;
use crate::value_objects::{Style, cells};

/// The number of texts that a job creates.
const TEXTS: usize = 1024;

/// The `unreadable` argument, which stands in for unreadable rows; `...` means that it is not set.
enum StandIn<'py> {
    Unset,
    Set(Bound<'py, PyAny>),
}

impl<'py> FromPyObject<'_, 'py> for StandIn<'py> {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if given.is_instance_of::<PyEllipsis>() { Ok(Self::Unset) } else { Ok(Self::Set(given.to_owned())) }
    }
}

/// The replies, and the arguments that they were read with.
struct Source {
    replies: Column,
    cut: Cut,
    materials: Materials,
    threads: Option<Threads>,
}

/// `judgecore.Readings`.
#[pyclass(frozen, generic, sequence, module = "judgecore")]
pub(crate) struct Readings {
    /// None if only the columns were copied.
    source: Option<Source>,
    format: Py<PyFormat>,
    mode: Mode,
    outcomes: Outcomes,
    /// The cached export to Arrow.
    arrays: OnceLock<Vec<StructArray>>,
}

impl Readings {
    pub(crate) fn read(
        py: Python<'_>,
        replies: &Bound<'_, PyAny>,
        format: Py<PyFormat>,
        mode: Mode,
        cut: Cut,
        material: Option<&Bound<'_, PyAny>>,
        threads: Option<Threads>,
    ) -> PyResult<Self> {
        if replies.is_instance_of::<PyString>() {
            return Err(PyTypeError::new_err("replies must be a list of replies; for one reply call parse"));
        }
        let replies = Column::new(replies, "replies")?;
        let rows = replies.len();
        if let Cut::Each(each) = &cut
            && each.len() != rows
        {
            return Err(PyValueError::new_err(format!("cut has {} rows, replies has {rows}", each.len())));
        }
        let materials = Materials::new(material, rows)?;
        let material_views = materials.views(py)?;
        let options = ReadOptions { format: &format.get().inner, mode, cut: &cut, material: &material_views };
        let outcomes = Outcomes::read(py, &replies, options, threads)?;
        drop(material_views);
        let source = Source { replies, cut, materials, threads };
        Ok(Self { source: Some(source), format, mode, outcomes, arrays: OnceLock::new() })
    }

    /// Return the values of some rows as objects; None if unreadable.
    fn objects<'py>(&self, py: Python<'py>, rows: Range<usize>, style: Style) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let none = py.None().into_bound(py);
        let outcomes = &self.outcomes;
        let kept = |row: usize, value: Bound<'py, PyAny>| if outcomes.is_ok(row) { value } else { none.clone() };
        match (&outcomes.values, &self.source) {
            (Values::Bools(column), _) => {
                let bools = rows.clone().zip(column.get(rows).unwrap_or_default());
                Ok(bools.map(|(row, &one)| kept(row, PyBool::new(py, one).to_owned().into_any())).collect())
            }
            (Values::Scores(column), _) => {
                let scores = rows.clone().zip(column.get(rows).unwrap_or_default());
                Ok(scores.map(|(row, &score)| kept(row, PyFloat::new(py, score).into_any())).collect())
            }
            (Values::Labels(column), _) => {
                let names = &self.format.get().labels;
                let label = |code: i32| usize::try_from(code).ok().and_then(|code| names.get(code));
                let labels = rows.clone().zip(column.get(rows).unwrap_or_default());
                let labels = labels.map(|(row, &code)| match label(code) {
                    Some(name) => kept(row, name.bind(py).clone().into_any()),
                    None => none.clone(),
                });
                Ok(labels.collect())
            }
            (Values::Arrays(arrays), _) => {
                let shape = Shape::of(&self.format.get().inner);
                let mut values = Vec::with_capacity(rows.len());
                let mut first = 0;
                for array in arrays {
                    let inside =
                        rows.start.clamp(first, first + array.len())..rows.end.clamp(first, first + array.len());
                    let cells = cells(py, &shape, &array.slice(inside.start - first, inside.len()), style)?;
                    values.extend(cells.into_iter().map(|cell| cell.unwrap_or_else(|| none.clone())));
                    first += array.len();
                }
                Ok(values)
            }
            (Values::Documents, Some(source)) => {
                let mut signals = SignalPoll::new();
                let document = |row| {
                    signals.poll(py)?;
                    if outcomes.is_ok(row) { self.document(py, source, row) } else { Ok(none.clone()) }
                };
                rows.map(document).collect()
            }
            (Values::Documents, None) => Ok(vec![none; rows.len()]),
        }
    }

    /// Read the document of a row again.
    fn document<'py>(&self, py: Python<'py>, source: &Source, row: usize) -> PyResult<Bound<'py, PyAny>> {
        let view = source.replies.view(py, row..row + 1)?;
        let Text::Whole { text, .. } = view.text(row) else { return Ok(py.None().into_bound(py)) };
        let material = source.materials.row(py, row)?;
        let material = material::texts(Some(&material))?;
        let texts: Vec<&str> = material.iter().map(AsRef::as_ref).collect();
        value_of(py, text, self.format.get(), self.mode, source.cut.at(row), &texts)
    }

    fn options<'a>(&'a self, source: &'a Source, material_views: &'a [Views<'a>]) -> ReadOptions<'a> {
        ReadOptions { format: &self.format.get().inner, mode: self.mode, cut: &source.cut, material: material_views }
    }

    /// Copy the columns without the replies.
    fn columns(&self, py: Python<'_>) -> PyResult<Self> {
        let mut outcomes = self.outcomes.clone();
        if matches!(outcomes.values, Values::Documents) {
            let arrays = self.arrow(py, None)?.1;
            let values = arrays.iter().filter_map(|array| array.column_by_name("value").cloned());
            outcomes.values = Values::Arrays(values.collect());
        }
        let format = self.format.clone_ref(py);
        Ok(Self { source: None, format, mode: self.mode, outcomes, arrays: OnceLock::new() })
    }

    /// Return the fields and arrays for Arrow.
    fn arrow(&self, py: Python<'_>, requested: Option<&Bound<'_, PyCapsule>>) -> PyResult<(Fields, Vec<StructArray>)> {
        let shape = self.shape(requested)?;
        let fields = fields(&shape.data_type());
        let is_cacheable = !matches!(&shape, Shape::Document(Document::Typed(_)));
        if let Some(arrays) = self.arrays.get()
            && is_cacheable
        {
            return Ok((fields, arrays.clone()));
        }
        let documents = match (&self.outcomes.values, &self.source, &shape) {
            (Values::Documents, Some(source), _) => {
                let material_views = source.materials.views(py)?;
                let options = self.options(source, &material_views);
                Some(Outcomes::read_documents(py, &source.replies, options, source.threads, &shape)?)
            }
            (Values::Arrays(texts), _, Shape::Document(document @ Document::Typed(_))) => {
                Some(py.detach(|| document.of_arrays(texts)).map_err(|problem| arrow_error(&problem))?)
            }
            _ => None,
        };
        let arrays = self.outcomes.arrays(&shape, documents).map_err(|problem| arrow_error(&problem))?;
        if is_cacheable {
            // Another thread may have set the same value.
            let _ = self.arrays.set(arrays.clone());
        }
        Ok((fields, arrays))
    }

    /// Return the shape of the values in Arrow. Documents have the type that the consumer requests, if it is supported.
    fn shape(&self, requested: Option<&Bound<'_, PyCapsule>>) -> PyResult<Shape> {
        let shape = Shape::of(&self.format.get().inner);
        if let (Shape::Document(_), Some(requested)) = (&shape, requested)
            && let DataType::Struct(fields) = capsule::requested(requested)?
            && let Some((_, value)) = fields.find("value")
            && value.data_type() != &DataType::Utf8
            && is_supported(value.data_type())
        {
            return Ok(Shape::Document(Document::Typed(value.data_type().clone())));
        }
        Ok(shape)
    }

    /// Return the outcome of a row: read again, or from the columns.
    fn outcome<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Bound<'py, PyAny>> {
        let format = self.format.get();
        let Some(source) = &self.source else { return self.outcome_of_columns(py, row) };
        match source.replies.row(py, row)? {
            Ok(reply) => {
                let material = source.materials.row(py, row)?;
                read_one(py, &reply, format, self.mode, source.cut.at(row), Some(&material))
            }
            Err(at) => PyUnreadable::plain(py, format, Reason::Malformed, &Detail::NotText(at).to_string()),
        }
    }

    fn outcome_of_columns<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Bound<'py, PyAny>> {
        let format = self.format.get();
        let Some((rule, (start, end))) = self.outcomes.place(row) else {
            let reason = self.outcomes.reason_at(row).unwrap_or(Reason::Missing);
            return PyUnreadable::plain(py, format, reason, "");
        };
        let span = (usize::try_from(start)?, usize::try_from(end)?);
        let value = self.objects(py, row..row + 1, Style::Outcome)?.pop();
        let value = value.unwrap_or_else(|| py.None().into_bound(py));
        let reading = PyReading::of_columns(format, self.mode, value, rule, span);
        Ok(Bound::new(py, reading)?.into_any())
    }
}

/// The iterator over `Readings`.
#[pyclass(frozen, module = "judgecore")]
struct ReadingsIterator {
    readings: Py<Readings>,
    next: AtomicUsize,
}

#[pymethods]
impl ReadingsIterator {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let row = self.next.fetch_add(1, Ordering::Relaxed);
        let readings = self.readings.get();
        (row < readings.outcomes.len()).then(|| readings.outcome(py, row)).transpose()
    }
}

#[pymethods]
impl Readings {
    fn __len__(&self) -> usize {
        self.outcomes.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(slice) = index.cast::<PySlice>() {
            let indices = slice.indices(isize::try_from(self.outcomes.len())?)?;
            let mut outcomes = Vec::with_capacity(indices.slicelength);
            let mut row = indices.start;
            for _ in 0..indices.slicelength {
                outcomes.push(self.outcome(py, usize::try_from(row)?)?);
                row += indices.step;
            }
            return Ok(PyList::new(py, outcomes)?.into_any());
        }
        let length = isize::try_from(self.outcomes.len())?;
        let index: isize = index.extract()?;
        let row = if index < 0 { index + length } else { index };
        if !(0..length).contains(&row) {
            return Err(PyIndexError::new_err(format!("row {index} is out of range; there are {length} rows")));
        }
        self.outcome(py, usize::try_from(row)?)
    }

    fn __iter__(slf: Bound<'_, Self>) -> ReadingsIterator {
        ReadingsIterator { readings: slf.unbind(), next: AtomicUsize::new(0) }
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
        let ok = self.outcomes.status.iter().filter(|&&status| status == OK).count();
        counts.set_item("ok", ok)?;
        for reason in Reason::ALL {
            let count = self.outcomes.reasons().filter(|&one| one == Some(reason)).count();
            if count > 0 {
                counts.set_item(reason.name(), count)?;
            }
        }
        Ok(counts)
    }

    #[getter]
    fn ok<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        let ok: Vec<bool> = self.outcomes.status.iter().map(|&status| status == OK).collect();
        ok.to_pyarray(py)
    }

    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.objects(py, 0..self.outcomes.len(), Style::Outcome)?)
    }

    #[getter]
    fn reason<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.outcomes.reasons().map(|reason| reason.map(Reason::name)).collect::<Vec<_>>())
    }

    #[getter]
    fn rule<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.outcomes.rules().map(|rule| rule.map(Rule::name)).collect::<Vec<_>>())
    }

    #[pyo3(signature = (*, unreadable = StandIn::Unset), text_signature = "($self, *, unreadable=...)")]
    #[expect(clippy::needless_pass_by_value, reason = "an argument that Python hands over")]
    fn to_numpy<'py>(&self, py: Python<'py>, unreadable: StandIn<'py>) -> PyResult<Bound<'py, PyAny>> {
        let first = self.outcomes.status.iter().position(|&status| status != OK);
        let row = match (&unreadable, first) {
            (StandIn::Set(stand_in), _) => return self.array(py, Some(stand_in)),
            (StandIn::Unset, None) => return self.array(py, None),
            (StandIn::Unset, Some(row)) => row,
        };
        let reason = self.outcomes.reasons().nth(row).flatten().map_or("", Reason::name);
        Err(PyValueError::new_err(format!(
            "row {row} is unreadable ({reason}); pass a value for such rows: to_numpy(unreadable=...)"
        )))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        capsule::give_schema(py, fields(&self.shape(None)?.data_type()))
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyCapsule>>,
    ) -> PyResult<capsule::Pair<'py>> {
        match self.arrow(py, requested_schema)?.1.as_slice() {
            [array] => capsule::give_array(py, array),
            _ => Err(PyValueError::new_err(
                "the values exceed one Arrow array; import them as a stream, as in pa.table(readings)",
            )),
        }
    }

    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let (fields, arrays) = self.arrow(py, requested_schema)?;
        capsule::give_stream(py, fields, arrays)
    }

    /// Return the texts that the columns do not store: the evidence of each row, or the detail of unreadable rows.
    fn _texts(&self, py: Python<'_>, part: &str) -> PyResult<PyArray> {
        let array = |array: StringArray| PyArray::from_array_ref(Arc::new(array));
        let Some(Source { replies, cut, materials, threads }) = &self.source else {
            return Ok(array(StringArray::new_null(self.outcomes.len())));
        };
        let (views, material_views) = (replies.views(py)?, materials.views(py)?);
        let options = ReadOptions { format: &self.format.get().inner, mode: self.mode, cut, material: &material_views };
        let evidence = |row: usize| {
            let Text::Whole { text, is_ascii } = views.text(row) else { return None };
            let span = self.outcomes.span(row)?;
            let place = |points: usize| {
                if is_ascii {
                    Some(points)
                } else {
                    text.char_indices().map(|(at, _)| at).chain([text.len()]).nth(points)
                }
            };
            text.get(place(span.start)?..place(span.end)?).map(Cow::Borrowed)
        };
        let detail = |row: usize| {
            let said = || options.detail(row, views.text(row)).into();
            (!self.outcomes.is_ok(row)).then(|| self.outcomes.sentence(row).map_or_else(said, Cow::Borrowed))
        };
        let is_evidence = match part {
            "evidence" => true,
            "detail" => false,
            _ => return Err(PyValueError::new_err(format!("no texts with the name {part:?}"))),
        };
        let rows = self.outcomes.len();
        let mut arrays: Vec<PyResult<ArrayRef>> = Vec::new();
        arrays.resize_with(rows.div_ceil(TEXTS), || Ok(new_null_array(&DataType::Utf8, 0)));
        let jobs = arrays.iter_mut().enumerate().map(|(nth, array)| {
            let (evidence, detail) = (&evidence, &detail);
            Ok(move |stop: &Stop| {
                let rows = nth * TEXTS..rows.min((nth + 1) * TEXTS);
                let texts = rows
                    .take_while(|_| !stop.is_requested())
                    .map(|row| if is_evidence { evidence(row) } else { detail(row) });
                *array =
                    strings(texts).map(|texts| Arc::new(texts) as ArrayRef).map_err(|problem| arrow_error(&problem));
            })
        });
        pool::run_each(py, pool::count(*threads), jobs)?;
        let arrays = arrays.into_iter().collect::<PyResult<Vec<_>>>()?;
        if arrays.is_empty() {
            return Ok(array(StringArray::new_null(0)));
        }
        Ok(PyArray::from_array_ref(join(&arrays).map_err(|problem| arrow_error(&problem))?))
    }

    fn to_dicts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let outcomes = &self.outcomes;
        let rows = PyList::empty(py);
        let columns = outcomes.reasons().zip(outcomes.rules()).zip(outcomes.spans());
        for (value, ((reason, rule), span)) in
            self.objects(py, 0..outcomes.len(), Style::Plain)?.into_iter().zip(columns)
        {
            let row = PyDict::new(py);
            let status = if reason.is_none() { "ok" } else { "unreadable" };
            row.set_item(intern!(py, "status"), PyString::intern(py, status))?;
            row.set_item(intern!(py, "reason"), reason.map(|reason| PyString::intern(py, reason.name())))?;
            row.set_item(intern!(py, "value"), value)?;
            row.set_item(intern!(py, "rule"), rule.map(|rule| PyString::intern(py, rule.name())))?;
            row.set_item(intern!(py, "start"), span.map(|(start, _)| start))?;
            row.set_item(intern!(py, "end"), span.map(|(_, end)| end))?;
            rows.append(row)?;
        }
        Ok(rows)
    }

    fn to_arrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        frames(slf.py())?.call_method1("to_arrow", (slf,))
    }

    fn to_pandas<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        frames(slf.py())?.call_method1("to_pandas", (slf,))
    }

    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        frames(slf.py())?.call_method1("to_polars", (slf,))
    }

    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        frames(slf.py())?.call_method1("to_html", (slf,))
    }

    #[staticmethod]
    fn _from_columns(state: &Bound<'_, PyAny>) -> PyResult<Self> {
        let (format, mode, outcomes) = pickle::load(state)?;
        Ok(Self { source: None, format, mode, outcomes, arrays: OnceLock::new() })
    }

    /// Pickle the outcomes without the replies.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let state = pickle::save(py, self.format.get(), self.mode, &self.columns(py)?.outcomes)?;
        Ok((PyType::new::<Self>(py).getattr("_from_columns")?, (state,).into_pyobject(py)?))
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<Self>() else { return Ok(false) };
        let other = other.get();
        if std::ptr::eq(self, other) {
            return Ok(true);
        }
        let is_equal = self.mode == other.mode && self.outcomes.equals_except_values(&other.outcomes);
        if !is_equal || !self.format.bind(py).eq(other.format.bind(py))? {
            return Ok(false);
        }
        let (one, other) = (self.columns(py)?.outcomes, other.columns(py)?.outcomes);
        Ok(py.detach(|| one.equals_in_values(&other)))
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        let ok = self.outcomes.status.iter().filter(|&&status| status == OK).count();
        (self.format.get().id.bind(py), self.mode.name(), self.outcomes.len(), ok).into_pyobject(py)?.hash()
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    /// Columns are immutable, so copies share their memory. The replies are left out.
    #[pyo3(signature = (memo, /))]
    fn __deepcopy__<'py>(slf: Bound<'py, Self>, memo: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Self>> {
        let _ = memo;
        if slf.get().source.is_none() { Ok(slf) } else { Bound::new(slf.py(), slf.get().columns(slf.py())?) }
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let counts = self.counts(py)?;
        Ok(format!(
            "Readings({} rows, format={:?}, {})",
            self.outcomes.len(),
            self.format.get().inner.id(),
            counts.repr()?
        ))
    }
}

impl Readings {
    /// Return the values as a `NumPy` array, with the caller's stand-in for unreadable rows.
    fn array<'py>(&self, py: Python<'py>, unreadable: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        let ok = |row: usize| self.outcomes.is_ok(row);
        match &self.outcomes.values {
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
                let values = self.objects(py, 0..self.outcomes.len(), Style::Outcome)?;
                let array = PyArray1::<Py<PyAny>>::from_vec(py, values.iter().map(|_| py.None()).collect());
                for (row, value) in values.into_iter().enumerate() {
                    let value = match unreadable {
                        Some(stand_in) if !ok(row) => stand_in.clone(),
                        _ => value,
                    };
                    array.set_item(row, value)?;
                }
                Ok(array.into_any())
            }
        }
    }
}

/// Import the module whose functions need other libraries.
fn frames(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    py.import("judgecore.frames")
}
