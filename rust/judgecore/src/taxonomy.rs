//! The hazards on which guards are compared, and what each guard's categories are among them.
//!
//! The files of `taxonomy/` say it, each mapping with its sources. It decides no outcome: a verdict is what the guard
//! wrote, and its hazards are what that means on one scale.

/// A hazard of the axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hazard {
    /// The short name, such as `vcr`.
    pub id: &'static str,
    /// The name, such as `Violent Crimes`.
    pub name: &'static str,
    /// What belongs to it.
    pub definition: &'static str,
}

/// What a category is to a hazard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// They mean the same.
    Same,
    /// The category is narrower: whatever has it has the hazard.
    PartOf,
    /// The category also holds what lies outside the hazard: it may be the hazard, or something else.
    WiderThan,
}

impl Relation {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::PartOf => "part_of",
            Self::WiderThan => "wider_than",
        }
    }
}

/// What a category is on the axis: hazards by their place in [`HAZARDS`], or why there are none.
#[derive(Debug, Clone, Copy)]
enum Counterparts {
    Some(&'static [(usize, Relation)]),
    None(&'static str),
}

/// What the categories of a format are: code, name and counterparts of each.
struct Crosswalk {
    format: &'static str,
    sources: &'static [&'static str],
    categories: &'static [(&'static str, &'static str, Counterparts)],
}

/// A category of a format on the axis.
#[derive(Debug, Clone)]
pub struct Mapping {
    /// The hazards, each with what the category is to it.
    pub hazards: Vec<(&'static Hazard, Relation)>,
    /// Why there are none; empty where there are some.
    pub no_counterpart: &'static str,
    /// Where the mapping comes from.
    pub sources: &'static [&'static str],
}

include!(concat!(env!("OUT_DIR"), "/taxonomy.rs"));

/// What a format's category is on the axis; None if the format has no built-in category of this code and name.
///
/// A format that judges the other side has the mapping of its model.
pub(crate) fn mapping(format: &str, code: &str, name: &str) -> Option<Mapping> {
    let of = |id: &str| CROSSWALKS.iter().find(|crosswalk| crosswalk.format == id);
    let model = || format.strip_suffix(".prompt").or_else(|| format.strip_suffix(".response"));
    let crosswalk = of(format).or_else(|| model().and_then(of))?;
    let is_meant = |row: &&(&str, &str, Counterparts)| row.0 == code && row.1 == name;
    let (_, _, counterparts) = crosswalk.categories.iter().find(is_meant)?;
    let sources = crosswalk.sources;
    Some(match counterparts {
        Counterparts::None(why) => Mapping { hazards: Vec::new(), no_counterpart: why, sources },
        Counterparts::Some(places) => {
            let hazards = places.iter().filter_map(|(place, relation)| Some((HAZARDS.get(*place)?, *relation)));
            Mapping { hazards: hazards.collect(), no_counterpart: "", sources }
        }
    })
}
