//! Numbers in prose: how they are written, and when they count things instead of judging them.

use std::ops::Range;

use super::context::{closes_line, is_among, opens_line, word_after, word_before};
use super::token::{COUNTED, MUTE, entry_of};
use super::word::{Word, word_at};
use crate::blocks::digit_among;
use crate::lexicon::{self as class, Classes, Entry, PARTICLES, lexicon};
use crate::reply::text::{
    ahead, byte_at, byte_before, char_at, char_before, continues_word, head, is_unspaced, line_end, skip_back_near,
    skip_near, slice, starts_with_at, tail,
};

/// A number as it stands in the text.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Numeral {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) value: f64,
    /// `10` in `8/10` and `8 out of 10`.
    pub(crate) denominator: Option<f64>,
    pub(crate) is_percent: bool,
    /// Written with a decimal point or an exponent.
    pub(crate) is_decimal: bool,
    /// What the word behind it may be, where that was looked up.
    pub(super) behind: Option<Behind>,
}

/// What a word behind a number, spaces aside, may be by itself or with others: what several rules ask.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Behind {
    pub(super) half: bool,
    /// A unit, or what joins a number that is offered instead, which may stand behind one.
    pub(super) unit_or_join: bool,
    pub(super) range: bool,
}

impl Behind {
    /// Of the word at a place, with the entry that begins there; None where no letter does.
    fn of(text: &str, at: usize, next: Option<(&Entry, usize)>) -> Option<Self> {
        char_at(text, at).filter(|&c| is_unspaced(c) || continues_word(c) && c != '_' && !c.is_ascii_digit())?;
        let single =
            |end| word_at(text, at).filter(|word| word.end < end).map_or(0, |word| lexicon().classes(word.text));
        let classes = next.map_or(0, |(entry, end)| entry.classes() | single(end));
        let is = |sought: Classes| classes & sought != 0;
        let unit_or_join = is(class::UNIT | class::OR | class::HEDGE);
        Some(Self { half: is(class::HALF), unit_or_join, range: is(class::RANGE | class::UNTIL) })
    }
}

impl Numeral {
    pub(super) fn span(&self) -> Range<usize> {
        self.start..self.end
    }

    /// Whether it says of how much it is a part: `8/10`, `80 %`.
    pub(super) fn is_share(&self) -> bool {
        self.denominator.is_some() || self.is_percent
    }

    /// `1.000`: whether the point may part thousands as well.
    pub(super) fn has_three_decimals(&self) -> bool {
        let whole = 1 + usize::from(self.value >= 10.0) + usize::from(self.value >= 100.0);
        self.is_decimal && (1.0..1000.0).contains(&self.value) && self.end - self.start == whole + ".000".len()
    }
}

/// What the search for numbers meets.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Met {
    Number(Numeral),
    /// Two numbers that bound a range, `1-10`, `from 1 to 10`, with the end of the second.
    Span(f64, f64, usize),
}

/// What a comma between digits may be, thousands aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comma {
    /// It separates two numbers: `8,7`.
    Separates,
    /// Where one number is looked for, it may be decimal: `8,5`.
    Decimal,
}

/// Number words by their values; those above ten are no scores.
const WORDS: [&str; 11] = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/// Where the next ASCII digit stands.
pub(crate) fn next_digit(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes().get(from..)?;
    let (wide, rest) = bytes.as_chunks::<32>();
    let has_digit = |stretch: &&[u8; 32]| stretch.iter().fold(false, |seen, byte| seen | byte.is_ascii_digit());
    let skipped = wide.iter().take_while(|stretch| !has_digit(stretch)).count() * 32;
    let near = if skipped < bytes.len() - rest.len() { bytes.get(skipped..)? } else { rest };
    let (eights, rest) = near.as_chunks::<8>();
    let in_eights = eights.iter().zip(0..).find_map(|(eight, nth)| Some(8 * nth + digit_among(*eight)?));
    let in_rest = || rest.iter().position(u8::is_ascii_digit).map(|at| near.len() - rest.len() + at);
    in_eights.or_else(in_rest).map(|at| from + skipped + at)
}

/// Where a run of digits ends.
#[inline]
fn digits_end(text: &str, from: usize) -> usize {
    let digits =
        text.as_bytes().get(from..).map_or(0, |rest| rest.iter().take_while(|byte| byte.is_ascii_digit()).count());
    from + digits
}

/// What `whole.fraction` says where it is exact: both the digits and the power of ten are, and so their quotient is
/// the float that a parser gives.
#[inline]
fn short_value(text: &str, whole: Range<usize>, fraction: Range<usize>) -> Option<f64> {
    const POWERS: [f64; 12] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11];
    let whole = text.as_bytes().get(whole)?;
    let fraction = text.as_bytes().get(fraction)?;
    if whole.len() + fraction.len() >= POWERS.len() {
        return None;
    }
    let mut value = 0_i64;
    for &byte in whole.iter().chain(fraction) {
        if !byte.is_ascii_digit() {
            // A comma between thousands.
            return None;
        }
        value = value * 10 + i64::from(byte - b'0');
    }
    #[expect(clippy::cast_precision_loss, reason = "eleven digits are exact")]
    let value = value as f64;
    POWERS.get(fraction.len()).map(|power| value / power)
}

/// What the parts of a number say: digits, with commas between thousands, behind a point, and an exponent.
fn long_value(whole: &str, fraction: &str, exponent: &str) -> Option<f64> {
    let [whole, fraction] = [whole, fraction].map(|digits| digits.replace(',', ""));
    format!("0{whole}.{fraction}0{exponent}").parse().ok()
}

/// The next number or range that starts at or after `from`.
pub(crate) fn next(text: &str, from: usize, comma: Comma) -> Option<Met> {
    let mut at = from;
    loop {
        let digit = next_digit(text, at)?;
        match number_at(text, digit, comma) {
            Some(number) => {
                return Some(match range_end(text, &number, comma) {
                    Some((high, end)) => Met::Span(number.value, high, end),
                    None => Met::Number(number),
                });
            }
            None => at = token_end(text, digit),
        }
    }
}

/// The numbers that start at or after `from`; ranges are none.
pub(crate) fn numbers(text: &str, from: usize, comma: Comma) -> impl Iterator<Item = Numeral> {
    let mut at = from;
    std::iter::from_fn(move || {
        loop {
            match next(text, at, comma)? {
                Met::Span(.., end) => at = end,
                Met::Number(number) => {
                    at = number.end;
                    return Some(number);
                }
            }
        }
    })
}

/// Where the token of digits, letters and inner punctuation that starts at `at` ends.
fn token_end(text: &str, at: usize) -> usize {
    let mut end = digits_end(text, at).max(at + 1);
    loop {
        let byte = byte_at(text, end);
        let goes_on = byte.is_ascii_alphanumeric()
            || (matches!(byte, b'.' | b':' | b'/' | b'-' | b',') && byte_at(text, end + 1).is_ascii_digit())
            || is_exponent_sign(text, end);
        if !goes_on {
            return end;
        }
        end += 1;
    }
}

/// Whether the plus of `1e+400` stands at `at`: what follows is no number of its own, however large it is.
fn is_exponent_sign(text: &str, at: usize) -> bool {
    byte_at(text, at) == b'+'
        && byte_at(text, at + 1).is_ascii_digit()
        && matches!(byte_before(text, at), b'e' | b'E')
        && byte_before(text, at.saturating_sub(1)).is_ascii_digit()
}

/// The number whose first digit stands at `digit`; None for parts of names, versions, dates and times.
pub(crate) fn number_at(text: &str, digit: usize, comma: Comma) -> Option<Numeral> {
    let (start, is_negative) = number_start(text, digit)?;
    let mut end = digits_end(text, digit);
    // Thousands: groups of exactly three digits.
    while byte_at(text, end) == b',' && digits_end(text, end + 1) == end + 4 && end - digit <= 3 {
        end += 4;
    }
    let has_point = byte_before(text, digit) == b'.';
    let (mut whole, mut fraction) = (digit..end, end..end);
    if has_point {
        (whole, fraction) = (digit..digit, digit..end);
    } else if comma == Comma::Decimal
        && let Some(fraction_end) = decimal_comma(text, digit, end)
    {
        fraction = end + 1..fraction_end;
    } else if byte_at(text, end) == b'.' && byte_at(text, end + 1).is_ascii_digit() {
        let fraction_end = digits_end(text, end + 1);
        if byte_at(text, fraction_end) == b'.' && byte_at(text, fraction_end + 1).is_ascii_digit() {
            return None;
        }
        fraction = end + 1..fraction_end;
    }
    end = end.max(fraction.end);
    // "6'5" is a measure, or a decimal mark of a hand: nobody knows. "2^3" reckons.
    if matches!(byte_at(text, end), b'\'' | b'^') && byte_at(text, end + 1).is_ascii_digit() {
        return None;
    }
    let mut has_fraction = has_point || !fraction.is_empty();
    let mut part = 0.0;
    if !has_fraction
        && byte_at(text, end) == 0xc2
        && let Some(sign) = char_at(text, end)
        && let Some(value) = part_of_one(sign)
    {
        (part, has_fraction, end) = (value, true, end + sign.len_utf8());
    }
    if ends_plainly(byte_at(text, end))
        && let Some(value) = short_value(text, whole.clone(), fraction.clone())
    {
        let value = if is_negative { -value - part } else { value + part };
        return Some(Numeral { start, end, value, is_decimal: has_fraction, ..Numeral::default() });
    }
    let mut exponent = end..end;
    if matches!(byte_at(text, end), b'e' | b'E') {
        let sign = usize::from(matches!(byte_at(text, end + 1), b'+' | b'-'));
        let exponent_end = digits_end(text, end + 1 + sign);
        if exponent_end > end + 1 + sign && exponent_end < end + 6 {
            exponent = end..exponent_end;
            end = exponent_end;
        }
    }
    let after = byte_at(text, end);
    let runs_into_word =
        after != b' ' && (char_at(text, end).is_some_and(|c| c.is_alphanumeric() && !is_unspaced(c)) || after == b'_');
    if runs_into_word && !is_among(word_after(text, end).map_or("", |word| word.text), &["pts", "pt"]) {
        return None;
    }
    // Times, and dates that start with a year.
    if after == b':' && byte_at(text, end + 1).is_ascii_digit() {
        return None;
    }
    if after == b'-' && end - digit == 4 && byte_at(text, end + 1).is_ascii_digit() {
        return None;
    }
    let is_decimal = has_fraction || !exponent.is_empty();
    let short = if exponent.is_empty() { short_value(text, whole.clone(), fraction.clone()) } else { None };
    let value = short.or_else(|| long_value(slice(text, whole), slice(text, fraction), slice(text, exponent)));
    let value = value.filter(|value| value.is_finite())? + part;
    let value = if is_negative { -value } else { value };
    let mut number = Numeral { start, end, value, is_decimal, ..Numeral::default() };
    let unit = skip_near(text, end, |c| c == ' ');
    let next = joining_at(text, unit);
    // "z 8 na 7" tells of a change, and "8 out of 7" is a fraction all the same.
    let may_change = || next.is_some_and(|(entry, _)| entry.may_be(class::INTO));
    if let Some((denominator, end)) = denominator(text, end, next)?.filter(|(top, _)| *top >= value || !may_change()) {
        (number.denominator, number.end) = (Some(denominator), end);
    } else {
        match byte_at(text, unit) {
            b'%' => (number.is_percent, number.end) = (true, unit + 1),
            b'p' | b'P' if starts_with_at(text, unit, "percent") => {
                (number.is_percent, number.end) = (true, unit + "percent".len());
            }
            _ => number.behind = Behind::of(text, unit, next),
        }
    }
    Some(number)
}

/// The half or quarter of `3½`.
fn part_of_one(sign: char) -> Option<f64> {
    match sign {
        '\u{bc}' => Some(0.25),
        '\u{bd}' => Some(0.5),
        '\u{be}' => Some(0.75),
        _ => None,
    }
}

/// Whether nothing can go on behind a number that this byte follows: no unit, no fraction, no word and no date.
#[inline]
pub(super) fn ends_plainly(byte: u8) -> bool {
    matches!(byte, 0 | b'\n' | b'!' | b'"' | b'.' | b',' | b'[' | b']' | b'`' | b'|' | b'}')
        || matches!(byte, b'\''..=b'*' | b';'..=b'?')
}

/// Where `8,5` ends, one or two digits behind a comma; None in a row of numbers, `1,2,3`.
fn decimal_comma(text: &str, digit: usize, comma: usize) -> Option<usize> {
    if byte_at(text, comma) != b',' {
        return None;
    }
    let end = digits_end(text, comma + 1);
    ((1..=2).contains(&(end - comma - 1)) && comma - digit <= 3).then_some(end)
}

/// Whether a hyphen behind a letter makes one word of it and the digits behind. Hebrew writes it behind a preposition: "ל-7".
fn joins_digits(c: char) -> bool {
    c.is_alphabetic() && !is_unspaced(c) && !matches!(c, '\u{5d0}'..='\u{5ea}')
}

/// Where a number with its first digit at `digit` starts, sign included, and whether it is negative.
fn number_start(text: &str, digit: usize) -> Option<(usize, bool)> {
    let mut start = digit;
    if byte_before(text, start) == b'.' {
        let before = start.checked_sub(2).map_or(0, |at| byte_at(text, at));
        if before.is_ascii_alphanumeric() || before == b'.' {
            return None;
        }
        start -= 1;
    }
    match char_before(text, start) {
        Some('-' | '\u{2013}') => {
            let sign = char_before(text, start)?;
            let before = char_before(text, start - sign.len_utf8());
            let joins = before.is_some_and(|c| c.is_alphanumeric() || c == ')');
            if joins && before.is_some_and(joins_digits) {
                return None;
            }
            let is_sign = sign == '-' && before.is_none_or(|c| !c.is_alphanumeric() && !matches!(c, ')' | '-'));
            // A dash behind words is punctuation: "final score -8" is rare, "score - 8" is not.
            Some(if is_sign { (start - 1, true) } else { (start, false) })
        }
        // "$8$" is set as a formula, "$8" is a price.
        Some('$') => is_formula(text, start).then_some((start, false)),
        Some('\u{20ac}' | '\u{a3}' | '_') => None,
        Some('\'' | '^') if char_before(text, start - 1).is_some_and(|c| c.is_ascii_digit()) => None,
        Some(c) if c.is_alphabetic() && !is_unspaced(c) => None,
        _ => Some((start, false)),
    }
}

/// Whether a dollar sign ends what digits, and the marks of a fraction, begin.
fn is_formula(text: &str, start: usize) -> bool {
    let end = skip_near(text, start, |c| c.is_ascii_digit() || matches!(c, '.' | '/'));
    byte_at(text, end) == b'$' && !byte_at(text, end + 1).is_ascii_digit()
}

/// What a word says that may join a number to the highest score.
fn joining_at(text: &str, at: usize) -> Option<(&'static Entry, usize)> {
    let first = byte_at(text, at);
    if first.is_ascii_alphabetic() || first >= 0x80 { entry_of(text, at) } else { None }
}

/// `8 из 10`, `8 out of a possible 10`: where the highest score stands behind this word, with nothing behind it that could be
/// counted in `4 of 5`.
fn behind_over(text: &str, at: usize, word: Option<(&Entry, usize)>) -> Option<usize> {
    // "10 \u{fc}zerinden 7": such a word stands behind the highest score.
    let over = word
        .filter(|(entry, end)| entry.may_be(class::OVER) && !entry.may_be(class::TOP) && byte_at(text, *end) == b' ');
    let top = at + "of ".len();
    let end = || Some(digits_end(text, top)).filter(|end| *end > top).or_else(|| Some(word_value(text, top)?.1));
    // "4 of 5 stars"
    let is_unit = |end: usize| word_at(text, end + 1).is_some_and(|unit| unit.has(class::UNIT));
    let is_last = || end().is_some_and(|end| ends_plainly(byte_at(text, end)) || is_unit(end));
    over.map(|(_, end)| skip_near(text, end, |c| c == ' '))
        .or_else(|| (starts_with_at(text, at, "of ") && is_last()).then_some(top))
}

/// Where a unit ends that stands here, `points` or `点`, or the place itself.
pub(super) fn behind_unit(text: &str, at: usize) -> usize {
    entry_of(text, at).filter(|(entry, _)| entry.may_be(class::UNIT)).map_or(at, |(_, end)| end)
}

/// `Some(None)` for no denominator, `None` for what is no fraction but a date; `next` is the word behind the number.
#[expect(clippy::option_option, reason = "three answers: a fraction, a plain number, no number at all")]
fn denominator(text: &str, end: usize, next: Option<(&Entry, usize)>) -> Option<Option<(f64, usize)>> {
    let spaces =
        text.as_bytes().get(end..).map_or(0, |rest| rest.iter().take_while(|&&byte| byte == b' ').take(3).count());
    if spaces > 2 {
        return Some(None);
    }
    let mut at = end + spaces;
    // "7 (out of 100)"
    let is_aside = spaces > 0 && byte_at(text, at) == b'(';
    at += usize::from(is_aside);
    if byte_at(text, at) == b'/' {
        at = skip_near(text, at + 1, |c| c == ' ');
    } else {
        let word = if is_aside { joining_at(text, at) } else { next };
        // "5 points out of 10", "54 bodů ze 100"
        let unit = word.filter(|(entry, end)| spaces > 0 && entry.may_be(class::UNIT) && byte_at(text, *end) == b' ');
        let over = |(_, end): (_, usize)| behind_over(text, end + 1, joining_at(text, end + 1));
        match unit.and_then(over).or_else(|| behind_over(text, at, word)) {
            Some(top) => at = top,
            None => return Some(None),
        }
    }
    if !byte_at(text, at).is_ascii_digit() {
        return Some(word_value(text, at).filter(|_| !is_aside));
    }
    let whole_end = digits_end(text, at);
    let mut denominator_end = whole_end;
    if byte_at(text, whole_end) == b'.' && byte_at(text, whole_end + 1).is_ascii_digit() {
        denominator_end = digits_end(text, whole_end + 1);
    }
    if byte_at(text, denominator_end) == b'/' && byte_at(text, denominator_end + 1).is_ascii_digit() {
        return None;
    }
    let short = short_value(text, at..whole_end, denominator_end.min(whole_end + 1)..denominator_end);
    let value = short.or_else(|| slice(text, at..denominator_end).parse().ok())?;
    if is_aside {
        let is_closed = byte_at(text, denominator_end) == b')';
        return Some(is_closed.then_some((value, denominator_end + 1)));
    }
    Some(Some((value, denominator_end)))
}

/// A number word at `at`: `eight`, `eight out of ten`, `八`.
pub(crate) fn spelled(text: &str, at: usize) -> Option<Numeral> {
    let (value, end) = word_value(text, at)?;
    let next = joining_at(text, skip_near(text, end, |c| c == ' '));
    let (denominator, end) =
        denominator(text, end, next).flatten().map_or((None, end), |(over, end)| (Some(over), end));
    let is_percent = starts_with_at(text, end, " percent");
    Some(Numeral { start: at, end, value, denominator, is_percent, ..Numeral::default() })
}

fn word_value(text: &str, at: usize) -> Option<(f64, usize)> {
    if is_unspaced(char_at(text, at)?) {
        let (length, entry) = lexicon().unspaced_at(tail(text, at))?;
        let end = at + length;
        // "一般" is a word of its own.
        let is_unit = || lexicon().unspaced_at(tail(text, end)).is_some_and(|(_, unit)| unit.may_be(class::UNIT));
        let is_whole = char_at(text, end).is_none_or(|c| !is_unspaced(c) || is_unit());
        return entry.among(0).1.filter(|_| is_whole).map(|value| (value, end));
    }
    let word = word_at(text, at)?;
    let Some((value, _)) = (0_u8..).zip(WORDS).find(|(_, name)| name.eq_ignore_ascii_case(word.text)) else {
        // "Sete e meio" and "vinte e um" go on, and "um texto" counts.
        return lexicon().number(word.text).filter(|_| ends_item(text, word.end)).map(|value| (value, word.end));
    };
    if let Some(next) = word_at(text, word.end + 1)
        && let Some(hundred) = lexicon().number(next.text)
    {
        return Some((f64::from(value) * hundred, next.end)).filter(|_| hundred >= 100.0);
    }
    // "One of the best" and "two-fold" are no numbers.
    let is_part = starts_with_at(text, word.end, " of ") || byte_at(text, word.end) == b'-';
    (!is_part).then_some((value.into(), word.end))
}

/// Whether nothing stands behind a number word but its unit.
fn ends_item(text: &str, end: usize) -> bool {
    let at = skip_near(text, end, |c| c == ' ');
    char_at(text, at).is_none_or(|c| matches!(c, '\n' | '.' | ',' | ';' | '!' | ')' | ']' | '*' | '|' | '<'))
        || at > end && word_at(text, at).is_some_and(|word| word.has(class::UNIT | class::OVER))
}

/// The next number or range from `at` on, where a calculation counts as what it comes to.
pub(super) fn next_result(text: &str, at: &mut usize, comma: Comma) -> Option<Met> {
    loop {
        match next(text, *at, comma)? {
            Met::Number(number) => match worked_out(text, number) {
                Ok(number) => return Some(Met::Number(number)),
                Err(end) => *at = end,
            },
            span @ Met::Span(..) => return Some(span),
        }
    }
}

/// The place behind a number, spaces and what explains or closes it: `10 - 1 (a typo) - 2`, `(8 + 7) / 2`.
fn behind_aside(text: &str, end: usize) -> usize {
    let at = skip_near(text, end, |c| matches!(c, ' ' | ')'));
    let near = ahead(text, at, ASIDE).split('\n').next().unwrap_or("");
    let close = near.strip_prefix('(').and_then(|inside| inside.find(')'));
    let behind = close.map_or(at, |close| skip_near(text, at + close + 2, |c| c == ' '));
    if matches!(byte_at(text, behind), b'+' | b'-' | b'*' | b'/' | b'=') {
        behind
    } else {
        skip_near(text, end, |c| c == ' ')
    }
}

/// No aside in a calculation is longer, in bytes.
const ASIDE: usize = 80;

/// What a calculation that a number begins comes to: the number behind the last `=`, or the number itself where it
/// begins none. Where a calculation has no result, where it ends.
pub(super) fn worked_out(text: &str, first: Numeral) -> Result<Numeral, usize> {
    // No operator and no bracket, behind which one may stand, follows most numbers: all beyond ASCII begin with less.
    let next = byte_at(text, skip_near(text, first.end, |c| c == ' '));
    let is_other = matches!(next, 0 | b'\n' | b'.' | b',' | b';' | b':' | b'"' | b']' | 0xe3..);
    if next.is_ascii_alphabetic() && next != b'x' || is_other {
        return Ok(first);
    }
    if let Some(changed) = changed_into(text, &first) {
        return Ok(changed);
    }
    let mut last = first.clone();
    let mut is_result = true;
    let mut has_minus = false;
    for _ in 0..32 {
        let at = behind_aside(text, last.end);
        let sign = char_at(text, at);
        // A dash is a minus only where a result follows.
        let is_minus = matches!(sign, Some('-' | '\u{2013}')) && (at > last.end || equals(text, at + 1));
        let is_times = sign == Some('x') && at > last.end && byte_at(text, at + 1) == b' ';
        let is_operator = is_minus || is_times || matches!(sign, Some('+' | '*' | '\u{d7}' | '\u{b7}' | '/'));
        let is_equal = sign == Some('=');
        if !is_operator && (!is_equal || is_result) {
            break;
        }
        let next = skip_near(text, at + sign.map_or(1, char::len_utf8), |c| c == ' ');
        let number = byte_at(text, next).is_ascii_digit().then(|| number_at_or_plain(text, next, Comma::Decimal));
        let Some(number) = number.flatten() else { return if is_result { Ok(last) } else { Err(at + 1) } };
        is_result = is_equal;
        has_minus |= is_minus;
        last = number;
    }
    match is_result {
        true if last.start == first.start => Ok(first),
        true if is_wrong(slice(text, first.start..last.start), last.value) => Err(last.end),
        // Its bracket belongs to it: "(8 + 7) / 2 = 7.5".
        true => Ok(Numeral { start: first.start - usize::from(byte_before(text, first.start) == b'('), ..last }),
        // "8 - 2 errors" gives a reason, "[[10 - 5]]" reckons.
        false if has_minus && !ends_line(text, last.end) => Ok(first),
        false => Err(last.end),
    }
}

/// `7 → 6`: what a number is changed into, arrow by arrow.
fn changed_into(text: &str, first: &Numeral) -> Option<Numeral> {
    let next = |end: usize| {
        let at = skip_near(text, end, |c| c == ' ');
        let arrow = ["\u{2192}", "->", "=>"].iter().find(|arrow| tail(text, at).starts_with(**arrow))?;
        let digit = skip_near(text, at + arrow.len(), |c| c == ' ');
        byte_at(text, digit).is_ascii_digit().then(|| number_at_or_plain(text, digit, Comma::Decimal)).flatten()
    };
    let last = std::iter::successors(next(first.end), |number| next(number.end)).take(8).last()?;
    Some(Numeral { start: first.start, ..last })
}

/// `10-4=6`: whether a number stands here whose calculation has a result.
fn equals(text: &str, at: usize) -> bool {
    let end = digits_end(text, at);
    end > at && byte_at(text, skip_near(text, end, |c| c == ' ')) == b'='
}

/// `5 + 3 = 9`: whether numbers that are added up come to something else than what is said.
fn is_wrong(sum: &str, result: f64) -> bool {
    let terms = sum.trim_end_matches(['=', ' ']).replace(['\u{2212}', '\u{2013}'], "-").replace('-', "+-");
    let terms: Option<Vec<f64>> =
        terms.split('+').map(|term| term.replace(' ', "").replace(',', ".").parse().ok()).collect();
    terms.is_some_and(|terms| (terms.iter().sum::<f64>() - result).abs() > 0.05)
}

/// Whether a number is the last thing of its sentence or line, or of its brackets.
fn ends_line(text: &str, end: usize) -> bool {
    matches!(byte_at(text, skip_near(text, end, |c| c == ' ')), 0 | b'\n' | b']' | b')' | b'.' | b'"' | b'}')
}

/// The upper end of a range that `low` begins: `1-10`, `1 to 10`, `between 1 and 10`.
pub(crate) fn range_end(text: &str, low: &Numeral, comma: Comma) -> Option<(f64, usize)> {
    if low.denominator.is_some() || ends_plainly(byte_at(text, low.end)) {
        return None;
    }
    let mut gap = skip_near(text, low.end, |c| c == ' ');
    if gap - low.end > 2 {
        return None;
    }
    // "1 (poor) to 10 (excellent)"
    let has_aside = byte_at(text, gap) == b'(';
    if has_aside {
        let close = ahead(text, gap, ASIDE).find(')')?;
        gap = skip_near(text, gap + close + 1, |c| c == ' ');
    }
    let high_at = if let Some(word) = word_at(text, gap) {
        // "בין 6 ל-8"
        let end = word.end + usize::from(byte_at(text, word.end) == b'-');
        if gap == low.end || !byte_at(text, end + usize::from(byte_at(text, end) == b' ')).is_ascii_digit() {
            return None;
        }
        if low.behind.is_some_and(|behind| !behind.range) {
            return None;
        }
        let classes = |at: usize| entry_of(text, at).map_or(0, |(entry, _)| entry.classes());
        let is_from = || word_before(text, low.start).is_some_and(|from| classes(from.start) & class::FROM != 0);
        let known = classes(gap);
        let parts = known & class::RANGE != 0
            || known & class::UNTIL != 0 && (has_aside && known & class::JOIN == 0 || is_from());
        parts.then_some(end)?
    } else {
        let dash = char_at(text, gap).filter(|_| !has_aside)?;
        if matches!(dash, '-' | '\u{2013}' | '~' | '\u{301c}' | '到' | '至') {
            // "8 - 10" may be a range, "8 -10" is a pair.
            gap + dash.len_utf8()
        } else {
            let may_join = is_unspaced(dash) && low.behind.is_none_or(|behind| behind.range);
            let (entry, end) = if may_join { entry_of(text, gap) } else { None }?;
            entry.may_be(class::RANGE).then_some(end)?
        }
    };
    let digit = skip_near(text, high_at, |c| c == ' ');
    if digit - high_at > 1 || !byte_at(text, digit).is_ascii_digit() {
        return None;
    }
    let high = number_at_or_plain(text, digit, comma)?;
    (high.value > low.value).then_some((high.value, high.end))
}

/// A number behind a dash, which is no sign there.
pub(super) fn number_at_or_plain(text: &str, digit: usize, comma: Comma) -> Option<Numeral> {
    let rest = tail(text, digit);
    let mut number = number_at(rest, 0, comma)?;
    number.start += digit;
    number.end += digit;
    Some(number)
}

/// How far behind a place a number that stands there is looked for, its range or fraction included.
pub(crate) const NEAR: usize = 32;

/// Whether this number counts, numbers or describes something and is no verdict by itself.
pub(super) fn is_aside(text: &str, number: &Numeral) -> bool {
    is_list_index(text, number) || is_numbered(text, number) || is_count(text, number)
}

/// The mark behind a number at the start of a line where more stands: `1. First,`.
fn index_mark(text: &str, number: &Numeral) -> Option<u8> {
    let mark = byte_at(text, number.end);
    let is_whole = !number.is_decimal && number.denominator.is_none() && matches!(mark, b'.' | b')' | b':');
    // "1. **" breaks off in the first point of a list.
    let rest = || slice(text, number.end + 1..line_end(text, number.end));
    let has_begun = || byte_at(text, number.end + 1) == b' ' && !rest().trim().is_empty();
    (is_whole && opens_line(text, number.start) && (has_begun() || !closes_line(text, number.end))).then_some(mark)
}

/// `1. First,` at the start of a line, one of several.
pub(super) fn is_list_index(text: &str, number: &Numeral) -> bool {
    // The very first number may be the verdict: "8. It is good". "1. It is good" may be a list of one.
    index_mark(text, number).is_some_and(|mark| {
        let is_first = head(text, number.start).trim().is_empty() && mark != b')';
        !is_first || number.value < 1.5 && number.value > 0.5
    })
}

/// Whether an index stands here whose list goes on, or has come to it: `1. The answer …` above `2. …`.
pub(crate) fn is_list_item(text: &str, number: &Numeral) -> bool {
    let Some(mark) = index_mark(text, number).filter(|_| number.value >= 0.5) else { return false };
    let near = number.start.saturating_sub(ITEM);
    let (before, behind) = (slice(text, text.floor_char_boundary(near)..number.start), ahead(text, number.end, ITEM));
    let is_item = |line: &str, index: f64| {
        // Most lines begin with none.
        if !byte_at(line, 0).is_ascii_digit() {
            return false;
        }
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        let digits = head(line, line.len() - rest.len());
        let is_index = digits.parse() == Ok(index) && (digits.len() == 1 || !digits.starts_with('0'));
        is_index && rest.as_bytes().starts_with(&[mark, b' '])
    };
    let has_item = |part: &str, index: f64| {
        let mut newlines = memchr::memchr_iter(b'\n', part.as_bytes());
        newlines.any(|newline| is_item(tail(part, newline + 1), index))
    };
    // "### 1. Accuracy": a numbered heading.
    let is_heading = || head(text, number.start).trim_end_matches(' ').ends_with('#');
    // Levels are told from the best down as well: "5: excellent" above "4: good".
    let is_beside =
        |other: f64| has_item(behind, other) || has_item(before, other) || near == 0 && is_item(before, other);
    is_heading() || is_beside(number.value + 1.0) || is_beside(number.value - 1.0)
}

/// No item of a list is longer, in bytes.
const ITEM: usize = 2000;

/// `__/10`, `out of 10`: the end of a scale, with no score before it.
pub(crate) fn is_denominator(text: &str, start: usize) -> bool {
    let lead = head(text, start).trim_end_matches(' ');
    lead.ends_with('/') || lead.ends_with("out of")
}

/// A noun, of these classes, that a number tells apart from others: `step`, `assistant`, `sentences`.
fn is_numbering(word: Word<'_>, known: Classes) -> bool {
    let is_mute = known & !MUTE == 0;
    let single = word.text.strip_suffix('s').filter(|_| is_mute).map_or(known, |single| lexicon().classes(single));
    single & (COUNTED | class::MONTH) != 0
}

/// `Step 1`, `Assistant 2`, `# 3`, `model-1`, `sentences 1 and 4`.
pub(super) fn is_numbered(text: &str, number: &Numeral) -> bool {
    match byte_before(text, number.start) {
        b'#' => return byte_before(text, number.start - 1) != b'#',
        b'-' | b'_' => {
            return char_before(text, number.start - 1).is_some_and(joins_digits);
        }
        _ => {}
    }
    let Some(mut word) = word_before(text, number.start) else { return false };
    let mut start = number.start;
    let is_gap = |gap: &str| gap.chars().all(|c| matches!(c, ' ' | '#' | '\u{a0}'));
    // A mark stands before most numbers, so that no word has to be looked up.
    let (gap, joined) = (slice(text, word.end..start), head(text, word.start));
    let is_behind_number = joined.strip_suffix(' ').is_some_and(|lead| lead.ends_with(|c: char| c.is_ascii_digit()));
    if !is_behind_number && !is_gap(gap.strip_prefix('.').unwrap_or(gap)) {
        return false;
    }
    let mut known = lexicon().classes(word.text);
    if known & (class::JOIN | class::OR) != 0 && byte_before(text, word.start) == b' ' {
        start = skip_back_near(text, word.start - 1, |c| c.is_ascii_digit());
        match word_before(text, start).filter(|_| start + 1 < word.start) {
            Some(before) => word = before,
            None => return false,
        }
        known = lexicon().classes(word.text);
    }
    let gap = slice(text, word.end..start);
    // "p. 7"
    let gap = gap.strip_prefix('.').filter(|_| known & class::ABBREVIATION != 0).unwrap_or(gap);
    // "Question 3 of 10", "Lesson 3 of 10"
    let is_of_all = slice(text, number.span()).trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(" of ");
    let is_noun = is_numbering(word, known) || is_of_all && (known & !MUTE == 0 || known & class::RANK != 0);
    // "I give this response 5 points": the noun is what is scored.
    is_gap(gap)
        && is_noun
        && (is_of_all || number.denominator.is_none())
        && !word_after(text, number.end).is_some_and(|next| next.has(class::UNIT | class::OVER) || next.is(&["out"]))
}

/// `10 errors`, `three of 5 facts`: a number before a plural counts.
pub(crate) fn is_count(text: &str, number: &Numeral) -> bool {
    if number.denominator.is_some() || number.is_percent || byte_at(text, number.end) != b' ' {
        return false;
    }
    word_at(text, number.end + 1).is_some_and(|word| {
        word.text.len() > 3
            && word.text.ends_with('s')
            && word.text.chars().next().is_some_and(char::is_lowercase)
            && !word.has(class::UNIT | class::FILL | class::CONCLUDE | class::BECAUSE | class::WHOLE | class::LINK)
    })
}

/// `5자루`, `3个`: whether an unknown word that is no particle touches a number in a script without spaces.
pub(super) fn is_counter_behind(text: &str, number: &Numeral) -> bool {
    let rest = tail(text, number.end);
    number.denominator.is_none()
        && rest.starts_with(is_unspaced)
        && lexicon().unspaced_at(rest).is_none()
        && !PARTICLES.as_bytes().split(|&byte| byte == b'\n').any(|particle| rest.as_bytes().starts_with(particle))
}

/// `4 errors`, `3 minor issues`: the same where a word that is no function word may stand between.
pub(super) fn counts_things(text: &str, number: &Numeral) -> bool {
    let is_free = |word: &Word<'_>| {
        word.text.starts_with(char::is_lowercase) && lexicon().classes(word.text) & !(class::TRUE | class::FALSE) == 0
    };
    let adjective = word_at(text, number.end + 1).filter(|word| byte_at(text, number.end) == b' ' && is_free(word));
    is_count(text, number)
        || adjective
            .is_some_and(|adjective| is_count(text, &Numeral { end: adjective.end, behind: None, ..number.clone() }))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Comma, Numeral, is_aside};

    fn numbers(text: &str) -> Vec<Numeral> {
        super::numbers(text, 0, Comma::Separates).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_number_is_the_float_that_a_parser_gives(text in "[0-9]{1,20}([.][0-9]{1,20})?([eE][+-]?[0-9]{1,2})?") {
            let want: f64 = text.parse().unwrap();

            let got = numbers(&text);

            prop_assert_eq!(Some(want), got.first().map(|number| number.value), "{}", text);
        }
    }

    #[test]
    fn numbers_are_read_as_they_are_written() {
        for (text, want) in [
            ("8", vec![8.0]),
            ("8.5", vec![8.5]),
            (".5", vec![0.5]),
            ("-3", vec![-3.0]),
            ("1e1", vec![10.0]),
            ("1,234", vec![1234.0]),
            ("8, 7", vec![8.0, 7.0]),
            ("8,7", vec![8.0, 7.0]),
            ("9.", vec![9.0]),
            ("score:8", vec![8.0]),
            ("7分", vec![7.0]),
        ] {
            let got: Vec<f64> = numbers(text).iter().map(|number| number.value).collect();
            assert_eq!(got, want, "{text}");
        }
    }

    #[test]
    fn names_versions_dates_and_times_hold_no_numbers() {
        for text in ["H2O", "S10", "gpt-4", "v1.2.3", "2024-01-05", "12/05/2024", "10:30", "$5", "8th", "3x"] {
            assert_eq!(numbers(text), vec![], "{text}");
        }
    }

    #[test]
    fn the_exponent_of_a_number_that_no_float_holds_is_no_number_of_its_own() {
        for text in ["1e400", "0.1e+400", "1E+999", "2e+12345", "-3e+400", "1e+400/5"] {
            assert_eq!(numbers(text), vec![], "{text}");
        }
        assert_eq!(numbers("1e+2")[0].value.to_bits(), 100_f64.to_bits());
    }

    #[test]
    fn fractions_and_percentages_are_one_number() {
        for (text, denominator) in [("8/10", 10.0), ("8 / 10", 10.0), ("8 out of 10", 10.0), ("8 out of ten", 10.0)] {
            let found = numbers(text);
            assert_eq!(found.len(), 1, "{text}");
            assert_eq!(found[0].denominator, Some(denominator), "{text}");
        }
        assert!(numbers("85 %")[0].is_percent);
    }

    #[test]
    fn ranges_are_no_numbers() {
        for text in ["1-10", "from 1 to 10", "between 1 and 10", "1\u{2013}5", "0 - 3"] {
            assert_eq!(numbers(text), vec![], "{text}");
        }
    }

    #[test]
    fn numbers_beside_the_point_are_told_apart() {
        for (text, want) in [
            ("1. First\n2. Second", true),
            ("8. It is good.", false),
            ("Step 1 fails", true),
            ("Assistant 2 wins", true),
            ("It has 10 errors", true),
            ("I give it 8", false),
            ("8 points", false),
        ] {
            let found = numbers(text);
            assert_eq!(is_aside(text, &found[0]), want, "{text}");
        }
    }
}
