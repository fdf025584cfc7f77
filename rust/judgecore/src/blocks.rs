//! Bytes looked at 64 at a time: what is sought among them becomes the bits of one number.

/// How many bytes are looked at together.
pub(crate) const BLOCK: usize = 64;

/// The block of a text that begins at `at`, filled up with spaces.
#[inline]
pub(crate) fn block(bytes: &[u8], at: usize) -> [u8; BLOCK] {
    let rest = bytes.get(at..).unwrap_or_default();
    match rest.first_chunk::<BLOCK>() {
        Some(block) => *block,
        None => std::array::from_fn(|nth| rest.get(nth).copied().unwrap_or(b' ')),
    }
}

/// The bytes of a block for which `is_sought` holds, the first one lowest. The compiler makes one vectorised pass of it
/// where `is_sought` does not branch.
#[inline]
pub(crate) fn mask(block: &[u8; BLOCK], is_sought: impl Fn(u8) -> bool) -> u64 {
    let mut hits = [0_u8; BLOCK];
    for (hit, &byte) in hits.iter_mut().zip(block) {
        *hit = u8::from(is_sought(byte));
    }
    let (eights, _) = hits.as_chunks::<8>();
    // One bit of each byte, side by side.
    let packed = |eight: &[u8; 8]| u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    eights.iter().rev().fold(0, |mask, eight| mask << 8 | packed(eight))
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
            (at, found) = (next, mask(&block(bytes, next), &is_sought));
            next += BLOCK;
        }
        let place = at + found.trailing_zeros() as usize;
        found &= found.wrapping_sub(1);
        Some(place)
    })
}

/// The bits from `nth` on.
#[inline]
pub(crate) fn from_bit(nth: usize) -> u64 {
    u32::try_from(nth).ok().and_then(|nth| u64::MAX.checked_shl(nth)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{BLOCK, block, mask, places};

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
        fn places_are_those_of_the_bytes(bytes in prop::collection::vec(prop::sample::select(b"1 a\n".as_slice()), 0..200), from in 0_usize..220) {
            let want: Vec<usize> = (from..bytes.len()).filter(|&at| bytes[at] == b'1').collect();

            prop_assert_eq!(places(&bytes, from, |byte| byte == b'1').collect::<Vec<_>>(), want);
        }
    }
}
