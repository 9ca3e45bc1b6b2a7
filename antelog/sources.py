"""Names for those who bring a source, an output or a receiver: see `docs/own-source.md`."""

from antelog.files.columns import WantedColumns
from antelog.run.door import BroughtReceiver, SinkAddress, SourceAddress, Url
from antelog.run.sinks.result import LinesOfStep, Sink, StepResult
from antelog.run.sources.source import ConnectedSource, FactSource, LinesOf, Mark, SourceExtent, SourcePiece
from antelog.run.values import SettingError

__all__ = [
    "BroughtReceiver",
    "ConnectedSource",
    "FactSource",
    "LinesOf",
    "LinesOfStep",
    "Mark",
    "SettingError",
    "Sink",
    "SinkAddress",
    "SourceAddress",
    "SourceExtent",
    "SourcePiece",
    "StepResult",
    "Url",
    "WantedColumns",
]
