"""antelog/cli/commands/try_.py: every recorded case."""

import itertools
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.trying import CONFORMANCE, antelog

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
        return json.dumps(texts, sort_keys=True)

    return min(map(with_names, itertools.permutations(names)))


def comparable(answers: list[dict[str, Any]], like: list[dict[str, Any]]) -> dict[str, Any]:
    """Answers by their values, with the explanations, and what else the expected ones tell."""
    reported = {_name(answer): answer.keys() & {"if_silent", "decided_by"} for answer in like}
    found = {}
    for answer in answers:
        name = _name(answer)
        assert name not in found
        rest = {key: answer.get(key) for key in reported.get(name, ())}
        found[name] = (sorted(map(renamed, answer["explanations"])), rest)
    return found


def _name(answer: dict[str, Any]) -> str:
    """What tells an answer from others; that of all others from one that is open."""
    return json.dumps([answer["answer"], answer.get("others")], sort_keys=True)


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


def test_what_is_refused_is_said_as_check_says_it(tmp_path: Path) -> None:
    program = tmp_path / "program.alog"
    program.write_text(
        "input A(x: text, time). input B(x: text, time).\nQ(X, T) :- A(X, T), not B(Y, T).\nquery Q(X, T).\n",
        encoding="utf-8",
    )
    done, checked = antelog("try", program), antelog("check", program)
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr == checked.stderr
    assert "error E404" in done.stderr
