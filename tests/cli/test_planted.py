"""Modules in the working folder: no process that antelog starts runs what lies beside somebody's rules."""

import re
import subprocess
import sys
import urllib.request
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.processes import Start, until

pytest.importorskip("uvicorn")

ANTELOG = str(Path(sys.executable).with_name("antelog"))
# What a planted module does; it is no module that anybody could go on with.
MARK = "open(__file__ + '.ran', 'w').close()\n"


@pytest.fixture
def planted(here: Path) -> Path:
    """The folder, with a module of every name that Python or a library of it has."""
    names = {*sys.stdlib_module_names, *packages_distributions()} - {"sitecustomize", "usercustomize"}
    for name in names:
        if name.isidentifier():
            (here / f"{name}.py").write_text(MARK)
    return here


def ran(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.glob("*.ran"))


def test_the_page_and_the_sender_run_nothing_of_the_working_folder(planted: Path, start: Start) -> None:
    (planted / "to").write_text("json://127.0.0.1:9")  # where nobody listens
    with (planted / "temp.csv").open("a") as facts:
        facts.write("wt2,low,9,9\n")  # so that the ticks before are over
    said = planted / "said"
    alert = ("--alert", "apprise:@to", "--alert-on", "confirmed", "--alert-from", "start")
    with said.open("w") as file:
        process = start(
            [ANTELOG, "watch", "p.alog", "--input", "Temp=temp.csv", *alert],
            stdout=subprocess.DEVNULL, stderr=file,
        )  # fmt: skip
    link = until(lambda: re.search(r"the page: (http\S+)/\?token=(\S+)", said.read_text()), process)
    request = urllib.request.Request(f"{link[1]}/part/now", headers={"Authorization": f"Bearer {link[2]}"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        assert answer.status == 200
    until(lambda: "apprise:@to: ended with 1" in said.read_text(), process, said.read_text)
    assert ran(planted) == []


@pytest.mark.slow
def test_workers_of_spark_run_nothing_of_the_working_folder(planted: Path) -> None:
    pytest.importorskip("pyspark")
    words = ["run", "p.alog", "--input", "Temp=temp.csv", "--output", "console", "--master", "local[1]"]
    done = subprocess.run([ANTELOG, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "confirmed" in done.stdout
    assert ran(planted) == []
