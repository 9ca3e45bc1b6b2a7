"""Every recorded case through `antelog try`."""

import itertools
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.trying import CONFORMANCE, antelog

# What the engine cannot run yet, in its own words.
CASES = sorted(path.parent.name for path in CONFORMANCE.glob("*/program.alog"))
_VARIABLE = re.compile(r'"(?:[^"\\]|\\.)*"|(?<![\w"])(?:_*[A-Z]\w*|_\w*)(?![\w(])')


def renamed(explanation: dict[str, Any]) -> str:
    """An explanation whose variables are named so that equal ones, up to names, come out equal."""
    parts = {key: sorted(explanation[key]) for key in ("evidence", "hypotheses")}
    names = sorted(
        {
            m
            for texts in parts.values()
            for text in texts
            for m in _VARIABLE.findall(text)
            if not m.startswith('"')
        }
    )

    def with_names(order: Iterable[str]) -> str:
        new = {name: f"_{number}" for number, name in enumerate(order)}
        texts = {
            k: sorted(_VARIABLE.sub(lambda m: new.get(m[0], m[0]), t) for t in v) for k, v in parts.items()
        }
        return json.dumps([texts, explanation.get("except", [])], sort_keys=True)

    return min(map(with_names, itertools.permutations(names)))


def comparable(answers: list[dict[str, Any]], like: list[dict[str, Any]]) -> dict[str, Any]:
    """Answers by their values, with the explanations, and what else the expected ones tell."""
    told = {json.dumps(a["answer"], sort_keys=True): a.keys() & {"if_silent", "decided_by"} for a in like}
    found = {}
    for answer in answers:
        name = json.dumps(answer["answer"], sort_keys=True)
        assert name not in found
        rest = {key: answer.get(key) for key in told.get(name, ())}
        found[name] = (sorted(map(renamed, answer["explanations"])), rest)
    return found


@pytest.mark.parametrize("case", CASES)
def test_conformance(case: str) -> None:
    folder = CONFORMANCE / case
    inputs = [x for file in sorted(folder.glob("*.csv")) for x in ("--input", f"{file.stem}={file}")]
    done = antelog(
        "try",
        folder / "program.alog",
        *inputs,
        "--until",
        (folder / "until").read_text().strip(),
        "--snapshots",
    )
    assert done.exit_code == 0
    assert "error" not in done.stderr
    got = {
        (line["tick"], line["query"]): line["answers"] for line in map(json.loads, done.stdout.splitlines())
    }
    assert len(got) == len(done.stdout.splitlines())
    for line in map(json.loads, (folder / "snapshots.jsonl").read_text(encoding="utf-8").splitlines()):
        answers = got[line["tick"], line["query"]]
        assert comparable(answers, line["answers"]) == comparable(line["answers"], line["answers"])


def test_what_cannot_be_run_is_said_clearly(tmp_path: Path) -> None:
    program = tmp_path / "program.alog"
    program.write_text(
        "input A(x, v: number, time). input B(x, time). High(V, T) :- A(X, V, T), V > 10.\n"
        "Q(X, V, T) :- B(X, T), not High(V, T-1).\nquery Q(X, V, T).\n",
        encoding="utf-8",
    )
    done = antelog("try", program)
    assert (done.exit_code, done.stdout) == (1, "")
    assert "error: the engine cannot run this program: " in done.stderr
    assert "compares it by order" in done.stderr
