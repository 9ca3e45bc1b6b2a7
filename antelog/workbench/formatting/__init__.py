"""The layout of programs: `laid_out` gives the text of a program in the one way there is.

A text becomes the text laid out, with all comments and the same syntax tree; one with syntax errors has the
errors. `lexemes` cuts statements into words and decides the spaces between them, `statements` breaks them
into lines and aligns these, `programs` puts them together.
"""

from antelog.workbench.formatting.programs import LaidOut, laid_out

__all__ = ["LaidOut", "laid_out"]
