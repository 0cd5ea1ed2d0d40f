"""How risky a sample is for the people of its population: risk and uniqueness, one way of estimating a file."""
