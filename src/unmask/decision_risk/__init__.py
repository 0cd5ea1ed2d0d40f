"""The decision theory of disclosure: what it costs that a record can be named, and which attributes to disclose."""
