//! What the benchmark binaries share: the matrix file, timing, and the process's peak memory.

use lmdi::{Error, Result};
use std::path::Path;
use std::time::Instant;

/// As in the command and the Python package: every tree's fit takes a few megabytes and gives them
/// back; the system's allocator would return them to the system each time, and fetch them again
/// page by page.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A matrix read from a file: rows and columns (u64), then the cells (f64) row by row,
/// little-endian.
pub struct FileMatrix {
    /// The cells, row by row.
    pub cells: Vec<f64>,
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub cols: usize,
}

/// The bytes of a file; the error names it.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).map_err(|error| Error::Data(format!("{}: {error}", path.display())))
}

/// Writes a file; the error names it.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    std::fs::write(path, bytes).map_err(|error| Error::Data(format!("{}: {error}", path.display())))
}

/// Reads a matrix file.
pub fn read_matrix(path: &Path) -> Result<FileMatrix> {
    let bytes = read(path)?;
    let words: Vec<[u8; 8]> = bytes.as_chunks().0.to_vec();
    let shape = words.get(..2).map(|w| (u64::from_le_bytes(w[0]), u64::from_le_bytes(w[1])));
    match shape {
        Some((rows, cols)) if rows.checked_mul(cols) == Some(words.len() as u64 - 2) => {
            Ok(FileMatrix {
                cells: words[2..].iter().map(|&word| f64::from_le_bytes(word)).collect(),
                rows: rows as usize,
                cols: cols as usize,
            })
        }
        _ => Err(Error::Data(format!("{} is no matrix file", path.display()))),
    }
}

/// Writes a matrix file.
pub fn write_matrix(path: &Path, cells: &[f64], rows: usize, cols: usize) -> Result<()> {
    let mut bytes = Vec::with_capacity(16 + 8 * cells.len());
    bytes.extend((rows as u64).to_le_bytes());
    bytes.extend((cols as u64).to_le_bytes());
    bytes.extend(cells.iter().flat_map(|cell| cell.to_le_bytes()));
    write(path, &bytes)
}

/// The result of `work` and how many seconds it took.
pub fn timed<T>(work: impl FnOnce() -> Result<T>) -> Result<(T, f64)> {
    let start = Instant::now();
    let made = work()?;
    Ok((made, start.elapsed().as_secs_f64()))
}

/// The last result of `work` and the least number of seconds that any of `runs` took.
pub fn best_of<T>(runs: usize, mut work: impl FnMut() -> Result<T>) -> Result<(T, f64)> {
    let (mut made, mut best) = timed(&mut work)?;
    for _ in 1..runs {
        // The old result is freed before the clock starts.
        drop(made);
        let taken;
        (made, taken) = timed(&mut work)?;
        best = best.min(taken);
    }
    Ok((made, best))
}

/// As [`best_of`] with as many runs, and more until they have taken `seconds` together: what is
/// short needs many to find an undisturbed one.
pub fn best_within<T>(
    seconds: f64,
    runs: usize,
    mut work: impl FnMut() -> Result<T>,
) -> Result<(T, f64)> {
    let start = Instant::now();
    let (mut made, mut best) = best_of(runs, &mut work)?;
    while start.elapsed().as_secs_f64() < seconds {
        drop(made);
        let taken;
        (made, taken) = timed(&mut work)?;
        best = best.min(taken);
    }
    Ok((made, best))
}

/// Seconds of processor time that all threads of the process have used, in steps of a hundredth;
/// NaN where it cannot be read.
pub fn processor_seconds() -> f64 {
    // Fields 14 and 15, counted after the name of the program, which may hold anything.
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: Vec<f64> = fields.skip(11).take(2).filter_map(|field| field.parse().ok()).collect();
    if ticks.len() == 2 { (ticks[0] + ticks[1]) / 100.0 } else { f64::NAN }
}

/// Seconds that the threads which are alive have spent on a processor, to the nanosecond; NaN where it
/// cannot be read. Unlike the clock on the wall it does not count what other programs take.
pub fn scheduled_seconds() -> f64 {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return f64::NAN };
    let of_thread = |path: std::path::PathBuf| {
        let text = std::fs::read_to_string(path.join("schedstat")).unwrap_or_default();
        text.split_whitespace().next().and_then(|nanoseconds| nanoseconds.parse::<f64>().ok())
    };
    let nanoseconds: f64 = threads.flatten().filter_map(|thread| of_thread(thread.path())).sum();
    nanoseconds * 1e-9
}

/// Forgets the peak so far, so that [`peak_bytes`] is that of what follows. Linux only; elsewhere
/// the peak is that of the whole process.
pub fn reset_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// Most resident memory since the process began or [`reset_peak`]; 0 where it cannot be read.
pub fn peak_bytes() -> u64 {
    status("VmHWM:")
}

/// Resident memory now; 0 where it cannot be read.
pub fn resident_bytes() -> u64 {
    status("VmRSS:")
}

fn status(key: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    text.lines()
        .find_map(|line| line.strip_prefix(key))
        .and_then(|rest| rest.trim().strip_suffix("kB"))
        .and_then(|number| number.trim().parse::<u64>().ok())
        .map_or(0, |kibibytes| kibibytes * 1024)
}
