//! What commands read: tables ([`tables`]), model files ([`model_file`]), and both together as a
//! study that is ready to explain ([`saved_study`]).

pub mod model_file;
pub mod saved_study;
pub mod tables;
