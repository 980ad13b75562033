"""What tells whether a program is right: evaluator, generator, fuzzing, checker, mutation."""
