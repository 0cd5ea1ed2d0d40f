"""Joint worlds: all releases about a complete list of people, explained at once."""
