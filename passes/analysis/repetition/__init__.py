"""Code that is repeated on other values."""
