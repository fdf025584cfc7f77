//! Looking back from a verdict: what announces it, what denies it, and who reports it.
//!
//! The same few words are looked at for each of these questions, so that the last ones are kept.

use super::context::{clause_start, is_denied_unspaced, opens_clause, opens_line};
use super::cue;
use super::word::{Word, Words, is_among, word_before, words};
use crate::reply::text::{byte_before, char_before, head, is_word_edge, skip_back_near, slice, tail};

/// How many words may stand between a cue and its verdict: `my final answer is therefore that of`.
const CUE_DISTANCE: usize = 8;

/// What announces a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cue {
    /// Where the announcement begins.
    pub(super) start: usize,
    /// The announcement opens its line or sentence: `Verdict: A`.
    pub(super) opens_line: bool,
    /// The noun also names what the text under test says: `the final answer is 4`.
    pub(super) is_vague: bool,
    /// Each word from here to the verdict was looked at and denies nothing, so that only what stands before it could.
    pub(super) is_direct: bool,
}

impl Cue {
    /// An announcement that begins here.
    pub(super) fn at(text: &str, start: usize) -> Self {
        let opens_line = opens_line(text, start) || opens_clause(text, skip_back_near(text, start, |c| c == ' '));
        Self { start, opens_line, is_vague: false, is_direct: false }
    }
}

/// Which words announce the verdict that is looked for.
#[derive(Debug)]
pub(super) struct Cues {
    pub(super) nouns: &'static Words,
    pub(super) unspaced: &'static [&'static str],
    pub(super) verbs: &'static Words,
    pub(super) adjectives: &'static Words,
    /// "A score of 8" names a number, and "the choice of A" no label.
    pub(super) links_of: bool,
}

/// Cues of labels and preferences.
pub(super) static VERDICT_CUES: Cues = Cues {
    nouns: &cue::VERDICT_NOUNS,
    unspaced: cue::UNSPACED_VERDICTS,
    verbs: &cue::CHOOSING_VERBS,
    adjectives: &cue::WINNING_ADJECTIVES,
    links_of: false,
};

/// Cues of numbers.
pub(super) static SCORE_CUES: Cues = Cues {
    nouns: &cue::SCORE_NOUNS,
    unspaced: cue::UNSPACED_SCORES,
    verbs: &cue::SCORING_VERBS,
    adjectives: &cue::NO_ADJECTIVES,
    links_of: true,
};

/// How many words are kept.
const KEPT: usize = 8;

/// The words before the places of a text that were looked at last.
#[derive(Debug)]
pub(super) struct Lookback<'t> {
    pub(super) text: &'t str,
    /// Places, and the words before them.
    kept: [(usize, Option<Word<'t>>); KEPT],
    oldest: usize,
}

impl<'t> Lookback<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, kept: [(usize::MAX, None); KEPT], oldest: 0 }
    }

    /// The word that ends at or before `at`, as [`word_before`] gives it.
    pub(super) fn word(&mut self, at: usize) -> Option<Word<'t>> {
        if let Some((_, word)) = self.kept.iter().find(|(place, _)| *place == at) {
            return *word;
        }
        let word = word_before(self.text, at);
        if let Some(kept) = self.kept.get_mut(self.oldest) {
            *kept = (at, word);
        }
        self.oldest = (self.oldest + 1) % KEPT;
        word
    }

    /// Whether one of the nearest words before `at` in its clause denies what follows.
    pub(super) fn is_denied(&mut self, at: usize) -> bool {
        let text = self.text;
        if is_denied_unspaced(text, at) {
            return true;
        }
        let mut from = at;
        for _ in 0..4 {
            let Some(word) = self.word(from) else {
                return false;
            };
            let gap = slice(text, word.end..from);
            if gap.bytes().any(|byte| matches!(byte, b'.' | b'!' | b'?' | b';' | b':' | b',')) {
                return false;
            }
            if word.is(&cue::NEGATIONS) {
                return true;
            }
            from = word.start;
        }
        false
    }

    /// Whether an announcement, or what it announces at `at`, is denied.
    pub(super) fn takes_back(&mut self, cue: &Cue, at: usize) -> bool {
        self.is_denied(cue.start) || if cue.is_direct { is_denied_unspaced(self.text, at) } else { self.is_denied(at) }
    }

    /// Whether the clause up to `at` reports what somebody else holds, or asks.
    pub(super) fn is_reported(&mut self, at: usize) -> bool {
        let Some(start) = clause_start(self.text, at) else {
            return true;
        };
        let mut from = at;
        while from > start {
            let Some(word) = self.word(from).filter(|word| word.start >= start) else {
                return false;
            };
            if word.is(&cue::REPORTING_VERBS) {
                let own = self
                    .word(word.start)
                    .filter(|subject| subject.start >= start)
                    .is_some_and(|subject| subject.is(words!["i", "we", "would", "must", "can", "also", "me", "to"]));
                return !own;
            }
            from = word.start;
        }
        false
    }

    /// Look back from a verdict for what announces it.
    pub(super) fn cue(&mut self, at: usize, cues: &Cues, own: &[String]) -> Option<Cue> {
        let text = self.text;
        let mut from = at;
        let mut is_linked = false;
        let mut is_direct = true;
        for _ in 0..CUE_DISTANCE {
            let mut gap = gap_before(text, from)?;
            is_linked |= gap.is_link;
            // "Answer (yes/no): no": what stands in brackets before the colon is an aside.
            if let Some(start) = aside_start(text, gap.start).filter(|_| gap.is_link) {
                gap = gap_before(text, start)?;
                is_direct = false;
            }
            if let Some(start) = unspaced_cue(text, gap.start, cues, gap.is_link) {
                return Some(self.finish(start));
            }
            if let Some(start) = own_marker(text, gap.start, own).or_else(|| tagged(text, gap.start, cues)) {
                return Some(self.finish(start));
            }
            // The word before `from` ends there too, unless there is an aside or a line between.
            let word = match self.word(from) {
                Some(word) if word.end == gap.start => word,
                _ => self.word(gap.start).filter(|word| word.end == gap.start)?,
            };
            if word.is(&cue::NEGATIONS) {
                return None;
            }
            let is_near = is_linked || from == at;
            // "Overall A lacks detail" announces nothing, "Overall: A" does.
            let is_bound = || gap.is_link || !word.is(&["overall", "final", "response", "output"]);
            // "Answer A" names one of the answers.
            let is_name = !is_linked && word.is(words!["answer", "respuesta", "réponse", "antwort", "ответ"]);
            if word.is(cues.nouns) && !is_name && (is_linked || (is_near && gap.is_tight)) && is_bound() {
                // "The answer to A" announces nothing.
                if self.is_anothers(word) || passes_over(text, word, at) {
                    return None;
                }
                return Some(Cue { is_vague: word.is(&["answer", "result"]), is_direct, ..self.finish(word.start) });
            }
            if word.is(cues.verbs) && !self.is_denied(word.start) {
                return Some(Cue { is_direct, ..self.finish(word.start) });
            }
            // "Better than A" and "superior to A" speak of the other one.
            if is_linked && word.is(cues.adjectives) && !passes_over(text, word, at) && !self.is_denied(word.start) {
                return Some(self.finish(word.start));
            }
            if word.is(&cue::LINKS) || (cues.links_of && word.is(&["of"])) {
                is_linked = true;
            } else if !word.is(&cue::FILLERS) {
                return if is_linked { self.noun_of(word, cues).map(|start| self.finish(start)) } else { None };
            }
            from = word.start;
        }
        None
    }

    /// `the grade of the new question is`: a noun and what it is of, which ends with `last`.
    fn noun_of(&mut self, last: Word<'_>, cues: &Cues) -> Option<usize> {
        let (mut end, mut start) = (last.end, last.start);
        for _ in 0..4 {
            let before = self.word(start).filter(|before| slice(self.text, before.end..start) == " ")?;
            if is_among(slice(self.text, start..end), &["of"]) {
                let is_announced = before.is(cues.nouns) && !self.is_anothers(before) && !self.is_denied(before.start);
                return is_announced.then_some(before.start);
            }
            (start, end) = (before.start, before.end);
        }
        None
    }

    fn finish(&mut self, start: usize) -> Cue {
        let text = self.text;
        let (mut start, mut from) = (start, start);
        for _ in 0..3 {
            let Some(word) = self.word(from).filter(|word| slice(text, word.end..from).trim().is_empty()) else {
                break;
            };
            if !word.is(&cue::LEADS) {
                break;
            }
            (start, from) = (word.start, word.start);
        }
        Cue {
            start,
            opens_line: opens_line(text, start) || opens_clause(text, skip_back_near(text, start, |c| c == ' ')),
            is_vague: false,
            is_direct: false,
        }
    }

    /// The answer of the text under test, or a reference, is not the judge's: `the correct answer is B`.
    fn is_anothers(&mut self, noun: Word<'_>) -> bool {
        static CONTRACTIONS: Words = Words::new(&["it", "let", "here", "that", "what", "there", "judge"]);
        let text = self.text;
        let mut from = noun.start;
        // "The student's own final score": the owner stands before the adjectives.
        for nth in 0..4 {
            let Some(word) = self
                .word(from)
                .filter(|word| slice(text, word.end..from).chars().all(|c| matches!(c, ' ' | '-' | '*' | '_' | '"')))
            else {
                return false;
            };
            let owner = word.text.strip_suffix("'s").or_else(|| word.text.strip_suffix("\u{2019}s"));
            if nth == 0 && word.is(&cue::OWNERS) || owner.is_some_and(|owner| !CONTRACTIONS.has(owner)) {
                return true;
            }
            from = word.start;
        }
        false
    }
}

/// Whether a word goes on with "to", and so speaks of what is next to it.
fn passes_over(text: &str, word: Word<'_>, at: usize) -> bool {
    slice(text, word.end..at).trim_start().starts_with("to ")
}

/// `[Verdict] A`: a noun in brackets that ends at `end`.
fn tagged(text: &str, end: usize, cues: &Cues) -> Option<usize> {
    if byte_before(text, end) != b']' {
        return None;
    }
    let noun = word_before(text, end - 1).filter(|word| word.end == end - 1 && word.is(cues.nouns))?;
    let start = if byte_before(text, noun.start) == b'[' { noun.start } else { word_before(text, noun.start)?.start };
    (byte_before(text, start) == b'[').then_some(start)
}

/// Where a short aside in brackets begins that ends at `at`.
fn aside_start(text: &str, at: usize) -> Option<usize> {
    let close = char_before(text, at)?;
    let open = match close {
        ')' => '(',
        ']' => '[',
        _ => return None,
    };
    let lead = head(text, at);
    let from = lead.ceil_char_boundary(at.saturating_sub(40));
    let near = slice(text, from..at);
    let start = near.rfind(open).filter(|&start| !tail(near, start).contains('\n'))?;
    Some(from + start)
}

struct Gap {
    start: usize,
    is_link: bool,
    is_tight: bool,
}

/// The marks and spaces before `at`; None where a clause ends among them.
fn gap_before(text: &str, at: usize) -> Option<Gap> {
    let mut start = at;
    let mut is_link = false;
    let mut newlines = 0;
    while let Some(c) = char_before(text, start) {
        match c {
            ':' | '=' | '\u{2192}' | '|' | '\u{2014}' | '\u{2013}' => is_link = true,
            '>' if byte_before(text, start - 1) == b'-' || byte_before(text, start - 1) == b'=' => {
                is_link = true;
            }
            '\n' => newlines += 1,
            ' ' | '\t' | '[' | '(' | '{' | '"' | '\'' | '`' | '<' | '>' | '-' | '*' | '#' | '\u{201c}' | '\u{2018}'
            | '$' | '\\' => {}
            _ => break,
        }
        start -= c.len_utf8();
        if at - start > 40 || newlines > 3 {
            return None;
        }
    }
    // A heading announces what stands under it; any other line end separates.
    if newlines > 0 && !is_link && !is_heading(text, start) {
        return None;
    }
    Some(Gap { start, is_link: is_link || newlines > 0, is_tight: at - start <= 3 })
}

/// Whether the line that ends at `at` is a heading, `## Verdict`, or a short line of its own.
fn is_heading(text: &str, at: usize) -> bool {
    let lead = head(text, at);
    let from = lead.floor_char_boundary(at.saturating_sub(40));
    let near = slice(text, from..at);
    let line = match near.rfind('\n') {
        Some(newline) => tail(near, newline + 1),
        None if from == 0 => near,
        None => return false,
    };
    let line = line.trim_start();
    line.len() <= 24 || line.starts_with('#')
}

fn unspaced_cue(text: &str, end: usize, cues: &Cues, is_link: bool) -> Option<usize> {
    if byte_before(text, end).is_ascii() {
        return None;
    }
    let lead = head(text, end);
    let bare = lead
        .strip_suffix(['是', '为', '為', 'は', '：', '给', '給', '는', '은', '이', '가', '을', '를'])
        .unwrap_or(lead);
    [bare, lead]
        .into_iter()
        // "回答A" names one of the answers.
        .filter(|lead| is_link || lead.len() < end || !["回答", "答案", "답변"].iter().any(|name| lead.ends_with(name)))
        .find_map(|lead| cues.unspaced.iter().find_map(|word| lead.strip_suffix(word)))
        .map(str::len)
}

/// A marker of the format's own that ends here: `Factuality Rating`.
fn own_marker(text: &str, end: usize, own: &[String]) -> Option<usize> {
    own.iter().find_map(|marker| {
        let start = end.checked_sub(marker.len())?;
        let here = text.get(start..end)?;
        (here.eq_ignore_ascii_case(marker) && is_word_edge(text, start)).then_some(start)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Lookback, SCORE_CUES, VERDICT_CUES};
    use crate::reading::word::word_before;

    /// What stands before verdicts, so that random text is announced and denied.
    const PIECES: [&str; 40] = [
        "score", "verdict", "answer", "I", "would", "rate", "not", "never", "no", "isn't", "the", "my", "final", "of",
        "is", "it", "a", "better", "best", "prefer", "(yes/no)", "[x]", ":", "=", "|", "->", ",", ".", "\n", "\n\n",
        "\"", "-", "#", "\u{2019}", "评分", "不", "correct", "No Score", "says", "8",
    ];

    fn texts() -> impl Strategy<Value = String> {
        let gaps = prop::sample::select([" ", " ", " ", "", "  "].as_slice());
        let pieces = prop::collection::vec((prop::sample::select(PIECES.as_slice()), gaps), 1..12);
        pieces.prop_map(|pieces| pieces.into_iter().flat_map(|(piece, gap)| [piece, gap]).collect::<String>() + "7")
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_denies_a_direct_cue_denies_what_it_announces(text in texts()) {
            let own = ["No Score".to_owned()];
            let at = text.len() - 1;
            for cues in [&SCORE_CUES, &VERDICT_CUES] {
                if let Some(cue) = Lookback::new(&text).cue(at, cues, &own) {
                    let mut look = Lookback::new(&text);

                    let want = look.is_denied(cue.start) || look.is_denied(at);

                    prop_assert_eq!(want, look.takes_back(&cue, at), "{:?} in {:?}", cue, text);
                }
            }
        }

        #[test]
        fn words_that_are_kept_are_those_that_stand_there(text in texts(), places in prop::collection::vec(0_usize..60, 1..40)) {
            let mut look = Lookback::new(&text);
            for place in places {
                let place = text.floor_char_boundary(place);

                let (want, got) = (word_before(&text, place), look.word(place));

                prop_assert_eq!(want.map(|word| (word.start, word.text)), got.map(|word| (word.start, word.text)));
            }
        }
    }
}
