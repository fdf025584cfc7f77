//! Canonical JSON and content hashes: one value, one text, one name.
//!
//! [`Canonical`] writes JSON byte for byte as Python's `json.dumps` does with sorted keys and without spaces. It is fed
//! value by value, so that a caller's own objects need no tree in between; what it writes goes into a `Vec<u8>` or,
//! never held as a whole, into a [`ContentHash`].
//!
//! ```
//! use judgecore::hashing::{Canonical, ContentHash};
//!
//! let mut json = Canonical::new(ContentHash::default());
//! json.begin_object();
//! json.key("low");
//! json.float(1e-7)?;
//! json.end_object();
//! assert_eq!(json.finish().hex(), judgecore::hashing::hex_digest(br#"{"low":1e-07}"#));
//! # Ok::<(), judgecore::hashing::NotFinite>(())
//! ```

mod canonical;
mod number;
mod text;

pub use canonical::{Canonical, Sink};
pub use number::NotFinite;

use sha2::{Digest, Sha256};

/// What is written is hashed once this many bytes have come together.
const PIECE: usize = 512;

/// Few pieces grow beyond this, and allocators keep blocks of up to a kilobyte at hand.
const CAPACITY: usize = 1000;

/// The SHA-256 of canonical JSON, as a sink to write it to.
#[derive(Debug, Clone)]
pub struct ContentHash {
    pending: Vec<u8>,
    hashed: Sha256,
}

impl Default for ContentHash {
    fn default() -> Self {
        Self { pending: Vec::with_capacity(CAPACITY), hashed: Sha256::new() }
    }
}

impl ContentHash {
    fn take_pending(&mut self) {
        let last = self.pending.pop();
        self.hashed.update(&self.pending);
        self.pending.clear();
        self.pending.extend(last);
    }

    /// The hash in 64 hex digits of what was written.
    pub fn hex(mut self) -> String {
        self.hashed.update(&self.pending);
        hex(&self.hashed.finalize().into())
    }
}

impl Sink for ContentHash {
    #[inline]
    fn bytes(&mut self) -> &mut Vec<u8> {
        &mut self.pending
    }

    #[inline]
    fn settle(&mut self) {
        if self.pending.len() >= PIECE {
            self.take_pending();
        }
    }
}

/// The SHA-256 of bytes in 64 hex digits.
pub fn hex_digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes).into())
}

fn hex(digest: &[u8; 32]) -> String {
    let digit = |value: u8| if value < 10 { b'0' + value } else { b'a' + (value - 10) };
    let mut text = [0; 64];
    for (pair, byte) in text.as_chunks_mut::<2>().0.iter_mut().zip(digest) {
        *pair = [digit(byte >> 4), digit(byte & 0xf)];
    }
    str::from_utf8(&text).unwrap_or_default().to_owned()
}
