//! Numbers in Python's notation.

use std::io::Write;
use std::ops::Range;

use thiserror::Error;

/// The error for NaN and infinities, which JSON can't represent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("JSON can't represent NaN and infinities")]
pub struct NotFinite;

/// The prefix that zmij writes for floats below 1e-4, where Python already uses an exponent.
const SMALL: &str = "0.0000";

/// Multiples of 0.001 with fewer digits than this are distinct floats, so their decimal form is the shortest one.
const EXACT: f64 = 1e15;

/// The range in which both zmij and Python write a float without an exponent.
const PLAIN: Range<f64> = 1e-4..1e16;

pub(super) fn integer(out: &mut Vec<u8>, value: i64) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Write a finite float as Python's `repr` does: the shortest digits that read back as the same float. Of two equally
/// near candidates it takes the one with an even last digit, where Rust's standard library takes the greater.
pub(super) fn float(out: &mut Vec<u8>, value: f64) {
    let size = value.abs();
    // Fast path: probabilities, temperatures and thresholds mostly have few decimals.
    let thousandths = size * 1000.0 + 0.5;
    if thousandths < EXACT {
        #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "fewer than 53 bits")]
        let (count, nearest) = (thousandths as i64, (thousandths as i64) as f64 / 1000.0);
        if nearest.to_bits() == size.to_bits() {
            if value.is_sign_negative() {
                out.push(b'-');
            }
            integer(out, count / 1000);
            decimals(out, count % 1000);
            return;
        }
    }
    let mut buffer = zmij::Buffer::new();
    let written = buffer.format_finite(value);
    if PLAIN.contains(&size) {
        out.extend_from_slice(written.as_bytes());
        return;
    }
    let unsigned = written.strip_prefix('-').unwrap_or(written);
    if unsigned.len() < written.len() {
        out.push(b'-');
    }
    if let Some((mantissa, exponent)) = unsigned.split_once('e') {
        let (sign, digits) = exponent.split_at_checked(1).unwrap_or_default();
        let _ = write!(out, "{mantissa}e{sign}{digits:0>2}");
    } else if let Some((first, others)) = unsigned.strip_prefix(SMALL).and_then(|digits| digits.split_at_checked(1)) {
        let point = if others.is_empty() { "" } else { "." };
        let _ = write!(out, "{first}{point}{others}e-05");
    } else {
        out.extend_from_slice(unsigned.as_bytes());
    }
}

/// Write the decimal point and up to three decimals, without trailing zeros.
fn decimals(out: &mut Vec<u8>, thousandths: i64) {
    let (tenths, hundredths) = (thousandths / 100, thousandths / 10);
    let digit =
        |value: i64| b"0123456789".get(usize::try_from(value % 10).unwrap_or_default()).copied().unwrap_or_default();
    out.extend_from_slice(&[b'.', digit(tenths), digit(hundredths), digit(thousandths)]);
    if thousandths % 10 == 0 {
        let zeros = if thousandths % 100 == 0 { 2 } else { 1 };
        out.truncate(out.len() - zeros);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(value: f64) -> String {
        let mut out = Vec::new();
        float(&mut out, value);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn floats_are_formatted_as_in_python() {
        for (value, want) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (-1.5, "-1.5"),
            (100.0, "100.0"),
            (123.456, "123.456"),
            (0.1 + 0.2, "0.30000000000000004"),
            (0.001, "0.001"),
            (1e-4, "0.0001"),
            (1.25e-4, "0.000125"),
            (1e-5, "1e-05"),
            (1.5e-5, "1.5e-05"),
            (1e-7, "1e-07"),
            (1e15, "1000000000000000.0"),
            (1_234_567_890_123_456.7, "1234567890123456.8"),
            (-4_452_712_482_368_009.0 / 4.0, "-1113178120592002.2"),
            (2.0_f64.powi(-25), "2.9802322387695312e-08"),
            (9.999e-5, "9.999e-05"),
            (9_007_199_254_740_993.0, "9007199254740992.0"),
            (1e16, "1e+16"),
            (1.5e16, "1.5e+16"),
            (-1e22, "-1e+22"),
            (1e100, "1e+100"),
            (5e-324, "5e-324"),
            (f64::MAX, "1.7976931348623157e+308"),
            (f64::MIN_POSITIVE, "2.2250738585072014e-308"),
        ] {
            assert_eq!(written(value), want);
        }
    }

    #[test]
    fn integers_are_formatted_as_in_python() {
        for value in [0, 7, -7, 10, 99, -100, 1_234_567_890, i64::MAX, i64::MIN, i64::MIN + 1] {
            let mut out = Vec::new();
            integer(&mut out, value);
            assert_eq!(String::from_utf8(out).unwrap(), value.to_string());
        }
    }

    proptest! {
        #[test]
        fn an_integer_reads_back_as_itself(value in any::<i64>()) {
            let mut out = Vec::new();
            integer(&mut out, value);
            prop_assert_eq!(String::from_utf8(out).unwrap(), value.to_string());
        }

        #[test]
        fn a_whole_float_is_formatted_like_any_other(value in any::<i32>()) {
            let value = f64::from(value) * 1_048_576.0;
            prop_assert_eq!(written(value), format!("{value:.1}"));
        }

        #[test]
        fn a_float_at_or_beside_a_thousandth_has_the_fewest_digits(
            count in -2_000_000_000_000_000_i64..2_000_000_000_000_000,
            scale in 0_u32..16,
            zeros in 0_u32..4,
            beside in -1_i64..=1,
        ) {
            #[expect(clippy::cast_precision_loss, reason = "any float near will do")]
            let thousandth = (count / 10_i64.pow(scale) * 10_i64.pow(zeros)) as f64 / 1000.0;
            let value = f64::from_bits(thousandth.to_bits().saturating_add_signed(beside));
            prop_assert_eq!(written(value).parse::<f64>().unwrap().to_bits(), value.to_bits());
            if value.abs() >= 1e-4 {
                prop_assert_eq!(written(value).len(), format!("{value:?}").len());
            }
        }

        #[test]
        fn a_float_reads_back_as_itself(value in any::<f64>()) {
            prop_assert_eq!(written(value).parse::<f64>().unwrap().to_bits(), value.to_bits());
        }

        #[test]
        fn a_float_has_a_point_or_an_exponent(value in any::<f64>()) {
            prop_assert!(written(value).contains(['.', 'e']));
        }
    }
}
