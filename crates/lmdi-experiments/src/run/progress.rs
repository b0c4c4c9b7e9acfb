//! Progress of a run on standard error: a bar with the time left on a terminal, a line now and then
//! in a pipe.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::{IsTerminal, stderr};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Seconds between two lines in a pipe.
const PAUSE: Duration = Duration::from_secs(60);

/// A bar that goes away when it is dropped.
pub struct Progress {
    bar: ProgressBar,
    /// When the last line was written, in a pipe.
    last_line: Option<Mutex<Instant>>,
}

impl Progress {
    /// Work of `units`, of which `done` are done already.
    pub fn new(label: &str, units: usize, done: usize) -> Self {
        let bar = ProgressBar::new(units as u64).with_message(label.to_owned());
        let template = "{msg} [{bar:32}] {pos}/{len}, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_position(done as u64);
        // The time left is judged by this run alone.
        bar.reset_eta();
        let last_line = if stderr().is_terminal() {
            bar.enable_steady_tick(Duration::from_millis(200));
            None
        } else {
            Some(Mutex::new(Instant::now()))
        };
        Self { bar, last_line }
    }

    /// One more unit is done.
    pub fn advance(&self) {
        self.bar.inc(1);
        let Some(last_line) = &self.last_line else { return };
        let Ok(mut last_line) = last_line.lock() else { return };
        if last_line.elapsed() >= PAUSE {
            *last_line = Instant::now();
            let (done, all) = (self.bar.position(), self.bar.length().unwrap_or(0));
            let left = self.bar.eta().as_secs().div_ceil(60);
            eprintln!("{}: {done} of {all}, about {left} minutes left", self.bar.message());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
