//! JSON: one reader for what the standard allows, one for what judges write.
//!
//! `strict::read` goes through jiter. `lenient::Reader` reads any damage in one linear pass, without recursion,
//! and names each deviation from the standard as a [`Repair`]: without one, both give the same value.

pub(crate) mod lenient;
mod literal;
mod repair;
pub(crate) mod strict;
mod string;
mod tree;

pub use jiter::JsonValue as Json;
pub use repair::{Repair, RepairKind};
pub(crate) use string::has_latex;
pub use tree::dismantle;
pub(crate) use tree::{audit, depth_of, get, is_same};
