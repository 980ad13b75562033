"""What each op does to tensors: reads, writes, aliases, content, as tables over a snapshot."""
