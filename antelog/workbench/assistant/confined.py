"""A command in a process of its own, which reads the files of some folders, writes and starts nothing.

    python -P -B -m antelog.workbench.assistant.confined '{"folders": ["/rules"]}' check a.alog

All that Python opens passes a hook, so that what a program includes, or a file of tests names, is held to the
folders as well as what the command is given. It holds back a command and its data; code that means harm
needs more, and is not run: functions are refused, but for the file that is named.
"""

from __future__ import annotations

import errno
import os
import runpy
import sys
import sysconfig
import zoneinfo
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec

from antelog.errors import FunctionError


class Confines(msgspec.Struct, frozen=True):
    """The folders whose files may be read, and the file of functions that may be run, as real paths."""

    folders: tuple[str, ...]
    functions: str | None = None

    def hold(self, event: str, given: tuple[Any, ...]) -> None:
        """Raises PermissionError or FunctionError for an event that is not allowed."""
        if event == "open":
            path, _, flags = given
            if isinstance(path, int) or path == os.devnull:
                return
            if isinstance(flags, int) and flags & _WRITING:
                raise PermissionError(errno.EACCES, _NO_WRITING)
            self._read(path)
        elif event in ("os.listdir", "os.scandir"):
            self._read("." if given[0] is None else given[0])
        elif event == "compile" and isinstance(given[1], str | bytes) and given[1]:
            path = os.path.realpath(os.fsdecode(given[1]))
            # Libraries make code of texts that are no files, too.
            if path != self.functions and self._holds(path) and Path(path).exists():
                raise FunctionError("functions are run only if the server was started with --functions FILE")
        elif event.startswith(_MODULES) and event not in _HARMLESS:
            raise PermissionError(errno.EACCES, _NO_WRITING)

    def _read(self, path: Any) -> None:
        if isinstance(path, int):
            return
        real = os.path.realpath(os.fsdecode(path))
        # Python imports from where it always does, which is none of the folders: see -P.
        importing = sys._getframe(2).f_code.co_filename.startswith("<frozen importlib")
        known = importing or real == self.functions or any(_is_in(real, each) for each in _LIBRARIES)
        if not known and not self._holds(real):
            raise PermissionError(errno.EACCES, _OUTSIDE)

    def _holds(self, real: str) -> bool:
        """Whether a path is in a folder, and not hidden there, as `.env` is."""
        hidden = f"{os.sep}."
        return any(_is_in(real, folder) and hidden not in real[len(folder) :] for folder in self.folders)


_OUTSIDE = "it is not in the folder that may be read, or is hidden there"
_NO_WRITING = "the server writes nothing, starts nothing and asks no other machine"
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
# Of what these modules of Python tell, all else writes, starts or connects.
_MODULES = ("os.", "shutil.", "socket.", "subprocess.")
_HARMLESS = frozenset(
    ("os.add_dll_directory", "os.fwalk", "os.getxattr", "os.listxattr", "os.putenv", "os.unsetenv", "os.walk")
)
# Libraries read files of their own: words, grammars, zones.
_LIBRARIES = [
    os.path.realpath(each)
    for each in (
        *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib")),
        *(each for each in sys.path if Path(each).name in ("site-packages", "dist-packages")),
        *(str(files("antelog")), *zoneinfo.TZPATH),
    )
]


def _is_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(os.path.join(folder, ""))  # noqa: PTH118 - for each opened file


def main() -> None:
    """Runs the command in the arguments after the first, which has the confines."""
    confines = msgspec.json.decode(sys.argv[1], type=Confines)
    sys.argv = ["antelog", *sys.argv[2:]]
    sys.addaudithook(confines.hold)
    runpy.run_module("antelog", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
