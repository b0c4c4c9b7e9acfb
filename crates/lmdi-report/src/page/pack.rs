//! Arrays of numbers as compact text.
//!
//! Numbers are kept exactly, in the smallest type that holds them all. All first bytes come first,
//! then all second bytes, and so on: neighbouring numbers share their high bytes, which then
//! compress well. The bytes are deflated and written in base64. A browser decodes them with its
//! built-in functions.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use serde::Serialize;
use std::io::Write;

/// An array of numbers.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Packed {
    /// Their type: `u8`, `u16`, `i16`, `i32`, `u32`, `f32` or `f64`.
    #[serde(rename = "type")]
    #[cfg_attr(test, ts(type = r#""u8" | "u16" | "u32" | "i16" | "i32" | "f32" | "f64""#))]
    pub kind: &'static str,
    /// Their bytes: raw deflate, in base64.
    pub data: String,
}

/// The type of an array's numbers, the smallest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    U8,
    U16,
    I16,
    I32,
    U32,
    F32,
    F64,
}

impl Kind {
    /// The smallest type that holds all numbers exactly; missing ones are NaN, in a floating-point
    /// type.
    pub fn of(numbers: &[f64]) -> Self {
        let whole = |low: f64, high: f64| {
            let fits = |x: &f64| {
                // An integer type has no minus zero.
                *x >= low && *x <= high && x.fract() == 0.0 && (*x != 0.0 || x.is_sign_positive())
            };
            numbers.iter().all(fits)
        };
        if whole(0.0, 255.0) {
            Self::U8
        } else if whole(0.0, 65535.0) {
            Self::U16
        } else if whole(-32768.0, 32767.0) {
            Self::I16
        } else if whole(f64::from(i32::MIN), f64::from(i32::MAX)) {
            Self::I32
        } else if whole(0.0, f64::from(u32::MAX)) {
            Self::U32
        } else if numbers.iter().all(|&x| x.is_nan() || f64::from(x as f32) == x) {
            Self::F32
        } else {
            Self::F64
        }
    }
}

impl Packed {
    /// Numbers in the smallest type that holds them all exactly.
    pub fn numbers(numbers: &[f64]) -> Self {
        Self::of_kind(Kind::of(numbers), numbers)
    }

    /// Numbers to about seven digits.
    pub fn rounded(numbers: &[f64]) -> Self {
        Self::of_kind(Kind::F32, numbers)
    }

    /// Numbers in a type that holds them.
    pub(super) fn of_kind(kind: Kind, numbers: &[f64]) -> Self {
        let numbers = numbers.iter().copied();
        match kind {
            Kind::U8 => Self::of("u8", numbers.map(|x| [x as u8])),
            Kind::U16 => Self::of("u16", numbers.map(|x| (x as u16).to_le_bytes())),
            Kind::I16 => Self::of("i16", numbers.map(|x| (x as i16).to_le_bytes())),
            Kind::I32 => Self::of("i32", numbers.map(|x| (x as i32).to_le_bytes())),
            Kind::U32 => Self::of("u32", numbers.map(|x| (x as u32).to_le_bytes())),
            Kind::F32 => Self::of("f32", numbers.map(|x| (plain_nan(x) as f32).to_le_bytes())),
            Kind::F64 => Self::of("f64", numbers.map(|x| plain_nan(x).to_le_bytes())),
        }
    }

    fn of<const W: usize>(kind: &'static str, numbers: impl Iterator<Item = [u8; W]>) -> Self {
        let mut planes = vec![Vec::new(); W];
        for bytes in numbers {
            for (plane, byte) in planes.iter_mut().zip(bytes) {
                plane.push(byte);
            }
        }
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(6));
        let written = planes.iter().try_for_each(|plane| encoder.write_all(plane));
        let bytes = written.and_then(|()| encoder.finish()).expect("memory takes every write");
        Self { kind, data: STANDARD.encode(bytes) }
    }
}

/// Gives all missing numbers the same bits.
fn plain_nan(x: f64) -> f64 {
    if x.is_nan() { f64::NAN } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    /// The numbers, unpacked by the rules above.
    fn unpacked(packed: &Packed) -> Vec<f64> {
        let bytes = STANDARD.decode(&packed.data).expect("base64");
        let mut planes = Vec::new();
        flate2::read::DeflateDecoder::new(&*bytes).read_to_end(&mut planes).expect("deflate");
        let width = packed.kind[1..].parse::<usize>().expect("bits") / 8;
        let n = planes.len() / width;
        let cell = |at: usize| (0..width).map(|byte| planes[byte * n + at]).collect::<Vec<u8>>();
        let array = |cell: Vec<u8>| -> [u8; 8] {
            let mut all = [0; 8];
            all[..width].copy_from_slice(&cell);
            all
        };
        (0..n)
            .map(|at| {
                let bytes = array(cell(at));
                let low = u64::from_le_bytes(bytes);
                match packed.kind {
                    "f64" => f64::from_le_bytes(bytes),
                    "f32" => f64::from(f32::from_bits(low as u32)),
                    "i16" => f64::from(low as u16 as i16),
                    "i32" => f64::from(low as u32 as i32),
                    _ => low as f64,
                }
            })
            .collect()
    }

    #[test]
    fn the_smallest_type_that_is_exact_is_used() {
        let cases: [(&[f64], &str); 9] = [
            (&[], "u8"),
            (&[0.0, 255.0], "u8"),
            (&[0.0, 256.0], "u16"),
            (&[-1.0, 256.0], "i16"),
            (&[-1.0, 65536.0], "i32"),
            (&[4e9], "u32"),
            (&[0.5, -0.0, f64::NAN], "f32"),
            (&[0.1, f64::INFINITY], "f64"),
            (&[1e300, f64::NAN], "f64"),
        ];
        for (numbers, kind) in cases {
            let packed = Packed::numbers(numbers);
            assert_eq!(packed.kind, kind, "{numbers:?}");
            let back: Vec<u64> = unpacked(&packed).iter().map(|x| x.to_bits()).collect();
            let bits: Vec<u64> = numbers.iter().map(|x| x.to_bits()).collect();
            assert_eq!(back, bits, "{numbers:?}");
        }
    }
}
