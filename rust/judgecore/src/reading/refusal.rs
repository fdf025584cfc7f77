//! Telling that the judge declined to judge.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::reply::text::{byte_at, head, starts_with_at};

/// How judges begin when they decline. Only the opening counts: later, the judge speaks of the response.
const OPENINGS: [&str; 28] = [
    "i cannot",
    "i can't",
    "i can\u{2019}t",
    "i am unable",
    "i'm unable",
    "i\u{2019}m unable",
    "i am not able",
    "i'm not able",
    "i\u{2019}m not able",
    "i won't",
    "i won\u{2019}t",
    "i will not",
    "i must decline",
    "i have to decline",
    "i'm sorry",
    "i\u{2019}m sorry",
    "i am sorry",
    "sorry,",
    "i apologize",
    "my apologies",
    "unfortunately, i c",
    "as an ai",
    "i don't feel comfortable",
    "i do not feel comfortable",
    "i am not comfortable",
    "i'm not comfortable",
    "i decline",
    "i refuse",
];

/// Openings of languages that write without spaces.
const UNSPACED: [&str; 8] = ["抱歉", "对不起", "很抱歉", "我无法", "我不能", "申し訳", "죄송", "無法"];

const PHRASE: &str = "i cannot provide a response";

static PROGRAMMING: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("against my programming"));

/// Whether a reply opens by declining.
pub(super) fn is_refusal(text: &str) -> bool {
    let opening = text.trim_start_matches(|c: char| !c.is_alphabetic());
    let first = byte_at(opening, 0);
    // "I" is a word of its own in all that begin with it.
    let may_open = match first {
        b'i' | b'I' => matches!(byte_at(opening, 1), b' ' | b'\'' | 0x80..),
        _ => matches!(first, b'a' | b'A' | b'm' | b'M' | b's' | b'S' | b'u' | b'U'),
    };
    may_open && OPENINGS.iter().any(|phrase| starts_with_at(opening, 0, phrase))
        || !first.is_ascii() && UNSPACED.iter().any(|phrase| opening.starts_with(phrase))
        || {
            let near = head(opening, opening.floor_char_boundary(200));
            // The rarest letter of the phrase leads to it.
            let is_before = |v: usize| v.checked_sub(12).is_some_and(|at| starts_with_at(near, at, PHRASE));
            memchr::memchr2_iter(b'v', b'V', near.as_bytes()).any(is_before)
                || PROGRAMMING.find(near.as_bytes()).is_some()
        }
}

#[cfg(test)]
mod tests {
    use super::is_refusal;

    #[test]
    fn a_judge_declines_at_the_start() {
        for (reply, want) in [
            ("I cannot rate this.", true),
            ("\"I\u{2019}m sorry, but no.", true),
            ("SORRY, no.", true),
            ("\u{5f88}\u{62b1}\u{6b49}", true),
            ("Given the topic, I Cannot Provide a response to it.", true),
            ("That would go against my programming.", true),
            ("It is fine. I am sorry for the delay.", false),
            ("Is it? I cannot provide an answer.", false),
            ("", false),
        ] {
            assert_eq!(is_refusal(reply), want, "{reply}");
        }
    }
}
