"""Other tools that measure and attack releases, beside unmask on the same tables: answers, times, and who is wrong.

Run with `make peers`, or `python -m benchmarks.peers [--quick] [--limit SECONDS] [--only TOOL] [--json FILE]`. Each
tool is installed into an environment of its own below `.peers/`, in its newest version. A question is asked in a
process of its own; the table is read before the clock starts, and the best time of several calls counts. The right
answers are worked out by `_peers/truth.py`, which knows none of the tools.

The ratio is the time of a tool over that of unmask: below 1 the tool is faster.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import chain, groupby
from pathlib import Path

from benchmarks._peers.asking import Installed, Outcome, Tool, ask, install
from benchmarks._peers.questions import Question, at_scale, by_hand, sanitized

MEASURES = frozenset({
    "k", "alpha", "distinct l", "entropy l", "recursive c", "t, equal", "t, ordered", "beta", "enhanced beta",
    "delta-disclosure", "average risk", "largest risk", "discernibility", "classification",
})  # fmt: skip

OURS = Tool("unmask", None)

PEERS = (
    Tool("pycanon", MEASURES, "pycanon"),
    Tool("anjana", frozenset({"full-domain", "columns", "interval"}), "anjana"),
    Tool("anonypyx", frozenset({"mondrian", "intersection"}), "anonypyx"),
    Tool("umbra-k", frozenset({"mondrian"}), "umbra-k"),
    Tool("privattacks", frozenset({"average risk", "value guessed"}), "privattacks"),
)

WIDTH = 100


@dataclass(frozen=True)
class Answer:
    """A tool's answer to a question, judged."""

    question: Question
    tool: Tool
    outcome: Outcome
    verdict: str  # right, WRONG, crashes, refuses, late
    text: str
    ratio: float | None = None  # of our time


def judged(question: Question, tool: Tool, outcome: Outcome, ours: Outcome | None) -> Answer:
    """Hold an answer against the right one, and its time against ours."""
    ratio = outcome.seconds / ours.seconds if ours and ours.seconds and outcome.seconds is not None else None
    if outcome.late:
        return Answer(question, tool, outcome, "late", outcome.trouble, ratio)
    if outcome.refused and question.refusal_is_right:
        return Answer(question, tool, outcome, "right", "refused")
    if outcome.trouble:
        return Answer(question, tool, outcome, "refuses" if outcome.refused else "crashes", outcome.trouble)
    right = question.accepts(outcome.value) and not question.refusal_is_right
    return Answer(question, tool, outcome, "right" if right else "WRONG", question.shows(outcome.value), ratio)


def applies(tool: Tool, question: Question) -> bool:
    """Say whether a tool has an answer to a question; t under a condition is AnonyPyx's alone among the peers."""
    if tool.answers is not None and question.what not in tool.answers:
        return False
    return not (tool.name == "umbra-k" and "t" in question.settings)


def asked(question: Question, tools: Sequence[Tool], limit_s: float) -> Iterator[Answer]:
    """Ask every tool that can answer, unmask first."""
    ours: Outcome | None = None
    for tool in tools:
        if applies(tool, question):
            outcome = ask(tool, question, limit_s)
            if tool is OURS:
                ours = outcome
            yield judged(question, tool, outcome, None if tool is OURS else ours)


def clock(seconds: float | None) -> str:
    """Write seconds in three digits."""
    if seconds is None:
        return ""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} µs"


def line(question: str, right: str, answer: Answer) -> str:
    """Write an answer in a line of 100 columns."""
    late = answer.outcome.late
    ratio = "" if answer.ratio is None else f"{'>' if late else ''}×{answer.ratio:.3g}"
    seconds = "" if late else clock(answer.outcome.seconds)
    judgment = f"{answer.verdict:7} {seconds:>7} {ratio:>6}".rstrip()
    if len(answer.text) > 30 and not (question or right):
        return f"    {answer.tool.name:11} {cut_off(answer.text, 61)} {judgment}"
    return f"{question:18.18} {right:15.15} {answer.tool.name:11} {cut_off(answer.text, 30)} {judgment}"


def cut_off(text: str, width: int) -> str:
    """Return a text in exactly so many columns."""
    return text.ljust(width) if len(text) <= width else text[: width - 1] + "…"


def show(answers: Iterator[Answer]) -> list[Answer]:
    """Print answers as they come, by table and question, and return them."""
    kept: list[Answer] = []
    for title, of_table in groupby(answers, lambda a: a.question.data.title):
        print(f"\n{title}\n{'-' * WIDTH}")
        for question, of_question in groupby(of_table, lambda a: a.question):
            label, right = question.label, question.right
            for answer in of_question:
                wide = len(right) > 15 or len(label) > 18
                if wide and label:
                    print(f"{label}: {right}")
                print(line("" if wide else label, "" if wide else right, answer), flush=True)
                kept.append(answer)
                label = right = ""
    return kept


def summary(answers: Sequence[Answer], tools: Sequence[Tool]) -> Iterator[str]:
    """Yield who was right how often, and every disagreement with the right answer."""
    yield f"\n{'tool':12} {'asked':>6} {'right':>6} {'wrong':>6} {'crashes':>8} {'refuses':>8} {'late':>6}"
    for tool in tools:
        verdicts = [a.verdict for a in answers if a.tool is tool]
        counts = [verdicts.count(v) for v in ("right", "WRONG", "crashes", "refuses", "late")]
        yield (f"{tool.name:12} {len(verdicts):6} {counts[0]:6} {counts[1]:6} {counts[2]:8} {counts[3]:8} "
               f"{counts[4]:6}")  # fmt: skip
    bad = [a for a in answers if a.verdict not in {"right", "late"}]
    yield f"\n{len(bad)} disagreements with the right answer" if bad else "\nno disagreement with the right answer"
    for a in bad:
        yield f"- {a.tool.name}, {a.question.label} of {a.question.data.title}: {a.text[:200]}"
        yield f"  right: {a.question.right}"
    faster = [a for a in answers if a.ratio is not None and a.ratio < 1 and a.tool is not OURS]
    large = [a for a in faster if a.question.data.is_large]
    yield f"\n{len(faster)} answers of others came faster than ours, {len(large)} of them about large tables"
    for a in large:
        yield (f"- {a.tool.name}, {a.question.label} of {a.question.data.title}: ×{a.ratio:.3g} of "
               f"{clock((a.outcome.seconds or 0) / (a.ratio or 1))}; {a.verdict}")  # fmt: skip


def document(answers: Sequence[Answer], installed: Installed) -> str:
    """Write all answers as JSON."""
    entries = [
        {"table": a.question.data.title, "question": a.question.label, "right": a.question.right, "tool": a.tool.name,
         "answer": a.text, "verdict": a.verdict, "seconds": a.outcome.seconds, "ratio": a.ratio}
        for a in answers
    ]  # fmt: skip
    return json.dumps({**asdict(installed), "answers": entries}, indent=1) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Install, ask, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="only tables that can be worked by hand")
    parser.add_argument("--limit", type=float, default=200.0, metavar="SECONDS", help="for each question (200)")
    parser.add_argument("--only", action="append", metavar="TOOL", choices=[tool.name for tool in PEERS])
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the answers, too")
    options = parser.parse_args(arguments)
    wanted = [OURS, *(tool for tool in PEERS if not options.only or tool.name in options.only)]
    installed = install(wanted)
    tools = [tool for tool in wanted if tool.name in installed.versions]
    print(f"{datetime.now(tz=UTC):%Y-%m-%d}, {os.cpu_count()} cores, Python {sys.version.split()[0]}")
    print(", ".join(f"{name} {version}" for name, version in installed.versions.items()))
    for name, why in installed.missing.items():
        print(f"{name} cannot be installed: {why}")
    questions = chain(by_hand(), sanitized(), () if options.quick else at_scale())
    answers = show(a for question in questions for a in asked(question, tools, options.limit))
    print("\n".join(summary(answers, tools)))
    if options.json:
        options.json.write_text(document(answers, installed), encoding="utf-8")
    return int(any(a.tool is OURS and a.verdict != "right" for a in answers))


if __name__ == "__main__":
    raise SystemExit(main())
