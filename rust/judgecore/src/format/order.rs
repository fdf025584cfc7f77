//! Compiled orders: the names of the candidates.

use super::declaration::Declaration;
use super::error::FormatError;
use super::label::Labels;

/// The maximum number of candidates.
const MAX_CANDIDATES: usize = 1024;

/// The candidates, in the order in which a value lists their ranks.
#[derive(Debug)]
pub(crate) struct Order {
    pub(crate) candidates: Labels,
    pub(crate) count: usize,
}

impl Order {
    pub(super) fn new(id: &str, declared: &Declaration) -> Result<Self, FormatError> {
        let named = declared.names.len();
        let count = declared.count.unwrap_or(named);
        let problem = format_args!("an order has 2 to {MAX_CANDIDATES} candidates, not {count}");
        FormatError::refuse_if(!(2..=MAX_CANDIDATES).contains(&count), id, "count", problem)?;
        let candidates = match named {
            0 => Labels::new(id, &numbered(count))?,
            _ => self::named(id, &declared.names, count, "candidates")?,
        };
        Ok(Self { candidates, count })
    }
}

/// Compile the names of `count` things, of which there must be one for each.
pub(super) fn named(id: &str, names: &[String], count: usize, things: &str) -> Result<Labels, FormatError> {
    let problem = format_args!("{} names for {count} {things}; give one for each", names.len());
    FormatError::refuse_if(names.len() != count, id, "names", problem)?;
    Labels::new(id, &called(names)).map_err(|problem| problem.renamed("labels", "names"))
}

/// Return candidates without names: `1`, and also `A` if there are enough letters.
fn numbered(count: usize) -> Vec<(String, Vec<String>)> {
    let mut letters = ('A'..='Z').take(if count <= 26 { count } else { 0 });
    (1..=count)
        .map(|number| {
            let letter = letters.next().map(String::from);
            (number.to_string(), std::iter::once(number.to_string()).chain(letter).collect())
        })
        .collect()
}

/// Return candidates with names. The number or letter of `Assistant 1` is another form of it.
fn called(names: &[String]) -> Vec<(String, Vec<String>)> {
    let split = |name: &String| {
        designator(name).map(|last| (name.strip_suffix(last).unwrap_or(name).to_owned(), last.to_owned()))
    };
    let parts: Option<Vec<(String, String)>> = names.iter().map(split).collect();
    let parts = parts.filter(|parts| parts.windows(2).all(|pair| matches!(pair, [one, other] if one.0 == other.0)));
    let mut short = parts.into_iter().flatten().map(|(_, last)| last);
    let forms = |name: &String| std::iter::once(name.clone()).chain(short.next()).collect();
    names.iter().cloned().zip(names.iter().map(forms)).collect()
}

/// Return the number or letter after a noun.
fn designator(name: &str) -> Option<&str> {
    let (_, last) = name.rsplit_once(' ')?;
    let is_number = last.bytes().all(|byte| byte.is_ascii_digit());
    let is_letter = last.len() == 1 && last.bytes().all(|byte| byte.is_ascii_alphabetic());
    (!last.is_empty() && (is_number || is_letter)).then_some(last)
}
