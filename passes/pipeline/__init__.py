"""What runs passes: registry, pipeline syntax, execution, instrumentation, reproducers."""
