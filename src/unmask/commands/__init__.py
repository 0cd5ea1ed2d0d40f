"""The commands as Python functions, with the option names of the command line."""
