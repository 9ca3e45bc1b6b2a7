"""The tutorial's programs with their facts, to be opened in `antelog play`.

lessons.json is made from the pages by scripts/lessons.py; a test sees that it is current.
"""

from __future__ import annotations

from importlib.resources import files

import msgspec

from antelog.workbench.play.draft import Draft

LESSONS: dict[str, Draft] = msgspec.json.decode(
    files("antelog.workbench.play").joinpath("lessons.json").read_bytes(), type=dict[str, Draft]
)
"""The drafts, by the titles of their pages, in the tutorial's order."""
