//! The examples in the lexicon's files: replies in each language with their outcomes.
//!
//! An example with `fails = true` must fail; remove the mark once it passes.

#![expect(clippy::unwrap_used, reason = "a test that panics is a test that fails")]

use std::path::{Path, PathBuf};

use judgecore::{Format, Mode, Value, read};
use lexicon::Meanings;
use serde::Deserialize;

#[path = "../build/lexicon.rs"]
#[expect(dead_code, reason = "the build writes the table, and the tests only check files")]
mod lexicon;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Example {
    reply: String,
    /// The lowest and the highest score,
    scale: Option<(f64, f64)>,
    /// or labels that are their own forms,
    labels: Option<Vec<String>>,
    /// or the words for yes and no.
    yes: Option<Vec<String>>,
    no: Option<Vec<String>>,
    value: Option<toml::Value>,
    #[serde(default)]
    unreadable: bool,
    #[serde(default)]
    fails: bool,
}

fn meanings() -> Meanings {
    lexicon::meanings(&here().join("classes.toml")).unwrap()
}

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn format_of(example: &Example) -> Format {
    if let Some((low, high)) = example.scale {
        return Format::score(low, high, false, Vec::new()).unwrap();
    }
    if let Some(labels) = &example.labels {
        return Format::choice(labels.iter().map(|label| (label.clone(), vec![label.clone()])).collect()).unwrap();
    }
    Format::binary(example.yes.clone().unwrap(), example.no.clone().unwrap()).unwrap()
}

fn holds(example: &Example) -> bool {
    let format = format_of(example);
    let outcome = read(&example.reply, &format, Mode::Lenient, false, &[]);
    match (&outcome, &example.value) {
        (Err(_), None) => example.unreadable,
        (Ok(reading), Some(want)) => match &reading.value {
            Value::Score(score) => {
                #[expect(clippy::cast_precision_loss, reason = "a score")]
                let want = want.as_float().or_else(|| want.as_integer().map(|want| want as f64));
                want.is_some_and(|want| (want - score).abs() < 1e-9)
            }
            Value::Bool(said) => want.as_bool() == Some(*said),
            Value::Label(_, label) => want.as_str() == Some(*label),
            _ => false,
        },
        _ => false,
    }
}

#[test]
fn every_example_has_its_declared_outcome() {
    let mut problems = Vec::new();
    for name in lexicon::names(&here().join("lexicon")).unwrap() {
        let text = std::fs::read_to_string(here().join(format!("lexicon/{name}.toml"))).unwrap();
        let file = lexicon::check(&name, &text, &meanings()).unwrap();
        assert!(file.examples.len() >= 12, "{name}.toml: fewer than 12 examples");
        for example in file.examples {
            let example: Example = example.try_into().unwrap();
            if holds(&example) == example.fails {
                problems.push(format!("{name}.toml: {}", example.reply));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// The build's errors for a file with these classes.
fn complaint(classes: &str) -> String {
    let text = format!("language = 'X'\nunspaced = false\ncollides = []\nexamples = []\n{classes}\n");
    lexicon::check("xx", &text, &meanings()).unwrap_err()
}

#[test]
fn the_build_reports_an_unknown_class() {
    assert!(complaint("[classes]\n[material]\nannounce = ['grade']\n[numbers]").contains("announce: no such class"));
    assert_eq!(
        complaint("[classes]\nanounce = ['grade']\n[numbers]"),
        "lexicon/xx.toml: anounce: no such class; the classes are in classes.toml\n"
    );
}

#[test]
fn the_build_reports_a_duplicate_word_of_a_class() {
    assert_eq!(
        complaint("[classes]\ngive = ['rate']\nannounce = ['rate', 'grade', 'rate']\n[numbers]"),
        "lexicon/xx.toml: announce: \"rate\" is listed twice\n"
    );
}

#[test]
fn the_build_reports_an_answer_that_is_a_label_already() {
    assert_eq!(
        complaint("[classes]\n[labels]\nno = ['nope']\n[answers]\nno = ['nope', 'hardly']\n[numbers]"),
        "lexicon/xx.toml: no: \"nope\" is a label, and so need not be an answer\n"
    );
}

#[test]
fn the_build_reports_a_word_that_no_lookup_finds() {
    assert_eq!(
        complaint("english = ['on']\n[classes]\nannounce = ['Grade', '', 'a  b']\nself = ['i\u{2019}d']\n[numbers]"),
        "lexicon/xx.toml: english: no class has \"on\"\n\
         lexicon/xx.toml: announce: \"Grade\" can't match; write \"grade\"\n\
         lexicon/xx.toml: announce: \"\" is empty or has extra spaces\n\
         lexicon/xx.toml: announce: \"a  b\" is empty or has extra spaces\n\
         lexicon/xx.toml: self: \"i\u{2019}d\" can't match; write \"i'd\"\n"
    );
}

#[test]
fn the_build_reports_the_line_of_invalid_toml() {
    for (classes, word) in [
        ("[classes]\nannounce = ['grade'", "announce = ['grade'"),
        ("[classes]\n[numbers]\none = 1\none = 2", "one = 2"),
        ("colides = ['on']\n[classes]\n[numbers]", "colides"),
    ] {
        let complaint = complaint(classes);
        assert!(complaint.starts_with("lexicon/xx.toml: ") && complaint.contains(word), "{complaint}");
    }
}
