//! Section `CLSW`: class weights in training, if they were not all equal.

use crate::file::bytes::{Reader, Writer};
use crate::forest::ClassWeights;
use crate::{Error, Result};

const GIVEN: u8 = 1;
const BALANCED: u8 = 2;

pub(super) fn write(weights: &ClassWeights, writer: &mut Writer) -> Result<()> {
    match weights {
        ClassWeights::Equal => {}
        ClassWeights::Given(factors) => {
            writer.u8(GIVEN);
            writer.count(factors.len(), "number of class weights")?;
            writer.f64s(factors);
        }
        ClassWeights::Balanced => writer.u8(BALANCED),
    }
    Ok(())
}

pub(super) fn read(reader: &mut Reader<'_>) -> Result<ClassWeights> {
    match reader.u8("form of class weights")? {
        GIVEN => {
            let count = reader.count(8, "number of class weights")?;
            Ok(ClassWeights::Given(reader.f64s(count, "class weights")?))
        }
        BALANCED => Ok(ClassWeights::Balanced),
        code => Err(Error::Format(format!(
            "class weights have code {code}; expected {GIVEN} or {BALANCED}"
        ))),
    }
}
