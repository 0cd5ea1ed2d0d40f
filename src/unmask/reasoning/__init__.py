"""Inference about small tables by listing every possible world."""
