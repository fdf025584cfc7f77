//! Enums whose variants have names in files, readings and tables.

/// Declares an enum and the name of each variant.
macro_rules! named {
    ($(#[$about:meta])* $vis:vis enum $enum:ident { $($(#[$doc:meta])* $variant:ident = $name:literal,)* }) => {
        $(#[$about])*
        $vis enum $enum {
            $($(#[$doc])* $variant,)*
        }

        impl $enum {
            /// All of them, in their order.
            #[allow(dead_code, reason = "not every enum is listed")]
            $vis const ALL: [Self; [$($name),*].len()] = [$(Self::$variant),*];

            /// The name in files, readings and tables.
            $vis fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// The one of a name.
            #[allow(dead_code, reason = "not every enum is looked up")]
            $vis fn from_name(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.name() == name)
            }
        }
    };
}

pub(crate) use named;
