"""Print the oldest versions of the libraries that pyproject.toml allows, as constraints for pip.

Of a version with two numbers, the newest of its repairs is meant: `numpy>=2.1` gives `numpy==2.1.*`.
"""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

_REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)(?:\[.*?\])?>=(?P<version>[\d.]+)")


def constraints(pyproject: str) -> Iterator[str]:
    """A constraint for each library of the project, those of its extras too."""
    project = tomllib.loads(pyproject)["project"]
    for requirements in (project["dependencies"], *project["optional-dependencies"].values()):
        for found in filter(None, map(_REQUIREMENT.match, requirements)):
            yield f"{found['name']}=={found['version']}.*"


if __name__ == "__main__":
    text = Path(__file__).parent.with_name("pyproject.toml").read_text("utf-8")
    print(*sorted(set(constraints(text))), sep="\n")
