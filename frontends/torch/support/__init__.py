"""What the files of the frontend of PyTorch share."""
