//! Rankings: a list of names with their ranks.

use super::verdict::number_of;
use super::{Wanted, cut, find, lacking, malformed};
use crate::format::Ranking;
use crate::json::{self, Json};
use crate::reading::Told;
use crate::reading::outcome::{Outcome, Value};

/// A list of ranked names, best first.
pub(in crate::reading) fn read_ranking<'a>(told: Told<'a, '_>, ranking: &'a Ranking) -> Outcome<'a> {
    find(told, Wanted::default(), None, &|found| {
        let list = match &found.value {
            Json::Object(_) => ranking.list.iter().find_map(|key| json::get(&found.value, key)),
            value => Some(value),
        };
        let Some(Json::Array(items)) = list else {
            return Err(lacking(ranking.list.first().map_or("", String::as_str)));
        };
        // Names may be missing behind the cut.
        if found.is_truncated() {
            return Err(cut());
        }
        let mut ranked = Vec::with_capacity(items.len());
        for item in items.iter() {
            let (Some(Json::Str(name)), Some(rank)) = (json::get(item, &ranking.name), json::get(item, &ranking.rank))
            else {
                return Err(malformed(format!("an item has no {:?} or no {:?}", ranking.name, ranking.rank)));
            };
            let rank = match rank {
                Json::Str(text) => text.trim().parse().ok(),
                other => number_of(other),
            };
            let Some(rank) = rank else { return Err(malformed(format!("the rank of {name:?} is no number"))) };
            ranked.push((rank, name.to_string()));
        }
        ranked.sort_by(|one: &(f64, String), other| one.0.total_cmp(&other.0));
        let ties = ranked.windows(2).any(|pair| matches!(pair, [one, other] if one.0.total_cmp(&other.0).is_eq()));
        if ranked.is_empty() || ties {
            return Err(malformed(if ties { "two names share a rank" } else { "the list is empty" }));
        }
        let names = ranked.into_iter().map(|(_, name)| name).collect();
        Ok(Some(Value::Ranking(names)))
    })
}
