"""LMDI+, TreeSHAP and Saabas on Spark DataFrames, through Arrow. Needs `pip install lmdi[spark]`.

>>> import lmdi.spark                                                          # doctest: +SKIP
>>> explainer = lmdi.spark.LMDIPlus(model).fit(df, target="y", key="id")       # doctest: +SKIP
>>> explainer.explain(df).write.parquet("scores")                              # doctest: +SKIP

`model` is a model of XGBoost, LightGBM, CatBoost, scikit-learn or this package, or one of Spark ML's own
tree models. Workers need this package too.
"""

from __future__ import annotations

from .explainers import LMDIPlus, Saabas, TreeSHAP
from .models import spark_model

__all__ = ["LMDIPlus", "Saabas", "TreeSHAP", "spark_model"]
