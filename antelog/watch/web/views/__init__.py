"""The views by their names in addresses: each renders the board as HTML, or None if nothing is found.

PARTS["answer"](scene, "9f2c…", {})      one answer
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from antelog.markup import Html
from antelog.watch.board.selection import selection_of
from antelog.watch.web.views.answer import answer
from antelog.watch.web.views.common import ViewContext
from antelog.watch.web.views.decided import decided
from antelog.watch.web.views.inputs import inputs
from antelog.watch.web.views.now import now
from antelog.watch.web.views.plan import plan
from antelog.watch.web.views.trust import trust

Part = Callable[[ViewContext, str, Mapping[str, str]], Html | None]

PARTS: dict[str, Part] = {
    "now": lambda scene, _, given: now(scene, selection_of(given)),
    "answer": lambda scene, name, _: answer(scene, name),
    "decided": lambda scene, _, given: decided(scene, given),
    "inputs": lambda scene, *_: inputs(scene),
    "trust": lambda scene, *_: trust(scene),
    "plan": lambda scene, *_: plan(scene),
}
