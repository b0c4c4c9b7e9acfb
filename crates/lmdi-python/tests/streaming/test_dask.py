"""The example of the guide: LMDI+ on the parts of a Dask collection."""

import pathlib
import re

import dask
import dask.dataframe
import numpy as np
import pandas as pd
import pytest

import lmdi

GUIDE = pathlib.Path(__file__).resolve().parents[4] / "docs" / "scale.md"


@pytest.mark.parametrize("scheduler, logistic", [("threads", False), ("processes", False), ("threads", True)])
def test_the_example_gives_the_fit_of_one_table(scheduler, logistic):
    random = np.random.default_rng(0)
    rows = pd.DataFrame(random.normal(size=(600, 3)), columns=["a", "b", "y"])
    rows["y"] += 2 * rows["a"]
    kind, choices = lmdi.RandomForestRegressor, {}
    if logistic:
        rows["y"] = (rows["y"] > 0).astype(int)
        kind, choices = lmdi.RandomForestClassifier, {"preset": "data"}
    model = kind(n_estimators=8, random_state=0).fit(rows[["a", "b"]], rows["y"])
    (example,) = re.findall(
        r"^```python\n(import dask\n.*?)^```", GUIDE.read_text(), re.MULTILINE | re.DOTALL
    )
    if logistic:
        example = example.replace("LMDIPlus(model)", 'LMDIPlus(model, preset="data")')
    names = {"model": model, "frame": dask.dataframe.from_pandas(rows, npartitions=6)}
    with dask.config.set(scheduler=scheduler, num_workers=2):
        exec(compile(example, "docs/scale.md", "exec"), names)
    whole = lmdi.LMDIPlus(model, **choices).fit([rows], "y")
    expected = whole.explain(rows[["a", "b"]]).values
    found = names["explainer"].explain(rows[["a", "b"]]).values
    assert np.allclose(found, expected, rtol=0, atol=(1e-6 if logistic else 1e-9) * np.abs(expected).max())
