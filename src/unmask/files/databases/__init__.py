"""Tables that live in a database: named by a DSN, read where nothing can be written, as a CSV would hold them."""
