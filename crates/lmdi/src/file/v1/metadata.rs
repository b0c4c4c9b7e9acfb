//! Section `META`: where the model comes from and how good it is.

use crate::Result;
use crate::file::bytes::{Reader, Writer};
use crate::file::{Metadata, Quality};
use crate::table::Fingerprint;

pub(super) fn write(metadata: &Metadata, writer: &mut Writer) -> Result<()> {
    writer.string(&metadata.producer, "producer")?;
    writer.string(&metadata.training_options, "training options")?;
    for number in [metadata.seed, metadata.training_rows] {
        writer.u8(u8::from(number.is_some()));
        if let Some(number) = number {
            writer.u64(number);
        }
    }
    writer.u8(u8::from(metadata.fingerprint.is_some()));
    if let Some(fingerprint) = metadata.fingerprint {
        writer.u8s(&fingerprint.0);
    }
    writer.count(metadata.quality.len(), "number of qualities")?;
    for quality in &metadata.quality {
        writer.string(&quality.sample, "sample of a quality")?;
        writer.string(&quality.measure, "measure of a quality")?;
        writer.f64(quality.value);
    }
    Ok(())
}

pub(super) fn read(reader: &mut Reader<'_>) -> Result<Metadata> {
    let producer = reader.string("producer")?;
    let training_options = reader.string("training options")?;
    let seed = if reader.flag("seed known")? { Some(reader.u64("seed")?) } else { None };
    let training_rows =
        if reader.flag("training rows known")? { Some(reader.u64("training rows")?) } else { None };
    let fingerprint = if reader.flag("fingerprint known")? {
        Some(Fingerprint(reader.digest("fingerprint")?))
    } else {
        None
    };
    let n_qualities = reader.count(16, "number of qualities")?;
    let mut quality = Vec::new();
    for _ in 0..n_qualities {
        quality.push(Quality {
            sample: reader.string("sample of a quality")?,
            measure: reader.string("measure of a quality")?,
            value: reader.f64("value of a quality")?,
        });
    }
    Ok(Metadata { producer, training_options, seed, training_rows, fingerprint, quality })
}
