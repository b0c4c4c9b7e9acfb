//! Writing a file all at once or not at all.
//!
//! The bytes go to a temporary file in the target's own directory, which is flushed to the disk and
//! then renamed over the target. A reader therefore sees the old file or the new one, never a part,
//! and a failed run leaves nothing behind. An existing target keeps its permissions; a new one gets
//! what the process' umask allows. A symbolic link to a file is followed, so that the file is
//! replaced and not the link. A target that is not a regular file (a pipe, a terminal, `/dev/null`)
//! cannot be renamed over and is written to directly.
//!
//! A process that is killed leaves its temporary file behind. Temporary files are locked while they
//! are written, so that the next write to the same target can recognise and remove abandoned ones.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
#[cfg(unix)]
use std::time::Duration;
use tempfile::NamedTempFile;

/// A file being written, which appears under its name only at [`AtomicFile::commit`].
///
/// Dropped without a commit, it leaves the target as it was. Writes are not buffered: wrap it in a
/// [`std::io::BufWriter`] for many small ones.
///
/// ```
/// use std::io::Write;
/// # fn main() -> std::io::Result<()> {
/// let directory = tempfile::tempdir()?;
/// let path = directory.path().join("scores.csv");
/// let mut file = lmdi_io::atomic::AtomicFile::create(&path)?;
/// file.write_all(b"row,score\n")?;
/// assert!(!path.exists());
/// file.commit()?;
/// assert_eq!(std::fs::read(&path)?, b"row,score\n");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct AtomicFile {
    /// The name the user gave, for messages.
    name: PathBuf,
    sink: Sink,
}

#[derive(Debug)]
enum Sink {
    Renamed {
        temporary: NamedTempFile,
        /// The file to replace, symbolic links resolved.
        target: PathBuf,
        /// Goes after the temporary file, when that is renamed or removed.
        _unfinished: Unfinished,
    },
    Direct(File),
}

impl AtomicFile {
    /// Starts a file that will be called `path`. The directory must exist.
    pub fn create(path: &Path) -> io::Result<Self> {
        let sink = Sink::open(path).map_err(|error| naming(path, &error))?;
        Ok(Self { name: path.to_owned(), sink })
    }

    /// Moves the finished file to its place.
    pub fn commit(self) -> io::Result<()> {
        self.sink.commit().map_err(|error| naming(&self.name, &error))
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sink.file().write(bytes).map_err(|error| naming(&self.name, &error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.file().flush().map_err(|error| naming(&self.name, &error))
    }
}

/// Writes `bytes` as the whole content of the file `path`, or leaves it as it was.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes)?;
    file.commit()
}

impl Sink {
    fn open(path: &Path) -> io::Result<Self> {
        if path.file_name().is_none() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the path names no file"));
        }
        let existing = match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => {
                return Err(io::Error::new(io::ErrorKind::IsADirectory, "this is a directory"));
            }
            #[cfg(unix)]
            Ok(metadata) if is_named_pipe(&metadata) => {
                return Ok(Sink::Direct(named_pipe::open(path)?));
            }
            Ok(metadata) if !metadata.is_file() => {
                return Ok(Sink::Direct(OpenOptions::new().write(true).open(path)?));
            }
            Ok(metadata) => Some(metadata),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if existing.as_ref().is_some_and(|metadata| metadata.permissions().readonly()) {
            // Renaming would succeed, but the owner has said that the file is not to be changed.
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"));
        }
        let target = if existing.is_some() { fs::canonicalize(path)? } else { path.to_owned() };
        #[cfg(unix)]
        remove_abandoned(&target);
        // The error names the temporary file, which nobody asked for.
        let temporary = temporary_beside(&target, existing.as_ref()).map_err(|error| {
            let kind = error.kind();
            match kind {
                io::ErrorKind::NotFound => {
                    io::Error::new(kind, "its directory does not exist; create it first")
                }
                io::ErrorKind::PermissionDenied => {
                    io::Error::new(kind, "there is no permission to write into its directory")
                }
                _ => error,
            }
        })?;
        let unfinished = Unfinished::new(temporary.path());
        Ok(Sink::Renamed { temporary, target, _unfinished: unfinished })
    }

    fn file(&mut self) -> &mut File {
        match self {
            Sink::Renamed { temporary, .. } => temporary.as_file_mut(),
            Sink::Direct(file) => file,
        }
    }

    fn commit(self) -> io::Result<()> {
        match self {
            Sink::Renamed { temporary, target, _unfinished } => {
                temporary.as_file().sync_all()?;
                temporary.persist(&target).map_err(|failure| failure.error)?;
                sync_directory(directory_of(&target));
                Ok(())
            }
            Sink::Direct(mut file) => file.flush(),
        }
    }
}

/// Temporary files that are being written.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the temporary files of all writes under way. For a process that is about to exit:
/// unfinished writes fail when they end.
pub fn remove_unfinished() {
    for path in unfinished().drain(..) {
        // One that is renamed or removed already is none.
        let _ = fs::remove_file(path);
    }
}

/// The mark of a temporary file that is being written.
#[derive(Debug)]
struct Unfinished(PathBuf);

impl Unfinished {
    fn new(path: &Path) -> Self {
        unfinished().push(path.to_owned());
        Self(path.to_owned())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        unfinished().retain(|path| *path != self.0);
    }
}

fn directory_of(target: &Path) -> &Path {
    match target.parent() {
        Some(directory) if !directory.as_os_str().is_empty() => directory,
        _ => Path::new("."),
    }
}

/// How the names of temporary files end.
const SUFFIX: &str = ".tmp";
/// Random characters before that.
const RANDOM: usize = 10;

/// How the names of the temporary files of a target start.
fn temporary_prefix(target: &Path) -> OsString {
    let mut prefix = OsString::from(".");
    prefix.push(target.file_name().unwrap_or_default());
    prefix.push(".");
    // Room for the random part: most file systems end names at 255 bytes.
    if prefix.len() > 200 { OsString::from(".lmdi.") } else { prefix }
}

/// Removes temporary files of this target whose writers are gone: nobody holds their lock.
#[cfg(unix)]
fn remove_abandoned(target: &Path) {
    let prefix = temporary_prefix(target);
    let Ok(entries) = fs::read_dir(directory_of(target)) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let (name, prefix) = (name.as_encoded_bytes(), prefix.as_encoded_bytes());
        let is_ours = name.len() == prefix.len() + RANDOM + SUFFIX.len()
            && name.starts_with(prefix)
            && name.ends_with(SUFFIX.as_bytes());
        if !is_ours || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        let Ok(file) = File::open(entry.path()) else { continue };
        if file.try_lock().is_ok() && !is_new(&file) {
            // One that another process removes first is gone all the same.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Whether a file may have been made just now by a process that is about to lock it.
#[cfg(unix)]
fn is_new(file: &File) -> bool {
    let Ok(metadata) = file.metadata() else { return true };
    let age = metadata.modified().ok().and_then(|time| time.elapsed().ok());
    metadata.len() == 0 && age.is_none_or(|age| age < Duration::from_secs(5))
}

#[cfg(unix)]
fn is_named_pipe(metadata: &Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt;
    metadata.file_type().is_fifo()
}

/// Named pipes. Opening one for writing waits until another process reads from it, for ever if none
/// does; here the wait has an end. A pipe that was opened once, to see whether it can be written,
/// stays open for the write that follows: closed in between, its reader would take it for the end.
#[cfg(unix)]
mod named_pipe {
    use super::{File, Mutex, Path, PathBuf, PoisonError, io};
    use rustix::fs::{Mode, OFlags, fcntl_setfl, open as open_file};
    use std::time::{Duration, Instant};

    const PATIENCE: Duration = Duration::from_secs(10);
    static KEPT: Mutex<Vec<(PathBuf, File)>> = Mutex::new(Vec::new());

    pub(super) fn open(path: &Path) -> io::Result<File> {
        let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, file)) = kept.iter().find(|(known, _)| known == path) {
            return file.try_clone();
        }
        let started = Instant::now();
        let file = loop {
            let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
            match open_file(path, flags, Mode::empty()) {
                Ok(file) => break File::from(file),
                Err(rustix::io::Errno::NXIO) if started.elapsed() < PATIENCE => {
                    if crate::stop_requested() {
                        return Err(io::Error::other("interrupted"));
                    }
                    std::thread::sleep(Duration::from_millis(20));
                }
                Err(rustix::io::Errno::NXIO) => {
                    return Err(io::Error::new(
                        io::ErrorKind::NotConnected,
                        "no process reads from this pipe; start the reader first",
                    ));
                }
                Err(error) => return Err(error.into()),
            }
        };
        fcntl_setfl(&file, OFlags::empty())?;
        kept.push((path.to_owned(), file.try_clone()?));
        Ok(file)
    }

    #[cfg(test)]
    pub(super) fn close(path: &Path) {
        KEPT.lock().unwrap_or_else(PoisonError::into_inner).retain(|(known, _)| known != path);
    }
}

/// A hidden file beside `target`, with the permissions of the file it will replace.
fn temporary_beside(target: &Path, existing: Option<&Metadata>) -> io::Result<NamedTempFile> {
    let prefix = temporary_prefix(target);
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(SUFFIX).rand_bytes(RANDOM);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As for any file a program creates; the umask takes away what the user does not want.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let temporary = builder.tempfile_in(directory_of(target))?;
    // Where files cannot be locked, nothing that is left behind is ever taken for abandoned.
    #[cfg(unix)]
    let _ = temporary.as_file().try_lock();
    if let Some(existing) = existing {
        temporary.as_file().set_permissions(existing.permissions())?;
    }
    Ok(temporary)
}

/// Makes the rename itself last through a power failure, where directories can be flushed. Where
/// they cannot (Windows, a directory without read permission) the file is in place all the same.
fn sync_directory(directory: &Path) {
    if let Ok(directory) = File::open(directory) {
        let _ = directory.sync_all();
    }
}

fn naming(path: &Path, error: &io::Error) -> io::Error {
    // Debug formatting escapes control characters in the name.
    io::Error::new(error.kind(), format!("cannot write {path:?}: {error}"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn names_in(directory: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn replaces_the_whole_content() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("model.lmdi");
        write(&path, b"a long first version").unwrap();
        write(&path, b"short").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"short");
        assert_eq!(names_in(directory.path()), ["model.lmdi"]);
    }

    #[test]
    fn nothing_is_left_of_an_abandoned_file() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("model.lmdi");
        write(&path, b"old").unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"half of the new").unwrap();
        assert_eq!(names_in(directory.path()).len(), 2);
        drop(file);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names_in(directory.path()), ["model.lmdi"]);
    }

    #[test]
    fn errors_name_the_path() {
        let directory = tempfile::tempdir().unwrap();
        let missing = directory.path().join("no\x1bsuch").join("model.lmdi");
        let error = write(&missing, b"x").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        assert!(error.to_string().contains(r"no\u{1b}such"), "{error}");
        assert!(error.to_string().ends_with("its directory does not exist; create it first"));

        let error = write(directory.path(), b"x").unwrap_err();
        assert!(error.to_string().contains("this is a directory"), "{error}");
        let error = write(Path::new(""), b"x").unwrap_err();
        assert!(error.to_string().contains("names no file"), "{error}");
    }

    #[test]
    fn a_very_long_name_works() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("n".repeat(250));
        write(&path, b"x").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"x");
    }

    #[test]
    fn a_read_only_file_is_left_alone() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("kept");
        write(&path, b"old").unwrap();
        let mut permissions = fs::metadata(&path).unwrap().permissions();
        permissions.set_readonly(true);
        fs::set_permissions(&path, permissions).unwrap();
        let error = write(&path, b"new").unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }

    #[cfg(unix)]
    #[test]
    fn permissions_and_links_are_kept() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("model.lmdi");
        write(&path, b"old").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        // As any other new file of this process.
        let plain = directory.path().join("plain");
        fs::write(&plain, b"").unwrap();
        assert_eq!(mode(&path), mode(&plain));

        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let link = directory.path().join("link");
        symlink("model.lmdi", &link).unwrap();
        write(&link, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().file_type().is_symlink());
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(mode(&path), 0o640);
    }

    #[cfg(unix)]
    #[test]
    fn what_a_killed_process_left_is_removed_and_what_is_being_written_is_not() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("scores.csv");
        fs::write(directory.path().join(".scores.csv.0123456789.tmp"), b"half").unwrap();
        fs::write(directory.path().join(".other.csv.0123456789.tmp"), b"another target").unwrap();
        let under_way = AtomicFile::create(&path).unwrap();
        write(&path, b"whole").unwrap();
        under_way.commit().unwrap();
        assert_eq!(names_in(directory.path()), [".other.csv.0123456789.tmp", "scores.csv"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_named_pipe_is_written_to_once_it_is_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("p.csv");
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::from(0o600)).unwrap();
        let reading = {
            let path = path.clone();
            std::thread::spawn(move || fs::read(path).unwrap())
        };
        drop(AtomicFile::create(&path).unwrap());
        write(&path, b"whole").unwrap();
        // What was kept open goes with the process.
        named_pipe::close(&path);
        assert_eq!(reading.join().unwrap(), b"whole");
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_written_to_and_not_replaced() {
        use std::os::unix::fs::FileTypeExt;
        write(Path::new("/dev/null"), b"gone").unwrap();
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
    }
}
