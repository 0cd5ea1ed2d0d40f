"""Inputs of a command: tables, releases, people, limits and questions, each read once."""
