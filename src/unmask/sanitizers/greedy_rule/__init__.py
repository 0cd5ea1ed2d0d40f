"""The rule of greedy grouping, which its publisher follows and its attacker knows."""
