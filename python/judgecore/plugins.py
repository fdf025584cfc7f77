"""Classes that are registered by name: judgecore's own and those of users in the same way."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from judgecore.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable
    from importlib.metadata import EntryPoint

_Base = TypeVar("_Base")
_Class = TypeVar("_Class", bound=type[Any])


class Plugins(Generic[_Base]):
    """The classes of one kind, each found by the name that it was registered under, or by its class's name.

    Judgecore's own are the public classes of a station, which register themselves when they are imported. Those of
    other packages are named by entry points, which are looked at only for a name that is not known without them.
    """

    def __init__(self, noun: str, station: str, find_fault: Callable[[type[Any]], str | None]) -> None:
        self.station = station
        self._noun = noun
        self._find_fault = find_fault
        self._registered: dict[str, type[_Base]] = {}
        self._by_class_name: dict[str, type[_Base]] = {}
        self._is_station_loaded = False

    def register(self, name: str) -> Callable[[_Class], _Class]:
        """Return a decorator that registers a class; one that is defined again, as in a notebook, takes its place."""
        if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance] - a decorator without its name
            raise ConfigurationError(
                f"a {self._noun} is registered by a name that is text, not by {name!r:.80}; "
                f'write @register_{self._noun}("name") above the class'
            )

        def decorate(kind: _Class) -> _Class:
            self._add(name, kind)
            return kind

        return decorate

    def find(self, name: str) -> type[_Base] | None:
        """Return a class by its registered name or its own; None if there is none."""
        self._load_station()
        if name not in self._registered and name not in self._by_class_name:
            for entry in entry_points(group=self.station):
                # Not entry.attr, which fails for a value that is not an object reference.
                if name in (entry.name, entry.value.rpartition(":")[2].strip()):
                    self._load(entry)
        return self._registered.get(name) or self._by_class_name.get(name)

    def name_of(self, kind: type[Any]) -> str | None:
        """Return the name that a class is registered under; None if it is not."""
        return next((name for name, known in self._registered.items() if _path(known) == _path(kind)), None)

    def names(self) -> list[str]:
        """Return the names of all classes, with those of entry points, which are not loaded for it."""
        self._load_station()
        return sorted({*self._registered, *self._by_class_name, *entry_points(group=self.station).names})

    def classes(self) -> dict[str, type[_Base]]:
        """Return all classes by their registered names, those of installed packages too."""
        self._load_station()
        for entry in entry_points(group=self.station):
            self._load(entry)
        return dict(sorted(self._registered.items()))

    def _add(self, name: str, kind: type[Any]) -> None:
        if not isinstance(kind, type):  # pyright: ignore[reportUnnecessaryIsInstance] - whatever was decorated
            raise ConfigurationError(f"{kind!r:.80} can't be registered as {self._noun} {name!r}: it is not a class")
        if not kind.__module__.startswith("judgecore."):
            # Judgecore's own names are taken, whoever is imported first.
            self._load_station()
        fault = self._find_fault(kind) if name else "the name is empty"
        if fault is not None:
            raise ConfigurationError(f"{_path(kind)} can't be registered as {self._noun} {name!r}: {fault}")
        for each in (name, kind.__name__):
            known = self._registered.get(each) or self._by_class_name.get(each)
            if known is not None and _path(known) != _path(kind):
                raise ConfigurationError(
                    f"the {self._noun} {each!r} is registered twice, by {_path(known)} and by {_path(kind)}; "
                    "rename one of them"
                )
        self._registered[name] = self._by_class_name[kind.__name__] = kind

    def _load_station(self) -> None:
        if not self._is_station_loaded:
            station = import_module(self.station)
            for name in station.__all__:
                getattr(station, name)
            self._is_station_loaded = True

    def _load(self, entry: EntryPoint) -> None:
        package = "an unknown package" if entry.dist is None else f"the package {entry.dist.name}"
        told = f"the entry point {entry.name} = {entry.value!r} of {package} (group {self.station})"
        if entry.pattern.match(entry.value) is None:
            raise ConfigurationError(f"{told} has a wrong form; write module:Class")
        try:
            entry.load()
        except ConfigurationError:
            raise
        except (Exception, SystemExit) as problem:
            # A package runs any code when it is imported.
            what = (
                str(problem)
                if isinstance(problem, ImportError | AttributeError)
                else f"{type(problem).__name__}: {problem}"
            )
            raise ConfigurationError(f"{told} can't be loaded: {what}; repair or remove the package") from problem
        if entry.name not in self._registered:
            raise ConfigurationError(f"{told} registers no {self._noun} of that name; decorate the class with it")


def _path(kind: type[Any]) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"
