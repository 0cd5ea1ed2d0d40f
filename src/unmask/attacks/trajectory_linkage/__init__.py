"""Trajectory linkage: pseudonyms that fit several known records of a person at once."""
