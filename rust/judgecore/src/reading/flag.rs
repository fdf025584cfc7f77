//! An object in which a label is the name of what is true or false: `{"correct": false}`, `{"is_safe": "yes"}`.

use std::ops::Range;

use super::token::{of, tokens};
use super::word::word_after;
use crate::format::label::{Labels, Mention};
use crate::json::Json;
use crate::json::lenient::Parser;
use crate::lexicon::{self as class, lexicon};
use crate::reply::text::{byte_at, byte_before, slice};

/// A longer reply is not looked at, in bytes.
const OBJECT: usize = 4096;

/// No object is nested more deeply.
const DEPTH: usize = 8;

/// The label that an object has as a name, whether it holds, and where that stands: the object is all of the reply, fenced or
/// not, or a line above announces it.
pub(super) fn flag(text: &str, labels: &Labels) -> Option<(Mention, bool, Range<usize>)> {
    let open = text.find('{').filter(|_| text.len() <= OBJECT)?;
    let document = Parser::read(text, open, text.len(), DEPTH);
    let is_whole = document.problem.is_none() && document.ending.is_none();
    let Json::Object(entries) = &document.value else { return None };
    let lead = slice(text, 0..open).trim_end();
    let lead = match lead.rsplit_once("```") {
        Some((lead, language)) if language.chars().all(char::is_alphanumeric) => lead.trim_end(),
        _ => lead,
    };
    let behind = slice(text, document.end..text.len());
    if !is_whole || behind.contains(|c: char| !c.is_whitespace() && c != '`') || !(lead.is_empty() || announces(lead)) {
        return None;
    }
    let numbers = entries.iter().filter(|(_, value)| matches!(value, Json::Int(_) | Json::Float(_))).count();
    let mut found = entries.iter().filter_map(|(key, value)| {
        let holds = match value {
            Json::Bool(holds) => *holds,
            Json::Int(number @ (0 | 1)) if numbers == 1 => *number == 1,
            Json::Str(answer) => match lexicon().classes(answer) {
                classes if classes & class::YES != 0 => true,
                classes if classes & class::NO != 0 => false,
                _ => return None,
            },
            _ => return None,
        };
        let name = key.strip_prefix("is_").or_else(|| key.strip_prefix("is")).unwrap_or(key);
        let mention = labels.at(name, 0).filter(|mention| mention.end == name.len())?;
        // A name that stands there twice may say two things.
        let is_quoted = |at: &usize| {
            let quote = byte_before(text, open + at);
            matches!(quote, b'"' | b'\'') && byte_at(text, open + at + key.len()) == quote
        };
        let mut places = slice(text, open..document.end).match_indices(&**key).map(|(at, _)| at).filter(is_quoted);
        let at = places.next().filter(|_| places.next().is_none())?;
        let end = open + at + key.len();
        let start = end - name.len();
        let answer = word_after(text, end)?;
        Some((Mention { start, end, ..mention }, holds, answer.start..answer.end))
    });
    found.next().filter(|_| found.next().is_none())
}

/// `Here is my verdict:`, `Result:`: whether one line says that what follows it is the verdict, and nothing of anything else.
fn announces(lead: &str) -> bool {
    let (name, _) = tokens(lead, None, 0..lead.len());
    let own = class::ANNOUNCE | class::VAGUE | class::SELF;
    let mere = own | class::FILL | class::LINK | class::FINAL | class::ONWARD | class::GIVE | class::CONCLUDE;
    !lead.trim().contains('\n')
        && lead.ends_with([':', '\u{ff1a}'])
        && name.iter().any(of(own))
        && name.iter().all(|token| {
            !token.is_word() || token.is(mere) && !token.is(class::OTHER | class::SAMPLE | class::INSTRUCT)
        })
}
