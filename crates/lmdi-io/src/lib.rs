//! Files in and out: CSV and Parquet tables to and from the in-memory types of `lmdi`.

pub mod atomic;
