//! JSON: the cases of `tests/cases/json.jsonl`, and properties of any text.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a test that panics is a test that fails")]

use std::convert::Infallible;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use judgecore::json::{Builder, Json};
use judgecore::{Format, Lone, Mode, Outcome, Read, Value, read, read_into, release};
use proptest::prelude::*;
use serde::Deserialize;

const BYTES: usize = 64 << 20;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    reply: String,
    #[serde(default)]
    keys: Vec<String>,
    #[serde(default)]
    mode: Option<String>,
    #[serde(default)]
    cut: bool,
    want: Want,
    #[serde(default)]
    repairs: Vec<String>,
    source: String,
    note: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Want {
    Value(serde_json::Value),
    Unreadable(String),
}

fn cases() -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/json.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let read = |(row, line)| match serde_json::from_str(line) {
        Ok(case) => case,
        Err(problem) => panic!("{}:{}: {problem}", path.display(), row + 1),
    };
    text.lines().enumerate().map(read).collect()
}

fn format(keys: &[String], max_depth: usize) -> Format {
    Format::json(keys.to_vec(), max_depth, BYTES).unwrap()
}

fn is_same(want: &serde_json::Value, got: &Json<'_>) -> bool {
    match (want, got) {
        (serde_json::Value::Null, Json::Null) => true,
        (serde_json::Value::Bool(want), Json::Bool(got)) => want == got,
        (serde_json::Value::Number(want), Json::Int(got)) => want.as_i64() == Some(*got),
        (serde_json::Value::Number(want), Json::Float(got)) => {
            want.is_f64() && want.as_f64().map(f64::to_bits) == Some(got.to_bits())
        }
        (serde_json::Value::String(want), Json::Str(got)) => want == got,
        (serde_json::Value::Array(want), Json::Array(got)) => {
            want.len() == got.len() && want.iter().zip(got.iter()).all(|(want, got)| is_same(want, got))
        }
        (serde_json::Value::Object(want), Json::Object(got)) => {
            want.len() == got.len()
                && got.iter().all(|(key, got)| want.get(key.as_ref()).is_some_and(|want| is_same(want, got)))
        }
        _ => false,
    }
}

fn holds(case: &Case, outcome: &Outcome<'_>) -> bool {
    match (&case.want, outcome) {
        (Want::Value(want), Ok(got)) => {
            let repairs: Vec<&str> = got.repairs.iter().map(|repair| repair.kind.name()).collect();
            matches!(&got.value, Value::Json(value) if is_same(want, value)) && repairs == case.repairs
        }
        (Want::Unreadable(reason), Err(got)) => reason == got.reason.name(),
        _ => false,
    }
}

/// The error in the positions of an outcome, if any.
fn misplaced(outcome: &Outcome<'_>, reply: &str) -> Option<String> {
    let readings = match outcome {
        Ok(reading) => std::slice::from_ref(reading),
        Err(unreadable) => unreadable.candidates.as_slice(),
    };
    let is_wrong = |reading: &&judgecore::Reading<'_>| {
        reply.get(reading.span.clone()).is_none()
            || !reading.repairs.is_sorted_by_key(|repair| repair.at)
            || !reading.repairs.iter().all(|repair| reply.is_char_boundary(repair.at))
    };
    readings.iter().find(is_wrong).map(|reading| format!("{reading:?}"))
}

#[test]
fn every_case_has_its_declared_outcome() {
    let mut problems = Vec::new();

    for case in cases() {
        let format = format(&case.keys, 200);
        let mode = case.mode.as_deref().map_or(Mode::Lenient, |mode| Mode::from_name(mode).unwrap());
        let outcome = read(&case.reply, &format, mode, case.cut, &[]);
        if !holds(&case, &outcome) || misplaced(&outcome, &case.reply).is_some() {
            problems.push(format!("{} ({}, {}): {outcome:?}", case.id, case.note, case.source));
        }
    }

    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn every_prefix_of_every_case_has_positions_inside_it() {
    for case in cases() {
        let format = format(&case.keys, 200);
        for (end, _) in case.reply.char_indices() {
            let prefix = case.reply.get(..end).unwrap();
            for (mode, is_cut) in [(Mode::Lenient, false), (Mode::Lenient, true), (Mode::Strict, false)] {
                let outcome = read(prefix, &format, mode, is_cut, &[]);
                assert_eq!(misplaced(&outcome, prefix), None, "{prefix:?}");
            }
        }
    }
}

#[test]
fn a_million_levels_do_not_overflow_the_stack() {
    let reply = "[".repeat(1_000_000) + &"]".repeat(1_000_000);
    for mode in [Mode::Lenient, Mode::Strict] {
        assert_eq!(read(&reply, &format(&[], 200), mode, false, &[]).unwrap_err().reason.name(), "malformed");
        let raised = format(&[], 1_000_000);
        let outcome = read(&reply, &raised, mode, false, &[]);
        assert!(outcome.is_ok());
        release(outcome);
    }
}

/// Builds the same tree as the engine.
struct Trees;

type Entries = Vec<(std::borrow::Cow<'static, str>, Json<'static>)>;

impl Builder for Trees {
    type Value = Json<'static>;
    type Key = String;
    type List = Vec<Json<'static>>;
    type Object = Entries;
    type Error = Infallible;

    fn null(&mut self) -> Result<Self::Value, Infallible> {
        Ok(Json::Null)
    }
    fn boolean(&mut self, value: bool) -> Result<Self::Value, Infallible> {
        Ok(Json::Bool(value))
    }
    fn integer(&mut self, value: i64) -> Result<Self::Value, Infallible> {
        Ok(Json::Int(value))
    }
    fn long_integer(&mut self, digits: &str) -> Result<Self::Value, Infallible> {
        Ok(Json::BigInt(digits.parse().unwrap()))
    }
    fn float(&mut self, value: f64) -> Result<Self::Value, Infallible> {
        Ok(Json::Float(value))
    }
    fn text(&mut self, text: &str) -> Result<Self::Value, Infallible> {
        Ok(Json::Str(text.to_owned().into()))
    }
    fn list(&mut self) -> Result<Self::List, Infallible> {
        Ok(Vec::new())
    }
    fn item(&mut self, list: &mut Self::List, value: Self::Value) -> Result<(), Infallible> {
        list.push(value);
        Ok(())
    }
    fn end_list(&mut self, list: Self::List) -> Result<Self::Value, Infallible> {
        Ok(Json::Array(Arc::new(list)))
    }
    fn object(&mut self) -> Result<Self::Object, Infallible> {
        Ok(Vec::new())
    }
    fn key(&mut self, key: &str) -> Result<String, Infallible> {
        Ok(key.to_owned())
    }
    fn entry(&mut self, object: &mut Entries, key: String, value: Self::Value) -> Result<(), Infallible> {
        if !object.iter().any(|(known, _)| *known == key) {
            object.push((key.into(), value));
        }
        Ok(())
    }
    fn end_object(&mut self, object: Entries) -> Result<(Self::Value, usize), Infallible> {
        let keys = object.len();
        Ok((Json::Object(Arc::new(object)), keys))
    }
}

/// Check that a directly built value equals the one that `read` returns. Return whether it was built directly.
fn check_lone(reply: &str, format: &Format, mode: Mode, is_cut: bool) -> bool {
    let outcome = read(reply, format, mode, is_cut, &[]);
    match read_into(reply, format, mode, is_cut, &[], &mut Trees).unwrap() {
        Read::Lone(Lone { value, rule, span, repairs }) => {
            let reading = outcome.unwrap();
            assert_eq!(reading.value, Value::Json(value), "{reply:?}");
            assert_eq!((reading.rule, reading.span, reading.repairs), (rule, span, repairs), "{reply:?}");
            true
        }
        Read::Outcome(other) => {
            assert_eq!(format!("{outcome:?}"), format!("{other:?}"), "{reply:?}");
            release(outcome);
            release(other);
            false
        }
    }
}

#[test]
fn every_case_is_built_directly_as_it_is_read() {
    let mut made = 0;
    for case in cases() {
        for max_depth in [2, 200] {
            let format = format(&case.keys, max_depth);
            for mode in [Mode::Lenient, Mode::Strict] {
                made += usize::from(check_lone(&case.reply, &format, mode, case.cut));
            }
        }
    }
    assert!(made > 20, "{made}");
}

/// Fragments of replies, so that random text reaches every path.
#[rustfmt::skip]
const FRAGMENTS: &[&str] = &[
    "{", "}", "[", "]", "(", ")", "\"", "'", "`", "```", "```json\n", ",", ":", "\\", "\\\"", "\\n", "\\frac", "\\u00",
    "\\ud83d", "//", "/*", "*/", "#", "**", "_", "=", "|", "<", ">", "...", "\u{2026}", "\n", " ", "\t", "\r\n", "\0",
    "{\"a\": ", "\"b\": 1", "'score': 8", "true", "None", "undefined", "NaN", "-Infinity", "1e400", "0x1f", "007", "12",
    "<think>", "</think>", "<|channel|>final<|message|>", "analysis", "assistantfinal", "example", "Final: ", "word",
    "“", "”", "‘", "’", "｛", "｝", "［", "］", "：", "，", "＂", "（", "\u{a0}", "\u{feff}", "\u{200b}", "😀", "评", "é",
];

fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => prop::sample::select(FRAGMENTS).prop_map(ToOwned::to_owned),
        1 => prop::collection::vec(any::<char>(), 0..4).prop_map(String::from_iter),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Standard documents.
const DOCUMENTS: &[&str] = &[
    "{}",
    "{\"a\": 1}",
    "{\"a\": [1.5, true, null, \"\\u00e9\"], \"b\": {\"c\": {}}}",
    "{\"a\": 1, \"a\": 2}",
    "{\"a\": \"...\"}",
    "{\"a\": \"<x>\", \"b\": \" … \"}",
    "{\"type\": 1, \"properties\": 2}",
    "{\"a\": 1e400}",
    "{\"a\": 123456789012345678901234567890}",
    "{\"a\": \"\\frac\"}",
    "[{\"a\": 1}]",
    "[1, 2]",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_has_an_outcome_inside_the_reply(
        reply in texts(),
        keys in prop::collection::vec(prop::sample::select(["a", "score"].as_slice()).prop_map(ToOwned::to_owned), 0..2),
        max_depth in prop::sample::select([1_usize, 3, 200, 100_000].as_slice()),
        is_strict in any::<bool>(),
        is_cut in any::<bool>(),
    ) {
        let format = format(&keys, max_depth);
        let mode = if is_strict { Mode::Strict } else { Mode::Lenient };
        let outcome = read(&reply, &format, mode, is_cut, &[]);
        prop_assert_eq!(misplaced(&outcome, &reply), None);
    }

    #[test]
    fn a_directly_built_value_equals_the_one_that_is_read(
        before in texts(), after in texts(), is_embedded in any::<bool>(), is_strict in any::<bool>(),
        document in prop::sample::select(DOCUMENTS), is_cut in any::<bool>(), has_key in any::<bool>(),
    ) {
        let reply = if is_embedded { format!("{before}{document}{after}") } else { before };
        let keys = if has_key { vec!["a".to_owned()] } else { Vec::new() };
        let mode = if is_strict { Mode::Strict } else { Mode::Lenient };
        check_lone(&reply, &format(&keys, 200), mode, is_cut);
        check_lone(&reply, &format(&keys, 1), mode, is_cut);
    }

    #[test]
    fn a_reading_without_repairs_equals_that_of_a_standard_parser(reply in texts()) {
        let format = format(&[], 200);
        if let Ok(reading) = read(&reply, &format, Mode::Lenient, false, &[])
            && reading.repairs.is_empty()
        {
            let want: serde_json::Value = serde_json::from_str(&reply).unwrap();
            prop_assert!(matches!(&reading.value, Value::Json(value) if is_same(&want, value)), "{:?}", reading);
        }
    }
}
