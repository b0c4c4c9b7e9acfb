"""Models around a model: the inner one where it is what predicts, else advice on what to pass."""

from __future__ import annotations

from typing import Any

from .._errors import not_fitted
from .._model import Model


def pipeline(estimator: Any) -> Model:
    """Refused: the trees see transformed columns, which only the pipeline's steps can make."""
    last = type(estimator.steps[-1][1]).__name__
    raise TypeError(
        f"a Pipeline is not explained as a whole: its {last} sees transformed columns. Pass model=pipe[-1] "
        "and give fit and explain the transformed table, pipe[:-1].transform(X); with "
        'pipe[:-1].set_output(transform="pandas") its columns keep their names'
    )


def calibrated(estimator: Any) -> Model:
    """Refused: several models, each fitted on a part of the rows and bent by its own calibrator."""
    raise TypeError(
        "CalibratedClassifierCV averages calibrated models that were each fitted on a part of the rows. "
        "Pass one of them, with the rows it was fitted on: "
        "model=calibrated.calibrated_classifiers_[0].estimator; its scores explain the log-odds before "
        "calibration"
    )


def frozen(estimator: Any) -> Model:
    """The model inside."""
    from . import model_of

    return model_of(estimator.estimator)


def search(estimator: Any) -> Model:
    """The best model of a search."""
    from . import model_of

    if not hasattr(estimator, "best_estimator_"):
        raise not_fitted(
            f"This {type(estimator).__name__} has no best_estimator_: fit it with refit=True first"
        )
    return model_of(estimator.best_estimator_)
