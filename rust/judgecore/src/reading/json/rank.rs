//! Which of several documents is likelier to be the verdict.

use crate::json::lenient::Document;
use crate::json::{self, Json, RepairKind, is_placeholder};

/// How likely a document is the verdict; greater is likelier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[expect(clippy::struct_excessive_bools, reason = "compared in the order of the fields")]
pub(super) struct Rank {
    pub(super) has_keys: bool,
    pub(super) is_filled_in: bool,
    /// It is no part of something greater that can't be read.
    pub(super) stands_alone: bool,
    /// It stands in no quotation that says more.
    pub(super) is_own: bool,
    pub(super) is_definite: bool,
    pub(super) is_whole: bool,
    pub(super) is_object: bool,
    pub(super) is_filled: bool,
}

impl Rank {
    /// The rank of a document that holds what is wanted, and of which nothing bad is known.
    pub(super) const BEST: Self = Self {
        has_keys: true,
        is_filled_in: true,
        stands_alone: true,
        is_own: true,
        is_definite: true,
        is_whole: true,
        is_object: true,
        is_filled: true,
    };

    pub(super) fn new(document: &Document<'_>, has_keys: bool) -> Self {
        Self {
            has_keys,
            is_filled_in: is_filled_in(document),
            is_definite: is_definite(document),
            is_whole: document.ending.is_none(),
            is_object: matches!(document.value, Json::Object(_)),
            is_filled: is_filled(&document.value),
            ..Self::BEST
        }
    }

    /// Whether there is something to read in a document of this rank.
    pub(super) fn may_be_read(self) -> bool {
        self.has_keys && self.is_filled_in && self.stands_alone
    }
}

/// Whether a document says something, rather than showing where something would stand.
fn is_filled_in(document: &Document<'_>) -> bool {
    if document.placeholders > 0 {
        return false;
    }
    let Json::Object(entries) = &document.value else { return true };
    let is_schema = json::get(&document.value, "properties").is_some() && json::get(&document.value, "type").is_some();
    // What was cut says nothing yet.
    let mut whole = entries.iter().filter(|(key, _)| document.cut_key.as_deref() != Some(key.as_ref())).peekable();
    let is_template = whole.peek().is_some() && whole.all(|(_, value)| is_text(value, is_placeholder));
    !is_schema && !is_template
}

/// Whether a document is more than words that may as well describe one: `{"score": "integer"}`, `{note: as above}`.
fn is_definite(document: &Document<'_>) -> bool {
    let Json::Object(entries) = &document.value else { return true };
    let has = |kind| document.repairs.iter().any(|repair| repair.kind == kind);
    let is_prose = has(RepairKind::UnquotedKey) && has(RepairKind::UnquotedValue);
    let is_described = |value: &Json<'_>| match value {
        Json::Array(items) => !items.is_empty() && items.iter().all(|item| is_text(item, is_description)),
        value => is_text(value, is_description),
    };
    !is_prose && (entries.is_empty() || !entries.iter().all(|(_, value)| is_described(value)))
}

fn is_text(value: &Json<'_>, is_such: impl Fn(&str) -> bool) -> bool {
    matches!(value, Json::Str(text) if is_such(text.trim()))
}

/// The name of a type, a range, several values to choose from, or what is to be filled in.
fn is_description(text: &str) -> bool {
    const TYPES: [&str; 10] =
        ["string", "str", "number", "integer", "int", "float", "boolean", "bool", "array", "object"];
    const LONGEST: usize = 80;
    if is_placeholder(text) || TYPES.contains(&text) {
        return true;
    }
    let is_between = |open: char, close: char| text.starts_with(open) && text.ends_with(close);
    let is_slot = is_between('[', ']')
        || is_between('{', '}')
        || text.starts_with('$')
        || text.starts_with("your ")
        || text.bytes().all(|byte| matches!(byte, b'_' | b'?'));
    text.len() <= LONGEST && !text.is_empty() && (is_slot || is_range(text) || is_choice(text))
}

/// `1-10`, `0 to 1`.
fn is_range(text: &str) -> bool {
    let is_number = |part: &str| part.trim().parse::<f64>().is_ok();
    let mut ends = text.split_once('-').into_iter().chain(text.split_once('\u{2013}')).chain(text.split_once(" to "));
    ends.any(|(low, high)| is_number(low) && is_number(high))
}

/// `A|B`, `yes/no`, `"yes" or "no"`.
fn is_choice(text: &str) -> bool {
    let is_several = |mark: &str, is_one: fn(char) -> bool| {
        let is_word = |part: &str| {
            let word = part.trim().trim_matches(['"', '\'']);
            !word.is_empty() && word.chars().all(is_one)
        };
        text.contains(mark) && text.split(mark).all(is_word)
    };
    is_several("|", |c| c != ' ')
        || is_several(" or ", |c| c != ' ')
        || (is_several("/", char::is_alphabetic) && !text.eq_ignore_ascii_case("n/a"))
}

fn is_filled(value: &Json<'_>) -> bool {
    match value {
        Json::Object(entries) => !entries.is_empty(),
        Json::Array(items) => !items.is_empty(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::is_description;

    #[test]
    fn a_description_is_told_from_a_verdict() {
        for text in ["string", "1-10", "0 to 1", "A|B|tie", "yes/no", "yes\" or \"no", "[your score]", "$score", "___"]
        {
            assert!(is_description(text), "{text}");
        }
        for text in ["", "8", "8/10", "-1", "A", "N/A", "good or at least not bad", "2024-05-01", "yes"] {
            assert!(!is_description(text), "{text}");
        }
    }
}
