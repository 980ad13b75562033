"""Prices of copies and allocations, and the estimates behind them: sizes of tensors and trip counts of loops."""
