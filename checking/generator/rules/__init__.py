"""The rules that add ops to a random program, by kind."""
