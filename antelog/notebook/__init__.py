"""antelog in Jupyter: `%load_ext antelog`.

    show(source)    changes and answers as a table with evidence, what is awaited, and deadlines
    %%antelog p     a cell with rules: shows what is wrong with them, or binds the program to `p`

Once the extension is loaded, plans, changes, answers and engines show themselves this way.
"""

from antelog.notebook.extension import load_ipython_extension, unload_ipython_extension
from antelog.notebook.showing import ChangeList, show

__all__ = ["ChangeList", "load_ipython_extension", "show", "unload_ipython_extension"]
