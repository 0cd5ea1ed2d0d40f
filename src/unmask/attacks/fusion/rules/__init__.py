"""Rules that combine the predictions of many miners into one posterior."""
