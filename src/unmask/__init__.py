"""Attack anonymized tables as an adversary would, and report what still leaks."""
