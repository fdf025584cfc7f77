//! Where the verdict stands among the tokens.

use std::ops::Range;

use super::spelling::Said;
use super::{Answers, Question, Token, agrees, unread};
use crate::format::{Format, Reader};
use crate::reading::line_label::{labels_in, value_behind};
use crate::reading::numeral::{self, Comma, Numeral};
use crate::reading::outcome::{Mode, Reading, Reason, Unreadable, Value};
use crate::reply::View;
use crate::reply::text::{head, slice};

/// The token in which the verdict begins.
pub(super) struct Place {
    pub(super) token: usize,
    /// What stands before the verdict in that token.
    pub(super) lead: String,
    /// The verdict's first token in the reply, in bytes.
    pub(super) span: Range<usize>,
    pub(super) is_first_token: bool,
}

impl Place {
    /// By the format's own rule: the first token, or the place where the reply's verdict is read.
    pub(super) fn find<'f>(
        reply: &str,
        tokens: &[Token],
        format: &'f Format,
        question: &Question<'_>,
    ) -> Result<Self, Unreadable<'f>> {
        let is_first_token = format.is_first_token() || format.logprobs().sum;
        let found = if is_first_token { first(reply) } else { None };
        let start = match found {
            Some(start) => start,
            None => in_reading(reply, format, question).or_else(|unreadable| {
                // Where the answer is all of the reply, it would have begun at once, whatever was written.
                let is_all = format.declared_markers().is_empty() && question.keys.is_empty();
                let is_other = is_all && unreadable.reason == Reason::NoVerdict;
                first(reply).filter(|_| is_other).ok_or(unreadable)
            })?,
        };
        let mut end = 0;
        for (nth, token) in tokens.iter().enumerate() {
            let begin = end;
            end += token.text.len();
            if start < end {
                let lead = head(&token.text, start.saturating_sub(begin)).to_owned();
                return Ok(Self { token: nth, lead, span: start..end, is_first_token });
            }
        }
        Err(unread("the reply ends before its verdict"))
    }
}

/// Where the answer begins, behind reasoning, white space and marks.
fn first(reply: &str) -> Option<usize> {
    let view = View::new(reply);
    let text = view.text();
    let at = text.find(|c: char| c.is_alphanumeric())?;
    let place = view.place(at..at + 1);
    Some(place.start)
}

/// Where the verdict stands that `lenient` reads.
fn in_reading<'f>(reply: &str, format: &'f Format, question: &Question<'_>) -> Result<usize, Unreadable<'f>> {
    // What it says of the reply is told without the reply.
    let Reading { span, value, .. } = crate::reading::read(reply, format, Mode::Lenient, false, &[])
        .map_err(|unreadable| Unreadable::new(unreadable.reason, unreadable.detail))?;
    let nowhere = || unread("the tokens of the verdict can't be told from the rest");
    let is_document = matches!(&format.reader, Reader::Json(_));
    if let Some(at) = behind_key(slice(reply, span.clone()), &question.keys) {
        return Ok(span.start + at);
    }
    if is_document && slice(reply, span.clone()).contains('{') {
        return Err(nowhere());
    }
    let view = View::new(slice(reply, span.clone()));
    let text = view.text();
    let found = match question.answers.labels() {
        None => last_number(text, &value, question.answers),
        Some(labels) => labels
            .mentions(text, 0..text.len())
            .find(|mention| agrees(&value, Said::Label(mention.label), question.answers))
            .map(|mention| mention.start),
    };
    let at = found.ok_or_else(nowhere)?;
    Ok(span.start + view.place(at..at + 1).start)
}

/// Where the value begins behind the last of these keys that has one: `"score": 8`, `Harmful response: no`.
fn behind_key(text: &str, keys: &[&str]) -> Option<usize> {
    keys.iter().find_map(|key| {
        let places = labels_in(text, std::iter::once((*key, ()))).into_iter();
        let mut values = places.filter_map(|(label, ())| value_behind(text, label.end));
        values.rfind(|at| *at < text.len())
    })
}

/// The last number of the text that is this one, and no denominator.
fn last_number(text: &str, value: &Value<'_>, answers: Answers<'_>) -> Option<usize> {
    let numbers = numeral::numbers(text, 0, Comma::Decimal);
    let is_it = |number: &Numeral| {
        agrees(value, Said::Number(number.value), answers) && !numeral::is_denominator(text, number.start)
    };
    numbers.filter(is_it).last().map(|number| number.start)
}
