"""The exit codes of all programs, and what ends each of them in the same way."""

from __future__ import annotations

from collections.abc import Callable

from .opt.console import abandon_standard_output, explain_os_error, open_standard_error, print_error

__all__ = ["FAILURE", "INTERRUPTED", "SUCCESS", "USAGE", "run_program"]

SUCCESS, FAILURE, USAGE, INTERRUPTED = 0, 1, 2, 130

Errors = tuple[type[Exception], ...]


def run_program(name: str, run: Callable[[], int], *, usage: Errors, failures: Errors) -> int:
    """Return the exit code of `run`, or of what it raises, after one line on it on standard error.

    Args:
        name: what the program is called.
        run: the program.
        usage: exceptions that mean a wrong command line.
        failures: exceptions that mean that it cannot be done; an empty message was said already.
    """
    open_standard_error()
    try:
        return run()
    except usage as error:
        print_error(f"{name}: error: {error}")
        return USAGE
    except failures as error:
        if str(error):
            print_error(f"{name}: error: {error}")
    except BrokenPipeError:
        abandon_standard_output()  # Whoever read it has gone.
    except OSError as error:
        print_error(f"{name}: error: {explain_os_error(error)}")
    except KeyboardInterrupt:
        print_error(f"{name}: interrupted")
        return INTERRUPTED
    return FAILURE
