"""``install`` and ``install_provider``: use judgecore's parsers and server in lmms-eval."""

from __future__ import annotations

import re
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, cast

from judgecore.compat import ResponseParser
from judgecore.integrations.lmms_eval.provider import openai_target
from judgecore.integrations.lmms_eval.target_server import TargetServer
from judgecore.reading import Format, Reading, Unreadable, extract_json, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from judgecore.integrations.lmms_eval.protocol import ServerConfig
    from judgecore.targets import Ledger, Target

_NAMES = ("parse_binary_response", "parse_score_response", "parse_comparative_response", "parse_json_response")
# The range if the caller gives none; a judge's numbers are far inside it.
_ANY = (-1e9, 1e9)

# The upper end of a scale in a fraction: 10 in "8/10" and in "7 out of 10".
_DENOMINATOR = re.compile(r"(?:/|\bout\s+of\b)\s*(\d{1,9}(?:\.\d{1,9})?)", re.ASCII | re.IGNORECASE)

# The name of judgecore's server in lmms-eval.
_PROVIDER = "judgecore"

_originals: dict[str, Any] = {}
_provider_before: dict[str, type | None] = {}


def install(mode: Literal["compatible", "safe"] = "compatible") -> None:
    """Replace the functions of ``lmms_eval.llm_judge.utils.ResponseParser`` in this process.

    Args:
        mode: ``compatible`` returns exactly what lmms-eval returns, including its defaults (a score is always a float).
            ``safe`` uses judgecore's reading, and raises where lmms-eval would invent a value; so 0, False, the lowest
            score, -1 and {} are always the judge's verdict.

    Raises:
        ValueError: If there is no such mode.
        ModuleNotFoundError: If lmms-eval is not installed.
    """
    readers = {"compatible": _COMPATIBLE, "safe": _SAFE}
    if mode not in readers:
        raise ValueError(f"mode must be 'compatible' or 'safe', not {mode!r}")
    parser = import_module("lmms_eval.llm_judge.utils").ResponseParser
    for name in _NAMES:
        _originals.setdefault(name, parser.__dict__[name])
        setattr(parser, name, staticmethod(readers[mode][name]))


def install_provider(
    target: Target | Callable[[ServerConfig], Target] = openai_target, *, ledger: Ledger | None = None
) -> None:
    """Register a ``TargetServer`` as provider ``judgecore`` of lmms-eval's own tasks, in this process.

    Tasks use it if ``API_TYPE=judgecore`` is set, or by ``get_server("judgecore", config)``. For an unreadable reply,
    ``evaluate_binary`` and similar methods return ``success`` False and no ``result``; the task decides what it means.
    Other providers are unchanged. Call this before tasks are loaded, because many create their server on import.

    Args:
        target: The judge, or a function that makes one from a task's config; by default the endpoint of
            ``OPENAI_API_URL``.
        ledger: The ledger for requests and replies; None for none. Only one task's server can use it at a time.

    Raises:
        ModuleNotFoundError: If lmms-eval is not installed.
    """
    factory = import_module("lmms_eval.llm_judge").ProviderFactory
    # The factory only accepts subclasses of its own interface; all methods come from TargetServer.
    theirs = import_module("lmms_eval.llm_judge.base").AsyncServerInterface

    def begin(self: TargetServer, config: ServerConfig | None = None) -> None:
        TargetServer.__init__(self, target, config, ledger=ledger)

    before = factory._provider_classes.get(_PROVIDER)  # noqa: SLF001 - there is no other way to ask
    _provider_before.setdefault(_PROVIDER, before)
    factory.register_provider(_PROVIDER, type("JudgecoreProvider", (TargetServer, theirs), {"__init__": begin}))


def uninstall() -> None:
    """Restore lmms-eval's parsers and providers; do nothing if nothing was installed."""
    if _originals:
        parser = import_module("lmms_eval.llm_judge.utils").ResponseParser
        for name in _NAMES:
            setattr(parser, name, _originals.pop(name))
    if _provider_before:
        known = import_module("lmms_eval.llm_judge").ProviderFactory._provider_classes  # noqa: SLF001 - as above
        before = _provider_before.pop(_PROVIDER)
        if before is None:
            known.pop(_PROVIDER, None)
        else:
            known[_PROVIDER] = before


def _binary(response: str, output_format: str = "0/1") -> int | bool:
    """Read 1 or 0, or yes or no; raise ``UnreadableReplyError`` if there is neither."""
    if output_format in ("0/1", "1/0"):
        return int(parse(response, "lmms_eval.binary_01").unwrap())
    return bool(parse(response, "lmms_eval.yes_no").unwrap())


def _score(response: str, score_range: Sequence[float] | None = None) -> float:
    """Read a number on the scale; raise ``UnreadableReplyError`` if there is none."""
    if score_range is not None:
        return parse(response, Format.score(*score_range)).unwrap()
    return _read_anywhere(response, Format.score).unwrap()


def _comparative(response: str) -> tuple[float, float]:
    """Read two numbers; raise ``UnreadableReplyError`` if there are not two."""
    first, second = _read_anywhere(response, partial(Format.scores, 2)).unwrap()
    return first, second


def _read_anywhere(response: str, form: Callable[[float, float], Format]) -> Reading | Unreadable:
    """Read numbers on an unknown scale; a fraction's denominator is its upper end, if all denominators agree."""
    anywhere = parse(response, form(*_ANY))
    if isinstance(anywhere, Reading) or anywhere.reason != "out_of_range":
        return anywhere
    ends = dict.fromkeys(float(digits) for digits in _DENOMINATOR.findall(response))
    found = [parse(response, form(_ANY[0], end)) for end in ends]
    read = [one for one in found if isinstance(one, Reading)]
    return read[0] if read and all(one.value == read[0].value for one in read) else anywhere


def _json(response: str) -> dict[str, Any]:
    """Read a JSON object; raise ``UnreadableReplyError`` if there is none."""
    document: object = extract_json(response).unwrap()
    if not isinstance(document, dict):
        return Unreadable("no_verdict", "the JSON is not an object").unwrap()
    return cast("dict[str, Any]", document)


_COMPATIBLE: dict[str, Callable[..., Any]] = {name: getattr(ResponseParser, name) for name in _NAMES}
_SAFE: dict[str, Callable[..., Any]] = {
    "parse_binary_response": _binary,
    "parse_score_response": _score,
    "parse_comparative_response": _comparative,
    "parse_json_response": _json,
}
