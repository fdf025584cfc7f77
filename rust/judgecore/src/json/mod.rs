//! JSON: a strict parser for the standard, and a lenient one for what judges write.
//!
//! `strict::read` uses jiter. `lenient::Parser` reads damaged text in one linear pass, without recursion, and reports
//! each deviation from the standard as a [`Repair`]. Without repairs, both return the same value.

pub(crate) mod builder;
mod latex;
pub(crate) mod lenient;
mod literal;
mod repair;
pub(crate) mod strict;
mod text;
mod tree;

pub use builder::Builder;
pub use jiter::JsonValue as Json;
pub(crate) use latex::has_latex;
pub(crate) use literal::is_placeholder;
pub use repair::{Repair, RepairKind};
pub use text::parse;
pub(crate) use tree::{audit, depth_of, is_same};
pub use tree::{drop_iteratively, get};
