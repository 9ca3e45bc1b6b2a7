"""The views by their names in addresses: each renders the board as HTML, or None if nothing is found."""

from __future__ import annotations

from collections.abc import Callable

from markupsafe import Markup

from antelog.watch.web.views.answer import answer
from antelog.watch.web.views.context import ViewContext
from antelog.watch.web.views.inputs import inputs
from antelog.watch.web.views.lists import decided, decided_rows, listing, open_rows
from antelog.watch.web.views.now import now
from antelog.watch.web.views.plan import plan
from antelog.watch.web.views.trust import trust

Part = Callable[[ViewContext, str], Markup | None]

PARTS: dict[str, Part] = {
    "now": lambda scene, _: now(scene),
    "list": lambda scene, rest: open_rows(scene) if rest == "rows" else listing(scene),
    "answer": answer,
    "decided": lambda scene, rest: decided_rows(scene) if rest == "rows" else decided(scene),
    "inputs": lambda scene, _: inputs(scene),
    "trust": lambda scene, _: trust(scene),
    "plan": lambda scene, _: plan(scene),
}
