"""The experiments of Ganta et al. 2008, one file each."""
