"""Tells which lines of the README's example its command does not print.

The README shows the output of its first command and the head of the file that it writes, with lines and cells left
out where it says `...`. Times differ from run to run and are not compared; the last digits of a score may differ
from version to version. Run by `./check`:
`python3 tools/readme.py PRINTED WRITTEN`, with what the command printed and the file that it wrote.
"""

import pathlib
import re
import sys

README = pathlib.Path(__file__).parent.parent / "README.md"
TIME = re.compile(r"\d+\.\d+ s\b")
LONG_NUMBER = re.compile(r"\d+\.\d{10,}")
BLOCK = re.compile(r"^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def missing(example, output):
    """Lines of an example that the output does not have, in this order."""
    position = 0
    for line in example.splitlines():
        if line.strip() in ("", "..."):
            continue
        start = line.removesuffix("...")
        found = range(position, len(output))
        at = next((at for at in found if output[at] == line or start != line and output[at].startswith(start)), None)
        if at is None:
            yield line
        else:
            position = at + 1


def lines(text, written):
    """The lines of an output that can be compared, with the README's name for the file."""
    return comparable(text).replace(written, "scores.csv").splitlines()


def comparable(text):
    """Without times and the last digits of long numbers."""
    return LONG_NUMBER.sub(lambda number: f"{float(number[0]):.10g}", TIME.sub("0.00 s", text))


def main():
    printed, written = map(pathlib.Path, sys.argv[1:])
    examples = BLOCK.findall(README.read_text(encoding="utf-8"))
    if len(examples) != 2:
        sys.exit(f"{README.name}: found {len(examples)} examples of output, expected 2")
    stale = []
    for example, file in zip(examples, (printed, written)):
        output = lines(file.read_text(encoding="utf-8"), str(written))
        stale += missing(comparable(example), output)
    for line in stale:
        print(f"{README.name}: the first command does not print this line (or not here): {line}")
    sys.exit(1 if stale else 0)


if __name__ == "__main__":
    main()
