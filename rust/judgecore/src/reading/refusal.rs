//! Telling that the judge declined to judge.

use crate::reply::text::{head, starts_with_at, tail};

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

/// Whether a reply opens by declining.
pub(super) fn is_refusal(text: &str) -> bool {
    let opening = text.trim_start_matches(|c: char| !c.is_alphabetic());
    OPENINGS.iter().any(|phrase| starts_with_at(opening, 0, phrase))
        || UNSPACED.iter().any(|phrase| opening.starts_with(phrase))
        || {
            let near = head(opening, opening.floor_char_boundary(200));
            near.to_lowercase().contains("i cannot provide a response")
                || tail(near, 0).contains("against my programming")
        }
}
