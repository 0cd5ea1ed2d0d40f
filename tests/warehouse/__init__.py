"""Tables that stay where the data live."""
