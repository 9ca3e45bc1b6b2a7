"""Locks the libraries: exact versions, and the hashes of all their files, for `pip install --require-hashes`.

    python -m scripts.lock    (`make lock`) renews the files in locked/

A file holds for each Python and platform: versions that differ have a condition, and the hashes are those
of all files of a version. It names no index, so it works with the one that pip is set to.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCKED = {
    "build": (),
    "dev": ("dev",),
    "docs": ("dev", "docs"),
    "watch": ("kafka", "mqtt", "postgresql", "prometheus", "redis", "watch"),
    "spark": ("kafka", "spark", "watch"),
}
"""The files, with the extras in them: what builds a wheel, the development environment, the images."""
_OPTIONS = (
    *("--universal", "--python-version", "3.11", "--generate-hashes", "--upgrade", "--quiet"),
    *("--no-emit-index-url", "--no-emit-find-links", "--no-annotate", "--no-strip-extras"),
    *("--custom-compile-command", "make lock"),
)


def builds(pyproject: str) -> list[str]:
    """What builds a wheel of this project."""
    found: list[str] = tomllib.loads(pyproject)["build-system"]["requires"]
    return found


def main() -> None:
    environment = {**_of_pip(), **os.environ}
    with tempfile.TemporaryDirectory() as folder:
        build = Path(folder, "build.in")
        build.write_text("\n".join(builds((ROOT / "pyproject.toml").read_text("utf-8"))) + "\n", "utf-8")
        for name, extras in LOCKED.items():
            source = [part for extra in extras for part in ("--extra", extra)] + ["pyproject.toml"]
            # One version of a library in all of them.
            same = [] if name == "build" else ["--constraint", "locked/build.txt"]
            same += ["--constraint", "locked/dev.txt"] if name not in ("build", "dev") else []
            command = [*_uv(), *_OPTIONS, *same, "--output-file", f"locked/{name}.txt"]
            command += source if extras else [str(build)]
            subprocess.run(command, cwd=ROOT, env=environment, check=True)


def _uv() -> list[str]:
    return [sys.executable, "-m", "uv", "pip", "compile"]


def _of_pip() -> dict[str, str]:
    """The index and the certificates that pip is set to, as uv wants them."""
    told = {"index-url": "UV_DEFAULT_INDEX", "cert": "SSL_CERT_FILE"}
    listed = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True
    )
    lines = (line.partition("=") for line in listed.stdout.splitlines())
    settings = {key.rpartition(".")[2]: value.strip("'\"") for key, _, value in lines}
    return {name: settings[key] for key, name in told.items() if key in settings}


if __name__ == "__main__":
    main()
