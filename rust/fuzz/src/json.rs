//! JSON: for any text, keys and limits, the outcome is a document inside the reply, or a reason.

use std::ops::Range;

use judgecore::{Format, Mode, Outcome, Value, release};

/// Depth limits to try: below, at and above jiter's.
const DEPTHS: [usize; 4] = [2, 200, 1000, 100_000];
/// Keys to request.
const KEYS: [&[&str]; 4] = [&[], &["a"], &["score"], &["score", "reason"]];

/// A reply and the options to read it with.
///
/// Encoded as a byte for the cut flag, the mode, the depth limit and the keys, and the reply.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    knobs: u8,
    reply: &'a str,
}

impl<'a> Input<'a> {
    /// Decode an input; None if there is no reply. An incomplete last character is dropped.
    pub fn decode(bytes: &'a [u8]) -> Option<Self> {
        let (&knobs, reply) = bytes.split_first()?;
        let reply = match str::from_utf8(reply) {
            Ok(reply) => reply,
            Err(error) => str::from_utf8(&reply[..error.valid_up_to()]).ok()?,
        };
        Some(Self { knobs, reply })
    }

    /// Encode the input as bytes.
    pub fn encode(&self) -> Vec<u8> {
        [&[self.knobs], self.reply.as_bytes()].concat()
    }

    /// Combine a reply with all options.
    pub fn every(reply: &'a str) -> impl Iterator<Item = Self> {
        (0..64).map(move |knobs| Self { knobs, reply })
    }

    fn is_cut(&self) -> bool {
        self.knobs % 2 == 1
    }

    fn mode(&self) -> Mode {
        if self.knobs / 2 % 2 == 1 { Mode::Strict } else { Mode::Lenient }
    }

    fn keys(&self) -> Vec<String> {
        KEYS[usize::from(self.knobs / 4 % 4)].iter().map(ToString::to_string).collect()
    }

    /// Read the reply; panic if the outcome lies outside it.
    pub fn check(&self) {
        let depth = DEPTHS[usize::from(self.knobs / 16 % 4)];
        let keys = self.keys();
        let format = Format::json(keys.clone(), depth, 64 << 20).expect("keys and limits are valid");
        let outcome = judgecore::read(self.reply, &format, self.mode(), self.is_cut(), &[]);
        let problem = problem(&outcome, self.reply, &keys);
        release(outcome);
        if let Some(problem) = problem {
            let (mode, cut) = (self.mode().name(), self.is_cut());
            panic!("{problem}\nkeys {keys:?}, depth {depth}, mode {mode}, cut {cut}\nreply {:?}", self.reply);
        }
    }
}

fn problem(outcome: &Outcome<'_>, reply: &str, keys: &[String]) -> Option<String> {
    let readings = match outcome {
        Ok(reading) => std::slice::from_ref(reading),
        Err(unreadable) => unreadable.candidates.as_slice(),
    };
    for reading in readings {
        let Range { start, end } = reading.span;
        if reply.get(start..end).is_none() {
            return Some(format!("the span {start}..{end} is not a slice of the reply"));
        }
        if !reading.repairs.iter().all(|repair| repair.at <= reply.len() && reply.is_char_boundary(repair.at)) {
            return Some(format!("a repair outside the reply: {:?}", reading.repairs));
        }
        if !reading.repairs.is_sorted_by_key(|repair| repair.at) {
            return Some(format!("repairs out of order: {:?}", reading.repairs));
        }
        let Value::Json(value) = &reading.value else {
            return Some("the value is not a document".into());
        };
        let judgecore::json::Json::Object(entries) = value else {
            if keys.is_empty() {
                continue;
            }
            return Some("the document has no keys".into());
        };
        if let Some(key) = keys.iter().find(|key| !entries.iter().any(|(name, _)| name == key.as_str())) {
            return Some(format!("the document has no {key:?}"));
        }
    }
    None
}
