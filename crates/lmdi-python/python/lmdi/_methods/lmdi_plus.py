"""LMDI+."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .. import _lmdi
from .._checks import flag, number, whole
from .._choices import (
    Ablation,
    Family,
    FitOn,
    FitTo,
    FoldBy,
    Glm,
    Preset,
    RankBy,
    Rule,
    Selection,
    Trees,
    Validation,
)
from .._errors import LmdiWarning
from .._files import model_file
from .._input.columns import Cells
from .._models import model_of
from .._models.composite import Composite, by_source, predictions_of
from .._models.model import Model
from .._results.explanation import Explanation
from .._results.predictions import Fidelity
from .._running import running
from .._streaming.fit import MEMORY, features_of, fit_in_batches
from .._streaming.sources import batches_of, is_source, names_of, places, select
from .explainer import Explainer

#: Keywords that compiled code checks and understands.
CHOICES = (
    "preset",
    "ablation",
    "fit_to",
    "response_share",
    "fit_on",
    "include_raw",
    "raw_scale",
    "bound_raw",
    "scale_target",
    "glm",
    "l1_ratio",
    "alpha",
    "C",
    "folds",
    "fold_by",
    "rounds",
    "rows_per_tree",
    "validation",
    "selection",
    "rule",
    "family",
    "tolerance",
    "search_tolerance",
    "max_iterations",
)
#: Those of them that are numbers, whole ones with their least value, and truth values.
NUMBERS = ("response_share", "raw_scale", "alpha", "C", "tolerance", "search_tolerance")
WHOLE_NUMBERS = {"ablation": 1, "folds": 2, "rounds": 1, "rows_per_tree": 1, "max_iterations": 1}
FLAGS = ("include_raw", "bound_raw", "scale_target")

#: Predictions out of bag by fewer trees per row vary with the trees more than with the model.
ENOUGH_TREES = 15.0


class LMDIPlus(Explainer):
    """Local feature importances by LMDI+: what each column adds to each prediction.

    Each tree is rewritten as a linear model over its splits and the columns it uses, and refitted
    with a penalty on the training rows. The score of a column is what its terms add to the
    prediction of a row. Base value plus scores is the prediction of the linear models, on the scale
    named by `Explanation.scale`.

    Parameters
    ----------
    model
        A fitted model of scikit-learn, XGBoost, LightGBM, CatBoost or Spark, a learner of this
        package, or an `lmdi.Model` from a file.
    preset : "model", "data" or "paper", optional
        Sets every option of the method; no other option may then be given. "model" is the default
        and asks what the model does: trees are fitted to their own leaf values, plus half of the
        response's deviation from them. "data" asks what the data say: trees are fitted to the
        response. In both, every row counts once, and the penalty of each tree is chosen by its
        error on the tree's out-of-bag rows. "paper" is the method as published. Boosted models give
        the same scores with "model" and "data".
    ablation : 1, 2, 3 or 4, optional
        A step of the paper's ablation: 1 stumps on in-bag rows without penalty, 2 adds out-of-bag rows,
        3 adds raw columns, 4 adds the elastic net.
    fit_to : "model" or "response", optional
        What the trees of a forest are fitted to: their own leaf values, or the response. Default: "model".
    response_share : float, optional
        With `fit_to="model"`: share of the response's deviation from the leaf values that is added
        to them, from 0 (the model alone) to 1. Default: 0.5.
    fit_on : "all", "inbag", "oob" or "uniform", optional
        Rows that the linear models are fitted on: "all" takes in-bag rows as often as drawn and
        out-of-bag rows once, "inbag" and "oob" only one of the two, "uniform" every row once.
        Default: "uniform".
    include_raw : bool, optional
        Whether the columns themselves are inputs beside the splits (raw columns). Default: True.
    raw_scale : float, optional
        Scale of raw columns, as a multiple of that of the column's largest split. All terms of a tree
        share one penalty, so above 1, trends are penalised less than steps. Default: 1; 4 for forests
        with `preset="data"` or `fit_to="response"`.
    bound_raw : bool, optional
        Whether the terms of raw columns stay constant outside the range of the training cells,
        where trees are flat. Default: True; False with `preset="paper"`.
    scale_target : bool, optional
        Whether the target is divided by its standard deviation before least squares, so that its
        unit does not matter. Default: True, unless `alpha` or `C` is given.
    glm : "ols", "ridge", "lasso" or "elastic_net", optional
        The penalty. Default: "elastic_net".
    l1_ratio : float or list of floats, optional
        Mixtures that the elastic net tries, from 0 (ridge) to 1 (lasso). Default: 0.1, 0.5 and
        0.99.
    alpha, C : float, optional
        A fixed penalty instead of a search: `alpha` is relative to the mean loss; `C` is an inverse
        strength, relative to the summed loss.
    folds : int, optional
        Number of folds of the penalty search; implies `validation="folds"`. Default: 3.
    fold_by : "place" or "cells", optional
        How rows are assigned to folds: in contiguous blocks, or by a hash of their cells, so that
        their order does not matter. Implies `validation="folds"`. Default: "place"; batches always
        use cells or a key.
    rounds : int, optional
        Number of rounds; all trees of a round are fitted at once. Default: 4 for forests and for
        rows in batches; boosted trees in memory are fitted one after another.
    rows_per_tree : int, optional
        Approximate number of rows that each tree is fitted on. Rows are assigned by a hash of their
        cells or key, so that all trees together use all rows. Default: every tree on all rows.
    validation : "folds" or "oob", optional
        Rows on which the error of a penalty is measured: each fold in turn, or the tree's
        out-of-bag rows. Default: "oob" if these are known and fitted on, else "folds".
    selection : "deviance" or "accuracy", optional
        The error that the search compares. Default: "deviance".
    rule : "min" or "1se", optional
        Whether the smallest error wins, or the strongest penalty within one standard error of it.
        "1se" implies `validation="folds"`.
    family : "gaussian", "binomial" or "poisson", optional
        Family of the response. Default: "binomial" for forests of classes fitted to the response,
        else "gaussian". "binomial" and "poisson" imply `fit_to="response"`.
    tolerance, search_tolerance, max_iterations : optional
        Accuracy of the fits. Default: 1e-9, 1e-3 and 10000.
    n_jobs : int, optional
        Number of threads; None and -1 use all cores. The result does not depend on it.
    progress : bool
        Whether to draw a progress bar, if tqdm is installed.

    Examples
    --------
    >>> import lmdi
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.ensemble import RandomForestRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> forest = RandomForestRegressor(50, min_samples_leaf=5, random_state=0).fit(X, y)
    >>> explainer = lmdi.LMDIPlus(forest).fit(X, y)
    >>> explanation = explainer.explain(X.iloc[:3])
    >>> explanation.top(2)[0][0][0]
    'bmi'
    """

    _fitted_attribute = "explainer_"
    explainer_: _lmdi.LmdiPlusExplainer

    def __init__(
        self,
        model: Any,
        *,
        preset: Preset | None = None,
        ablation: Ablation | None = None,
        fit_to: FitTo | None = None,
        response_share: float | None = None,
        fit_on: FitOn | None = None,
        include_raw: bool | None = None,
        raw_scale: float | None = None,
        bound_raw: bool | None = None,
        scale_target: bool | None = None,
        glm: Glm | None = None,
        l1_ratio: float | Sequence[float] | None = None,
        alpha: float | None = None,
        C: float | None = None,
        folds: int | None = None,
        fold_by: FoldBy | None = None,
        rounds: int | None = None,
        rows_per_tree: int | None = None,
        validation: Validation | None = None,
        selection: Selection | None = None,
        rule: Rule | None = None,
        family: Family | None = None,
        tolerance: float | None = None,
        search_tolerance: float | None = None,
        max_iterations: int | None = None,
        n_jobs: int | None = None,
        progress: bool = False,
    ) -> None:
        self.model = model
        self.preset = preset
        self.ablation = ablation
        self.fit_to = fit_to
        self.response_share = response_share
        self.fit_on = fit_on
        self.include_raw = include_raw
        self.raw_scale = raw_scale
        self.bound_raw = bound_raw
        self.scale_target = scale_target
        self.glm = glm
        self.l1_ratio = l1_ratio
        self.alpha = alpha
        self.C = C
        self.folds = folds
        self.fold_by = fold_by
        self.rounds = rounds
        self.rows_per_tree = rows_per_tree
        self.validation = validation
        self.selection = selection
        self.rule = rule
        self.family = family
        self.tolerance = tolerance
        self.search_tolerance = search_tolerance
        self.max_iterations = max_iterations
        self.n_jobs = n_jobs
        self.progress = progress

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        key: str | None = None,
        features: list[str] | None = None,
        memory: int | None = None,
    ) -> LMDIPlus:
        """Fits the linear model of every tree.

        X and y are the rows that the model was trained on, in their order, because the bootstrap of
        a forest is known by row. With `validation="folds"`, and the default `fit_on`, they can be
        any rows.

        X may also be tables in batches, with any number of rows: a list or a generator of tables, a
        function that returns them, a pyarrow dataset or a polars LazyFrame. Then y and
        sample_weight are names of columns. `key` names a column by which rows are assigned to
        folds. `features` names the columns that the model reads, if the model does not name them.
        The rows are read several times; those of a generator are kept in a temporary file. Memory
        holds the model, one batch, and sums of up to `memory` bytes (default 1 GB); sums that
        exceed it take more passes.
        """
        if isinstance(y, str) or is_source(X):
            budget = MEMORY if memory is None else memory
            fitted = fit_in_batches(self, X, y, sample_weight, key=key, features=features, memory=budget)
            self._parts = None
            self.model_, self.explainer_ = fitted.model_, fitted.explainer_
            return self
        if key is not None or features is not None or memory is not None:
            raise TypeError("key, features and memory are for rows in batches, where y names a column")
        whole = model_of(self.model, X)
        if isinstance(whole, Composite):
            self._fit_parts(whole, X, y, sample_weight)
            return self
        self._parts = None
        model, cells = self._take_model(whole, X)
        n_rows = len(cells.array)
        response, weights = self._take_target(model, X, y, sample_weight, n_rows)
        keywords = self._checked_keywords(model)
        if self._needs_training_rows():
            self._check_training_rows(model, cells)
        given = [f"{name}={value}" for name, value in keywords.items() if value is not None]
        with self._running("LMDI+ fit", model.n_trees) as run:
            explainer = _lmdi.LmdiPlusExplainer.fit(
                model._compiled, cells.table, response, weights, keywords, ", ".join(given), run
            )
        self.model_ = model
        self.explainer_ = explainer
        self._fitted_to = _some_rows(cells.array)
        misfit = self._misfits(model, cells, response, weights)
        self._warn_of_a_poor_fit(explainer, misfit)
        return self

    def _warn_of_a_poor_fit(self, explainer: Any, misfit: bool) -> None:
        if explainer.n_unconverged:
            warnings.warn(
                f"{explainer.n_unconverged} of the linear models, or fits of the search for their penalties, "
                "did not meet their tolerance; raise max_iterations or tolerance",
                LmdiWarning,
                stacklevel=3,
            )
        fidelity = explainer.fidelity
        if fidelity is not None and fidelity < _lmdi.LOW_FIDELITY and not misfit:
            warnings.warn(
                f"the explanation reproduces only {max(fidelity, 0):.0%} of the variation in the model's "
                "output on these rows. Either X and y are not the rows the model was trained on, with the "
                "same sample_weight: check that first. Or much of the model does not hold up on other rows, "
                "and the penalties leave it out. lmdi.TreeSHAP explains the output exactly",
                LmdiWarning,
                stacklevel=3,
            )

    def _needs_training_rows(self) -> bool:
        """Whether the fit needs to know which rows each tree was grown on."""
        if self.preset is not None or self.ablation is not None or self.fit_on not in (None, "uniform"):
            return True
        by_folds = self.validation == "folds" or self.folds is not None or self.rule == "1se"
        return not by_folds

    def _check_training_rows(self, model: Model, cells: Any) -> None:
        """Raises if the rows turn out not to be those of training, in their order."""
        trained, found = model._compiled.n_training_rows, len(cells.array)
        if trained is not None and trained != found:
            raise ValueError(
                f"the model was trained on {trained} rows but {found} were given; pass the training rows in "
                'their order, or validation="folds" for any rows'
            )
        with running(self.n_jobs, False, "", 0) as run:
            same = _lmdi.drew_from(model._compiled, cells.table, run)
        if same is False:
            raise ValueError(
                "X does not hold the rows that the model was trained on, in their order: those that its "
                "first tree drew reach other leaves than in training. Pass the training rows unchanged, or "
                'validation="folds" for any rows'
            )

    def _checked_keywords(self, model: Model) -> dict[str, Any]:
        """The keywords of compiled code."""
        keywords = {name: _checked(name, getattr(self, name)) for name in CHOICES}
        if model._sees_every_row:
            if keywords["fit_on"] in ("all", "inbag"):
                keywords["fit_on"] = "uniform"
            elif keywords["fit_on"] == "oob":
                raise ValueError(
                    "fit_on is 'oob', but each tree of this model was grown on every row, so that none is "
                    "out of bag; expected 'all', 'inbag' or 'uniform'"
                )
        return keywords

    def explain(self, X: Any, *, trees: Trees = "all", std_error: bool = False) -> Explanation:
        """What each column adds to the prediction of each row.

        Parameters
        ----------
        X
            The rows.
        trees : "all", "auto", "oob" or "inbag"
            The trees that score training rows. With "all", a row has the same scores in any table.
            "auto" takes the trees that predict the row out of bag, as the command does; then
            `explained` and `unexplained` add up to the out-of-bag `prediction`. "oob" and "inbag"
            take only the trees that did not, or did, see a row.
        std_error : bool
            Whether to compute the standard error of each score over the trees; for forests only.
        """
        self._check_fitted()
        if self._parts is not None:
            if std_error:
                raise ValueError("std_error is of one model; explain the members on their own")
            # Which rows each of several models saw is not known: the sum predicts by all trees.
            is_sum = len(self._parts) > 1 and self.composite_.output_names is None
            return self._explain_parts(X, trees="all" if is_sum and trees == "auto" else trees)
        cells = self.model_._read(X)
        with self._running("LMDI+ explain", len(cells.array)) as run:
            arrays = self.explainer_.score(cells.table, trees, bool(std_error), run)
        if std_error and arrays[2] is None:
            raise ValueError(
                "std_error is the spread over the trees of a forest; the trees of boosting build on one "
                "another and have none"
            )
        explanation = self._explanation(cells, arrays, self.explainer_.scale, trees == "all")
        found = explanation._predictions
        if trees == "all" and explanation.out_of_bag and found is not None:
            with self._running("LMDI+ fidelity", len(cells.array)) as run:
                values, base_values, _ = self.explainer_.score(cells.table, "oob", False, run)
            explanation._predictions = found._replace(oob_explained=base_values + values.sum(axis=1))
        fidelity = explanation.fidelity
        if fidelity is not None and fidelity.is_low and self._is_new(explanation):
            warnings.warn(self._low_fidelity(fidelity, explanation.out_of_bag), LmdiWarning, stacklevel=2)
        return explanation

    @property
    def expected_value(self) -> Any:
        """The base value, as in shap: a number, or one per output. It is the same for every row."""
        self._check_fitted()
        if self._parts is not None:
            return self._expected_value_of_parts()
        cells = np.zeros((1, self.model_._columns.count))
        with self._running("LMDI+", 1) as run:
            _, base, _ = self.explainer_.score(Cells(cells, None).table, "all", False, run)
        return base[0]

    def _scores(self, X: Any) -> Any:
        if self._parts is not None:
            return super()._scores(X)
        cells = self.model_._read(X)
        with self._running("LMDI+ explain", len(cells.array)) as run:
            values, base_values, _ = self.explainer_.score(cells.table, "all", False, run)
        return base_values, by_source(cells, values)

    def explain_batches(self, batches: Any, *, trees: Trees = "all") -> Iterator[Explanation]:
        """Explains batches one after another: any number of rows in constant memory.

        `batches` are tables with named columns: a list, a generator, a pyarrow dataset or a polars
        LazyFrame. Columns that the model does not use are left out.
        """
        self._check_fitted()
        features = features_of(self.model_)
        given = batches_of(batches)()

        def explained() -> Iterator[Explanation]:
            for table in given:
                names = places(self.model_, features, names_of(table))
                yield self.explain(select(table, names), trees=trees)

        return explained()

    def _low_fidelity(self, fidelity: Fidelity, out_of_bag: bool) -> str:
        fits_the_response = self.fit_to == "response" or self.preset in ("data", "paper")
        follows = fits_the_response and not self.model_._compiled.is_boosted
        return low_fidelity(
            fidelity, out_of_bag, 'preset="model" follows the model more closely, and ' * follows
        )

    def _is_new(self, explanation: Explanation) -> bool:
        """Whether rows are new to the model, as far as is known, or predicted out of bag by enough trees."""
        found = explanation._predictions
        trees = None if found is None else found.oob_trees
        if trees is not None:
            return trees >= ENOUGH_TREES
        return not (getattr(self, "_fitted_to", frozenset()) & _some_rows(explanation.data))

    def rank(self, X: Any, by: RankBy = "score") -> np.ndarray:
        """The rank of each column for each row; larger is more important.

        Parameters
        ----------
        by : "score" or "rank"
            "score" ranks the scores of all trees together. "rank" ranks scores in each tree and
            averages the ranks: over the trees that use the column (forests), or over all trees,
            weighted by their contribution (boosting). For boosted trees, only the part of a score
            that the response itself supports counts.
        """
        self._check_fitted()
        if by == "score":
            return self.explain(X).ranks()
        if by != "rank":
            raise ValueError(f"by is {by!r}; expected 'score' or 'rank'")
        if self._parts is not None:
            raise ValueError("ranks within trees are of the model's own columns; expected by='score' here")
        cells = self.model_._read(X)
        with self._running("LMDI+ rank", len(cells.array)) as run:
            return self.explainer_.rank_by_rank(cells.table, run)

    def predict(self, X: Any) -> np.ndarray:
        """Predictions of the fitted linear models (RF+)."""
        prediction = self._predictions(X)
        classes = self._explained.classes_
        if classes is None:
            return prediction if prediction.shape[1] > 1 else prediction[:, 0]
        threshold = self.model_._compiled.threshold if self._parts is None else None
        if threshold is not None:
            return classes[(prediction[:, 1] >= threshold).astype(int)]
        return classes[prediction.argmax(axis=1)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class."""
        self._check_fitted()
        if self._explained.classes_ is None:
            raise AttributeError("predict_proba is for models of classes; this one predicts numbers")
        return self._predictions(X)

    def _predictions(self, X: Any) -> np.ndarray:
        self._check_fitted()
        if self._parts is not None:
            return predictions_of(self._explain_parts(X))
        cells = self.model_._read(X)
        with self._running("LMDI+ predict", len(cells.array)) as run:
            return self.explainer_.predict(cells.table, run)

    def to_bytes(self, json: bool = False) -> bytes:
        """The content of a model file with the trees and this explainer."""
        self._check_fitted()
        self._refuse_composite_file()
        return self.explainer_.to_bytes(json)

    def save(self, path: Any) -> None:
        """Writes a model file, in JSON if the name ends in `.json`; `lmdi.load` reads it."""
        model_file.write(path, self.to_bytes(model_file.is_json(path)))

    @classmethod
    def _restored(cls, model: Model, explainer: Any) -> LMDIPlus:
        restored = cls(model)
        restored.model_, restored.explainer_ = model, explainer
        return restored

    def __getstate__(self) -> Any:
        params = self.get_params()
        if not self.__sklearn_is_fitted__():
            return {"params": params}
        if self._parts is not None:
            return {"params": {**params, "model": self.composite_}, "parts": self._parts}
        # The trees are in the file; the library that grew them is not needed to read it back.
        del params["model"]
        model = self.model_
        extras = (model._columns, model.classes_, model._sees_every_row)
        return {"params": params, "file": self.to_bytes(), "extras": extras}

    def __setstate__(self, state: Any) -> None:
        params = state["params"]
        if "file" not in state:
            type(self).__init__(self, **params)
            if "parts" in state:
                self._parts, self.composite_ = state["parts"], params["model"]
            return
        compiled, explainer = _lmdi.read_model_file(state["file"])
        model = Model(compiled, *state["extras"])
        type(self).__init__(self, model, **params)
        if explainer is not None:
            self.model_, self.explainer_ = model, explainer


def _checked(name: str, value: Any) -> Any:
    """A keyword as compiled code takes it."""
    if value is None:
        return None
    if name in WHOLE_NUMBERS:
        return whole(value, name, WHOLE_NUMBERS[name])
    if name in FLAGS:
        return flag(value, name)
    if name == "l1_ratio":
        return [number(ratio, name) for ratio in np.ravel(np.asarray(value, dtype=object))]
    if name in NUMBERS:
        return number(value, name)
    if not isinstance(value, str):
        raise TypeError(f"{name} is {value!r}; expected the name of a choice")
    return value


def _some_rows(cells: Any) -> frozenset[bytes]:
    """About a thousand rows, spread evenly, to recognise the rows of a fit."""
    step = max(1, len(cells) // 1000)
    return frozenset(row.tobytes() for row in np.ascontiguousarray(cells[::step], dtype=np.float64))


def low_fidelity(fidelity: Fidelity, out_of_bag: bool, advice: str) -> str:
    """The warning about an explanation that reproduces little of the model."""
    direction = ""
    if abs(fidelity.slope - 1) >= 0.05:
        verb = "overstate" if fidelity.slope > 1 else "understate"
        direction = f" On average they {verb} differences between rows by {abs(fidelity.slope - 1):.0%}."
    kind = "out-of-bag " if out_of_bag else ""
    known = "" if out_of_bag else " On rows that the model was trained on, that is common."
    return (
        f"LMDI+ reproduces only {max(fidelity.share, 0):.1%} of the variation in the model's "
        f"{kind}predictions of these rows, so its scores say little about single predictions."
        f"{known}{direction} {advice}lmdi.TreeSHAP explains predictions exactly"
    )
