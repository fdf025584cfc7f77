//! Properties of any text, format and mode.

#![expect(clippy::string_slice, clippy::unwrap_used, reason = "a test that panics is a test that fails")]

use std::fmt::Debug;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use judgecore::format::{self, Kind, Scale};
use judgecore::{FieldValue, Format, GuardVerdict, Mode, Outcome, Reading, Reason, Rule, Value, read};
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

/// The built-in formats, and some from constructors.
static FORMATS: LazyLock<Vec<Arc<Format>>> = LazyLock::new(|| {
    let words = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
    let score = |low, high| Arc::new(Format::score(low, high, false, Vec::new()).unwrap());
    let labels = [("A", words(&["A", "Output (a)"])), ("B", words(&["B", "Output (b)"])), ("tie", words(&["tie"]))];
    let binary = Arc::new(Format::binary(words(&["Yes", "是"]), words(&["No", "否"])).unwrap());
    let mut formats = format::all();
    formats.extend([
        score(1.0, 10.0),
        score(0.0, 1.0),
        score(-5.0, 100.0),
        Arc::new(Format::scores(3, 0.0, 5.0, Vec::new()).unwrap()),
        Arc::new(Format::score(1.0, 5.0, true, words(&["Rating", "[[{}]]"])).unwrap()),
        Arc::new(Format::choice(labels.map(|(name, forms)| (name.to_owned(), forms)).to_vec()).unwrap()),
        Arc::new(
            Format::fields(vec![("Relevance".to_owned(), score(1.0, 5.0)), ("Clear".to_owned(), Arc::clone(&binary))])
                .unwrap(),
        ),
        Arc::new(Format::order(3, Vec::new()).unwrap()),
        Arc::new(Format::order(2, words(&["Assistant 1", "Assistant 2"])).unwrap()),
        Arc::new(
            Format::json_fields(vec![("a.b".to_owned(), score(1.0, 5.0)), ("c".to_owned(), score(0.0, 1.0))]).unwrap(),
        ),
        Arc::new(
            Format::binary(words(&["Yes"]), words(&["No"]))
                .unwrap()
                .asked_in(words(&["WINNER:", "<verdict>{}</verdict>"]), Some("last_line"))
                .unwrap(),
        ),
        binary,
    ]);
    formats
});

/// Fragments of replies, so that random text reaches every path.
#[rustfmt::skip]
const FRAGMENTS: &[&str] = &[
    "[[", "]]", "[", "]", "(", ")", "{", "}", "<", ">", "\"", "'", "`", "```", "\n", "\n\n", "\r\n", " ", "  ", "\t",
    "<think>", "</think>", "<reasoning>", "<|channel|>final<|message|>", "<|channel|>analysis<|message|>", "<|end|>",
    "<|eot_id|>", "</s>", "**", "_", "# ", "> ", "| ", ": ", "=", "\\boxed{", "<score>", "</score>", "...", "?", ".",
    "A", "B", "C", "m", "M", "tie", "A>>B", "Output (a)", "Output (b)", "Response 1", "Yes", "No", "yes", "safe",
    "unsafe", "S1,S10", "S99", "GRADE: ", "Rating: ", "[RESULT] ", "Score", "Verdict", "final", "Therefore, ",
    "is better", "not ", "I cannot", "Harmful request: ", "Harmful response: ", "Relevance: ", "Clear - ", "8", "7.5",
    "10", "1", "0", "-3", "1e400", "8/10", "1-10", "85%", "2024-05-03", "８", "eight", "八", "评分：", "是", "“", "”",
    " > ", " = ", "Assistant 1", "Assistant 2", "2. ", "WINNER: ", "\u{200b}", "\u{feff}", "\u{a0}", "\u{0}", "\u{130}", "\u{fb01}", "ß", "é", "e\u{301}", "😀", "👩\u{200d}👧",
];

/// Replies for the fields formats, which have no examples.
const FIELDS: [&str; 3] =
    ["Relevance: 4\nClear: yes", "Clear: no. Relevance: 3/5, with 2 errors.", r#"{"a": {"b": 4}, "c": 1}"#];

/// Replies for the order formats, which have no examples.
const ORDERS: [&str; 4] =
    ["The order is: Assistant 2 > Assistant 1", "A > B = C", "1. B\n2. A\n3. C", "B (8) < A\n2 > 1 > 3"];

fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => prop::sample::select(FRAGMENTS).prop_map(ToOwned::to_owned),
        1 => prop::collection::vec(any::<char>(), 0..4).prop_map(String::from_iter),
    ];
    prop_oneof![
        4 => prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat()),
        1 => any::<String>(),
    ]
}

/// A reply, and the index of its format in `FORMATS`, which prints shorter than a format if a case fails.
///
/// Random text is seldom readable, so half of the replies contain an example of their format.
fn asked() -> impl Strategy<Value = (usize, String)> {
    let any_format = (0..FORMATS.len(), texts());
    let examples = FORMATS.iter().enumerate().flat_map(|(index, format)| {
        let own: &[&str] = match format.kind() {
            Kind::Fields => &FIELDS,
            Kind::Order => &ORDERS,
            _ => &[],
        };
        let own = own.iter().map(ToString::to_string);
        let examples = format.examples().iter().map(|example| example.reply.clone());
        own.chain(examples).map(move |reply| (index, reply))
    });
    let bases = prop::sample::select(examples.collect::<Vec<_>>());
    let around = (bases, texts(), texts())
        .prop_map(|((format, reply), before, after)| (format, [before, reply, after].concat()));
    prop_oneof![any_format, around]
}

fn modes() -> impl Strategy<Value = Mode> {
    prop::sample::select(Mode::ALL.as_slice())
}

fn is_on(scale: Option<Scale>, score: f64) -> bool {
    scale.is_some_and(|scale| {
        score.is_finite()
            && (scale.low..=scale.high).contains(&score)
            && (!scale.is_integer || score.fract().abs() < f64::EPSILON)
    })
}

/// Whether a side is judged, or the guard answered with a word that means neither.
fn has_a_side(verdict: &GuardVerdict<'_>) -> bool {
    let says_neither = verdict.fields.iter().any(|(_, value)| matches!(value, FieldValue::Word(_)));
    verdict.prompt_unsafe.is_some() || verdict.response_unsafe.is_some() || says_neither
}

fn is_in_domain(format: &Format, value: &Value<'_>) -> bool {
    if let Some(verdict) = format.verdict() {
        return is_in_domain(verdict, value);
    }
    match (format.kind(), value) {
        (Kind::Binary, Value::Bool(_)) => true,
        (Kind::Ranking, Value::Ranking(names)) => !names.is_empty(),
        (Kind::Order, Value::Order(ranks)) => is_order(ranks, format.labels().len()),
        (Kind::Choice, Value::Label(index, label)) => format.labels().get(*index).is_some_and(|known| known == label),
        (Kind::Score, Value::Score(score)) => is_on(format.scale(), *score),
        (Kind::Scores, Value::Scores(scores)) => scores.iter().all(|&score| is_on(format.scale(), score)),
        (Kind::Fields, Value::Fields(fields)) => !fields.is_empty(),
        (Kind::Guard, Value::Guard(verdict)) => has_a_side(verdict),
        _ => false,
    }
}

/// Whether each candidate has a rank, counted from 1; after a tie, ranks are skipped.
fn is_order(ranks: &[u32], candidates: usize) -> bool {
    let better = |rank: u32| ranks.iter().filter(|&&other| other < rank).count();
    ranks.len() == candidates && ranks.iter().all(|&rank| better(rank) + 1 == rank as usize)
}

fn is_in_reply(span: &Range<usize>, reply: &str) -> bool {
    reply.get(span.clone()).is_some()
}

/// Check a reading.
fn check(reading: &Reading<'_>, reply: &str, format: &Format, mode: Mode) -> Result<(), &'static str> {
    let is_publishers = matches!(reading.rule, Rule::Publisher | Rule::PublisherDefault);
    let is_the_publishers_alone = reading.is_invented() || (mode == Mode::Paper && format.keeps_off_scale());
    if !is_in_reply(&reading.span, reply) {
        Err("the span is not a slice of the reply")
    } else if is_publishers != (mode == Mode::Paper) {
        Err("the publisher's rule and paper mode go together")
    } else if reading.is_invented() && !reading.span.is_empty() {
        Err("an invented value must have no span")
    } else if !(is_the_publishers_alone || is_in_domain(format, &reading.value)) {
        Err("the value is not in the format's domain")
    } else {
        Ok(())
    }
}

fn checked<'f>(reply: &'f str, format: &'f Format, mode: Mode, is_cut: bool) -> Result<Outcome<'f>, TestCaseError> {
    let outcome = read(reply, format, mode, is_cut, &[]);
    let problem = match &outcome {
        Ok(reading) => check(reading, reply, format, mode).err(),
        Err(unreadable) => {
            let is_lost = |one: &Reading<'_>| !is_in_reply(&one.span, reply);
            unreadable.candidates.iter().any(is_lost).then_some("a candidate is not a slice of the reply")
        }
    };
    match problem {
        None => Ok(outcome),
        Some(problem) => Err(failed(problem, reply, format, mode, &outcome)),
    }
}

fn failed(problem: &str, reply: &str, format: &Format, mode: Mode, outcome: &impl Debug) -> TestCaseError {
    let (id, mode) = (format.id(), mode.name());
    TestCaseError::fail(format!("{problem}\nformat {id}, mode {mode}\nreply {reply:?}\noutcome {outcome:?}"))
}

/// The value, or the reason why there is none.
fn said<'f>(outcome: &Outcome<'f>) -> Result<Value<'f>, Reason> {
    outcome.as_ref().map(|reading| reading.value.clone()).map_err(|unreadable| unreadable.reason)
}

proptest! {
    // A failure becomes a case in tests/cases or a test, so proptest need not store it.
    #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_has_an_outcome_in_the_domain(
        (format, reply) in asked(), mode in modes(), is_cut: bool
    ) {
        let format = &FORMATS[format];
        let _ = checked(&reply, format, mode, is_cut)?;
    }

    #[test]
    fn evidence_that_touches_a_cut_does_not_count((format, reply) in asked()) {
        let format = &FORMATS[format];

        if let Ok(reading) = checked(&reply, format, Mode::Lenient, true)? {
            let is_followed = !reply[reading.span.end..].trim().is_empty();
            // A closed document is complete, wherever the reply ends.
            prop_assert!(is_followed || format.is_first_token() || format.is_json(), "{}: {reply:?} returns {reading:?}", format.id());
        }
    }

    #[test]
    fn reasoning_does_not_change_the_outcome((format, reply) in asked(), thought in texts()) {
        let format = &FORMATS[format];
        // Without tags, fences and quotations, which might stay open at the end of the reasoning.
        let [reply, thought] = [reply, thought].map(|text| text.replace(['<', '`', '~'], ""));
        let thought = thought.replace(['"', '\'', '\u{201c}', '\u{2018}', '\u{201e}', '\u{ab}', '\u{300c}', '\u{300e}'], "");
        let with_thought = format!("<think>{thought}\n</think>{reply}");

        let plain = checked(&reply, format, Mode::Lenient, false)?;
        let got = checked(&with_thought, format, Mode::Lenient, false)?;

        prop_assert_eq!(said(&plain), said(&got), "{}: {:?}", format.id(), with_thought);
    }

    #[test]
    fn scores_are_on_their_scale(text in texts(), one in -1e9..1e9_f64, other in -1e9..1e9_f64, is_integer: bool) {
        prop_assume!(one.total_cmp(&other).is_ne());
        let format = Format::score(one.min(other), one.max(other), is_integer, Vec::new()).unwrap();

        let _ = checked(&text, &format, Mode::Lenient, false)?;
    }
}

/// Whether a word or a number continues across `end`.
fn is_continued(full: &str, end: usize) -> bool {
    let (before, after) = full.split_at(end);
    let mut after = after.chars();
    let goes_on = match after.next() {
        Some('.') => after.next().is_some_and(char::is_numeric),
        next => next.is_some_and(char::is_alphanumeric),
    };
    goes_on && before.ends_with(char::is_alphanumeric)
}

#[test]
fn every_prefix_of_every_example_reads_within_the_domain() {
    for format in format::all() {
        for example in format.examples() {
            for (end, _) in example.reply.char_indices() {
                for mode in Mode::ALL {
                    for is_cut in [false, true] {
                        if let Err(problem) = checked(&example.reply[..end], &format, mode, is_cut) {
                            panic!("{problem}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn a_cut_prefix_has_the_full_value_or_that_of_an_earlier_complete_candidate() {
    for format in format::all().into_iter().filter(|format| !format.is_first_token()) {
        for example in format.examples() {
            let full = &example.reply;
            let whole = read(full, &format, Mode::Lenient, false, &[]);
            for (end, _) in full.char_indices() {
                let Ok(got) = read(&full[..end], &format, Mode::Lenient, true, &[]) else { continue };
                if said(&whole) == Ok(got.value.clone()) {
                    continue;
                }
                // The entries read from a cut document are complete.
                if format.kind() == Kind::Json {
                    continue;
                }
                let is_early = format.is_json()
                    || matches!(
                        got.rule,
                        Rule::Marker | Rule::Labelled | Rule::Statement | Rule::Opening | Rule::Fields
                    );
                assert!(
                    is_early && !is_continued(full, got.span.end),
                    "{}: {:?} gives {got:?}",
                    format.id(),
                    &full[..end]
                );
            }
        }
    }
}

#[test]
fn noise_around_an_example_does_not_change_the_outcome() {
    for format in format::all() {
        for example in format.examples() {
            for mode in [Mode::Lenient, Mode::Strict] {
                // Standard JSON allows no other text.
                if mode == Mode::Strict && format.is_json() {
                    continue;
                }
                let noisy = format!("\u{feff}{}<|eot_id|>", example.reply.replace('\n', "\r\n"));

                let (plain, got) =
                    (read(&example.reply, &format, mode, false, &[]), read(&noisy, &format, mode, false, &[]));

                assert_eq!(said(&plain), said(&got), "{} {}: {noisy:?}", format.id(), mode.name());
            }
        }
    }
}
