"""Random command lines about a table, a release folder, or files that users write by hand."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from tests.fuzz.algorithms import FAST, ODD, algorithm, limits
from tests.fuzz.tables import Table

ATTACKS = (
    "linkage",
    "random-worlds",
    "baseline",
    "minimality",
    "intersection",
    "noisy-counts",
    "joint-worlds",
    "definetti",
)

USUAL = ("linkage", "random-worlds", "baseline", "definetti", "joint-worlds", "minimality", "replay")
"""Attacks on one release about people."""

Arguments = list[str]


@dataclass
class Scene:
    """Files that commands can be about, and names for what they write that were not taken yet."""

    rng: Random
    table: Table
    releases: list[str] = field(default_factory=list)
    keeps: list[str] = field(default_factory=list)
    more: Arguments = field(default_factory=list)  # options of files that users write by hand
    n: int = 0
    careful: bool = False  # nothing but the files is odd

    def __post_init__(self) -> None:
        self.careful = self.rng.random() < 0.6

    @property
    def name(self) -> str:
        """The table's file."""
        return self.table.path.name

    def fresh(self, suffix: str = "") -> str:
        """Return a name that nothing has."""
        self.n += 1
        return f"out{self.n}{suffix}"

    def maybe(self, share: float, *arguments: str) -> Arguments:
        """Return some arguments, or none."""
        return list(arguments) if self.rng.random() < share else []

    def odd(self, share: float, *arguments: str) -> Arguments:
        """Return some arguments that may be refused, or none."""
        return [] if self.careful else self.maybe(share, *arguments)

    def column(self) -> str:
        """Return a column's name, seldom one that there is not."""
        there = self.careful or self.rng.random() < 0.95
        return self.rng.choice(self.table.columns) if there else self.rng.choice(ODD)

    def value(self, name: str) -> str:
        """Return a value of a column, seldom another one."""
        known = self.table.values(name) if name in self.table.columns else []
        return self.rng.choice(known) if known and self.rng.random() < 0.8 else self.rng.choice(ODD)

    def release(self) -> str:
        """Return a release: a folder, else the table."""
        return self.rng.choice(self.releases) if self.releases and self.rng.random() < 0.9 else self.name


def roles(scene: Scene, *, of_people: bool = True) -> Arguments:
    """Return which column is what."""
    rng, names = scene.rng, list(scene.table.columns[1:])
    found = ["--identifier", "id"] if of_people and (scene.careful or rng.random() < 0.7) else []
    if scene.careful:
        rng.shuffle(names)
        for role in ("-q", "-s", "-q"):
            found += [role, names.pop()] if names else []
        return found + [part for name in names for part in (rng.choice(("-q", "--insensitive")), name)]
    for name in names:
        role = rng.choice(("-q", "-q", "-q", "-s", "-s", "--insensitive", ""))
        found += [role, name] if role else []
    key = ("--person-key", "--household", "--weight") if of_people else ()
    return found + [part for option in key for part in scene.maybe(0.1, option, scene.column())]


def reading(scene: Scene) -> Arguments:
    """Return options of how a table is read."""
    rng, name = scene.rng, scene.column()
    values = ",".join(scene.value(name) for _ in range(rng.randrange(1, 4)))
    return [
        *scene.maybe(0.1, "--missing", rng.choice(("?", "NA", "", "*", "x", "1"))),
        *scene.maybe(0.2, "--missing-policy", rng.choice(("own", "wildcard", "exclude"))),
        *scene.odd(0.1, "--rest", rng.choice(("drop", "insensitive", "x"))),
        *scene.odd(0.1, "--order", f"{name}={values}"),
        *scene.odd(0.06, "--encoding", rng.choice(("utf-8", "latin-1", "utf-16", "cp1252", "zlib", "x"))),
        *scene.odd(0.06, "--delimiter", rng.choice((",", ";", "\t", "||", "", "x"))),
        *scene.maybe(0.1, "--decimal", rng.choice((".", ",", ".", "x"))),
        *scene.odd(0.1, "--hierarchy", f"{name}={rng.choice(('h.csv', 'none.csv', scene.name))}"),
        *scene.maybe(0.1, "--quiet"),
        *scene.more,
    ]


def of_people(scene: Scene) -> Arguments:
    """Return options of how a table of people is read."""
    rng, name = scene.rng, scene.column()
    return [
        *reading(scene),
        *scene.odd(
            0.2, "--bins", f"{name}={rng.choice(('10', '10,20', '5,1', '0', 'x', '1e-300', 'nan', '1e308,-1e308'))}"
        ),
        *scene.maybe(0.1, "--harmless", f"{name}={scene.value(name)}"),
    ]


def outputs(scene: Scene, *options: str) -> Arguments:
    """Return some outputs."""
    return [part for one in options for part in scene.maybe(0.25, one, scene.fresh(f".{one.strip('-')}"))]


def sanitize(scene: Scene) -> Arguments:
    """Publish the table."""
    name, settings = algorithm(scene.rng, "sanitizers", odd=0.0 if scene.careful else 0.25)
    out = ["--out", scene.fresh(), *outputs(scene, "--keep")]
    return ["sanitize", scene.name, name, *settings, *roles(scene), *of_people(scene), *out]


def hierarchy(scene: Scene) -> Arguments:
    """Make or check a hierarchy."""
    rng = scene.rng
    widths = (
        "2,10,100"
        if scene.careful
        else rng.choice(("5,10,20", "1", "0.1,0.3", "0", "-1", "nan", "1e308", "1e-300", "x", "", "2,3"))
    )
    how = rng.choice((["--intervals", widths], ["--mask"], ["--file", "h.csv"], []))
    options = [part for part in of_people(scene) if part.startswith("--missing=")]
    return [
        "hierarchy",
        scene.column(),
        scene.name,
        *how,
        *options,
        *outputs(scene, "--out"),
        *scene.maybe(0.2, "--check"),
    ]


def _of_limits(scene: Scene) -> Arguments:
    rng = scene.rng
    return [
        *(
            ["--max-belief", "0.5"]
            if scene.careful
            else scene.maybe(0.5, "--max-belief", rng.choice(("0.5", "0.9", "0", "1", "2", "nan", "-1", "x")))
        ),
        *scene.odd(0.2, "--excess", rng.choice(("0.1", "0", "nan", "2"))),
        *scene.odd(0.3, "--tolerate", rng.choice(("0", "1%", "0.5", "2", "nan", "x", "1e9", "-1", "100%"))),
    ]


def _of_attacks(scene: Scene) -> Arguments:
    found: Arguments = []
    for name in scene.rng.sample(ATTACKS[:3] if scene.careful else ATTACKS, scene.rng.randrange(1, 4)):
        found += ["--attack", name]
        found += [
            part if part == "--attack-set" else f"{name}.{part}"
            for part in " ".join(FAST.get(name, ())).replace("--set", "--attack-set").split()
        ]
    return found


def audit(scene: Scene) -> Arguments:
    """Audit the table as a sanitizer would publish it, or a release of it."""
    rng = scene.rng
    if scene.releases and rng.random() < 0.8:
        keep = scene.maybe(0.5, "--keep", rng.choice(scene.keeps)) if scene.keeps else []
        what = [*scene.maybe(0.8, scene.name), "--release", scene.release(), *keep]
        what += scene.maybe(0.2, "--people", scene.name)
    else:
        name, settings = algorithm(rng, "sanitizers", odd=0.0 if scene.careful else 0.25)
        what = [scene.name, "--sanitizer", name, *settings]
    location = scene.odd(0.3, "--location", rng.choice(("attributes", "row", "x")))
    more = [
        *scene.maybe(0.1, "--complete"),
        *scene.maybe(0.1, "--population", scene.name),
        *scene.maybe(0.1, "--ignore", scene.column()),
    ]
    written = outputs(scene, "--json", "--html", "--junit", "--markdown", "--people-at-risk")
    return [
        "audit",
        *what,
        *_of_attacks(scene),
        *roles(scene),
        *of_people(scene),
        *_of_limits(scene),
        *location,
        *more,
        *written,
        "--seed",
        "1",
    ]


def attack(scene: Scene) -> Arguments:
    """Attack a release by name."""
    rng = scene.rng
    if scene.careful and rng.random() < 0.7:
        name, settings = (chosen := rng.choice(USUAL)), list(FAST.get(chosen, ()))
    else:
        name, settings = algorithm(rng, "attacks")
    people = ["--people", scene.name] if scene.careful else scene.maybe(0.6, "--people", scene.name)
    truth = scene.odd(0.2, "--truth", scene.name)
    more = [
        *scene.odd(0.3, "--location", rng.choice(("attributes", "row"))),
        *scene.odd(0.1, "--prior", rng.choice(("uniform", "release", scene.name))),
        *scene.maybe(0.1, "--complete"),
        *scene.odd(0.1, "--explain", rng.choice(("0", "x", "-1"))),
        *(scene.maybe(0.3, "--keep", rng.choice(scene.keeps)) if scene.keeps else []),
    ]
    return [
        "attack", name, *settings, "--release", scene.release(), *people, *truth, *more, *roles(scene),
        *reading(scene), *outputs(scene, "--out", "--json", "--html"), "--seed", "1",
    ]  # fmt: skip


def measure(scene: Scene) -> Arguments:
    """Measure a release."""
    rng = scene.rng
    required = [part for one in limits(rng) for part in ("--require", one)] if rng.random() < 0.5 else []
    population = scene.maybe(0.15, "--population", scene.name)
    sampled = scene.odd(0.15, "--sampled", rng.choice(("0.1", "10%", "5/100", "0", "2", "x", "nan", "1/0")))
    written = outputs(scene, "--json", "--people-at-risk")
    more = [*scene.odd(0.1, "--person-key", scene.column()), *scene.maybe(0.1, "--ignore", scene.column())]
    return [
        "measure",
        scene.release(),
        *required,
        *population,
        *sampled,
        *more,
        *roles(scene, of_people=False),
        *reading(scene),
        *written,
    ]


def compare(scene: Scene) -> Arguments:
    """Compare releases."""
    paths = [scene.release() for _ in range(scene.rng.choice((1, 2, 2, 3)))]
    original = scene.maybe(0.7, "--original", scene.name)
    return [
        "compare",
        *paths,
        *original,
        *roles(scene, of_people=False),
        *reading(scene),
        *outputs(scene, "--json", "--html"),
        "--seed",
        "1",
    ]


def reason(scene: Scene) -> Arguments:
    """Reason about a small release."""
    return ["reason", scene.release(), *roles(scene, of_people=False), *reading(scene), *outputs(scene, "--json")]


def risk(scene: Scene) -> Arguments:
    """Compute the risk of disclosing, and choose what to disclose."""
    rng, name = scene.rng, scene.column()
    rule = (
        "min-risk"
        if scene.careful
        else rng.choice(("min-risk", "exact", "bayes", "minimax", "total", "per-attribute", "x"))
    )
    how = rng.choice(
        ("folded", "prefix:3", "jaro:0.9", "within:2", "days:7", "contains", "within:nan", "prefix:-1", "x")
    )
    more = [
        *scene.maybe(0.6, "--disclose", rng.choice(("1", "2", "1", "0") if scene.careful else ("1", "2", "0", "-1",
        "99"))), *scene.maybe(0.3, "--rule", rule),
        *scene.odd(0.2, "--always", name), *scene.odd(0.3, "--compare", f"{name}={how}"),
        *scene.maybe(0.2, "--dictionary", scene.name), *scene.odd(0.1, "--prior", rng.choice(("uniform", "1", "nan",
        "0,0"))),
        *scene.odd(0.1, "--selection", name), *scene.maybe(0.2, "--out", scene.fresh()),
    ]  # fmt: skip
    options = [*roles(scene), *scene.maybe(0.1, "--missing", "x"), *scene.more]
    return ["risk", scene.name, *more, *options, *outputs(scene, "--json", "--html", "--people-at-risk")]


def ledger_add(scene: Scene) -> Arguments:
    """Take a release down."""
    people = scene.maybe(0.4, "--people", scene.name, "--person-key", "id", "--key", "key")
    more = [
        *scene.maybe(0.3, "--embed"),
        *scene.maybe(0.2, "--name", scene.rng.choice(("a", "", "x/y", "é", "="))),
        *scene.maybe(0.3, "--force"),
    ]
    date = scene.odd(0.2, "--date", scene.rng.choice(("2024-01-01", "x", "0000-00-00", "")))
    path = scene.release()
    described = [] if path in scene.releases else ["--embed", *roles(scene, of_people=False)]
    return ["ledger", "add", path, "--ledger", "ledger.json", *people, *more, *date, *described]


def ledger_list(scene: Scene) -> Arguments:
    """List the ledger."""
    return ["ledger", "list", "--ledger", "ledger.json", *outputs(scene, "--json")]


def ledger_check(scene: Scene) -> Arguments:
    """Check a release against the ledger."""
    people = scene.maybe(0.6, "--truth", scene.name, "-q", "age", "-s", "ill")
    more = scene.maybe(0.3, "--max-epsilon", scene.rng.choice(("1", "0", "nan", "-1")))
    return [
        "ledger", "check", scene.release(), "--ledger", "ledger.json", *people, *_of_attacks(scene),
        *_of_limits(scene), *more,
        *outputs(scene, "--json", "--html"), "--seed", "1",
    ]  # fmt: skip


def ledger_prune(scene: Scene) -> Arguments:
    """Prune the ledger."""
    return ["ledger", "prune", "--ledger", "ledger.json", *scene.maybe(0.2, "--quiet")]


def anything(scene: Scene) -> Arguments:
    """Return words and options in no order."""
    rng = scene.rng
    words = (
        "sanitize", "audit", "measure", "explain", "list", "demo", "hierarchy", "reason", "risk", "ledger", "add",
        "study", "mondrian",
        "k", "attacks", "linkage", "--json", "-", "--help", "--version", "--out", "-q", "age", "--seed", "-1",
        "--set", "k=2",
        "--force", "--nothing", "--", "-v", "--quiet", "", scene.name, *ODD, "sqlite:///x.db",
        "postgresql://nowhere/x", "duckdb:///x",
        "sqlite:///people.csv#x", ".", "..", "/dev/null", "people.csv,people.csv",
    )  # fmt: skip
    chosen = [rng.choice(words) for _ in range(rng.randrange(1, 7))]
    heavy = {"demo", "study"}.intersection(chosen)
    return chosen if not heavy else [*chosen, "--no-such-option"]
