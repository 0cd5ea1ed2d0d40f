"""Read-only database sources, named by a DSN, with the same result as a CSV file of the same cells."""
