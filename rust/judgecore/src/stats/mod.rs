//! Statistics of judges against people: agreement, errors, intervals, corrections and rankings.
//!
//! Ratings are [`Ratings`]: a row for each rater, a column for each item, NaN where one is missing. A statistic that has
//! no value is an [`Undefined`] with its reason, and never a number that stands for it.
//!
//! ```
//! use judgecore::stats::{Level, Ratings, krippendorff_alpha};
//!
//! let ratings = Ratings::new(&[1.0, 2.0, 3.0, 1.0, 2.0, 4.0], 2, 3)?;
//! assert!(krippendorff_alpha(&ratings, Level::Ordinal)?.is_ok_and(|alpha| alpha > 0.8));
//! # Ok::<(), judgecore::stats::StatsError>(())
//! ```

#![expect(clippy::float_cmp, reason = "ratings are compared as they were given; `category` knows of noise")]
#![expect(clippy::missing_errors_doc, reason = "why a statistic has no value is said by `Undefined`")]

mod agreement;
mod bootstrap;
mod category;
mod chance;
mod classification;
mod comparison;
mod correction;
mod error;
mod harm;
mod jury;
mod objective;
mod pair_statistic;
mod position;
mod proportion;
mod ranking;
mod ratings;
mod record;
mod resampling;
mod scores;
mod statistic;

pub use agreement::{Level, krippendorff_alpha};
pub use bootstrap::{bootstrap_alpha, bootstrap_mean, bootstrap_pairs, pair_statistic};
pub use chance::{Weights, cohen_kappa, gwet_agreement, weighted_kappa};
pub use classification::{Bin, Calibration, Confusion, auroc, calibration};
pub use comparison::{McNemar, McNemarMethod, PairedBootstrap, mcnemar, paired_bootstrap};
pub use correction::{CorrectedMean, CorrectedRate, ppi_mean, rogan_gladen};
pub use error::{Differences, spearman};
pub use harm::{HarmMetrics, harm_metrics};
pub use jury::{DawidSkene, dawid_skene, majority};
pub use objective::{Baseline, Ceiling, ObjectiveMetrics, objective_metrics};
pub use pair_statistic::{PairStatistic, ScoreStatistic, Statistics, VerdictStatistic};
pub use position::{PositionBias, position_bias};
pub use proportion::wilson;
pub use ranking::{BradleyTerry, Game, Strength, bradley_terry};
pub use ratings::Ratings;
pub use record::{Field, Record};
pub use resampling::Resampling;
pub use scores::{Probabilities, probabilities};
pub use statistic::{Interval, IntervalOutcome, Statistic, StatsError, Undefined};
