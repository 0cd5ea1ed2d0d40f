"""Files and data frames to tables, releases and people, and back."""
