"""LMDI+, TreeSHAP and Saabas on Spark DataFrames, through Arrow. Needs `pip install lmdi[spark]`.

>>> import lmdi.spark
>>> explainer = lmdi.spark.LMDIPlus(model).fit(df, target="y", key="id")       # doctest: +SKIP
>>> explainer.explain(df).write.parquet("scores")                              # doctest: +SKIP

`model` is a tree model of Spark ML, XGBoost, LightGBM, CatBoost, scikit-learn or this package.
Workers need this package too. `lmdi.spark.ml` has a stage for Spark ML pipelines.
"""

from __future__ import annotations

from .explainers import LMDIPlus, Saabas, TreeSHAP

__all__ = ["LMDIPlus", "Saabas", "TreeSHAP"]
