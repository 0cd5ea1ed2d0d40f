"""Changes of a table before it is sanitized, and of a release: columns withheld or coarser, groups left out."""
