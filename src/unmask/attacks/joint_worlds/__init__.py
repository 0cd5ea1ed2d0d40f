"""Joint worlds: the joint posterior from all releases about a complete list of people."""
