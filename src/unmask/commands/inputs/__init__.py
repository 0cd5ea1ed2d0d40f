"""What a command is given: tables, releases, people, limits and questions, read and understood once."""
