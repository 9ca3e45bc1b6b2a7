"""antelog/cli/commands/{learn,score}.py: what is learned and how good it is, and how the commands end."""

import json
from pathlib import Path

import pytest

import antelog
from tests.cli.forecasting import PROGRAM, readings
from tests.cli.trying import antelog as run

FACTS = ("--input", "Temp=temp.csv")
FILES = {"p.alog": PROGRAM, "temp.csv": readings()}
pytestmark = pytest.mark.usefixtures("files")


def test_what_was_learned_is_said_and_used() -> None:
    done = run("learn", "p.alog", *FACTS, "--output", "p.model")
    assert (done.exit_code, done.stderr.splitlines()[-1]) == (
        0,
        "note: the model is in p.model; use it with --model p.model",
    )
    said = " ".join(done.stdout.split())
    assert "states, 3 values of X confirmed" in said
    assert "differs most a " in said
    assert "hangs on" in said
    assert "Brier score" in said
    Path("new.csv").write_text(readings(2, 5), encoding="utf-8")
    lines = run("try", "p.alog", "--input", "Temp=new.csv", "--model", "p.model").stdout.splitlines()
    chances = [json.loads(line).get("chance") for line in lines if '"possible"' in line]
    assert chances
    assert all(isinstance(chance, float) for chance in chances)


def test_a_command_that_learns_forgets_nothing() -> None:
    run("learn", "p.alog", *FACTS, "--output", "p.model")
    assert antelog.Model.load("p.model").half_life is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("--output", "p.model"),
            "error: there are no facts to learn from; give them with --input Temp=FILE",
        ),
        ((*FACTS, "--output", "no/p.model"), "error: no/p.model: cannot be written: there is no folder no"),
        (("--input", "Temp=few.csv", "--output", "p.model"), "error: 1 fact up to tick 0 is too little"),
    ],
)
def test_learning_that_fails(arguments: tuple[str, ...], message: str) -> None:
    Path("few.csv").write_text("device,level,time\na,low,0\n", encoding="utf-8")
    done = run("learn", "p.alog", *arguments)
    assert (done.exit_code, done.stdout) == (1, "")
    assert message in done.stderr
    assert not Path("p.model").exists()


def test_ten_facts_are_a_model_of_outcomes_alone() -> None:
    rows = "".join(f"a,high,{tick}\n" for tick in range(10))
    Path("few.csv").write_text("device,level,time\n" + rows, encoding="utf-8")
    done = run("learn", "p.alog", "--input", "Temp=few.csv", "--output", "p.model")
    assert done.exit_code == 0
    assert done.stdout.startswith("Malf: answers in ")
    lines = run("try", "p.alog", *FACTS, "--model", "p.model", "--until", "9").stdout.splitlines()
    reported = [json.loads(line) for line in lines]
    assert {line["chance_from"] for line in reported if "chance" in line} == {"outcomes"}


@pytest.mark.parametrize("shares", ["0%, again 100%", "100%, again 100%"])
def test_chances_of_nothing_and_of_all(shares: str) -> None:
    Path("p.alog").write_text(PROGRAM + f"chance Temp(_, high, _) = {shares}.\n", encoding="utf-8")
    lines = run("try", "p.alog", *FACTS).stdout.splitlines()
    chances = [json.loads(line).get("chance") for line in lines]
    assert all(0 <= chance <= 1 for chance in chances if chance is not None)
    assert "NaN" not in "".join(lines)
    done = run("score", "p.alog", *FACTS)
    assert done.exit_code == 0
    assert "nan" not in done.stdout


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"junk", "p.model is not a model that antelog wrote"),
        (None, "p.model: there is no such file; `antelog learn` writes a model"),
    ],
)
def test_models_that_cannot_be_used(content: bytes | None, message: str) -> None:
    if content is not None:
        Path("p.model").write_bytes(content)
    for command in ("try", "score"):
        done = run(command, "p.alog", *FACTS, "--model", "p.model")
        assert (done.exit_code, done.stdout) == (1, "")
        assert f"error: {message}" in done.stderr


def test_a_model_is_of_its_program_whatever_the_alert() -> None:
    run("learn", "p.alog", *FACTS, "--output", "p.model")
    Path("p.alog").write_text(PROGRAM.replace("50%", "90%"), encoding="utf-8")
    assert run("score", "p.alog", *FACTS, "--model", "p.model").exit_code == 0
    Path("p.alog").write_text(PROGRAM.replace("T+2", "T+3"), encoding="utf-8")
    done = run("score", "p.alog", *FACTS, "--model", "p.model")
    assert done.exit_code == 1
    assert "p.model was learned for another program: Malf is not the same in both" in done.stderr


def test_scores_as_text_page_and_numbers() -> None:
    done = run("score", "p.alog", *FACTS)
    assert done.exit_code == 0
    assert done.stdout.startswith("Malf\n====\n")
    for name in ("s.html", "s.json"):
        written = run("score", "p.alog", *FACTS, "--model", "learn", "--output", name)
        assert (written.exit_code, written.stdout) == (0, "")
    (row,) = json.loads(Path("s.json").read_text(encoding="utf-8"))["queries"]
    assert row["query"] == "Malf"
    assert row["brier"] < row["brier_base"]
    assert "<title>How good the forecasts of p.alog were</title>" in Path("s.html").read_text(
        encoding="utf-8"
    )


@pytest.mark.parametrize(
    ("command", "more", "said"),
    [
        ("try", ("--model", "learn"), True),
        ("score", (), True),
        ("watch", ("--model", "learn", "--once", "--no-page"), True),
        ("learn", ("--output", "p.model"), True),
        ("try", (), False),
    ],
)
def test_a_stream_that_is_too_short_to_learn_from(command: str, more: tuple[str, ...], said: bool) -> None:
    Path("temp.csv").write_text(readings(2, 40), encoding="utf-8")
    stderr = " ".join(run(command, "p.alog", *FACTS, *more).stderr.split())
    assert ("learned chances are of use from some 75 on, about" in stderr) is said
