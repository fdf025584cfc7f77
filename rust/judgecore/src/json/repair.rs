//! What is done to broken JSON to read it.

/// One thing that was mended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repair {
    /// What was mended.
    pub kind: RepairKind,
    /// Where, in bytes of the reply.
    pub at: usize,
}

macro_rules! repair_kinds {
    ($($(#[$doc:meta])* $variant:ident => $name:literal,)*) => {
        /// A kind of damage, by the name that readings show.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum RepairKind {
            $($(#[$doc])* $variant,)*
        }

        impl RepairKind {
            /// All kinds.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The kind's name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

repair_kinds! {
    /// Text or a code fence around the document was left out.
    SurroundingText => "surrounding_text",
    /// A comma before a closing bracket.
    TrailingComma => "trailing_comma",
    /// No comma between two entries, or a semicolon in its place.
    MissingComma => "missing_comma",
    /// A comma without an entry.
    ExtraComma => "extra_comma",
    /// No colon between a key and its value.
    MissingColon => "missing_colon",
    /// A key without a value, read as null.
    MissingValue => "missing_value",
    /// A string in single quotes or backticks.
    SingleQuotes => "single_quotes",
    /// A string in typographic quotes.
    SmartQuotes => "smart_quotes",
    /// A string in doubled quotes.
    DoubledQuotes => "doubled_quotes",
    /// A document whose quotes are escaped.
    EscapedQuotes => "escaped_quotes",
    /// A string without its opening or closing quote.
    MissingQuote => "missing_quote",
    /// A quote inside a string that was not escaped.
    InnerQuote => "inner_quote",
    /// A key without quotes.
    UnquotedKey => "unquoted_key",
    /// Text without quotes.
    UnquotedValue => "unquoted_value",
    /// `True`, `None`, `undefined`, a string with a prefix or in parts, and the like.
    Literal => "literal",
    /// `NaN` or an infinity.
    NonFinite => "non_finite",
    /// A number that is not written as the standard wants it: `+1`, `.5`, `1_000`.
    Number => "number",
    /// A comment was left out.
    Comment => "comment",
    /// A raw newline, tab or other control character in a string.
    ControlCharacter => "control_character",
    /// An escape that the standard doesn't know.
    Escape => "escape",
    /// A LaTeX command that would have lost its first letter as an escape.
    Latex => "latex",
    /// An ellipsis in place of an entry was left out.
    Ellipsis => "ellipsis",
    /// A closing bracket that was not there.
    MissingBracket => "missing_bracket",
    /// A bracket too many.
    ExtraBracket => "extra_bracket",
    /// A Python tuple or set, read as a list.
    Sequence => "sequence",
    /// Full-width punctuation.
    FullWidth => "full_width",
    /// Markdown emphasis around a key or a value.
    Markdown => "markdown",
    /// White space that the standard doesn't know, a byte order mark included.
    WhiteSpace => "white_space",
    /// Text between entries was left out.
    StrayText => "stray_text",
    /// A document inside a JSON string.
    NestedString => "nested_string",
    /// A key that stood before, of which the last value counts.
    DuplicateKey => "duplicate_key",
    /// The document was cut off, and closed.
    Truncated => "truncated",
}
