//! What short replies gave before: guards and judges give the same few answers again and again.

/// Longer replies are seldom the same.
const LONGEST: usize = 256;
/// Two texts for each place, so that two that share one don't displace each other in turn.
const PLACES: usize = 512;

type Known<'t, T> = Option<(&'t str, T)>;

/// The outcomes of recent short replies of one format, mode and cut; each is a pure function of its text.
pub(crate) struct Memo<'t, T> {
    places: Vec<[Known<'t, T>; 2]>,
}

impl<'t, T: Copy> Memo<'t, T> {
    pub(crate) fn new() -> Self {
        Self { places: vec![[None; 2]; PLACES] }
    }

    /// What `text` gives: known from before, or worked out now.
    pub(crate) fn get(&mut self, text: &'t str, work_out: impl FnOnce(&'t str) -> T) -> T {
        if text.len() > LONGEST {
            return work_out(text);
        }
        let Some([recent, older]) = self.places.get_mut(place(text.as_bytes())) else {
            return work_out(text);
        };
        if let Some((known, outcome)) = recent
            && *known == text
        {
            return *outcome;
        }
        std::mem::swap(recent, older);
        match recent {
            Some((known, outcome)) if *known == text => *outcome,
            _ => {
                let outcome = work_out(text);
                *recent = Some((text, outcome));
                outcome
            }
        }
    }
}

/// The place of a text.
fn place(text: &[u8]) -> usize {
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    let (words, rest) = text.as_chunks::<8>();
    let last =
        rest.iter().fold(u64::try_from(text.len()).unwrap_or_default(), |last, &byte| last << 8 | u64::from(byte));
    let mixed = words
        .iter()
        .map(|word| u64::from_le_bytes(*word))
        .chain([last])
        .fold(0_u64, |mixed, word| (mixed.rotate_left(5) ^ word).wrapping_mul(SPREAD));
    usize::try_from(mixed >> 55).unwrap_or_default()
}
