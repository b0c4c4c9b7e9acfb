//! Any bytes as a model of one library: refused with an error, or an ensemble that can be used and saved.
#![no_main]

mod shared;

use libfuzzer_sys::fuzz_target;
use lmdi::forest::import::Library;

fuzz_target!(init: shared::one_thread(), |data: &[u8]| shared::import(data, Library::XgBoost));
