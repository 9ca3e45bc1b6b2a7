"""antelog/watch/alerts/{alert,letters}.py: what is wrong with alerts is said before the stream starts."""

from pathlib import Path

import pytest

from antelog import Program, parse
from antelog.watch.alerts import letters
from antelog.watch.alerts.alert import Alert, AlertError, AlertQuery, AlertSetup, alerts_in
from antelog.watch.alerts.letters import setup_of

TEXT = "input P(x, time). Q(X, T) :- P(X, T). "
PLAIN, ALERT = parse(TEXT + "query Q(X, T)."), parse(TEXT + "query Q(X, T) alert 80%.", name="p.alog")


def test_what_is_wanted() -> None:
    alerts = (Alert("command:cat"), Alert("command:cat", on=("rejected",)))
    assert setup_of(alerts, ALERT) == AlertSetup(
        alerts,
        (
            AlertQuery("Q", ("X", "T"), {"T": "time"}, "likely", "warning", "X"),
            AlertQuery("silent input", ("input", "slot"), {}, "silent", "warning", "input"),
        ),
        "p.alog",
        None,
        key="x",
    )
    assert setup_of(alerts, ALERT, chances=False).queries[0].usual == "confirmed"


def test_files_are_looked_at(tmp_path: Path) -> None:
    Path(tmp_path, "a").write_text("http://localhost/", encoding="utf-8")
    assert setup_of([Alert(f"webhook:@{tmp_path / 'a'}")], PLAIN).alerts
    with pytest.raises(AlertError, match="cannot be read"):
        setup_of([Alert(f"webhook:@{tmp_path / 'b'}")], PLAIN)


@pytest.mark.parametrize(
    ("alert", "program", "said"),
    [
        (Alert("slack:https://x"), PLAIN, "into a file"),
        (Alert("command:cat", on=("likly",)), ALERT, "Did you mean likely"),
        (Alert("command:cat", where=("R",)), PLAIN, "no query `R`"),
        (Alert("command:cat", template="{z}"), PLAIN, "stands for nothing"),
        (Alert("command:cat", on=("unlikely",)), PLAIN, "no query has an alert. Write it behind a query"),
    ],
)
def test_refused(alert: Alert, program: Program, said: str) -> None:
    with pytest.raises(AlertError) as caught:
        setup_of([alert], program)
    assert said in str(caught.value)


def test_alerts_of_chances_need_chances() -> None:
    with pytest.raises(AlertError, match=r"there are no chances\. Give a --model"):
        setup_of([Alert("command:cat", on=("likely",))], ALERT, chances=False)


def test_a_missing_library_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path(tmp_path, "a").write_text("http://localhost/", encoding="utf-8")
    monkeypatch.setattr(letters, "find_spec", lambda _: None)
    with pytest.raises(AlertError, match=r"webhook needs the package httpx.*pip install '\.\[watch\]'"):
        setup_of([Alert(f"webhook:@{tmp_path / 'a'}")], PLAIN)
    assert setup_of([Alert("command:cat")], PLAIN).alerts  # commands need none


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return Path("alerts.toml")


def test_alerts(path: Path) -> None:
    text = (
        '[[alert]]\nto = "slack:@a"\n[[alert]]\nto = "command:cat"\non = ["likely", "confirmed"]\n'
        'where = ["Malf X=wt*"]\ntemplate = "{X}"\n'
    )
    path.write_text(text, encoding="utf-8")
    assert alerts_in(path) == (
        Alert("slack:@a"),
        Alert("command:cat", ("likely", "confirmed"), ("Malf X=wt*",), "{X}"),
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "nothing but alerts"),
        ("alert = 3", "nothing but alerts"),
        ("alert = [3]", "nothing but alerts"),
        ("[[alert]]\nto='x'\n[more]", "nothing but alerts"),
        ("[[alert]]\nto", "alerts.toml: Expected"),
        ("[[alert]]\nwhere = ['X=1']", "alert 1: it does not say who gets it"),
        ("[[alert]]\nto = 'x'\n[[alert]]\nto = 3", "alert 2: `to` is something else. It has to be a text."),
        ("[[alert]]\nto = 'x'\non = 'likely'", "`on` is something else. It has to be a list of texts"),
        ("[[alert]]\nto = 'x'\non = [1]", "`on` is something else"),
        ("[[alert]]\nto = 'x'\ntemplat = 'x'", "it cannot have `templat`. Did you mean template?"),
    ],
)
def test_refused_in_a_file(path: Path, text: str, said: str) -> None:
    path.write_text(text, encoding="utf-8")
    with pytest.raises(AlertError) as caught:
        alerts_in(path)
    assert said in str(caught.value)


def test_what_cannot_be_read(path: Path) -> None:
    with pytest.raises(AlertError, match=r"alerts\.toml: cannot be read: No such file"):
        alerts_in(path)
    path.write_bytes(b"\xff")
    with pytest.raises(AlertError, match="it is not a text"):
        alerts_in(path)
