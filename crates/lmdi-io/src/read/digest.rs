//! SHA-256 of a file, taken while it is read.

use super::input::Opened;
use crate::Result;
use sha2::{Digest, Sha256};
use std::io::{self, Read};
use std::sync::{Mutex, PoisonError};

/// The bytes that have passed by so far, and their number.
#[derive(Default)]
pub(super) struct Hasher {
    state: Mutex<(Sha256, u64)>,
}

impl Hasher {
    fn update(&self, bytes: &[u8]) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.0.update(bytes);
        state.1 += bytes.len() as u64;
    }

    /// The digits. A decoder may leave bytes at the end unread; then the input is read once more.
    pub(super) fn finish(self, opened: &Opened) -> Result<String> {
        let (hash, passed) = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        if Some(passed) == opened.length() { Ok(digits(hash)) } else { of(opened) }
    }
}

/// A reader that shows a hasher what it reads.
pub(super) struct Hashing<'h, R> {
    pub(super) inner: R,
    pub(super) hasher: &'h Hasher,
}

impl<R: Read> Read for Hashing<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.hasher.update(&buffer[..n]);
        Ok(n)
    }
}

/// The digits of an input that is not read from start to end.
pub(super) fn of(opened: &Opened) -> Result<String> {
    let hasher = Hasher::default();
    let mut reader = Hashing { inner: opened.reader()?, hasher: &hasher };
    io::copy(&mut reader, &mut io::sink()).map_err(|error| opened.read_error(error))?;
    drop(reader);
    Ok(digits(hasher.state.into_inner().unwrap_or_else(PoisonError::into_inner).0))
}

fn digits(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use crate::read::{Input, ReadOptions, read_table};
    use flate2::Compression;
    use flate2::write::GzEncoder;
    use lmdi::monitor::Silent;
    use sha2::{Digest, Sha256};
    use std::io::Write;

    #[test]
    fn the_hash_is_that_of_all_bytes() {
        let text: String = (0..50_000).fold("a,b\n".into(), |text, row| {
            // Column b turns out to be text late, so that it is read once more.
            let b = if row == 49_000 { "x".into() } else { row.to_string() };
            text + &format!("{row},{b}\n")
        });
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(text.as_bytes()).expect("in memory");
        for bytes in [text.clone().into_bytes(), packed.finish().expect("in memory")] {
            let expected: String =
                Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
            let options = ReadOptions { sha256: true, ..ReadOptions::default() };
            let table = read_table(&Input::bytes("t", bytes), &options, &Silent).expect("a table");
            assert_eq!(table.sha256, Some(expected));
        }
        let plain = Input::bytes("t", text.into_bytes());
        let table = read_table(&plain, &ReadOptions::default(), &Silent).expect("a table");
        assert_eq!(table.sha256, None);
    }
}
