"""What the tests of statistics share."""

from __future__ import annotations

import sys
from pathlib import Path

# Importlib mode puts no folder of tests on the path, and benches/run.py finds the references in the same way.
sys.path.insert(0, str(Path(__file__).parents[1]))
