"""Studies, one file a paper: its experiments run again, beside the numbers that it printed."""
