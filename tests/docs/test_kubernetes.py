"""docs/kubernetes.md: the commands in the files of docker/kubernetes are commands of this antelog."""

from typing import Any

import pytest
import yaml

from antelog.cli.commands import run as command
from antelog.run.settings import Settings
from antelog.spark.settings import editions
from tests.cli.trying import antelog
from tests.docs.pages import ROOT

FOLDER = ROOT / "docker" / "kubernetes"


def read(name: str) -> Any:
    return yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))["spec"]


@pytest.mark.parametrize("name", ["pod.yaml", "operator.yaml"])
def test_the_arguments_are_those_of_a_stream(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Settings] = []
    monkeypatch.setattr(command, "run_pipeline", lambda _program, settings, _address: found.append(settings))
    spec = read(name)
    words = spec["arguments"] if "arguments" in spec else spec["template"]["spec"]["containers"][0]["args"]
    assert "/rules/plant.alog" in words
    done = antelog(*(each.replace("/rules", str(ROOT / "docker")) for each in words))
    assert done.exit_code == 0, done.stderr
    (settings,) = found
    assert settings.stream
    assert settings.metrics == ("0.0.0.0", 9464)


def test_the_operator_has_packages_that_go_together() -> None:
    spec = read("operator.yaml")
    edition = editions()[spec["sparkVersion"].rpartition(".")[0]]
    assert spec["deps"]["packages"][0] == edition["kafka"]
    assert f"apache/spark:{spec['sparkVersion']} " in (FOLDER / "Dockerfile").read_text(encoding="utf-8")
