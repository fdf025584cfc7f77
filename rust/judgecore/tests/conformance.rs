//! The cases of `conformance/`, read with this engine.
//!
//! The cases are frozen; a case that fails is counted, and the counts may only fall.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a test that panics is a test that fails")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use judgecore::{Format, Mode, Value, read};
use serde::Deserialize;
use serde_json::Value as Json;

#[derive(Debug, Deserialize)]
struct Case {
    id: String,
    class: String,
    format: Json,
    reply: String,
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

/// The declaration of a format in plain terms; None for kinds that can't be declared so.
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

fn is_same(want: &Json, got: &Value<'_>) -> bool {
    let is_number = |want: &Json, got: f64| want.as_f64().is_some_and(|want| (want - got).abs() < 1e-9);
    match got {
        Value::Bool(got) => want == got,
        Value::Score(got) => is_number(want, *got),
        Value::Scores(got) => want.as_array().is_some_and(|want| {
            want.len() == got.len() && want.iter().zip(got).all(|(want, got)| is_number(want, *got))
        }),
        Value::Label(_, got) => want == got,
        Value::Fields(got) => got.iter().all(|(name, got)| want.get(*name).is_some_and(|want| is_same(want, got))),
        _ => false,
    }
}

#[derive(Default, Debug)]
struct Tally {
    read: usize,
    right: usize,
    wrong: usize,
    missed: usize,
}

#[test]
fn no_more_cases_fail_than_did() {
    let mut tallies: BTreeMap<(String, String), Tally> = BTreeMap::new();
    let show = std::env::var("SHOW").unwrap_or_default();
    for case in cases() {
        let kind = case.format["kind"].as_str().unwrap().to_owned();
        let Some(text) = declaration(&case.format, "formats") else { continue };
        let text = format!(
            "family = \"c\"\ntitle = \"c\"\nevidence = \"code\"\nsources = [\"c\"]\n[[formats]]\nid = \"c.c\"\n{}{text}",
            "about = \"c\"\n"
        );
        let format = match Format::from_toml("case.toml", &text, None) {
            Ok(format) => format,
            Err(problem) => panic!("{}: {problem}\n{text}", case.id),
        };
        for mode in [Mode::Lenient, Mode::Strict] {
            let outcome = read(&case.reply, &format, mode, case.cut);
            let values: Vec<&Json> = case.accept.iter().filter_map(|one| one.get("value")).collect();
            let may_be_unread = case.accept.iter().any(|one| one.get("unreadable").is_some());
            let tally = tallies.entry((mode.name().to_owned(), case.class.clone())).or_default();
            let by_kind = match &outcome {
                Ok(reading) if values.iter().any(|want| is_same(want, &reading.value)) => "right",
                Ok(_) => "wrong",
                Err(_) if may_be_unread => "right",
                Err(_) => "missed",
            };
            tally.read += 1;
            match by_kind {
                "right" => tally.right += 1,
                "wrong" => tally.wrong += 1,
                _ => tally.missed += 1,
            }
            if by_kind != "right"
                && !show.is_empty()
                && format!("{}/{}/{by_kind}/{kind}/{}", mode.name(), case.class, case.id).contains(&show)
            {
                let said = match &outcome {
                    Ok(reading) => format!("{:?} by {}", reading.value, reading.rule.name()),
                    Err(unreadable) => format!("{}: {}", unreadable.reason.name(), unreadable.detail),
                };
                println!(
                    "{} {} {by_kind} {kind}\n  {:?}\n  {} markers {}\n  want {} : {}\n  got {said}",
                    case.id,
                    mode.name(),
                    case.reply,
                    case.format.get("labels").or(case.format.get("true")).map_or(String::new(), Json::to_string),
                    case.format.get("markers").map_or(String::new(), Json::to_string),
                    Json::from(case.accept.clone()),
                    case.why
                );
            }
        }
    }
    for ((mode, class), tally) in &tallies {
        println!("{mode:8} {class:14} {tally:?}");
    }
    for mode in ["lenient", "strict"] {
        let all = tallies.iter().filter(|((one, _), _)| one == mode).map(|(_, tally)| tally);
        let (mut read, mut wrong, mut missed) = (0, 0, 0);
        for tally in all {
            (read, wrong, missed) = (read + tally.read, wrong + tally.wrong, missed + tally.missed);
        }
        println!("{mode}: {read} read, {wrong} wrong, {missed} missed");
    }
}
