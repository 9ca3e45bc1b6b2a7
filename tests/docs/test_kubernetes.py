"""docs/kubernetes.md: the commands in the files of docker/kubernetes are commands of this antelog."""

import pytest
import yaml

from antelog.cli.commands import run as command
from antelog.run.settings import Settings
from antelog.spark.settings import editions
from tests.cli.trying import antelog
from tests.docs.pages import ROOT

FOLDER = ROOT / "docker" / "kubernetes"
PODS = yaml.safe_load((FOLDER / "pod.yaml").read_text("utf-8"))["spec"]["template"]["spec"]["containers"]
OPERATED = yaml.safe_load((FOLDER / "operator.yaml").read_text("utf-8"))["spec"]


@pytest.mark.parametrize("words", [PODS[0]["args"], OPERATED["arguments"]], ids=["pod", "operator"])
def test_the_arguments_are_those_of_a_stream(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Settings] = []
    monkeypatch.setattr(command, "run_pipeline", lambda _program, settings, _address: found.append(settings))
    done = antelog(*(each.replace("/rules", str(ROOT / "docker")) for each in words))
    assert done.exit_code == 0, done.stderr
    assert [(each.stream, each.metrics) for each in found] == [(True, ("0.0.0.0", 9464))]


def test_the_operator_has_packages_that_go_together() -> None:
    version = OPERATED["sparkVersion"]
    assert editions()[version.rpartition(".")[0]]["kafka"] in OPERATED["deps"]["packages"]
    assert f"apache/spark:{version} " in (FOLDER / "Dockerfile").read_text("utf-8")
