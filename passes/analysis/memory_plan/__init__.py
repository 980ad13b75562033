"""Where the buffers of a function lie in one arena: which can be there, when they are live, and at which offsets."""
