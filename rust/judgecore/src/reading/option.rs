//! Labels that are listed as what may be chosen, rival each other or tell what is spoken of, and are no choice.

use std::ops::Range;

use super::context::{CLAUSE_LIMIT, closes_text, opens_clause, opens_line, skip_closing, word_after, word_before};
use super::evidence::Candidate;
use super::outcome::{Detail, Reason};
use super::sentence::heading;
use super::token::{GOES_ON, OF_ALL, QUOTES};
use super::word::{Word, word_at};
use crate::format::label::{Labels, Mention, Shape};
use crate::lexicon::{self as class, lexicon};
use crate::reply::text::{
    byte_at, line_ahead, line_end, line_start, skip_back_near, skip_near, slice, starts_with_at, tail,
};

/// What stands between what was and what is: `A -> B`.
const ARROWS: [&str; 3] = ["->", "=>", "\u{2192}"];

/// No noun is longer, in bytes.
const NOUN: usize = 96;

/// One of several labels that stand side by side: `A or B`, `A/B/tie`, or each on a line of a list.
pub(super) fn is_listed(text: &str, before: Option<&Mention>, mention: &Mention, after: Option<&Mention>) -> bool {
    const JOINS: [&str; 21] = [
        "or", "and", "/", ",", "|", "vs", "vs.", "versus", "nor", "&", ", or", ", and", ", nor", "and/or", "or a",
        "or an", "=", "==", "\u{2248}", "\u{3001}", "\u{ff0c}",
    ];
    let is_noun =
        |word: &str| word.len() <= NOUN && lexicon().classes(word) & (class::THING | class::LINK) == class::THING;
    let is_conjunction = |word: &str| lexicon().classes(word) & (class::OR | class::JOIN) != 0;
    let joins = |range: Range<usize>| {
        let between = slice(text, range);
        let between = between.strip_prefix("'s").unwrap_or(between);
        let joined = between.trim_matches(|c: char| {
            c.is_whitespace() || matches!(c, '"' | '\'' | '[' | ']' | '(' | ')' | '`' | '<' | '>')
        });
        let is_change = ARROWS.contains(&between.trim());
        // "Assistant A and Assistant B", "A's answer and B's"
        let joined = joined.split_once(' ').filter(|(_, noun)| is_noun(noun.trim())).map_or(joined, |(join, _)| join);
        // "A ? B" leaves open which, and "Is it A? B is better." asks.
        is_change
            || between == " ? "
            || joined.len() <= 12
                && (JOINS.iter().any(|join| join.eq_ignore_ascii_case(joined))
                    || is_conjunction(joined)
                    || between.contains('\n') && is_list_mark(between.trim()))
    };
    // "Next to A, B is better", "A, Response B'den daha iyi": a comma that ends a clause lists nothing.
    let goes_on = |one: &Mention, other: &Mention| {
        let noun = slice(text, one.end..other.start).trim_start().strip_prefix(',').map(str::trim);
        let is_join = |word: &str| JOINS.iter().any(|join| join.eq_ignore_ascii_case(word)) || is_conjunction(word);
        let next = word_after(text, other.end).filter(|word| slice(text, other.end..word.start) == " ");
        let rest = tail(text, other.end);
        let has_suffix = rest.starts_with(['\'', '\u{2019}']) && rest.chars().nth(1).is_some_and(char::is_alphabetic);
        let is_standard = || has_suffix || next.is_some_and(|word| word.has(class::THAN_BEHIND));
        noun.is_some_and(|noun| {
            noun.is_empty() && (has_suffix || next.is_some_and(|word| !is_join(word.text)))
                || is_noun(noun) && is_standard()
        })
    };
    // "Verdict: B" above "- A has errors": what is announced is listed with nothing but items that are labels alone.
    let is_above = |one: &Mention, other: &Mention| {
        let start = noun_before(text, one).map_or(one.start, |noun| noun.start);
        let is_announced = || {
            let above = heading(text, line_start(text, start)).map_or("", |heading| slice(text, heading));
            above.split(|c: char| !c.is_alphanumeric()).any(|word| lexicon().classes(word) & class::ANNOUNCE != 0)
        };
        slice(text, one.end..other.start).contains('\n')
            && (!opens_line(text, start) || is_announced())
            && !is_alone(text, other)
            && !word_after(text, other.end).is_some_and(|word| word.has(class::PART | class::IF))
    };
    let with = |one: &Mention, other: &Mention| {
        one.label != other.label && joins(one.end..other.start) && !is_above(one, other) && !goes_on(one, other)
    };
    before.is_some_and(|before| with(before, mention)) || after.is_some_and(|after| with(mention, after))
}

/// `2.`, `3)`, `-`: what stands before an item of a list.
fn is_list_mark(text: &str) -> bool {
    let number = text.strip_suffix(['.', ')']).unwrap_or("");
    matches!(text, "-" | "*" | "\u{2022}")
        || (1..=2).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// `Harmful? [Yes/No]: No`: a label behind a list of labels and a colon.
pub(super) fn is_behind_options(
    text: &str,
    earlier: Option<&Mention>,
    before: Option<&Mention>,
    label: &Mention,
) -> bool {
    let (Some(first), Some(last)) = (earlier, before) else { return false };
    let gap = slice(text, last.end..label.start).trim_matches([' ', ')', ']', '"', '\'']);
    gap == ":" && is_listed(text, Some(first), last, None)
}

/// `A: Feedback 1 is better` above `B: Feedback 2 is better`: the same line for each label is what may be chosen from.
pub(super) fn is_option(text: &str, mention: &Mention, labels: &Labels) -> bool {
    let rest = |mention: &Mention| slice(text, mention.end..line_end(text, mention.end)).trim();
    let is_same = |other: Mention| !rest(mention).is_empty() && rest(&other) == rest(mention);
    opens_line(text, mention.start) && neighbours(text, mention, labels).any(is_same)
}

/// `C: correct` above `P: partial`: whether lines with a label and a colon each tell what the labels stand for.
pub(super) fn is_legend(text: &str, mention: &Mention, labels: &Labels) -> bool {
    let is_entry = |mention: &Mention| opens_line(text, mention.start) && byte_at(text, mention.end) == b':';
    is_entry(mention) && neighbours(text, mention, labels).any(|other| is_entry(&other))
}

/// `1: Response 1 is better` above `2: Response 2 is better`: whether a label only tells what the one stands for that
/// heads its line.
pub(super) fn is_explained(text: &str, mention: &Mention, mentions: &[Mention]) -> bool {
    mention_before(mentions, mention).is_some_and(|name| {
        name.label == mention.label
            && !slice(text, name.end..mention.start).contains('\n')
            && is_enumerated(text, name, mentions)
    })
}

/// `A. It is right.` above `B. It is wrong.`, `## Assistant A` and a text above `## Assistant B`: labels that number or
/// head the parts of a reply.
pub(super) fn is_enumerated(text: &str, mention: &Mention, mentions: &[Mention]) -> bool {
    // French puts a space before a colon.
    let mark_of = |mention: &Mention| byte_at(text, skip_near(text, skip_closing(text, mention.end), |c| c == ' '));
    let mark = mark_of(mention);
    // "- Assistant 1: Helpful": the noun belongs to the name.
    let name_start = |mention: &Mention| {
        let noun = noun_before(text, mention).filter(|noun| noun.has(class::THING));
        noun.map_or(mention.start, |noun| noun.start)
    };
    let opens = |mention: &Mention| opens_line(text, name_start(mention));
    let is_heading = |mention: &Mention| {
        let start = line_start(text, mention.start);
        let below = || tail(text, line_end(text, mention.end)).trim_start_matches([' ', '\n']);
        let is_list = || below().starts_with(['-', '*', '\u{2022}']);
        is_alone(text, mention) && opens(mention) && (slice(text, start..mention.start).starts_with('#') || is_list())
    };
    let heads = |other: &Mention| opens(other) && mark_of(other) == mark && !is_alone(text, other);
    let is_numbering = matches!(mark, b'.' | b')' | b':' | b'-' | 0xe2) && opens(mention) && !is_alone(text, mention);
    let is_title = is_heading(mention);
    // "Response 1:" above a text heads it.
    let is_over_text = || {
        let is_name = mention.shape == Shape::Name || name_start(mention) < mention.start;
        let is_marked = mark == b':' || slice(text, line_start(text, mention.start)..mention.start).starts_with('#');
        let is_line = opens(mention) && is_alone(text, mention);
        is_name && is_marked && is_line && !tail(text, line_end(text, mention.end)).trim().is_empty()
    };
    is_over_text()
        || (is_numbering || is_title)
            && mentions.iter().any(|other| {
                other.label != mention.label && (is_numbering && heads(other) || is_title && is_heading(other))
            })
}

/// `[A] opens with a joke. [B] has sources.`: labels in brackets, each of which opens a sentence or a line.
pub(super) fn is_bracketed_list(text: &str, mention: &Mention, mentions: &[Mention]) -> bool {
    let opens = |mention: &Mention| {
        let before = mention.start.saturating_sub(1);
        matches!((byte_at(text, before), byte_at(text, mention.end)), (b'[', b']') | (b'(', b')'))
            && (opens_clause(text, skip_back_near(text, before, |c| c == ' ')) || opens_line(text, before))
            && !is_alone(text, mention)
    };
    opens(mention) && mentions.iter().any(|other| other.label != mention.label && opens(other))
}

/// The last label that ends before one.
pub(super) fn mention_before<'m>(mentions: &'m [Mention], mention: &Mention) -> Option<&'m Mention> {
    mentions.get(mentions.partition_point(|other| other.end <= mention.start).checked_sub(1)?)
}

/// The noun before a letter or a number, or in a name: `Response` in `Response A`.
pub(super) fn noun_before<'t>(text: &'t str, mention: &Mention) -> Option<Word<'t>> {
    match mention.shape {
        Shape::Name => word_at(text, mention.start),
        Shape::Letter | Shape::Number => word_before(text, mention.start)
            .filter(|word| matches!(slice(text, word.end..mention.start), " " | " (" | " #")),
        _ => None,
    }
}

/// Whether nothing follows on the line.
fn is_alone(text: &str, mention: &Mention) -> bool {
    let rest = tail(text, skip_closing(text, mention.end));
    rest.chars().take_while(|c| *c != '\n').all(|c| !c.is_alphanumeric())
}

/// The other labels that open the lines above and below.
fn neighbours(text: &str, mention: &Mention, labels: &Labels) -> impl Iterator<Item = Mention> {
    let below = skip_near(text, line_end(text, mention.end), |c| matches!(c, '\n' | ' ' | '-' | '*'));
    let start = line_start(text, mention.start);
    let above = start.checked_sub(1).map_or(0, |end| line_start(text, skip_back_near(text, end, |c| c == '\n')));
    let label = mention.label;
    let found = [labels.at(text, below), labels.at(text, above)].into_iter().flatten();
    found.filter(move |other| other.label != label)
}

/// Markers side by side with other values, `GRADE: C, GRADE: P and GRADE: I`, show what may be chosen.
pub(super) fn set_side_by_side<V: PartialEq>(text: &str, marked: &mut [Candidate<V>], why: &(Reason, Detail)) {
    let is_beside = |one: &Candidate<V>, other: &Candidate<V>| {
        let between = slice(text, one.span.end..other.span.start.max(one.span.end));
        let is_edge = |c: char| {
            c.is_whitespace()
                || matches!(c, '"' | '\'' | '*' | '`' | '\u{ab}' | '\u{bb}' | '\u{2018}'..='\u{201f}' | '\u{300c}'..='\u{300f}')
        };
        let joined = between.trim_matches(is_edge);
        let is_line = !joined.is_empty() || !between.contains('\n');
        // "[[5]]-[[6]]", "[[5]] to [[6]]", "[[A]], or perhaps [[B]]"
        let is_join = |word: &str| {
            word.is_empty() || lexicon().classes(word) & (class::JOIN | class::OR | class::HEDGE | class::ONWARD) != 0
        };
        let is_mark = |c: char| matches!(c, ' ' | ',' | '/' | '|' | '-' | '\u{2013}' | '~' | '\n');
        one.found != other.found && is_line && joined.len() <= 24 && joined.split(is_mark).all(is_join)
    };
    // "[[A]], [[B]] of [[C]]": whatever the word before the last of three that differ.
    let is_last = |first: &Candidate<V>, one: &Candidate<V>, other: &Candidate<V>| {
        let between = slice(text, one.span.end..other.span.start.max(one.span.end));
        let is_word = between.starts_with(' ') && between.trim().chars().all(char::is_alphabetic);
        is_beside(first, one)
            && is_word
            && between.ends_with(' ')
            && other.found != one.found
            && other.found != first.found
    };
    let beside: Vec<usize> = (1..marked.len())
        .filter(|&at| match marked.get(at.saturating_sub(2)..=at) {
            Some([first, one, other]) => is_beside(one, other) || is_last(first, one, other),
            Some([one, other]) => is_beside(one, other),
            _ => false,
        })
        .collect();
    for at in beside.into_iter().flat_map(|at| [at - 1, at]) {
        if let Some(candidate) = marked.get_mut(at) {
            candidate.found = Err(why.clone());
        }
    }
}

/// What stands where a verdict belongs if labels are listed there.
pub(super) const TWO_LABELS: (Reason, Detail) =
    (Reason::Ambiguous, Detail::Sentence("more than one label stands where one belongs"));

/// `A or B`, `A/B`, `A, B or C`, `A -> B`: labels that are listed or change, not chosen.
pub(super) fn is_rivalled(text: &str, labels: &Labels, mention: Mention) -> bool {
    let is_gap = |c: char| matches!(c, ' ' | '\t') || QUOTES.contains(&c);
    let mut at = skip_near(text, skip_closing(text, mention.end), is_gap);
    let next = skip_near(text, at + 1, is_gap);
    let label_at = |at: usize| labels.at(text, at).or_else(|| labels.translated_at(text, at));
    if byte_at(text, at) == b','
        && let Some(other) = label_at(next).filter(|other| other.label != mention.label)
    {
        at = skip_near(text, skip_closing(text, other.end), is_gap);
        // "Answers: yes, no"
        if labels.names.len() == 2 && closes_text(text, at) {
            return true;
        }
    }
    let joins = ["or a ", "or an ", "or ", "and ", "/", "|", ", or "].into_iter().chain(ARROWS);
    let joined = joins.into_iter().find(|join| starts_with_at(text, at, join));
    let or = || word_at(text, at).filter(|word| word.has(class::OR)).map(|word| word.end);
    let Some(join) = joined.map(|join| at + join.len()).or_else(or) else { return splits(text, labels, mention) };
    let next = skip_near(text, join, |c| matches!(c, ' ' | '[' | '(' | '\'' | '<') || QUOTES.contains(&c));
    label_at(next).is_some_and(|other| other.label != mention.label)
}

/// `A on style, B on substance`: whether another label follows in the sentence, and each is for a part.
pub(super) fn splits(text: &str, labels: &Labels, mention: Mention) -> bool {
    let is_of_part = |mention: &Mention| {
        let part = word_at(text, mention.end + 1).filter(|word| word.has(class::PART) && !word.has(class::THAN));
        let of = part.filter(|_| byte_at(text, mention.end) == b' ').and_then(|part| word_at(text, part.end + 1));
        of.is_some_and(|word| !word.has(class::SELF | OF_ALL))
    };
    // Two markers contend by themselves.
    if !is_of_part(&mention) {
        return false;
    }
    let rest = line_ahead(text, mention.end, CLAUSE_LIMIT).len();
    let mut others = labels.mentions(text, mention.end..mention.end + rest);
    others.find(|other| other.label != mention.label).is_some_and(|other| is_of_part(&other))
}

/// `the correct answer`: a word that says which one is meant.
pub(super) fn is_attribute(text: &str, mention: &Mention) -> bool {
    let next = word_after(text, mention.end).filter(|word| word.start == mention.end + 1);
    next.is_some_and(|word| {
        slice(text, mention.end..word.start) == " " && word.text.starts_with(char::is_lowercase) && !is_onward(word)
    })
}

/// Whether a word goes on with the sentence behind what stands before it, and names nothing that this would be said of.
pub(super) fn is_onward(word: Word<'_>) -> bool {
    word.has(GOES_ON | class::ONWARD)
}
