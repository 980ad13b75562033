"""Parts of `inplace-explain`: what is explained, and the page that shows it."""
