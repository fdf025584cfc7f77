//! The words with which people judge, by language: the files of `rust/judgecore/lexicon`.
//!
//! A word has classes, which say what it does in a sentence; rules of reading are written over classes, in no language.
//! All languages are looked for. A word that another language also has, with another meaning, acts only beside a
//! second word of its own language.

use std::collections::HashSet;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use indexmap::IndexMap;
use serde::Deserialize;

/// A set of classes.
pub(crate) type Classes = u64;

macro_rules! classes {
    ($($name:ident = $key:literal),+ $(,)?) => {
        const KEYS: &[&str] = &[$($key),+];
        classes!(@bits 0; $($name),+);
    };
    (@bits $bit:expr; $name:ident $(, $rest:ident)*) => {
        pub(crate) const $name: Classes = 1 << ($bit);
        classes!(@bits $bit + 1; $($rest),*);
    };
    (@bits $bit:expr;) => {};
}

classes! {
    ANNOUNCE = "announce",
    VAGUE = "vague",
    WINNER = "winner",
    GIVE = "give",
    GIVES = "gives",
    EARN = "earn",
    CHOOSE = "choose",
    CHOOSES = "chooses",
    WIN = "win",
    LOSE = "lose",
    BETTER = "better",
    WORSE = "worse",
    LINK = "link",
    DENY = "deny",
    DENY_BEHIND = "deny_behind",
    STRESS = "stress",
    REPORT = "report",
    HOLD = "hold",
    SELF = "self",
    OTHER = "other",
    THING = "thing",
    IF = "if",
    COUNTERFACTUAL = "counterfactual",
    HEDGE = "hedge",
    POLITE = "polite",
    WISH = "wish",
    WITHDRAW = "withdraw",
    MISTAKEN = "mistaken",
    CORRECT = "correct",
    FINAL = "final",
    CONCLUDE = "conclude",
    WHOLE = "whole",
    BOUND = "bound",
    ABOUT = "about",
    UNIT = "unit",
    OVER = "over",
    BECAUSE = "because",
    CONTRAST = "contrast",
    THAN = "than",
    PART = "part",
    OF = "of",
    EXAMPLE = "example",
    INSTRUCT = "instruct",
    PAST = "past",
    JOIN = "join",
    YES = "yes",
    NO = "no",
    TRUE = "true",
    FALSE = "false",
    TIE = "tie",
    HALF = "half",
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "language")]
    _language: String,
    unspaced: bool,
    #[serde(default)]
    collides: Vec<String>,
    /// Words that English has too, so that they act beside another word of their language only.
    #[serde(default)]
    english: Vec<String>,
    classes: IndexMap<String, Vec<String>>,
    #[serde(default)]
    numbers: IndexMap<String, f64>,
    #[serde(default, rename = "examples")]
    _examples: Vec<toml::Table>,
}

macro_rules! files {
    ($($name:literal),+ $(,)?) => {
        &[$(($name, include_str!(concat!("../lexicon/", $name, ".toml")))),+]
    };
}

const FILES: &[(&str, &str)] =
    files!["en", "de", "fr", "es", "pt", "it", "ru", "zh", "ja", "ko", "nl", "pl", "tr", "vi", "ar", "hi"];

/// What a word is in one language.
#[derive(Debug, Clone, Copy)]
struct Sense {
    language: u8,
    classes: Classes,
    number: Option<f64>,
    collides: bool,
    is_english: bool,
}

/// What a word may be, in all languages that have it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Entry {
    senses: Vec<Sense>,
}

impl Entry {
    fn note(&mut self, sense: Sense) {
        match self.senses.iter_mut().find(|known| known.language == sense.language) {
            Some(known) => {
                known.classes |= sense.classes;
                known.number = known.number.or(sense.number);
                known.collides |= sense.collides;
                known.is_english |= sense.is_english;
            }
            None => self.senses.push(sense),
        }
    }

    /// The language that this word shows to be there: the only one that has it.
    pub(crate) fn only_language(&self) -> Option<u8> {
        match self.senses.as_slice() {
            [only] if !only.collides && !only.is_english => Some(only.language),
            _ => None,
        }
    }

    /// Whether a language has the word.
    pub(crate) fn is_in(&self, language: u8) -> bool {
        self.senses.iter().any(|sense| sense.language == language)
    }

    /// The classes among words of these languages, and the number it stands for; where none is known, of all.
    pub(crate) fn among(&self, languages: u32) -> (Classes, Option<f64>) {
        let acts = |sense: &&Sense| {
            if languages == 0 { !sense.is_english } else { languages & (1 << sense.language) != 0 }
        };
        let take = |found: (Classes, Option<f64>), sense: &Sense| (found.0 | sense.classes, found.1.or(sense.number));
        self.senses.iter().filter(acts).fold((0, None), take)
    }
}

/// Words that follow a first one and make a phrase with it.
#[derive(Debug, Clone)]
pub(crate) struct Phrase {
    pub(crate) rest: Vec<Box<str>>,
    pub(crate) entry: Entry,
}

/// A word, as itself and as the first one of phrases, longest first.
#[derive(Debug, Clone, Default)]
pub(crate) struct Known {
    text: Box<str>,
    pub(crate) entry: Option<Entry>,
    pub(crate) phrases: Vec<Phrase>,
}

/// Words by their hash: a place holds one more than the word's number, or 0.
#[derive(Debug, Default)]
struct Table {
    places: Vec<u32>,
    words: Vec<Known>,
}

fn hash(word: &[u8]) -> usize {
    let hash = word
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    // The low bits of a product know little of the high ones.
    usize::try_from((hash ^ (hash >> 32)) & 0xffff_ffff).unwrap_or(0)
}

impl Table {
    fn new(words: Vec<Known>) -> Self {
        let mut places = vec![0_u32; (words.len() * 4).next_power_of_two()];
        let mask = places.len().saturating_sub(1);
        for (number, word) in (1..).zip(&words) {
            let mut at = hash(word.text.as_bytes()) & mask;
            while places.get(at).is_some_and(|&place| place != 0) {
                at = (at + 1) & mask;
            }
            if let Some(place) = places.get_mut(at) {
                *place = number;
            }
        }
        Self { places, words }
    }

    fn find(&self, word: &[u8]) -> Option<&Known> {
        let mask = self.places.len().checked_sub(1)?;
        let mut at = hash(word) & mask;
        loop {
            let number = usize::try_from(*self.places.get(at)?).ok()?.checked_sub(1)?;
            let known = self.words.get(number)?;
            if known.text.as_bytes() == word {
                return Some(known);
            }
            at = (at + 1) & mask;
        }
    }
}

/// All words of all languages.
#[derive(Default)]
pub(crate) struct Lexicon {
    table: Table,
    unspaced: Option<AhoCorasick>,
    unspaced_entries: Vec<Entry>,
    /// Where a judge may take something back.
    revisions: Option<AhoCorasick>,
    /// Where a word may stand for a number.
    numbers: Option<AhoCorasick>,
}

/// The lexicon, made when it is first needed.
pub(crate) fn lexicon() -> &'static Lexicon {
    static LEXICON: LazyLock<Lexicon> = LazyLock::new(Lexicon::new);
    &LEXICON
}

/// What is gathered from the files.
#[derive(Default)]
struct Gathered {
    words: IndexMap<Box<str>, Known>,
    unspaced: IndexMap<String, Entry>,
    revisions: Vec<String>,
    numbers: Vec<String>,
    /// Why a file can't be used; a test holds that there is nothing.
    problems: Vec<String>,
}

impl Lexicon {
    fn new() -> Self {
        let Gathered { words, unspaced, revisions, numbers, .. } = Gathered::new();
        let (patterns, unspaced_entries): (Vec<String>, Vec<Entry>) = unspaced.into_iter().unzip();
        let find = |patterns: Vec<String>| {
            let builder = &mut AhoCorasick::builder();
            let builder = builder.ascii_case_insensitive(true).match_kind(MatchKind::LeftmostLongest);
            builder.build(patterns).ok()
        };
        let words = words.into_values().map(|mut known| {
            known.phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.rest.len()));
            known
        });
        Self {
            table: Table::new(words.collect()),
            unspaced: find(patterns),
            unspaced_entries,
            revisions: find(revisions),
            numbers: find(numbers),
        }
    }

    /// What a word in lower case is, and what it begins.
    pub(crate) fn word(&self, word: &[u8]) -> Option<&Known> {
        self.table.find(word)
    }

    /// Where words stand that may take something back.
    pub(crate) fn revisions<'s>(&'s self, text: &'s str) -> impl Iterator<Item = usize> + 's {
        self.revisions.iter().flat_map(move |finder| finder.find_iter(text)).map(|found| found.start())
    }

    /// Where words stand that may be numbers.
    pub(crate) fn numbers<'s>(&'s self, text: &'s str) -> impl Iterator<Item = usize> + 's {
        let found = self.numbers.iter().flat_map(move |finder| finder.find_iter(text));
        let is_whole = move |at: usize| crate::reply::text::is_word_edge(text, at);
        found.filter(move |found| is_whole(found.start()) && is_whole(found.end())).map(|found| found.start())
    }

    /// The entries in a stretch without spaces, with their places.
    pub(crate) fn unspaced<'s>(&'static self, stretch: &'s str) -> impl Iterator<Item = (usize, usize, &'static Entry)> + 's {
        self.unspaced.iter().flat_map(move |finder| finder.find_iter(stretch)).filter_map(|found| {
            let entry = self.unspaced_entries.get(found.pattern().as_usize())?;
            Some((found.start(), found.end(), entry))
        })
    }
}

impl Gathered {
    fn new() -> Self {
        let mut gathered = Self::default();
        for (language, (name, text)) in (0_u8..).zip(FILES) {
            match toml::from_str::<File>(text) {
                Ok(file) => gathered.take(language, name, &file),
                Err(problem) => gathered.problems.push(format!("lexicon/{name}.toml: {problem}")),
            }
        }
        gathered
    }

    fn take(&mut self, language: u8, name: &str, file: &File) {
        let mut entries: Vec<(&str, Classes, Option<f64>)> = Vec::new();
        for (class, words) in &file.classes {
            let Some(bit) = KEYS.iter().position(|key| key == class) else {
                self.problems.push(format!("lexicon/{name}.toml: no class is named {class:?}"));
                continue;
            };
            let mut seen: HashSet<&str> = HashSet::new();
            for word in words {
                if !seen.insert(word) {
                    self.problems.push(format!("lexicon/{name}.toml: {class} has {word:?} twice"));
                }
                entries.push((word, 1 << bit, None));
            }
            if matches!(class.as_str(), "withdraw" | "mistaken" | "correct") {
                self.revisions.extend(words.iter().cloned());
            }
        }
        entries.extend(file.numbers.iter().map(|(word, number)| (word.as_str(), 0, Some(*number))));
        // What is another word in English stands in every text, and is looked for nowhere.
        let is_rare = |word: &&String| language == 0 || !self.words.contains_key(word.as_str());
        self.numbers.extend(file.numbers.keys().filter(is_rare).cloned());
        for (word, classes, number) in entries {
            let collides = file.collides.iter().any(|other| other == word);
            // Two letters are a number in one language and anything in others.
            let is_short = language != 0 && number.is_some() && word.len() <= 2 && word.is_ascii();
            let is_english = is_short || file.english.iter().any(|other| other == word);
            let sense = Sense { language, classes, number, collides, is_english };
            if file.unspaced && word.chars().any(crate::reply::text::is_unspaced) {
                self.unspaced.entry(word.to_owned()).or_default().note(sense);
                continue;
            }
            let mut parts = word.split(' ').map(Box::<str>::from);
            let Some(first) = parts.next() else { continue };
            let rest: Vec<Box<str>> = parts.collect();
            let known = self.words.entry(first.clone()).or_default();
            known.text = first;
            if rest.is_empty() {
                known.entry.get_or_insert_default().note(sense);
                continue;
            }
            if let Some(phrase) = known.phrases.iter_mut().find(|phrase| phrase.rest == rest) {
                phrase.entry.note(sense);
            } else {
                let mut entry = Entry::default();
                entry.note(sense);
                known.phrases.push(Phrase { rest, entry });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ANNOUNCE, DENY, Gathered, lexicon};

    #[test]
    fn every_file_is_well_formed() {
        assert_eq!(Gathered::new().problems, Vec::<String>::new());
    }

    #[test]
    fn a_word_has_its_classes() {
        let (classes, _) = lexicon().word(b"score").and_then(|known| known.entry.as_ref()).unwrap().among(0);

        assert_eq!(classes & (ANNOUNCE | DENY), ANNOUNCE);
    }
}
