//! Compares values with the expected ones in case files.

use std::borrow::Cow;
use std::collections::BTreeMap;

use judgecore::{FieldValue, GuardVerdict, Value};
use serde_json::Value as Json;

/// Whether a value equals the one of a case.
pub(crate) fn is_value(want: &Json, got: &Value<'_>) -> bool {
    match got {
        Value::Bool(got) => want == got,
        Value::Score(got) => is_number(want, *got),
        Value::Scores(got) => want.as_array().is_some_and(|want| {
            want.len() == got.len() && want.iter().zip(got).all(|(want, got)| is_number(want, *got))
        }),
        Value::Label(_, got) => want == got,
        Value::Fields(got) => want.as_object().is_some_and(|want| {
            want.len() == got.len()
                && got.iter().all(|(name, got)| want.get(*name).is_some_and(|want| is_value(want, got)))
        }),
        Value::Guard(got) => is_verdict(want, got),
        Value::Ranking(got) => *want == Json::from(got.clone()),
        Value::Order(got) => *want == Json::from(got.clone()),
        Value::Json(_) => false,
    }
}

fn is_number(want: &Json, got: f64) -> bool {
    want.as_f64().is_some_and(|want| (want - got).abs() < f64::EPSILON)
}

/// Whether a guard's verdict equals that of a case, which leaves out null fields.
fn is_verdict(want: &Json, got: &GuardVerdict<'_>) -> bool {
    let side = |name: &str| want.get(name).and_then(Json::as_bool);
    let fields: BTreeMap<&str, &FieldValue<'_>> = got.fields.iter().map(|(name, value)| (*name, value)).collect();
    let nothing = serde_json::Map::new();
    let named = want.get("fields").and_then(Json::as_object).unwrap_or(&nothing);
    side("unsafe") == got.is_unsafe
        && side("prompt_unsafe") == got.prompt_unsafe
        && side("response_unsafe") == got.response_unsafe
        && want.get("categories").unwrap_or(&Json::Array(Vec::new())) == &texts(&got.categories)
        && named.keys().all(|name| fields.contains_key(name.as_str()))
        && fields.iter().all(|(name, got)| is_field(named.get(*name).unwrap_or(&Json::Null), got))
}

fn texts(got: &[Cow<'_, str>]) -> Json {
    got.iter().map(AsRef::as_ref).collect()
}

fn is_field(want: &Json, got: &FieldValue<'_>) -> bool {
    match got {
        FieldValue::None => want.is_null(),
        FieldValue::Bool(got) => want == got,
        FieldValue::Word(got) => want == got,
        FieldValue::Number(got) => is_number(want, *got),
        FieldValue::Text(got) => want == got,
        FieldValue::Texts(got) => *want == texts(got),
        _ => false,
    }
}
