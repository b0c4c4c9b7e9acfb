#!/usr/bin/env python3
"""Makes the model files of version 1 that must stay readable, and the JSON beside them.

    make.py            write *.json and *.lmdi into this directory

Each model is stated here in the JSON form and written in the binary form by a writer that follows
docs/model-format.md and shares no code with the library. Needs nothing but Python's standard
library. The library's own writer must give the same bytes (crates/lmdi/tests/it/file/fixtures.rs).
"""

import json
import pathlib
import struct
import zlib

import read_model as names

HERE = pathlib.Path(__file__).parent

STUMP = {
    "format": "lmdi-model",
    "version": 1,
    "ensemble": {
        "feature_names": ["age"],
        "trees": [
            {
                "feature": [0, -1, -1],
                "threshold": [2.5, 0.0, 0.0],
                "left": [1, -1, -1],
                "right": [2, -1, -1],
                "value": [2.0, 1.0, 4.0],
                "weight": [3.0, 2.0, 1.0],
            }
        ],
    },
}

FOREST = {
    "format": "lmdi-model",
    "version": 1,
    "metadata": {
        "producer": "lmdi 0.1.0",
        "training_options": "trees = 2\nmin_samples_leaf = 1",
        "seed": 18446744073709551615,
        "training_rows": 4,
        "fingerprint": bytes(range(32)).hex(),
        "quality": [
            {"sample": "oob", "measure": "r2", "value": 0.625},
            {"sample": "holdout", "measure": "rmse", "value": None},
        ],
    },
    "schema": {
        "columns": [
            {"name": "age", "encoding": "number"},
            {"name": "member", "encoding": "truth"},
            {
                "name": "city",
                "encoding": "one_hot",
                "levels": ["Bern", "Zürich"],
                "pooled": ["Basel"],
                "missing": True,
            },
        ],
        "dropped": [
            {"name": "id", "reason": "identifier"},
            {"name": "note", "reason": "asked"},
            {"name": "country", "reason": "constant"},
        ],
        "target": {"name": "price", "task": "regression"},
        "weight": "rows",
    },
    "ensemble": {
        "feature_names": [
            "age",
            "member",
            "city=Bern",
            "city=Zürich",
            "city=(other)",
            "city=(missing)",
        ],
        "trees": [
            {
                "feature": [0, -1, 3, -1, -1],
                "threshold": [41.5, -2.0, 0.5, -2.0, "inf"],
                "left": [1, -1, 3, -1, -1],
                "right": [2, -1, 4, -1, -1],
                "value": [0.1, 0.30000000000000004, -0.0, 5e-324, 1.7976931348623157e308],
                "weight": [4.0, 1.0, 3.0, 2.5, 0.5],
                "impurity": [0.25, 0.0, None, "nan:7ff8000000000001", "inf"],
                "missing": [0, 1, 1, 0, 1],
                "in_bag": [2, 0, 1, 1],
            },
            {
                "feature": [-1],
                "threshold": ["nan:fff8000000000000"],
                "left": [-1],
                "right": [-1],
                "value": [0.2],
                "weight": [4.0],
                "in_bag": [300, 0, 255, 4294967295],
            },
        ],
    },
}

BOOSTING = {
    "format": "lmdi-model",
    "version": 1,
    "metadata": {"producer": "another library 3.2"},
    "ensemble": {
        "feature_names": ["colour", "width"],
        "classes": ["red", "green", ""],
        "link": "softmax",
        "growth": "second_order",
        "loss": "multinomial",
        "aggregation": "sum",
        "learning_rate": 0.1,
        "base_score": [0.5, -0.5, 0.0],
        "output_of_tree": [0, 1, 2],
        "trees": [
            {
                "feature": [0, 1, -1, -1, -1],
                "threshold": [0.0, 1e-35, 0.0, 0.0, 0.0],
                "left": [1, 3, -1, -1, -1],
                "right": [2, 4, -1, -1, -1],
                "value": [0.0, 0.125, -0.5, 0.25, 0.0625],
                "weight": [10.5, 6.0, 4.5, 2.0, 4.0],
                "missing": [2, 3, 4, 0, 1],
                "category_set": [1, -1, -1, -1, -1],
                "category_sets": [
                    {"members": [], "members_go_left": False},
                    {
                        "members": [9223372036854775809, 2],
                        "members_go_left": True,
                        "known": [18446744073709551615, 3],
                    },
                ],
                "comparison": "less",
                "precision": "double",
            },
            {
                "feature": [1, -1, -1],
                "threshold": ["-inf", 0.0, 0.0],
                "left": [1, -1, -1],
                "right": [2, -1, -1],
                "value": [0.0, 1.0, 2.0],
                "weight": [3.0, 0.0, 3.0],
                "comparison": "less",
            },
            {
                "feature": [-1],
                "threshold": [0.0],
                "left": [-1],
                "right": [-1],
                "value": [-1.5],
                "weight": [0.0],
                "precision": "double",
            },
        ],
    },
}

EXPLAINED = {
    **FOREST,
    "explainer": {
        "options": "LMDI+ (é)",
        "scale": "identity",
        "trees": [
            {
                "intercept": [0.30000000000000004],
                "step": [0.0, -0.0, 1.5, 5e-324, -1.7976931348623157e308],
                "raw": [
                    {"feature": 0, "mean": 40.25, "slope": [-0.125]},
                    {"feature": 3, "mean": 0.5, "slope": [2.0]},
                ],
                "fits": [
                    {
                        "penalty": {"form": "alpha", "strength": 0.1, "l1_ratio": 0.99},
                        "iterations": 17,
                        "gap": 1e-10,
                        "converged": True,
                    }
                ],
            },
            {
                "intercept": [0.2],
                "step": [0.0],
                "fits": [{"iterations": 4294967296, "gap": None, "converged": False}],
            },
        ],
    },
}

BOOSTING_EXPLAINED = {
    **BOOSTING,
    "explainer": {
        "scale": "softmax",
        "trees": [
            {
                "intercept": [0.0],
                "step": [0.0, 0.5, -0.5, 0.25, -0.25],
                "fits": [
                    {
                        "penalty": {"form": "c", "strength": 10000.0, "l1_ratio": 0.0},
                        "iterations": 1,
                        "gap": 0.0,
                        "converged": True,
                    }
                ],
            },
            {
                "first_output": 1,
                "intercept": [1.0],
                "step": [0.0, 2.0, -2.0],
                "raw": [{"feature": 1, "mean": -1.0, "slope": [1e-300]}],
                "fits": [{"iterations": 0, "gap": "inf", "converged": False}],
            },
            {
                "first_output": 2,
                "intercept": [-1.5],
                "step": [0.0],
                "fits": [{"iterations": 0, "gap": 0.0, "converged": True}],
            },
        ],
    },
}

# As read from another library's file: sets of categories, and learning rates inside the values.
IMPORTED = {
    "format": "lmdi-model",
    "version": 1,
    "schema": {
        "columns": [
            {"name": "city", "encoding": "codes", "levels": ["Zürich", "Bern", "7"]},
            {"name": "age", "encoding": "number"},
        ],
    },
    "ensemble": {
        "feature_names": ["city", "age"],
        "link": "log",
        "growth": "shrunk",
        "trees_per_round": 2,
        "loss": "tweedie",
        "tweedie_power": 1.25,
        "aggregation": "sum",
        "base_score": [0.5],
        "trees": [
            {
                "feature": [0, -1, -1],
                "threshold": [0.0, 0.0, 0.0],
                "left": [1, -1, -1],
                "right": [2, -1, -1],
                "value": [0.0, 0.25, -0.25],
                "weight": [3.0, 2.0, 1.0],
                "missing": [0, 1, 1],
                "category_set": [0, -1, -1],
                "category_sets": [{"members": [5], "members_go_left": False}],
                "comparison": "less",
            },
            {
                "feature": [-1],
                "threshold": [0.0],
                "left": [-1],
                "right": [-1],
                "value": [0.125],
                "weight": [3.0],
            },
        ],
    },
}

# Every class against the rest.
ONE_VS_REST = {
    "format": "lmdi-model",
    "version": 1,
    "ensemble": {
        "feature_names": [],
        "classes": ["a", "b"],
        "link": "one_vs_rest",
        "growth": "shrunk",
        "loss": "gamma",
        "aggregation": "sum",
        "learning_rate": 1.0,
        "base_score": [0.0, 1.0],
        "trees": [
            {
                "feature": [-1],
                "threshold": [0.0],
                "left": [-1],
                "right": [-1],
                "n_values": 2,
                "value": [0.5, -0.5],
                "weight": [1.0],
            },
        ],
    },
}

# Class weights of training, and what an explainer keeps of the rows it was fitted on.
WEIGHTED = {
    **BOOSTING,
    "ensemble": {**BOOSTING["ensemble"], "class_weights": [1.0, 2.5, 0.0]},
    "explainer": {
        **BOOSTING_EXPLAINED["explainer"],
        "lowest": [-1.5] * len(BOOSTING["ensemble"]["feature_names"]),
        "highest": [1e300] * len(BOOSTING["ensemble"]["feature_names"]),
        "tree_sizes": [0.5, 0.0, 0.125],
    },
}

# What a ranking keeps of the scores of boosted trees.
KEPT = {**WEIGHTED, "explainer": {**WEIGHTED["explainer"], "kept": [[0.25, 1.0], [0.0], []]}}

BALANCED = {
    **ONE_VS_REST,
    "ensemble": {**ONE_VS_REST["ensemble"], "class_weights": "balanced"},
}

# A threshold between two classes.
DECIDED = {**ONE_VS_REST, "threshold": 0.3}
# A table of numbers and dates as people write them.
FORMATTED = {
    **STUMP,
    "schema": {
        "columns": [{"name": "age", "encoding": "number"}],
        "target": {"name": "price", "task": "regression"},
        "reading": {
            "missing": ["unbekannt"],
            "formats": [
                {"name": "age", "format": "number comma point", "missing": ["-", "None"]},
                {"name": "price", "format": "date day-month-year", "missing": []},
            ],
        },
    },
}

MODELS = {
    "stump": STUMP,
    "forest": FOREST,
    "boosting": BOOSTING,
    "forest_explained": EXPLAINED,
    "boosting_explained": BOOSTING_EXPLAINED,
    "imported": IMPORTED,
    "one_vs_rest": ONE_VS_REST,
    "weighted": WEIGHTED,
    "kept": KEPT,
    "balanced": BALANCED,
    "decided": DECIDED,
    "formatted": FORMATTED,
}


def bits(number):
    if number is None:
        return 0x7FF8000000000000
    if isinstance(number, str) and number.startswith("nan:"):
        return int(number[4:], 16)
    return struct.unpack("<Q", struct.pack("<d", float(number)))[0]


def f64s(numbers):
    return b"".join(struct.pack("<Q", bits(number)) for number in numbers)


def u32s(numbers):
    return b"".join(struct.pack("<I", number & 0xFFFFFFFF) for number in numbers)


def u64s(numbers):
    return struct.pack(f"<{len(numbers)}Q", *numbers)


def u32(number):
    return struct.pack("<I", number)


def string(text):
    return u32(len(text.encode())) + text.encode()


def strings(texts):
    return u32(len(texts)) + b"".join(map(string, texts))


def code(table, word):
    return bytes([table.index(word)])


def optional(value, write):
    return b"\0" if value is None else b"\1" + write(value)


def metadata(values):
    return b"".join(
        [
            string(values["producer"]),
            string(values["training_options"]),
            optional(values["seed"], lambda number: struct.pack("<Q", number)),
            optional(values["training_rows"], lambda number: struct.pack("<Q", number)),
            optional(values["fingerprint"], bytes.fromhex),
            u32(len(values["quality"])),
            *(
                string(one["sample"]) + string(one["measure"]) + f64s([one["value"]])
                for one in values["quality"]
            ),
        ]
    )


def schema(values):
    out = [u32(len(values["columns"]))]
    for column in values["columns"]:
        out += [string(column["name"]), code(names.ENCODINGS, column["encoding"])]
        if column["encoding"] == "one_hot":
            out += [strings(column["levels"]), optional(column["pooled"], strings)]
            out += [bytes([column["missing"]])]
        if column["encoding"] == "codes":
            out += [strings(column["levels"])]
    out += [u32(len(values["dropped"]))]
    for column in values["dropped"]:
        out += [string(column["name"]), code(names.REASONS, column["reason"])]
    out += [
        optional(
            values["target"],
            lambda target: string(target["name"])
            + code(names.TASKS, target["task"])
            + strings(target["labels"]),
        ),
        optional(values["weight"], string),
    ]
    return b"".join(out)


def tree(values):
    n = len(values["feature"])
    out = [u32(n), u32(values["n_values"])]
    out += [code(names.COMPARISONS, values["comparison"]), code(names.PRECISIONS, values["precision"])]
    out += [u32s(values[key]) for key in ("feature", "left", "right")]
    out += [bytes(values["missing"])]
    out += [f64s(values[key]) for key in ("threshold", "value", "weight", "impurity")]
    any_set = any(index != -1 for index in values["category_set"])
    out += [optional(values["category_set"] if any_set else None, u32s)]
    out += [u32(len(values["category_sets"]))]
    for one in values["category_sets"]:
        out += [bytes([one["members_go_left"]]), u32(len(one["members"])), u64s(one["members"])]
        out += [optional(one["known"], lambda words: u32(len(words)) + u64s(words))]
    counts = values["in_bag"]
    if counts is None:
        out += [b"\0"]
    elif max(counts) <= 255:
        out += [b"\1", struct.pack("<Q", len(counts)), bytes(counts)]
    else:
        out += [b"\2", struct.pack("<Q", len(counts)), u32s(counts)]
    return b"".join(out)


def ensemble(values):
    out = [strings(values["feature_names"]), strings(values["classes"] or [])]
    out += [code(names.LINKS, values["link"]), code(names.GROWTHS, values["growth"])]
    if values["growth"] == "shrunk":
        out += [u32(values["trees_per_round"])]
    out += [code(names.LOSSES, values["loss"])]
    if values["loss"] == "tweedie":
        out += [f64s([values["tweedie_power"]])]
    out += [code(names.AGGREGATIONS, values["aggregation"])]
    if values["aggregation"] == "sum":
        out += [f64s([values["learning_rate"]])]
    out += [u32(len(values["base_score"])), f64s(values["base_score"])]
    out += [u32(len(values["trees"])), optional(values["output_of_tree"] or None, u32s)]
    return b"".join(out + [tree(one) for one in values["trees"]])


def linear_model(values):
    out = [u32(values["first_output"]), u32(len(values["intercept"])), f64s(values["intercept"])]
    out += [u32(len(values["step"])), f64s(values["step"]), u32(len(values["raw"]))]
    out += [u32(one["feature"]) + f64s([one["mean"], *one["slope"]]) for one in values["raw"]]
    for fit in values["fits"]:
        out += [
            optional(
                fit["penalty"],
                lambda penalty: code(names.PENALTIES, penalty["form"])
                + f64s([penalty["strength"], penalty["l1_ratio"]]),
            ),
            struct.pack("<Q", fit["iterations"]),
            f64s([fit["gap"]]),
            bytes([fit["converged"]]),
        ]
    return b"".join(out)


def explainer(values):
    out = [string(values["options"]), code(names.SCALES, values["scale"]), u32(len(values["trees"]))]
    return b"".join(out + [linear_model(one) for one in values["trees"]])


def binary(model):
    model = names.with_defaults(model)
    sections = [(b"META", 0, metadata(model["metadata"]))]
    if model.get("schema") is not None:
        sections.append((b"SCHM", 1, schema(model["schema"])))
    reading = (model.get("schema") or {}).get("reading")
    if reading is not None:
        formats = [
            string(one["name"]) + string(one["format"]) + strings(one["missing"])
            for one in reading["formats"]
        ]
        body = strings(reading["missing"]) + u32(len(formats)) + b"".join(formats)
        sections.append((b"READ", 1, body))
    sections.append((b"ENSM", 1, ensemble(model["ensemble"])))
    weights = model["ensemble"].get("class_weights")
    if weights is not None:
        given = weights != "balanced"
        sections.append((b"CLSW", 1, b"\1" + u32(len(weights)) + f64s(weights) if given else b"\2"))
    if "threshold" in model:
        sections.append((b"DECI", 1, f64s([model["threshold"]])))
    fitted = model.get("explainer")
    if fitted is not None:
        sections.append((b"EXPL", 0, explainer(fitted)))
        bounds = [bound for pair in zip(fitted["lowest"], fitted["highest"]) for bound in pair]
        sizes = fitted["tree_sizes"]
        if bounds or sizes:
            rows = u32(len(bounds) // 2) + f64s(bounds) + u32(len(sizes)) + f64s(sizes)
            sections.append((b"ROWS", 1, rows))
        if fitted["kept"]:
            shares = b"".join(u32(len(tree)) + f64s(tree) for tree in fitted["kept"])
            sections.append((b"KEPT", 1, u32(len(fitted["kept"])) + shares))
    head = names.MAGIC + struct.pack("<II", 1, len(sections))
    for tag, flags, body in sections:
        head += tag + struct.pack("<IQI", flags, len(body), zlib.crc32(body))
    return head + u32(zlib.crc32(head)) + b"".join(body for _, _, body in sections)


def main():
    for name, model in MODELS.items():
        text = json.dumps(model, ensure_ascii=False, indent=1) + "\n"
        (HERE / f"{name}.json").write_text(text, encoding="utf-8")
        (HERE / f"{name}.lmdi").write_bytes(binary(model))


if __name__ == "__main__":
    main()
