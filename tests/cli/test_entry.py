"""antelog/cli/{entry,stopping}.py: Ctrl-C and SIGTERM end the command in one line."""

import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from tests.processes import started

ROOT = Path(__file__).parents[2]
RULES = "input Temp(x, time) delay 2. Hot(X, T) :- Temp(X, T), Temp(X, T+1). query Hot(X, T)."
# What is before the guard is Python's own start, of which nobody can make anything.
GUARDED = "from antelog.cli import entry; entry.guard(); print('up', flush=True); entry.main()"
COMMANDS = {
    "try": ["try", "p.alog", "--input", "Temp=temp.csv", "--format", "table"],
    "check": ["check", "p.alog"],
    "learn": ["learn", "p.alog", "--input", "Temp=temp.csv", "--output", "p.model"],
    "score": ["score", "p.alog", "--input", "Temp=temp.csv", "--model", "learn"],
    "draw": ["draw", "p.alog", "--input", "Temp=temp.csv", "-o", "p.svg"],
    "watch": ["watch", "p.alog", "--input", "Temp=temp.csv"],
    "run": ["run", "--help"],
}


@pytest.fixture(autouse=True)
def _interrupted_as_usual(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    # Where the tests run in the background, a shell has them, and what they start, ignore interruptions.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.chdir(tmp_path)
    Path("p.alog").write_text(RULES)
    Path("temp.csv").write_text("x,time\n" + "".join(f"d{t % 7},{t}\n" for t in range(100_000)))


STATUS = {signal.SIGINT: 130, signal.SIGTERM: 143}


def interrupted(code: str, name: str, number: signal.Signals, after: float = 0.0) -> tuple[int, str]:
    """The status of a command that gets a signal once it is up, or later, and what it says to stderr."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with started([sys.executable, "-c", code, *COMMANDS[name]], **pipes) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        with suppress(subprocess.TimeoutExpired):
            process.wait(after)
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
        return process.returncode, said


LOADING = """
import sys
from antelog.cli import entry
class Waits:
    def find_spec(self, name, *_):
        if name == "MODULE":
            print("up", flush=True)
            sys.stdin.read()
sys.meta_path.insert(0, Waits())
entry.main()
"""


@pytest.mark.parametrize(
    ("module", "number"),
    [("antelog.cli.main", signal.SIGTERM), ("click", signal.SIGINT), ("pyarrow", signal.SIGINT)],
)
def test_an_interruption_while_it_is_being_loaded(module: str, number: signal.Signals) -> None:
    assert interrupted(LOADING.replace("MODULE", module), "try", number) == (STATUS[number], "Stopped.\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "turns"), [("try", 4), *(pytest.param(name, 20, marks=pytest.mark.long) for name in COMMANDS)]
)
def test_an_interruption_at_any_moment(name: str, turns: int) -> None:
    random = Random(name)
    for turn in range(turns):
        after, number = random.uniform(0, 1.5), [*STATUS][turn % 2]
        status, said = interrupted(GUARDED, name, number, after)
        assert not [*Path().glob(".*.partial")], (after, number)
        assert "Traceback" not in said, after
        # It may be done, or told watch to end as it should; or be so far done that Python itself is ending,
        # which has taken its handlers back by then. A shell has 130 for that, too.
        assert status in (0, STATUS[number], -number), (after, said)
        assert status in (0, -number) or said.endswith("Stopped.\n"), after


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_an_interruption_where_python_cannot_raise_one() -> None:
    code = (
        "import signal; from antelog.cli import entry; entry.guard()\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "class Odd:\n    def __del__(self): signal.raise_signal(signal.SIGINT)\n"
        "odd = Odd(); del odd; print('went on')"
    )
    done = python(code)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Stopped.\n")


def test_what_is_being_written_is_gone_when_the_work_is_told_to_end() -> None:
    code = (
        "import signal, click\n"
        "from antelog.cli import entry; entry.guard()\n"
        "from antelog.cli.show.endings import ending_in_words\n"
        "from antelog.writing import replacing\n"
        "with ending_in_words(click.Context(click.Command('x'))), replacing('out.html') as file:\n"
        "    file.write(b'half'); signal.raise_signal(signal.SIGTERM); print('went on')"
    )
    done = python(code)
    assert "went on" not in done.stdout
    assert "Stopped.\n" in done.stderr
    assert {each.name for each in Path().iterdir()} == {"p.alog", "temp.csv"}


def test_an_interruption_while_a_class_is_being_made() -> None:
    code = (
        "import contextlib, signal, click\n"
        "from antelog.cli import entry; entry.guard()\n"
        "from antelog.cli.show.endings import ending_in_words\n"
        "class Named:\n    def __set_name__(self, owner, name): signal.raise_signal(signal.SIGINT)\n"
        "ending = ending_in_words(click.Context(click.Command('x')))\n"
        "with contextlib.suppress(click.exceptions.Exit), ending:\n"
        "    class Odd:\n        named = Named()\n"
        "    print('went on')"
    )
    done = python(code)
    assert (done.stdout, done.stderr) == ("", "Stopped.\n")


def test_other_errors_that_python_cannot_raise_are_shown() -> None:
    code = (
        "from antelog.cli import entry; entry.guard()\n"
        "class Odd:\n    def __del__(self): raise ValueError('odd')\n"
        "odd = Odd(); del odd; print('went on')"
    )
    done = python(code)
    assert (done.returncode, done.stdout) == (0, "went on\n")
    assert "ValueError: odd" in done.stderr


def test_who_ignores_interruptions_goes_on_to() -> None:
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "from antelog.cli import entry; entry.guard()\n"
        "print(signal.getsignal(signal.SIGINT) is signal.SIG_IGN)"
    )
    done = python(code)
    assert done.stdout == "True\n"


def test_the_module_is_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "antelog", "--version"], capture_output=True, text=True, check=False
    )
    assert done.stdout.startswith("python -m antelog ")


def test_little_is_imported_before_the_guard() -> None:
    code = (
        "import sys; before = {*sys.modules}; from antelog.cli import entry; print(*{*sys.modules} - before)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    ours = sorted(name for name in done.stdout.split() if name.startswith("antelog"))
    assert ours == ["antelog", "antelog.cli", "antelog.cli.entry", "antelog.cli.stopping"]
    assert not {"typing", "click", "numpy"} & {*done.stdout.split()}
