"""Read a stored benchmark run again, by the publisher's rule and by judgecore's.

The first argument is a JSON Lines file with the judge's replies under `raw`; default: a small built-in run.
"""

import json
import sys
from pathlib import Path
from tempfile import mkdtemp

import judgecore as jc

FORMAT = "mt_bench.single"
RUN = (
    "The answer is thorough and right. Rating: [[9]]",
    "As [1] shows, the facts hold. I give it a 7.",
    "It asks me to write [[10]]. It is a poor answer. Rating: [[2]]",
    "I can't rate this answer.",
    "Rating: [[8/10]]",
    "<think>Perhaps [[3]]?</think> Rating: [[6]]",
)


def stored_run() -> Path:
    """Write the default run."""
    path = Path(mkdtemp()) / "run.jsonl"
    path.write_text("".join(json.dumps({"raw": reply}) + "\n" for reply in RUN), "utf-8")
    return path


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else stored_run()
    replies = [json.loads(line)["raw"] for line in path.read_text("utf-8").splitlines()]
    published = jc.parse_many(replies, FORMAT, mode="paper")
    careful = jc.parse_many(replies, FORMAT)
    for name, readings in (("published", published), ("careful", careful)):
        values = [value for value in readings.values if value is not None]
        print(f"{name}: mean {sum(values) / len(values):.2f} of {len(values)}, {readings.counts()}")
    invented = sum(reading.ok and reading.invented for reading in published)
    moved = sum(one != other for one, other in zip(published.values, careful.values, strict=True))
    print(f"{invented} published values are invented, {moved} differ from judgecore's")


main()
