//! Values that may be nested deeply.

use std::mem;

use judgecore::json::drop_iteratively;
use judgecore::{Format, Outcome, Value, release};

/// Up to this depth, values are converted and dropped by recursion, which is faster.
pub(crate) const MAX_RECURSION: usize = 256;

/// A value that is dropped without recursion, which would overflow the stack for a deep one.
pub(crate) struct DeepValue<'a>(pub(crate) Value<'a>);

/// Drop an outcome of a format without deep recursion.
pub(crate) fn drop_outcome(format: &Format, outcome: Outcome<'_>) {
    if format.max_depth() > MAX_RECURSION {
        release(outcome);
    }
}

impl Drop for DeepValue<'_> {
    fn drop(&mut self) {
        if let Value::Json(document) = mem::replace(&mut self.0, Value::Bool(false)) {
            drop_iteratively(document);
        }
    }
}
