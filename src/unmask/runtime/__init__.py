"""How work runs: progress, interruption, random streams, cost estimates, compiled kernels."""
