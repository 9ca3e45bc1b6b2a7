"""Little room: files that may not grow beyond a length, as on a disk that is full."""

import resource
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def longest_file(size: int) -> Iterator[None]:
    """No file of this process may become longer."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
