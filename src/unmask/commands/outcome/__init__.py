"""Results of commands for Python and the command line: reports, notes, exit codes."""
