"""Why a buffer is allocated or copied, as data: reasons, costs, and the change to the program that removes it."""
