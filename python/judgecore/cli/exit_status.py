"""The exit statuses of all commands."""

from __future__ import annotations

from typing import Final

MISSED: Final = 1
"""A measure misses its threshold."""

USAGE: Final = 2
"""A usage error, an invalid file, or a judge that can't be asked."""

UNREAD: Final = 3
"""More is unread, undetermined or rejected than allowed, or a check found differences."""

PENDING: Final = 4
"""Batches are pending."""

NOT_ASKED: Final = 5
"""Some rows were not asked."""

INTERRUPTED: Final = 130
"""Interrupted, as shells report it: 128 + 2."""

BROKEN_PIPE: Final = 141
"""Nobody reads the output, as shells report it: 128 + 13."""
