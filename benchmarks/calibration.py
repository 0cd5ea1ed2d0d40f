"""Whether beliefs are right as often as they say: every attack about an attribute, on two tables in five releases.

Run with `UNMASK_DATA=FOLDER python -m benchmarks.calibration [--seeds 3] [--minutes 60]`. The folder holds
`calibration/acs_pa_6000.csv.gz` and `calibration/diabetes_6000.csv.gz`. Each scene is measured once and kept in
`benchmarks/calibration.json`, where it is removed to be measured again; the page `docs/reference/calibration.md` is
written from it, with what is missing as not measured. The plain forest is a reference, built in `_calibration`.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import TypeAlias

from benchmarks._calibration.page import page
from benchmarks._calibration.scenes import figures_of, places

RESULTS = Path(__file__).parent / "calibration.json"
PAGE = Path(__file__).parents[1] / "docs" / "reference" / "calibration.md"
SEEDS = 3

Results: TypeAlias = dict[str, dict[str, dict[str, float | str]]]
"""The figures by scene and attack."""


def results() -> Results:
    """Return what was measured."""
    found: Results = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    return found


def main() -> None:
    """Measure what is missing, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no scene afterwards")
    parser.add_argument("--only", default="", help="text in the names of the scenes that are measured")
    arguments = parser.parse_args()
    end = time.monotonic() + 60 * arguments.minutes
    found = results()
    for place in places(arguments.seeds):
        if str(place) in found or arguments.only not in str(place):
            continue
        if time.monotonic() > end:
            break
        found[str(place)] = figures_of(place)
        text = json.dumps(dict(sorted(found.items())), indent=1, ensure_ascii=False)
        RESULTS.write_text(text + "\n", encoding="utf-8")
        best = {name: (round(float(one["log loss"]), 3), round(float(one["ece"]), 3), round(float(one["seconds"]), 1))
                for name, one in found[str(place)].items() if "ece" in one}  # fmt: skip
        print(place, best, flush=True)
    PAGE.write_text(page(found, SEEDS), encoding="utf-8")


if __name__ == "__main__":
    main()
