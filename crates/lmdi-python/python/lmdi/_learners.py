"""Our learners as scikit-learn estimators: forests, extra-trees and gradient boosting.

Parameters have scikit-learn's names and meanings where scikit-learn has them. Missing cells (NaN) are
handled by the trees, and the same seed gives the same model on any number of threads.
"""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from . import _lmdi
from ._choices import ClassificationCriterion, RegressionCriterion, SplitFinder
from ._columns import Columns
from ._model import Model
from ._running import n_threads
from ._tables import strided

if TYPE_CHECKING:
    from typing_extensions import Self


class _Learner(BaseEstimator):
    """What all learners share: checking the table, training, predicting."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Trains on the rows of X with the responses y."""
        X, y = validate_data(
            self,
            X,
            y,
            accept_sparse="csr",
            dtype=(np.float64, np.float32),
            ensure_all_finite="allow-nan",
            y_numeric=not self._classifies,
        )
        X = X.toarray() if hasattr(X, "toarray") else X
        weights = None
        if sample_weight is not None:
            weights = _check_sample_weight(sample_weight, X, dtype=np.float64)
            if not weights.sum() > 0:
                raise ValueError("all sample weights are zero; at least one row must count")
        response, labels = self._response(y)
        names = getattr(self, "feature_names_in_", None)
        columns = Columns(None if names is None else tuple(names), self.n_features_in_)
        table = {
            "x": strided(X),
            "y": response,
            "weights": weights,
            "feature_names": columns.labels(),
            "labels": [str(label) for label in labels],
        }
        params = self._training_params(check_random_state(self.random_state))
        compiled = self._train(table, params, (n_threads(self.n_jobs), None))
        classes = getattr(self, "classes_", None)
        # Boosting and forests without a bootstrap grow their trees on every row.
        every_row = not compiled.knows_samples and params.get("subsample", 1.0) == 1.0
        self.model_ = Model(compiled, columns, classes, every_row)
        return self

    def _response(self, y: Any) -> Any:
        if not self._classifies:
            return np.ascontiguousarray(y, dtype=np.float64), []
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                f"y holds one class, {self.classes_[0]!r}; a classifier needs two or more classes"
            )
        return (codes.ravel().astype(np.uint32), len(self.classes_)), self.classes_.tolist()

    def _predictions(self, X: Any, work: Any = "predict") -> Any:
        check_is_fitted(self)
        X = validate_data(
            self,
            X,
            reset=False,
            accept_sparse="csr",
            dtype=(np.float64, np.float32),
            ensure_all_finite="allow-nan",
        )
        X = X.toarray() if hasattr(X, "toarray") else X
        run = (n_threads(self.n_jobs), None)
        return getattr(self.model_._compiled, work)(strided(X), run)

    def apply(self, X: Any) -> Any:
        """The leaf of each row in each tree, as an index into the nodes of the tree."""
        return self._predictions(X, "apply")


class _Regressor(RegressorMixin, _Learner):
    _classifies = False

    def predict(self, X: Any) -> Any:
        """The number predicted for each row."""
        return self._predictions(X)[:, 0]


class _Classifier(ClassifierMixin, _Learner):
    _classifies = True

    def predict_proba(self, X: Any) -> Any:
        """The probability of each class, in the order of `classes_`."""
        return self._predictions(X)

    def predict(self, X: Any) -> Any:
        """The most probable class of each row."""
        most_probable = self.predict_proba(X).argmax(axis=1)
        return self.classes_[most_probable]


def _seed(random: Any) -> int:
    return int(random.randint(np.iinfo(np.int32).max))


def _amount(value: Any, name: Any) -> Any:
    """A count, a share or None, as compiled code tells them apart."""
    if value is None or (isinstance(value, numbers.Integral) and not isinstance(value, bool)):
        return value if value is None else int(value)
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        return float(value)
    raise ValueError(f"{name} is {value!r}; expected a whole number, a share or None")


class _Forest:
    """Parameters of forests."""

    _extra_trees = False

    # Set by scikit-learn's validation.
    n_features_in_: int

    def __init__(
        self,
        n_estimators: Any,
        criterion: Any,
        max_depth: Any,
        min_samples_split: Any,
        min_samples_leaf: Any,
        max_leaf_nodes: Any,
        min_impurity_decrease: Any,
        max_features: Any,
        bootstrap: Any,
        max_samples: Any,
        random_state: Any,
        n_jobs: Any,
    ) -> None:
        self.n_estimators = n_estimators
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.min_impurity_decrease = min_impurity_decrease
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.max_samples = max_samples
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _training_params(self, random: Any) -> Any:
        share = self.max_features
        if share == "sqrt":
            share = max(1, int(np.sqrt(self.n_features_in_)))
        return {
            "n_trees": self.n_estimators,
            "criterion": self.criterion,
            "max_depth": self.max_depth,
            "min_samples_split": self.min_samples_split,
            "min_samples_leaf": self.min_samples_leaf,
            "max_leaf_nodes": self.max_leaf_nodes,
            "min_impurity_decrease": self.min_impurity_decrease,
            "max_features": _amount(share, "max_features"),
            "bootstrap": bool(self.bootstrap),
            "max_samples": _amount(self.max_samples, "max_samples"),
            "extra_trees": self._extra_trees,
            "seed": _seed(random),
        }

    def _train(self, table: Any, params: Any, run: Any) -> Any:
        return _lmdi.train_forest(table, params, run)


_FOREST_PARAMETERS = """
    Parameters
    ----------
    n_estimators : int
        Number of trees.
    criterion : {criteria}
        What a split reduces.
    max_depth, max_leaf_nodes : int, optional
        Limits of a tree; None is no limit.
    min_samples_split, min_samples_leaf : int
        Rows that a node needs to be split, and that a leaf keeps.
    min_impurity_decrease : float
        What a split must gain at least.
    max_features : int, float, "sqrt" or None
        Columns tried at each split: a count, a share, or all.
    bootstrap : bool
        Whether each tree sees rows drawn with replacement, or all rows.
    max_samples : int or float, optional
        How many rows are drawn; None is as many as there are.
    random_state : int, optional
        The same seed gives the same forest.
    n_jobs : int, optional
        Threads; None and -1 are all processors.
"""


class RandomForestRegressor(_Forest, _Regressor):
    __doc__ = (
        "A random forest that predicts numbers.\n"
        + _FOREST_PARAMETERS.format(criteria='"squared_error" or "poisson"')
        + """
    Examples
    --------
    >>> import lmdi
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = lmdi.RandomForestRegressor(min_samples_leaf=5, random_state=0).fit(X, y)
    >>> bool(forest.score(X, y) > 0.6)
    True
    """
    )

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: RegressionCriterion = "squared_error",
        max_depth: Any = None,
        min_samples_split: int = 2,
        min_samples_leaf: Any = 1,
        max_leaf_nodes: Any = None,
        min_impurity_decrease: float = 0.0,
        max_features: Any = None,
        bootstrap: bool = True,
        max_samples: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            n_estimators,
            criterion,
            max_depth,
            min_samples_split,
            min_samples_leaf,
            max_leaf_nodes,
            min_impurity_decrease,
            max_features,
            bootstrap,
            max_samples,
            random_state,
            n_jobs,
        )


class RandomForestClassifier(_Forest, _Classifier):
    __doc__ = "A random forest that predicts classes.\n" + _FOREST_PARAMETERS.format(
        criteria='"gini" or "entropy"'
    )

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: ClassificationCriterion = "gini",
        max_depth: Any = None,
        min_samples_split: int = 2,
        min_samples_leaf: Any = 1,
        max_leaf_nodes: Any = None,
        min_impurity_decrease: float = 0.0,
        max_features: Any = "sqrt",
        bootstrap: bool = True,
        max_samples: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            n_estimators,
            criterion,
            max_depth,
            min_samples_split,
            min_samples_leaf,
            max_leaf_nodes,
            min_impurity_decrease,
            max_features,
            bootstrap,
            max_samples,
            random_state,
            n_jobs,
        )


class ExtraTreesRegressor(RandomForestRegressor):
    __doc__ = (
        "Extra-trees that predict numbers: one random threshold a column instead of the best.\n"
        + _FOREST_PARAMETERS.format(criteria='"squared_error" or "poisson"')
    )

    _extra_trees = True

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: RegressionCriterion = "squared_error",
        max_depth: Any = None,
        min_samples_split: int = 2,
        min_samples_leaf: Any = 1,
        max_leaf_nodes: Any = None,
        min_impurity_decrease: float = 0.0,
        max_features: Any = None,
        bootstrap: bool = False,
        max_samples: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        _Forest.__init__(
            self,
            n_estimators,
            criterion,
            max_depth,
            min_samples_split,
            min_samples_leaf,
            max_leaf_nodes,
            min_impurity_decrease,
            max_features,
            bootstrap,
            max_samples,
            random_state,
            n_jobs,
        )


class ExtraTreesClassifier(RandomForestClassifier):
    __doc__ = (
        "Extra-trees that predict classes: one random threshold a column instead of the best.\n"
        + _FOREST_PARAMETERS.format(criteria='"gini" or "entropy"')
    )

    _extra_trees = True

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: ClassificationCriterion = "gini",
        max_depth: Any = None,
        min_samples_split: int = 2,
        min_samples_leaf: Any = 1,
        max_leaf_nodes: Any = None,
        min_impurity_decrease: float = 0.0,
        max_features: Any = "sqrt",
        bootstrap: bool = False,
        max_samples: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        _Forest.__init__(
            self,
            n_estimators,
            criterion,
            max_depth,
            min_samples_split,
            min_samples_leaf,
            max_leaf_nodes,
            min_impurity_decrease,
            max_features,
            bootstrap,
            max_samples,
            random_state,
            n_jobs,
        )


class _Boosting:
    """Gradient boosting.

    Parameters
    ----------
    n_estimators : int
        Number of rounds; a round adds a tree, or a tree a class with three or more classes.
    learning_rate : float
        Factor on every tree.
    max_depth, max_leaf_nodes : int, optional
        Limits of a tree; None is no limit.
    min_samples_split, min_samples_leaf : int
        Rows that a node needs to be split, and that a leaf keeps.
    max_features : int, float or None
        Columns tried at each split: a count, a share, or all.
    subsample : float
        Share of the rows that each round is grown on.
    l2_regularization : float
        Penalty on leaf values; with histograms only.
    max_bins : int
        Bins of a histogram, at most 255.
    split_finder : "auto", "exact" or "histogram"
        Whether every threshold is tried or only those between bins; "auto" uses bins above 10,000 rows.
    early_stopping : bool
        Whether to stop when the loss on held-out rows no longer falls.
    validation_fraction, n_iter_no_change, tol
        Share of the rows held out, rounds to wait, and what counts as falling.
    random_state : int, optional
        The same seed gives the same model.
    n_jobs : int, optional
        Threads; None and -1 are all processors.
    """

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        learning_rate: float = 0.1,
        max_depth: Any = None,
        min_samples_split: int = 2,
        min_samples_leaf: Any = 20,
        max_leaf_nodes: Any = 31,
        max_features: Any = None,
        subsample: float = 1.0,
        l2_regularization: Any = 0.0,
        max_bins: int = 255,
        split_finder: SplitFinder = "auto",
        early_stopping: bool = False,
        validation_fraction: Any = 0.1,
        n_iter_no_change: Any = 10,
        tol: Any = 1e-7,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_leaf_nodes = max_leaf_nodes
        self.max_features = max_features
        self.subsample = subsample
        self.l2_regularization = l2_regularization
        self.max_bins = max_bins
        self.split_finder = split_finder
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _training_params(self, random: Any) -> Any:
        stopping = (self.validation_fraction, self.n_iter_no_change, self.tol)
        return {
            "n_rounds": self.n_estimators,
            "learning_rate": self.learning_rate,
            "max_depth": self.max_depth,
            "min_samples_split": self.min_samples_split,
            "min_samples_leaf": self.min_samples_leaf,
            "max_leaf_nodes": self.max_leaf_nodes,
            "max_features": _amount(self.max_features, "max_features"),
            "subsample": self.subsample,
            "l2": self.l2_regularization,
            "max_bins": self.max_bins,
            "early_stopping": stopping if self.early_stopping else None,
            "seed": _seed(random),
            "split_finder": self.split_finder,
        }

    def _train(self, table: Any, params: Any, run: Any) -> Any:
        return _lmdi.train_boosting(table, params, run)


class GradientBoostingRegressor(_Boosting, _Regressor):
    __doc__ = str(_Boosting.__doc__).replace("boosting.", "boosting that predicts numbers.", 1)


class GradientBoostingClassifier(_Boosting, _Classifier):
    __doc__ = str(_Boosting.__doc__).replace("boosting.", "boosting that predicts classes.", 1)
