//! Which known name is meant by one that is not known.

/// The known name that is nearest to one that is not known; None where all differ in more than a third.
pub(super) fn nearest<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let lowered = name.to_lowercase();
    let distances = known.into_iter().map(|one| (distance(&lowered, &one.to_lowercase()), one));
    let (edits, best) = distances.min_by_key(|(edits, _)| *edits)?;
    (edits * 3 <= best.chars().count().max(name.chars().count()) + 1 || begins(&lowered, best)).then_some(best)
}

/// Whether one is the beginning of the other, as `lowest` begins with `low`.
fn begins(name: &str, known: &str) -> bool {
    !name.is_empty() && (known.starts_with(name) || name.starts_with(known))
}

/// Edit distance.
pub(super) fn distance(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.chars().count()).collect();
    for (i, a) in one.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (b, slot) in other.chars().zip(row.iter_mut().skip(1)) {
            let cost = (diagonal + usize::from(a != b)).min(left + 1).min(*slot + 1);
            diagonal = std::mem::replace(slot, cost);
            left = cost;
        }
    }
    row.last().copied().unwrap_or(0)
}
