//! Markers: what a format puts around its verdict, such as `[[…]]` or `GRADE: …`.

use aho_corasick::{AhoCorasick, MatchKind};

use super::error::FormatError;
use crate::reply::View;
use crate::reply::text::{byte_at, is_word_edge};

/// Where the verdict stands in a marker's declaration.
const SLOT: &str = "{}";

/// More markers than a publisher documents.
const MOST: usize = 256;

/// Markers that judges use without being asked to, and that prompts in general ask for.
const IMPLICIT: [&str; 16] = [
    "[[{}]]",
    "\\boxed{{}}",
    "<answer>{}</answer>",
    "<final_answer>{}</final_answer>",
    "<verdict>{}</verdict>",
    "<score>{}</score>",
    "<rating>{}</rating>",
    "<grade>{}</grade>",
    "<judgment>{}</judgment>",
    "<judgement>{}</judgement>",
    "<label>{}</label>",
    "<result>{}</result>",
    "<choice>{}</choice>",
    "<decision>{}</decision>",
    "<winner>{}</winner>",
    "<output>{}</output>",
];

/// One marker.
#[derive(Debug, Clone)]
pub(crate) struct Marker {
    /// What stands before the verdict, without a closing colon.
    pub(crate) prefix: String,
    /// A colon, an equals sign or "is" must follow the prefix.
    pub(crate) needs_link: bool,
    /// What closes it; empty where nothing does.
    pub(crate) suffix: String,
    /// Smaller is stronger.
    pub(crate) grade: usize,
    /// The format declares it; strict reading accepts no other.
    pub(crate) is_declared: bool,
}

/// The markers of a format.
#[derive(Debug, Clone)]
pub(crate) struct Markers {
    known: Vec<Marker>,
    /// Leftmost first, of those the longest, and none within another.
    declared: AhoCorasick,
    all: AhoCorasick,
    /// Plain words among the declared ones, which also announce a verdict in prose.
    pub(crate) words: Vec<String>,
}

/// Whether a character belongs to a word that may go on.
fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// A marker as replies are looked at: full-width signs folded.
fn as_seen(text: &str) -> String {
    let (mut seen, mut pieces) = (String::with_capacity(text.len()), Vec::new());
    crate::reply::see_through(text, 0..text.len(), &mut seen, &mut pieces);
    seen
}

/// A marker's opening at a place in the text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Opening<'m> {
    pub(crate) marker: &'m Marker,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Markers {
    pub(crate) fn new(id: &str, declared: &[String]) -> Result<Self, FormatError> {
        if declared.len() > MOST {
            let problem =
                format!("{} markers are more than {MOST}; give those that the judge was asked for", declared.len());
            return Err(FormatError::key(id, "markers", problem));
        }
        let mut markers = Vec::new();
        let mut words = Vec::new();
        let mut grade = 0;
        for text in declared {
            let text = &as_seen(text);
            if text.matches(SLOT).count() > 1 {
                let problem = format!("marker {text:?} has {SLOT} twice; a verdict has one place");
                return Err(FormatError::key(id, "markers", problem));
            }
            let (before, after) = match text.split_once(SLOT) {
                Some(sides) => sides,
                None => (text.as_str(), ""),
            };
            let is_word = !text.contains(SLOT);
            let prefix = before.trim();
            let bare = prefix.trim_end_matches(':').trim_end();
            if bare.is_empty() {
                let problem = format!("marker {text:?} starts with the verdict; put a word or sign before {SLOT}");
                return Err(FormatError::key(id, "markers", problem));
            }
            if is_word {
                words.push(bare.to_owned());
            }
            markers.push(Marker {
                prefix: bare.to_owned(),
                // What a sign ends is whole, as in 【总分】; behind a word something else may follow.
                needs_link: bare.len() < prefix.len() || (is_word && bare.ends_with(is_of_word)),
                suffix: after.trim().to_owned(),
                grade,
                is_declared: true,
            });
            // Plain words are of one rank; templates are listed strongest first.
            grade += usize::from(!is_word);
        }
        let declared_count = markers.len();
        for text in IMPLICIT {
            let (prefix, suffix) = text.split_once(SLOT).unwrap_or((text, ""));
            if !markers.iter().any(|marker| marker.prefix == prefix) {
                markers.push(Marker {
                    prefix: prefix.to_owned(),
                    needs_link: false,
                    suffix: suffix.to_owned(),
                    grade: grade + 1,
                    is_declared: false,
                });
            }
        }
        let finder = |count: usize| {
            AhoCorasick::builder()
                .match_kind(MatchKind::LeftmostLongest)
                .ascii_case_insensitive(true)
                .build(markers.iter().take(count).map(|marker| marker.prefix.as_str()))
                .map_err(|problem| FormatError::key(id, "markers", problem.to_string()))
        };
        Ok(Self { declared: finder(declared_count)?, all: finder(markers.len())?, known: markers, words })
    }

    pub(crate) fn has_declared(&self) -> bool {
        self.known.iter().any(|marker| marker.is_declared)
    }

    /// All openings in the order of the text; only of declared markers where asked for.
    pub(crate) fn openings<'t>(
        &'t self,
        view: &'t View<'_>,
        only_declared: bool,
    ) -> impl Iterator<Item = Opening<'t>> + 't {
        let text = view.text();
        let finder = if only_declared { &self.declared } else { &self.all };
        finder.find_iter(text).filter_map(move |found| {
            let marker = self.known.get(found.pattern().as_usize())?;
            let (start, end) = (found.start(), found.end());
            let opens_word = byte_at(text, start).is_ascii_alphanumeric();
            (!opens_word || is_word_edge(text, start)).then_some(Opening { marker, start, end })
        })
    }
}
