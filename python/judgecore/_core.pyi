"""The compiled core: reading replies. Import these names from ``judgecore``."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from types import GenericAlias
from typing import Any, Final, Generic, Literal, Never, Protocol, Self, TypeAlias, final, overload

import numpy as np
import numpy.typing as npt
from typing_extensions import TypeVar

# A class without its parameter is that of any value, and so is the value of a format that is given by name.
_Value = TypeVar("_Value", default=Any)
_Value_co = TypeVar("_Value_co", default=Any, covariant=True)
# Fields share one of these types, or their type is not known.
_FieldValue = TypeVar("_FieldValue", bool, float, str)
_Default = TypeVar("_Default")
_Mode: TypeAlias = Literal["lenient", "strict", "paper"]
_Kind: TypeAlias = Literal["binary", "choice", "score", "scores", "fields", "guard", "json", "ranking", "order"]
_Side: TypeAlias = Literal["prompt", "response"]
_Place: TypeAlias = Literal["last_line", "first_line", "first_word", "whole"]
_Reason: TypeAlias = Literal[
    "missing",
    "empty",
    "no_verdict",
    "ambiguous",
    "out_of_range",
    "echoed",
    "truncated",
    "malformed",
    "refused",
    "too_large",
    "low_mass",
]

# Names of built-in formats by the type of their values; written by `make pages`.
_BoolFormat: TypeAlias = Literal[
    "agent_harm.refusal",
    "agent_harm.semantic",
    "athina",
    "browse_comp",
    "cyber_sec_eval.injection",
    "giskard.correctness",
    "giskard.eval_passed",
    "harmbench",
    "health_bench",
    "hle",
    "inspect_evals.abstention",
    "instrumental_eval",
    "jailbreakbench.refusal",
    "langchain.cot_qa",
    "langchain.qa",
    "llama_index.faithfulness",
    "llama_index.guideline",
    "llama_index.relevancy",
    "llama_index.yes_no",
    "lmms_eval.binary_01",
    "lmms_eval.yes_no",
    "mix_eval.multiple_choice",
    "openai_moderation",
    "openevals.boolean",
    "promptfoo.closed_qa",
    "promptfoo.llm_rubric",
    "pyrit.true_false",
    "ragas.aspect_critic",
    "ragas.context_precision",
    "ragas.goal_accuracy",
    "ragas.verdict",
    "selene.binary",
    "sorry_bench",
]
_FloatFormat: TypeAlias = Literal[
    "air_bench",
    "alignbench",
    "auto_j.single",
    "azure_ai.json",
    "azure_ai.tags",
    "bgb.absolute",
    "common.final_score",
    "common.last_number",
    "compass_judger.rating",
    "critique_llm.rating",
    "deepeval.g_eval",
    "flow_judge",
    "g_eval",
    "garak.rating",
    "gemba.da",
    "gemba.sqm",
    "gemba.stars",
    "glider",
    "langchain.score_string",
    "llama_index.correctness",
    "lmms_eval.score",
    "m_prometheus.absolute",
    "mix_eval.free_form",
    "mlflow",
    "mt_bench.single",
    "mt_bench_101",
    "openevals",
    "opik.answer_relevance",
    "opik.context_precision",
    "opik.context_recall",
    "opik.g_eval",
    "opik.hallucination",
    "opik.moderation",
    "opik.score",
    "opik.usefulness",
    "perspective.toxicity",
    "policy_judge",
    "prometheus.absolute",
    "promptfoo.select_best",
    "pyrit.likert",
    "pyrit.scale",
    "ragas.context_relevance",
    "ragas.groundedness",
    "ragas.rubrics",
    "ragas.simple_criteria",
    "reward_bench.rating",
    "selene.absolute",
    "strong_reject",
    "themis",
    "tiger_score",
    "trulens.rating_0_10",
    "trulens.rating_0_3",
    "umbrela",
    "vertex_ai.score",
    "wild_bench.score",
    "writing_bench",
]
_StrFormat: TypeAlias = Literal[
    "alpaca_eval.token",
    "arena_hard",
    "auto_j.pair",
    "autoevals",
    "bgb.relative",
    "coco_not.contrast",
    "coco_not.original",
    "common.compliance",
    "common.last_letter",
    "common.winner",
    "compass_judger.pair",
    "con_j",
    "critique_llm.pair",
    "deepeval.verdict",
    "flame.pair",
    "garak.yes_no",
    "gemba.classes",
    "inspect.model_graded",
    "inspect_evals.xs_test",
    "langchain.criteria",
    "langchain.labeled_criteria",
    "llama_index.pair",
    "llmbar.cot",
    "llmbar.pair",
    "m_prometheus.relative",
    "mlflow.yes_no",
    "mt_bench.pair",
    "offset_bias",
    "offset_bias.pair",
    "or_bench",
    "pandalm",
    "phoenix.completeness",
    "phoenix.conciseness",
    "phoenix.correctness",
    "phoenix.faithfulness",
    "phoenix.hallucination",
    "phoenix.refusal",
    "phoenix.relevance",
    "phoenix.toxicity",
    "prometheus.relative",
    "promptfoo.factuality",
    "ragas.answer_accuracy",
    "reasoning_judge_bench",
    "reward_bench.four",
    "reward_bench.pair",
    "rm_r1",
    "selene.pair",
    "simple_qa",
    "skywork_critic",
    "uptrain.choice",
    "vertex_ai.pair",
    "wild_bench.pair",
    "xs_test",
]
_FloatsFormat: TypeAlias = Literal[
    "distilabel.ultrafeedback",
    "judgelm",
    "lmms_eval.comparative",
    "mt_bench.vicuna",
]
_StrsFormat: TypeAlias = Literal["alpaca_eval.ranking"]
_GuardFormat: TypeAlias = Literal[
    "april_guard",
    "april_guard.reasoning",
    "dyna_guard",
    "gpt_oss_safeguard.category",
    "gpt_oss_safeguard.full",
    "gpt_oss_safeguard.number",
    "granite_guardian.3_0",
    "granite_guardian.3_1",
    "granite_guardian.3_2",
    "granite_guardian.3_3",
    "granite_guardian.4_1",
    "guard_reasoner",
    "guard_reasoner.prompt",
    "jailbreakbench.judge",
    "kanana",
    "kanana.attack",
    "kanana.siren",
    "llama_guard.1",
    "llama_guard.2",
    "llama_guard.3",
    "llama_guard.3_11b_vision",
    "llama_guard.3_1b",
    "llama_guard.4",
    "md_judge.v1",
    "md_judge.v2",
    "nemo.content_safe",
    "nemo_guard.aegis2",
    "nemo_guard.aegis2.prompt",
    "nemotron_safety.reasoning",
    "nemotron_safety.reasoning.prompt",
    "nemotron_safety.v3",
    "nemotron_safety.v3.prompt",
    "patronus_lynx",
    "poly_guard",
    "poly_guard.prompt",
    "prompt_guard.1",
    "prompt_guard.2",
    "qwen3_guard.prompt",
    "qwen3_guard.response",
    "sguard",
    "shield_gemma",
    "shield_lm",
    "sos_bench",
    "wild_guard",
    "wild_guard.prompt",
]
# End of names.

class _ArrowArray(Protocol):
    def __arrow_c_array__(self, requested_schema: object | None = None, /) -> tuple[object, object]: ...

class _ArrowStream(Protocol):
    def __arrow_c_stream__(self, requested_schema: object | None = None, /) -> object: ...

_Texts: TypeAlias = Iterable[str | None] | npt.NDArray[Any] | _ArrowArray | _ArrowStream
_Cut: TypeAlias = bool | Iterable[bool | None] | _ArrowArray | _ArrowStream

__all__ = [
    "READING_VERSION",
    "REASONS",
    "Format",
    "GuardVerdict",
    "Reading",
    "Readings",
    "Repair",
    "ResponseParser",
    "TableReader",
    "Unreadable",
    "__version__",
    "auroc",
    "bootstrap_alpha",
    "bootstrap_mean",
    "bootstrap_pair",
    "bradley_terry",
    "calibration",
    "canonical_json",
    "content_hash",
    "dawid_skene",
    "extract_json",
    "extract_json_many",
    "format_schema",
    "formats",
    "gwet_agreement",
    "harm_metrics",
    "json_array_lines",
    "key_lines",
    "krippendorff_alpha",
    "majority",
    "mcnemar",
    "objective_metrics",
    "pair_statistic",
    "paired_bootstrap",
    "parse",
    "parse_many",
    "position_bias",
    "ppi_mean",
    "read_formats",
    "rogan_gladen",
    "score_logprobs",
    "score_logprobs_many",
    "spearman",
    "table_columns",
    "taxonomy",
    "weighted_kappa",
    "wilson_interval",
]

READING_VERSION: Final[int]
REASONS: Final[tuple[_Reason, ...]]
__version__: Final[str]

@final
class Repair:
    """A repair of damaged JSON.

    Attributes:
        kind: The kind of damage, one of the names in ``docs/json.md``: ``trailing_comma``, ``truncated``, ...
        at: The position, in code points of the reply.
    """

    __match_args__ = ("kind", "at")
    def __new__(cls, kind: str, at: int) -> Repair: ...
    @property
    def kind(self) -> str: ...
    @property
    def at(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ge__(self, other: object, /) -> bool: ...
    def __gt__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __le__(self, other: object, /) -> bool: ...
    def __lt__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[type[Repair], tuple[str, int]]: ...

@final
class GuardVerdict:
    """The verdict of a guard on a conversation.

    Attributes:
        unsafe: Whether the side that the format declares as its subject is unsafe; None if the guard does not judge
            that side.
        prompt_unsafe: Whether the prompt is unsafe, or None.
        response_unsafe: Whether the response is unsafe, or None.
        categories: Violated categories as the guard wrote them, each once. ``Format.categories`` has their meanings.
        fields: The guard's other answers by name; categories outside the family's list are in ``unknown_categories``.
        side: The side that ``unsafe`` speaks of, ``prompt`` or ``response``; None in a verdict that was not read.
        names: The name of each of the categories; one that the family does not define is its own name.
        hazards: The hazards of ``taxonomy()`` that the categories have, each once; none of a category that has no
            counterpart there, or that the family does not define.
        uncertain_hazards: Those of the hazards that are named only by wider categories, which may mean something else.

    Verdicts are equal where the guard said the same: side, names and hazards follow from that and the format.
    """

    __match_args__ = ("unsafe", "categories")
    def __new__(
        cls,
        unsafe: bool | None,
        prompt_unsafe: bool | None = None,
        response_unsafe: bool | None = None,
        categories: tuple[str, ...] | None = None,
        fields: dict[str, Any] | None = None,
        side: _Side | None = None,
        names: tuple[str, ...] | None = None,
        hazards: tuple[str, ...] | None = None,
        uncertain_hazards: tuple[str, ...] | None = None,
    ) -> GuardVerdict: ...
    @property
    def unsafe(self) -> bool | None: ...
    @property
    def prompt_unsafe(self) -> bool | None: ...
    @property
    def response_unsafe(self) -> bool | None: ...
    @property
    def categories(self) -> tuple[str, ...]: ...
    @property
    def fields(self) -> dict[str, Any]: ...
    @property
    def side(self) -> _Side | None: ...
    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def hazards(self) -> tuple[str, ...]: ...
    @property
    def uncertain_hazards(self) -> tuple[str, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ge__(self, other: object, /) -> bool: ...
    def __gt__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __le__(self, other: object, /) -> bool: ...
    def __lt__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[type[GuardVerdict], tuple[Any, ...]]: ...

@final
class Reading(Generic[_Value_co]):
    """A value that was read, with its evidence.

    Readings compare by value, and can be pickled and copied. They have no truth value. In annotations,
    ``Reading[float]`` names the value's type.

    Attributes:
        ok: True.
        value: The judge's verdict, by the format's kind: ``bool`` (binary), the canonical label (choice), ``float``
            (score), ``tuple[float, ...]`` (scores), ``dict[str, value]`` (fields), ``GuardVerdict`` (guard), names in
            a ``tuple[str, ...]``, best first (ranking), the rank of each candidate in a ``tuple[int, ...]``, 1 is best
            (order). For a JSON format it is the verdict; without a key of the verdict, and for ``extract_json``, it is
            the whole document: ``dict``, ``list``, ``str``, ``int``, ``float``, ``bool`` or None.
        fields: All named values if there are several; for a JSON format the whole object; else None.
        format: The format's id.
        mode: The mode of reading.
        rule: The kind of evidence that decided: ``whole``, ``marker``, ``place`` (where the judge was asked to put it),
            ``labelled``, ``statement``, ``opening``, ``closing``, ``mention``, ``fields``, ``json`` (a document inside
            other text, or a damaged one), ``publisher`` or ``publisher_default``.
        span: Start and end of the evidence in code points of the reply; (0, 0) if the value was invented.
        evidence: The reply's text at the span; None if the reply was not kept, as in pickled ``Readings``.
        repairs: The repairs of the document, in order. If there are none, a strict JSON parser returns the same value
            for the whole reply.
        invented: True only for a publisher's default in paper mode.
    """

    ok: Literal[True]
    __match_args__ = ("value",)
    def __class_getitem__(cls, key: Any) -> GenericAlias: ...
    def __new__(
        cls,
        value: _Value_co,
        fields: Any = None,
        format: str = "",
        mode: _Mode = "lenient",
        rule: str = "whole",
        span: tuple[int, int] = (0, 0),
        evidence: str | None = "",
        repairs: Sequence[Repair] = (),
        invented: bool = False,
    ) -> Reading[_Value_co]: ...
    @property
    def value(self) -> _Value_co: ...
    @property
    def fields(self) -> Any: ...
    @property
    def format(self) -> str: ...
    @property
    def mode(self) -> _Mode: ...
    @property
    def rule(self) -> str: ...
    @property
    def span(self) -> tuple[int, int]: ...
    @property
    # Any instead of None, because readings of replies always have evidence, and callers should not have to check.
    def evidence(self) -> str | Any: ...
    @property
    def repairs(self) -> tuple[Repair, ...]: ...
    @property
    def invented(self) -> bool: ...
    def unwrap(self) -> _Value_co:
        """Return the value."""
    def value_or(self, default: object) -> _Value_co:
        """Return the value; the default is for replies that can't be read."""
    def __bool__(self) -> Never: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ge__(self, other: object, /) -> bool: ...
    def __gt__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __le__(self, other: object, /) -> bool: ...
    def __lt__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[type[Reading[_Value_co]], tuple[Any, ...]]: ...

@final
class Unreadable:
    """Why a reply can't be read.

    Attributes:
        ok: False.
        reason: ``missing`` (no reply), ``empty``, ``no_verdict`` (text without a verdict), ``ambiguous`` (verdicts that
            contradict each other), ``out_of_range``, ``echoed`` (copied from what the judge was shown),
            ``truncated`` (cut off before or inside the verdict), ``malformed`` (the marker is there, but has no
            verdict), ``refused`` (the judge declined), ``too_large``, ``low_mass`` (too little probability on the
            labels).
        detail: An explanation for people.
        candidates: The verdicts that contradict each other, or that were copied; else empty.
        format: The format's id.
    """

    ok: Literal[False]
    __match_args__ = ("reason", "detail")
    def __new__(
        cls,
        reason: _Reason,
        detail: str = "",
        candidates: tuple[Reading, ...] | None = None,
        format: str = "",
    ) -> Unreadable: ...
    @property
    def reason(self) -> _Reason: ...
    @property
    def detail(self) -> str: ...
    @property
    def candidates(self) -> tuple[Reading, ...]: ...
    @property
    def format(self) -> str: ...
    def unwrap(self) -> Never:
        """Raise.

        Raises:
            UnreadableReplyError: Always; its ``reason`` is this one.
        """
    def value_or(self, default: _Default) -> _Default:
        """Return the default."""
    def __bool__(self) -> Never: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ge__(self, other: object, /) -> bool: ...
    def __gt__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __le__(self, other: object, /) -> bool: ...
    def __lt__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[type[Unreadable], tuple[Any, ...]]: ...

@final
class Format(Generic[_Value_co]):
    """The expected output of a judge: labels, scale, markers and the publisher's own rule.

    Built-in formats have an id; others are created by a constructor or read from a file. Formats compare by
    declaration, and can be pickled and copied. In annotations, ``Format[float]`` names the type of the values.

    Attributes:
        id: The format's name, ``family`` or ``family.variant``; the kind for a format without a name.
        aliases: Other names of a built-in format.
        version: The version, which increases when a change of the declaration changes outcomes. ``hash`` changes
            automatically.
        hash: The SHA-256, in 64 hex digits, of everything in the declaration that affects outcomes in any mode. Names,
            prose, sources and examples are not included, so formats that read replies in the same way have the same
            hash.
        kind: ``binary``, ``choice``, ``score``, ``scores``, ``fields``, ``guard``, ``json``, ``ranking`` or ``order``.
        title: The judge's display name.
        about: A description of its output.
        evidence_level: How well that is known: ``card`` (documented), ``code`` (in the publisher's code), ``observed``
            (seen in real replies), ``convention`` (many prompts ask for it); None for the caller's own format.
        recorded_replies: The number of recorded real replies that it was tested with.
        sources: The sources of these facts.
        modes: The modes that the format has.
        labels: The forms of each label by canonical label (binary and choice formats, and JSON formats with such a
            verdict), or of each candidate (order formats).
        parts: The format of each field by name, key or path; empty unless the format has fields.
        scale: The lowest and the highest score (score formats, and JSON formats with such a verdict); else None.
        markers: The format's own markers, with ``{}`` in place of the verdict, strongest first.
        place: Where the judge was asked to put the verdict: ``last_line``, ``first_line``, ``first_word`` or ``whole``;
            None if that is not declared.
        publisher_rule: A description of paper mode, one step on each line; None if the format has no paper mode.
        first_token: Whether the verdict is the first token, so that ``cut`` does not matter.
        categories: The meaning of each code of a guard format.
        side: The side that ``unsafe`` speaks of, ``prompt`` or ``response``; None where it is no guard's.
        crosswalk: What each code is on the axis of ``taxonomy()``, of built-in guard formats with categories:
            ``hazards``, by name how the category relates to each (``same``, ``part_of`` where it is narrower,
            ``wider_than`` where it also holds other things); ``no_counterpart``, why there are none, else empty; and
            ``sources``.
        examples: Replies with their outcome in each mode: ``reply``, ``cut``, ``note``, and by mode ``{"value": ...}``,
            ``{"invented": ...}`` or ``{"unreadable": reason}``.
    """

    def __class_getitem__(cls, key: Any) -> GenericAlias: ...
    @property
    def id(self) -> str: ...
    @property
    def aliases(self) -> tuple[str, ...]: ...
    @property
    def version(self) -> int: ...
    @property
    def hash(self) -> str: ...
    @property
    def kind(self) -> _Kind: ...
    @property
    def title(self) -> str: ...
    @property
    def about(self) -> str: ...
    @property
    def evidence_level(self) -> Literal["card", "code", "observed", "convention"] | None: ...
    @property
    def recorded_replies(self) -> int: ...
    @property
    def sources(self) -> tuple[str, ...]: ...
    @property
    def modes(self) -> tuple[_Mode, ...]: ...
    @property
    def labels(self) -> dict[str, tuple[str, ...]]: ...
    @property
    def parts(self) -> dict[str, Format]: ...
    @property
    def scale(self) -> tuple[float, float] | None: ...
    @property
    def markers(self) -> tuple[str, ...]: ...
    @property
    def place(self) -> _Place | None: ...
    @property
    def publisher_rule(self) -> str | None: ...
    @property
    def first_token(self) -> bool: ...
    @property
    def categories(self) -> dict[str, str]: ...
    @property
    def side(self) -> _Side | None: ...
    @property
    def crosswalk(self) -> dict[str, dict[str, Any]]: ...
    def judging(self, side: _Side) -> Format[GuardVerdict]:
        r"""Return the format of the same guard for the given side of the conversation.

        A guard whose reply does not say the side, such as Llama Guard, judges what it is shown, and only the caller
        knows what that was.

        Args:
            side: ``prompt`` or ``response``.

        Returns:
            The format itself, if it judges that side.

        Raises:
            FormatError: If it is no guard's format, or the guard does not judge that side.
            ValueError: If there is no such side.

        Examples:
            >>> Format.get("wild_guard").judging("prompt").id
            'wild_guard.prompt'
            >>> parse("unsafe\nS10", Format.get("llama_guard.3").judging("prompt")).value.prompt_unsafe
            True
        """
    @property
    def examples(self) -> tuple[dict[str, Any], ...]: ...
    @overload
    @staticmethod
    def get(id: _BoolFormat) -> Format[bool]:
        """Return the built-in format with an id or alias. For a literal id, type checkers know the type of the value.

        Raises:
            UnknownFormatError: If there is none; the message names the nearest.
        """
    @overload
    @staticmethod
    def get(id: _FloatFormat) -> Format[float]: ...
    @overload
    @staticmethod
    def get(id: _StrFormat) -> Format[str]: ...
    @overload
    @staticmethod
    def get(id: _FloatsFormat) -> Format[tuple[float, ...]]: ...
    @overload
    @staticmethod
    def get(id: _StrsFormat) -> Format[tuple[str, ...]]: ...
    @overload
    @staticmethod
    def get(id: _GuardFormat) -> Format[GuardVerdict]: ...
    @overload
    @staticmethod
    def get(id: str) -> Format: ...
    @staticmethod
    def binary(
        *, true: Sequence[str], false: Sequence[str], markers: Sequence[str] = (), place: _Place | None = None
    ) -> Format[bool]:
        """Create a yes-or-no format; values are ``bool``.

        Args:
            true: The words for true, in any case.
            false: The words for false.
            markers: The text that the judge was asked to put around the verdict, as in ``choice``.
            place: The place where the judge was asked to put the verdict, as in ``choice``.

        Raises:
            FormatError: If a list is empty, both hold the same word, a marker is empty, or no place has the name.

        Examples:
            >>> Format.binary(true=["yes"], false=["no"], place="last_line").place
            'last_line'
        """
    @staticmethod
    def choice(
        labels: Mapping[str, Sequence[str]], *, markers: Sequence[str] = (), place: _Place | None = None
    ) -> Format[str]:
        """Create a format of one label out of several; values are canonical labels.

        Args:
            labels: The forms of each canonical label, in any case unless two labels differ only in case. A form with
                words around a designator, ``Output (a)``, is the name of a candidate, and its mere mention is not a
                verdict.
            markers: The text that the judge was asked to put around the verdict, strongest first: plain words,
                ``WINNER:``, or templates, ``<verdict>{}</verdict>``. The text around ``{}`` is required.
            place: The place where the judge was asked to put the verdict: alone on the ``last_line`` or the
                ``first_line``, where a phrase may announce it, as the ``first_word``, or as the ``whole`` reply.
                ``strict`` looks only there; in ``lenient`` only a marker is stronger.

        Raises:
            FormatError: If there are fewer than two labels, one has no form, two share one, a marker is empty, or no
                place has the name.
        """
    @staticmethod
    def score(low: float, high: float, *, integer: bool = False, markers: Sequence[str] = ()) -> Format[float]:
        """Create a format of one number; values are ``float``, including both ends of the scale.

        Args:
            low: The lowest score, finite.
            high: The highest score, finite and above ``low``. A percentage is accepted if the scale ends at 100, or
                goes from 0 to 1; a fraction if its denominator is the highest score.
            integer: Whether only integers are scores.
            markers: The text that announces the score, strongest first: plain words, ``Rating``, which a colon must
                follow, or templates, ``[[{}]]``. The text around ``{}`` is required: ``【总分】8`` does not match
                ``【总分】{}分``. A declared marker is stronger than any word for a score.

        Raises:
            FormatError: If the scale is invalid, or a marker is empty.
        """
    @staticmethod
    def scores(n: int, low: float, high: float, names: Sequence[str] | None = None) -> Format[tuple[float, ...]]:
        """Create a format of ``n`` numbers on one scale, ``8 7``; values are tuples of ``n`` floats.

        Args:
            n: The number of scores.
            low: The lowest score.
            high: The highest score.
            names: What each score is called, in the order of the values: ``Style: 7, Facts: 9``. A reply may then list
                the scores by name, in any order, as for ``fields``. Scores by name that contradict scores in a row are
                ``ambiguous``. Default: only names such as ``Assistant 1`` and ``Response B`` are known.

        Raises:
            FormatError: If ``n`` is 0, the scale is invalid, or the names are not ``n`` distinct ones.
        """
    @staticmethod
    def order(n: int, names: Sequence[str] | None = None) -> Format[tuple[int, ...]]:
        """Create a format of the order of ``n`` candidates, ``A > B = C``; values are the rank of each, 1 is best.

        Candidates that tie share a rank, and the following ranks are skipped: ``A = B > C`` is ``(1, 1, 3)``. Lists
        are accepted, too: ``1. B`` and ``2. A`` on separate lines. An order is unreadable if a candidate is missing
        or listed twice.

        Args:
            n: The number of candidates.
            names: The names, in the order in which values list the ranks. A number or a letter after a noun that all
                share, ``Assistant 1``, is another form of the name. Default: 1, 2, ... or A, B, ...

        Raises:
            FormatError: If ``n`` is less than 2, or the names are not ``n`` distinct ones.
        """
    @overload
    @staticmethod
    def fields(fields: Mapping[str, Format[_FieldValue]]) -> Format[dict[str, _FieldValue]]:
        """Create a format of named values, each after its name; values are dictionaries with all names.

        Args:
            fields: The format of each name; binary, choice or score.

        Raises:
            FormatError: If there is no field, or the format of one has fields.
        """
    @overload
    @staticmethod
    def fields(fields: Mapping[str, Format | str]) -> Format[dict[str, Any]]: ...
    @overload
    @staticmethod
    def json_fields(fields: Mapping[str, Format[_FieldValue]]) -> Format[dict[str, _FieldValue]]:
        """Create a format of several entries of one JSON document; values are dictionaries with all keys or paths.

        Args:
            fields: The format of each entry (binary, choice, score, scores or order), by key or by path,
                ``helpfulness.score``. A key that equals the whole path takes precedence. Indices of lists count
                from 0: ``scores.0``.

        Raises:
            FormatError: If there is no field, or one is of another kind.
            UnknownFormatError: If no format has the name.
        """
    @overload
    @staticmethod
    def json_fields(fields: Mapping[str, Format | str]) -> Format[dict[str, Any]]: ...
    @staticmethod
    def json_field(key: str | Sequence[str], format: Format[_Value] | str) -> Format[_Value]:
        """Create a format of one entry of a JSON document, also inside other text; ``fields`` has the document.

        Args:
            key: The entry's key, or its path as in ``json_fields``, or several, of which the first one found counts.
            format: The entry's format: binary, choice, score, scores or order.

        Raises:
            FormatError: If there is no key, or the format is of another kind.
            UnknownFormatError: If no format has the name.
        """
    @staticmethod
    def from_toml(path: str | PathLike[str], variant: str | None = None) -> Format:
        """Read a format from a file with the schema of the built-in ones.

        Args:
            path: The file, UTF-8.
            variant: The id of one of its formats, or the part after the full stop; required if there are several.

        Raises:
            FormatError: If the file is invalid; the message names the file, the key and the fix.
            UnknownFormatError: If the file has no such variant.
            OSError: If the file can't be read.
        """
    @staticmethod
    def _from_declaration(text: str) -> Format: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ge__(self, other: object, /) -> bool: ...
    def __gt__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __le__(self, other: object, /) -> bool: ...
    def __lt__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[Any, tuple[str]]: ...

@final
class Readings(Generic[_Value_co]):
    """The outcomes of many replies, as columns in the order of the replies.

    Any consumer of Arrow imports them without copying numbers: ``pa.table(readings)``, ``pl.DataFrame(readings)``,
    ``pd.DataFrame.from_arrow(readings)``, ``duckdb.sql("SELECT * FROM readings")``. The columns are ``status``
    (``ok`` or ``unreadable``), ``reason`` and ``rule``, as dictionaries of strings; ``value``; and ``start`` and
    ``end`` of the evidence in code points of the reply. All but ``status`` are null if not applicable. ``value`` is
    by kind ``bool`` (binary), ``float64`` (score), ``list<float64>`` (scores), ``dictionary<utf8>`` (choice),
    ``list<utf8>`` (ranking), ``list<int64>`` (order), a struct (fields; and guard, with its ``categories`` as
    ``list<utf8>`` and ``fields`` as JSON text), or JSON text (a whole document, with NaN and infinities spelled as in
    Python). If a consumer requests another type for the ``value``, as ``pa.array(readings, type=...)`` does,
    documents are converted to that type: a struct of the requested keys, in which missing keys are null.

    Pickles and deep copies have the columns, but not the replies. Their ``[i]`` uses the columns: a ``Reading`` has its
    value, rule and span, but ``evidence`` is None, there are no ``repairs``, and ``fields`` are only those of the
    value; an ``Unreadable`` has its reason, but no ``detail`` and no ``candidates``. A pickle stores the outcomes and
    the format's declaration, so another version returns the same outcomes instead of reading the replies again.
    Loading raises ``ValueError`` if the pickle is damaged, or has unknown columns, reasons or rules.

    Readings are equal if format, mode and all columns are equal, with or without their replies.

    Attributes:
        format: The format.
        mode: The mode of reading.
        ok: Which rows were read, shape ``(n,)``.
        values: The value of each row; None if it is unreadable.
        reason: The reason of each unreadable row; else None.
        rule: The kind of evidence that decided; None for an unreadable row.
    """

    def __class_getitem__(cls, key: Any) -> GenericAlias: ...
    @property
    def format(self) -> Format[_Value_co]: ...
    @property
    def mode(self) -> _Mode: ...
    @property
    def ok(self) -> npt.NDArray[np.bool_]: ...
    @property
    def values(self) -> list[_Value_co | None]: ...
    @property
    def reason(self) -> list[_Reason | None]: ...
    @property
    def rule(self) -> list[str | None]: ...
    def counts(self) -> dict[str, int]:
        """Count rows by outcome: ``ok`` always, and each reason that occurs."""
    def to_numpy(self, *, unreadable: Any = ...) -> npt.NDArray[Any]:
        """Return the values as an array of shape ``(n,)``.

        Args:
            unreadable: The value for unreadable rows, such as NaN or None. There is no default.

        Returns:
            float64 for scores and bool for binary formats if ``unreadable`` has that type; else objects.

        Raises:
            ValueError: If a row is unreadable and ``unreadable`` is not given.
        """
    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a dictionary for each row, with the columns as plain Python values.

        Returns:
            ``status``, ``reason``, ``value``, ``rule``, ``start`` and ``end``, or None if not applicable. In values,
            several scores, names or ranks are lists, and a guard's verdict is a dictionary; documents are unchanged.

        Example:
            >>> import judgecore
            >>> judgecore.parse_many(["Score: 8"], judgecore.Format.score(1, 10)).to_dicts()
            [{'status': 'ok', 'reason': None, 'value': 8.0, 'rule': 'labelled', 'start': 0, 'end': 8}]
        """
    def to_arrow(self) -> Any:
        """Return the columns as a ``pyarrow.Table``, which shares the memory of numbers.

        Raises:
            ImportError: If pyarrow is not installed; the extra ``judgecore[arrow]`` installs it.
        """
    def to_pandas(self) -> Any:
        """Return the columns as a ``pandas.DataFrame``.

        Returns:
            ``status``, ``reason``, ``rule`` and labels as categories; numbers and booleans in the types ``Float64``,
            ``Int64`` and ``boolean``, with ``pandas.NA`` for unreadable rows; other values as objects.

        Raises:
            ImportError: If pandas or pyarrow is not installed; the extra ``judgecore[pandas]`` installs them.
        """
    def to_polars(self) -> Any:
        """Return the columns as a ``polars.DataFrame``.

        Raises:
            ImportError: If polars is not installed; the extra ``judgecore[polars]`` installs it.
        """
    def _repr_html_(self) -> str: ...
    def __arrow_c_schema__(self) -> object:
        """Return the columns' types, as a capsule."""
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        """Return the columns as one Arrow array of structs, and its type, as capsules.

        Args:
            requested_schema: The type that the consumer requests; only the type of ``value`` of documents is used.

        Raises:
            ValueError: If a document does not fit that type, with its row and key; or if the values exceed one array.
        """
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the columns as a stream of Arrow arrays, as a capsule.

        Args:
            requested_schema: As in ``__arrow_c_array__``.

        Raises:
            ValueError: If a document does not fit the requested type.
        """
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Reading[_Value_co] | Unreadable]: ...
    @overload
    def __getitem__(self, index: int, /) -> Reading[_Value_co] | Unreadable: ...
    @overload
    def __getitem__(self, index: slice, /) -> list[Reading[_Value_co] | Unreadable]: ...
    @staticmethod
    def _from_columns(state: object) -> Readings: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: object, /) -> Self: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __ge__(self, other: object, /) -> bool: ...
    def __gt__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __le__(self, other: object, /) -> bool: ...
    def __lt__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def __reduce__(self) -> tuple[Any, tuple[tuple[Any, ...]]]: ...
    def _texts(self, part: Literal["evidence", "detail"]) -> Any: ...

@final
class ResponseParser:
    """The parsers of lmms-eval's judge, reproduced exactly.

    They can't report a missing verdict: a reply without one becomes 0, False, the lowest score, -1 or {}.
    ``judgecore.parse`` reads the same replies, and returns the verdict or the reason why there is none.

    References:
        lmms-eval, ``lmms_eval/llm_judge/utils.py`` at commit 75571cf.
    """

    def __new__(cls) -> ResponseParser: ...
    @staticmethod
    def parse_binary_response(response: str, output_format: str = "0/1") -> int | bool:
        """Read a reply to a binary question.

        Pass ``output_format`` explicitly: it must be the one that the prompt asked for.

        Args:
            response: The judge's reply.
            output_format: "0/1" or "1/0" for digits; anything else for yes and no.

        Returns:
            For digits 1 if the reply has a ``1`` anywhere, ``10`` and ``0.1`` included, else 0. For words True if it
            begins with "yes" in any case, ``yesterday`` included, else False.

        Raises:
            AttributeError: If the reply is not a string.
        """
    @staticmethod
    def parse_score_response(response: str, score_range: Sequence[float] | None = None) -> float:
        """Read the first number of a reply, whatever it means.

        Pass ``score_range`` explicitly: without it, a reply without a number scores 0.0.

        Args:
            response: The judge's reply.
            score_range: The lowest and the highest score.

        Returns:
            The first number, clamped to the range; without a number, the lowest score, or 0.0.
        """
    @staticmethod
    def parse_comparative_response(response: str) -> tuple[float, float]:
        """Read the first two numbers of the first line.

        Returns:
            The two numbers, including those in names such as ``Assistant 1``; (-1.0, -1.0) if there are fewer.
        """
    @staticmethod
    def parse_json_response(response: str) -> dict[str, Any]:
        """Read the text from the first ``{`` to the last ``}`` as strict JSON.

        Returns:
            The object, with NaN and infinities as Python's ``json.loads`` accepts them; {} if the text is not an
            object, or if there are two. Time is linear in the length of the reply.
        """

def parse(
    reply: str | None,
    format: Format[_Value] | str,
    *,
    mode: _Mode = "lenient",
    cut: bool = False,
    material: Sequence[str | None] | None = None,
) -> Reading[_Value] | Unreadable:
    """Read one reply.

    Args:
        reply: The judge's reply; None is ``Unreadable("missing")``. A lone surrogate is read as U+FFFD.
        format: The format of the judge, or its id.
        mode: ``lenient`` accepts all evidence that a careful reader would, ``strict`` only what the format documents,
            ``paper`` applies the publisher's own rule with its defects, to reproduce published numbers.
        cut: Whether the reply is known to be cut off (``finish_reason`` is ``length``), so that evidence that touches
            its end does not count.
        material: The texts that the judge was shown, such as the response and the question. A verdict that the reply
            merely copies from them is ``echoed``. Leave out the judge's instructions. ``paper`` ignores the material.

    Returns:
        The reading, or why there is none. Time is linear in the length of the reply and the material.

    Raises:
        UnknownFormatError: If no format has the name.
        ValueError: If the mode is unknown, or is ``paper`` and the format has no publisher's rule.
        TypeError: If the reply is neither a string nor None, or the material is not a list of strings.

    Examples:
        >>> import judgecore as jc
        >>> jc.parse("Clear and complete. Rating: [[8]]", "mt_bench.single").value
        8.0
        >>> jc.parse("I like it.", "mt_bench.single").reason
        'no_verdict'
        >>> jc.parse("It says: Rating: [[10]]", "mt_bench.single", material=["Paris. Rating: [[10]]"]).reason
        'echoed'
    """

def parse_many(
    replies: _Texts,
    format: Format[_Value] | str,
    *,
    mode: _Mode = "lenient",
    cut: _Cut | None = None,
    material: Sequence[_Texts | None] | None = None,
    threads: int | None = None,
) -> Readings[_Value]:
    """Read many replies with one format. Releases the GIL and uses all cores; Ctrl-C stops it.

    Args:
        replies: The replies: strings or None in a list, tuple or other iterable; a one-dimensional NumPy array of
            objects or strings; or any object with the Arrow PyCapsule interface, such as a column of pyarrow, polars,
            pandas or DuckDB, or a table with one column. Arrow strings are not copied; their type may be ``utf8``,
            ``large_utf8``, ``utf8_view`` or a dictionary of these. Null is ``missing``. A row that is not valid UTF-8
            is ``malformed``, with the offset of the invalid byte.
        format: The format of the judge, or its id.
        mode: As in ``parse``.
        cut: Whether the replies are known to be cut off: a bool for all, or a column of them; null means False.
        material: Columns of texts that the judge was shown, each as long as the replies; null for none.
        threads: How many threads to use, from 1 to 1024; one for each core by default.

    Returns:
        The outcomes in the order of the replies, equal to those of ``parse``.

    Raises:
        TypeError: If a reply is neither a string nor None, with its row, or if the column is not of strings. The same
            holds for the material.
        ValueError: As in ``parse``, if ``cut`` or a column of the material has another length, or such a text is not
            UTF-8 or longer than 64 MiB, and if ``threads`` is out of range.
        UnknownFormatError: If no format has the name.
    """

def score_logprobs(
    content: Iterable[Any] | None, format: Format | str, *, min_mass: float = 0.5
) -> Reading | Unreadable:
    """Read a reply's verdict from the probabilities of its tokens.

    The verdict is at the first token if the format declares that (``Format.first_token``), at every position for
    Granite Guardian 3.0 to 3.2, whose publisher sums over all, and otherwise where ``parse`` reads the verdict. A token
    counts for a label in any case, with or without a leading space, and if it is the beginning of only this label. A
    number of several tokens, ``1`` and ``0``, counts along the written path; ``1`` as an alternative to ``8`` on a
    scale to 10 may begin either number and counts as unseen, unless ``10`` is a single token.

    Args:
        content: ``choices[0].logprobs.content`` of an OpenAI-compatible reply: for each token a dictionary, or an
            object of the endpoint's client, with ``token``, ``logprob`` (natural logarithm), optional ``bytes``, and
            ``top_logprobs``, a list of the same. None is ``Unreadable("missing")``.
        format: The format of the judge, or its id: binary, choice, score, a guard, or JSON with such a verdict.
        min_mass: The least total probability of the labels, from 0 to 1; less is ``low_mass``.

    Returns:
        A reading with the rule ``logprobs``. ``value`` is a float: for a score the expectation over the observed
        numbers; for a binary format the probability of true, and for a guard that of unsafe, both normalized by the
        observed labels (like ShieldGemma's P(Yes)), but not for Llama Guard; for ``alpaca_eval.token`` the preference
        for ``M``. For other choices it is the most likely label. ``fields`` has ``probabilities`` of each label or
        number, and ``mass``, their sum. ``low_mass`` has the reading among its candidates; other reasons are those of
        ``parse``.

    Raises:
        TypeError: If ``content`` is not a list, or an entry has no numbers.
        ValueError: If an entry lacks ``token`` or ``logprob``, or a logarithm is above 0, with its position; if
            ``min_mass`` is out of range; or if the format has no verdict that is one label or one number.
        UnknownFormatError: If no format has the name.

    Sources:
        Llama Guard's, ShieldGemma's and Granite Guardian's model cards and cookbooks; Liu et al. 2023, G-Eval,
        arXiv:2303.16634; Dubois et al. 2024, Length-Controlled AlpacaEval, arXiv:2404.04475.
    """

def score_logprobs_many(
    contents: Iterable[Iterable[Any] | None],
    format: Format | str,
    *,
    min_mass: float = 0.5,
) -> list[Reading | Unreadable]:
    """Read the verdicts of many replies from the probabilities of their tokens. Ctrl-C stops it.

    Args:
        contents: The ``content`` of each reply, as in ``score_logprobs``, or None for ``Unreadable("missing")``; also a
            column with ``to_pylist`` or ``to_list``, such as one of pyarrow, polars or pandas.
        format: As in ``score_logprobs``.
        min_mass: As in ``score_logprobs``.

    Returns:
        The outcome of each reply, in order.

    Raises:
        TypeError: As in ``score_logprobs``, with the row.
        ValueError: As in ``score_logprobs``, with the row.
        UnknownFormatError: If no format has the name.
    """

def extract_json(
    reply: str | None,
    *,
    mode: Literal["lenient", "strict"] = "lenient",
    keys: Sequence[str] = (),
    cut: bool = False,
    material: Sequence[str | None] | None = None,
    max_depth: int = 200,
    max_bytes: int = 67108864,
) -> Reading | Unreadable:
    """Find the JSON document of a reply, inside other text and with any damage.

    Args:
        reply: The judge's reply; None is ``Unreadable("missing")``.
        mode: ``lenient`` looks for the document after reasoning, in prose and in code fences, and repairs it; each
            repair is listed. ``strict`` requires that the whole reply is one JSON value of any type (RFC 8259).
        keys: Required keys of the document, which must be an object. Objects without them are ignored.
        cut: Whether the reply is known to be cut off. Then its document is unreadable, unless it is complete or all
            ``keys`` are complete before the cut.
        material: The texts that the judge was shown, as in ``parse``: a document copied from them is ``echoed``.
        max_depth: The maximum nesting, at least 1; a reply that exceeds it is ``malformed``.
        max_bytes: The maximum length of the reply in UTF-8, at least 1; a longer reply is ``too_large``.

    Returns:
        A reading with the document as its value, or why there is none; ``ambiguous`` if two documents could be meant.
        Time is linear in the length of the reply.

    Raises:
        FormatError: If a limit is 0.
        ValueError: If the mode is unknown.
        TypeError: If the reply is neither a string nor None.

    Examples:
        >>> import judgecore as jc
        >>> reading = jc.extract_json("Here you are: {'score': 8, 'reason': 'clear',}", keys=["score"])
        >>> reading.value
        {'score': 8, 'reason': 'clear'}
        >>> [repair.kind for repair in reading.repairs][-1]
        'trailing_comma'
    """

def extract_json_many(
    replies: _Texts,
    *,
    mode: Literal["lenient", "strict"] = "lenient",
    keys: Sequence[str] = (),
    cut: _Cut | None = None,
    material: Sequence[_Texts | None] | None = None,
    max_depth: int = 200,
    max_bytes: int = 67108864,
    threads: int | None = None,
) -> Readings:
    """Find the JSON documents of many replies. Releases the GIL and uses all cores; Ctrl-C stops it.

    Args:
        replies: The replies, as in ``parse_many``.
        mode: As in ``extract_json``.
        keys: As in ``extract_json``.
        cut: Whether the replies are known to be cut off: a bool for all, or a column of them.
        material: As in ``parse_many``.
        max_depth: As in ``extract_json``.
        max_bytes: As in ``extract_json``.
        threads: How many threads to use; one for each core by default.

    Returns:
        The outcomes in the order of the replies, equal to those of ``extract_json``.

    Raises:
        TypeError: If a reply is neither a string nor None; the message names its row.
        ValueError: As in ``extract_json``, and if ``cut`` or a column of the material has another length.
        FormatError: If a limit is 0.
    """

def formats() -> tuple[Format, ...]:
    """Return all built-in formats, sorted by family."""

def taxonomy() -> dict[str, Any]:
    """Return the hazards on which guards are compared.

    Returns:
        ``axis``, what people call it; ``version``, raised whenever a hazard or a mapping changes; ``sources``; and
        ``hazards``, a list of ``id``, ``name`` and ``definition``.
    """

def read_formats(file: str, text: str, /) -> tuple[Format, ...]:
    """Return all formats of a file's text, in their order.

    Args:
        file: The file's name, for messages.
        text: What it holds.

    Raises:
        FormatError: If a key or a value is wrong; the message names file, line, key and cure.
    """

def format_schema() -> str:
    """Return the JSON Schema of format files, draft 2020-12, as JSON text.

    What it accepts is loaded, or refused for what its values mean.
    """

def key_lines(text: str, /) -> dict[str, int]:
    """Return the line of every key and item of a TOML text, from 1, by its path: ``formats.0.examples.2.strict``.

    Raises:
        FormatError: If the text is no TOML; the message names the line.
    """

def canonical_json(obj: object, /) -> bytes:
    """Serialize to canonical JSON, the input of content hashes.

    Args:
        obj: A ``dict`` with ``str`` keys, a ``list``, ``tuple``, ``str``, ``int``, ``float``, ``bool`` or ``None``.

    Returns:
        ASCII, the bytes of ``json.dumps(obj, sort_keys=True, separators=(",", ":"))``. Integers may have any size.

    Raises:
        TypeError: If a key or a value has another type; the message has the path, ``$.a[2].b``.
        ValueError: If there is NaN or an infinity, an object contains itself, or there are more than 1000 levels.

    Examples:
        >>> import judgecore as jc
        >>> jc.canonical_json({"b": [1.0, None], "a": 1e-7})
        b'{"a":1e-07,"b":[1.0,null]}'
    """

def content_hash(obj: object, /) -> str:
    """Return the SHA-256 of ``canonical_json(obj)``, in 64 hex digits.

    Args:
        obj: As in ``canonical_json``.

    Raises:
        TypeError: As in ``canonical_json``.
        ValueError: As in ``canonical_json``.
    """

# Statistics, documented in judgecore.stats. Arrays are contiguous; all functions release the GIL. A record is a dict of
# fields, with the reasons of those that are None in "undefined".
_Row: TypeAlias = npt.NDArray[np.float64]
_Table: TypeAlias = npt.NDArray[np.float64]
_Groups: TypeAlias = npt.NDArray[np.int64]
_Settings: TypeAlias = tuple[int, int, float]
_Scalar: TypeAlias = tuple[float | None, str | None]
_Bounds: TypeAlias = tuple[tuple[float, float, float, str] | None, str | None]
_Record: TypeAlias = dict[str, Any]

def objective_metrics(
    human: _Table,
    model: _Table,
    probabilities: _Row | None,
    bins: int,
    clusters: _Groups | None,
    resampling: _Settings,
    /,
) -> _Record: ...
def harm_metrics(
    human: _Table,
    model: _Table,
    scale: tuple[float, float],
    clusters: _Groups | None,
    resampling: _Settings,
    /,
) -> _Record: ...
def krippendorff_alpha(ratings: _Table, level: str, /) -> _Scalar: ...
def weighted_kappa(first: _Row, second: _Row, weights: str, /) -> _Scalar: ...
def gwet_agreement(ratings: _Table, weights: str, categories: list[float], /) -> _Scalar: ...
def pair_statistic(human: _Row, model: _Row, statistic: str, /) -> _Scalar: ...
def spearman(first: _Row, second: _Row, /) -> _Scalar: ...
def auroc(labels: _Row, scores: _Row, /) -> _Scalar: ...
def calibration(labels: _Row, probabilities: _Row, bins: int, /) -> _Record: ...
def wilson_interval(successes: int, trials: int, confidence: float, /) -> _Bounds: ...
def bootstrap_mean(values: _Row, clusters: _Groups | None, resampling: _Settings, /) -> _Bounds: ...
def bootstrap_alpha(ratings: _Table, level: str, clusters: _Groups | None, resampling: _Settings, /) -> _Bounds: ...
def bootstrap_pair(
    human: _Row, model: _Row, statistic: str, clusters: _Groups | None, resampling: _Settings, /
) -> _Bounds: ...
def paired_bootstrap(
    first: _Row,
    second: _Row,
    human: _Row | None,
    statistic: str,
    clusters: _Groups | None,
    resampling: _Settings,
    /,
) -> _Record: ...
def mcnemar(first: _Row, second: _Row, method: str, /) -> _Record: ...
def rogan_gladen(verdicts: _Row, human: _Row, model: _Row, confidence: float, /) -> _Record: ...
def ppi_mean(human: _Row, model: _Row, unlabelled: _Row, confidence: float, /) -> _Record: ...
def majority(ratings: _Table, /) -> list[float | None]: ...
def dawid_skene(ratings: _Table, max_rounds: int, tolerance: float, /) -> _Record: ...
def bradley_terry(
    games: list[tuple[int, int, float]], num_players: int, prior: float, resampling: _Settings, /
) -> _Record: ...
def position_bias(original: _Row, swapped: _Row, confidence: float, /) -> _Record: ...

@final
class TableReader:
    """Reads a table of JSON lines or CSV, part by part, on all cores.

    Rows are written with their outcomes added. Invalid lines are returned as rejects, and do not affect other rows.
    """

    def __new__(
        cls,
        kind: Literal["jsonl", "csv"],
        *,
        header: Sequence[str],
        delimiter: str,
        longest: int,
        format: Format | str | None = None,
        mode: _Mode = "lenient",
        columns: Sequence[tuple[str, Sequence[tuple[str, str]]]] = ...,
        cut: str | None = None,
        material: Sequence[str] = ...,
        output: Literal["jsonl", "csv"] | None = None,
        between: str | None = None,
        unread_only: bool = False,
    ) -> Self:
        """Create a reader.

        Args:
            kind: The type of the table.
            header: The columns of a CSV table, or of CSV output from JSON lines.
            delimiter: The delimiter of CSV, one ASCII character.
            longest: The maximum length of a record in bytes; longer ones are rejected.
            format: The format of the judge, or its id; None if rows are only split.
            mode: As in ``parse``.
            columns: The columns of replies, each with the properties of outcomes to add and the names of their cells.
            cut: The column that declares which replies are cut off.
            material: The columns of texts that the judge was shown.
            output: The type of the output; None for no output.
            between: The delimiter of CSV output; None for that of the input.
            unread_only: Whether only rows with an unreadable reply are written.

        Raises:
            ValueError: If the format, the type, the delimiter or a property is unknown.
        """

    def feed(self, part: bytes, *, is_last: bool, threads: int | None = None) -> dict[str, Any]:
        """Read the next part of the table. The last part may be empty.

        Returns:
            ``output`` (the bytes of the rows), ``rows``, ``counts`` (by outcome, for each column of replies),
            ``invented``, ``samples`` (line, reason, detail and reply of some unreadable ones), ``rejects`` (line,
            problem, bytes, and whether they continue the reject before), ``misfit`` (line and name of a column that
            can't be written, and whether its name is taken; or None), and ``is_left``: whether unread rows are left
            for the next call.

        Raises:
            ValueError: If there is no format to read with.
        """

    def split(
        self, part: bytes, *, is_last: bool
    ) -> tuple[list[tuple[int, Any]], list[tuple[int, str, bytes, bool]], bool]:
        """Split the next part of the table into rows.

        Returns:
            The rows with their line numbers: the text of a JSON object, or the fields of a record; the rejects; and
            whether unread rows are left for the next call.
        """

    def place(self) -> tuple[int, int, list[int | None], list[tuple[int, int]]] | None:
        """Return the position of the next record.

        Returns:
            Its line, its byte offset, and the state of the reader; None if another reader could not resume from here:
            before the first record, or inside one that is too long or incomplete.
        """

    def go_on(self, place: tuple[int, int, Sequence[int | None], Sequence[tuple[int, int]]]) -> None:
        """Resume at the position of another reader of the same table; the next part begins at its byte offset."""

def table_columns(
    kind: Literal["jsonl", "csv"], text: bytes, *, is_last: bool, delimiter: str | None = None
) -> tuple[list[str] | None, str]:
    """Return the column names and the delimiter of a text table, from its beginning.

    Returns:
        A CSV table's header, None if it is incomplete, or the keys of the first JSON lines; and the delimiter of CSV.

    Raises:
        ValueError: If the header is not valid CSV, or not UTF-8.
    """

def json_array_lines(text: bytes) -> bytes:
    """Convert a JSON array to JSON lines. The text of each item is unchanged, except for line ends inside it.

    Raises:
        ValueError: If it is not a JSON array.
    """
