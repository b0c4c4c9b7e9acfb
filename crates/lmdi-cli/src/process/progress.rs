//! Progress of long work on standard error: a bar with the time left on a terminal, nothing in a
//! pipe.

use super::console;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lmdi::monitor::{Monitor, Stages};
use lmdi_io::interrupt::{self, UntilInterrupted};
use lmdi_io::read::Total;
use std::time::Duration;

/// A bar that goes away when it is dropped.
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Work of `units` steps; the label says what is done.
    pub fn new(label: &str, units: usize) -> Self {
        let bar = ProgressBar::new(units as u64).with_message(label.to_owned());
        Self::styled(bar, "{msg} [{bar:32}] {pos}/{len}, {eta} left")
    }

    /// Work whose end is not known; the number of steps done is shown.
    pub fn endless(label: &str, unit: &str) -> Self {
        let bar = ProgressBar::no_length().with_message(label.to_owned());
        Self::styled(bar, &format!("{{msg}} {{spinner}} {{human_pos}} {unit}"))
    }

    /// Work on a table that is read meanwhile.
    pub fn through(label: &str, total: Option<Total>) -> Self {
        match total {
            Some(Total::Rows(rows)) => Self::new(label, rows as usize),
            Some(Total::Bytes(bytes)) => {
                let bar = ProgressBar::new(bytes).with_message(label.to_owned());
                Self::styled(bar, "{msg} [{bar:32}] {percent} %, {eta} left")
            }
            None => Self::endless(label, "rows"),
        }
    }

    fn styled(bar: ProgressBar, template: &str) -> Self {
        if console::is_quiet() {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Self { bar }
    }
}

impl Monitor for Progress {
    fn advance(&self, units: u64) {
        self.bar.inc(units);
    }

    fn cancelled(&self) -> bool {
        interrupt::requested()
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A bar for every stage of the work.
pub struct Bars;

impl Stages for Bars {
    fn start(&self, stage: &'static str, units: usize) -> Box<dyn Monitor + '_> {
        Box::new(Progress::new(stage, units))
    }
}

/// No bar for any stage, because the work around them has one.
pub struct NoBars;

impl Stages for NoBars {
    fn start(&self, _stage: &'static str, _units: usize) -> Box<dyn Monitor + '_> {
        Box::new(UntilInterrupted)
    }
}

/// Work whose steps another bar shows; it ends when that work is to end.
pub struct Quiet<'m>(pub &'m dyn Monitor);

impl Monitor for Quiet<'_> {
    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}
