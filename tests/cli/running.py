"""`antelog run` as a real process."""

from tests.cli import trying
from tests.processes import Process


def command(*arguments: object) -> list[str]:
    # Two buckets start quicker than eight, and each test starts Spark anew.
    return trying.command("run", "--buckets", 2, *arguments, "--master", "local[2]")


def said_until_the_first_batch(process: Process) -> list[str]:
    """The lines on stderr, up to the one that tells of the first batch; all of them if there is none."""
    assert process.stderr is not None
    said = []
    for line in process.stderr:
        said.append(line)
        if line.startswith("batch 0: "):
            break
    return said
