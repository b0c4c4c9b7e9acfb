"""What users get: explanations, what is read off them, and how both are shown."""
