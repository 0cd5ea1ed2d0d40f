"""Intersection: releases that share people, combined (Ganta et al. 2008)."""
