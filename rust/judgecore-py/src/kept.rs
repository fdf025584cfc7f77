//! Values that may be nested deeply.

use std::mem;

use judgecore::Value;
use judgecore::json::drop_iteratively;

/// Values nested less deeply are converted by recursion, which is faster.
pub(crate) const SHALLOW: usize = 256;

/// A value that is dropped without recursion, however deeply it is nested.
pub(crate) struct Kept<'a>(pub(crate) Value<'a>);

impl Drop for Kept<'_> {
    fn drop(&mut self) {
        if let Value::Json(document) = mem::replace(&mut self.0, Value::Bool(false)) {
            drop_iteratively(document);
        }
    }
}
