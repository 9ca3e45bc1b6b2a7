"""What shows a line, each as a function of a case that gives what is wrong: an empty list if nothing is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

import antelog
from antelog.engine.step.wording import meaning
from antelog.language.printer import value_text
from antelog.lines import line_of
from antelog.watch.live import Live
from antelog.workbench.play.running import DraftFiles, PlayOptions, play
from tests.cli.trying import antelog as command
from tests.matrix.cases import MatrixCase
from tests.pictures.looks import texts
from tests.watch.web.asking import ask

Line = dict[str, Any]
View = Callable[[MatrixCase, list[Line]], Iterator[str]]
KINDS = "possible,revised,confirmed,rejected"
AS_WHY_SAYS = {"confirmed": "is confirmed since", "rejected": "is rejected since"}
VIEWS = (
    "/", "/decided", "/inputs", "/trust", "/plan", "/healthz", "/metrics",
    *(f"/part/{each}" for each in ("now", "now/rows", "decided", "decided/rows", "inputs", "trust", "plan")),
    *(f"/api/{each}" for each in ("now", "decided", "inputs", "trust", "plan", "state")),
    *(f"/export/{view}.{form}" for view in ("now", "decided") for form in ("csv", "html")),
)  # fmt: skip


def wrong(case: MatrixCase, *views: View) -> list[str]:
    """What is wrong with some views of a case, whose files are written into the folder."""
    case = case.complete()
    case.write(Path())
    lines = lines_of(tried(case))
    return [f"{view.__name__}: {each}" for view in views for each in view(case, lines)]


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


def change_in(line: Line) -> str:
    return f"{line['tick']} {line['change']} {answer_in(line)}"


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
    listed = re.findall("^  (possible|revised|likely|unlikely|confirmed|rejected|lost) ", table, re.MULTILINE)
    if sorted(listed) != sorted(map(meaning, lines)):
        yield f"the table has {len(listed)} of {len(lines)} changes"
    for kinds in ("confirmed", "possible,rejected"):
        wanted = [each for each in lines if each["change"] in kinds.split(",")]
        yield from differing(f"--only {kinds}", lines_of(tried(case, "--only", kinds)), wanted)
    short = [{k: v for k, v in each.items() if k not in ("explanations", "because")} for each in lines]
    yield from differing("--explanations 0", lines_of(tried(case, "--explanations", 0)), short)
    for shot in lines_of(tried(case, "--snapshots")):
        before = [each for each in lines if each["tick"] <= shot["tick"] and each["query"] == shot["query"]]
        found = {answer_in({**shot, **each}) for each in shot["answers"] if "decided_by" in each}
        if found != open_after(before).keys():
            yield f"--snapshots: {len(found)} open at {shot['tick']}, {len(open_after(before))} by the lines"


def wordy(text: str) -> str:
    """A text without numbers: snapshots say new chances, and go on where no line comes any more."""
    return re.sub(r"[\d.]+", "", text)


def pictures(case: MatrixCase, _: list[Line]) -> Iterator[str]:
    """`antelog draw` of the program, of its facts, and of what `antelog try` prints: all say the same."""
    for name, more in (("lines", ()), ("shots", ("--snapshots",))):
        Path(f"{name}.jsonl").write_text(tried(case, *more), "utf-8")
        called("draw", f"{name}.jsonl", "--output", f"{name}.svg")
    for name, more in (("facts.svg", ()), ("facts.html", ()), ("plan.svg", ("--plan",))):
        called("draw", case.program, *case.options, *more, "--output", name)
    facts, lines, shots, plan = (
        [each for each in map(wordy, texts(Path(f"{name}.svg").read_text("utf-8"))) if each]
        for name in ("facts", "lines", "shots", "plan")
    )
    timed = re.search("^tick ", case.text, re.MULTILINE)  # of which a log knows nothing
    # The last words of a snapshot are not those of the decision, nor does it say what was lost.
    worded = "{chance}" in case.text or any("lost" in each for each in lines)
    if not (worded or lines == shots) or not (timed or case.model or facts == lines):
        yield f"other pictures: {sorted({*facts} ^ {*lines})}, {sorted({*lines} ^ {*shots})}"
    if not plan or not Path("facts.html").stat().st_size:
        yield "an empty picture"


def reasons(case: MatrixCase, lines: list[Line]) -> Iterator[str]:
    """`antelog why`, of the first line of each kind whose values are all known."""
    first: dict[str, Line] = {}
    for line in lines:
        if None not in line["answer"].values():
            first.setdefault(line["change"], line)
    for change, line in first.items():
        atom = f"{line['query']}({', '.join(map(value_text, line['answer'].values()))})"
        said = called("why", case.program, atom, "--at", line["tick"], *case.options).splitlines()[0]
        if AS_WHY_SAYS.get(change, "is open") not in said:
            yield f"{change} at {line['tick']}, and why says: {said}"


def recordings(case: MatrixCase, lines: list[Line]) -> Iterator[str]:
    """`antelog test --record`, and the test again."""
    facts = [dict([value.split("=", 1)]) for name, value in case.given if name in ("--input", "--static")]
    suite: dict[str, Any] = {"program": case.program, "cases": [{"name": "all", "facts": facts}]}
    suite |= {name[2:]: value for name, value in case.given if name in ("--functions", "--arrival")}
    Path("matrix.test.yaml").write_text(yaml.safe_dump(suite, sort_keys=False), "utf-8")
    called("test", "--record", "--no-coverage", "matrix.test.yaml")
    if lines and "recorded: yes" not in Path("matrix.test.yaml").read_text("utf-8"):
        yield "nothing is recorded"
    called("test", "matrix.test.yaml")


def differences(case: MatrixCase, _: list[Line]) -> Iterator[str]:
    """`antelog diff` of the program with itself."""
    if "same" not in (found := called("diff", "--check", case.program, case.program, *case.options)):
        yield found


def notebooks(_: MatrixCase, lines: list[Line]) -> Iterator[str]:
    """Lines as a notebook shows them."""
    shown = antelog.show(lines, most=len(lines) + 1)._repr_html_()
    if shown.count("<tr>") != len(lines) + 1:
        yield f"{shown.count('<tr>')} rows for {len(lines)} lines"


def plays(case: MatrixCase, lines: list[Line]) -> Iterator[str]:
    """The course of `antelog play`, with the board of each tick."""
    if any(name == "--arrival" for name, _ in case.given):
        return  # its tables have a column of that name
    inputs = dict(value.split("=", 1) for name, value in case.given if name == "--input")
    functions = next((Path(value) for name, value in case.given if name == "--functions"), None)
    draft = DraftFiles(Path(case.program), {name: Path(path) for name, path in inputs.items()}).read()
    played = play(draft, PlayOptions(case.program, functions), Path())
    if played.course is None:
        yield f"{played.problems}"
        return
    for tick, board in played.course.boards(played.course.changing):
        wanted = open_after(each for each in lines if each["tick"] <= tick)
        if len(board.open) != len(wanted):
            yield f"{len(board.open)} open at {tick}, {len(wanted)} by the lines"


# ---- the page and the alerts of `antelog watch` ----


def watched(case: MatrixCase, lines: list[Line]) -> Iterator[str]:
    """Half of the facts, then all: the page of what is open then, and the alerts of all changes."""
    kinds = KINDS + ",likely,unlikely" * case.has_alerts
    alerts = ("--alert", "command:tee -a alerts", "--alert-on", kinds, "--alert-from", "start")
    state = ("--once", "--state", "s.state", "--alert-every", 0)
    words = ("watch", case.program, *case.options, *case.model, *state, *alerts)
    case.write(Path(), half=True)
    found = lines_of(called(*words))
    yield from seen(antelog.live("s.state"), open_after(found))
    case.write(Path())
    found += lines_of(called(*words))
    yield from seen(antelog.live("s.state"), open_after(found))
    letters = lines_of(Path("alerts").read_text("utf-8")) if Path("alerts").exists() else []
    sent = [each for letter in letters for each in letter.get("alerts", [letter])]
    # What was lost is told once, and again when it is seen.
    sent, found = ([each for each in some if not each.get("lost")] for some in (sent, found))
    if sorted(map(change_in, sent)) != sorted(map(change_in, found)):
        yield f"alerts of {len(sent)} of {len(found)} changes"
    at_once = lines_of(called("watch", case.program, *case.options, *case.model, "--once", "--no-page"))
    yield from differing("--once", at_once, lines)


def seen(page: Live, wanted: Mapping[str, Line]) -> Iterator[str]:
    """The views, the API and the exports of a page, and the answers that it has."""
    while not page._live.caught_up:
        ask(page, "/healthz", token=None)
    answers = ask(page, "/api/now?count=1000", token=None).json["answers"]
    own = (
        f"{path}/{each['id']}" for each in answers[:3] for path in ("/answer", "/part/answer", "/api/answers")
    )
    for path in (*VIEWS, *own):
        if (status := ask(page, path, token=None).status) != 200:
            yield f"{path} is {status}"
    lines = [ask(page, f"/api/answers/{each['id']}", token=None).json["lines"][-1] for each in answers]
    found = [each for each in lines if "lost" not in each]
    yield from differing("/api/now", found, wanted.values())


# ---- batches on Spark ----


def batches(case: MatrixCase, lines: list[Line]) -> Iterator[str]:
    """The changes of `antelog run`; its Spark may have begun in another folder."""
    here = Path.cwd()
    options = [re.sub("=(?=.*[.]csv$)", f"={here}/", each) for each in case.options]
    called("run", case.program, *options, *case.model, "--output", f"json:{here}/changes")
    rows = [row for path in Path("changes").glob("*.json") for row in lines_of(path.read_text("utf-8"))]
    changes: list[Line] = [dict(line_of(row) or row) for row in rows]
    found = [{name: each[name] for name in each if name not in each["answer"]} for each in changes]
    yield from differing("run", map(_in_ticks, found), map(_in_ticks, lines))


def _in_ticks(line: Line) -> Line:
    """A line without timestamps, which Spark writes in a way of its own."""
    silent = line.get("if_silent") or {}
    kept = {name: each for name, each in line.items() if not name.endswith("time") and name != "times"}
    return kept | ({"if_silent": {"change": silent["change"], "tick": silent["tick"]}} if silent else {})
