"""antelog/watch/alerts/checking.py: what is wrong with alerts is said before the stream starts."""

from pathlib import Path

import pytest

from antelog import Program, parse
from antelog.watch.alerts import checking
from antelog.watch.alerts.alert import Alert, AlertError, Query, Wanted
from antelog.watch.alerts.checking import wanted

TEXT = "input P(x, time). Q(X, T) :- P(X, T). "
PLAIN, ALERT = parse(TEXT + "query Q(X, T)."), parse(TEXT + "query Q(X, T) alert 80%.", name="p.alog")


def test_what_is_wanted() -> None:
    alerts = (Alert("command:cat"), Alert("command:cat", on=("rejected",)))
    assert wanted(alerts, ALERT) == Wanted(alerts, (Query("Q", ("X", "T"), "T", "likely"),), "p.alog", None)
    assert wanted(alerts, ALERT, chances=False).queries[0].usual == "confirmed"


def test_files_are_looked_at(tmp_path: Path) -> None:
    Path(tmp_path, "a").write_text("http://localhost/", encoding="utf-8")
    assert wanted([Alert(f"webhook:@{tmp_path / 'a'}")], PLAIN).alerts
    with pytest.raises(AlertError, match="cannot be read"):
        wanted([Alert(f"webhook:@{tmp_path / 'b'}")], PLAIN)


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
        wanted([alert], program)
    assert said in str(caught.value)


def test_alerts_of_chances_need_chances() -> None:
    with pytest.raises(AlertError, match=r"there are no chances\. Give a --model"):
        wanted([Alert("command:cat", on=("likely",))], ALERT, chances=False)


def test_a_missing_library_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path(tmp_path, "a").write_text("http://localhost/", encoding="utf-8")
    monkeypatch.setattr(checking, "find_spec", lambda _: None)
    with pytest.raises(AlertError, match=r"webhook needs the package httpx.*pip install 'antelog\[watch\]'"):
        wanted([Alert(f"webhook:@{tmp_path / 'a'}")], PLAIN)
    assert wanted([Alert("command:cat")], PLAIN).alerts  # commands need none
