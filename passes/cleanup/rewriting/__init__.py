"""Folds that canonicalization needs beside those of upstream."""
