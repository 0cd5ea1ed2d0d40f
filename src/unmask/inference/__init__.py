"""Mathematics that several algorithms share."""
