//! Tables: what the heads of their columns say of the numbers of a row.

use std::ops::Range;

use super::numeral::{self, Comma, Numeral};
use super::token::{AWARDS, Kind, OF_ALL, SCORED, Token, of, tokens};
use super::told::Top;
use crate::lexicon::{self as class, Classes};
use crate::reply::text::{byte_at, byte_before, line_end, skip_near, slice, trim_range};

/// How far above a row its heads are sought, in bytes.
const TABLE: usize = 2048;

/// What may stand beside the noun for a score in the head of its column: `Final score`, `Points awarded`.
const OWN: Classes =
    SCORED & !(class::LINK | class::THING | class::OVER) | OF_ALL | AWARDS | class::POSSESSIVE | class::OF;

/// What makes a column that of the highest score: `Max`, `Out of`, `满分`.
const HIGHEST: Classes = class::BOUND | class::OVER | class::TOP;

/// What names the row of the total.
const TOTAL: Classes = OF_ALL | class::ANNOUNCE | class::FILL;

/// What the heads say of the numbers of a row.
#[derive(Debug, Clone, Default)]
pub(super) struct Row {
    /// Where the score stands, if there is one.
    pub(super) score: Option<Range<usize>>,
    /// The highest one, in the row or in the head of the score.
    pub(super) top: Option<Top>,
    /// Where the other numbers stand.
    pub(super) others: Vec<Range<usize>>,
    /// Whether a score stands in a row without a name, as levels of a scale do.
    pub(super) is_nameless: bool,
}

/// What a column holds.
enum Column {
    /// Scores, with the highest one if the head says it: `Score (/20)`.
    Score(Option<Top>),
    Highest,
    Count,
}

/// What the heads say of all numbers of the row that begins at a place; none if they leave one open.
pub(super) fn row(text: &str, start: usize, heads: &Range<usize>) -> Option<Row> {
    let (said, _) = tokens(text, None, heads.clone());
    let (mut row, mut tops) = (Row::default(), 0);
    // "Total" beside a maximum, but "Overall style" and "Total (draft)" are something else.
    let line = start..line_end(text, start);
    let names_total = |token: &Token| token.is(TOTAL) || token.is_mark(&['*', '_']);
    let name = cells(text, &line).next().map(|name| tokens(text, None, name).0).unwrap_or_default();
    let is_total = name.iter().all(names_total)
        && name.iter().any(of(OF_ALL))
        && cells(text, heads).any(|column| matches!(column_of(text, &said, &column, false), Some(Column::Highest)));
    for (cell, column) in cells(text, &line).zip(cells(text, heads)) {
        let Some(number) = number_of(text, cell) else { continue };
        let span = number.span();
        match column_of(text, &said, &column, is_total)? {
            Column::Score(_) if row.score.is_some() => return None,
            Column::Score(top) => {
                row.is_nameless = !slice(text, start..span.start).contains(char::is_alphabetic);
                (row.score, row.top) = (Some(span), row.top.or(top));
            }
            Column::Highest if tops > 0 => return None,
            Column::Highest => {
                (row.top, tops) = (Some(Top { value: number.value, at: span.start }), tops + 1);
                row.others.push(span);
            }
            Column::Count => row.others.push(span),
        }
    }
    (row.score.is_some() || !row.others.is_empty()).then_some(row)
}

/// Whether a row begins at a place.
fn is_row(text: &str, start: usize) -> bool {
    byte_at(text, skip_near(text, start, |c| matches!(c, ' ' | '\t'))) == b'|'
}

/// The line of heads above the row that begins at a place, parted from the rows by a line of dashes.
pub(super) fn heads(text: &str, start: usize) -> Option<Range<usize>> {
    if byte_before(text, start) != b'\n' || !is_row(text, start) {
        return None;
    }
    let limit = text.floor_char_boundary(start.saturating_sub(TABLE));
    let mut end = start - 1;
    let mut is_headed = false;
    while end > limit {
        let newline = slice(text, limit..end).rfind('\n').map(|newline| limit + newline);
        let from = newline.map_or(limit, |newline| newline + 1);
        if !is_row(text, from) || newline.is_none() && limit > 0 {
            return None;
        }
        if is_headed {
            return Some(from..end);
        }
        let line = slice(text, from..end);
        is_headed = line.contains('-') && !line.contains(char::is_alphanumeric);
        end = newline?;
    }
    None
}

/// The cells of a row, as `|` parts them.
pub(super) fn cells<'t>(text: &'t str, row: &Range<usize>) -> impl Iterator<Item = Range<usize>> + use<'t> {
    let line = slice(text, row.clone());
    let start = row.start + line.find('|').map_or(line.len(), |bar| bar + 1);
    let end = row.start + line.trim_end().strip_suffix('|').map_or(line.trim_end().len(), str::len);
    let mut at = start;
    slice(text, start..end.max(start)).split('|').map(move |cell| {
        let range = at..at + cell.len();
        at = range.end + 1;
        range
    })
}

/// The number that is all of a cell.
fn number_of(text: &str, cell: Range<usize>) -> Option<Numeral> {
    let span = trim_range(text, cell, |c| matches!(c, ' ' | '\t' | '*' | '_' | '`'));
    let number =
        numeral::number_at(text, span.start, Comma::Decimal).filter(|_| byte_at(text, span.start).is_ascii_digit());
    number.filter(|number| number.end == span.end)
}

/// What a column holds, by the words of its head, in a row for the total or another.
fn column_of(text: &str, said: &[Token], column: &Range<usize>, is_total: bool) -> Option<Column> {
    let said = || said.iter().filter(|token| column.contains(&token.start));
    // "Score (1-10)"
    let words = || said().take_while(|token| !token.is_mark(&['(', '[', '\u{ff08}'])).filter(|token| token.is_word());
    let says = |classes| words().any(of(classes));
    // "Maximum", "Points possible": what is counted, and no score of the judge's.
    if says(HIGHEST) || words().any(|token| token.is(class::OTHER) && token.is(class::COUNT)) {
        return Some(Column::Highest);
    }
    if says(class::COUNT | class::MEASURE) {
        return Some(Column::Count);
    }
    let is_over =
        |(over, top): &(&Token, &Token)| top.kind == Kind::Number && (over.is_mark(&['/']) || over.is(class::OVER));
    let top = said().zip(said().skip(1)).find(is_over).and_then(|(_, top)| Top::new(text, top));
    // "Score 1", "Previous score", "Total": one of several, another's, or the highest.
    let is_own = words().all(|token| token.is(OWN) || top.is_some_and(|top| top.at == token.start));
    // "Points awarded"; "Points" or "Given" beside "Max", but not "Points (draft)".
    let is_whole = said().all(Token::is_word);
    let is_named = words().any(|token| token.is(class::ANNOUNCE) && token.is(class::LOCUS))
        || says(class::UNIT) && says(AWARDS)
        || is_total && is_whole && says(class::UNIT | AWARDS);
    (is_own && is_named).then_some(Column::Score(top))
}
