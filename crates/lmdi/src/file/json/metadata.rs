//! The key `metadata`.

use super::arrays::Number;
use crate::file::{Metadata, Quality};
use crate::table::Fingerprint;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

#[derive(Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct MetadataV1 {
    producer: String,
    training_options: String,
    seed: Option<u64>,
    training_rows: Option<u64>,
    fingerprint: Option<String>,
    quality: Vec<QualityV1>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct QualityV1 {
    sample: String,
    measure: String,
    value: Number,
}

impl From<&Metadata> for MetadataV1 {
    fn from(metadata: &Metadata) -> Self {
        Self {
            producer: metadata.producer.clone(),
            training_options: metadata.training_options.clone(),
            seed: metadata.seed,
            training_rows: metadata.training_rows,
            fingerprint: metadata.fingerprint.map(|fingerprint| fingerprint.to_string()),
            quality: metadata
                .quality
                .iter()
                .map(|quality| QualityV1 {
                    sample: quality.sample.clone(),
                    measure: quality.measure.clone(),
                    value: Number(quality.value),
                })
                .collect(),
        }
    }
}

impl MetadataV1 {
    pub(super) fn into_metadata(self) -> Result<Metadata> {
        let fingerprint = match self.fingerprint {
            None => None,
            Some(digits) => Some(Fingerprint::from_hex(&digits).ok_or_else(|| {
                Error::Format(format!("\"fingerprint\" is {digits:?}; expected 64 hex digits"))
            })?),
        };
        Ok(Metadata {
            producer: self.producer,
            training_options: self.training_options,
            seed: self.seed,
            training_rows: self.training_rows,
            fingerprint,
            quality: self
                .quality
                .into_iter()
                .map(|quality| Quality {
                    sample: quality.sample,
                    measure: quality.measure,
                    value: quality.value.0,
                })
                .collect(),
        })
    }
}
