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
/// By its lower half a byte has the bits of those higher halves with which it is a sign.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Signs([u8; 16]);

/// The bit of each higher half; what is not ASCII has none.
const HIGHER: [u8; 16] = [1, 1 << 1, 1 << 2, 1 << 3, 1 << 4, 1 << 5, 1 << 6, 1 << 7, 0, 0, 0, 0, 0, 0, 0, 0];

impl Signs {
    pub(crate) const fn of(signs: &[u8]) -> Self {
        let mut table = Self([0; 16]);
        let mut rest = signs;
        while let [sign, others @ ..] = rest {
            table = table.and(*sign);
            rest = others;
        }
        table
    }

    /// Control characters too, but for the end of a line and DEL.
    pub(crate) const fn with_controls(self) -> Self {
        let mut table = self;
        let mut control = 0;
        while control < b' ' {
            table = if control == b'\n' { table } else { table.and(control) };
            control += 1;
        }
        table
    }

    const fn and(self, sign: u8) -> Self {
        let mut table = self;
        #[expect(clippy::indexing_slicing, reason = "worked out while compiling, where it can't go wrong unseen")]
        {
            table.0[(sign & 0xf) as usize] |= HIGHER[(sign >> 4) as usize];
        }
        table
    }

    #[cfg(any(test, target_arch = "x86_64"))]
    fn hold(&self, byte: u8) -> bool {
        let half = |table: &[u8; 16], at: u8| table.get(usize::from(at)).copied().unwrap_or_default();
        !byte.is_ascii() || half(&self.0, byte & 0xf) & half(&HIGHER, byte >> 4) != 0
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
            let signs = Signs::of(&wanted);
            let is_sign = |byte: &u8| !byte.is_ascii() || wanted.contains(byte);
            let bytes = text.as_bytes();
            let first = bytes.iter().position(is_sign).unwrap_or(bytes.len());
            let pairs = bytes.windows(2).enumerate().filter(|(at, pair)| *pair == b"of" && *at < first).map(|(at, _)| at);
            let has_met = pairs.clone().any(|at| at >= met);

            prop_assert!((0..=u8::MAX).all(|byte| signs.hold(byte) == is_sign(&byte)));
            if let Some(scan) = Scan::new() {
                prop_assert_eq!(first, scan.first(bytes, &signs));
                let got = scan.first_without(bytes, &signs, *b"of", |at| at >= met);
                prop_assert_eq!(if has_met { bytes.len() } else { first }, got, "{:?}", text);
            }
        }
    }

    #[test]
    fn controls_are_all_but_the_end_of_a_line() {
        let signs = Signs::of(b"x").with_controls();

        let held: Vec<u8> = (0..0x80).filter(|&byte| signs.hold(byte)).collect();

        assert_eq!(held, (0..b' ').filter(|&byte| byte != b'\n').chain([b'x']).collect::<Vec<_>>());
    }
}
