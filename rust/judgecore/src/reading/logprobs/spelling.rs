//! What tokens spell: a label or a number, the beginning of one, or neither.

use std::borrow::Cow;

use super::{Answers, Seen, Token};
use crate::format::Scale;
use crate::format::label::Labels;
use crate::reply::digit_value;
use crate::reply::text::{is_word_edge, tail};

/// A label's place among the labels, or a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Said {
    Label(usize),
    Number(f64),
}

impl Said {
    pub(super) fn label(self) -> Option<usize> {
        match self {
            Self::Label(label) => Some(label),
            Self::Number(_) => None,
        }
    }

    /// NaN, of a label.
    pub(super) fn number(self) -> f64 {
        match self {
            Self::Label(_) => f64::NAN,
            Self::Number(number) => number,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Spelled {
    /// Whole, whatever follows.
    Is(Said),
    /// It may go on: what it is if it does not, and if only one answer begins so, that one.
    Open {
        complete: Option<Said>,
        only: Option<Said>,
    },
    Nothing,
}

/// A token without what stands before an answer: spaces, in all their signs, and the marks of quotation and Markdown.
pub(super) fn bare(text: &str) -> Cow<'_, str> {
    let is_space = |c: char| c.is_whitespace() || matches!(c, '\u{2581}' | '\u{120}' | '\u{10a}');
    let is_quote = |c: char| matches!(c, '"' | '\'' | '`' | '\u{201c}' | '\u{2018}');
    let is_lead = |c: char| is_space(c) || is_quote(c) || "*_([{<:#".contains(c);
    let bare = text.trim_start_matches(is_lead);
    if bare.is_ascii() {
        return Cow::Borrowed(bare);
    }
    Cow::Owned(bare.chars().map(|c| digit_value(c).map_or(c, |digit| char::from(b'0' + digit))).collect())
}

/// The answer that a whole token is.
pub(super) fn whole(text: &str, answers: Answers<'_>) -> Option<Said> {
    let text = text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '\u{2581}' | '\u{120}' | '\u{10a}'));
    if let Some(labels) = answers.labels() {
        return labels.of(text).map(Said::Label);
    }
    match spelled(text, answers) {
        Spelled::Is(said) | Spelled::Open { complete: Some(said), .. } => Some(said),
        _ => None,
    }
}

/// Reads along the tokens that were written.
pub(super) struct Speller<'t, 'f> {
    pub(super) tokens: &'t [Token],
    pub(super) answers: Answers<'f>,
    /// The first token alone is the verdict.
    pub(super) is_first_token: bool,
}

/// A single letter may begin anything.
const FEWEST_LETTERS: usize = 2;

impl Speller<'_, '_> {
    /// What a token says that was not written, so that nothing is known of what would follow it.
    pub(super) fn alternative(&self, text: &str, beside: &[Cow<'_, str>]) -> Option<Said> {
        match spelled(text, self.answers) {
            Spelled::Is(said) | Spelled::Open { complete: Some(said @ Said::Label(_)), .. } => Some(said),
            // "1" may begin "10", unless that is a token of its own.
            Spelled::Open { complete: Some(said), .. } => {
                let digits = text.trim_end();
                let is_longer = |other: &&Cow<'_, str>| {
                    other.len() > digits.len() && other.starts_with(digits) && self.is_number(other)
                };
                beside.iter().any(|other| is_longer(&other)).then_some(said)
            }
            Spelled::Open { only, .. } => only.filter(|_| text.chars().count() >= FEWEST_LETTERS),
            Spelled::Nothing => None,
        }
    }

    fn is_number(&self, text: &str) -> bool {
        text.trim_end().chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-'))
            && matches!(spelled(text, self.answers), Spelled::Is(_))
    }

    /// Add what the token that was written says, and what its followers make of it.
    pub(super) fn follow(&self, at: usize, text: &str, probability: f64, seen: &mut Seen) {
        let (mut at, mut text, mut probability) = (at, text.to_owned(), probability);
        loop {
            let complete = match spelled(&text, self.answers) {
                Spelled::Nothing => return,
                Spelled::Is(said) => {
                    // The scale may have numbers between whole ones: "4" and ".5".
                    if !self.may_have_fraction(&text) {
                        seen.add(said, probability);
                        return;
                    }
                    Some(said)
                }
                Spelled::Open { complete: None, only: Some(only) } => {
                    if self.is_spelled_out(at, &text, only) {
                        seen.add(only, probability);
                    }
                    return;
                }
                Spelled::Open { complete, .. } => complete,
            };
            let Some(next) = self.tokens.get(at + 1) else {
                if let Some(said) = complete {
                    seen.add(said, probability);
                }
                return;
            };
            // Each next token ends what was spelled, makes another answer of it, or spoils it.
            let mut ends = 0.0;
            let mut goes_on = 0.0;
            let mut others = Vec::new();
            let mut written = None;
            for (nth, (more, share)) in next.choices().into_iter().enumerate() {
                let longer = format!("{text}{more}");
                match spelled(&longer, self.answers) {
                    Spelled::Is(said) if Some(said) == complete => ends += share,
                    Spelled::Open { complete: same, .. } if nth > 0 && same.is_some() && same == complete => {
                        ends += share;
                    }
                    _ if nth == 0 => {
                        goes_on += share;
                        written = Some((longer, share));
                    }
                    Spelled::Is(said) | Spelled::Open { complete: None, only: Some(said) } => {
                        goes_on += share;
                        others.push((said, share));
                    }
                    _ => goes_on += share,
                }
            }
            // Where what was written ends here, so does what is not among the likeliest.
            let ends = if written.is_none() { (1.0 - goes_on).max(ends) } else { ends };
            if let Some(said) = complete
                && ends > 0.0
            {
                seen.add(said, probability * ends.min(1.0));
            }
            for (said, share) in others {
                seen.add(said, probability * share);
            }
            let Some((longer, share)) = written else { return };
            (at, text, probability) = (at + 1, longer, probability * share);
        }
    }

    fn may_have_fraction(&self, text: &str) -> bool {
        matches!(self.answers, Answers::Numbers(scale) if !scale.is_integer)
            && text.chars().all(|c| c.is_ascii_digit() || c == '-')
    }

    /// Whether the tokens that were written go on to spell this answer, or end before they could.
    fn is_spelled_out(&self, at: usize, text: &str, only: Said) -> bool {
        let mut longer = text.to_owned();
        for token in self.tokens.iter().skip(at + 1) {
            longer.push_str(&token.text);
            match spelled(&longer, self.answers) {
                Spelled::Is(said) | Spelled::Open { complete: Some(said), .. } => return said == only,
                Spelled::Open { .. } => {}
                Spelled::Nothing => return false,
            }
        }
        self.is_first_token && text.chars().count() >= FEWEST_LETTERS
    }
}

fn spelled(text: &str, answers: Answers<'_>) -> Spelled {
    match answers {
        Answers::Labels(labels) => label(text, labels),
        Answers::Guard(answer) => label(text, &answer.labels),
        Answers::Numbers(scale) => number(text, scale),
    }
}

/// What text spells among labels, in any case unless case tells them apart.
fn label(text: &str, labels: &Labels) -> Spelled {
    let mut complete = None;
    let mut only: Option<Option<usize>> = None;
    for form in labels.forms() {
        if labels.begins(form, text) {
            let rest = tail(text, form.text.len());
            if rest.is_empty() {
                complete = Some(form.label);
            } else if is_word_edge(text, form.text.len()) {
                return Spelled::Is(Said::Label(form.label));
            }
        } else if !text.is_empty() && labels.is_begun(form, text) {
            only = Some(match only {
                Some(known) => known.filter(|&label| label == form.label),
                None => Some(form.label),
            });
        }
    }
    let said = |label: Option<usize>| label.map(Said::Label);
    match (complete, only) {
        (Some(label), None) => Spelled::Is(Said::Label(label)),
        (Some(label), Some(Some(only))) if label == only => Spelled::Is(Said::Label(label)),
        (None, None) => Spelled::Nothing,
        (complete, only) => Spelled::Open { complete: said(complete), only: said(only.flatten()) },
    }
}

/// What text spells among the numbers of a scale.
fn number(text: &str, scale: Scale) -> Spelled {
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let sign = text.len() - unsigned.len();
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(unsigned);
    if whole == 0 {
        // A sign that is a token of its own.
        let may_be_sign = text == "-" && scale.low < 0.0;
        return if may_be_sign { Spelled::Open { complete: None, only: None } } else { Spelled::Nothing };
    }
    let behind = tail(unsigned, whole);
    let decimals = behind.strip_prefix('.').map_or(0, digits);
    let length = sign + whole + if decimals > 0 { 1 + decimals } else { 0 };
    let Ok(value) = text.get(..length).unwrap_or_default().parse::<f64>() else { return Spelled::Nothing };
    let rest = tail(text, length);
    let is_in = |value: f64| (scale.low..=scale.high).contains(&value) && !(scale.is_integer && value.fract() != 0.0);
    let said = is_in(value).then_some(Said::Number(value));
    if rest.starts_with(|c: char| c.is_alphanumeric() || c == '%') {
        return Spelled::Nothing;
    }
    if !rest.is_empty() && rest != "." {
        return said.map_or(Spelled::Nothing, Spelled::Is);
    }
    // More digits lead away from zero, on the side where the sign stands.
    let furthest = if sign > 0 { -scale.low } else { scale.high };
    let has_more_digits = decimals == 0 && rest.is_empty() && value != 0.0 && value.abs() * 10.0 <= furthest;
    let has_decimals = !scale.is_integer && decimals == 0 && (rest == "." || scale.high.max(-scale.low) <= 1.0);
    match said {
        _ if has_more_digits || has_decimals => Spelled::Open { complete: said, only: None },
        Some(said) => Spelled::Is(said),
        None => Spelled::Nothing,
    }
}
