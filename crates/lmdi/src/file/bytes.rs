//! Little-endian numbers, arrays and strings, read from and written to a byte slice.
//!
//! A [`Reader`] compares every length with the bytes that are left before it allocates, so that
//! what is allocated is bounded by the size of the input whatever the lengths claim.

use crate::{Error, Result};

/// Reads a section from its start to its end.
pub(super) struct Reader<'a> {
    /// The section, for messages.
    section: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(section: &'a str, bytes: &'a [u8]) -> Self {
        Self { section, bytes, at: 0 }
    }

    /// An error at the present position.
    pub(super) fn error(&self, what: &str) -> Error {
        Error::Format(format!("section {}, byte {}: {what}", self.section, self.at))
    }

    fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    fn take(&mut self, count: usize, size: usize, what: &str) -> Result<&'a [u8]> {
        match count.checked_mul(size) {
            Some(length) if length <= self.left() => {
                let taken = &self.bytes[self.at..self.at + length];
                self.at += length;
                Ok(taken)
            }
            _ => Err(self
                .error(&format!("{what} needs {count} x {size} bytes; {} are left", self.left()))),
        }
    }

    fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(1, N, what)?);
        Ok(array)
    }

    pub(super) fn u8(&mut self, what: &str) -> Result<u8> {
        Ok(self.array::<1>(what)?[0])
    }

    pub(super) fn u32(&mut self, what: &str) -> Result<u32> {
        Ok(u32::from_le_bytes(self.array(what)?))
    }

    pub(super) fn u64(&mut self, what: &str) -> Result<u64> {
        Ok(u64::from_le_bytes(self.array(what)?))
    }

    pub(super) fn f64(&mut self, what: &str) -> Result<f64> {
        Ok(f64::from_le_bytes(self.array(what)?))
    }

    pub(super) fn digest(&mut self, what: &str) -> Result<[u8; 32]> {
        self.array(what)
    }

    /// A byte that is 0 or 1.
    pub(super) fn flag(&mut self, what: &str) -> Result<bool> {
        match self.u8(what)? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(self.error(&format!("{what} is {other}; expected 0 or 1"))),
        }
    }

    /// How many items follow, each of at least `smallest` bytes: more than fit are refused here,
    /// before a caller makes room for them.
    pub(super) fn count(&mut self, smallest: usize, what: &str) -> Result<usize> {
        let count = self.u32(what)? as usize;
        match count.checked_mul(smallest) {
            Some(length) if length <= self.left() => Ok(count),
            _ => Err(self.error(&format!(
                "{what} is {count}, at least {smallest} bytes each; {} bytes are left",
                self.left()
            ))),
        }
    }

    pub(super) fn u8s(&mut self, count: usize, what: &str) -> Result<&'a [u8]> {
        self.take(count, 1, what)
    }

    pub(super) fn u32s(&mut self, count: usize, what: &str) -> Result<Vec<u32>> {
        let bytes = self.take(count, 4, what)?;
        Ok(bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect())
    }

    pub(super) fn u64s(&mut self, count: usize, what: &str) -> Result<Vec<u64>> {
        let bytes = self.take(count, 8, what)?;
        Ok(bytes.as_chunks().0.iter().map(|&word| u64::from_le_bytes(word)).collect())
    }

    pub(super) fn f64s(&mut self, count: usize, what: &str) -> Result<Vec<f64>> {
        let bytes = self.take(count, 8, what)?;
        Ok(bytes.as_chunks().0.iter().map(|&word| f64::from_le_bytes(word)).collect())
    }

    pub(super) fn string(&mut self, what: &str) -> Result<String> {
        let length = self.u32(what)? as usize;
        let bytes = self.take(length, 1, what)?;
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(text.to_owned()),
            Err(_) => Err(self.error(&format!("{what} is not UTF-8 text"))),
        }
    }

    pub(super) fn strings(&mut self, what: &str) -> Result<Vec<String>> {
        let count = self.count(4, what)?;
        (0..count).map(|_| self.string(what)).collect()
    }

    /// Refuses bytes after the last field.
    pub(super) fn finish(self) -> Result<()> {
        match self.left() {
            0 => Ok(()),
            left => Err(self.error(&format!("{left} bytes follow the last field"))),
        }
    }
}

/// What is done with bytes that are handed over.
type Sink<'s> = dyn FnMut(&[u8]) + 's;

/// Appends to the bytes of a file.
#[derive(Default)]
pub(super) struct Writer<'s> {
    pub(super) bytes: Vec<u8>,
    /// Takes the bytes from time to time, where they need not be kept.
    sink: Option<&'s mut Sink<'s>>,
}

/// Bytes from which on they are handed over.
const HANDED_OVER: usize = 1 << 20;

impl<'s> Writer<'s> {
    /// A writer whose bytes begin with these.
    pub(super) fn starting_with(bytes: Vec<u8>) -> Self {
        Self { bytes, sink: None }
    }

    /// Passes the bytes of `write` to `sink` in pieces.
    pub(super) fn hand_over(
        sink: &'s mut Sink<'s>,
        write: &dyn Fn(&mut Writer<'_>) -> Result<()>,
    ) -> Result<()> {
        let mut writer = Writer { bytes: Vec::new(), sink: Some(sink) };
        write(&mut writer)?;
        writer.hand_over_from(0);
        Ok(())
    }

    fn hand_over_from(&mut self, size: usize) {
        if let Some(sink) = &mut self.sink
            && self.bytes.len() >= size
        {
            sink(&self.bytes);
            self.bytes.clear();
        }
    }

    pub(super) fn u8(&mut self, value: u8) {
        self.bytes.push(value);
    }

    pub(super) fn u32(&mut self, value: u32) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub(super) fn u64(&mut self, value: u64) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub(super) fn f64(&mut self, value: f64) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    /// A number of items, which the format holds in 32 bits.
    pub(super) fn count(&mut self, count: usize, what: &str) -> Result<()> {
        let count = u32::try_from(count).map_err(|_| {
            Error::Format(format!("{what} is {count}; the format holds at most {}", u32::MAX))
        })?;
        self.u32(count);
        Ok(())
    }

    pub(super) fn u8s(&mut self, values: &[u8]) {
        self.bytes.extend_from_slice(values);
        self.hand_over_from(HANDED_OVER);
    }

    pub(super) fn u32s(&mut self, values: &[u32]) {
        self.bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        self.hand_over_from(HANDED_OVER);
    }

    pub(super) fn u64s(&mut self, values: &[u64]) {
        self.bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        self.hand_over_from(HANDED_OVER);
    }

    pub(super) fn f64s(&mut self, values: &[f64]) {
        self.bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        self.hand_over_from(HANDED_OVER);
    }

    pub(super) fn string(&mut self, text: &str, what: &str) -> Result<()> {
        self.count(text.len(), what)?;
        self.u8s(text.as_bytes());
        Ok(())
    }

    pub(super) fn strings(&mut self, texts: &[String], what: &str) -> Result<()> {
        self.count(texts.len(), what)?;
        texts.iter().try_for_each(|text| self.string(text, what))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Handed over piece by piece, in the order written, and all of it.
    #[test]
    fn what_is_handed_over_is_what_is_written() {
        let numbers: Vec<f64> = (0..HANDED_OVER as u32 / 3).map(f64::from).collect();
        let write = |writer: &mut Writer<'_>| {
            writer.string("before", "a text")?;
            writer.f64s(&numbers);
            writer.u32s(&[1, 2, 3]);
            writer.f64s(&numbers[..7]);
            writer.u8(9);
            Ok(())
        };
        let mut whole = Writer::default();
        write(&mut whole).expect("nothing fails");
        let mut pieces: Vec<Vec<u8>> = Vec::new();
        let mut keep = |bytes: &[u8]| pieces.push(bytes.to_vec());
        Writer::hand_over(&mut keep, &write).expect("nothing fails");
        assert!(pieces.len() > 1, "in one piece");
        assert!(pieces.concat() == whole.bytes);
    }
}
