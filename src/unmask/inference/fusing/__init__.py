"""Rules that make one prediction of many: what miners say of a person, fused."""
