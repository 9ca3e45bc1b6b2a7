"""A plan as JSON and back, without loss.

A line of JSON has the version of the format and the plan; what is no plan raises PlanError with the reason.
Saved states and running pipelines have the plan they were made for beside them.

    {"version": 3, "plan": {"inputs": [{"name": "A", …}], …}}
"""

from __future__ import annotations

import msgspec

from antelog.compile.nodes.plan import Plan
from antelog.errors import PlanError

VERSION = 3
"""Counts up whenever a plan of the version before can no longer be read."""


class _Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    version: int
    plan: Plan


class _Header(msgspec.Struct, frozen=True):
    version: int


def to_json(plan: Plan) -> str:
    """The plan as one line of JSON."""
    return msgspec.json.encode(_Document(VERSION, plan)).decode()


def from_json(text: str | bytes) -> Plan:
    """The plan `to_json` made the text from; PlanError if it is none, or of another version."""
    try:
        version = msgspec.json.decode(text, type=_Header).version
        if version != VERSION:
            raise PlanError(
                f"this plan is of version {version}, but this antelog reads version {VERSION}; "
                "compile the program again"
            )
        return msgspec.json.decode(text, type=_Document).plan
    except msgspec.DecodeError as error:
        raise PlanError(f"this is not a plan that antelog wrote: {error}") from None
