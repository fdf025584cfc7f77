//! The cases of `tests/cases`: each is a reply that shows one rule of reading.
//!
//! A case marked with a `known` fault must fail; remove the mark once it passes.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a test that panics is a test that fails")]

mod common;

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use common::is_value;
use judgecore::{Format, Mode, Outcome, Reading, format, read};
use serde::Deserialize;
use serde_json::Value as Json;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    /// A built-in format, or one from the format file of the cases.
    format: String,
    reply: String,
    #[serde(default)]
    mode: Option<String>,
    #[serde(default)]
    cut: bool,
    want: Want,
    rule: Option<String>,
    evidence: Option<String>,
    source: String,
    note: String,
    known: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Want {
    Value(Json),
    Unreadable(String),
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases")
}

fn cases() -> Vec<Case> {
    let mut files: Vec<PathBuf> = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    // The JSON cases have keys instead of a format; tests/json.rs runs them.
    files
        .retain(|path| path.extension().is_some_and(|extension| extension == "jsonl") && !path.ends_with("json.jsonl"));
    files.sort();
    assert!(!files.is_empty(), "no cases in {}", folder().display());
    let mut cases = Vec::new();
    for path in files {
        for (row, line) in fs::read_to_string(&path).unwrap().lines().enumerate() {
            match serde_json::from_str(line) {
                Ok(case) => cases.push(case),
                Err(problem) => panic!("{}:{}: {problem}", path.display(), row + 1),
            }
        }
    }
    cases
}

/// The cached format of a case.
fn format_of(case: &Case, own: &str, known: &mut BTreeMap<String, Arc<Format>>) -> Arc<Format> {
    let compile = || {
        if case.format.starts_with("cases.") {
            Format::from_toml("formats.toml", own, Some(&case.format)).unwrap()
        } else {
            format::get(&case.format).unwrap()
        }
    };
    Arc::clone(known.entry(case.format.clone()).or_insert_with(compile))
}

fn is_reading(case: &Case, want: &Json, got: &Reading<'_>) -> bool {
    is_value(want, &got.value)
        && !got.is_invented()
        && case.rule.as_deref().is_none_or(|rule| rule == got.rule.name())
        && case.evidence.as_deref().is_none_or(|evidence| case.reply.get(got.span.clone()) == Some(evidence))
}

fn holds(case: &Case, outcome: &Outcome<'_>) -> bool {
    match (&case.want, outcome) {
        (Want::Value(want), Ok(got)) => is_reading(case, want, got),
        (Want::Unreadable(reason), Err(got)) => reason == got.reason.name(),
        _ => false,
    }
}

#[test]
fn every_case_has_its_declared_outcome() {
    let own = fs::read_to_string(folder().join("formats.toml")).unwrap();
    let mut problems = Vec::new();
    let mut known = BTreeMap::new();

    for case in cases() {
        let format = format_of(&case, &own, &mut known);
        let mode = case.mode.as_deref().map_or(Mode::Lenient, |mode| Mode::from_name(mode).unwrap());
        let outcome = read(&case.reply, &format, mode, case.cut, &[]);
        if holds(&case, &outcome) == case.known.is_some() {
            problems.push(match &case.known {
                Some(known) => format!("{} passes; remove its mark, {known:?}", case.id),
                None => format!(
                    "{}: {}\n  reply {:?}\n  want  {:?}\n  got   {outcome:?}",
                    case.id, case.note, case.reply, case.want
                ),
            });
        }
    }

    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_case_has_a_unique_id_and_a_source() {
    let mut names = HashSet::new();

    for case in cases() {
        assert!(!case.source.is_empty() && !case.note.is_empty(), "{}", case.id);
        assert!(names.insert(case.id.clone()), "{} is used twice", case.id);
    }
}
