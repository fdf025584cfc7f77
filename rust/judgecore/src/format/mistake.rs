//! Mistakes in format files, in the words of who wrote them: the line, what stands there, and what may.

use std::collections::HashMap;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::FormatError;
use super::keys::{self, FILE, FORMAT, INHERITING, TableKeys, Takes};
use super::nearest::nearest;

/// So many are told at once; what comes behind them is often their consequence.
const MOST: usize = 5;
/// So much of a line is shown, in characters, and so much before its mistake.
const SHOWN: usize = 70;
const BEFORE: usize = 40;
/// So much of a value is told.
const TOLD: usize = 30;
/// More keys of a table are not listed.
const LISTED: usize = 12;

/// A mistake and where it stands in the text, in bytes.
type Mistake = (Range<usize>, String);

/// The keys that a file can't have, lacks, or gives what they don't take; None where there are none, or it is no TOML.
pub(super) fn find(file: &str, text: &str) -> Option<FormatError> {
    let document = DeTable::parse(text).ok()?;
    let mut mistakes = Vec::new();
    check_table(keys::of(FILE)?, document.span(), document.get_ref(), false, &mut mistakes);
    mistakes.sort_by_key(|(place, _)| place.start);
    let newlines = newlines(text);
    let told: Vec<String> = mistakes
        .iter()
        .take(MOST)
        .map(|(place, problem)| {
            format!("{file}, line {}: {problem}\n{}", line_of(&newlines, place.start), show(text, place))
        })
        .collect();
    (!told.is_empty()).then(|| FormatError::Syntax(told.join("\n")))
}

/// A problem of a format with the file, and the line of the format or of its key.
pub(super) fn in_file(file: &str, text: &str, problem: &FormatError) -> FormatError {
    let line = match problem {
        FormatError::Key { id, key, .. } => find_key(text, id, key),
        _ => None,
    };
    let line = line.map(|line| format!(", line {line}")).unwrap_or_default();
    FormatError::Syntax(format!("{file}{line}: {problem}"))
}

/// The line of every key and item of a TOML text, from 1, by its path: `formats.0.examples.2.strict`.
///
/// # Errors
///
/// [`FormatError::Syntax`] if the text is no TOML.
pub fn key_lines(text: &str) -> Result<Vec<(String, usize)>, FormatError> {
    let document = DeTable::parse(text).map_err(|problem| FormatError::Syntax(problem.to_string()))?;
    let mut found = Vec::new();
    list("", &DeValue::Table(document.into_inner()), &newlines(text), &mut found);
    Ok(found)
}

fn list(path: &str, value: &DeValue<'_>, newlines: &[usize], found: &mut Vec<(String, usize)>) {
    let mut add = |name: &str, place: Range<usize>, value: &DeValue<'_>| {
        let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        found.push((path.clone(), line_of(newlines, place.start)));
        list(&path, value, newlines, found);
    };
    match value {
        DeValue::Table(table) => table.iter().for_each(|(key, value)| add(key.get_ref(), key.span(), value.get_ref())),
        DeValue::Array(items) => (0..).zip(items.iter()).for_each(|(nth, item): (usize, &Spanned<DeValue<'_>>)| {
            add(&nth.to_string(), item.span(), item.get_ref());
        }),
        _ => {}
    }
}

/// The line of a format's key, or of as much of its path as the file has.
fn find_key(text: &str, id: &str, key: &str) -> Option<usize> {
    let document = DeTable::parse(text).ok()?;
    let formats = document.get_ref().get("formats")?.get_ref().as_array()?;
    let name = |format: &DeValue<'_>| Some(format.as_table()?.get("id")?.get_ref().as_str()? == id);
    // Of two with the same name the later one is wrong.
    let nth = formats.iter().rposition(|format| name(format.get_ref()) == Some(true))?;
    let format = format!("formats.{nth}");
    let lines: HashMap<String, usize> = key_lines(text).ok()?.into_iter().collect();
    // Of several keys the first that is there, as all stand in the same table.
    let first = key.split(", ").next().unwrap_or_default();
    let table = first.rsplit_once('.').map_or(String::new(), |(table, _)| format!("{table}."));
    let others = key.split(", ").skip(1).map(|other| format!("{table}{other}"));
    let known = std::iter::once(first.to_owned()).chain(others).find_map(|key| lines.get(&format!("{format}.{key}")));
    let path = format!("{format}.{first}");
    let parents = std::iter::successors(Some(path.as_str()), |path| path.rsplit_once('.').map(|(parent, _)| parent));
    known.or_else(|| parents.into_iter().find_map(|path| lines.get(path))).copied()
}

fn check_table(
    table: &TableKeys,
    place: Range<usize>,
    given: &DeTable<'_>,
    inherits: bool,
    mistakes: &mut Vec<Mistake>,
) {
    for (key, value) in given {
        let name = key.get_ref().as_ref();
        if let Some((_, takes)) = table.keys.iter().find(|(known, _)| *known == name) {
            // A format of the file, and what it completes from the one that it is like.
            let inherits = inherits && matches!(takes, Takes::Table(INHERITING, _));
            check_value(name, takes, value, inherits, mistakes);
        } else {
            let known: Vec<&str> = table.keys.iter().map(|(known, _)| *known).collect();
            let cure = match nearest(name, known.iter().copied()) {
                Some(near) => format!("did you mean {near}?"),
                None if known.len() <= LISTED => format!("it has {}", known.join(", ")),
                None => "leave it out".to_owned(),
            };
            mistakes.push((key.span(), format!("{name} is no key of {}; {cure}", table.title)));
        }
    }
    for key in table.required {
        if !inherits && !given.contains_key(*key) {
            let takes = table.keys.iter().find(|(known, _)| known == key);
            let wanted = takes.map(|(_, takes)| format!(", {}", wanted(takes))).unwrap_or_default();
            mistakes.push((place.clone(), format!("{} has no {key}; give it{wanted}", table.title)));
        }
    }
}

fn check_value(name: &str, takes: &Takes, given: &Spanned<DeValue<'_>>, inherits: bool, mistakes: &mut Vec<Mistake>) {
    match (takes, given.get_ref()) {
        (Takes::Anything, value) if !matches!(value, DeValue::Datetime(_)) => {}
        (Takes::Text, DeValue::String(_))
        | (Takes::Bool, DeValue::Boolean(_))
        | (Takes::Number, DeValue::Integer(_) | DeValue::Float(_)) => {}
        (Takes::Word(words), DeValue::String(word)) if words.contains(&word.as_ref()) => {}
        (Takes::Whole(most), DeValue::Integer(number))
            if u64::from_str_radix(&number.as_str().replace('_', ""), number.radix())
                .is_ok_and(|number| number <= *most) => {}
        (Takes::List(inner), DeValue::Array(items)) => {
            for item in items {
                // Only a format of the file may be like another.
                let is_like = |item: &DeValue<'_>| item.as_table().is_some_and(|table| table.contains_key("like"));
                let inherits = matches!(**inner, Takes::Table(FORMAT, _)) && is_like(item.get_ref());
                check_value(&format!("an item of {name}"), inner, item, inherits, mistakes);
            }
        }
        (Takes::Map(inner), DeValue::Table(table)) => {
            for (key, value) in table {
                check_value(&format!("{name}.{}", key.get_ref()), inner, value, false, mistakes);
            }
        }
        (Takes::Table(inner, _), DeValue::Table(table)) => {
            if let Some(keys) = keys::of(inner) {
                check_table(keys, given.span(), table, inherits, mistakes);
            }
        }
        (_, value) => {
            let problem = format!("{name} takes {}, not {}{}", wanted(takes), told(value), cure(name, takes, value));
            mistakes.push((given.span(), problem));
        }
    }
}

/// What a key takes.
fn wanted(takes: &Takes) -> String {
    match takes {
        Takes::Text => "a text in quotation marks".to_owned(),
        Takes::Number => "a number".to_owned(),
        Takes::Whole(most) => format!("a whole number from 0 to {most}"),
        Takes::Bool => "true or false".to_owned(),
        Takes::Word(words) => format!("one of {}", words.join(", ")),
        Takes::List(inner) => match **inner {
            Takes::Text | Takes::Word(_) => "a list of texts in square brackets".to_owned(),
            Takes::Whole(_) => "a list of whole numbers in square brackets".to_owned(),
            _ => "a list of tables".to_owned(),
        },
        Takes::Map(_) | Takes::Table(..) => "a table".to_owned(),
        Takes::Anything => "a value".to_owned(),
    }
}

/// What was given.
fn told(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) if text.chars().count() > TOLD => {
            format!("the text \"{}...\"", text.chars().take(TOLD).collect::<String>().escape_debug())
        }
        DeValue::String(text) => format!("the text \"{}\"", text.escape_debug()),
        DeValue::Integer(number) => format!("the number {number}"),
        DeValue::Float(number) => format!("the number {number}"),
        DeValue::Boolean(value) => value.to_string(),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}

/// What to write instead, where that is plain, to stand behind the problem.
fn cure(name: &str, takes: &Takes, value: &DeValue<'_>) -> String {
    let written = match (takes, value) {
        (Takes::Word(words), DeValue::String(word)) => {
            let near = nearest(word, words.iter().copied());
            return near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
        }
        (Takes::Number, DeValue::String(text)) if text.trim().parse::<f64>().is_ok_and(f64::is_finite) => {
            text.trim().to_owned()
        }
        (Takes::Whole(_), DeValue::String(text)) if text.trim().parse::<u32>().is_ok() => text.trim().to_owned(),
        (Takes::Bool, DeValue::String(text)) if ["true", "false"].contains(&text.as_ref()) => text.as_ref().to_owned(),
        (Takes::Text, DeValue::Integer(number)) => format!("\"{number}\""),
        (Takes::Text, DeValue::Float(number)) => format!("\"{number}\""),
        (Takes::Text, DeValue::Boolean(value)) => format!("\"{value}\""),
        (Takes::List(inner), DeValue::String(text)) if **inner == Takes::Text && text.chars().count() <= TOLD => {
            format!("[{}]", toml::Value::String(text.as_ref().to_owned()))
        }
        _ => return String::new(),
    };
    // An item has no name of its own, and a path is not what stands in the file.
    if name.contains([' ', '.']) { format!("; write {written}") } else { format!("; write {name} = {written}") }
}

/// Where the lines of a text end.
fn newlines(text: &str) -> Vec<usize> {
    memchr::memchr_iter(b'\n', text.as_bytes()).collect()
}

/// The line of a place, from 1.
fn line_of(newlines: &[usize], place: usize) -> usize {
    newlines.partition_point(|newline| *newline < place) + 1
}

/// The line of a mistake with carets below it.
fn show(text: &str, place: &Range<usize>) -> String {
    let (before, rest) = text.split_at_checked(place.start).unwrap_or((text, ""));
    let before = before.rsplit('\n').next().unwrap_or_default();
    let rest = rest.split(['\r', '\n']).next().unwrap_or_default();
    let length = text.get(place.clone()).map_or(1, |marked| marked.lines().next().unwrap_or_default().chars().count());
    let hidden = before.chars().count().saturating_sub(BEFORE);
    let line: String = before.chars().skip(hidden).chain(rest.chars()).take(SHOWN).collect();
    let indent = before.chars().count() - hidden;
    let carets = "^".repeat(length.clamp(1, (SHOWN - indent).max(1)));
    format!("  {}\n  {}{carets}", line.replace('\t', " "), " ".repeat(indent))
}
