//! Markers: the text around a verdict, such as `[[…]]` or `GRADE: …`.

use std::cell::OnceCell;

use aho_corasick::{AhoCorasick, MatchKind};

use super::error::FormatError;
use crate::reply::View;
use crate::reply::text::{ahead, byte_at, is_word_edge, slice};

/// The placeholder for the verdict in a marker's declaration.
const PLACEHOLDER: &str = "{}";

/// The maximum number of markers of a format.
const MAX_MARKERS: usize = 256;

/// Common markers, which judges also use without being asked to.
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
    /// The text before the verdict, without a final colon.
    pub(crate) prefix: String,
    /// A colon, an equals sign or "is" must follow the prefix.
    pub(crate) needs_link: bool,
    /// The text after the verdict; may be empty.
    pub(crate) suffix: String,
    /// The rank; smaller is stronger.
    pub(crate) grade: usize,
    /// Declared by the format; strict reading accepts only these.
    pub(crate) is_declared: bool,
}

impl Marker {
    /// What is looked for: of a tag what may stand before attributes.
    fn sought(&self) -> &str {
        let tag = self.prefix.strip_suffix('>').filter(|tag| tag.starts_with('<'));
        tag.unwrap_or(&self.prefix)
    }
}

/// No longer are the attributes of a tag, in bytes.
const ATTRIBUTES: usize = 120;

/// Where a tag ends whose name ends at a place; None where it is another one's beginning, or has attributes and may not.
fn tag_end(text: &str, at: usize, may_have_attributes: impl Fn() -> bool) -> Option<usize> {
    let rest = ahead(text, at, ATTRIBUTES);
    let end = rest.find(['>', '<', '\n']).filter(|end| rest.as_bytes().get(*end) == Some(&b'>'))?;
    let (tag, held) = (slice(rest, 0..end), rest.get(end + 1..).unwrap_or_default());
    let is_open = tag.matches('"').count() % 2 == 1;
    let has_attributes = tag.starts_with(' ') && tag.contains('=') && !tag.ends_with('/') && !is_open;
    let has_attributes = has_attributes && !held.trim_start().starts_with('<');
    (end == 0 || has_attributes && may_have_attributes()).then_some(at + end + 1)
}

/// The markers of a format.
#[derive(Debug, Clone)]
pub(crate) struct Markers {
    known: Vec<Marker>,
    /// Leftmost-longest, non-overlapping.
    declared: AhoCorasick,
    all: AhoCorasick,
}

/// Whether a character can be inside a word.
fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Normalize a marker like a reply: full-width signs are folded.
fn as_seen(text: &str) -> String {
    let (mut seen, mut pieces) = (String::with_capacity(text.len()), Vec::new());
    crate::reply::see_through(text, 0..text.len(), &mut seen, &mut pieces);
    seen
}

/// The occurrence of a marker's prefix in the text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Opening<'m> {
    pub(crate) marker: &'m Marker,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Markers {
    pub(crate) fn new(id: &str, declared: &[String]) -> Result<Self, FormatError> {
        let problem = format_args!("{} markers; at most {MAX_MARKERS} are allowed", declared.len());
        FormatError::refuse_if(declared.len() > MAX_MARKERS, id, "markers", problem)?;
        let mut markers = Vec::new();
        let mut grade = 0;
        for text in declared {
            let text = &as_seen(text);
            let problem = format_args!("marker {text:?} has {PLACEHOLDER} twice; a marker has one verdict");
            FormatError::refuse_if(text.matches(PLACEHOLDER).count() > 1, id, "markers", problem)?;
            let (before, after) = text.split_once(PLACEHOLDER).unwrap_or((text, ""));
            let is_word = !text.contains(PLACEHOLDER);
            let prefix = before.trim();
            let bare = prefix.trim_end_matches(':').trim_end();
            let problem =
                format_args!("marker {text:?} starts with the verdict; put a word or sign before {PLACEHOLDER}");
            FormatError::refuse_if(bare.is_empty(), id, "markers", problem)?;
            markers.push(Marker {
                prefix: bare.to_owned(),
                // A prefix that ends with a sign is complete, as in 【总分】; after a word, a colon or the like must follow.
                needs_link: bare.len() < prefix.len() || (is_word && bare.ends_with(is_of_word)),
                suffix: after.trim().to_owned(),
                grade,
                is_declared: true,
            });
            // All plain words have the same rank; templates are listed strongest first.
            grade += usize::from(!is_word);
        }
        let declared_count = markers.len();
        for text in IMPLICIT {
            let (prefix, suffix) = text.split_once(PLACEHOLDER).unwrap_or((text, ""));
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
                .build(markers.iter().take(count).map(Marker::sought))
                .map_err(|problem| FormatError::key(id, "markers", problem.to_string()))
        };
        Ok(Self { declared: finder(declared_count)?, all: finder(markers.len())?, known: markers })
    }

    pub(crate) fn has_declared(&self) -> bool {
        self.known.iter().any(|marker| marker.is_declared)
    }

    /// Iterate over the openings in text order, optionally only those of declared markers.
    pub(crate) fn openings<'t>(
        &'t self,
        view: &'t View<'_>,
        only_declared: bool,
    ) -> impl Iterator<Item = Opening<'t>> + 't {
        let text = view.text();
        let finder = if only_declared { &self.declared } else { &self.all };
        // A tag without attributes is the one that was asked for.
        let exact = OnceCell::new();
        let is_exact = move || {
            *exact.get_or_init(|| {
                let mut tags = finder.find_iter(text).filter(|found| byte_at(text, found.start()) == b'<');
                tags.any(|found| byte_at(text, found.end()) == b'>')
            })
        };
        finder.find_iter(text).filter_map(move |found| {
            let marker = self.known.get(found.pattern().as_usize())?;
            let start = found.start();
            let is_tag = found.len() < marker.prefix.len();
            let end = if is_tag { tag_end(text, found.end(), || !only_declared && !is_exact())? } else { found.end() };
            let opens_word = byte_at(text, start).is_ascii_alphanumeric();
            (!opens_word || is_word_edge(text, start)).then_some(Opening { marker, start, end })
        })
    }
}
