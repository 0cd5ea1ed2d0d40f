"""Inspection of a table: roles of columns, unit of protection, dependencies, and columns that single people out."""
