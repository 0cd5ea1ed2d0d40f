"""Real data that comes with the package, and small tables from papers."""
