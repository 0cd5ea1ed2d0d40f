"""Readers and writers of tables, releases, people files and other input and output files."""
