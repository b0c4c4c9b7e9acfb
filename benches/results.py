"""The figures of docs/results.md, computed from the committed results of the experiments.

    ./bench results            # prints them
    ./bench results --write    # puts them into docs/results.md, and the picture beside it
    ./bench results --check    # fails if docs/results.md or the picture has other figures

Nothing is run: the results are in crates/lmdi-experiments/results, and the tables are made by the modules in
`paper`. Standard errors are clustered by data set: the means of data sets are compared, not single settings, which
share a data set's luck. Ranks are compared by Friedman's test; two methods differ where their average ranks are a
critical difference apart (Nemenyi, 5 %).
"""

import sys

from common import ROOT, with_table
from paper.protocols import reference, runs
from paper.rules import rules, trials
from paper.scores import counterfactual, subgroups
from paper.signal import correlation, ranking
from paper.summary import friedman, regrets
from paper.top_features import ablation, boosting, selection, selection_full, stability

PAGE = ROOT / "docs" / "results.md"
PICTURE = ROOT / "docs" / "images" / "critical-difference.svg"

BLOCKS = {
    "runs": runs,
    "ranking": ranking,
    "selection": selection,
    "stability": stability,
    "selection-full": selection_full,
    "ablation": ablation,
    "counterfactual": counterfactual,
    "correlation": correlation,
    "reference": reference,
    "subgroups": subgroups,
    "boosting": boosting,
    "rules": rules,
    "trials": trials,
    "ranks": lambda: friedman()[0],
    "regrets": regrets,
}


def main():
    arguments = sys.argv[1:]
    page = PAGE.read_text()
    for name, block in BLOCKS.items():
        text = block()
        if arguments:
            page = with_table(page, f"<!-- ./bench results: {name} -->\n", f"<!-- end of {name} -->\n", text)
        else:
            print(f"## {name}\n\n{text}")
    files = {PAGE: page, PICTURE: friedman()[1]}
    if "--check" in arguments:
        stale = [str(path.relative_to(ROOT)) for path, text in files.items() if path.read_text() != text]
        if stale:
            raise SystemExit(f"{' and '.join(stale)} differ from the committed results; ./bench results --write")
    elif "--write" in arguments:
        for path, text in files.items():
            path.write_text(text)
            print(f"wrote {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
