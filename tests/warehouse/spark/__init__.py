"""Tests that run on Spark, together: they share one session."""
