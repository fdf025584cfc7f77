//! No search: without wide registers, to look through a reply would take as long as to read it.

use super::Signs;

/// A search for signs, of which there is none.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Scan {}

impl Scan {
    pub(crate) fn new() -> Option<Self> {
        None
    }

    pub(crate) fn first(self, _text: &[u8], _signs: &Signs) -> usize {
        match self {}
    }

    pub(crate) fn first_without(
        self,
        _text: &[u8],
        _signs: &Signs,
        _pair: [u8; 2],
        _is_met: impl Fn(usize) -> bool,
    ) -> usize {
        match self {}
    }
}
