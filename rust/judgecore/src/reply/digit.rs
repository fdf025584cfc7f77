//! Decimal digits of every script, as Unicode's general category `Nd` lists them.

/// The zero of each run of ten digits, ascending (Unicode 16, `DerivedGeneralCategory.txt`).
const ZEROS: [u32; 75] = [
    0x00030, 0x00660, 0x006F0, 0x007C0, 0x00966, 0x009E6, 0x00A66, 0x00AE6, 0x00B66, 0x00BE6, 0x00C66, 0x00CE6,
    0x00D66, 0x00DE6, 0x00E50, 0x00ED0, 0x00F20, 0x01040, 0x01090, 0x017E0, 0x01810, 0x01946, 0x019D0, 0x01A80,
    0x01A90, 0x01B50, 0x01BB0, 0x01C40, 0x01C50, 0x0A620, 0x0A8D0, 0x0A900, 0x0A9D0, 0x0A9F0, 0x0AA50, 0x0ABF0,
    0x0FF10, 0x104A0, 0x10D30, 0x10D40, 0x11066, 0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650,
    0x116C0, 0x116D0, 0x116DA, 0x11730, 0x118E0, 0x11950, 0x11BF0, 0x11C50, 0x11D50, 0x11DA0, 0x11DE0, 0x11F50,
    0x16A60, 0x16AC0, 0x16B50, 0x1CCF0, 0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E4F0,
    0x1E5F1, 0x1E950, 0x1FBF0,
];

/// The value 0 to 9 of a decimal digit of any script.
pub(crate) fn value(c: char) -> Option<u8> {
    if c.is_ascii() {
        return c.is_ascii_digit().then(|| u8::try_from(u32::from(c) - 0x30).unwrap_or(0));
    }
    let code = u32::from(c);
    // Punctuation, and the many characters of Chinese and Japanese.
    if (0x1c5a..0xa620).contains(&code) {
        return None;
    }
    let run = ZEROS.partition_point(|&zero| zero <= code).checked_sub(1)?;
    let digit = code - ZEROS.get(run)?;
    u8::try_from(digit).ok().filter(|&digit| digit < 10)
}

#[cfg(test)]
mod tests {
    use super::value;

    #[test]
    fn digits_of_other_scripts_have_their_value() {
        for (digit, want) in [('8', 8), ('\u{ff18}', 8), ('\u{0664}', 4), ('\u{096d}', 7), ('\u{1d7d6}', 8)] {
            assert_eq!(value(digit), Some(want), "{digit}");
        }
    }

    #[test]
    fn fractions_superscripts_and_circled_numbers_are_no_digits() {
        for other in ['\u{bd}', '\u{b2}', '\u{2460}', 'a', '\u{4e00}'] {
            assert_eq!(value(other), None, "{other}");
        }
    }
}
