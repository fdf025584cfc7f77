//! Labels: the words that a judge chooses from, in all their written forms.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use super::error::FormatError;
use super::finder::Starts;
use crate::lexicon::{
    ANSWERS, ASPECT, Classes, FALSE, LABELS, LINK, NO, SAFE, SAFETIES, THING, TIE, TRUE, TRUTHS, UNSAFE, YES, lexicon,
    word,
};
use crate::reply::text::{ahead, byte_at, char_at, continues_word, head, is_same, is_unspaced, is_word_edge, tail};

/// The class of a form, which determines how it may occur in prose without being a verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// One letter, which may be an article or a list mark.
    Letter,
    /// A number, which may count something.
    Number,
    /// Yes, no and similar words, which may be determiners.
    Particle,
    /// Any other single word.
    Word,
    /// Several words, or a word with signs.
    Phrase,
    /// The name of a candidate: `Output (a)`, `Response 1`.
    Name,
}

const PARTICLES: [&str; 10] = ["yes", "no", "true", "false", "y", "n", "pass", "fail", "allow", "block"];

/// One way to write a label.
#[derive(Debug, Clone)]
pub(crate) struct Form {
    pub(crate) text: String,
    /// The text in lower case, cached because Unicode lowercasing is expensive.
    pub(crate) lower: String,
    pub(crate) label: usize,
    pub(crate) shape: Shape,
    /// It is a declared form without the words that announce every label. Strict reading does not accept it.
    is_rest: bool,
}

impl Form {
    fn new(text: String, label: usize, is_rest: bool) -> Self {
        let (lower, shape) = (text.to_lowercase(), shape(&text));
        Self { text, lower, label, shape, is_rest }
    }

    /// Return a non-ASCII word in lower case, capitalized and in upper case: `нет`, `Нет`, `НЕТ`.
    fn in_other_cases(&self) -> Vec<Self> {
        let mut letters = self.lower.chars();
        let is_word = !self.text.is_ascii() && self.text.chars().count() > 1;
        let Some(first) = letters.next().filter(|_| is_word) else { return Vec::new() };
        let with_capital = first.to_uppercase().chain(letters).collect();
        let mut others = vec![self.lower.clone(), with_capital, self.text.to_uppercase()];
        others.retain(|other| *other != self.text);
        others.dedup();
        others.into_iter().map(|text| Self { text, is_rest: true, ..self.clone() }).collect()
    }
}

/// The maximum number of forms of all labels.
const MAX_FORMS: usize = 1024;

/// The maximum length of a translation, in bytes.
const MAX_TRANSLATION: usize = 48;

/// The maximum length of a word that is a label where it is the whole reply, in bytes.
pub(crate) const MAX_ANSWER: usize = 96;

/// The most words of a translation behind its first.
const WORDS: usize = 4;

/// How people tell candidates apart: by numbers, and by the first letters of their alphabets. Of third ones, those that
/// are no words.
const DESIGNATORS: [&[&str]; 3] = [
    &[
        "1",
        "A",
        "\u{391}",
        "\u{410}",
        "\u{5d0}",
        "\u{623}",
        "\u{627}\u{644}\u{641}",
        "\u{905}",
        "\u{90f}",
        "\u{995}",
        "\u{b85}",
        "\u{e01}",
        "\u{7532}",
    ],
    &[
        "2",
        "B",
        "\u{392}",
        "\u{411}",
        "\u{5d1}",
        "\u{628}",
        "\u{92c}",
        "\u{92c}\u{940}",
        "\u{996}",
        "\u{b86}",
        "\u{e02}",
        "\u{4e59}",
    ],
    &["3", "C"],
];

/// Where one of them may stand.
static DESIGNATED: LazyLock<Starts> = LazyLock::new(|| Starts::new(DESIGNATORS.into_iter().flatten().copied(), false));

/// The number, from 0, that a designator at a place stands for, and its end.
pub(crate) fn designator_at(text: &str, at: usize) -> Option<(usize, usize)> {
    let mut all =
        (0..).zip(DESIGNATORS).flat_map(|(nth, names)| names.iter().map(move |name| (nth, at + name.len(), *name)));
    let found = all.find(|&(_, end, name)| tail(text, at).starts_with(name) && is_word_edge(text, end));
    found.filter(|_| is_word_edge(text, at)).map(|(nth, end, _)| (nth, end))
}

/// The designators of a text in their order: the number of each, and where it stands.
pub(crate) fn designators(text: &str) -> impl Iterator<Item = (usize, Range<usize>)> {
    DESIGNATED.places(text, &(0..text.len())).filter_map(|at| designator_at(text, at).map(|(nth, end)| (nth, at..end)))
}

/// The labels of a format.
#[derive(Debug, Clone)]
pub(crate) struct Labels {
    pub(crate) names: Vec<String>,
    /// Longest first, so that the first match is the right one.
    forms: Vec<Form>,
    /// The numbers of the forms that may begin with a byte, in their order, one byte after the other; where each begins.
    by_first: Vec<usize>,
    firsts: Vec<usize>,
    /// Translations of the forms, longest first; matched only where a verdict is expected.
    translations: Vec<Form>,
    /// The bits in `ANSWERS` of the declared forms that have words there, with their labels.
    answers: Vec<(u16, usize)>,
    /// The hashes of the words that begin the translations of several words, in order.
    phrases: Vec<u32>,
    /// The hashes of the forms and the translations in lower case, with their numbers, in order; where those with the same
    /// first bits begin.
    by_hash: Vec<(u32, usize)>,
    hashes: Vec<usize>,
    /// The length of the longest form or translation.
    longest: usize,
    translated: Starts,
    starts: Starts,
    is_case_sensitive: bool,
    has_answers: bool,
    /// The forms that may be verbs, with their endings: `pass`, `passes`, `passed`.
    verbs: Vec<(String, usize)>,
    acts: Starts,
    /// The labels of the first and the second candidate, where they are numbered or lettered.
    pair: Option<[usize; 2]>,
    /// The label that says that no candidate is better.
    tie: Option<usize>,
    /// The classes that call what is judged true and false, or safe and unsafe, with their labels.
    truths: Option<[(Classes, usize); 2]>,
}

/// A label at a position in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mention {
    pub(crate) label: usize,
    pub(crate) shape: Shape,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Mention {
    pub(crate) fn span(&self) -> Range<usize> {
        self.start..self.end
    }
}

impl Labels {
    pub(crate) fn new(id: &str, declared: &[(String, Vec<String>)]) -> Result<Self, FormatError> {
        let written = declared.iter().map(|(_, written)| written.len()).sum::<usize>();
        let problem = format_args!("{written} forms of {} labels; at most {MAX_FORMS} are allowed", declared.len());
        FormatError::refuse_if(written.max(declared.len()) > MAX_FORMS, id, "labels", problem)?;
        let mut forms: Vec<Form> = Vec::new();
        for (label, (name, written)) in declared.iter().enumerate() {
            let problem = format_args!("label {name:?} has no form; give the words that stand for it");
            FormatError::refuse_if(written.is_empty(), id, "labels", problem)?;
            for text in written {
                let text = text.trim();
                let problem = format_args!("label {name:?} has an empty form; remove it");
                FormatError::refuse_if(text.is_empty(), id, "labels", problem)?;
                let mut add = |text: &str, is_rest: bool| forms.push(Form::new(text.to_owned(), label, is_rest));
                add(text, false);
                if text.contains(" (") {
                    add(&text.replace(" (", "("), false);
                }
                if let Some(rest) = announcement(declared).and_then(|words| rest_of(text, words)) {
                    add(rest, true);
                }
            }
        }
        if let Some(problem) = clash(&forms, declared) {
            return Err(FormatError::key(id, "labels", problem));
        }
        // In text, non-ASCII letters are compared without case folding.
        let other_cases: Vec<Form> = forms.iter().flat_map(Form::in_other_cases).collect();
        forms.extend(other_cases);
        // Labels that differ only in case, such as `m` and `M`, make matching case-sensitive.
        let is_case_sensitive = forms.iter().any(|one| {
            forms.iter().any(|other| one.label != other.label && one.text.eq_ignore_ascii_case(&other.text))
        });
        let verbs = verbs(&forms);
        let translations = translations(&forms, &verbs);
        let other_cases: Vec<Form> = translations.iter().flat_map(Form::in_other_cases).collect();
        forms.sort_by_key(|form| std::cmp::Reverse(form.text.len()));
        let starts = Starts::new(forms.iter().map(|form| form.text.as_str()), !is_case_sensitive);
        let (mut by_first, mut firsts) = (Vec::new(), vec![0]);
        for byte in 0..=u8::MAX {
            let is_first = |form: &Form| {
                let first = byte_at(&form.text, 0);
                first == byte || !is_case_sensitive && first.eq_ignore_ascii_case(&byte)
            };
            by_first.extend((0..).zip(&forms).filter(|(_, form)| is_first(form)).map(|(nth, _)| nth));
            firsts.push(by_first.len());
        }
        let all = forms.iter().chain(&translations).enumerate();
        let mut by_hash: Vec<_> = all.map(|(nth, form)| (hash(&form.lower), nth)).collect();
        by_hash.sort_unstable();
        let hashes = (0..=HASHES).map(|bits| by_hash.partition_point(|(hash, _)| first_bits(*hash) < bits)).collect();
        let bit = |form: &Form| LABELS.iter().position(|(label, _)| label.eq_ignore_ascii_case(&form.text));
        let bits = forms.iter().filter_map(|form| Some((1 << bit(form)?, form.label))).collect();
        let answers = |form: &Form| lexicon().classes(&form.lower) & (YES | NO) != 0;
        let only = |classes: Classes| {
            let mut labels = forms.iter().filter(|form| lexicon().classes(&form.lower) & classes != 0);
            let first = labels.next()?.label;
            labels.all(|other| other.label == first).then_some(first)
        };
        let tie = only(TIE);
        let truths = [[TRUE, FALSE], [SAFE, UNSAFE]].into_iter().find_map(|[good, bad]| {
            let (right, wrong) = only(good).zip(only(bad)).filter(|(right, wrong)| right != wrong)?;
            Some([(good, right), (bad, wrong)])
        });
        Ok(Self {
            acts: Starts::new(verbs.iter().map(|(verb, _)| verb.as_str()), true),
            verbs,
            pair: pair(&forms, tie),
            has_answers: forms.iter().any(answers),
            answers: bits,
            tie,
            truths,
            names: declared.iter().map(|(name, _)| name.clone()).collect(),
            longest: forms
                .iter()
                .chain(&translations)
                .map(|form| form.text.len().max(form.lower.len()))
                .max()
                .unwrap_or(0),
            translated: Starts::new(translations.iter().chain(&other_cases).map(|form| form.text.as_str()), true),
            forms,
            by_first,
            firsts,
            phrases: phrases(&translations),
            translations,
            by_hash,
            hashes,
            starts,
            is_case_sensitive,
        })
    }

    pub(crate) fn name(&self, label: usize) -> &str {
        self.names.get(label).map_or("", String::as_str)
    }

    /// Return the label that equals the whole text.
    pub(crate) fn of(&self, text: &str) -> Option<usize> {
        self.equals(text).next().map(|form| form.label)
    }

    /// Return the label that equals the whole text in a declared form.
    pub(crate) fn declared(&self, text: &str) -> Option<usize> {
        self.equals(text).find(|form| !form.is_rest).map(|form| form.label)
    }

    /// Return the label of a word that is one where it is the whole reply: `of course`.
    pub(crate) fn answer(&self, text: &str) -> Option<usize> {
        let said = text.to_lowercase().replace('\u{2019}', "'").replace([',', '\u{ff0c}', '\u{3001}', '\u{60c}'], "");
        let (_, bits) = ANSWERS.get(ANSWERS.binary_search_by_key(&said.as_str(), |(word, _)| word).ok()?)?;
        let mut labels = self.answers.iter().filter(|(bit, _)| bits & bit != 0).map(|(_, label)| *label);
        let label = labels.next()?;
        labels.all(|other| other == label).then_some(label)
    }

    /// The forms and translations that equal the whole text, in their order.
    fn equals(&self, text: &str) -> impl Iterator<Item = &Form> {
        // A change of case can shrink a character from three bytes to one, but no further.
        let lower = if text.len() > 3 * self.longest { Cow::Borrowed("") } else { lowered(text) };
        self.hashed(&lower, 0).filter(move |form| self.equal(form, text, &lower))
    }

    /// The forms and translations from a number on that may be a text in lower case, in their order.
    fn hashed(&self, lower: &str, from: usize) -> impl Iterator<Item = &Form> + use<'_> {
        let sought = hash(lower);
        let near = match self.hashes.get(first_bits(sought)..) {
            Some(&[start, end, ..]) => self.by_hash.get(start..end).unwrap_or_default(),
            _ => &[],
        };
        let found = near.iter().filter(move |&&(hash, nth)| hash == sought && nth >= from);
        found.filter_map(|&(_, nth)| self.forms.get(nth).or_else(|| self.translations.get(nth - self.forms.len())))
    }

    fn equal(&self, form: &Form, text: &str, lower: &str) -> bool {
        if self.is_case_sensitive {
            return form.text == text;
        }
        form.text.eq_ignore_ascii_case(text)
            || form.lower.len() == lower.len() && !form.text.is_ascii() && form.lower.eq_ignore_ascii_case(lower)
    }

    /// Whether the text begins with a form.
    pub(crate) fn begins(&self, form: &Form, text: &str) -> bool {
        text.get(..form.text.len()).is_some_and(|head| self.equal(form, head, &lowered(head)))
    }

    /// Whether the text is a proper prefix of a form.
    pub(crate) fn is_begun(&self, form: &Form, text: &str) -> bool {
        let head = form.text.get(..text.len()).filter(|_| text.len() < form.text.len());
        head.is_some_and(|head| if self.is_case_sensitive { head == text } else { head.eq_ignore_ascii_case(text) })
    }

    /// Return the label that starts at `at`.
    pub(crate) fn at(&self, text: &str, at: usize) -> Option<Mention> {
        self.all_at(text, at).find_map(|form| whole(form, text, at))
    }

    /// Return the forms at `at`, longest first, in any context.
    #[inline]
    fn all_at(&self, text: &str, at: usize) -> impl Iterator<Item = &Form> {
        let rest = text.as_bytes().get(at..).unwrap_or_default();
        let first = usize::from(byte_at(text, at));
        let numbers = match self.firsts.get(first..) {
            Some(&[start, end, ..]) => self.by_first.get(start..end).unwrap_or_default(),
            _ => &[],
        };
        let forms = numbers.iter().filter_map(|&nth| self.forms.get(nth));
        forms.filter(move |form| {
            let written = form.text.as_bytes();
            let is_it = |here: &[u8]| if self.is_case_sensitive { here == written } else { is_same(here, written) };
            rest.get(..written.len()).is_some_and(is_it)
        })
    }

    /// Whether a label has this declared form.
    pub(crate) fn is_form(&self, written: &str) -> bool {
        self.forms().any(|form| form.text == written)
    }

    /// Whether a label is a yes-or-no word.
    pub(crate) fn has_answers(&self) -> bool {
        self.has_answers
    }

    pub(crate) fn has_verbs(&self) -> bool {
        !self.verbs.is_empty()
    }

    /// Whether a label may stand as a verb in a range.
    pub(crate) fn may_act_in(&self, text: &str, range: &Range<usize>) -> bool {
        self.has_verbs() && self.acts.may_hold(text, range)
    }

    /// Return the label that a word stands for as a verb: `passes`.
    pub(crate) fn verb(&self, word: &str) -> Option<usize> {
        self.verbs.iter().find(|(verb, _)| verb.eq_ignore_ascii_case(word)).map(|(_, label)| *label)
    }

    /// Whether a word is the noun of a candidate's name: `response` of `Response 1`, or `one`.
    pub(crate) fn is_noun(&self, word: &str) -> bool {
        let begins = |form: &Form| form.shape == Shape::Name && is_same(form.text.as_bytes(), word.as_bytes());
        let is_first = |form: &Form| form.text.split(' ').next().is_some_and(|noun| noun.eq_ignore_ascii_case(word));
        word.eq_ignore_ascii_case("one")
            || self.forms.iter().any(|form| form.shape == Shape::Name && is_first(form) || begins(form))
    }

    /// Return the labels of the first and the second candidate.
    pub(crate) fn pair(&self) -> Option<[usize; 2]> {
        self.pair
    }

    /// Return the other one of the two candidates.
    pub(crate) fn rival(&self, label: usize) -> Option<usize> {
        let [first, second] = self.pair?;
        if label == first { Some(second) } else { (label == second).then_some(first) }
    }

    /// Return the only label that a word for a tie stands for.
    pub(crate) fn tie(&self) -> Option<usize> {
        self.tie
    }

    /// Return the label that a word of these classes stands for, where labels call what is judged true and false, or safe and
    /// unsafe.
    pub(crate) fn truth(&self, classes: Classes) -> Option<usize> {
        let [(good, right), (bad, wrong)] = self.truths?;
        match (classes & good != 0, classes & bad != 0) {
            (true, false) => Some(right),
            (false, true) => Some(wrong),
            _ => None,
        }
    }

    /// The label that calls what is judged true or safe.
    pub(crate) fn good(&self) -> Option<usize> {
        self.truths.map(|[(_, right), _]| right)
    }

    /// Whether a word of these classes names all that is judged, though it may be a part: the content is all of what is safe, but a
    /// part of what is true.
    pub(crate) fn is_content(&self, classes: Classes) -> bool {
        self.truth(SAFE).is_some() && classes & ASPECT != 0 && classes & THING != 0
    }

    /// The classes of words for the two, of the good one first; 0 where there are none.
    pub(crate) fn truths(&self) -> [Classes; 2] {
        self.truths.map_or([0, 0], |truths| truths.map(|(classes, _)| classes))
    }

    /// Where words for the two begin in a text.
    pub(crate) fn truths_in<'s>(&self, text: &'s str) -> impl Iterator<Item = usize> + 's {
        let [good, _] = self.truths();
        let words = if good == SAFE { &SAFETIES } else { &TRUTHS };
        let text = if good == 0 { "" } else { text };
        words.places(text)
    }

    /// Whether labels call what is judged true and false, or safe and unsafe.
    pub(crate) fn has_truths(&self) -> bool {
        self.truths.is_some()
    }

    /// Whether a form may stand within so many bytes of the end of a text and itself.
    pub(crate) fn may_end(&self, text: &str, within: usize) -> bool {
        let near = text.len().saturating_sub(self.longest + within);
        self.starts.may_hold(text, &(near..text.len()))
    }

    pub(crate) fn has_translations(&self) -> bool {
        !self.translations.is_empty()
    }

    /// Iterate over the translations that stand in a range.
    pub(crate) fn translated_in<'t>(
        &'t self,
        text: &'t str,
        range: &'t Range<usize>,
    ) -> impl Iterator<Item = Mention> + 't {
        self.translated.places(text, range).filter_map(|at| self.translated_at(text, at))
    }

    /// Return the label whose translation starts at `at`, as a separate word before punctuation or the end.
    pub(crate) fn translated_at(&self, text: &str, at: usize) -> Option<Mention> {
        if !self.translated.may_stand(text, at) {
            return None;
        }
        let rest = ahead(text, at, MAX_TRANSLATION + 4);
        let word = rest.split(ends_word).next().filter(|word| (1..=MAX_TRANSLATION).contains(&word.len()))?;
        let lower = lowered(word);
        let known =
            |head: &str| self.translation(head).map(|form| (form, if head == lower { word.len() } else { head.len() }));
        // "\u{6b63}\u{89e3}\u{3067}\u{3059}", "\u{c815}\u{b2f5}\u{c785}\u{b2c8}\u{b2e4}": a copula ends the word.
        let mut ends = lower.char_indices().take_while(|&(_, c)| has_no_case(c)).map(|(at, c)| at + c.len_utf8());
        let linked = |end: usize| known(head(&lower, end)).filter(|_| lexicon().classes(tail(&lower, end)) & LINK != 0);
        // "Auf keinen Fall", "certo che s\u{ec}"
        let longer = std::iter::successors(Some(word.len()), |&end| {
            let next = rest.get(end + 1..).filter(|_| byte_at(rest, end) == b' ')?;
            Some(end + 1 + next.split(ends_word).next().map_or(0, str::len))
        });
        let begins_phrase = byte_at(rest, word.len()) == b' ' && self.phrases.binary_search(&hash(&lower)).is_ok();
        let phrases = longer.skip(1).take(if begins_phrase { WORDS } else { 0 });
        let phrase = phrases.filter_map(|end| Some((self.translation(&lowered(head(rest, end)))?, end))).last();
        let (form, length) = phrase.or_else(|| known(&lower)).or_else(|| ends.find_map(linked))?;
        Some(Mention { label: form.label, shape: form.shape, start: at, end: at + length })
    }

    /// Return the translation that a word in lower case is.
    fn translation(&self, lower: &str) -> Option<&Form> {
        self.hashed(lower, self.forms.len()).find(|form| is_same(form.text.as_bytes(), lower.as_bytes()))
    }

    /// Iterate over the mentions as whole words that start in the range, in text order.
    pub(crate) fn mentions<'t>(&'t self, text: &'t str, range: Range<usize>) -> impl Iterator<Item = Mention> + 't {
        let mut scan = self.starts.scan(text, &range);
        let Range { start: mut at, end } = range;
        std::iter::from_fn(move || {
            loop {
                let start = scan.next(at)?;
                at = start + 1;
                if !self.starts.may_stand(text, start) {
                    continue;
                }
                if let Some(form) = self.all_at(text, start).find(|form| start + form.text.len() <= end) {
                    at = start + form.text.len();
                    if let Some(mention) = whole(form, text, start) {
                        return Some(mention);
                    }
                }
            }
        })
        .fuse()
    }

    /// Iterate over the declared forms.
    pub(crate) fn forms(&self) -> impl Iterator<Item = &Form> {
        self.forms.iter().filter(|form| !form.is_rest)
    }

    /// Return the label with a name.
    pub(crate) fn named(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|other| other == name)
    }
}

/// Whether a character is of a script without capitals.
fn has_no_case(c: char) -> bool {
    !c.is_lowercase() && !c.is_uppercase()
}

/// The hash of a text, with ASCII letters in any case.
fn hash(text: &str) -> u32 {
    word::hash(word::ends(text.as_bytes()), text.len())
}

/// How many different first bits hashes have.
const HASHES: usize = 1024;

fn first_bits(hash: u32) -> usize {
    (hash >> (u32::BITS - HASHES.trailing_zeros())) as usize
}

/// Return a text in small letters, but for those of ASCII in a text that has no others.
fn lowered(text: &str) -> Cow<'_, str> {
    if text.is_ascii() { Cow::Borrowed(text) } else { Cow::Owned(text.to_lowercase()) }
}

/// Return a form in the text as a mention, if it begins and ends at word boundaries.
#[inline]
fn whole(form: &Form, text: &str, start: usize) -> Option<Mention> {
    let end = start + form.text.len();
    let (label, shape) = (form.label, form.shape);
    // In a script without spaces, a single character is part of a longer word: "是一个".
    // "丙最好": one that is no word itself is a name before one that is.
    let is_name = || lexicon().unspaced_at(&form.text).is_none() && lexicon().unspaced_at(tail(text, end)).is_some();
    let is_sign =
        || char_at(text, start).is_some_and(|c| c.len_utf8() == form.text.len() && is_unspaced(c)) && !is_name();
    let goes_on = || char_at(text, end).is_some_and(|c| c.is_alphanumeric() && is_unspaced(c)) && is_sign();
    (is_edge(text, start) && is_edge(text, end) && !goes_on()).then_some(Mention { label, shape, start, end })
}

/// The hashes of the first words of phrases, in order.
fn phrases(translations: &[Form]) -> Vec<u32> {
    let firsts = translations.iter().filter_map(|form| form.lower.split_once(' '));
    let mut found: Vec<u32> = firsts.map(|(first, _)| hash(first)).collect();
    found.sort_unstable();
    found
}

/// Collect the translations of the forms, except those that are forms of another label.
fn translations(forms: &[Form], verbs: &[(String, usize)]) -> Vec<Form> {
    let mut found: Vec<Form> = Vec::new();
    for form in forms {
        let verbs = verbs.iter().filter(|(verb, label)| *label == form.label && verb.len() > form.lower.len());
        let verbs =
            verbs.map(|(verb, _)| verb.as_str()).filter(|verb| verb.starts_with(form.lower.trim_end_matches('y')));
        let words =
            LABELS.iter().find(|(label, _)| label.eq_ignore_ascii_case(&form.text)).map_or(&[][..], |(_, words)| words);
        for text in words.iter().copied().chain(verbs) {
            let is_anothers = forms.iter().chain(&found).any(|other| other.label != form.label && other.lower == text);
            if !is_anothers {
                found.push(Form { shape: form.shape, ..Form::new(text.to_owned(), form.label, true) });
            }
        }
    }
    found.sort_by_key(|form| std::cmp::Reverse(form.text.len()));
    found
}

/// Collect the forms that may be English verbs, with their endings.
fn verbs(forms: &[Form]) -> Vec<(String, usize)> {
    let is_verb = |form: &&Form| {
        let is_answer = lexicon().classes(&form.lower) & (YES | NO) != 0;
        matches!(form.shape, Shape::Word | Shape::Particle)
            && form.lower.len() > 3
            && form.lower.bytes().all(|byte| byte.is_ascii_lowercase())
            && !is_answer
    };
    let endings = |form: &Form| {
        let verb = form.lower.as_str();
        let before = verb.len().checked_sub(2).map_or(b'a', |at| byte_at(verb, at));
        let (stem, third, past) = match verb.strip_suffix('y') {
            Some(stem) if !b"aeiou".contains(&before) => (stem, "ies", "ied"),
            _ if verb.ends_with('e') => (verb, "s", "d"),
            _ if ["s", "x", "z", "ch", "sh"].iter().any(|end| verb.ends_with(end)) => (verb, "es", "ed"),
            _ => (verb, "s", "ed"),
        };
        [(verb, ""), (stem, third), (stem, past)].map(|(stem, ending)| (format!("{stem}{ending}"), form.label))
    };
    // "Corrected: 7" begins a correction.
    let is_free =
        |(verb, _): &(String, usize)| lexicon().classes(verb) == 0 || forms.iter().any(|form| form.lower == *verb);
    forms.iter().filter(is_verb).flat_map(endings).filter(is_free).collect()
}

/// Find the labels whose forms end with the first and the second number or letter, if no others do but a tie's.
fn pair(forms: &[Form], tie: Option<usize>) -> Option<[usize; 2]> {
    let is_name = |form: &&Form| matches!(form.shape, Shape::Letter | Shape::Number | Shape::Name);
    let of = |designators: [&str; 3]| {
        let is_it = |form: &&Form| {
            let last = form.lower.trim_end_matches(')').rsplit([' ', '(']).next().unwrap_or("");
            designators.contains(&last)
        };
        forms.iter().filter(is_name).find(is_it).map(|form| form.label)
    };
    let both = [of(["1", "a", "one"])?, of(["2", "b", "two"])?];
    let is_other = |form: &Form| !both.contains(&form.label) && Some(form.label) != tie;
    Some(both).filter(|[first, second]| first != second && !forms.iter().filter(is_name).any(is_other))
}

/// Whether a word ends here.
fn ends_word(c: char) -> bool {
    !(c.is_alphanumeric() || continues_word(c) || is_unspaced(c))
}

/// Whether a label may begin or end here. An apostrophe or a hyphen continues a word: "A's", "no-one".
fn is_edge(text: &str, at: usize) -> bool {
    is_word_edge(text, at)
        && !(byte_at(text, at) == b'-' && byte_at(text, at + 1).is_ascii_alphabetic())
        && !(at > 1
            && byte_at(text, at - 1) == b'-'
            && byte_at(text, at - 2).is_ascii_alphabetic()
            && byte_at(text, at).is_ascii_alphabetic())
}

fn shape(form: &str) -> Shape {
    let mut chars = form.chars();
    if let (Some(only), None) = (chars.next(), chars.next())
        && only.is_ascii_alphabetic()
    {
        return Shape::Letter;
    }
    if form.bytes().all(|byte| byte.is_ascii_digit()) {
        return Shape::Number;
    }
    if PARTICLES.iter().any(|particle| particle.eq_ignore_ascii_case(form)) {
        return Shape::Particle;
    }
    // "\u{56de}\u{7b54}A": a noun and its letter, without a space.
    let mut ends = form.chars().rev();
    if ends.next().is_some_and(|c| c.is_ascii_alphanumeric()) && ends.next().is_some_and(is_unspaced) {
        return Shape::Name;
    }
    if form.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-') {
        return Shape::Word;
    }
    let last = form.rsplit(char::is_whitespace).next().unwrap_or(form);
    let designator = last.trim_matches(|c: char| !c.is_alphanumeric());
    if designator.chars().count() == 1 { Shape::Name } else { Shape::Phrase }
}

/// Return the words with a colon that every label begins with: `FINAL VERDICT:` in `FINAL VERDICT: A` and
/// `FINAL VERDICT: B`.
pub(super) fn announcement(declared: &[(String, Vec<String>)]) -> Option<&str> {
    let (first, others) = declared.split_first()?;
    let announced = |words: &str, forms: &[String]| forms.iter().any(|form| rest_of(form, words).is_some());
    first.1.iter().find_map(|form| {
        let words = form.get(..=form.rfind(':')?)?;
        let is_shared = others.iter().all(|(_, forms)| announced(words, forms)) && announced(words, &first.1);
        (is_shared && words.contains(char::is_alphabetic)).then_some(words)
    })
}

/// Return the rest of a form after the words that announce it.
fn rest_of<'t>(form: &'t str, words: &str) -> Option<&'t str> {
    let here = form.get(..words.len())?;
    let rest = form.get(words.len()..)?.trim();
    (here.eq_ignore_ascii_case(words) && !rest.is_empty()).then_some(rest)
}

/// Return a message if two labels share a form, so that they can't be distinguished.
fn clash(forms: &[Form], declared: &[(String, Vec<String>)]) -> Option<String> {
    let name = |label: usize| declared.get(label).map_or("", |(name, _)| name.as_str());
    forms.iter().enumerate().find_map(|(nth, one)| {
        let other = forms.get(nth + 1..)?.iter().find(|other| other.label != one.label && other.text == one.text)?;
        Some(format!(
            "{:?} stands for both {:?} and {:?}; give each label its own forms",
            one.text,
            name(one.label),
            name(other.label)
        ))
    })
}
