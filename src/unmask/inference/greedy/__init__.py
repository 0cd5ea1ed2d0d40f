"""What greedy grouping tells by where it closed its groups: its rule, the order of people, and who stands where."""
