"""The paper's own miners: Weka 3.6, a Java program that Debian packages, each in a separate process.

References
----------
Witten, Frank. Data mining: practical machine learning tools and techniques. Morgan Kaufmann 2005.
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time
import zipfile
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from unmask.arrays import Int32, Int64
from unmask.attacks.fusion.miners import arff
from unmask.attacks.fusion.miners.cross_validation import by_fold
from unmask.attacks.fusion.miners.miner import Kind
from unmask.attacks.fusion.miners.predictions import MinerPrediction
from unmask.attacks.fusion.miners.training_data import Lesson
from unmask.attacks.fusion.miners.worker_processes import FailedError, Processes
from unmask.errors import NotApplicableError
from unmask.wording import message

PLACE = "UNMASK_WEKA_JAR"
"""The environment variable with the path of Weka's jar."""

USUAL = Path("/usr/share/java/weka.jar")

_PREDICTIONS_ONLY = (
    "-p",
    "0",
    "-v",
    "-o",
)  # predictions alone: else all rows that were learned from are predicted, too


@dataclass(frozen=True, slots=True)
class Weka:
    """One of Weka's classifiers with its default settings.

    Fails
        With `NotApplicableError` if Weka or Java is missing.
    """

    kind: Kind
    counterpart: str  # Weka's class
    alone: bool = True

    @property
    def name(self) -> str:
        """`weka-` and the name of the class."""
        return f"weka-{self.counterpart.lower()}"

    @property
    def summary(self) -> str:
        """The class with its folder."""
        return f"weka.classifiers.{self.kind}.{self.counterpart}"

    def require(self) -> None:
        """Raise an error if Weka or this class of it is missing."""
        if f"{self.summary.replace('.', '/')}.class" not in _contents(jar()):
            raise NotApplicableError(message("{summary} is not in this version of Weka", summary=self.summary))

    def apart(self, lesson: Lesson, fold_of: Int32, seed: int, processes: Processes) -> MinerPrediction:
        """Return predictions of every line, by models trained without the line's fold if there are several.

        Weka's miners keep their default seeds.
        """
        del seed
        until = time.monotonic() + processes.seconds
        with ExitStack() as open_files:
            folder = Path(open_files.enter_context(tempfile.TemporaryDirectory()))
            taught_in, asked_in = (_scratch(folder / name, open_files) for name in ("taught.arff", "asked.arff"))

            def predict(taught: Int64, asked: Int64) -> MinerPrediction:
                order = np.zeros(0, np.int64) if lesson.is_numeric else arff.order_of(lesson, taught)
                arff.write(lesson, taught, order, taught_in, answers=True)
                arff.write(lesson, asked, order, asked_in, answers=False)
                command = [
                    *java(processes.memory),
                    self.summary,
                    "-t",
                    str(taught_in),
                    "-T",
                    str(asked_in),
                    *_PREDICTIONS_ONLY,
                ]
                command += [] if lesson.is_numeric else ["-distribution"]
                written, code = processes.output_of(command, until - time.monotonic())
                output = written.decode("ascii", "replace")
                if code:
                    raise FailedError(
                        _why(output, processes.memory) or message("ended with exit code {code}", code=code)
                    )
                return _read(output, asked.size, order)

            return by_fold(lesson, fold_of, predict)


def _scratch(path: Path, open_files: ExitStack) -> Path:
    """Return a path for a file that disappears with this process, also by kill -9, if the system has /proc.

    Weka chooses a file's format by its extension: the path is a link to a file without a name.
    """
    own = Path("/proc") / str(os.getpid()) / "fd"
    if own.is_dir():
        file = tempfile.TemporaryFile()  # noqa: SIM115 - closed by the stack
        path.symlink_to(own / str(open_files.enter_context(file).fileno()))
    return path


def jar() -> Path:
    """Return the path of Weka's jar: `UNMASK_WEKA_JAR`, or Debian's location.

    Fails
        With `NotApplicableError` if there is no such file, or Java is missing.
    """
    setting = os.environ.get(PLACE)
    path = Path(setting) if setting else USUAL
    if not path.is_file():
        where = (
            message("{place} names no file", place=PLACE) if setting else message("there is none in its usual place")
        )
        msg = message(
            "needs Weka 3.6; {where}. Install the package weka, or let {place} name weka.jar", where=where, place=PLACE
        )
        raise NotApplicableError(msg)
    if shutil.which("java") is None:
        raise NotApplicableError(message("needs Java to run Weka; there is no java. Install a Java runtime"))
    return path


@cache
def _contents(path: Path) -> frozenset[str]:
    try:
        with zipfile.ZipFile(path) as file:
            return frozenset(file.namelist())
    except (OSError, zipfile.BadZipFile):
        raise NotApplicableError(
            message("needs Weka 3.6; the file named by {place} is no jar. Let it name weka.jar", place=PLACE)
        ) from None


def java(memory: int) -> list[str]:
    """Return the start of a command that runs Weka with so many MiB."""
    return ["java", f"-Xmx{memory}m", "-XX:+UseSerialGC", "-Djava.awt.headless=true", "-cp", str(jar())]


def _read(written: str, n_lines: int, order: Int64) -> MinerPrediction:
    """Parse one line for each prediction: its number, the truth, `NUMBER:LABEL`, optional `+` and distribution.

    Classes are numbered in their listed order; predicted numbers have no classes.
    """
    answer: list[float] = []
    n_classes = order.size
    chance = np.zeros((n_lines, n_classes), np.float32)
    for line in written.splitlines():
        words = line.split()
        if len(words) < 3 or not words[0].isdigit():
            continue
        if len(answer) == n_lines or int(words[0]) != len(answer) + 1:
            raise FailedError(message("wrote predictions that cannot be read"))
        if words[2].endswith("?"):
            raise FailedError(message("left some rows without an answer"))
        if n_classes:
            shares = [float(word.strip("*")) for word in words[-1].split(",")]
            if len(shares) == n_classes and sum(shares) > 0:
                chance[len(answer)] = np.array(shares) / sum(shares)
            else:
                chance[len(answer), int(words[2].partition(":")[0]) - 1] = 1.0
        answer.append(float(words[2]) if not n_classes else int(words[2].partition(":")[0]) - 1)
    if len(answer) != n_lines:
        raise FailedError(_why(written) or message("answered for {n} of {lines} lines", n=len(answer), lines=n_lines))
    if not n_classes:
        return MinerPrediction(np.array(answer, np.float64))
    return MinerPrediction(order[np.array(answer, np.int64)].astype(np.int32), chance[:, np.argsort(order)])


def _why(written: str, memory: int = 0) -> str:
    """Return the error message of Weka or Java; it contains only codes, no data."""
    if "OutOfMemoryError" in written:
        if memory:
            return message("needs more than {memory} MiB", memory=memory)
        return message("ran out of memory")
    found = re.search(r"^(?:[\w.]+Exception|Error): (?:[\w.]+: )?(.+)$", written, re.MULTILINE)
    return "" if found is None else f"Weka: {found[1].strip(' !')[:120]}"


def _all(kinds: dict[Kind, str]) -> tuple[Weka, ...]:
    return tuple(Weka(kind, name) for kind, names in kinds.items() for name in names.split())


CATEGORICAL = _all(
    {
        "bayes": "AODE AODEsr BayesNet HNB NaiveBayes NaiveBayesSimple NaiveBayesUpdateable WAODE",
        "functions": "RBFNetwork SMO",
        "lazy": "IB1 IBk KStar LWL",
        "rules": "ConjunctiveRule DTNB DecisionTable OneR Ridor ZeroR",
        "trees": "DecisionStump Id3 J48 J48graft REPTree RandomForest RandomTree SimpleCart",
        "misc": "HyperPipes MinMaxExtension OLM VFI",
    }
)
"""The 32 of the paper. MinMaxExtension and OLM are not in every jar of Weka 3.6; if missing they are left out."""

NUMERIC = _all(
    {
        "functions": "RBFNetwork LeastMedSq LinearRegression",
        "rules": "ConjunctiveRule DecisionTable M5Rules ZeroR",
        "trees": "DecisionStump M5P REPTree",
    }
)
"""The 10 of the paper."""
