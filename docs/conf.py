"""Sphinx configuration, used by ``make docs``."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(Path(__file__).parent))

project = "judgecore"
author = "The judgecore developers"
project_copyright = "judgecore, MIT"
version = release = tomllib.loads((ROOT / "Cargo.toml").read_text("utf-8"))["workspace"]["package"]["version"]

extensions = ["myst_parser", "reference"]
exclude_patterns = ["decisions/README.md"]
html_theme = "furo"
html_title = "judgecore"
html_show_sourcelink = False

myst_heading_anchors = 3
# Blocks without a language are diagrams or output.
highlight_language = "none"
myst_enable_extensions = ["deflist"]
suppress_warnings = ["ref.python"]  # Two stations have a Response: the text under test, and lmms-eval's reply.
