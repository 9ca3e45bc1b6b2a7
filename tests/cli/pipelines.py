"""What there is to say about a pipeline in a TOML file, without Spark."""

from dataclasses import replace
from pathlib import Path

from antelog import ProgramError
from antelog.cli.arguments.ready import RUN, checked, settings_with
from antelog.diagnostics import Diagnostic, Source
from antelog.run.config import parse_config
from antelog.run.settings import Settings


def diagnostics(text: str, name: str = "pipeline.toml", folder: Path = Path()) -> tuple[Diagnostic, ...]:
    try:
        config = parse_config(Source(text, name), Settings, replace(RUN, folder=folder))
        checked(settings_with(config, Settings()), RUN, config)
    except ProgramError as error:
        return error.diagnostics
    return ()
