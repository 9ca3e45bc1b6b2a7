"""The comparison with other engines, very small: those that are installed agree with brute force."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

pytest.importorskip("psutil")

from benchmarks.compare import brief, clusters
from benchmarks.compare.checking import Verdict, check
from benchmarks.compare.folder import Folder, write
from benchmarks.compare.launching import Took, launch
from benchmarks.compare.report import details, page
from benchmarks.compare.results import Measurement, Results, Run, load, save
from benchmarks.compare.systems import EVERYTHING, SYSTEMS
from benchmarks.compare.workloads import END, WORKLOADS, Given
from benchmarks.report import ROOT, setting

linux = pytest.mark.skipif(sys.platform != "linux", reason="processes are measured on Linux only")

MADE_UP = ("W1", "W2", "W3", "W4", "W5", "W7", "W8")
TINY = 0.001
ASKED = [name for name in SYSTEMS if "spark" not in name and name != "flink-sql-exact"]


@pytest.fixture(scope="module", params=MADE_UP)
def asked(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Given, Folder]:
    name = request.param
    given = WORKLOADS[name].prepare(TINY)
    folder = write(tmp_path_factory.mktemp(name) / "given", WORKLOADS[name], given)
    return name, given, folder


@linux
@pytest.mark.parametrize("system", ASKED)
def test_engines_agree_with_brute_force(
    system: str, asked: tuple[str, Given, Folder], tmp_path: Path
) -> None:
    name, given, folder = asked
    if SYSTEMS[system].missing:
        pytest.skip(SYSTEMS[system].missing)
    if name not in SYSTEMS[system].workloads:
        pytest.skip("it is not asked this")
    if name in SYSTEMS[system].unable:
        pytest.skip(SYSTEMS[system].unable[name])
    took = launch(SYSTEMS[system].launched(name, folder.path, tmp_path / "out"), tmp_path, 120)
    assert took.failed == ""
    assert took.cpu > 0
    assert took.peak > 0
    assert given.answers.height > 0
    assert check(tmp_path / "out", given.answers) == Verdict(given.answers.height, 0, 0, 0)


def test_what_is_wrong_with_answers_is_counted(tmp_path: Path) -> None:
    expected = pl.DataFrame({"a": ["x", "x", "y"], "t": [1, 2, 3]})
    (tmp_path / "answers.csv").write_text(f"x,1\nx,1\nz,7\n{END},9\n")
    (tmp_path / "_log").mkdir()
    (tmp_path / "_log" / "0").write_text("no answers")
    assert check(tmp_path, expected) == Verdict(reported=3, missing=2, untrue=1, repeated=1)
    assert check(tmp_path / "nothing", expected) == Verdict(reported=0, missing=3, untrue=0, repeated=0)


@linux
def test_a_failure_and_a_time_limit_are_reported(tmp_path: Path) -> None:
    ending = launch([sys.executable, "-c", "raise SystemExit('no such thing')"], tmp_path, 60)
    assert "no such thing" in ending.failed
    failing = "import sys; print('x.SomeError: the cause\\n  raise', file=sys.stderr); sys.exit(3)"
    ending = launch([sys.executable, "-c", failing], tmp_path, 60)
    assert ending.failed == "ended with 3: x.SomeError: the cause"
    killed = "import os, signal; os.kill(os.getpid(), signal.SIGTERM)"
    assert launch([sys.executable, "-c", killed], tmp_path, 60).failed.startswith("ended by SIGTERM")
    parent = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(60)'])"
    late = launch([sys.executable, "-c", parent], tmp_path, 1.5)
    assert late.failed == "not done in 0.025 minutes"
    assert late.out_of_time
    assert late.wall < 30


def test_every_engine_is_asked_or_says_why_not() -> None:
    for name, system in SYSTEMS.items():
        if name != "flink-sql-exact":
            assert {*system.workloads, *system.unable} == set(EVERYTHING), name
            assert not set(system.workloads) & set(system.unable), name


def test_the_page_has_what_was_measured_and_what_was_lost(tmp_path: Path) -> None:
    took = Took(wall=3.0, cpu=5.0, peak=123_000_000, others=1.5, failed="")
    runs = [
        Run("esper", "start", 0, replace(took, cpu=1.0), None),
        Run("esper", "W1", 1_000, took, Verdict(90, 10, 0, 0)),
        Run("antelog", "W1", 1_000, replace(took, failed="ended with 1: no"), None),
    ]
    measured = Measurement(setting(TINY, 1, {"Java": "17"}), runs)
    save(Results([measured]), tmp_path / "compare.json")
    text = details(load(tmp_path / "compare.json"))
    assert "| Esper † | 10 lost | 5.0 | 4.0 | 200 | 123 | 3.0 |" in text
    assert "| antelog, confirmed | ended with 1: no |" in text
    assert "Where there is a †, other processes kept more than" in text
    assert "1,000 events, 100 answers" in text


# ---- the beginning of the page: one picture, one sentence, one table ----


def _once_each(*runs: tuple[str, str, float, float]) -> Results:
    """Measurements of engine, workload, scale and CPU seconds, of one day."""
    took = Took(wall=3.0, cpu=5.0, peak=123_000_000, others=0.0, failed="")
    return Results(
        [
            Measurement(
                replace(setting(scale, 1, {"Java": "17"}), date="2026-01-01"),
                [
                    Run(system, name, int(1_000_000 * at), replace(took, cpu=cpu), Verdict(100, 0, 0, 0))
                    for system, name, at, cpu in runs
                    if at == scale
                ],
            )
            for scale in sorted({at for _, _, at, _ in runs}, reverse=True)
        ]
    )


RESULTS = _once_each(
    *(("antelog", name, 1.0, 2.0) for name in ("W1", "W2", "W3")),
    *(("antelog", name, 0.1, 1.0) for name in ("W1", "W2", "W3")),
    *(("esper", name, 1.0, cpu) for name, cpu in (("W1", 4.0), ("W2", 6.0), ("W3", 60.0))),
    *(("siddhi", name, 0.1, cpu) for name, cpu in (("W1", 4.0), ("W2", 5.0), ("W3", 6.0))),
    *(("polars-once", name, 1.0, cpu) for name, cpu in (("W1", 1.0), ("W2", 1.0))),
    ("bytewax", "W1", 1.0, 9.0),
)


def test_the_page_begins_with_one_picture_one_sentence_and_one_table() -> None:
    picture, first, table, *others = page(RESULTS).split("\n\n")[1:]
    assert first == (
        "**For the same answers, other engines that follow a stream took from 3.0 times (Esper, a Java "
        "library for patterns of events) to 5.0 times (Siddhi, a Java library for patterns of events) as "
        "much computing as antelog.** If all events are there already and a question is asked once, others "
        "take less: 0.5 times (Polars, a library for tables) as much."
    )
    assert picture.endswith(f"(images/{brief.FILE})")
    assert table.splitlines()[2:] == [
        "| Polars, once | a library for tables | **0.5** | **0.5** | **0.5** |  |",
        "| antelog, confirmed | rules over streams | 1.0 | 1.0 | 1.0 | 1.0 |",
        "| Esper | a Java library for patterns of events | 3.0 | 2.0 | 3.0 | 30 |",
        "| Siddhi | a Java library for patterns of events | 5.0 | 4.0 | 5.0 | 6.0 |",
    ]
    assert page(RESULTS).count("| --- |") == 1
    assert "from 500,000 to 500,000 events in a second of one core" in others[0]
    assert others[1].endswith("antelog on as many: Siddhi.")
    assert "\nMeasured on 2026-01-01, on " in page(RESULTS)
    assert brief.sentences(_once_each(("antelog", "W1", 1.0, 2.0))) == []


def test_the_kept_page_and_its_picture_begin_as_the_kept_results_say() -> None:
    results = load(ROOT / "benchmarks" / "results" / "compare.json")
    kept = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    anew = "run `python -m benchmarks.compare --report`"
    assert all(f"\n{said}\n" in kept for said in brief.sentences(results)), anew
    more = (ROOT / "docs" / clusters.DETAILS).read_text(encoding="utf-8")
    assert clusters.section(results) in more, anew
    each_engine = (ROOT / "docs" / "images" / "performance.svg").read_text(encoding="utf-8")
    asked = {SYSTEMS[run.system].title for run in results.runs if not run.failed}
    assert [title for title in asked if f">{title}<" not in each_engine] == [], "a name is missing or cut"
    picture = (ROOT / "docs" / "images" / brief.FILE).read_text(encoding="utf-8")
    for each in brief.compared(results):
        assert f">{each.system.title}<" in picture, anew
        assert f">{brief.shown(each)}<" in picture, anew
