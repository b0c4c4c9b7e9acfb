"""The importance methods, one file per method, and what they share."""
