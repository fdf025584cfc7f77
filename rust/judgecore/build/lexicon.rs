//! Checks the lexicon's files and compiles them into Rust tables, so that the library parses nothing at startup.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::error::Error;
use std::fmt::{self, Write as _};
use std::fs;
use std::ops::BitOrAssign;
use std::path::Path;

use indexmap::{IndexMap, IndexSet};
use serde::Deserialize;
use zerocopy::{Immutable, IntoBytes};

#[path = "../src/lexicon/trie.rs"]
#[expect(dead_code, reason = "only the library looks words up")]
mod trie;
#[path = "../src/lexicon/word.rs"]
#[expect(dead_code, reason = "only the library looks words up")]
mod word;

use trie::Node;
use word::{Beginnings, Classes, Entry, Known, NO_LANGUAGE, Phrase, Sense};

/// The meaning of each class, by name.
#[derive(Debug, Deserialize)]
pub(crate) struct Meanings {
    /// The classes of words in a sentence, in the order of their bits.
    #[serde(flatten)]
    sentence: IndexMap<String, String>,
    labels: IndexMap<String, String>,
    material: IndexMap<String, String>,
    refusal: IndexMap<String, String>,
    counting: IndexMap<String, String>,
}

/// The word lists for which `reply` searches, and the classes that each consists of.
const SPEAKERS: [(&str, &[&str]); 8] = [
    ("SAYING", &["report", "say"]),
    ("QUOTING", &["hold", "quote"]),
    ("PLACING", &["place"]),
    ("JUDGE", &["self"]),
    ("VERDICT", &["announce", "winner", "own"]),
    ("SHOWN", &["other", "shown"]),
    ("FILLERS", &["filler"]),
    ("ELEMENTS", &["element"]),
];

/// A language's file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    #[serde(rename = "language")]
    _language: String,
    /// Whether the language writes words without spaces between them.
    unspaced: bool,
    /// Whether the verb ends the clause, behind its object.
    #[serde(default)]
    verb_final: bool,
    /// Words with another meaning in other languages.
    collides: Vec<String>,
    /// Words that are English, too; they count only if the text has another word of this language.
    #[serde(default)]
    english: Vec<String>,
    classes: IndexMap<String, Vec<String>>,
    /// Words for labels that formats declare in English.
    #[serde(default)]
    labels: IndexMap<String, Vec<String>>,
    /// Words for the same labels that count only where they are the whole reply.
    #[serde(default)]
    answers: IndexMap<String, Vec<String>>,
    /// Words from which `reply` determines who speaks, by class.
    #[serde(default)]
    material: IndexMap<String, Vec<String>>,
    /// Phrases from which `reading/refusal` determines that the judge declines, by class.
    #[serde(default)]
    refusal: IndexMap<String, Vec<String>>,
    /// Words from which `reading/numeral` determines that a number counts, by class.
    #[serde(default)]
    counting: IndexMap<String, Vec<String>>,
    numbers: IndexMap<String, f64>,
    #[cfg_attr(not(test), expect(dead_code, reason = "the tests read them"))]
    pub(crate) examples: Vec<toml::Table>,
}

/// Read the file `classes.toml`.
pub(crate) fn meanings(path: &Path) -> Result<Meanings, Box<dyn Error>> {
    Ok(toml::from_str(&fs::read_to_string(path)?).map_err(|problem| format!("classes.toml: {problem}"))?)
}

/// Return the names of a folder's TOML files, sorted.
pub(crate) fn names(folder: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            names.extend(path.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned));
        }
    }
    names.sort();
    Ok(names)
}

/// Normalize a character as lookups do: lower case, and a typewriter apostrophe.
fn lower(c: char) -> impl Iterator<Item = char> {
    c.to_lowercase().map(|c| if c == '\u{2019}' { '\'' } else { c })
}

/// Parse and check a language's file. Return all errors, one on each line.
pub(crate) fn check(name: &str, text: &str, meanings: &Meanings) -> Result<File, String> {
    let file: File = toml::from_str(text).map_err(|problem| format!("lexicon/{name}.toml: {problem}"))?;
    let mut problems = String::new();
    let mut report = |class: &str, problem: fmt::Arguments<'_>| {
        // Writing to a string can't fail.
        let _ = writeln!(problems, "lexicon/{name}.toml: {class}: {problem}");
    };
    let known: HashSet<&String> = file.classes.values().flatten().chain(file.numbers.keys()).collect();
    let flags = [("collides", &file.collides), ("english", &file.english)];
    for (flag, words) in flags {
        for word in words.iter().filter(|word| !known.contains(word)) {
            report(flag, format_args!("no class has {word:?}"));
        }
    }
    let sections = [
        (&file.classes, &meanings.sentence),
        (&file.labels, &meanings.labels),
        (&file.answers, &meanings.labels),
        (&file.material, &meanings.material),
        (&file.refusal, &meanings.refusal),
        (&file.counting, &meanings.counting),
    ];
    for (classes, meanings) in sections {
        for class in classes.keys().filter(|class| !meanings.contains_key(*class)) {
            report(class, format_args!("no such class; the classes are in classes.toml"));
        }
    }
    for (label, words) in &file.answers {
        let is_label = |word: &&String| file.labels.get(label).is_some_and(|labels| labels.contains(word));
        for word in words.iter().filter(is_label) {
            report(label, format_args!("{word:?} is a label, and so need not be an answer"));
        }
    }
    let classes = sections.into_iter().flat_map(|(classes, _)| classes);
    let lists = classes.map(|(class, words)| (class.as_str(), words)).chain(flags);
    let numbers: Vec<String> = file.numbers.keys().cloned().collect();
    for (class, words) in lists.chain([("numbers", &numbers)]) {
        let mut seen: HashSet<&str> = HashSet::new();
        for word in words {
            let lower: String = word.chars().flat_map(lower).collect();
            if word.split(' ').any(str::is_empty) {
                report(class, format_args!("{word:?} is empty or has extra spaces"));
            }
            if *word != lower {
                report(class, format_args!("{word:?} can't match; write {lower:?}"));
            }
            if !seen.insert(word) {
                report(class, format_args!("{word:?} is listed twice"));
            }
        }
    }
    if problems.is_empty() { Ok(file) } else { Err(problems) }
}

/// Compile all languages into Rust code, and the tables that it includes.
pub(crate) fn table(folder: &Path, out: &Path, meanings: &Meanings) -> Result<String, Box<dyn Error>> {
    let mut tables = Tables::default();
    let mut problems = String::new();
    let mut languages = names(folder)?;
    // English is the default language of a text, and has index 0.
    languages.sort_by_key(|name| name != "en");
    for (language, name) in (0_u8..).zip(languages) {
        match check(&name, &fs::read_to_string(folder.join(format!("{name}.toml")))?, meanings) {
            Ok(file) => tables.take(language, &file, meanings),
            Err(more) => problems += &more,
        }
    }
    if problems.is_empty() { tables.written(out, meanings) } else { Err(problems.into()) }
}

/// The senses of a word, and the phrases that begin with it, by the rest of the phrase.
#[derive(Default)]
struct Word {
    senses: Vec<Sense>,
    phrases: IndexMap<String, Vec<Sense>>,
}

#[derive(Default)]
struct Tables {
    words: IndexMap<String, Word>,
    unspaced: IndexMap<String, Vec<Sense>>,
    /// The words for each label.
    labels: IndexMap<String, IndexSet<String>>,
    /// The labels that words stand for where they are the whole reply.
    answers: BTreeMap<String, IndexSet<String>>,
    /// The words to search for in texts, by the name of their list.
    finders: IndexMap<&'static str, IndexSet<String>>,
    /// The classes of each phrase, one bit for each.
    refusal: BTreeMap<String, u16>,
    /// The languages whose verb ends the clause.
    verb_final: Vec<u8>,
}

/// Add a sense to those of a word; a language has one, of all its classes and with its first number.
fn note(senses: &mut Vec<Sense>, sense: Sense) {
    match senses.iter_mut().find(|known| known.language == sense.language) {
        Some(known) => {
            known.classes |= sense.classes;
            known.number = known.number().unwrap_or(sense.number);
        }
        None => senses.push(sense),
    }
}

impl Tables {
    fn take(&mut self, language: u8, file: &File, meanings: &Meanings) {
        let mut words: Vec<(&String, Classes, Option<f64>)> = Vec::new();
        self.verb_final.extend(file.verb_final.then_some(language));
        // "no seguro", "不安全": a denial and its object stay two words.
        let denials = file.classes.get("deny").map_or(&[][..], Vec::as_slice);
        let is_denied = |word: &&String| {
            let denies = |rest: &str| rest.starts_with(' ') || file.unspaced;
            denials.iter().any(|denial| word.strip_prefix(denial.as_str()).is_some_and(denies))
        };
        let of_safety = file.labels.iter().filter(|(label, _)| matches!(label.as_str(), "safe" | "unsafe"));
        let of_safety: IndexMap<String, Vec<String>> = of_safety
            .map(|(label, words)| (label.clone(), words.iter().filter(|word| !is_denied(word)).cloned().collect()))
            .collect();
        for (class, members) in file.classes.iter().chain(&of_safety) {
            let bit = meanings.sentence.get_index_of(class).map_or(0, |bit| 1 << bit);
            words.extend(members.iter().map(|word| (word, bit, None)));
            let finders: &[_] = match class.as_str() {
                "correct" | "no" => &["REVISIONS", "REPLACEMENTS"],
                "withdraw" | "dismiss" | "back" | "mistaken" | "void" | "deny" | "deny_behind" => &["REVISIONS"],
                "former" | "latter" => &["ORDINALS"],
                "tie" | "difference" | "none" => &["TIES"],
                "true" | "false" => &["TRUTHS"],
                "safe" | "unsafe" => &["SAFETIES"],
                "scale" | "top" => &["SCALES"],
                _ => &[],
            };
            for &finder in finders {
                self.finders.entry(finder).or_default().extend(members.iter().cloned());
            }
        }
        // A word with another meaning in another language does not show who speaks, except words like `my` and `I`.
        for (list, classes) in SPEAKERS {
            let words = self.finders.entry(list).or_default();
            for class in classes {
                let is_plain = |word: &&String| {
                    let is_english = file.english.contains(word) || self.words.contains_key(*word);
                    language == 0 || !is_english && (*class == "self" || !file.collides.contains(word))
                };
                words.extend(file.classes.get(*class).into_iter().flatten().filter(is_plain).cloned());
                words.extend(file.material.get(*class).into_iter().flatten().cloned());
            }
        }
        self.finders.entry("PARTICLES").or_default().extend(file.counting.values().flatten().cloned());
        for (label, words) in &file.labels {
            self.labels.entry(label.clone()).or_default().extend(words.iter().cloned());
        }
        for (label, words) in &file.answers {
            for word in words {
                self.answers.entry(word.clone()).or_default().insert(label.clone());
            }
        }
        for (class, phrases) in &file.refusal {
            if matches!(class.as_str(), "unable" | "decline" | "powerless" | "refuse") {
                self.finders.entry("REFUSALS").or_default().extend(phrases.iter().cloned());
            }
            let bit = meanings.refusal.get_index_of(class).map_or(0, |bit| 1 << bit);
            for phrase in phrases {
                *self.refusal.entry(phrase.clone()).or_default() |= bit;
            }
        }
        words.extend(file.numbers.iter().map(|(word, number)| (word, 0, Some(*number))));
        // A word that is also English occurs in every text, so a search for it is useless.
        let is_rare = |word: &&String| language == 0 || !self.words.contains_key(*word);
        let numbers = file.numbers.keys().filter(is_rare).cloned();
        self.finders.entry("NUMBERS").or_default().extend(numbers);
        let [collides, english] = [&file.collides, &file.english].map(|words| words.iter().collect::<HashSet<_>>());
        for (word, classes, number) in words {
            // A number word of two letters is often another word in other languages.
            let is_short = language != 0 && file.numbers.contains_key(word) && word.len() <= 2 && word.is_ascii();
            let is_english = is_short || english.contains(word);
            let sense = Sense {
                classes,
                number: number.unwrap_or(f64::NAN),
                language,
                collides: collides.contains(word).into(),
                is_english: is_english.into(),
                unused: [0; 5],
            };
            if file.unspaced && word.chars().any(word::is_unspaced) {
                note(self.unspaced.entry(word.clone()).or_default(), sense);
                continue;
            }
            // Texts are also split at hyphens and full stops.
            let mut parts = word.split([' ', '-', '.']).filter(|part| !part.is_empty());
            let Some(first) = parts.next() else { continue };
            let rest = parts.collect::<Vec<_>>().join(" ");
            let known = self.words.entry(first.to_owned()).or_default();
            let senses = if rest.is_empty() { &mut known.senses } else { known.phrases.entry(rest).or_default() };
            note(senses, sense);
        }
    }

    fn written(mut self, out: &Path, meanings: &Meanings) -> Result<String, Box<dyn Error>> {
        let mut pools = Pools::default();
        let (mut words, mut phrases) = (Vec::new(), Vec::new());
        let (mut filter, mut pairs) = (vec![0_u64; word::FILTER], vec![0_u64; word::FILTER]);
        let mut places = vec![0_u16; (self.words.len() * 2).next_power_of_two()];
        for (number, (text, word)) in (1..).zip(&mut self.words) {
            let ends = word::ends(text.as_bytes());
            let hash = word::hash(ends, text.len());
            set(&mut filter, word::filter_place(hash))?;
            let mut at = word::first_place(hash, places.len());
            while places.get(at).is_some_and(|&place| place != 0) {
                at = (at + 1) % places.len();
            }
            *places.get_mut(at).ok_or("no such place")? = number;
            let start = phrases.len();
            // By their first byte, the longest phrases first.
            word.phrases.sort_by_key(|rest, _| (rest.bytes().next(), std::cmp::Reverse(rest.split(' ').count())));
            for (rest, senses) in &word.phrases {
                let first = rest.bytes().next().ok_or("a phrase has no second word")?;
                let second: String = rest.chars().take_while(char::is_ascii_alphanumeric).collect();
                let second = word::hash(word::ends(second.as_bytes()), second.len());
                set(&mut pairs, word::pair_place(hash, second))?;
                let (begin, length) = pools.text(rest)?;
                let second = word::hash_end(second);
                phrases.push(Phrase { start: begin, length, first, second, entry: pools.entry(senses)? });
            }
            let none = Entry { start: 0, count: 0, only: NO_LANGUAGE };
            let entry = if word.senses.is_empty() { none } else { pools.entry(&word.senses)? };
            let (begin, length) = pools.text(text)?;
            let phrase_count = (phrases.len() - start).try_into()?;
            words.push(Known { ends, start: begin, length, phrase_count, first_phrase: start.try_into()?, entry });
        }
        let unspaced = self.unspaced.values().map(|senses| pools.entry(senses)).collect::<Result<Vec<_>, _>>()?;
        let unspaced_words: BTreeMap<String, u16> = self.unspaced.into_keys().zip(1..).collect();
        let mut code = String::new();
        constants(&mut code, "Classes", &meanings.sentence)?;
        let bits: Vec<String> = self.verb_final.iter().map(|language| format!("1 << {language}")).collect();
        code += "/// The languages whose verb ends the clause.\n";
        writeln!(code, "pub(crate) const VERB_FINAL: Languages = {};", bits.join(" | "))?;
        let Pools { text, senses, .. } = pools;
        code += &table_of(out, "SENSES", "Sense", &senses)?;
        code += &table_of(out, "FILTER", "u64", &filter)?;
        code += &table_of(out, "PAIRS", "u64", &pairs)?;
        code += &table_of(out, "PLACES", "u16", &places)?;
        code += &table_of(out, "WORDS", "Known", &words)?;
        code += &table_of(out, "PHRASES", "Phrase", &phrases)?;
        code += &table_of(out, "UNSPACED_ENTRIES", "Entry", &unspaced)?;
        // The search ignores only the case of ASCII letters.
        for words in self.finders.values_mut() {
            let capitals: Vec<String> = words.iter().filter_map(|word| with_capital(word)).collect();
            words.extend(capitals);
        }
        for name in ["NUMBERS", "ORDINALS", "REFUSALS", "SAFETIES", "SCALES", "TIES", "TRUTHS"] {
            code += &beginnings::<{ word::BEGINNINGS }>(name, self.finders.shift_remove(name))?;
        }
        for name in ["REPLACEMENTS", "REVISIONS"] {
            code += &beginnings::<{ word::MANY_BEGINNINGS }>(name, self.finders.shift_remove(name))?;
        }
        code += &trie(out, "UNSPACED", &unspaced_words)?;
        code += &trie(out, "REFUSAL", &self.refusal)?;
        writeln!(code, "/// The classes of phrases of refusal.\npub(crate) mod refusal {{")?;
        constants(&mut code, "u16", &meanings.refusal)?;
        writeln!(code, "}}")?;
        for (name, words) in self.finders {
            let words = Vec::from_iter(words).join("\n");
            writeln!(code, "/// One word on each line.\npub(crate) static {name}: &str = {words:?};")?;
        }
        code += &label_words(&self.labels, &self.answers)?;
        writeln!(code, "static TEXT: &str = {text:?};")?;
        Ok(code)
    }
}

/// Write a bit for each class, in their order.
fn constants(code: &mut String, bits: &str, meanings: &IndexMap<String, String>) -> fmt::Result {
    meanings.iter().enumerate().try_for_each(|(bit, (class, meaning))| {
        writeln!(code, "/// {meaning}\npub(crate) const {}: {bits} = 1 << {bit};", class.to_uppercase())
    })
}

/// The code of the words for labels.
fn label_words(
    labels: &IndexMap<String, IndexSet<String>>,
    answers: &BTreeMap<String, IndexSet<String>>,
) -> Result<String, Box<dyn Error>> {
    let mut code = String::from(
        "/// The words that are labels where they are the whole reply, in order, with a bit for each label in `LABELS`.\n",
    );
    writeln!(code, "pub(crate) static ANSWERS: [(&str, u16); {}] = [", answers.len())?;
    for (word, names) in answers {
        let bits = names.iter().filter_map(|name| labels.get_index_of(name));
        writeln!(code, "({word:?}, {}),", bits.fold(0_u16, |all, bit| all | 1 << bit))?;
    }
    writeln!(code, "];")?;
    writeln!(code, "/// The words for each label.\npub(crate) static LABELS: [(&str, &[&str]); {}] = [", labels.len())?;
    for (label, words) in labels {
        writeln!(code, "({label:?}, &{:?}),", words.as_slice())?;
    }
    writeln!(code, "];")?;
    Ok(code)
}

/// The code of a trie, from what each word is.
fn trie(out: &Path, name: &str, words: &BTreeMap<String, u16>) -> Result<String, Box<dyn Error>> {
    let mut nodes: Vec<Node> = Vec::new();
    // The nodes in the order of their depth, so that those that follow one stand side by side.
    let mut heads: Vec<(String, Option<usize>)> = vec![(String::new(), None)];
    let mut nth = 0;
    while let Some((head, node)) = heads.get(nth).cloned() {
        nth += 1;
        let start = nodes.len();
        let longer = words.range(head.clone()..).take_while(|(word, _)| word.starts_with(&head));
        let mut last = None;
        for (word, _) in longer {
            let Some(c) = word.get(head.len()..).and_then(|rest| rest.chars().next()).filter(|c| last != Some(*c))
            else {
                continue;
            };
            last = Some(c);
            let head = format!("{head}{c}");
            let value = words.get(&head).copied().unwrap_or(0);
            heads.push((head, Some(nodes.len())));
            nodes.push(Node { c: c.into(), start: 0, end: 0, value, unused: 0 });
        }
        let range = (u16::try_from(start)?, u16::try_from(nodes.len())?);
        if let Some(node) = node.and_then(|node| nodes.get_mut(node)) {
            (node.start, node.end) = range;
        }
    }
    let (mut firsts, mut pairs) = ([0_u64; trie::FIRSTS], [0_u64; trie::FIRSTS]);
    for word in words.keys() {
        let mut letters = word.chars();
        let Some(first) = letters.next() else { continue };
        if first >= '\u{ffff}' {
            return Err(format!("{word:?} begins beyond U+FFFF").into());
        }
        set(&mut firsts, trie::first_place(first))?;
        set(&mut pairs, trie::pair_place(first, letters.next().unwrap_or(trie::ALONE)))?;
    }
    let mut ranks = [0_u16; trie::FIRSTS];
    let mut before = 0;
    for (rank, bits) in ranks.iter_mut().zip(firsts) {
        *rank = before;
        before += u16::try_from(bits.count_ones())?;
    }
    let nodes = table_of(out, &format!("{name}_NODES"), "Node", &nodes)?;
    Ok(format!(
        "{BITS}pub(crate) static {name}: Trie = Trie {{ nodes: &{name}_NODES, ranks: &{ranks:?}, firsts: &{firsts:?}, pairs: &{pairs:?} }};\n{nodes}"
    ))
}

/// Add what stands for a number and bits of it to a set.
fn set<B: BitOrAssign>(set: &mut [B], (at, bits): (usize, B)) -> Result<(), &'static str> {
    *set.get_mut(at).ok_or("no such place")? |= bits;
    Ok(())
}

/// Above numbers that are sets of bits.
const BITS: &str = "#[expect(clippy::unreadable_literal, reason = \"bits\")]\n";

/// The marks beyond ASCII that end a word in its script, and are written in bytes as its letters are: `لا،`.
fn marks_behind(word: &str) -> &'static [&'static str] {
    match word.chars().next_back() {
        Some('\u{600}'..='\u{6ff}') => &["\u{60c}", "\u{61b}", "\u{61f}", "\u{6d4}", "\u{bb}"],
        Some('\u{900}'..='\u{d7f}') => &["\u{964}", "\u{bb}"],
        Some(_) => &["\u{bb}"],
        None => &[],
    }
}

/// The code of a list that tells with what its words begin.
fn beginnings<const SIZE: usize>(name: &str, words: Option<IndexSet<String>>) -> Result<String, Box<dyn Error>> {
    let mut found = Beginnings::<SIZE> { firsts: [0; word::FIRSTS], longer: [0; SIZE] };
    for word in words.unwrap_or_default() {
        let parted = [word.replace(' ', "-"), word.replace(' ', "."), word.replace('\'', "\u{2019}")];
        // Turkish keeps the dot of a capital.
        let dotted = word.strip_prefix('i').map(|rest| format!("\u{130}{rest}"));
        let marked = marks_behind(&word).iter().map(|mark| format!("{word}{mark}")).collect::<Vec<_>>();
        for spelling in parted.into_iter().chain(dotted).chain(marked).chain([word.to_uppercase(), word]) {
            let spelling = unmarked(spelling.as_bytes());
            beginning::<SIZE>(spelling).into_iter().try_for_each(|place| set(&mut found.longer, place))?;
            firsts(spelling).try_for_each(|place| set(&mut found.firsts, place))?;
        }
    }
    Ok(format!("/// With what its words begin.\n{BITS}pub(crate) static {name}: Beginnings<{SIZE}> = {found:?};\n"))
}

/// A word or phrase behind a mark, if it has one.
fn unmarked(phrase: &[u8]) -> &[u8] {
    let marks = phrase.iter().take_while(|byte| byte.is_ascii_punctuation()).count();
    phrase.get(marks..).unwrap_or_default()
}

/// The bits by which a word or phrase is told in a text that begins with it.
fn beginning<const SIZE: usize>(phrase: &[u8]) -> Vec<(usize, u64)> {
    let first = word::first_word(phrase);
    let [alone, followed] = word::telling(first);
    let letters = word::letters(phrase);
    let is_phrase = first + 1 < phrase.len();
    if !is_phrase || followed == alone || SIZE < word::MANY_BEGINNINGS {
        return vec![word::beginning::<SIZE>(letters, if is_phrase { followed } else { alone })];
    }
    let is_word = phrase.get(followed).is_some_and(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii());
    // Any mark may stand behind a second word of one letter.
    let marks = (0..128_u8).filter(|byte| !is_word && !byte.is_ascii_alphanumeric());
    let with = |mark: u8| {
        let mut begun = phrase.get(..followed).unwrap_or(phrase).to_vec();
        begun.push(mark);
        word::letters(&begun)
    };
    let further = |letters| word::beginning::<SIZE>(letters, word::further(letters, followed));
    let known = [word::beginning::<SIZE>(letters, followed), further(letters)];
    known.into_iter().chain(marks.map(|mark| further(with(mark)))).collect()
}

/// The first three letters of a text that begins with a word or phrase. Of a shorter word any letter may be the next.
fn firsts(phrase: &[u8]) -> impl Iterator<Item = (usize, u32)> {
    // The mark between two words is spelled out.
    let known = phrase.get(..=word::first_word(phrase)).unwrap_or(phrase);
    let letters = move |nth: usize| known.get(nth).map_or(0..=31, |byte| u64::from(byte & 31)..=u64::from(byte & 31));
    let pairs = letters(0).flat_map(move |first| letters(1).map(move |second| first | second << 8));
    pairs.flat_map(move |pair| letters(2).map(move |third| word::firsts(pair | third << 16)))
}

/// Capitalize a word that begins with a lowercase non-ASCII letter.
fn with_capital(word: &str) -> Option<String> {
    let mut letters = word.chars();
    let first = letters.next().filter(|first| !first.is_ascii() && first.is_lowercase())?;
    Some(first.to_uppercase().chain(letters).collect())
}

/// Deduplicated text and senses.
#[derive(Default)]
struct Pools {
    text: String,
    texts: HashMap<String, u32>,
    senses: Vec<Sense>,
    entries: HashMap<Vec<u8>, Entry>,
}

impl Pools {
    /// Where a text begins, and how long it is.
    fn text(&mut self, text: &str) -> Result<(u32, u16), Box<dyn Error>> {
        let length = text.len().try_into()?;
        if let Some(start) = self.texts.get(text) {
            return Ok((*start, length));
        }
        let start = self.text.len().try_into()?;
        self.text.push_str(text);
        self.texts.insert(text.to_owned(), start);
        Ok((start, length))
    }

    fn entry(&mut self, senses: &[Sense]) -> Result<Entry, Box<dyn Error>> {
        if let Some(known) = self.entries.get(senses.as_bytes()) {
            return Ok(known.clone());
        }
        let start = self.senses.len().try_into()?;
        self.senses.extend_from_slice(senses);
        let only = match senses {
            [only] if !only.collides() && !only.is_english() => only.language,
            _ => NO_LANGUAGE,
        };
        let entry = Entry { start, count: senses.len().try_into()?, only };
        self.entries.insert(senses.as_bytes().to_vec(), entry.clone());
        Ok(entry)
    }
}

/// The code of a table, whose items are written into a file as bytes: compiling them as code would take a minute.
fn table_of<T: IntoBytes + Immutable>(
    out: &Path,
    name: &str,
    item: &str,
    items: &[T],
) -> Result<String, Box<dyn Error>> {
    fs::write(out.join(name), items.as_bytes())?;
    let bytes = format!("include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}\"))");
    Ok(format!("static {name}: [{item}; {bytes}.len() / size_of::<{item}>()] = zerocopy::transmute!(*{bytes});\n"))
}
