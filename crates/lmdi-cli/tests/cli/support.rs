//! What the tests of the command share: a directory of their own and the command run in it.

use assert_cmd::Command;
use lmdi::monitor::Silent;
use lmdi::table::{Frame, Values};
use lmdi_io::read::{Input, ReadOptions, read_table};
use std::path::PathBuf;
#[cfg(unix)]
use std::process::Child;
use tempfile::TempDir;

/// A fresh directory that goes away with the test.
pub struct Place {
    pub directory: TempDir,
}

/// What a run left behind.
pub struct Run {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Place {
    pub fn new() -> Self {
        Self { directory: tempfile::tempdir().expect("a directory") }
    }

    /// Writes a file and returns its name.
    pub fn file(&self, name: &'static str, content: impl AsRef<[u8]>) -> &'static str {
        std::fs::write(self.directory.path().join(name), content).expect("written");
        name
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("a text file")
    }

    /// Names of all files, hidden ones too.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.directory.path()).expect("a directory");
        let mut names: Vec<String> = entries
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// Runs the command here.
    pub fn run(&self, arguments: &[&str]) -> Run {
        self.run_with(arguments, "")
    }

    /// Starts the command here, presses Ctrl-C when it has been at work for a while, and gives its
    /// exit code. The work must be far longer than any machine takes for it.
    #[cfg(unix)]
    pub fn run_interrupted(&self, arguments: &[&str]) -> i32 {
        use std::process::{Command, Stdio};
        let start = || {
            Command::new(assert_cmd::cargo::cargo_bin("lmdi"))
                .current_dir(self.directory.path())
                .args(arguments)
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("started")
        };
        ended_by("-INT", start)
    }

    /// Runs the command here with this on standard input.
    pub fn run_with(&self, arguments: &[&str], stdin: impl Into<Vec<u8>>) -> Run {
        self.run_under(&[], arguments, stdin)
    }

    /// Runs the command here with these variables in its environment, and this on standard input.
    pub fn run_under(
        &self,
        variables: &[(&str, PathBuf)],
        arguments: &[&str],
        stdin: impl Into<Vec<u8>>,
    ) -> Run {
        let output = Command::cargo_bin("lmdi")
            .expect("the command is built")
            .current_dir(self.directory.path())
            .envs(variables.iter().map(|(name, value)| (name, value)))
            .args(arguments)
            .write_stdin(stdin)
            .output()
            .expect("the command ran");
        Run {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).expect("UTF-8"),
            err: String::from_utf8(output.stderr).expect("UTF-8"),
        }
    }
}

impl Run {
    /// Asserts success and returns standard output.
    #[track_caller]
    pub fn good(self) -> String {
        assert_eq!(self.code, 0, "{}\n{}", self.out, self.err);
        self.out
    }

    /// Asserts a failure with this code whose message holds all the parts, and no panic.
    #[track_caller]
    pub fn fails(self, code: i32, parts: &[&str]) {
        assert_eq!(self.code, code, "{}\n{}", self.out, self.err);
        for part in parts {
            assert!(self.err.contains(part), "{part:?} is not in {}", self.err);
        }
        assert!(!self.err.contains("panicked"), "{}", self.err);
    }
}

/// Starts a command, sends it a signal when it has been there for a while, and gives its exit code.
/// One that did not even listen yet ends without a code: it is started again and given more time.
#[cfg(unix)]
pub fn ended_by(signal: &str, start: impl Fn() -> Child) -> i32 {
    let mut patience = std::time::Duration::from_millis(800);
    loop {
        let mut child = start();
        // Kept open: its end would end a wait for standard input too.
        let _stdin = child.stdin.take();
        std::thread::sleep(patience);
        send(&child, signal);
        if let Some(code) = child.wait().expect("ended").code() {
            return code;
        }
        patience *= 2;
    }
}

/// Sends a signal.
#[cfg(unix)]
pub fn send(child: &Child, signal: &str) {
    let sent = std::process::Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(sent.expect("kill ran").success());
}

/// The path of an example table.
pub fn example(name: &str) -> String {
    shared(&format!("examples/{name}"))
}

/// A path from the root of the repository.
pub fn shared(path: &str) -> String {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "../..", path].iter().collect();
    path.to_str().expect("UTF-8").to_owned()
}

/// Reads a table.
pub fn table(place: &Place, name: &str) -> Frame {
    let input = Input::from_argument(&place.path(name));
    read_table(&input, &ReadOptions::default(), &Silent).expect("a table").frame
}

/// A column of numbers.
pub fn numbers<'f>(frame: &'f Frame, name: &str) -> &'f [f64] {
    match &frame.column(name).unwrap_or_else(|| panic!("no column {name}")).values {
        Values::Numbers(cells) => cells,
        Values::Labels(_) => panic!("{name} is text"),
    }
}

/// Base plus all columns whose name starts with `score:` and the prefix, row by row.
pub fn totals(frame: &Frame, prefix: &str) -> Vec<f64> {
    let base = if prefix.is_empty() {
        "base".into()
    } else {
        format!("base:{}", prefix.trim_end_matches(':'))
    };
    let mut totals = numbers(frame, &base).to_vec();
    let start = format!("score:{prefix}");
    for column in frame.columns().iter().filter(|column| column.name.starts_with(&start)) {
        for (total, score) in totals.iter_mut().zip(numbers(frame, &column.name)) {
            *total += score;
        }
    }
    totals
}

/// Sums of a few dozen rounded numbers agree to far less than this.
pub const CLOSE: f64 = 1e-9;

#[track_caller]
pub fn assert_close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (row, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= CLOSE * (1.0 + b.abs()), "row {row}: {a} is not {b}");
    }
}
