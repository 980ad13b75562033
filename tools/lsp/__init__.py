"""Parts of `inplace-lsp`: what is known of a text that is being edited, and what an editor shows of it."""
