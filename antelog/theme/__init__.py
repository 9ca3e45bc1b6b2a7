"""The look of antelog: colours, type and sizes, all from `theme.toml`.

Pages say `var(--critical)`, `var(--sans)`, `var(--gap)`; no other file names a colour.
"""

from __future__ import annotations

import tomllib
from base64 import b64encode
from collections.abc import Mapping
from pathlib import Path
from string import Template

HERE = Path(__file__).parent
FONTS = HERE / "fonts"
"""Inter and JetBrains Mono, with their licences: as WOFF2 for pages, and as TTF for pictures."""

_READ = tomllib.loads((HERE / "theme.toml").read_text(encoding="utf-8"))
LIGHT: Mapping[str, str] = _READ["light"]
DARK: Mapping[str, str] = _READ["dark"]
BOTH: Mapping[str, str] = _READ["both"]
"""Colours for where nobody can ask whether the paper is light or dark."""
SIZE: Mapping[str, int] = _READ["size"]
"""Sizes of letters in pixels."""
CODE: Mapping[str, str] = _READ["code"]
"""The parts of a program, each with the name of its colour."""
TERMINAL: Mapping[str, str] = _READ["terminal"]
"""The styles of a terminal, whose colours have names."""
SEVERITIES = ("critical", "warning", "info", "good")


def family(kind: str) -> str:
    """The fonts of a kind, `sans` or `mono`, as CSS and SVG name them: ours first, then what others have."""
    return ", ".join(f"'{name}'" if " " in name else name for name in _READ["type"][kind])


# Which characters a file of fonts has: a browser loads the second one only where a text needs it.
_LATIN = "U+0-FF, U+131, U+152-153, U+2BB-2BC, U+2C6, U+2DA, U+2DC, U+2000-206F, U+20AC, U+2122, U+2212"
_LATIN_EXT = "U+100-2BA, U+2BD-2C5, U+2C7-2CC, U+2CE-2D7, U+2DD-2FF, U+1E00-1E9F, U+20A0-20AB, U+20AD-20C0"
_FACES = {
    "inter-latin.woff2": ("Inter", "100 900", _LATIN),
    "inter-latin-ext.woff2": ("Inter", "100 900", _LATIN_EXT),
    "jetbrains-mono-latin.woff2": ("JetBrains Mono", "100 800", _LATIN),
    "jetbrains-mono-latin-ext.woff2": ("JetBrains Mono", "100 800", _LATIN_EXT),
}
WEB_FONTS = tuple(_FACES)
"""The files of fonts that a page loads, in FONTS."""


def faces(folder: str) -> str:
    """CSS that loads the fonts from a folder, whose address is relative to that of the style sheet."""
    return "".join(
        f"@font-face {{ font-family: '{name}'; font-weight: {weights}; font-display: swap; "
        f"src: url('{folder}{file}') format('woff2'); unicode-range: {characters}; }}\n"
        for file, (name, weights, characters) in _FACES.items()
    )


def embedded_face() -> str:
    """CSS that has the font itself, in Latin letters, for a file that loads nothing."""
    data = b64encode((FONTS / WEB_FONTS[0]).read_bytes()).decode()
    return faces("").splitlines()[0].replace(WEB_FONTS[0], f"data:font/woff2;base64,{data}") + "\n"


def fixed() -> str:
    """The variables of CSS that are the same on light and on dark: fonts, sizes, and the sign's colours."""
    fonts = {kind: family(kind) for kind in _READ["type"]}
    sizes = {f"size-{name}": f"{size}px" for name, size in SIZE.items()}
    spaces = {name: f"{size}px" for name, size in _READ["space"].items()}
    sign = {f"sign-{name}": colour for name, colour in _READ["sign"].items()}
    return _variables({**fonts, **sizes, **spaces, **sign})


def colours(palette: Mapping[str, str]) -> str:
    """The variables of CSS for colours, with those of code."""
    return _variables({**palette, **{f"code-{part}": palette[name] for part, name in CODE.items()}})


def style_sheet(folder: str | None = None) -> str:
    """The variables of a page, light or dark as its reader chose or prefers, and its fonts, in a folder.

    Without one the page has the font in itself, for it loads nothing.
    """
    dark = f"color-scheme: dark; {colours(DARK)}"
    return (
        f"{embedded_face() if folder is None else faces(folder)}"
        f":root {{ color-scheme: light; {fixed()} {colours(LIGHT)} }}\n"
        f":root[data-theme=dark] {{ {dark} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root:not([data-theme=light]) {{ {dark} }} }}\n"
    )


def sign(severity: str = "") -> str:
    """The sign as SVG, with a mark in the colour of a severity."""
    text = Template((HERE / "sign.svg").read_text(encoding="utf-8")).substitute(_READ["sign"])
    ring = (
        f'<circle cx="24" cy="8" r="7" fill="{BOTH[severity]}" stroke="{_READ["sign"]["lines"]}"/>'
        if severity
        else ""
    )
    return text.replace("</svg>", f"{ring}</svg>")


def _variables(values: Mapping[str, str]) -> str:
    return " ".join(f"--{name.replace('_', '-')}: {value};" for name, value in values.items())
