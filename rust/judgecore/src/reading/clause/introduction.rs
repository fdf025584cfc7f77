//! Lines that introduce what stands below them.

use std::ops::Range;

use super::stance::introduces;
use crate::lexicon as class;
use crate::reading::sentence::last_sentence;
use crate::reading::token::{Token, entry_of, tokens};
use crate::reply::text::{byte_before, char_at, line_end, line_start, skip_near, slice, tail};

/// How far above a line what introduces it may stand.
const INTRODUCED: usize = 1000;

/// Whether the block of lines that holds a place stands below a line by which somebody else's words are introduced:
/// `Reviewer 2 wrote:`. A blank line ends such a block, unless what follows is quoted or fenced.
pub(in crate::reading) fn is_introduced(text: &str, at: usize) -> bool {
    let from = text.ceil_char_boundary(at.saturating_sub(INTRODUCED));
    let lead = slice(text, from..at);
    let newlines = || memchr::memrchr_iter(b'\n', lead.as_bytes());
    // A table is a block as a line is.
    let is_row = |newline: &usize| slice(lead, newline + 1..lead.len()).trim_start_matches(' ').starts_with('|');
    let Some(newline) = newlines().take_while(is_row).last().or_else(|| newlines().next()) else { return false };
    // Most replies have no such line.
    if !newlines().any(|newline| byte_before(lead, newline) == b':') {
        return false;
    }
    let mut end = newline;
    let is_quoted = |line: &str| line.trim_start().starts_with(['>', '`', '{', '"']);
    let is_own_quoted = is_quoted(slice(lead, newline + 1..lead.len()));
    let mut has_gap = false;
    let mut fences = 0;
    for _ in 0..16 {
        let start = slice(lead, 0..end).rfind('\n').map_or(0, |newline| newline + 1);
        let line = slice(lead, start..end).trim();
        fences += usize::from(line.starts_with("```"));
        if line.is_empty() {
            has_gap = true;
        } else if line.ends_with(':') {
            let is_behind_fence = fences > 0 && fences % 2 == 0;
            let is_block = slice(lead, newline + 1..lead.len()).trim_start().starts_with('>');
            return !is_behind_fence && introduces(&line_tokens(text, from + start..from + end), is_block);
        } else if has_gap && (!is_quoted(line) || !is_own_quoted && fences == 0) {
            return false;
        }
        if start == 0 {
            return false;
        }
        end = start - 1;
    }
    false
}

/// `Assistant: Yes, it is.` below `User: Is it safe?`: whether a place stands on a line of a dialogue that the judge shows.
/// The last line of a reply that one side says alone may be the judge's, asked as if by a user.
pub(in crate::reading) fn is_spoken_in_a_dialogue(text: &str, at: usize) -> bool {
    let Some(own) = role_at(text, line_start(text, at)) else { return false };
    let from = text.floor_char_boundary(at.saturating_sub(INTRODUCED));
    let near = slice(text, from..text.ceil_char_boundary(text.len().min(at + INTRODUCED)));
    let newlines = memchr::memchr_iter(b'\n', near.as_bytes());
    let starts = newlines.map(|newline| from + newline + 1).chain([from]);
    let (mut said, mut has_other) = (0, false);
    for side in starts.filter_map(|start| role_at(text, start)) {
        said += usize::from(side.eq_ignore_ascii_case(own));
        has_other |= !side.eq_ignore_ascii_case(own);
    }
    has_other && (said > 1 || !tail(text, line_end(text, at)).trim().is_empty())
}

/// The side of a dialogue that a line names before a colon.
fn role_at(text: &str, line: usize) -> Option<&str> {
    let start = skip_near(text, line, |c| matches!(c, ' ' | '*' | '-' | '>' | '[' | '_'));
    let (_, end) = entry_of(text, start).filter(|(entry, _)| entry.may_be(class::ROLE))?;
    let behind = skip_near(text, end, |c| matches!(c, '*' | ']' | '_' | ' '));
    matches!(char_at(text, behind), Some(':' | '\u{ff1a}')).then(|| slice(text, start..end))
}

/// The words of a line's last sentence.
fn line_tokens(text: &str, line: Range<usize>) -> Vec<Token> {
    tokens(text, None, last_sentence(text, line.clone())..line.end).0
}
