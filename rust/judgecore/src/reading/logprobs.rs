//! Reading with probabilities: what a judge might have answered at the place of its verdict.

mod place;
mod spelling;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::outcome::{Detail, Outcome, Reading, Reason, Rule, Unreadable, Value};
use crate::format::guard::Answer;
use crate::format::label::Labels;
use crate::format::{Format, Kind, Reader, Scale};
use crate::json::Json;
use place::Place;
use spelling::{Said, Speller};

/// A token of a reply, with what might have stood in its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Token {
    /// Its text.
    pub text: String,
    /// The natural logarithm of its probability, at most 0.
    pub logprob: f64,
    /// The likeliest tokens at this place and their logarithms; the one that was written may be among them.
    pub top: Vec<(String, f64)>,
}

impl Token {
    /// The tokens of this place with their probabilities, each once, and first the one that was written.
    fn choices(&self) -> Vec<(&str, f64)> {
        let mut choices = vec![(self.text.as_str(), self.logprob.exp())];
        for (text, logprob) in &self.top {
            if !choices.iter().any(|(known, _)| known == text) {
                choices.push((text, logprob.exp()));
            }
        }
        choices
    }
}

/// What the tokens at a verdict's place may spell.
#[derive(Clone, Copy)]
enum Answers<'f> {
    Labels(&'f Labels),
    /// A guard's words; the value is the probability of the unsafe ones.
    Guard(&'f Answer),
    Numbers(Scale),
}

impl<'f> Answers<'f> {
    /// The labels, unless the answers are numbers.
    fn labels(self) -> Option<&'f Labels> {
        match self {
            Self::Labels(labels) => Some(labels),
            Self::Guard(answer) => Some(&answer.labels),
            Self::Numbers(_) => None,
        }
    }
}

/// Which answers a format's tokens spell, the format of the verdict itself, and the keys that it stands behind.
struct Question<'f> {
    answers: Answers<'f>,
    keys: Vec<&'f str>,
}

impl<'f> Question<'f> {
    /// None where the verdict is no single label or number.
    fn of(format: &'f Format) -> Option<Self> {
        let keys = Vec::new();
        match &format.reader {
            Reader::Binary(labels) | Reader::Choice(labels) => Some(Self { answers: Answers::Labels(labels), keys }),
            Reader::Score(scale) => Some(Self { answers: Answers::Numbers(*scale), keys }),
            Reader::Json(reader) => {
                let keys = reader.verdict.iter().map(String::as_str).collect();
                Some(Self { keys, ..Self::of(reader.format.as_deref()?)? })
            }
            Reader::Guard(guard) => {
                let judges = |answer: &&Answer| {
                    answer.declared.side == Some(guard.subject)
                        && answer.declared.category.is_none()
                        && !answer.declared.lists
                };
                let answer = guard.verdict.iter().chain(&guard.answers).find(judges)?;
                let keys = answer.lines.iter().map(String::as_str).collect();
                Some(Self { answers: Answers::Guard(answer), keys })
            }
            _ => None,
        }
    }
}

/// Whether tokens' probabilities give a value in this format: its verdict is one label or one number.
pub fn has_logprobs(format: &Format) -> bool {
    Question::of(format).is_some()
}

/// The text that tokens make, as [`score_logprobs`] counts its places.
pub fn reply_of(tokens: &[Token]) -> String {
    tokens.iter().map(|token| token.text.as_str()).collect()
}

/// Read a reply's verdict from the probabilities of its tokens.
///
/// The value is a number: of a score format the expectation over the numbers seen; of a binary format the probability
/// of true and of a guard that of unsafe, each as its share of the labels seen unless the format says otherwise; of a
/// choice the probability of the label that the format names, and where it names none, the likeliest label itself.
/// `object` holds `probabilities`, of each label or number, and `mass`, their sum.
///
/// # Errors
///
/// [`Unreadable`] as in [`read`](super::read) where the reply shows no place of a verdict, and with
/// [`Reason::LowMass`] where less probability than `min_mass` stands on the labels; the candidate is what it would
/// have been. A format without [`has_logprobs`] gives [`Reason::NoVerdict`].
pub fn score_logprobs<'f>(tokens: &[Token], format: &'f Format, min_mass: f64) -> Outcome<'f> {
    let Some(question) = Question::of(format) else {
        return Err(unread("the format's verdict is no single label or number"));
    };
    let reply = reply_of(tokens);
    let place = Place::find(&reply, tokens, format, &question)?;
    let seen = if format.logprobs().sum {
        seen_anywhere(tokens, question.answers)
    } else {
        seen_at(tokens, &place, &question)
    };
    weigh(&seen, format, question.answers, min_mass, place.span)
}

fn unread<'f>(sentence: &'static str) -> Unreadable<'f> {
    Unreadable::because(Reason::NoVerdict, sentence)
}

/// Probabilities by answer, in the order in which they were met.
#[derive(Default)]
struct Seen {
    answers: Vec<(Said, f64)>,
    /// The most that stands on answers at one place, where several were summed.
    highest: Option<f64>,
}

impl Seen {
    fn add(&mut self, said: Said, probability: f64) {
        match self.answers.iter_mut().find(|(known, _)| *known == said) {
            Some((_, sum)) => *sum += probability,
            None => self.answers.push((said, probability)),
        }
    }

    fn total(&self) -> f64 {
        self.answers.iter().map(|(_, probability)| probability).sum()
    }

    /// Rounding aside, never more than 1.
    fn mass(&self) -> f64 {
        self.highest.unwrap_or_else(|| self.total()).min(1.0)
    }

    /// The probability of an answer; of what was summed over places, its share of the mass.
    fn of(&self, is_meant: impl Fn(Said) -> bool) -> f64 {
        let meant: f64 = self.answers.iter().filter(|(said, _)| is_meant(*said)).map(|(_, one)| one).sum();
        let total = self.total();
        if total > 0.0 { meant / total * self.mass() } else { 0.0 }
    }
}

/// The answers as whole tokens at every place, as Granite Guardian's publisher counts them.
fn seen_anywhere(tokens: &[Token], answers: Answers<'_>) -> Seen {
    let mut seen = Seen::default();
    let mut highest: f64 = 0.0;
    for token in tokens {
        let mut here = 0.0;
        for (text, probability) in token.choices() {
            if let Some(said) = spelling::whole(text, answers) {
                seen.add(said, probability);
                here += probability;
            }
        }
        highest = highest.max(here);
    }
    seen.highest = Some(highest);
    seen
}

/// The answers that begin at the verdict's place.
fn seen_at(tokens: &[Token], place: &Place, question: &Question<'_>) -> Seen {
    let speller = Speller { tokens, answers: question.answers, is_first_token: place.is_first_token };
    let mut seen = Seen::default();
    let Some(token) = tokens.get(place.token) else { return seen };
    let choices = token.choices();
    let texts: Vec<Cow<'_, str>> =
        choices.iter().map(|(text, _)| spelling::bare(text.strip_prefix(&*place.lead).unwrap_or(text))).collect();
    for (nth, (text, (_, probability))) in texts.iter().zip(&choices).enumerate() {
        if nth == 0 {
            speller.follow(place.token, text, *probability, &mut seen);
        } else if let Some(said) = speller.alternative(text, &texts) {
            seen.add(said, *probability);
        }
    }
    seen
}

/// The reading of what was seen.
fn weigh<'f>(seen: &Seen, format: &'f Format, answers: Answers<'f>, min_mass: f64, span: Range<usize>) -> Outcome<'f> {
    let rule = format.logprobs();
    let mass = seen.mass();
    let nothing = |reason, sentence| Err(Unreadable::because(reason, sentence));
    if mass <= 0.0 {
        return nothing(Reason::LowMass, "no label is among the likeliest tokens");
    }
    let share = |probability: f64| Value::Score(if rule.share { (probability / mass).min(1.0) } else { probability });
    let value = match answers {
        Answers::Numbers(_) => {
            let sum: f64 = seen.answers.iter().map(|(said, one)| said.number() * one).sum();
            Some(Value::Score(sum / seen.total()))
        }
        Answers::Guard(answer) => {
            let is_unsafe = |said: Said| said.label().and_then(|one| answer.meaning(one)) == Some(true);
            Some(share(seen.of(is_unsafe)))
        }
        Answers::Labels(labels) => {
            let is_binary = format.verdict().unwrap_or(format).kind() == Kind::Binary;
            let named = || rule.label.as_deref().and_then(|name| labels.named(name));
            match if is_binary { Some(1) } else { named() } {
                Some(meant) => Some(share(seen.of(|said| said.label() == Some(meant)))),
                None => likeliest(seen, labels),
            }
        }
    };
    let Some(value) = value else { return nothing(Reason::Ambiguous, "two labels are equally likely") };
    let mut reading = Reading::new(value, Rule::Logprobs, span);
    reading.object = Some(document(seen, answers));
    if mass < min_mass {
        let words = format!("a probability of {mass:.3} stands on the labels, less than {min_mass}");
        let mut unreadable = Unreadable::new(Reason::LowMass, Detail::Words(words));
        unreadable.candidates.push(reading);
        return Err(unreadable);
    }
    Ok(reading)
}

/// The label that has most; None where two have.
fn likeliest<'f>(seen: &Seen, labels: &'f Labels) -> Option<Value<'f>> {
    let best = seen.answers.iter().max_by(|one, other| one.1.total_cmp(&other.1))?;
    let is_shared = seen.answers.iter().any(|one| one.0 != best.0 && one.1.total_cmp(&best.1).is_ge());
    let label = best.0.label().filter(|_| !is_shared)?;
    Some(Value::Label(label, labels.name(label)))
}

/// `probabilities` and `mass`.
fn document<'f>(seen: &Seen, answers: Answers<'f>) -> Json<'f> {
    let mut named: Vec<(String, f64)> =
        seen.answers.iter().map(|&(said, _)| (name(said, answers), seen.of(|other| other == said))).collect();
    if let Answers::Numbers(_) = answers {
        let key = |name: &str| name.parse::<f64>().unwrap_or(f64::MAX);
        named.sort_by(|(one, _), (other, _)| key(one).total_cmp(&key(other)));
    }
    let entries = |entries: Vec<(Cow<'f, str>, Json<'f>)>| Json::Object(Arc::new(entries));
    let probabilities = named.into_iter().map(|(name, one)| (Cow::Owned(name), Json::Float(one))).collect();
    entries(vec![
        (Cow::Borrowed("probabilities"), entries(probabilities)),
        (Cow::Borrowed("mass"), Json::Float(seen.mass())),
    ])
}

/// An answer as a key.
fn name(said: Said, answers: Answers<'_>) -> String {
    match (said, answers) {
        (Said::Label(label), Answers::Labels(labels)) => labels.name(label).to_owned(),
        (Said::Label(label), Answers::Guard(answer)) => match answer.meaning(label) {
            Some(true) => "unsafe".to_owned(),
            Some(false) => "safe".to_owned(),
            None => answer.labels.name(label).to_owned(),
        },
        _ => said.number().to_string(),
    }
}

/// Whether a guard's label says what a reading says.
fn agrees(value: &Value<'_>, said: Said, answers: Answers<'_>) -> bool {
    match (value, answers) {
        (Value::Score(number), _) => (said.number() - number).abs() < 1e-9,
        (Value::Bool(value), _) => said.label() == Some(usize::from(*value)),
        (Value::Label(label, _), _) => said.label() == Some(*label),
        (Value::Guard(verdict), Answers::Guard(answer)) => {
            said.label().is_some_and(|label| answer.meaning(label) == verdict.is_unsafe)
        }
        _ => false,
    }
}
