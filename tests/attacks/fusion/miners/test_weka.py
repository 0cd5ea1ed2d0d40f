"""Weka's own miners: what is written for them, what is read from them, and what is said where they are not there."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.attacks.fusion.miners.odd import town
from unmask.attacks.fusion.miners import all_miners, arff, weka
from unmask.attacks.fusion.miners.training import Mining, mine
from unmask.attacks.fusion.miners.training_data import Lesson
from unmask.attacks.fusion.miners.worker_processes import FailedError, Processes
from unmask.errors import NotApplicableError

THREE = Lesson(
    np.array([[7.0, 1.5], [np.nan, np.nan], [7.0, -2.0]]),
    np.array([True, False]),
    np.array([0, 1, 0], np.int32),
    2,
    np.zeros(3, np.int32),
)


def found():
    """Skip where there is no Weka."""
    try:
        weka.jar()
    except NotApplicableError as error:
        pytest.skip(f"Weka {error}")


TWO = np.arange(2)
"""Two classes, listed as they are numbered."""


def test_a_table_as_weka_reads_it(tmp_path):
    """Cells are codes, what is missing is a cell, a number that is missing is `?`, and so is an answer to be found."""
    order = arff.order_of(THREE, np.array([0, 1]))
    arff.write(THREE, np.array([0, 1]), order, tmp_path / "t.arff", answers=True)
    assert (tmp_path / "t.arff").read_text() == (
        "@relation release\n@attribute a0 {c7,m}\n@attribute a1 numeric\n@attribute answer {k0,k1}\n@data\n"
        "c7,1.5,k0\nm,?,k1\n"
    )
    arff.write(THREE, np.array([2]), order, tmp_path / "a.arff", answers=False)
    assert (tmp_path / "a.arff").read_text().splitlines()[-1] == "c7,-2.0,?"
    numbers = Lesson(THREE.features, THREE.listed, np.array([0.25, 1, 2]), 0, THREE.group_of)
    assert "@attribute answer numeric\n" in arff.header(numbers, order[:0])


def test_classes_are_listed_as_they_come():
    """Row 1 is learned from first, and shows class 1; a class that no row shows stands last."""
    four = Lesson(THREE.features, THREE.listed, np.array([0, 3, 0], np.int32), 5, THREE.group_of)
    assert [3, 0, 1, 2, 4] == arff.order_of(four, np.array([1, 0, 2])).tolist()
    assert "@attribute answer {k3,k0,k1,k2,k4}" in arff.header(four, arff.order_of(four, np.array([1, 0, 2])))
    predicted = weka._read(" 1 1:? 1:k3 *.5,.3,.2,0,0", 1, arff.order_of(four, np.array([1, 0, 2])))
    assert predicted.answer.tolist() == [3]
    assert predicted.chance == pytest.approx(np.array([[0.3, 0.2, 0, 0.5, 0]]))


def test_what_weka_writes_is_read():
    """The number before the colon is the class, from 1; the star stands at the predicted class."""
    written = """

=== Predictions on test data ===

 inst#     actual  predicted error distribution
     1        1:?       1:k0       *0.667,0.333
     2        1:?       2:k1   +   0,*1
"""
    predicted = weka._read(written, 2, TWO)
    assert predicted.answer.tolist() == [0, 1]
    assert predicted.chance == pytest.approx(np.array([[0.667, 0.333], [0, 1]]))
    numbers = weka._read("     1 ?    34.5  ? \n     2 ?  -1e-3 ?", 2, TWO[:0])
    assert numbers.answer.tolist() == [34.5, -0.001]


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("", "answered for 0 of 2 lines"),
        (" 1 1:? 1:k0 *1,0", "answered for 1 of 2 lines"),
        (" 1 1:? 1:k0 *1,0\n 3 1:? 1:k0 *1,0", "wrote predictions that cannot be read"),
        (" 1 1:? 1:? *1,0", "left some rows without an answer"),
    ],
)
def test_what_cannot_be_read_is_a_failure(written, words):
    """Too few lines, a line that is missing, a class that is missing."""
    with pytest.raises(FailedError, match=words):
        weka._read(written, 2, TWO)


def test_without_weka_the_message_names_the_way_out(monkeypatch, tmp_path):
    """Where it was looked for, and how it can be had; also where the file is none."""
    monkeypatch.setenv(weka.PLACE, str(tmp_path / "no.jar"))
    with pytest.raises(NotApplicableError, match=r"Install the package weka, or let UNMASK_WEKA_JAR name weka\.jar"):
        weka.jar()
    broken = tmp_path / "weka.jar"
    broken.write_text("no jar")
    monkeypatch.setenv(weka.PLACE, str(broken))
    monkeypatch.setattr(shutil, "which", lambda _: "/usr/bin/java")
    with pytest.raises(NotApplicableError, match="is no jar"):
        weka.CATEGORICAL[0].require()
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(NotApplicableError, match="Install a Java runtime"):
        weka.jar()


def test_without_weka_the_others_still_answer(monkeypatch):
    """Each of Weka's is left out, with the reason."""
    monkeypatch.setenv(weka.PLACE, "/nowhere/weka.jar")
    miners = all_miners.named(["majority", "weka-j48"], numbers=False)
    found = mine(town(60), miners, Mining(jobs=1), np.random.default_rng(1))
    assert found.names == ("majority",)
    assert "UNMASK_WEKA_JAR names no file" in found.left_out["weka-j48"]


def test_some_of_wekas_miners_on_a_small_town():
    """A tree finds what two attributes tell of four rows in five; with groups held out a little less; ZeroR nothing."""
    found()
    miners = all_miners.named(["weka-j48", "weka-zeror", "weka-minmaxextension"], numbers=False)
    lesson = town(400)
    for folds, least in ((0, 0.75), (3, 0.6)):
        predicted = mine(lesson, miners, Mining(folds=folds, jobs=1), np.random.default_rng(1))
        tree, nothing = (predicted.answers[i][predicted.row_of] for i in (0, 1))
        assert (tree == lesson.answer).mean() > least
        assert (nothing == lesson.answer).mean() < 0.35
        assert np.asarray(predicted.by_miner[0].chance).sum(axis=1) == pytest.approx(1, abs=1e-5)
        assert set(predicted.left_out) <= {"weka-minmaxextension"}  # in some versions only


def test_the_reason_of_a_failed_miner_is_reported():
    """In Weka's words, or that memory was not enough, which is a limit that can be changed."""
    complaint = (
        "weka.core.UnsupportedAttributeTypeException: weka.classifiers.trees.Id3: Cannot handle numeric attributes!"
    )
    with pytest.raises(FailedError, match=r"^Weka: Cannot handle numeric attributes$"):
        weka._read(f"{complaint}\n\tat weka.core.Capabilities.test(Capabilities.java:955)", 2, TWO)
    assert (
        weka._why('Exception in thread "main" java.lang.OutOfMemoryError: Java heap space', 64)
        == "needs more than 64 MiB"
    )
    assert not weka._why(" 1 1:? 1:k0 *1,0")


def test_a_miner_that_fails_says_so_beside_those_that_answer():
    """A tree of cells alone, and one with hardly any memory, each beside a miner of ours."""
    found()
    for name, memory, why in (("weka-id3", 500, "numeric attributes"), ("weka-smo", 3, "needs more than 3 MiB")):
        miners = all_miners.named([name, "majority"], numbers=False)
        predicted = mine(town(2000), miners, Mining(jobs=1, memory=memory), np.random.default_rng(1))
        assert why in predicted.left_out[name]
    assert predicted.names == ("majority",)


def test_weka_predicts_nothing_but_what_is_asked(monkeypatch):
    """Left alone it also predicts every row that it has learned from: with neighbours, fifty times the work."""
    commands = []

    def output_of(_, command, _seconds):
        commands.append(command)
        return b"     1 ?  34.5 ?", 0

    monkeypatch.setattr(weka, "java", lambda memory: ["java", f"-Xmx{memory}m"])
    monkeypatch.setattr(Processes, "output_of", output_of)
    one = Lesson(np.zeros((1, 1)), np.array([True]), np.array([34.5]), 0, np.zeros(1, np.int32))
    predicted = weka.NUMERIC[0].apart(one, np.zeros(1, np.int32), 1, Processes(5.0, 64))
    assert predicted.answer.tolist() == [34.5]
    assert commands[0][:3] == ["java", "-Xmx64m", "weka.classifiers.functions.RBFNetwork"]
    assert {"-v", "-o"} <= set(commands[0])


def test_wekas_numbers():
    """Linear regression, and a limit of time that no Java program can keep."""
    found()
    lesson = town(200, numbers=True)
    miners = all_miners.named(["weka-linearregression"], numbers=True)
    predicted = mine(lesson, miners, Mining(jobs=1), np.random.default_rng(1))
    assert np.corrcoef(predicted.answers[0][predicted.row_of], lesson.answer)[0, 1] > 0.1
    with pytest.raises(NotApplicableError, match=r"took longer than 0.01 s"):
        mine(lesson, miners, Mining(jobs=1, seconds=0.01), np.random.default_rng(1))


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="only /proc reaches files without a name")
def test_rows_written_for_weka_end_with_the_process(tmp_path):
    """Killed by SIGKILL, it leaves links that lead nowhere."""
    script = (
        "import os, signal, tempfile\nfrom contextlib import ExitStack\nfrom pathlib import Path\n"
        "from unmask.attacks.fusion.miners.weka import _scratch\n"
        "files = ExitStack()\npath = _scratch(Path(tempfile.gettempdir()) / 'rows.arff', files)\n"
        "path.write_text('secret')\nassert path.read_text() == 'secret'\nos.kill(os.getpid(), signal.SIGKILL)\n"
    )
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    ended = subprocess.run([sys.executable, "-c", script], env=environment, check=False)  # noqa: S603 - our own
    assert ended.returncode == -signal.SIGKILL
    assert [path.exists() for path in tmp_path.iterdir()] == [False]
