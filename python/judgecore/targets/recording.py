"""``RecordedTarget``: replays recorded replies."""

from __future__ import annotations

import json
from os import PathLike
from typing import TYPE_CHECKING, Any, cast

from judgecore.containment import ContainedFile, to_file
from judgecore.errors import NotRecordedError, RequestError
from judgecore.hashing import content_hash
from judgecore.identity import ComponentIdentifier
from judgecore.targets.asking import BlockingAsk
from judgecore.targets.ledger.reader import LedgerReader
from judgecore.targets.registration import register_target
from judgecore.targets.reply import SAID, JudgeReply, TokenUsage, check_count

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from judgecore.targets.request import JudgeRequest

_Key = tuple[str, int, int]
_SQLITE = b"SQLite format 3\x00"


@register_target("recorded")
class RecordedTarget(BlockingAsk):
    """A judge that replays recorded replies, for tests and to repeat a run; other requests raise an error.

    Args:
        source: A ledger, a JSONL file, or the lines of one as dictionaries. A line has ``reply`` (text or null) and
            ``prompt`` (text) or ``request_hash`` (``JudgeRequest.hash``). It may have ``trial`` and ``ask`` (both 0),
            ``system``, ``outcome``, ``finish_reason``, ``refusal``, ``model``, ``fingerprint``, ``logprobs``,
            ``identity`` and the fields of ``TokenUsage``. A line with ``prompt`` matches every request that ends with
            this prompt, with any settings; without ``system``, with any system prompt. Lines of an export without a
            reply are ignored.
        target: The hash, or its beginning, of the target whose replies to use, if several are recorded.

    Raises:
        RequestError: If a line is invalid or contradicts another one, or several targets are recorded.
        LedgerError: If the ledger can't be read.
        OSError: If the file can't be read.

    Examples:
        >>> import asyncio
        >>> from judgecore import JudgeRequest, RecordedTarget
        >>> target = RecordedTarget([{"prompt": "Is it good?", "reply": "Yes"}])
        >>> asyncio.run(target.send(JudgeRequest("Is it good?"))).text
        'Yes'
    """

    def __init__(self, source: str | PathLike[str] | Iterable[Mapping[str, Any]], *, target: str | None = None) -> None:
        self._replies: _Lines | _Rows
        if not isinstance(source, str | PathLike):
            self._replies = _Lines([dict(line) for line in source], target)
            return
        file = to_file(source)
        with file.open() if isinstance(file, ContainedFile) else file.open("rb") as stream:
            beginning = stream.read(len(_SQLITE))
            content = b"" if beginning == _SQLITE else beginning + stream.read()
        if beginning == _SQLITE:
            # SQLite opens files by their names.
            self._replies = _Rows(LedgerReader(file.resolve()), target)
        else:
            self._replies = _Lines(_lines_of(content, file), target)

    def get_identifier(self) -> ComponentIdentifier:
        """Return the identity of the recorded target; a hash of the lines if they have no identity."""
        return self._replies.identity

    async def send(self, request: JudgeRequest, /) -> JudgeReply:
        """Replay the recorded reply to a request; raise ``NotRecordedError`` if there is none."""
        reply = self._replies.find(request)
        if reply is None:
            asked = f"{request.hash[:16]}, trial {request.trial}, ask {request.ask}"
            raise NotRecordedError(f"the recording has no reply to request {asked}: {request.turns[-1].text[:60]!r}")
        return reply

    def close(self) -> None:
        """Close the ledger, if the source is one."""
        self._replies.close()

    def __repr__(self) -> str:
        return f"RecordedTarget({self._replies.identity!r})"


class _Rows:
    def __init__(self, ledger: LedgerReader, target: str | None) -> None:
        self._ledger = ledger
        self._target, self.identity = _one_of(ledger.targets(), target)

    def find(self, request: JudgeRequest) -> JudgeReply | None:
        entry = self._ledger.answered(request.hash, trial=request.trial, ask=request.ask, target=self._target)
        return None if entry is None else entry.reply()

    def close(self) -> None:
        self._ledger.close()


class _Lines:
    def __init__(self, lines: list[dict[str, Any]], target: str | None) -> None:
        self._replies: dict[_Key, JudgeReply] = {}
        recorded = [line["identity"] for line in lines if line.get("identity") and "reply" in line]
        identities = {one.hash: one for one in map(ComponentIdentifier.from_registry, recorded)}
        chosen = None
        if identities:
            chosen, self.identity = _one_of(identities, target)
        else:
            try:
                params = {"underlying_model_name": "recording", "recording": content_hash(lines)}
            except (TypeError, ValueError) as problem:
                raise RequestError(f"the recording can't be written as JSON: {problem}") from None
            self.identity = ComponentIdentifier(class_name="RecordedTarget", class_module="judgecore", params=params)
        for number, line in enumerate(lines, start=1):
            is_chosen = chosen is None or ComponentIdentifier.from_registry(line.get("identity", {})).hash == chosen
            if is_chosen and ("reply" in line or "state" not in line):
                self._keep(line, number)

    def find(self, request: JudgeRequest) -> JudgeReply | None:
        said = request.turns[-1].text
        for name in (request.hash, _of_prompt(said, request.system), _of_prompt(said, None)):
            reply = self._replies.get((name, request.trial, request.ask))
            if reply is not None:
                return reply
        return None

    def close(self) -> None:
        """Do nothing."""

    def _keep(self, line: dict[str, Any], number: int) -> None:
        if "reply" not in line or not ("prompt" in line or "request_hash" in line):
            raise RequestError(f"line {number} of the recording needs 'reply', and 'prompt' or 'request_hash'")
        name = line.get("request_hash") or _of_prompt(line["prompt"], line.get("system"))
        text = line["reply"]
        trial, ask = line.get("trial", 0), line.get("ask", 0)
        try:
            check_count("trial", trial)
            check_count("ask", ask)
            usage = TokenUsage.from_mapping(line)
        except ValueError as problem:
            raise RequestError(f"line {number} of the recording: {problem}") from None
        for one in ("model", "fingerprint"):
            if not isinstance(line.get(one), str | None):
                raise RequestError(f"line {number} of the recording: {one} must be text, not {line[one]!r:.60}")
        said: dict[str, Any] = {one: line.get(one) for one in SAID}
        said["outcome"] = said["outcome"] or ("no_text" if text is None else "answered")
        reply = JudgeReply(text=text, usage=usage, key=line.get("key"), attempts=0, **said)
        key = (str(name), trial, ask)
        if self._replies.setdefault(key, reply) != reply:
            raise RequestError(f"line {number} of the recording contradicts an earlier line")


def _one_of(targets: Mapping[str, ComponentIdentifier], name: str | None) -> tuple[str, ComponentIdentifier]:
    """Return the target whose replies are replayed."""
    found = [one for one in targets if one.startswith(name or "")]
    if len(found) != 1:
        known = ", ".join(f"{one[:8]} ({targets[one].params.get('underlying_model_name')})" for one in targets)
        raise RequestError(f"the recording holds {len(found)} such targets; pass target= as one of: {known or 'none'}")
    return found[0], targets[found[0]]


def _of_prompt(prompt: str, system: str | None) -> str:
    return content_hash([system, prompt])


def _lines_of(content: bytes, path: PathLike[str]) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = []
    try:
        texts = content.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as problem:
        number = content.count(b"\n", 0, problem.start) + 1
        raise RequestError(f"{path}, line {number} is not valid UTF-8; a recording is a ledger or JSON lines") from None
    for number, text in enumerate(texts, start=1):
        if not text.strip():
            continue
        try:
            line: object = json.loads(text)
        except ValueError as problem:
            raise RequestError(f"{path}, line {number} is not JSON: {problem}") from None
        if not isinstance(line, dict):
            raise RequestError(f"{path}, line {number} is not a JSON object")
        lines.append(cast("dict[str, Any]", line))
    return lines
