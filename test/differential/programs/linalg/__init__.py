"""Programs of linalg ops."""
