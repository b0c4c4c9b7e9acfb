"""The importance methods, one file per method, and their shared code."""
