"""Models of any supported library, found by the name of their class.

A file is imported only for a model of its library, so that none of the libraries is needed to import this
package. To add a library, write a function from its model to `lmdi.Model` and name its classes here.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .._sklearn import require
from .composite import Composite
from .model import Model

#: Class name -> file under this folder and function in it, for each library.
READERS = {
    "sklearn": {
        "DecisionTreeRegressor": "sklearn.trees.tree",
        "DecisionTreeClassifier": "sklearn.trees.tree",
        "ExtraTreeRegressor": "sklearn.trees.tree",
        "ExtraTreeClassifier": "sklearn.trees.tree",
        "RandomForestRegressor": "sklearn.trees.forest",
        "RandomForestClassifier": "sklearn.trees.forest",
        "ExtraTreesRegressor": "sklearn.trees.forest",
        "ExtraTreesClassifier": "sklearn.trees.forest",
        "IsolationForest": "sklearn.trees.isolation",
        "BaggingRegressor": "sklearn.sums.bagging",
        "BaggingClassifier": "sklearn.sums.bagging",
        "AdaBoostClassifier": "sklearn.adaboost.classifier",
        "AdaBoostRegressor": "sklearn.adaboost.regressor",
        "GradientBoostingRegressor": "sklearn.boosting.boosting",
        "GradientBoostingClassifier": "sklearn.boosting.boosting",
        "HistGradientBoostingRegressor": "sklearn.histogram_boosting.boosting",
        "HistGradientBoostingClassifier": "sklearn.histogram_boosting.boosting",
        "Pipeline": "sklearn.pipelines.pipeline",
        "CalibratedClassifierCV": "sklearn.wrappers.calibrated",
        "FrozenEstimator": "sklearn.wrappers.frozen",
        "TunedThresholdClassifierCV": "sklearn.wrappers.threshold",
        "FixedThresholdClassifier": "sklearn.wrappers.threshold",
        "VotingRegressor": "sklearn.sums.voting",
        "VotingClassifier": "sklearn.sums.voting",
        "StackingRegressor": "sklearn.sums.stacking",
        "StackingClassifier": "sklearn.sums.stacking",
        "MultiOutputRegressor": "sklearn.sums.several_targets",
        "MultiOutputClassifier": "sklearn.sums.several_targets",
        "TransformedTargetRegressor": "sklearn.wrappers.transformed_target",
        "GridSearchCV": "sklearn.wrappers.search",
        "RandomizedSearchCV": "sklearn.wrappers.search",
        "HalvingGridSearchCV": "sklearn.wrappers.search",
        "HalvingRandomSearchCV": "sklearn.wrappers.search",
    },
    "xgboost": {
        "Booster": "boosters.xgboost.booster",
        "XGBRegressor": "boosters.xgboost.estimator",
        "XGBClassifier": "boosters.xgboost.estimator",
        "XGBRanker": "boosters.xgboost.estimator",
        "XGBRFRegressor": "boosters.xgboost.estimator",
        "XGBRFClassifier": "boosters.xgboost.estimator",
        "SparkXGBRegressorModel": "boosters.xgboost.spark_model",
        "SparkXGBClassifierModel": "boosters.xgboost.spark_model",
        "SparkXGBRankerModel": "boosters.xgboost.spark_model",
    },
    "lightgbm": {
        "Booster": "boosters.lightgbm.booster",
        "LGBMRegressor": "boosters.lightgbm.estimator",
        "LGBMClassifier": "boosters.lightgbm.estimator",
        "LGBMRanker": "boosters.lightgbm.estimator",
    },
    "catboost": {
        "CatBoost": "boosters.catboost.estimator",
        "CatBoostRegressor": "boosters.catboost.estimator",
        "CatBoostClassifier": "boosters.catboost.estimator",
        "CatBoostRanker": "boosters.catboost.estimator",
    },
    "synapse": {
        "LightGBMRegressionModel": "boosters.lightgbm.spark_model",
        "LightGBMClassificationModel": "boosters.lightgbm.spark_model",
    },
    "pyspark": {
        "DecisionTreeRegressionModel": "spark.trees.forest",
        "DecisionTreeClassificationModel": "spark.trees.forest",
        "RandomForestRegressionModel": "spark.trees.forest",
        "RandomForestClassificationModel": "spark.trees.forest",
        "GBTRegressionModel": "spark.trees.boosting",
        "GBTClassificationModel": "spark.trees.boosting",
    },
    "lmdi": {
        name: "own.learner"
        for name in (
            "RandomForestRegressor",
            "RandomForestClassifier",
            "ExtraTreesRegressor",
            "ExtraTreesClassifier",
            "GradientBoostingRegressor",
            "GradientBoostingClassifier",
        )
    },
}


#: Readers that take the table too, for what their library does not keep in the model, or to hand it on.
NEED_TABLE = (
    "boosters.catboost.",
    "boosters.xgboost.",
    "sklearn.pipelines.",
    "sklearn.sums.",
    "sklearn.wrappers.",
)


def model_of(model: Any, table: Any = None) -> Model | Composite:
    """The trees of a fitted model of any supported library."""
    if isinstance(model, (Model, Composite)):
        return model
    # A subclass that users write is what it derives from.
    for kind in type(model).__mro__:
        found = READERS.get(kind.__module__.split(".")[0], {}).get(kind.__name__)
        if found is not None:
            if kind.__module__.split(".")[0] == "sklearn":
                require(f"explaining a {kind.__name__}")
            file, function = found.rsplit(".", 1)
            reader = getattr(import_module(f".{file}", __name__), function)
            read = reader(model, table) if found.startswith(NEED_TABLE) else reader(model)
            if isinstance(read, Composite):
                read.estimator = model
            return read
    raise TypeError(_refusal(model))


def _refusal(model: Any) -> str:
    if isinstance(model, type):
        return f"model is the class {model.__name__}; pass a fitted object of it"
    if isinstance(model, (str, bytes)) or hasattr(model, "__fspath__"):
        return "model is a path or text; read the file first, with lmdi.load for files of this package"
    classes = sorted({name for readers in READERS.values() for name in readers} - {"AdaBoostRegressor"})
    return (
        f"{type(model).__module__}.{type(model).__name__} is not supported; expected a fitted model of "
        f"one of these classes: {', '.join(classes)}. For a model around such a model, pass the inner one"
    )
