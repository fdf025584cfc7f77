//! What a reply is made of.
//!
//! [`View`] is the reply as a careful reader sees it: without reasoning, template tokens and noise.
//! Every place in it leads back to the place in the reply as it was given.

mod digit;
pub(crate) mod material;
mod noise;
mod quotation;
mod reasoning;
pub(crate) mod text;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use noise::Piece;

use text::{any_byte, slice};

pub(crate) use digit::value as digit_value;
pub(crate) use noise::see_through;
pub(crate) use quotation::Quotations;
pub(crate) use reasoning::{Answer, answer, answered};

/// A reply as a careful reader sees it.
pub(crate) struct View<'r> {
    reply: &'r str,
    text: Cow<'r, str>,
    /// Empty where the view is the reply itself.
    pieces: Vec<Piece>,
    is_unclosed: bool,
    quotations: OnceCell<Quotations>,
}

impl<'r> View<'r> {
    pub(crate) fn new(reply: &'r str) -> Self {
        Self::of(reply, reply)
    }

    /// The view of a reply of which less is shown: as long as it, with other bytes where something is blotted out.
    pub(crate) fn of(reply: &'r str, shown: &'r str) -> Self {
        let is_noisy = any_byte(shown, noise::may_be_sign) && any_byte(shown, noise::is_sign);
        let mut view = Self {
            reply,
            // Nothing is said by the white space at the end, and looks ahead are bounded.
            text: Cow::Borrowed(shown.trim_end()),
            pieces: Vec::new(),
            is_unclosed: false,
            quotations: OnceCell::new(),
        };
        let may_have_tag = || {
            reasoning::has_bracketed_tag(shown)
                || view.text.ends_with("[/s]")
                || shown.trim_start().starts_with("analysis")
        };
        if !is_noisy && !may_have_tag() {
            return view;
        }
        let answer = reasoning::answer(shown);
        let whole = 0..shown.len();
        let spans = answer.as_ref().map_or(std::slice::from_ref(&whole), |answer| &answer.spans);
        let mut text = String::with_capacity(shown.len());
        view.pieces.reserve(8 + shown.len() / 32);
        let mut end = 0;
        for span in spans {
            // Spans that reasoning parts belong to different lines of the answer, unless it stands in one line.
            if !(text.is_empty() || text.ends_with('\n') || slice(shown, span.clone()).starts_with('\n')) {
                view.pieces.push(Piece { view: text.len(), reply: span.start, view_length: 1, reply_length: 0 });
                text.push(if slice(shown, end..span.start).contains('\n') { '\n' } else { ' ' });
            }
            noise::see_through(shown, span.clone(), &mut text, &mut view.pieces);
            end = span.end;
        }
        view.is_unclosed = answer.is_some_and(|answer| answer.is_unclosed);
        text.truncate(text.trim_end().len());
        view.text = Cow::Owned(text);
        view
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn reply(&self) -> &'r str {
        self.reply
    }

    /// The reply ends inside its reasoning.
    pub(crate) fn is_unclosed(&self) -> bool {
        self.is_unclosed
    }

    /// Whether a range stands in a quotation at all.
    pub(crate) fn quotes(&self, range: &Range<usize>) -> bool {
        !self.is_unquoted(range) && self.quotations().hold(range)
    }

    /// Whether a range stands in a quotation that holds more than the range itself.
    pub(crate) fn hides(&self, range: &Range<usize>) -> bool {
        !self.is_unquoted(range) && self.quotations().hide(range)
    }

    /// Whether a range is so near an end that no quotation could open before it or close behind it. Most verdicts are, so
    /// that the quotations of a long text need not be found.
    fn is_unquoted(&self, range: &Range<usize>) -> bool {
        self.quotations.get().is_none() && quotation::is_outside(&self.text, range)
    }

    fn quotations(&self) -> &Quotations {
        self.quotations.get_or_init(|| Quotations::find(&self.text))
    }

    /// Where a range of the view stands in the reply.
    pub(crate) fn place(&self, range: Range<usize>) -> Range<usize> {
        if matches!(self.text, Cow::Borrowed(_)) {
            return range;
        }
        let start = self
            .piece_at(range.start)
            .map_or(self.reply.len(), |piece| piece.reply + (range.start - piece.view).min(piece.reply_length));
        let Some(last) = range.end.checked_sub(1).filter(|&last| last >= range.start) else { return start..start };
        let end = self.piece_at(last).map_or(self.reply.len(), |piece| {
            if piece.view_length == piece.reply_length {
                piece.reply + (range.end - piece.view)
            } else {
                piece.reply + piece.reply_length
            }
        });
        start..end.max(start)
    }

    fn piece_at(&self, at: usize) -> Option<&Piece> {
        let after = self.pieces.partition_point(|piece| piece.view <= at);
        let piece = self.pieces.get(after.checked_sub(1)?)?;
        (at < piece.view + piece.view_length).then_some(piece)
    }
}

#[cfg(test)]
mod tests {
    use super::View;

    #[test]
    fn places_lead_back_to_the_reply() {
        for (reply, seen, want) in [
            ("Score: 8", "8", "8"),
            ("**Score**: **8**", "Score: 8", "Score**: **8"),
            ("<think>[[A]]</think>\n**[[B]]**", "[[B]]", "[[B]]"),
            ("\u{ff18}\u{5206}", "8", "\u{ff18}"),
            ("GRADE:\u{200b}C", "GRADE:C", "GRADE:\u{200b}C"),
        ] {
            let view = View::new(reply);
            let at = view.text().find(seen).unwrap();
            let place = view.place(at..at + seen.len());
            assert_eq!(reply.get(place), Some(want), "{reply}");
        }
    }
}
