"""``MetricsFile``: one JSONL file of a registry, read once until it changes, and replaced as a whole."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from judgecore.errors import IdentityError, RegistryError
from judgecore.evaluation.lock import locked
from judgecore.identity import ComponentIdentifier, ScorerEvaluationIdentifier
from judgecore.replacement import replace_file

if TYPE_CHECKING:
    from judgecore.containment import ContainedFile
    from judgecore.evaluation.result import ScorerMetrics


@dataclass(frozen=True)
class RegistryEntry:
    """A line of a registry: a scorer and what was measured of it.

    Attributes:
        scorer_identifier: What the scorer is.
        eval_hash: The name under which its metrics are found, as the line has it.
        metrics: What was measured.
        path: The file.
        line: The line in it, from 1.
    """

    scorer_identifier: ComponentIdentifier
    eval_hash: str
    metrics: ScorerMetrics
    path: Path
    line: int


@dataclass(frozen=True)
class RegistryProblem:
    """A line that can't be read; it stays in its file as it is.

    Attributes:
        path: The file.
        line: The line in it, from 1.
        detail: What is wrong with it.
    """

    path: Path
    line: int
    detail: str

    def __str__(self) -> str:
        return f"{self.path}, line {self.line}: {self.detail}"


class MetricsFile:
    """The registry lines of one kind, found by ``eval_hash`` in one dictionary access after one read.

    The file is read again only when it has changed. It need not exist.

    Args:
        file: The file, in the registry's folder.
        kind: What its lines measure.
    """

    def __init__(self, file: ContainedFile, kind: type[ScorerMetrics]) -> None:
        self.path = Path(file)
        self._file = file
        self._kind = kind
        self._read_at: tuple[int, int, int] | None = None
        self._entries: tuple[RegistryEntry, ...] = ()
        self._problems: tuple[RegistryProblem, ...] = ()
        self._by_hash: dict[str, RegistryEntry] = {}

    @property
    def entries(self) -> tuple[RegistryEntry, ...]:
        """All lines that can be read, in their order."""
        self._refresh()
        return self._entries

    @property
    def problems(self) -> tuple[RegistryProblem, ...]:
        """All lines that can't be read, in their order."""
        self._refresh()
        return self._problems

    def find(self, eval_hash: str) -> RegistryEntry | None:
        """Return the line of a scorer; of several the last. None where there is none.

        A line that was written under other rules is also found by the hash that its identifier has today.
        """
        self._refresh()
        return self._by_hash.get(eval_hash)

    def replace(
        self, scorer: ScorerEvaluationIdentifier, metrics: ScorerMetrics, *, allow_fewer_trials: bool = False
    ) -> bool:
        """Write a scorer's line in place of the one it has, or as a new one.

        Other lines stay as they are, byte for byte, readable or not. A reader sees the old file or the new one.

        Args:
            scorer: Whose metrics these are.
            metrics: What was measured.
            allow_fewer_trials: Replace also a line that rests on more trials.

        Returns:
            False if the line that is there rests on more trials, and was left.

        Raises:
            RegistryError: If another process holds the file for 30 s, or it can't be written. The old file is whole.
        """
        line = json.dumps(
            {
                **scorer.identifier.to_registry(),
                "eval_hash": scorer.eval_hash,
                "metrics": metrics.to_registry(),
            },
            allow_nan=False,
        )
        name = scorer.eval_hash.encode("ascii")
        with locked(self.path):
            kept: list[bytes] = []
            for raw in self._raw_lines():
                entry = self._entry(raw, 0) if name in raw else None
                if isinstance(entry, RegistryEntry) and entry.eval_hash == scorer.eval_hash:
                    if entry.metrics.num_scorer_trials > metrics.num_scorer_trials and not allow_fewer_trials:
                        return False
                    continue
                kept.append(raw)
            replace_file(self.path, b"\n".join((*kept, line.encode("ascii"), b"")))
        return True

    def _refresh(self) -> None:
        """Read the file if it is another than the one that was read."""
        try:
            about = self.path.stat()
        except FileNotFoundError:
            self._read_at, self._entries, self._problems, self._by_hash = None, (), (), {}
            return
        except OSError as problem:
            raise RegistryError(f"{self.path}: {problem.strerror}") from problem
        read_at = (about.st_mtime_ns, about.st_size, about.st_ino)
        if read_at == self._read_at:
            return
        read = [self._entry(raw, number) for number, raw in enumerate(self._raw_lines(), 1) if raw.strip()]
        self._entries = tuple(one for one in read if isinstance(one, RegistryEntry))
        self._problems = tuple(one for one in read if isinstance(one, RegistryProblem))
        self._by_hash = {one.eval_hash: one for one in self._entries}
        for one in self._entries:
            # Nothing tells which code a line of a script's scorer is about.
            with suppress(IdentityError):
                self._by_hash.setdefault(ScorerEvaluationIdentifier(one.scorer_identifier).eval_hash, one)
        self._read_at = read_at

    def _raw_lines(self) -> list[bytes]:
        """The lines as they stand; a torn last one counts as one."""
        try:
            content = self._file.read_bytes()
        except FileNotFoundError:
            return []
        except OSError as problem:
            raise RegistryError(f"{self.path}: {problem.strerror}") from problem
        lines = content.split(b"\n")
        return lines if lines[-1] else lines[:-1]

    def _entry(self, raw: bytes, number: int) -> RegistryEntry | RegistryProblem:
        """What a line says, or why it can't be read."""
        try:
            line = _object("the line", json.loads(raw.decode(), parse_constant=_refuse_constant))
            return RegistryEntry(
                scorer_identifier=ComponentIdentifier.from_registry(line),
                eval_hash=_text("eval_hash", line.get("eval_hash")),
                metrics=self._kind.from_registry(_object("metrics", line.get("metrics"))),
                path=self.path,
                line=number,
            )
        except (ValueError, TypeError, RecursionError) as problem:
            return RegistryProblem(self.path, number, str(problem))


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _object(name: str, value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError(f"{name} must be an object, not {type(value).__name__}")
    return cast("dict[str, Any]", value)


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a text, not {type(value).__name__}")
    return value
