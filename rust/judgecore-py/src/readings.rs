//! `Readings`: the outcomes of many replies, as columns.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use arrow_array::StructArray;
use arrow_schema::{DataType, Fields};
use judgecore::{Detail, Mode, Reason, Rule};
use numpy::{PyArray1, ToPyArray};
use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyCapsule, PyDict, PyEllipsis, PyList, PySlice, PyString, PyTuple, PyType};

use crate::capsule;
use crate::column::Column;
use crate::cut::Cut;
use crate::format::PyFormat;
use crate::json_column::{Document, is_held};
use crate::material::Materials;
use crate::outcome::PyUnreadable;
use crate::outcomes::{How, OK, Outcomes, Values, arrow_error, fields};
use crate::parse::one;
use crate::pool::Threads;
use crate::value_column::Shape;

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

/// The outcomes of many replies.
#[pyclass(frozen, sequence, module = "judgecore")]
pub(crate) struct Readings {
    replies: Column,
    format: Py<PyFormat>,
    mode: Mode,
    cut: Cut,
    materials: Materials,
    threads: Option<Threads>,
    outcomes: Outcomes,
    /// The columns as they were handed to Arrow's consumers before.
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
        let shown = materials.views(py)?;
        let how = How { format: &format.get().inner, mode, cut: &cut, shown: &shown };
        let outcomes = Outcomes::read(py, &replies, how, threads)?;
        drop(shown);
        Ok(Self { replies, format, mode, cut, materials, threads, outcomes, arrays: OnceLock::new() })
    }

    fn value<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Bound<'py, PyAny>> {
        if !self.outcomes.is_ok(row) {
            return Ok(py.None().into_bound(py));
        }
        Ok(match &self.outcomes.values {
            Values::Bools(column) => column.get(row).copied().unwrap_or(false).into_pyobject(py)?.to_owned().into_any(),
            Values::Scores(column) => column.get(row).copied().unwrap_or(f64::NAN).into_pyobject(py)?.into_any(),
            Values::Labels(column) => {
                let label = column.get(row).and_then(|&label| usize::try_from(label).ok());
                let label = label.and_then(|label| self.format.get().labels.get(label));
                label.map_or_else(|| py.None().into_bound(py), |label| label.bind(py).clone().into_any())
            }
            Values::Arrays(_) | Values::Documents => self.again(py, row)?.getattr("value")?,
        })
    }

    /// The columns in Arrow: the fields, and the arrays.
    fn arrow(&self, py: Python<'_>, requested: Option<&Bound<'_, PyCapsule>>) -> PyResult<(Fields, Vec<StructArray>)> {
        let shape = self.shape(requested)?;
        let fields = fields(&shape.data_type());
        let is_usual = !matches!(&shape, Shape::Document(Document::Typed(_)));
        if let Some(arrays) = self.arrays.get()
            && is_usual
        {
            return Ok((fields, arrays.clone()));
        }
        let documents = match self.outcomes.values {
            Values::Documents => {
                let shown = self.materials.views(py)?;
                let how = How { format: &self.format.get().inner, mode: self.mode, cut: &self.cut, shown: &shown };
                Some(Outcomes::read_documents(py, &self.replies, how, self.threads, &shape)?)
            }
            _ => None,
        };
        let arrays = self.outcomes.arrays(&shape, documents).map_err(|problem| arrow_error(&problem))?;
        if is_usual {
            // Another thread may have been as quick with the same.
            let _ = self.arrays.set(arrays.clone());
        }
        Ok((fields, arrays))
    }

    /// How the values stand in Arrow: documents as the consumer asks for, if that can be had.
    fn shape(&self, requested: Option<&Bound<'_, PyCapsule>>) -> PyResult<Shape> {
        let shape = Shape::of(&self.format.get().inner);
        if let (Shape::Document(_), Some(requested)) = (&shape, requested)
            && let DataType::Struct(fields) = capsule::requested(requested)?
            && let Some((_, value)) = fields.find("value")
            && value.data_type() != &DataType::Utf8
            && is_held(value.data_type())
        {
            return Ok(Shape::Document(Document::Typed(value.data_type().clone())));
        }
        Ok(shape)
    }

    /// The outcome of a row, read again.
    fn again<'py>(&self, py: Python<'py>, row: usize) -> PyResult<Bound<'py, PyAny>> {
        match self.replies.row(py, row)? {
            Ok(reply) => {
                let material = self.materials.row(py, row)?;
                one(py, &reply, self.format.get(), self.mode, self.cut.at(row), Some(&material))
            }
            Err(at) => {
                let detail = Detail::NotText(at).to_string();
                let broken = PyUnreadable::plain(py, self.format.get(), Reason::Malformed, &detail);
                Ok(Bound::new(py, broken)?.into_any())
            }
        }
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
        (row < readings.outcomes.len()).then(|| readings.again(py, row)).transpose()
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
                outcomes.push(self.again(py, usize::try_from(row)?)?);
                row += indices.step;
            }
            return Ok(PyList::new(py, outcomes)?.into_any());
        }
        let length = isize::try_from(self.outcomes.len())?;
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
        let values = (0..self.outcomes.len()).map(|row| self.value(py, row)).collect::<PyResult<Vec<_>>>()?;
        PyList::new(py, values)
    }

    #[getter]
    fn reason<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.outcomes.reasons().map(|reason| reason.map(Reason::name)).collect::<Vec<_>>())
    }

    #[getter]
    fn rule<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, self.outcomes.rules().map(|rule| rule.map(Rule::name)).collect::<Vec<_>>())
    }

    #[pyo3(signature = (*, unreadable = StandIn::NotSaid), text_signature = "($self, *, unreadable=...)")]
    #[expect(clippy::needless_pass_by_value, reason = "an argument that Python hands over")]
    fn to_numpy<'py>(&self, py: Python<'py>, unreadable: StandIn<'py>) -> PyResult<Bound<'py, PyAny>> {
        let first = self.outcomes.status.iter().position(|&status| status != OK);
        let row = match (&unreadable, first) {
            (StandIn::Said(stand_in), _) => return self.array(py, Some(stand_in)),
            (StandIn::NotSaid, None) => return self.array(py, None),
            (StandIn::NotSaid, Some(row)) => row,
        };
        let reason = self.outcomes.reasons().nth(row).flatten().map_or("", Reason::name);
        Err(PyValueError::new_err(format!(
            "row {row} is unreadable ({reason}); say what stands for such rows: to_numpy(unreadable=...)"
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
                "the values are more than one Arrow array can hold; take them as a stream, as in pa.table(readings)",
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

    #[staticmethod]
    fn _read(
        py: Python<'_>,
        replies: &Bound<'_, PyAny>,
        format: Py<PyFormat>,
        mode: &str,
        cut: &Bound<'_, PyAny>,
        material: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        let mode = Mode::from_name(mode).ok_or_else(|| PyValueError::new_err(format!("no mode {mode:?}")))?;
        Self::read(py, replies, format, mode, Cut::new(Some(cut))?, Some(material), None)
    }

    /// What was read is read again elsewhere: the replies are all that outcomes are made of.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let mut replies = Vec::with_capacity(self.outcomes.len());
        for row in 0..self.outcomes.len() {
            replies.push(self.replies.row(py, row)?.map_err(|at| {
                let broken = Detail::NotText(at);
                PyTypeError::new_err(format!(
                    "row {row} can't be pickled, {broken}; mend it, or pickle the column itself"
                ))
            })?);
        }
        let cut = match &self.cut {
            Cut::All(one) => PyBool::new(py, *one).to_owned().into_any(),
            Cut::Each(each) => PyList::new(py, each)?.into_any(),
        };
        let parts = (PyList::new(py, replies)?, self.format.bind(py), self.mode.name(), cut, self.materials.lists(py)?);
        Ok((PyType::new::<Self>(py).getattr("_read")?, parts.into_pyobject(py)?))
    }

    fn __copy__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    /// Nothing of it can be changed: rows are made anew whenever they are asked for.
    #[pyo3(signature = (memo, /))]
    fn __deepcopy__<'py>(slf: Bound<'py, Self>, memo: &Bound<'py, PyAny>) -> Bound<'py, Self> {
        let _ = memo;
        slf
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
    /// The values as an array, with the caller's stand-in for what was not read.
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
                let array = PyArray1::<Py<PyAny>>::from_vec(py, (0..self.outcomes.len()).map(|_| py.None()).collect());
                for row in 0..self.outcomes.len() {
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
