"""What mkdocs calls while it builds the documentation: named by `mkdocs.yml`, under `hooks`.

The notebook and the changelog become pages here, and the theme file becomes CSS. A page that loads
something from another site is a warning, with which `make docs` fails.
"""

from __future__ import annotations

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import get_plugin_logger
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from antelog import theme
from scripts.site_pages import (
    ROOT,
    changelog_page,
    elsewhere,
    notebook_page,
    site_style,
    with_moving_pictures,
)

NOTEBOOK = "notebooks/tutorial.ipynb"
warnings = get_plugin_logger("site")


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    text, pictures = notebook_page(Path(config.docs_dir, NOTEBOOK))
    folder = Path(NOTEBOOK).parent
    made = {Path(NOTEBOOK).with_suffix(".md").as_posix(): text}
    made |= {f"{folder}/{name}": picture for name, picture in pictures.items()}
    made["changelog.md"] = changelog_page((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
    made["css/theme.css"] = site_style()
    for name, content in made.items():
        files.append(File.generated(config, name, content=content))
    for name in theme.WEB_FONTS:
        files.append(File.generated(config, f"css/fonts/{name}", content=(theme.FONTS / name).read_bytes()))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    """A link to the notebook's file, which GitHub shows, leads to its page here."""
    return markdown.replace(f"]({NOTEBOOK})", f"]({Path(NOTEBOOK).with_suffix('.md').as_posix()})")


def on_post_page(output: str, *, page: Page, config: MkDocsConfig, **_: object) -> str:
    output = with_moving_pictures(output, Path(config.docs_dir))
    for url in elsewhere(output):
        warnings.warning("%s loads %s, but has to work without a network", page.file.src_uri, url)
    return output
