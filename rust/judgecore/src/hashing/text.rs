//! Strings in ASCII, with everything else escaped.

/// The lowest and the highest bit of each byte in a word.
const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

const HEX: [u8; 16] = *b"0123456789abcdef";

/// Write a string in quotation marks: UTF-8, in which lone surrogates may stand as three bytes.
pub(super) fn quote(out: &mut Vec<u8>, text: &[u8]) {
    out.reserve(text.len() + 2);
    out.push(b'"');
    let mut rest = text;
    loop {
        let (plain, special) = rest.split_at(plain_length(rest));
        out.extend_from_slice(plain);
        let Some((&first, behind)) = special.split_first() else {
            break;
        };
        rest = if first.is_ascii() {
            escape_ascii(out, first);
            behind
        } else {
            let (code, behind) = decode(first, behind);
            escape_wide(out, code);
            behind
        };
    }
    out.push(b'"');
}

/// Whether a byte can't stand in a string as it is. DEL is no control character in JSON, but Python escapes it.
fn is_special(byte: u8) -> bool {
    !(0x20..0x7f).contains(&byte) || byte == b'"' || byte == b'\\'
}

/// How many bytes are looked at together; compilers make a few instructions of it.
const BLOCK: usize = 32;
const WORD: usize = size_of::<u64>();

/// How many bytes stand before the first special one.
fn plain_length(text: &[u8]) -> usize {
    let special_in = |word: &[u8; WORD]| special_bytes(u64::from_le_bytes(*word));
    let place = |special: u64| special.trailing_zeros() as usize / 8;
    let (blocks, rest) = text.as_chunks::<BLOCK>();
    let mut before = 0;
    for block in blocks {
        if block.iter().fold(0, |any, &byte| any | u8::from(is_special(byte))) != 0 {
            return before + block.iter().position(|&byte| is_special(byte)).unwrap_or_default();
        }
        before += BLOCK;
    }
    for word in rest.as_chunks::<WORD>().0 {
        let special = special_in(word);
        if special != 0 {
            return before + place(special);
        }
        before += WORD;
    }
    // The last bytes of the text as a word, of which the first may have been seen, and are plain.
    match text.last_chunk().map(special_in) {
        Some(0) => text.len(),
        Some(special) => text.len() - WORD + place(special),
        None => text.iter().position(|&byte| is_special(byte)).unwrap_or(text.len()),
    }
}

/// The highest bit of each special byte. Only bytes behind a special one may be marked without being so.
fn special_bytes(word: u64) -> u64 {
    let is_zero = |word: u64| word.wrapping_sub(LOW) & !word;
    let is_control = word.wrapping_sub(LOW * 0x20) & !word;
    let is_one_of_three = is_zero(word ^ (LOW * u64::from(b'"')))
        | is_zero(word ^ (LOW * u64::from(b'\\')))
        | is_zero(word ^ (LOW * 0x7f));
    (word | is_control | is_one_of_three) & HIGH
}

fn escape_ascii(out: &mut Vec<u8>, byte: u8) {
    let short = match byte {
        b'"' | b'\\' => byte,
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x08 => b'b',
        0x0c => b'f',
        _ => return escape_unit(out, u16::from(byte)),
    };
    out.extend_from_slice(&[b'\\', short]);
}

/// The number of a code point from its first byte and those behind; what is no UTF-8 is U+FFFD, byte by byte.
fn decode(first: u8, behind: &[u8]) -> (u32, &[u8]) {
    let length = match first {
        0xc2..=0xdf => 1,
        0xe0..=0xef => 2,
        0xf0..=0xf4 => 3,
        _ => 0,
    };
    match behind.split_at_checked(length) {
        Some((following, rest)) if length > 0 && following.iter().all(|byte| byte & 0xc0 == 0x80) => {
            let head = u32::from(first) & (0x3f >> length);
            (following.iter().fold(head, |code, byte| code << 6 | u32::from(byte & 0x3f)), rest)
        }
        _ => (0xfffd, behind),
    }
}

/// Above U+FFFF two surrogates stand for one code point.
fn escape_wide(out: &mut Vec<u8>, code: u32) {
    match (u16::try_from(code), char::from_u32(code)) {
        (Ok(unit), _) => escape_unit(out, unit),
        (Err(_), Some(character)) => {
            character.encode_utf16(&mut [0; 2]).iter().for_each(|&unit| escape_unit(out, unit));
        }
        (Err(_), None) => escape_unit(out, 0xfffd),
    }
}

fn escape_unit(out: &mut Vec<u8>, unit: u16) {
    let digit = |shift: u32| HEX.get(usize::from(unit >> shift & 0xf)).copied().unwrap_or_default();
    out.extend_from_slice(&[b'\\', b'u', digit(12), digit(8), digit(4), digit(0)]);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn quoted(text: &[u8]) -> String {
        let mut out = Vec::new();
        quote(&mut out, text);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn what_is_not_plain_is_escaped() {
        for (text, want) in [
            ("", r#""""#),
            ("plain ~", r#""plain ~""#),
            ("a\"b\\c/d", r#""a\"b\\c/d""#),
            ("\u{8}\t\n\u{c}\r", r#""\b\t\n\f\r""#),
            ("\0\u{1b}\u{7f}", r#""\u0000\u001b\u007f""#),
            ("é\u{2028}\u{ffff}", r#""\u00e9\u2028\uffff""#),
            ("𝄞😀\u{10ffff}", r#""\ud834\udd1e\ud83d\ude00\udbff\udfff""#),
        ] {
            assert_eq!(quoted(text.as_bytes()), want);
        }
    }

    #[test]
    fn a_lone_surrogate_keeps_its_number() {
        assert_eq!(quoted(b"a\xed\xa0\x80\xed\xbf\xbfb"), r#""a\ud800\udfffb""#);
    }

    #[test]
    fn a_special_byte_is_found_at_every_place() {
        for (special, want) in [(b'\n', "\\n"), (b'"', "\\\""), (b'\\', "\\\\"), (0x7f, "\\u007f"), (0x1f, "\\u001f")] {
            for at in 0..80 {
                let mut text = b" !#[]~xyz0123456".repeat(5);
                text[at] = special;
                let (before, behind) = (&text[..at], &text[at + 1..]);
                let plain = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
                assert_eq!(quoted(&text), format!("\"{}{want}{}\"", plain(before), plain(behind)));
            }
        }
    }

    proptest! {
        #[test]
        fn any_text_reads_back_as_itself(text in any::<String>()) {
            prop_assert_eq!(serde_json::from_str::<String>(&quoted(text.as_bytes())).unwrap(), text);
        }

        #[test]
        fn any_bytes_make_a_string_of_json(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            let text = quoted(&bytes);

            prop_assert!(text.is_ascii());
            prop_assert!(text.len() >= 2);
        }
    }
}
