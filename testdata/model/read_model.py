#!/usr/bin/env python3
"""Reads a binary model file by docs/model-format.md alone and shows it in the JSON form.

    read_model.py FILE            print the content as JSON
    read_model.py --check FILE... compare each FILE (.lmdi) with the .json beside it

Written from the document, not from the library, so that the two check each other. Needs nothing but
Python's standard library.
"""

import json
import math
import pathlib
import struct
import sys
import zlib

MAGIC = b"\x89LMDI\r\n\x1a"
NONE = 0xFFFFFFFF

LINKS = ["identity", "logit", "softmax", "log", "one_vs_rest"]
GROWTHS = ["independent", "first_order", "second_order", "shrunk"]
LOSSES = [None, "squared_error", "logistic", "multinomial", "poisson", "gamma", "tweedie", "other"]
AGGREGATIONS = ["mean", "sum"]
COMPARISONS = ["less_equal", "less"]
PRECISIONS = ["single", "double"]
ENCODINGS = ["number", "truth", "one_hot", "codes"]
REASONS = ["asked", "numeric", "boolean", "categorical", "constant", "identifier"]
SCALES = ["identity", "log_odds", "softmax", "log"]
PENALTIES = ["alpha", "c"]
TASKS = ["regression", "binary", "multiclass"]


class Cursor:
    def __init__(self, data):
        self.data, self.at = data, 0

    def numbers(self, code, count=1):
        size = struct.calcsize("<" + code) * count
        if self.at + size > len(self.data):
            raise ValueError(f"byte {self.at}: {size} bytes expected, {len(self.data) - self.at} left")
        values = struct.unpack_from(f"<{count}{code}", self.data, self.at)
        self.at += size
        return list(values)

    def u8(self):
        return self.numbers("B")[0]

    def u32(self):
        return self.numbers("I")[0]

    def u64(self):
        return self.numbers("Q")[0]

    def f64(self):
        return json_number(self.numbers("Q")[0])

    def f64s(self, count):
        return [json_number(bits) for bits in self.numbers("Q", count)]

    def indices(self, count):
        return [-1 if value == NONE else value for value in self.numbers("I", count)]

    def string(self):
        return bytes(self.numbers("B", self.u32())).decode("utf-8")

    def strings(self):
        return [self.string() for _ in range(self.u32())]

    def optional(self, read):
        flag = self.u8()
        if flag not in (0, 1):
            raise ValueError(f"byte {self.at - 1}: flag {flag}")
        return read() if flag else None

    def end(self):
        if self.at != len(self.data):
            raise ValueError(f"{len(self.data) - self.at} bytes after the last field")


def json_number(bits):
    """A float as the JSON form writes it, from its 64 bits."""
    number = struct.unpack("<d", struct.pack("<Q", bits))[0]
    if math.isnan(number):
        return None if bits == 0x7FF8000000000000 else f"nan:{bits:016x}"
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    return number


def read_file(data):
    if data[:8] != MAGIC:
        raise ValueError("not a binary model file")
    version, n_sections = struct.unpack_from("<II", data, 8)
    if version != 1:
        raise ValueError(f"version {version}; this script reads version 1")
    table_end = 16 + 20 * n_sections
    if struct.unpack_from("<I", data, table_end)[0] != zlib.crc32(data[:table_end]):
        raise ValueError("checksum of the header")
    start, model = table_end + 4, {"format": "lmdi-model", "version": 1}
    readers = {
        b"META": ("metadata", metadata),
        b"SCHM": ("schema", schema),
        b"ENSM": ("ensemble", ensemble),
        b"DECI": ("threshold", Cursor.f64),
        b"EXPL": ("explainer", explainer),
    }
    # Sections whose content belongs to a part that the JSON form has in one piece.
    joined = {
        b"READ": ("schema", reading),
        b"CLSW": ("ensemble", class_weights),
        b"ROWS": ("explainer", training_rows),
        b"KEPT": ("explainer", kept_shares),
    }
    for entry in range(16, table_end, 20):
        tag, flags, length, checksum = struct.unpack_from("<4sIQI", data, entry)
        body, start = data[start : start + length], start + length
        if len(body) != length or zlib.crc32(body) != checksum:
            raise ValueError(f"checksum of section {tag}")
        if tag in readers:
            key, read = readers[tag]
            cursor = Cursor(body)
            model[key] = read(cursor)
            cursor.end()
        elif tag in joined:
            key, read = joined[tag]
            cursor = Cursor(body)
            model[key].update(read(cursor))
            cursor.end()
        elif flags & 1:
            raise ValueError(f"unknown required section {tag}")
    if start != len(data):
        raise ValueError("bytes after the last section")
    return model


def metadata(cursor):
    return {
        "producer": cursor.string(),
        "training_options": cursor.string(),
        "seed": cursor.optional(cursor.u64),
        "training_rows": cursor.optional(cursor.u64),
        "fingerprint": cursor.optional(lambda: bytes(cursor.numbers("B", 32)).hex()),
        "quality": [
            {"sample": cursor.string(), "measure": cursor.string(), "value": cursor.f64()}
            for _ in range(cursor.u32())
        ],
    }


def schema(cursor):
    def column():
        result = {"name": cursor.string(), "encoding": ENCODINGS[cursor.u8()]}
        if result["encoding"] == "one_hot":
            result["levels"] = cursor.strings()
            result["pooled"] = cursor.optional(cursor.strings)
            result["missing"] = bool(cursor.u8())
        if result["encoding"] == "codes":
            result["levels"] = cursor.strings()
        return result

    return {
        "columns": [column() for _ in range(cursor.u32())],
        "dropped": [
            {"name": cursor.string(), "reason": REASONS[cursor.u8()]} for _ in range(cursor.u32())
        ],
        "target": cursor.optional(
            lambda: {"name": cursor.string(), "task": TASKS[cursor.u8()], "labels": cursor.strings()}
        ),
        "weight": cursor.optional(cursor.string),
    }


def reading(cursor):
    missing = cursor.strings()
    formats = [
        {"name": cursor.string(), "format": cursor.string(), "missing": cursor.strings()}
        for _ in range(cursor.u32())
    ]
    return {"reading": {"missing": missing, "formats": formats}}


def ensemble(cursor):
    result = {"feature_names": cursor.strings()}
    result["classes"] = cursor.strings() or None
    result["link"] = LINKS[cursor.u8()]
    result["growth"] = GROWTHS[cursor.u8()]
    result["trees_per_round"] = cursor.u32() if result["growth"] == "shrunk" else None
    result["loss"] = LOSSES[cursor.u8()]
    result["tweedie_power"] = cursor.f64() if result["loss"] == "tweedie" else None
    result["aggregation"] = AGGREGATIONS[cursor.u8()]
    result["learning_rate"] = cursor.f64() if result["aggregation"] == "sum" else None
    result["base_score"] = cursor.f64s(cursor.u32())
    n_trees = cursor.u32()
    result["output_of_tree"] = cursor.optional(lambda: cursor.numbers("I", n_trees)) or []
    result["trees"] = [tree(cursor) for _ in range(n_trees)]
    return result


def tree(cursor):
    n, n_values = cursor.u32(), cursor.u32()
    result = {"n_values": n_values}
    result["comparison"] = COMPARISONS[cursor.u8()]
    result["precision"] = PRECISIONS[cursor.u8()]
    for name in ("feature", "left", "right"):
        result[name] = cursor.indices(n)
    result["missing"] = cursor.numbers("B", n)
    result["threshold"] = cursor.f64s(n)
    result["value"] = cursor.f64s(n * n_values)
    result["weight"] = cursor.f64s(n)
    result["impurity"] = cursor.f64s(n)
    result["category_set"] = cursor.optional(lambda: cursor.indices(n)) or [-1] * n
    result["category_sets"] = [category_set(cursor) for _ in range(cursor.u32())]
    form = cursor.u8()
    result["in_bag"] = cursor.numbers(" BI"[form], cursor.u64()) if form else None
    return result


def category_set(cursor):
    return {
        "members_go_left": bool(cursor.u8()),
        "members": cursor.numbers("Q", cursor.u32()),
        "known": cursor.optional(lambda: cursor.numbers("Q", cursor.u32())),
    }


def explainer(cursor):
    result = {"options": cursor.string(), "scale": SCALES[cursor.u8()]}
    result["trees"] = [linear_model(cursor) for _ in range(cursor.u32())]
    return result


def class_weights(cursor):
    form = cursor.u8()
    return {"class_weights": cursor.f64s(cursor.u32()) if form == 1 else {2: "balanced"}[form]}


def training_rows(cursor):
    bounds = cursor.f64s(2 * cursor.u32())
    return {"lowest": bounds[0::2], "highest": bounds[1::2], "tree_sizes": cursor.f64s(cursor.u32())}


def kept_shares(cursor):
    return {"kept": [cursor.f64s(cursor.u32()) for _ in range(cursor.u32())]}


def linear_model(cursor):
    result = {"first_output": cursor.u32()}
    k = cursor.u32()
    result["intercept"] = cursor.f64s(k)
    result["step"] = cursor.f64s(cursor.u32())
    result["raw"] = [
        {"feature": cursor.u32(), "mean": cursor.f64(), "slope": cursor.f64s(k)}
        for _ in range(cursor.u32())
    ]
    result["fits"] = [fit(cursor) for _ in range(k)]
    return result


def fit(cursor):
    def penalty():
        form = PENALTIES[cursor.u8()]
        return {"form": form, "strength": cursor.f64(), "l1_ratio": cursor.f64()}

    return {
        "penalty": cursor.optional(penalty),
        "iterations": cursor.u64(),
        "gap": cursor.f64(),
        "converged": bool(cursor.u8()),
    }


def with_defaults(model):
    """A model in the JSON form with everything that may be left out put in."""
    model = dict(model)
    model["metadata"] = {
        "producer": "", "training_options": "", "seed": None, "training_rows": None,
        "fingerprint": None, "quality": [], **model.get("metadata", {}),
    }  # fmt: skip
    if model.get("schema") is not None:
        parts = {
            "one_hot": {"levels": [], "pooled": None, "missing": False},
            "codes": {"levels": []},
        }
        plan = {"dropped": [], "target": None, "weight": None, **model["schema"]}
        plan["columns"] = [
            {**parts.get(column["encoding"], {}), **column}
            for column in plan["columns"]
        ]
        if plan["target"]:
            plan["target"] = {"labels": [], **plan["target"]}
        model["schema"] = plan
    forest = {
        "classes": None, "link": "identity", "growth": "independent", "loss": None,
        "aggregation": "mean", "learning_rate": None, "output_of_tree": [],
        "trees_per_round": None, "tweedie_power": None, "class_weights": None, **model["ensemble"],
    }  # fmt: skip
    if forest["growth"] == "shrunk" and forest["trees_per_round"] is None:
        forest["trees_per_round"] = 1
    if forest["aggregation"] == "sum" and forest["learning_rate"] is None:
        forest["learning_rate"] = 1.0
    one_output = forest["classes"] is None or forest["link"] == "logit"
    forest.setdefault("base_score", [0.0] * (1 if one_output else len(forest["classes"])))
    trees = []
    for entry in forest["trees"]:
        n = len(entry["feature"])
        entry = {
            "n_values": 1, "impurity": [None] * n, "missing": [1] * n, "category_set": [-1] * n,
            "category_sets": [], "comparison": "less_equal", "precision": "single", "in_bag": None,
            **entry,
        }  # fmt: skip
        entry["category_sets"] = [{"known": None, **one} for one in entry["category_sets"]]
        trees.append(entry)
    forest["trees"] = trees
    model["ensemble"] = forest
    if model.get("explainer") is not None:
        empty = {"options": "", "lowest": [], "highest": [], "tree_sizes": [], "kept": []}
        fitted = {**empty, **model["explainer"]}
        fitted["trees"] = [{"first_output": 0, "raw": [], **one} for one in fitted["trees"]]
        for one in fitted["trees"]:
            one["fits"] = [{"penalty": None, **fit} for fit in one["fits"]]
        model["explainer"] = fitted
    return model


def differences(found, expected, path=""):
    """Where two JSON values differ; numbers are compared bit by bit."""
    if isinstance(found, dict) and isinstance(expected, dict):
        for key in sorted(found.keys() | expected.keys()):
            if key not in found or key not in expected:
                yield f"{path}.{key}: only in {'the file' if key in found else 'the JSON'}"
            else:
                yield from differences(found[key], expected[key], f"{path}.{key}")
    elif isinstance(found, list) and isinstance(expected, list):
        if len(found) != len(expected):
            yield f"{path}: {len(found)} items, expected {len(expected)}"
        for index, pair in enumerate(zip(found, expected)):
            yield from differences(*pair, f"{path}[{index}]")
    elif isinstance(found, float) and type(expected) in (int, float):
        if struct.pack("<d", found) != struct.pack("<d", expected):
            yield f"{path}: {found!r}, expected {expected!r}"
    elif found != expected or type(found) is not type(expected):
        yield f"{path}: {found!r}, expected {expected!r}"


def main(arguments):
    if len(arguments) == 1 and not arguments[0].startswith("--"):
        json.dump(read_file(pathlib.Path(arguments[0]).read_bytes()), sys.stdout)
        print()
        return 0
    if len(arguments) < 2 or arguments[0] != "--check":
        print(__doc__, file=sys.stderr)
        return 2
    failed = False
    for name in arguments[1:]:
        path = pathlib.Path(name)
        expected = json.loads(path.with_suffix(".json").read_text("utf-8"))
        found = list(differences(with_defaults(read_file(path.read_bytes())), with_defaults(expected)))
        print(f"{name}: {'as its JSON' if not found else 'NOT as its JSON'}")
        for difference in found:
            print(f"  {difference}")
        failed = failed or bool(found)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
