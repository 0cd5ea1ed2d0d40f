"""Linkage: which published row belongs to which person."""
