"""Run the tutorial's notebook and keep what it displays: part of `make pictures`."""

from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

NOTEBOOK = Path(__file__).resolve().parent.parent / "docs" / "notebooks" / "tutorial.ipynb"


def executed(path: Path) -> NotebookNode:
    """The notebook with the outputs it has now. What is displayed richly is not kept as plain text too."""
    notebook: NotebookNode = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(path.parent)}}).execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # when it was run
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            if len(data) > 1:
                data.pop("text/plain", None)
    notebook.metadata.pop("language_info", None)  # the version of Python
    return notebook


if __name__ == "__main__":
    nbformat.write(executed(NOTEBOOK), NOTEBOOK)
    print(f"ran docs/notebooks/{NOTEBOOK.name}")
