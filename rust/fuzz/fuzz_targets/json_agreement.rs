//! Looks for bytes that jiter, `serde_json` and judgecore read differently.

#![no_main]

use judgecore_fuzz::json_agreement;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| json_agreement::check(bytes));
