"""Files of models and explainers."""
