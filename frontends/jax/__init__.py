"""Functions of JAX: `from_jax` compiles one for given arguments, `jit` one for each kind of arguments it meets."""
