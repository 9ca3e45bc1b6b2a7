"""What is published: one version, complete archives, workflows without passwords, images without root."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import yaml

from scripts import lock, release

ROOT = release.ROOT
CHANGELOG = "# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-12-01\n\n- New.\n\n## [0.1.0]\n\n- Old.\n"


def workflow(name: str) -> dict[str, Any]:
    # YAML takes the key `on` for the truth.
    text = (ROOT / ".github/workflows" / name).read_text("utf-8")
    found: dict[str, Any] = yaml.safe_load(re.sub(r"(?m)^on:", "when:", text))
    return found


def steps(name: str) -> list[dict[str, Any]]:
    return [step for job in workflow(name)["jobs"].values() for step in job["steps"]]


# ---- version and changelog ----


def test_version_changelog_and_metadata_agree() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    now = release.version()
    assert version("antelog") == now
    assert next(iter(release.sections(changelog))) == "Unreleased"
    assert list(release.sections(changelog))[1] == now, "the newest version of the changelog is this one"
    assert release.notes(changelog, now)
    assert release.notes(changelog, "0.1.0").startswith("The first version")


def test_the_version_stands_in_one_place() -> None:
    quoted = re.compile(rf"""["']{re.escape(release.version())}["']""")
    found = [path for path in (ROOT / "antelog").rglob("*.py") if quoted.search(path.read_text("utf-8"))]
    assert found == []


def test_notes_are_those_of_the_version() -> None:
    assert release.notes(CHANGELOG, "0.2.0") == "- New."
    for wanted in ("0.1.0", "0.3.0", "Unreleased"):
        with pytest.raises(ValueError, match=rf"no section `## \[{re.escape(wanted)}\] - DATE`"):
            release.notes(CHANGELOG, wanted)


def test_a_tag_is_that_of_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert release.main(["tag", f"v{release.version()}"]) == 0
    assert release.main(["tag", "v9.9.9"]) == 1
    assert "the tag is v9.9.9, but pyproject.toml has version" in capsys.readouterr().err
    assert release.main(["no", "such"]) == 2


# ---- archives ----


def test_what_an_archive_lacks_is_named() -> None:
    there, wanted = ["antelog/a.py", "tests/test_a.py"], ["antelog/a.py", "antelog/page.css"]
    said = release.complaints("x.whl", there, wanted)
    faults = ("lacks antelog/page.css", "has tests/test_a.py", "lacks the licence")
    assert list(said) == [f"x.whl {fault}" for fault in faults]
    assert list(release.complaints("x.whl", ["antelog/a.py", "x/LICENSE"], ["antelog/a.py"])) == []


def test_the_package_has_more_than_python() -> None:
    kinds = {Path(path).suffix for path in release.shipped()}
    assert {".py", ".typed", ".lark", ".html", ".css", ".js", ".svg", ".properties"} <= kinds | {
        Path(path).name.removeprefix("py") for path in release.shipped()
    }


def test_what_is_built_is_complete_and_the_wheel_alone_is_enough(tmp_path: Path) -> None:
    """In an empty environment, away from the sources, with the libraries that the wheel asks for."""
    built = tmp_path / "dist"
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(built), str(ROOT)],
        check=True, capture_output=True,
    )  # fmt: skip
    assert release.archives(built) == []
    (wheel,) = built.glob("*.whl")
    place = tmp_path / "empty"
    subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
    found = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}

    def run(*words: object) -> str:
        done = subprocess.run(
            [str(place / "bin" / str(words[0])), *map(str, words[1:])],
            env=found, cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run("pip", "install", "--quiet", f"{wheel}[watch]")
    turbines = ROOT / "examples" / "turbines"
    given = (turbines / "malfunctions.alog", "--input", f"Temp={turbines / 'Temp.csv'}")
    assert release.version() in run("antelog", "--version")
    assert '"confirmed"' in run("antelog", "try", *given)
    assert '"confirmed"' in run("antelog", "watch", *given, "--once", "--no-page")
    run("python", "-c", "from antelog.workbench.play.bench import PlayBench")


def test_archives_that_are_not_there_are_named(tmp_path: Path) -> None:
    assert len(release.archives(tmp_path)) == 2


# ---- workflows ----


@pytest.mark.parametrize("name", ["ci.yml", "release.yml"])
def test_actions_are_pinned_to_a_commit(name: str) -> None:
    used = [step["uses"] for step in steps(name) if "uses" in step]
    assert used
    assert [each for each in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", each)] == []
    for job in workflow(name)["jobs"].values():
        assert job["timeout-minutes"] <= 75


def test_a_change_is_guarded_by_what_guards_it_here() -> None:
    assert "bash .ci/run" in [step.get("run") for step in steps("ci.yml")]
    assert workflow("ci.yml")["permissions"] == {"contents": "read"}
    assert set(workflow("ci.yml")["when"]) == {"push", "pull_request"}


def test_a_release_needs_no_password_and_is_attested() -> None:
    found = workflow("release.yml")
    jobs = found["jobs"]
    assert found["when"] == {"push": {"tags": ["v*"]}}
    assert found["permissions"] == {}, "each job says what it may"
    pypi = jobs["pypi"]
    assert pypi["environment"]["name"] == "pypi"
    assert pypi["permissions"]["id-token"] == "write"
    publish = next(step for step in pypi["steps"] if step["uses"].startswith("pypa/gh-action-pypi-publish@"))
    assert publish["with"] == {"attestations": True}
    text = (ROOT / ".github/workflows/release.yml").read_text("utf-8")
    assert set(re.findall(r"secrets\.(\w+)", text)) == {"GITHUB_TOKEN"}
    for job in ("pypi", "images"):
        assert any(step.get("uses", "").startswith("actions/attest-") for step in jobs[job]["steps"])
        assert set(jobs[job]["needs"]) == {"build", "install"}, "nothing is published that was not tried"
        assert jobs[job]["if"] == "vars.PUBLISH == 'yes'", "a tag alone publishes nothing"


def test_a_release_is_checked_and_says_what_is_new() -> None:
    said = "\n".join(step.get("run", "") for step in steps("release.yml"))
    for part in ("release tag", "-m build", "twine check --strict", "release dist", "release notes > notes"):
        assert part in said
    for part in ("antelog --version", "antelog try", "antelog watch", "antelog run", "--notes-file notes.md"):
        assert part in said
    assert f"[{','.join(lock.of_users((ROOT / 'pyproject.toml').read_text('utf-8')))}]" in said, "all extras"
    assert 'release create "$GITHUB_REF_NAME" dist/* constraints.txt' in said
    matrix = workflow("release.yml")["jobs"]["images"]["strategy"]["matrix"]
    targets = {each["target"] for each in matrix["include"]}
    stages = set(re.findall(r"AS (\S+)", (ROOT / "Dockerfile").read_text("utf-8")))
    assert targets == {"watch", "spark"} <= stages


# ---- images ----


@pytest.mark.parametrize("target", ["watch", "spark"])
def test_an_image_does_not_run_as_root(target: str) -> None:
    text = (ROOT / "Dockerfile").read_text("utf-8").partition(f"AS {target}\n")[2]
    stage = re.split(r"(?m)^FROM ", text)[0]
    assert re.findall(r"(?m)^USER (.+)$", stage) == ["antelog"]
    assert ("HEALTHCHECK" in stage) == (target == "watch")


def test_images_that_are_made_of_them_end_as_no_root_either() -> None:
    text = (ROOT / "docker" / "kubernetes" / "Dockerfile").read_text("utf-8")
    assert re.findall(r"(?m)^USER (.+)$", text)[-1] == "antelog"
    assert "useradd --uid 10001 " in (ROOT / "Dockerfile").read_text("utf-8"), "Kubernetes takes numbers only"
    assert "runAsUser: 10001, runAsNonRoot: true" in (ROOT / "docker/kubernetes/pod.yaml").read_text("utf-8")


def test_what_the_images_take_is_what_a_wheel_and_its_libraries_need() -> None:
    kept = re.findall(r"(?m)^!(.+)$", (ROOT / ".dockerignore").read_text("utf-8"))
    copied = re.findall(r"(?m)^COPY (?!--from)(.+) \S+$", (ROOT / "Dockerfile").read_text("utf-8"))
    assert sorted(kept) == sorted({path.partition("/")[0] for path in " ".join(copied).split()})


def test_the_services_fit_together() -> None:
    services = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]
    assert set(services) == {"kafka", "topics", "producer", "watch", "run"}
    assert services["run"]["build"]["target"] == "spark"
    assert services["watch"]["ports"] == ["127.0.0.1:8080:8080"], "nobody else gets at the page"
    assert "--token=$$ANTELOG_TOKEN" in services["watch"]["command"]
    assert services["watch"]["read_only"]
    assert services["watch"]["tmpfs"] == ["/tmp"]
    for name in ("watch", "run"):
        assert services[name]["cap_drop"] == ["ALL"]
        assert services[name]["security_opt"] == ["no-new-privileges:true"]
        _, program, *options = services[name]["command"]
        assert (ROOT / program.replace("/program/", "docker/")).is_file()
        assert f"--input=Temp=kafka://kafka:9092/{services['producer']['environment']['TOPIC']}" in options
        assert any(mount.endswith(":/data") for mount in services[name]["volumes"]), "what has to outlive it"
