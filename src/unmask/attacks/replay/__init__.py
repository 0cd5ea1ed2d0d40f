"""Replay: posterior worlds from which the sanitizer produces the release."""
