"""The example of the guide: LMDI+ on rows that a Dask scheduler holds."""

import lmdi
import numpy as np
import pandas as pd
import pytest

dask = pytest.importorskip("dask")


def test_parts_of_a_dask_collection():
    random = np.random.default_rng(0)
    rows = pd.DataFrame(random.normal(size=(600, 3)), columns=["a", "b", "y"])
    rows["y"] += 2 * rows["a"]
    model = lmdi.RandomForestRegressor(n_estimators=8, random_state=0).fit(rows[["a", "b"]], rows["y"])
    parts = [dask.delayed(rows[at : at + 100]) for at in range(0, 600, 100)]

    fit = lmdi.StreamedFit(lmdi.LMDIPlus(model), target="y")
    while not fit.is_finished:
        sums = [dask.delayed(fit.accumulate)(part) for part in parts]
        fit.advance(dask.compute(*sums, scheduler="processes", num_workers=2))
    explainer = fit.finish()

    whole = lmdi.LMDIPlus(model).fit([rows], "y")
    expected = whole.explain(rows[["a", "b"]]).values
    assert np.allclose(explainer.explain(rows[["a", "b"]]).values, expected, rtol=0, atol=1e-9)
