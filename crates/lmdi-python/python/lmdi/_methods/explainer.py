"""Code that all explainers share: keywords, the explained model, tables in, explanations out.

A method is one file with a subclass of `Explainer`: its `__init__` lists its keywords and stores them
untouched, as scikit-learn asks of estimators.
"""

from __future__ import annotations

import inspect
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .._errors import not_fitted
from .._input import responses
from .._input.columns import Cells
from .._models.composite import Composite, Part, added, by_source, check_scale, rows_of, summed
from .._models.model import Model
from .._models.target_check import warn_if_misfit
from .._results.explanation import Explanation, Scale
from .._results.predictions import Predictions, predictions_of
from .._running import running

if TYPE_CHECKING:
    from typing_extensions import Self


class Explainer:
    """Base of the explainers."""

    #: Attribute that fit sets.
    _fitted_attribute = "model_"
    #: Keywords that hold tables.
    _saved_tables: tuple[str, ...] = ()

    # Keywords that all explainers have, and what fit sets.
    model: Any
    n_jobs: int | None
    progress: bool
    model_: Model
    #: A model that is made of several, and the explainer of each of its parts.
    composite_: Composite
    _parts: list[tuple[Part, Any]] | None = None

    @classmethod
    def _keywords(cls) -> list[str]:
        names = list(inspect.signature(cls.__init__).parameters)
        return names[1:]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The keywords of the explainer."""
        return {name: getattr(self, name) for name in self._keywords()}

    def set_params(self, **params: Any) -> Self:
        """Changes keywords; they apply from the next fit."""
        known = self._keywords()
        for name in params:
            if name not in known:
                raise ValueError(
                    f"Invalid parameter {name!r} for {type(self).__name__}; expected one of {known}"
                )
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __sklearn_clone__(self) -> Any:
        # The model stays the fitted one: without it there would be nothing to explain.
        return type(self)(**self.get_params())

    def __sklearn_is_fitted__(self) -> bool:
        return self._parts is not None or hasattr(self, self._fitted_attribute)

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        changed = [type(self.model).__name__]
        for name, value in self.get_params().items():
            if name != "model" and value is not defaults[name].default:
                changed.append(f"{name}={value!r}")
        return f"{type(self).__name__}({', '.join(changed)})"

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            name = type(self).__name__
            raise not_fitted(f"This {name} instance is not fitted yet: call fit(X_train, y_train) first")

    def _take_model(self, model: Model, X: Any) -> tuple[Model, Cells]:
        """The model's trees, with the names of the table's columns if they had none, and the table."""
        cells = model._read(X)
        columns = model._columns.named(cells.names)
        if len(cells.array) == 0:
            raise ValueError(
                f"Found array with 0 sample(s) (shape={cells.array.shape}) while a minimum of 1 is "
                "required: X has no row to fit on"
            )
        compiled = model._compiled
        if columns is not model._columns:
            compiled = compiled.renamed(columns.labels())
        return Model(compiled, columns, model.classes_, model._sees_every_row), cells

    def _for_part(self, part: Part) -> Any:
        """An explainer like this one of a part of a composite model."""
        params = {**self.get_params(), "model": part.model}
        for name in self._saved_tables:
            if params[name] is not None:
                params[name] = part.table(params[name])
        return type(self)(**params)

    def _fit_parts(self, whole: Composite, X: Any, y: Any, sample_weight: Any = None) -> None:
        """Fits an explainer of every part of a composite model."""
        if whole.no_fit is not None:
            raise TypeError(whole.no_fit)
        responses.check_index(X, y)
        responses.check_index(X, sample_weight, "sample_weight")
        whole.take_names(X)
        parts = []
        for part in whole.parts:
            explainer = self._for_part(part)
            target = y if part.target is None else part.target(y)
            table, target = rows_of(part.table(X), part.rows), rows_of(target, part.rows)
            weight = sample_weight if part.counts is None else part.counts
            if weight is None:
                explainer.fit(table, target)
            else:
                explainer.fit(table, target, sample_weight=rows_of(weight, part.rows))
            check_scale(part, explainer.explainer_.scale, type(self).__name__)
            parts.append((part, explainer))
        self._parts, self.composite_ = parts, whole

    def _explain_parts(self, X: Any, **options: Any) -> Explanation:
        """The weighted sum of the explanations of the parts of a composite model."""
        whole = self.composite_
        found = [(part, explainer.explain(part.table(X), **options)) for part, explainer in self._parts or []]
        for part, one in found:
            check_scale(part, one.scale, type(self).__name__)
        n_outputs = None if whole.output_names is None else len(whole.output_names)
        values, base_values = summed(
            whole, [(part, one.values, one.base_values) for part, one in found], n_outputs
        )
        cells = whole.read(X)
        return Explanation(
            values,
            base_values,
            data=cells.array,
            feature_names=whole.feature_names,
            output_names=whole.output_names or _output_names(whole.classes_, values.ndim),
            scale=whole.scale or found[0][1].scale,
            categories={at: list(levels) for at, levels in whole.levels.items()},
            index=cells.index,
            predictions=self._predictions_of_parts(X, found, base_values, values, n_outputs),
        )

    def _expected_value_of_parts(self) -> Any:
        """The weighted sum of the base values of the parts of a composite model."""
        whole = self.composite_
        n_outputs = None if whole.output_names is None else len(whole.output_names)
        bases = [
            (replace(part, source=None), np.zeros((1, 1)), np.asarray([one.expected_value]))
            for part, one in self._parts or []
        ]
        return summed(whole, bases, n_outputs)[1][0]

    def _predictions_of_parts(
        self, X: Any, found: list[Any], base_values: np.ndarray, values: np.ndarray, n_outputs: int | None
    ) -> Predictions | None:
        """The prediction of the composite, beside the weighted sum of its parts.

        A model that is its only part is predicted out of bag if it recognises the rows. For several
        parts it is unknown which rows each was trained on, so the estimator's own prediction is
        used.
        """
        parts = [(part, one._predictions) for part, one in found]
        if any(one is None for _, one in parts):
            return None
        whole = self.composite_
        same_scale = whole.scale in (None, found[0][1].scale)
        if len(parts) == 1 and same_scale and np.array_equal(found[0][1].base_values, base_values):
            return parts[0][1]
        estimator = whole.estimator
        if [part.output for part, _ in parts] == list(range(n_outputs or 0)):
            prediction = np.column_stack([one.values for _, one in parts])
        else:
            prediction = estimator.predict(X) if whole.classes_ is None else estimator.predict_proba(X)
        to_explain = added(whole, [(part, one.to_explain) for part, one in parts], n_outputs)
        return Predictions(
            np.asarray(prediction, dtype=np.float64),
            to_explain,
            to_explain,
            base_values + values.sum(axis=1),
            None,
            per_output=whole.output_names is not None,
            classes=None if whole.output_names is not None else whole.classes_,
        )

    def _take_target(
        self, model: Model, X: Any, y: Any, sample_weight: Any, n_rows: int
    ) -> tuple[Any, np.ndarray | None]:
        """The target and the weights of the rows, checked, in the form of compiled code."""
        responses.check_index(X, y)
        responses.check_index(X, sample_weight, "sample_weight")
        return responses.response_of(model, y, n_rows), responses.weights(sample_weight, n_rows)

    def _misfits(self, model: Model, cells: Cells, response: Any, weights: np.ndarray | None) -> bool:
        """Whether the target does not match the model's predictions; users are then warned."""
        if not model._compiled.has_target:
            return False
        with running(self.n_jobs, False, "", 0) as run:
            prediction = model._compiled.predict(cells.table, run)
        return warn_if_misfit(model, prediction, response, weights)

    @property
    def feature_names_in_(self) -> np.ndarray:
        """Names of the columns seen in fit."""
        self._check_fitted()
        names = self._explained._columns.names
        if names is None:
            raise AttributeError("the table of fit had no column names")
        return np.asarray(names, dtype=object)

    @property
    def n_features_in_(self) -> int:
        """Number of columns seen in fit."""
        self._check_fitted()
        return self._explained._columns.count

    @property
    def _explained(self) -> Model | Composite:
        return self.model_ if self._parts is None else self.composite_

    def explain(self, X: Any) -> Explanation:
        """What each column adds to the prediction of each row."""
        raise NotImplementedError

    def _scores(self, X: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Base values and values alone, without predictions beside them."""
        explanation = self.explain(X)
        return explanation.base_values, explanation.values

    def __call__(self, X: Any) -> Explanation:
        """The same as `explain`, as in shap."""
        return self.explain(X)

    def shap_values(self, X: Any, y: Any = None, check_additivity: bool = True) -> NDArray[np.float64]:
        """The values of `explain` as an array, as in shap: (rows, features), or (rows, features,
        outputs).

        With two classes there is one output, the second class. `y` and `check_additivity` exist for
        compatibility with shap and do nothing: values always add up.
        """
        return self.explain(X).values

    def save(self, path: Any) -> None:
        """Saves the explainer with its model to a file; `lmdi.load` reads it.

        Reading the file runs no code.
        """
        from .._files import archive

        self._check_fitted()
        self._refuse_composite_file()
        archive.save(self, path)

    def _refuse_composite_file(self) -> None:
        if self._parts is not None:
            raise TypeError(
                f"a file holds trees, and a {type(self.model).__name__} has other steps beside them; keep "
                "the explainer with pickle or joblib instead"
            )

    def _saved_arrays(self) -> dict[str, np.ndarray]:
        """What a file holds beside keywords and model."""
        return {}

    def _restore(self, model: Model, arrays: dict[str, np.ndarray]) -> None:
        """Takes over what a file held."""

    def _running(self, what: str, total: int) -> Any:
        return running(self.n_jobs, self.progress, what, total)

    def _explanation(self, cells: Cells, arrays: Any, scale: Scale, all_trees: bool = True) -> Explanation:
        """The explanation of a table from the arrays of compiled code."""
        values, base_values, std_error = arrays
        model = self.model_
        outputs = _output_names(model.classes_, values.ndim)
        explained = base_values + values.sum(axis=1)
        with running(self.n_jobs, False, "", 0) as run:
            predictions = predictions_of(model, cells, explained, scale, all_trees, run)
        if cells.source is not None:
            names, array, categories, _ = cells.source
            return Explanation(
                by_source(cells, values),
                base_values,
                data=array,
                feature_names=list(names),
                output_names=outputs,
                scale=scale,
                categories=categories,
                index=cells.index,
                predictions=predictions,
                times=model._columns.times_of(names),
            )
        return Explanation(
            values,
            base_values,
            data=cells.array,
            feature_names=model.feature_names,
            output_names=outputs,
            std_error=std_error,
            scale=scale,
            categories={at: list_.levels for at, list_ in model._columns.categories.items()},
            predictions=predictions,
            index=cells.index,
            times=model._columns.times_of(model.feature_names),
        )


def _output_names(classes: np.ndarray | None, dimensions: int) -> list[str] | None:
    """The labels of the outputs; of two classes the second has one."""
    if classes is None:
        return None
    return [str(classes[1])] if dimensions == 2 else [str(label) for label in classes]
