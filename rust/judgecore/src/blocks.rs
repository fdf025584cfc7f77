//! Bytes looked at 64 at a time: what is sought among them becomes the bits of one number.

use std::ops::Range;

/// How many bytes are looked at together.
pub(crate) const BLOCK: usize = 64;

/// The block of a text that begins at `at`, filled up with spaces.
#[inline]
pub(crate) fn block(bytes: &[u8], at: usize) -> [u8; BLOCK] {
    let rest = bytes.get(at..).unwrap_or_default();
    if let Some(block) = rest.first_chunk() {
        return *block;
    }
    let mut block = [b' '; BLOCK];
    if let Some(begun) = block.get_mut(..rest.len()) {
        begun.copy_from_slice(rest);
    }
    block
}

/// The bytes of a block for which `is_sought` holds, the first one lowest. The compiler makes one vectorised pass of it
/// where `is_sought` does not branch.
#[inline]
pub(crate) fn mask(block: &[u8; BLOCK], is_sought: impl Fn(u8) -> bool) -> u64 {
    packed(&block.map(|byte| u8::from(is_sought(byte))))
}

/// The same of the block at a place. Where all of it is ASCII, what is beyond it takes no time to tell.
#[inline]
fn mask_at(bytes: &[u8], at: usize, is_sought: impl Fn(u8) -> bool) -> u64 {
    let block = block(bytes, at);
    if block.is_ascii() { mask(&block, |byte| is_sought(byte & 0x7f)) } else { mask(&block, is_sought) }
}

/// The bits of bytes that are 0 or 1, the first one lowest.
#[inline]
fn packed(hits: &[u8; BLOCK]) -> u64 {
    let (eights, _) = hits.as_chunks::<8>();
    // One bit of each byte, side by side.
    let packed = |eight: &[u8; 8]| u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    eights.iter().rev().fold(0, |mask, eight| mask << 8 | packed(eight))
}

/// The same as that of ASCII's bytes, told without a branch.
#[inline]
pub(crate) fn is_alphanumeric(byte: u8) -> bool {
    ((byte | 0x20).wrapping_sub(b'a') < 26) | (byte.wrapping_sub(b'0') < 10)
}

/// Where bytes stand from `from` on for which `is_sought` holds, which does not branch and is false for a space.
#[inline]
pub(crate) fn places(bytes: &[u8], from: usize, is_sought: impl Fn(u8) -> bool) -> impl Iterator<Item = usize> {
    let mut at = from;
    let mut found = 0;
    let mut next = from;
    std::iter::from_fn(move || {
        while found == 0 {
            if next >= bytes.len() {
                return None;
            }
            (at, found) = (next, mask_at(bytes, next, &is_sought));
            next += BLOCK;
        }
        let place = at + found.trailing_zeros() as usize;
        found &= found.wrapping_sub(1);
        Some(place)
    })
}

/// The same up to a place, and the last one first.
#[inline]
pub(crate) fn places_back(
    bytes: &[u8],
    range: Range<usize>,
    is_sought: impl Fn(u8) -> bool,
) -> impl Iterator<Item = usize> {
    let Range { start: first, end } = range;
    let mut at = end;
    let mut found = 0;
    std::iter::from_fn(move || {
        while found == 0 {
            if at <= first {
                return None;
            }
            let behind = at;
            at = behind.saturating_sub(BLOCK).max(first);
            found = mask_at(bytes, at, &is_sought) & !from_bit(behind - at);
        }
        let nth = u64::BITS - 1 - found.leading_zeros();
        found ^= 1 << nth;
        Some(at + nth as usize)
    })
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x80 * ONES;

/// Of eight bytes below 0x80, the high bit of each tells whether it is no less than one and less than another.
#[inline]
fn within(plain: u64, first: u8, behind: u8) -> u64 {
    // None carries into the next.
    let from = |least: u8| plain + u64::from(0x80 - least) * ONES;
    from(first) & !from(behind)
}

/// How many of eight bytes, from the first one on, are letters and digits of ASCII.
#[inline]
pub(crate) fn alphanumerics(eight: [u8; 8]) -> usize {
    let bytes = u64::from_le_bytes(eight);
    let plain = bytes & !HIGH;
    let letters = within(plain | (0x20 * ONES), b'a', b'z' + 1);
    let digits = within(plain, b'0', b'9' + 1);
    let others = !((letters | digits) & !bytes) & HIGH;
    (others.trailing_zeros() / 8) as usize
}

/// The first digit of ASCII among eight bytes.
#[inline]
pub(crate) fn digit_among(eight: [u8; 8]) -> Option<usize> {
    let bytes = u64::from_le_bytes(eight);
    let digits = within(bytes & !HIGH, b'0', b'9' + 1) & !bytes & HIGH;
    (digits != 0).then_some((digits.trailing_zeros() / 8) as usize)
}

/// The bits from `nth` on.
#[inline]
pub(crate) fn from_bit(nth: usize) -> u64 {
    u32::try_from(nth).ok().and_then(|nth| u64::MAX.checked_shl(nth)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{BLOCK, alphanumerics, block, digit_among, mask, places, places_back};

    proptest! {
        #[test]
        fn each_bit_is_of_its_byte(bytes in prop::collection::vec(any::<u8>(), 0..150), at in 0_usize..150, least: u8) {
            let block = block(&bytes, at);

            for (nth, &byte) in block.iter().enumerate() {
                prop_assert_eq!(byte, bytes.get(at + nth).copied().unwrap_or(b' '));
                prop_assert_eq!(mask(&block, |byte| byte >= least) >> nth & 1 == 1, byte >= least);
            }
            prop_assert_eq!(block.len(), BLOCK);
        }

        #[test]
        fn letters_and_digits_are_counted_up_to_the_first_other_byte(
            bytes in prop::array::uniform8(prop_oneof![any::<u8>(), prop::sample::select(b"azAZ09@[`{/:".as_slice())]), letters in 0_usize..9
        ) {
            let eight = std::array::from_fn(|nth| if nth < letters { b'x' } else { bytes[nth] });

            prop_assert_eq!(alphanumerics(eight), eight.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count());
            prop_assert_eq!(digit_among(eight), eight.iter().position(u8::is_ascii_digit));
        }

        #[test]
        fn places_are_those_of_the_bytes(bytes in prop::collection::vec(prop::sample::select(b"1 a\n".as_slice()), 0..200), from in 0_usize..220) {
            let want: Vec<usize> = (from..bytes.len()).filter(|&at| bytes[at] == b'1').collect();

            prop_assert_eq!(places(&bytes, from, |byte| byte == b'1').collect::<Vec<_>>(), want.clone());
            let mut back: Vec<usize> = places_back(&bytes, from..bytes.len(), |byte| byte == b'1').collect();
            back.reverse();
            prop_assert_eq!(back, want);
        }
    }
}
