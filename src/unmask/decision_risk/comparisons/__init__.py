"""Ways to compare a value of a record with a value of a dictionary, one in each file."""
