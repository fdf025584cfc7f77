//! Strings in ASCII; all other characters are escaped.

/// The lowest and the highest bit of each byte in a word.
const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

const HEX: [u8; 16] = *b"0123456789abcdef";

/// Write a quoted string, followed by the byte `after`. The text is UTF-8 that may also encode lone surrogates (WTF-8).
pub(super) fn quote(out: &mut Vec<u8>, text: &[u8], after: u8) {
    out.reserve(text.len() + 3);
    out.push(b'"');
    if !copy_short(out, text) {
        copy_any(out, text);
    }
    out.extend_from_slice(&[b'"', after]);
}

/// Write a text that is long, or has characters to escape.
#[inline(never)]
fn copy_any(out: &mut Vec<u8>, text: &[u8]) {
    let (plain, rest) = text.split_at(plain_length(text));
    out.extend_from_slice(plain);
    if !rest.is_empty() {
        escape(out, rest);
    }
}

/// Write a text that begins with a special byte. Not inlined, because most strings have none.
#[inline(never)]
fn escape(out: &mut Vec<u8>, text: &[u8]) {
    let mut rest = text;
    while let Some((&first, after)) = rest.split_first() {
        rest = if first.is_ascii() {
            escape_ascii(out, first);
            after
        } else {
            let (code, after) = decode(first, after);
            escape_wide(out, code);
            after
        };
        let (plain, special) = rest.split_at(plain_length(rest));
        out.extend_from_slice(plain);
        rest = special;
    }
}

/// Whether a byte must be escaped. JSON allows DEL in a string, but Python escapes it.
fn is_special(byte: u8) -> bool {
    !(0x20..0x7f).contains(&byte) || byte == b'"' || byte == b'\\'
}

/// The number of bytes tested at once; compilers vectorize the test.
const BLOCK: usize = 32;
const HALF: usize = BLOCK / 2;

/// The number of bytes before the first special one, tested one by one.
#[inline(never)]
fn first_special(bytes: &[u8]) -> usize {
    bytes.iter().position(|&byte| is_special(byte)).unwrap_or(bytes.len())
}

/// The number of bytes before the first special one.
fn plain_length(text: &[u8]) -> usize {
    let (blocks, rest) = text.as_chunks::<BLOCK>();
    let mut before = 0;
    for block in blocks {
        if has_special(block) {
            return before + first_special(block);
        }
        before += BLOCK;
    }
    // The last block may overlap bytes that were already tested, which are plain.
    if text.last_chunk::<BLOCK>().is_some_and(|last| !has_special(last)) {
        text.len()
    } else {
        before + first_special(rest)
    }
}

/// Copy up to one block of plain bytes as two overlapping parts. Return false if it is longer or not plain.
#[inline]
fn copy_short(out: &mut Vec<u8>, text: &[u8]) -> bool {
    match text.len() {
        0 => true,
        1..4 => {
            let is_plain = !text.iter().any(|&byte| is_special(byte));
            if is_plain {
                out.extend(text);
            }
            is_plain
        }
        4..8 => copy_ends(out, text, |first, last| {
            has_special_byte(u64::from(u32::from_ne_bytes(*first)) << u32::BITS | u64::from(u32::from_ne_bytes(*last)))
        }),
        8..HALF => copy_ends(out, text, |first, last| {
            has_special_byte(u64::from_ne_bytes(*first)) || has_special_byte(u64::from_ne_bytes(*last))
        }),
        HALF..=BLOCK => copy_ends::<HALF>(out, text, |first, last| has_special(first) || has_special(last)),
        _ => false,
    }
}

/// Copy a text of `SIZE` to `2 * SIZE` bytes, unless it has a special byte.
#[inline]
fn copy_ends<const SIZE: usize>(
    out: &mut Vec<u8>,
    text: &[u8],
    has_special: impl Fn(&[u8; SIZE], &[u8; SIZE]) -> bool,
) -> bool {
    let (Some(first), Some(last)) = (text.first_chunk(), text.last_chunk()) else {
        return false;
    };
    if has_special(first, last) {
        return false;
    }
    let end = out.len() + text.len();
    out.extend_from_slice(first);
    out.truncate(end - SIZE);
    out.extend_from_slice(last);
    true
}

/// Whether a byte of a word is special.
fn has_special_byte(word: u64) -> bool {
    special_bits(word) & HIGH != 0
}

/// Return a word in which some byte's highest bit is set if and only if some byte is special.
fn special_bits(word: u64) -> u64 {
    let is_control = word.wrapping_sub(LOW * 0x20);
    let is_delete = word.wrapping_add(LOW);
    let is_quote = (word ^ (LOW * u64::from(b'"'))).wrapping_sub(LOW);
    let is_backslash = (word ^ (LOW * u64::from(b'\\'))).wrapping_sub(LOW);
    word | is_control | is_delete | is_quote | is_backslash
}

/// Folds numbers rather than booleans, because compilers vectorize that.
fn has_special<const COUNT: usize>(bytes: &[u8; COUNT]) -> bool {
    bytes.iter().fold(0, |any, &byte| any | u8::from(is_special(byte))) != 0
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

/// Decode a code point from its first byte and the bytes after it. Each invalid byte is U+FFFD.
fn decode(first: u8, after: &[u8]) -> (u32, &[u8]) {
    let length = match first {
        0xc2..=0xdf => 1,
        0xe0..=0xef => 2,
        0xf0..=0xf4 => 3,
        _ => 0,
    };
    match after.split_at_checked(length) {
        Some((following, rest)) if length > 0 && following.iter().all(|byte| byte & 0xc0 == 0x80) => {
            let head = u32::from(first) & (0x3f >> length);
            (following.iter().fold(head, |code, byte| code << 6 | u32::from(byte & 0x3f)), rest)
        }
        _ => (0xfffd, after),
    }
}

/// A code point above U+FFFF is written as a surrogate pair.
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
        quote(&mut out, text, b',');
        assert_eq!(out.pop(), Some(b','));
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn special_characters_are_escaped() {
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
    fn a_lone_surrogate_keeps_its_code() {
        assert_eq!(quoted(b"a\xed\xa0\x80\xed\xbf\xbfb"), r#""a\ud800\udfffb""#);
    }

    #[test]
    fn a_special_byte_is_found_at_every_position_of_texts_of_every_length() {
        for (special, want) in [(b'\n', "\\n"), (b'"', "\\\""), (b'\\', "\\\\"), (0x7f, "\\u007f"), (0x1f, "\\u001f")] {
            for (length, at) in (0..80).flat_map(|length| (0..length).map(move |at| (length, at))) {
                let mut text = b" !#[]~xyz0123456".repeat(5);
                text.truncate(length);
                text[at] = special;
                let (before, after) = (&text[..at], &text[at + 1..]);
                let plain = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
                assert_eq!(quoted(&text), format!("\"{}{want}{}\"", plain(before), plain(after)));
            }
        }
    }

    #[test]
    fn plain_text_of_every_length_is_itself() {
        for length in 0..80 {
            let text: String = " !#[]~xyz0123456".chars().cycle().take(length).collect();
            assert_eq!(quoted(text.as_bytes()), format!("\"{text}\""));
        }
    }

    proptest! {
        #[test]
        fn any_text_reads_back_as_itself(text in any::<String>()) {
            prop_assert_eq!(serde_json::from_str::<String>(&quoted(text.as_bytes())).unwrap(), text);
        }

        #[test]
        fn any_bytes_become_an_ascii_string(bytes in prop::collection::vec(any::<u8>(), 0..80)) {
            let text = quoted(&bytes);

            prop_assert!(text.is_ascii());
            prop_assert!(text.len() >= 2);
        }
    }
}
