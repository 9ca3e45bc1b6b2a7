"""antelog/spark/editions.toml: what goes with each PySpark, as pages and the project have it, and tried."""

import json
import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from antelog.spark.endpoints.sinks import lacking
from antelog.spark.settings import editions
from tests.servers import UnavailableError, kafka
from tests.spark.killing import run_to_end

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_has_the_same() -> None:
    page = (ROOT / "docs" / "spark" / "running.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (4\.\d+), [^|]+\| [^|]+ \| (\S+) \| (\S+) \| (\S+) \|", page, re.MULTILINE)
    assert {spark: found for spark, *found in rows} == {
        spark: [each.get(form, ":none").rpartition(":")[2] for form in ("kafka", "delta", "iceberg")]
        for spark, each in editions().items()
    }


def test_the_project_takes_up_to_the_newest_with_topics_and_tables() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = next(each for each in project["optional-dependencies"]["spark"] if each.startswith("pyspark"))
    taken = [spark for spark in editions() if Requirement(wanted).specifier.contains(f"{spark}.9")]
    fit = [spark for spark, each in editions().items() if "kafka" in each and len(each) > 1]
    assert (taken[0], taken[-1]) == ("4.1", fit[-1])


def test_what_is_lacking_is_named() -> None:
    packages = editions()["4.2"]["delta"]
    assert f"--conf spark.jars.packages={packages} " in lacking("delta", "4.2.1")
    assert lacking("iceberg", "4.2.1").endswith("PySpark 4.1 has one: pip install 'pyspark==4.1.*'")


@pytest.mark.long
def test_a_topic_is_followed_and_written(tmp_path: Path) -> None:
    """With the connector that `antelog run` has Spark fetch; a second run goes on after the first."""
    program = "input Temp(x: text, time).\nHot(X, T) :- Temp(X, T), not Temp(X, T+1).\nquery Hot(X, T).\n"
    (tmp_path / "p.alog").write_text(program, encoding="utf-8")
    try:
        with kafka() as broker:
            for topic in ("temps", "hot"):
                broker.create(topic, 2)
            said = ["run", "p.alog", "--input", f"Temp=kafka://{broker.servers}/temps", "--stream"]
            said += ["--output", f"kafka://{broker.servers}/hot", "--checkpoint", "state", "--buckets", "2"]
            said += ["--trigger", "available-now", "--only", "confirmed", "--master", "local[2]"]
            for ticks in ((1, 2, 5), (6, 9)):
                broker.send("temps", [f"a\t{json.dumps({'x': 'a', 'time': tick})}" for tick in ticks])
                run_to_end(said, tmp_path)
            found = [value["answer"] for _, value in broker.messages("hot")]
    except UnavailableError as error:
        pytest.skip(str(error))
    assert found == [{"X": "a", "T": 2}, {"X": "a", "T": 6}]
