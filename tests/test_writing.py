"""antelog/writing.py: a file is written whole or not at all, and whatever cannot be written is said."""

import os
import stat
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from antelog import AntelogError, OutputError
from antelog.writing import Output, replacing, temporary_folder, write
from tests.processes import Process, Start, longest_file

LARGE = b"x" * 100_000


def test_content_takes_the_place_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    for content in (b"first", b"second"):
        write(path, content)
        assert path.read_bytes() == content
    assert [each.name for each in tmp_path.iterdir()] == ["a.txt"]


def test_what_fails_in_between_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    with pytest.raises(TypeError), replacing(path) as file:
        file.writelines([LARGE, None])  # type: ignore[list-item]
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["a.txt"]


@pytest.mark.parametrize("content", [b"x" * 2000, LARGE])
def test_what_finds_no_room_leaves_the_old_file(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"old")
    with longest_file(1000), pytest.raises(OutputError, match=r"a\.txt: cannot be written: File too large"):
        write(path, content)
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["a.txt"]


def test_a_folder_that_is_missing_or_in_the_way(tmp_path: Path) -> None:
    with pytest.raises(AntelogError, match="cannot be written: No such file or directory"):
        write(tmp_path / "no" / "a.txt", b"")
    with pytest.raises(OutputError, match="cannot be written: Is a directory"):
        write(tmp_path, b"")
    assert list(tmp_path.iterdir()) == []


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    victim, path = tmp_path / "victim", tmp_path / "a.txt"
    victim.write_bytes(b"kept")
    path.symlink_to(victim)
    write(path, b"new")
    assert (victim.read_bytes(), path.read_bytes(), path.is_symlink()) == (b"kept", b"new", False)


def test_nobody_can_foresee_the_name_beside(tmp_path: Path) -> None:
    names = set()
    for _ in range(2):
        with replacing(tmp_path / "a.txt") as file:
            (beside,) = (each.name for each in tmp_path.iterdir() if each.name != "a.txt")
            assert beside.startswith(".")  # who reads the folder leaves it out
            names.add(beside)
            file.write(b"x")
    assert len(names) == 2


def permissions(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_who_may_use_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    before = os.umask(0o022)
    try:
        write(path, b"")
        assert permissions(path) == 0o644
        path.chmod(0o660)
        write(path, b"")
        assert permissions(path) == 0o660
        with replacing(path, mode=0o600):
            (beside,) = (each for each in tmp_path.iterdir() if each != path)
            assert permissions(beside) == 0o600
        assert permissions(path) == 0o600
    finally:
        os.umask(before)


def test_a_device_is_written_to_as_it_is(tmp_path: Path) -> None:
    write("/dev/null", b"x")
    with pytest.raises(OutputError, match="/dev/full: cannot be written: No space left on device"):
        write("/dev/full", b"x")
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write(pipe, b"told")
    assert os.read(reader, 10) == b"told"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_pipe_without_a_reader() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with (
        Output(writer, "here") as out,
        pytest.raises(OutputError, match="here: cannot be written: Broken pipe") as caught,
    ):
        out.write(b"x")
    assert isinstance(caught.value.__cause__, BrokenPipeError)


def test_a_pipe_that_is_full_and_does_not_wait_is_waited_for() -> None:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    os.write(writer, b"x" * 10_000_000)
    with (
        ThreadPoolExecutor(1) as threads,
        os.fdopen(reader, "rb") as other_end,
        Output(writer, "here") as out,
    ):
        threads.submit(other_end.read)
        assert out.write(b"y") == 1
        out.close()


# ---- temporary folders go with their process, or with the next one ----

HOLDS = """
import sys
from antelog.writing import temporary_folder
with temporary_folder() as folder:
    print(folder, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary ones, also for other processes."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def holder(start: Start) -> tuple[Process, Path]:
    process = start([sys.executable, "-c", HOLDS], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def test_a_folder_goes_with_its_block(somewhere: Path) -> None:
    with temporary_folder() as folder:
        assert folder.parent == somewhere
        assert folder.stat().st_mode & 0o777 == 0o700
        (folder / "feed").write_text("x")
    assert list(somewhere.iterdir()) == []


def test_what_a_killed_process_left_goes_with_the_next(somewhere: Path, start: Start) -> None:
    living, its = holder(start)
    killed, left = holder(start)
    killed.kill()
    killed.wait()
    (somewhere / "antelog-of-somebody").mkdir()
    assert left.exists()
    with temporary_folder() as folder:
        assert {each.name for each in somewhere.iterdir()} == {folder.name, its.name, "antelog-of-somebody"}
    living.communicate("")
    assert not its.exists()
