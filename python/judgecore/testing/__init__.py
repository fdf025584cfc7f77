"""Strategies of hypothesis for parsers of yours: replies whose outcome is known, and what becomes of them in the wild.

The outcome is known by how a reply is made, or from the examples of its format; no reader of ours decides it.
Our reader is asked one thing only: whether a format of the kind ``score`` takes a number that stands alone.
Needs ``pip install 'judgecore[hypothesis]'``.

Examples:
    >>> from hypothesis import given, settings
    >>> from judgecore import parse
    >>> from judgecore.testing import formats, noisy
    >>> @settings(database=None, deadline=None)
    ... @given(noisy("mt_bench.single") | noisy(formats(["score"])))
    ... def test_my_parser(known):
    ...     assert known.allows(parse(known.text, known.format))
    >>> test_my_parser()
"""

from judgecore.testing.declarations import formats
from judgecore.testing.material import retold
from judgecore.testing.replies import KnownReply, damaged_json, noisy, planted, replies, truncated

__all__ = ["KnownReply", "damaged_json", "formats", "noisy", "planted", "replies", "retold", "truncated"]
