"""Read a column of replies with Polars, and count the unreadable ones. Needs `pip install polars`."""

import polars as pl

import judgecore as jc

REPLIES = ["Rating: [[8]]", "I'd say 7 out of 10.", "I can't rate this.", "Rating: [[3]]", None] * 20_000

frame = pl.DataFrame({"model": ["a", "b", "a", "b", "a"] * 20_000, "reply": REPLIES})
readings = jc.parse_many(frame["reply"], "mt_bench.single")
scored = frame.with_columns(pl.Series(readings).struct.unnest())
table = (
    scored.group_by("model")
    .agg(pl.col("value").mean().alias("mean"), pl.col("value").count().alias("read"), pl.len().alias("replies"))
    .sort("model")
)
print(table)
print(readings.counts())
