"""Parts of the experiments of Lebanon et al. 2006, one file each."""
