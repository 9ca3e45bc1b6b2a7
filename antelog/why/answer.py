"""The explanation that users get: a tree that prints as text, and in notebooks as a list that folds."""

from __future__ import annotations

from html import escape

from antelog.theme import BOTH, family
from antelog.why.rows import FALSE, OPEN, TRUE
from antelog.why.text import Branch, TreeMarks, branch_of, tree_text
from antelog.why.tree import AtomNode

_MONO = f"var(--jp-code-font-family, {family('mono')})"
_STYLE = f"""<style>
.antelog-why, .antelog-why ul {{ list-style: none; padding-left: 1.2em; margin: 0; }}
.antelog-why {{ padding-left: 0; line-height: 1.6; font-family: {_MONO}; }}
.antelog-why .said {{ opacity: .7; padding-left: 1em; }}
.antelog-why .failed {{ color: var(--jp-error-color1, {BOTH["critical"]}); }}
.antelog-why .awaited {{ color: var(--jp-info-color1, {BOTH["info"]}); }}
.antelog-why .true {{ color: var(--jp-success-color1, {BOTH["good"]}); }}
.antelog-why summary {{ cursor: pointer; }}
</style>"""
_CLASSES = {TRUE: "true", OPEN: "awaited", FALSE: "failed"}


def html(why: AtomNode) -> str:
    """The explanation, with its style."""
    return f"{_STYLE}{tree_html(branch_of(why))}"


def tree_html(branch: Branch) -> str:
    """A tree as a list, without a style."""
    return f'<ul class="antelog-why">{_item(branch)}</ul>'


def _item(branch: Branch) -> str:
    mark = TreeMarks().of(branch.status)
    name = _CLASSES.get(branch.status)
    shown = (
        f'<span class="{name}">{escape(mark)}</span>{escape(branch.text)}' if name else escape(branch.text)
    )
    said = "".join(
        f'<span class="said">{escape(each)}</span>' for each in (branch.remark, branch.rule) if each
    )
    if not branch.children:
        return f"<li>{shown}{said}</li>"
    below = "".join(map(_item, branch.children))
    return f"<li><details open><summary>{shown}{said}</summary><ul>{below}</ul></details></li>"


class WhyAnswer(AtomNode):
    """Why an atom is so at a tick, or is not: `print(engine.why("Malf(wt2, 0)"))`."""

    @classmethod
    def of(cls, node: AtomNode) -> WhyAnswer:
        return cls(node.atom, node.verdict, node.rules, node.facts, node.more, node.notes, node.timescale)

    def __str__(self) -> str:
        return tree_text(self)

    def _repr_html_(self) -> str:
        return html(self)
