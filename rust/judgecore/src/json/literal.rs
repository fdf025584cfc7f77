//! The meaning of words and numbers outside quotes.

use super::{Json, RepairKind};

/// The meaning of a bare token.
pub(crate) enum Meaning<'r> {
    /// A value, with a repair unless it is standard JSON.
    Value(Json<'r>, Option<RepairKind>),
    /// A number beyond the range of a float, or an integer with too many digits.
    Huge,
    /// A placeholder as in schemas and templates: `<string>`, `string | null`.
    Placeholder,
    /// An ellipsis.
    Ellipsis,
    /// Any other text.
    Text,
}

pub(crate) fn meaning<'r>(token: &str) -> Meaning<'r> {
    let Some(first) = token.bytes().next() else {
        return Meaning::Text;
    };
    match first {
        b'0'..=b'9' | b'-' | b'+' | b'.' => number(token),
        b'<' if token.ends_with('>') => Meaning::Placeholder,
        0x80.. if token == "\u{2026}" => Meaning::Ellipsis,
        _ => word(token),
    }
}

fn word<'r>(token: &str) -> Meaning<'r> {
    let value = |value| Meaning::Value(value, Some(RepairKind::Literal));
    match token {
        "true" => Meaning::Value(Json::Bool(true), None),
        "false" => Meaning::Value(Json::Bool(false), None),
        "null" => Meaning::Value(Json::Null, None),
        "NaN" | "nan" => Meaning::Value(Json::Float(f64::NAN), Some(RepairKind::NonFinite)),
        "Infinity" | "inf" | "Inf" => Meaning::Value(Json::Float(f64::INFINITY), Some(RepairKind::NonFinite)),
        "None" | "undefined" | "nil" | "NULL" | "Null" => value(Json::Null),
        "True" | "TRUE" => value(Json::Bool(true)),
        "False" | "FALSE" => value(Json::Bool(false)),
        _ if is_alternatives(token) => Meaning::Placeholder,
        _ => Meaning::Text,
    }
}

/// Whether a string is a placeholder: `...`, `<reason>`.
pub(crate) fn is_placeholder(text: &str) -> bool {
    matches!(text, "..." | "\u{2026}") || (text.starts_with('<') && text.ends_with('>') && !text.contains("</"))
}

/// Whether a token lists alternatives: `true|false`, `int | null`, `true/false`.
fn is_alternatives(token: &str) -> bool {
    token == "true/false"
        || (token.contains('|')
            && token.split('|').all(|part| {
                let part = part.trim().trim_matches(['"', '\'']);
                !part.is_empty()
                    && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '>' | '<'))
            }))
}

fn number<'r>(token: &str) -> Meaning<'r> {
    if token.bytes().all(|byte| byte == b'.') && token.len() > 1 {
        return Meaning::Ellipsis;
    }
    if is_standard_number(token) {
        return standard(token).map_or(Meaning::Huge, |value| Meaning::Value(value, None));
    }
    if matches!(token, "-Infinity" | "-inf" | "-Inf") {
        return Meaning::Value(Json::Float(f64::NEG_INFINITY), Some(RepairKind::NonFinite));
    }
    if matches!(token, "+Infinity" | "+inf") {
        return Meaning::Value(Json::Float(f64::INFINITY), Some(RepairKind::NonFinite));
    }
    let Some(spelling) = standard_spelling(token) else {
        return if is_alternatives(token) { Meaning::Placeholder } else { Meaning::Text };
    };
    if !is_standard_number(&spelling) {
        return Meaning::Text;
    }
    standard(&spelling).map_or(Meaning::Huge, |value| Meaning::Value(value, Some(RepairKind::Number)))
}

/// Parse a number in standard spelling; None if it is too large.
fn standard<'r>(token: &str) -> Option<Json<'r>> {
    match Json::parse(token.as_bytes(), false) {
        Ok(Json::Float(number)) if !number.is_finite() => None,
        Ok(value) => Some(value.into_static()),
        Err(_) => None,
    }
}

fn is_standard_number(token: &str) -> bool {
    let unsigned = token.strip_prefix('-').unwrap_or(token);
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(unsigned);
    if whole == 0 || (whole > 1 && unsigned.starts_with('0')) {
        return false;
    }
    let mut rest = unsigned.get(whole..).unwrap_or("");
    if let Some(fraction) = rest.strip_prefix('.') {
        let length = digits(fraction);
        if length == 0 {
            return false;
        }
        rest = fraction.get(length..).unwrap_or("");
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let length = digits(exponent);
        if length == 0 {
            return false;
        }
        rest = exponent.get(length..).unwrap_or("");
    }
    rest.is_empty()
}

/// Return the standard spelling of a number as other languages write it: `+1`, `.5`, `5.`, `1_000`, `007`, `0x1f`.
fn standard_spelling(token: &str) -> Option<String> {
    let (sign, unsigned) = match token.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", token.strip_prefix('+').unwrap_or(token)),
    };
    if let Some(hex) = unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X")) {
        return Some(format!("{sign}{}", u64::from_str_radix(hex, 16).ok()?));
    }
    let is_joined = |text: &str| !text.starts_with('_') && !text.ends_with('_') && !text.contains("__");
    // A point alone is not a number.
    if !is_joined(unsigned) || !unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') || unsigned == "." {
        return None;
    }
    let mut digits: String = unsigned.chars().filter(|&c| c != '_').collect();
    if digits.starts_with('.') {
        digits.insert(0, '0');
    }
    if digits.ends_with('.') {
        digits.push('0');
    }
    let whole = digits.len() - digits.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let leading = digits.len() - digits.trim_start_matches('0').len();
    digits.drain(..leading.min(whole.saturating_sub(1)));
    Some(format!("{sign}{digits}"))
}
