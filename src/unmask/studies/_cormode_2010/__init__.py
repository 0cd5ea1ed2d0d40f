"""The experiments of Cormode et al. 2010, one file each."""
