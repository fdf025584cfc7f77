//! Tokens: the words, numbers and marks of a text, with the classes of the lexicon.

use std::borrow::Borrow;
use std::ops::Range;

use crate::blocks::alphanumerics;
use crate::lexicon::word::{ends_at, hash, hash_end};
use crate::lexicon::{self as class, Classes, Entry, Known, Languages, lexicon};
use crate::reply::text::{
    byte_at, byte_before, char_at, char_before, continues_word, head, is_unspaced, is_word_byte, slice, tail,
};

/// A dot above a letter, as a character.
const DOT: char = '\u{307}';

/// What links a heading to what stands below it.
pub(super) const HEADED: char = '\n';

/// What opens a quotation, or closes one, in several languages.
pub(super) const QUOTES: [char; 8] =
    ['"', '\u{201c}', '\u{201e}', '\u{201d}', '\u{ab}', '\u{bb}', '\u{300c}', '\u{300d}'];

/// What opens a quotation.
pub(super) const OPEN_QUOTES: [char; 8] = ['"', '\'', '`', '\u{201c}', '\u{201e}', '\u{ab}', '\u{bb}', '\u{300c}'];

/// Marks that close what holds a value.
pub(super) const CLOSERS: [char; 13] =
    [']', ')', '}', '"', '\'', '*', '`', '>', '\u{201c}', '\u{201d}', '\u{ab}', '\u{bb}', '\u{300d}'];

/// Colons.
pub(super) const COLONS: [char; 2] = [':', '\u{ff1a}'];

/// What says nothing of a value by itself.
pub(super) const MUTE: Classes = MOODS
    | ORDERS
    | class::ANY
    | class::BOTH
    | class::SUBJECT
    | class::ABBREVIATION
    | class::DEEM
    | class::ANOTHER
    | class::ROLE
    | class::FIGURE
    | PAIRED
    | REFERS;

/// How something is said, or how much of it holds.
const MOODS: Classes =
    class::CONDITIONAL | class::ONWARD | class::PARTIAL | class::FITTING | class::EMPHATIC | class::COMPLEMENT;

/// Nouns of which there are several, told apart by a number.
pub(super) const COUNTED: Classes = class::NUMBERED | class::RATER;

/// What numbers things, or spans from one to another.
const ORDERS: Classes = COUNTED | class::MONTH | class::FORMER | class::LATTER | class::RANK | SPANS;

/// Between what two something lies.
const SPANS: Classes = class::RANGE | class::FROM | class::UNTIL;

/// What counts only beside two numbers or two candidates, or as the name of a number.
pub(super) const PAIRED: Classes = class::CHANGE
    | class::INTO
    | class::DIFFERENCE
    | class::NONE
    | COUNTS
    | class::ABSENT
    | class::QUALITY
    | class::SCALE;

/// What names what is counted or measured.
pub(super) const COUNTS: Classes = class::COUNT | class::MEASURE;

/// What counts only where a judge may speak of its verdict, or right behind that.
pub(super) const REFERS: Classes = class::VOID
    | class::VALID
    | class::LOCUS
    | class::DEMONSTRATIVE
    | class::DISMISS
    | class::BACK
    | class::PROVISO
    | SAFETY;

/// What counts only where labels call what is judged safe or unsafe.
const SAFETY: Classes = class::SAFE | class::UNSAFE;

/// What denies, before what it denies or behind it.
pub(super) const DENIES: Classes = class::DENY | class::DENY_BEHIND;

/// What says of a verdict that it is the last or the whole one, or concludes.
pub(super) const LAST: Classes = OF_ALL | class::CONCLUDE;

/// The same without what concludes.
pub(super) const OF_ALL: Classes = class::FINAL | class::WHOLE;

/// The verbs of a score.
pub(super) const AWARDS: Classes = class::GIVE | class::EARN;

/// What says of one of two that the other one is better.
pub(super) const LOSES: Classes = class::WORSE | class::LOSE;

/// What is spoken of, and how much of it.
pub(super) const NAMES: Classes =
    class::FILL | class::THING | class::SUBJECT | class::BOTH | class::OF | class::EMPHATIC;

/// What goes on with a sentence behind what stands before it.
pub(super) const GOES_ON: Classes =
    class::BECAUSE | class::CONTRAST | class::JOIN | class::PART | class::CONCLUDE | class::WHOLE | class::IF;

/// What a sentence has beside the score that it gives.
pub(super) const SCORED: Classes =
    class::ANNOUNCE | class::LINK | class::THING | class::FILL | class::SELF | class::UNIT | class::OVER;

/// What turns to something else, or to the end.
pub(super) const TURNS: Classes = class::CORRECT | class::CONTRAST | class::CONCLUDE;

/// What is said of what is not so, or may not be.
pub(super) const UNREAL: Classes = class::IF | class::HEDGE | class::WISH | class::COUNTERFACTUAL;

/// What answers a question.
pub(super) const ANSWERS: Classes = class::YES | class::NO | class::TRUE | class::FALSE | class::TIE;

/// A word, a number in digits, or a mark.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Token {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) classes: Classes,
    pub(super) kind: Kind,
    /// The number that a word stands for.
    pub(super) number: Option<f64>,
    pub(super) is_unspaced: bool,
    pub(super) entry: Option<&'static Entry>,
    /// Whether unknown characters of a script without spaces touch it before, and behind.
    pub(super) is_part: bool,
    pub(super) runs_on: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) enum Kind {
    #[default]
    Word,
    Number,
    Mark(char),
}

impl Token {
    fn new(start: usize, end: usize, kind: Kind) -> Self {
        Self { start, end, kind, ..Self::default() }
    }

    pub(super) fn text<'t>(&self, text: &'t str) -> &'t str {
        slice(text, self.start..self.end)
    }

    pub(super) fn is(&self, classes: Classes) -> bool {
        self.classes & classes != 0
    }

    /// Whether it denies a verb or a noun: `no` answers or counts.
    pub(super) fn denies(&self) -> bool {
        self.is(DENIES) && !self.is(class::NO)
    }

    /// Whether it is a word that the lexicon has not, as most people's names and many verbs are, or a verb's mood.
    pub(super) fn is_bare(&self) -> bool {
        self.kind == Kind::Word && self.classes & !(class::CONDITIONAL | PAIRED | REFERS) == 0 && !self.is_unspaced
    }

    /// Whether it names the judge: `I`, but not `my`.
    pub(super) fn is_judge(&self) -> bool {
        self.is(class::SELF) && !self.is(class::POSSESSIVE)
    }

    /// Whether the lexicon has it not, or only as a word that says nothing of a value.
    pub(super) fn is_unknown(&self) -> bool {
        self.classes & !MUTE == 0
    }

    /// `Assistant B`, `Output (a)`, `Response B'den`: whether it names a candidate, as the prompt does, in whatever language a
    /// judge writes.
    fn names(&self, text: &str) -> bool {
        if byte_at(text, self.end) != b' ' {
            return false;
        }
        let bracket = usize::from(matches!(byte_at(text, self.end + 1), b'(' | b'['));
        let at = self.end + 1 + bracket;
        let Some(letter) = char_at(text, at) else { return false };
        (letter.is_uppercase() || letter.is_ascii_digit() || bracket == 1 && letter.is_ascii_lowercase())
            && !char_at(text, at + letter.len_utf8()).is_some_and(continues_word)
            && self.entry.is_some_and(|entry| entry.may_be(class::THING | class::VAGUE))
    }

    /// `Die Response ist korrekt`: whether English may have lent it, as a noun of the prompt, to another language.
    fn is_lent(&self, text: &str) -> bool {
        let noun = self.entry.filter(|_| byte_at(text, self.start).is_ascii_uppercase());
        noun.is_some_and(|noun| noun.shows(0) && noun.may_be(class::THING | class::VAGUE))
    }

    /// `it`, `it's`: whether a pronoun stands for what is judged, and its copula with it.
    pub(super) fn is_pronoun(&self) -> bool {
        self.is(class::THING) && self.is(class::SUBJECT | class::LINK)
    }

    #[inline]
    pub(super) fn is_mark(&self, marks: &[char]) -> bool {
        matches!(self.kind, Kind::Mark(mark) if marks.contains(&mark))
    }

    pub(super) fn is_word(&self) -> bool {
        !matches!(self.kind, Kind::Mark(_))
    }
}

/// Commas, and dashes in their place.
pub(super) const COMMAS: [char; 7] = [',', ';', '\u{2014}', '\u{2013}', '\u{ff0c}', '\u{3001}', '\u{60c}'];

/// Whether a token is a number in digits, or a word for one.
pub(super) fn is_number(token: &Token) -> bool {
    token.kind == Kind::Number || token.number.is_some()
}

/// Whether a token is of some classes, to be asked of those of a sentence.
pub(super) fn of<T: Borrow<Token>>(classes: Classes) -> impl Fn(&T) -> bool + Copy {
    move |token| token.borrow().is(classes)
}

/// Whether it is one of some marks.
pub(super) fn among<T: Borrow<Token>>(marks: &[char]) -> impl Fn(&T) -> bool + Copy {
    move |token| token.borrow().is_mark(marks)
}

/// Those that are no marks.
pub(super) fn words(tokens: &[Token]) -> impl DoubleEndedIterator<Item = &Token> + Clone {
    tokens.iter().filter(|token| token.is_word())
}

/// Those at the beginning that are something, and what stands behind them.
pub(super) fn split_lead(tokens: &[Token], is_it: impl Fn(&Token) -> bool) -> (&[Token], &[Token]) {
    tokens.split_at(tokens.iter().position(|token| !is_it(token)).unwrap_or(tokens.len()))
}

/// The words, numbers and marks of a range.
///
/// Those of the heading above come first, with a mark that links it to what it announces.
pub(super) fn tokens(text: &str, heading: Option<Range<usize>>, range: Range<usize>) -> (Vec<Token>, Languages) {
    let mut found: Vec<Token> = Vec::with_capacity(range.len() / 4 + 4);
    if let Some(heading) = heading {
        let end = heading.end;
        take_tokens(text, heading, &mut found);
        found.push(Token::new(end, end, Kind::Mark(HEADED)));
    }
    take_tokens(text, range, &mut found);
    let languages = languages(text, &found);
    let mut is_label = false;
    for nth in 0..found.len() {
        let was_label = std::mem::take(&mut is_label);
        let Some(token) = found.get_mut(nth).filter(|token| token.kind == Kind::Word) else { continue };
        // "Odpověď A je horší": a candidate's letter is no word, but "body z pěti" goes on.
        let is_letter = was_label && is_capital(token.text(text));
        is_label = languages & ENGLISH == 0 && token.names(text);
        match token.entry {
            Some(_) if is_letter => {}
            Some(entry) => (token.classes, token.number) = entry.among(languages | if is_label { ENGLISH } else { 0 }),
            None if byte_before(text, token.end) == b's' => token.classes = owner(token.text(text)),
            None => {}
        }
    }
    (found, languages)
}

fn take_tokens(text: &str, range: Range<usize>, found: &mut Vec<Token>) {
    let mut lower = String::new();
    let mut at = range.start;
    while at < range.end {
        let start = at;
        let byte = byte_at(text, start);
        // Most that is no word is a space.
        if byte == b' ' || byte == b'_' && start > range.start && found.last().is_some_and(|name| name.end == start) {
            at += 1;
            continue;
        }
        if byte.is_ascii() && !is_word_byte(byte) {
            at += 1;
            // White space of ASCII: of the control characters, six.
            if !matches!(byte, b'\t'..=b'\r') {
                found.push(Token::new(start, at, Kind::Mark(char::from(byte))));
            }
            continue;
        }
        at = run_end(text, start, range.end);
        if !byte.is_ascii() {
            let Some(c) = char_at(text, at) else { break };
            if is_sign(text, start) || is_unspaced(c) {
                at = unspaced_tokens(text, start..range.end, found);
                continue;
            }
            if !continues_word(c) {
                at += c.len_utf8();
                if !c.is_whitespace() {
                    // The semicolon of Arabic and of wide scripts is one.
                    let mark = if matches!(c, '\u{61b}' | '\u{ff1b}') { ';' } else { c };
                    found.push(Token::new(start, at, Kind::Mark(mark)));
                }
                continue;
            }
        }
        let is_plain = at == range.end || is_plain(text, at) || names_verdict(text, start..at, range.end, found.last());
        if !is_plain {
            at = word_end(text, at, range.end);
        }
        if byte.is_ascii_digit() || !byte.is_ascii() && char_at(text, start).is_some_and(char::is_numeric) {
            let ordinal = ordinal_at(text, start..at, range.end, is_plain, &mut lower);
            at = ordinal.map_or(at, |(_, end)| end);
            found.push(match ordinal {
                Some((entry, _)) => Token { entry: Some(entry), ..Token::new(start, at, Kind::Word) },
                None => Token::new(start, at, Kind::Number),
            });
            continue;
        }
        let entry;
        (entry, at) = entry_at(text, start..at, range.end, is_plain, &mut lower);
        found.push(Token { entry, ..Token::new(start, at, Kind::Word) });
    }
}

/// `2nd`, `2-й`, `2番目`: the word that a digit begins, and where it ends.
fn ordinal_at(
    text: &str,
    number: Range<usize>,
    limit: usize,
    is_plain: bool,
    lower: &mut String,
) -> Option<(&'static Entry, usize)> {
    let Range { start, end } = number;
    if !matches!(byte_at(text, start), b'1' | b'2') || byte_at(text, start + 1).is_ascii_digit() {
        return None;
    }
    let found = if char_at(text, end).is_some_and(is_unspaced) {
        lexicon().unspaced_at(tail(text, start)).map(|(length, entry)| (entry, start + length))
    } else {
        let (entry, end) = entry_at(text, number, limit, is_plain, lower);
        entry.map(|entry| (entry, end))
    };
    found.filter(|(entry, end)| *end <= limit && entry.may_be(class::FORMER | class::LATTER))
}

/// What a word is, or the longest phrase that it begins, and where that ends.
///
/// `is_plain` says that the word has letters and digits of ASCII alone.
#[inline]
fn entry_at(
    text: &str,
    word: Range<usize>,
    limit: usize,
    is_plain: bool,
    lower: &mut String,
) -> (Option<&'static Entry>, usize) {
    let Range { start, end } = word;
    let (found, first) = if is_plain {
        let ends = ends_at(text.as_bytes(), start, end - start);
        let first = hash(ends, end - start);
        (lexicon().find(text.as_bytes().get(word).unwrap_or_default(), ends, first), Some(first))
    } else {
        (known(slice(text, word), lower), None)
    };
    let Some(known) = found else { return (None, end) };
    match if known.phrases().is_empty() { None } else { phrase_at(text, known, first, end, limit) } {
        Some((entry, end)) => (Some(entry), end),
        None => (known.entry(), end),
    }
}

/// What a word is, or the longest phrase that it begins, and where that ends.
pub(super) fn entry_of(text: &str, at: usize) -> Option<(&'static Entry, usize)> {
    let byte = byte_at(text, at);
    // "'s" is a word.
    if byte.is_ascii() && !is_word_byte(byte) && byte != b'\'' {
        return None;
    }
    if char_at(text, at).is_some_and(is_unspaced) {
        return lexicon().unspaced_at(tail(text, at)).map(|(length, entry)| (entry, at + length));
    }
    let run = run_end(text, at, text.len());
    let is_plain = is_plain(text, run);
    let end = if is_plain { run } else { word_end(text, run, text.len()) };
    let (entry, end) = entry_at(text, at..end, text.len(), is_plain, &mut String::new());
    entry.map(|entry| (entry, end))
}

/// The known words of a stretch without spaces, which begins the range; where it ends.
fn unspaced_tokens(text: &str, range: Range<usize>, found: &mut Vec<Token>) -> usize {
    let (start, mut at) = (range.start, range.start);
    while at < range.end {
        if is_sign(text, at) {
            at += 3;
            continue;
        }
        // Korean puts spaces between words, and its entries hold them.
        // "第2个"
        let is_counted = |c: char| matches!(c, '1' | '2') && head(text, at).ends_with('第') && touches_next(text, at);
        let is_inside = |c: &char| is_unspaced(*c) || *c == ' ' && touches_next(text, at) || is_counted(*c);
        let Some(c) = char_at(text, at).filter(is_inside) else { break };
        at += c.len_utf8();
    }
    let mut known = start;
    for (from, to, entry) in lexicon().unspaced(slice(text, start..at)) {
        // A kanji behind hiragana begins a word: "評価は七点".
        let begins = || {
            char_before(text, start + from).is_some_and(|c| c == ' ' || is_hiragana(c))
                && !char_at(text, start + from).is_some_and(is_hiragana)
        };
        let is_part = start + from > known && !begins();
        if let Some(before) = found.last_mut().filter(|_| is_part && known > start) {
            before.runs_on = true;
        }
        let token = Token::new(start + from, start + to, Kind::Word);
        found.push(Token { is_unspaced: true, is_part, entry: Some(entry), ..token });
        known = start + to;
    }
    // "七点とします"
    let ends = |before: &Token| {
        before.entry.is_some_and(|entry| entry.among(0).0 & class::UNIT != 0)
            && char_at(text, before.end).is_some_and(is_hiragana)
    };
    if let Some(before) = found.last_mut().filter(|before| before.is_unspaced && known < at && !ends(before)) {
        before.runs_on = true;
    }
    at
}

/// Whether a character of three bytes stands here that most of Chinese, Japanese and Korean consists of: U+3041 to U+30BF,
/// U+4000 to U+9FFF or U+B000 to U+CFFF.
fn is_sign(text: &str, at: usize) -> bool {
    match byte_at(text, at) {
        0xe4..=0xe9 | 0xeb | 0xec => true,
        0xe3 => matches!((byte_at(text, at + 1), byte_at(text, at + 2)), (0x81, 0x81..) | (0x82, _)),
        _ => false,
    }
}

fn is_hiragana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{309f}')
}

/// Whether a space stands between two characters of scripts without spaces.
fn touches_next(text: &str, at: usize) -> bool {
    char_at(text, at + 1).is_some_and(is_unspaced)
}

/// Whether a word is a single letter that is no small one, of any script.
fn is_capital(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(|letter| !letter.is_lowercase()) && letters.next().is_none()
}

/// The languages of a sentence: the one with most words of its own, and all that have two. Where there are none: English,
/// the first, if a word shows it, or those that share most of at least two words. A noun of the prompt shows none.
fn languages(text: &str, tokens: &[Token]) -> Languages {
    let is_said = |token: &&Token| !token.names(text) && !token.is_lent(text);
    let said = || tokens.iter().filter(is_said);
    let entries = || said().filter_map(|token| token.entry);
    let mut own = [0_u8; LANGUAGES];
    let mut seen: Languages = 0;
    for token in tokens {
        if let Some(language) = token.entry.and_then(Entry::only)
            && is_said(&token)
        {
            count(&mut own, language);
            seen |= 1 << language;
        }
    }
    // Most sentences show one.
    if seen.is_power_of_two() {
        return seen;
    }
    let bits = |is_likely: &dyn Fn(usize, u8) -> bool, counts: &[u8; LANGUAGES]| {
        let likely = counts.iter().enumerate().filter(|&(language, &count)| is_likely(language, count));
        likely.fold(0, |all, (language, _)| all | 1 << language)
    };
    let all = || {
        let mut all = [0_u8; LANGUAGES];
        entries().flat_map(Entry::languages).for_each(|language| count(&mut all, language));
        all
    };
    if seen != 0 {
        let most = own.iter().copied().max();
        let is_likely = |&language: &usize| own.get(language).copied() == most;
        let mut likely = (0..own.len()).filter(is_likely);
        let only = likely.next().filter(|_| likely.next().is_none());
        // "No he leído la respuesta" has one of English, one of Spanish, and more that Spanish shares.
        let first = only.or_else(|| {
            let all = all();
            (0..own.len()).rev().filter(is_likely).max_by_key(|&language| all.get(language))
        });
        return bits(&|language, count| Some(language) == first || count > 1, &own);
    }
    let all = all();
    let most = all.iter().copied().max().unwrap_or(0);
    let shared = if most > 1 { bits(&|_, count| count == most, &all) } else { 0 };
    // A letter is a label as well as an article.
    let shows = |token: &Token| token.end - token.start > 1 && token.entry.is_some_and(|entry| entry.shows(0));
    match (said().any(shows), shared) {
        // "Der Score ist 8" has an English word in another language.
        (true, shared) => ENGLISH | if all.first() < Some(&most) { shared } else { 0 },
        // "Response A wint" has a word that English has not.
        (false, 0) if tokens.iter().any(shows) => {
            let is_foreign = |entry: &&Entry| entry.languages().all(|language| language != 0);
            let foreign = entries().filter(is_foreign).flat_map(Entry::languages);
            foreign.map(|language| 1 << language).reduce(|all, language| all | language).unwrap_or(ENGLISH)
        }
        (false, shared) => shared,
    }
}

/// English, as one of a sentence's languages.
const ENGLISH: Languages = 1;

/// How many there may be.
const LANGUAGES: usize = Languages::BITS as usize;

fn count(counts: &mut [u8; LANGUAGES], language: u8) {
    if let Some(count) = counts.get_mut(usize::from(language)) {
        *count = count.saturating_add(1);
    }
}

/// `the student's`: somebody whose score, or whatever follows, it is, or `the response's`, what is judged.
fn owner(word: &str) -> Classes {
    let owner = word.strip_suffix("'s").or_else(|| word.strip_suffix("\u{2019}s"));
    let is_none = |known: &&str| owner.is_some_and(|owner| known.eq_ignore_ascii_case(owner));
    match owner {
        None => 0,
        Some(owner) if lexicon().classes(owner) & class::THING != 0 => class::THING,
        // "The winner's A"
        Some(owner) if lexicon().classes(owner) & class::WINNER != 0 => class::WINNER | class::LINK,
        Some(_) if ["let", "here", "there", "what", "judge", "that", "it", "today"].iter().any(is_none) => 0,
        Some(_) => class::OTHER,
    }
}

/// Where letters and digits of ASCII end that stand at a place.
#[inline]
pub(super) fn run_end(text: &str, at: usize, limit: usize) -> usize {
    let mut end = at;
    while let Some(eight) = text.as_bytes().get(end..limit).and_then(|rest| rest.first_chunk()) {
        let run = alphanumerics(*eight);
        end += run;
        if run < eight.len() {
            return end;
        }
    }
    let letters = text.as_bytes().get(end..limit).unwrap_or_default().iter();
    end + letters.take_while(|byte| byte.is_ascii_alphanumeric()).count()
}

/// Whether a word ends where its letters of ASCII do, as most words.
#[inline]
fn is_plain(text: &str, end: usize) -> bool {
    !matches!(byte_at(text, end), b'\'' | b'_' | 0x80..)
}

/// `"overall_score": 5`, `<final_score>5</final_score>`: whether a word ends before an underscore, in a name of a verdict on all
/// that is judged, between no other word and a colon, or in a tag that opens a line or an element. Amid a sentence, or before
/// `=`, such a name is one of code.
fn names_verdict(text: &str, word: Range<usize>, limit: usize, before: Option<&Token>) -> bool {
    if byte_at(text, word.end) != b'_' {
        return false;
    }
    // The name was looked at with its first word.
    if byte_before(text, word.start) == b'_' && before.is_some_and(|before| before.end + 1 == word.start) {
        return true;
    }
    let end = word_end(text, word.end, limit);
    let name = slice(text, word.start..end);
    let opens = |tag: &Token| {
        let lead = head(text, tag.start).trim_end_matches(' ');
        tag.is_mark(&['<']) && (lead.is_empty() || lead.ends_with(['\n', '>']))
    };
    let is_tag = byte_at(text, end) == b'>' && before.is_some_and(opens);
    let is_announcing = is_tag || tail(text, end).trim_start_matches(['"', '\'', '*', '`', ' ']).starts_with(':');
    let says = |classes| move |word: &str| lexicon().classes(word) & classes != 0;
    let names = class::ANNOUNCE | class::WINNER;
    let is_amid = before.is_some_and(|before| before.is_word() && slice(text, before.end..word.start) == " ");
    !is_amid
        && is_announcing
        && name.split('_').all(says(names | OF_ALL))
        && name.split('_').any(says(OF_ALL))
        && name.split('_').any(says(names))
}

fn word_end(text: &str, from: usize, limit: usize) -> usize {
    let mut at = from;
    loop {
        at = run_end(text, at, limit);
        let Some(c) = char_at(text, at).filter(|_| at < limit) else { break };
        let goes_on = continues_word(c)
            || matches!(c, '\'' | '\u{2019}')
                && char_at(text, at + c.len_utf8()).is_some_and(|c| continues_word(c) && !c.is_numeric());
        if !goes_on {
            break;
        }
        at += c.len_utf8();
    }
    at
}

/// What a word with an apostrophe or with letters beyond ASCII is.
fn known(word: &str, lower: &mut String) -> Option<&'static Known> {
    let mut small = word.as_bytes();
    if !word.is_ascii() {
        lower.clear();
        // The small letter of "İ" has a dot of its own.
        let letters = word.chars().flat_map(char::to_lowercase).filter(|c| *c != DOT);
        lower.extend(letters.map(|c| if c == '\u{2019}' { '\'' } else { c }));
        small = lower.as_bytes();
    }
    lexicon().word_or_elided(small)
}

/// The longest phrase that a word, which ends at `end`, begins; its hash if it has letters and digits of ASCII alone.
fn phrase_at(
    text: &str,
    known: &'static Known,
    first: Option<u32>,
    end: usize,
    limit: usize,
) -> Option<(&'static Entry, usize)> {
    let start = next_start(text, end)?;
    // Where the next word's letters of ASCII end before others, these may be of any case.
    let run = start..run_end(text, start, limit);
    let second = byte_at(text, run.end).is_ascii().then(|| hash(ends_at(text.as_bytes(), start, run.len()), run.len()));
    if first.zip(second).is_some_and(|(first, second)| !lexicon().may_begin_phrase(first, second)) {
        return None;
    }
    let next = match char_at(text, start)? {
        '\u{2019}' => '\'',
        c => c.to_lowercase().next()?,
    };
    let next = next.encode_utf8(&mut [0; 4]).bytes().next()?;
    let from = known.phrases().partition_point(|phrase| phrase.first < next);
    let begun = known.phrases().iter().skip(from).take_while(|phrase| phrase.first == next);
    let mut begun = begun.filter(|phrase| second.is_none_or(|second| phrase.second == hash_end(second)));
    begun.find_map(|phrase| {
        let end = phrase_end(text, start, phrase.rest()).filter(|end| *end <= limit)?;
        Some((&phrase.entry, end))
    })
}

/// Where the next word begins, behind one space, a hyphen or the full stop of an abbreviation.
fn next_start(text: &str, at: usize) -> Option<usize> {
    let mark = at + usize::from(matches!(byte_at(text, at), b'.' | b'-'));
    let start = mark + usize::from(byte_at(text, mark) == b' ');
    (start > at).then_some(start)
}

/// Where the words end that are sought from here on, in small letters and parted by spaces.
fn phrase_end(text: &str, start: usize, sought: &str) -> Option<usize> {
    let mut at = start;
    for c in sought.chars() {
        if c == ' ' {
            at = next_start(text, at)?;
            continue;
        }
        let here = char_at(text, at)?;
        let is_same = here == c
            || if here.is_ascii() {
                here.to_ascii_lowercase() == c
            } else {
                is_lower(here, c) || here == '\u{2019}' && c == '\''
            };
        if !is_same {
            return None;
        }
        at += here.len_utf8();
    }
    let is_apostrophe = matches!(char_at(text, at), Some('\'' | '\u{2019}'));
    let behind = at + char_at(text, at).map_or(0, char::len_utf8);
    // "last week's"
    let is_owner = tail(text, behind).starts_with('s') && !char_at(text, behind + 1).is_some_and(continues_word);
    let goes_on = char_at(text, at).is_some_and(continues_word)
        || is_apostrophe && !is_owner && char_at(text, behind).is_some_and(|c| c.is_alphabetic() && continues_word(c));
    (!goes_on).then_some(at)
}

/// Whether a letter in small is another one.
fn is_lower(letter: char, small: char) -> bool {
    let mut lower = letter.to_lowercase();
    lower.next() == Some(small) && lower.next().is_none_or(|dot| dot == DOT)
}

#[cfg(test)]
mod tests {
    use super::{is_sign, is_unspaced};

    #[test]
    fn signs_are_characters_of_three_bytes_in_scripts_without_spaces() {
        for c in ('\0'..=char::MAX).filter(|c| is_sign(&c.to_string(), 0)) {
            assert!(is_unspaced(c) && c.len_utf8() == 3, "{c:?}");
        }
    }
}
