//! The class `Format`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use judgecore::Mode;
use judgecore::format::{self, Example, Expected, Format, Literal, Side};
use judgecore::taxonomy::{Axis, axis};
use pyo3::exceptions::{PyTypeError, PyUnicodeDecodeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyString, PyTuple, PyType};

use crate::error::format_error;
use crate::text::Texts;

/// A format, and the Python strings that its readings share.
#[pyclass(frozen, generic, name = "Format", module = "judgecore")]
pub(crate) struct PyFormat {
    pub(crate) inner: Arc<Format>,
    pub(crate) id: Py<PyString>,
    pub(crate) labels: Vec<Py<PyString>>,
}

type Cache = Mutex<HashMap<String, Py<PyFormat>>>;

fn cache(py: Python<'_>) -> &'static Cache {
    static CACHE: PyOnceLock<Cache> = PyOnceLock::new();
    CACHE.get_or_init(py, Cache::default)
}

/// The last requested name and its format, because most callers pass the same string object again and again.
static LAST: Mutex<Option<(Py<PyString>, Py<PyFormat>)>> = Mutex::new(None);

/// Return the built-in format with a name.
fn named(name: &Bound<'_, PyString>) -> PyResult<Py<PyFormat>> {
    let py = name.py();
    if let Some((known, format)) = &*LAST.lock().unwrap_or_else(PoisonError::into_inner)
        && known.is(name)
    {
        return Ok(format.clone_ref(py));
    }
    let format = builtin(py, name.to_str()?)?;
    let last = (name.clone().unbind(), format.clone_ref(py));
    let before = LAST.lock().unwrap_or_else(PoisonError::into_inner).replace(last);
    // Dropped after the lock is released, because dropping an object may run other code.
    drop(before);
    Ok(format)
}

/// Return the built-in format with a name from the cache.
pub(crate) fn builtin(py: Python<'_>, id: &str) -> PyResult<Py<PyFormat>> {
    {
        let known = cache(py).lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(format) = known.get(id) {
            return Ok(format.clone_ref(py));
        }
    }
    let format = format::get(id).map_err(|problem| format_error(py, &problem))?;
    let format = Py::new(py, PyFormat::new(py, format))?;
    let mut known = cache(py).lock().unwrap_or_else(PoisonError::into_inner);
    Ok(known.entry(id.to_owned()).or_insert(format).clone_ref(py))
}

/// Return the format of an argument that is a name or a `Format`.
pub(crate) fn resolve(given: &Bound<'_, PyAny>) -> PyResult<Py<PyFormat>> {
    if let Ok(format) = given.cast::<PyFormat>() {
        return Ok(format.clone().unbind());
    }
    if let Ok(name) = given.cast::<PyString>() {
        return named(name);
    }
    let kind = given.get_type().name()?;
    Err(PyTypeError::new_err(format!("format must be a name or a Format, not {kind}")))
}

pub(crate) fn mode_named(name: &str) -> PyResult<Mode> {
    Mode::from_name(name)
        .ok_or_else(|| PyValueError::new_err(format!("mode must be 'lenient', 'strict' or 'paper', not {name:?}")))
}

/// Return the mode with a name, if the format has it.
pub(crate) fn mode(name: &str, format: &Format) -> PyResult<Mode> {
    let mode = mode_named(name)?;
    if mode == Mode::Paper && !format.has_paper() {
        let supported: Vec<String> =
            format::all().iter().filter(|format| format.has_paper()).map(|format| format.id().to_owned()).collect();
        return Err(PyValueError::new_err(format!(
            "format {:?} declares no publisher's rule, so it has no paper mode; these have: {}",
            format.id(),
            supported.join(", ")
        )));
    }
    Ok(mode)
}

/// The side of a conversation that a name says.
pub(crate) fn side_of(name: &str) -> PyResult<Side> {
    Side::from_name(name)
        .ok_or_else(|| PyValueError::new_err(format!("side must be 'prompt' or 'response', not {name:?}")))
}

/// The hazards on which guards are compared.
#[pyfunction]
pub(crate) fn taxonomy(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let Axis { version, title, sources, hazards } = axis();
    let hazards = hazards.iter().map(|hazard| {
        let dict = PyDict::new(py);
        dict.set_item("id", &hazard.id)?;
        dict.set_item("name", &hazard.name)?;
        dict.set_item("definition", &hazard.definition)?;
        Ok(dict)
    });
    let dict = PyDict::new(py);
    dict.set_item("axis", title)?;
    dict.set_item("version", version)?;
    dict.set_item("sources", sources)?;
    dict.set_item("hazards", hazards.collect::<PyResult<Vec<_>>>()?)?;
    Ok(dict)
}

/// `judgecore.formats`.
#[pyfunction]
pub(crate) fn formats(py: Python<'_>) -> PyResult<Py<PyTuple>> {
    if let Some(problem) = format::problems().first() {
        return Err(format_error(py, problem));
    }
    let all = format::all();
    let all = all.iter().map(|format| builtin(py, format.id())).collect::<PyResult<Vec<_>>>()?;
    Ok(PyTuple::new(py, all)?.unbind())
}

/// The JSON Schema of format files.
#[pyfunction]
pub(crate) fn format_schema() -> String {
    format::schema()
}

/// All formats of a file's text.
#[pyfunction]
#[pyo3(signature = (file, text, /))]
pub(crate) fn read_formats(py: Python<'_>, file: &str, text: &str) -> PyResult<Py<PyTuple>> {
    let family = Format::family_from_toml(file, text).map_err(|problem| format_error(py, &problem))?;
    Ok(PyTuple::new(py, family.into_iter().map(|format| PyFormat::new(py, format)))?.unbind())
}

/// The line of every key of a TOML text by its path.
#[pyfunction]
#[pyo3(signature = (text, /))]
pub(crate) fn key_lines(py: Python<'_>, text: &str) -> PyResult<HashMap<String, usize>> {
    format::key_lines(text).map(HashMap::from_iter).map_err(|problem| format_error(py, &problem))
}

impl PyFormat {
    pub(crate) fn new(py: Python<'_>, inner: Arc<Format>) -> Self {
        let labels = inner.labels().iter().map(|name| PyString::new(py, name).unbind()).collect();
        Self { id: PyString::new(py, inner.id()).unbind(), inner, labels }
    }

    /// Return the declaration as TOML.
    pub(crate) fn declaration(&self, py: Python<'_>) -> PyResult<String> {
        self.inner.to_toml().map_err(|problem| format_error(py, &problem))
    }

    /// Return the format of a declaration: the built-in one, if its declaration is the same.
    pub(crate) fn declared(py: Python<'_>, text: &str) -> PyResult<Py<Self>> {
        let format = Self::_from_declaration(py, text)?;
        match format::get(format.inner.id()) {
            Ok(known) if known.to_toml().is_ok_and(|known| known == text) => builtin(py, known.id()),
            _ => Py::new(py, format),
        }
    }

    fn compiled(py: Python<'_>, compiled: Result<Format, format::FormatError>) -> PyResult<Self> {
        compiled.map(|format| Self::new(py, Arc::new(format))).map_err(|problem| format_error(py, &problem))
    }
}

#[pymethods]
impl PyFormat {
    #[staticmethod]
    fn get(py: Python<'_>, id: &str) -> PyResult<Py<Self>> {
        builtin(py, id)
    }

    #[staticmethod]
    #[pyo3(
        signature = (*, r#true, r#false, markers = Texts::default(), place = None),
        text_signature = "(*, true, false, markers=(), place=None)"
    )]
    fn binary(py: Python<'_>, r#true: Texts, r#false: Texts, markers: Texts, place: Option<&str>) -> PyResult<Self> {
        Self::compiled(py, Format::binary(r#true.0, r#false.0).and_then(|format| format.asked_in(markers.0, place)))
    }

    #[staticmethod]
    #[pyo3(
        signature = (labels, *, markers = Texts::default(), place = None),
        text_signature = "(labels, *, markers=(), place=None)"
    )]
    fn choice(py: Python<'_>, labels: &Bound<'_, PyAny>, markers: Texts, place: Option<&str>) -> PyResult<Self> {
        let kind = labels.get_type().name()?;
        let labels = labels.cast::<PyDict>().map_err(|_| {
            let wanted = "labels must be a dict of each label's forms, such as {'A': ['A', 'Response A']}";
            PyTypeError::new_err(format!("{wanted}, not {kind}"))
        })?;
        let labels = labels
            .iter()
            .map(|(name, forms)| {
                if forms.is_instance_of::<PyString>() {
                    let name = name.str()?;
                    return Err(PyTypeError::new_err(format!("label {name:?}: give a list of forms, not one string")));
                }
                Ok((name.extract()?, forms.extract()?))
            })
            .collect::<PyResult<_>>()?;
        Self::compiled(py, Format::choice(labels).and_then(|format| format.asked_in(markers.0, place)))
    }

    #[staticmethod]
    #[pyo3(
        signature = (low, high, *, integer = false, markers = Texts::default()),
        text_signature = "(low, high, *, integer=False, markers=())"
    )]
    fn score(py: Python<'_>, low: f64, high: f64, integer: bool, markers: Texts) -> PyResult<Self> {
        Self::compiled(py, Format::score(low, high, integer, markers.0))
    }

    #[staticmethod]
    #[pyo3(signature = (n, low, high, names = None))]
    fn scores(py: Python<'_>, n: usize, low: f64, high: f64, names: Option<Texts>) -> PyResult<Self> {
        Self::compiled(py, Format::scores(n, low, high, names.unwrap_or_default().0))
    }

    #[staticmethod]
    #[pyo3(signature = (n, names = None))]
    fn order(py: Python<'_>, n: usize, names: Option<Texts>) -> PyResult<Self> {
        Self::compiled(py, Format::order(n, names.unwrap_or_default().0))
    }

    #[staticmethod]
    fn fields(py: Python<'_>, fields: &Bound<'_, PyDict>) -> PyResult<Self> {
        Self::compiled(py, Format::fields(parts(fields)?))
    }

    #[staticmethod]
    fn json_fields(py: Python<'_>, fields: &Bound<'_, PyDict>) -> PyResult<Self> {
        Self::compiled(py, Format::json_fields(parts(fields)?))
    }

    #[staticmethod]
    fn json_field(py: Python<'_>, key: &Bound<'_, PyAny>, format: &Bound<'_, PyAny>) -> PyResult<Self> {
        let keys = if key.is_instance_of::<PyString>() { vec![key.extract()?] } else { key.extract()? };
        let verdict = resolve(format)?;
        Self::compiled(py, Format::json_field(keys, &verdict.get().inner))
    }

    #[staticmethod]
    #[pyo3(signature = (path, variant = None))]
    fn from_toml(py: Python<'_>, path: &Bound<'_, PyAny>, variant: Option<&str>) -> PyResult<Self> {
        let path = py.import("pathlib")?.call_method1("Path", (path,))?;
        let file: String = path.str()?.extract()?;
        let text = path.call_method1("read_text", ("utf-8",)).inspect_err(|problem| {
            // The error for bytes that are not UTF-8 names no file.
            if problem.is_instance_of::<PyUnicodeDecodeError>(py) {
                let _ = problem.add_note(py, format!("while reading {file}"));
            }
        })?;
        let text: String = text.extract()?;
        let format = Format::from_toml(&file, &text, variant).map_err(|problem| format_error(py, &problem))?;
        Ok(Self::new(py, format))
    }

    #[staticmethod]
    fn _from_declaration(py: Python<'_>, text: &str) -> PyResult<Self> {
        let format = Format::from_toml("declaration", text, None).map_err(|problem| format_error(py, &problem))?;
        Ok(Self::new(py, format))
    }

    #[getter]
    fn id(&self) -> &str {
        self.inner.id()
    }

    #[getter]
    fn aliases<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.inner.aliases())
    }

    #[getter]
    fn version(&self) -> u32 {
        self.inner.version()
    }

    #[getter]
    fn hash(&self, py: Python<'_>) -> PyResult<String> {
        self.inner.outcome_hash().map_err(|problem| format_error(py, &problem))
    }

    #[getter]
    fn kind(&self) -> &'static str {
        self.inner.kind().name()
    }

    #[getter]
    fn title(&self) -> &str {
        self.inner.title()
    }

    #[getter]
    fn about(&self) -> &str {
        self.inner.about()
    }

    #[getter]
    fn evidence_level(&self) -> Option<&'static str> {
        self.inner.evidence().map(format::EvidenceLevel::name)
    }

    #[getter]
    fn recorded_replies(&self) -> u32 {
        self.inner.recorded_replies()
    }

    #[getter]
    fn sources<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.inner.sources())
    }

    #[getter]
    fn modes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let modes = Mode::ALL.into_iter().filter(|&mode| mode != Mode::Paper || self.inner.has_paper());
        PyTuple::new(py, modes.map(Mode::name).collect::<Vec<_>>())
    }

    #[getter]
    fn labels<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let labels = PyDict::new(py);
        for name in self.inner.labels() {
            labels.set_item(name, PyTuple::new(py, self.inner.label_forms(name))?)?;
        }
        Ok(labels)
    }

    #[getter]
    fn parts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let parts = PyDict::new(py);
        for (name, format) in self.inner.parts() {
            parts.set_item(name, Self::compiled(py, format.of_its_own())?)?;
        }
        Ok(parts)
    }

    #[getter]
    fn scale(&self) -> Option<(f64, f64)> {
        self.inner.scale().map(|scale| (scale.low, scale.high))
    }

    #[getter]
    fn markers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.inner.declared_markers())
    }

    #[getter]
    fn place(&self) -> Option<&'static str> {
        self.inner.place()
    }

    #[getter]
    fn publisher_rule(&self) -> Option<String> {
        self.inner.publisher_rule()
    }

    #[getter]
    fn first_token(&self) -> bool {
        self.inner.is_first_token()
    }

    #[getter]
    fn categories<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let categories = PyDict::new(py);
        for (code, meaning) in self.inner.categories() {
            categories.set_item(code, meaning)?;
        }
        Ok(categories)
    }

    #[getter]
    fn side(&self) -> Option<&'static str> {
        self.inner.side().map(Side::name)
    }

    fn judging(slf: &Bound<'_, Self>, side: &str) -> PyResult<Py<Self>> {
        let py = slf.py();
        let own = &slf.get().inner;
        let format = own.judging(side_of(side)?).map_err(|problem| format_error(py, &problem))?;
        if Arc::ptr_eq(&format, own) {
            return Ok(slf.clone().unbind());
        }
        match format::get(format.id()) {
            Ok(known) if Arc::ptr_eq(&known, &format) => builtin(py, known.id()),
            _ => Py::new(py, Self::new(py, format)),
        }
    }

    #[getter]
    fn crosswalk<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let crosswalk = PyDict::new(py);
        for (code, _) in self.inner.categories() {
            let Some(mapping) = self.inner.mapping(code) else { continue };
            let hazards = PyDict::new(py);
            for (hazard, relation) in &mapping.hazards {
                hazards.set_item(&hazard.name, relation.name())?;
            }
            let dict = PyDict::new(py);
            dict.set_item("hazards", hazards)?;
            dict.set_item("no_counterpart", mapping.no_counterpart)?;
            dict.set_item("sources", mapping.sources)?;
            crosswalk.set_item(code, dict)?;
        }
        Ok(crosswalk)
    }

    #[getter]
    fn examples<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let examples =
            self.inner.examples().iter().map(|example| example_dict(py, example)).collect::<PyResult<Vec<_>>>()?;
        PyTuple::new(py, examples)
    }

    fn __repr__(&self) -> String {
        let inner = &self.inner;
        match (inner.evidence(), inner.scale()) {
            (Some(_), _) => format!("Format({:?}, kind={:?})", inner.id(), inner.kind().name()),
            (None, Some(scale)) => {
                format!("Format(kind={:?}, scale=({}, {}))", inner.kind().name(), scale.low, scale.high)
            }
            (None, None) => format!("Format(kind={:?}, labels={:?})", inner.kind().name(), inner.labels()),
        }
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<Self>() else { return Ok(false) };
        Ok(self.declaration(other.py())? == other.get().declaration(other.py())?)
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<u64> {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        self.declaration(py)?.hash(&mut hasher);
        Ok(hasher.finish())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let class = PyType::new::<Self>(py);
        let is_builtin = format::get(self.inner.id()).is_ok_and(|known| Arc::ptr_eq(&known, &self.inner));
        if is_builtin {
            return Ok((class.getattr("get")?, (self.inner.id().to_owned(),)));
        }
        Ok((class.getattr("_from_declaration")?, (self.declaration(py)?,)))
    }
}

/// Return the names and formats of fields.
fn parts(fields: &Bound<'_, PyDict>) -> PyResult<Vec<(String, Arc<Format>)>> {
    fields.iter().map(|(name, format)| Ok((name.extract()?, resolve(&format)?.get().inner.clone()))).collect()
}

fn example_dict<'py>(py: Python<'py>, example: &Example) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("reply", &example.reply)?;
    dict.set_item("cut", example.is_cut)?;
    dict.set_item("note", &example.note)?;
    dict.set_item("lenient", expected(py, &example.lenient)?)?;
    dict.set_item("strict", expected(py, &example.strict)?)?;
    if let Some(paper) = &example.paper {
        dict.set_item("paper", expected(py, paper)?)?;
    }
    Ok(dict)
}

fn expected<'py>(py: Python<'py>, expected: &Expected) -> PyResult<Bound<'py, PyAny>> {
    let one = |key: &str, value: Bound<'py, PyAny>| -> PyResult<Bound<'py, PyAny>> {
        let dict = PyDict::new(py);
        dict.set_item(key, value)?;
        Ok(dict.into_any())
    };
    match expected {
        Expected::Value(value) => one("value", literal(py, value)?),
        Expected::Invented(value) => one("invented", literal(py, value)?),
        Expected::Unreadable(reason) => one("unreadable", reason.into_pyobject(py)?.into_any()),
    }
}

fn literal<'py>(py: Python<'py>, value: &Literal) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Literal::Bool(value) => value.into_pyobject(py)?.to_owned().into_any(),
        Literal::Number(value) => value.into_pyobject(py)?.into_any(),
        Literal::Text(value) => value.into_pyobject(py)?.into_any(),
        Literal::Numbers(values) => PyList::new(py, values)?.into_any(),
        Literal::Texts(values) => PyList::new(py, values)?.into_any(),
        Literal::Table(entries) => {
            let dict = PyDict::new(py);
            for (name, value) in entries {
                dict.set_item(name, literal(py, value)?)?;
            }
            dict.into_any()
        }
    })
}

/// Create the format of a whole JSON document.
pub(crate) fn document(
    py: Python<'_>,
    keys: Vec<String>,
    max_depth: usize,
    max_bytes: usize,
) -> PyResult<Py<PyFormat>> {
    Py::new(py, PyFormat::compiled(py, Format::json(keys, max_depth, max_bytes))?)
}
