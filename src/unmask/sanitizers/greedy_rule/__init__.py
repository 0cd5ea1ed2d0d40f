"""The closing rule of greedy grouping, and the bound that it gives."""
