//! The checks of the fuzz targets, without the fuzzer, so that tests can replay the seeds.
//!
//! One module for each target: an `Input` that is decoded from bytes, and the property that must hold for it.

pub mod json;
pub mod json_agreement;
pub mod read;
pub mod seed;
pub mod table;
