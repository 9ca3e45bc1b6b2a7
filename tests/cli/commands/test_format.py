"""antelog/cli/commands/format_.py: files written whole or not at all, --check, standard input."""

import io
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from antelog.cli.main import main

ODD = "Malf(X,T):-Temp(X,high,T). % why\nquery Malf(X,T)."
LAID_OUT = "Malf(X, T) :- Temp(X, high, T).  % why\nquery Malf(X, T).\n"
WRONG = "Malf(X,T):-Temp(X,high,T) and Cool(X,T)."


def run(*arguments: object, typed: bytes | None = None) -> Result:
    words = ["format", *map(str, arguments)]
    return CliRunner().invoke(main, words, input=typed, prog_name="antelog", catch_exceptions=False)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "rules.alog"
    path.write_text(ODD, encoding="utf-8")
    return path


def test_a_file(file: Path) -> None:
    done = run(file)
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", f"laid out: {file}\n")
    assert file.read_text(encoding="utf-8") == LAID_OUT
    again = run(file)
    assert (again.exit_code, again.stdout, again.stderr) == (0, "", "")


def test_check_writes_nothing(file: Path) -> None:
    done = run("--check", file)
    assert (done.exit_code, done.stderr) == (1, f"would change: {file}\n")
    assert "-Malf(X,T):-Temp(X,high,T). % why\n" in done.stdout
    assert "+Malf(X, T) :- Temp(X, high, T).  % why\n" in done.stdout
    assert file.read_text(encoding="utf-8") == ODD
    run(file)
    assert (run("--check", file).exit_code, run("--check", file).stdout) == (0, "")


def test_a_wrong_file_is_left(file: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.alog"
    wrong.write_text(WRONG, encoding="utf-8")
    done = run(wrong, file)
    assert done.exit_code == 1
    assert f"{wrong}:1:27: error E001" in done.stderr
    assert wrong.read_text(encoding="utf-8") == WRONG
    assert file.read_text(encoding="utf-8") == LAID_OUT
    assert run("--check", wrong).exit_code == 1


def test_bytes_around_the_text_stay(file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbf" + ODD.replace("\n", "\r\n").encode() + b"\r\n")
    file.chmod(0o640)
    assert run(file).exit_code == 0
    assert file.read_bytes() == b"\xef\xbb\xbf" + LAID_OUT.replace("\n", "\r\n").encode()
    assert file.stat().st_mode & 0o777 == 0o640


def test_a_link_stays_one(file: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.alog"
    link.symlink_to(file)
    assert run(link).exit_code == 0
    assert link.is_symlink()
    assert file.read_text(encoding="utf-8") == LAID_OUT


def test_a_folder(file: Path, tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    other = tmp_path / "more" / "other.alog"
    other.write_text(ODD, encoding="utf-8")
    assert run(tmp_path).exit_code == 0
    assert file.read_text(encoding="utf-8") == other.read_text(encoding="utf-8") == LAID_OUT
    (tmp_path / "empty").mkdir()
    none = run(tmp_path / "empty")
    assert (none.exit_code, none.stderr) == (
        1,
        f"error: {tmp_path / 'empty'}: there is no file NAME.alog in it\n",
    )


def test_standard_input() -> None:
    done = run("-", typed=ODD.encode())
    assert (done.exit_code, done.stdout) == (0, LAID_OUT)
    wrong = run("-", typed=WRONG.encode())
    assert (wrong.exit_code, wrong.stdout) == (1, "")
    assert "<stdin>:1:27: error E001" in wrong.stderr
    check = run("--check", "-", typed=ODD.encode())
    assert (check.exit_code, check.stderr) == (1, "would change: <stdin>\n")
    assert (
        run("-", typed=b"\xff").stderr == "error: <stdin>: is not UTF-8 text, see byte 0; save it as UTF-8\n"
    )
    assert run("-", "other.alog", typed=io.BytesIO().read()).exit_code == 2
