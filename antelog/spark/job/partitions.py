"""Numbers of buckets, of which Spark puts each into a partition of its own."""

from __future__ import annotations

from functools import lru_cache


@lru_cache
def numbers_of_buckets(count: int) -> tuple[int, ...]:
    """Numbers for buckets, of which Spark puts one into each of `count` partitions, by their murmur3."""
    found: dict[int, int] = {}
    number = 0
    while len(found) < count:
        found.setdefault(_murmur3(number) % count, number)
        number += 1
    return tuple(found[partition] for partition in range(count))


def _murmur3(number: int) -> int:
    """Spark's hash of a 32-bit number: murmur3 with the seed 42."""
    mask = 0xFFFFFFFF

    def rotated(x: int, by: int) -> int:
        return ((x << by) | (x >> (32 - by))) & mask

    hashed = rotated(number * 0xCC9E2D51 & mask, 15) * 0x1B873593 & mask
    hashed = (rotated(42 ^ hashed, 13) * 5 + 0xE6546B64 & mask) ^ 4
    hashed = (hashed ^ (hashed >> 16)) * 0x85EBCA6B & mask
    hashed = (hashed ^ (hashed >> 13)) * 0xC2B2AE35 & mask
    hashed ^= hashed >> 16
    return hashed - (1 << 32) if hashed >= 1 << 31 else hashed
