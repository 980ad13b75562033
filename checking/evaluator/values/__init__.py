"""What the evaluator computes with: elements, tensors, tracked memory, ranks and their messages."""
