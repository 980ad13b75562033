"""What the generators of completion and manual pages share: the flags of all programs."""
