"""Replay: the worlds from which the sanitizer produces the release."""
