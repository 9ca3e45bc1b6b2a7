"""What a Python that runs some code loads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def loaded_by(code: str) -> list[str]:
    """The modules of a new Python, in the project's folder, that has run some code."""
    listing = "\nimport sys\nprint('', *sys.modules, sep='\\n')"
    command = [sys.executable, "-c", code + listing]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()
