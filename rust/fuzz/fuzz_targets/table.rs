//! Looks for a file in which a record, a line or a cell is lost or read twice.

#![no_main]

use judgecore_fuzz::table::Input;
use libfuzzer_sys::{Corpus, fuzz_target};

fuzz_target!(|bytes: &[u8]| -> Corpus {
    let Some(input) = Input::decode(bytes) else { return Corpus::Reject };
    input.check();
    Corpus::Keep
});
