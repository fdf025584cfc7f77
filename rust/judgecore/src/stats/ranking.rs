//! Preferences into a ranking.

use rayon::prelude::*;

use super::record::record;
use super::resampling::Resampling;
use super::resampling::{Resampled, Units};
use super::statistic::{IntervalOutcome, Statistic, StatsError, Undefined, real};

/// Strengths that change less in a round are found.
const TOLERANCE: f64 = 1e-12;

/// So for a resample, whose own spread is far larger.
const TOLERANCE_OF_RESAMPLES: f64 = 1e-7;

/// More rounds than this are not computed.
const ROUNDS: usize = 20_000;

/// One comparison of two players.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Game {
    /// The first player's number.
    pub first: usize,
    /// The second player's number.
    pub second: usize,
    /// 1 if the first won, 0 if the second won, 0.5 for a tie.
    pub outcome: f64,
}

record! {
    /// The result of one player.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Strength {
        /// The logarithm of the strength, with mean 0 over all players: e to the difference of two is the odds of winning.
        pub strength: Statistic,
        /// Its interval.
        pub interval: IntervalOutcome,
        /// The rank: one more than the number of stronger players; undefined if the strength is.
        pub rank: Option<usize>,
        /// Games won.
        pub num_wins: usize,
        /// Games lost.
        pub num_losses: usize,
        /// Games tied.
        pub num_ties: usize,
    }
}

record! {
    /// A ranking.
    #[derive(Clone, Debug, PartialEq)]
    pub struct BradleyTerry {
        /// Each player, by number.
        pub players: Vec<Strength>,
        /// The number of games.
        pub num_games: usize,
    }
}

/// Strengths of players under which the outcomes of their games are most probable; a tie is half a win for both.
///
/// `prior` games against a player of average strength are counted for everybody, half of them won. Without them, the
/// strengths are undefined where players fall into groups of which one never beats another. Intervals resample games.
///
/// # Errors
///
/// If a game names a player that is not there or plays against itself, an outcome is not 0, 0.5 or 1, or a setting is
/// outside its range.
///
/// # References
///
/// Bradley and Terry (1952), Rank Analysis of Incomplete Block Designs; Newman (2023), Efficient Computation of Rankings
/// from Pairwise Comparisons, for the iteration; Ford (1957) for when strengths exist.
pub fn bradley_terry(
    games: &[Game],
    n_players: usize,
    prior: f64,
    resampling: &Resampling,
) -> Result<BradleyTerry, StatsError> {
    resampling.check()?;
    if !(0.0..f64::INFINITY).contains(&prior) {
        return Err(StatsError::Setting { what: "prior", value: prior, wanted: "at least 0" });
    }
    check_games(games, n_players)?;
    let (distinct, rows) = distinct_games(games);
    let units = Units::items(rows, distinct.len());
    let field = Field { games: &distinct, n_players, prior };
    let found = field.strengths(&units.times(), None, TOLERANCE);
    let drawn = match &found {
        Ok(start) => resampling.draw(&units, &Refit { field: &field, start }),
        Err(_) => Vec::new(),
    };
    let players = (0..n_players)
        .into_par_iter()
        .map(|player| {
            let strength = found.clone().map(|all| all.get(player).copied().unwrap_or_default());
            let interval = found
                .clone()
                .and_then(|_| resampling.interval(drawn.iter().map(|values| values.get(player).copied().flatten())));
            let rank = found
                .as_ref()
                .ok()
                .zip(strength.as_ref().ok())
                .map(|(all, own)| all.iter().filter(|other| **other > own + 1e-9).count() + 1);
            let count = |outcome: f64| {
                let is_first = |game: &&Game| game.first == player && game.outcome == outcome;
                let is_second = |game: &&Game| game.second == player && game.outcome == 1.0 - outcome;
                games.iter().filter(|game| is_first(game) || is_second(game)).count()
            };
            Strength { strength, interval, rank, num_wins: count(1.0), num_losses: count(0.0), num_ties: count(0.5) }
        })
        .collect();
    Ok(BradleyTerry { players, num_games: games.len() })
}

fn check_games(games: &[Game], n_players: usize) -> Result<(), StatsError> {
    for (at, game) in games.iter().enumerate() {
        if game.first >= n_players || game.second >= n_players || game.first == game.second {
            let wanted = "two different players";
            return Err(StatsError::Value { what: "games", at, value: real(game.first.max(game.second)), wanted });
        }
        if ![0.0, 0.5, 1.0].contains(&game.outcome) {
            return Err(StatsError::Value { what: "outcomes", at, value: game.outcome, wanted: "0, 0.5 or 1" });
        }
    }
    Ok(())
}

/// The distinct games, and the one of each.
fn distinct_games(games: &[Game]) -> (Vec<Game>, Vec<usize>) {
    let key = |game: &Game| {
        // Who is named first does not matter.
        let (first, second, outcome) = if game.first < game.second {
            (game.first, game.second, game.outcome)
        } else {
            (game.second, game.first, 1.0 - game.outcome)
        };
        Game { first, second, outcome }
    };
    let mut sorted: Vec<(Game, usize)> = games.iter().map(key).zip(0..).collect();
    sorted.sort_unstable_by(|(one, _), (other, _)| {
        (one.first, one.second).cmp(&(other.first, other.second)).then(one.outcome.total_cmp(&other.outcome))
    });
    let mut distinct: Vec<Game> = Vec::new();
    let mut rows = vec![0; games.len()];
    for (game, at) in sorted {
        if distinct.last() != Some(&game) {
            distinct.push(game);
        }
        if let Some(row) = rows.get_mut(at) {
            *row = distinct.len() - 1;
        }
    }
    (distinct, rows)
}

/// Distinct games between players.
struct Field<'a> {
    games: &'a [Game],
    n_players: usize,
    prior: f64,
}

/// The wins and losses of a player against another.
struct Rival {
    player: usize,
    won: f64,
    lost: f64,
}

impl Field<'_> {
    /// Return the logarithms of strengths from weighted games.
    fn strengths(&self, weights: &[f64], start: Option<&[f64]>, tolerance: f64) -> Result<Vec<f64>, Undefined> {
        let rivals = self.rivals(weights);
        if self.n_players == 0 || (self.prior == 0.0 && self.games.is_empty()) {
            return Err(Undefined::NoItems);
        }
        if self.prior == 0.0 {
            let groups = n_groups(&rivals);
            if groups > 1 {
                return Err(Undefined::Disconnected { groups });
            }
        }
        let mut strengths: Vec<f64> =
            start.map_or_else(|| vec![1.0; self.n_players], |start| start.iter().map(|one| one.exp()).collect());
        for _ in 0..ROUNDS {
            let mut change = 0.0_f64;
            for (player, others) in rivals.iter().enumerate() {
                let own = strengths.get(player).copied().unwrap_or(1.0);
                let half = self.prior / 2.0 / (own + 1.0);
                let (won, lost) = others.iter().fold((half, half), |(won, lost), rival| {
                    let other = strengths.get(rival.player).copied().unwrap_or(1.0);
                    (won + rival.won * other / (own + other), lost + rival.lost / (own + other))
                });
                let new = won / lost;
                change = change.max((new / own).ln().abs());
                if let Some(strength) = strengths.get_mut(player) {
                    *strength = new;
                }
            }
            if self.prior == 0.0 {
                centre(&mut strengths);
            }
            if change < tolerance {
                break;
            }
        }
        let mut logarithms: Vec<f64> = strengths.iter().map(|one| one.ln()).collect();
        let mean = logarithms.iter().sum::<f64>() / real(self.n_players);
        for one in &mut logarithms {
            *one -= mean;
        }
        Ok(logarithms)
    }

    /// Each player's opponents.
    fn rivals(&self, weights: &[f64]) -> Vec<Vec<Rival>> {
        let mut rivals: Vec<Vec<Rival>> = (0..self.n_players).map(|_| Vec::new()).collect();
        let mut add = |player: usize, other: usize, won: f64, lost: f64| {
            let Some(own) = rivals.get_mut(player) else { return };
            // Games are sorted by their players, so that the same opponent comes in a row.
            match own.last_mut() {
                Some(last) if last.player == other => {
                    last.won += won;
                    last.lost += lost;
                }
                _ => own.push(Rival { player: other, won, lost }),
            }
        };
        for (game, times) in self.games.iter().zip(weights) {
            if *times > 0.0 {
                let (won, lost) = (times * game.outcome, times * (1.0 - game.outcome));
                add(game.first, game.second, won, lost);
                add(game.second, game.first, lost, won);
            }
        }
        rivals
    }
}

/// Make the product of all strengths 1.
fn centre(strengths: &mut [f64]) {
    let mean = strengths.iter().map(|one| one.ln()).sum::<f64>() / real(strengths.len());
    let scale = mean.exp();
    for one in strengths {
        *one /= scale;
    }
}

/// Return the number of strongly connected groups: within one, everybody beats everybody, directly or through others.
fn n_groups(rivals: &[Vec<Rival>]) -> usize {
    let mut group = vec![usize::MAX; rivals.len()];
    let mut n_groups = 0;
    for player in 0..rivals.len() {
        if group.get(player).is_some_and(|own| *own != usize::MAX) {
            continue;
        }
        let above = reached(rivals, player, |rival| rival.lost > 0.0);
        let below = reached(rivals, player, |rival| rival.won > 0.0);
        for ((own, is_above), is_below) in group.iter_mut().zip(above).zip(below) {
            if is_above && is_below {
                *own = n_groups;
            }
        }
        n_groups += 1;
    }
    n_groups
}

/// Whom a player leads to, by steps of one kind.
fn reached(rivals: &[Vec<Rival>], from: usize, is_step: impl Fn(&Rival) -> bool) -> Vec<bool> {
    let mut is_reached = vec![false; rivals.len()];
    let mut open = vec![from];
    while let Some(player) = open.pop() {
        if is_reached.get_mut(player).is_some_and(|seen| !std::mem::replace(seen, true)) {
            let next = rivals.get(player).into_iter().flatten().filter(|rival| is_step(rival));
            open.extend(next.map(|rival| rival.player));
        }
    }
    is_reached
}

struct Refit<'a> {
    field: &'a Field<'a>,
    start: &'a [f64],
}

impl Resampled for Refit<'_> {
    type Room = ();

    fn room(&self) {}

    fn values(&self, weights: &[f64], (): &mut ()) -> Vec<Option<f64>> {
        match self.field.strengths(weights, Some(self.start), TOLERANCE_OF_RESAMPLES) {
            Ok(found) => found.into_iter().map(Some).collect(),
            Err(_) => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTINGS: Resampling = Resampling { resamples: 200, seed: 3, confidence: 0.95 };

    fn games(results: &[(usize, usize, usize)]) -> Vec<Game> {
        results
            .iter()
            .flat_map(|(first, second, times)| vec![Game { first: *first, second: *second, outcome: 1.0 }; *times])
            .collect()
    }

    #[test]
    fn two_players_have_the_odds_of_their_games() {
        let found = bradley_terry(&games(&[(0, 1, 30), (1, 0, 10)]), 2, 0.0, &SETTINGS).unwrap();

        let [first, second] = found.players.as_slice() else { panic!() };
        assert!((first.strength.clone().unwrap() - second.strength.clone().unwrap() - 3.0_f64.ln()).abs() < 1e-9);
        assert_eq!((Some(1), 30, 10), (first.rank, first.num_wins, first.num_losses));
        assert!(first.interval.as_ref().is_ok_and(|one| one.low < 0.55 && one.high > 0.55));
    }

    #[test]
    fn a_player_that_always_wins_has_no_strength_without_prior_games() {
        let all = games(&[(0, 1, 3), (0, 2, 3), (1, 2, 2), (2, 1, 1)]);

        let without = bradley_terry(&all, 3, 0.0, &SETTINGS).unwrap();
        let with = bradley_terry(&all, 3, 1.0, &SETTINGS).unwrap();

        assert_eq!(Err(Undefined::Disconnected { groups: 2 }), without.players[0].strength);
        assert_eq!(vec![Some(1), Some(2), Some(3)], with.players.iter().map(|one| one.rank).collect::<Vec<_>>());
    }

    #[test]
    fn the_order_of_naming_does_not_matter() {
        let one = [Game { first: 0, second: 1, outcome: 1.0 }, Game { first: 1, second: 0, outcome: 0.5 }];
        let other = [Game { first: 1, second: 0, outcome: 0.0 }, Game { first: 0, second: 1, outcome: 0.5 }];

        let [one, other] = [one, other].map(|games| bradley_terry(&games, 2, 0.0, &SETTINGS).unwrap());

        assert_eq!(one, other);
        assert!((one.players[0].strength.clone().unwrap() - 3.0_f64.ln() / 2.0).abs() < 1e-9);
    }
}
