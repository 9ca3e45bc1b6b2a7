"""antelog/cli/commands/run.py: every message of a topic is accounted for, also one without anything in it."""

import json
import subprocess
import sys

import pytest

from tests.servers import UnavailableError, for_kafka, kafka

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("here")]


def test_every_message_is_accounted_for() -> None:
    facts = [("wt2", 0, 0), ("wt2", 1, 2), ("wt4", 1, 1), ("wt4", 0, 5), ("wt4", 3, 9)]
    rows = [{"device": d, "level": "high", "time": time, "arrival": at} for d, time, at in facts]
    messages = [f"{row['device']}\t{json.dumps(row)}" for row in rows]
    try:
        jars = ",".join(map(str, for_kafka()))
        with kafka() as broker:
            broker.create("temp", 2)
            broker.send("temp", [*messages, messages[0], "wt2\t", "wt2\t   ", "wt2\tnonsense"])
            done = subprocess.run(
                [
                    *(sys.executable, "-c", "from antelog.cli.main import main; main()", "run", "p.alog"),
                    *("--input", f"Temp=kafka://{broker.servers}/temp", "--output", "console"),
                    *("--arrival", "arrival", "--clock", "arrival", "--until", "6", "--master", "local[2]"),
                    *("--conf", f"spark.jars={jars}"),
                ],
                capture_output=True, text=True, check=False, timeout=300,
            )  # fmt: skip
    except UnavailableError as error:
        pytest.skip(str(error))
    assert done.returncode == 0, done.stderr
    assert "done: 9 facts (3 used, 1 repeated, 1 late, 3 malformed, 1 after --until)," in done.stderr
    assert done.stderr.count("the message is empty") == 2
    assert "confirmed  Malf  X = wt2, T = 0" in done.stdout
