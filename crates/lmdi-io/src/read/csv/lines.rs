//! Line numbers for messages.
//!
//! The parser's own count is off where line ends have two characters or empty lines were skipped, so
//! lines are counted from the text. A file is read once more for that, and only when there is an error
//! to report ([`LineCount::until`]). A stream cannot be read again: [`RecentText`] keeps its last part.

use std::io::{self, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A count of lines that goes on from where it is.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineCount {
    line: u64,
    last: u8,
}

impl Default for LineCount {
    fn default() -> Self {
        Self { line: 1, last: 0 }
    }
}

impl LineCount {
    fn pass(&mut self, byte: u8) {
        self.line += u64::from(byte == b'\r' || (byte == b'\n' && self.last != b'\r'));
        self.last = byte;
    }

    /// The line of the record that begins `skipped` bytes further on, or after line ends there.
    pub(super) fn until(mut self, skipped: u64, text: impl Iterator<Item = u8>) -> u64 {
        let mut before = skipped;
        for byte in text {
            if before == 0 && !matches!(byte, b'\r' | b'\n') {
                break;
            }
            before = before.saturating_sub(1);
            self.pass(byte);
        }
        self.line
    }
}

/// The part of a stream that was read last, shared with whoever reports errors.
#[derive(Debug, Clone, Default)]
pub(super) struct RecentText {
    kept: Arc<Mutex<Kept>>,
}

#[derive(Debug, Default)]
struct Kept {
    /// Where in the stream the kept text begins.
    start: u64,
    count: LineCount,
    text: Vec<u8>,
}

impl RecentText {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets what lies before this byte of the stream.
    pub(super) fn forget_before(&self, byte: u64) {
        let kept = &mut *self.kept();
        let done = (byte.saturating_sub(kept.start) as usize).min(kept.text.len());
        kept.text[..done].iter().for_each(|&byte| kept.count.pass(byte));
        kept.text.drain(..done);
        kept.start += done as u64;
    }

    /// The line of the record that begins at or after this byte, which must not be forgotten.
    pub(super) fn line_at(&self, byte: u64) -> u64 {
        let kept = self.kept();
        kept.count.until(byte.saturating_sub(kept.start), kept.text.iter().copied())
    }
}

/// A reader whose last part is kept.
pub(super) struct Recording<R> {
    pub(super) inner: R,
    pub(super) recent: RecentText,
}

impl<R: Read> Read for Recording<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.recent.kept().text.extend_from_slice(&buffer[..n]);
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_forgotten_still_counts() {
        let text = b"a\r\n\r\nb\nc\rd\n\n\ne";
        let mut whole = Vec::new();
        let recent = RecentText::default();
        let mut reader = Recording { inner: &text[..], recent: recent.clone() };
        reader.read_to_end(&mut whole).expect("in memory");
        for start in 0..text.len() as u64 {
            recent.forget_before(start);
            for at in start..text.len() as u64 {
                let expected = LineCount::default().until(at, text.iter().copied());
                assert_eq!(recent.line_at(at), expected, "{start} {at}");
            }
        }
        assert_eq!(recent.line_at(14), 8);
    }
}
