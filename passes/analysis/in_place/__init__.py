"""Which tied results share the buffer of their operand: the decisions and their order."""
