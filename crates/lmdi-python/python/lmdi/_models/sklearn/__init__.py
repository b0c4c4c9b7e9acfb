"""Models of scikit-learn: trees, boosting, and what is made of other models."""
