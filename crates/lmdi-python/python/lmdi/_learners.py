"""Learners as scikit-learn estimators: forests, extra-trees and gradient boosting.

Parameters that scikit-learn has too have the same names and meanings. Missing cells (NaN) are
handled by the trees, and the same seed gives the same model on any number of threads.
"""

from __future__ import annotations

import numbers
import warnings
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_feature_names,
    _check_n_features,
    _check_sample_weight,
    check_is_fitted,
    validate_data,
)

from . import _lmdi
from ._checks import choice, flag, number, whole
from ._choices import ClassificationCriterion, RegressionCriterion, SplitFinder
from ._errors import LmdiWarning
from ._input.columns import Columns
from ._input.tables import Frame, check_names, check_table, formats_of, frame_with_text, strided
from ._models.model import Model, TextColumn, text_columns
from ._running import n_threads

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
        """Trains on the rows of X with the responses y.

        A frame may hold text, categories and booleans as well as numbers, all with missing cells.
        Text becomes one 0/1 column per level, as in the command. Columns that are constant, or
        whose texts are all different, are left out.

        `sample_weight` counts rows: 2 repeats the row, 0 leaves it out. With a bootstrap, weights
        that are not integers, or exceed four on average, are drawing probabilities instead.
        """
        target_name = str(getattr(y, "name", None) or "target")
        check_table(X)
        check_names(X)
        frame = frame_with_text(X)
        if frame is not None:
            return self._fit_frame(X, frame, y, target_name, sample_weight)
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
        names = getattr(self, "feature_names_in_", None)
        columns = Columns(None if names is None else tuple(names), self.n_features_in_)
        return self._fit_matrix(X, y, sample_weight, columns)

    def _fit_frame(self, X: Any, frame: Frame, y: Any, target_name: str, sample_weight: Any) -> Self:
        """Trains on a table with text."""
        y = validate_data(self, X="no_validation", y=y, y_numeric=not self._classifies)
        _check_feature_names(self, X, reset=True)
        _check_n_features(self, X, reset=True)
        names = frame.names or []
        if frame.n_rows != len(y):
            raise ValueError(
                f"Found input variables with inconsistent numbers of samples: X has {frame.n_rows} rows, "
                f"y has {len(y)}"
            )
        while target_name in names:
            target_name += "_"
        target: Any = np.asarray(y, dtype=np.float64) if not self._classifies else list(map(str, y.tolist()))
        columns = text_columns(frame.chosen(names))
        _warn_of_numbers_as_text(columns)
        moments = frame.moments()
        schema, matrix = _lmdi.learn_schema(columns, (target_name, target), formats_of(moments))
        encoded = tuple(schema.encoded_names)
        read = Columns(encoded, len(encoded), moments=moments)
        return self._fit_matrix(matrix.T, y, sample_weight, read, schema)

    def _fit_matrix(
        self, X: np.ndarray, y: Any, sample_weight: Any, columns: Columns, schema: Any = None
    ) -> Self:
        weights = None
        if sample_weight is not None:
            weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
            if not weights.sum() > 0:
                raise ValueError("all sample weights are zero; at least one row must count")
        response, labels = self._response(y)
        table = {
            "x": strided(X),
            "y": response,
            "weights": weights,
            "feature_names": columns.labels(),
            "labels": [str(label) for label in labels],
            "schema": schema,
        }
        params = self._training_params(check_random_state(self.random_state), X.shape[1])
        compiled = self._train(table, params, (n_threads(self.n_jobs), None))
        classes = getattr(self, "classes_", None)
        # Boosting and forests without a bootstrap grow their trees on every row.
        every_row = not compiled.knows_samples and params.get("subsample", 1.0) == 1.0
        self.model_ = Model(compiled, columns, classes, every_row)
        self._after_fit(X, y)
        return self

    def _after_fit(self, X: np.ndarray, y: Any) -> None:
        """What forests measure on their training rows."""

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
        run = (n_threads(self.n_jobs), None)
        if self.model_._compiled.table_columns is not None:
            return getattr(self.model_._compiled, work)(self.model_._read(X).table, run)
        X = validate_data(
            self,
            X,
            reset=False,
            accept_sparse="csr",
            dtype=(np.float64, np.float32),
            ensure_all_finite="allow-nan",
        )
        X = X.toarray() if hasattr(X, "toarray") else X
        return getattr(self.model_._compiled, work)(strided(X), run)

    @property
    def feature_importances_(self) -> np.ndarray:
        """The mean decrease in impurity of each column, normalised to sum to one."""
        check_is_fitted(self)
        compiled = self.model_._compiled
        names = getattr(self, "feature_names_in_", None)
        group: Any = list(range(self.n_features_in_))
        if compiled.table_columns is not None:
            place = {name: at for at, name in enumerate(names.tolist() if names is not None else [])}
            group = [place[compiled.table_columns[at]] for at in compiled.origins or []]
        found, _ = _lmdi.mdi(compiled, (group, self.n_features_in_), "share", (n_threads(self.n_jobs), None))
        return found

    @property
    def estimators_(self) -> list[Model]:
        """Each tree as a separate model, with `predict`, `predict_proba` and `apply`."""
        check_is_fitted(self)
        model = self.model_
        return [
            Model(model._compiled.tree(at), model._columns, model.classes_, model._sees_every_row)
            for at in range(model.n_trees)
        ]

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

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


def _warn_of_numbers_as_text(columns: list[TextColumn]) -> None:
    """Warns that text is read as categories even if it spells numbers, which is rarely intended."""
    for name, cells in columns:
        if isinstance(cells, np.ndarray):
            continue
        texts = [text for text in cells if text is not None]
        if texts and all(map(_spells_a_number, texts)):
            warnings.warn(
                f"column {name!r} holds text that spells numbers, such as {texts[0]!r}, and is read as "
                "categories; convert it with pandas.to_numeric if it is to be split by size",
                LmdiWarning,
                stacklevel=4,
            )


def _spells_a_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _seed(random: Any) -> int:
    return int(random.randint(np.iinfo(np.int32).max))


def _amount(value: Any, name: str, names: str = "") -> Any:
    """A count, a share or None, as compiled code tells them apart."""
    if value is None:
        return None
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        return whole(value, name, 1)
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        return float(value)
    raise ValueError(f"{name} is {value!r}; expected a whole number, a share{names} or None")


def _max_features(value: Any, n_columns: int) -> Any:
    """The number of columns that a split tries."""
    if isinstance(value, str) and value in ("sqrt", "log2"):
        return max(1, int(np.sqrt(n_columns) if value == "sqrt" else np.log2(n_columns)))
    return _amount(value, "max_features", ", 'sqrt', 'log2'")


def _tree_shape(learner: Any) -> dict[str, Any]:
    """The limits of a tree, which forests and boosting share."""
    depth, leaves = learner.max_depth, learner.max_leaf_nodes
    return {
        "max_depth": None if depth is None else whole(depth, "max_depth", 1),
        "min_samples_split": whole(learner.min_samples_split, "min_samples_split", 2),
        "min_samples_leaf": whole(learner.min_samples_leaf, "min_samples_leaf", 1),
        "max_leaf_nodes": None if leaves is None else whole(leaves, "max_leaf_nodes", 2),
    }


class _Forest:
    """Parameters of forests."""

    _extra_trees = False
    #: What splits can reduce.
    _criteria: tuple[str, ...]

    # Set by scikit-learn's validation, and by training.
    n_features_in_: int
    model_: Model

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
        oob_score: Any,
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
        self.oob_score = oob_score
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _after_fit(self, X: np.ndarray, y: Any) -> None:
        for name in ("oob_score_", "oob_prediction_", "oob_decision_function_"):
            self.__dict__.pop(name, None)
        if not self.oob_score:
            return
        if not self.bootstrap:
            raise ValueError("Out of bag estimation only available if bootstrap=True")
        found = self.model_._compiled.oob_prediction(strided(X), (n_threads(self.n_jobs), None))
        seen = ~np.isnan(found).any(axis=1)
        if not seen.all():
            warnings.warn(
                f"{int((~seen).sum())} rows were seen by every tree and have no out-of-bag prediction; "
                "train more trees",
                LmdiWarning,
                stacklevel=3,
            )
        truth = np.asarray(y)[seen]
        if hasattr(self, "classes_"):
            self.oob_decision_function_ = found
            self.oob_score_ = float((self.classes_[found[seen].argmax(axis=1)] == truth).mean())
        else:
            self.oob_prediction_ = found[:, 0]
            residual = truth - found[seen, 0]
            around = ((truth - truth.mean()) ** 2).sum()
            self.oob_score_ = float(1 - (residual**2).sum() / around) if around > 0 else float("nan")

    def _training_params(self, random: Any, n_columns: int) -> Any:
        return {
            "n_trees": whole(self.n_estimators, "n_estimators", 1),
            "criterion": choice(self.criterion, "criterion", self._criteria),
            **_tree_shape(self),
            "min_impurity_decrease": number(self.min_impurity_decrease, "min_impurity_decrease"),
            "max_features": _max_features(self.max_features, n_columns),
            "bootstrap": flag(self.bootstrap, "bootstrap"),
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
        The criterion that a split reduces.
    max_depth, max_leaf_nodes : int, optional
        Maximum depth and number of leaves of a tree; None is no limit.
    min_samples_split, min_samples_leaf : int
        Minimum number of rows in a node to split it, and in a leaf.
    min_impurity_decrease : float
        Minimum decrease of impurity for a split.
    max_features : int, float, "sqrt", "log2" or None
        Columns tried at each split: a count, a share, or all.
    bootstrap : bool
        Whether each tree uses rows drawn with replacement, or all rows.
    max_samples : int or float, optional
        Number of rows to draw, or their share of the default; None draws as many rows as the table
        has, or as many as the weights sum to if `sample_weight` counts rows.
    oob_score : bool
        Whether to measure the forest out of bag: `oob_score_` is R² or accuracy, `oob_prediction_` or
        `oob_decision_function_` has the out-of-bag predictions.
    random_state : int, optional
        The same seed gives the same forest.
    n_jobs : int, optional
        Number of threads; None and -1 use all cores.
"""


class RandomForestRegressor(_Forest, _Regressor):
    _criteria = get_args(RegressionCriterion)
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
        oob_score: bool = False,
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
            oob_score,
            random_state,
            n_jobs,
        )


class RandomForestClassifier(_Forest, _Classifier):
    _criteria = get_args(ClassificationCriterion)
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
        oob_score: bool = False,
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
            oob_score,
            random_state,
            n_jobs,
        )


class ExtraTreesRegressor(RandomForestRegressor):
    __doc__ = (
        "Extra-trees that predict numbers: one random threshold per column instead of the best.\n"
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
        oob_score: bool = False,
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
            oob_score,
            random_state,
            n_jobs,
        )


class ExtraTreesClassifier(RandomForestClassifier):
    __doc__ = (
        "Extra-trees that predict classes: one random threshold per column instead of the best.\n"
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
        oob_score: bool = False,
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
            oob_score,
            random_state,
            n_jobs,
        )


class _Boosting:
    """Gradient boosting.

    Parameters
    ----------
    n_estimators : int
        Number of rounds. A round adds one tree, or one per class for three or more classes.
    learning_rate : float
        Factor on every tree.
    max_depth, max_leaf_nodes : int, optional
        Maximum depth and number of leaves of a tree; None is no limit.
    min_samples_split, min_samples_leaf : int
        Minimum number of rows in a node to split it, and in a leaf.
    max_features : int, float, "sqrt", "log2" or None
        Columns tried at each split: a count, a share, or all.
    subsample : float
        Share of the rows that each round uses.
    l2_regularization : float
        L2 penalty on leaf values; with histograms only.
    max_bins : int
        Bins of a histogram, at most 255.
    split_finder : "auto", "exact" or "histogram"
        Whether to try every threshold or only those between bins; "auto" uses bins above 10,000
        rows.
    early_stopping : bool
        Whether to stop when the loss on held-out rows no longer decreases.
    validation_fraction, n_iter_no_change, tol
        Share of the rows held out, rounds to wait, and the smallest decrease that counts.
    random_state : int, optional
        The same seed gives the same model.
    n_jobs : int, optional
        Number of threads; None and -1 use all cores.
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

    def _training_params(self, random: Any, n_columns: int) -> Any:
        stopping = (
            number(self.validation_fraction, "validation_fraction"),
            whole(self.n_iter_no_change, "n_iter_no_change", 1),
            number(self.tol, "tol"),
        )
        return {
            "n_rounds": whole(self.n_estimators, "n_estimators", 1),
            "learning_rate": number(self.learning_rate, "learning_rate"),
            **_tree_shape(self),
            "max_features": _max_features(self.max_features, n_columns),
            "subsample": number(self.subsample, "subsample"),
            "l2": number(self.l2_regularization, "l2_regularization"),
            "max_bins": whole(self.max_bins, "max_bins", 2),
            "early_stopping": stopping if flag(self.early_stopping, "early_stopping") else None,
            "seed": _seed(random),
            "split_finder": choice(self.split_finder, "split_finder", get_args(SplitFinder)),
        }

    def _train(self, table: Any, params: Any, run: Any) -> Any:
        return _lmdi.train_boosting(table, params, run)


class GradientBoostingRegressor(_Boosting, _Regressor):
    __doc__ = str(_Boosting.__doc__).replace("boosting.", "boosting that predicts numbers.", 1)


class GradientBoostingClassifier(_Boosting, _Classifier):
    __doc__ = str(_Boosting.__doc__).replace("boosting.", "boosting that predicts classes.", 1)
