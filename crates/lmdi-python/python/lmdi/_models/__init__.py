"""Models of other libraries: one file a library, found by the name of the model's class.

A file is imported only for a model of its library, so that none of the libraries is needed to import this
package. To add a library, write a function from its model to `lmdi.Model` and name its classes here.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .._composite import Composite
from .._model import Model
from .._sklearn import require

#: Class name -> file of this folder and function in it, for each library.
READERS = {
    "sklearn": {
        "DecisionTreeRegressor": "sklearn_trees.tree",
        "DecisionTreeClassifier": "sklearn_trees.tree",
        "ExtraTreeRegressor": "sklearn_trees.tree",
        "ExtraTreeClassifier": "sklearn_trees.tree",
        "RandomForestRegressor": "sklearn_trees.forest",
        "RandomForestClassifier": "sklearn_trees.forest",
        "ExtraTreesRegressor": "sklearn_trees.forest",
        "ExtraTreesClassifier": "sklearn_trees.forest",
        "IsolationForest": "sklearn_trees.isolation",
        "BaggingRegressor": "sums.bagging",
        "BaggingClassifier": "sums.bagging",
        "AdaBoostClassifier": "sklearn_adaboost.classifier",
        "AdaBoostRegressor": "sklearn_adaboost.regressor",
        "GradientBoostingRegressor": "sklearn_boosting.boosting",
        "GradientBoostingClassifier": "sklearn_boosting.boosting",
        "HistGradientBoostingRegressor": "sklearn_histogram_boosting.boosting",
        "HistGradientBoostingClassifier": "sklearn_histogram_boosting.boosting",
        "Pipeline": "pipelines.pipeline",
        "CalibratedClassifierCV": "wrappers.calibrated",
        "FrozenEstimator": "wrappers.frozen",
        "TunedThresholdClassifierCV": "wrappers.threshold",
        "FixedThresholdClassifier": "wrappers.threshold",
        "VotingRegressor": "sums.voting",
        "VotingClassifier": "sums.voting",
        "StackingRegressor": "sums.stacking",
        "StackingClassifier": "sums.stacking",
        "MultiOutputRegressor": "sums.several_targets",
        "MultiOutputClassifier": "sums.several_targets",
        "TransformedTargetRegressor": "wrappers.transformed_target",
        "GridSearchCV": "wrappers.search",
        "RandomizedSearchCV": "wrappers.search",
        "HalvingGridSearchCV": "wrappers.search",
        "HalvingRandomSearchCV": "wrappers.search",
    },
    "xgboost": {
        "Booster": "xgboost.booster",
        "XGBRegressor": "xgboost.estimator",
        "XGBClassifier": "xgboost.estimator",
        "XGBRanker": "xgboost.estimator",
        "XGBRFRegressor": "xgboost.estimator",
        "XGBRFClassifier": "xgboost.estimator",
    },
    "lightgbm": {
        "Booster": "lightgbm.booster",
        "LGBMRegressor": "lightgbm.estimator",
        "LGBMClassifier": "lightgbm.estimator",
        "LGBMRanker": "lightgbm.estimator",
    },
    "catboost": {
        "CatBoost": "catboost.estimator",
        "CatBoostRegressor": "catboost.estimator",
        "CatBoostClassifier": "catboost.estimator",
        "CatBoostRanker": "catboost.estimator",
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
NEED_TABLE = ("catboost.", "pipelines.", "sums.", "wrappers.")


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
            file, function = found.split(".")
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
