//! Looking for the first of some signs in a text, with wide registers.

#[cfg(not(target_arch = "x86_64"))]
mod narrow;
#[cfg(target_arch = "x86_64")]
mod wide;

#[cfg(not(target_arch = "x86_64"))]
pub(crate) use narrow::Scan;
#[cfg(target_arch = "x86_64")]
pub(crate) use wide::Scan;

/// Signs to look for, all of them ASCII; what is not ASCII is one of them too.
///
/// A byte is one of them if both halves of it have a bit in common: each high half has a bit of its own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Signs {
    low: [u8; 16],
    high: [u8; 16],
}

impl Signs {
    pub(crate) const fn new(is_sign: &[bool; 128]) -> Self {
        let mut signs = Self { low: [0; 16], high: [0; 16] };
        let mut byte = 0;
        while byte < is_sign.len() {
            let bit = 1 << (byte >> 4);
            #[expect(clippy::indexing_slicing, reason = "worked out while compiling, where it can't go wrong unseen")]
            {
                signs.high[byte >> 4] = bit;
                if is_sign[byte] {
                    signs.low[byte & 0xf] |= bit;
                }
            }
            byte += 1;
        }
        signs
    }

    #[cfg(any(test, target_arch = "x86_64"))]
    fn hold(&self, byte: u8) -> bool {
        let half = |table: &[u8; 16], at: u8| table.get(usize::from(at)).copied().unwrap_or_default();
        !byte.is_ascii() || half(&self.low, byte & 0xf) & half(&self.high, byte >> 4) != 0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Scan, Signs};

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_first_sign_is_found_where_it_stands(
            pieces in prop::collection::vec(prop::sample::select(["a", "of", "o", "f", "[", "8", "é", " ", "plain words of it ", "~"].as_slice()), 0..60),
            wanted in prop::collection::vec(0_u8..128, 0..5), met in 0_usize..90
        ) {
            let text = pieces.concat();
            let mut is_sign = [false; 128];
            for byte in wanted {
                is_sign[usize::from(byte)] = true;
            }
            let signs = Signs::new(&is_sign);
            let bytes = text.as_bytes();
            let first = bytes.iter().position(|&byte| !byte.is_ascii() || is_sign[usize::from(byte)]).unwrap_or(bytes.len());
            let pairs = bytes.windows(2).enumerate().filter(|(at, pair)| *pair == b"of" && *at < first).map(|(at, _)| at);
            let has_met = pairs.clone().any(|at| at >= met);

            prop_assert!(bytes.iter().all(|&byte| signs.hold(byte) == (!byte.is_ascii() || is_sign[usize::from(byte)])));
            if let Some(scan) = Scan::new() {
                prop_assert_eq!(first, scan.first(bytes, &signs));
                let got = scan.first_without(bytes, &signs, *b"of", |at| at >= met);
                prop_assert_eq!(if has_met { bytes.len() } else { first }, got, "{:?}", text);
            }
        }
    }
}
