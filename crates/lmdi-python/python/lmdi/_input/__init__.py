"""What users pass: tables of any kind, their columns, responses and weights."""
