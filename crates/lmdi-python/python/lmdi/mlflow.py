"""Explainers in MLflow: logged with a run, loaded again, and served as models that explain.

MLflow loads a logged explainer through this module, without a pickle: it stores the file of
`explainer.save`. As a model, an explainer predicts the frame of `Explanation.to_frame`.
"""

from __future__ import annotations

import os
import tempfile
from typing import Any

from . import __version__, load


def log_explainer(explainer: Any, name: str, **options: Any) -> Any:
    """Logs a fitted explainer as a model of the active run; returns MLflow's `ModelInfo`.

    Parameters
    ----------
    explainer
        An explainer with `save`, fitted if it needs a fit.
    name : str
        The name of the logged model.
    **options
        Further keywords of `mlflow.pyfunc.log_model`. Unless given, `pip_requirements` is this package.
    """
    import mlflow

    options.setdefault("pip_requirements", [f"lmdi=={__version__}"])
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "explainer.lmdi")
        explainer.save(path)
        return mlflow.pyfunc.log_model(name=name, loader_module=__name__, data_path=path, **options)


def load_explainer(model_uri: str) -> Any:
    """Loads a logged explainer, with its own methods."""
    import mlflow

    return mlflow.pyfunc.load_model(model_uri).get_raw_model()


class _ExplainerModel:
    """What MLflow calls."""

    def __init__(self, explainer: Any) -> None:
        self._explainer = explainer

    def predict(self, model_input: Any, params: dict[str, Any] | None = None) -> Any:
        """What each column adds to the prediction of each row, as a frame."""
        return self._explainer.explain(model_input).to_frame()

    def get_raw_model(self) -> Any:
        """The explainer."""
        return self._explainer


def _load_pyfunc(path: str) -> _ExplainerModel:
    """What MLflow asks of a module that loads models."""
    return _ExplainerModel(load(path))
