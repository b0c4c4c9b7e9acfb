//! Long work without the interpreter's lock: on as many threads as asked for, with progress, and
//! stopped by Ctrl-C.
//!
//! The work runs on threads of its own while the calling thread sleeps and now and then looks for
//! signals, which Python delivers to the main thread only. Threads are made for each call: a pool that
//! outlives a call would be dead in a process forked afterwards, and waiting on it would never end.

use crate::boundary::errors::exception;
use lmdi::monitor::Monitor;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// Short work that may use threads: reading, checking and writing models. It runs on threads of its own too,
/// for the pool that all would share otherwise is dead in a forked process.
pub fn apart<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> lmdi::Result<T> + Send,
) -> PyResult<T> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let pool = pool_of(threads)?;
    py.detach(|| pool.install(work)).map_err(exception)
}

fn pool_of(threads: usize) -> PyResult<rayon::ThreadPool> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| PyRuntimeError::new_err(format!("cannot start threads: {error}")))
}

/// How often signals are looked for and progress is shown.
const INTERVAL: Duration = Duration::from_millis(100);

/// `(number of threads, progress)`, where progress is called with the units done so far, or `None`.
#[derive(FromPyObject)]
pub struct Run(usize, Option<Py<PyAny>>);

#[derive(Default)]
struct Watch {
    done: AtomicU64,
    cancelled: AtomicBool,
}

impl Monitor for Watch {
    fn advance(&self, units: u64) {
        self.done.fetch_add(units, Ordering::Relaxed);
    }

    fn cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

impl Run {
    /// Does the work. A signal handler that raises ends it early with what it raised; a panic is a
    /// `RuntimeError`.
    pub fn call<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&dyn Monitor) -> lmdi::Result<T> + Send,
    ) -> PyResult<T> {
        let pool = pool_of(self.0.max(1))?;
        let watch = Watch::default();
        let (outcome, stopped) = py.detach(|| {
            let (sender, receiver) = channel::<()>();
            std::thread::scope(|scope| {
                let watch = &watch;
                let worker = scope.spawn(move || {
                    // Dropped at the end, also of a panic: the channel then tells.
                    let _sender = sender;
                    pool.install(|| work(watch))
                });
                let mut stopped = None;
                while let Err(RecvTimeoutError::Timeout) = receiver.recv_timeout(INTERVAL) {
                    if stopped.is_none()
                        && let Err(error) = Python::attach(|py| self.look(py, watch))
                    {
                        watch.cancelled.store(true, Ordering::Relaxed);
                        stopped = Some(error);
                    }
                }
                (worker.join(), stopped)
            })
        });
        if let Some(error) = stopped {
            return Err(error);
        }
        match outcome {
            Ok(result) => {
                self.look(py, &watch)?;
                result.map_err(exception)
            }
            Err(panic) => {
                let text = panic
                    .downcast_ref::<String>()
                    .map(String::as_str)
                    .or_else(|| panic.downcast_ref::<&str>().copied())
                    .unwrap_or("no message");
                Err(PyRuntimeError::new_err(format!(
                    "lmdi failed where it should not ({text}); please report this with the model and data"
                )))
            }
        }
    }

    /// Lets signal handlers run and shows progress.
    fn look(&self, py: Python<'_>, watch: &Watch) -> PyResult<()> {
        py.check_signals()?;
        if let Some(progress) = &self.1 {
            progress.call1(py, (watch.done.load(Ordering::Relaxed),))?;
        }
        Ok(())
    }
}
