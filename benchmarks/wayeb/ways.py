"""The ways in which forecasts are made: antelog in large steps and tick by tick, Wayeb with either model.

Each is two commands: one learns a model from a stream, the other follows another stream with it.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.wayeb.install import PLACE
from benchmarks.wayeb.questions import DECLARATIONS, QUESTIONS, Question

CLASSES = PLACE / "classes"
_OWN = (sys.executable, "-m", "benchmarks.wayeb.own")
_JAVA = ("java", "-cp", f"{CLASSES}:{PLACE / 'jars'}/*", "Forecasts")


@dataclass(frozen=True)
class Way:
    """`step` ticks at a time for antelog, `kind` of model for Wayeb; one of them is empty.

    `model`: the way whose model it follows with, if it learns none itself.
    """

    name: str
    words: str
    step: int = 0
    kind: str = ""
    model: str = ""

    @property
    def missing(self) -> str:
        """What has to be there and is not; empty if nothing."""
        if self.kind and not (CLASSES / "Forecasts.class").exists():
            return "Wayeb is not there: python -m benchmarks.wayeb.install"
        return ""

    def learns(self, folder: Path, question: Question, stream: str) -> list[str]:
        path, model = folder / question.name, self._model(folder, question)
        if self.kind:
            pattern, declared = path.with_suffix(".sre"), folder / "declarations"
            return [*_JAVA, "learn", self.kind, *map(str, (pattern, declared, folder / stream, model))]
        return [*_OWN, "learn", *map(str, (path.with_suffix(".alog"), folder / stream, model))]

    def follows(self, folder: Path, question: Question, stream: str) -> list[str]:
        path, model, out = folder / question.name, self._model(folder, question), self.out(folder, question)
        if self.kind:
            given = (question.horizon, folder / stream, model, out)
            return [*_JAVA, "follow", self.kind, *map(str, given)]
        given_own = (path.with_suffix(".alog"), folder / stream, model, out, self.step)
        return [*_OWN, "follow", *map(str, given_own)]

    def out(self, folder: Path, question: Question) -> Path:
        return folder / f"{question.name}-{self.name}.chances"

    def _model(self, folder: Path, question: Question) -> Path:
        return folder / f"{question.name}-{self.model or self.name}.model"


ANTELOG, LIVE, FULL, SUFFIX = "antelog", "live", "full", "suffix"
WAYS = {
    way.name: way
    for way in (
        Way(ANTELOG, "antelog, 100 ticks at a time", step=100),
        Way(LIVE, "antelog, tick by tick", step=1, model=ANTELOG),
        Way(FULL, "Wayeb, Markov chain of order 2", kind="full"),
        Way(SUFFIX, "Wayeb, suffix tree", kind="suffix"),
    )
}


def write_questions(folder: Path) -> None:
    (folder / "declarations").write_text(DECLARATIONS, encoding="utf-8")
    for question in QUESTIONS.values():
        (folder / f"{question.name}.alog").write_text(question.program, encoding="utf-8")
        (folder / f"{question.name}.sre").write_text(question.pattern, encoding="utf-8")
