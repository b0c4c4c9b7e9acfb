"""Tells which lines of prose in Markdown files are longer than 100 characters.

Tables, code, pictures and link definitions cannot be wrapped and are left alone, and so are
recorded results, test data and licences. Run by `./check`: `python3 tools/prose.py`.
"""

import re
import subprocess
import sys

LONGEST = 100
LEFT_OUT = re.compile(r"^(crates/lmdi-experiments/results/|testdata/)|LICENSE")
# A table row, a picture, or a link definition.
UNBREAKABLE = re.compile(r"^\s*(\||!\[|\[[^\]]+\]: )")


def long_lines(text):
    """Numbers and lengths of the lines that are too long."""
    in_code = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            in_code = not in_code
        elif not in_code and len(line) > LONGEST and not UNBREAKABLE.match(line):
            yield number, len(line)


def main():
    listed = subprocess.run(["git", "ls-files", "*.md"], capture_output=True, text=True, check=True)
    found = 0
    for path in listed.stdout.splitlines():
        if LEFT_OUT.search(path):
            continue
        with open(path, encoding="utf-8") as file:
            for number, length in long_lines(file.read()):
                print(f"{path}:{number}: {length} characters; wrap prose at {LONGEST}")
                found += 1
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
