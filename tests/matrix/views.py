"""What shows a line, each as a function of a case that gives what is wrong: an empty list if nothing is.

They are called in the folder of the case. Nothing is made up: all lines come from `antelog try`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

import antelog
from antelog.language.printer import value_text
from antelog.run.store import change_of
from antelog.watch.live import Live
from antelog.workbench.play.draft import DraftFiles
from antelog.workbench.play.running import PlayOptions, play
from tests.cli.trying import antelog as command
from tests.matrix.cases import MatrixCase
from tests.watch.web.asking import ask

Line = dict[str, Any]
KINDS = "possible,revised,confirmed,rejected"
VIEWS = (
    "/", "/decided", "/inputs", "/trust", "/plan", "/healthz", "/metrics",
    *(f"/part/{each}" for each in ("now", "now/rows", "decided", "decided/rows", "inputs", "trust", "plan")),
    *(f"/api/{each}" for each in ("now", "decided", "inputs", "trust", "plan", "state")),
    *(f"/export/{view}.{form}" for view in ("now", "decided") for form in ("csv", "html")),
)  # fmt: skip


def called(*words: object) -> str:
    """What a command prints, which ends with 0."""
    done = command(*words)
    assert done.exit_code == 0, f"{words}: {done.stderr}"
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout


def lines_of(text: str) -> list[Line]:
    return [json.loads(line) for line in text.splitlines()]


def tried(case: MatrixCase, *more: object) -> str:
    return called("try", case.program, *case.options, *case.model, *more)


def told(line: Line) -> str:
    """A line as one text; what is null may as well not be there."""
    return json.dumps({key: each for key, each in line.items() if each is not None}, sort_keys=True)


def answer_in(line: Line) -> str:
    return json.dumps([line["query"], line["answer"], line.get("others")], sort_keys=True)


def open_after(lines: Iterable[Line]) -> dict[str, Line]:
    """The answers that are open after these lines."""
    latest = {answer_in(line): line for line in lines}
    return {name: line for name, line in latest.items() if line["change"] not in ("confirmed", "rejected")}


def differing(what: str, found: Iterable[Line], wanted: Iterable[Line]) -> Iterator[str]:
    """What is wrong with lines that are to be others; the order within a tick does not matter."""
    few, many = sorted(map(told, wanted)), sorted(map(told, found))
    if few != many:
        lacks, odd = (sorted({*each} - {*other}) for each, other in ((few, many), (many, few)))
        yield f"{what}: lacks {lacks[:1]}, has {odd[:1]}, {len(many)} lines for {len(few)}"


# ---- commands ----


def listings(case: MatrixCase, lines: list[Line]) -> Iterator[str]:
    """`antelog try` in each form."""
    table = tried(case, "--format", "table")
    if lines and not all(f"tick {lines[0]['tick']}" in table or "time" in each for each in lines[:1]):
        yield "the table lacks the first tick"
    for kind in ("confirmed", "possible,rejected"):
        of_kind = [each for each in lines if each["change"] in kind.split(",")]
        yield from differing(f"--only {kind}", lines_of(tried(case, "--only", kind)), of_kind)
    short = [{k: v for k, v in each.items() if k not in ("explanations", "because")} for each in lines]
    yield from differing("--explanations 0", lines_of(tried(case, "--explanations", 0)), short)
    for shot in lines_of(tried(case, "--snapshots")):
        before = [each for each in lines if each["tick"] <= shot["tick"] and each["query"] == shot["query"]]
        found = {answer_in({**shot, **each}) for each in shot["answers"] if "decided_by" in each}
        if found != open_after(before).keys():
            yield f"--snapshots: {len(found)} open at {shot['tick']}, {len(open_after(before))} by the lines"


def pictures(case: MatrixCase, _: list[Line]) -> Iterator[str]:
    """`antelog draw`, of the program and of what `antelog try` prints."""
    for form, more in (("jsonl", ()), ("json", ("--snapshots",))):
        Path(f"lines.{form}").write_text(tried(case, *more), "utf-8")
    for name, words in (
        ("a.svg", (case.program, *case.options)),
        ("a.html", (case.program, *case.options)),
        ("plan.svg", (case.program, *case.options, "--plan")),
        ("lines.svg", ("lines.jsonl",)),
        ("shots.svg", ("lines.json",)),
    ):
        called("draw", *words, "--output", name)
        if not Path(name).stat().st_size:
            yield f"{name} is empty"
    if Path("a.svg").read_text("utf-8").count("<text") < Path("lines.svg").read_text("utf-8").count("<text"):
        yield "the picture of the program has less than that of its lines"


def reasons(case: MatrixCase, lines: list[Line]) -> Iterator[str]:
    """`antelog why`, of the first line of each kind whose values are all known."""
    first: dict[str, Line] = {}
    for line in lines:
        if None not in line["answer"].values():
            first.setdefault(line["change"], line)
    for change, line in first.items():
        atom = f"{line['query']}({', '.join(map(value_text, line['answer'].values()))})"
        text = called("why", case.program, atom, "--at", line["tick"], *case.options)
        if line["query"] not in text or (change == "confirmed" and "○" in text.splitlines()[0]):
            yield f"why {atom} at {line['tick']}: {text.splitlines()[:1]}"


def recordings(case: MatrixCase, _: list[Line]) -> Iterator[str]:
    """`antelog test --record`, and the test again."""
    facts = [dict([word.split("=", 1)]) for word in case.options if "=" in word]
    suite: dict[str, Any] = {"program": case.program, "cases": [{"name": "all", "facts": facts}]}
    if "--functions" in case.options:
        suite["functions"] = case.options[case.options.index("--functions") + 1]
    if "--arrival" in case.options:
        suite["arrival"] = case.options[case.options.index("--arrival") + 1]
    Path("matrix.test.yaml").write_text(yaml.safe_dump(suite, sort_keys=False), "utf-8")
    called("test", "--record", "--no-coverage", "matrix.test.yaml")
    if "1 of 1 case" in called("test", "matrix.test.yaml"):
        yield "a recorded test fails"


def differences(case: MatrixCase, _: list[Line]) -> Iterator[str]:
    """`antelog diff` of the program with itself."""
    if found := called("diff", "--check", case.program, case.program, *case.options):
        if "same" not in found:
            yield f"diff: {found}"


def notebooks(case: MatrixCase, lines: list[Line]) -> Iterator[str]:
    """Lines as a notebook shows them."""
    text = antelog.show(lines)._repr_html_()
    for line in lines[:50]:
        if line["change"] not in text:
            yield f"the notebook lacks {told(line)}"


def plays(case: MatrixCase, lines: list[Line]) -> Iterator[str]:
    """The course of `antelog play`, with the board of each tick."""
    given = [word.split("=", 1) for name, word in zip(case.options, case.options[1:]) if name == "--input"]
    if "--arrival" in case.options:
        return  # an editor has the column of that name
    functions = Path("places.py") if "--functions" in case.options else None
    draft = DraftFiles(Path(case.program), {name: Path(path) for name, path in given}).read()
    played = play(draft, PlayOptions(case.program, functions), Path())
    if played.course is None:
        yield f"play: {played.problems}"
        return
    for tick, board in played.course.boards(played.course.changing):
        wanted = open_after(each for each in lines if each["tick"] <= tick)
        if len(board.open) != len(wanted):
            yield f"play: {len(board.open)} open at {tick}, {len(wanted)} by the lines"


# ---- the page and the alerts of `antelog watch` ----


def watched(case: MatrixCase, lines: list[Line]) -> Iterator[str]:
    """Half of the facts, then all: the page of what is open then, and the alerts of all changes."""
    words = ("watch", case.program, *case.options, *case.model, "--once", "--state", "s.state")
    alerts = ("--alert", "command:tee -a alerts", "--alert-on", KINDS + ",likely,unlikely" * case.has_alerts, "--alert-from", "start", "--alert-every", 0)
    case.write(Path(), half=True)
    first = lines_of(called(*words, *alerts))
    yield from seen(antelog.live("s.state"), open_after(first))
    case.write(Path())
    second = lines_of(called(*words, *alerts))
    yield from seen(antelog.live("s.state"), open_after([*first, *second]))
    letters = lines_of(Path("alerts").read_text("utf-8")) if Path("alerts").exists() else []
    sent = [each for letter in letters for each in letter.get("alerts", [letter])]
    wanted = sorted(key_of(each) for each in (*first, *second))
    if sorted(map(key_of, sent)) != wanted:
        yield f"alerts: {len(sent)} of {len(wanted)} changes"


def key_of(line: Line) -> str:
    return f"{line['tick']} {line['change']} {answer_in(line)}"


def seen(page: Live, wanted: Mapping[str, Line]) -> Iterator[str]:
    """The views, the API and the exports of a page, and the answers that it has."""
    while not page._live.caught_up:
        ask(page, "/healthz", token=None)
    answers = ask(page, "/api/now?count=1000", token=None).json["answers"]
    paths = [f"{path}/{each['id']}" for each in answers[:3] for path in ("/answer", "/part/answer", "/api/answers")]
    for path in (*VIEWS, *paths):
        if (status := ask(page, path, token=None).status) != 200:
            yield f"{path} is {status}"
    yield from differing("/api/now", ({k: v for k, v in each.items() if k not in ("id", "since")} for each in answers), wanted.values())


# ---- batches on Spark ----


def batches(case: MatrixCase, lines: list[Line]) -> Iterator[str]:
    """The changes of `antelog run`."""
    called("run", case.program, *case.options, *case.model, "--output", "json:changes")
    rows = [row for path in Path("changes").glob("*.json") for row in lines_of(path.read_text("utf-8"))]
    yield from differing("run", [change_of(row) or row for row in rows], lines)
