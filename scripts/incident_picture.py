"""The story of `scripts/incident.py` as a picture that moves, in twelve seconds, without a script.

incident.svg         moves, unless its reader wants no motion; light or dark as the reader prefers
incident-narrow.svg  the same for a telephone
incident-light.svg   its last moment, on light; incident-dark.svg on dark

The home page has the first two within it, in the colours of the site; the README shows the others.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from string import Template

from antelog import theme
from antelog.language.printer import rounded_percent
from scripts.incident import Story, story

LOOKS = Path(__file__).with_suffix(".css").with_stem("incident")
FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"
SECONDS = 12
_FIRST, _LAST = 5.0, 75.0
"""Of the loop in percent: when the first tick of the story is reached, and the last one."""
_FADES = 97.0
"""When all begins to fade, to begin anew."""


@dataclass(frozen=True)
class Layout:
    """Sizes of a picture: where its columns and rows are, its letters, and how many a caption's line has."""

    name: str
    width: int
    left: int
    step: int
    edge: int
    top: int
    text: int
    letters: int
    lines: int

    @property
    def narrow(self) -> bool:
        """Whether there is no room for the names of rows on their left."""
        return self.left < 2 * self.edge + self.text

    @property
    def floor(self) -> int:
        return self.top + 138

    @property
    def facts(self) -> int:
        return self.floor + 54

    @property
    def others(self) -> int:
        return self.facts + 76

    @property
    def axis(self) -> int:
        return self.others + 40

    @property
    def height(self) -> int:
        return self.axis + 46 + self.lines * (self.text + 8)

    def x(self, tick: float) -> float:
        return self.left + self.step * tick

    def y(self, chance: float) -> float:
        """The height of a chance."""
        return round(self.top + (self.floor - self.top) * (1 - chance), 1)


WIDE = Layout("incident", 1400, 190, 286, 36, 114, 20, 112, 1)
NARROW = Layout("incident-narrow", 440, 56, 84, 20, 176, 17, 42, 3)


@dataclass(frozen=True)
class Caption:
    """What happens at a tick of the story."""

    tick: int
    text: str


@dataclass
class Motion:
    """The classes by which parts appear, stay and grow, and the style sheet of those that were used."""

    begins: float = _FIRST
    length: float = 1.0
    sheet: dict[str, str] = field(default_factory=dict)

    def at(self, tick: float) -> float:
        """The moment of a tick within the loop, in percent."""
        return _FIRST + (_LAST - _FIRST) * tick / self.length

    def appears(self, tick: float, until: float | None = None) -> str:
        """From a tick on, to the end or to another tick. Without motion only what stays is seen."""
        name = f"in-{tick:g}" if until is None else f"in-{tick:g}-{until:g}"
        begin, end = self.at(tick), _FADES if until is None else self.at(until) - 1
        self._keep(name, [(0, 0), (begin, 0), (begin + 1.5, 1), (end, 1), (min(end + 1.5, 100), 0), (100, 0)])
        return f"{name} {'gone' if until is not None else ''}".strip()

    def grows(self, tick: int) -> str:
        """To the right, from a tick to the next."""
        name = f"grow-{tick}"
        steps = ((0, 0, 1), (self.at(tick), 0, 1), (self.at(tick + 1), 1, 1), (_FADES, 1, 1), (100, 1, 0))
        frames = " ".join(f"{at:g}% {{ transform: scaleX({x}); opacity: {seen}; }}" for at, x, seen in steps)
        self.sheet[name] = frames
        return f"grows {name}"

    def moves(self, begin: float, end: float) -> str:
        """Along the columns, from the first tick to the last."""
        steps = ((0, begin, 0), (_FIRST, begin, 0.6), (_LAST, end, 0.6), (_LAST + 3, end, 0), (100, end, 0))
        self.sheet["moves"] = " ".join(
            f"{at:g}% {{ transform: translateX({x:g}px); opacity: {seen}; }}" for at, x, seen in steps
        )
        return "moves"

    def _keep(self, name: str, steps: Sequence[Sequence[float]]) -> None:
        self.sheet[name] = " ".join(f"{at:g}% {{ opacity: {seen:g}; }}" for at, seen in steps)

    def style(self, picture: str) -> str:
        """The style sheet: nothing moves for readers who want no motion."""
        rules = [
            f"@keyframes {picture}-{name} {{ {frames} }} "
            f".{picture} .{name} {{ animation: {picture}-{name} {SECONDS}s linear infinite both; }}"
            for name, frames in self.sheet.items()
        ]
        return f"@media (prefers-reduced-motion: no-preference) {{ {' '.join(rules)} }}"


def captions(told: Story) -> Sequence[Caption]:
    """One for each tick at which something happens, and the one that stays."""
    late = next(each.tick for each in told.evidence if each.late)
    likely, sure, chance = told.likely, told.confirmed, _chances(told)
    return (
        Caption(
            0,
            f"At {told.time(0)} a reading is high. The answer opens, {chance[0]} likely; "
            "two more are awaited.",
        ),
        Caption(
            likely,
            f"At {told.time(likely)} a second one: {chance[likely]}. The alert goes out; it is set at "
            f"{_percent(told.alert)}.",
        ),
        Caption(
            late,
            f"At {told.time(late)} nothing comes. The third reading may be late, so the answer stays open, "
            f"at {chance[late]}.",
        ),
        Caption(sure, f"At {told.time(sure)} it comes. The answer is confirmed, and is never taken back."),
        Caption(
            told.decided,
            f"An alert at {told.time(likely)}, certain at {told.time(sure)}. Who waits until nothing can be "
            f"late any more knows it at {told.time(told.decided)}.",
        ),
    )


def picture(told: Story, layout: Layout, palette: Mapping[str, str] | None = None) -> str:
    """The picture as SVG; with a palette it does not move, and has these colours."""
    name, motion = layout.name, Motion(length=told.decided)
    drawn = [part for draw in PARTS for part in draw(told, layout, motion)]
    if palette is None:
        way = motion.moves(layout.x(0), layout.x(told.decided))
        drawn.append(f'<path class="now {way}" d="M0 {layout.top - 10}V{layout.axis - 18}"/>')
    width, height = layout.width, layout.height
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="incident {name}" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img" aria-labelledby="{name}-title">'
    )
    lines = (
        head,
        f'<title id="{name}-title">{escape(_title(told))}</title>',
        f'<style class="colours">{_colours(palette)}</style>',
        f"<style>{_looks(layout)} {'' if palette else motion.style(name)}</style>",
        f'<rect class="card" x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="14"/>',
        *drawn,
        "</svg>",
    )
    return "\n".join(lines) + "\n"


def _title(told: Story) -> str:
    return f"{told.words}: how antelog reports it. {' '.join(each.text for each in captions(told))}"


def _colours(palette: Mapping[str, str] | None) -> str:
    """The variables of a picture that stands alone; in a page they are the page's."""
    if palette is not None:
        return f".incident {{ {theme.colours(palette)} {theme.fixed()} }}"
    return (
        f".incident {{ {theme.fixed()} {theme.colours(theme.LIGHT)} }} "
        f"@media (prefers-color-scheme: dark) {{ .incident {{ {theme.colours(theme.DARK)} }} }}"
    )


def _looks(layout: Layout) -> str:
    """The style sheet of `scripts/incident.css`, for one picture."""
    sizes = {
        "small": layout.text - (3 if layout.narrow else 4),
        "words": layout.text + (3 if layout.narrow else 12),
        "number": layout.text + 4,
    }
    sheet = LOOKS.read_text(encoding="utf-8").partition("*/")[2]
    return " ".join(Template(sheet).substitute(name=layout.name, text=layout.text, **sizes).split())


def _head(told: Story, layout: Layout, motion: Motion) -> Iterator[str]:
    """The words, the atom with its deadline, and what the answer is by now."""
    down = 44 if layout.narrow else 54
    atom = f"{told.atom} · decided by {told.time(told.decided)}"
    yield _text("words", layout.edge, down, told.words)
    yield _text("atom", layout.edge, down + 30, atom)
    width = layout.text * 7
    x, y = (layout.edge, down + 48) if layout.narrow else (layout.width - layout.edge - width, 30)
    for each in _states(told):
        kind = {"likely": " likely", "confirmed": " sure"}.get(each.name, "")
        yield f'<g class="{motion.appears(each.tick, each.until)}">'
        yield f'<rect class="pill{kind}" x="{x}" y="{y}" width="{width}" height="38" rx="19"/>'
        yield f"{_text('state', x + width / 2, y + 25, each.name, anchor='middle')}</g>"


@dataclass(frozen=True)
class _State:
    """What the answer is from a tick on, until another one."""

    name: str
    tick: int
    until: int | None


def _states(told: Story) -> Sequence[_State]:
    """Possible, likely, then open again if it is no longer likely, and confirmed."""
    names = {"possible": "possible", "likely": "likely", "unlikely": "open", "confirmed": "confirmed"}
    found = [
        (names[change], each.tick) for each in told.instants for change in each.changes if change in names
    ]
    ends = [tick for _, tick in found[1:]]
    return [_State(name, tick, end) for (name, tick), end in zip(found, [*ends, None], strict=True)]


def _chart(told: Story, layout: Layout, motion: Motion) -> Iterator[str]:
    """How likely the answer is from tick to tick, up to its confirmation."""
    right, before = layout.x(told.decided), float(layout.floor)
    yield from _row(layout, "how likely", (layout.top + layout.floor) / 2)
    yield f'<path class="base" d="M{layout.left} {layout.floor}H{right}"/>'
    alert = layout.y(told.alert)
    yield f'<path class="alert" d="M{layout.left} {alert}H{right}"/>'
    yield _text("small threshold", layout.left + 8, alert - 8, f"alert {_percent(told.alert)}")
    for each in told.instants:
        sure = "" if each.chance is not None else " sure"
        x, y = layout.x(each.tick), layout.y(1.0 if each.chance is None else each.chance)
        grows, appears = motion.grows(each.tick), motion.appears(each.tick)
        size = f'width="{layout.step}" height="{layout.floor - y:g}"'
        yield f'<rect class="area{sure} {grows}" x="{x}" y="{y}" {size}/>'
        yield f'<path class="step{sure} {appears}" d="M{x} {before}V{y}"/>'
        yield f'<path class="step{sure} {grows}" d="M{x} {y}h{layout.step}"/>'
        said = _percent(1.0 if each.chance is None else each.chance)
        said = "confirmed" if each.chance is None and not layout.narrow else said
        yield f'<g class="{appears}"><circle class="dot{sure}" cx="{x}" cy="{y}" r="8"/>'
        yield f"{_text(f'number{sure}', x + 14, y + layout.text + 12, said)}</g>"
        before = y


def _readings(told: Story, layout: Layout, motion: Motion) -> Iterator[str]:
    """The readings when they come, and rings where they are awaited."""
    yield from _row(layout, "readings", layout.facts)
    y = layout.facts
    for each in told.evidence:
        x, ring, time = layout.x(each.arrival), layout.x(each.tick), told.time(each.tick)
        if each.tick:
            yield f'<circle class="awaited {motion.appears(0)}" cx="{ring}" cy="{y}" r="9"/>'
        if each.late:
            missing = _text("small", ring, y + 32, "not yet", anchor="middle")
            yield f'<g class="{motion.appears(each.tick, each.arrival)}">{missing}</g>'
            yield f'<path class="way {motion.appears(each.arrival)}" d="M{ring + 16} {y}H{x - 16}"/>'
        yield f'<g class="{motion.appears(each.arrival)}"><circle class="fact" cx="{x}" cy="{y}" r="9"/>'
        yield f"{_text('small', x, y + 32, f'{time} {each.level}', anchor='middle')}</g>"


def _others(told: Story, layout: Layout, motion: Motion) -> Iterator[str]:
    """What waits until nothing can be late, and the times of all columns."""
    right, y = layout.x(told.decided), layout.others
    yield _text("small", layout.left, y - 18, "an engine that waits until nothing can be late")
    length = right - layout.left
    yield f'<rect class="track" x="{layout.left}" y="{y - 6}" width="{length:g}" height="12" rx="6"/>'
    for tick in range(told.decided):
        place = f'x="{layout.x(tick)}" y="{y - 6}" width="{layout.step}" height="12"'
        yield f'<rect class="wait {motion.grows(tick)}" {place}/>'
    yield f'<circle class="dot sure {motion.appears(told.decided)}" cx="{right}" cy="{y}" r="9"/>'
    for tick in range(told.decided + 1):
        yield _text("small", layout.x(tick), layout.axis, told.time(tick), anchor="middle")


def _row(layout: Layout, name: str, y: float) -> Iterator[str]:
    """The name of a row: on its left or, in a narrow picture, above it."""
    if not layout.narrow:
        yield _text("small", layout.edge, y + 6, name)
    elif y > layout.floor:
        yield _text("small", layout.edge, y - 22, name)


def _captions(told: Story, layout: Layout, motion: Motion) -> Iterator[str]:
    said = captions(told)
    ends: list[int | None] = [each.tick for each in said[1:]]
    for each, end in zip(said, [*ends, None], strict=True):
        lines = textwrap.wrap(each.text, layout.letters)
        assert len(lines) <= layout.lines, each.text
        spans = "".join(
            f'<tspan x="{layout.edge}" dy="{layout.text + 8 if number else 0}">{escape(line)}</tspan>'
            for number, line in enumerate(lines)
        )
        yield f'<text class="{motion.appears(each.tick, end)}" y="{layout.axis + 46}">{spans}</text>'


PARTS = (_head, _chart, _readings, _others, _captions)
"""What a picture is drawn of, from its top to its bottom."""


def _text(kind: str, x: float, y: float, text: str, anchor: str = "start") -> str:
    place = f'x="{x:g}" y="{y:g}"' + ("" if anchor == "start" else f' text-anchor="{anchor}"')
    return f'<text class="{kind}" {place}>{escape(text)}</text>'


def _chances(told: Story) -> Mapping[int, str]:
    return {each.tick: _percent(each.chance) for each in told.instants if each.chance is not None}


def _percent(chance: float) -> str:
    return f"{rounded_percent(chance)} %"


def pictures() -> Iterator[tuple[str, str]]:
    """Each picture with the name of its file."""
    told = story()
    for layout in (WIDE, NARROW):
        yield f"{layout.name}.svg", picture(told, layout)
    yield "incident-light.svg", picture(told, WIDE, theme.LIGHT)
    yield "incident-dark.svg", picture(told, WIDE, theme.DARK)


if __name__ == "__main__":
    for file, drawn in pictures():
        (FOLDER / file).write_text(drawn, encoding="utf-8")
        print(f"made docs/pictures/{file}")
