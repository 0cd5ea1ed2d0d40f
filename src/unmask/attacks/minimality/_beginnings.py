"""Sampling of the beginning of a group; the rest is counted exactly, from where one value alone keeps the group open.

Without a coin and a merged tail, a group stays open to its end because its most frequent value, the *leader*, has a
share of 1/l only there. Other values are too frequent at the beginning, if at all. So beginnings are drawn, and stop at
the last person whose prefix the leader alone would not have kept open. The worlds that continue from there depend on
the leader's positions only: they are counted exactly, and all other values share the other positions (Rao-Blackwell).
The worlds without such a person are counted without any draw. Worlds in which that person comes after the first
`_COUNTED` are drawn as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from unmask.arrays import Float64, Int64
from unmask.attacks.minimality._insertion import GroupSetting
from unmask.attacks.minimality._sampling import CHAINS, SampledPosterior, exchangeable
from unmask.attacks.minimality._states import repeated
from unmask.attacks.shared.counter_random import uniform
from unmask.compiled_code import njit

_COUNTED = 120
"""The last person from whom worlds are counted: later ones are rare."""

_FIRST = 500  # beginnings in a batch of the first round
_COST = 3.0  # numbers that a chain computes in the time of one drawn person
_LARGEST = 5e7  # states of the leader, beyond which their table is too large
_UNSURE = 0.05  # the relative error of the weight of all worlds, above which too few were drawn


@njit(cache=True, nogil=True)
def open_to_the_end(setting: GroupSetting, c: int, low: Int64, width: int) -> Float64:
    """Return the probability that the leader keeps the group open after each state, (n + 1, width + 2).

    State a of the first t people is in cell a − low[t] + 1; 0 where the leader does not keep this prefix open.
    """
    n, l, minimum = setting.n, setting.l, setting.minimum
    ahead = np.zeros((n + 1, width + 2))
    ahead[n, c - low[n] + 1] = 1.0
    for t in range(n - 1, -1, -1):
        moved = low[t + 1] - low[t]
        least = max(0, c - (n - t), low[t])
        if t >= minimum:
            least = max(least, t // l + 1)
        for a in range(least, min(c, t, low[t] + width - 1) + 1):
            i = a - low[t] + 1 - moved
            up = (c - a) / (n - t)
            rises = up * ahead[t + 1, i + 1] if i + 1 < width + 2 else 0.0
            falls = (1.0 - up) * ahead[t + 1, i] if i >= 0 else 0.0
            ahead[t, i + moved] = rises + falls
    return ahead


@njit(cache=True, nogil=True)
def leaders_after(
    setting: GroupSetting, c: int, low: Int64, ahead: Float64, begins: Int64
) -> tuple[Float64, Float64]:  # fmt: skip
    """Return P(leader) of each position, (begins, n), by `leader_after`; and the probability of each begin."""
    leader, whole = np.zeros((begins.size, setting.n)), np.empty(begins.size)
    for i in range(begins.size):
        whole[i] = leader_after(setting, c, low, ahead, begins[i], leader[i])
    return leader, whole


@njit(cache=True, nogil=True)
def leader_after(
    setting: GroupSetting, c: int, low: Int64, ahead: Float64, begin: int, leader: Float64
) -> float:  # fmt: skip
    """Write P(leader) of each position from `begin` on, given that the leader alone keeps the group open from there.

    Return the probability of that.
    """
    n, l, minimum, width = setting.n, setting.l, setting.minimum, ahead.shape[1] - 2
    here, after = np.zeros(width + 2), np.zeros(width + 2)
    here[begin // l - low[begin] + 1] = 1.0
    whole = 0.0
    for t in range(begin, n):
        moved = low[t + 1] - low[t]
        first, last = max(0, c - (n - t), low[t]), min(c, t, low[t] + width - 1)
        least = max(0, c - (n - t - 1), low[t + 1])
        if minimum <= t + 1 < n:
            least = max(least, (t + 1) // l + 1)
        after[:] = 0.0
        rising, total = 0.0, 0.0
        for a in range(first, last + 1):
            i = a - low[t] + 1
            up = (c - a) / (n - t)
            if a + 1 >= least and i + 1 - moved < width + 1:
                on = here[i] * up
                after[i + 1 - moved] += on
                rising += on * ahead[t + 1, i + 1 - moved]
            if a >= least and i - moved >= 1:
                on = here[i] * (1.0 - up)
                after[i - moved] += on
                total += on * ahead[t + 1, i - moved]
        total += rising
        if t == begin:
            whole = total
        if total <= 0.0:
            return 0.0
        leader[t] = rising / total
        here, after = after, here
    return whole


@njit(cache=True, nogil=True)
def draw_beginnings(  # noqa: C901
    setting: GroupSetting, counts: Int64, chance: Float64, draws: int, place: Int64, found: Float64, tails: Float64,
    stream: np.uint64,
) -> tuple[np.uint64, int]:  # fmt: skip
    """Draw beginnings; add each, by its weight, to `found` (places, values), and to `tails` the values that remain.

    `place` (n,) is that of each position. `chance` (most + 1,) is the probability that the leader alone keeps the group
    open from person t on. `tails` (most + 1, values) has the weight of worlds in column 0, and each other value's part
    of it. Return also the number of placed people.
    """
    n, l, minimum = setting.n, setting.l, setting.minimum
    most, c = chance.size - 1, counts[0]
    order = np.repeat(np.arange(counts.size), counts)
    seen, weight = np.zeros(counts.size, np.int64), np.zeros(n + 1)
    put = 0
    for _ in range(draws):
        seen[:] = 0
        largest, last, late, alive = 0, 0, False, True
        for t in range(1, n):
            put += 1
            stream, height = uniform(stream)
            other = t - 1 + int(height * (n - t + 1))
            order[t - 1], order[other] = order[other], order[t - 1]
            value = order[t - 1]
            seen[value] += 1
            largest = max(largest, seen[value])
            if t < minimum:
                continue
            if largest * l <= t:  # closed too early
                alive = False
                break
            if seen[0] * l > t:
                continue
            if t > most:
                late = True
            elif seen[0] == t // l and chance[t] > 0.0:
                last = t
                weight[t] = chance[t]
                tails[t, 0] += chance[t]
                others = n - t - (c - seen[0])
                for v in range(1, counts.size):
                    tails[t, v] += chance[t] * (counts[v] - seen[v]) / others
        if alive and late:
            last, weight[n] = n, 1.0
        on = 0.0
        for t in range(last, 0, -1):
            on += weight[t]
            weight[t] = 0.0
            found[place[t - 1], order[t - 1]] += on
    return stream, put


@njit(cache=True, nogil=True)
def add_rest(leader: Float64, others: Float64, used: Int64, tails: Float64, found: Float64) -> None:
    """Add the counted worlds to `found` (batches, places, values).

    `leader` and `others` (used, places) are the mean number of people of the leader, and of any other value, in the
    places after each person `used`.
    """
    for batch in range(found.shape[0]):
        for i in range(used.size):
            tail = tails[batch, used[i]]
            if tail[0] <= 0.0:
                continue
            for place in range(found.shape[1]):
                found[batch, place, 0] += leader[i, place] * tail[0]
                rest = others[i, place]
                for v in range(1, found.shape[2]):
                    found[batch, place, v] += rest * tail[v]


@dataclass(slots=True, eq=False)
class _Leader:
    """The worlds in which the leader alone keeps the group open from some person on."""

    setting: GroupSetting
    c: int
    start: Int64  # (places,) the first position of each place
    low: Int64 = field(init=False)
    ahead: Float64 = field(init=False)
    chance: Float64 = field(init=False)  # (most + 1,)
    counted: dict[int, tuple[Float64, Float64]] = field(init=False)  # by person: see `add_rest`

    def __post_init__(self) -> None:
        n, c = self.setting.n, self.c
        half = int(4 * c**0.5) + 8  # a band leaves out states ten deviations away
        wide = 2 * half > c
        width = c + 1 if wide else 2 * half + 1
        self.low = np.zeros(n + 1, np.int64) if wide else np.clip(np.arange(n + 1) * c // n - half, 0, c - 2 * half)
        self.ahead = open_to_the_end(self.setting, c, self.low, width)
        t = np.arange(min(_COUNTED, n - 2) + 1)
        a = t // self.setting.l
        rises = self.ahead[t + 1, np.minimum(a - self.low[t + 1] + 2, width + 1)]
        self.chance = np.where((a < c) & (t >= self.setting.minimum), (c - a) / (n - t) * rises, 0.0)
        self.counted = {}
        self.chance[0] = self._count(np.zeros(1, np.int64))[0]

    def _count(self, begins: Int64) -> Float64:
        leader, whole = leaders_after(self.setting, self.c, self.low, self.ahead, begins)
        others = np.where(np.arange(self.setting.n) >= begins[:, None], 1.0 - leader, 0.0)
        both = np.add.reduceat(leader, self.start, axis=1), np.add.reduceat(others, self.start, axis=1)
        self.counted.update(zip(begins.tolist(), zip(*both, strict=True), strict=True))
        return np.asarray(whole)

    def add_to(self, found: Float64, tails: Float64) -> None:
        """Add the counted worlds to those of beginnings, (batches, places, values)."""
        used = np.flatnonzero(tails[:, :, 0].any(axis=0))
        new = [t for t in used.tolist() if t not in self.counted]
        if new:
            self._count(np.array(new, np.int64))
        if used.size:
            leader, others = (np.array([self.counted[t][i] for t in used.tolist()]) for i in (0, 1))
            add_rest(leader, others, used, tails, found)


def can_lead(counts: Int64, setting: GroupSetting) -> bool:
    """Whether the most frequent value can keep the group open to its end: no coin did, and no tail was merged back."""
    if setting.p or setting.merged or counts.size < 2 or setting.n * 8 * counts[0] ** 0.5 > _LARGEST:
        return False
    return bool(counts[0] * setting.l >= setting.n > setting.minimum)


def begun(
    counts: Int64, setting: GroupSetting, lift: Float64 | None, error: float, work: float, rng: np.random.Generator
) -> SampledPosterior | None:
    """Return probabilities and their standard errors, and whether enough beginnings were drawn.

    `counts` (values,) are falling. Drawing ends when all errors are at most `error`, or after `work`, in numbers that
    chains would compute in that time. None with `lift`, or for a group that `can_lead` excludes.
    """
    if lift is not None or not can_lead(counts, setting):
        return None
    start = exchangeable(setting)
    length = np.diff(np.append(start, setting.n))
    place = np.repeat(np.arange(start.size), length)
    leader = _Leader(setting, int(counts[0]), start)
    streams = [np.uint64(seed) for seed in rng.integers(0, 1 << 63, CHAINS, dtype=np.uint64)]
    found = np.zeros((CHAINS, start.size, counts.size))
    tails = np.zeros((CHAINS, leader.chance.size, counts.size))
    at_once = leader.chance[0] * np.append(1.0, counts[1:] / counts[1:].sum())
    draws, spent = _FIRST, 0.0
    while True:
        now = 0.0
        for batch in range(CHAINS):
            stream, put = draw_beginnings(
                setting, counts, leader.chance, draws, place, found[batch], tails[batch], streams[batch]
            )
            streams[batch] = np.uint64(stream)
            now += put * _COST
        tails[:, 0] += draws * at_once
        spent += now
        draws *= 2
        over = spent + 2 * now > work
        whole = found.copy()
        leader.add_to(whole, tails)
        weight = whole[:, 0].sum(axis=1)
        if weight.all():
            means = _means(whole, counts)
            spread = means.std(axis=0, ddof=1) / CHAINS**0.5
            enough = bool(weight.std(ddof=1) <= _UNSURE * CHAINS**0.5 * weight.mean())
            if over or (enough and spread.max() <= error):
                mean = _means(whole.sum(axis=0, keepdims=True), counts)[0]
                mean, spread, means = (np.repeat(one, length, axis=-2) for one in (mean, spread, means))
                return SampledPosterior(mean, spread, enough, means)
        elif over:
            return None


def _means(whole: Float64, counts: Int64) -> Float64:
    """Return the distribution of each place, averaged over values with equal counts."""
    found = whole / whole.sum(axis=2, keepdims=True)
    for c in repeated(counts):
        same = counts == c
        found[:, :, same] = found[:, :, same].mean(axis=2, keepdims=True)
    return np.asarray(found)


__all__ = ["begun", "can_lead"]
