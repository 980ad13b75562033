"""The pass that checks a bufferized program against its tensor program."""
