"""Joins of groups by their labels: each combination of labels is one number, looked up in a list or a hash table."""

from __future__ import annotations

import numpy as np

from unmask.arrays import Int32, Int64
from unmask.compiled_code import njit

ROOM = 1 << 16  # labels that are looked up in a plain list even for fewer groups
EMPTY = -1
_FIRST_BITS = 17  # of a hash table that grows: 512 KiB
_GOLDEN = 0x9E3779B97F4A7C15 - (1 << 64)  # spreads keys over a table of a power of two


@njit(cache=True, nogil=True)
def add_column(keys: Int64, leaf: Int32, unit: int) -> None:
    """Add one more column to the keys."""
    for row in range(keys.size):
        keys[row] += leaf[row] * unit


@njit(cache=True, nogil=True)
def _keys(codes: Int32, node: Int64, label: Int64, begin: Int64, n_labels: Int64) -> Int64:
    """Return the labels of each group as one number."""
    keys = np.zeros(codes.shape[1], np.int64)
    unit = 1
    for i in range(codes.shape[0]):
        offset, n = begin[i, node[i]], n_labels[i, node[i]]
        if n > 1:
            weight = np.empty(codes[i].max() + 1, np.int64)
            for leaf in range(weight.size):
                weight[leaf] = label[offset + leaf] * unit
            for g in range(codes.shape[1]):
                keys[g] += weight[codes[i, g]]
        unit *= n
    return keys


@njit(cache=True, nogil=True)
def _join_listed(keys: Int64, size: Int64, table: Int32) -> tuple[Int32, Int64, Int64]:
    """Number groups by their keys, where there are few possible ones; the table is empty again afterwards."""
    number = np.empty(keys.size, np.int32)
    example = np.empty(min(keys.size, table.size), np.int64)
    total = np.zeros(example.size, np.int64)
    n = 0
    for g in range(keys.size):
        group = table[keys[g]]
        if group == EMPTY:
            group = n
            table[keys[g]] = n
            example[n] = g
            n += 1
        number[g] = group
        total[group] += size[g]
    for g in example[:n]:
        table[keys[g]] = EMPTY
    return number, example[:n], total[:n]


@njit(cache=True, nogil=True)
def join_hashed(keys: Int64, size: Int64) -> tuple[Int32, Int64, Int64]:
    """Number groups by their keys with a hash table, at most half full: small, and in the cache, while possible."""
    most = 1
    while 1 << most < 2 * keys.size:
        most += 1
    bits = min(_FIRST_BITS, most)
    table = np.full(1 << bits, EMPTY, np.int32)
    number = np.empty(keys.size, np.int32)
    example = np.empty(keys.size, np.int64)
    total = np.zeros(keys.size, np.int64)
    n, done = _fill(table, bits, keys, size, number, example, total, 0, 0)
    while done < keys.size:
        bits = min(bits + 3, most)
        table = _hashed(keys, example[:n], bits)
        n, done = _fill(table, bits, keys, size, number, example, total, n, done)
    return number, example[:n].copy(), total[:n].copy()


@njit(cache=True, nogil=True)
def _fill(
    table: Int32, bits: int, keys: Int64, size: Int64, number: Int32, example: Int64, total: Int64, n: int, done: int
) -> tuple[int, int]:
    """Continue until a hash table is half full; return the number of groups then, and the number of keys read."""
    mask = (1 << bits) - 1
    for g in range(done, keys.size):
        key = keys[g]
        place = ((key * _GOLDEN) >> (64 - bits)) & mask
        group = table[place]
        while group != EMPTY and keys[example[group]] != key:
            place = (place + 1) & mask
            group = table[place]
        if group == EMPTY:
            if 2 * n >= table.size:
                return n, g
            group = n
            table[place] = n
            example[n] = g
            n += 1
        number[g] = group
        total[group] += size[g]
    return n, keys.size


@njit(cache=True, nogil=True)
def _hashed(keys: Int64, example: Int64, bits: int) -> Int32:
    """Return a hash table of the groups with the keys of these examples."""
    table = np.full(1 << bits, EMPTY, np.int32)
    mask = (1 << bits) - 1
    for known in range(example.size):
        place = ((keys[example[known]] * _GOLDEN) >> (64 - bits)) & mask
        while table[place] != EMPTY:
            place = (place + 1) & mask
        table[place] = known
    return table


@njit(cache=True, nogil=True)
def join(
    codes: Int32, size: Int64, node: Int64, label: Int64, begin: Int64, n_labels: Int64, table: Int32
) -> tuple[Int32, Int64, Int64]:
    """Join groups by their labels at a node: the number of each, an example, and the people of the joined ones."""
    n_keys = 1
    for i in range(node.size):
        n_keys *= n_labels[i, node[i]]
    keys = _keys(codes, node, label, begin, n_labels)
    if n_keys <= max(ROOM, 4 * keys.size):
        return _join_listed(keys, size, table[:n_keys])
    return join_hashed(keys, size)
