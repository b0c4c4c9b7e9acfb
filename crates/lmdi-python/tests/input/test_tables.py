"""Tables of every kind give the same scores, columns are matched by name, and arrays are not copied."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestRegressor

import lmdi
from lmdi._input.tables import strided

NAMES = list("abcdef")


@pytest.fixture(scope="module")
def table(data):
    # Cells that 32 bits hold exactly, so that both widths must give the same scores.
    return pd.DataFrame(data.X.astype(np.float32).astype(np.float64), columns=NAMES)


@pytest.fixture(scope="module")
def explainer(data, table):
    model = RandomForestRegressor(6, min_samples_leaf=5, random_state=0).fit(table, data.y)
    return lmdi.LMDIPlus(model).fit(table, data.y)


@pytest.fixture(scope="module")
def expected(explainer, table):
    return explainer.explain(table).values


def every_other(array):
    wide = np.repeat(np.repeat(array, 2, axis=0), 2, axis=1)
    return wide[::2, ::2]


def test_arrays_of_every_layout(explainer, table, expected):
    array = table.to_numpy().copy()
    for form in [
        array,
        np.asfortranarray(array),
        array.astype(np.float32),
        np.asfortranarray(array.astype(np.float32)),
        every_other(array),
        array[::-1][::-1],
        np.ascontiguousarray(array[:, ::-1])[:, ::-1],
        array.astype(">f8"),
        array.astype(object),
        array.tolist(),
    ]:
        assert np.array_equal(explainer.explain(form).values, expected)
    read_only = array.copy()
    read_only.flags.writeable = False
    assert np.array_equal(explainer.explain(read_only).values, expected)
    assert np.array_equal(explainer.explain(array[7:8]).values, expected[7:8])


def test_frames_of_every_library(explainer, table, expected):
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    arrow = pyarrow.Table.from_pandas(table)
    for form in [
        table,
        table.astype(np.float32),
        table.astype("Float64"),
        table[NAMES[::-1]],
        polars.from_pandas(table),
        polars.from_pandas(table[NAMES[::-1]]),
        arrow,
        arrow.to_batches()[0],
        scipy.sparse.csr_matrix(table.to_numpy()),
        scipy.sparse.csc_array(table.to_numpy()),
    ]:
        assert np.array_equal(explainer.explain(form).values, expected), type(form)


def test_whole_numbers_and_truth_values(data):
    X = np.stack([data.X[:, 1], data.X[:, 0] > 0], axis=1)
    model = RandomForestRegressor(5, random_state=0).fit(X, data.y)
    explainer = lmdi.LMDIPlus(model).fit(X, data.y)
    expected = explainer.explain(X).values
    for kind in (np.int8, np.uint16, np.int32, np.int64, np.float16):
        assert np.array_equal(explainer.explain(X.astype(kind)).values, expected)
    mixed = pd.DataFrame({"n": X[:, 0].astype("int64"), "t": X[:, 1].astype(bool)})
    assert np.array_equal(explainer.explain(mixed).values, expected)
    assert np.array_equal(explainer.explain(mixed.astype({"n": "Int64", "t": "boolean"})).values, expected)


def test_missing_values_of_every_library_are_nan(data):
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    X = data.X_missing
    model = RandomForestRegressor(5, random_state=0).fit(X, data.y)
    explainer = lmdi.LMDIPlus(model).fit(X, data.y)
    expected = explainer.explain(X).values
    frame = pd.DataFrame(X, columns=NAMES)
    for form in [
        frame.astype("Float64"),
        polars.from_pandas(frame).fill_nan(None),
        pyarrow.Table.from_pandas(frame, preserve_index=False),
    ]:
        assert np.array_equal(explainer.explain(form).values, expected), type(form)


def test_text_and_other_columns_of_every_library(data):
    """Text is categories where the model has them; what is neither number nor category is named."""
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"x": data.X_missing[:, 0], "c": pd.Categorical(data.two)})
    frame.loc[::5, "c"] = None
    model = HistGradientBoostingRegressor(max_iter=5).fit(frame, data.y)
    explainer = lmdi.LMDIPlus(model).fit(frame, data.y)
    expected = explainer.explain(frame).values
    text = frame.astype({"c": object})
    arrow = pyarrow.table({"x": frame["x"].to_numpy(), "c": pyarrow.array(text["c"], pyarrow.string())})
    large = arrow.set_column(1, "c", arrow["c"].cast(pyarrow.large_string()))
    words = arrow.set_column(1, "c", arrow["c"].dictionary_encode())
    for form in [text, polars.from_pandas(frame), polars.from_pandas(text), arrow, large, words]:
        assert np.array_equal(explainer.explain(form).values, expected), type(form)
    dates = pyarrow.array([0] * len(frame), pyarrow.timestamp("s"))
    for form in [arrow.set_column(0, "x", dates), polars.from_arrow(arrow.set_column(0, "x", dates))]:
        with pytest.raises(ValueError, match="column 'x' holds .*; expected numbers, booleans or cat"):
            explainer.explain(form)


def test_columns_are_matched_by_name(explainer, table):
    with pytest.raises(ValueError, match="X has no column 'b'"):
        explainer.explain(table.drop(columns="b"))
    with pytest.raises(ValueError, match="does not know column 'z'"):
        explainer.explain(table.assign(z=1.0))
    with pytest.raises(ValueError, match="more than one column named 'a'"):
        explainer.explain(table.rename(columns={"b": "a"}))
    assert explainer.feature_names_in_.tolist() == NAMES


def test_names_come_from_the_table_of_fit_if_the_model_has_none(data, table):
    model = RandomForestRegressor(3, random_state=0).fit(table.to_numpy(), data.y)
    explainer = lmdi.LMDIPlus(model).fit(table, data.y)
    e = explainer.explain(table[NAMES[::-1]])
    assert e.feature_names == NAMES
    assert np.array_equal(e.values, explainer.explain(table.to_numpy()).values)
    assert lmdi.LMDIPlus(model).fit(table.to_numpy(), data.y).explain(table).feature_names[0] == "x0"


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_arrays_are_read_where_they_lie(explainer, table, order, kind):
    array = np.asarray(table.to_numpy(), dtype=kind, order=order)
    for view in (array, array[::3], array[10:20]):
        flat, rows, columns, *_ = strided(view)
        assert np.shares_memory(flat, array) and (rows, columns) == view.shape
        e = explainer.explain(view)
        assert np.shares_memory(e.data, array)
    frame = pd.DataFrame(array, columns=NAMES, copy=False)
    assert np.shares_memory(explainer.explain(frame).data, array)


def test_column_names_that_are_no_text(data):
    """Numbers and several levels of headings are labels; tables with the same ones are put in order."""
    y = data.y
    years = pd.DataFrame(data.X, columns=range(2019, 2025))
    explainer = lmdi.LMDIPlus(RandomForestRegressor(5, random_state=0).fit(years, y)).fit(years, y)
    e = explainer.explain(years)
    assert e.feature_names == ["2019", "2020", "2021", "2022", "2023", "2024"]
    assert np.array_equal(explainer.explain(years[years.columns[::-1]]).values, e.values)
    levels = years.set_axis(pd.MultiIndex.from_product([["in", "out"], [1, 2, 3]]), axis=1)
    shap = lmdi.TreeSHAP(explainer.model)
    assert shap.explain(levels).feature_names == ["in_1", "in_2", "in_3", "out_1", "out_2", "out_3"]
    # pandas counts the columns of arrays, which says nothing about them.
    counted = lmdi.TreeSHAP(explainer.model).explain(pd.DataFrame(data.X))
    assert counted.feature_names == ["x0", "x1", "x2", "x3", "x4", "x5"]


def test_boosters_find_columns_named_by_numbers(data):
    lightgbm = pytest.importorskip("lightgbm")
    years = pd.DataFrame(data.X, columns=range(2019, 2025))
    model = lightgbm.LGBMRegressor(n_estimators=3, verbose=-1).fit(years, data.y)
    e = lmdi.TreeSHAP(model).explain(years[years.columns[::-1]])
    assert np.array_equal(e.values, lmdi.TreeSHAP(model).explain(years).values)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (None, "X is None; expected a table"),
        ("table.csv", "X is 'table.csv'; read the file first"),
        ({"a": [1.0]}, "X is a dict; pass pandas.DataFrame"),
        (iter([[1.0]]), "X is a list_iterator; expected a table"),
        (pd, "X is a module; expected a table"),
    ],
)
def test_what_is_no_table(explainer, X, message):
    with pytest.raises(TypeError, match=message):
        explainer.explain(X)


def test_cells_that_no_float_holds_and_columns_without_cells(explainer, table):
    polars = pytest.importorskip("polars")
    huge = table.astype(object)
    huge.iloc[0, 0] = 10**400
    with pytest.raises(ValueError, match="column 'a' holds 1000.*; expected numbers"):
        explainer.explain(huge)
    empty = polars.from_pandas(table).with_columns(b=polars.lit(None))
    expected = explainer.explain(table.assign(b=np.nan)).values
    assert np.array_equal(explainer.explain(empty).values, expected)
