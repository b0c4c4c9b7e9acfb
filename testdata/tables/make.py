"""Writes Parquet files of many column types with an independent library.

Made with pyarrow 26.0.1:  python testdata/tables/make.py
The values are repeated in crates/lmdi-io/tests/parquet_types.rs, which reads the files.
"""

import datetime as dt
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

HERE = Path(__file__).parent


def types():
    day = dt.date(1970, 1, 11)
    moment = dt.datetime(1970, 1, 1, 0, 0, 1, 500000)
    columns = {
        "int8": pa.array([-1, None, 3], pa.int8()),
        "uint64": pa.array([1, None, 3], pa.uint64()),
        "float16": pa.array([0.5, None, 3.0], pa.float16()),
        "float32": pa.array([0.5, float("nan"), 3.0], pa.float32()),
        "float64": pa.array([0.1, None, 3.0], pa.float64()),
        "decimal": pa.array([Decimal("1.25"), None, Decimal("-3.00")], pa.decimal128(9, 2)),
        "date": pa.array([day, None, day], pa.date32()),
        "timestamp": pa.array([moment, None, moment], pa.timestamp("us")),
        "zoned": pa.array([moment, None, moment], pa.timestamp("ns", tz="UTC")),
        "time": pa.array([dt.time(0, 1), None, dt.time(0, 2)], pa.time32("ms")),
        "bool": pa.array([True, None, False]),
        "string": pa.array(["a", None, "NA"]),
        "large_string": pa.array(["a", None, " b "], pa.large_string()),
        "dictionary": pa.array(["x", None, "y"]).dictionary_encode(),
        "null": pa.nulls(3),
    }
    return pa.table(columns)


if __name__ == "__main__":
    for compression in ["snappy", "zstd", "none"]:
        pq.write_table(types(), HERE / f"types_{compression}.parquet", compression=compression)
    nested = pa.table({"plain": [1, 2], "points": [[1, 2], [3]]})
    pq.write_table(nested, HERE / "nested.parquet", compression="snappy")
