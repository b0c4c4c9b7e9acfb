"""Models of Spark."""
