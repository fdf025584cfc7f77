"""Scorers: convert responses to scores; a score without a verdict is undetermined.

``Scorer`` knows nothing of models; ``JudgeScorer`` is the base of those that ask one. A scorer named as in PyRIT 1.1.0
does what that one does; ``docs/parity.md`` lists them.
"""

from __future__ import annotations

from judgecore.lazy import lazy_exports

__all__, __getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "aggregation": [
            "FloatScaleScoreAggregator",
            "FloatScaleScorerByCategory",
            "ScoreAggregatorResult",
            "TrueFalseScoreAggregator",
        ],
        "category": ["SelfAskCategoryScorer"],
        "comparative": ["ComparativeScorer", "PairwiseScorer"],
        "composition": ["FloatScaleThresholdScorer", "TrueFalseCompositeScorer", "TrueFalseInverterScorer"],
        "correctness": ["CorrectnessScorer"],
        "general": ["OwnPromptOptions", "SelfAskGeneralFloatScaleScorer", "SelfAskGeneralTrueFalseScorer"],
        "guard": ["GuardScorer", "LlamaGuardScorer", "ShieldGemmaScorer", "WildGuardScorer"],
        "judge": ["JudgeAnswer", "JudgeOptions", "JudgeQuestion", "JudgeScorer"],
        "jury": ["JuryScorer"],
        "logprob": ["LogprobScorer"],
        "reader": ["FormatReader", "JudgeVerdict", "LogprobReader", "NamedParser", "ParserReader", "ReplyReader"],
        "regex": [
            "PATTERN_SETS_PATH",
            "KeywordRefusalScorer",
            "MarkdownInjectionScorer",
            "PatternSet",
            "PatternSetPaths",
            "RegexScorer",
        ],
        "registration": ["register_scorer"],
        "response": ["Response"],
        "rubric": ["RubricScorer"],
        "scale": ["SelfAskLikertScorer", "SelfAskScaleScorer"],
        "score": ["Score", "ScoreStatus"],
        "scorer": ["Scorer"],
        "substring": [
            "ApproximateTextMatching",
            "DecodingScorer",
            "ExactTextMatching",
            "SubStringScorer",
            "TextMatching",
        ],
        "true_false": ["SelfAskQuestionAnswerScorer", "SelfAskRefusalScorer", "SelfAskTrueFalseScorer"],
    },
)
