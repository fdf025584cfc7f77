//! The repairs of damaged JSON.

use crate::names::named;

/// One repair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repair {
    /// The kind of damage.
    pub kind: RepairKind,
    /// The position in the reply, in bytes.
    pub at: usize,
}

named! {
    /// A kind of damage.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum RepairKind {
        /// Text or a code fence around the document was removed.
        SurroundingText = "surrounding_text",
        /// A comma before a closing bracket.
        TrailingComma = "trailing_comma",
        /// No comma between two entries, or a semicolon in its place.
        MissingComma = "missing_comma",
        /// A comma without an entry.
        ExtraComma = "extra_comma",
        /// No colon between a key and its value.
        MissingColon = "missing_colon",
        /// A key without a value, read as null.
        MissingValue = "missing_value",
        /// A string in single quotes or backticks.
        SingleQuotes = "single_quotes",
        /// A string in typographic quotes.
        SmartQuotes = "smart_quotes",
        /// A string in doubled quotes.
        DoubledQuotes = "doubled_quotes",
        /// A document whose quotes are escaped.
        EscapedQuotes = "escaped_quotes",
        /// A string without its opening or closing quote.
        MissingQuote = "missing_quote",
        /// A quote inside a string that was not escaped.
        InnerQuote = "inner_quote",
        /// A key without quotes.
        UnquotedKey = "unquoted_key",
        /// Text without quotes.
        UnquotedValue = "unquoted_value",
        /// A literal of another language: `True`, `None`, `undefined`, a string with a prefix or in several parts.
        Literal = "literal",
        /// `NaN` or an infinity.
        NonFinite = "non_finite",
        /// A number in non-standard spelling: `+1`, `.5`, `1_000`.
        Number = "number",
        /// A comment was removed.
        Comment = "comment",
        /// A raw newline, tab or other control character in a string.
        ControlCharacter = "control_character",
        /// A non-standard escape.
        Escape = "escape",
        /// A LaTeX command whose first letter would have been read as an escape.
        Latex = "latex",
        /// An ellipsis in place of an entry was removed.
        Ellipsis = "ellipsis",
        /// A missing closing bracket.
        MissingBracket = "missing_bracket",
        /// A surplus bracket.
        ExtraBracket = "extra_bracket",
        /// A Python tuple or set, read as a list.
        Sequence = "sequence",
        /// Full-width punctuation.
        FullWidth = "full_width",
        /// Markdown emphasis around a key or a value.
        Markdown = "markdown",
        /// Non-standard white space, including a byte-order mark.
        WhiteSpace = "white_space",
        /// Text between entries was removed.
        StrayText = "stray_text",
        /// A document inside a JSON string.
        NestedString = "nested_string",
        /// A duplicate key; the last value counts.
        DuplicateKey = "duplicate_key",
        /// The document was cut off; its brackets were closed.
        Truncated = "truncated",
    }
}
