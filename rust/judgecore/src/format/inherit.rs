//! Inheritance between the formats of a file: the key `like`.

use toml::{Table, Value};

use super::error::FormatError;

/// Keys that are not inherited.
const NOT_INHERITED: [&str; 3] = ["id", "aliases", "examples"];

/// The formats with the inherited keys in place of `like`.
pub(super) fn inherited(mut formats: Vec<Value>) -> Result<Vec<Value>, FormatError> {
    for nth in 0..formats.len() {
        let text = |format: &Value, key: &str| format.get(key).and_then(Value::as_str).map(ToOwned::to_owned);
        let Some((Value::Table(format), earlier)) = formats.get_mut(..=nth).and_then(<[_]>::split_last_mut) else {
            continue;
        };
        let Some(Value::String(like)) = format.remove("like") else { continue };
        // Only an earlier format, so that there are no cycles.
        let Some(Value::Table(base)) = earlier.iter().find(|format| text(format, "id").as_ref() == Some(&like)) else {
            let id = format.get("id").and_then(Value::as_str).unwrap_or_default();
            return Err(FormatError::key(id, "like", format!("no earlier format of the file has the id {like:?}")));
        };
        let base = base.clone().into_iter().filter(|(key, _)| !NOT_INHERITED.contains(&key.as_str()));
        complete(format, base.collect());
    }
    Ok(formats)
}

/// Add the missing keys.
fn complete(table: &mut Table, base: Table) {
    for (key, value) in base {
        match (table.get_mut(&key), value) {
            (Some(Value::Table(own)), Value::Table(base)) if key == "guard" => complete(own, base),
            (Some(_), _) => {}
            (None, value) => {
                table.insert(key, value);
            }
        }
    }
}
