//! Whether two paths lead to the same file.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Whether two paths lead to the same file: through symbolic links, other spellings or hard links.
/// A file that does not exist yet is identified by its directory. Devices, such as `/dev/null`, do
/// not count as files.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    if is_device(a) || is_device(b) {
        return false;
    }
    match (resolved(a), resolved(b)) {
        (Ok(a), Ok(b)) if a == b => true,
        _ => has_same_number(a, b),
    }
}

fn resolved(path: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let directory = match path.parent() {
                Some(directory) if !directory.as_os_str().is_empty() => directory,
                _ => Path::new("."),
            };
            Ok(fs::canonicalize(directory)?.join(path.file_name().unwrap_or_default()))
        }
        other => other,
    }
}

#[cfg(unix)]
fn is_device(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    fs::metadata(path).is_ok_and(|metadata| metadata.file_type().is_char_device())
}

#[cfg(not(unix))]
fn is_device(_path: &Path) -> bool {
    false
}

#[cfg(unix)]
fn has_same_number(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let number = |path| fs::metadata(path).map(|metadata| (metadata.dev(), metadata.ino()));
    matches!((number(a), number(b)), (Ok(a), Ok(b)) if a == b)
}

#[cfg(not(unix))]
fn has_same_number(_a: &Path, _b: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn other_spellings_are_seen_through() {
        let directory = tempfile::tempdir().unwrap();
        let [a, b] = ["a", "b"].map(|name| directory.path().join(name));
        assert!(is_same_file(&a, &directory.path().join(".").join("a")), "neither is there");
        assert!(!is_same_file(&a, &b));
        fs::write(&a, b"").unwrap();
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&a, &b).unwrap();
            assert!(is_same_file(&a, &b));
            fs::hard_link(&a, directory.path().join("c")).unwrap();
            assert!(is_same_file(&b, &directory.path().join("c")));
            assert!(!is_same_file(Path::new("/dev/null"), Path::new("/dev/null")));
        }
    }
}
