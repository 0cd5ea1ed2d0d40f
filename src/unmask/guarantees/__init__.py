"""What theory promises of a release, one guarantee a file; `catalog` finds them."""
