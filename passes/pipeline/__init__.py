"""The pass manager: registry, pipeline syntax, execution, instrumentation, reproducers."""
