"""`unmask.sanitize` in Python: notes beside the release."""

from __future__ import annotations

import unmask

PEOPLE = {"age": [21, 23, 28, 31, 36, 38], "town": ["Ulm", "Bonn"] * 3, "ill": ["flu", "cold", "flu"] * 2}


def test_a_greedy_search_is_said():
    """With room for one node only, the lattice of four is not searched whole; with the usual room it is."""
    for most_nodes, expected in ((1, True), (1_000_000, False)):
        made = unmask.sanitize(
            PEOPLE, "full-domain", set={"k": 3, "most-nodes": most_nodes}, quasi=["age", "town"], sensitive=["ill"]
        )
        assert any("greedy search" in note for note in made.notes) is expected
        assert made.release.provenance.parameters["search"] == ("greedy" if expected else "optimal")


def test_records_are_left_out_by_any_model_and_counted():
    """Written as on a command line; who is left out is counted, and the recipient reads it."""
    data = {"town": ["Ulm"] * 3 + ["Bonn"] * 3, "ill": ["flu", "cold", "flu", "flu", "flu", "flu"]}
    made = unmask.sanitize(data, "record-suppression", set={"k": 2, "distinct-l": 2}, quasi=["town"], sensitive=["ill"])
    assert (made.release.n_people, made.release.n_suppressed) == (3, 3)


def test_hiding_cells_needs_nothing_sensitive():
    """Who looks like whom is all that counts: a table of nothing but quasi-identifiers can be published."""
    made = unmask.sanitize(PEOPLE, "local-suppression", set={"k": 2, "policy": "wildcard"}, quasi=["age", "town"])
    assert made.release.n_people == 6
