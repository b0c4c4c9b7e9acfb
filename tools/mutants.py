"""Says which small changes of the code no test notices, all of them built into one program.

cargo-mutants lists the changes ("mutants") of the files that `.cargo/mutants.toml` names, and would
build the library anew for each. Here every mutant of the list becomes a branch that the environment
variable LMDI_MUTANT chooses when the tests run: one build for all, and as many runs of the tests.

    a * b    becomes    match (a, b) { (l, r) => match on() { 17 => l + r, 18 => l / r, _ => l * r } }

Mutants that do not compile are left out one round after the other. What has no such form (fields of a
struct, constants, iterators of another type) is counted as such and left to cargo-mutants itself.
The tests of a mutant end at the first that fails.

    pip install tree-sitter tree-sitter-rust && cargo install --locked cargo-mutants
    python tools/mutants.py WORK_DIR      # a copy, a build and results.json in WORK_DIR
    python tools/mutants.py --write       # the table of crates/lmdi/tests/MUTANTS.md, from the results
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import threading

import tree_sitter
import tree_sitter_rust

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "crates/lmdi/tests/mutants.json"
REPORT = ROOT / "crates/lmdi/tests/MUTANTS.md"
ON = "crate::mutant::on()"
SWITCH = """
#[allow(missing_docs)]
pub mod mutant {
    pub fn on() -> u32 {
        static ON: std::sync::LazyLock<u32> = std::sync::LazyLock::new(|| {
            std::env::var("LMDI_MUTANT").ok().and_then(|k| k.parse().ok()).unwrap_or(0)
        });
        *ON
    }
}
"""
#: The tests that should notice, those of the file's own concern first: program and filters.
TESTS = {
    "importance": [
        ("it", ["importance::path_methods", "importance::node_methods", "importance::tree_shap"]),
        ("lib", ["importance"]),
    ],
    "glm": [
        ("lib", ["glm"]),
        ("it", ["importance::lmdi_plus", "importance::mdi_plus"]),
    ],
}
SECONDS = 300
BYTES = 4_000_000_000
COMPARISONS = ("==", "!=", "<", ">", "<=", ">=")


class File:
    """A source file with all its mutants built in."""

    def __init__(self, text, mutants):
        self.text = text
        self.mutants = mutants
        self.lines = [0]
        for line in text.split(b"\n"):
            self.lines.append(self.lines[-1] + len(line) + 1)
        self.at = collections.defaultdict(list)
        for number, mutant in mutants.items():
            self.at[mutant["genre"], self.offset(mutant["span"]["start"])].append(number)
        self.placed = set()
        parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_rust.language()))
        self.root = parser.parse(text).root_node

    def offset(self, place):
        begin = self.lines[place["line"] - 1]
        line = self.text[begin : self.lines[place["line"]]].decode()
        return begin + len(line[: place["column"] - 1].encode())

    def rewritten(self):
        root = self.root
        before, after = self.text[: root.start_byte], self.text[root.end_byte :]
        return before.decode() + self.parts(root, root.start_byte) + after.decode()

    def of(self, genre, node, place=None):
        """The mutants of a node; those of constants cannot be chosen when the program runs."""
        found = self.at.get((genre, node.start_byte if place is None else place), [])
        if found and not self.is_constant(node):
            self.placed.update(found)
            return found
        return []

    def is_constant(self, node):
        while node is not None:
            if node.type in ("const_item", "static_item", "array_type", "const_block"):
                return True
            node = node.parent
        return False

    def source(self, node):
        return self.text[node.start_byte : node.end_byte].decode()

    def parts(self, node, begin):
        """The text of a node from `begin` on, with what is inside of it rewritten."""
        text, end = "", begin
        for child in node.children:
            if child.start_byte >= begin:
                text += self.text[end : child.start_byte].decode() + self.node(child)
                end = child.end_byte
        return text + self.text[end : node.end_byte].decode()

    def branches(self, found, changed, original):
        """One branch per line, so that an error of the compiler names its mutant."""
        text = "".join(f"\n{n}u32 => {changed(self.mutants[n]['replacement'])},\n" for n in found)
        return f"match {ON} {{{text} _ => {original} }}"

    def node(self, node, guard=True):
        form = getattr(self, node.type, None)
        pattern = node.parent if node.parent is not None and node.parent.type == "match_pattern" else None
        if guard and pattern is not None and pattern.child_by_field_name("condition") == node:
            found = self.of("MatchArmGuard", node)
            if found and node.type != "let_condition":
                return f"({self.branches(found, lambda value: value, self.node(node, guard=False))})"
        rewritten = form(node) if form is not None else None
        if rewritten is not None:
            return rewritten
        return self.parts(node, node.start_byte) if node.children else self.source(node)

    def binary_expression(self, node):
        sign = node.child_by_field_name("operator")
        found = self.of("BinaryOperator", node, sign.start_byte)
        if not found:
            return None
        left = self.node(node.child_by_field_name("left"))
        right = self.node(node.child_by_field_name("right"))
        sign = self.source(sign)
        mark = f"/*mutants {' '.join(map(str, found))}*/"
        if sign in ("&&", "||"):
            return f"({mark} {self.branches(found, lambda s: f'(({left}) {s} ({right}))', f'(({left}) {sign} ({right}))')})"
        by = "&" if sign in COMPARISONS else ""
        inner = self.branches(found, lambda s: f"l {s} r", f"l {sign} r")
        return f"(match ({by}({left}), {by}({right})) {{ {mark} (l, r) => {inner} }})"

    def compound_assignment_expr(self, node):
        sign = node.child_by_field_name("operator")
        found = self.of("BinaryOperator", node, sign.start_byte)
        if not found:
            return None
        left = self.node(node.child_by_field_name("left"))
        right = self.node(node.child_by_field_name("right"))
        change = self.branches(
            found, lambda s: f"{{ {left} {s} r; }}", f"{{ {left} {self.source(sign)} r; }}"
        )
        return f"{{ let r = {right}; {change} }}"

    def unary_expression(self, node):
        found = self.of("UnaryOperator", node)
        if not found:
            return None
        sign, of = self.source(node.children[0]), self.node(node.children[-1])
        return f"(match {of} {{ v => {self.branches(found, lambda _: 'v', f'{sign}v')} }})"

    def block(self, node):
        """The body of a function may give something else at once."""
        inner = [child for child in node.children if child.type not in ("{", "}", "line_comment")]
        if node.parent is None or node.parent.type != "function_item" or not inner:
            return None
        found = self.of("FnValue", node, inner[0].start_byte)
        values = ((n, self.mutants[n]["replacement"] or "()") for n in found)
        early = "".join(f"\nif {ON} == {n}u32 {{ return {value}; }}\n" for n, value in values)
        return "{" + early + self.parts(node, node.start_byte + 1)


class Workshop:
    """A copy of the repository with the mutants in it."""

    def __init__(self, directory):
        self.copy = directory / "copy"
        self.environment = {**os.environ, "CARGO_TARGET_DIR": str(directory / "target")}
        listed = self.run(["cargo", "mutants", "--list", "--json", "--package", "lmdi"], cwd=ROOT)
        self.mutants = dict(enumerate(json.loads(listed.stdout), 1))
        self.unviable = set()
        self.copy.mkdir(parents=True, exist_ok=True)
        packed = subprocess.run(["git", "archive", "HEAD"], cwd=ROOT, stdout=subprocess.PIPE, check=True)
        subprocess.run(["tar", "x", "-C", str(self.copy)], input=packed.stdout, check=True)
        self.whole = (self.copy / "crates/lmdi/src/lib.rs").read_text()

    def run(self, command, **options):
        return subprocess.run(command, capture_output=True, text=True, env=self.environment, **options)

    def write(self):
        """Writes the mutants that may compile; returns those that have no place."""
        by_file = collections.defaultdict(dict)
        for number, mutant in self.mutants.items():
            if number not in self.unviable:
                by_file[mutant["file"]][number] = mutant
        without = set()
        for path, mutants in by_file.items():
            file = File((ROOT / path).read_bytes(), mutants)
            (self.copy / path).write_text(file.rewritten())
            without |= set(mutants) - file.placed
        (self.copy / "crates/lmdi/src/lib.rs").write_text(self.whole + SWITCH)
        return without

    def build(self):
        """Leaves mutants out until the rest compiles; returns the test programs."""
        while True:
            without = self.write()
            check = ["cargo", "check", "-p", "lmdi", "--lib", "--message-format", "json"]
            found = self.run(check, cwd=self.copy)
            if found.returncode == 0:
                break
            refused = set().union(*map(self.refused, found.stdout.splitlines()))
            if not refused:
                raise SystemExit(found.stdout[-3000:] + found.stderr[-3000:])
            print(f"{len(refused)} mutants do not compile", flush=True)
            self.unviable |= refused
        made = ["cargo", "test", "-p", "lmdi", "--lib", "--test", "it", "--no-run", "--message-format", "json"]
        programs = {}
        for line in self.run(made, cwd=self.copy, check=True).stdout.splitlines():
            message = json.loads(line)
            if message.get("executable"):
                programs["it" if message["target"]["name"] == "it" else "lib"] = message["executable"]
        return programs, without

    def refused(self, line):
        """The mutants that an error of the compiler is about."""
        message = json.loads(line).get("message")
        if not isinstance(message, dict) or message.get("level") != "error":
            return set()
        found = set()
        for span in message["spans"]:
            text = (self.copy / span["file_name"]).read_text().split("\n")
            # The value of a function does not fit its other end: that is the mutant's line above.
            for line in text[max(span["line_start"] - 3, 0) : span["line_start"]][::-1]:
                named = re.match(r"^(?:if crate::mutant::on\(\) == )?(\d+)u32 ", line)
                marked = re.search(r"/\*mutants ([\d ]+)\*/", line)
                if named or marked:
                    found |= set(map(int, named.groups() if named else marked.group(1).split()))
                    break
        return found


def outcome(number, mutant, programs, directory):
    """The test that notices, "timeout" or "missed"."""
    kind = "glm" if "/glm/" in mutant["file"] else "importance"
    environment = {**os.environ, "LMDI_MUTANT": str(number), "RAYON_NUM_THREADS": "1"}
    environment |= {"PROPTEST_DISABLE_FAILURE_PERSISTENCE": "1", "PROPTEST_MAX_SHRINK_ITERS": "0"}
    for program, filters in TESTS[kind]:
        command = ["prlimit", f"--as={BYTES}", "nice", programs[program], *filters, "--test-threads=1"]
        tests = subprocess.Popen(
            command, cwd=directory, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        late = threading.Event()
        timer = threading.Timer(SECONDS, lambda: (late.set(), tests.kill()))
        timer.start()
        failed = next((line for line in tests.stdout if line.rstrip().endswith("FAILED")), None)
        tests.kill()
        tests.wait()
        timer.cancel()
        if late.is_set():
            return "timeout"
        if failed or tests.returncode not in (0, -9):
            return failed.split()[1] if failed else f"ended with {tests.returncode}"
    return "missed"
