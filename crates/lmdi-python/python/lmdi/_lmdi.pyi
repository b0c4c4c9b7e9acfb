"""The compiled half of the package; see the Rust crate for what the arguments mean."""

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Scale: TypeAlias = Literal["identity", "log_odds", "softmax", "log", "probability"]

__version__: str
LOW_FIDELITY: float

#: Flat cells, rows, columns, row stride, column stride.
Table: TypeAlias = tuple[NDArray[Any], int, int, int, int]
#: Number of threads, and what is called with the units done so far.
Run: TypeAlias = tuple[int, Callable[[int], Any] | None]
Responses: TypeAlias = NDArray[np.float64] | tuple[NDArray[np.uint32], int]
Scores: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64] | None]

#: The group of each column, and the number of groups.
GroupsOfColumns: TypeAlias = tuple[list[int], int]
#: Means and standard deviations.
Importances: TypeAlias = tuple[NDArray[np.float64], NDArray[np.float64]]
#: A name, or a function of responses (or class indices), predictions and weights.
Metric: TypeAlias = str | Callable[[Any, Any, Any], float] | None

def command(arguments: list[str]) -> int: ...

class Model:
    @staticmethod
    def from_arrays(
        *,
        feature_names: list[str],
        classes: list[str] | None,
        trees: list[dict[str, Any]],
        output_of_tree: list[int],
        base_score: list[float],
        learning_rate: float | None,
        link: str,
        growth: str,
        loss: str,
        producer: str,
        levels: list[tuple[int, list[str]]],
    ) -> Model: ...
    def to_bytes(self, json: bool) -> bytes: ...
    def relabelled(self, classes: list[str]) -> Model: ...
    def renamed(self, feature_names: list[str]) -> Model: ...
    def with_other_loss(self) -> Model: ...
    def with_class_weights(self, weights: list[float] | None) -> Model: ...
    feature_names: list[str]
    classes: list[str] | None
    threshold: float | None
    def decide(self, probabilities: NDArray[np.float64]) -> list[int]: ...
    table_columns: list[str] | None
    formats: list[tuple[str, str]]
    input_columns: list[str] | None
    levels: list[tuple[int, list[str]]]
    origins: list[int] | None
    n_features: int
    n_trees: int
    producer: str
    knows_samples: bool
    n_training_rows: int | None
    is_boosted: bool
    has_class_weights: bool
    has_target: bool
    def in_bag_counts(self, tree: int) -> list[int] | None: ...
    def tree(self, at: int) -> Model: ...
    def oob_prediction(self, x: Table, run: Run) -> NDArray[np.float64]: ...
    def apply(self, x: Table, run: Run) -> NDArray[np.uint32]: ...
    def predict_raw(self, x: Table, run: Run) -> NDArray[np.float64]: ...
    def predict(self, x: Table, run: Run) -> NDArray[np.float64]: ...

class LearnedSchema:
    encoded_names: list[str]

class PassStatistics:
    n_rows: int
    def merge(self, other: PassStatistics) -> None: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> PassStatistics: ...
    def split(self) -> list[tuple[int, bytes]]: ...

class StreamedFit:
    n_passes: int | None
    passes_done: int
    is_finished: bool
    largest_sums: int
    def __new__(cls, model: Model, keywords: dict[str, Any], budget: int, options: str) -> StreamedFit: ...
    def statistics(self) -> PassStatistics: ...
    def accumulate(
        self,
        statistics: PassStatistics,
        x: Table,
        y: Responses,
        weights: NDArray[np.float64] | None,
        hashes: NDArray[np.uint64] | None,
        run: Run,
    ) -> None: ...
    def solve(self, statistics: PassStatistics, run: Run) -> bytes: ...
    def advance(self, solved: list[bytes]) -> None: ...
    def progress(self) -> bytes: ...
    def restore(self, bytes: bytes) -> None: ...
    def finish(self) -> LmdiPlusExplainer: ...

def hash_keys(keys: list[str]) -> NDArray[np.uint64]: ...

class LmdiPlusExplainer:
    @staticmethod
    def fit(
        model: Model,
        x: Table,
        y: Responses,
        weights: NDArray[np.float64] | None,
        keywords: dict[str, Any],
        options: str,
        run: Run,
    ) -> LmdiPlusExplainer: ...
    def score(self, x: Table, trees: str, standard_error: bool, run: Run) -> Scores: ...
    def rank_by_rank(self, x: Table, run: Run) -> NDArray[np.float64]: ...
    def predict(self, x: Table, run: Run) -> NDArray[np.float64]: ...
    scale: Scale
    n_outputs: int
    n_unconverged: int
    fidelity: float | None
    options: str
    def to_bytes(self, json: bool) -> bytes: ...

class LocalExplainer:
    @staticmethod
    def of_trees(model: Model, method: str, run: Run) -> LocalExplainer: ...
    @staticmethod
    def interventional(model: Model, background: Table, run: Run) -> LocalExplainer: ...
    @staticmethod
    def lime(model: Model, background: Table, keywords: dict[str, Any], run: Run) -> LocalExplainer: ...
    @staticmethod
    def maple(
        model: Model,
        x: Table,
        y: Responses,
        validation: tuple[Table, Responses] | None,
        alpha: float,
        n_columns: int | None,
        run: Run,
    ) -> LocalExplainer: ...
    def explain(self, x: Table, run: Run) -> Scores: ...
    scale: Scale
    columns: list[int] | None

def tree_shap_interactions(
    model: Model, x: Table, run: Run
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def mdi(model: Model, groups: GroupsOfColumns, scale: str, run: Run) -> Importances: ...
def mdi_plus(
    model: Model,
    x: Table,
    y: Responses,
    weights: NDArray[np.float64] | None,
    groups: GroupsOfColumns,
    keywords: dict[str, Any],
    metric: Metric,
    run: Run,
) -> Importances: ...
def permutation(
    model: Model,
    x: Table,
    y: Responses,
    weights: NDArray[np.float64] | None,
    groups: GroupsOfColumns,
    out_of_bag: bool,
    repeats: int,
    seed: int,
    metric: Metric,
    run: Run,
) -> Importances: ...
def predicted(
    model: Model, x: Table, scale: str, n_outputs: int, run: Run
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64] | None, float | None]: ...
def fidelity(
    predictions: NDArray[np.float64],
    width: int,
    explained: NDArray[np.float64],
    n_outputs: int,
    scale: str,
    threshold: float | None,
) -> tuple[int, float, float, float | None, bool] | None: ...
def read_model_file(bytes: bytes) -> tuple[Model, LmdiPlusExplainer | None]: ...
def drew_from(model: Model, x: Table, run: Run) -> bool | None: ...
def encode(
    model: Model, columns: list[tuple[str, NDArray[np.float64] | list[str | None]]]
) -> tuple[NDArray[np.float64], list[tuple[str, str | None]]]: ...
def learn_schema(
    columns: list[tuple[str, NDArray[np.float64] | list[str | None]]],
    target: tuple[str, NDArray[np.float64] | list[str | None]],
    formats: list[tuple[str, str]],
) -> tuple[LearnedSchema, NDArray[np.float64]]: ...
def read_foreign(bytes: bytes, rounds: int | str) -> tuple[Model, list[bool]]: ...
def foreign_node_ids(bytes: bytes, rounds: int | str) -> list[NDArray[np.uint32]]: ...
def train_forest(table: dict[str, Any], params: dict[str, Any], run: Run) -> Model: ...
def train_boosting(table: dict[str, Any], params: dict[str, Any], run: Run) -> Model: ...

#: Cells, values row by row, number of outputs, predictions row by row.
Explained: TypeAlias = tuple[Table, NDArray[np.float64], int, NDArray[np.float64]]

def counterfactuals(
    queries: Explained,
    candidates: Explained,
    columns: tuple[list[str], list[tuple[int, list[str]]]],
    options: tuple[int, str, str, float | None, int | None, float | None],
    restrictions: list[list[int]],
    run: Run,
) -> list[list[tuple[int, float, float, list[tuple[int, float]]]]]: ...
def subgroups(
    rows: Explained,
    truth: Responses | None,
    columns: tuple[list[str], list[tuple[int, list[str]]]],
    options: tuple[int | None, int, int, int, int],
    threshold: float | None,
    run: Run,
) -> dict[str, Any]: ...
def stability(
    fits: list[NDArray[np.float64]], n_rows: int, n_outputs: int, percents: list[float], run: Run
) -> dict[str, Any]: ...
