"""Tests of what other programs run: the packages below `integrations`."""
