//! The search with registers of 32 bytes, on machines that have them.

#![expect(clippy::inline_always, reason = "what is not inlined is compiled for machines without wide registers")]

use pulp::NullaryFnOnce;
use pulp::x86::V3;

use super::{HIGHER, Signs};

/// How many bytes are looked at together.
const WIDE: usize = 32;

/// A search for signs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scan(V3);

impl Scan {
    /// The search, where it takes less time than reading would.
    pub(crate) fn new() -> Option<Self> {
        V3::try_new().map(Self)
    }

    /// Where the first sign stands, or the end of the text.
    #[inline]
    pub(crate) fn first(self, text: &[u8], signs: &Signs) -> usize {
        self.0.vectorize(First::<_, false> { simd: self.0, text, signs, pair: [0; 2], is_met: |_| false })
    }

    /// The same, or the end of the text if `is_met` holds for the place of such a pair of bytes before the first sign.
    #[inline]
    pub(crate) fn first_without(
        self,
        text: &[u8],
        signs: &Signs,
        pair: [u8; 2],
        is_met: impl Fn(usize) -> bool,
    ) -> usize {
        self.0.vectorize(First::<_, true> { simd: self.0, text, signs, pair, is_met })
    }
}

struct First<'a, F, const PAIRS: bool> {
    simd: V3,
    text: &'a [u8],
    signs: &'a Signs,
    pair: [u8; 2],
    is_met: F,
}

impl<F: Fn(usize) -> bool, const PAIRS: bool> First<'_, F, PAIRS> {
    /// Bits of the places of signs, and of pairs; `next` is one byte behind `here`.
    #[inline(always)]
    fn look(&self, here: &[u8; WIDE], next: &[u8; WIDE]) -> (u32, u32) {
        let Self { simd: V3 { avx, avx2, .. }, .. } = self;
        let table = |half: [u8; 16]| avx2._mm256_broadcastsi128_si256(pulp::cast(half));
        let here = pulp::cast(*here);
        // Of what is not ASCII the low half gives nothing; it is found by its highest bit.
        let lows = avx2._mm256_shuffle_epi8(table(self.signs.0), here);
        let halves = avx2._mm256_and_si256(avx2._mm256_srli_epi16::<4>(here), avx._mm256_set1_epi8(0xf));
        let highs = avx2._mm256_shuffle_epi8(table(HIGHER), halves);
        let free = avx2._mm256_cmpeq_epi8(avx2._mm256_and_si256(lows, highs), avx._mm256_setzero_si256());
        let found = !avx2._mm256_movemask_epi8(free) | avx2._mm256_movemask_epi8(here);
        let mut pairs = 0;
        if PAIRS {
            let [one, other] = self.pair.map(u8::cast_signed);
            let one = avx2._mm256_cmpeq_epi8(here, avx._mm256_set1_epi8(one));
            let other = avx2._mm256_cmpeq_epi8(pulp::cast(*next), avx._mm256_set1_epi8(other));
            pairs = avx2._mm256_movemask_epi8(avx2._mm256_and_si256(one, other));
        }
        (found.cast_unsigned(), pairs.cast_unsigned())
    }

    /// Where the search ends in the stretch that begins at `start`, if it does.
    #[inline(always)]
    fn end(&self, start: usize, found: u32, mut pairs: u32) -> Option<usize> {
        // Behind the first sign nothing is of interest.
        pairs &= (found & found.wrapping_neg()).wrapping_sub(1);
        while pairs != 0 {
            if (self.is_met)(start + place(pairs)) {
                return Some(self.text.len());
            }
            pairs &= pairs - 1;
        }
        if found == 0 { None } else { Some(self.text.len().min(start + place(found))) }
    }
}

impl<F: Fn(usize) -> bool, const PAIRS: bool> NullaryFnOnce for First<'_, F, PAIRS> {
    type Output = usize;

    #[inline(always)]
    fn call(self) -> usize {
        let text = self.text;
        let stretches = text.as_chunks::<WIDE>().0.iter().zip(text.get(1..).unwrap_or_default().as_chunks::<WIDE>().0);
        let mut start = 0;
        for (here, next) in stretches {
            let (found, pairs) = self.look(here, next);
            if found | pairs != 0
                && let Some(end) = self.end(start, found, pairs)
            {
                return end;
            }
            start += WIDE;
        }
        // What is left over, with some of what was seen, but for the last byte.
        let short: [u8; WIDE + 1];
        let (start, left) = if let Some(start) = text.len().checked_sub(WIDE + 1) {
            (start, text.get(start..).unwrap_or_default())
        } else {
            short = padded(text);
            (0, short.as_slice())
        };
        let (Some(here), Some(next)) = (left.first_chunk(), left.last_chunk()) else { return text.len() };
        let (found, pairs) = self.look(here, next);
        if let Some(end) = self.end(start, found, pairs) {
            return end;
        }
        match text.last() {
            Some(&byte) if text.len() > WIDE && self.signs.hold(byte) => text.len() - 1,
            _ => text.len(),
        }
    }
}

/// A short text with spaces behind it.
#[inline(never)]
fn padded(text: &[u8]) -> [u8; WIDE + 1] {
    let mut padded = [b' '; WIDE + 1];
    padded.iter_mut().zip(text).for_each(|(place, byte)| *place = *byte);
    padded
}

/// The place of the lowest bit.
#[inline(always)]
fn place(bits: u32) -> usize {
    usize::try_from(bits.trailing_zeros()).unwrap_or_default()
}
