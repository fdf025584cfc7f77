"""``MetricsFile``: a JSONL file of a registry, cached until it changes, and replaced atomically."""

from __future__ import annotations

import json
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from filelock import FileLock, Timeout

from judgecore.errors import IdentityError, RegistryError
from judgecore.identity import ComponentIdentifier, ScorerEvaluationIdentifier
from judgecore.replacement import replace_file

if TYPE_CHECKING:
    from collections.abc import Generator

    from judgecore.containment import ContainedFile
    from judgecore.evaluation.result import ScorerMetrics


LOCK_TIMEOUT_S = 30.0
"""The maximum time to wait for the lock, in seconds."""


@contextmanager
def locked(path: Path) -> Generator[None]:
    """Lock a registry's file against other writers, in this process and in others."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(path.with_name(f"{path.name}.lock"), timeout=LOCK_TIMEOUT_S, thread_local=False):
            yield
    except Timeout:
        raise RegistryError(
            f"{path}: another process has held it for {LOCK_TIMEOUT_S:.0f} s; try again when it has ended"
        ) from None
    except OSError as problem:
        raise RegistryError(f"{path}: can't be written: {problem.strerror or problem}; it is unchanged") from problem


@dataclass(frozen=True)
class RegistryEntry:
    """A registry entry: a scorer with its metrics.

    Attributes:
        scorer_identifier: The identity of the scorer.
        eval_hash: The ``eval_hash`` in the file.
        metrics: The metrics.
        path: The file.
        line: The line number, from 1.
    """

    scorer_identifier: ComponentIdentifier
    eval_hash: str
    metrics: ScorerMetrics
    path: Path
    line: int


@dataclass(frozen=True)
class RegistryProblem:
    """An unreadable line, which is kept in its file.

    Attributes:
        path: The file.
        line: The line number, from 1.
        detail: The reason.
    """

    path: Path
    line: int
    detail: str

    def __str__(self) -> str:
        return f"{self.path}, line {self.line}: {self.detail}"


class MetricsFile:
    """A file of registry entries, indexed by ``eval_hash``.

    The file is read again only after it has changed. It does not have to exist.
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
        """The readable entries, in order."""
        self._refresh()
        return self._entries

    @property
    def problems(self) -> tuple[RegistryProblem, ...]:
        """The unreadable lines, in order."""
        self._refresh()
        return self._problems

    def find(self, eval_hash: str) -> RegistryEntry | None:
        """Return the last entry with an ``eval_hash``; None if there is none.

        An entry whose hash was computed by older rules is also found by its current hash.
        """
        self._refresh()
        return self._by_hash.get(eval_hash)

    def replace(
        self, scorer: ScorerEvaluationIdentifier, metrics: ScorerMetrics, *, allow_fewer_trials: bool = False
    ) -> bool:
        """Add or replace a scorer's entry; return False if the existing one has more trials and was kept.

        All other lines, even unreadable ones, are kept byte for byte. Readers see either the old or the new file.
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
            # The code of a scorer from a script can't be identified.
            with suppress(IdentityError):
                self._by_hash.setdefault(ScorerEvaluationIdentifier(one.scorer_identifier).eval_hash, one)
        self._read_at = read_at

    def _raw_lines(self) -> list[bytes]:
        """Return the raw lines, including an incomplete last one."""
        try:
            content = self._file.read_bytes()
        except FileNotFoundError:
            return []
        except OSError as problem:
            raise RegistryError(f"{self.path}: {problem.strerror}") from problem
        lines = content.split(b"\n")
        return lines if lines[-1] else lines[:-1]

    def _entry(self, raw: bytes, number: int) -> RegistryEntry | RegistryProblem:
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
