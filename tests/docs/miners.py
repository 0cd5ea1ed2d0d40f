"""Generator of docs/reference/miners.md from the miners and rules: run `python -m tests.docs.miners`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.docs import compared
from unmask.attacks.fusion.miners import all_miners
from unmask.attacks.fusion.rules import all_rules

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "miners.md"

HEAD = """# Miners and rules of fusion

The program generates this page; a test compares the two.

A *miner* learns an attribute from published rows, and predicts it for the same rows.
`unmask attack fusion` [combines their predictions](../how-to/predict-what-was-hidden.md); \
in Python they are `unmask.attacks.fusion.miners` and `unmask.attacks.fusion.rules`.

The paper behind them (Sramka, Safavi-Naini, Denzinger 2010) uses miners of Weka 3.6.
The last column names the equivalent of each model below.
Some give the same predictions as Weka's, the others are similar, most of them from scikit-learn: \
[how near each comes](#how-near-ours-come-to-wekas).
LightGBM comes with `pip install 'unmask[boost]'`.

"""

WEKA = """
## The paper's own

If Weka 3.6 is installed, its miners are available under the name of their class: `weka-j48`.
Debian has it as the package `weka`; it needs a Java runtime.
`UNMASK_WEKA_JAR` names the jar in any other location.
`MinMaxExtension` and `OLM` are not in Debian's jar: they are left out, with the reason.

| predict | miners |
| --- | --- |
"""

NEAR = """
## How near ours come to Weka's

Both predicted the same rows, once: 20,000 of Adult's complete rows (seed 5), in groups of 50 by `k-member`, \
ages predicted, all rows in the training data.
*right* is how often a miner predicts the published range, or that there is none, in percent of people.
*worth* is how often it predicts a narrower range that contains the age (scenario A), in percent, too.
The last two columns give how often Weka's miner and ours agree, in groups of 50 and in groups of 10.
Seconds are those of a processor; ours take less than half a second each.

| Weka's | right | worth | seconds | ours | right | worth | equal | equal, k = 10 |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""

NEAR_NOTES = """
`SMO` and `RBFNetwork` did not end in 150 seconds in groups of 10.

`HyperPipes` predicts the range whose training rows contain most of a row's values.
Frequent ranges contain all values, so nearly everywhere several tie, and it takes the first of the list.
Ranges are listed in the order of their first rows, and rows are in the order of the table; Weka lists them likewise \
if a file does not.
Its worth depends on that list: nothing here, where the first row shows all ages, \
and 57 % if ranges are listed from the youngest on, with uninformative ones last.
"""

NEAR_NUMBERS = """
With noise (ε = .1 for each of age and schooling), ages of the same 20,000 people are predicted.
*nearer* is how often a miner's number is nearer to the age than the published number, in percent of people.
*misses* is its mean error in years.

| Weka's | nearer | misses | seconds | ours | nearer | misses |
| --- | --- | --- | --- | --- | --- | --- |
"""

LIMITS = """
## How they are run

Each miner runs in a separate process, as many at a time as there are processors (`Mining.jobs`).
Processes are kept for later training data until the program ends.
Each has a limit of time (`seconds`, 600) and of memory (`memory`, 4096 MiB).
A miner that fails or reaches a limit is left out, with the reason in `Predictions.left_out`.
Each draws from a separate, named random stream: one more miner, or more at a time, changes no other.
Finished miners survive an interruption if parts are kept.

With `folds=5` whole groups are held out: no row is predicted by a model that was trained on its group.
With `folds=0`, as in the paper, all rows are both training rows and predicted.
Then models with a large capacity mostly repeat the row's own cell.

## Rules

A rule combines the predictions of all miners for a row with the row's own cell into one posterior.
The result contains the named values (`best`) and one number (`point`; `value` rounds it, halves upwards).
Rules that need held-out groups refuse predictions for training rows.

"""

EXAMPLE = """
## In Python

```python
import numpy as np

from unmask.attacks.fusion.rules import all_rules
from unmask.attacks.fusion.rules.published_cells import PublishedCells
from unmask.attacks.fusion.miners import all_miners
from unmask.attacks.fusion.miners.training_data import Lesson
from unmask.attacks.fusion.miners.training import Mining, mine

job = np.repeat([0, 1, 2, 0], 30)  # a published cell of each of 120 rows
age = np.repeat([0, 1, 2, 2], 30)  # the range that each row shows
low, high = np.array([20, 30, 20]), np.array([29, 39, 59])
group_of = np.arange(120) // 4

lesson = Lesson(job[:, None], np.array([True]), age, n_classes=3, group_of=group_of)
miners = all_miners.named(["tree", "logistic", "naive-bayes"], numbers=False)
predictions = mine(lesson, miners, Mining(folds=5), np.random.default_rng(1))

cells = PublishedCells.ranges(age, low, high, domain=(20, 59), group_of=group_of)
fused = all_rules.rule("stacking", numbers=False).fuse(predictions, cells)
belief = fused.rows.dense()[fused.row_of]  # (rows, ages from 20 to 59)
guess = fused.value[fused.row_of]
```
"""

ROWS = "| name | model | the paper's |\n| --- | --- | --- |\n"


def written() -> str:
    """Return the page."""
    return "".join(_lines())


def _lines() -> Iterator[str]:
    yield HEAD
    for numbers, title in ((False, "Miners that predict cells"), (True, "Miners that predict numbers")):
        yield ("\n" if numbers else "") + f"## {title}\n\n{ROWS}"
        for miner in all_miners.miners(numbers=numbers):
            yield f"| `{miner.name}` | {miner.summary} | {miner.counterpart or '–'} |\n"
    yield WEKA
    for numbers, what in ((False, "cells"), (True, "numbers")):
        names = ", ".join(f"`{miner.name}`" for miner in all_miners.miners(numbers=numbers, library="weka"))
        yield f"| {what} | {names} |\n"
    yield NEAR
    ours = {miner.counterpart: miner.name for miner in all_miners.miners(numbers=False) if miner.counterpart}
    for name, (right, worth, seconds, own_right, own_worth, alike, alike_10) in compared.CELLS.items():
        near = f"{alike:.1f} | " + ("–" if alike_10 is None else f"{alike_10:.1f}")
        yield (
            f"| {name} | {right:.1f} | {worth:.1f} | {seconds:.1f} | `{ours[name]}` | "
            f"{own_right:.1f} | {own_worth:.1f} | {near} |\n"
        )
    yield NEAR_NOTES
    yield NEAR_NUMBERS
    ours = {miner.counterpart: miner.name for miner in all_miners.miners(numbers=True) if miner.counterpart}
    for name, (nearer, misses, seconds, own_nearer, own_misses) in compared.NUMBERS.items():
        yield (
            f"| {name} | {nearer:.1f} | {misses:.1f} | {seconds:.1f} | `{ours[name]}` | "
            f"{own_nearer:.1f} | {own_misses:.1f} |\n"
        )
    yield LIMITS
    yield "| name | fuses | method | held-out groups |\n| --- | --- | --- | --- |\n"
    for name in dict.fromkeys([*all_rules.OF_CELLS, *all_rules.OF_NUMBERS]):
        kinds = [
            word
            for word, family in (("cells", all_rules.OF_CELLS), ("numbers", all_rules.OF_NUMBERS))
            if name in family
        ]
        rule = {**all_rules.OF_CELLS, **all_rules.OF_NUMBERS}[name]
        summary = (rule.__doc__ or "").strip().splitlines()[0]
        yield f"| `{name}` | {' and '.join(kinds)} | {summary} | {'yes' if rule.needs_held_out else '–'} |\n"
    yield EXAMPLE


if __name__ == "__main__":
    PAGE.write_text(written(), encoding="utf-8")
