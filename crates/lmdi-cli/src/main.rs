//! The `lmdi` command.

fn main() {}
