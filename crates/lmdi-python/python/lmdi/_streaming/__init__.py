"""Rows that come in batches: where they come from, and fits on them."""
