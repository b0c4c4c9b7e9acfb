//! Signals that end the process: Ctrl-C, `kill`, and a terminal that goes away.
//!
//! The first signal asks running work to end cleanly. Work that does not end within a grace period,
//! and a wait for standard input, are killed. The second signal ends the process at once. Neither
//! leaves a half-written file. A signal that was ignored when the process started, as `nohup` does
//! with the hang-up signal, stays ignored.

use lmdi::monitor::{Monitor, Stages};
use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::Duration;

/// The exit code that the first signal asks for; 0 before it.
static REQUESTED: AtomicU8 = AtomicU8::new(0);
/// Whether the process waits for its input and has nothing to finish.
static WAITING: AtomicBool = AtomicBool::new(false);

/// The exit code of a process that Ctrl-C ended.
pub const INTERRUPTED: u8 = 130;

/// Starts listening. Work that has not ended `grace` after the first signal is killed; without a
/// grace period it may take any time. Without the listener, signals still end the process, but less
/// cleanly.
pub fn install(grace: Option<Duration>) {
    if let Err(error) = listen(move |code| on_signal(code, grace)) {
        let _ = writeln!(
            std::io::stderr(),
            "note: Ctrl-C will end the run at once, and may leave a temporary file ({error})"
        );
    }
}

fn on_signal(code: u8, grace: Option<Duration>) {
    let is_first = REQUESTED.compare_exchange(0, code, Ordering::SeqCst, Ordering::SeqCst).is_ok();
    if !is_first || WAITING.load(Ordering::SeqCst) {
        end(code);
    }
    if let Some(grace) = grace {
        std::thread::spawn(move || {
            std::thread::sleep(grace);
            end(code);
        });
    }
}

/// Ends the process, whatever it is doing.
fn end(code: u8) -> ! {
    crate::atomic::remove_unfinished();
    let _ = writeln!(
        std::io::stderr(),
        "\nerror: interrupted; files that were not finished are as they were before"
    );
    std::process::exit(code.into());
}

#[cfg(unix)]
fn listen(handler: impl Fn(u8) + Send + 'static) -> std::io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let ignored = ignored_signals();
    let heard: Vec<i32> = [SIGINT, SIGTERM, SIGHUP]
        .into_iter()
        .filter(|signal| match ignored {
            Some(ignored) => ignored & (1 << (signal - 1)) == 0,
            // Whether `nohup` started the process is not known: the system's own rule stays.
            None => *signal != SIGHUP,
        })
        .collect();
    let mut signals = signal_hook::iterator::Signals::new(heard)?;
    std::thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            handler(128 + signal as u8);
        }
    })?;
    Ok(())
}

/// The signals that are ignored, one bit each, where the system tells.
#[cfg(unix)]
fn ignored_signals() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(mask.trim(), 16).ok()
}

#[cfg(not(unix))]
fn listen(handler: impl Fn(u8) + Send + 'static) -> Result<(), ctrlc::Error> {
    ctrlc::set_handler(move || handler(INTERRUPTED))
}

/// Whether the user asked to stop.
pub fn requested() -> bool {
    REQUESTED.load(Ordering::SeqCst) != 0
}

/// The exit code of the signal that asked to stop, or that of Ctrl-C.
pub fn exit_code() -> u8 {
    match REQUESTED.load(Ordering::SeqCst) {
        0 => INTERRUPTED,
        code => code,
    }
}

/// Waits for input, which a signal ends at once: there is nothing to finish yet.
pub(crate) fn waiting<T>(wait: impl FnOnce() -> T) -> T {
    WAITING.store(true, Ordering::SeqCst);
    let outcome = wait();
    WAITING.store(false, Ordering::SeqCst);
    outcome
}

/// Stops work on Ctrl-C, and shows no progress.
#[derive(Debug, Clone, Copy, Default)]
pub struct UntilInterrupted;

impl Monitor for UntilInterrupted {
    fn cancelled(&self) -> bool {
        requested()
    }
}

impl Stages for UntilInterrupted {
    fn start(&self, _stage: &'static str, _units: usize) -> Box<dyn Monitor + '_> {
        Box::new(Self)
    }
}
