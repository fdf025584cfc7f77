//! Bare words and numbers: what they mean outside quotes.

use super::{Json, RepairKind};

/// What a bare token means, and the repair that reading it so takes.
pub(crate) enum Meaning<'r> {
    /// A value; with the repair unless the standard writes it like this.
    Value(Json<'r>, Option<RepairKind>),
    /// A number beyond the range of a float, or with more digits than an integer may have.
    Huge,
    /// `<string>`, `string | null`: the place of a value, as schemas and templates show it.
    Placeholder,
    /// An ellipsis.
    Ellipsis,
    /// None of these: text without quotes.
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

/// Whether a string stands for one that is still to be written: `...`, `<reason>`.
pub(crate) fn is_placeholder(text: &str) -> bool {
    matches!(text, "..." | "\u{2026}") || (text.starts_with('<') && text.ends_with('>') && !text.contains("</"))
}

/// `true|false`, `int | null`, `true/false`: several words to choose from.
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
    let Some(usual) = usual_spelling(token) else {
        return if is_alternatives(token) { Meaning::Placeholder } else { Meaning::Text };
    };
    if !is_standard_number(&usual) {
        return Meaning::Text;
    }
    standard(&usual).map_or(Meaning::Huge, |value| Meaning::Value(value, Some(RepairKind::Number)))
}

/// A number in the standard's spelling; None where it is too large.
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

/// The standard's spelling of a number that other languages write differently: `+1`, `.5`, `5.`, `1_000`, `007`, `0x1f`.
fn usual_spelling(token: &str) -> Option<String> {
    let (sign, unsigned) = match token.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", token.strip_prefix('+').unwrap_or(token)),
    };
    if let Some(hex) = unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X")) {
        return Some(format!("{sign}{}", u64::from_str_radix(hex, 16).ok()?));
    }
    let is_joined = |text: &str| !text.starts_with('_') && !text.ends_with('_') && !text.contains("__");
    // A point alone is no zero.
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
