//! Section `DECI`: where the decision between two classes changes.

use crate::Result;
use crate::file::bytes::{Reader, Writer};

pub(super) fn write(threshold: f64, writer: &mut Writer) -> Result<()> {
    writer.f64s(&[threshold]);
    Ok(())
}

pub(super) fn read(reader: &mut Reader<'_>) -> Result<f64> {
    Ok(reader.f64s(1, "threshold")?[0])
}
