//! Formats: declarations of a judge's output.
//!
//! A [`Format`] comes from the built-in files ([`get`], [`all`]), from the caller's own file
//! ([`Format::from_toml`]) or from a constructor. It is compiled once and used for many replies.

mod builtin;
mod declaration;
pub(crate) mod document;
pub(crate) mod entry;
mod error;
mod example;
mod finder;
pub(crate) mod formula;
pub(crate) mod guard;
mod inherit;
mod keys;
pub(crate) mod label;
pub(crate) mod marker;
mod mistake;
mod nearest;
pub(crate) mod order;
mod outcome_hash;
pub(crate) mod paper;
mod side;

use std::sync::Arc;

pub use builtin::{all, get, problems};
pub use declaration::{EvidenceLevel, Kind, Side};
pub(crate) use declaration::{Function, Place, Precedence, Ranking, Strictness};
pub(crate) use document::Limits;
pub use error::FormatError;
pub use example::{Example, Expected, Literal};
pub use keys::schema;
pub use mistake::key_lines;

use declaration::Declaration;
use document::JsonReader;
use entry::Entry;
use formula::Formula;
use guard::Guard;
use label::Labels;
use marker::Markers;
use order::Order;
use paper::{OutOfRange, PaperRule};

use crate::taxonomy::Mapping;

/// A family of formats: the contents of one file.
#[derive(Debug)]
pub(crate) struct Family {
    pub(crate) formats: Vec<Arc<Format>>,
    /// Guards that judge either side, asked about the other one.
    pub(crate) turned: Vec<Arc<Format>>,
}

/// The compiled format of a judge or guard.
#[derive(Debug)]
pub struct Format {
    id: String,
    title: String,
    evidence: Option<EvidenceLevel>,
    sources: Vec<String>,
    declaration: Declaration,
    pub(crate) reader: Reader,
    pub(crate) markers: Markers,
    pub(crate) strict: Vec<Strictness>,
    pub(crate) entries: Vec<Entry>,
}

/// The compiled part of a format that depends on its kind.
#[derive(Debug)]
pub(crate) enum Reader {
    /// The second label is true.
    Binary(Labels),
    Choice(Labels),
    Score(Scale),
    /// A score that is computed from several numbers.
    Formula(Formula),
    /// Any number of scores, if no count is given; with names, also the format of each score by its name.
    Scores(Scale, Option<usize>, Vec<(String, Format)>),
    Fields(Vec<(String, Format)>),
    /// Fields that are entries of a document, by key or path.
    Entries(Vec<(String, Format)>),
    Guard(Box<Guard>),
    Json(JsonReader),
    Ranking(Ranking),
    Order(Order),
}

/// A scale of numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    /// The lowest score.
    pub low: f64,
    /// The highest score.
    pub high: f64,
    /// Only whole numbers are scores.
    pub is_integer: bool,
    /// A fraction with another denominator than the highest score is rescaled.
    pub is_rescaled: bool,
}

impl Format {
    /// Return the format's name, `family.variant`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Return the format's other names.
    pub fn aliases(&self) -> &[String] {
        &self.declaration.aliases
    }

    pub(crate) fn answers_to(&self, name: &str) -> bool {
        self.id == name || self.declaration.aliases.iter().any(|alias| alias == name)
    }

    /// Return the version, which increases with every change to outcomes.
    pub fn version(&self) -> u32 {
        self.declaration.version
    }

    /// Return the judge's display name.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Return the format's description.
    pub fn about(&self) -> &str {
        &self.declaration.about
    }

    /// Return how well the judge's output is known; None for the caller's own format.
    pub fn evidence(&self) -> Option<EvidenceLevel> {
        self.evidence
    }

    /// Return the sources of the declaration's facts.
    pub fn sources(&self) -> &[String] {
        &self.sources
    }

    /// Return the number of recorded real replies that the format was tested with.
    pub fn recorded_replies(&self) -> u32 {
        self.declaration.replies
    }

    /// Return the kind of value that readings have.
    pub fn kind(&self) -> Kind {
        self.declaration.kind
    }

    /// Return the names of labels (binary, choice, and documents with such a verdict) or of an order's candidates.
    pub fn labels(&self) -> &[String] {
        match &self.verdict().unwrap_or(self).reader {
            Reader::Binary(labels) | Reader::Choice(labels) => &labels.names,
            Reader::Order(order) => &order.candidates.names,
            _ => &[],
        }
    }

    /// Return the names and formats of the fields.
    pub fn parts(&self) -> &[(String, Self)] {
        match &self.reader {
            Reader::Fields(fields) | Reader::Entries(fields) => fields,
            _ => &[],
        }
    }

    /// Compile a field's format as a separate format.
    ///
    /// # Errors
    ///
    /// None in practice, because the format has been compiled as a field before.
    pub fn of_its_own(&self) -> Result<Self, FormatError> {
        Self::compile(self.declaration.clone())
    }

    /// Return the forms of a label.
    pub fn label_forms(&self, label: &str) -> Vec<&str> {
        match &self.verdict().unwrap_or(self).reader {
            Reader::Binary(labels) | Reader::Choice(labels) | Reader::Order(Order { candidates: labels, .. }) => {
                labels.forms().filter(|form| labels.name(form.label) == label).map(|form| form.text.as_str()).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Return the scale of a score format, or of a document with such a verdict.
    pub fn scale(&self) -> Option<Scale> {
        match &self.verdict().unwrap_or(self).reader {
            Reader::Score(scale) | Reader::Scores(scale, ..) => Some(*scale),
            Reader::Formula(formula) => Some(formula.scale),
            _ => None,
        }
    }

    /// Return the declared markers, with `{}` in place of the verdict.
    pub fn declared_markers(&self) -> &[String] {
        &self.declaration.markers
    }

    /// Return the name of the place where the judge was asked to put the verdict, if declared.
    pub fn place(&self) -> Option<&'static str> {
        self.declaration.place.map(Place::name)
    }

    /// Return the place where the judge was asked to put the verdict, if declared.
    pub(crate) fn asked_place(&self) -> Option<Place> {
        self.declaration.place
    }

    /// Return the SHA-256, as 64 hex digits, of everything in the declaration that affects outcomes in any mode.
    ///
    /// Names, prose, sources and examples are not hashed. `1` and `1.0` are the same number.
    ///
    /// # Errors
    ///
    /// [`FormatError::Syntax`] if a number of the declaration is NaN or infinite.
    pub fn outcome_hash(&self) -> Result<String, FormatError> {
        outcome_hash::outcome_hash(&self.declaration)
            .map_err(|problem| FormatError::Syntax(format!("format {:?} can't be hashed: {problem}", self.id)))
    }

    /// Return the declaration as TOML, which [`Format::from_toml`] reads as the same format.
    ///
    /// # Errors
    ///
    /// [`FormatError::Syntax`] if the declaration can't be written as TOML.
    pub fn to_toml(&self) -> Result<String, FormatError> {
        let family = declaration::Family {
            name: self.id.split('.').next().unwrap_or_default().to_owned(),
            title: self.title.clone(),
            evidence: self.evidence.unwrap_or(EvidenceLevel::Card),
            sources: self.sources.clone(),
            formats: vec![Declaration { id: self.id.clone(), sources: Vec::new(), ..self.declaration.clone() }],
        };
        toml::to_string(&family)
            .map_err(|problem| FormatError::Syntax(format!("format {:?} can't be written as TOML: {problem}", self.id)))
    }

    /// Iterate over the codes of a guard format and their meanings.
    pub fn categories(&self) -> impl Iterator<Item = (&str, &str)> {
        let categories = self.declaration.categories.iter();
        categories.map(|(code, meaning)| (code.as_str(), meaning.as_str()))
    }

    /// What a category is among the hazards on which guards are compared, by its code; None where nothing is known.
    pub fn mapping(&self, code: &str) -> Option<&Mapping> {
        let Reader::Guard(guard) = &self.reader else { return None };
        let mut known = guard.known_categories().iter();
        known.find(|category| category.code == code).and_then(|category| guard.mapping(category))
    }

    /// The side that `unsafe` speaks of, of guard formats.
    pub fn side(&self) -> Option<Side> {
        match &self.reader {
            Reader::Guard(guard) => Some(guard.subject),
            _ => None,
        }
    }

    /// Return the examples: replies with their outcomes.
    pub fn examples(&self) -> &[Example] {
        &self.declaration.examples
    }

    pub(crate) fn paper(&self) -> Option<&PaperRule> {
        self.declaration.paper.as_ref()
    }

    /// Describe the publisher's rule, one step on each line; None if there is no paper mode.
    pub fn publisher_rule(&self) -> Option<String> {
        self.paper().map(ToString::to_string)
    }

    /// Whether the format has the publisher's rule, which paper mode needs.
    pub fn has_paper(&self) -> bool {
        self.paper().is_some()
    }

    /// Whether the publisher's rule keeps numbers that are off the scale, so that paper mode may return them.
    pub fn keeps_off_scale(&self) -> bool {
        self.paper().is_some_and(|rule| rule.out_of_range == OutOfRange::Keep)
    }

    /// Return the maximum nesting of a document; the default limit if the format is not JSON.
    pub fn max_depth(&self) -> usize {
        match &self.reader {
            Reader::Json(reader) => reader.limits.max_depth,
            _ => Limits::default().max_depth,
        }
    }

    /// Whether the verdict is the first token, so that a cut reply can still be read.
    pub fn is_first_token(&self) -> bool {
        self.declaration.first_token
    }

    /// Whether replies are JSON documents.
    pub fn is_json(&self) -> bool {
        match &self.reader {
            Reader::Json(_) | Reader::Ranking(_) | Reader::Entries(_) => true,
            Reader::Guard(guard) => guard.is_json,
            _ => false,
        }
    }

    /// Return the format of a document's verdict, if it has one.
    pub fn verdict(&self) -> Option<&Self> {
        match &self.reader {
            Reader::Json(reader) => reader.format.as_deref(),
            _ => None,
        }
    }

    /// Return the number of a word, ignoring case.
    pub(crate) fn number_of(&self, word: &str) -> Option<f64> {
        self.declaration.words.iter().find(|(known, _)| known.eq_ignore_ascii_case(word)).map(|(_, number)| *number)
    }

    pub(crate) fn logprobs(&self) -> declaration::Logprobs {
        self.declaration.logprobs.clone().unwrap_or_default()
    }

    pub(crate) fn precedence(&self) -> Precedence {
        self.declaration.precedence
    }

    /// Create a binary format from its words for yes and no.
    ///
    /// # Errors
    ///
    /// [`FormatError::Key`] if a list is empty or the two share a word.
    pub fn binary(yes: Vec<String>, no: Vec<String>) -> Result<Self, FormatError> {
        Self::compile(Declaration { yes, no, ..Declaration::of(Kind::Binary) })
    }

    /// Create a choice format from labels and their forms.
    ///
    /// # Errors
    ///
    /// [`FormatError::Key`] if there are fewer than two labels, one has no form, or two share one.
    pub fn choice(labels: Vec<(String, Vec<String>)>) -> Result<Self, FormatError> {
        Self::compile(Declaration { labels: labels.into_iter().collect(), ..Declaration::of(Kind::Choice) })
    }

    /// Return the format with markers around the verdict, and with the place of the verdict.
    ///
    /// # Errors
    ///
    /// [`FormatError::Key`] if a marker is empty, the place is unknown, or the format's kind has no place.
    pub fn asked_in(self, markers: Vec<String>, place: Option<&str>) -> Result<Self, FormatError> {
        if markers.is_empty() && place.is_none() {
            return Ok(self);
        }
        let place_of = |name: &str| {
            Place::from_name(name).ok_or_else(|| {
                let problem = format!("no place {name:?}; give one of {}", Place::ALL.map(Place::name).join(", "));
                FormatError::key(&self.id, "place", problem)
            })
        };
        let place = place.map(place_of).transpose()?;
        Self::compile(Declaration { markers, place, ..self.declaration })
    }

    /// Create a format of the order of `count` candidates, which are numbered if `names` is empty.
    ///
    /// # Errors
    ///
    /// [`FormatError::Key`] if there are fewer than two candidates, or the names are not `count` distinct ones.
    pub fn order(count: usize, names: Vec<String>) -> Result<Self, FormatError> {
        let declaration = Declaration { count: Some(count), names, ..Declaration::of(Kind::Order) };
        Self::compile(declaration).map_err(|problem| problem.renamed("count", "n"))
    }

    /// Create a score format.
    ///
    /// # Errors
    ///
    /// [`FormatError::Key`] if the scale is empty or not finite, or a marker is empty.
    pub fn score(low: f64, high: f64, is_integer: bool, markers: Vec<String>) -> Result<Self, FormatError> {
        Self::compile(Declaration { integer: is_integer, markers, ..Declaration::on_scale(Kind::Score, low, high) })
    }

    /// Create a format of `count` scores on one scale, which replies may list by name if there are `names`.
    ///
    /// # Errors
    ///
    /// [`FormatError::Key`] if the scale is empty or not finite, `count` is 0, or the names are not `count` distinct
    /// ones.
    pub fn scores(count: usize, low: f64, high: f64, names: Vec<String>) -> Result<Self, FormatError> {
        let declaration = Declaration { count: Some(count), names, ..Declaration::on_scale(Kind::Scores, low, high) };
        Self::compile(declaration).map_err(|problem| problem.renamed("count", "n"))
    }

    /// Create a format of named fields, each with its own format.
    ///
    /// # Errors
    ///
    /// [`FormatError::Key`] if there is no field, a name is empty, or a field has fields.
    pub fn fields(fields: Vec<(String, Arc<Self>)>) -> Result<Self, FormatError> {
        Self::fields_of(fields, false)
    }

    /// Create a format of named fields that are entries of a JSON document, each found by its key, or by a path of keys
    /// joined by full stops.
    ///
    /// # Errors
    ///
    /// [`FormatError::Key`] if there is no field, a name is empty, or a field has fields.
    pub fn json_fields(fields: Vec<(String, Arc<Self>)>) -> Result<Self, FormatError> {
        Self::fields_of(fields, true)
    }

    fn fields_of(fields: Vec<(String, Arc<Self>)>, json: bool) -> Result<Self, FormatError> {
        let fields = fields.into_iter().map(|(name, format)| (name, format.declaration.clone())).collect();
        Self::compile(Declaration { fields, json, ..Declaration::of(Kind::Fields) })
    }

    /// Create a format of one entry of a JSON document, found by key or path.
    ///
    /// # Errors
    ///
    /// [`FormatError::Key`] if there is no key, or the verdict's format has fields.
    pub fn json_field(keys: Vec<String>, verdict: &Self) -> Result<Self, FormatError> {
        let fields = keys.first().map(|key| (key.clone(), verdict.declaration.clone())).into_iter().collect();
        FormatError::refuse_if(keys.is_empty(), "json", "verdict", "name the key of the verdict")?;
        Self::compile(Declaration { verdict: keys, fields, ..Declaration::of(Kind::Json) })
    }

    /// Create a format of a whole JSON document that has all `keys`.
    ///
    /// # Errors
    ///
    /// [`FormatError::Key`] if a limit is 0.
    pub fn json(keys: Vec<String>, max_depth: usize, max_bytes: usize) -> Result<Self, FormatError> {
        let usual = Limits::default();
        let declaration = Declaration {
            keys,
            max_depth: (max_depth != usual.max_depth).then_some(max_depth),
            max_bytes: (max_bytes != usual.max_bytes).then_some(max_bytes),
            ..Declaration::of(Kind::Json)
        };
        Self::compile(declaration)
    }

    /// Parse a format file, with the schema of the built-in files.
    ///
    /// # Errors
    ///
    /// [`FormatError`], with the file, the key and the fix.
    pub fn from_toml(file: &str, text: &str, variant: Option<&str>) -> Result<Arc<Self>, FormatError> {
        let family = Family::read(file, text)?;
        let ids: Vec<&str> = family.formats.iter().map(|format| format.id()).collect();
        let is_named = |format: &&Arc<Self>, name: &str| {
            format.answers_to(name) || format.id().split_once('.').is_some_and(|(_, variant)| variant == name)
        };
        let found = match variant {
            None => family.formats.first().filter(|_| ids.len() == 1),
            Some(name) => family.formats.iter().find(|format| is_named(format, name)),
        };
        let problem = || match variant {
            None => format!("{file}: holds several formats; pass variant= one of {}", ids.join(", ")),
            Some(name) => format!("{file}: no variant {name:?}; it has {}", ids.join(", ")),
        };
        found.map(Arc::clone).ok_or_else(|| FormatError::Unknown(problem()))
    }

    /// Return all formats of a file's text, in their order.
    ///
    /// # Errors
    ///
    /// [`FormatError`] that names the file, the line and the fix.
    pub fn family_from_toml(file: &str, text: &str) -> Result<Vec<Arc<Self>>, FormatError> {
        Family::read(file, text).map(|family| family.formats)
    }

    fn compile(declared: Declaration) -> Result<Self, FormatError> {
        let id = if declared.id.is_empty() { declared.kind.name() } else { &declared.id }.to_owned();
        declared.check_keys(&id)?;
        let reader = Reader::new(&id, &declared)?;
        if let Some(label) = declared.logprobs.as_ref().and_then(|logprobs| logprobs.label.as_deref())
            && !declared.labels.contains_key(label)
        {
            let problem = format!("{label:?} is not a label of the choice; name one that is");
            return Err(FormatError::key(&id, "logprobs.label", problem));
        }
        if let Some(paper) = &declared.paper {
            paper.check(&id)?;
        } else if declared.examples.iter().any(|example| example.paper.is_some()) {
            let problem = "an example has paper, but the format has no [formats.paper]; add the rule, or remove it";
            return Err(FormatError::key(&id, "examples.paper", problem));
        }
        // The words that announce every label are an implicit marker.
        let named = declared.named();
        let announced = label::announcement(&named).filter(|_| declared.markers.is_empty());
        let announced = announced.map(|words| vec![words.trim_end_matches(':').trim().to_owned()]);
        Ok(Self {
            title: String::new(),
            evidence: declared.evidence,
            sources: declared.sources.clone(),
            reader,
            markers: Markers::new(&id, announced.as_ref().unwrap_or(&declared.markers))?,
            strict: declared.strictness(),
            entries: Entry::all(&id, &declared)?,
            id,
            declaration: declared,
        })
    }

    /// Compile a part of another format, which stands under one of its keys.
    fn part(whole: &str, key: &str, declared: Declaration) -> Result<Self, FormatError> {
        Self::compile(declared).map_err(|problem| problem.inside(whole, key))
    }
}

impl Declaration {
    /// Create a declaration of this kind with all other keys unset.
    fn of(kind: Kind) -> Self {
        Self { version: 1, kind, ..Self::default() }
    }

    /// The same of scores on a scale.
    fn on_scale(kind: Kind, low: f64, high: f64) -> Self {
        Self { low: Some(low), high: Some(high), ..Self::of(kind) }
    }

    /// The labels of a binary or a choice format, with their forms.
    fn named(&self) -> Vec<(String, Vec<String>)> {
        let forms = |(name, forms): (&str, &Vec<String>)| (name.to_owned(), forms.clone());
        match self.kind {
            Kind::Binary => [("false", &self.no), ("true", &self.yes)].map(forms).into(),
            Kind::Choice => self.labels.clone().into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// Check the keys that only some kinds can have.
    fn check_keys(&self, id: &str) -> Result<(), FormatError> {
        let problem = "only a fields format can be read from a JSON document; remove it";
        FormatError::refuse_if(self.json && self.kind != Kind::Fields, id, "json", problem)?;
        let problem = "only an order format and a scores format have names; remove it";
        let has_names = !self.names.is_empty() && !matches!(self.kind, Kind::Order | Kind::Scores);
        FormatError::refuse_if(has_names, id, "names", problem)?;
        let problem = "only a format of the file can be like another; leave it out";
        FormatError::refuse_if(self.like.is_some(), id, "like", problem)?;
        if self.place.is_none() {
            return Ok(());
        }
        let problem = "only a binary, choice, score or order format can have a place; remove it";
        let has_no_place =
            !matches!(self.kind, Kind::Binary | Kind::Choice | Kind::Score | Kind::Order) || self.formula.is_some();
        FormatError::refuse_if(has_no_place, id, "place", problem)?;
        let problem = "strict reading looks only at the place; remove strict or place";
        FormatError::refuse_if(!self.strict.is_empty(), id, "strict", problem)
    }

    /// Return the forms of a verdict that strict reading accepts.
    fn strictness(&self) -> Vec<Strictness> {
        match (self.strict.is_empty(), self.markers.is_empty()) {
            (false, _) => self.strict.clone(),
            (true, false) => vec![Strictness::Marker],
            (true, true) => vec![Strictness::Whole],
        }
    }
}

impl Reader {
    fn new(id: &str, declared: &Declaration) -> Result<Self, FormatError> {
        let labels = || Labels::new(id, &declared.named());
        let wanted = |key: &str| FormatError::key(id, key, format!("a {key} format needs the table [formats.{key}]"));
        Ok(match declared.kind {
            Kind::Binary => Self::Binary(labels().map_err(|problem| problem.renamed("labels", "true, false"))?),
            Kind::Choice => {
                let is_none = declared.labels.len() < 2;
                FormatError::refuse_if(is_none, id, "labels", "a choice needs at least two labels")?;
                Self::Choice(labels()?)
            }
            Kind::Score => match declared.formula {
                Some(function) => Self::Formula(Formula::new(id, function, declared)?),
                None => Self::Score(Scale::with_words(id, declared)?),
            },
            Kind::Scores => {
                let count = declared.count.or(Some(declared.names.len()).filter(|&named| named != 0));
                let problem = "give the number of scores, at least 1, or the marker of each";
                let is_uncounted = count == Some(0) || (count.is_none() && declared.markers.is_empty());
                FormatError::refuse_if(is_uncounted, id, "count", problem)?;
                if let Some(count) = count.filter(|count| i64::try_from(*count).is_err()) {
                    let problem = format!("{count} is too large for TOML; give at most {}", i64::MAX);
                    return Err(FormatError::key(id, "count", problem));
                }
                if !declared.names.is_empty() {
                    order::named(id, &declared.names, count.unwrap_or_default(), "scores")?;
                }
                let Declaration { low, high, integer, rescale, .. } = *declared;
                let slot = Declaration { low, high, integer, rescale, ..Declaration::of(Kind::Score) };
                let slots = declared.names.iter().map(|name| Ok((name.clone(), Format::compile(slot.clone())?)));
                Self::Scores(Scale::new(id, declared)?, count, slots.collect::<Result<_, _>>()?)
            }
            Kind::Fields => {
                let fields = fields(id, declared)?;
                if declared.json { Self::Entries(fields) } else { Self::Fields(fields) }
            }
            Kind::Guard => {
                let guard = declared.guard.as_ref().ok_or_else(|| wanted("guard"))?;
                Self::Guard(Box::new(Guard::new(id, guard, &declared.categories)?))
            }
            Kind::Json => Self::Json(JsonReader::new(id, declared)?),
            Kind::Ranking => Self::Ranking(declared.ranking.clone().ok_or_else(|| wanted("ranking"))?),
            Kind::Order => Self::Order(Order::new(id, declared)?),
        })
    }
}

/// The maximum number of fields.
const MAX_FIELDS: usize = 1024;

/// Compile the formats of the fields.
fn fields(id: &str, declared: &Declaration) -> Result<Vec<(String, Format)>, FormatError> {
    let number = declared.fields.len();
    FormatError::refuse_if(number == 0, id, "fields", "give at least one field, name and format")?;
    let problem = format_args!("{number} fields; at most {MAX_FIELDS} are allowed");
    FormatError::refuse_if(number > MAX_FIELDS, id, "fields", problem)?;
    let compiled = declared.fields.iter().map(|(name, field)| {
        FormatError::refuse_if(name.trim().is_empty(), id, "fields", "a field has no name")?;
        let key = format!("fields.{name}");
        // An entry of a document may be an order. On a line, only a word or a number can be told from the text after it.
        let is_plain = matches!(field.kind, Kind::Binary | Kind::Choice | Kind::Score | Kind::Scores);
        if !(is_plain || declared.json && field.kind == Kind::Order) {
            let more = if declared.json { ", scores or order" } else { " or scores" };
            let problem = format!("a field must be a binary, choice, score{more} format");
            return Err(FormatError::key(id, &key, problem));
        }
        Ok((name.clone(), Format::part(id, &key, field.clone())?))
    });
    compiled.collect()
}

impl Scale {
    fn new(id: &str, declared: &Declaration) -> Result<Self, FormatError> {
        let (Some(low), Some(high)) = (declared.low, declared.high) else {
            return Err(FormatError::key(id, "low, high", "a score needs both ends of its scale"));
        };
        let problem = format_args!("{low} to {high} is not a scale; low must be less than high, and both finite");
        FormatError::refuse_if(!(low.is_finite() && high.is_finite() && low < high), id, "low, high", problem)?;
        Ok(Self { low, high, is_integer: declared.integer, is_rescaled: declared.rescale })
    }

    /// The scale of a score whose words all mean a number on it.
    fn with_words(id: &str, declared: &Declaration) -> Result<Self, FormatError> {
        let scale @ Self { low, high, .. } = Self::new(id, declared)?;
        match declared.words.iter().find(|(_, number)| !(low..=high).contains(number)) {
            Some((word, number)) => {
                let problem = format!("{word:?} means {number}, which is outside {low} to {high}");
                Err(FormatError::key(id, "words", problem))
            }
            None => Ok(scale),
        }
    }
}

impl Family {
    pub(crate) fn read(file: &str, text: &str) -> Result<Self, FormatError> {
        let in_file = |problem: FormatError| mistake::in_file(file, text, &problem);
        let mut family: toml::Table = toml::from_str(text)
            .map_err(|problem| FormatError::Syntax(format!("{file}: {}", problem.to_string().trim_end())))?;
        if let Some(mistakes) = mistake::find(file, text) {
            return Err(mistakes);
        }
        let mut formats = family.remove("formats");
        let formats = formats.as_mut().and_then(toml::Value::as_array_mut).map(std::mem::take).unwrap_or_default();
        let formats = inherit::inherited(formats).map_err(in_file)?;
        let mut declared: declaration::Family =
            family.try_into().map_err(|problem| in_file(refused(file, &problem)))?;
        for format in formats {
            let id = format.get("id").and_then(toml::Value::as_str).unwrap_or_default().to_owned();
            declared.formats.push(format.try_into().map_err(|problem| in_file(refused(&id, &problem)))?);
        }
        if declared.formats.is_empty() {
            return Err(FormatError::Syntax(format!("{file}: has no format; add a [[formats]] table")));
        }
        let mut formats: Vec<Arc<Format>> = Vec::with_capacity(declared.formats.len());
        let mut turned = Vec::new();
        for format in &declared.formats {
            let rest = format.id.strip_prefix(&declared.name);
            if !rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.')) {
                let name = &declared.name;
                let problem = if format.id.is_empty() {
                    format!(
                        "is missing; give the format an id, {name:?} or one that starts with {name:?} and a full stop"
                    )
                } else {
                    format!("must be {name:?} or start with it and a full stop")
                };
                return Err(in_file(FormatError::key(&format.id, "id", problem)));
            }
            if formats.iter().any(|known| known.answers_to(&format.id)) {
                return Err(in_file(FormatError::key(&format.id, "id", "is used twice; rename one")));
            }
            let compiled = Format::compile(format.clone()).map_err(in_file)?;
            let (title, evidence) = (declared.title.clone(), compiled.evidence.or(Some(declared.evidence)));
            let sources = [&declared.sources[..], &compiled.sources].concat();
            let compiled = Format { title, evidence, sources, ..compiled };
            if format.guard.as_ref().is_some_and(|guard| guard.either_side) {
                turned.extend(compiled.turned().transpose().map_err(in_file)?.map(Arc::new));
            }
            formats.push(Arc::new(compiled));
        }
        Ok(Self { formats, turned })
    }
}

/// Why a format of this name can't be made of what a file says.
fn refused(id: &str, problem: &toml::de::Error) -> FormatError {
    let told = problem.to_string();
    let told = told.trim_end().trim_end_matches('`');
    let (problem, key) = told.rsplit_once("\nin `").unwrap_or((told, "kind"));
    FormatError::key(id, key, problem)
}
