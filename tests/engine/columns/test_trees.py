"""antelog/engine/columns/trees.py: trees of questions about numbers, asked for many rows at once."""

from __future__ import annotations

import numpy as np

from antelog.engine.columns.trees import Features, Trees


def test_a_row_comes_to_one_leaf_in_each_tree() -> None:
    trees = Trees(
        np.array([0, 0, 0, 0, 0, 1]),
        np.array([0, 0, 1, 0, 0, 0]),
        np.array([1.5, 0, 10, 0, 0, 0]),
        np.array([1, 1, 3, 3, 4, 5]),
        np.array([2, 1, 4, 3, 4, 5]),
        np.array([0, 1.0, 0, 2.0, 4.0, 0.5]),
    )
    assert trees.depth == 2
    rows = np.array([[1.5, 99], [2, 10], [2, 11]], np.float32)
    assert trees.sums(rows).tolist() == [1.5, 2.5, 4.5]
    assert trees.sums(rows[:0]).tolist() == []


def test_a_single_leaf_asks_nothing() -> None:
    nothing = np.zeros(1, np.int64)
    leaf = Trees(nothing, nothing, np.zeros(1), nothing, nothing, np.array([-0.25]))
    assert leaf.depth == 0
    assert leaf.sums(np.zeros((2, 0), np.float32)).tolist() == [-0.25, -0.25]


def test_many_rows_are_as_one_by_one() -> None:
    random = np.random.default_rng(3)
    trees = grown(random, 7, 5)
    rows = random.normal(size=(5000, 5)).astype(np.float32)
    at = random.choice(len(rows), 50)
    assert np.allclose(trees.sums(rows)[at], [one_by_one(trees, row) for row in rows[at]])


def grown(random: np.random.Generator, number: int, features: int) -> Trees:
    """Random trees of four leaves, each a root with two questions below it."""
    node, count = np.arange(7 * number), 7 * number
    left = np.where(node % 7 < 3, node + node % 7 + 1, node)
    right = np.where(node % 7 < 3, left + 1, node)
    values = random.normal(size=(2, count))
    return Trees(node // 7, random.integers(features, size=count), values[0], left, right, values[1])


def one_by_one(trees: Trees, row: Features) -> float:
    total = 0.0
    for root in trees.roots.tolist():
        at = root
        while trees.left[at] != at:
            at = trees.left[at] if row[trees.feature[at]] <= trees.threshold[at] else trees.right[at]
        total += float(trees.value[at])
    return total
