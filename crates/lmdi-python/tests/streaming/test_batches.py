"""Fits on rows in batches, from every source that gives them."""

import pickle

import lmdi
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from xgboost import XGBClassifier, XGBRegressor

#: Of the largest score.
TOLERANCE = 1e-9


def table(n_rows=900, seed=0):
    random = np.random.default_rng(seed)
    cells = random.normal(size=(n_rows, 4))
    cells[:, 1] = random.integers(0, 4, n_rows)
    cells[random.random(n_rows) < 0.05, 2] = np.nan
    frame = pd.DataFrame(cells, columns=["a", "b", "c", "d"])
    y = 2 * cells[:, 0] + (cells[:, 1] > 1) + 0.5 * random.normal(size=n_rows)
    return frame.assign(y=y, yes=np.where(y > 0, "yes", "no"), w=random.integers(1, 4, n_rows) * 1.0)


FEATURES = ["a", "b", "c", "d"]


@pytest.fixture(scope="module")
def rows():
    return table()


@pytest.fixture(scope="module")
def forest(rows):
    return RandomForestRegressor(12, min_samples_leaf=20, random_state=0).fit(rows[FEATURES], rows["y"])


def same(found, expected):
    size = np.abs(expected.values).max()
    assert np.abs(found.values - expected.values).max() <= TOLERANCE * size
    assert np.abs(found.base_values - expected.base_values).max() <= TOLERANCE * size


@pytest.mark.parametrize("kind", ["forest", "classes", "boosted", "boosted classes"])
def test_batches_give_the_fit_in_memory(rows, kind):
    target = "yes" if "classes" in kind else "y"
    model = {
        "forest": RandomForestRegressor(12, min_samples_leaf=20, random_state=0),
        "classes": RandomForestClassifier(12, min_samples_leaf=20, random_state=0),
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


def test_a_generator_is_refused_by_fit_and_taken_by_explain(rows, forest):
    with pytest.raises(TypeError, match="can be read once"):
        lmdi.LMDIPlus(forest).fit((part for part in [rows]), "y")
    explainer = lmdi.LMDIPlus(forest).fit([rows], "y")
    assert len(list(explainer.explain_batches(rows[at : at + 300] for at in (0, 300)))) == 2


def test_folds_by_a_key(rows, forest):
    keyed = rows.assign(id=[f"k{at}" for at in range(len(rows))])
    by_key = lmdi.LMDIPlus(forest).fit([keyed], "y", key="id")
    again = lmdi.LMDIPlus(forest).fit([keyed[400:], keyed[:400]], "y", key="id")
    same(again.explain(rows[FEATURES]), by_key.explain(rows[FEATURES]))


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
        (lambda rows: rows.drop(columns="b"), {}, "no column 'b'"),
        (lambda rows: rows.drop(columns="y"), {}, "no column 'y'"),
        (lambda rows: rows.assign(y=np.nan), {}, "NaN"),
        (lambda rows: rows.assign(a=np.inf), {}, "infinite"),
        (lambda rows: rows.assign(a="text"), {}, "text"),
        (lambda rows: rows[:0], {}, "no row"),
        (lambda rows: rows.to_numpy(), {}, "named columns"),
        (lambda rows: rows, {"family": "poisson", "fit_to": "response"}, "least squares"),
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
    with pytest.raises(ValueError, match="passes"):
        fit.finish()
    sums = fit.accumulate(rows)
    with pytest.raises(ValueError, match="damaged"):
        fit.advance([sums[:-1] + bytes([sums[-1] ^ 1])])
    fit.advance([sums])
    with pytest.raises(ValueError, match="another pass"):
        fit.advance([sums])
