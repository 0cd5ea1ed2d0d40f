"""Data miners by name: what each learns from a release, and what it says of the published rows."""
