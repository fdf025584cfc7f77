"""``PriceTable``: what endpoints charge for the tokens of each model, and what counted tokens cost."""

from __future__ import annotations

import csv
import difflib
import json
import math
import tomllib
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

from judgecore.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from os import PathLike

    from judgecore.identity import ComponentIdentifier

_PRICES = (
    *("input", "output", "cached_input", "cache_write_input"),
    *("batch_input", "batch_output", "batch_cache_write_input"),
)
_ABOUT = ("date", "source", "currency")
_MILLION = 1e6
_MOST_DECIMALS = 15
# Far above any price in any currency, and so low that sums stay finite.
_HIGHEST = 10**12


@dataclass
class TokenCounts:
    """Counted tokens of one model.

    Attributes:
        prompt: Tokens of requests, cached ones included.
        completion: Tokens of replies.
        cached: How many of ``prompt`` the endpoint took from its cache.
        cache_written: How many of ``prompt`` it wrote to its cache at a price of their own.
        batch_prompt: Tokens of requests in batches.
        batch_completion: Tokens of their replies.
        batch_cache_written: How many of ``batch_prompt`` the endpoint wrote to its cache at a price of their own.
        unmetered: How many replies came without these numbers, so that their cost is unknown.
    """

    prompt: int = 0
    completion: int = 0
    cached: int = 0
    cache_written: int = 0
    batch_prompt: int = 0
    batch_completion: int = 0
    batch_cache_written: int = 0
    unmetered: int = 0

    @classmethod
    def of(cls, prompt: int, completion: int, *, is_batch: bool) -> Self:
        """Make the counts of a request and its reply, in a batch or not."""
        if is_batch:
            return cls(batch_prompt=prompt, batch_completion=completion)
        return cls(prompt=prompt, completion=completion)

    @classmethod
    def sum(cls, counts: Iterable[TokenCounts]) -> Self:
        """Add counts up."""
        total = cls()
        for one in counts:
            total.add(one)
        return total

    def add(self, other: TokenCounts) -> None:
        """Add the counts of another."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    @property
    def sent(self) -> int:
        """Tokens of requests, in batches or not."""
        return self.prompt + self.batch_prompt

    @property
    def received(self) -> int:
        """Tokens of replies, in batches or not."""
        return self.completion + self.batch_completion

    @property
    def has_batches(self) -> bool:
        """Whether there are tokens of batches."""
        return self.batch_prompt + self.batch_completion > 0

    @property
    def total(self) -> int:
        """All tokens."""
        return self.sent + self.received


@dataclass(frozen=True, kw_only=True)
class TokenPrices:
    """What an endpoint charges for a million tokens of a model.

    Attributes:
        input_per_million: For tokens of requests; None if unknown.
        output_per_million: For tokens of replies; None if unknown.
        cached_input_per_million: For tokens of requests that it takes from its cache; as ``input_per_million`` if None.
        cache_write_input_per_million: For tokens of requests that it writes to its cache on request; None if unknown.
        batch_input_per_million: For tokens of requests in batches; None if unknown.
        batch_output_per_million: For tokens of their replies; None if unknown.
        batch_cache_write_input_per_million: For tokens of requests in batches that it writes to its cache; None if
            unknown.

    Raises:
        ValueError: If a price is not a number from 0 to 10^12.

    Examples:
        >>> prices = TokenPrices(input_per_million=1.0, output_per_million=4.0)
        >>> prices.cost(TokenCounts(prompt=500_000, completion=250_000))
        1.5
        >>> prices.cost(TokenCounts(batch_prompt=500_000)) is None
        True
    """

    input_per_million: float | None
    output_per_million: float | None
    cached_input_per_million: float | None = None
    cache_write_input_per_million: float | None = None
    batch_input_per_million: float | None = None
    batch_output_per_million: float | None = None
    batch_cache_write_input_per_million: float | None = None

    def __post_init__(self) -> None:
        for name, price in vars(self).items():
            if price is not None and not 0 <= price <= _HIGHEST:
                raise ValueError(f"{name} must be a number from 0 to {_HIGHEST:,}, not {price!r:.40}")

    def cost(self, tokens: TokenCounts) -> float | None:
        """Return what tokens cost; None if some were not counted, or are of a kind whose price is unknown."""
        if tokens.unmetered:
            return None
        cached = self.input_per_million if self.cached_input_per_million is None else self.cached_input_per_million
        total = 0.0
        for count, price in (
            (tokens.prompt - tokens.cached - tokens.cache_written, self.input_per_million),
            (tokens.cached, cached),
            (tokens.completion, self.output_per_million),
            (tokens.cache_written, self.cache_write_input_per_million),
            (tokens.batch_prompt - tokens.batch_cache_written, self.batch_input_per_million),
            (tokens.batch_completion, self.batch_output_per_million),
            (tokens.batch_cache_written, self.batch_cache_write_input_per_million),
        ):
            if count and price is None:
                return None
            total += count * (price or 0.0)
        return total / _MILLION


@dataclass(frozen=True, kw_only=True)
class PriceTable:
    """The prices of models. The cost of tokens whose price is unknown is unknown, and never 0.

    Attributes:
        models: The prices by model, as ``model_name`` names it.
        any_model: The prices of all other models; None if they are unknown.
        currency: The currency of all prices; "" if unknown.
        date: When they were valid; None if unknown.
        source: Where they are published; "" if unknown.
        name: The file that they come from; "" for none.

    Raises:
        ValueError: If the currency has a character that is not printable.
    """

    models: Mapping[str, TokenPrices] = field(default_factory=dict[str, TokenPrices])
    any_model: TokenPrices | None = None
    currency: str = ""
    date: date | None = None
    source: str = ""
    name: str = ""

    def __post_init__(self) -> None:
        if not self.currency.isprintable():
            raise ValueError(f"the currency must be printable, not {self.currency!r:.40}")

    @classmethod
    def from_file(cls, path: str | PathLike[str]) -> Self:
        """Read a table from a TOML, JSON or CSV file.

        TOML and JSON have ``date``, ``source``, ``currency`` and ``models``: by model the prices of a
        million tokens ``input`` and ``output``, and optionally ``cached_input``, ``cache_write_input``,
        ``batch_input``, ``batch_output`` and ``batch_cache_write_input``. CSV has a row for each model, with these
        columns and ``model``.

        Raises:
            ConfigurationError: If it is invalid; the message names the file, the model and the key.
        """
        file = Path(path)
        try:
            text = file.read_text("utf-8-sig")
        except (OSError, UnicodeDecodeError) as problem:
            raise ConfigurationError(f"can't read {file}: {getattr(problem, 'strerror', None) or problem}") from None
        try:
            return cls._from_document(_parse(file, text), str(file))
        except RecursionError:
            raise ConfigurationError(f"{file}: it is nested too deeply") from None
        except ValueError as problem:
            raise ConfigurationError(f"{file}: {problem}") from None

    @classmethod
    def _from_document(cls, document: object, name: str) -> Self:
        table = _mapping(document, "the file")
        _check_keys(table, (*_ABOUT, "models"), required=("date", "source", "models"), where="")
        models = _mapping(table["models"], "models")
        currency, source = (_text(table.get(key, usual), key) for key, usual in (("currency", ""), ("source", "")))
        return cls(
            models={model: _to_prices(model, one) for model, one in models.items()},
            currency=currency.upper(),
            date=_to_date(table["date"]),
            source=source,
            name=name,
        )

    def find(self, model: str) -> TokenPrices | None:
        """Return the prices of a model; None if they are unknown."""
        return self.models.get(model, self.any_model)

    def cost(self, tokens: Mapping[str, TokenCounts]) -> float | None:
        """Return what tokens cost, in ``currency``; None if a price is unknown."""
        total = 0.0
        for model, counts in tokens.items():
            if not counts.total and not counts.unmetered:
                continue
            prices = self.find(model)
            cost = None if prices is None else prices.cost(counts)
            if cost is None:
                return None
            total += cost
        return total

    def check(self, model: str, *, is_batch: bool = False) -> None:
        """Check that the cost of a model's tokens can be computed.

        Args:
            model: The model.
            is_batch: Whether its requests are sent in batches.

        Raises:
            ConfigurationError: If a price is unknown; the message names the file and the nearest model.
        """
        prices, file = self.find(model), self.name or "the prices"
        if prices is None:
            near = difflib.get_close_matches(model, self.models, n=1)
            cure = f"did you mean {near[0]!r}?" if near else "add it"
            raise ConfigurationError(f"{file}: no price for the model {model!r}; {cure}")
        if is_batch and None in (prices.batch_input_per_million, prices.batch_output_per_million):
            raise ConfigurationError(f"{file}: {model!r} has no batch_input and batch_output, the prices of batches")
        if not is_batch and None in (prices.input_per_million, prices.output_per_million):
            unknown = "input" if prices.input_per_million is None else "output"
            raise ConfigurationError(f"{file}: {model!r} has no price of {unknown} tokens")


def format_amount(amount: float, currency: str = "") -> str:
    """Format an amount of money in plain decimals: at least two, and four significant digits for a small one.

    Examples:
        >>> format_amount(5, "USD"), format_amount(1234.5), format_amount(0.125), format_amount(0.00001)
        ('5.00 USD', '1,234.50', '0.125', '0.00001')
    """
    size = math.floor(math.log10(amount)) if amount > 0 else 0
    whole, _, decimals = f"{amount:,.{min(max(4, 3 - size), _MOST_DECIMALS)}f}".partition(".")
    return f"{whole}.{decimals.rstrip('0'):0<2} {currency}".rstrip()


def model_name(target: ComponentIdentifier) -> str:
    """Return the name of a target's model, by which prices are found."""
    named = target.params.get("underlying_model_name") or target.params.get("model_name")
    return str(named or target.class_name)


def _parse(file: Path, text: str) -> object:
    kind = file.suffix.lower()
    if kind == ".toml":
        return tomllib.loads(text)
    if kind == ".json":
        return json.loads(text)
    if kind == ".csv":
        return _parse_csv(text)
    raise ValueError("prices are in a file named .toml, .json or .csv")


def _parse_csv(text: str) -> dict[str, Any]:
    """Return the document that TOML would have; what describes the table is the same in all rows."""
    document: dict[str, Any] = {"models": {}}
    for row in csv.DictReader(text.splitlines(), strict=True):
        cells = {name: value for name, value in row.items() if value not in (None, "")}
        if None in row:
            raise ValueError(f"the row of {row.get('model')!r} has more cells than the header")
        model = cells.pop("model", None)
        if model is None or model in document["models"]:
            raise ValueError("a row has no model" if model is None else f"two rows have the model {model!r}")
        for key in _ABOUT:
            value = cells.pop(key, None)
            if value is not None and document.setdefault(key, value) != value:
                raise ValueError(f"the rows have different values of {key}: {document[key]!r} and {value!r}")
        document["models"][model] = {name: _number_in_csv(value) for name, value in cells.items()}
    return document


def _number_in_csv(value: str) -> object:
    try:
        return float(value)
    except ValueError:
        return value


def _to_prices(model: str, value: object) -> TokenPrices:
    prices = _mapping(value, model)
    _check_keys(prices, _PRICES, required=("input", "output"), where=f"{model}: ")
    for key, price in prices.items():
        if isinstance(price, bool) or not isinstance(price, int | float):
            raise ValueError(f"{model}: {key} must be a number, not {price!r}")  # noqa: TRY004 - of the file
    try:
        return TokenPrices(**{f"{key}_per_million": price for key, price in prices.items()})
    except ValueError as problem:
        raise ValueError(f"{model}: {str(problem).replace('_per_million', '')}") from None


def _check_keys(table: Mapping[str, Any], known: Iterable[str], *, required: Iterable[str], where: str) -> None:
    for key in table:
        if key not in known:
            near = difflib.get_close_matches(str(key), list(known), n=1)
            cure = f"did you mean {near[0]!r}?" if near else f"the keys are {', '.join(known)}"
            raise ValueError(f"{where}unknown key {key!r}; {cure}")
    for key in required:
        if key not in table:
            raise ValueError(f"{where}{key} is missing")


def _mapping(value: object, name: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{name} must be a table of keys and values, not {value!r:.40}")  # noqa: TRY004 - of the file
    return cast("dict[str, Any]", value)


def _text(value: object, key: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{key} must be text, not {value!r}")  # noqa: TRY004 - of the file
    return value


def _to_date(value: object) -> date:
    if isinstance(value, str):
        try:
            return date.fromisoformat(value)
        except ValueError:
            pass
    elif type(value) is date:
        return value
    raise ValueError(f"date must be a date such as 2026-11-01, not {value!s}")
