"""ONNX operators in linalg, tensor and scf: a file for each family of operators."""
