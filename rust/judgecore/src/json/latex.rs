//! LaTeX in strings: commands whose backslash and first letter are also a JSON escape.

use crate::reply::text::{head, tail};

/// Commands that begin like a JSON escape, but are unlikely to be that escape followed by a word. Commands with `b` and
/// `f` need no list, because no text has a backspace or form feed before a word.
#[rustfmt::skip]
const COMMANDS: [&str; 61] = [
    "nabla", "natural", "ncong", "nearrow", "neg", "neq", "newcommand", "newline", "nexists", "ngeq", "ngtr", "nleq",
    "nless", "nmid", "nolimits", "nonumber", "normalsize", "not", "notin", "nparallel", "nsim", "nsubseteq", "nu",
    "nwarrow", "rVert", "rangle", "rbrace", "rbrack", "rceil", "rfloor", "rho", "right", "rightarrow", "rm", "rvert",
    "tan", "tanh", "tau", "tbinom", "text", "textbf", "textit", "textrm", "textstyle", "texttt", "textup", "tfrac",
    "therefore", "theta", "thickapprox", "thinspace", "tilde", "times", "tiny", "to", "top", "triangle",
    "triangleleft", "trianglelefteq", "triangleright", "twoheadrightarrow",
];

/// Whether the text after a backslash is a command rather than an escape.
pub(super) fn is_latex(rest: &str) -> bool {
    let name = head(rest, rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len());
    match rest.bytes().next() {
        Some(b'b' | b'f') => name.len() >= 2,
        Some(b'n' | b'r' | b't') => COMMANDS.binary_search(&name).is_ok(),
        _ => false,
    }
}

/// Whether the text of a JSON string has a LaTeX command that the standard reads as an escape.
pub(crate) fn has_latex(text: &str) -> bool {
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', tail(text, at).as_bytes()) {
        let rest = tail(text, at + found + 1);
        if matches!(rest.as_bytes().first(), Some(b'b' | b'f' | b'n' | b'r' | b't')) && is_latex(rest) {
            return true;
        }
        // Skip the escaped character, which may be a backslash.
        at += found + 1 + rest.chars().next().map_or(0, char::len_utf8);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{COMMANDS, has_latex};

    #[test]
    fn commands_are_sorted() {
        assert!(COMMANDS.is_sorted());
    }

    #[test]
    fn a_command_is_distinguished_from_an_escape() {
        for (text, want) in [
            (r"\frac{1}{2}", true),
            (r"2 \times 3", true),
            (r"\bf x", true),
            (r"first\nsecond", false),
            (r"a\tb", false),
            (r"\\frac", false),
            (r"\\\frac", true),
            (r"end\", false),
        ] {
            assert_eq!(has_latex(text), want, "{text}");
        }
    }
}
