"""Parallel training of many miners on the same rows; failed miners are left out and reported."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import sklearn

from unmask.arrays import Int32
from unmask.attacks.fusion.miners.predictions import MinerPrediction, Predictions
from unmask.attacks.fusion.miners.training_data import Lesson, folds_of
from unmask.attacks.fusion.miners.worker_processes import FailedError, Processes, Workers
from unmask.errors import InvalidInputError, NotApplicableError
from unmask.runtime import work
from unmask.runtime.machine import share
from unmask.runtime.streams import stream
from unmask.wording import message


class Learner(Protocol):
    """A miner: it can be sent to another process, unless it is a separate program."""

    @property
    def name(self) -> str:
        """The name, in small letters, digits and dashes."""

    @property
    def kind(self) -> str:
        """The kind of model."""

    @property
    def alone(self) -> bool:
        """Whether it starts a separate process, and is trained by `apart`."""

    def require(self) -> None:
        """Raise an error if a library or a program is missing."""


@dataclass(frozen=True, slots=True)
class Mining:
    """Parameters of training.

    No result depends on `jobs`. Limits are wide, since reaching one depends on the machine.

    Fails
        With `InvalidInputError` for a limit that is not above zero.
    """

    folds: int = 0  # 0: all rows are both training rows and predicted, as in the paper
    seconds: float = 600.0  # for one miner, all folds together
    memory: int = 4096  # MiB of one miner
    jobs: int = 0  # miners at a time; 0: one for each processor

    def __post_init__(self) -> None:
        for name, least in (("seconds", 0.0), ("memory", 0)):
            if not getattr(self, name) > least:
                raise InvalidInputError(
                    message("{name} of a miner must be above 0; got {getattr}", name=name, getattr=getattr(self, name))
                )
        if self.jobs < 0:
            raise InvalidInputError(
                message("jobs must be 0 (one for each processor) or above; got {jobs}", jobs=self.jobs)
            )


def mine(lesson: Lesson, miners: Sequence[Learner], mining: Mining, rng: np.random.Generator) -> Predictions:
    """Return the predictions of each miner for every row, each with a separate random stream by name.

    With `folds` whole groups are predicted by models trained without them.

    Fails
        With `InvalidInputError` for repeated names, with `NotApplicableError` if no miner can answer.
    """
    if len({one.name for one in miners}) < len(miners):
        raise InvalidInputError(message("miners must have different names. Name each once"))
    seed = int(rng.integers(1 << 31))
    fold_of = folds_of(lesson, mining.folds, stream(seed, "folds"))
    row_of, example = lesson.lines(fold_of)
    settings = f"{seed} {mining.folds} {lesson.n_classes} {sklearn.__version__}"
    parts = work.parts_of("miners", settings, [lesson.features, lesson.listed, lesson.answer, fold_of])
    most = share()
    memory = int(min(mining.memory, most.memory / (1 << 20)))
    processes = Processes(mining.seconds, memory)
    workers = Workers(lesson, fold_of, processes)
    at_once = max(int(most.memory / (memory << 20)), 1)  # together they have as much as this process
    jobs = min(mining.jobs or most.processors, max(len(miners), 1), at_once)
    pool = ThreadPoolExecutor(jobs)
    with work.step(message("mining"), len(miners)) as step:

        def ask(miner: Learner) -> MinerPrediction | str:
            try:
                return parts.saved(_part(miner), lambda: compute(miner), _pack, _unpack(example.size, lesson))
            except (FailedError, NotApplicableError) as error:
                return str(error)
            finally:
                step.advance()

        def compute(miner: Learner) -> MinerPrediction:
            miner.require()
            own = int(stream(seed, "miner", miner.name).integers(1 << 31))
            outside: Any = miner
            prediction: MinerPrediction = (
                outside.apart(lesson, fold_of, own, processes) if miner.alone else workers.learn(miner, own)
            )
            if not _fits(prediction, example.size, lesson):
                raise FailedError(message("gave no answer for some rows, or an answer that cannot be"))
            return prediction

        try:
            found = list(pool.map(ask, miners))
            workers.keep()
        finally:
            processes.close()
            pool.shutdown(wait=True, cancel_futures=True)
            processes.reap()
    answered = [
        (one, prediction)
        for one, prediction in zip(miners, found, strict=True)
        if isinstance(prediction, MinerPrediction)
    ]
    left_out = {
        one.name: prediction for one, prediction in zip(miners, found, strict=True) if isinstance(prediction, str)
    }
    if not answered:
        why = next(iter(left_out.values()), message("none was named"))
        raise NotApplicableError(message("no miner could answer: {why}", why=why))
    return Predictions(
        tuple(one.name for one, _ in answered),
        tuple(one.kind for one, _ in answered),
        row_of,
        tuple(prediction for _, prediction in answered),
        example.size,
        lesson.n_classes,
        mining.folds > 0,
        left_out,
    )


def _part(miner: Learner) -> str:
    """Return the name of a miner's stored predictions: the same settings, the same name."""
    return f"{miner.name}-{hashlib.sha256(repr(miner).encode()).hexdigest()[:12]}"


def _fits(prediction: MinerPrediction, n_lines: int, lesson: Lesson) -> bool:
    """Whether every line has a valid answer."""
    answer, chance = prediction.answer, prediction.chance
    if answer.shape != (n_lines,) or not np.isfinite(answer).all():
        return False
    if lesson.is_numeric:
        return chance is None
    if chance is not None and (chance.shape != (n_lines, lesson.n_classes) or not np.isfinite(chance).all()):
        return False
    return bool(not n_lines or (answer.min() >= 0 and answer.max() < lesson.n_classes))


def _pack(prediction: MinerPrediction) -> work.Arrays:
    return {"answer": prediction.answer} | ({} if prediction.chance is None else {"chance": prediction.chance})


def _unpack(n_lines: int, lesson: Lesson) -> Callable[[work.Arrays], MinerPrediction]:
    def unpack(arrays: work.Arrays) -> MinerPrediction:
        chance = arrays["chance"].astype(np.float32) if "chance" in arrays else None
        answer: Int32 | Any = arrays["answer"].astype(lesson.answer.dtype)
        prediction = MinerPrediction(answer, chance)
        if not _fits(prediction, n_lines, lesson):
            raise ValueError("these are not answers for every line")
        return prediction

    return unpack
