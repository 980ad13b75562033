"""Which code is repeated on other values."""
