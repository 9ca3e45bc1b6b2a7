"""Texts to which more are added, without copying those that are there.

[a, b] and then c: one array of three texts, of which a and b were not copied
"""

from __future__ import annotations

from typing import Any, TypeAlias, TypeVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

_Number = TypeVar("_Number", bound=np.number[Any])
_Offsets: TypeAlias = NDArray[np.int32]
_MOST = 2**31 - 1
"""The most bytes the texts of an Arrow array can have."""


class GrowingTexts:
    """An array of texts that grows at its end; what was taken from it stays as it is.

    There is room for more behind the texts, and each time it is used up, for twice as many.
    """

    def __init__(self) -> None:
        self._count = 0
        self._offsets: _Offsets = np.zeros(64, np.int32)
        self._bytes: NDArray[np.uint8] = np.zeros(1024, np.uint8)
        self._array: pa.StringArray | None = None

    def __len__(self) -> int:
        return self._count

    @property
    def array(self) -> pa.StringArray:
        if self._array is None:
            ends = self._offsets[: self._count + 1]
            text = self._bytes[: ends[-1]]
            self._array = pa.StringArray.from_buffers(self._count, pa.py_buffer(ends), pa.py_buffer(text))
        return self._array

    def extend(self, texts: pa.StringArray) -> None:
        """Adds texts, none of them null."""
        offsets, data = begins_and_bytes(texts)
        count, end = self._count + len(texts), int(self._offsets[self._count])
        size = end + int(offsets[-1] - offsets[0])
        if size > _MOST:
            raise OverflowError(f"{size:,} bytes of texts, more than the {_MOST:,} that fit into one column")
        self._offsets = with_room(self._offsets, count + 1)
        self._bytes = with_room(self._bytes, size)
        self._offsets[self._count + 1 : count + 1] = offsets[1:] + (end - offsets[0])
        self._bytes[end:size] = data[offsets[0] : offsets[-1]]
        self._count, self._array = count, None


def begins_and_bytes(texts: pa.StringArray) -> tuple[_Offsets, NDArray[np.uint8]]:
    """Where texts begin among their bytes, and where the last one ends; and the bytes."""
    if len(texts) == 0:
        return np.zeros(1, np.int32), np.zeros(0, np.uint8)
    _, offsets, data = texts.buffers()
    begins = np.frombuffer(offsets, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    return begins, np.frombuffer(data or b"", np.uint8)


def with_room(array: NDArray[_Number], size: int) -> NDArray[_Number]:
    """An array with room for so many, and for as many more if it had none; what is behind says nothing."""
    return array if size <= len(array) else np.resize(array, 2 * size)
