//! Formats that are like another one of their file: the key `like`.

use toml::{Table, Value};

use super::error::FormatError;

/// What belongs to a format alone, and is not taken over.
const OWN: [&str; 3] = ["id", "aliases", "examples"];

/// The file with all that formats take from others; None where none does, so that errors name lines.
pub(super) fn resolved(text: &str) -> Option<Result<Table, FormatError>> {
    if !text.contains("like") {
        return None;
    }
    let mut family: Table = toml::from_str(text).ok()?;
    let formats = family.get("formats").and_then(Value::as_array)?;
    formats.iter().any(|format| format.get("like").is_some()).then(|| resolve(&mut family).map(|()| family))
}

/// Give each format with `like` what it leaves out, table by table, and take the key away.
fn resolve(family: &mut Table) -> Result<(), FormatError> {
    let Some(Value::Array(formats)) = family.get_mut("formats") else {
        return Ok(());
    };
    for nth in 0..formats.len() {
        let text = |format: &Value, key: &str| format.get(key).and_then(Value::as_str).map(ToOwned::to_owned);
        let Some(format) = formats.get(nth) else { continue };
        let Some(like) = text(format, "like") else { continue };
        let id = text(format, "id").unwrap_or_default();
        // Only what stands before it, so that no two can be like each other.
        let model = formats.iter().take(nth).find(|format| text(format, "id").as_ref() == Some(&like)).cloned();
        let Some(model) = model else {
            return Err(FormatError::key(&id, "like", format!("no format {like:?} stands before it in the file")));
        };
        if let (Some(Value::Table(format)), Value::Table(model)) = (formats.get_mut(nth), model) {
            format.remove("like");
            let model = model.into_iter().filter(|(key, _)| !OWN.contains(&key.as_str())).collect();
            complete(format, model);
        }
    }
    Ok(())
}

/// Add what is missing.
fn complete(table: &mut Table, model: Table) {
    for (key, value) in model {
        match (table.get_mut(&key), value) {
            (Some(Value::Table(own)), Value::Table(model)) if key == "guard" => complete(own, model),
            (Some(_), _) => {}
            (None, value) => {
                table.insert(key, value);
            }
        }
    }
}
