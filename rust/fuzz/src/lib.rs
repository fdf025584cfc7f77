//! What each fuzz target checks, apart from the fuzzer, so that seeds can be replayed without one.
//!
//! One module for each target: an `Input` that bytes are turned into and back, and the claim that must hold for it.

pub mod json;
pub mod json_agreement;
pub mod read;
pub mod seed;
pub mod table;
