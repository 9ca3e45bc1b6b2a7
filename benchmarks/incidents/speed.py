"""What `antelog suggest` costs: half a million rows with eight columns, 200 incidents."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc

DEVICES, HOURS, COLUMNS, INCIDENTS, WITH_CAUSE = 50, 10_000, 8, 200, 140


def made(folder: Path) -> None:
    """Writes readings, and incidents of which some come after a high mean together with a spike."""
    random = np.random.default_rng(5)
    shape = (DEVICES, HOURS, COLUMNS)
    values = np.cumsum(random.standard_normal(shape) * 0.02, axis=1) + 50 + 5 * random.standard_normal(shape)
    lines = ["device,time"]
    start = np.datetime64("2025-01-01T00:00:00")
    for number in range(INCIDENTS):
        device, hour = int(random.integers(DEVICES)), int(random.integers(100, HOURS - 100))
        if number < WITH_CAUSE:
            values[device, hour - 5 : hour + 1, 2] = 70 + 3 * random.standard_normal(6)
        lines.append(f"d{device},{start + np.timedelta64(hour + int(random.integers(1, 20)), 'h')}")
    device, hour = (each.T.ravel() for each in np.indices(shape[:2]))
    table = {
        "device": pa.array([f"d{each}" for each in device]),
        "time": start + hour.astype("timedelta64[h]"),
    }
    table |= {f"c{each}": np.round(values[:, :, each].T.ravel(), 2) for each in range(COLUMNS)}
    pc.write_csv(pa.table(table), folder / "Reading.csv")
    (folder / "failures.csv").write_text("\n".join(lines) + "\n")


def main() -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        made(folder)
        words = [
            "suggest",
            "--input",
            f"Reading={folder / 'Reading.csv'}",
            "-i",
            str(folder / "failures.csv"),
        ]
        begin = os.times().children_user
        command = [sys.executable, "-m", "antelog", *words, "--lead", "1h..24h", "--false-alarms", "0.5/day"]
        print(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{os.times().children_user - begin:.0f} s of a core, {used.ru_maxrss / 1024:,.0f} MB")
