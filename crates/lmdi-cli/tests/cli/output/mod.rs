//! What is printed and written: numbers that agree with one another, and files.

mod account;
mod results;
