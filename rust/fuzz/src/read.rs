//! Reading: for any text, format and mode, the outcome is in the format's domain.

use std::ops::Range;
use std::sync::{Arc, LazyLock};

use judgecore::format::{Kind, Scale};
use judgecore::{Format, Mode, Outcome, Reading, Rule, Value};

static FORMATS: LazyLock<Vec<Arc<Format>>> = LazyLock::new(judgecore::format::all);

/// A reply and the options to read it with.
///
/// Encoded as a byte for the format's index, a byte for the mode and the cut flag, and the reply.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a> {
    format: u8,
    knobs: u8,
    reply: &'a str,
}

impl<'a> Input<'a> {
    /// Decode an input; None if there is no reply. An incomplete last character is dropped.
    pub fn decode(bytes: &'a [u8]) -> Option<Self> {
        let (&[format, knobs], reply) = bytes.split_first_chunk()?;
        let reply = match str::from_utf8(reply) {
            Ok(reply) => reply,
            Err(error) => str::from_utf8(&reply[..error.valid_up_to()]).ok()?,
        };
        Some(Self { format, knobs, reply })
    }

    /// Encode the input as bytes.
    pub fn encode(&self) -> Vec<u8> {
        [&[self.format, self.knobs], self.reply.as_bytes()].concat()
    }

    /// Combine a reply with each built-in format and mode, whole and cut off.
    pub fn every(reply: &'a str) -> impl Iterator<Item = Self> {
        let formats = 0..u8::try_from(FORMATS.len()).unwrap_or(u8::MAX);
        let all_knobs = 2 * u8::try_from(Mode::ALL.len()).unwrap_or(u8::MAX);
        formats.flat_map(move |format| (0..all_knobs).map(move |knobs| Self { format, knobs, reply }))
    }

    /// The examples of the built-in formats, each with its own format.
    pub fn examples() -> impl Iterator<Item = Input<'static>> {
        FORMATS.iter().zip(0..).flat_map(|(format, index)| {
            format
                .examples()
                .iter()
                .flat_map(move |example| Input::every(&example.reply).filter(move |input| input.format == index))
        })
    }

    fn format(&self) -> &'static Format {
        &FORMATS[usize::from(self.format) % FORMATS.len()]
    }

    fn mode(&self) -> Mode {
        Mode::ALL[usize::from(self.knobs / 2) % Mode::ALL.len()]
    }

    fn is_cut(&self) -> bool {
        self.knobs % 2 == 1
    }

    /// Read the reply; panic if the outcome is not in the format's domain.
    pub fn check(&self) {
        let (format, mode) = (self.format(), self.mode());
        let outcome = judgecore::read(self.reply, format, mode, self.is_cut(), &[]);
        if let Some(problem) = problem(&outcome, self.reply, format, mode) {
            let (id, mode, cut) = (format.id(), mode.name(), self.is_cut());
            panic!("{problem}\nformat {id}, mode {mode}, cut {cut}\nreply {:?}\noutcome {outcome:?}", self.reply);
        }
    }
}

fn problem(outcome: &Outcome<'_>, reply: &str, format: &Format, mode: Mode) -> Option<String> {
    match outcome {
        Ok(reading) => span_problem(reading, reply).or_else(|| invention_problem(reading, mode)).or_else(|| {
            // A publisher's rule may invent a value, or keep one that is off the scale.
            let is_publishers = mode == Mode::Paper && format.keeps_off_scale();
            if reading.is_invented() || is_publishers { None } else { value_problem(&reading.value, format) }
        }),
        // Candidates may lie outside the domain, which can be the reason why the reply is unreadable.
        Err(unreadable) => unreadable.candidates.iter().find_map(|candidate| span_problem(candidate, reply)),
    }
}

fn span_problem(reading: &Reading<'_>, reply: &str) -> Option<String> {
    let Range { start, end } = reading.span;
    reply.get(start..end).is_none().then(|| format!("the span {start}..{end} is not a slice of the reply"))
}

fn invention_problem(reading: &Reading<'_>, mode: Mode) -> Option<String> {
    match (reading.rule, mode) {
        (Rule::PublisherDefault, Mode::Paper) if !reading.span.is_empty() => {
            Some("an invented value has a span".into())
        }
        (Rule::PublisherDefault | Rule::Publisher, Mode::Paper) => None,
        (Rule::PublisherDefault | Rule::Publisher, _) => Some("the publisher's rule outside paper mode".into()),
        (_, Mode::Paper) => Some("a rule of judgecore's own in paper mode".into()),
        _ => None,
    }
}

fn value_problem(value: &Value<'_>, format: &Format) -> Option<String> {
    if let Some(verdict) = format.verdict() {
        return value_problem(value, verdict);
    }
    let is_valid = match (format.kind(), value) {
        (Kind::Binary, Value::Bool(_)) | (Kind::Guard, Value::Guard(_)) | (Kind::Json, Value::Json(_)) => true,
        (Kind::Choice, Value::Label(index, label)) => format.labels().get(*index).is_some_and(|known| known == label),
        (Kind::Score, Value::Score(score)) => is_on(format.scale(), *score),
        (Kind::Scores, Value::Scores(scores)) => scores.iter().all(|&score| is_on(format.scale(), score)),
        (Kind::Fields, Value::Fields(fields)) => !fields.is_empty(),
        (Kind::Ranking, Value::Ranking(names)) => !names.is_empty(),
        (Kind::Order, Value::Order(ranks)) => ranks.len() == format.labels().len() && ranks.contains(&1),
        _ => false,
    };
    (!is_valid).then(|| format!("{value:?} is not a value of the format"))
}

fn is_on(scale: Option<Scale>, score: f64) -> bool {
    scale.is_some_and(|scale| (scale.low..=scale.high).contains(&score))
}
