"""Files of spreadsheets and statistics packages: read in a process of their own, since their readers may crash."""
