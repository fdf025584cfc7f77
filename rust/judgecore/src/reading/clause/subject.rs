//! What a sentence is about: the verdict of the judge, or something else that has a value.

use super::{COMMAS, Clause, RETELLS, VERDICT, is_number};
use crate::lexicon::{self as class, Classes};
use crate::reading::outcome::Rule;
use crate::reading::token::{ANSWERS, AWARDS, Kind, NAMES, Token, among, of};

/// Verbs that say a verdict.
const SAYS: Classes = class::LINK | AWARDS | class::CHOOSE | class::DEEM | class::WIN;

/// What measures and compares.
const MEASURES: Classes = class::UNIT | class::OVER | class::THAN | class::THAN_BEHIND;

/// What a sentence may consist of that says a verdict and nothing else.
const MERE: Classes = VERDICT | ANSWERS | SAYS | NAMES | MEASURES;

/// What makes somebody else the one who says it.
const SUPPOSES: Classes = RETELLS | class::COUNTERFACTUAL;

impl Clause<'_> {
    /// `I'd say 8`, `The answer is correct, with the right unit`: whether a sentence says the judge's verdict and nothing of somebody
    /// or something else, by its subject, or by all its words.
    pub(in crate::reading) fn is_of_what_is_judged(&self, rule: Rule) -> bool {
        let (before, next) = (self.before(), self.next());
        let is_marked = rule == Rule::Marker;
        let is_mere = |token: &Token| {
            token.kind != Kind::Word || token.is(MERE) && !token.is(SUPPOSES) || token.end == token.start + 1
        };
        let says = |token: &&Token| !token.is(class::BECAUSE) && !token.is_mark(&[':', ';', '\u{2014}', '\u{2013}']);
        let opens = before.iter().all(|token| !token.is_word() || token.is(class::ANY));
        // "4, with the caveat that I haven't opened the links"
        let is_apart =
            || self.is_in_digits() && !next.first().is_some_and(Token::is_word) && !next.iter().any(of(RETELLS));
        if self.has_name
            || opens && (is_marked || is_apart())
            || before.iter().chain(next.iter().take_while(says)).all(is_mere)
        {
            return true;
        }
        if rule == Rule::Mention || !is_marked && self.before_quotation().is_some() {
            return false;
        }
        // "Je donne" is one word of the lexicon.
        let acts = class::GIVE | class::CHOOSE | class::DEEM;
        let is_judge = |token: &Token| token.is(class::SELF | acts) && !token.is(class::POSSESSIVE);
        let first =
            |passes: Classes| next.iter().find(|token| token.is_word() && !token.is_bare() && !token.is(passes));
        let value = self.value();
        if value.iter().any(of(class::YES | class::NO)) {
            // "Yes, of course I can check that!"
            let is_chat =
                first(class::FILL | class::EMPHATIC | class::YES | class::NO | class::OF).is_some_and(is_judge);
            return opens && (!is_chat || next.iter().any(of(class::DEEM | class::TRUE)));
        }
        let is_score = value.iter().any(is_number);
        let judged = class::THING | class::ANNOUNCE | class::WINNER | class::VAGUE;
        let is_subject = |token: &Token| (token.is(judged) || is_judge(token)) && !token.is_part && !token.runs_on;
        // "Le premier correcteur a classé les copies ainsi" has another subject.
        let has_subject = before.split(among(&COMMAS)).any(|clause| {
            let subject = clause.iter().position(is_subject);
            subject.is_some_and(|at| clause.iter().take(at).filter(|token| !is_mere(token)).count() <= 1)
        });
        // "For most readers Response B is better."
        let is_label = !is_score && first(0).is_some_and(of(class::LINK | class::WIN | class::EARN));
        // "It gets a nine from me, and I don't hand those out often."
        let is_from_judge = next.iter().take_while(|token| !token.is_mark(&COMMAS)).any(is_judge);
        !self.says(SUPPOSES) && (has_subject || is_label || is_from_judge)
    }

    /// Whether a value answers no.
    pub(in crate::reading) fn answers_no(&self) -> bool {
        self.value().iter().any(of(class::NO))
    }
}
