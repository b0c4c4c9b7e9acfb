"""Fits on rows in batches, from every source that gives them."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from lightgbm import LGBMRegressor
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from xgboost import XGBClassifier, XGBRegressor

import lmdi
from lmdi._streaming.sources import batches_of

#: Of the largest score: for least squares, and for fits by Newton steps.
TOLERANCE = 1e-9
OF_STEPS = 1e-6


def table(n_rows=900, seed=0):
    random = np.random.default_rng(seed)
    cells = random.normal(size=(n_rows, 4))
    cells[:, 1] = random.integers(0, 4, n_rows)
    cells[random.random(n_rows) < 0.05, 2] = np.nan
    frame = pd.DataFrame(cells, columns=["a", "b", "c", "d"])
    y = 2 * cells[:, 0] + (cells[:, 1] > 1) + 0.5 * random.normal(size=n_rows)
    more = {"three": np.digitize(y, [-1, 1]), "counts": random.poisson(np.exp(y / 3))}
    return frame.assign(y=y, yes=np.where(y > 0, "yes", "no"), w=random.integers(1, 4, n_rows) * 1.0, **more)


FEATURES = ["a", "b", "c", "d"]


@pytest.fixture(scope="module")
def rows():
    return table()


@pytest.fixture(scope="module")
def forest(rows):
    return RandomForestRegressor(12, min_samples_leaf=20, random_state=0).fit(rows[FEATURES], rows["y"])


def same(found, expected, tolerance=TOLERANCE):
    size = np.abs(expected.values).max()
    assert np.abs(found.values - expected.values).max() <= tolerance * size
    assert np.abs(found.base_values - expected.base_values).max() <= tolerance * size


@pytest.mark.parametrize("kind", ["forest", "classes", "boosted", "boosted classes"])
def test_batches_give_the_fit_in_memory(rows, kind):
    target = "yes" if "classes" in kind else "y"
    # Batches do not know which rows a tree drew, by which columns are standardised in memory.
    unbagged = {"bootstrap": False, "max_features": 0.5, "min_samples_leaf": 20, "random_state": 0}
    model = {
        "forest": RandomForestRegressor(12, **unbagged),
        "classes": RandomForestClassifier(12, **unbagged),
        "boosted": XGBRegressor(n_estimators=20, max_depth=3),
        "boosted classes": XGBClassifier(n_estimators=20, max_depth=3),
    }[kind]
    y = (rows["yes"] == "yes").astype(int) if kind == "boosted classes" else rows[target]
    model.fit(rows[FEATURES], y, sample_weight=rows["w"])
    choices = {"fold_by": "cells", "rounds": 4}
    whole = lmdi.LMDIPlus(model, **choices).fit(rows[FEATURES], y, sample_weight=rows["w"])
    given = rows.assign(target=y)
    batches = [given.sample(frac=1, random_state=1)[at : at + 200] for at in range(0, len(given), 200)]
    streamed = lmdi.LMDIPlus(model, rounds=4).fit(batches, "target", sample_weight="w")
    same(streamed.explain(rows[FEATURES]), whole.explain(rows[FEATURES]))


# A model of few trees is not followed closely by fits to the response.
@pytest.mark.filterwarnings("ignore:LMDI. reproduces only")
@pytest.mark.parametrize("target", ["yes", "three", "counts"])
@pytest.mark.parametrize("penalty", [{"C": 1.0, "l1_ratio": 0.5}, {}])
def test_batches_give_the_newton_fit_in_memory(rows, target, penalty):
    """Logistic fits of two and three classes and Poisson fits, at a given penalty and a searched one."""
    kind = RandomForestRegressor if target == "counts" else RandomForestClassifier
    model = kind(6, bootstrap=False, max_features=0.5, min_samples_leaf=20, random_state=0)
    model.fit(rows[FEATURES], rows[target], sample_weight=rows["w"])
    choices = {"fit_to": "response", "tolerance": 1e-12, **penalty}
    if target == "counts":
        choices |= {"family": "poisson"}
    whole = lmdi.LMDIPlus(model, fold_by="cells", **choices)
    whole.fit(rows[FEATURES], rows[target], sample_weight=rows["w"])
    mixed = rows.sample(frac=1, random_state=1)
    # A batch of one row, an empty one, and one in which classes are missing.
    by_class = mixed[300:].sort_values(target)
    batches = [mixed[:1], mixed[:0], mixed[1:300], *(by_class[at : at + 200] for at in (0, 200, 400))]
    batches[0] = batches[0][reversed(rows.columns)]
    streamed = lmdi.LMDIPlus(model, **choices).fit(batches, target, sample_weight="w")
    same(streamed.explain(rows[FEATURES]), whole.explain(rows[FEATURES]), OF_STEPS)


def test_newton_steps_by_parts(rows):
    """The passes are as many as the steps, and every state travels as bytes."""
    model = RandomForestClassifier(6, min_samples_leaf=20, random_state=0).fit(rows[FEATURES], rows["three"])
    whole = lmdi.LMDIPlus(model, preset="data").fit([rows], "three")
    fit = lmdi.StreamedFit(lmdi.LMDIPlus(model, preset="data"), target="three", memory=1)
    assert fit.n_passes is None
    with pytest.raises(ValueError, match="0 passes over the rows are done, and not all trees"):
        fit.finish()
    while not fit.is_finished:
        there = pickle.dumps(fit)
        parts = [pickle.loads(there).accumulate_by_tree(rows[at : at + 250]) for at in range(0, 900, 250)]
        trees = sorted({tree for part in parts for tree, _ in part})
        sums = [[content for part in parts for tree, content in part if tree == own] for own in trees]
        fit.take([pickle.loads(there).solve(parts) for parts in sums])
    # One group of trees each, as the sums of two are too large.
    assert fit.passes_done > 1 + 2 * 6
    same(fit.finish().explain(rows[FEATURES]), whole.explain(rows[FEATURES]), OF_STEPS)


def test_separable_classes_and_steps_that_run_out(rows):
    apart = rows.assign(yes=np.where(rows["a"] > 0, "yes", "no"))
    model = RandomForestClassifier(4, max_features=None, random_state=0).fit(apart[FEATURES], apart["yes"])
    explainer = lmdi.LMDIPlus(model, fit_to="response", glm="ols").fit([apart], "yes")
    assert np.isfinite(explainer.explain(apart[FEATURES]).values).all()
    with pytest.warns(lmdi.LmdiWarning, match="raise max_iterations"):
        lmdi.LMDIPlus(model, preset="data", max_iterations=1).fit([rows], "yes")


def test_every_source_gives_the_same(rows, forest, tmp_path):
    expected = lmdi.LMDIPlus(forest).fit([rows], "y").explain(rows[FEATURES])
    for part in range(3):
        arrow = pa.Table.from_pandas(rows[part * 300 : part * 300 + 300], preserve_index=False)
        pq.write_table(arrow, tmp_path / f"part-{part}.parquet")
    arrow = pa.Table.from_pandas(rows, preserve_index=False)
    sources = {
        "tables": [rows[:500], rows[500:]],
        "a table": rows,
        "record batches": arrow.to_batches(max_chunksize=170),
        "polars": [pl.from_pandas(rows[:10]), pl.from_pandas(rows[10:])],
        "a dataset": ds.dataset(tmp_path, format="parquet"),
        "a lazy frame": pl.scan_parquet(tmp_path / "*.parquet"),
        "a function": lambda: (rows[at : at + 90] for at in range(0, 900, 90)),
    }
    for name, source in sources.items():
        explainer = lmdi.LMDIPlus(forest).fit(source, "y")
        same(explainer.explain(rows[FEATURES]), expected)
        parts = [one.values for one in explainer.explain_batches(source)]
        assert np.array_equal(np.concatenate(parts), explainer.explain(rows[FEATURES]).values), name


def test_batches_of_any_size_and_order(rows, forest):
    rows = rows[:120]
    expected = lmdi.LMDIPlus(forest).fit([rows], "y").explain(rows[FEATURES])
    for size, order in [(1, 1), (7, -1), (50, 1), (120, -1)]:
        given = [rows[at : at + size] for at in range(0, len(rows), size)][::order]
        given = [rows[:0], *given, rows[:0]]
        same(lmdi.LMDIPlus(forest).fit(given, "y").explain(rows[FEATURES]), expected)


def test_rows_that_are_read_once(rows, forest):
    expected = lmdi.LMDIPlus(forest).fit([rows], "y")
    arrow = pa.Table.from_pandas(rows, preserve_index=False)
    for once in (
        (rows[at : at + 70] for at in range(0, 900, 70)),
        arrow.to_reader(max_chunksize=100),
        iter([pl.from_pandas(rows)]),
    ):
        explainer = lmdi.LMDIPlus(forest, progress=True).fit(once, "y")
        same(explainer.explain(rows[FEATURES]), expected.explain(rows[FEATURES]))
    parts = list(expected.explain_batches(rows[at : at + 300] for at in (0, 300)))
    assert [len(part.values) for part in parts] == [300, 300]


def test_a_source_that_fails(rows, forest, tmp_path):
    def broken():
        yield rows[:100]
        raise OSError("the disk is gone")

    explainer = lmdi.LMDIPlus(forest)
    for source in (broken, broken()):
        with pytest.raises(OSError, match="the disk is gone"):
            explainer.fit(source, "y")
        with pytest.raises(lmdi.NotFittedError):
            explainer.explain(rows[FEATURES])
    fitted = lmdi.LMDIPlus(forest).fit([rows], "y")
    explained = fitted.explain_batches(broken())
    assert len(next(explained).values) == 100
    with pytest.raises(OSError, match="the disk is gone"):
        next(explained)


@pytest.mark.parametrize("damage", ["cut", "cells", "types", "gone"])
def test_a_damaged_file_of_a_dataset_is_named(rows, forest, tmp_path, damage):
    for part in range(3):
        arrow = pa.Table.from_pandas(rows[part * 300 : part * 300 + 300], preserve_index=False)
        pq.write_table(arrow, tmp_path / f"part-{part}.parquet", row_group_size=100, compression="zstd")
    dataset = ds.dataset(tmp_path, format="parquet")
    harmed = tmp_path / "part-1.parquet"
    where = "part-1"
    if damage == "cut":
        harmed.write_bytes(harmed.read_bytes()[:-500])
    elif damage == "cells":
        start = pq.read_metadata(harmed).row_group(1).column(0).data_page_offset
        content = bytearray(harmed.read_bytes())
        content[start + 40 : start + 200] = bytes(160)
        harmed.write_bytes(content)
        where = "part-1.parquet, row group 1"
    elif damage == "types":
        pq.write_table(pa.table({"a": ["text"] * 10}), harmed)
    else:
        harmed.unlink()
    with pytest.raises((OSError, ValueError), match=where):
        lmdi.LMDIPlus(forest).fit(dataset, "y")


def test_datasets_of_every_kind(rows, forest, tmp_path):
    """Columns kept in names of directories, filters, and one row group held at a time."""
    arrow = pa.Table.from_pandas(rows.assign(b=rows["b"].astype(int)), preserve_index=False)
    ds.write_dataset(arrow, tmp_path, format="parquet", partitioning=["b"], partitioning_flavor="hive")
    whole = ds.dataset(tmp_path, format="parquet", partitioning="hive")
    some = rows[rows["a"] > 0]
    for source, table in [(whole, rows), (whole.filter(ds.field("a") > 0), some), (ds.dataset(arrow), rows)]:
        found, expected = (lmdi.LMDIPlus(forest).fit(one, "y") for one in (source, [table]))
        same(found.explain(rows[FEATURES]), expected.explain(rows[FEATURES]))
    large = pa.table({name: np.zeros(1_000_000) for name in [*FEATURES, "y"]})
    pq.write_table(large, tmp_path / "large.parquet", row_group_size=50_000)
    most = 0
    before = pa.total_allocated_bytes()
    for _ in batches_of(ds.dataset(tmp_path / "large.parquet"))():
        most = max(most, pa.total_allocated_bytes() - before)
    assert most < 20e6


def test_names_that_libraries_change(rows):
    renamed = rows.rename(columns={"a": "the first, of all", "b": "b c"})
    names = ["the first, of all", "b c", "c", "d"]
    model = LGBMRegressor(n_estimators=5, min_child_samples=50, verbose=-1)
    plain = model.fit(rows[FEATURES], rows["y"])
    expected = lmdi.LMDIPlus(plain).fit([rows], "y").explain(rows[FEATURES])
    spaced = rows.rename(columns={"a": "the first", "b": "b c"})
    model = LGBMRegressor(n_estimators=5, min_child_samples=50, verbose=-1)
    model.fit(spaced[["the first", "b c", "c", "d"]], rows["y"])
    explainer = lmdi.LMDIPlus(model).fit([spaced], "y")
    (found,) = explainer.explain_batches([spaced])
    same(found, expected)
    forest = RandomForestRegressor(5, min_samples_leaf=20, random_state=0).fit(renamed[names], rows["y"])
    explainer = lmdi.LMDIPlus(forest).fit([renamed[:300], renamed[300:]], "y")
    assert next(explainer.explain_batches([renamed])).feature_names == names


def test_threads_sum_up_parts_at_the_same_time(rows, forest):
    fit = lmdi.StreamedFit(lmdi.LMDIPlus(forest, n_jobs=1), target="y")
    with ThreadPoolExecutor(4) as pool:
        while not fit.is_finished:
            fit.advance(pool.map(fit.accumulate, [rows[at : at + 50] for at in range(0, 900, 50)]))
    whole = lmdi.LMDIPlus(forest).fit([rows], "y")
    same(fit.finish().explain(rows[FEATURES]), whole.explain(rows[FEATURES]))


def test_folds_by_a_key(rows, forest):
    keyed = rows.assign(id=[f"k{at}" for at in range(len(rows))])
    by_key = lmdi.LMDIPlus(forest).fit([keyed], "y", key="id")
    again = lmdi.LMDIPlus(forest).fit([keyed[400:], keyed[:400]], "y", key="id")
    same(again.explain(rows[FEATURES]), by_key.explain(rows[FEATURES]))
    # Folds that each lack part of the range choose other penalties.
    sorted_out = rows.assign(id=np.searchsorted([-1.0, 0.0, 1.0, 2.0], rows["y"]))
    by_range = lmdi.LMDIPlus(forest).fit([sorted_out], "y", key="id").explain(rows[FEATURES])
    assert np.abs(by_range.values - by_key.explain(rows[FEATURES]).values).max() > 1e-6
    whole, fractions = rows.assign(id=range(900)), rows.assign(id=np.arange(900.0))
    numbered = lmdi.LMDIPlus(forest).fit([whole], "y", key="id")
    mixed = lmdi.LMDIPlus(forest).fit([whole[:300], fractions[300:]], "y", key="id")
    same(mixed.explain(rows[FEATURES]), numbered.explain(rows[FEATURES]))
    with pytest.raises(ValueError, match="batch 1: key 'id' is missing in row 2"):
        gap = keyed.assign(id=[None if at == 402 else at for at in range(900)])
        lmdi.LMDIPlus(forest).fit([gap[:400], gap[400:]], "y", key="id")


def test_parts_can_be_summed_up_anywhere(rows, forest):
    whole = lmdi.LMDIPlus(forest).fit([rows], "y")
    fit = lmdi.StreamedFit(lmdi.LMDIPlus(forest), target="y")
    assert fit.columns == [*FEATURES, "y"]
    while not fit.is_finished:
        # Each part as if on another machine: all that travels are bytes.
        there = pickle.dumps(fit)
        parts = [pickle.loads(there).accumulate(rows[at : at + 250]) for at in range(0, 900, 250)]
        fit.advance([fit.merge(parts[:2]), *parts[2:]])
    assert fit.passes_done == fit.n_passes == 5
    same(fit.finish().explain(rows[FEATURES]), whole.explain(rows[FEATURES]))


def test_small_memory_takes_more_passes_and_gives_the_same(rows, forest):
    whole = lmdi.LMDIPlus(forest).fit([rows], "y")
    fit = lmdi.StreamedFit(lmdi.LMDIPlus(forest), target="y", memory=1)
    assert fit.n_passes == 13
    while not fit.is_finished:
        fit.advance([fit.accumulate(rows)])
    same(fit.finish().explain(rows[FEATURES]), whole.explain(rows[FEATURES]))


@pytest.mark.parametrize(
    "change, choices, words",
    [
        (lambda rows: rows.drop(columns="b"), {}, "batch 0: there is no column 'b'"),
        (lambda rows: rows.drop(columns="y"), {}, "no column 'y'"),
        (lambda rows: pd.concat([rows, rows[["b"]]], axis=1), {}, "more than one column 'b'"),
        (lambda rows: rows.assign(y=np.nan), {}, "y is NaN in row 0"),
        (lambda rows: pa.table({**{n: rows[n] for n in FEATURES}, "y": [None] * 900}), {}, "NaN"),
        (lambda rows: rows.assign(a=pd.Timestamp("2026-01-01")), {}, "column 'a'"),
        (lambda rows: rows.assign(a=np.inf), {}, "infinite"),
        (lambda rows: rows.assign(a="text"), {}, "text"),
        (lambda rows: rows[:0], {}, "no row"),
        (lambda rows: rows.to_numpy(), {}, "named columns"),
        (lambda rows: rows, {"family": "poisson", "fit_to": "response"}, "not negative"),
        (lambda rows: rows, {"fit_on": "oob"}, "fit_on"),
        (lambda rows: rows, {"validation": "oob"}, "validation"),
    ],
)
def test_bad_batches_and_choices(rows, forest, change, choices, words):
    with pytest.raises((ValueError, TypeError), match=words):
        lmdi.LMDIPlus(forest, **choices).fit([change(rows)], "y")


def test_other_misuse(rows, forest):
    with pytest.raises(TypeError, match="name of a column"):
        lmdi.LMDIPlus(forest).fit([rows], rows["y"])
    with pytest.raises(ValueError, match="900 rows at first and 899"):
        lengths = iter([900, 899, 899, 899, 899])
        lmdi.LMDIPlus(forest).fit(lambda: [rows[: next(lengths)]], "y")
    fit = lmdi.StreamedFit(lmdi.LMDIPlus(forest), target="y")
    with pytest.raises(ValueError, match="0 of 5 passes"):
        fit.finish()
    for memory in (0, "2GB", 1.5):
        with pytest.raises(ValueError, match="number of bytes"):
            lmdi.LMDIPlus(forest).fit([rows], "y", memory=memory)
    with pytest.raises(TypeError, match="rows in batches"):
        lmdi.LMDIPlus(forest).fit(rows[FEATURES], rows["y"], memory=1)
    sums = fit.accumulate(rows)
    with pytest.raises(ValueError, match="damaged"):
        fit.advance([sums[:-1] + bytes([sums[-1] ^ 1])])
    fit.advance([sums])
    with pytest.raises(ValueError, match="another pass"):
        fit.advance([sums])


@pytest.mark.parametrize("target, choices", [("y", {}), ("yes", {"fit_to": "response"})])
def test_each_tree_on_rows_of_its_own(rows, target, choices):
    kind = RandomForestClassifier if target == "yes" else RandomForestRegressor
    model = kind(10, bootstrap=False, max_features=0.5, min_samples_leaf=20, random_state=0)
    model.fit(rows[FEATURES], rows[target])
    choices = {**choices, "rows_per_tree": 300}
    whole = lmdi.LMDIPlus(model, fold_by="cells", rounds=4, **choices).fit(rows[FEATURES], rows[target])
    parts = [rows[600:], rows[:1], rows[1:600]]
    streamed = lmdi.LMDIPlus(model, rounds=4, **choices).fit(parts, target)
    found, expected = streamed.explain(rows[FEATURES]), whole.explain(rows[FEATURES])
    if target == "y":
        same(found, expected)
    else:
        # Penalties are searched on a sample of all rows, and in memory on the tree's own.
        assert np.corrcoef(found.values.ravel(), expected.values.ravel())[0, 1] > 0.95
    other = lmdi.LMDIPlus(model, rounds=4, **{**choices, "rows_per_tree": None}).fit(parts, target)
    assert np.abs(found.values - other.explain(rows[FEATURES]).values).max() > 1e-4
    with pytest.raises(ValueError, match="rows_per_tree"):
        lmdi.LMDIPlus(model, rows_per_tree=0).fit(parts, target)


def test_a_file_that_breaks_between_passes(rows, tmp_path):
    """The fit ends with the file's name, and the explainer stays as it was."""
    model = RandomForestClassifier(4, min_samples_leaf=20, random_state=0).fit(rows[FEATURES], rows["yes"])
    for part in range(3):
        arrow = pa.Table.from_pandas(rows[part * 300 : part * 300 + 300], preserve_index=False)
        pq.write_table(arrow, tmp_path / f"part-{part}.parquet", row_group_size=100)
    dataset, passes = ds.dataset(tmp_path, format="parquet"), []

    def batches():
        passes.append(len(passes))
        if len(passes) == 3:
            (tmp_path / "part-1.parquet").write_bytes(b"PAR1 and no more")
        return batches_of(dataset)()

    explainer = lmdi.LMDIPlus(model, preset="data").fit([rows[:400]], "yes")
    before = explainer.explain(rows[FEATURES]).values
    with pytest.raises((OSError, ValueError), match="part-1"):
        explainer.fit(batches, "yes")
    assert len(passes) == 3
    assert np.array_equal(explainer.explain(rows[FEATURES]).values, before)


@pytest.mark.parametrize("choices", [{}, {"preset": "data"}])
def test_rows_without_weight_do_not_count(rows, choices):
    model = RandomForestClassifier(4, min_samples_leaf=20, random_state=0).fit(rows[FEATURES], rows["yes"])
    weighed = rows.assign(w=np.where(rows.index < 600, rows["w"], 0.0))
    expected = lmdi.LMDIPlus(model, **choices).fit([weighed[:600]], "yes", sample_weight="w")
    batches = [weighed[600:], weighed[:300], weighed[300:600]]
    found = lmdi.LMDIPlus(model, **choices).fit(batches, "yes", sample_weight="w")
    # Means of weights, and so strengths beside the sum of losses, are over all rows.
    found, expected = found.explain(rows[FEATURES]).values, expected.explain(rows[FEATURES]).values
    assert np.corrcoef(found.ravel(), expected.ravel())[0, 1] > 0.99
    with pytest.raises(ValueError, match="positive weight"):
        lmdi.LMDIPlus(model, **choices).fit([weighed[600:]], "yes", sample_weight="w")


def test_sums_of_another_model_are_refused(rows):
    small, large = (
        RandomForestClassifier(trees, min_samples_leaf=20, random_state=0).fit(rows[FEATURES], rows["yes"])
        for trees in (3, 4)
    )
    fits = [
        lmdi.StreamedFit(lmdi.LMDIPlus(model, **choices), target="yes")
        for model, choices in [(small, {"preset": "data"}), (large, {"preset": "data"}), (small, {})]
    ]
    for _ in range(3):
        sums = [fit.accumulate(rows) for fit in fits]
        for other in (1, 2):
            with pytest.raises(ValueError, match="another model, other options or another pass"):
                fits[0].advance([sums[other]])
            with pytest.raises(ValueError, match="another model, other options or another pass"):
                fits[0].merge([sums[0], sums[other]])
        for cut in (0, 10, len(sums[0]) // 2, len(sums[0]) - 1):
            with pytest.raises(ValueError, match="statistics"):
                fits[0].advance([sums[0][:cut]])
        for fit, own in zip(fits, sums):
            fit.advance([own])


def test_trees_that_do_not_split(rows):
    model = RandomForestClassifier(3, min_samples_leaf=900, random_state=0).fit(rows[FEATURES], rows["yes"])
    explainer = lmdi.LMDIPlus(model, preset="data").fit([rows[:500], rows[500:]], "yes")
    found = explainer.explain(rows[FEATURES])
    share = (rows["yes"] == "yes").mean()
    assert not found.values.any()
    assert np.allclose(found.base_values, np.log(share / (1 - share)), atol=1e-6)
