//! The classes `Reading`, `Unreadable`, `GuardVerdict` and `Repair`.

use std::ops::Range;

use judgecore::json::{Repair, RepairKind};
use judgecore::{FieldValue, GuardVerdict, Lone, Mode, Outcome, Reading, Reason, Rule, Unreadable, Value};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySlice, PyString, PyTuple, PyType};

use crate::error::raise;
use crate::format::{self, PyFormat};
use crate::objects::to_python;
use crate::text::{code_points, utf8};

/// `judgecore.Repair`.
#[pyclass(frozen, eq, hash, name = "Repair", module = "judgecore", from_py_object)]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct PyRepair {
    kind: RepairKind,
    #[pyo3(get)]
    at: usize,
}

#[pymethods]
impl PyRepair {
    #[classattr]
    #[pyo3(name = "__match_args__")]
    const MATCH_ARGS: (&'static str, &'static str) = ("kind", "at");

    #[new]
    fn new(kind: &str, at: usize) -> PyResult<Self> {
        let known = RepairKind::ALL.iter().find(|known| known.name() == kind);
        let kind = *known.ok_or_else(|| PyValueError::new_err(format!("no repair {kind:?}")))?;
        Ok(Self { kind, at })
    }

    #[getter]
    fn kind(&self) -> &'static str {
        self.kind.name()
    }

    fn __repr__(&self) -> String {
        format!("Repair({:?}, {})", self.kind.name(), self.at)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> (Bound<'py, PyType>, (String, usize)) {
        (PyType::new::<Self>(py), (self.kind.name().to_owned(), self.at))
    }
}

/// `judgecore.GuardVerdict`.
#[pyclass(frozen, name = "GuardVerdict", module = "judgecore")]
pub(crate) struct PyGuardVerdict {
    #[pyo3(get, name = "unsafe")]
    is_unsafe: Option<bool>,
    #[pyo3(get)]
    prompt_unsafe: Option<bool>,
    #[pyo3(get)]
    response_unsafe: Option<bool>,
    #[pyo3(get)]
    categories: Py<PyTuple>,
    #[pyo3(get)]
    fields: Py<PyDict>,
}

impl PyGuardVerdict {
    pub(crate) fn new(py: Python<'_>, verdict: &GuardVerdict<'_>) -> PyResult<Self> {
        let fields = PyDict::new(py);
        for (name, value) in &verdict.fields {
            fields.set_item(name, field(py, value)?)?;
        }
        Ok(Self {
            is_unsafe: verdict.is_unsafe,
            prompt_unsafe: verdict.prompt_unsafe,
            response_unsafe: verdict.response_unsafe,
            categories: PyTuple::new(py, &verdict.categories)?.unbind(),
            fields: fields.unbind(),
        })
    }

    /// Create a verdict from its parts.
    pub(crate) fn of(
        is_unsafe: Option<bool>,
        prompt_unsafe: Option<bool>,
        response_unsafe: Option<bool>,
        categories: &Bound<'_, PyTuple>,
        fields: &Bound<'_, PyDict>,
    ) -> Self {
        let (categories, fields) = (categories.clone().unbind(), fields.clone().unbind());
        Self { is_unsafe, prompt_unsafe, response_unsafe, categories, fields }
    }

    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        (self.is_unsafe, self.prompt_unsafe, self.response_unsafe, self.categories.bind(py), self.fields.bind(py))
            .into_pyobject(py)
    }
}

fn field<'py>(py: Python<'py>, value: &FieldValue<'_>) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        FieldValue::Bool(value) => value.into_pyobject(py)?.to_owned().into_any(),
        FieldValue::Word(word) => PyString::new(py, word).into_any(),
        FieldValue::Number(value) => value.into_pyobject(py)?.into_any(),
        FieldValue::Text(text) => PyString::new(py, text).into_any(),
        FieldValue::Texts(texts) => PyList::new(py, texts)?.into_any(),
        _ => py.None().into_bound(py),
    })
}

#[pymethods]
impl PyGuardVerdict {
    #[classattr]
    #[pyo3(name = "__match_args__")]
    const MATCH_ARGS: (&'static str, &'static str) = ("unsafe", "categories");

    #[new]
    #[pyo3(signature = (r#unsafe, prompt_unsafe = None, response_unsafe = None, categories = None, fields = None))]
    fn make(
        py: Python<'_>,
        r#unsafe: Option<bool>,
        prompt_unsafe: Option<bool>,
        response_unsafe: Option<bool>,
        categories: Option<Py<PyTuple>>,
        fields: Option<Py<PyDict>>,
    ) -> Self {
        Self {
            is_unsafe: r#unsafe,
            prompt_unsafe,
            response_unsafe,
            categories: categories.unwrap_or_else(|| PyTuple::empty(py).unbind()),
            fields: fields.unwrap_or_else(|| PyDict::new(py).unbind()),
        }
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let say = |side: Option<bool>| side.map_or("None", |side| if side { "True" } else { "False" });
        Ok(format!(
            "GuardVerdict(unsafe={}, prompt_unsafe={}, response_unsafe={}, categories={}, fields={})",
            say(self.is_unsafe),
            say(self.prompt_unsafe),
            say(self.response_unsafe),
            self.categories.bind(py).repr()?,
            self.fields.bind(py).repr()?,
        ))
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        match other.cast::<Self>() {
            Ok(other) => self.parts(py)?.eq(other.get().parts(py)?),
            Err(_) => Ok(false),
        }
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        let sides = (self.is_unsafe, self.prompt_unsafe, self.response_unsafe, self.categories.bind(py));
        sides.into_pyobject(py)?.hash()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyType>, Bound<'py, PyTuple>)> {
        Ok((PyType::new::<Self>(py), self.parts(py)?))
    }
}

/// The location of a reading's evidence, computed lazily from the reply.
enum Location {
    InReply(Py<PyString>, Range<usize>),
    /// The span in code points, and the text unless the reply was not kept.
    Known((usize, usize), Option<Py<PyString>>),
}

impl Location {
    fn span(&self, py: Python<'_>) -> PyResult<(usize, usize)> {
        match self {
            Self::InReply(reply, span) => {
                let text = utf8(reply.bind(py))?;
                Ok((code_points(&text, span.start), code_points(&text, span.end)))
            }
            Self::Known(span, _) => Ok(*span),
        }
    }

    /// Convert the positions of repairs to code points; repairs are in the order of the reply.
    fn points(&self, py: Python<'_>, repairs: &[Repair]) -> PyResult<Vec<PyRepair>> {
        let made = |kind, at| PyRepair { kind, at };
        let Self::InReply(reply, _) = self else {
            return Ok(repairs.iter().map(|repair| made(repair.kind, repair.at)).collect());
        };
        let text = utf8(reply.bind(py))?;
        let (mut bytes, mut points) = (0, 0);
        let count = |repair: &Repair| {
            if repair.at >= bytes {
                points += text.get(bytes..repair.at).map_or(0, |between| code_points(between, between.len()));
            } else {
                points = code_points(&text, repair.at);
            }
            bytes = repair.at;
            made(repair.kind, points)
        };
        Ok(repairs.iter().map(count).collect())
    }

    fn evidence<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Self::InReply(reply, _) => {
                let (start, end) = self.span(py)?;
                let slice = PySlice::new(py, isize::try_from(start)?, isize::try_from(end)?, 1);
                reply.bind(py).get_item(slice)
            }
            Self::Known(_, evidence) => {
                Ok(evidence.as_ref().map_or_else(|| py.None().into_bound(py), |text| text.bind(py).clone().into_any()))
            }
        }
    }
}

/// The argument for the text of the evidence, where None means that it is unknown.
enum Evidence {
    Unset,
    Set(Option<Py<PyString>>),
}

impl FromPyObject<'_, '_> for Evidence {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        Ok(Self::Set(given.extract()?))
    }
}

/// `judgecore.Reading`.
#[pyclass(frozen, generic, name = "Reading", module = "judgecore")]
pub(crate) struct PyReading {
    #[pyo3(get)]
    value: Py<PyAny>,
    #[pyo3(get)]
    fields: Option<Py<PyAny>>,
    #[pyo3(get)]
    format: Py<PyString>,
    mode: Mode,
    rule: Rule,
    location: Location,
    /// With positions in bytes of the reply, or in code points if there is no reply.
    repairs: Vec<Repair>,
    #[pyo3(get)]
    invented: bool,
}

impl PyReading {
    pub(crate) fn new(
        py: Python<'_>,
        format: &PyFormat,
        mode: Mode,
        reply: &Bound<'_, PyString>,
        reading: &Reading<'_>,
    ) -> PyResult<Self> {
        let value = value(py, format, reading)?;
        let fields = match &reading.object {
            Some(object) => Some(to_python(py, object)?.unbind()),
            None => fields_of(&value),
        };
        Ok(Self {
            value: value.unbind(),
            fields,
            format: format.id.clone_ref(py),
            mode,
            rule: reading.rule,
            location: Location::InReply(reply.clone().unbind(), reading.span.clone()),
            repairs: reading.repairs.clone(),
            invented: reading.is_invented(),
        })
    }

    /// Create a reading from columns.
    pub(crate) fn of_columns(
        format: &PyFormat,
        mode: Mode,
        value: Bound<'_, PyAny>,
        rule: Rule,
        span: (usize, usize),
    ) -> Self {
        Self {
            fields: fields_of(&value),
            format: format.id.clone_ref(value.py()),
            value: value.unbind(),
            mode,
            rule,
            location: Location::Known(span, None),
            repairs: Vec::new(),
            invented: rule == Rule::PublisherDefault,
        }
    }

    /// Create a reading of a reply's only document.
    pub(crate) fn lone<'py>(
        format: &PyFormat,
        mode: Mode,
        reply: &Bound<'py, PyString>,
        lone: Lone<Bound<'py, PyAny>>,
    ) -> Self {
        let fields = lone.value.is_instance_of::<PyDict>().then(|| lone.value.clone().unbind());
        Self {
            value: lone.value.unbind(),
            fields,
            format: format.id.clone_ref(reply.py()),
            mode,
            rule: lone.rule,
            location: Location::InReply(reply.clone().unbind(), lone.span),
            repairs: lone.repairs,
            invented: false,
        }
    }

    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        (
            self.value.bind(py),
            self.fields.as_ref().map(|fields| fields.bind(py)),
            self.format.bind(py),
            self.mode.name(),
            self.rule.name(),
            self.location.span(py)?,
            self.location.evidence(py)?,
            self.repairs(py)?,
            self.invented,
        )
            .into_pyobject(py)
    }
}

#[pymethods]
impl PyReading {
    #[classattr]
    #[pyo3(name = "__match_args__")]
    const MATCH_ARGS: (&'static str,) = ("value",);

    #[classattr]
    #[pyo3(name = "ok")]
    const OK: bool = true;

    #[new]
    #[pyo3(
        signature = (value, fields = None, format = None, mode = "lenient", rule = "whole", span = (0, 0),
            evidence = Evidence::Unset, repairs = Vec::new(), invented = false),
        text_signature = "(value, fields=None, format='', mode='lenient', rule='whole', span=(0, 0), evidence='', \
            repairs=(), invented=False)"
    )]
    #[expect(clippy::too_many_arguments, reason = "one for each field, so that a pickle can be read back")]
    fn make(
        py: Python<'_>,
        value: Py<PyAny>,
        fields: Option<Py<PyAny>>,
        format: Option<Py<PyString>>,
        mode: &str,
        rule: &str,
        span: (usize, usize),
        evidence: Evidence,
        repairs: Vec<PyRepair>,
        invented: bool,
    ) -> PyResult<Self> {
        let mode = format::mode_named(mode)?;
        let rule = Rule::from_name(rule).ok_or_else(|| PyValueError::new_err(format!("no rule {rule:?}")))?;
        let evidence = match evidence {
            Evidence::Unset => Some(PyString::new(py, "").unbind()),
            Evidence::Set(evidence) => evidence,
        };
        Ok(Self {
            value,
            fields,
            format: or_empty(py, format),
            mode,
            rule,
            location: Location::Known(span, evidence),
            repairs: repairs.into_iter().map(|repair| Repair { kind: repair.kind, at: repair.at }).collect(),
            invented,
        })
    }

    #[getter]
    fn mode(&self) -> &'static str {
        self.mode.name()
    }

    #[getter]
    fn rule(&self) -> &'static str {
        self.rule.name()
    }

    #[getter]
    fn span(&self, py: Python<'_>) -> PyResult<(usize, usize)> {
        self.location.span(py)
    }

    #[getter]
    fn evidence<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.location.evidence(py)
    }

    #[getter]
    fn repairs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.location.points(py, &self.repairs)?)
    }

    fn unwrap(&self, py: Python<'_>) -> Py<PyAny> {
        self.value.clone_ref(py)
    }

    fn value_or(&self, py: Python<'_>, default: &Bound<'_, PyAny>) -> Py<PyAny> {
        let _ = default;
        self.value.clone_ref(py)
    }

    #[expect(clippy::unused_self, reason = "Python calls it on an instance")]
    fn __bool__(&self) -> PyResult<bool> {
        Err(no_truth("Reading"))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (start, end) = self.location.span(py)?;
        let mut text = format!(
            "Reading({}, format={:?}, mode={:?}, rule={:?}, span=({start}, {end}), evidence={}",
            one_line(&self.value.bind(py).repr()?)?,
            utf8(self.format.bind(py))?,
            self.mode.name(),
            self.rule.name(),
            one_line(&self.location.evidence(py)?.repr()?)?,
        );
        if !self.repairs.is_empty() {
            let repairs: Vec<String> =
                self.location.points(py, &self.repairs)?.iter().map(PyRepair::__repr__).collect();
            text.push_str(", repairs=(");
            text.push_str(&repairs.join(", "));
            text.push(')');
        }
        if self.invented {
            text.push_str(", invented=True");
        }
        text.push(')');
        Ok(text)
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        match other.cast::<Self>() {
            Ok(other) => self.parts(py)?.eq(other.get().parts(py)?),
            Err(_) => Ok(false),
        }
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        let location = (self.format.bind(py), self.mode.name(), self.rule.name(), self.location.span(py)?);
        location.into_pyobject(py)?.hash()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyType>, Bound<'py, PyTuple>)> {
        Ok((PyType::new::<Self>(py), self.parts(py)?))
    }
}

/// `judgecore.Unreadable`.
#[pyclass(frozen, name = "Unreadable", module = "judgecore")]
pub(crate) struct PyUnreadable {
    reason: Reason,
    #[pyo3(get)]
    detail: Py<PyString>,
    #[pyo3(get)]
    candidates: Py<PyTuple>,
    #[pyo3(get)]
    format: Py<PyString>,
}

impl PyUnreadable {
    pub(crate) fn new(
        py: Python<'_>,
        format: &PyFormat,
        mode: Mode,
        reply: &Bound<'_, PyString>,
        unreadable: &Unreadable<'_>,
    ) -> PyResult<Self> {
        let candidates = unreadable
            .candidates
            .iter()
            .map(|reading| Py::new(py, PyReading::new(py, format, mode, reply, reading)?))
            .collect::<PyResult<Vec<_>>>()?;
        Ok(Self {
            reason: unreadable.reason,
            detail: PyString::new(py, &unreadable.detail.to_string()).unbind(),
            candidates: PyTuple::new(py, candidates)?.unbind(),
            format: format.id.clone_ref(py),
        })
    }

    /// Create an outcome without candidates.
    pub(crate) fn plain<'py>(
        py: Python<'py>,
        format: &PyFormat,
        reason: Reason,
        detail: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let unreadable = Self {
            reason,
            detail: PyString::new(py, detail).unbind(),
            candidates: PyTuple::empty(py).unbind(),
            format: format.id.clone_ref(py),
        };
        Ok(Bound::new(py, unreadable)?.into_any())
    }

    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        (self.reason.name(), self.detail.bind(py), self.candidates.bind(py), self.format.bind(py)).into_pyobject(py)
    }
}

#[pymethods]
impl PyUnreadable {
    #[classattr]
    #[pyo3(name = "__match_args__")]
    const MATCH_ARGS: (&'static str, &'static str) = ("reason", "detail");

    #[classattr]
    #[pyo3(name = "ok")]
    const OK: bool = false;

    #[new]
    #[pyo3(
        signature = (reason, detail = None, candidates = None, format = None),
        text_signature = "(reason, detail='', candidates=None, format='')"
    )]
    fn make(
        py: Python<'_>,
        reason: &str,
        detail: Option<Py<PyString>>,
        candidates: Option<Py<PyTuple>>,
        format: Option<Py<PyString>>,
    ) -> PyResult<Self> {
        let reason = Reason::from_name(reason).ok_or_else(|| {
            let known: Vec<&str> = Reason::ALL.into_iter().map(Reason::name).collect();
            PyValueError::new_err(format!("no reason {reason:?}; the reasons are {}", known.join(", ")))
        })?;
        Ok(Self {
            reason,
            detail: or_empty(py, detail),
            candidates: candidates.unwrap_or_else(|| PyTuple::empty(py).unbind()),
            format: or_empty(py, format),
        })
    }

    #[getter]
    fn reason(&self) -> &'static str {
        self.reason.name()
    }

    fn unwrap(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let mut message = format!("{}: {}", self.reason.name(), utf8(self.detail.bind(py))?);
        let format = utf8(self.format.bind(py))?;
        if !format.is_empty() {
            message = format!("{message} (format {format:?})");
        }
        let problem = raise(py, "UnreadableReplyError", message);
        problem.value(py).setattr("reason", self.reason.name())?;
        Err(problem)
    }

    #[expect(clippy::unused_self, reason = "the counterpart of Reading.value_or")]
    fn value_or(&self, default: Py<PyAny>) -> Py<PyAny> {
        default
    }

    #[expect(clippy::unused_self, reason = "Python calls it on an instance")]
    fn __bool__(&self) -> PyResult<bool> {
        Err(no_truth("Unreadable"))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let mut text = format!("Unreadable({:?}", self.reason.name());
        let detail = self.detail.bind(py);
        if !detail.is_empty()? {
            text.push_str(", detail=");
            text.push_str(&one_line(&detail.repr()?)?);
        }
        let candidates = self.candidates.bind(py);
        if !candidates.is_empty() {
            text.push_str(", candidates=");
            text.push_str(&one_line(&candidates.repr()?)?);
        }
        Ok(format!("{text}, format={:?})", utf8(self.format.bind(py))?))
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        match other.cast::<Self>() {
            Ok(other) => self.parts(py)?.eq(other.get().parts(py)?),
            Err(_) => Ok(false),
        }
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        (self.reason.name(), self.detail.bind(py), self.format.bind(py)).into_pyobject(py)?.hash()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyType>, Bound<'py, PyTuple>)> {
        Ok((PyType::new::<Self>(py), self.parts(py)?))
    }
}

/// Return the fields of a value that has fields.
fn fields_of(value: &Bound<'_, PyAny>) -> Option<Py<PyAny>> {
    if value.is_instance_of::<PyDict>() {
        return Some(value.clone().unbind());
    }
    value.cast::<PyGuardVerdict>().ok().map(|verdict| verdict.get().fields.clone_ref(value.py()).into_any())
}

/// The error of `bool(outcome)`, because `if parse(...)` would be true for a verdict of False.
fn no_truth(class: &str) -> PyErr {
    let article = if class.starts_with(['A', 'E', 'I', 'O', 'U']) { "an" } else { "a" };
    PyTypeError::new_err(format!(
        "{article} {class} has no truth value; use .ok to test whether the reply was read, and .value for the verdict"
    ))
}

/// Return an optional string, or an empty one. It stays a Python string, because it may have lone surrogates.
fn or_empty(py: Python<'_>, text: Option<Py<PyString>>) -> Py<PyString> {
    text.unwrap_or_else(|| PyString::new(py, "").unbind())
}

fn one_line(text: &Bound<'_, PyString>) -> PyResult<String> {
    Ok(utf8(text)?.replace('\n', "\\n"))
}

/// Convert an outcome to a Python object.
pub(crate) fn outcome_object<'py>(
    py: Python<'py>,
    format: &PyFormat,
    mode: Mode,
    reply: &Bound<'py, PyString>,
    outcome: &Outcome<'_>,
) -> PyResult<Bound<'py, PyAny>> {
    Ok(match outcome {
        Ok(reading) => Bound::new(py, PyReading::new(py, format, mode, reply, reading)?)?.into_any(),
        Err(unreadable) => Bound::new(py, PyUnreadable::new(py, format, mode, reply, unreadable)?)?.into_any(),
    })
}

/// Convert a reading's value to a Python object; labels are shared strings.
pub(crate) fn value<'py>(py: Python<'py>, format: &PyFormat, reading: &Reading<'_>) -> PyResult<Bound<'py, PyAny>> {
    convert(py, Some(format), &reading.value)
}

fn convert<'py>(py: Python<'py>, format: Option<&PyFormat>, value: &Value<'_>) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Bool(value) => value.into_pyobject(py)?.to_owned().into_any(),
        Value::Score(value) => value.into_pyobject(py)?.into_any(),
        Value::Scores(values) => PyTuple::new(py, values)?.into_any(),
        Value::Label(label, name) => match format.and_then(|format| format.labels.get(*label)) {
            Some(shared) => shared.bind(py).clone().into_any(),
            None => PyString::new(py, name).into_any(),
        },
        Value::Fields(fields) => {
            let dict = PyDict::new(py);
            for (name, value) in fields {
                dict.set_item(name, convert(py, None, value)?)?;
            }
            dict.into_any()
        }
        Value::Guard(verdict) => {
            let verdict = PyGuardVerdict::new(py, verdict)?;
            Bound::new(py, verdict)?.into_any()
        }
        Value::Ranking(names) => PyTuple::new(py, names)?.into_any(),
        Value::Order(ranks) => PyTuple::new(py, ranks)?.into_any(),
        Value::Json(document) => to_python(py, document)?,
    })
}
