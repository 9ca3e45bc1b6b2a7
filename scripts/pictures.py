"""Make the pictures of the documentation: `make pictures`.

They are made from the programs and facts beside them. `tests/docs/test_pictures.py` complains if what is
there is not what the code draws.
"""

import random
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

import antelog

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "images"
TURBINES = FOLDER.parent.parent / "examples" / "turbines" / "turbines.alog"
NOW = 5


def pictures() -> Iterator[tuple[str, antelog.Drawing]]:
    """Each picture with the name of its file."""
    program = antelog.load(FOLDER / "malf.alog")
    few = replayed(program, (FOLDER / "Temp.csv").read_text(encoding="utf-8").splitlines()[1:], NOW)
    title = f"Malfunctions, as known at tick {NOW}"
    yield "answers.svg", antelog.draw(few, program=program, now=NOW, title=title, width=760)
    many = replayed(program, made_up(), 300)
    yield "many.svg", antelog.draw(many, program=program, title="Malfunctions of 60 turbines", width=760)
    rules = antelog.load(TURBINES)
    yield "rules.svg", antelog.draw(rules, title="The rules of turbines.alog", width=760)


def replayed(program: antelog.Program, lines: list[str], until: int) -> list[dict[str, pa.Table]]:
    """What changes up to a tick, given lines of device, level, time and arrival."""
    rows = [(device, level, int(time), int(arrival)) for device, level, time, arrival in map(_cells, lines)]
    arrived = [row for row in rows if row[3] <= until]
    names = ("device", "level", "time", "arrival")
    frame = pa.table(dict(zip(names, map(list, zip(*arrived, strict=True)), strict=True)))
    return [antelog.Engine(program).advance(until, {"Temp": frame})]


def made_up() -> list[str]:
    """Readings of 60 turbines, more of them high now and then; some come a tick late."""
    draw = random.Random(3)
    return [
        f"wt{device},high,{time},{time + (draw.random() < 0.4)}"
        for time in range(300)
        for device in range(1, 61)
        if draw.random() < (0.45 if time // 40 % 3 == 1 else 0.25)
    ]


def _cells(line: str) -> list[str]:
    return line.split(",")


if __name__ == "__main__":
    for name, picture in pictures():
        picture.save(FOLDER / name)
        print(f"made docs/images/{name}")
