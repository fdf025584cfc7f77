//! The statistics of gold and a model's verdicts or scores, by name: the one list that values and intervals follow.

use super::classification::Confusion;
use super::record::{Field, ToField};
use super::statistic::Statistic;
use crate::names::named;

named! {
    /// A statistic of labels and verdicts that are true or false.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum VerdictStatistic {
        /// The share of right verdicts.
        Accuracy = "accuracy",
        /// The harmonic mean of precision and recall.
        F1 = "f1_score",
        /// Right verdicts among those that say true.
        Precision = "precision",
        /// True items that the model calls true.
        Recall = "recall",
        /// False items that the model calls false.
        Specificity = "specificity",
        /// The mean of recall and specificity.
        BalancedAccuracy = "balanced_accuracy",
        /// Matthews' correlation.
        Mcc = "mcc",
        /// Cohen's kappa of true and false.
        CohenKappa = "cohen_kappa",
        /// Gwet's AC1 of true and false.
        GwetAc1 = "gwet_ac1",
    }
}

named! {
    /// A statistic of gold and a model's scores.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ScoreStatistic {
        /// The mean size of differences.
        MeanAbsoluteError = "mean_absolute_error",
        /// The root of their mean square.
        RootMeanSquaredError = "root_mean_squared_error",
        /// Spearman's correlation.
        Spearman = "spearman",
        /// Cohen's kappa with quadratic weights.
        WeightedKappa = "weighted_kappa",
        /// Gwet's AC2 with quadratic weights.
        GwetAc2 = "gwet_ac2",
        /// The mean difference, model less gold.
        Bias = "bias",
    }
}

impl VerdictStatistic {
    /// Its value of a confusion matrix.
    pub fn of(self, confusion: &Confusion) -> Statistic {
        match self {
            Self::Accuracy => confusion.accuracy(),
            Self::F1 => confusion.f1(),
            Self::Precision => confusion.precision(),
            Self::Recall => confusion.recall(),
            Self::Specificity => confusion.specificity(),
            Self::BalancedAccuracy => confusion.balanced_accuracy(),
            Self::Mcc => confusion.mcc(),
            Self::CohenKappa => confusion.cohen_kappa(),
            Self::GwetAc1 => confusion.gwet_ac1(),
        }
    }

    /// How many items of how many, where it is a share of items; its interval is then Wilson's.
    pub(super) fn counts(self, confusion: &Confusion) -> Option<(usize, usize)> {
        Some(match self {
            Self::Accuracy => (confusion.correct(), confusion.n_items()),
            Self::Precision => (confusion.true_positives, confusion.predicted()),
            Self::Recall => (confusion.true_positives, confusion.positives()),
            Self::Specificity => (confusion.true_negatives, confusion.negatives()),
            _ => return None,
        })
    }
}

/// A statistic of gold labels or scores and a model's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairStatistic {
    /// It takes labels and verdicts that are true or false.
    Verdicts(VerdictStatistic),
    /// It takes numbers.
    Scores(ScoreStatistic),
}

impl PairStatistic {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        let verdicts = VerdictStatistic::ALL.iter().copied().map(Self::Verdicts);
        verdicts.chain(ScoreStatistic::ALL.iter().copied().map(Self::Scores))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Verdicts(one) => one.name(),
            Self::Scores(one) => one.name(),
        }
    }

    /// The statistic that a name stands for.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|one| one.name() == name)
    }
}

/// Values of statistics, which stand as fields in the result that has them.
#[derive(Clone, Debug, PartialEq)]
pub struct Statistics(pub Vec<(&'static str, Statistic)>);

impl Statistics {
    /// The value of the statistic of a name.
    pub fn get(&self, name: &str) -> Option<&Statistic> {
        self.0.iter().find(|(own, _)| *own == name).map(|(_, value)| value)
    }
}

impl ToField for Statistics {
    fn to_field(&self) -> Field {
        Field::Flat(self.0.iter().map(|(name, value)| (*name, value.to_field())).collect())
    }
}
