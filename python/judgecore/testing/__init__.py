"""Hypothesis strategies for testing your own parsers: replies with a known outcome, plain and with typical noise.

The outcome follows from how a reply is made, or from the examples of its format; judgecore's reader does not decide it.
The reader is used for one thing only: to find out whether a format of the kind ``score`` accepts a bare number.
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
from judgecore.testing.replies import KnownReply, damaged_json, noisy, planted, replies, retold, truncated

__all__ = ["KnownReply", "damaged_json", "formats", "noisy", "planted", "replies", "retold", "truncated"]
