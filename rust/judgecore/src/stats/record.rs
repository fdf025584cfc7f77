//! Results as named fields: a struct is declared once, and whoever writes it anew asks for its fields.

use super::statistic::{Interval, Undefined};

/// A result whose fields have names.
pub trait Record {
    /// Its fields in their order.
    fn fields(&self) -> Vec<(&'static str, Field)>;
}

/// The value of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Field {
    /// No value, and no reason why.
    Missing,
    /// No value, for a reason.
    Undefined(Undefined),
    /// True or false.
    Flag(bool),
    /// A whole number.
    Count(usize),
    /// A number.
    Number(f64),
    /// An interval.
    Interval(Interval),
    /// Several values.
    List(Vec<Field>),
    /// Fields of its own.
    Record(Vec<(&'static str, Field)>),
    /// Fields that stand among those beside it.
    Flat(Vec<(&'static str, Field)>),
}

/// Types that can be the value of a field.
pub(super) trait ToField {
    fn to_field(&self) -> Field;
}

impl ToField for bool {
    fn to_field(&self) -> Field {
        Field::Flag(*self)
    }
}

impl ToField for usize {
    fn to_field(&self) -> Field {
        Field::Count(*self)
    }
}

impl ToField for f64 {
    fn to_field(&self) -> Field {
        Field::Number(*self)
    }
}

impl ToField for Interval {
    fn to_field(&self) -> Field {
        Field::Interval(*self)
    }
}

impl<T: ToField> ToField for Option<T> {
    fn to_field(&self) -> Field {
        self.as_ref().map_or(Field::Missing, T::to_field)
    }
}

impl<T: ToField> ToField for Result<T, Undefined> {
    fn to_field(&self) -> Field {
        self.as_ref().map_or_else(|reason| Field::Undefined(reason.clone()), T::to_field)
    }
}

impl<T: ToField> ToField for Vec<T> {
    fn to_field(&self) -> Field {
        Field::List(self.iter().map(T::to_field).collect())
    }
}

impl<T: ToField> ToField for Vec<(&'static str, T)> {
    fn to_field(&self) -> Field {
        Field::Record(self.iter().map(|(name, value)| (*name, value.to_field())).collect())
    }
}

/// Declare a struct of which all fields are public, and list them as a [`Record`].
macro_rules! record {
    ($(#[$about:meta])* pub struct $name:ident { $($(#[$doc:meta])* pub $field:ident: $kind:ty),+ $(,)? }) => {
        $(#[$about])*
        pub struct $name {
            $($(#[$doc])* pub $field: $kind,)+
        }

        impl $crate::stats::record::Record for $name {
            fn fields(&self) -> Vec<(&'static str, $crate::stats::record::Field)> {
                vec![$((stringify!($field), $crate::stats::record::ToField::to_field(&self.$field))),+]
            }
        }

        impl $crate::stats::record::ToField for $name {
            fn to_field(&self) -> $crate::stats::record::Field {
                $crate::stats::record::Field::Record($crate::stats::record::Record::fields(self))
            }
        }
    };
}
pub(super) use record;
