//! A fingerprint that identifies training data.
//!
//! SHA-256 over the cells, the responses and the weights, all as little-endian bytes:
//!
//! ```text
//! rows (u64), columns (u64), the cells column by column (f64)
//! 0 (u8), the responses (f64)              numbers
//! 1 (u8), classes (u64), the codes (u32)   classes
//! 0 (u8) or 1 (u8), the weights (f64)      without or with weights
//! ```
//!
//! Every missing cell counts as the same NaN and -0 as 0, so that equal tables have equal
//! fingerprints however they were read. Cost: one pass over the data.

use super::{MatrixView, Response};
use sha2::{Digest, Sha256};
use std::fmt;

/// The SHA-256 fingerprint of a training matrix with its responses and weights.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint(pub [u8; 32]);

impl Fingerprint {
    /// The fingerprint of encoded training data.
    ///
    /// ```
    /// use lmdi::table::{Fingerprint, MatrixView, Response};
    /// # fn main() -> lmdi::Result<()> {
    /// let cells = MatrixView::from_rows(&[1.0, 2.0, 3.0, 4.0], 2, 2)?;
    /// let first = Fingerprint::of(&cells, &Response::Numeric(&[0.5, 1.5]), None);
    /// let second = Fingerprint::of(&cells, &Response::Numeric(&[0.5, 2.5]), None);
    /// assert_ne!(first, second);
    /// # Ok(())
    /// # }
    /// ```
    pub fn of(cells: &MatrixView<'_>, response: &Response<'_>, weights: Option<&[f64]>) -> Self {
        let mut hasher = Sha256::new();
        hasher.update((cells.rows() as u64).to_le_bytes());
        hasher.update((cells.cols() as u64).to_le_bytes());
        let mut column = Vec::with_capacity(cells.rows());
        for col in 0..cells.cols() {
            cells.column_into(col, &mut column);
            hash_numbers(&mut hasher, &column);
        }
        match response {
            Response::Numeric(values) => {
                hasher.update([0]);
                hash_numbers(&mut hasher, values);
            }
            Response::Classes { codes, n_classes } => {
                hasher.update([1]);
                hasher.update((*n_classes as u64).to_le_bytes());
                for code in *codes {
                    hasher.update(code.to_le_bytes());
                }
            }
        }
        hasher.update([u8::from(weights.is_some())]);
        hash_numbers(&mut hasher, weights.unwrap_or_default());
        Self(hasher.finalize().into())
    }

    /// Reads the 64 hexadecimal digits that [`Fingerprint`] displays as.
    pub fn from_hex(digits: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        if digits.len() != 64 || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        for (index, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&digits[2 * index..2 * index + 2], 16).ok()?;
        }
        Some(Self(bytes))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprint({self})")
    }
}

fn hash_numbers(hasher: &mut Sha256, numbers: &[f64]) {
    // A block at a time: a call a number would cost more than the hashing.
    let mut bytes = [0; 8 * 512];
    for block in numbers.chunks(512) {
        for (slot, &x) in bytes.chunks_exact_mut(8).zip(block) {
            let x = if x.is_nan() { f64::NAN.to_bits() } else { (x + 0.0).to_bits() };
            slot.copy_from_slice(&x.to_le_bytes());
        }
        hasher.update(&bytes[..8 * block.len()]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Matrix;
    use super::*;

    #[test]
    fn the_mark_is_that_of_the_documented_bytes() {
        // Expected: Python's hashlib.sha256 over the bytes of the module header, packed with
        // struct.
        let cells = MatrixView::from_rows(&[1.5], 1, 1).expect("one cell");
        let mark = Fingerprint::of(&cells, &Response::Numeric(&[2.0]), None);
        assert_eq!(
            mark.to_string(),
            "f163b22dcdea5c5c1a9e6f4938eef661ed49b06770b4bb2efd40f6b97a4d5089"
        );
        let classes = Response::Classes { codes: &[1], n_classes: 3 };
        let mark = Fingerprint::of(&cells, &classes, Some(&[0.25]));
        assert_eq!(
            mark.to_string(),
            "248974ea4a0e321cf3f396c70622d7876ed4c9771eb9b58ecb4dc9ac744085d0"
        );
        assert_eq!(Fingerprint::from_hex(&mark.to_string()), Some(mark));
        assert_eq!(Fingerprint::from_hex("+f"), None);
    }

    #[test]
    fn layout_and_kinds_of_missing_do_not_matter() {
        let columns = Matrix::from_column_major(vec![0.0, f64::NAN, 3.0, 4.0], 2, 2).expect("2x2");
        let other_nan = f64::from_bits(0xFFF8_0000_0000_0001);
        let cells = [-0.0, 3.0, other_nan, 4.0];
        let rows = MatrixView::from_rows(&cells, 2, 2).expect("2x2");
        let response = Response::Numeric(&[1.0, 2.0]);
        assert_eq!(
            Fingerprint::of(&columns.view(), &response, None),
            Fingerprint::of(&rows, &response, None)
        );
        let long: Vec<f64> = (0..1300).map(f64::from).collect();
        let tall = MatrixView::from_rows(&long, 1300, 1).expect("1300x1");
        let mut changed = long.clone();
        changed[1299] = 0.5;
        let other = MatrixView::from_rows(&changed, 1300, 1).expect("1300x1");
        let response = Response::Numeric(&long);
        assert_ne!(
            Fingerprint::of(&tall, &response, None),
            Fingerprint::of(&other, &response, None)
        );
    }
}
