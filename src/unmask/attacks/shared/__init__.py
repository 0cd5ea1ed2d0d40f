"""Mathematics that several attacks share."""
