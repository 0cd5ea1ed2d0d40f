"""Explanations of beliefs about chosen people, for the owner of the data."""
