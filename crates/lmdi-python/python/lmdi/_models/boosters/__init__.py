"""Models of XGBoost, LightGBM and CatBoost."""
