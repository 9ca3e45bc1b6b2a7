"""antelog/theme: every colour and font is in one file, and what is made from it can be read."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from antelog import theme
from antelog.pictures import theme as of_pictures
from antelog.watch.web.templating import ASSETS, asset
from scripts.site_pages import site_style

ROOT = Path(__file__).resolve().parent.parent
COLOUR = re.compile(r"(?<![\w&(/])#(?:[0-9a-fA-F]{6}|[0-9a-fA-F]{8}|[0-9a-fA-F]{3,4})\b(?![-\w])")
NAMED = re.compile(r"(?:rgba?|hsla?)\(|:\s*(?:white|black|red|green|blue|orange|gr[ae]y)\b")
FONT = re.compile(r"font(?:-family)?:[^;}]*\b(?:Inter|Helvetica|Arial|Menlo|Consolas|monospace|sans-serif)\b")
IN_TERMINAL = re.compile(r"""["'](?:bold |dim )?(?:red|green|yellow|blue|cyan|magenta|dark_orange)["']""")
SOURCES = ("*.py", "*.css", "*.js", "*.html", "*.svg", "*.toml")
FOLDERS = ("antelog", "scripts", "benchmarks", "docs/css")


def sources() -> Iterator[Path]:
    for folder in FOLDERS:
        for pattern in SOURCES:
            for path in sorted((ROOT / folder).rglob(pattern)):
                others = "vendored" in path.parts or path.name == "theme.toml"
                if not others:
                    yield path


def test_nothing_but_the_theme_file_names_a_colour_or_a_font() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{number}: {match[0]}"
        for path in sources()
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        for pattern in (COLOUR, *((NAMED, FONT) if path.suffix in {".css", ".html"} else (IN_TERMINAL,)))
        if (match := pattern.search(line))
    ]
    assert not found, "take it from antelog.theme: " + "\n".join(found)


def test_a_colour_elsewhere_would_be_found() -> None:
    for text in ("color: #fff", 'RED = "#c8102e"', "0 1px #1016270d"):
        assert COLOUR.search(text)
    for text in ("href='#now'", "&#39;", "page.md#e602-bad", "issue #47", "url(#hatch)"):
        assert not COLOUR.search(text)
    assert IN_TERMINAL.search('Text("no", "bold red")')
    assert FONT.search("font: 15px/1.5 Helvetica, Arial;")


def test_light_and_dark_have_the_same_names() -> None:
    assert theme.LIGHT.keys() == theme.DARK.keys()
    assert {*theme.SEVERITIES} <= theme.BOTH.keys() & theme.TERMINAL.keys() & theme.LIGHT.keys()
    assert {*theme.CODE.values()} <= theme.LIGHT.keys()


def test_the_page_and_the_site_have_what_the_theme_gives() -> None:
    assert next(iter(ASSETS)) == "theme.css"
    assert asset("theme.css").decode() == theme.style_sheet("")
    assert asset("icon.svg").decode() == theme.sign()
    for sheet in (asset("theme.css").decode(), site_style()):
        for palette in (theme.LIGHT, theme.DARK):
            assert all(f"--{name.replace('_', '-')}: {each};" in sheet for name, each in palette.items())


@pytest.mark.parametrize("sheet", ["antelog/watch/web/assets/page.css", "docs/css/site.css"])
def test_every_variable_of_a_style_sheet_is_there(sheet: str) -> None:
    text = (ROOT / sheet).read_text("utf-8")
    given = {*re.findall(r"(--[\w-]+):", text + site_style())} | {"--c", "--b"}
    used = {each for each in re.findall(r"var\((--[\w-]+)", text) if not each.startswith("--md-")}
    assert used <= given


def test_pictures_have_a_counterpart_on_dark_for_every_colour() -> None:
    light = {value for name, value in vars(of_pictures).items() if name.isupper() and str(value)[0] == "#"}
    assert light | {*of_pictures.SEVERITY.values()} == of_pictures.DARK.keys()
    assert len({*of_pictures.DARK.values()}) == len(of_pictures.DARK), "two colours are one on dark"


def test_a_file_that_loads_nothing_has_the_font_in_itself() -> None:
    assert re.findall(r"url\('([^,]*)", theme.style_sheet()) == ["data:font/woff2;base64"]
    fonts = [f"fonts/{name}" for name in theme.WEB_FONTS]
    assert re.findall(r"url\('([^']*)", theme.style_sheet("fonts/")) == fonts


# ---- contrast ----


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in parts]
    return sum(share * each for share, each in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("palette", [theme.LIGHT, theme.DARK], ids=["light", "dark"])
def test_what_is_to_be_read_has_contrast(palette: dict[str, str]) -> None:
    texts = ("ink", "muted", "other", *theme.SEVERITIES)
    for text in texts:
        for paper in ("paper", "card", "raised", "hover"):
            assert contrast(palette[text], palette[paper]) >= 4.5, (text, paper)
    for severity in theme.SEVERITIES:
        assert contrast(palette[severity], palette[f"{severity}_soft"]) >= 4.5, severity


def test_colours_of_notebooks_are_seen_on_light_and_on_dark() -> None:
    for name, colour in theme.BOTH.items():
        if name != "track":
            assert min(contrast(colour, paper) for paper in ("#ffffff", "#111111")) >= 4, name


# ---- fonts ----


def test_fonts_are_there_and_named_first() -> None:
    assert theme.family("sans").startswith("Inter, system-ui")
    assert theme.family("mono").startswith("'JetBrains Mono', ui-monospace")
    for name in theme.WEB_FONTS:
        assert (theme.FONTS / name).read_bytes()[:4] == b"wOF2"
    listed = tomllib.loads((theme.FONTS / "fonts.toml").read_text("utf-8"))
    assert {file for each in listed.values() for file in each["files"]} >= {*theme.WEB_FONTS}
    assert sum(path.stat().st_size for path in theme.FONTS.iterdir()) < 400_000
