//! The words with which people judge, by language: the files of `rust/judgecore/lexicon`.
//!
//! A word has classes, which say what it does in a sentence; rules of reading are written over classes, in no language.
//! All languages are looked for. A word that another language also has, with another meaning, acts only beside a
//! second word of its own language.

use std::borrow::Cow;

pub(crate) mod trie;
pub(crate) mod word;
mod words;

use trie::{Node, Trie};
use word::{Beginnings, Phrase, Sense};
pub(crate) use word::{Classes, Entry, Known, Languages};
use words::Words;

include!(concat!(env!("OUT_DIR"), "/lexicon.rs"));

impl Entry {
    fn senses(&self) -> &'static [Sense] {
        SENSES.get(self.range()).unwrap_or(&[])
    }

    /// Whether a language has the word, and no other word is written like it.
    pub(crate) fn shows(&self, language: u8) -> bool {
        self.senses().iter().any(|sense| sense.language == language && !sense.collides())
    }

    /// Whether it is of these classes in some language.
    pub(crate) fn may_be(&self, classes: Classes) -> bool {
        self.classes() & classes != 0
    }

    /// The classes in all languages that have the word.
    pub(crate) fn classes(&self) -> Classes {
        self.senses().iter().fold(0, |all, sense| all | sense.classes)
    }

    pub(crate) fn may_be_number(&self) -> bool {
        self.senses().iter().any(|sense| sense.number().is_some())
    }

    /// The languages that have the word.
    pub(crate) fn languages(&self) -> impl Iterator<Item = u8> {
        self.senses().iter().filter(|sense| !sense.is_english()).map(|sense| sense.language)
    }

    /// The classes among words of these languages, and the number it stands for. What none of them has acts where it is
    /// said to be no other word; where no language is known, all do.
    #[inline]
    pub(crate) fn among(&self, languages: Languages) -> (Classes, Option<f64>) {
        let is_known = |sense: &Sense| languages & (1 << sense.language) != 0;
        // Most words are of one language.
        if let [only] = self.senses() {
            let acts = is_known(only) || !only.is_english() && (languages == 0 || !only.collides());
            return if acts { (only.classes, only.number()) } else { (0, None) };
        }
        let has_known = self.senses().iter().any(is_known);
        let acts = |sense: &&Sense| {
            if has_known { is_known(sense) } else { !sense.is_english() && (languages == 0 || !sense.collides()) }
        };
        let take = |found: (Classes, Option<f64>), sense: &Sense| (found.0 | sense.classes, found.1.or(sense.number()));
        self.senses().iter().filter(acts).fold((0, None), take)
    }
}

impl Phrase {
    /// The words behind the first one.
    pub(crate) fn rest(&self) -> &'static str {
        text(self.start, self.length)
    }
}

/// A text of the tables.
fn text(start: u32, length: u16) -> &'static str {
    let start = start as usize;
    TEXT.get(start..start + usize::from(length)).unwrap_or("")
}

impl Known {
    fn text(&self) -> &'static str {
        text(self.start, self.length)
    }

    /// What it is by itself.
    pub(crate) fn entry(&self) -> Option<&Entry> {
        Some(&self.entry).filter(|entry| !entry.is_none())
    }

    /// The phrases that it begins.
    pub(crate) fn phrases(&self) -> &'static [Phrase] {
        let start = self.first_phrase as usize;
        PHRASES.get(start..start + usize::from(self.phrase_count)).unwrap_or(&[])
    }

    /// Whether a word is this one: in any case where it is ASCII.
    fn is(&self, word: &[u8]) -> bool {
        let text = self.text().as_bytes();
        text == word || word.is_ascii() && text.eq_ignore_ascii_case(word)
    }

    fn may_be_number(&self) -> bool {
        let phrases = self.phrases().iter().map(|phrase| &phrase.entry);
        self.entry().into_iter().chain(phrases).any(Entry::may_be_number)
    }
}

/// Whether Thai writes a vowel before the consonant that it is spoken behind.
fn is_leading_vowel(c: char) -> bool {
    matches!(c, '\u{e40}'..='\u{e44}')
}

/// Whether a vowel or a mark of Thai belongs to the consonant before it, so that no word ends there.
fn is_trailing_vowel(c: char) -> bool {
    matches!(c, '\u{e30}'..='\u{e3a}' | '\u{e45}' | '\u{e47}'..='\u{e4e}')
}

impl<const SIZE: usize> Beginnings<SIZE> {
    /// Where words stand in a text that begin with these letters. Each sign of a script without spaces is one.
    pub(crate) fn places<'s>(&'static self, text: &'s str) -> impl Iterator<Item = usize> + 's {
        let letters = |start: usize| text.as_bytes().get(start..).map_or(0, word::letters);
        let may_be = move |start: usize| word::has(&self.firsts, word::firsts(letters(start)));
        Words::of(text.as_bytes(), may_be, move |start, length| {
            let letters = letters(start);
            let has = |length: usize| word::has(&self.longer, word::beginning::<SIZE>(letters, length));
            let [alone, followed] = word::telling(length);
            has(alone)
                || followed != alone
                    && has(followed)
                    && (SIZE < word::MANY_BEGINNINGS || has(word::further(letters, followed)))
        })
    }
}

/// Whether a list that has one word on each line has this one, in any case of ASCII.
pub(crate) fn lists(list: &str, word: &str) -> bool {
    list.lines().any(|known| known.eq_ignore_ascii_case(word))
}

/// What Hebrew and Arabic write to the word behind it: "and", "so".
const CONJUNCTIONS: [&str; 3] = ["\u{5d5}", "\u{648}", "\u{641}"];

/// How long a word behind one is at least, in bytes: what is shorter may be part of another word.
const JOINED: usize = 6;

/// All words of all languages.
pub(crate) struct Lexicon;

/// The lexicon, which the build has made.
pub(crate) fn lexicon() -> &'static Lexicon {
    &Lexicon
}

#[expect(clippy::unused_self, reason = "the tables are one to those who ask")]
impl Lexicon {
    /// What a word is, and what it begins: in any case where it is ASCII, else in lower case.
    pub(crate) fn word(&self, word: &[u8]) -> Option<&'static Known> {
        let ends = word::ends(word);
        self.find(word, ends, word::hash(ends, word.len()))
    }

    /// The same, behind an article that is elided before its noun too, behind a letter, or behind a conjunction that is written
    /// to it: `l'annotateur`, `B'den`, `והתשובה`.
    pub(crate) fn word_or_elided(&self, word: &[u8]) -> Option<&'static Known> {
        let joined = || {
            let rest = CONJUNCTIONS.iter().find_map(|join| word.strip_prefix(join.as_bytes()))?;
            self.word(rest).filter(|_| rest.len() >= JOINED)
        };
        self.word(word).or_else(joined).or_else(|| {
            // "ім'я" is one word.
            let mark = word.iter().take(5).take_while(|byte| byte.is_ascii()).position(|&byte| byte == b'\'')?;
            let suffix = || word.get(1..).filter(|suffix| mark == 1 && *suffix != b"'s");
            // No article is "B'".
            let is_article =
                mark != 1 || word.first().is_some_and(|letter| b"cdjlmnst".contains(&letter.to_ascii_lowercase()));
            let noun = || word.get(mark + 1..).filter(|_| is_article);
            suffix().and_then(|suffix| self.word(suffix)).or_else(|| self.word(noun()?))
        })
    }

    /// The same of a word with these ends and this hash.
    #[inline]
    pub(crate) fn find(&self, word: &[u8], ends: [u64; 2], hash: u32) -> Option<&'static Known> {
        let (at, both) = word::filter_place(hash);
        // Most words of a reply are unknown, and most of those end here.
        FILTER.get(at).filter(|&&bits| bits & both == both)?;
        let is_short = word.len() <= 16 && word::is_ascii(ends);
        let mut at = word::first_place(hash, PLACES.len());
        loop {
            let number = usize::from(*PLACES.get(at)?).checked_sub(1)?;
            let known = WORDS.get(number)?;
            if known.ends == ends && usize::from(known.length) == word.len() && (is_short || known.is(word)) {
                return Some(known);
            }
            at = (at + 1) % PLACES.len();
        }
    }

    /// Whether two words of these hashes may begin a phrase.
    #[inline]
    pub(crate) fn may_begin_phrase(&self, first: u32, second: u32) -> bool {
        word::has(&PAIRS, word::pair_place(first, second))
    }

    /// The classes of a word by itself, in any case: in English if it is English, else of whatever language it is.
    pub(crate) fn classes(&self, word: &str) -> Classes {
        self.senses(word).0
    }

    /// The number that a word by itself stands for, in any case and language.
    pub(crate) fn number(&self, word: &str) -> Option<f64> {
        self.senses(word).1
    }

    /// What a word is, in any case, or behind what is elided.
    fn known(&self, word: &str) -> Option<&'static Known> {
        self.word_or_elided(written(word).as_bytes())
    }

    fn senses(&self, word: &str) -> (Classes, Option<f64>) {
        // Words of scripts without spaces are kept apart.
        let touching = || self.unspaced_at(word).filter(|(length, _)| *length == word.len());
        let entry = match self.known(word) {
            Some(known) => known.entry(),
            None if word.is_ascii() => None,
            None => touching().map(|(_, entry)| entry),
        };
        entry.map_or((0, None), |entry| entry.among(Languages::from(entry.languages().any(|language| language == 0))))
    }

    /// Whether a word, or a phrase that it begins, may be a number.
    pub(crate) fn may_be_number(&self, word: &str) -> bool {
        self.known(word).is_some_and(Known::may_be_number)
    }

    /// Where words stand that may be numbers.
    pub(crate) fn numbers<'s>(&'s self, text: &'s str) -> impl Iterator<Item = usize> + 's {
        let may_be_number = |start: &usize| {
            let begun = text.get(*start..).unwrap_or("");
            let word = begun.get(..word::spelled(begun.as_bytes())).unwrap_or("");
            if word::begins_sign(word.as_bytes()) {
                return self.unspaced_at(begun).is_some_and(|(_, entry)| entry.may_be_number());
            }
            self.word(written(word).as_bytes()).is_some_and(Known::may_be_number)
        };
        NUMBERS.places(text).filter(may_be_number)
    }

    /// The entries in a stretch without spaces, the longest at each place, with their places.
    pub(crate) fn unspaced(&self, stretch: &str) -> impl Iterator<Item = (usize, usize, &'static Entry)> {
        let mut letters = stretch.char_indices().peekable();
        std::iter::from_fn(move || {
            loop {
                let (start, first) = letters.next()?;
                let second = letters.peek().map_or(trie::ALONE, |&(_, c)| c);
                if UNSPACED.may_begin_with(first, second)
                    && let Some((length, entry)) = longest(stretch.get(start..)?)
                {
                    let end = start + length;
                    while letters.next_if(|&(at, _)| at < end).is_some() {}
                    return Some((start, end, entry));
                }
                // Its consonant begins no word.
                if is_leading_vowel(first) {
                    letters.next();
                }
            }
        })
    }

    /// The longest entry of a script without spaces that a text begins with, and its length.
    pub(crate) fn unspaced_at(&self, text: &str) -> Option<(usize, &'static Entry)> {
        let mut letters = text.chars();
        let first = letters.next()?;
        // Most places begin no entry.
        if UNSPACED.may_begin_with(first, letters.next().unwrap_or(trie::ALONE)) { longest(text) } else { None }
    }
}

/// A word as it is looked up.
fn written(word: &str) -> Cow<'_, str> {
    if word.is_ascii() { word.into() } else { word.to_lowercase().replace('\u{2019}', "'").into() }
}

/// The same where some entry may begin.
fn longest(text: &str) -> Option<(usize, &'static Entry)> {
    let next = |length: usize| text.get(length..).and_then(|rest| rest.chars().next());
    // All vowels of Thai begin with one byte.
    let may_be_vowel = |length: usize| text.as_bytes().get(length) == Some(&0xe0);
    let is_whole = |&(length, _): &(usize, u16)| !(may_be_vowel(length) && next(length).is_some_and(is_trailing_vowel));
    let (length, value) = UNSPACED.words(text).filter(is_whole).last()?;
    Some((length, UNSPACED_ENTRIES.get(usize::from(value) - 1)?))
}

#[cfg(test)]
mod tests {
    use super::{ANNOUNCE, DENY, FORMER, LATTER, ORDINALS, REFUSAL, TIE, TIES, UNSPACED, WORDS, lexicon, word};

    #[test]
    fn each_word_is_found() {
        for known in &WORDS {
            let text = known.text();
            let capitals = if text.is_ascii() { text.to_ascii_uppercase() } else { text.to_owned() };

            for written in [text, &capitals] {
                let found = lexicon().word(written.as_bytes());
                assert!(found.is_some_and(|found| std::ptr::eq(found, known)), "{written}");
            }
        }
    }

    #[test]
    fn each_phrase_may_begin_with_its_two_words() {
        for known in &WORDS {
            let first = known.text();
            for phrase in known.phrases() {
                let text = format!("{first} {} behind it", phrase.rest());
                let start = first.len() + 1;
                let length = text.bytes().skip(start).take_while(u8::is_ascii_alphanumeric).count();
                let hash = |at, length| word::hash(word::ends_at(text.as_bytes(), at, length), length);

                assert!(lexicon().may_begin_phrase(hash(0, first.len()), hash(start, length)), "{text}");
            }
        }
    }

    #[test]
    fn each_word_of_a_list_is_found_by_its_beginning() {
        let spaced = WORDS.iter().flat_map(|known| {
            let first = known.text();
            let phrases =
                known.phrases().iter().map(move |phrase| (format!("{first} {}", phrase.rest()), &phrase.entry));
            known.entry().into_iter().map(move |entry| (first.to_owned(), entry)).chain(phrases)
        });
        let unspaced = UNSPACED.all().into_iter().map(|word| {
            let (_, entry) = lexicon().unspaced_at(&word).unwrap();
            (word, entry)
        });

        for (text, entry) in spaced.chain(unspaced) {
            for (classes, list) in [(FORMER | LATTER, &ORDINALS), (TIE, &TIES)] {
                for written in [&text, &text.to_uppercase()] {
                    let found = list.places(written).next();
                    assert!(!entry.may_be(classes) || found == Some(0), "{written}");
                }
            }
        }
    }

    #[test]
    fn each_word_of_a_trie_is_the_longest_that_begins_its_text() {
        for (trie, word) in
            [&UNSPACED, &REFUSAL].into_iter().flat_map(|trie| trie.all().into_iter().map(move |word| (trie, word)))
        {
            let capital = word.to_ascii_uppercase();

            assert_eq!(trie.words(&word).last().map(|(length, _)| length), Some(word.len()), "{word}");
            assert!(trie.words(&word).eq(trie.words(&capital)), "{word}");
            assert!(trie.words(&format!("{word}\u{1f600}")).eq(trie.words(&word)), "{word}");
        }
    }

    #[test]
    fn words_of_a_stretch_without_spaces_follow_each_other() {
        let found = |stretch: &str| -> Vec<String> {
            lexicon().unspaced(stretch).map(|(start, end, _)| stretch.get(start..end).unwrap().to_owned()).collect()
        };

        assert_eq!(
            found("\u{6700}\u{7d42}\u{8a55}\u{4fa1}\u{306f}\u{4e03}"),
            ["\u{6700}\u{7d42}\u{8a55}\u{4fa1}", "\u{4e03}"]
        );
        assert!(found("").is_empty());
    }

    #[test]
    fn a_word_of_thai_neither_begins_nor_ends_inside_a_syllable() {
        let found = |stretch: &'static str| -> Vec<&str> {
            lexicon().unspaced(stretch).filter_map(|(start, end, _)| stretch.get(start..end)).collect()
        };

        assert_eq!(found("ผู้ชนะคือคำตอบ"), ["ผู้ชนะ", "คือ", "คำตอบ"]);
        // They hold "มาก", much, and "เรา", we.
        assert_eq!(found("เมากว่า"), ["กว่า"]);
        assert_eq!(found("หัวเราะ"), [""; 0]);
    }

    #[test]
    fn a_word_has_its_classes() {
        let (classes, _) = lexicon().word(b"score").and_then(|known| known.entry()).unwrap().among(0);

        assert_eq!(classes & (ANNOUNCE | DENY), ANNOUNCE);
    }
}
