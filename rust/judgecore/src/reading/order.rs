//! Reading an order of candidates: `A > B = C`, or a list of ranks.

use std::ops::Range;

use super::clause::scope::Scope;
use super::context::{clause_start, closes_line, is_doubted, skip_closing, word_before};
use super::evidence::{Candidate, Chooser, Found};
use super::gather::Values;
use super::outcome::{Detail, Reason, Rule};
use super::sentence::Sentences;
use super::slot::{INSIDE_MARKER, closed, marked};
use super::token::{DENIES, LOSES, Token, UNREAL, among, entry_of, of};
use super::voided::COMMAS;
use super::word::{Word, word_at};
use crate::format::label::{Labels, Mention};
use crate::format::marker::Opening;
use crate::format::order::Order;
use crate::format::{Format, Place};
use crate::lexicon::{self as class, Entry, lexicon};
use crate::reply::View;
use crate::reply::text::{
    byte_at, char_at, head, is_unspaced, line_ahead, line_end, skip, skip_back_near, skip_near, slice, starts_with_at,
    tail, trim_range,
};

/// How far a remark behind a candidate goes: `A (8.5) > B (7)`.
const REMARK: usize = 60;

/// How far a rank stands before its candidate.
const RANK_DISTANCE: usize = 40;

/// An order as it is written.
struct Written {
    /// The candidates with whether each ties with the one before, best first.
    found: Found<Vec<u32>>,
    span: Range<usize>,
    by: By,
}

/// How an order is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    /// As a chain of signs, a row or a list that names all candidates.
    Signs,
    /// The same where some candidates are compared, and not all.
    Part,
    /// By what sentences say of each candidate.
    Words,
}

impl Values for Order {
    type Value = Vec<u32>;

    const SEVERAL: (Reason, Detail) = TWO_ORDERS;

    fn at_place(&self, text: &str, _asked: Place, at: usize) -> Option<(Found<Vec<u32>>, usize)> {
        let written = chain_at(text, self, at).or_else(|| lists(text, self, at..line_end(text, at), false).pop())?;
        Some((written.found, written.span.end))
    }

    fn whole(&self, text: &str, _format: &Format, _is_strict: bool) -> Option<Candidate<Vec<u32>>> {
        let bare = trim_range(text, 0..text.len(), is_mark);
        let is_whole = |written: &Written| written.span.start <= bare.start && bare.end <= written.span.end;
        let whole = written(text, self).into_iter().find(is_whole)?;
        Some(Candidate::new(whole.found, Rule::Whole, 0, whole.span))
    }

    fn declared(&self, _text: &str) -> Option<Vec<u32>> {
        None
    }

    fn in_slot(
        &self,
        view: &View<'_>,
        opening: &Opening<'_>,
        slot: usize,
        _is_strict: bool,
        _sentences: &mut Sentences<'_>,
    ) -> Option<Candidate<Vec<u32>>> {
        let text = view.text();
        let Written { found, span, .. } = chain_at(text, self, slot).filter(|written| written.by != By::Part)?;
        let close = closed(text, span.end, &opening.marker.suffix);
        let is_open = close.is_none() && tail(text, span.end).trim_matches(is_mark).is_empty();
        let found = if is_open { Err(INSIDE_MARKER) } else { found };
        marked(view, opening, Some(found), opening.start..close.unwrap_or(span.end), close, false)
    }

    fn offer_prose(&self, view: &View<'_>, _format: &Format, chooser: &mut Chooser<'_, Vec<u32>>) {
        let text = view.text();
        for written in written(text, self) {
            let clause = chooser.sentence(written.span.start).clause(&written.span);
            // One for a criterion alone is not the order that was asked for.
            let scope = clause.scope(None, |_| false);
            if scope.is_else() || scope == Scope::Named {
                continue;
            }
            let is_part = usize::from(scope == Scope::Unclear);
            if let Some(grade) = standing(view, &written) {
                chooser.offer(Candidate::new(written.found, Rule::Labelled, grade + is_part, written.span));
            }
        }
    }

    fn alone(&self, view: &View<'_>, range: Range<usize>) -> Option<Candidate<Vec<u32>>> {
        let mentions = self.candidates.mentions(view.text(), range);
        let mut chains = mentions.filter_map(|mention| chain(view.text(), self, mention));
        let Written { found, span, .. } =
            chains.find(|written| written.by != By::Part && !view.hides(&written.span))?;
        Some(Candidate::new(found, Rule::Labelled, 0, span))
    }
}

const TWO_ORDERS: (Reason, Detail) = (Reason::Ambiguous, Detail::Sentence("more than one order is offered"));

/// Marks before an order, but for a colon.
fn is_bare_mark(c: char) -> bool {
    is_mark(c) && c != ':'
}

/// Marks around an order.
fn is_mark(c: char) -> bool {
    c.is_whitespace()
        || (c.is_ascii_punctuation() && !matches!(c, '>' | '<' | '='))
        || matches!(c, '。' | '\u{2018}'..='\u{201f}' | '\u{300c}'..='\u{300f}')
}

/// How strong an order is where it stands: on a line of its own or announced, in a sentence, or as a comparison of
/// some alone. None where it is none of the judge's.
fn standing(view: &View<'_>, written: &Written) -> Option<usize> {
    let (text, span) = (view.text(), &written.span);
    let opens = clause_start(text, span.start)?;
    let lead = slice(text, opens..span.start);
    let mut words = lead.split(|c: char| !(c.is_alphanumeric() || c == '.'));
    let shows = words.any(|word| lexicon().classes(word) & (class::EXAMPLE | class::SAMPLE) != 0);
    if shows || view.hides(span) || is_doubted(text, span.end) {
        return None;
    }
    match written.by {
        By::Part => return Some(3),
        By::Words => return (!view.quotes(span)).then_some(2),
        By::Signs => {}
    }
    let bare = lead.trim_end_matches(is_bare_mark);
    let is_announced = bare.ends_with([':', '=', '\u{2192}']) || bare.ends_with("is");
    let end = behind_remark(text, span.end);
    let is_line = bare.trim_end_matches(['>', ':']).is_empty() && closes_line(text, end);
    if is_announced || is_line {
        return Some(0);
    }
    (!view.quotes(span) && ends_phrase(text, end)).then_some(2)
}

/// Whether nothing is said of an order behind it but of what it is one, and why.
fn ends_phrase(text: &str, end: usize) -> bool {
    let at = skip_near(text, end, is_closer);
    let is_stop = |c: char| matches!(c, '.' | '!' | ';' | ',' | '\n' | '\u{3002}');
    let Some(next) = char_at(text, at) else { return true };
    // "A > B > C です"
    let ends_sentence = |(entry, _): (&Entry, usize)| is_unspaced(next) && entry.may_be(class::LINK | class::CHOOSE);
    is_stop(next)
        || word_at(text, at).is_some_and(|word| word.has(class::PART | class::BECAUSE))
        || entry_of(text, at).is_some_and(ends_sentence)
}

/// All orders of a text, each read once.
fn written(text: &str, order: &Order) -> Vec<Written> {
    let mut found = Vec::new();
    let mut behind = 0;
    for mention in order.candidates.mentions(text, 0..text.len()) {
        if mention.start < behind {
            continue;
        }
        if let Some(written) = chain(text, order, mention).or_else(|| row(text, order, mention)) {
            behind = written.span.end;
            found.push(written);
        }
    }
    found.extend(lists(text, order, 0..text.len(), false));
    if found.is_empty() {
        found = lists(text, order, 0..text.len(), true);
    }
    if found.is_empty() {
        found = told(text, order);
    }
    found.sort_by_key(|written| written.span.start);
    found
}

/// What stands between two candidates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    Better,
    Worse,
    Equal,
    /// `>=` decides nothing.
    Either,
}

/// The sign that stands here, and where it ends.
fn sign_at(text: &str, at: usize) -> Option<(Sign, usize)> {
    let rest = tail(text, at);
    let length = rest.find(|c| !matches!(c, '>' | '<' | '=')).unwrap_or(rest.len());
    let sign = match head(rest, length) {
        ">" | ">>" | ">>>" => Sign::Better,
        // "</answer>" closes a tag.
        "<" | "<<" | "<<<" if !tail(rest, length).starts_with(['/', '|']) => Sign::Worse,
        "=" | "==" => Sign::Equal,
        ">=" | "=>" | "<=" | "=<" => Sign::Either,
        "" => {
            let sign = char_at(text, at)?;
            let meaning = match sign {
                '\u{227b}' => Sign::Better,
                '\u{227a}' => Sign::Worse,
                '\u{2248}' | '\u{2243}' | '\u{223c}' | '\u{2261}' => Sign::Equal,
                '\u{2265}' | '\u{2264}' | '\u{2a7e}' | '\u{2a7d}' | '\u{2267}' | '\u{2266}' => Sign::Either,
                _ => return None,
            };
            return Some((meaning, at + sign.len_utf8()));
        }
        _ => return None,
    };
    Some((sign, at + length))
}

/// Marks that may close what names a candidate.
fn is_closer(c: char) -> bool {
    matches!(c, ' ' | ')' | ']' | '}' | '"' | '\'' | '`' | '*' | '\u{201d}' | '\u{2019}' | '\u{300d}' | '\u{300f}')
}

/// Marks that may open what names a candidate.
fn is_opener(c: char) -> bool {
    matches!(
        c,
        ' ' | '(' | '[' | '{' | '"' | '\'' | '`' | '*' | '#' | '\u{201c}' | '\u{2018}' | '\u{300c}' | '\u{300e}'
    )
}

/// Where a remark in brackets behind a candidate ends, `A (8.5)`, or the place itself.
fn behind_remark(text: &str, at: usize) -> usize {
    let opens = skip_near(text, at, is_closer);
    match line_ahead(text, opens, REMARK).strip_prefix('(').and_then(|inside| inside.find(')')) {
        Some(length) => opens + length + 2,
        None => at,
    }
}

/// The sign behind a candidate.
fn sign_behind(text: &str, at: usize) -> Option<(Sign, usize)> {
    sign_at(text, skip_near(text, behind_remark(text, at), is_closer))
}

/// The candidate that is named here, behind a noun of what is compared.
fn named_at(text: &str, candidates: &Labels, at: usize) -> Option<Mention> {
    let at = skip_near(text, at, is_opener);
    candidates.at(text, at).or_else(|| {
        let noun = word_at(text, at).filter(|word| word.has(class::THING))?;
        candidates.at(text, skip_near(text, noun.end, is_opener))
    })
}

/// Where the noun before a candidate begins, or the candidate itself.
fn noun_start(text: &str, mention: &Mention) -> usize {
    word_before(text, mention.start)
        .filter(|word| word.has(class::THING) && slice(text, word.end..mention.start).chars().all(is_opener))
        .map_or(mention.start, |word| word.start)
}

const NO_DIRECTION: (Reason, Detail) =
    (Reason::Ambiguous, Detail::Sentence("the signs don't say which candidate is the better one"));

/// An order that begins at or behind some marks here.
fn chain_at(text: &str, order: &Order, at: usize) -> Option<Written> {
    chain(text, order, named_at(text, &order.candidates, at)?)
}

/// The candidates from one on, each with whether it ties with the one before, and where the last one ends; `link` finds
/// where the next may stand.
fn run(
    text: &str,
    order: &Order,
    first: &Mention,
    mut link: impl FnMut(usize) -> Option<(bool, usize)>,
) -> (Vec<(usize, bool)>, usize) {
    let mut row = vec![(first.label, false)];
    let mut end = first.end;
    while let Some((ties, at)) = link(end)
        && let Some(next) = named_at(text, &order.candidates, at)
    {
        row.push((next.label, ties));
        end = next.end;
    }
    (row, end)
}

/// The order that begins with a candidate, where a sign stands behind it.
fn chain(text: &str, order: &Order, first: Mention) -> Option<Written> {
    let start = noun_start(text, &first);
    let (mut is_better, mut is_worse, mut is_either) = (false, false, false);
    let (mut row, end) = run(text, order, &first, |end| {
        let (sign, at) = sign_behind(text, end)?;
        is_better |= sign == Sign::Better;
        is_worse |= sign == Sign::Worse;
        is_either |= sign == Sign::Either;
        Some((sign == Sign::Equal, at))
    });
    if row.len() < 2 {
        return None;
    }
    let open = sign_behind(text, end).map(|(_, behind)| skip_near(text, behind, |c| c == ' '));
    let goes_on = open.is_some() || continues_another(text, start);
    let end = open.map_or(end, |other| skip_near(text, other, |c| !c.is_whitespace()));
    if is_worse {
        reverse(&mut row);
    }
    let span = start..end;
    let is_worst_first = is_worst_first(text, &span);
    let found = if is_either || is_worse && is_better || is_worst_first && !is_worse {
        Err(NO_DIRECTION)
    } else if goes_on {
        Err((Reason::Malformed, Detail::Sentence("an order names something that is none of the candidates")))
    } else {
        ranks(&row, order)
    };
    let by = if !goes_on && is_some(&row, order) { By::Part } else { By::Signs };
    Some(Written { found, span, by })
}

/// Whether what leads up to an order says that it ends with the best.
fn is_worst_first(text: &str, order: &Range<usize>) -> bool {
    Sentences::new(text).at(order.start).clause(order).says(class::ASCENDING)
}

/// `Ranking: A, C, B`, `Best: C, then A, then B`: all candidates in a row that is announced as an order.
fn row(text: &str, order: &Order, first: Mention) -> Option<Written> {
    let start = noun_start(text, &first);
    let lead = slice(text, clause_start(text, start)?..start).trim_end_matches(is_bare_mark);
    let is_announced =
        lead.ends_with([':', '\u{ff1a}']) || word_before(text, start).is_some_and(|word| word.has(class::LINK));
    if !is_announced {
        return None;
    }
    let mut sentences = Sentences::new(text);
    let sentence = sentences.at(start);
    let says = |classes| sentence.tokens.iter().take_while(|token| token.start < start).any(of(classes));
    let is_for_a_part = says(class::PART | class::ASPECT) && !says(class::ASCENDING);
    let announces = class::ANNOUNCE | class::VAGUE | class::BETTER | class::ASCENDING;
    if is_for_a_part || !says(announces) {
        return None;
    }
    let (mut row, end) = run(text, order, &first, |end| Some((false, next_in_row(text, end)?)));
    if row.len() != order.count {
        return None;
    }
    let span = start..end;
    if sentence.clause(&span).says(class::ASCENDING) {
        reverse(&mut row);
    }
    Some(Written { found: ranks(&row, order), span, by: By::Signs })
}

/// No sentences that place the candidates are longer, together and in bytes.
const TOLD: usize = 400;

/// `B is the best, A comes second, and C is the worst.`: orders by what is said of each candidate, named once in sentences
/// of one paragraph.
fn told(text: &str, order: &Order) -> Vec<Written> {
    let mentions: Vec<Mention> = order.candidates.mentions(text, 0..text.len()).take(4 * order.count).collect();
    let mut sentences = Sentences::new(text);
    let mut found = Vec::new();
    for (nth, window) in mentions.windows(order.count).enumerate() {
        let [first, .., last] = window else { continue };
        let start = sentences.at(first.start).range.start;
        let end = sentences.at(last.start).range.end;
        let near = [nth.checked_sub(1), Some(nth + order.count)].into_iter().flatten();
        let others = near.filter_map(|nth| mentions.get(nth)).filter(|other| (start..end).contains(&other.start));
        if end - start > TOLD || slice(text, start..end).trim().contains('\n') || others.count() > 0 {
            continue;
        }
        let mut tokens: Vec<Token> = Vec::new();
        let mut at = start;
        while at < end {
            let sentence = sentences.at(at);
            if sentence.asks || sentence.range.end <= at {
                break;
            }
            tokens.extend(sentence.tokens.iter().filter(|token| token.start >= at));
            at = sentence.range.end;
        }
        let Some(places) = Some(at).filter(|at| *at >= end).and_then(|_| places(&tokens, window)) else { continue };
        let span = first.start..last.end;
        found.push(Written { found: ranked(&places, order), span, by: By::Words });
    }
    found
}

/// What parts what is said of one candidate from what is said of the next: the strongest, and the last of those.
fn parts(tokens: &[Token]) -> Option<usize> {
    let stop = tokens.iter().rposition(among(&['.', '!', ';', '\u{3002}']));
    let comma = || tokens.iter().rposition(among(&COMMAS));
    stop.or_else(comma).or_else(|| tokens.iter().rposition(of(class::JOIN | class::CONTRAST)))
}

/// The candidates, best first, as the clause of each places it.
fn places(tokens: &[Token], mentions: &[Mention]) -> Option<Vec<usize>> {
    let count = mentions.len();
    let others = class::OTHER | class::REPORT | class::GIVES | class::CHOOSES;
    let unsaid = DENIES | UNREAL | others | class::ASPECT | class::TIE | class::PAST;
    let mut placed: Vec<Option<usize>> = vec![None; count];
    let mut free = Vec::new();
    let mut from = 0;
    for (nth, mention) in mentions.iter().enumerate() {
        let behind = tokens.partition_point(|token| token.start < mention.end);
        let to = match mentions.get(nth + 1) {
            Some(next) => {
                let gap = behind..tokens.partition_point(|token| token.start < next.start);
                gap.start + parts(tokens.get(gap)?)?
            }
            None => tokens.len(),
        };
        let is_other = |token: &&Token| !mention.span().contains(&token.start);
        let said: Vec<&Token> = tokens.get(from..to)?.iter().filter(is_other).collect();
        from = to;
        let says = |classes| said.iter().any(of(classes));
        // "B is the best on tone"
        let is_of_a_part =
            said.windows(2).any(|pair| matches!(pair, [part, noun] if part.is(class::PART) && noun.is_bare()));
        // "and B and C are the worst"
        let is_joined = says(class::JOIN)
            && said.iter().all(|token| !token.is_word() || token.is(class::JOIN | class::FILL))
            && nth + 1 < count;
        if says(unsaid) || is_of_a_part || is_joined {
            return None;
        }
        let numbered = said.windows(2).find_map(|pair| match pair {
            [one, other] if other.is(class::RANK) => one.number,
            [one, other] if one.is(class::RANK) => other.number,
            _ => None,
        });
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rank is small and no fraction")]
        let ranks = [
            numbered.map(|rank| rank as usize),
            says(class::BETTER | class::WINNER | class::WIN | class::FORMER).then_some(1),
            says(LOSES).then_some(count),
            says(class::LATTER).then_some(2),
            (nth > 0 && says(class::FINAL)).then_some(count),
        ];
        let mut ranks = ranks.into_iter().flatten();
        let Some(rank) = ranks.next() else {
            free.push(nth);
            continue;
        };
        let slot = placed.get_mut(rank.checked_sub(1)?)?;
        if slot.is_some() || ranks.any(|other| other != rank) {
            return None;
        }
        *slot = Some(nth);
    }
    // Those of whom nothing is said stand between in the order of the text: "then B, then D".
    let is_in_order = placed.first() == Some(&Some(0)) && placed.last() == Some(&Some(count - 1));
    if free.len() > 1 && !is_in_order || free.len() > 2 {
        return None;
    }
    let mut free = free.into_iter();
    let order: Option<Vec<usize>> = placed.into_iter().map(|nth| nth.or_else(|| free.next())).collect();
    order?.into_iter().map(|nth| mentions.get(nth).map(|mention| mention.label)).collect()
}

/// Where the next of a row may stand: behind a comma, a word such as `then`, or both.
fn next_in_row(text: &str, end: usize) -> Option<usize> {
    let behind = behind_remark(text, skip_near(text, end, |c| is_closer(c) && c != ' '));
    let mut at = skip_near(text, behind, |c| matches!(c, ' ' | ',' | '\u{3001}' | '\u{ff0c}'));
    let is_parted = slice(text, behind..at).contains([',', '\u{3001}', '\u{ff0c}']);
    let from = at;
    for _ in 0..3 {
        let joins = |word: &Word<'_>| {
            word.has(class::JOIN | class::ONWARD | class::FINAL) && !word.has(class::OR | class::LINK)
        };
        let Some(word) = word_at(text, at).filter(joins) else { break };
        at = skip_near(text, word.end, |c| c == ' ');
    }
    (is_parted || at > from).then_some(at)
}

/// Turn a row around: who tied with the one before now ties with the one behind.
fn reverse(row: &mut [(usize, bool)]) {
    let ties: Vec<bool> = row.iter().skip(1).map(|(_, ties)| *ties).rev().collect();
    row.reverse();
    for ((_, ties), before) in row.iter_mut().zip(std::iter::once(false).chain(ties)) {
        *ties = before;
    }
}

/// `E > A > B`: whether a sign behind a space makes what begins here a part of something longer.
fn continues_another(text: &str, start: usize) -> bool {
    let lead = head(text, skip_back_near(text, start, is_opener)).strip_suffix(['>', '<', '\u{227b}', '\u{227a}']);
    lead.and_then(|lead| lead.strip_suffix(' ')).is_some_and(|lead| lead.ends_with(|c: char| !c.is_whitespace()))
}

/// The rank of each candidate of a row that names all of them once; who ties shares the better rank.
pub(super) fn ranks(row: &[(usize, bool)], order: &Order) -> Found<Vec<u32>> {
    let mut ranks = vec![0; order.count];
    let mut rank = 1;
    for ((nth, (candidate, ties)), place) in row.iter().enumerate().zip(1_u32..) {
        if !(*ties && nth > 0) {
            rank = place;
        }
        let Some(free @ 0) = ranks.get_mut(*candidate) else {
            let words = format!("{:?} stands twice in one order", order.candidates.name(*candidate));
            return Err((Reason::Malformed, Detail::Words(words)));
        };
        *free = rank;
    }
    match ranks.iter().position(|rank| *rank == 0) {
        Some(missing) => {
            let words = format!("{:?} stands in no order", order.candidates.name(missing));
            Err((Reason::Malformed, Detail::Words(words)))
        }
        None => Ok(ranks),
    }
}

/// The ranks of candidates that are listed best first.
pub(super) fn ranked(best_first: &[usize], order: &Order) -> Found<Vec<u32>> {
    let row: Vec<(usize, bool)> = best_first.iter().map(|candidate| (*candidate, false)).collect();
    ranks(&row, order)
}

/// Whether a row names some of the candidates, each once, and not all.
fn is_some(row: &[(usize, bool)], order: &Order) -> bool {
    let mut named: Vec<usize> = row.iter().map(|(candidate, _)| *candidate).collect();
    named.sort_unstable();
    named.dedup();
    named.len() == row.len() && named.len() < order.count
}

/// An entry of a list: a rank, its candidate, where it stands, and whether more is said of the candidate.
struct Listed {
    rank: u32,
    candidate: usize,
    span: Range<usize>,
    is_told: bool,
}

/// Lists of ranks with their candidates: `1. B` and `2. A` on lines of their own, `1er : 3 ; 2e : 1`.
///
/// Entries may say more of their candidates where they may be `told` and nothing but the list, or a line that announces a
/// ranking, stands before them.
fn lists(text: &str, order: &Order, range: Range<usize>, told: bool) -> Vec<Written> {
    let mut runs: Vec<Vec<Listed>> = Vec::new();
    let mut behind = range.start;
    for mention in order.candidates.mentions(text, range) {
        let start = noun_start(text, &mention);
        let end = behind_remark(text, mention.end);
        let is_told = !ends_entry(text, end);
        if start < behind || is_told && !(told && has_remark(text, end)) {
            continue;
        }
        let is_bare = slice(text, start..mention.end).bytes().all(|byte| byte.is_ascii_digit());
        let Some((rank, begins)) = rank_before(text, start, is_bare) else { continue };
        let end = if is_told { line_end(text, end) } else { end };
        behind = end;
        let entry = Listed { rank, candidate: mention.label, span: begins..end, is_told };
        match runs.last_mut() {
            Some(run) if run.last().is_some_and(|last| last.rank <= rank) => run.push(entry),
            _ => runs.push(vec![entry]),
        }
    }
    let runs = runs.into_iter().filter_map(|run| {
        let span = run.first()?.span.start..run.last()?.span.end;
        let before = || std::iter::once(None).chain(run.iter().map(|entry| Some(entry.rank)));
        let entries = || run.iter().zip(before());
        let row: Vec<(usize, bool)> =
            entries().map(|(entry, before)| (entry.candidate, before == Some(entry.rank))).collect();
        // They are counted from 1: behind a tie, with or without a gap.
        let is_counted = entries().zip(1..).all(|((Listed { rank, .. }, before), place)| {
            before.map_or(*rank == 1, |before| [before, before + 1, place].contains(rank))
        });
        // What is said of each in the order of their names may be no more than that.
        let is_told = run.iter().any(|entry| entry.is_told);
        let is_by_name = is_told && (run.is_sorted_by_key(|entry| entry.candidate) || !may_rank(text, &span));
        // "From worst to best:" above numbers leaves open which of the two counts.
        (run.len() > 1 && is_counted && !is_by_name).then(|| Written {
            found: if is_worst_first(text, &span) { Err(NO_DIRECTION) } else { ranks(&row, order) },
            span,
            by: if is_some(&row, order) { By::Part } else { By::Signs },
        })
    });
    runs.collect()
}

/// Whether an entry of a list ends here.
fn ends_entry(text: &str, end: usize) -> bool {
    let at = skip_near(text, skip_closing(text, end), |c| matches!(c, ' ' | '*'));
    match char_at(text, at) {
        None | Some('\n' | ';' | ',' | '|' | '\u{3002}' | '\u{3001}') => true,
        Some('.') => char_at(text, at + 1).is_none_or(char::is_whitespace),
        _ => false,
    }
}

/// `Ranking:` above a list, or nothing: whether a list of candidates of which more is said may be their order. Numbers and words
/// that compare in it may say another.
fn may_rank(text: &str, list: &Range<usize>) -> bool {
    let classes =
        |text: &str| text.split(|c: char| !c.is_alphanumeric()).fold(0, |all, word| all | lexicon().classes(word));
    let above = head(text, list.start).trim_end();
    let heading = above.rsplit('\n').next().unwrap_or_default();
    let said = slice(text, list.clone());
    let is_counted = said.lines().any(|line| line.bytes().skip(1).any(|byte| byte.is_ascii_digit()));
    let announces = class::RANK | class::ANNOUNCE | class::BETTER | class::WINNER;
    let is_announced = above.is_empty() || classes(heading) & announces != 0 && classes(heading) & class::WORSE == 0;
    is_announced && !is_counted && classes(said) & (class::BETTER | class::WORSE) == 0
}

/// `1. B – complete`, `1. B: complete`: whether a mark parts a candidate from what is said of it in its entry.
fn has_remark(text: &str, end: usize) -> bool {
    let at = skip_near(text, skip_closing(text, end), |c| c == '*');
    let parts = ["- ", "\u{2013} ", "\u{2014} "];
    let is_dash = parts.iter().any(|dash| starts_with_at(text, skip_near(text, at, |c| c == ' '), dash));
    byte_at(text, at) == b' ' && is_dash || starts_with_at(text, at, ": ")
}

/// The rank before a candidate that begins its entry, and where the entry begins: `1. `, `| 2 | `, `3rd place: `.
fn rank_before(text: &str, at: usize, is_bare: bool) -> Option<(u32, usize)> {
    let from = text.ceil_char_boundary(at.saturating_sub(RANK_DISTANCE));
    let near = slice(text, from..at);
    let begins =
        near.rfind(['\n', ';', ',', '\u{3001}']).map_or(0, |last| last + char_at(near, last).map_or(1, char::len_utf8));
    if begins == 0 && from > 0 {
        return None;
    }
    // "Ranking: 1st B": what stands before a colon announces the list.
    let begins = match tail(near, begins).rfind(':') {
        Some(colon) if tail(near, begins + colon).contains(|c: char| c.is_ascii_digit()) => begins + colon + 1,
        _ => begins,
    };
    let lead = tail(near, begins);
    let mut numbers = lead.split(|c: char| !c.is_ascii_digit()).filter(|digits| !digits.is_empty());
    let rank: u32 = numbers.next()?.parse().ok()?;
    let digits = lead.trim_start_matches(|c: char| !c.is_ascii_digit());
    let behind = digits.trim_start_matches(|c: char| c.is_ascii_digit());
    let words = || lead.split(|c: char| !c.is_alphabetic() && !matches!(c, 'º' | 'ª')).filter(|word| !word.is_empty());
    let is_ordinal = words().next().is_some();
    // "2: 1" may name either first.
    let is_marked = behind.trim_start().starts_with(['.', ')', '|', '\u{3001}']) || behind.starts_with(']');
    let is_linked = behind.contains([':', '-', '\u{2013}', '\u{2014}']) && !is_bare;
    let is_rank = numbers.next().is_none()
        && words().all(|word| lexicon().classes(word) & class::RANK != 0)
        && (is_ordinal || is_marked || is_linked);
    is_rank.then_some((rank, from + begins + skip(lead, 0, char::is_whitespace)))
}
