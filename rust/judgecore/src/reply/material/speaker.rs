//! Who speaks: the words with which a judge gives what others wrote, and those with which it gives its own verdict.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::copies::is_apart;
use crate::lexicon;
use crate::reply::text::{char_at, char_before, is_unspaced, skip, slice, tail};

/// Whose words stand at a place, as far as the words before it tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speaker {
    Judge,
    Other,
    Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Says that what follows was said, unless the judge says it: `it says`, `I say`.
    Saying,
    /// Says that what follows is written: `the text ends with`, `the phrase`.
    Holding,
    /// Says of what stands before it where it is written: `appears in`.
    Placing,
    /// The judge itself: `I`, `my`.
    Judge,
    /// What a judge gives: `verdict`, `score`; and what asks it to: `your`.
    Verdict,
    /// What a judge is shown, and who wrote it: `the response`, `student`.
    Shown,
}

/// How far words act in a sentence without end.
pub(super) const FAR: usize = 256;

/// Finds the telling words of all languages, each with its class.
static FINDER: LazyLock<Option<(AhoCorasick, Vec<Class>)>> = LazyLock::new(|| {
    let lists = [
        (lexicon::SAYING, Class::Saying),
        (lexicon::QUOTING, Class::Holding),
        (lexicon::PLACING, Class::Placing),
        (lexicon::JUDGE, Class::Judge),
        (lexicon::VERDICT, Class::Verdict),
        (lexicon::SHOWN, Class::Shown),
    ];
    let words = lists.iter().flat_map(|(words, class)| words.lines().map(move |word| (word, *class)));
    let (words, classes): (Vec<&str>, Vec<Class>) = words.unzip();
    let mut finder = AhoCorasick::builder();
    let finder = finder.ascii_case_insensitive(true).match_kind(MatchKind::LeftmostLongest).build(words);
    Some((finder.ok()?, classes))
});

/// The telling words of a reply, and where its sentences begin.
pub(super) struct Speakers<'r> {
    reply: &'r str,
    words: Vec<(Range<usize>, Class)>,
    /// Where sentences and lines end.
    ends: Vec<usize>,
}

impl<'r> Speakers<'r> {
    pub(super) fn of(reply: &'r str) -> Self {
        let bytes = reply.as_bytes();
        let mut words = Vec::new();
        if let Some((finder, classes)) = &*FINDER {
            let is_word = |at: &Range<usize>| is_whole(reply, at);
            let found = finder.find_iter(reply).filter(|one| is_word(&one.range()));
            words.extend(found.filter_map(|one| Some((one.range(), *classes.get(one.pattern().as_usize())?))));
        }
        let ends_here = |at: usize, byte: u8| match byte {
            b'\n' => true,
            b'.' | b'!' | b'?' | b';' => bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace),
            // The last byte of 。 and of full-width marks.
            0x82 => bytes.get(at.wrapping_sub(2)..at) == Some(&[0xe3, 0x80]),
            0x81 | 0x9f => bytes.get(at.wrapping_sub(2)..at) == Some(&[0xef, 0xbc]),
            _ => false,
        };
        let ends = bytes.iter().enumerate().filter(|&(at, &byte)| ends_here(at, byte)).map(|(at, _)| at + 1).collect();
        Self { reply, words, ends }
    }

    /// Where the sentence begins that a place stands in.
    pub(super) fn sentence(&self, at: usize) -> usize {
        let before = self.ends.partition_point(|&end| end <= at);
        before.checked_sub(1).and_then(|last| self.ends.get(last)).copied().unwrap_or(0)
    }

    /// What stands before a place in its sentence, not further back than words belong to it.
    pub(super) fn before(&self, at: usize) -> Range<usize> {
        self.sentence(at).max(self.reply.ceil_char_boundary(at.saturating_sub(FAR)))..at
    }

    pub(super) fn sentence_end(&self, at: usize) -> usize {
        let next = self.ends.partition_point(|&end| end <= at);
        self.ends.get(next).copied().unwrap_or(self.reply.len()).min(at + FAR)
    }

    /// Who speaks behind these words.
    pub(super) fn behind(&self, before: Range<usize>) -> Speaker {
        if let Some((speaker, _)) = self.report(before.clone()) {
            return speaker;
        }
        let words = self.within(before);
        let has = |sought: Class| words.iter().any(|(_, class)| *class == sought);
        let is_shown = has(Class::Shown) || has(Class::Placing);
        if has(Class::Verdict) || has(Class::Judge) && !is_shown {
            Speaker::Judge
        } else if is_shown {
            Speaker::Other
        } else {
            Speaker::Unknown
        }
    }

    /// The speaker of what these words say was said or written, and where the last of them ends.
    pub(super) fn report(&self, before: Range<usize>) -> Option<(Speaker, usize)> {
        /// What a verb belongs to stands near it.
        const NEAR: usize = 16;
        let words = self.within(before);
        let last = words.iter().rposition(|(_, class)| matches!(class, Class::Saying | Class::Holding))?;
        let (place, class) = words.get(last)?;
        let subject = last.checked_sub(1).and_then(|before| words.get(before));
        let is_own = *class == Class::Saying
            && subject.is_some_and(|(own, class)| *class == Class::Judge && place.start - own.end <= NEAR);
        // `it contains no source, so my verdict is`
        let is_own = is_own || words.iter().skip(last).any(|(_, class)| *class == Class::Judge);
        Some((if is_own { Speaker::Judge } else { Speaker::Other }, place.end))
    }

    /// Whether the words right behind a quotation say where it is written.
    pub(super) fn is_placed(&self, at: usize) -> bool {
        const NEAR: usize = 40;
        let is_placing = |class: Class| matches!(class, Class::Saying | Class::Placing);
        self.within(at..self.sentence_end(at).min(at + NEAR)).iter().any(|(_, class)| is_placing(*class))
    }

    /// Where what is reported begins, for each report that is not the judge's own.
    pub(super) fn reports(&self) -> impl Iterator<Item = usize> {
        self.words.iter().filter_map(|(place, _)| {
            let (speaker, end) = self.report(self.before(place.start).start..place.end)?;
            (speaker == Speaker::Other && end == place.end).then(|| self.skip_fillers(end))
        })
    }

    /// The place behind words that are not yet what is reported: `it says that`, `contains the string`.
    fn skip_fillers(&self, at: usize) -> usize {
        const MOST: usize = 6;
        let mut at = at;
        for _ in 0..MOST {
            at = skip(self.reply, at, |c| matches!(c, ' ' | ':' | ',' | '"' | '\u{ff1a}'));
            let rest = tail(self.reply, at);
            let letters = rest.chars().take(16).take_while(|c| c.is_alphabetic());
            let length = letters.map(char::len_utf8).sum();
            let (word, behind) = rest.split_at_checked(length).unwrap_or((rest, ""));
            let is_last = behind.is_empty() || behind.starts_with(['.', '\n']);
            if is_last || !lexicon::lists(lexicon::FILLERS, word) {
                break;
            }
            at += length;
        }
        at
    }

    fn within(&self, range: Range<usize>) -> &[(Range<usize>, Class)] {
        let start = self.words.partition_point(|(place, _)| place.start < range.start);
        let end = self.words.partition_point(|(place, _)| place.end <= range.end);
        self.words.get(start..end).unwrap_or_default()
    }
}

/// Whether no letter goes on at either end; scripts without spaces have no ends of words.
fn is_whole(reply: &str, at: &Range<usize>) -> bool {
    let goes_on = |c: Option<char>| c.is_some_and(|c| c.is_alphabetic() && !is_unspaced(c));
    slice(reply, at.clone()).starts_with(is_unspaced)
        || is_apart(reply.as_bytes(), at.start)
            && is_apart(reply.as_bytes(), at.end)
            && !goes_on(char_before(reply, at.start))
            && !goes_on(char_at(reply, at.end))
}
