"""Population risk and uniqueness of a sample, one estimator in each file."""
