//! The hazards on which guards are compared, and what each guard's categories are among them.
//!
//! The files of `taxonomy/` say it, each mapping with its sources. It decides no outcome: a verdict is what the guard
//! wrote, and its hazards are what that means on one scale.

use std::sync::LazyLock;

use indexmap::IndexMap;
use serde::Deserialize;

use crate::names::named;

/// The scale, as in `hazards.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Axis {
    /// Raised whenever a hazard or a mapping changes.
    pub version: u32,
    /// What people call it.
    pub title: String,
    /// Where it comes from.
    pub sources: Vec<String>,
    /// The hazards, in the publisher's order.
    pub hazards: Vec<Hazard>,
}

/// A hazard of the axis.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hazard {
    /// The short name, such as `vcr`.
    pub id: String,
    /// The name, such as `Violent Crimes`.
    pub name: String,
    /// What belongs to it.
    pub definition: String,
}

named! {
    /// What a category is to a hazard.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Relation {
        /// They mean the same.
        Same = "same",
        /// The category is narrower: whatever has it has the hazard.
        PartOf = "part_of",
        /// The category also holds what lies outside the hazard: it may be the hazard, or something else.
        WiderThan = "wider_than",
    }
}

/// The file of a family of guards.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Family {
    crosswalks: Vec<Crosswalk>,
}

/// What the categories of some formats are, by code.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Crosswalk {
    formats: Vec<String>,
    sources: Vec<String>,
    categories: IndexMap<String, Counterparts>,
}

/// The hazards that a category is, or why it is none.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", untagged)]
enum Counterparts {
    None { no_counterpart: String },
    Some(IndexMap<Relation, Vec<String>>),
}

/// A category of a format on the axis.
#[derive(Debug, Clone)]
pub struct Mapping {
    /// The hazards, each with what the category is to it.
    pub hazards: Vec<(&'static Hazard, Relation)>,
    /// Why there are none; empty where there are some.
    pub no_counterpart: &'static str,
    /// Where the mapping comes from.
    pub sources: &'static [String],
}

/// Name and text of each file of `taxonomy/`.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/taxonomy.rs"));

/// The file of the axis; all others are of families.
const HAZARDS: &str = "hazards";

static AXIS: LazyLock<Axis> = LazyLock::new(|| {
    let text = FILES.iter().find(|(name, _)| *name == HAZARDS);
    // A test ensures that all files are read.
    text.and_then(|(_, text)| toml::from_str(text).ok()).unwrap_or_default()
});

static CROSSWALKS: LazyLock<Vec<Crosswalk>> = LazyLock::new(|| {
    let families = FILES.iter().filter(|(name, _)| *name != HAZARDS);
    families.filter_map(|(_, text)| toml::from_str::<Family>(text).ok()).flat_map(|family| family.crosswalks).collect()
});

/// The scale on which guards are compared.
pub fn axis() -> &'static Axis {
    &AXIS
}

/// What a built-in format's category is on the axis, by its code.
///
/// A format that judges the other side has the mapping of its model.
pub(crate) fn mapping(format: &str, code: &str) -> Option<Mapping> {
    let of = |id: &str| CROSSWALKS.iter().find(|crosswalk| crosswalk.formats.iter().any(|format| format == id));
    let model = || format.strip_suffix(".prompt").or_else(|| format.strip_suffix(".response"));
    let Crosswalk { sources, categories, .. } = of(format).or_else(|| model().and_then(of))?;
    Some(match categories.get(code)? {
        Counterparts::None { no_counterpart } => Mapping { hazards: Vec::new(), no_counterpart, sources },
        Counterparts::Some(named) => {
            let named = named.iter().flat_map(|(relation, names)| names.iter().map(|name| (name, *relation)));
            let hazard = |name: &String| AXIS.hazards.iter().find(|hazard| hazard.name == *name);
            let hazards = named.filter_map(|(name, relation)| Some((hazard(name)?, relation))).collect();
            Mapping { hazards, no_counterpart: "", sources }
        }
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{AXIS, CROSSWALKS, Counterparts, FILES, Family, HAZARDS, Hazard};
    use crate::format::all;

    #[test]
    fn the_axis_has_each_hazard_once_with_its_definition() {
        for (nth, hazard) in AXIS.hazards.iter().enumerate() {
            let mut others = AXIS.hazards.iter().take(nth);
            let is_other = |other: &Hazard| other.id != hazard.id && other.name != hazard.name;

            assert!(others.all(is_other), "{hazard:?}");
            assert!(!hazard.definition.trim().is_empty(), "{hazard:?}");
        }
        assert!(!AXIS.hazards.is_empty());
    }

    #[test]
    fn every_file_is_read_and_names_known_hazards() {
        for (name, text) in FILES.iter().filter(|(name, _)| *name != HAZARDS) {
            let family: Result<Family, _> = toml::from_str(text);

            assert!(family.is_ok(), "{name}: {family:?}");
        }
        for crosswalk in CROSSWALKS.iter() {
            assert!(!crosswalk.sources.is_empty(), "{:?}", crosswalk.formats);
            for (code, counterparts) in &crosswalk.categories {
                let Counterparts::Some(named) = counterparts else { continue };
                let hazards: Vec<&String> = named.values().flatten().collect();
                let is_known = |name: &&String| AXIS.hazards.iter().any(|hazard| hazard.name == **name);

                assert!(
                    !hazards.is_empty() && hazards.iter().all(is_known),
                    "{:?} {code}: {hazards:?}",
                    crosswalk.formats
                );
            }
        }
    }

    #[test]
    fn each_category_of_a_built_in_format_is_mapped_once_and_no_other() {
        let formats = all();
        for format in &formats {
            for (code, _) in format.categories() {
                assert!(format.mapping(code).is_some(), "{} {code}", format.id());
            }
        }
        let mut seen = HashSet::new();
        for crosswalk in CROSSWALKS.iter() {
            let of = |id: &String| formats.iter().find(|format| format.id() == id);
            let all: Vec<_> = crosswalk.formats.iter().filter_map(of).collect();
            let is_there = |code: &String| all.iter().any(|format| format.mapping(code).is_some());

            assert_eq!(all.len(), crosswalk.formats.len(), "{:?}", crosswalk.formats);
            assert!(crosswalk.formats.iter().all(|id| seen.insert(id)), "{:?}", crosswalk.formats);
            assert!(crosswalk.categories.keys().all(is_there), "{:?}", crosswalk.formats);
        }
    }
}
