"""The lessons, and what they share: an oracle, statistical assertions, strategies."""
