//! The words with which people judge, by language: the files of `rust/judgecore/lexicon`.
//!
//! A word has classes, which say what it does in a sentence; rules of reading are written over classes, in no language.
//! All languages are looked for. A word that another language also has, with another meaning, acts only beside a
//! second word of its own language.

use std::collections::HashMap;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
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
    LOSER = "loser",
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
    FIRST = "first",
    SECOND = "second",
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[expect(dead_code, reason = "what the docs show")]
    language: String,
    unspaced: bool,
    #[serde(default)]
    collides: Vec<String>,
    classes: HashMap<String, Vec<String>>,
    #[serde(default)]
    numbers: HashMap<String, f64>,
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
            }
            None => self.senses.push(sense),
        }
    }

    /// The language that this word shows to be there: the only one that has it.
    pub(crate) fn only_language(&self) -> Option<u8> {
        match self.senses.as_slice() {
            [only] if !only.collides => Some(only.language),
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
            if languages == 0 { !sense.collides } else { languages & (1 << sense.language) != 0 }
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

/// All words of all languages.
#[derive(Debug)]
pub(crate) struct Lexicon {
    words: HashMap<Box<str>, Entry>,
    phrases: HashMap<Box<str>, Vec<Phrase>>,
    unspaced: Option<AhoCorasick>,
    unspaced_entries: Vec<Entry>,
    /// Where a judge may take something back.
    revisions: Option<AhoCorasick>,
    /// Why a file can't be used.
    pub(crate) problems: Vec<String>,
}

/// The lexicon, made when it is first needed.
pub(crate) fn lexicon() -> &'static Lexicon {
    static LEXICON: LazyLock<Lexicon> = LazyLock::new(Lexicon::new);
    &LEXICON
}

impl Lexicon {
    fn new() -> Self {
        let mut lexicon = Self {
            words: HashMap::new(),
            phrases: HashMap::new(),
            unspaced: None,
            unspaced_entries: Vec::new(),
            revisions: None,
            problems: Vec::new(),
        };
        let mut unspaced: HashMap<String, Entry> = HashMap::new();
        let mut revisions: Vec<String> = Vec::new();
        for (language, (name, text)) in (0_u8..).zip(FILES) {
            match toml::from_str::<File>(text) {
                Ok(file) => {
                    let words =
                        ["withdraw", "mistaken", "correct"].into_iter().filter_map(|class| file.classes.get(class));
                    revisions.extend(words.flatten().cloned());
                    lexicon.take(language, name, &file, &mut unspaced);
                }
                Err(problem) => lexicon.problems.push(format!("lexicon/{name}.toml: {problem}")),
            }
        }
        let (patterns, entries): (Vec<String>, Vec<Entry>) = unspaced.into_iter().unzip();
        lexicon.unspaced_entries = entries;
        lexicon.unspaced = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(patterns).ok();
        lexicon.revisions = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::LeftmostLongest)
            .build(revisions)
            .ok();
        for phrases in lexicon.phrases.values_mut() {
            phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.rest.len()));
        }
        lexicon
    }

    fn take(&mut self, language: u8, name: &str, file: &File, unspaced: &mut HashMap<String, Entry>) {
        let mut entries: Vec<(&str, Classes, Option<f64>)> = Vec::new();
        for (class, words) in &file.classes {
            let Some(bit) = KEYS.iter().position(|key| key == class) else {
                self.problems.push(format!("lexicon/{name}.toml: no class is named {class:?}"));
                continue;
            };
            let mut seen: Vec<&str> = Vec::new();
            for word in words {
                if seen.contains(&word.as_str()) {
                    self.problems.push(format!("lexicon/{name}.toml: {class} has {word:?} twice"));
                }
                seen.push(word);
                entries.push((word, 1 << bit, None));
            }
        }
        entries.extend(file.numbers.iter().map(|(word, number)| (word.as_str(), 0, Some(*number))));
        for (word, classes, number) in entries {
            let collides = file.collides.iter().any(|other| other == word);
            let sense = Sense { language, classes, number, collides };
            let is_unspaced = file.unspaced && word.chars().any(crate::reply::text::is_unspaced);
            if is_unspaced {
                unspaced.entry(word.to_owned()).or_default().note(sense);
                continue;
            }
            let mut parts = word.split(' ').map(Box::<str>::from);
            let Some(first) = parts.next() else { continue };
            let rest: Vec<Box<str>> = parts.collect();
            if rest.is_empty() {
                self.words.entry(first).or_default().note(sense);
                continue;
            }
            let phrases = self.phrases.entry(first).or_default();
            match phrases.iter_mut().find(|phrase| phrase.rest == rest) {
                Some(phrase) => phrase.entry.note(sense),
                None => {
                    let mut entry = Entry::default();
                    entry.note(sense);
                    phrases.push(Phrase { rest, entry });
                }
            }
        }
    }

    /// What a word in lower case is.
    pub(crate) fn word(&self, word: &str) -> Option<&Entry> {
        self.words.get(word)
    }

    /// The phrases that a word in lower case begins, longest first.
    pub(crate) fn phrases(&self, word: &str) -> &[Phrase] {
        self.phrases.get(word).map_or(&[], Vec::as_slice)
    }

    /// Where words stand that may take something back.
    pub(crate) fn revisions<'s>(&'s self, text: &'s str) -> impl Iterator<Item = usize> + 's {
        self.revisions.iter().flat_map(move |finder| finder.find_iter(text)).map(|found| found.start())
    }

    /// The entries in a stretch without spaces, with their places.
    pub(crate) fn unspaced<'s>(&'s self, stretch: &'s str) -> impl Iterator<Item = (usize, usize, &'s Entry)> + 's {
        self.unspaced.iter().flat_map(move |finder| finder.find_iter(stretch)).filter_map(|found| {
            let entry = self.unspaced_entries.get(found.pattern().as_usize())?;
            Some((found.start(), found.end(), entry))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{ANNOUNCE, DENY, lexicon};

    #[test]
    fn every_file_is_well_formed() {
        assert_eq!(lexicon().problems, Vec::<String>::new());
    }

    #[test]
    fn a_word_has_its_classes() {
        let (classes, _) = lexicon().word("score").unwrap().among(0);

        assert_eq!(classes & (ANNOUNCE | DENY), ANNOUNCE);
    }
}
