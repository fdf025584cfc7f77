"""``PriceTable``: files of prices, and what tokens cost; an unknown price is never 0."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

import pytest

from judgecore.errors import ConfigurationError
from judgecore.targets import OpenAITarget, PriceTable, TokenCounts, TokenPrices, TokenUsage

if TYPE_CHECKING:
    from pathlib import Path

TOML = """\
date = 2026-11-01
source = "https://example.com/pricing"
currency = "eur"

[models."small-1"]
input = 1
output = 4
cached_input = 0.25
batch_input = 0.5
batch_output = 2.0

[models.large]
input = 10
output = 40
"""
CSV = """\
model,input,output,cached_input,batch_input,batch_output,date,source,currency
small-1,1,4,0.25,0.5,2,2026-11-01,https://example.com/pricing,eur
large,10,40,,,,2026-11-01,https://example.com/pricing,eur
"""
PRICE = {"input": 1, "output": 4}
WHOLE = {"date": "2026-11-01", "source": "a page", "models": {"m": PRICE}}


def test_toml_json_and_csv_say_the_same(tmp_path: Path) -> None:
    toml, csv, document = (tmp_path / f"prices.{kind}" for kind in ("toml", "csv", "json"))
    toml.write_text(TOML, "utf-8")
    csv.write_text(CSV, "utf-8")
    small = {"input": 1, "output": 4, "cached_input": 0.25, "batch_input": 0.5, "batch_output": 2}
    models = {"small-1": small, "large": {"input": 10, "output": 40}}
    about = {"date": "2026-11-01", "source": "https://example.com/pricing", "currency": "EUR"}
    document.write_text(json.dumps({**about, "models": models}), "utf-8")

    tables = [PriceTable.from_file(path) for path in (toml, csv, document)]

    assert tables[0].models == tables[1].models == tables[2].models
    assert {(one.currency, one.date, one.source) for one in tables} == {
        ("EUR", date(2026, 11, 1), "https://example.com/pricing")
    }
    assert tables[0].find("large") == TokenPrices(input_per_million=10, output_per_million=40)


def test_cached_tokens_and_those_of_batches_have_their_own_prices() -> None:
    prices = TokenPrices(
        input_per_million=1,
        output_per_million=4,
        cached_input_per_million=0.25,
        batch_input_per_million=0.5,
        batch_output_per_million=2,
    )
    million = 1_000_000

    assert prices.cost(TokenCounts(prompt=2 * million, cached=million, completion=million)) == 1 + 0.25 + 4
    assert prices.cost(TokenCounts(batch_prompt=million, batch_completion=million)) == 2.5


@pytest.mark.parametrize(
    "tokens",
    [
        {"known": TokenCounts(prompt=1), "other": TokenCounts(prompt=1)},
        {"known": TokenCounts(batch_prompt=1)},
        {"known": TokenCounts(unmetered=1)},
    ],
)
def test_one_unknown_price_or_count_makes_the_cost_unknown_and_not_0(tokens: dict[str, TokenCounts]) -> None:
    table = PriceTable(models={"known": TokenPrices(input_per_million=1, output_per_million=1)})

    assert table.cost(tokens) is None
    assert table.cost({"known": TokenCounts(prompt=1_000_000), "other": TokenCounts()}) == 1


def test_a_missing_price_is_an_error_with_the_nearest_model() -> None:
    table = PriceTable(models={"gpt-4o-mini": TokenPrices(input_per_million=1, output_per_million=1)}, name="p.toml")

    with pytest.raises(ConfigurationError, match=r"p\.toml: no price for .*; did you mean 'gpt-4o-mini'"):
        table.check("gpt-4o-mimi")
    with pytest.raises(ConfigurationError, match="has no batch_input and batch_output"):
        table.check("gpt-4o-mini", is_batch=True)


@pytest.mark.parametrize(
    ("document", "says"),
    [
        ({**WHOLE, "models": {"m": {**PRICE, "imput": 2}}}, "m: unknown key 'imput'; did you mean 'input'?"),
        ({**WHOLE, "models": {"m": {"input": 1}}}, "m: output is missing"),
        ({**WHOLE, "models": {"m": {**PRICE, "output": "4"}}}, "m: output must be a number, not '4'"),
        ({**WHOLE, "models": {"m": {**PRICE, "output": True}}}, "m: output must be a number, not True"),
        *(
            (
                {**WHOLE, "models": {"m": {**PRICE, "output": price}}},
                f"m: output must be a number from 0 to 1,000,000,000,000, not {price!r:.40}",
            )
            for price in (-1, 10**400, 1e308, float("nan"))
        ),
        ({**WHOLE, "currency": "\x1b[31m"}, "the currency must be printable, not '\\x1b[31M'"),
        ({**WHOLE, "models": []}, "models must be a table of keys and values"),
        ({**WHOLE, "date": "November"}, "date must be a date such as 2026-11-01, not November"),
        ({"models": {"m": PRICE}}, "date is missing"),
        ({**WHOLE, "sources": "x"}, "unknown key 'sources'; did you mean 'source'?"),
        ([], "the file must be a table"),
    ],
)
def test_an_invalid_file_is_refused_with_model_and_key(tmp_path: Path, document: object, says: str) -> None:
    path = tmp_path / "prices.json"
    path.write_text(json.dumps(document), "utf-8")

    with pytest.raises(ConfigurationError) as caught:
        PriceTable.from_file(path)

    assert str(caught.value).startswith(f"{path}: {says}")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("model,input,output,date,source\nm,1,2,2026-11-01,a\nm,1,2,2026-11-01,a\n", "two rows have the model 'm'"),
        ("model,input,output,date,source\n,1,2,2026-11-01,a\n", "a row has no model"),
        ("model,input,output,date,source\nm,1,2,2026-11-01,a\nn,1,2,2026-11-02,a\n", "different values of date"),
        ("model,input,output,date,source\nm,free,2,2026-11-01,a\n", "m: input must be a number, not 'free'"),
        ("model,input,output,date,source\nm,1,2,2026-11-01,a,b\n", "more cells than the header"),
    ],
)
def test_an_invalid_row_of_csv_is_refused(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "prices.csv"
    path.write_text(text, "utf-8")

    with pytest.raises(ConfigurationError, match=says):
        PriceTable.from_file(path)


@pytest.mark.parametrize("name", ["prices.yaml", "missing.toml"])
def test_a_file_of_another_type_or_none_is_refused(tmp_path: Path, name: str) -> None:
    if name != "missing.toml":
        tmp_path.joinpath(name).write_text("", "utf-8")

    with pytest.raises(ConfigurationError, match=name):
        PriceTable.from_file(tmp_path / name)


def test_the_cached_tokens_of_a_chat_completion_are_read() -> None:
    usage = {"prompt_tokens": 9, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}}
    completion = {"choices": [{"message": {"content": "Yes"}}], "usage": usage}

    reply = OpenAITarget.read(json.dumps(completion).encode())

    assert reply.usage.counts() == TokenCounts(prompt=9, completion=2, cached=4)


@pytest.mark.parametrize("is_batch", [True, False])
def test_tokens_written_to_a_cache_cost_their_own_price_and_nothing_is_guessed_without_one(*, is_batch: bool) -> None:
    counts = TokenUsage(100, 10, cache_write_tokens=40).counts(is_batch=is_batch)
    known = TokenPrices(
        input_per_million=2e6,
        output_per_million=0,
        cache_write_input_per_million=5e6,
        batch_input_per_million=1e6,
        batch_output_per_million=0,
        batch_cache_write_input_per_million=3e6,
    )
    name = f"{'batch_' if is_batch else ''}cache_write_input_per_million"

    assert known.cost(counts) == (60 + 40 * 3 if is_batch else 60 * 2 + 40 * 5)
    assert replace(known, **{name: None}).cost(counts) is None
