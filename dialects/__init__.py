"""How the ops of each upstream dialect bufferize: one file per dialect, all through ``bufferizable.py``."""
