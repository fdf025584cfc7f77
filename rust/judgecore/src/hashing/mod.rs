//! Canonical JSON and content hashes: equal values have equal text and equal hashes.
//!
//! [`Canonical`] writes the same bytes as Python's `json.dumps` with sorted keys and no spaces. It is fed value by
//! value, so callers need no intermediate tree. It writes to a `Vec<u8>` or to a [`ContentHash`], which never holds the
//! whole text.
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

/// The number of pending bytes at which they are hashed.
const PIECE: usize = 512;

/// The buffer's initial capacity. Few pieces exceed it, and allocators cache blocks of up to a kilobyte.
const CAPACITY: usize = 1000;

/// A sink that computes the SHA-256 of canonical JSON.
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

    /// Return the hash of the written bytes as 64 hex digits.
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

/// Return the SHA-256 of bytes as 64 hex digits.
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
