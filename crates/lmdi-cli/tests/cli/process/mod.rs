//! The command as a process: memory, signals, standard streams.

mod limits;
mod signals;
