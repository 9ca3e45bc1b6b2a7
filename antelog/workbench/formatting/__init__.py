"""The layout of programs: `laid_out` gives the text of a program in the one way there is.

Comes in: a text. Goes out: the text laid out, with all comments and the same syntax tree; of a text with
syntax errors, the errors. `lexemes` cuts statements into words and decides the spaces between them,
`statements` breaks them into lines, `columns` aligns lines, `programs` puts them together.
"""

from antelog.workbench.formatting.programs import LaidOut, laid_out

__all__ = ["LaidOut", "laid_out"]
