"""The experiments of Kifer 2009, one file each."""
