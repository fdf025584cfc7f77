# Written by `make pages`; edit the list in __init__.py, not this file.

from judgecore.scorers.aggregation import (
    FloatScaleScoreAggregator,
    FloatScaleScorerByCategory,
    ScoreAggregatorResult,
    TrueFalseScoreAggregator,
)
from judgecore.scorers.category import (
    SelfAskCategoryScorer,
)
from judgecore.scorers.comparative import (
    ComparativeScorer,
    PairwiseScorer,
)
from judgecore.scorers.composition import (
    FloatScaleThresholdScorer,
    TrueFalseCompositeScorer,
    TrueFalseInverterScorer,
)
from judgecore.scorers.correctness import (
    CorrectnessScorer,
)
from judgecore.scorers.general import (
    OwnPromptOptions,
    SelfAskGeneralFloatScaleScorer,
    SelfAskGeneralTrueFalseScorer,
)
from judgecore.scorers.guard import (
    GuardScorer,
    LlamaGuardScorer,
    ShieldGemmaScorer,
    WildGuardScorer,
)
from judgecore.scorers.judge import (
    JudgeAnswer,
    JudgeOptions,
    JudgeQuestion,
    JudgeScorer,
)
from judgecore.scorers.jury import (
    JuryScorer,
)
from judgecore.scorers.logprob import (
    LogprobScorer,
)
from judgecore.scorers.reader import (
    FormatReader,
    JudgeVerdict,
    LogprobReader,
    NamedParser,
    ParserReader,
    ReplyReader,
)
from judgecore.scorers.regex import (
    PATTERN_SETS_PATH,
    KeywordRefusalScorer,
    MarkdownInjectionScorer,
    PatternSet,
    PatternSetPaths,
    RegexScorer,
)
from judgecore.scorers.registration import (
    register_scorer,
)
from judgecore.scorers.response import (
    Response,
)
from judgecore.scorers.rubric import (
    RubricScorer,
)
from judgecore.scorers.scale import (
    SelfAskLikertScorer,
    SelfAskScaleScorer,
)
from judgecore.scorers.score import (
    Score,
    ScoreStatus,
)
from judgecore.scorers.scorer import (
    Scorer,
)
from judgecore.scorers.substring import (
    ApproximateTextMatching,
    DecodingScorer,
    ExactTextMatching,
    SubStringScorer,
    TextMatching,
)
from judgecore.scorers.true_false import (
    SelfAskQuestionAnswerScorer,
    SelfAskRefusalScorer,
    SelfAskTrueFalseScorer,
)

__all__ = [
    "PATTERN_SETS_PATH",
    "ApproximateTextMatching",
    "ComparativeScorer",
    "CorrectnessScorer",
    "DecodingScorer",
    "ExactTextMatching",
    "FloatScaleScoreAggregator",
    "FloatScaleScorerByCategory",
    "FloatScaleThresholdScorer",
    "FormatReader",
    "GuardScorer",
    "JudgeAnswer",
    "JudgeOptions",
    "JudgeQuestion",
    "JudgeScorer",
    "JudgeVerdict",
    "JuryScorer",
    "KeywordRefusalScorer",
    "LlamaGuardScorer",
    "LogprobReader",
    "LogprobScorer",
    "MarkdownInjectionScorer",
    "NamedParser",
    "OwnPromptOptions",
    "PairwiseScorer",
    "ParserReader",
    "PatternSet",
    "PatternSetPaths",
    "RegexScorer",
    "ReplyReader",
    "Response",
    "RubricScorer",
    "Score",
    "ScoreAggregatorResult",
    "ScoreStatus",
    "Scorer",
    "SelfAskCategoryScorer",
    "SelfAskGeneralFloatScaleScorer",
    "SelfAskGeneralTrueFalseScorer",
    "SelfAskLikertScorer",
    "SelfAskQuestionAnswerScorer",
    "SelfAskRefusalScorer",
    "SelfAskScaleScorer",
    "SelfAskTrueFalseScorer",
    "ShieldGemmaScorer",
    "SubStringScorer",
    "TextMatching",
    "TrueFalseCompositeScorer",
    "TrueFalseInverterScorer",
    "TrueFalseScoreAggregator",
    "WildGuardScorer",
    "register_scorer",
]
