"""The search for a release that passes a policy and keeps most: candidates, attacks, local repair, the frontier."""
