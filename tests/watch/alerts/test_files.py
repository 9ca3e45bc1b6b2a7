"""antelog/watch/alerts/files.py: alerts in a file, each with its own kinds, conditions and words."""

from pathlib import Path

import pytest

from antelog.watch.alerts.alert import Alert, AlertError
from antelog.watch.alerts.files import alerts_in


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
        ("[[alert]]\nwhere = ['X=1']", "alert 1: it does not say whom to tell"),
        ("[[alert]]\nto = 'x'\n[[alert]]\nto = 3", "alert 2: `to` is something else. It has to be a text."),
        ("[[alert]]\nto = 'x'\non = 'likely'", "`on` is something else. It has to be a list of texts"),
        ("[[alert]]\nto = 'x'\non = [1]", "`on` is something else"),
        ("[[alert]]\nto = 'x'\ntemplat = 'x'", "it cannot have `templat`. Did you mean template?"),
    ],
)
def test_refused(path: Path, text: str, said: str) -> None:
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
