"""The audit: attackers × releases × attacks × metrics; its measures, verdicts and policies."""
