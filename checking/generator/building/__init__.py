"""What the rules build programs from: values, boxes of indices, structured ops, functions."""
