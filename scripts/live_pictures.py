"""Take the documentation's pictures of the live page anew: `python -m scripts.live_pictures`; needs Chromium.

Sixty wind turbines report, `antelog watch` learns from them and serves its page, and a browser looks at it:
what is open, and one answer, in light and in dark, and on a telephone. The readings are always the same.
"""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from antelog.watch.web.listening import served_here
from antelog.workbench.play.bench import PlayBench
from antelog.workbench.play.running import DraftFiles, PlayOptions
from scripts.turbine_readings import readings
from tests.docs.pages import blocks_of, commands
from tests.watch.browser import Tab, browser

ANTELOG = str(Path(sys.executable).with_name("antelog"))
ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"
RULES = ROOT / "examples" / "turbines" / "turbines.alog"
TICKS = 86
LISTED = "list?query=Malf"
ROWS = "document.querySelectorAll('.rows .row').length"


def take(link: str, tab: Tab) -> None:
    """The pictures, one after the other."""
    tab.size(1440, 860)
    tab.open(link.replace("/?", "/list?"))
    tab.until(f"{ROWS} > 6")
    tab.run(f"go('/{LISTED}')")
    tab.until("document.querySelector('.rows .row').innerText.includes('shut down')")
    answer = tab.run("document.querySelector('.rows .row').getAttribute('href').slice(1)")
    for name, path, size, dark in (
        ("live-now.png", "", (1440, 860), False),
        ("live-now-dark.png", "", (1440, 860), True),
        ("live-answer.png", answer, (1440, 860), False),
        ("live-answer-dark.png", answer, (1440, 860), True),
        ("live-phone.png", "", (360, 720), False),
    ):
        tab.size(*size, dark=dark, scale=1.5 if size[0] < 600 else 1)
        tab.run(f"go('/{path}')")
        tab.until(f"shown === '{path or 'now'}'")
        tab.until("document.getElementById('live').dataset.kind !== undefined")
        tab.run("new Promise((done) => setTimeout(done, 600))")
        tab.picture(PICTURES / name)
        print(f"took docs/pictures/{name}")


def take_editor(tab: Tab, folder: Path) -> None:
    """The picture of `antelog play`."""
    bench = PlayBench(DraftFiles(), PlayOptions(), folder)
    tab.size(1440, 860)
    tab.open(served_here(bench.live, bench))
    tab.until(f"{ROWS} > 0")
    tab.run("new Promise((done) => setTimeout(done, 600))")
    tab.picture(PICTURES / "play.png")
    print("took docs/pictures/play.png")


def take_backtest(tab: Tab, folder: Path) -> None:
    """The picture of a page of `antelog backtest`: a machine over a year."""
    page = blocks_of(ROOT / "docs" / "incidents.md")
    rules = next(each.text for each in page if each.file == "worn.alog")
    (folder / "worn.alog").write_text(rules, encoding="utf-8")
    words = next(each for block in page for each in commands(block) if "backtest.html" in each)
    made: tuple[list[str | Path], ...] = (
        [sys.executable, ROOT / "examples" / "machine" / "year.py"],
        [ANTELOG, *words[1:]],
    )
    for command in made:
        subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    tab.size(1240, 243)
    tab.open((folder / "backtest.html").as_uri())
    tab.until("document.querySelector('#axis-0')")
    tab.run("document.querySelector('header').remove()")
    tab.run("document.querySelector('#axis-0').previousElementSibling.scrollIntoView()")
    tab.run("scrollBy(0, -10)")
    tab.picture(PICTURES / "backtest.png")
    print("took docs/pictures/backtest.png")


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        here = Path(place)
        rules = RULES.read_text(encoding="utf-8")
        asked = rules.replace("query Malf(X, T) critical", "query Malf(X, T) critical alert 80%").replace(
            'is about to shut down"', 'is about to shut down" many "{n} turbines are about to shut down"'
        )
        (here / RULES.name).write_text(asked, encoding="utf-8")
        (here / "readings.csv").write_text(
            f"device,level,time,arrival\n{''.join(each.line for each in readings(TICKS))}", encoding="utf-8"
        )
        words = [ANTELOG, "watch", RULES.name, "--input", "Temp=readings.csv", "--model", "learn"]
        with subprocess.Popen(
            words, cwd=here, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as watch:
            link = next(re.findall(r"https?://\S+", line) for line in watch.stderr or () if "http" in line)[0]
            try:
                with browser() as chromium:
                    take(link, chromium.tab(alone=True))
                    take_editor(chromium.tab(alone=True), here)
                    take_backtest(chromium.tab(alone=True), here)
            finally:
                watch.send_signal(signal.SIGINT)


if __name__ == "__main__":
    main()
