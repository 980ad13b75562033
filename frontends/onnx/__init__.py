"""ONNX models as compiled programs: `from_onnx`, and the backend for ONNX's own tests."""
