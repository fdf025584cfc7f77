"""An lm-evaluation-harness filter that turns replies of a judging model into verdicts, or no verdict.

In a task's YAML: `filter_list: [{name: verdict, filter: [{function: judgecore, format: mt_bench.pair}]}]`, after this
file has been imported. An unreadable reply becomes `[unread]`, which equals no target, and not the first label.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lm_eval.api.filter import Filter
from lm_eval.api.registry import register_filter

import judgecore as jc

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

UNREAD = "[unread]"


@register_filter("judgecore")
class VerdictFilter(Filter):
    def __init__(self, format: str, mode: str = "lenient", **options: Any) -> None:  # noqa: A002 - the task's key
        super().__init__(**options)
        self.format, self.mode = format, mode

    def apply(self, resps: Iterable[Sequence[str]], docs: Sequence[dict[str, Any]]) -> list[list[Any]]:
        return [self._read(list(replies)) for replies in resps]

    def _read(self, replies: list[str]) -> list[Any]:
        readings = jc.parse_many(replies, self.format, mode=self.mode)  # pyright: ignore[reportArgumentType]
        return [UNREAD if value is None else value for value in readings.values]


if __name__ == "__main__":
    print(VerdictFilter("mt_bench.pair").apply([["My verdict: [[A]]", "Who knows?"]], [{}]))
