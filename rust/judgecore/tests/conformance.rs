//! The cases of `conformance/`, read with this engine.
//!
//! The cases are frozen. Failures are counted, and the counts may only decrease.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test fails by a panic, and prints what fails"
)]

mod common;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use common::is_value;
use judgecore::{Format, Mode, Outcome, read};
use serde::Deserialize;
use serde_json::Value as Json;

#[derive(Debug, Deserialize)]
struct Case {
    id: String,
    class: String,
    format: Json,
    reply: String,
    material: Vec<String>,
    cut: bool,
    accept: Vec<Json>,
    why: String,
}

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/cases");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let lines = |path| fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect::<Vec<_>>();
    files.iter().flat_map(lines).map(|line| serde_json::from_str(&line).unwrap()).collect()
}

/// The TOML declaration of a case's format; None for kinds that can't be declared.
fn declaration(format: &Json, at: &str) -> Option<String> {
    let mut text = String::new();
    let list = |key: &str| format.get(key).map_or_else(|| "[]".to_owned(), Json::to_string);
    let number = |key: &str| format[key].as_f64().unwrap();
    match format["kind"].as_str()? {
        "score" => {
            writeln!(text, "kind = \"score\"\nlow = {:?}\nhigh = {:?}", number("low"), number("high")).unwrap();
            writeln!(text, "integer = {}\nmarkers = {}", format["integer"], list("markers")).unwrap();
        }
        "scores" => {
            writeln!(text, "kind = \"scores\"\nlow = {:?}\nhigh = {:?}", number("low"), number("high")).unwrap();
            writeln!(text, "count = {}", format["n"]).unwrap();
        }
        "binary" => {
            writeln!(text, "kind = \"binary\"\ntrue = {}\nfalse = {}", list("true"), list("false")).unwrap();
            writeln!(text, "markers = {}", list("markers")).unwrap();
        }
        "choice" => {
            writeln!(text, "kind = \"choice\"\nmarkers = {}\n[{at}.labels]", list("markers")).unwrap();
            for (label, forms) in format["labels"].as_object()? {
                writeln!(text, "{} = {forms}", Json::from(label.as_str())).unwrap();
            }
        }
        "fields" => {
            writeln!(text, "kind = \"fields\"").unwrap();
            for (name, field) in format["fields"].as_object()? {
                let at = format!("{at}.fields.{}", Json::from(name.as_str()));
                writeln!(text, "[{at}]\n{}", declaration(field, &at)?).unwrap();
            }
        }
        "json" => {
            let key = format["verdict"].as_str().filter(|key| !key.contains('.'))?;
            let at = format!("{at}.fields.{}", Json::from(key));
            let field = declaration(&format["fields"][key], &at)?;
            writeln!(text, "kind = \"json\"\nverdict = [{}]\n[{at}]\n{field}", Json::from(key)).unwrap();
        }
        _ => return None,
    }
    Some(text)
}

/// The highest allowed numbers of cases with a wrong value, and of cases that were not read but must be.
const ALLOWED: [(Mode, Tally); 2] =
    [(Mode::Lenient, Tally { wrong: 57, missed: 157 }), (Mode::Strict, Tally { wrong: 14, missed: 558 })];

#[derive(Default, Debug, Clone, Copy, PartialEq, Eq)]
struct Tally {
    wrong: usize,
    missed: usize,
}

/// The format of a case; None if its kind can't be declared.
fn format_of(case: &Case) -> Option<Arc<Format>> {
    let head = "family = \"c\"\ntitle = \"c\"\nevidence = \"code\"\nsources = [\"c\"]\n[[formats]]\nid = \"c.c\"\n";
    let text = format!("{head}about = \"c\"\n{}", declaration(&case.format, "formats")?);
    match Format::from_toml("case.toml", &text, None) {
        Ok(format) => Some(format),
        Err(problem) => panic!("{}: {problem}\n{text}", case.id),
    }
}

/// Describe a failed case.
fn shown(case: &Case, mode: Mode, failure: &str, outcome: &Outcome<'_>) -> String {
    let said = match outcome {
        Ok(reading) => format!("{:?} by {}", reading.value, reading.rule.name()),
        Err(unreadable) => format!("{}: {}", unreadable.reason.name(), unreadable.detail),
    };
    let Case { id, reply, format, accept, why, .. } = case;
    let accept = Json::from(accept.clone());
    format!("{id} {} {failure}\n  {reply:?}\n  {format}\n  want {accept}: {why}\n  got {said}", mode.name())
}

/// `SHOW=lenient/retold cargo test --test conformance -- --nocapture` lists the failures of a mode and a class.
#[test]
fn no_more_cases_fail_than_before() {
    let show = std::env::var("SHOW").ok();
    for (mode, most) in ALLOWED {
        let mut classes: BTreeMap<String, Tally> = BTreeMap::new();
        for case in cases() {
            let Some(format) = format_of(&case) else { continue };
            let material: Vec<&str> = case.material.iter().map(String::as_str).collect();
            let outcome = read(&case.reply, &format, mode, case.cut, &material);
            let accepts = |key: &'static str| case.accept.iter().filter_map(move |one| one.get(key));
            let tally = classes.entry(case.class.clone()).or_default();
            let failure = match &outcome {
                Ok(reading) if accepts("value").any(|want| is_value(want, &reading.value)) => continue,
                Err(_) if accepts("unreadable").next().is_some() => continue,
                Ok(_) => {
                    tally.wrong += 1;
                    "wrong"
                }
                Err(_) => {
                    tally.missed += 1;
                    "missed"
                }
            };
            if show.as_ref().is_some_and(|show| format!("{}/{}/{failure}", mode.name(), case.class).contains(show)) {
                println!("{}", shown(&case, mode, failure, &outcome));
            }
        }
        println!("{}: {classes:?}", mode.name());
        let sum = |of: fn(&Tally) -> usize| classes.values().map(of).sum::<usize>();
        let all = Tally { wrong: sum(|tally| tally.wrong), missed: sum(|tally| tally.missed) };
        println!("{}: {all:?}", mode.name());
        assert!(all.wrong <= most.wrong && all.missed <= most.missed, "{}: {all:?}, was {most:?}", mode.name());
    }
}
