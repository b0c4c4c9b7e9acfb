"""Local feature importances of the tree model you already have.

>>> import lmdi, numpy as np
>>> from sklearn.ensemble import RandomForestRegressor
>>> X = np.random.default_rng(0).normal(size=(200, 3))
>>> y = 2 * X[:, 0] + (X[:, 1] > 0)
>>> forest = RandomForestRegressor(20, min_samples_leaf=5, random_state=0).fit(X, y)
>>> explanation = lmdi.LMDIPlus(forest).fit(X, y).explain(X[:5])
>>> explanation.values.shape
(5, 3)

`TreeSHAP`, `LIME`, `MAPLE`, `Saabas` and `LocalMDI` explain the same models with other methods.
`MDI`, `MDIPlus` and `Permutation` give one number per column.

The learners of this package need scikit-learn, and are imported when first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._errors import LmdiWarning, NotFittedError
from ._files.model_file import export, load
from ._lmdi import __version__
from ._methods.lime import LIME
from ._methods.lmdi_plus import LMDIPlus
from ._methods.maple import MAPLE
from ._methods.mdi import MDI
from ._methods.mdi_plus import MDIPlus
from ._methods.path_methods import LocalMDI, Saabas
from ._methods.permutation import Permutation
from ._methods.tree_shap import TreeSHAP
from ._models.model import Model
from ._report import report
from ._results.analyses import Counterfactual, Stability, Subgroups, counterfactuals, stability, subgroups
from ._results.explanation import Explanation
from ._streaming.fit import StreamedFit

if TYPE_CHECKING:
    from ._learners import (
        ExtraTreesClassifier,
        ExtraTreesRegressor,
        GradientBoostingClassifier,
        GradientBoostingRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
    )

_LEARNERS = (
    "RandomForestRegressor",
    "RandomForestClassifier",
    "ExtraTreesRegressor",
    "ExtraTreesClassifier",
    "GradientBoostingRegressor",
    "GradientBoostingClassifier",
)

__all__ = [
    "Counterfactual",
    "Explanation",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "LIME",
    "LMDIPlus",
    "LmdiWarning",
    "LocalMDI",
    "MAPLE",
    "MDI",
    "MDIPlus",
    "Model",
    "NotFittedError",
    "Permutation",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "Saabas",
    "Stability",
    "StreamedFit",
    "Subgroups",
    "TreeSHAP",
    "__version__",
    "counterfactuals",
    "export",
    "load",
    "report",
    "stability",
    "subgroups",
]


def __getattr__(name: str) -> Any:
    if name not in _LEARNERS:
        raise AttributeError(f"module 'lmdi' has no attribute {name!r}")
    from ._sklearn import require

    require(f"lmdi.{name}")
    from . import _learners

    return getattr(_learners, name)


def __dir__() -> Any:
    return sorted([*globals(), *_LEARNERS])
