//! Input of commands: whole tables ([`tables`]), tables in batches ([`row_stream`]), model files
//! ([`model_file`]), and both together as a study that is ready to explain ([`saved_study`]).

pub mod model_file;
pub mod row_stream;
pub mod saved_study;
pub mod tables;
