//! Inheritance between the formats of a file: the key `like`.

use toml::{Table, Value};

use super::error::FormatError;

/// Keys that are not inherited.
const NOT_INHERITED: [&str; 3] = ["id", "aliases", "examples"];

/// Return the file with inherited keys filled in; None if no format inherits, so that errors can name lines.
pub(super) fn with_inherited(text: &str) -> Option<Result<Table, FormatError>> {
    if !text.contains("like") {
        return None;
    }
    let mut family: Table = toml::from_str(text).ok()?;
    let formats = family.get("formats").and_then(Value::as_array)?;
    formats.iter().any(|format| format.get("like").is_some()).then(|| inherit(&mut family).map(|()| family))
}

/// Add the inherited keys to each format with `like`, and remove that key.
fn inherit(family: &mut Table) -> Result<(), FormatError> {
    let Some(Value::Array(formats)) = family.get_mut("formats") else {
        return Ok(());
    };
    for nth in 0..formats.len() {
        let text = |format: &Value, key: &str| format.get(key).and_then(Value::as_str).map(ToOwned::to_owned);
        let Some(format) = formats.get(nth) else { continue };
        let Some(like) = text(format, "like") else { continue };
        let id = text(format, "id").unwrap_or_default();
        // Only an earlier format, so that there are no cycles.
        let base = formats.iter().take(nth).find(|format| text(format, "id").as_ref() == Some(&like)).cloned();
        let Some(base) = base else {
            return Err(FormatError::key(&id, "like", format!("no earlier format of the file has the id {like:?}")));
        };
        if let (Some(Value::Table(format)), Value::Table(base)) = (formats.get_mut(nth), base) {
            format.remove("like");
            let base = base.into_iter().filter(|(key, _)| !NOT_INHERITED.contains(&key.as_str())).collect();
            complete(format, base);
        }
    }
    Ok(())
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
