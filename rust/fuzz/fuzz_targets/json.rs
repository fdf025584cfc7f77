//! Looks for a reply that causes a panic, or a document outside the reply.

#![no_main]

use judgecore_fuzz::json::Input;
use libfuzzer_sys::{Corpus, fuzz_target};

fuzz_target!(|bytes: &[u8]| -> Corpus {
    let Some(input) = Input::decode(bytes) else { return Corpus::Reject };
    input.check();
    Corpus::Keep
});
