//! Compiles `taxonomy/`: the hazards that are the axis, and what each guard's categories are on it.

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use indexmap::IndexMap;
use serde::Deserialize;

/// The file `hazards.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Axis {
    version: u32,
    title: String,
    sources: Vec<String>,
    hazards: Vec<Hazard>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Hazard {
    id: String,
    name: String,
    definition: String,
}

/// The file of a family of guards.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Family {
    crosswalks: Vec<Crosswalk>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Crosswalk {
    /// The formats that it is for.
    formats: Vec<String>,
    sources: Vec<String>,
    categories: IndexMap<String, Counterparts>,
}

/// What a category is on the axis.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Counterparts {
    #[serde(default)]
    same: Vec<String>,
    #[serde(default)]
    part_of: Vec<String>,
    #[serde(default)]
    wider_than: Vec<String>,
    /// Why there is none.
    no_counterpart: Option<String>,
}

/// The categories of each format that has some, by code.
pub(crate) type Categories = IndexMap<String, IndexMap<String, String>>;

/// The categories of all formats of the files in a folder; a format has those of the one that it is like.
pub(crate) fn categories(folder: &Path) -> Result<Categories, Box<dyn Error>> {
    let mut found = Categories::new();
    for name in super::names(folder)? {
        let text = fs::read_to_string(folder.join(format!("{name}.toml")))?;
        // What is wrong with a format's file is said where it is read.
        let Ok(file) = toml::from_str::<toml::Table>(&text) else { continue };
        for format in file.get("formats").and_then(toml::Value::as_array).into_iter().flatten() {
            let text = |key: &str| format.get(key).and_then(toml::Value::as_str);
            let own = format.get("categories").and_then(toml::Value::as_table).map(|table| {
                let named = |(code, name): (&String, &toml::Value)| Some((code.clone(), name.as_str()?.to_owned()));
                table.iter().filter_map(named).collect()
            });
            let all = own.or_else(|| text("like").and_then(|model| found.get(model).cloned()));
            if let (Some(id), Some(all)) = (text("id"), all) {
                found.insert(id.to_owned(), all);
            }
        }
    }
    Ok(found)
}

/// The file `hazards.toml`, or all that is wrong with it, a line each.
pub(crate) fn axis(text: &str) -> Result<Axis, String> {
    let axis: Axis = toml::from_str(text).map_err(|problem| format!("taxonomy/hazards.toml: {problem}"))?;
    let mut problems = String::new();
    for (nth, hazard) in axis.hazards.iter().enumerate() {
        if axis.hazards.iter().take(nth).any(|known| known.id == hazard.id || known.name == hazard.name) {
            // Writing to a text can't fail.
            let _ = writeln!(problems, "taxonomy/hazards.toml: {:?} stands there twice", hazard.name);
        }
        if hazard.definition.trim().is_empty() {
            let _ = writeln!(problems, "taxonomy/hazards.toml: {:?} has no definition", hazard.name);
        }
    }
    if problems.is_empty() { Ok(axis) } else { Err(problems) }
}

/// The crosswalks of a family's file as Rust, or all that is wrong with it, a line each.
pub(crate) fn family(name: &str, text: &str, axis: &Axis, categories: &Categories) -> Result<String, String> {
    let file: Family = toml::from_str(text).map_err(|problem| format!("taxonomy/{name}.toml: {problem}"))?;
    let mut problems = String::new();
    let mut written = String::new();
    for crosswalk in &file.crosswalks {
        let title = crosswalk.formats.join(", ");
        let mut complain = |problem: &str| {
            // Writing to a text can't fail.
            let _ = writeln!(problems, "taxonomy/{name}.toml: {title}: {problem}");
        };
        if crosswalk.sources.is_empty() {
            complain("give the sources of the mapping");
        }
        for (code, counterparts) in &crosswalk.categories {
            if let Err(problem) = counterparts.written(axis) {
                complain(&format!("{code:?}: {problem}"));
            }
            let has = |format: &String| categories.get(format).is_some_and(|codes| codes.contains_key(code));
            if !crosswalk.formats.iter().any(has) {
                complain(&format!("no category {code:?} in the format's file; remove the mapping"));
            }
        }
        for format in &crosswalk.formats {
            let Some(codes) = categories.get(format) else {
                complain(&format!("no format {format:?} with categories"));
                continue;
            };
            for code in codes.keys().filter(|code| !crosswalk.categories.contains_key(*code)) {
                complain(&format!(
                    "the category {code:?} of {format} is not mapped; say what it is, or no_counterpart"
                ));
            }
            let rows = codes.iter().filter_map(|(code, meaning)| {
                let counterparts = crosswalk.categories.get(code)?.written(axis).ok()?;
                Some(format!("({code:?}, {meaning:?}, {counterparts})"))
            });
            let rows = rows.collect::<Vec<_>>().join(", ");
            let sources = &crosswalk.sources;
            let _ = writeln!(
                written,
                "    Crosswalk {{ format: {format:?}, sources: &{sources:?}, categories: &[{rows}] }},"
            );
        }
    }
    if problems.is_empty() { Ok(written) } else { Err(problems) }
}

impl Counterparts {
    /// The hazards by their places, each with the relation, as Rust.
    fn written(&self, axis: &Axis) -> Result<String, String> {
        let mut all = Vec::new();
        for (relation, names) in [("Same", &self.same), ("PartOf", &self.part_of), ("WiderThan", &self.wider_than)] {
            for name in names {
                let Some(place) = axis.hazards.iter().position(|hazard| hazard.name == *name) else {
                    return Err(format!("no hazard {name:?}; hazards.toml has their names"));
                };
                all.push(format!("({place}, Relation::{relation})"));
            }
        }
        match &self.no_counterpart {
            Some(why) if all.is_empty() => Ok(format!("Counterparts::None({why:?})")),
            None if !all.is_empty() => Ok(format!("Counterparts::Some(&[{}])", all.join(", "))),
            _ => Err("say same, part_of or wider_than with hazards, or no_counterpart with the reason".to_owned()),
        }
    }
}

/// All of the folder as Rust, or all that is wrong with it, a line each.
pub(crate) fn table(folder: &Path, formats: &Path) -> Result<String, Box<dyn Error>> {
    let axis = axis(&fs::read_to_string(folder.join("hazards.toml"))?)?;
    let categories = categories(formats)?;
    let (mut rows, mut problems) = (String::new(), String::new());
    for name in super::names(folder)?.into_iter().filter(|name| name != "hazards") {
        match family(&name, &fs::read_to_string(folder.join(format!("{name}.toml")))?, &axis, &categories) {
            Ok(written) => rows += &written,
            Err(more) => problems += &more,
        }
    }
    for format in categories.keys() {
        match rows.matches(&format!("Crosswalk {{ format: {format:?},")).count() {
            1 => {}
            0 => writeln!(problems, "taxonomy: the categories of {format} are not mapped; add a crosswalk")?,
            _ => writeln!(problems, "taxonomy: {format} has two crosswalks; remove one")?,
        }
    }
    if !problems.is_empty() {
        return Err(problems.into());
    }
    let Axis { version, title, sources, hazards } = &axis;
    let mut out = format!(
        "/// Raised whenever a hazard or a mapping changes.\npub const VERSION: u32 = {version};\n\
         /// What people call the axis.\npub const AXIS: &str = {title:?};\n\
         /// Where it comes from.\npub const SOURCES: &[&str] = &{sources:?};\n\
         /// The axis, in its publisher's order.\npub const HAZARDS: &[Hazard] = &[\n"
    );
    for Hazard { id, name, definition } in hazards {
        writeln!(out, "    Hazard {{ id: {id:?}, name: {name:?}, definition: {definition:?} }},")?;
    }
    write!(out, "];\nstatic CROSSWALKS: &[Crosswalk] = &[\n{rows}];\n")?;
    Ok(out)
}
