//! JSON: one reader for what the standard allows, one for what judges write.
//!
//! `strict::read` goes through jiter. `lenient::Reader` reads any damage in one linear pass, without recursion,
//! and names each deviation from the standard as a [`Repair`]: without one, both give the same value.

mod latex;
pub(crate) mod lenient;
mod literal;
pub(crate) mod maker;
mod repair;
pub(crate) mod strict;
mod text;
mod tree;

pub use jiter::JsonValue as Json;
pub(crate) use latex::has_latex;
pub(crate) use literal::is_placeholder;
pub use maker::Maker;
pub use repair::{Repair, RepairKind};
pub use text::parse;
pub use tree::dismantle;
pub(crate) use tree::{audit, depth_of, get, is_same};
