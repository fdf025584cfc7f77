//! Converts JSON values to Python objects.

use judgecore::json::{Builder, Json};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};

use crate::deep::MAX_RECURSION;
use crate::keys::KeyCache;

/// Convert a value to Python objects.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &Json<'_>) -> PyResult<Bound<'py, PyAny>> {
    let mut objects = Objects::new(py);
    let object = objects.shallow(value, MAX_RECURSION)?;
    if objects.is_too_deep { objects.deep(value) } else { Ok(object) }
}

/// Builds Python objects.
pub(crate) struct Objects<'py> {
    py: Python<'py>,
    keys: KeyCache,
    /// The value is nested too deeply for recursion.
    is_too_deep: bool,
}

impl<'py> Objects<'py> {
    pub(crate) fn new(py: Python<'py>) -> Self {
        Self { py, keys: KeyCache::NotTried, is_too_deep: false }
    }

    fn shallow(&mut self, value: &Json<'_>, levels: usize) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py;
        Ok(match value {
            Json::Array(_) | Json::Object(_) if levels == 0 => {
                self.is_too_deep = true;
                py.None().into_bound(py)
            }
            Json::Array(items) => {
                PyList::new(py, items.iter().map(|item| Item(self.shallow(item, levels - 1))))?.into_any()
            }
            Json::Object(entries) => {
                let dict = PyDict::new(py);
                for (key, value) in entries.iter() {
                    let value = self.shallow(value, levels - 1)?;
                    dict.set_item(self.keys.get(py, key), value)?;
                }
                dict.into_any()
            }
            scalar => self.scalar(scalar)?,
        })
    }

    fn scalar(&mut self, value: &Json<'_>) -> PyResult<Bound<'py, PyAny>> {
        match value {
            Json::Bool(value) => self.boolean(*value),
            Json::Int(value) => self.integer(*value),
            Json::BigInt(value) => self.long_integer(&value.to_string()),
            Json::Float(value) => self.float(*value),
            Json::Str(text) => self.text(text),
            Json::Null | Json::Array(_) | Json::Object(_) => self.null(),
        }
    }

    /// Convert without recursion: containers are created empty and then filled.
    fn deep(&mut self, value: &Json<'_>) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py;
        let root = PyList::new(py, [py.None()])?;
        let mut pending = vec![(value, root.clone().into_any(), Position::Index(0))];
        while let Some((value, parent, position)) = pending.pop() {
            let converted = match value {
                Json::Array(items) => {
                    let list = PyList::new(py, items.iter().map(|_| py.None()))?.into_any();
                    pending
                        .extend(items.iter().enumerate().map(|(nth, item)| (item, list.clone(), Position::Index(nth))));
                    list
                }
                Json::Object(entries) => {
                    let dict = PyDict::new(py).into_any();
                    for (key, value) in entries.iter() {
                        let key = self.keys.get(py, key);
                        dict.set_item(&key, py.None())?;
                        pending.push((value, dict.clone(), Position::Key(key)));
                    }
                    dict
                }
                scalar => self.scalar(scalar)?,
            };
            match position {
                Position::Key(key) => parent.set_item(key, converted)?,
                Position::Index(nth) => parent.set_item(nth, converted)?,
            }
        }
        root.get_item(0)
    }
}

/// Builds objects directly from a document.
impl<'py> Builder for Objects<'py> {
    type Value = Bound<'py, PyAny>;
    type Key = Bound<'py, PyString>;
    type List = Bound<'py, PyList>;
    type Object = Bound<'py, PyDict>;
    type Error = PyErr;

    fn null(&mut self) -> PyResult<Self::Value> {
        Ok(self.py.None().into_bound(self.py))
    }

    fn boolean(&mut self, value: bool) -> PyResult<Self::Value> {
        Ok(PyBool::new(self.py, value).to_owned().into_any())
    }

    fn integer(&mut self, value: i64) -> PyResult<Self::Value> {
        Ok(value.into_pyobject(self.py)?.into_any())
    }

    fn long_integer(&mut self, digits: &str) -> PyResult<Self::Value> {
        self.py.get_type::<PyInt>().call1((digits,))
    }

    fn float(&mut self, value: f64) -> PyResult<Self::Value> {
        Ok(PyFloat::new(self.py, value).into_any())
    }

    fn text(&mut self, text: &str) -> PyResult<Self::Value> {
        Ok(PyString::new(self.py, text).into_any())
    }

    fn list(&mut self) -> PyResult<Self::List> {
        Ok(PyList::empty(self.py))
    }

    fn item(&mut self, list: &mut Self::List, value: Self::Value) -> PyResult<()> {
        list.append(value)
    }

    fn end_list(&mut self, list: Self::List) -> PyResult<Self::Value> {
        Ok(list.into_any())
    }

    fn object(&mut self) -> PyResult<Self::Object> {
        Ok(PyDict::new(self.py))
    }

    fn key(&mut self, key: &str) -> PyResult<Self::Key> {
        Ok(self.keys.get(self.py, key))
    }

    fn entry(&mut self, object: &mut Self::Object, key: Self::Key, value: Self::Value) -> PyResult<()> {
        object.set_item(key, value)
    }

    fn end_object(&mut self, object: Self::Object) -> PyResult<(Self::Value, usize)> {
        let keys = object.len();
        Ok((object.into_any(), keys))
    }
}

/// An item of a list, or the error of its conversion.
struct Item<'py>(PyResult<Bound<'py, PyAny>>);

impl<'py> IntoPyObject<'py> for Item<'py> {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, _: Python<'py>) -> PyResult<Self::Output> {
        self.0
    }
}

/// The position of a value in its container.
enum Position<'py> {
    Key(Bound<'py, PyString>),
    Index(usize),
}
