//! Every built-in format reads its own examples as declared in its file.

use judgecore::format::{Expected, Literal, all, problems};
use judgecore::{FieldValue, Mode, Outcome, Value, read};

fn is_value(want: &Literal, got: &Value<'_>) -> bool {
    match (want, got) {
        (Literal::Bool(want), Value::Bool(got)) => want == got,
        (Literal::Number(want), Value::Score(got)) => (want - got).abs() < f64::EPSILON,
        (Literal::Numbers(want), Value::Scores(got)) => want == got,
        (Literal::Texts(want), Value::Ranking(got)) => want == got,
        (Literal::Numbers(want), Value::Order(got)) => {
            *want == got.iter().map(|rank| f64::from(*rank)).collect::<Vec<_>>()
        }
        (Literal::Text(want), Value::Label(_, got)) => want == got,
        (Literal::Number(want), Value::Label(_, got)) => want.to_string() == *got,
        (Literal::Table(want), Value::Guard(got)) => {
            let side = |name: &str| match want.get(name) {
                Some(Literal::Bool(side)) => Some(*side),
                _ => None,
            };
            let categories = match want.get("categories") {
                Some(Literal::Texts(texts)) => texts.clone(),
                _ => Vec::new(),
            };
            let is_told = |(name, want): (&String, &Literal)| {
                got.fields.iter().any(|(key, got)| key == name && is_field(want, got))
            };
            let are_told = |fields: &Literal| matches!(fields, Literal::Table(fields) if fields.iter().all(is_told));
            side("unsafe") == got.is_unsafe
                && side("prompt_unsafe") == got.prompt_unsafe
                && side("response_unsafe") == got.response_unsafe
                && categories == got.categories
                && want.get("fields").is_none_or(are_told)
        }
        (Literal::Bool(want), Value::Guard(got)) => got.is_unsafe == Some(*want),
        _ => false,
    }
}

fn is_field(want: &Literal, got: &FieldValue<'_>) -> bool {
    match (want, got) {
        (Literal::Bool(want), FieldValue::Bool(got)) => want == got,
        (Literal::Text(want), FieldValue::Text(got)) => want == got,
        (Literal::Text(want), FieldValue::Word(got)) => want == got,
        (Literal::Number(want), FieldValue::Number(got)) => (want - got).abs() < f64::EPSILON,
        (Literal::Texts(want), FieldValue::Texts(got)) => want == got,
        _ => false,
    }
}

fn holds(expected: &Expected, outcome: &Outcome<'_>) -> bool {
    match (expected, outcome) {
        (Expected::Value(want), Ok(got)) => !got.is_invented() && is_value(want, &got.value),
        (Expected::Invented(want), Ok(got)) => got.is_invented() && is_value(want, &got.value),
        (Expected::Unreadable(reason), Err(got)) => reason == got.reason.name(),
        _ => false,
    }
}

#[test]
fn every_embedded_file_loads() {
    assert_eq!(problems(), vec![]);
    assert!(!all().is_empty());
}

#[test]
fn every_example_has_its_outcome_in_every_mode() {
    let mut misses = Vec::new();
    for format in all() {
        for example in format.examples() {
            let outcomes = [
                (Mode::Lenient, Some(&example.lenient)),
                (Mode::Strict, Some(&example.strict)),
                (Mode::Paper, example.paper.as_ref()),
            ];
            assert_eq!(example.paper.is_some(), format.has_paper(), "{}: {:?}", format.id(), example.reply);
            for (mode, expected) in outcomes {
                let Some(expected) = expected else { continue };
                let outcome = read(&example.reply, &format, mode, example.is_cut, &[]);
                if !holds(expected, &outcome) {
                    let (id, mode) = (format.id(), mode.name());
                    misses.push(format!("{id} {mode}: {:?}\nwant {expected:?}\ngot  {outcome:?}", example.reply));
                }
            }
        }
    }
    assert!(misses.is_empty(), "{}", misses.join("\n"));
}
