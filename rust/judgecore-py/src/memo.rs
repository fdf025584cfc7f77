//! What short replies gave before: guards and judges give the same few answers again and again.

/// Longer replies are seldom the same.
const LONGEST: usize = 256;
/// Two texts for each place, so that two that share one don't displace each other in turn.
const PLACES: usize = 512;
/// After so many looks it is seen whether one in eight found something; if not, the next are not worth it.
const TRIAL: u32 = 1024;
const WORTH_IT: u32 = TRIAL / 8;
const PAUSE: u32 = 16 * TRIAL;

type Known<'t, T> = Option<(&'t str, T)>;

/// The outcomes of recent short replies of one format, mode and cut; each is a pure function of its text.
pub(crate) struct Memo<'t, T> {
    places: Vec<[Known<'t, T>; 2]>,
    /// The outcome of a text that is not kept.
    passing: Option<T>,
    looks: u32,
    found: u32,
    pause: u32,
}

impl<'t, T> Memo<'t, T> {
    pub(crate) fn new() -> Self {
        Self { places: Vec::new(), passing: None, looks: 0, found: 0, pause: 0 }
    }

    /// What `text` gives: known from before, or worked out now.
    pub(crate) fn get(&mut self, text: &'t str, work_out: impl FnOnce(&'t str) -> T) -> &T {
        if text.len() > LONGEST || !self.is_worth_it() {
            return self.passing.insert(work_out(text));
        }
        if self.places.is_empty() {
            self.places.resize_with(PLACES, || [None, None]);
        }
        let Some([recent, older]) = self.places.get_mut(place(text.as_bytes())) else {
            return self.passing.insert(work_out(text));
        };
        let is_text = |known: &Known<'t, T>| known.as_ref().is_some_and(|(known, _)| *known == text);
        if !is_text(recent) {
            std::mem::swap(recent, older);
            if !is_text(recent) {
                return &recent.insert((text, work_out(text))).1;
            }
        }
        self.found += 1;
        &recent.get_or_insert_with(|| (text, work_out(text))).1
    }

    /// Whether it pays to look; replies that are all different are not searched for for long.
    fn is_worth_it(&mut self) -> bool {
        if self.pause > 0 {
            self.pause -= 1;
            return false;
        }
        self.looks += 1;
        if self.looks == TRIAL {
            self.pause = if self.found < WORTH_IT { PAUSE } else { 0 };
            (self.looks, self.found) = (0, 0);
        }
        true
    }
}

/// The place of a text: sixteen bytes at a time, the last of which may be seen twice.
fn place(text: &[u8]) -> usize {
    const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
    let low = |word: u128| u64::try_from(word & u128::from(u64::MAX)).unwrap_or_default();
    let mixed = |mixed: u64, bytes: [u8; 16]| {
        let words = u128::from_le_bytes(bytes);
        let product = u128::from(low(words) ^ mixed) * u128::from(low(words >> 64) ^ SPREAD);
        low(product) ^ low(product >> 64)
    };
    let length = u64::try_from(text.len()).unwrap_or_default();
    let spread = match (text.last_chunk::<16>(), text.first_chunk::<8>(), text.last_chunk::<8>()) {
        (Some(last), ..) => {
            mixed(text.as_chunks::<16>().0.iter().fold(length, |so_far, &next| mixed(so_far, next)), *last)
        }
        (_, Some(first), Some(last)) => {
            let words = u128::from(u64::from_le_bytes(*first)) << 64 | u128::from(u64::from_le_bytes(*last));
            mixed(length, words.to_le_bytes())
        }
        _ => {
            let word = text.iter().fold(0_u128, |word, &byte| word << 8 | u128::from(byte));
            mixed(length, word.to_le_bytes())
        }
    };
    usize::try_from(spread >> 55).unwrap_or_default()
}
