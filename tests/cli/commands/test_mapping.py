"""antelog/cli/commands: `--map`, `--time-zone` and `--time-format`, packed files, rows of no use."""

import gzip
import json
from pathlib import Path

import pytest

from tests.cli.trying import LOG, antelog

UPLINKS = [
    {"ids": {"device": "wt2"}, "up": {"decoded": {"level": "high"}}, "at": 0, "arrival": 0},
    {"ids": {"device": "wt2"}, "up": {"decoded": {"level": "high"}}, "at": 1, "arrival": 2},
    {"ids": {"device": "wt4"}, "up": {"decoded": {"level": "high"}}, "at": 1, "arrival": 1},
]
JOIN = {"ids": {"device": "wt9"}, "join": {}, "at": 1, "arrival": 1}
MAPS = ("--map", "device=ids.device", "--map", "Temp.level=up.decoded.level", "--map", "time=at")
LATE = "device,level,time,arrival\nwt2,high,0,9\nwt4,high,1,9\nwt4,high,soon,9\n"
SAID = "error: late.csv: none of its 3 rows can be used: mostly (2): "

pytestmark = pytest.mark.usefixtures("here")


def lines(*uplinks: object) -> bytes:
    return "".join(f"{json.dumps(each)}\n" for each in uplinks).encode()


@pytest.mark.parametrize(
    ("command", "name"), [(("try",), "up.jsonl"), (("watch", "--no-page", "--once"), "up.jsonl.gz")]
)
def test_columns_are_mapped_to_fields_within_fields(command: tuple[str, ...], name: str) -> None:
    content = lines(UPLINKS[0], JOIN, *UPLINKS[1:])
    Path(name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    done = antelog(*command, "p.alog", "--input", f"Temp={name}", *MAPS)
    assert (done.exit_code, done.stdout.splitlines()) == (0, LOG)
    assert f"{name}:2: lacks up.decoded.level\n" in done.stderr


@pytest.mark.parametrize("command", [("try",), ("watch", "--no-page", "--once")])
def test_a_message_about_missing_columns_can_be_pasted(command: tuple[str, ...]) -> None:
    Path("up.csv").write_text("sensor_id,level,time\nwt2,high,0\n", encoding="utf-8")
    done = antelog(*command, "p.alog", "--input", "Temp=up.csv")
    said = "up.csv: has no column device for Temp(device, level, time); it has sensor_id, level, time. "
    assert (done.exit_code, done.stderr) == (
        1, f"error: {said}Say which column it is, as in --map Temp.device=sensor_id\n"
    )  # fmt: skip
    done = antelog(*command, "p.alog", "--input", "Temp=up.csv", *done.stderr.split()[-2:])
    assert (done.exit_code, '"X": "wt2"' in done.stdout) == (0, True)


def test_static_facts_are_mapped() -> None:
    Path("q.alog").write_text(
        "static Site(device, place). A(X, P, T) :- Temp(X, high, T), Site(X, P). query A(X, P, T)."
    )
    Path("sites.jsonl").write_bytes(lines({"id": "wt2", "at": {"name": "hill"}}))
    maps = ("--map", "Site.device=id", "--map", "place=at.name")
    done = antelog("try", "q.alog", "--input", "Temp=temp.csv", "--static", "Site=sites.jsonl", *maps)
    assert (done.exit_code, '"P": "hill"' in done.stdout) == (0, True)
    Path("sites.jsonl").write_bytes(lines({"id": "wt2", "at": {"name": []}}))
    done = antelog("try", "q.alog", "--input", "Temp=temp.csv", "--static", "Site=sites.jsonl", *maps)
    said = "error: sites.jsonl: its only row cannot be used: the value of at.name is a list, as in line 1: "
    assert (done.exit_code, said in done.stderr) == (1, True)


@pytest.mark.parametrize(
    "command",
    [
        ("try",),
        ("try", "--snapshots"),
        ("watch", "--no-page", "--once"),
        ("draw", "--output", "p.svg"),
        ("learn", "--output", "m"),
        ("score",),
    ],
)
def test_without_a_row_of_use_a_command_fails_and_says_why(command: tuple[str, ...]) -> None:
    if command[0] == "draw":
        pytest.importorskip("altair")
    Path("late.csv").write_text(LATE, encoding="utf-8")
    done = antelog(*command, "p.alog", "--input", "Temp=late.csv")
    assert done.exit_code == 1
    assert done.stderr.splitlines()[-1].startswith(SAID + "arrived at tick 9, ")
    assert "as in line 2: Temp(wt2, high, 0)" in done.stderr
    assert not Path("p.svg").exists()
    assert not Path("m").exists()


@pytest.mark.parametrize("command", [("try",), ("watch", "--no-page", "--once")])
@pytest.mark.parametrize("rows", ["wt2,high,0,9\n", "wt2,high,0,9\nwt4,high,7,1\n"])
def test_rows_that_only_came_at_the_wrong_time_are_a_warning(command: tuple[str, ...], rows: str) -> None:
    Path("late.csv").write_text("device,level,time,arrival\n" + rows, encoding="utf-8")
    done = antelog(*command, "p.alog", "--input", "Temp=late.csv")
    assert (done.exit_code, "error" in done.stderr) == (0, False)
    assert "late.csv:2: arrived at tick 9, " in done.stderr
    assert "set aside (1 " in done.stderr


def test_a_watch_that_goes_on_need_not_find_rows_of_use() -> None:
    arguments = ("watch", "p.alog", "--no-page", "--once", "--state", "s", "--input", "Temp=log.csv")
    Path("log.csv").write_text("device,level,time\nwt2,high,0\n", encoding="utf-8")
    assert antelog(*arguments).exit_code == 0
    Path("log.csv").write_text("device,level,time\nwt2,high,0\nwt2,high,soon\n", encoding="utf-8")
    done = antelog(*arguments)
    assert (done.exit_code, "1 row was set aside (1 malformed)" in done.stderr) == (0, True)


def test_a_packed_file_that_grows_is_refused() -> None:
    Path("log.csv.gz").write_bytes(gzip.compress(b"device,level,time\nwt2,high,0\n")[:-9])
    done = antelog("watch", "p.alog", "--no-page", "--input", "Temp=log.csv.gz")
    said = "error: log.csv.gz: cannot be unpacked: it ends too early; a packed file has to be complete"
    assert (done.exit_code, said in done.stderr) == (1, True)


LOGINS = """tick 1 minute.
input Login(user, outcome, id, time) delay 1.
input Temp(device, value, time) delay 1, one per device.
Brute(U, T) :- Login(U, failed, _, T), count(Login(U, failed, _, T-9..T)) >= 7.
Any(X, T) :- Temp(X, V, T), V > 9.
query Brute(U, T).
query Any(X, T).
"""
FAILURES = [f"ann,failed,2026-03-01T10:00:{4 * i:02}Z" for i in range(7)]


@pytest.mark.parametrize("command", [("try",), ("watch", "--no-page", "--once")])
def test_a_column_of_its_own_from_where_each_row_was_read(command: tuple[str, ...]) -> None:
    Path("q.alog").write_text(LOGINS)
    Path("logins.csv").write_text("\n".join(["user,outcome,time", *FAILURES, ""]))
    done = antelog(*command, "q.alog", "--input", "Login=logins.csv", "--map", "Login.id=@row")
    (confirmed,) = [json.loads(line) for line in done.stdout.splitlines() if '"confirmed"' in line]
    evidence = {text for found in confirmed["explanations"] for text in found["evidence"]}
    assert {f'Login(ann, failed, "logins.csv:{i}", 29539320)' for i in range(2, 9)} <= evidence
    assert "done: 7 facts\n" in done.stderr


STEPS = """input Ev(user, kind, at: number, time).
Paid(X, A, B, T) :- Ev(X, order, A, T), Ev(X, paid, B, T+1).
query Paid(X, A, B, T).
"""
ROWS = ["u1,order,100", "u1,paid,100", "u2,paid,100", "u2,order,100", "u2,order,x", "u2,paid,101"]
NUMBERED = ("--map", "Ev.time=@number", "--map", "Ev.at=time")


def _paid(output: str) -> list[tuple[object, ...]]:
    found = (json.loads(line) for line in output.splitlines())
    return [(*each["answer"].values(), each["tick"]) for each in found if each["change"] == "confirmed"]


@pytest.mark.parametrize("files", [[ROWS], [ROWS[:1], ROWS[1:2], ROWS[2:]]])
@pytest.mark.parametrize("command", [("try",), ("watch", "--no-page", "--once")])
def test_rows_are_ticks_in_the_order_they_are_read(command: tuple[str, ...], files: list[list[str]]) -> None:
    Path("q.alog").write_text(STEPS)
    for number, rows in enumerate(files):
        Path(f"ev{number}.csv").write_text("\n".join(["user,kind,time", *rows, ""]))
    done = antelog(*command, "q.alog", "--input", "Ev=ev?.csv", *NUMBERED)
    assert _paid(done.stdout) == [("u1", 100, 100, 1, 2), ("u2", 100, 101, 4, 5)]
    assert done.stderr.startswith("done: 6 facts (5 used, 1 malformed)")


def test_rows_are_numbered_on_where_a_run_goes_on() -> None:
    Path("q.alog").write_text(STEPS)
    command = ("watch", "q.alog", "--no-page", "--once", "--state", "s.db", "--input", "Ev=ev.csv", *NUMBERED)
    found = []
    for rows in (ROWS[:1], ROWS[:4], [*ROWS, "u3,order,102"]):  # a tick ends with the row after it
        Path("ev.csv").write_text("\n".join(["user,kind,time", *rows, ""]))
        found += _paid(antelog(*command).stdout)
    assert found == [("u1", 100, 100, 1, 2), ("u2", 100, 101, 4, 5)]


TIES = """tick 1 minute.
input Ev(user, kind, n: number, time).
Paid(X, N, M, T) :- Ev(X, order, N, T), Ev(X, paid, M, U), M > N, U >= T, U <= T + 5 minutes,
    count(Ev(X, _, K, T..U), K > N, K < M) = 0.
query Paid(X, N, M, T).
"""


def test_numbers_of_rows_order_what_shares_a_tick() -> None:
    Path("q.alog").write_text(TIES)
    Path("ev.csv").write_text("\n".join(["user,kind,time", *ROWS]))
    done = antelog("try", "q.alog", "--input", "Ev=ev.csv", "--map", "n=@number")
    assert [each[:3] for each in _paid(done.stdout)] == [("u1", 1, 2), ("u2", 4, 5)]


@pytest.mark.parametrize(
    ("command", "program", "maps", "said"),
    [
        (
            "try",
            TIES,
            "Ev.time=@number",
            "Ev.time=@number: rows have no length, and the program has a `tick`",
        ),
        (
            "try",
            f"{STEPS}input Ad(x, time).",
            "Ev.time=@number",
            "rows of several inputs have no common order",
        ),
        ("try", "input Ev(time).\nP(T) :- Ev(T).\nquery P(T).", "time=@number", "Ev has no other column"),
        (
            "try",
            STEPS.replace("kind", "kind: text"),
            "kind=@number",
            "the number of a row is a number, and kind is a text. Map a column of its own: `input Ev(…, n:",
        ),
        ("watch", STEPS, "Ev.time=@number", "http: has rows of several senders, in no order"),
        ("run", STEPS, "Ev.time=@number", "Spark reads rows in no order, so they have no numbers"),
    ],
)
def test_rows_that_have_no_numbers(command: str, program: str, maps: str, said: str) -> None:
    Path("q.alog").write_text(program)
    source = "http:" if command == "watch" else "ev.csv"
    output = ("--output", "console") if command == "run" else ()
    done = antelog(command, "q.alog", "--input", f"Ev={source}", "--map", maps, *output)
    assert done.exit_code == 2
    assert said in " ".join(done.stderr.split())


def test_facts_that_are_one_in_their_tick_are_said_first_with_the_tick_that_keeps_them() -> None:
    Path("q.alog").write_text(LOGINS)
    Path("logins.csv").write_text(
        "\n".join(["user,outcome,id,time", *(e.replace("d,", "d,1,") for e in FAILURES)])
    )
    rows = (f"a,{i},2026-03-01T10:{53 * i // 60:02}:{53 * i % 60:02}Z" for i in range(20))
    Path("temp.csv").write_text("\n".join(["device,value,time", *rows]))
    done = antelog("try", "q.alog", "--input", "Login=logins.csv", "--input", "Temp=temp.csv")
    login, temp, count = done.stderr.splitlines()[:3]
    said = (
        "warning: 6 of 7 facts of Login are repeated in their tick; `tick 4 seconds.` would keep them apart; "
    )
    assert login.removeprefix(said) == "with a column more and --map Login.COLUMN=@row each row is counted"
    said = "warning: 3 of 20 facts of Temp are conflicting in their tick; `tick 53 seconds.` would keep them"
    assert (temp, count) == (f"{said} apart", "done: 27 facts (18 used, 6 repeated, 3 conflicting)")


_UTC, _TWICE = (
    "times without an offset are taken as those of UTC",
    "Temp: 1 row without an offset in an hour that",
)


@pytest.mark.parametrize(
    ("declared", "options", "times", "notes"),
    [
        ("", (), ["2026-07-01T05:30:00+00:00", "2026-10-25T02:30:00+00:00"], {_UTC}),
        ('zone "UTC".', (), ["2026-07-01T05:30:00+00:00", "2026-10-25T02:30:00+00:00"], set()),
        ('zone "Europe/Berlin".', (), ["2026-07-01T05:30:00+02:00", "2026-10-25T02:30:00+02:00"], {_TWICE}),
        (
            'zone "Europe/Berlin".',
            ("--time-zone", "Temp=Asia/Tokyo", "--time-format", "%m/%d/%Y %H:%M"),
            ["2026-06-30T22:30:00+02:00", "2026-07-01T03:00:00+02:00", "2026-10-24T19:30:00+02:00"],
            set(),
        ),
    ],
)
@pytest.mark.parametrize("command", [("try",), ("watch", "--once", "--no-page")])
def test_zones_of_times(
    tmp_path: Path,
    command: tuple[str, ...],
    declared: str,
    options: tuple[str, ...],
    times: list[str],
    notes: set[str],
) -> None:
    program, readings = tmp_path / "p.alog", tmp_path / "temp.csv"
    program.write_text(
        f"tick 10 minutes. {declared} input Temp(x, time). Hot(X, T) :- Temp(X, T). query Hot(X, T)."
    )
    readings.write_text("x,time\na,2026-07-01 05:30\nb,07/01/2026 10:00\nc,25.10.2026 02:30\n")
    found = antelog(*command, str(program), "--input", f"Temp={readings}", *options)
    assert [json.loads(line)["time"] for line in found.stdout.splitlines()] == times
    assert {note for note in (_UTC, _TWICE) if found.stderr.count(note) == 1} == notes
    assert ("--time-format '%m/%d/%Y %H:%M' reads it with the month first" in found.stderr) == (not options)


def test_a_state_of_another_reading(tmp_path: Path) -> None:
    program, readings, state = tmp_path / "p.alog", tmp_path / "temp.csv", tmp_path / "state"
    program.write_text("tick 10 minutes. input Temp(x, time). Hot(X, T) :- Temp(X, T). query Hot(X, T).")
    readings.write_text("x,time\na,2026-07-01 05:30\n")
    watch = "watch", str(program), "--input", f"Temp={readings}", "--state", str(state), "--once", "--no-page"
    antelog(*watch)
    program.write_text(f'zone "Europe/Berlin". {program.read_text()}')
    said = "times of Temp without an offset are read in another zone. To go on with the new"
    assert said in antelog(*watch).stderr
    for more in (("--time-zone", "UTC"), ("--accept-changes",)):
        assert antelog(*watch, *more).exit_code == 0
