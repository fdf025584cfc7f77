//! The examples in the files of the lexicon: what judges write in each language, with its outcome.
//!
//! An example that the rules don't reach yet is marked `fails = true`, and must be freed of the mark once they do.

#![expect(clippy::unwrap_used, reason = "a test that panics is a test that fails")]

use std::fs;
use std::path::{Path, PathBuf};

use judgecore::{Format, Mode, Value, read};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
struct File {
    #[serde(default)]
    examples: Vec<Example>,
}

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

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("lexicon");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
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
fn every_example_reads_as_it_says() {
    let mut problems = Vec::new();
    for path in files() {
        let file: File = toml::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        assert!(file.examples.len() >= 12, "{}: fewer than 12 examples", path.display());
        for example in file.examples {
            if holds(&example) == example.fails {
                problems.push(format!("{}: {}", path.display(), example.reply));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
