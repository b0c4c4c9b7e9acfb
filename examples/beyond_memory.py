"""LMDI+ on a table that is never held in memory: a tour to run cell by cell, or at once.

    python examples/beyond_memory.py

Needs lmdi, pyarrow and numpy; the table is written to a temporary directory first.
"""

# %% A table in parts, as a pipeline would leave it.
import pathlib
import tempfile

import lmdi
import numpy as np
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet

directory = tempfile.TemporaryDirectory()
folder = pathlib.Path(directory.name)
(folder / "parts").mkdir()
for part in range(4):
    random = np.random.default_rng(part)
    size = random.uniform(30, 200, 25_000)
    age = random.integers(0, 100, 25_000)
    noise = random.normal(0, 20, 25_000)
    price = 3 * size + np.where(age > 60, -80, 0) + noise
    table = pa.table({"id": np.arange(25_000) + part * 25_000, "size": size, "age": age, "price": price})
    pa.parquet.write_table(table, folder / "parts" / f"{part}.parquet")
parts = pyarrow.dataset.dataset(folder / "parts", format="parquet")

# %% A model, trained on any number of rows.
some = parts.head(10_000)
model = lmdi.GradientBoostingRegressor(n_estimators=40)
model.fit(some.select(["size", "age"]), some["price"].to_numpy())

# %% The fit: five passes over all rows, with one batch in memory.
explainer = lmdi.LMDIPlus(model).fit(parts, "price", key="id")

# %% Explanations, written batch by batch.
schema = pa.schema([(name, pa.float64()) for name in ("base", "size", "age")])
with pa.parquet.ParquetWriter(folder / "scores.parquet.part", schema) as writer:
    for explanation in explainer.explain_batches(parts):
        columns = [explanation.base_values, *explanation.values.T]
        writer.write_table(pa.table([pa.array(column) for column in columns], schema=schema))
(folder / "scores.parquet.part").rename(folder / "scores.parquet")

# %% Importances: the mean |score|.
scores = pa.parquet.read_table(folder / "scores.parquet").to_pandas()
print(scores[["size", "age"]].abs().mean().round(1))

# %% The same with parts in any place: only bytes travel.
fit = lmdi.StreamedFit(lmdi.LMDIPlus(model), target="price", key="id")
while not fit.is_finished:
    sums = [fit.accumulate(fragment.to_table()) for fragment in parts.get_fragments()]
    print(f"pass {fit.passes_done + 1} of {fit.n_passes}: {sum(map(len, sums)) / 1000:.0f} kB of sums")
    fit.advance(sums)
again = fit.finish().explain(some.select(["size", "age"]))
largest = np.abs(again.values).max()
difference = np.abs(again.values - explainer.explain(some.select(["size", "age"])).values).max()
print(f"differs by {difference / largest:.0e} of the largest score")
assert difference <= 1e-9 * largest
