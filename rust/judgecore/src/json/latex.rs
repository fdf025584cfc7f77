//! LaTeX in strings: commands whose backslash and first letter are also an escape of JSON.

use crate::reply::text::{head, tail};

/// Commands that begin as an escape of JSON does, as far as no text would have that escape and the rest as a word.
/// A backspace or a form feed before a word is in no text, so that of `b` and `f` all commands count.
#[rustfmt::skip]
const COMMANDS: [&str; 61] = [
    "nabla", "natural", "ncong", "nearrow", "neg", "neq", "newcommand", "newline", "nexists", "ngeq", "ngtr", "nleq",
    "nless", "nmid", "nolimits", "nonumber", "normalsize", "not", "notin", "nparallel", "nsim", "nsubseteq", "nu",
    "nwarrow", "rVert", "rangle", "rbrace", "rbrack", "rceil", "rfloor", "rho", "right", "rightarrow", "rm", "rvert",
    "tan", "tanh", "tau", "tbinom", "text", "textbf", "textit", "textrm", "textstyle", "texttt", "textup", "tfrac",
    "therefore", "theta", "thickapprox", "thinspace", "tilde", "times", "tiny", "to", "top", "triangle",
    "triangleleft", "trianglelefteq", "triangleright", "twoheadrightarrow",
];

/// Whether a command stands behind a backslash, rather than an escape and text.
pub(super) fn is_latex(rest: &str) -> bool {
    let name = head(rest, rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len());
    match rest.bytes().next() {
        Some(b'b' | b'f') => name.len() >= 2,
        Some(b'n' | b'r' | b't') => COMMANDS.binary_search(&name).is_ok(),
        _ => false,
    }
}

/// Whether text between JSON quotes has a LaTeX command that the standard takes for an escape.
pub(crate) fn has_latex(text: &str) -> bool {
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', tail(text, at).as_bytes()) {
        let rest = tail(text, at + found + 1);
        if matches!(rest.as_bytes().first(), Some(b'b' | b'f' | b'n' | b'r' | b't')) && is_latex(rest) {
            return true;
        }
        // The character behind a backslash is no backslash of its own.
        at += found + 1 + rest.chars().next().map_or(0, char::len_utf8);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{COMMANDS, has_latex};

    #[test]
    fn commands_are_in_order() {
        assert!(COMMANDS.is_sorted());
    }

    #[test]
    fn a_command_is_told_from_an_escape() {
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
