"""User input: tables of any kind, their columns, responses and weights."""
