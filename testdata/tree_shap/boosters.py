"""XGBoost's and LightGBM's models in the JSON model format (docs/model-format.md).

Independent of the library's own readers: the values that are compared say something about TreeSHAP alone.
"""

import json
import math

LEFT, RIGHT, AS_ZERO = 0, 1, 4


def words(codes):
    """A set of categories as 64-bit words."""
    out = [0] * (max(codes) // 64 + 1)
    for code in codes:
        out[code // 64] |= 1 << (code % 64)
    return out


def ensemble(names, classes, logit, trees, outputs, base):
    """What both libraries' models have in common: trees are added up, one output a tree."""
    keys = {
        "feature_names": names, "aggregation": "sum", "base_score": base, "trees": trees,
    }  # fmt: skip
    if classes > 1:
        keys |= {"classes": [str(c) for c in range(classes)], "link": "softmax", "output_of_tree": outputs}
    elif logit:
        keys |= {"classes": ["0", "1"], "link": "logit"}
    return {"format": "lmdi-model", "version": 1, "ensemble": keys}


def xgboost_tree(tree):
    n = len(tree["left_children"])
    leaf = [child < 0 for child in tree["left_children"]]
    sets, place = [], [-1] * n
    for node, start, size in zip(
        tree["categories_nodes"], tree["categories_segments"], tree["categories_sizes"]
    ):
        place[node] = len(sets)
        # The categories that go right.
        members = words(tree["categories"][start : start + size])
        sets.append({"members": members, "members_go_left": False})
    return {
        "feature": [-1 if leaf[i] else tree["split_indices"][i] for i in range(n)],
        "threshold": [0.0 if leaf[i] else tree["split_conditions"][i] for i in range(n)],
        "left": [-1 if leaf[i] else tree["left_children"][i] for i in range(n)],
        "right": [-1 if leaf[i] else tree["right_children"][i] for i in range(n)],
        "value": [tree["split_conditions" if leaf[i] else "base_weights"][i] for i in range(n)],
        "weight": tree["sum_hessian"],
        "missing": [LEFT if left else RIGHT for left in tree["default_left"]],
        "category_set": place,
        "category_sets": sets,
        "comparison": "less",
    }


def from_xgboost(booster, classes, logit):
    learner = json.loads(bytes(booster.save_raw("json")))["learner"]
    model = learner["gradient_booster"]["model"]
    base = json.loads(learner["learner_model_param"]["base_score"].lower())
    base = base if isinstance(base, list) else [base]
    if logit:
        base = [math.log(p / (1 - p)) for p in base]
    base = base if len(base) == classes else base * classes
    trees = [xgboost_tree(tree) for tree in model["trees"]]
    return ensemble(booster.feature_names, classes, logit, trees, model["tree_info"], base)


def lightgbm_tree(root):
    tree = {key: [] for key in ("feature", "threshold", "left", "right", "value", "weight", "missing")}
    sets, place = [], []

    def add(node):
        index = len(place)
        place.append(-1)
        split = "split_feature" in node
        categorical = split and node["decision_type"] == "=="
        if categorical:
            place[index] = len(sets)
            members = words([int(code) for code in node["threshold"].split("||")])
            sets.append({"members": members, "members_go_left": True})
        kind = node.get("missing_type", "None")
        missing = {"None": AS_ZERO, "NaN": LEFT if node.get("default_left") else RIGHT}[kind]
        tree["feature"].append(node["split_feature"] if split else -1)
        tree["threshold"].append(node["threshold"] if split and not categorical else 0.0)
        tree["value"].append(node["internal_value"] if split else node["leaf_value"])
        tree["weight"].append(node["internal_count"] if split else node.get("leaf_count", 1))
        tree["missing"].append(RIGHT if categorical else missing)
        tree["left"].append(-1)
        tree["right"].append(-1)
        if split:
            tree["left"][index] = add(node["left_child"])
            tree["right"][index] = add(node["right_child"])
        return index

    add(root)
    return tree | {"category_set": place, "category_sets": sets, "precision": "double"}


def from_lightgbm(booster, classes, logit):
    dump = booster.dump_model()
    trees = [lightgbm_tree(tree["tree_structure"]) for tree in dump["tree_info"]]
    outputs = [index % classes for index in range(len(trees))]
    return ensemble(dump["feature_names"], classes, logit, trees, outputs, [0.0] * classes)
