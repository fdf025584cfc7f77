# Written by `make pages`; edit the list in __init__.py, not this file.

from judgecore import compat as compat
from judgecore import detecting as detecting
from judgecore import engines as engines
from judgecore import errors as errors
from judgecore import evaluation as evaluation
from judgecore import hashing as hashing
from judgecore import identity as identity
from judgecore import prompts as prompts
from judgecore import reading as reading
from judgecore import reports as reports
from judgecore import scorers as scorers
from judgecore import stats as stats
from judgecore import targets as targets
from judgecore.compat import (
    ResponseParser,
)
from judgecore.detecting import (
    detect,
)
from judgecore.errors import (
    JudgecoreError,
)
from judgecore.evaluation import (
    HumanLabeledDataset,
    LikertScaleEvalFiles,
    TrueFalseEvalFiles,
)
from judgecore.hashing import (
    canonical_json,
    content_hash,
)
from judgecore.identity import (
    ComponentIdentifier,
    ScorerEvaluationIdentifier,
)
from judgecore.prompts import (
    JudgePromptBuilder,
    PromptTemplate,
)
from judgecore.reading import (
    Format,
    GuardVerdict,
    Reading,
    Readings,
    Repair,
    Unreadable,
    __version__,
    extract_json,
    extract_json_many,
    formats,
    parse,
    parse_many,
    score_logprobs,
    score_logprobs_many,
)
from judgecore.scorers import (
    Response,
    Score,
    Scorer,
)
from judgecore.targets import (
    AnthropicTarget,
    AzureOpenAITarget,
    CallableTarget,
    JudgeReply,
    JudgeRequest,
    Ledger,
    LedgerReader,
    OpenAITarget,
    Pacing,
    RecordedTarget,
    Target,
    send_many,
)

__all__ = [
    "AnthropicTarget",
    "AzureOpenAITarget",
    "CallableTarget",
    "ComponentIdentifier",
    "Format",
    "GuardVerdict",
    "HumanLabeledDataset",
    "JudgePromptBuilder",
    "JudgeReply",
    "JudgeRequest",
    "JudgecoreError",
    "Ledger",
    "LedgerReader",
    "LikertScaleEvalFiles",
    "OpenAITarget",
    "Pacing",
    "PromptTemplate",
    "Reading",
    "Readings",
    "RecordedTarget",
    "Repair",
    "Response",
    "ResponseParser",
    "Score",
    "Scorer",
    "ScorerEvaluationIdentifier",
    "Target",
    "TrueFalseEvalFiles",
    "Unreadable",
    "__version__",
    "canonical_json",
    "content_hash",
    "detect",
    "extract_json",
    "extract_json_many",
    "formats",
    "parse",
    "parse_many",
    "score_logprobs",
    "score_logprobs_many",
    "send_many",
]
