//! Reading one of several labels.

use std::ops::Range;

use super::clause::Clause;
use super::clause::announcement::{Announced, By};
use super::clause::scope::Scope;
use super::context::{
    self, PROSE_LIMIT, closes_line, closes_text, is_doubted, opens_line, prose_ranges, skip_closing, word_after,
    word_before,
};
use super::ends::{self, Edge};
use super::evidence::{Candidate, Chooser, Found};
use super::flag;
use super::gather::Values;
use super::numeral::{self, Comma};
use super::option::{
    TWO_LABELS, is_attribute, is_behind_options, is_bracketed_list, is_enumerated, is_explained, is_legend, is_listed,
    is_option, is_rivalled, mention_before, noun_before, splits,
};
use super::ordinal::ordinals;
use super::outcome::{Detail, Reason, Rule};
use super::refusal::is_offer;
use super::sentence::{Sentence, Sentences, ends_before, heading};
use super::slot::{FILLERS, INSIDE_MARKER, held, marked, not_a_label, slot_end};
use super::token::{COLONS, COMMAS, LOSES, NAMES, OF_ALL, QUOTES, Token, among, entry_of, of};
use super::truth::word;
use super::voided::has_unknown;
use super::word::{Word, word_at};
use crate::format::label::{self, Labels, MAX_ANSWER, Mention, Shape};
use crate::format::marker::Opening;
use crate::format::{Format, Kind, Place};
use crate::lexicon::{self as class, Entry, lexicon};
use crate::reply::View;
use crate::reply::text::{
    ahead, byte_at, byte_before, char_at, char_before, head, is_unspaced, line_end, line_start, skip_back_near,
    skip_near, slice, tail, trim_range,
};

/// A comparison that opens a paragraph and is no longer, in bytes, is said of the whole.
const SHORT: usize = 60;

/// Most sentences are no longer, in bytes.
const SENTENCE: usize = 160;

/// How many labels before and behind one are looked at for other parts of the reply.
const PARTS: usize = 8;

impl Values for Labels {
    type Value = usize;

    fn may_have_reason(&self) -> bool {
        self.has_answers() || self.truth(class::TRUE).is_some()
    }

    fn is_candidate(&self, text: &str, noun: &Token, mark: &Token) -> bool {
        let is_ordinal = || noun.is(class::THING) && mark.is(class::FORMER | class::LATTER);
        !self.has_answers() && (self.at(text, mark.start).is_some() || is_ordinal())
    }

    const SEVERAL: (Reason, Detail) = TWO_LABELS;

    fn has_answers(&self) -> bool {
        self.has_answers()
    }

    /// A label, behind words that introduce it: `Response B`.
    fn at_place(&self, text: &str, asked: Place, at: usize) -> Option<(Found<usize>, usize)> {
        let mention = if asked == Place::Whole { self.at(text, at) } else { slot_label(text, self, at) }?;
        // "A good answer" begins with an article.
        let is_article = mention.shape == Shape::Letter && is_attribute(text, &mention);
        // "Loser: B" names the other one.
        let is_loser = !opens_line(text, mention.start)
            && Sentences::new(text).at(mention.start).clause(&mention.span()).names_loser();
        let label = if is_loser { self.rival(mention.label)? } else { mention.label };
        let found = if is_rivalled(text, self, mention) { Err(TWO_LABELS) } else { Ok(label) };
        // "No errors found" counts, and answers nothing.
        let is_told_of = || {
            let next = word_after(text, mention.end);
            next.is_some_and(|word| word.has(class::FILL | class::SUBJECT | class::LINK))
        };
        let is_counting = mention.shape == Shape::Particle && is_attribute(text, &mention) && !is_told_of();
        (!is_article && !is_counting).then_some((found, mention.end))
    }

    /// `The submission gets a FAIL from me.`
    fn on_line(&self, text: &str, line: Range<usize>) -> Option<Candidate<usize>> {
        let is_word = |mention: &Mention| matches!(mention.shape, Shape::Word | Shape::Phrase | Shape::Name);
        let mut mentions = self.mentions(text, line).filter(is_word);
        let first = mentions.next().filter(|first| mentions.all(|other| other.label == first.label))?;
        // "Response B: [empty]" below "Response A: [empty]" heads a part.
        let near = text.floor_char_boundary(first.start.saturating_sub(PARTS * SENTENCE))..text.len();
        let is_part = is_enumerated(text, &first, &self.mentions(text, near).collect::<Vec<_>>());
        (!is_part).then(|| candidate(first, Rule::Place, 1, first.start, text.len()))
    }

    /// A label, marks around it aside.
    fn whole(&self, text: &str, format: &Format, is_strict: bool) -> Option<Candidate<usize>> {
        // Brackets and tags belong to the markers of a format that has some.
        let is_quote = |c: char| matches!(c, '"' | '\'' | '`' | '\u{2018}'..='\u{201f}' | '\u{ab}' | '\u{bb}' | '\u{300c}'..='\u{300f}');
        let is_mark = |c: char| {
            (c.is_ascii_punctuation() && !(format.markers.has_declared() && "[]<>".contains(c)))
                || matches!(c, '。' | '\u{2026}')
        };
        let is_edge = |c: char| c.is_whitespace() || (!is_strict && is_mark(c));
        let exact = trim_range(text, 0..text.len(), char::is_whitespace);
        let bare = trim_range(text, 0..text.len(), is_edge);
        // A form may end with a bracket of its own: “Output (b)”.
        let unquoted = trim_range(text, 0..text.len(), |c| c.is_whitespace() || (!is_strict && is_quote(c)));
        // A question asks, and "Safe:" is a heading.
        if !is_strict && slice(text, bare.end..text.len()).contains(['?', ':', '\u{ff1a}']) {
            return None;
        }
        let others = [&unquoted, &bare].into_iter().filter(|range| **range != exact);
        let (label, span) = std::iter::once(&exact)
            .chain(others)
            .find_map(|range| {
                let written = slice(text, range.clone());
                let label = if is_strict { self.declared(written) } else { self.of(written) };
                Some((label?, range.clone()))
            })
            .or_else(|| {
                // "Response A": a letter or number with the noun that it numbers.
                let noun = word_after(text, bare.start).filter(|_| !is_strict)?;
                let label_at = skip_near(text, noun.end, |c| matches!(c, ' ' | '(' | '[' | '#' | ':'));
                let mention = self.at(text, label_at)?;
                let is_named = noun.has(FILLERS | class::THING) && !noun.has(class::DENY);
                (is_named && mention.end == bare.end).then(|| (mention.label, bare.clone()))
            })
            .or_else(|| {
                // "\"Of course.\"" is somebody's, and "Of course..." breaks off.
                let is_stop = |c: char| c.is_whitespace() || matches!(c, '.' | '!' | '*' | '\u{3002}' | '\u{964}');
                let said = trim_range(text, 0..text.len(), is_stop);
                let is_whole = !is_strict && said.len() <= MAX_ANSWER && !tail(text, said.end).contains("..");
                Some((is_whole.then(|| self.answer(slice(text, said.clone())))??, said))
            })?;
        Some(Candidate::new(Ok(label), Rule::Whole, 0, span))
    }

    /// A label, its quotes and stops aside; what follows is free.
    fn opening(&self, text: &str, first: Range<usize>) -> Option<Candidate<usize>> {
        let is_edge = |c: char| matches!(c, ' ' | '"' | '\'' | '.' | ',' | ':' | ';' | '!' | '?' | '*');
        let (span, reach) = (trim_range(text, first.clone(), is_edge), first.end);
        let label = self.declared(slice(text, span.clone()))?;
        // "Yes\nNo", "Yes. No.": two verdicts, each alone.
        let is_contradicted = |mention: &Mention| {
            let other = self.at(text, skip_near(text, mention.end, |c| matches!(c, '.' | '!' | ' ' | '\n')));
            other.is_some_and(|other| {
                other.label != mention.label
                    && other.start > mention.end
                    && matches!(byte_at(text, other.end), 0 | b'.' | b'!')
            })
        };
        let mention = self.at(text, span.start);
        let is_rivalled = mention.is_some_and(|mention| is_rivalled(text, self, mention) || is_contradicted(&mention));
        let found = if is_rivalled { Err(TWO_LABELS) } else { Ok(label) };
        Some(Candidate::new(found, Rule::Opening, 0, span).reaching(reach))
    }

    fn declared(&self, text: &str) -> Option<usize> {
        self.declared(text)
    }

    fn in_slot(
        &self,
        view: &View<'_>,
        opening: &Opening<'_>,
        slot: usize,
        is_strict: bool,
        _sentences: &mut Sentences<'_>,
    ) -> Option<Candidate<usize>> {
        let (text, marker) = (view.text(), opening.marker);
        let translated = || self.translated_at(text, slot).filter(|_| !is_strict);
        // "GRADE: I think", "Final verdict: a tie" and "GRADE: A careful reading" begin with a word.
        let is_word = |mention: &Mention| {
            marker.suffix.is_empty() && is_article_letter(text, mention) && is_attribute(text, mention)
        };
        // "Verdict: wrong"
        let truth = || {
            let (entry, end) = entry_of(text, slot).filter(|(_, end)| !is_strict && ends_value(text, *end))?;
            Some(Mention { label: self.truth(entry.classes())?, shape: Shape::Word, start: slot, end })
        };
        let label = slot_label(text, self, slot).or_else(translated).or_else(truth);
        let label = label.filter(|mention| !is_word(mention) && !is_legend(text, mention, self));
        let end = label.map_or(slot, |mention| mention.end);
        let close = if marker.suffix.is_empty() { Some(end) } else { slot_end(text, end, &marker.suffix) };
        let rest = close.map_or("", |close| slice(text, end..close - marker.suffix.len()));
        let found = match label {
            Some(mention) => {
                let goes_on = rest.starts_with(['>', '<', '=']) || self.mentions(rest, 0..rest.len()).next().is_some();
                let is_one_of_two = goes_on || is_rivalled(text, self, mention);
                Some(if is_one_of_two { Err(TWO_LABELS) } else { Ok(mention.label) })
            }
            None if !marker.is_declared => return None,
            None if slot >= text.len() => Some(Err(INSIDE_MARKER)),
            None => {
                let held = held(text, slot, close);
                // Brackets hold citations and placeholders too; only words are failed verdicts.
                let is_failed = held.contains(char::is_alphabetic) && held.len() <= 40 && close.is_some();
                (marker.suffix.is_empty() || is_failed).then(|| Err(not_a_label(held)))
            }
        };
        let held = if label.is_some() { end } else { end.max(close.unwrap_or(end)) };
        marked(view, opening, found, slot..held, close, false)
    }

    /// A sentence that names the winner.
    fn offer_statements(&self, view: &View<'_>, format: &Format, chooser: &mut Chooser<'_, usize>) {
        let text = view.text();
        let mentions: Vec<Mention> = prose_ranges(text).flat_map(|range| self.mentions(text, range)).collect();
        for mention in &mentions {
            let said = said(chooser, text, format, self, mention, &mentions, true);
            chooser.offer_all(said.filter(|said| !view.hides(&said.span)));
        }
    }

    fn offer_prose(&self, view: &View<'_>, format: &Format, chooser: &mut Chooser<'_, usize>) {
        let text = view.text();
        let edges = Edge::both(text, chooser.sentences());
        let [Edge { at: first, .. }, _] = edges;
        let mentions = mentions(view, self, &edges, chooser);
        let opposite = |mention: &Mention| opposite(text, self, format.kind(), mention);
        chooser.offer_all(in_flag(text, self, opposite));
        let mut lone: Option<Mention> = None;
        let mut contradicted = false;
        let mut answers: Vec<Mention> = Vec::new();
        let mut asked_for: Vec<Mention> = Vec::new();
        // What is quoted stands in no list with what is not.
        let is_shown = |other: &&Mention| !is_hidden(view, other);
        for (nth, mention) in mentions.iter().enumerate() {
            let before = nth.checked_sub(1).and_then(|before| mentions.get(before));
            let after = mentions.get(nth + 1);
            if let Some((answer, holds)) = answer_behind(text, self, mention) {
                let label = if holds { Some(mention.label) } else { opposite(mention) };
                // "Correct: yes/no" is a form.
                let is_given = byte_at(text, answer.end) != b'/' && !view.hides(&mention.span());
                let is_of_all = is_given && is_asked_of_all(text, mention, chooser);
                chooser.offer_all(label.filter(|_| is_of_all).map(|label| answered(mention, label, answer)));
                continue;
            }
            if is_article(text, mention)
                || is_key(text, mention)
                || is_assigned(text, mention)
                || mention.start == first && mention.shape == Shape::Particle && is_offer(text, mention.end)
                || is_preposition(text, mention, chooser)
                || is_hidden(view, mention)
                || is_listed(text, before.filter(is_shown), mention, after.filter(is_shown))
                || is_doubted(text, mention.end)
                || is_scored(text, mention)
            {
                continue;
            }
            // "Response 1" is a name, and so is what it names.
            let mention = &named(text, mention);
            if mention.shape == Shape::Number && is_aside(text, mention) {
                continue;
            }
            if is_behind_options(text, nth.checked_sub(2).and_then(|nth| mentions.get(nth)), before, mention) {
                let reach = context::clause_reach(text, mention.end, chooser.is_cut());
                chooser.offer(candidate(*mention, Rule::Labelled, 0, mention.start, reach));
            }
            let tick = context::ticked(text, mention.start);
            if tick == Some(true) {
                chooser.offer_all(in_box(text, mention));
                continue;
            }
            // "Winner: B (9), A (7)" agrees with its scores.
            let scores = before.and_then(|before| scores_in_a_row(text, before, mention));
            let scores = scores.map(|(other, own)| (own, other));
            let scores = scores.or_else(|| after.and_then(|after| scores_in_a_row(text, mention, after)));
            if let Some(candidate) = said(chooser, text, format, self, mention, &mentions, false)
                .filter(|_| scores.is_none_or(|(own, other)| own > other))
                .or_else(|| opening(text, mention, first, self, &mentions, chooser))
                .or_else(|| {
                    let closing = closing(text, mention, chooser.is_cut());
                    closing.filter(|_| !is_of_section(text, mention, &mentions))
                })
            {
                let found = if splits(text, self, *mention) { Err(TWO_LABELS) } else { candidate.found };
                let denied = opposite(mention).filter(|_| !is_quoted_subject(view, mention, chooser));
                chooser.offer_either(Candidate { found, ..candidate }, denied);
            }
            // "Supported? Yes." answers a question of its own.
            if mention.shape == Shape::Particle && is_behind_question(text, mention) {
                asked_for.push(*mention);
                continue;
            }
            if mention.shape == Shape::Particle && stands_as_answer(text, mention) {
                answers.push(*mention);
            }
            // "Polite: yes" above "Accurate: no": what may not stand alone at the end of a reply contradicts what may.
            contradicted |= is_on_named_line(text, mention) && lone.is_some() && is_of_parts(text, mention, &mentions);
            let value = mention.span();
            let sentence = chooser.sentence(value.start);
            if may_stand_alone(text, mention, || sentence.clause(&value))
                && !is_explained(text, mention, &mentions)
                && !view.quotes(&mention.span())
            {
                let is_part = sentence.clause(&value).scope(None, |_| false) == Scope::Part
                    || is_of_section(text, mention, &mentions);
                // What is nobody's contradicts nothing.
                let contradicts = |lone: Mention| {
                    lone.label != mention.label
                        && !chooser.disowns(&candidate(lone, Rule::Mention, 0, lone.start, lone.end))
                };
                contradicted |= is_part || lone.is_some_and(contradicts);
                lone = Some(*mention);
            }
        }
        ends::offer(view, self, &edges, opposite, chooser);
        offer_rivals(view, &mentions, answers, &asked_for, chooser);
        // "Is it rude? No. Is it long? No. So is it fine? It is."
        let answers_all = || asked_for.len() == 1 || text.matches(['?', '\u{ff1f}']).count() == asked_for.len();
        let is_one = |first: &&Mention| asked_for.iter().all(|other| other.label == first.label) && answers_all();
        let asked = asked_for.first().filter(is_one).copied();
        // What is the verdict by a stronger rule is no other one by this rule.
        let lone = lone.filter(|lone| asked.is_some() || !chooser.claims(&lone.label, &lone.span()));
        let lone = lone.filter(|lone| is_all_said(format, lone, chooser));
        let lone = lone.filter(|lone| !is_excepted(lone, self, chooser));
        if let Some(mention) = lone.or(asked).filter(|_| !contradicted && !chooser.is_cut()) {
            let candidate = candidate(mention, Rule::Mention, 0, mention.start, text.len());
            chooser.offer_either(candidate, opposite(&mention).filter(|_| is_denied_itself(text, &mention)));
        }
        if text.len() <= PROSE_LIMIT && mentions.iter().all(|mention| is_small(text, mention)) {
            chooser.settle_empty();
        }
    }

    fn alone(&self, view: &View<'_>, range: Range<usize>) -> Option<Candidate<usize>> {
        let text = view.text();
        let mut found: Option<Mention> = None;
        let mentions = self.mentions(text, range.clone()).chain(told_in(text, self, &range));
        for mention in mentions.filter(|mention| mention.end <= range.end) {
            if is_small(text, &mention) || view.hides(&mention.span()) {
                continue;
            }
            if found.is_some_and(|known| known.label != mention.label) {
                return None;
            }
            found = Some(mention);
        }
        let rule =
            |mention: &Mention| if self.at(text, mention.start).is_some() { Rule::Labelled } else { Rule::Opening };
        found.map(|mention| candidate(mention, rule(&mention), 0, mention.start, range.end))
    }
}

/// The label of a slot, behind at most three words that introduce it.
pub(super) fn slot_label(text: &str, labels: &Labels, slot: usize) -> Option<Mention> {
    let mut at = slot;
    for _ in 0..4 {
        let mention = labels.at(text, at);
        if mention.is_some() {
            return mention;
        }
        let introduces = |word: &Entry| word.may_be(FILLERS | class::THING) && !word.may_be(class::DENY);
        let (_, end) = entry_of(text, at).filter(|(word, _)| introduces(word))?;
        at = skip_near(text, end, |c| matches!(c, ' ' | ':' | '(' | '[' | '"' | '\''));
    }
    None
}

/// `Yes, but actually no`: what opens or closes the reply is only as good as what else answers or stands on a line.
fn offer_rivals(
    view: &View<'_>,
    mentions: &[Mention],
    mut answers: Vec<Mention>,
    asked_for: &[Mention],
    chooser: &mut Chooser<'_, usize>,
) {
    let text = view.text();
    let ends = [Rule::Closing, Rule::Opening].into_iter().find(|&rule| chooser.is_best(rule));
    // One that answers a question is only as good as the other answers.
    let is_asked = |place: Range<usize>| asked_for.iter().any(|asked| asked.start == place.start);
    if chooser.place().is_some_and(is_asked) {
        answers.extend(asked_for);
    }
    if let Some(rule) = ends {
        let is_cut = chooser.is_cut();
        let answers = answers.into_iter().map(|answer| (answer, context::clause_reach(text, answer.end, is_cut)));
        // And so is a label on a line of its own, where another label has one.
        let mut is_last = |mention: &Mention| {
            // "Yes, it is polite. But three were asked for, and there are two: no."
            let mut turns = || chooser.sentence(mention.start).classes & class::CONTRAST != 0;
            let may_end = match mention.shape {
                Shape::Word | Shape::Phrase => true,
                Shape::Particle => closes_text(text, mention.end) && turns(),
                _ => false,
            };
            // "Step 2 is incorrect.", "Step 2: incorrect"
            let mut is_part = || {
                let value = mention.span();
                let clause = chooser.sentence(value.start).clause(&value);
                clause.scope(None, |_| false) == Scope::Part
                    || is_on_named_line(text, mention) && is_of_parts(text, mention, mentions)
            };
            may_end && closes_text(text, mention.end) && !is_cut && !is_part()
        };
        let lines: Vec<&Mention> =
            mentions.iter().filter(|mention| is_line(text, mention) || is_last(mention)).collect();
        // "Assistant 2:" above its scores heads a part.
        let lines = lines.into_iter().filter(|mention| {
            !view.hides(&mention.span())
                && !is_enumerated(text, mention, mentions)
                && !is_of_section(text, mention, mentions)
        });
        let mut rivals: Vec<(Mention, usize)> = answers.chain(lines.map(|line| (*line, line.end + 1))).collect();
        rivals.sort_by_key(|(mention, _)| mention.start);
        for (mention, reach) in rivals {
            chooser.offer(candidate(mention, rule, 0, mention.start, reach));
        }
    }
}

/// All labels of the prose, in their order: in other languages too, and by ordinals.
fn mentions(view: &View<'_>, labels: &Labels, edges: &[Edge; 2], chooser: &mut Chooser<'_, usize>) -> Vec<Mention> {
    let text = view.text();
    let mut mentions: Vec<Mention> = prose_ranges(text).flat_map(|range| labels.mentions(text, range)).collect();
    for mention in &mut mentions {
        mention.label = denied_in_phrase(text, labels, mention).unwrap_or(mention.label);
    }
    mentions.extend(translated(view, labels, edges, chooser));
    let mut names_none = |mention: &Mention| {
        Some(mention.label) == labels.tie() || is_article(text, mention) || is_preposition(text, mention, chooser)
    };
    if mentions.iter().all(&mut names_none) {
        mentions.extend(in_order(text, labels, false, chooser));
        mentions.extend(designated(text, labels, chooser));
    } else {
        mentions.extend(in_order_beside(text, labels, edges, &mentions, chooser));
    }
    mentions.sort_by_key(|mention| mention.start);
    mentions
}

/// `Verdict: the first answer. B is wrong.`, `B is plain text. So the second response wins.`: those with a noun where a mark
/// announces them or the last sentence concludes, if no sentence has an ordinal beside a letter, as in `B came first`.
fn in_order_beside(
    text: &str,
    labels: &Labels,
    edges: &[Edge; 2],
    named: &[Mention],
    chooser: &mut Chooser<'_, usize>,
) -> Vec<Mention> {
    let has_ordinal = |edge: &Edge| class::ORDINALS.places(slice(text, edge.sentence.clone())).next().is_some();
    if labels.pair().is_none() || !edges.iter().any(has_ordinal) {
        return Vec::new();
    }
    let mut found = in_order(text, labels, true, chooser);
    let [first, last] = edges;
    let mut is_announced = |ordinal: &Mention| {
        let sentence = chooser.sentence(ordinal.start);
        let is_led = || sentence.tokens.iter().any(|token| token.start < ordinal.start && token.is_mark(&COLONS));
        first.sentence.contains(&ordinal.start) && is_led()
            || last.sentence.contains(&ordinal.start) && sentence.classes & class::CONCLUDE != 0
    };
    found.retain(&mut is_announced);
    let mut is_beside = |mention: &Mention| {
        let sentence = slice(text, chooser.sentences().range(mention.start));
        let is_ordinal = |(entry, _): (&Entry, usize)| entry.may_be(class::FORMER | class::LATTER);
        class::ORDINALS.places(sentence).any(|at| entry_of(sentence, at).is_some_and(is_ordinal))
    };
    if !found.is_empty() && named.iter().any(&mut is_beside) {
        found.clear();
    }
    found
}

/// Where no candidate is called by its number or letter: `the first response`, `the latter`.
fn in_order(text: &str, labels: &Labels, is_named: bool, chooser: &mut Chooser<'_, usize>) -> Vec<Mention> {
    let Some(pair) = labels.pair() else { return Vec::new() };
    let names = |noun: &Token| noun.is(class::ROLE) && noun.is(class::THING) && !noun.is(class::OTHER);
    let is_noun = |noun: &Token| noun.is(class::VAGUE) || names(noun) || labels.is_noun(noun.text(text));
    let found = ordinals(text, chooser.sentences(), is_noun, is_named, false).into_iter();
    let mention = |(nth, Range { start, end })| {
        let label: &usize = pair.get(nth)?;
        Some(Mention { label: *label, shape: Shape::Name, start, end })
    };
    found.filter_map(mention).collect()
}

/// `không an toàn`, `güvenli değil`: the other label, where a phrase holds one and denies it.
fn denied_in_phrase(text: &str, labels: &Labels, mention: &Mention) -> Option<usize> {
    if labels.names.len() != 2 || !matches!(mention.shape, Shape::Word | Shape::Phrase) {
        return None;
    }
    let denial = word_before(text, mention.start).filter(|word| word.has(class::DENY));
    let ends = denial.and_then(|denial| entry_of(text, denial.start)).filter(|(_, end)| *end >= mention.end);
    let is_good = labels.good().is_none_or(|good| good == mention.label);
    let holds = || entry_of(text, mention.start).filter(|(_, end)| is_good && *end > mention.end);
    let (phrase, _) = ends.or_else(holds)?;
    phrase.may_be(class::FALSE | class::UNSAFE).then(|| 1 - mention.label)
}

/// In longer replies, candidates have their own names.
const DESIGNATED: usize = 4096;

/// Where no candidate is called by its own number or letter, those behind the noun of a candidate: `response 2`,
/// `\u{56de}\u{7b54}\u{4e59}`.
fn designated(text: &str, labels: &Labels, chooser: &mut Chooser<'_, usize>) -> Vec<Mention> {
    let Some(pair) = labels.pair().filter(|_| text.len() <= DESIGNATED) else { return Vec::new() };
    let (mut found, mut letters, mut has_letters) = (Vec::new(), Vec::new(), false);
    for (nth, Range { start, end }) in label::designators(text) {
        // Most sentences need not be split.
        let lead = head(text, start).trim_end_matches([' ', '(', '#', '\u{ff08}']);
        let noun = word_before(text, lead.len()).filter(|noun| noun.end == lead.len());
        let is_noun = |noun: Word<'_>| noun.has(class::THING) || !noun.text.is_ascii();
        let may_be_noun = noun.map_or_else(|| lead.ends_with(is_unspaced), is_noun);
        let Some(label) = pair.get(nth).copied() else {
            // "Response 3 beats both": there are more than two.
            if may_be_noun && noun.is_some_and(|noun| noun.has(class::THING)) {
                return Vec::new();
            }
            continue;
        };
        let is_letter = char_at(text, start).is_some_and(char::is_alphabetic);
        // "Προτιμώ την Α.", "Выбираю Б:", but "А ответ лучше".
        let is_lone = || {
            is_letter
                && char_at(text, start).is_some_and(|c| !c.is_ascii() && !is_unspaced(c))
                && word_before(text, start).is_some_and(|word| word.has(class::FILL | class::CHOOSE))
                && char_at(text, end).is_none_or(|c| matches!(c, '.' | ',' | ':' | '!' | '*' | '\n'))
        };
        let mut noun = None;
        if may_be_noun {
            let tokens = &chooser.sentence(start).tokens;
            let before = tokens.iter().rev().find(|token| token.end <= start && token.is_word());
            noun = before.filter(|noun| names_candidate(noun, slice(text, noun.end..start)));
        }
        match noun {
            Some(noun) => {
                has_letters |= is_letter;
                found.push(Mention { label, shape: Shape::Name, start: noun.start, end });
            }
            None if is_lone() => found.push(Mention { label, shape: Shape::Letter, start, end }),
            None if is_letter => letters.push(Mention { label, shape: Shape::Letter, start, end }),
            None => {}
        }
    }
    // "Response A is more precise, but B follows the task": a letter that has had its noun needs none.
    if has_letters {
        found.append(&mut letters);
    }
    found
}

/// Whether a noun of the candidates stands right before a number or a letter: a paragraph or a question is none.
fn names_candidate(noun: &Token, gap: &str) -> bool {
    noun.is(class::VAGUE | class::ROLE)
        && noun.is(class::THING)
        && !noun.is(class::SUBJECT)
        && matches!(gap, "" | " " | " (" | " #" | "\u{ff08}")
}

/// Whether a question stands right before a label.
fn is_behind_question(text: &str, mention: &Mention) -> bool {
    let before = skip_back_near(text, mention.start, |c| matches!(c, ' ' | '"' | '(' | '['));
    before > 0 && char_before(text, before).is_some_and(|c| matches!(c, '?' | '\u{ff1f}'))
}

/// Labels in another language, where the reply opens, behind colons, and where the first or last sentence leads up to one:
/// `Respuesta: sí`, `La respuesta es sí`.
fn translated(view: &View<'_>, labels: &Labels, edges: &[Edge; 2], chooser: &mut Chooser<'_, usize>) -> Vec<Mention> {
    let text = view.text();
    if !labels.has_translations() {
        return Vec::new();
    }
    let [first, last] = edges;
    let (mut places, mut ties, mut truths) = (vec![first.at], Vec::new(), Vec::new());
    // "Völlig richtig.", "Natürlich ja."
    let stress = entry_of(text, first.at).filter(|(entry, _)| entry.may_be(class::EMPHATIC));
    let stressed = stress.map(|(_, end)| skip_near(text, end, |c| c == ' '));
    // "Es seguro.", "C'est oui.": the subject is left out or is one word with the verb.
    let is_link = |word: &Word<'_>| word.has(class::LINK) && !word.has(class::YES | class::NO);
    let linked = word_at(text, first.at).filter(is_link).map(|verb| verb.end + 1);
    let is_value = |at: &usize| labels.translated_at(text, *at).is_some_and(|label| ends_value(text, label.end));
    places.extend(stressed.into_iter().chain(linked).filter(is_value));
    let closing = skip_near(text, last.sentence.start, |c| !c.is_alphanumeric());
    let closing = skip_near(text, behind_conclusion(text, closing), |c| !c.is_alphanumeric());
    // "bezpieczne" above "niebezpieczne"
    let last_line = line_start(text, text.trim_end().len());
    places.extend([closing, last_line].into_iter().filter(|at| labels.translated_at(text, *at).is_some()));
    let colons = prose_ranges(text).flat_map(|range| {
        memchr::memchr_iter(b':', slice(text, range.clone()).as_bytes()).map(move |at| range.start + at + 1)
    });
    places.extend(colons.map(|at| skip_near(text, at, |c| matches!(c, ' ' | '\n') || QUOTES.contains(&c))));
    truths.extend(places.iter().skip(1).filter_map(|at| truth_at(text, labels, *at)));
    let may_hold = |edge: &&Edge| {
        // Only the last one may call something true.
        let says_truth = || labels.truths_in(slice(text, edge.sentence.clone())).next().is_some();
        labels.translated_in(text, &edge.sentence).next().is_some() || edge.sentence == last.sentence && says_truth()
    };
    for edge in Edge::distinct(edges).iter().filter(may_hold) {
        let sentence = chooser.sentence(edge.at);
        let tokens = &sentence.tokens;
        let is_last = edge.sentence == last.sentence;
        for (nth, value) in tokens.iter().enumerate().skip(1) {
            // "Mein Urteil ist unsicher" is of the judgement.
            let is_sure = !value.is(class::HEDGE);
            if is_sure && (is_behind_noun(tokens, nth) || is_concluded(tokens, nth)) {
                places.push(value.start);
            } else if let Some(label) =
                labels.truth(value.classes).filter(|_| is_last && is_called(text, sentence, nth, nth + 1))
                && labels.at(text, value.start).is_none()
            {
                truths.push(word(label, value));
            } else if let Some(label) = labels.translated_at(text, value.start).filter(|_| is_last && is_sure)
                && is_called(text, sentence, nth, tokens.partition_point(|token| token.start < label.end))
            {
                places.push(value.start);
            } else if is_tie_behind_link(tokens, nth) {
                ties.push(value.start);
            }
        }
    }
    let at = |at: usize| labels.translated_at(text, at);
    let ties = ties.into_iter().filter_map(at).filter(|mention| Some(mention.label) == labels.tie());
    let found = places.into_iter().filter_map(at).chain(ties).chain(truths);
    // "Ergebnis: korrekt/inkorrekt" repeats what may be answered.
    let mut found: Vec<Mention> = found.filter(|mention| !is_rivalled(text, labels, *mention)).collect();
    found.sort_by_key(|mention| mention.start);
    found.dedup_by_key(|mention| mention.start);
    found
}

/// `La respuesta es sí`, `Daher ist die Antwort „Ja“`: whether a noun for a verdict and its link lead up to a word.
fn is_behind_noun(tokens: &[Token], at: usize) -> bool {
    let names = |token: &Token| token.is(class::ANNOUNCE | class::VAGUE);
    let is_link = |token: &Token| token.is(class::LINK) || token.is_mark(&['\u{2014}', '\u{2013}']);
    let lead = tokens.get(..at).unwrap_or_default();
    match lead.split_last().filter(|(quote, _)| quote.is_mark(&QUOTES)).map_or(lead, |(_, lead)| lead) {
        [.., noun, link] if is_link(link) && names(noun) => true,
        [before @ .., noun] => names(noun) && !before.iter().any(of(class::HALF | class::PARTIAL)),
        _ => false,
    }
}

/// `Es hat acht Zeilen, also ja.`: whether a word that concludes leads up to another one.
fn is_concluded(tokens: &[Token], at: usize) -> bool {
    tokens.get(..at).and_then(<[_]>::last).is_some_and(of(class::CONCLUDE))
}

/// `I'd mark that as wrong.`, `我判定为不安全。`: whether the judge itself, or a conclusion of its own, calls something by words that
/// end what is said.
fn is_called(text: &str, sentence: &Sentence, at: usize, end: usize) -> bool {
    let tokens = &sentence.tokens;
    let calls = class::CHOOSE | class::DEEM | class::GIVE;
    let passes = NAMES | class::DEMONSTRATIVE | class::COMPLEMENT | class::LINK | class::SUBORDINATE | class::ONWARD;
    let lead = tokens.get(..at).unwrap_or_default();
    // "als falsch", "comme fausse", "za błędną"
    let is_as = |(nth, token): (usize, &Token)| nth + 1 == at && token.is(class::THAN | class::BECAUSE | class::PART);
    let is_passed = |at: usize, token: &Token| (token.is(passes) || is_as((at, token))) && !token.is(calls);
    let verb = (0..at).rfind(|&at| !lead.get(at).is_some_and(|token| is_passed(at, token))).unwrap_or(0);
    // "The grader said correct, but I consider it wrong."
    let is_self = |at: usize| lead.get(at).is_some_and(of(class::SELF)) && lead.iter().take(at).any(of(class::OTHER));
    let turns = |at: usize| {
        lead.get(at).is_some_and(|token| {
            let is_turn = token.is(class::CONCLUDE | class::CONTRAST) || token.is_mark(&[';']);
            is_turn || token.is_mark(&COMMAS) && is_self(at + 1)
        })
    };
    let concluded = (0..verb).rfind(|&at| turns(at)).map_or(0, |at| at + 1);
    // "I'd call this" is one phrase.
    let subject = lead.get(concluded..verb).unwrap_or_default();
    let is_own =
        subject.iter().all(|token| token.is(class::SELF | class::EMPHATIC | class::FILL) || token.is_mark(&[',']));
    // "Ich halte es für sicher, dass …" is certain of something.
    let goes_on = tokens.get(end + 1).is_some_and(of(class::SUBORDINATE));
    let ends = !goes_on && tokens.get(end).is_none_or(|next| !next.is_word());
    // "审核员判定为不安全": in scripts without spaces the subject may be a word that is not known.
    let from = concluded.checked_sub(1).and_then(|at| tokens.get(at)).map_or(sentence.range.start, |token| token.end);
    let calls = |verb: &Token| verb.is(calls) && !has_unknown(text, subject, from..verb.start);
    ends && is_own && lead.get(verb).is_some_and(calls)
}

/// `Es ist ein Unentschieden.`: whether a link, with nothing but an article between, leads up to a word that ends its clause.
fn is_tie_behind_link(tokens: &[Token], at: usize) -> bool {
    let mut lead = tokens.get(..at).unwrap_or_default().iter().rev();
    let ends = tokens.get(at + 1).is_none_or(|end| !end.is_word() || end.is(class::FROM));
    ends && lead
        .find(|token| !token.is(class::FILL | class::SUBJECT) || token.is(class::LINK))
        .is_some_and(of(class::LINK))
}

/// What a range says in another language than the labels', or by a word for true or false: `Wrong. Sorry, it is right.`
fn told_in<'t>(text: &'t str, labels: &'t Labels, range: &'t Range<usize>) -> impl Iterator<Item = Mention> + 't {
    let truths = labels.truths_in(slice(text, range.clone())).filter_map(move |at| {
        let start = range.start + at;
        let (entry, end) = entry_of(text, start)?;
        let label = labels.truth(entry.classes()).filter(|_| labels.at(text, start).is_none())?;
        Some(Mention { label, shape: Shape::Word, start, end })
    });
    labels.translated_in(text, range).chain(truths)
}

/// `Ergebnis: nicht korrekt`: what a word or a phrase at a place calls true or false, where the labels do so.
fn truth_at(text: &str, labels: &Labels, at: usize) -> Option<Mention> {
    let (entry, end) = labels.has_truths().then(|| entry_of(text, at)).flatten()?;
    // "Ergebnis: nicht sicher" may be uncertain.
    let label = labels
        .truth(entry.classes())
        .filter(|_| !entry.may_be(class::HEDGE))
        .filter(|_| labels.at(text, at).is_none())?;
    // "Step 2: wrong" and "Answer with: right or wrong" announce no verdict.
    let names = class::ANNOUNCE | class::VAGUE | OF_ALL;
    let name = word_before(text, skip_back_near(text, at, |c| matches!(c, ' ' | ':' | '"' | '*')));
    let name = name.filter(|word| word.has(names))?;
    // "Final answer: False. The key says so too." may tell what was answered.
    let is_verdict = name.has(class::ANNOUNCE) && !name.has(class::VAGUE | class::THING) && {
        let before = word_before(text, name.start).filter(|word| word.has(OF_ALL | class::SELF));
        opens_line(text, before.map_or(name.start, |word| word.start))
    };
    let ends = ends_value(text, end) || is_verdict && ends_before(text, skip_closing(text, end) + 1);
    ends.then_some(Mention { label, shape: Shape::Word, start: at, end })
}

/// `The answer is not correct`: the other one of two opposites, which who denies this one says.
fn opposite(text: &str, labels: &Labels, kind: Kind, mention: &Mention) -> Option<usize> {
    let is_of_two = labels.names.len() == 2 && matches!(kind, Kind::Binary | Kind::Choice);
    match mention.label {
        _ if !is_of_two || mention.shape == Shape::Particle => None,
        1 if kind == Kind::Binary => Some(0),
        label => (labels.good() == Some(label) || is_base(text, labels, mention)).then_some(1 - label),
    }
}

/// `safe` beside `unsafe`: whether the other of two labels is this one with a beginning that denies it.
fn is_base(text: &str, labels: &Labels, mention: &Mention) -> bool {
    let written = slice(text, mention.span()).to_lowercase();
    let mut others = labels.forms().filter(|form| form.label != mention.label);
    others.any(|form| form.lower.strip_suffix(&written).is_some_and(|rest| rest.len() > 1))
}

/// `A: 8, B: 6`: a name with its score, and `correct: 0`, a word that counts or weighs.
fn is_scored(text: &str, mention: &Mention) -> bool {
    let colon = skip_closing(text, mention.end);
    let score = skip_near(text, colon, |c| matches!(c, ' ' | ':' | '='));
    let is_all =
        || numeral::number_at(text, score, Comma::Separates).is_some_and(|number| closes_line(text, number.end));
    (byte_at(text, colon) == b':' || ahead(text, colon, 2).trim_start().starts_with('='))
        && names_score(text, score)
        && (matches!(mention.shape, Shape::Letter | Shape::Number | Shape::Name) || colon == mention.end && is_all())
}

/// `A (7), B (9)`, `A \u{2013} 7, B \u{2013} 9`: the numbers of two labels that stand in a list, each with one.
fn scores_in_a_row(text: &str, before: &Mention, mention: &Mention) -> Option<(f64, f64)> {
    let is_mark = |c: char| matches!(c, ' ' | '(' | '-' | '\u{2013}' | '\u{2014}' | '=' | ':' | '*');
    let score = |mention: &Mention| {
        let at = skip_near(text, mention.end, is_mark);
        if !byte_at(text, at).is_ascii_digit() || at == mention.end {
            return None;
        }
        numeral::number_at(text, at, Comma::Separates)
    };
    let (first, second) = score(before).zip(score(mention))?;
    let noun = noun_before(text, mention).map_or(mention.start, |noun| noun.start);
    let between = slice(text, first.end..noun.max(first.end)).trim_matches([' ', ')', '*', '\n']);
    let is_list = matches!(between, "" | "," | ";" | "/" | "|") || lexicon().classes(between) & class::JOIN != 0;
    (first.end <= noun && is_list).then_some((first.value, second.value))
}

/// Whether a denial right before a label is of the label.
fn is_denied_itself(text: &str, mention: &Mention) -> bool {
    // "It would not be correct to mark this down" denies something else.
    let before = word_before(text, mention.start);
    before.is_none_or(|word| word.has(class::DENY))
}

/// Whether a label that is a question is asked of all that is judged: it opens its line, or a link and what is judged do.
/// `Response A: yes` names one of several.
fn is_asked_of_all(text: &str, mention: &Mention, chooser: &mut Chooser<'_, usize>) -> bool {
    if !matches!(mention.shape, Shape::Word | Shape::Phrase) {
        return false;
    }
    // "The code sets correct = True" says nothing of the code.
    opens_line(text, mention.start)
        || !is_assigned(text, mention)
            && chooser.sentence(mention.start).clause(&mention.span()).asks_of_what_is_judged()
}

/// The label whose box is ticked. `[x] Correct reasoning` is of a part, `[x] Correct answer` of all.
fn in_box(text: &str, label: &Mention) -> Option<Candidate<usize>> {
    let is_of_all = || word_after(text, label.end).is_some_and(|noun| noun.has(class::THING));
    let is_part = label.shape == Shape::Word && is_attribute(text, label) && !is_of_all();
    (!is_part).then(|| candidate(*label, Rule::Labelled, 0, label.start, label.end))
}

/// `{"correct": false}`: what an object says of the label that is its name.
fn in_flag(text: &str, labels: &Labels, opposite: impl Fn(&Mention) -> Option<usize>) -> Option<Candidate<usize>> {
    let (name, holds, answer) = flag::flag(text, labels)?;
    let label = if holds { Some(name.label) } else { opposite(&name) }?;
    let said = Mention { label, start: answer.start, end: answer.end, ..name };
    Some(candidate(said, Rule::Labelled, 0, answer.start, text.len()))
}

/// The label that the answer to a question says.
fn answered(question: &Mention, label: usize, answer: Word<'_>) -> Candidate<usize> {
    let said = Mention { label, start: answer.start, end: answer.end, ..*question };
    candidate(said, Rule::Labelled, 0, answer.start, answer.end)
}

/// `Correct: no`, `Is it correct? Yes.`, `"correct": false`: what answers a label that is the question, behind a colon, a sign of
/// equality or its mark, and whether it says that it is so.
fn answer_behind<'t>(text: &'t str, labels: &Labels, mention: &Mention) -> Option<(Word<'t>, bool)> {
    // Labels that answer ask nothing.
    if labels.has_answers() || is_key(text, mention) {
        return None;
    }
    let mark = skip_closing(text, mention.end);
    let sign = skip_near(text, mark, |c| c == ' ');
    let answer = word_after(text, sign)?;
    let holds = match answer.text {
        "true" | "True" | "TRUE" => true,
        "false" | "False" | "FALSE" => false,
        _ if answer.has(class::YES) => true,
        _ if answer.has(class::NO) => false,
        _ => return None,
    };
    // "Correct: no (the year is wrong)", but "Correct: no errors".
    let end = skip_closing(text, answer.end);
    let ends = matches!(byte_at(text, end), b'.' | b',' | b'!' | b'/' | b'}') || ends_value(text, end);
    let is_asked = byte_at(text, mark) == b'?' || matches!(byte_at(text, sign), b':' | b'=');
    (is_asked && ends).then_some((answer, holds))
}

/// `{"correct": …}`: whether a label is the name of a value in an object.
fn is_key(text: &str, mention: &Mention) -> bool {
    let quote = byte_before(text, mention.start);
    let open = skip_back_near(text, mention.start.saturating_sub(1), char::is_whitespace);
    let colon = skip_near(text, mention.end + 1, |c| c == ' ');
    matches!(quote, b'"' | b'\'')
        && byte_at(text, mention.end) == quote
        && byte_at(text, colon) == b':'
        && matches!(byte_before(text, open), b'{' | b',')
}

/// `correct = 3`: whether a label is the name of a value in code.
fn is_assigned(text: &str, mention: &Mention) -> bool {
    let sign = skip_near(text, mention.end, |c| c == ' ');
    matches!(mention.shape, Shape::Word | Shape::Phrase)
        && byte_at(text, sign) == b'='
        && !matches!(byte_at(text, sign + 1), b'=' | b'>')
}

/// Whether nothing else stands on its line, not even the mark of a list.
fn is_line(text: &str, mention: &Mention) -> bool {
    let start = skip_back_near(text, mention.start, |c| matches!(c, ' ' | '\t' | '"' | '\'' | '`' | '(' | '['));
    matches!(byte_before(text, start), 0 | b'\n') && closes_line(text, mention.end)
}

fn candidate(mention: Mention, rule: Rule, grade: usize, start: usize, reach: usize) -> Candidate<usize> {
    Candidate::new(Ok(mention.label), rule, grade, mention.span()).from(start).reaching(reach)
}

/// `A mí me convence más B`, `A segunda é melhor`: a letter that is a word before the judge itself, or an article.
fn is_preposition(text: &str, mention: &Mention, chooser: &mut Chooser<'_, usize>) -> bool {
    let self_at = |at: usize| entry_of(text, at).is_some_and(|(entry, _)| entry.may_be(class::SELF));
    // Only a phrase that it begins may part it from the next word.
    let begins_phrase = || entry_of(text, mention.start).is_some_and(|(_, end)| end > mention.end);
    let nouns = class::THING | class::VAGUE | class::FORMER | class::LATTER;
    let next = skip_near(text, mention.end, char::is_whitespace);
    let names = || entry_of(text, next).is_some_and(|(entry, _)| entry.may_be(nouns));
    let may_be = || self_at(next) || begins_phrase() || names();
    is_article_letter(text, mention) && may_be() && {
        let sentence = chooser.sentence(mention.start);
        let (before, behind) =
            sentence.tokens.split_at(sentence.tokens.partition_point(|token| token.end <= mention.end));
        // "Az A válasz" has its article.
        let is_article = || {
            !sentence.may_be_english
                && matches!(before, [.., article] if article.is(class::FILL))
                && !matches!(before, [.., other, _] if other.is(class::FILL))
        };
        // "A mio avviso" is one.
        behind
            .first()
            .is_some_and(|next| next.is(class::SELF) || next.is(nouns) && !next.is(class::LINK) && is_article())
    }
}

/// Whether it is a letter, and a small one.
fn is_small(text: &str, mention: &Mention) -> bool {
    mention.shape == Shape::Letter && byte_at(text, mention.start).is_ascii_lowercase()
}

/// `No. 3` is a number, and a small letter in running text is an article, a pronoun or a variable.
fn is_article(text: &str, mention: &Mention) -> bool {
    let is_number_sign = mention.shape == Shape::Particle
        && byte_at(text, mention.end) == b'.'
        && byte_at(text, skip_near(text, mention.end + 1, |c| c == ' ')).is_ascii_digit();
    // "<a" is how a tag begins.
    let is_tag = byte_before(text, mention.start) == b'<' && byte_at(text, mention.end) != b'>';
    is_number_sign || is_tag || is_small_letter(text, mention)
}

fn is_small_letter(text: &str, mention: &Mention) -> bool {
    is_small(text, mention)
        && !matches!(byte_before(text, mention.start), b'(' | b'[' | b'"' | b'\'' | b'`' | b':' | b'=' | 0 | b'\n')
        && !matches!(byte_at(text, mention.end), b'.' | b')' | 0 | b'\n')
}

/// Whether a quotation holds more than a label, or its noun behind a name: "Verdict: `Response A`".
fn is_hidden(view: &View<'_>, mention: &Mention) -> bool {
    let text = view.text();
    let opens = |noun: &Word<'_>| opens_line(text, skip_back_near(text, noun.start, |c| c == '`'));
    let is_value = |noun: Word<'_>| !opens(&noun) && !view.hides(&(noun.start..mention.end));
    view.hides(&mention.span()) && !noun_before(text, mention).is_some_and(is_value)
}

/// A number with the noun of what is compared before it is the name of one of them.
fn named(text: &str, mention: &Mention) -> Mention {
    let noun = noun_before(text, mention).filter(|noun| mention.shape == Shape::Number && is_noun(*noun));
    noun.map_or(*mention, |noun| Mention { shape: Shape::Name, start: noun.start, ..*mention })
}

/// A label that is a number and here counts, numbers or divides something.
fn is_aside(text: &str, mention: &Mention) -> bool {
    // A number that is none here would be looked for to the end of the text.
    let near = head(text, text.floor_char_boundary(mention.start + numeral::NEAR));
    match numeral::next(near, mention.start, Comma::Separates) {
        Some(numeral::Met::Number(number)) => {
            (number.end != mention.end && number.denominator.is_none())
                || numeral::is_aside(text, &number)
                || numeral::worked_out(text, number.clone()).as_ref() != Ok(&number)
        }
        _ => true,
    }
}

/// What parts a name from its value on a line.
const NAMED: [char; 3] = [':', '\u{ff1a}', '\u{2192}'];

/// The labels around one.
fn near<'m>(mentions: &'m [Mention], mention: &Mention) -> &'m [Mention] {
    let at = mentions.partition_point(|other| other.start < mention.start);
    mentions.get(at.saturating_sub(PARTS)..mentions.len().min(at + PARTS)).unwrap_or(&[])
}

/// `Depth: A` above `Safety: tie`: whether another label or a word for the opposite stands near on a line with a name, or, beside
/// another such line, a denial, `Style: not checked`, or another label at either end of the reply.
fn is_of_parts(text: &str, mention: &Mention, mentions: &[Mention]) -> bool {
    let near = near(mentions, mention);
    let has_same = near.iter().any(|other| other.start != mention.start && is_on_named_line(text, other));
    let is_open = |line: &str| {
        let value = line.split_once(NAMED).map_or("", |(_, value)| value.trim_start_matches([' ', '*']));
        has_same
            && entry_of(value, 0).is_some_and(|(word, _)| {
                word.may_be(class::DENY) && !word.may_be(class::NO | class::NONE | class::ABSENT)
            })
    };
    let above = head(text, line_start(text, mention.start)).trim_end().rsplit('\n');
    let below = tail(text, line_end(text, mention.end)).trim_start().split('\n');
    let is_line = |line: &&str| line.contains(NAMED);
    // Beside a verdict that says something else, several lines are of parts, whatever their names.
    let mut ends = mentions.first().into_iter().chain(mentions.last());
    let mut is_opposed = || has_same && ends.any(|other| other.label != mention.label);
    is_opposed()
        || near.iter().any(|other| other.label != mention.label && is_on_named_line(text, other))
        || above.take(PARTS).take_while(is_line).chain(below.take(PARTS).take_while(is_line)).any(is_open)
}

/// What the lexicon's words say of a label, in any language.
fn said(
    chooser: &mut Chooser<'_, usize>,
    text: &str,
    format: &Format,
    labels: &Labels,
    mention: &Mention,
    mentions: &[Mention],
    is_strict: bool,
) -> Option<Candidate<usize>> {
    let is_cut = chooser.is_cut();
    let at = |token: &Token| {
        let other = mentions.get(mentions.partition_point(|other| other.end <= token.start));
        other.filter(|other| other.start <= token.start && token.end <= other.end)
    };
    let is_label = |token: &Token| at(token).is_some_and(|other| !is_small_letter(text, other));
    let is_other = |token: &Token| at(token).is_some_and(|other| other.label != mention.label);
    let value = mention.span();
    let clause = chooser.sentence(value.start).clause(&value);
    // What a format documents as a sentence is that the label wins.
    let announced = if is_strict { clause.wins(is_label) } else { clause.announces_label(is_label) };
    let is_word = matches!(mention.shape, Shape::Word | Shape::Particle | Shape::Phrase);
    let is_last = ends_value(text, mention.end);
    let alone = |rule, grade| candidate(*mention, rule, grade, mention.start, mention.end);
    // "Correct answer: no", "Student answer: no": what was answered, and not the judge.
    let is_answer = mention.shape == Shape::Particle && clause.is_anothers_answer();
    let ends_reply = || context::is_blank_behind(text, clause.sentence().end);
    if is_answer || is_word && clause.is_limited() || clause.is_no_answer() {
        return None;
    }
    let may_lose = announced.is_none() && !is_strict;
    if may_lose && is_last && clause.names_loser() {
        return Some(Candidate { found: Ok(labels.rival(mention.label)?), ..alone(Rule::Labelled, 0) });
    }
    // "A is weaker." says of the other one that it is better.
    let loses = may_lose && clause.loses_alone(is_label).is_some_and(|end| !is_doubted(text, end));
    let winner = if loses { labels.rival(mention.label)? } else { mention.label };
    let beaten = Announced { start: mention.start, by: By::Comparison };
    let Some(announced) = announced.or_else(|| loses.then_some(beaten)) else {
        // "Harmful: No", "The claim is false."
        let start = context::clause_start(text, mention.start).unwrap_or(mention.start);
        // "A: CORRECT" says what a label stands for.
        let is_legend = mention_before(mentions, mention).is_some_and(|other| start <= other.start);
        // Where a format documents a marker, no other name announces.
        let may_be_line = is_word && is_last && !is_legend && !format.markers.has_declared();
        let is_line =
            may_be_line && clause.is_named_line() && opens_line(text, start) && !is_of_parts(text, mention, mentions);
        // "It is no" may be half of "not".
        let may_go_on = mention.shape == Shape::Particle && mention.end == text.len();
        // "This is correct" may speak of a step.
        let rank = match clause.bare_conclusion(!is_word && head(text, clause.sentence().start).trim().is_empty()) {
            _ if is_line => Some((Rule::Labelled, 2)),
            Some(true) => Some((Rule::Labelled, 1)),
            Some(false) => Some((Rule::Statement, 1)),
            None if clause.is_own_end() || ends_reply() && clause.is_from_the_judge() => Some((Rule::Statement, 1)),
            None if labels.tie() == Some(mention.label) && clause.is_tie_of_all() => Some((Rule::Statement, 0)),
            None if is_word && clause.is_split(is_other) => {
                let torn = Candidate { found: Err(TWO_LABELS), ..alone(Rule::Statement, 2) };
                return Some(torn).filter(|_| !is_strict);
            }
            // "It is a tie" is said of all there is.
            None if is_word && !may_go_on && clause.is_predicate_label() => {
                let is_tie = labels.tie() == Some(mention.label);
                Some((Rule::Statement, if is_tie { 0 } else { 2 }))
            }
            None => None,
        };
        let (rule, grade) = rank.filter(|_| !is_strict)?;
        return Some(alone(rule, grade));
    };
    let scope = clause.scope(Some(announced), is_label);
    if scope.is_else() {
        return None;
    }
    // "Verdict: A careful reading" begins with an article.
    let is_article = announced.by != By::Comparison && is_article_letter(text, mention) && clause.is_attribute();
    let is_listed = is_option(text, mention, labels) || is_enumerated(text, mention, mentions);
    let is_small = is_small(text, mention) && !labels.is_form(slice(text, value.clone()));
    if is_small || is_article || is_listed {
        return None;
    }
    let reach = context::clause_end(text, mention.end);
    if announced.by == By::Comparison {
        let lead = context::clause_start(text, announced.start).map(|start| head(text, start));
        let opens_text = lead.is_some_and(|lead| lead.trim().is_empty());
        let is_last = tail(text, reach).trim().is_empty();
        let opens_paragraph = lead.is_some_and(|lead| lead.trim_end_matches(['*', '_', '"', ' ']).ends_with("\n\n"));
        // "Version A is stronger overall, and ..." is no step on the way.
        let is_whole = chooser.sentence(value.start).range.len() <= SHORT;
        let is_placed = opens_text
            || is_last
            || opens_paragraph && is_whole && !is_cut
            || chooser.sentence(value.start).concludes(0..mention.end);
        if !is_placed {
            return None;
        }
    }
    let rule = if announced.by == By::Comparison { Rule::Statement } else { Rule::Labelled };
    let grade = 2 * usize::from(scope == Scope::Unclear);
    let reach = if is_cut { reach } else { mention.end };
    Some(candidate(Mention { label: winner, ..*mention }, rule, grade, announced.start, reach))
}

/// `Depth: A`, `[Depth] A`: whether a label ends its line behind a short name and a mark.
fn is_on_named_line(text: &str, mention: &Mention) -> bool {
    let at = skip_back_near(text, mention.start, |c| matches!(c, ' ' | '*' | '"' | '[' | '('));
    let start = line_start(text, at);
    // "[x] A" is a box.
    if byte_before(text, at) == b']' && byte_at(text, start) == b'[' && at > start + 3 {
        return closes_line(text, mention.end);
    }
    char_before(text, at).is_some_and(|c| NAMED.contains(&c)) && closes_line(text, mention.end)
}

/// Whether a line ends here, or a remark begins: `FAIL (no escaping)`, `FAIL - no escaping`.
fn ends_value(text: &str, end: usize) -> bool {
    let at = skip_near(text, skip_closing(text, end), |c| c == ' ');
    let is_remark = at > end && matches!(char_at(text, at), Some('(' | '-' | '\u{2013}' | '\u{2014}'));
    is_remark || closes_line(text, end)
}

/// A letter that is also a word in some language: `A careful reading`, `I think`, `O texto`.
fn is_article_letter(text: &str, mention: &Mention) -> bool {
    matches!(slice(text, mention.span()), "A" | "E" | "I" | "O" | "Y" | "a" | "e" | "i" | "o" | "y")
}

/// `Yes, because …`, `B. The second …` at the very start.
fn opening(
    text: &str,
    mention: &Mention,
    first: usize,
    labels: &Labels,
    mentions: &[Mention],
    chooser: &mut Chooser<'_, usize>,
) -> Option<Candidate<usize>> {
    let noun = word_after(text, first);
    let opens = mention.start == first
        || (byte_at(text, mention.end) == b'.'
            && matches!(mention.shape, Shape::Letter | Shape::Number)
            && noun.is_some_and(|noun| {
                is_noun(noun) && slice(text, noun.end..mention.start).trim_matches([' ', '(', '[', '#']).is_empty()
            }));
    if !opens {
        return None;
    }
    let end = skip_closing(text, mention.end);
    let reach = context::clause_reach(text, end, chooser.is_cut());
    let next = skip_near(text, behind_copula(text, end), |c| matches!(c, ' ' | '\t'));
    // "\"Yes\" was all it said": what something is said of, by another.
    let link = word_at(text, next).filter(|word| end > mention.end && word.has(class::LINK));
    let is_told = link.and_then(|link| word_after(text, link.end)).is_some_and(|word| !word.has(class::SELF));
    if is_told || is_enumerated(text, mention, mentions) || is_bracketed_list(text, mention, mentions) {
        return None;
    }
    // "A da razones" gives none in Spanish, as "A da sie kürzer ist" does in German.
    let behind = chooser.sentence(mention.start).tokens.iter().find(|token| token.start >= mention.end);
    let gives_reason = behind.is_some_and(|word| word.is(class::BECAUSE) && !word.is_unspaced)
        && !slice(text, mention.span()).contains(' ');
    // "A, B'den daha kötü" sets its subject off, and "B, however, is worse" goes on behind an aside.
    let mut is_topic = || {
        let sentence = chooser.sentence(mention.start);
        let behind = sentence.tokens.iter().skip_while(|token| token.start < next);
        let mut aside = behind.skip(1).skip_while(|token| token.is_word());
        let is_aside = aside.next().is_some_and(among(&[',']))
            && aside.next().is_some_and(|verb| {
                let is_worse = aside.any(of(LOSES | class::FALSE));
                verb.is_bare() || verb.is(class::LINK | class::EARN) && is_worse
            });
        let outdone = class::THAN_BEHIND | class::BOTH;
        sentence.classes & outdone != 0 || is_aside && mention.shape != Shape::Particle
    };
    let goes_on = match byte_at(text, next) {
        b',' if is_topic() => false,
        b'(' if is_said_behind_aside(&chooser.sentence(mention.start).tokens, next) => false,
        0 | b'\n' | b',' | b'.' | b';' | b'!' | b'-' | b'(' | b'[' => true,
        // "Safe:" heads nothing.
        b':' if closes_text(text, next + 1) => false,
        // "Output (a): …" echoes the prompt; "A: …" does where "B: …" follows.
        b':' => match mention.shape {
            Shape::Phrase | Shape::Name => false,
            // "high: data loss; low: cosmetic" tells what each stands for.
            _ => !mentions
                .iter()
                .any(|other| other.label != mention.label && byte_at(text, skip_closing(text, other.end)) == b':'),
        },
        _ if end > mention.end => true,
        // A space of Thai is a comma before a reason and before what is judged.
        _ if next > end
            && char_before(text, end).is_some_and(is_unspaced)
            && entry_of(text, next).is_some_and(|(word, _)| word.may_be(class::BECAUSE | class::THING)) =>
        {
            true
        }
        _ => {
            matches!(
                char_at(text, next),
                Some('\u{2014}' | '\u{2013}' | '。' | '，' | '、' | '\u{60c}' | '\u{964}' | '！')
            ) || gives_reason
                || word_after(text, mention.end).is_some_and(|word| starts_clause(text, mention, word))
        }
    };
    let is_said = goes_on && !is_excepted(mention, labels, chooser);
    is_said.then(|| candidate(*mention, Rule::Opening, 0, mention.start, reach))
}

/// `Response A (the winner of the last round) is worse.`: whether a sentence goes on behind brackets to say that its subject loses.
fn is_said_behind_aside(tokens: &[Token], open: usize) -> bool {
    let mut behind = tokens.iter().skip_while(|token| token.start < open || !token.is_mark(&[')'])).skip(1);
    behind.next().is_some_and(of(class::LINK)) && behind.take(4).any(of(LOSES | class::FALSE | class::DENY))
}

/// Whether a number stands here, or brackets with one.
fn names_score(text: &str, at: usize) -> bool {
    byte_at(text, skip_near(text, at, |c| matches!(c, ' ' | '[' | '('))).is_ascii_digit()
}

/// `Richtig, bis auf das Datum`, `正确,但年份错误`: whether the sentence goes on with what is not so, where the labels call it true
/// or false.
fn is_excepted(mention: &Mention, labels: &Labels, chooser: &mut Chooser<'_, usize>) -> bool {
    if !labels.has_truths() {
        return false;
    }
    let sentence = chooser.sentence(mention.start);
    let behind = || sentence.tokens.iter().skip_while(|token| token.start < mention.end);
    let is_other = |token: &Token| labels.truth(token.classes).is_some_and(|label| label != mention.label);
    behind().nth(1).is_some_and(of(class::PARTIAL))
        || behind().skip_while(|token| !token.is(class::CONTRAST)).any(is_other)
}

/// Whether a word behind a label shows that a new clause begins.
fn starts_clause(text: &str, mention: &Mention, word: Word<'_>) -> bool {
    // "Auf keinen Fall ein Fehler": what is a phrase may go on.
    if slice(text, mention.span()).contains(' ') {
        return false;
    }
    let label = word_at(text, mention.start);
    let (shape, is_no) = (mention.shape, label.is_some_and(|no| no.has(class::NO)));
    // "Oui et non."
    let is_joined = || {
        let other = word_after(text, word.end).filter(|_| word.has(class::JOIN));
        other.is_some_and(|other| other.has(class::YES | class::NO))
    };
    let is_mere = word.has(class::FILL) && !word.has(class::ANY | class::SUBJECT | class::SELF | class::OTHER);
    let is_subject = || {
        word.has(class::SUBJECT | class::FILL | class::SELF | class::OTHER | class::CONTRAST) && (!is_no || !is_mere)
    };
    shape == Shape::Particle && is_subject() && !is_joined()
}

/// A noun of what is judged, and no pronoun.
fn is_noun(word: Word<'_>) -> bool {
    lexicon().classes(word.text) & (class::THING | class::FILL | class::SUBJECT) == class::THING
}

/// `### Title` above `Yes`: whether a label is all of its line, below a heading.
fn is_section(text: &str, mention: &Mention) -> bool {
    let heading = || heading(text, line_start(text, mention.start)).map(|heading| slice(text, heading));
    is_line(text, mention) && heading().is_some_and(|above| above.starts_with('#'))
}

/// Whether a label stands below such a heading, and another label below another one.
fn is_of_section(text: &str, mention: &Mention, mentions: &[Mention]) -> bool {
    let is_other = |other: &Mention| other.label != mention.label && is_section(text, other);
    is_section(text, mention) && near(mentions, mention).iter().any(is_other)
}

/// Where a value ends with the copula that stands behind it where the verb ends the clause, `合格です。`, `「正解」です。`, or where it
/// is put first, `B it is.`, or with a word that concludes: `Ja dus.`
fn behind_copula(text: &str, end: usize) -> usize {
    let copula = entry_of(text, end).filter(|(entry, _)| !byte_at(text, end).is_ascii() && entry.may_be(class::LINK));
    let subject = word_after(text, end)
        .filter(|it| slice(text, end..it.start) == " " && it.has(class::SUBJECT) && it.has(class::THING));
    let link = subject.and_then(|it| word_after(text, it.end)).filter(|link| link.has(class::LINK));
    let link = link.map(|link| link.end).filter(|link| closes_text(text, *link));
    let said = copula.map(|(_, end)| end).or(link);
    said.unwrap_or_else(|| behind_conclusion(text, end + usize::from(byte_at(text, end) == b' ')))
}

/// Where a word that concludes ends, or the place itself.
fn behind_conclusion(text: &str, at: usize) -> usize {
    entry_of(text, at).filter(|(entry, _)| entry.may_be(class::CONCLUDE)).map_or(at, |(_, end)| end)
}

/// A last line or last sentence that is nothing but the label.
fn closing(text: &str, mention: &Mention, is_cut: bool) -> Option<Candidate<usize>> {
    let end = skip_near(text, mention.end, |c| matches!(c, '\u{300d}' | '\u{300f}'));
    // "Response A: good" above "Response B:" breaks off.
    let is_heading = matches!(char_at(text, skip_near(text, end, |c| c == ' ' || c == '*')), Some(':' | '\u{ff1a}'));
    // "A, donc."
    let conclusion = word_after(text, end + 1).filter(|word| byte_at(text, end) == b',' && word.has(class::CONCLUDE));
    let end = conclusion.map_or(end, |word| word.end);
    if is_cut || is_heading || !closes_text(text, behind_copula(text, end)) {
        return None;
    }
    let is_mark = |c: char| " \t\"'([*#-`<>=\u{2192}\u{300c}\u{300e}".contains(c);
    let may_be_name = matches!(mention.shape, Shape::Letter | Shape::Number);
    let noun = word_before(text, mention.start).filter(|noun| may_be_name && is_noun(*noun));
    let start = noun.map_or(mention.start, |noun| noun.start);
    let lead = head(text, start).trim_end_matches(is_mark);
    // "1. B 2. A": the last item of a list, which begins with the first.
    if is_behind_index(lead) {
        return None;
    }
    // "So A", but "The dog is therefore unsafe"
    let opens = |at: usize| {
        let lead = head(text, at).trim_end_matches(' ');
        let turns = class::EMPHATIC | class::CONCLUDE | class::CONTRAST | class::JOIN;
        !lead.ends_with(char::is_alphanumeric) || word_before(text, at).is_some_and(|word| word.has(turns))
    };
    let is_stressed = word_before(text, start).filter(|word| word.end == lead.len()).is_some_and(|word| {
        word.has(class::EMPHATIC)
            || word.has(class::CONCLUDE) && (mention.shape == Shape::Particle || opens(word.start))
    });
    // "So, A.": the word that concludes opens the line. Without the stop, "Therefore, Output (b)" may go on.
    let is_stopped = matches!(byte_at(text, skip_closing(text, behind_copula(text, end))), b'.' | b'!');
    // "Let us compare them. The first": what breaks off may go on.
    let is_ordinal =
        || entry_of(text, start).is_some_and(|(word, _)| word.may_be(class::FILL | class::FORMER | class::LATTER));
    if !lead.is_empty() && !is_stopped && mention.shape == Shape::Name && is_ordinal() {
        return None;
    }
    let stands_alone = lead.is_empty() || lead.ends_with(['\n', '.', '!', '?', '。']) || is_stressed;
    stands_alone.then(|| candidate(*mention, Rule::Closing, 0, start, text.len()))
}

/// `1. B 2.`: whether an index ends a text in which the first one and the one before it stand.
fn is_behind_index(lead: &str) -> bool {
    let Some(mark) = lead.chars().next_back().filter(|mark| matches!(mark, '.' | ')')) else { return false };
    let lead = head(lead, lead.len() - 1);
    let before = lead.trim_end_matches(|c: char| c.is_ascii_digit());
    let last = tail(lead, before.len()).parse().ok().and_then(|index: u8| index.checked_sub(1));
    let has = |index: u8| before.contains(&format!("{index}{mark} "));
    before.ends_with([' ', '\n']) && last.is_some_and(|last| last > 0 && has(1) && has(last))
}

/// `Yes, but also no.`, `No, it does not.`: a particle that ends a clause behind a word that concludes or turns, or that opens
/// a sentence with a comma behind it.
fn stands_as_answer(text: &str, mention: &Mention) -> bool {
    let end = skip_closing(text, mention.end);
    if char_at(text, end).is_some_and(|c| COMMAS.contains(&c)) {
        // "Yes. It is fine. No, there are no errors." agrees.
        let subject = words_behind(text, mention).find(|word| !word.has(class::FILL) || word.has(class::THING));
        return subject.is_some_and(|noun| noun.has(class::THING) && !noun.has(class::SUBJECT));
    }
    let mere = |word: &Word<'_>| word.has(class::FILL) && !word.has(class::LINK | class::CONTRAST);
    let before = word_before(text, mention.start);
    let before = before.filter(|word| !mere(word)).or_else(|| word_before(text, before?.start));
    let turns = class::CONCLUDE | class::CONTRAST | class::CORRECT | class::FINAL | class::LINK;
    matches!(byte_at(text, end), 0 | b'.' | b'!' | b'\n') && before.is_some_and(|word| word.has(turns))
}

/// `No, still 6`: whether a `no` takes back what stands before it. "No, 3 of the 4 facts are wrong" answers.
fn is_correction(text: &str, mention: &Mention) -> bool {
    let is_number = |word: Word<'_>| {
        word.text.starts_with(|c: char| c.is_ascii_digit()) && !matches!(byte_at(text, word.end), b' ' | b'%')
    };
    word_at(text, mention.start).is_some_and(|no| no.has(class::NO))
        && words_behind(text, mention).take(3).any(is_number)
}

fn words_behind<'t>(text: &'t str, mention: &Mention) -> impl Iterator<Item = Word<'t>> {
    std::iter::successors(word_after(text, mention.end), move |word| word_after(text, word.end))
}

/// `"Safe" isn't the word I would use`: whether a quoted label opens its sentence, so that a word is denied and nothing said.
fn is_quoted_subject(view: &View<'_>, mention: &Mention, chooser: &mut Chooser<'_, usize>) -> bool {
    let opening = chooser.sentence(mention.start).range.start..mention.start;
    view.quotes(&mention.span()) && !slice(view.text(), opening).contains(char::is_alphanumeric)
}

/// Whether a label amid prose is all that is said there, of all that is judged. A guard's codes may follow: `unsafe S3`.
fn is_all_said(format: &Format, lone: &Mention, chooser: &mut Chooser<'_, usize>) -> bool {
    format.kind() == Kind::Guard
        || lone.shape == Shape::Phrase
        || chooser.sentence(lone.start).clause(&lone.span()).stands_alone()
}

/// Whether a mention in running text can be a verdict by itself.
fn may_stand_alone<'s>(text: &str, mention: &Mention, clause: impl Fn() -> Clause<'s>) -> bool {
    match mention.shape {
        // What is compared is spoken of throughout.
        Shape::Letter | Shape::Number | Shape::Name => false,
        Shape::Particle | Shape::Word if clause().is_of_some() => false,
        Shape::Particle => {
            let ends = char_at(text, mention.end)
                .is_some_and(|c| COMMAS.contains(&c) || matches!(c, '.' | '!' | '\n' | '\u{3002}'));
            // "Sì e no."
            let join = word_before(text, mention.start).filter(|word| word.has(class::JOIN));
            let other = join.and_then(|join| word_before(text, join.start));
            let is_joined = other.is_some_and(|other| other.has(class::YES | class::NO));
            ends && !is_joined && !is_correction(text, mention)
        }
        Shape::Word => !is_attribute(text, mention),
        Shape::Phrase => true,
    }
}
